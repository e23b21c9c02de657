"""Convoy disruption paradoxes under each choice: issue 4.A.2, and the rules X.6, X.7 and X.22.

What should become of the orders is derived by hand from the rulebooks and guides, or stated by the DATC.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from .play import Effect, Effects, check_all_shown, check_effect, effect_rows

ANY_ROUTE = {"4.A.1": "any-route"}
RULEBOOKS = "1971 1982 2000"

BREST_TO_LONDON = "FRANCE: A BRE - LON, F ENG C A BRE - LON"
FROM_WALES = "ENGLAND: F LON S F WAL - ENG, F WAL - ENG"
FROM_BELGIUM = "GERMANY: F NTH S F BEL - ENG, F BEL - ENG"
NORWAY_TO_BELGIUM = "RUSSIA: A NWY - BEL, F NTH C A NWY - BEL"
ENG_TAKEN = "F WAL - ENG, F ENG x"
ION_TAKEN = "F EAS - ION, F ION x"

PANDIN_EXTENDED = f"{FROM_WALES}; {BREST_TO_LONDON}, F YOR S A BRE - LON; {FROM_BELGIUM}"
BETRAYAL = (
    "ENGLAND: F NTH C A LON - BEL, A LON - BEL, F ENG S A LON - BEL; FRANCE: F BEL S F NTH;"
    " GERMANY: F HEL S F SKA - NTH, F SKA - NTH"
)
TWO_FRENCH_ROUTES = (
    "FRANCE: A TUN - NAP, F TYS C A TUN - NAP, F ION C A TUN - NAP; ITALY: F NAP S F ROM - TYS, F ROM - TYS"
)
UNWANTED_ROUTE = (
    "FRANCE: A TUN - NAP, F TYS C A TUN - NAP; ITALY: F NAP S F ION, F ION C A TUN - NAP;"
    " TURKEY: F AEG S F EAS - ION, F EAS - ION"
)
DADS_ARMY = (
    "RUSSIA: A EDI S A NWY - CLY, F NWG C A NWY - CLY, A NWY - CLY; FRANCE: F IRI S F MAO - NAO, F MAO - NAO;"
    " ENGLAND: A LVP - CLY VIA, F NAO C A LVP - CLY, F CLY S F NAO"
)
ONLY_CLYDE, ALSO_ATLANTIC = "A NWY - CLY, F CLY x", "A NWY - CLY, F CLY x, F MAO - NAO, F NAO x"
TWO_RESOLUTIONS = (
    f"ENGLAND: F EDI - NTH, F LON S F EDI - NTH; {BREST_TO_LONDON};"
    f" GERMANY: F BEL S F PIC - ENG, F PIC - ENG; {NORWAY_TO_BELGIUM}"
)
BOTH_TAKEN = "F EDI - NTH, F PIC - ENG, F ENG x, F NTH x"
TWO_EXCLUSIVE = (
    f"ENGLAND: F EDI - NTH, F YOR S F EDI - NTH; {BREST_TO_LONDON}; GERMANY: F BEL S F ENG, F LON S F NTH;"
    f" ITALY: F MAO - ENG, F IRI S F MAO - ENG; {NORWAY_TO_BELGIUM}"
)
NO_RESOLUTION = (
    "ENGLAND: F EDI - NTH, F LON S F EDI - NTH, F IRI - ENG, F MAO S F IRI - ENG;"
    f" {BREST_TO_LONDON}, F BEL S F ENG; {NORWAY_TO_BELGIUM}"
)
NTH_TAKEN = "F EDI - NTH, F NTH x"
CUT_LAST = (
    "GERMANY: A RUH - BEL, A HOL S A RUH - BEL, A DEN - NWY, F SKA C A DEN - NWY, A FIN S A DEN - NWY;"
    " ENGLAND: A YOR - HOL, F NTH C A YOR - HOL, F HEL S A YOR - HOL, A BEL H;"
    " RUSSIA: F NWG - NTH, F NWY S F NWG - NTH, F SWE - SKA"
)
HOLLAND_TAKEN = "A YOR - HOL, A HOL x, A DEN - NWY, F NWY x"
BELGIUM_TAKEN = "F NWG - NTH, F NTH x, A RUH - BEL, A BEL x, A DEN - NWY, F NWY x"
UNMATCHED = (
    "FRANCE: A TUN - NAP, F TYS C A TUN - NAP; ITALY: F NAP S F ION, F ION C A APU - TUN, A APU H;"
    " TURKEY: F EAS - ION, F AEG S F EAS - ION"
)
NO_WHOLE_ROUTE = (
    "FRANCE: A TUN - NAP, F TYS C A TUN - NAP; ITALY: F NAP S F ION, F ION C A APU - SPA, A APU - SPA, F WES H;"
    " TURKEY: F EAS - ION, F AEG S F EAS - ION"
)
DETOUR = (
    "FRANCE: A SPA - TUS, F LYO C A SPA - TUS, F TYS C A SPA - TUS, F WES H, F NAP S F TYS;"
    " TURKEY: A GRE - NAP, F ION C A GRE - NAP; ITALY: F ROM - TYS, F TUN S F ROM - TYS"
)

EFFECTS: Effects = {
    "4.A.2": [
        Effect(
            "the simple paradox (6.F.14)",
            f"{FROM_WALES}; {BREST_TO_LONDON}",
            {f"{RULEBOOKS} szykman dptg alexander": ENG_TAKEN, "all-hold": ""},
        ),
        Effect(
            "with another convoy to the place that is left (6.F.15)",
            f"{FROM_WALES}; {BREST_TO_LONDON}; ITALY: F IRI C A NAF - WAL, F MAO C A NAF - WAL, A NAF - WAL",
            {f"{RULEBOOKS} szykman dptg alexander": f"{ENG_TAKEN}, A NAF - WAL", "all-hold": ""},
        ),
        Effect(
            "Pandin's paradox (6.F.16)",
            f"{FROM_WALES}; {BREST_TO_LONDON}; {FROM_BELGIUM}",
            {f"{RULEBOOKS} all-hold szykman dptg": "", "alexander": "F BEL - ENG, F ENG x"},
        ),
        Effect(
            "Pandin's extended paradox (6.F.17)",
            PANDIN_EXTENDED,
            {
                RULEBOOKS: "A BRE - LON, F LON x",
                "all-hold szykman dptg": "",
                "alexander": "A BRE - LON, F LON x, F BEL - ENG, F ENG x",
            },
        ),
        Effect(
            "the betrayal paradox (6.F.18); 1971 and 2000 leave it to X.22",
            BETRAYAL,
            {
                "1971 2000 all-hold szykman dptg": "",
                "1982": "A LON - BEL, F BEL x",
                "alexander": "A LON - BEL, F BEL x, F SKA - NTH, F NTH x",
            },
        ),
        Effect(
            "two routes (6.F.19), and one suffices",
            TWO_FRENCH_ROUTES,
            {"2000 all-hold szykman dptg alexander": "", "1971 1982": "F ROM - TYS, F TYS x"},
        ),
        Effect(
            "two routes (6.F.19), and the army needs both: to 2000 every fleet is necessary",
            TWO_FRENCH_ROUTES,
            {f"{RULEBOOKS} szykman dptg alexander": "F ROM - TYS, F TYS x", "all-hold": ""},
            ANY_ROUTE,
        ),
        Effect(
            "an unwanted route (6.F.20), and one suffices",
            UNWANTED_ROUTE,
            {"1971 2000 all-hold szykman dptg alexander": ION_TAKEN, "1982": ""},
        ),
        Effect(
            "an unwanted route (6.F.20), and the army needs both; 1971 and 2000 leave it to X.22",
            UNWANTED_ROUTE,
            {f"{RULEBOOKS} all-hold szykman dptg": "", "alexander": ION_TAKEN},
            ANY_ROUTE,
        ),
        Effect(
            "Dad's army (6.F.21)",
            DADS_ARMY,
            {"1971 2000 all-hold szykman dptg alexander": ALSO_ATLANTIC, "1982": ONLY_CLYDE},
        ),
        Effect(
            "of the second order, two resolutions (6.F.22); 1971 and 2000 leave it to X.22",
            TWO_RESOLUTIONS,
            {f"{RULEBOOKS} szykman dptg alexander": BOTH_TAKEN, "all-hold": ""},
        ),
        Effect(
            "of the second order, two exclusive convoys (6.F.23); 1971 and 2000 leave it to X.22",
            TWO_EXCLUSIVE,
            {f"{RULEBOOKS} all-hold szykman dptg": ""},
        ),
        Effect(
            "of the second order, no resolution (6.F.24); 1971 and 2000 leave it to X.22",
            NO_RESOLUTION,
            {f"{RULEBOOKS} szykman": NTH_TAKEN, "all-hold dptg": "", "alexander": "F IRI - ENG, F ENG x"},
        ),
        Effect(
            "two convoys that cut each other's enemies (6.F.25)",
            CUT_LAST,
            {"1971 2000 all-hold szykman dptg alexander": HOLLAND_TAKEN, "1982": BELGIUM_TAKEN},
        ),
        Effect(
            "to an adjacent province (6.G.11)",
            "ENGLAND: F NWY S F NTH - SKA, F NTH - SKA; RUSSIA: A SWE - NWY, F SKA C A SWE - NWY, F BAR S A SWE - NWY",
            {f"{RULEBOOKS} szykman dptg alexander": "F NTH - SKA, F SKA x", "all-hold": ""},
        ),
        Effect(
            "one convoy subverts another (DPTG, step 5, the first example)",
            "TURKEY: A GRE - APU, F ION C A GRE - APU, F TUN S F ION;"
            " ITALY: F NAP - ION, F TYS S F NAP - ION; FRANCE: A SPA - TUN, F WES C A SPA - TUN",
            {"1971 2000 all-hold szykman dptg alexander": "F NAP - ION, F ION x", "1982": "A GRE - APU"},
        ),
    ],
    "X.6": [
        Effect(
            "a fleet whose convoy does not match (D.1)",
            UNMATCHED,
            {"ordered": "", "matched routed": ION_TAKEN},
            {"4.A.2": "1982"},
        ),
        Effect(
            "a fleet on no route that is whole (D.2)",
            NO_WHOLE_ROUTE,
            {"ordered matched": "", "routed": ION_TAKEN},
            {"4.A.2": "1982"},
        ),
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
        Effect("a fleet that does convoy (6.F.20)", UNWANTED_ROUTE, {"ordered matched routed": ""}, {"4.A.2": "1982"}),
    ],
    "X.7": [
        Effect(
            "Pandin's extended paradox (6.F.17): no other rule answers it",
            PANDIN_EXTENDED,
            {"paradox-rule-wins": "A BRE - LON, F LON x", "dislodge-rule-wins": ""},
            {"4.A.2": "2000"},
        ),
        Effect(
            "Dad's army (6.F.21)",
            DADS_ARMY,
            {"paradox-rule-wins": ONLY_CLYDE, "dislodge-rule-wins": ALSO_ATLANTIC},
            {"4.A.2": "1982"},
        ),
        Effect(
            "two convoys that cut each other's enemies (6.F.25)",
            CUT_LAST,
            {"paradox-rule-wins": BELGIUM_TAKEN, "dislodge-rule-wins": HOLLAND_TAKEN},
            {"4.A.2": "1982"},
        ),
        Effect(
            "an army that dislodges nobody (6.F.14)",
            f"{FROM_WALES}; {BREST_TO_LONDON}",
            {"paradox-rule-wins dislodge-rule-wins": ENG_TAKEN},
            {"4.A.2": "1971"},
        ),
    ],
    "X.22": [
        Effect("two resolutions (6.F.22)", TWO_RESOLUTIONS, {"szykman": BOTH_TAKEN, "all-hold": ""}, {"4.A.2": "2000"}),
        Effect("no resolution (6.F.24)", NO_RESOLUTION, {"szykman": NTH_TAKEN, "all-hold": ""}, {"4.A.2": "1971"}),
        Effect(
            "two routes, and the army needs both (6.F.19)",
            TWO_FRENCH_ROUTES,
            {"szykman all-hold": "F ROM - TYS, F TYS x"},
            {**ANY_ROUTE, "4.A.2": "2000"},
        ),
        Effect(
            "the rulebook answers it itself (6.F.22)",
            TWO_RESOLUTIONS,
            {"szykman all-hold": BOTH_TAKEN},
            {"4.A.2": "1982"},
        ),
    ],
}


@pytest.mark.parametrize(("effect", "choices", "end"), effect_rows(EFFECTS))
def test_choices(effect: Effect, choices: Mapping[str, str], end: str) -> None:
    check_effect(effect, choices, end)


def test_every_choice_is_shown() -> None:
    check_all_shown(EFFECTS)


@pytest.mark.parametrize("orders", [UNMATCHED, NO_WHOLE_ROUTE])
@pytest.mark.parametrize("choice", ["1971", "2000", "all-hold", "szykman", "dptg", "alexander"])
def test_what_a_convoying_fleet_is_matters_to_1982_only(choice: str, orders: str) -> None:
    effect = Effect("D.1, D.2", orders, {})
    check_effect(effect, {"4.A.2": choice, "X.6": "ordered"}, ION_TAKEN)
