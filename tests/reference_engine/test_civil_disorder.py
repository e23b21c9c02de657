"""Civil disorder under each choice: which unit is removed (4.D.8), and by which alphabet (X.17).

The distances are counted by hand on the map, as each rulebook or guide says.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from datc.reference_engine import ISSUES

from .play import adjust

BY_CONVOY = "1971-convoy-one-move"
OLDER = f"{BY_CONVOY} 1971-own-fleets 1971-any-fleets dptg 1971-all-abilities"
"""Home centers, whoever owns them."""
ALL = f"{OLDER} 2000-country 2023 alexander"

RUSSIANS_AT_HOME = "RUSSIA: A MOS, F SEV, A WAR"
ENGLISH_AT_HOME = "ENGLAND: A LVP, F EDI"

# Each row: what it shows; the units; the centers; which unit is removed by which choices. Nobody orders a removal.
EFFECTS: Mapping[str, list[tuple[str, str, str, dict[str, str]]]] = {
    "4.D.8": [
        (
            "Warsaw and St Petersburg are homes, but not in the country of the 2000 rules: Livonia is (6.J.3)",
            "RUSSIA: A LVN, A PRU",
            "RUSSIA: STP",
            {f"{OLDER} alexander": "A LVN", "2000-country 2023": "A PRU"},
        ),
        ("equal distances (6.J.4)", "RUSSIA: A LVN, A UKR", "RUSSIA: MOS", {ALL: "A LVN"}),
        ("two fleets (6.J.5)", "RUSSIA: F SKA, F NAO", "RUSSIA: STP", {ALL: "F NAO"}),
        (
            "only the owned center is far from both (6.J.6)",
            "RUSSIA: F BOT, F NTH",
            "RUSSIA: MUN",
            {f"{OLDER} 2000-country alexander": "F NTH", "2023": "F BOT"},
        ),
        (
            "fleets before armies, but in the Alexander rules (6.J.7)",
            "RUSSIA: A BOH, F SKA, F NTH",
            "RUSSIA: STP WAR",
            {f"{OLDER} 2000-country 2023": "F NTH", "alexander": "A BOH"},
        ),
        (
            "a fleet that is nearer (6.J.8), or not: by any convoy the army is two moves from St Petersburg",
            "RUSSIA: A TYR, F BAL",
            "RUSSIA: WAR",
            {
                BY_CONVOY: "F BAL",
                "1971-own-fleets 1971-any-fleets dptg 1971-all-abilities 2000-country 2023 alexander": "A TYR",
            },
        ),
        (
            "a fleet that counts from both coasts (6.J.9)",
            "RUSSIA: A ALB, A SEV, F BAL",
            "RUSSIA: STP SEV",
            {BY_CONVOY: "F BAL", "dptg 1971-all-abilities 2023": "A ALB"},
        ),
        (
            "an army over water (6.J.10)",
            "ITALY: A ALB, A PIE",
            "ITALY: NAP",
            {f"{OLDER} 2000-country alexander": "A ALB", "2023": "A PIE"},
        ),
        (
            "an army far away that holds the only center (6.J.11)",
            "ITALY: A WAR, A TUS",
            "ITALY: WAR",
            {f"{OLDER} 2000-country alexander": "A WAR", "2023": "A TUS"},
        ),
        (
            "a fleet that cannot go over land (D.20)",
            f"{RUSSIANS_AT_HOME}, F ALB, A PIE",
            "RUSSIA: MOS SEV STP WAR",
            {
                f"{BY_CONVOY} 1971-own-fleets 1971-any-fleets dptg 2000-country": "F ALB",
                "1971-all-abilities 2023": "A PIE",
            },
        ),
        (
            "an army that a foreign fleet could convoy (D.21)",
            f"{ENGLISH_AT_HOME}, A PIC, F SKA; FRANCE: F ENG",
            "ENGLAND: EDI LON LVP; FRANCE: BRE",
            {
                f"{BY_CONVOY} 1971-any-fleets dptg 1971-all-abilities 2000-country 2023": "F SKA",
                "1971-own-fleets alexander": "A PIC",
            },
        ),
        (
            "an army that no fleet could convoy (D.21)",
            f"{ENGLISH_AT_HOME}, A PIC, F SKA",
            "ENGLAND: EDI LON LVP",
            {
                f"{BY_CONVOY} dptg 1971-all-abilities 2000-country 2023": "F SKA",
                "1971-own-fleets 1971-any-fleets alexander": "A PIC",
            },
        ),
        (
            "the nearest home is occupied: from Piedmont to Paris it is four moves, from Bohemia three",
            "FRANCE: A PIE, A BOH; GERMANY: A MAR",
            "FRANCE: PAR; GERMANY: MAR",
            {f"{OLDER} 2000-country 2023": "A BOH", "alexander": "A PIE"},
        ),
    ],
    "X.17": [
        (
            "Bothnia or Gulf of Bothnia (D.22)",
            "RUSSIA: F BOT, F FIN",
            "RUSSIA: STP",
            {"map-name": "F FIN", "dptg-list": "F BOT"},
        ),
        (
            "Lyon or Gulf of Lyon, both two from Rome",
            "ITALY: F LYO, F ION",
            "ITALY: ROM",
            {"map-name": "F LYO", "dptg-list": "F ION"},
        ),
        (
            "Saint or St. Petersburg, two from Sevastopol like Serbia",
            "TURKEY: A STP, A SER",
            "TURKEY: SEV",
            {"map-name": "A SER", "dptg-list": "A STP"},
        ),
        ("names that nobody writes otherwise", "RUSSIA: F SKA, F NTH", "RUSSIA: STP", {"map-name dptg-list": "F NTH"}),
    ],
}

ROWS = [
    pytest.param(units, centers, {issue: choice}, removed, id=f"{issue} {choice}: {title}")
    for issue, rows in EFFECTS.items()
    for title, units, centers, ends in rows
    for choices, removed in ends.items()
    for choice in choices.split()
]


@pytest.mark.parametrize(("units", "centers", "choices", "removed"), ROWS)
def test_choices(units: str, centers: str, choices: Mapping[str, str], removed: str) -> None:
    before = {unit.strip() for power in units.split(";") for unit in power.partition(":")[2].split(",")}
    assert adjust(units, centers, "", choices).units == before - {removed}


def test_every_choice_is_shown() -> None:
    """And some position tells any two choices apart."""
    for issue, rows in EFFECTS.items():
        ends = [{choice: end for choices, end in row[3].items() for choice in choices.split()} for row in rows]
        assert {choice for end in ends for choice in end} == set(ISSUES[issue].choices)
        for one in ISSUES[issue].choices:
            for other in ISSUES[issue].choices:
                told_apart = any(one in end and other in end and end[one] != end[other] for end in ends)
                assert one == other or told_apart, (issue, one, other)
