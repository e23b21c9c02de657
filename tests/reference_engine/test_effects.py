"""What the choices of movement make of the same orders, in positions that no case of the suites has.

Derived by hand from the rulebooks and guides, or stated by the DATC. The positions of cases are in the suites, and
`tests/harness/play/test_reference.py` plays these under each choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pytest

from datc.reference_engine import ISSUES

from .play import NO_CHOICES, ends, in_words, play, units_ordered


class Effect(NamedTuple):
    """What the choices for an issue make of the same orders."""

    title: str
    orders: str
    ends: Mapping[str, str]
    """For choices, separated by spaces, the moves that succeed and the units that are dislodged.

    As `"F EAS - ION, F ION x"`, without powers; `""` where nothing moves.
    """
    under: Mapping[str, str] = NO_CHOICES
    """The choices for other issues."""
    units: str = ""
    """The units, where they are others than the orders name."""


ALL_1971 = "1971-convoy-always 1971-opposite 1971-opposite-undisrupted"
ALL_2000 = "2000-no-fallback 2000-fallback-unordered 2000-fallback-disrupted"
BREST_TO_LONDON = "FRANCE: A BRE - LON, F ENG C A BRE - LON"
FROM_WALES = "ENGLAND: F LON S F WAL - ENG, F WAL - ENG"
DETOUR = (
    "FRANCE: A SPA - TUS, F LYO C A SPA - TUS, F TYS C A SPA - TUS, F WES H, F NAP S F TYS;"
    " TURKEY: A GRE - NAP, F ION C A GRE - NAP; ITALY: F ROM - TYS, F TUN S F ROM - TYS"
)
LONDON_TO_HOLLAND = "ENGLAND: F NTH C A LON - HOL, A LON - HOL"
DISRUPTED = "F HEL S F SKA - NTH, F SKA - NTH"
ALL_HOLD = {"4.A.2": "all-hold"}
FALLBACK = {"4.A.3": "2000-fallback-disrupted"}
PICARDY_TO_BELGIUM = "FRANCE: A PIC - BEL VIA, F ENG C A PIC - BEL, A BUR S A PIC - BEL"
TO_SEA_BY_TWO = "GERMANY: F BEL - ENG, F NTH S F BEL - ENG"
LONDON_TO_BELGIUM = "ENGLAND: A LON - BEL, F ENG C A LON - BEL"
BELGIUM_TO_SEA = "FRANCE: F BEL - ENG, F BRE S F BEL - ENG"
SEA_TAKEN = "F BEL - ENG, F ENG x"
SPAIN_TO_NAPLES = "FRANCE: A SPA - NAP, F LYO C A SPA - NAP, F TYS C A SPA - NAP, A APU S A SPA - NAP"
NAPLES_TO_SEA = "ITALY: F NAP - TYS, F ION S F NAP - TYS"
BY_TWO_SEAS = f"{LONDON_TO_BELGIUM}, F NTH C A LON - BEL"
PICARDY_TO_SEA = "FRANCE: F PIC - ENG, F BEL S F PIC - ENG"
UNATTACKED = (
    "ENGLAND: A CLY - NWY, F NWG C A CLY - NWY, F EDI S F NWG; FRANCE: A HOL - EDI, F NTH C A HOL - EDI;"
    " GERMANY: F DEN - NTH, F NWY S F DEN - NTH"
)

EFFECTS: Mapping[str, Sequence[Effect]] = {
    "4.A.3": [
        Effect(
            # Open under 1982: by DATC 2.4 (4.A.3 d) the army walks, by the words of XII.6 the land is disregarded.
            "an own fleet is ordered, but no whole route",
            "ENGLAND: A LVP - EDI, F NAO C A LVP - EDI; RUSSIA: F NWG H",
            {
                "1982-totality 2000-no-fallback": "",
                f"{ALL_1971} 2000-fallback-unordered 2000-fallback-disrupted dptg-explicit alexander": "A LVP - EDI",
            },
        ),
        Effect(
            "own units, swapped by a foreign fleet (D.3)",
            "ENGLAND: A NWY - SWE, A SWE - NWY; GERMANY: F SKA C A NWY - SWE",
            {f"{ALL_1971} 1982-totality": "A NWY - SWE, A SWE - NWY", f"{ALL_2000} dptg-explicit alexander": ""},
        ),
    ],
    "X.2": [
        Effect(
            "a fleet that could be spared (D.31)",
            "AUSTRIA: A BUL - SMY, F AEG C A BUL - SMY, F EAS C A BUL - SMY; ITALY: F ION - EAS, F SYR S F ION - EAS",
            {"simple-path": "F ION - EAS, F EAS x", "minimal-path": "F ION - EAS, F EAS x, A BUL - SMY"},
            {"4.A.1": "any-route", "X.3": "legal-if-on-any-route"},
        ),
    ],
    "X.15": [
        Effect(
            "and it cuts no support",
            "ENGLAND: A YOR - HOL, F LON H, F NTH H; GERMANY: F HOL S F BEL - NTH, F BEL - NTH",
            {"no yes": "F BEL - NTH, F NTH x"},
        ),
    ],
    "X.6": [
        Effect(
            # Open: the DATC (4.A.2 b) asks for a possible route, and does not say whether a detour is one.
            "a fleet on a detour that the army does not need",
            DETOUR,
            {"ordered matched": "A SPA - TUS", "routed": "A SPA - TUS, F ROM - TYS, F TYS x"},
            {"4.A.2": "1982"},
        ),
        Effect(
            "a fleet on a detour, where a detour is a route",
            DETOUR,
            {"ordered matched routed": "A SPA - TUS"},
            {"4.A.1": "any-route", "4.A.2": "1982", "X.2": "simple-path"},
        ),
    ],
    "v3.2-4.A.4": [
        Effect(
            "point 1: by two fleets, as Walker ruled in 1981 (DATC 3.2, 4.A.4)",
            f"{SPAIN_TO_NAPLES}; {NAPLES_TO_SEA}",
            {"starting-position": "F NAP - TYS, F TYS x", "brannan": ""},
        ),
        Effect(
            "point 1: the army is stronger",
            f"{LONDON_TO_BELGIUM}, F NTH S A LON - BEL, A HOL S A LON - BEL; {BELGIUM_TO_SEA}",
            {"starting-position": SEA_TAKEN, "brannan": "A LON - BEL, F BEL x"},
        ),
        Effect(
            "point 1: the fleet is stronger",
            f"{LONDON_TO_BELGIUM}, F NTH S A LON - BEL; {BELGIUM_TO_SEA}, F PIC S F BEL - ENG",
            {"starting-position brannan": SEA_TAKEN},
        ),
        Effect(
            "point 1: the support of the fleet counts against the army, too",
            f"{LONDON_TO_BELGIUM}, F NTH S A LON - BEL, F IRI S F ENG; {BELGIUM_TO_SEA}",
            {"starting-position": "A LON - BEL, F BEL x", "brannan": ""},
        ),
        Effect(
            "point 1: an army whose convoy is disrupted before its last fleet meets nobody",
            f"{SPAIN_TO_NAPLES}; {NAPLES_TO_SEA}; GERMANY: F WES - LYO, F MAR S F WES - LYO",
            {"starting-position brannan": "F NAP - TYS, F TYS x, F WES - LYO, F LYO x"},
        ),
        Effect(
            "point 1: an army that comes from two seas meets nobody (the text does not say)",
            f"{BY_TWO_SEAS}, A HOL S A LON - BEL; {BELGIUM_TO_SEA}",
            {"starting-position brannan": f"A LON - BEL, {SEA_TAKEN}"},
        ),
        Effect(
            "point 1: the standoff at sea, so that the army does not fall back to the land",
            f"{PICARDY_TO_BELGIUM}; {TO_SEA_BY_TWO}",
            {"starting-position": f"A PIC - BEL, {SEA_TAKEN}", "brannan": ""},
            FALLBACK,
        ),
        Effect(
            "point 1: an army that falls back to the land comes from its province, and finds the fleet gone",
            f"{PICARDY_TO_BELGIUM}; {TO_SEA_BY_TWO}, F LON S F BEL - ENG",
            {"starting-position brannan": f"A PIC - BEL, {SEA_TAKEN}"},
            FALLBACK,
        ),
        Effect(
            "point 1: or meets a fleet that stays, without the support for its move",
            f"{PICARDY_TO_BELGIUM}; {TO_SEA_BY_TWO}; ENGLAND: F IRI - ENG, F WAL S F IRI - ENG, F LON S F IRI - ENG",
            {"starting-position brannan": "A PIC - BEL, F BEL x, F IRI - ENG, F ENG x"},
            FALLBACK,
        ),
        Effect(
            "point 2: dislodging still cuts, so that it is a paradox",
            f"{FROM_WALES}; {BREST_TO_LONDON}, F YOR S A BRE - LON",
            {"starting-position brannan": ""},
            ALL_HOLD,
        ),
        Effect(
            "point 2: the last fleet of another route cuts",
            f"{BY_TWO_SEAS}; {PICARDY_TO_SEA}",
            {"starting-position brannan": ""},
        ),
        Effect(
            "point 2: unless that fleet is dislodged",
            f"{BY_TWO_SEAS}; {PICARDY_TO_SEA}; GERMANY: F HEL - NTH, F DEN S F HEL - NTH",
            {"starting-position": "F HEL - NTH, F NTH x", "brannan": "F HEL - NTH, F NTH x, F PIC - ENG, F ENG x"},
            ALL_HOLD,
        ),
        Effect(
            "point 2: a support to hold the last fleet is not against the army (the text does not say)",
            f"{LONDON_TO_HOLLAND}; FRANCE: F HOL S F NTH; GERMANY: {DISRUPTED}",
            {"starting-position brannan": "F SKA - NTH, F NTH x"},
            {"4.A.2": "alexander"},
        ),
        Effect(
            "point 4: not the unit that was convoyed itself and is dislodged over land (6.G.14)",
            "ENGLAND: A NWY - SWE, F DEN S A NWY - SWE, F FIN S A NWY - SWE; GERMANY: F SKA C A SWE - NWY;"
            " RUSSIA: A SWE - NWY VIA, F BAR S A SWE - NWY; FRANCE: F NWG - NWY, F NTH S F NWG - NWY",
            {"starting-position brannan": "A NWY - SWE, A SWE x, F NWG - NWY"},
            {"4.A.7": "never-effect"},
        ),
    ],
    "X.4": [
        Effect(
            "Finland takes St Petersburg (DPTG, step 20)",
            "GERMANY: F BOT S A FIN - STP; RUSSIA: F STP/SC - BOT, F BAR S A FIN - STP, A LVN - STP,"
            " A MOS S A LVN - STP; ENGLAND: A FIN - STP",
            {"per-comparison": "", "grand-winner": "A FIN - STP, F STP/SC x"},
        ),
    ],
    "X.8": [
        Effect(
            "nobody attacks the fleet whose support depends on its own convoy",
            UNATTACKED,
            {"safe beleaguered-disrupts": ""},
        ),
        Effect(
            "the fleet is as strong as they are",
            f"{LONDON_TO_HOLLAND}, F EDI S F NTH; FRANCE: F ENG - NTH, F BEL S F ENG - NTH;"
            " GERMANY: F SKA - NTH, F DEN S F SKA - NTH",
            {"safe beleaguered-disrupts": "A LON - HOL"},
        ),
        Effect(
            "beleaguered by countrymen",
            f"{LONDON_TO_HOLLAND}, F ENG - NTH, F BEL S F ENG - NTH, F SKA - NTH, F DEN S F SKA - NTH",
            {"safe beleaguered-disrupts": "A LON - HOL"},
        ),
    ],
    "X.9": [
        Effect(
            "a countryman does not outnumber the fleet",
            f"{LONDON_TO_HOLLAND}, F YOR - NTH, F EDI S F YOR - NTH",
            {"fleet-dislodged outnumbered": "A LON - HOL"},
        ),
        Effect(
            "nobody attacks the fleet whose support depends on its own convoy",
            UNATTACKED,
            {"fleet-dislodged outnumbered": ""},
        ),
        Effect(
            "outnumbered with the help of a countryman (D.32)",
            "ENGLAND: A YOR - HOL, F EDI - NTH; FRANCE: F NTH C A YOR - HOL, F BEL S F EDI - NTH",
            {"fleet-dislodged": "A YOR - HOL", "outnumbered": ""},
        ),
    ],
    "4.B.1": [
        Effect("the default coast of Bulgaria", "TURKEY: F CON - BUL", {"fail": "", "default-coast": "F CON - BUL/EC"})
    ],
    "4.B.4": [
        Effect(
            "a support without a coast, and the fleet goes to the one that is not the default",
            "FRANCE: F POR S F MAO - SPA, F MAO - SPA/SC; ITALY: F LYO S F WES - SPA/SC, F WES - SPA/SC",
            {"required default-coast": "F WES - SPA/SC", "own-or-single optional-must-match ignored": ""},
        ),
        Effect(
            "a support of a foreign fleet that can come to one coast only, as 6.B.8",
            "FRANCE: F POR S English F GAS - SPA; ENGLAND: F GAS - SPA/NC;"
            " ITALY: F LYO S F WES - SPA/SC, F WES - SPA/SC",
            {"required": "F WES - SPA/SC", "default-coast own-or-single optional-must-match ignored": ""},
        ),
        Effect(
            "a support with a coast that the fleet cannot come to",
            "FRANCE: F GAS - SPA/NC, F MAR S F GAS - SPA/SC; ITALY: F WES - SPA/SC",
            {"required default-coast own-or-single optional-must-match": "", "ignored": "F GAS - SPA/NC"},
        ),
    ],
    "4.B.5": [
        Effect(
            "the coast of the fleet is left out: that is not a wrong one",
            "FRANCE: F SPA - WES",
            {"ignore fail": "F SPA/SC - WES"},
            units="FRANCE: F SPA/SC",
        ),
        Effect(
            "a support to hold that leaves the coast out has no wrong one",
            "FRANCE: A MAR S F SPA; ITALY: F WES - SPA/SC, A GAS S F WES - SPA/SC",
            {"ignore fail": ""},
            units="FRANCE: F SPA/SC, A MAR; ITALY: F WES, A GAS",
        ),
    ],
    "4.B.6": [
        Effect(
            "a supported army on a coast",
            "FRANCE: A MAR S A SPA/NC; ITALY: F WES - SPA/SC, A GAS S F WES - SPA/SC",
            {"ignore": "", "fail": "F WES - SPA/SC, A SPA x"},
            units="FRANCE: A SPA, A MAR; ITALY: F WES, A GAS",
        ),
        Effect(
            "a convoyed army on a coast",
            "FRANCE: A SPA - TUN, F WES C A SPA/SC - TUN",
            {"ignore": "A SPA - TUN", "fail": ""},
        ),
        Effect(
            "a convoy to a coast", "FRANCE: A BRE - SPA, F MAO C A BRE - SPA/NC", {"ignore": "A BRE - SPA", "fail": ""}
        ),
        Effect(
            "a support of an army to a coast",
            "FRANCE: A GAS - SPA, A MAR S A GAS - SPA/NC; ITALY: A POR - SPA",
            {"ignore": "A GAS - SPA", "fail": ""},
        ),
        Effect(
            "a support of a fleet to no coast that Spain has",
            "FRANCE: F GAS - SPA/NC, A MAR S F GAS - SPA/WC; ITALY: A POR - SPA",
            {"ignore": "F GAS - SPA/NC", "fail": ""},
        ),
    ],
    "4.C.5": [
        Effect(
            "no nationality, and another order has it, as D.12",
            "GERMANY: A RUH S A BUR - BEL, A RUH S French A BEL - HOL; FRANCE: A BEL - HOL; ENGLAND: F HOL H",
            {"valid": "", "invalid valid-unless-correct-order": "A BEL - HOL, F HOL x"},
            units="GERMANY: A RUH; FRANCE: A BEL, A BUR; ENGLAND: F HOL",
        ),
        Effect(
            "no nationality of a convoyed foreign unit",
            "GERMANY: F NTH C A BEL - LON; FRANCE: A BEL - LON",
            {"valid valid-unless-correct-order": "A BEL - LON", "invalid": ""},
        ),
    ],
    "4.C.6": [
        Effect(
            "a wrong nationality, and another order has the right one, as D.13",
            "GERMANY: A RUH S Italian A BUR - BEL, A RUH S French A BEL - HOL; FRANCE: A BEL - HOL; ENGLAND: F HOL H",
            {"valid": "", "invalid valid-unless-correct-order": "A BEL - HOL, F HOL x"},
            units="GERMANY: A RUH; FRANCE: A BEL, A BUR; ENGLAND: F HOL",
        ),
    ],
    "4.D.9": [
        Effect(
            "a power that orders another unit",
            "TURKEY: A SMY H; RUSSIA: A RUM S A BUL; AUSTRIA: A SER - BUL, A GRE S A SER - BUL",
            {"succeeds fails": ""},
            units="TURKEY: A BUL, A SMY; RUSSIA: A RUM; AUSTRIA: A SER, A GRE",
        ),
    ],
}


@pytest.mark.parametrize(
    ("effect", "choices", "end"),
    [
        pytest.param(effect, {**effect.under, issue: choice}, end, id=f"{issue} {choice}: {effect.title}")
        for issue, several in EFFECTS.items()
        for effect in several
        for choices, end in effect.ends.items()
        for choice in choices.split()
    ],
)
def test_choices(effect: Effect, choices: Mapping[str, str], end: str) -> None:
    units = effect.units or units_ordered(effect.orders)
    assert ends(units, play(units, effect.orders, choices).adjudication) == in_words(end)


@pytest.mark.parametrize("choice", ISSUES["X.15"].choices)
def test_a_move_without_a_convoy_fails_for_want_of_a_path(choice: str) -> None:
    outcome = play("ENGLAND: A LON, F ENG; FRANCE: F BEL", "ENGLAND: A LON - BEL, F ENG H", {"X.15": choice})
    assert outcome.reasons == ["no-path", None]
    assert outcome.dislodged == {}


def test_an_army_that_holds_for_want_of_a_convoy_has_no_path() -> None:
    orders = "ENGLAND: A LON - HOL, F NTH H; GERMANY: A RUH - HOL"
    outcome = play("ENGLAND: A LON, F NTH; GERMANY: A RUH", orders, {"X.15": "yes"})
    assert outcome.reasons == ["no-path", None, None]


@pytest.mark.parametrize("choices", [{"X.8": "beleaguered-disrupts"}, {"X.9": "outnumbered"}])
def test_a_convoy_that_no_attack_can_outweigh_is_in_no_paradox(choices: Mapping[str, str]) -> None:
    """The attack has two at most against two, whether or not the convoyed army cuts its support."""
    units = "ENGLAND: F LON, F IRI; FRANCE: A BRE, F ENG, F MAO"
    orders = "ENGLAND: F LON S F IRI - ENG, F IRI - ENG; FRANCE: A BRE - LON, F ENG C A BRE - LON, F MAO S F ENG"
    assert play(units, orders, choices).reasons == ["cut", "bounced", "bounced", None, None]


@pytest.mark.parametrize(
    ("choices", "retreats"),
    [
        ({"4.A.5": "no-retreat-to-origin"}, ("PIE", "SPA")),
        ({"4.A.5": "retreat-to-origin"}, ("GAS", "PIE", "SPA")),
        ({"4.A.5": "no-retreat-to-origin", "v3.2-4.A.4": "brannan"}, ("GAS", "PIE", "SPA")),
    ],
)
def test_retreat_to_where_a_convoyed_attacker_came_from(choices: dict[str, str], retreats: tuple[str, ...]) -> None:
    """Issue 4.A.5, by 6.H.11: Burgundy is occupied, Gascony is where the army embarked (4.A.4 of 3.2, point 3)."""
    outcome = play(
        "FRANCE: A GAS, A BUR, F MAO, F WES, F LYO; ITALY: A MAR",
        "FRANCE: A GAS - MAR VIA, A BUR S A GAS - MAR, F MAO C A GAS - MAR, F WES C A GAS - MAR, F LYO C A GAS - MAR",
        choices,
    )
    assert outcome.dislodged == {"A MAR": retreats}
