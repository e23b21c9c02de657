"""Who convoys whom, under each choice: issues 4.A.1, 4.A.3 and 4.A.6, and the rules X.1, X.2 and X.15.

What should become of the orders is derived by hand from the rulebooks and guides, or stated by the DATC.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from datc.reference_engine import ISSUES

from .play import Effect, Effects, check_all_shown, check_effect, effect_rows, play

ANY_ROUTE = {"4.A.1": "any-route"}

LONDON_BY_TWO_ROUTES = "A LON - BEL, F ENG C A LON - BEL, F NTH C A LON - BEL"
AGAINST_ENG = "FRANCE: F BRE S F MAO - ENG, F MAO - ENG"
ENG_TAKEN = "F MAO - ENG, F ENG x"
ONLY_FOREIGN_FLEETS = f"ENGLAND: A LON - BEL; GERMANY: F ENG C A LON - BEL; RUSSIA: F NTH C A LON - BEL; {AGAINST_ENG}"
FROM_PICARDY = "FRANCE: F BRE - ENG, A BUR S A PIC - BEL, F MAO S F BRE - ENG"
BREST_MOVES = "F BRE - ENG, F ENG x"
SWAP = "A NWY - SWE, A SWE - NWY"

ALL_1971 = "1971-convoy-always 1971-opposite 1971-opposite-undisrupted"
ALL_2000 = "2000-no-fallback 2000-fallback-unordered 2000-fallback-disrupted"
ROUND_ITALY = "ITALY: A ROM - VEN, F TYS C A ROM - VEN; FRANCE: F ION H, F ADR H"

EFFECTS: Effects = {
    "4.A.1": [
        Effect(
            "one of two routes is disrupted (6.F.9)",
            f"ENGLAND: {LONDON_BY_TWO_ROUTES}; {AGAINST_ENG}",
            {"all-routes": f"{ENG_TAKEN}, A LON - BEL", "any-route": ENG_TAKEN},
        ),
        Effect(
            "one that nobody wanted (6.F.13)",
            "ENGLAND: A LON - BEL, F NTH C A LON - BEL; FRANCE: F ENG C A LON - BEL;"
            " GERMANY: F HOL S F DEN - NTH, F DEN - NTH",
            {"all-routes": "F DEN - NTH, F NTH x, A LON - BEL", "any-route": "F DEN - NTH, F NTH x"},
        ),
        Effect(
            "a dislodged fleet on no route (6.F.12)",
            "ENGLAND: A LON - BEL, F ENG C A LON - BEL, F IRI C A LON - BEL; FRANCE: F NAO S F MAO - IRI, F MAO - IRI",
            {"all-routes any-route": "F MAO - IRI, F IRI x, A LON - BEL"},
        ),
        Effect(
            "both routes disrupted",
            f"ENGLAND: {LONDON_BY_TWO_ROUTES}; {AGAINST_ENG}; GERMANY: F HOL S F DEN - NTH, F DEN - NTH",
            {"all-routes any-route": f"{ENG_TAKEN}, F DEN - NTH, F NTH x"},
        ),
    ],
    "4.A.3": [
        Effect(
            "a swap that an own fleet convoys (6.G.1)",
            "ENGLAND: A NWY - SWE, F SKA C A NWY - SWE; RUSSIA: A SWE - NWY",
            {f"{ALL_1971} 1982-totality {ALL_2000}": SWAP, "dptg-explicit alexander": ""},
        ),
        Effect(
            "an army kidnapped (6.G.2)",
            "ENGLAND: A NWY - SWE; RUSSIA: F SWE - NWY; GERMANY: F SKA C A NWY - SWE",
            {ALL_1971: "A NWY - SWE, F SWE - NWY", f"1982-totality {ALL_2000} dptg-explicit alexander": ""},
        ),
        Effect(
            "an unwanted convoy, disrupted (6.G.3)",
            f"{FROM_PICARDY}, A PIC - BEL; ENGLAND: F ENG C A PIC - BEL",
            {
                "1971-convoy-always": BREST_MOVES,
                f"1971-opposite 1971-opposite-undisrupted 1982-totality {ALL_2000} dptg-explicit alexander": (
                    f"{BREST_MOVES}, A PIC - BEL"
                ),
            },
        ),
        Effect(
            "an unwanted convoy, disrupted, and an opposite move (6.G.4)",
            f"{FROM_PICARDY}, A PIC - BEL; ENGLAND: F ENG C A PIC - BEL, A BEL - PIC",
            {
                "1971-convoy-always 1971-opposite": BREST_MOVES,
                f"1971-opposite-undisrupted 1982-totality {ALL_2000} dptg-explicit alexander": (
                    f"{BREST_MOVES}, A PIC - BEL, A BEL x"
                ),
            },
        ),
        Effect(
            "one own fleet of two (6.G.5)",
            "ITALY: A ROM - APU, F TYS C A APU - ROM; TURKEY: A APU - ROM, F ION C A APU - ROM",
            {f"{ALL_1971} 1982-totality {ALL_2000}": "A ROM - APU, A APU - ROM", "dptg-explicit alexander": ""},
        ),
        Effect(
            "an own fleet on another route than the one that is ordered (6.G.6)",
            "ENGLAND: A LVP - EDI, F ENG C A LVP - EDI; GERMANY: A EDI - LVP; FRANCE: F IRI H, F NTH H;"
            " RUSSIA: F NWG C A LVP - EDI, F NAO C A LVP - EDI",
            {f"{ALL_1971} 1982-totality {ALL_2000}": "A LVP - EDI, A EDI - LVP", "dptg-explicit alexander": ""},
        ),
        Effect(
            "an own fleet on no route (6.G.7)",
            "ENGLAND: F SKA C A SWE - NWY, F NWY - SWE; RUSSIA: A SWE - NWY, F BOT C A SWE - NWY",
            {ALL_1971: "F NWY - SWE, A SWE - NWY", f"1982-totality {ALL_2000} dptg-explicit alexander": ""},
        ),
        Effect(
            "via convoy, and no fleet is ordered (6.G.8)",
            "FRANCE: A BEL - HOL VIA; ENGLAND: F NTH - HEL, A HOL - KIE",
            {
                "2000-no-fallback dptg-explicit": "F NTH - HEL, A HOL - KIE",
                "2000-fallback-unordered 2000-fallback-disrupted alexander": "F NTH - HEL, A HOL - KIE, A BEL - HOL",
            },
        ),
        Effect(
            "swapped or dislodged (6.G.9)",
            "ENGLAND: A NWY - SWE, F SKA C A NWY - SWE, F FIN S A NWY - SWE; RUSSIA: A SWE - NWY",
            {f"{ALL_1971} 1982-totality {ALL_2000}": SWAP, "dptg-explicit alexander": "A NWY - SWE, A SWE x"},
        ),
        Effect(
            "a convoy that only the army's arrival saves (6.G.11)",
            "ENGLAND: F NWY S F NTH - SKA, F NTH - SKA; RUSSIA: A SWE - NWY, F SKA C A SWE - NWY, F BAR S A SWE - NWY",
            {
                "1971-convoy-always 1982-totality 2000-no-fallback 2000-fallback-unordered": "F NTH - SKA, F SKA x",
                "1971-opposite 1971-opposite-undisrupted 2000-fallback-disrupted dptg-explicit alexander": (
                    "A SWE - NWY, F NWY x"
                ),
            },
        ),
        Effect(
            "an own fleet that is not needed (6.G.19)",
            "FRANCE: A MAR - SPA, F WES C A MAR - SPA; ITALY: F LYO C A MAR - SPA, A SPA - MAR",
            {ALL_1971: "A MAR - SPA, A SPA - MAR", f"1982-totality {ALL_2000} dptg-explicit alexander": ""},
        ),
        Effect(
            "via convoy, disrupted (6.G.20)",
            f"{FROM_PICARDY}, A PIC - BEL VIA; ENGLAND: F ENG C A PIC - BEL",
            {
                "1971-convoy-always 2000-no-fallback 2000-fallback-unordered dptg-explicit": BREST_MOVES,
                "1971-opposite 1971-opposite-undisrupted 1982-totality 2000-fallback-disrupted alexander": (
                    f"{BREST_MOVES}, A PIC - BEL"
                ),
            },
        ),
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
            {f"{ALL_1971} 1982-totality": SWAP, f"{ALL_2000} dptg-explicit alexander": ""},
        ),
        Effect(
            "the own fleet is dislodged (D.4, Walker's German North Sea)",
            "ENGLAND: F EDI - NTH, F LON S F EDI - NTH; GERMANY: F NTH C A HOL - BEL, A HOL - BEL",
            {
                "1971-convoy-always 1982-totality 2000-no-fallback 2000-fallback-unordered": "F EDI - NTH, F NTH x",
                "1971-opposite 1971-opposite-undisrupted 2000-fallback-disrupted dptg-explicit alexander": (
                    "F EDI - NTH, F NTH x, A HOL - BEL"
                ),
            },
        ),
        Effect(
            "via convoy by an own fleet, against an opposite move (6.E.11)",
            "FRANCE: A SPA - POR VIA, F MAO C A SPA - POR, F LYO S F POR - SPA/NC;"
            " GERMANY: A MAR S A GAS - SPA, A GAS - SPA; ITALY: F POR - SPA/NC, F WES S F POR - SPA/NC",
            {f"{ALL_1971} 1982-totality {ALL_2000} dptg-explicit alexander": "A SPA - POR, F POR - SPA/NC"},
        ),
        Effect(
            "via convoy, and a fleet that is not ordered could",
            "GERMANY: A HOL - BEL VIA, F NTH H",
            {
                "2000-no-fallback dptg-explicit": "",
                "2000-fallback-unordered 2000-fallback-disrupted alexander": "A HOL - BEL",
            },
        ),
        Effect(
            "an own fleet shows intent, but the route is not whole",
            ROUND_ITALY,
            {
                "2000-no-fallback": "",
                f"{ALL_1971} 2000-fallback-unordered 2000-fallback-disrupted dptg-explicit alexander": "A ROM - VEN",
            },
        ),
    ],
    "4.A.6": [
        Effect(
            "the path that is named is disrupted, and another one is not (D.5)",
            f"ENGLAND: {LONDON_BY_TWO_ROUTES.replace('A LON - BEL,', 'A LON - ENG - BEL,', 1)}; {AGAINST_ENG}",
            {"ignored": f"{ENG_TAKEN}, A LON - BEL", "allowed required": ENG_TAKEN},
        ),
        Effect(
            "no path is named (D.6)",
            f"ENGLAND: {LONDON_BY_TWO_ROUTES}; {AGAINST_ENG}",
            {"ignored allowed": f"{ENG_TAKEN}, A LON - BEL", "required": ENG_TAKEN},
        ),
        Effect(
            "the path that is named is not disrupted",
            f"ENGLAND: {LONDON_BY_TWO_ROUTES.replace('A LON - BEL,', 'A LON - NTH - BEL,', 1)}; {AGAINST_ENG}",
            {"ignored allowed required": f"{ENG_TAKEN}, A LON - BEL"},
        ),
        Effect(
            "the fleet on the path that is named is not ordered",
            "ENGLAND: A LON - ENG - BEL, F ENG H, F NTH C A LON - BEL",
            {"ignored": "A LON - BEL", "allowed required": ""},
        ),
    ],
    "X.1": [
        Effect(
            "a foreign fleet beside an own one (6.F.10)",
            f"ENGLAND: A LON - BEL, F NTH C A LON - BEL; GERMANY: F ENG C A LON - BEL; {AGAINST_ENG}",
            {"all-matching": ENG_TAKEN, "countrymen-preferred": f"{ENG_TAKEN}, A LON - BEL"},
            ANY_ROUTE,
        ),
        Effect(
            "only foreign fleets (6.F.11)",
            ONLY_FOREIGN_FLEETS,
            {"all-matching countrymen-preferred": ENG_TAKEN},
            ANY_ROUTE,
        ),
        Effect(
            "a paradox by a foreign fleet (6.F.20)",
            "FRANCE: A TUN - NAP, F TYS C A TUN - NAP; ITALY: F NAP S F ION, F ION C A TUN - NAP;"
            " TURKEY: F AEG S F EAS - ION, F EAS - ION",
            {"all-matching": "", "countrymen-preferred": "F EAS - ION, F ION x"},
            ANY_ROUTE,
        ),
        Effect(
            "a route that need not be whole makes no difference where one suffices",
            f"ENGLAND: A LON - BEL, F NTH C A LON - BEL; GERMANY: F ENG C A LON - BEL; {AGAINST_ENG}",
            {"all-matching countrymen-preferred": f"{ENG_TAKEN}, A LON - BEL"},
        ),
    ],
    "X.2": [
        Effect(
            "a fleet that could be spared (D.31)",
            "AUSTRIA: A BUL - SMY, F AEG C A BUL - SMY, F EAS C A BUL - SMY; ITALY: F ION - EAS, F SYR S F ION - EAS",
            {"simple-path": "F ION - EAS, F EAS x", "minimal-path": "F ION - EAS, F EAS x, A BUL - SMY"},
            {**ANY_ROUTE, "X.3": "legal-if-on-any-route"},
        ),
        Effect(
            "a fleet that could be spared, and one route suffices (D.31)",
            "AUSTRIA: A BUL - SMY, F AEG C A BUL - SMY, F EAS C A BUL - SMY; ITALY: F ION - EAS, F SYR S F ION - EAS",
            {"simple-path minimal-path": "F ION - EAS, F EAS x, A BUL - SMY"},
            {"X.3": "legal-if-on-any-route"},
        ),
        Effect(
            "two routes of one fleet each (6.F.9)",
            f"ENGLAND: {LONDON_BY_TWO_ROUTES}; {AGAINST_ENG}",
            {"simple-path minimal-path": ENG_TAKEN},
            ANY_ROUTE,
        ),
    ],
    "X.15": [
        Effect(
            "a fleet could convoy and is not ordered to (6.D.8)",
            "AUSTRIA: F ION H, A SER S A ALB - GRE, A ALB - GRE; TURKEY: A GRE - NAP, A BUL S A GRE",
            {"no": "A ALB - GRE, A GRE x", "yes": ""},
        ),
        Effect(
            "another army goes where it would have gone",
            "ENGLAND: A LON - HOL, F NTH H; GERMANY: A RUH - HOL",
            {"no yes": "A RUH - HOL"},
        ),
        Effect(
            "the convoy is ordered and disrupted",
            "AUSTRIA: A SER S A ALB - GRE, A ALB - GRE; TURKEY: A GRE - NAP, A BUL S A GRE, F ION C A GRE - NAP;"
            " ITALY: F TYS S F ADR - ION, F ADR - ION",
            {"no yes": "A ALB - GRE, A GRE x, F ADR - ION, F ION x"},
        ),
        Effect(
            "an army that holds attacks nobody from afar: it keeps no other army out",
            "ENGLAND: A LON - BEL, F ENG H; FRANCE: A BUR - BEL",
            {"no yes": "A BUR - BEL"},
        ),
        Effect(
            "and it cuts no support",
            "ENGLAND: A YOR - HOL, F LON H, F NTH H; GERMANY: F HOL S F BEL - NTH, F BEL - NTH",
            {"no yes": "F BEL - NTH, F NTH x"},
        ),
    ],
}


@pytest.mark.parametrize("choice", ISSUES["X.15"].choices)
def test_a_move_without_a_convoy_fails_for_want_of_a_path(choice: str) -> None:
    outcome = play("ENGLAND: A LON, F ENG; FRANCE: F BEL", "ENGLAND: A LON - BEL, F ENG H", {"X.15": choice})
    assert outcome.reasons == ["no-path", None]
    assert outcome.dislodged == {}


@pytest.mark.parametrize(("effect", "choices", "end"), effect_rows(EFFECTS))
def test_choices(effect: Effect, choices: Mapping[str, str], end: str) -> None:
    check_effect(effect, choices, end)


def test_every_choice_is_shown() -> None:
    check_all_shown(EFFECTS)


def test_an_army_that_holds_for_want_of_a_convoy_has_no_path() -> None:
    orders = "ENGLAND: A LON - HOL, F NTH H; GERMANY: A RUH - HOL"
    outcome = play("ENGLAND: A LON, F NTH; GERMANY: A RUH", orders, {"X.15": "yes"})
    assert outcome.reasons == ["no-path", None, None]


@pytest.mark.parametrize("choice", ["2000-no-fallback", "2000-fallback-unordered", "dptg-explicit"])
def test_no_swap_against_the_will_of_the_army(choice: str) -> None:
    """Issue 4.A.3, the other half of D.3: it is a head-to-head battle over land."""
    orders = "ENGLAND: A NWY - SWE, A SWE - NWY; GERMANY: F SKA C A NWY - SWE"
    outcome = play("ENGLAND: A NWY, A SWE; GERMANY: F SKA", orders, {"4.A.3": choice})
    assert outcome.reasons == ["bounced", "bounced", "void"]


@pytest.mark.parametrize("choice", ["1971-convoy-always", "1971-opposite", "1971-opposite-undisrupted"])
def test_a_swap_that_anyone_can_convoy(choice: str) -> None:
    orders = "ENGLAND: A NWY - SWE, A SWE - NWY; GERMANY: F SKA C A NWY - SWE"
    outcome = play("ENGLAND: A NWY, A SWE; GERMANY: F SKA", orders, {"4.A.3": choice})
    assert outcome.reasons == [None, None, None]


@pytest.mark.parametrize(
    ("choice", "retreats"), [("all-routes", ("IRI", "LON", "PIC", "WAL")), ("any-route", ("BEL", "IRI", "PIC", "WAL"))]
)
def test_where_the_dislodged_fleet_may_go(choice: str, retreats: tuple[str, ...]) -> None:
    """Issue 4.A.1, by 6.F.9: London is left, or it is not, and Belgium with it."""
    units = "ENGLAND: A LON, F ENG, F NTH; FRANCE: F BRE, F MAO"
    outcome = play(units, f"ENGLAND: {LONDON_BY_TWO_ROUTES}; {AGAINST_ENG}", {"4.A.1": choice})
    assert outcome.dislodged == {"F ENG": retreats}
