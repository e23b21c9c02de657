"""Builds and removals, by order and in civil disorder."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from .play import adjust, board

GERMANS = "GERMANY: BER KIE MUN"
THREE_FRENCH = "FRANCE: F LYO, A PIC, A PAR"
TWO_CENTERS = "FRANCE: PAR BRE"

# Each row: what it shows; the units; the centers; the orders; what the board is under each choice.
EFFECTS: Mapping[str, list[tuple[str, str, str, str, dict[str, str]]]] = {
    "4.B.5": [
        (
            "the fleet that is removed is on the other coast",
            "FRANCE: F SPA/SC, A PAR, A RUH",
            "FRANCE: PAR SPA",
            "FRANCE: Remove F SPA/NC",
            {"ignore": "A PAR, A RUH", "fail": "F SPA/SC, A PAR"},
        )
    ],
    "4.B.6": [
        (
            "a build on an unknown coast",
            "GERMANY: A MUN",
            GERMANS,
            "GERMANY: Build F KIE/NC",
            {"ignore": "A MUN, F KIE", "fail": "A MUN"},
        ),
        (
            "an army built on a coast",
            "RUSSIA: A WAR",
            "RUSSIA: WAR STP",
            "RUSSIA: Build A STP/NC",
            {"ignore": "A WAR, A STP", "fail": "A WAR"},
        ),
        (
            "a removal on an unknown coast",
            "FRANCE: F BRE, A PAR, A RUH",
            "FRANCE: PAR BRE",
            "FRANCE: Remove F BRE/EC",
            {"ignore": "A PAR, A RUH", "fail": "F BRE, A PAR"},
        ),
    ],
    "4.B.7": [
        (
            "a fleet without a coast (6.B.14)",
            "RUSSIA: A WAR",
            "RUSSIA: WAR STP",
            "RUSSIA: Build F STP",
            {"fail": "A WAR", "default-coast": "A WAR, F STP/NC"},
        ),
        (
            "a fleet on a coast",
            "RUSSIA: A WAR",
            "RUSSIA: WAR STP",
            "RUSSIA: Build F STP/SC",
            {"fail": "A WAR, F STP/SC", "default-coast": "A WAR, F STP/SC"},
        ),
    ],
    "4.C.1": [
        (
            "a removal without a type",
            THREE_FRENCH,
            TWO_CENTERS,
            "FRANCE: Remove PAR",
            {"valid": "F LYO, A PIC", "invalid": "A PIC, A PAR", "valid-unless-correct-order": "F LYO, A PIC"},
        )
    ],
    "4.C.2": [
        (
            "a removal with a wrong type",
            THREE_FRENCH,
            TWO_CENTERS,
            "FRANCE: Remove F PAR",
            {"valid": "F LYO, A PIC", "invalid": "A PIC, A PAR", "valid-unless-correct-order": "F LYO, A PIC"},
        )
    ],
    "4.D.4": [
        (
            "too many builds (6.I.1)",
            "GERMANY: A BER, A HOL",
            f"{GERMANS}",
            "GERMANY: Build A WAR, Build A KIE, Build A MUN",
            {"first-legal": "A BER, A HOL, A KIE", "last-legal": "A BER, A HOL, A MUN", "none": "A BER, A HOL"},
        )
    ],
    "4.D.5": [
        (
            "two builds in one center (D.18)",
            "GERMANY: A BER",
            GERMANS,
            "GERMANY: Build F KIE, Build A KIE",
            {"first": "A BER, F KIE", "last": "A BER, A KIE", "none": "A BER"},
        )
    ],
}

ROWS = [
    pytest.param(units, centers, orders, {issue: choice}, after, id=f"{issue} {choice}: {title}")
    for issue, rows in EFFECTS.items()
    for title, units, centers, orders, boards in rows
    for choice, after in boards.items()
]


@pytest.mark.parametrize(("units", "centers", "orders", "choices", "after"), ROWS)
def test_choices(units: str, centers: str, orders: str, choices: Mapping[str, str], after: str) -> None:
    assert adjust(units, centers, orders, choices).units == board(after)


BY_CONVOY = "1971-convoy-one-move"
ENGLISH = "ENGLAND: A LVP, F EDI, A PIC, F SKA"
ENGLISH_CENTERS = "ENGLAND: EDI LON LVP"


@pytest.mark.parametrize(
    ("issue", "units", "centers", "ends"),
    [
        pytest.param(
            "4.D.8",
            "RUSSIA: A MOS, F SEV, A WAR, F ALB, A PIE",
            "RUSSIA: MOS SEV STP WAR",
            {
                f"{BY_CONVOY} 1971-own-fleets 1971-any-fleets dptg 2000-country": "F ALB",
                "1971-all-abilities 2023": "A PIE",
            },
            id="a fleet that cannot go over land (D.20)",
        ),
        pytest.param(
            "4.D.8",
            f"{ENGLISH}; FRANCE: F ENG",
            f"{ENGLISH_CENTERS}; FRANCE: BRE",
            {
                f"{BY_CONVOY} 1971-any-fleets dptg 1971-all-abilities 2000-country 2023": "F SKA",
                "1971-own-fleets alexander": "A PIC",
            },
            id="an army that a foreign fleet could convoy (D.21)",
        ),
        pytest.param(
            "4.D.8",
            ENGLISH,
            ENGLISH_CENTERS,
            {
                f"{BY_CONVOY} dptg 1971-all-abilities 2000-country 2023": "F SKA",
                "1971-own-fleets 1971-any-fleets alexander": "A PIC",
            },
            id="an army that no fleet could convoy (D.21)",
        ),
        pytest.param(
            "4.D.8",
            "FRANCE: A PIE, A BOH; GERMANY: A MAR",
            "FRANCE: PAR; GERMANY: MAR",
            {
                f"{BY_CONVOY} 1971-own-fleets 1971-any-fleets dptg 1971-all-abilities 2000-country 2023": "A BOH",
                "alexander": "A PIE",
            },
            id="the nearest home is occupied: from Piedmont to Paris it is four moves, from Bohemia three",
        ),
        pytest.param(
            "X.17",
            "ITALY: F LYO, F ION",
            "ITALY: ROM",
            {"map-name": "F LYO", "dptg-list": "F ION"},
            id="Lyon or Gulf of Lyon, both two from Rome",
        ),
        pytest.param(
            "X.17",
            "TURKEY: A STP, A SER",
            "TURKEY: SEV",
            {"map-name": "A SER", "dptg-list": "A STP"},
            id="Saint or St. Petersburg, two from Sevastopol like Serbia",
        ),
        pytest.param(
            "X.17",
            "RUSSIA: F SKA, F NTH",
            "RUSSIA: STP",
            {"map-name dptg-list": "F NTH"},
            id="names that nobody writes otherwise",
        ),
    ],
)
def test_civil_disorder_by_choice(issue: str, units: str, centers: str, ends: Mapping[str, str]) -> None:
    """The distances are counted by hand on the map, as each rulebook or guide says. Nobody orders a removal."""
    before = {unit.strip() for power in units.split(";") for unit in power.partition(":")[2].split(",")}
    for choices, removed in ends.items():
        for choice in choices.split():
            assert adjust(units, centers, "", {issue: choice}).units == before - {removed}, choice


# Builds


NOTHING: set[str] = set()


@pytest.mark.parametrize(
    ("units", "centers", "orders", "built", "reasons"),
    [
        ("GERMANY: A MUN", GERMANS, "GERMANY: Build A BER, Build F KIE", {"A BER", "F KIE"}, [None, None]),
        ("GERMANY: A MUN", GERMANS, "GERMANY: Build F KIE", {"F KIE"}, [None]),  # a build may be left out
        ("GERMANY: A MUN", GERMANS, "FRANCE: Build F KIE", NOTHING, ["illegal"]),
        ("GERMANY: A MUN", GERMANS, "GERMANY: Build A MUN", NOTHING, ["illegal"]),  # 6.I.3
        ("GERMANY: A BER; FRANCE: A KIE", f"{GERMANS}; FRANCE: PAR", "GERMANY: Build A KIE", NOTHING, ["illegal"]),
        ("RUSSIA: F STP/SC", "RUSSIA: STP MOS", "RUSSIA: Build A STP/NC", NOTHING, ["illegal"]),  # 6.I.4
        ("GERMANY: A MUN", "GERMANY: MUN KIE; RUSSIA: BER", "GERMANY: Build A BER", NOTHING, ["illegal"]),  # 6.I.5
        ("GERMANY: A MUN", "GERMANY: MUN KIE WAR", "GERMANY: Build A WAR", NOTHING, ["illegal"]),  # 6.I.6
        ("RUSSIA: A WAR", "RUSSIA: WAR MOS SEV", "RUSSIA: Build A MOS, Build A MOS", {"A MOS"}, [None, "ignored"]),
        ("RUSSIA: A WAR", "RUSSIA: WAR STP", "RUSSIA: Build F STP", NOTHING, ["illegal"]),  # 4.B.7
        ("RUSSIA: A WAR", "RUSSIA: WAR STP", "RUSSIA: Build F STP/NC", {"F STP/NC"}, [None]),
        ("RUSSIA: A WAR", "RUSSIA: WAR STP", "RUSSIA: Build A STP", {"A STP"}, [None]),
        ("GERMANY: A MUN", GERMANS, "GERMANY: Build A BUR", NOTHING, ["illegal"]),
        ("GERMANY: A MUN", GERMANS, "GERMANY: A MUN - BUR, Remove A MUN", NOTHING, ["illegal", "illegal"]),
        ("GERMANY: A MUN", GERMANS, "GERMANY: Build French A BER", NOTHING, ["illegal"]),
        ("GERMANY: A MUN", "GERMANY: MUN", "GERMANY: Build A BER, WAIVE", NOTHING, ["illegal", "illegal"]),
        ("GERMANY: A MUN", GERMANS, "GERMANY: WAIVE, Build A BER", {"A BER"}, [None, None]),
        (
            "GERMANY: A MUN",
            "GERMANY: MUN KIE BER",
            "GERMANY: WAIVE, Build A BER, Build A KIE",
            {"A BER"},
            [None, None, "ignored"],
        ),
        ("GERMANY: A MUN", "GERMANY: MUN KIE", "GERMANY: Build A KIE, WAIVE", {"A KIE"}, [None, "ignored"]),
    ],
)
def test_builds(units: str, centers: str, orders: str, built: set[str], reasons: list[str | None]) -> None:
    before = adjust(units, centers, "").units
    outcome = adjust(units, centers, orders)
    assert outcome.units - before == built
    assert before <= outcome.units
    assert outcome.reasons == reasons


def test_what_one_power_does_is_nothing_to_another() -> None:
    outcome = adjust(
        "GERMANY: A MUN; FRANCE: A PAR, A PIC",
        "GERMANY: MUN KIE; FRANCE: PAR",
        "GERMANY: Build F KIE; FRANCE: Remove A PAR",
    )
    assert outcome.units == board("A MUN, F KIE, A PIC")


# Removals


@pytest.mark.parametrize(
    ("units", "centers", "orders", "after", "reasons"),
    [
        ("FRANCE: A PIC, A PAR", "FRANCE: PAR", "FRANCE: Remove A PIC", "A PAR", [None]),
        ("FRANCE: A PIC, A PAR", "FRANCE: PAR", "FRANCE: A PAR D", "A PIC", [None]),
        (
            "FRANCE: A PIC, A PAR; GERMANY: A MUN",
            "FRANCE: PAR; GERMANY: MUN",
            "FRANCE: Remove A MUN",
            "A PAR, A MUN",
            ["illegal"],
        ),
        ("FRANCE: A PIC, A PAR", "FRANCE: PAR", "GERMANY: Remove A PAR", "A PAR", ["illegal"]),
        ("FRANCE: A PIC, A PAR", "FRANCE: PAR", "FRANCE: Remove A PAR, Remove A PIC", "A PIC", [None, "ignored"]),
        # 6.J.2: the second order is nothing, and the army farther from Paris goes too
        (
            "FRANCE: A PIC, A PAR, A RUH",
            "FRANCE: BRE",
            "FRANCE: Remove A PAR, Remove A PAR",
            "A PIC",
            [None, "ignored"],
        ),
        ("FRANCE: A PIC", "FRANCE: PAR", "FRANCE: Remove A PIC", "A PIC", ["illegal"]),
        ("FRANCE: F STP/SC, A PAR", "FRANCE: PAR", "FRANCE: Remove F STP", "A PAR", [None]),
        ("FRANCE: F STP/SC, A PAR", "FRANCE: PAR", "FRANCE: Build A PAR", "A PAR", ["illegal"]),
    ],
)
def test_removals(units: str, centers: str, orders: str, after: str, reasons: list[str | None]) -> None:
    outcome = adjust(units, centers, orders)
    assert outcome.units == board(after)
    assert outcome.reasons == reasons


@pytest.mark.parametrize(
    ("units", "centers", "removed"),
    [
        ("RUSSIA: A LVN, A PRU", "RUSSIA: STP", {"A PRU"}),  # 6.J.3
        ("RUSSIA: A LVN, A UKR", "RUSSIA: MOS", {"A LVN"}),  # 6.J.4
        ("RUSSIA: F SKA, F NAO", "RUSSIA: STP", {"F NAO"}),  # 6.J.5
        ("RUSSIA: F BOT, F NTH", "RUSSIA: MUN", {"F BOT"}),  # 6.J.6
        ("RUSSIA: A BOH, F SKA, F NTH", "RUSSIA: STP WAR", {"F NTH"}),  # 6.J.7
        ("RUSSIA: A TYR, F BAL", "RUSSIA: WAR", {"A TYR"}),  # 6.J.8
        ("RUSSIA: A ALB, A SEV, F BAL", "RUSSIA: STP SEV", {"A ALB"}),  # 6.J.9
        ("RUSSIA: A ALB, A SEV, F SKA", "RUSSIA: STP SEV", {"A ALB"}),  # 6.J.9
        ("ITALY: A ALB, A PIE", "ITALY: NAP", {"A PIE"}),  # 6.J.10
        ("RUSSIA: F BOT, F FIN", "RUSSIA: STP", {"F FIN"}),  # D.22: Finland before Gulf of Bothnia
        ("FRANCE: A PAR, A PIC, F ENG", "FRANCE: BRE", {"A PIC", "F ENG"}),  # one step each, and Paris is a center
        ("FRANCE: A PAR, F MAR", "", {"A PAR", "F MAR"}),  # no center at all: every unit
        ("FRANCE: A MUN, A RUH; GERMANY: A KIE", "FRANCE: MUN; GERMANY: KIE", {"A RUH"}),
    ],
)
def test_civil_disorder(units: str, centers: str, removed: set[str]) -> None:
    before = adjust(units, _enough_for(units), "").units
    assert before - adjust(units, centers, "").units == removed


def _enough_for(units: str) -> str:
    """Centers for everyone, so that nobody removes anything."""
    power = units.partition(":")[0]
    others = "BRE BEL HOL DEN SWE NWY" if power != "FRANCE" else "POR SPA BEL HOL DEN SWE"
    return f"{power}: {others}; GERMANY: KIE" if "GERMANY" in units else f"{power}: {others}"


def test_removals_by_order_come_before_civil_disorder() -> None:
    outcome = adjust("RUSSIA: A LVN, A PRU, A WAR", "RUSSIA: STP", "RUSSIA: Remove A LVN")
    # A PRU is two from St Petersburg, A WAR is too: Prussia comes first.
    assert outcome.units == board("A WAR")
