"""Builds and removals, by order and in civil disorder."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from datc.reference_engine import ISSUES

from .play import adjust, board, units_of

GERMANS = "GERMANY: BER KIE MUN"


@pytest.mark.parametrize(
    ("issue", "choice", "units", "centers", "orders", "after"),
    [
        # The fleet that is removed is on the other coast, or on none
        ("4.B.5", "ignore", "FRANCE: F SPA/SC, A PAR, A RUH", "FRANCE: PAR SPA", "Remove F SPA/NC", "A PAR, A RUH"),
        ("4.B.5", "fail", "FRANCE: F SPA/SC, A PAR, A RUH", "FRANCE: PAR SPA", "Remove F SPA/NC", "F SPA/SC, A PAR"),
        ("4.B.6", "ignore", "FRANCE: F BRE, A PAR, A RUH", "FRANCE: PAR BRE", "Remove F BRE/EC", "A PAR, A RUH"),
        ("4.B.6", "fail", "FRANCE: F BRE, A PAR, A RUH", "FRANCE: PAR BRE", "Remove F BRE/EC", "F BRE, A PAR"),
        # The unit that is built is on a coast that its province does not have
        ("4.B.6", "ignore", "GERMANY: A MUN", GERMANS, "Build F KIE/NC", "A MUN, F KIE"),
        ("4.B.6", "fail", "GERMANY: A MUN", GERMANS, "Build F KIE/NC", "A MUN"),
        ("4.B.6", "ignore", "RUSSIA: A WAR", "RUSSIA: WAR STP", "Build A STP/NC", "A WAR, A STP"),
        ("4.B.6", "fail", "RUSSIA: A WAR", "RUSSIA: WAR STP", "Build A STP/NC", "A WAR"),
        ("4.B.7", "default-coast", "RUSSIA: A WAR", "RUSSIA: WAR STP", "Build F STP", "A WAR, F STP/NC"),
        ("4.B.7", "default-coast", "RUSSIA: A WAR", "RUSSIA: WAR STP", "Build F STP/SC", "A WAR, F STP/SC"),
    ],
)
def test_choices(issue: str, choice: str, units: str, centers: str, orders: str, after: str) -> None:
    assert adjust(units, centers, f"{units.partition(':')[0]}: {orders}", {issue: choice}).units == board(after)


@pytest.mark.parametrize(
    ("issue", "units", "centers", "removed", "others"),
    [
        # A fleet that cannot go over land (D.20)
        (
            "4.D.8",
            "RUSSIA: A MOS, F SEV, A WAR, F ALB, A PIE",
            "RUSSIA: MOS SEV STP WAR",
            "F ALB",
            {"1971-all-abilities": "A PIE", "2023": "A PIE"},
        ),
        # An army that a foreign fleet could convoy, or no fleet (D.21)
        (
            "4.D.8",
            "ENGLAND: A LVP, F EDI, A PIC, F SKA; FRANCE: F ENG",
            "ENGLAND: EDI LON LVP; FRANCE: BRE",
            "F SKA",
            {"1971-own-fleets": "A PIC", "alexander": "A PIC"},
        ),
        (
            "4.D.8",
            "ENGLAND: A LVP, F EDI, A PIC, F SKA",
            "ENGLAND: EDI LON LVP",
            "F SKA",
            dict.fromkeys(("1971-own-fleets", "1971-any-fleets", "alexander"), "A PIC"),
        ),
        # The nearest home is occupied: from Piedmont to Paris it is four moves, from Bohemia three
        ("4.D.8", "FRANCE: A PIE, A BOH; GERMANY: A MAR", "FRANCE: PAR; GERMANY: MAR", "A BOH", {"alexander": "A PIE"}),
        # Lyon or Gulf of Lyon, both two from Rome; Saint or St. Petersburg, two from Sevastopol like Serbia
        ("X.17", "ITALY: F LYO, F ION", "ITALY: ROM", "F LYO", {"dptg-list": "F ION"}),
        ("X.17", "TURKEY: A STP, A SER", "TURKEY: SEV", "A SER", {"dptg-list": "A STP"}),
        ("X.17", "RUSSIA: F SKA, F NTH", "RUSSIA: STP", "F NTH", {}),  # names that nobody writes otherwise
    ],
)
def test_civil_disorder_by_choice(
    issue: str, units: str, centers: str, removed: str, others: Mapping[str, str]
) -> None:
    """The distances are counted by hand on the map, as each rulebook or guide says. Nobody orders a removal."""
    before = {f"{unit.type} {unit.location}" for unit in units_of(units)}
    for choice in ISSUES[issue].choices:
        assert adjust(units, centers, "", {issue: choice}).units == before - {others.get(choice, removed)}, choice


TWO_FRENCH, PARIS, RUSSIANS = "FRANCE: A PIC, A PAR", "FRANCE: PAR", "RUSSIA: WAR STP"


@pytest.mark.parametrize(
    ("units", "centers", "orders", "after", "reasons"),
    [
        # Builds
        ("GERMANY: A MUN", GERMANS, "GERMANY: Build A BER, Build F KIE", "A MUN, A BER, F KIE", [None, None]),
        ("GERMANY: A MUN", GERMANS, "GERMANY: Build F KIE", "A MUN, F KIE", [None]),  # a build may be left out
        ("GERMANY: A MUN", GERMANS, "FRANCE: Build F KIE", "A MUN", ["illegal"]),
        ("GERMANY: A BER; FRANCE: A KIE", f"{GERMANS}; {PARIS}", "GERMANY: Build A KIE", "A BER, A KIE", ["illegal"]),
        ("RUSSIA: A WAR", "RUSSIA: WAR MOS SEV", "RUSSIA: Build A MOS, Build A MOS", "A WAR, A MOS", [None, "ignored"]),
        ("RUSSIA: A WAR", RUSSIANS, "RUSSIA: Build F STP/NC", "A WAR, F STP/NC", [None]),
        ("RUSSIA: A WAR", RUSSIANS, "RUSSIA: Build A STP", "A WAR, A STP", [None]),
        ("GERMANY: A MUN", GERMANS, "GERMANY: Build A BUR", "A MUN", ["illegal"]),
        ("GERMANY: A MUN", GERMANS, "GERMANY: A MUN - BUR, Remove A MUN", "A MUN", ["illegal", "illegal"]),
        ("GERMANY: A MUN", GERMANS, "GERMANY: Build French A BER", "A MUN", ["illegal"]),
        ("GERMANY: A MUN", "GERMANY: MUN", "GERMANY: Build A BER, WAIVE", "A MUN", ["illegal", "illegal"]),
        ("GERMANY: A MUN", GERMANS, "GERMANY: WAIVE, Build A BER", "A MUN, A BER", [None, None]),
        (
            "FRANCE: A PIC",
            "FRANCE: PAR BRE MAR",
            "FRANCE: WAIVE, Build A PAR, Build A MAR",
            "A PIC, A PAR",
            [None, None, "ignored"],
        ),
        ("GERMANY: A MUN", "GERMANY: MUN KIE", "GERMANY: Build A KIE, WAIVE", "A MUN, A KIE", [None, "ignored"]),
        # Removals
        (TWO_FRENCH, PARIS, "FRANCE: Remove A PIC", "A PAR", [None]),
        (TWO_FRENCH, PARIS, "FRANCE: A PAR D", "A PIC", [None]),
        (f"{TWO_FRENCH}; ITALY: A VEN", f"{PARIS}; ITALY: VEN", "FRANCE: Remove A VEN", "A PAR, A VEN", ["illegal"]),
        (TWO_FRENCH, PARIS, "GERMANY: Remove A PAR", "A PAR", ["illegal"]),
        (TWO_FRENCH, PARIS, "FRANCE: Remove A PAR, Remove A PIC", "A PIC", [None, "ignored"]),
        # 6.J.2: the second order is nothing, and the army farther from Paris goes too
        (f"{TWO_FRENCH}, A RUH", "FRANCE: BRE", "FRANCE: Remove A PAR, Remove A PAR", "A PIC", [None, "ignored"]),
        ("FRANCE: A PIC", PARIS, "FRANCE: Remove A PIC", "A PIC", ["illegal"]),
        ("FRANCE: F STP/SC, A PAR", PARIS, "FRANCE: Remove F STP", "A PAR", [None]),
        ("FRANCE: F STP/SC, A PAR", PARIS, "FRANCE: Build A PAR", "A PAR", ["illegal"]),
        # What one power does is nothing to another
        (
            f"GERMANY: A MUN; {TWO_FRENCH}",
            f"GERMANY: MUN KIE; {PARIS}",
            "GERMANY: Build F KIE; FRANCE: Remove A PAR",
            "A MUN, F KIE, A PIC",
            [None, None],
        ),
        # Civil disorder
        ("RUSSIA: F BOT, F FIN", "RUSSIA: STP", "", "F BOT", []),  # D.22: Finland before Gulf of Bothnia
        (f"{TWO_FRENCH}, F ENG", "FRANCE: BRE", "", "A PAR", []),  # one step each, and Paris is a center
        ("FRANCE: A PAR, F MAR", "", "", "", []),  # no center at all: every unit
        ("FRANCE: A MUN, A RUH; GERMANY: A KIE", "FRANCE: MUN; GERMANY: KIE", "", "A MUN, A KIE", []),
        # After a removal by order: Prussia and Warsaw are two from St Petersburg, and Prussia comes first
        ("RUSSIA: A LVN, A PRU, A WAR", "RUSSIA: STP", "RUSSIA: Remove A LVN", "A WAR", [None]),
    ],
)
def test_builds_and_removals(units: str, centers: str, orders: str, after: str, reasons: list[str | None]) -> None:
    outcome = adjust(units, centers, orders)
    assert outcome.units == board(after)
    assert outcome.reasons == reasons
