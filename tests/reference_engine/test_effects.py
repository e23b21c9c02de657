"""What the choices of movement make of the same orders, in positions that no case of the suites has.

Derived by hand from the rulebooks and guides, or stated by the DATC. The positions of cases are in the suites, and
`tests/harness/play/test_reference.py` plays these under each choice.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from datc.reference_engine import ISSUES

from .play import Effect, Effects, check_effect, effect_rows, play

ALL_1971 = "1971-convoy-always 1971-opposite 1971-opposite-undisrupted"
ALL_2000 = "2000-no-fallback 2000-fallback-unordered 2000-fallback-disrupted"
AGAINST_SPAIN = "ITALY: F LYO S F WES - SPA/SC, F WES - SPA/SC"
LONDON_BY_TWO_ROUTES = "A LON - BEL, F ENG C A LON - BEL, F NTH C A LON - BEL"
AGAINST_ENG = "FRANCE: F BRE S F MAO - ENG, F MAO - ENG"
MAO_MOVES = "F MAO - ENG, F ENG x"
BREST_TO_LONDON = "FRANCE: A BRE - LON, F ENG C A BRE - LON"
FROM_WALES = "ENGLAND: F LON S F WAL - ENG, F WAL - ENG"
ENG_TAKEN = "F WAL - ENG, F ENG x"
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

EFFECTS: Effects = {
    "4.A.1": [
        Effect(
            "both routes disrupted",
            f"ENGLAND: {LONDON_BY_TWO_ROUTES}; {AGAINST_ENG}; GERMANY: F HOL S F DEN - NTH, F DEN - NTH",
            {"all-routes any-route": f"{MAO_MOVES}, F DEN - NTH, F NTH x"},
        ),
    ],
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
            "ITALY: A ROM - VEN, F TYS C A ROM - VEN; FRANCE: F ION H, F ADR H",
            {
                "2000-no-fallback": "",
                f"{ALL_1971} 2000-fallback-unordered 2000-fallback-disrupted dptg-explicit alexander": "A ROM - VEN",
            },
        ),
    ],
    "X.1": [
        Effect(
            "only foreign fleets (6.F.11)",
            f"ENGLAND: A LON - BEL; GERMANY: F ENG C A LON - BEL; RUSSIA: F NTH C A LON - BEL; {AGAINST_ENG}",
            {"all-matching countrymen-preferred": MAO_MOVES},
            {"4.A.1": "any-route"},
        ),
    ],
    "X.2": [
        Effect(
            "a fleet that could be spared (D.31)",
            "AUSTRIA: A BUL - SMY, F AEG C A BUL - SMY, F EAS C A BUL - SMY; ITALY: F ION - EAS, F SYR S F ION - EAS",
            {"simple-path": "F ION - EAS, F EAS x", "minimal-path": "F ION - EAS, F EAS x, A BUL - SMY"},
            {"4.A.1": "any-route", "X.3": "legal-if-on-any-route"},
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
            {"simple-path minimal-path": MAO_MOVES},
            {"4.A.1": "any-route"},
        ),
    ],
    "X.15": [
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
    "X.7": [
        Effect(
            "an army that dislodges nobody (6.F.14)",
            f"{FROM_WALES}; {BREST_TO_LONDON}",
            {"paradox-rule-wins dislodge-rule-wins": ENG_TAKEN},
            {"4.A.2": "1971"},
        ),
    ],
    "X.22": [
        Effect(
            "two routes, and the army needs both (6.F.19)",
            "FRANCE: A TUN - NAP, F TYS C A TUN - NAP, F ION C A TUN - NAP; ITALY: F NAP S F ROM - TYS, F ROM - TYS",
            {"szykman all-hold": "F ROM - TYS, F TYS x"},
            {"4.A.1": "any-route", "4.A.2": "2000"},
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
            "the support never counts against the countryman himself",
            "ENGLAND: F NTH H, F YOR S F NWY - NTH; RUSSIA: F NWY - NTH; GERMANY: F HEL - NTH",
            {"per-comparison grand-winner": ""},
        ),
        Effect(
            "Finland takes St Petersburg (DPTG, step 20)",
            "GERMANY: F BOT S A FIN - STP; RUSSIA: F STP/SC - BOT, F BAR S A FIN - STP, A LVN - STP,"
            " A MOS S A LVN - STP; ENGLAND: A FIN - STP",
            {"per-comparison": "", "grand-winner": "A FIN - STP, F STP/SC x"},
        ),
    ],
    "X.5": [
        Effect(
            "a support against a countryman in a head-to-head battle (D.35)",
            "ENGLAND: F ANK - CON, A BUL S F ANK - CON; FRANCE: A CON - ANK, A SMY S A CON - ANK, F AEG S F ANK - CON",
            {"attack-vs-defend": "", "raw-count": "F ANK - CON, A CON x"},
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
        Effect("the default coast of Bulgaria", "TURKEY: F CON - BUL", {"fail": "", "default-coast": "F CON - BUL/EC"}),
        Effect("a coast in writing", "FRANCE: F POR - SPA/SC", {"fail default-coast": "F POR - SPA/SC"}),
    ],
    "4.B.2": [
        Effect(
            "no coast, and the one that is possible is not the default one",
            "FRANCE: F MAR - SPA",
            {"only-possible": "F MAR - SPA/SC", "default-coast fail": ""},
        ),
    ],
    "4.B.4": [
        Effect(
            "a support without a coast (6.B.7)",
            "FRANCE: F POR S F MAO - SPA, F MAO - SPA/NC; ITALY: F LYO S F WES - SPA/SC, F WES - SPA/SC",
            {"required": "F WES - SPA/SC", "default-coast own-or-single optional-must-match ignored": ""},
        ),
        Effect(
            "a support without a coast, and the fleet goes to the one that is not the default",
            "FRANCE: F POR S F MAO - SPA, F MAO - SPA/SC; ITALY: F LYO S F WES - SPA/SC, F WES - SPA/SC",
            {"required default-coast": "F WES - SPA/SC", "own-or-single optional-must-match ignored": ""},
        ),
        Effect(
            "a support of a foreign fleet without a coast (6.B.15)",
            f"FRANCE: F POR S English F MAO - SPA; ENGLAND: F MAO - SPA/NC; {AGAINST_SPAIN}",
            {"required own-or-single": "F WES - SPA/SC", "default-coast optional-must-match ignored": ""},
        ),
        Effect(
            "a support of a foreign fleet that can come to one coast only, as 6.B.8",
            f"FRANCE: F POR S English F GAS - SPA; ENGLAND: F GAS - SPA/NC; {AGAINST_SPAIN}",
            {"required": "F WES - SPA/SC", "default-coast own-or-single optional-must-match ignored": ""},
        ),
        Effect(
            "a support with a coast that the fleet cannot come to",
            "FRANCE: F GAS - SPA/NC, F MAR S F GAS - SPA/SC; ITALY: F WES - SPA/SC",
            {"required default-coast own-or-single optional-must-match": "", "ignored": "F GAS - SPA/NC"},
        ),
        Effect(
            "a support with the right coast",
            "FRANCE: F POR S F MAO - SPA/NC, F MAO - SPA/NC; ITALY: F LYO S F WES - SPA/SC, F WES - SPA/SC",
            {"required default-coast own-or-single optional-must-match ignored": ""},
        ),
    ],
    "4.B.5": [
        Effect(
            "the fleet is on the other coast (6.B.10)",
            "FRANCE: F SPA/NC - WES",
            {"ignore": "F SPA/SC - WES", "fail": ""},
            units="FRANCE: F SPA/SC",
        ),
        Effect(
            "the coast of the fleet is left out: that is not a wrong one",
            "FRANCE: F SPA - WES",
            {"ignore fail": "F SPA/SC - WES"},
            units="FRANCE: F SPA/SC",
        ),
        Effect(
            "a supported fleet that holds is on the other coast (6.B.16 of DATC 3.2)",
            "FRANCE: A MAR S F SPA/NC; ITALY: F WES - SPA/SC, A GAS S F WES - SPA/SC",
            {"ignore": "", "fail": "F WES - SPA/SC, F SPA/SC x"},
            units="FRANCE: F SPA/SC, A MAR; ITALY: F WES, A GAS",
        ),
        Effect(
            "a support to hold that leaves the coast out has no wrong one",
            "FRANCE: A MAR S F SPA; ITALY: F WES - SPA/SC, A GAS S F WES - SPA/SC",
            {"ignore fail": ""},
            units="FRANCE: F SPA/SC, A MAR; ITALY: F WES, A GAS",
        ),
        Effect(
            "a supported fleet moves from the other coast (6.B.17 of DATC 3.2)",
            "FRANCE: F SPA/SC - MAO; ITALY: F WES S FRENCH F SPA/NC - MAO",
            {"ignore": "F SPA/SC - MAO, F MAO x", "fail": ""},
            units="FRANCE: F SPA/SC; ITALY: F WES; ENGLAND: F MAO",
        ),
    ],
    "4.B.6": [
        Effect("no coast that Spain has", "FRANCE: F GAS - SPA/WC", {"ignore": "F GAS - SPA/NC", "fail": ""}),
        Effect(
            "an army on a coast", "FRANCE: A SPA/NC - GAS", {"ignore": "A SPA - GAS", "fail": ""}, units="FRANCE: A SPA"
        ),
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
            "a unit on no coast", "FRANCE: F BRE/EC - ENG", {"ignore": "F BRE - ENG", "fail": ""}, units="FRANCE: F BRE"
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
    "4.C.1": [
        Effect(
            "no type of the supported unit",
            "GERMANY: A RUH S French BEL - HOL; FRANCE: A BEL - HOL; ENGLAND: F HOL H",
            {"valid valid-unless-correct-order": "A BEL - HOL, F HOL x", "invalid": ""},
        ),
    ],
    "4.C.2": [
        Effect(
            "a wrong type of the supported unit",
            "GERMANY: A RUH S French F BEL - HOL; FRANCE: A BEL - HOL; ENGLAND: F HOL H",
            {"valid valid-unless-correct-order": "A BEL - HOL, F HOL x", "invalid": ""},
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
            "no nationality of an own unit",
            "GERMANY: A RUH S A BEL - HOL, A BEL - HOL",
            {"valid invalid valid-unless-correct-order": "A BEL - HOL, F HOL x"},
            units="GERMANY: A RUH, A BEL; ENGLAND: F HOL",
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
        Effect(
            "the right nationality",
            "GERMANY: A RUH S French A BEL - HOL; FRANCE: A BEL - HOL; ENGLAND: F HOL H",
            {"valid invalid valid-unless-correct-order": "A BEL - HOL, F HOL x"},
        ),
    ],
    "4.D.3": [
        Effect(
            "one of two orders is illegal (D.17)",
            "GERMANY: F KIE - DEN, F KIE - MUN",
            {"first last illegal-hold": "F KIE - DEN"},
        ),
        Effect("the same order twice", "GERMANY: F KIE - DEN, F KIE - DEN", {"first last illegal-hold": "F KIE - DEN"}),
    ],
    "4.D.9": [
        Effect(
            "a power without orders (D.23)",
            "RUSSIA: A RUM S A BUL; AUSTRIA: A SER - BUL, A GRE S A SER - BUL",
            {"succeeds": "", "fails": "A SER - BUL, A BUL x"},
            units="TURKEY: A BUL; RUSSIA: A RUM; AUSTRIA: A SER, A GRE",
        ),
        Effect(
            "a power that orders another unit",
            "TURKEY: A SMY H; RUSSIA: A RUM S A BUL; AUSTRIA: A SER - BUL, A GRE S A SER - BUL",
            {"succeeds fails": ""},
            units="TURKEY: A BUL, A SMY; RUSSIA: A RUM; AUSTRIA: A SER, A GRE",
        ),
    ],
    "4.E.1": [
        Effect(
            "one of two orders is impossible (D.17)",
            "GERMANY: F KIE - DEN, F KIE - MUN",
            {"any-writing any-board-space": "", "possible-some-situation possible-now alexander": "F KIE - DEN"},
        ),
    ],
    "X.3": [
        Effect(
            "a fleet that is not needed shows intent (6.G.19)",
            "FRANCE: A MAR - SPA, F WES C A MAR - SPA; ITALY: F LYO C A MAR - SPA, F SPA/SC - MAR",
            {"illegal-if-unnecessary": "", "legal-if-on-any-route": "A MAR - SPA, F SPA/SC - MAR"},
        ),
    ],
}


@pytest.mark.parametrize(("effect", "choices", "end"), effect_rows(EFFECTS))
def test_choices(effect: Effect, choices: Mapping[str, str], end: str) -> None:
    check_effect(effect, choices, end)


UNMATCHED = (
    "FRANCE: A TUN - NAP, F TYS C A TUN - NAP; ITALY: F NAP S F ION, F ION C A APU - TUN, A APU H;"
    " TURKEY: F EAS - ION, F AEG S F EAS - ION"
)
NO_WHOLE_ROUTE = (
    "FRANCE: A TUN - NAP, F TYS C A TUN - NAP; ITALY: F NAP S F ION, F ION C A APU - SPA, A APU - SPA, F WES H;"
    " TURKEY: F EAS - ION, F AEG S F EAS - ION"
)


@pytest.mark.parametrize("orders", [UNMATCHED, NO_WHOLE_ROUTE])
@pytest.mark.parametrize("choice", ["1971", "2000", "all-hold", "szykman", "dptg", "alexander"])
def test_what_a_convoying_fleet_is_matters_to_1982_only(choice: str, orders: str) -> None:
    effect = Effect("D.1, D.2", orders, {})
    check_effect(effect, {"4.A.2": choice, "X.6": "ordered"}, "F EAS - ION, F ION x")


@pytest.mark.parametrize("choice", ISSUES["X.15"].choices)
def test_a_move_without_a_convoy_fails_for_want_of_a_path(choice: str) -> None:
    outcome = play("ENGLAND: A LON, F ENG; FRANCE: F BEL", "ENGLAND: A LON - BEL, F ENG H", {"X.15": choice})
    assert outcome.reasons == ["no-path", None]
    assert outcome.dislodged == {}


def test_an_army_that_holds_for_want_of_a_convoy_has_no_path() -> None:
    orders = "ENGLAND: A LON - HOL, F NTH H; GERMANY: A RUH - HOL"
    outcome = play("ENGLAND: A LON, F NTH; GERMANY: A RUH", orders, {"X.15": "yes"})
    assert outcome.reasons == ["no-path", None, None]


@pytest.mark.parametrize(
    ("choice", "reasons"),
    [(choice, ["bounced", "bounced", "void"]) for choice in (*ALL_2000.split()[:2], "dptg-explicit")]
    + [(choice, [None, None, None]) for choice in ALL_1971.split()],
)
def test_a_swap_that_only_a_foreign_fleet_convoys(choice: str, reasons: list[str | None]) -> None:
    """Issue 4.A.3, D.3: where the army has no say, or else it is a head-to-head battle over land."""
    orders = "ENGLAND: A NWY - SWE, A SWE - NWY; GERMANY: F SKA C A NWY - SWE"
    outcome = play("ENGLAND: A NWY, A SWE; GERMANY: F SKA", orders, {"4.A.3": choice})
    assert outcome.reasons == reasons


@pytest.mark.parametrize(
    ("choice", "retreats"), [("all-routes", ("IRI", "LON", "PIC", "WAL")), ("any-route", ("BEL", "IRI", "PIC", "WAL"))]
)
def test_where_the_dislodged_fleet_may_go(choice: str, retreats: tuple[str, ...]) -> None:
    """Issue 4.A.1, by 6.F.9: London is left, or it is not, and Belgium with it."""
    units = "ENGLAND: A LON, F ENG, F NTH; FRANCE: F BRE, F MAO"
    outcome = play(units, f"ENGLAND: {LONDON_BY_TWO_ROUTES}; {AGAINST_ENG}", {"4.A.1": choice})
    assert outcome.dislodged == {"F ENG": retreats}


@pytest.mark.parametrize(
    ("choice", "retreats"),
    [
        ("none", ("BEL", "DEN", "EDI", "ENG", "HOL", "NWG", "NWY", "YOR")),
        ("still-attacks", ("BEL", "DEN", "EDI", "ENG", "NWG", "NWY", "YOR")),
    ],
)
def test_a_retreat_to_where_a_disrupted_convoy_leads(choice: str, retreats: tuple[str, ...]) -> None:
    """Rule X.10, by 6.F.7: an army that still attacks Holland contests it."""
    units, orders = "ENGLAND: F NTH, A LON; GERMANY: F HEL, F SKA", f"{LONDON_TO_HOLLAND}; GERMANY: {DISRUPTED}"
    assert play(units, orders, {"X.10": choice}).dislodged == {"F NTH": retreats}


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


def test_no_retreat_to_where_an_attacker_by_land_came_from() -> None:
    outcome = play("FRANCE: A GAS, A BUR; ITALY: A MAR", "FRANCE: A GAS - MAR, A BUR S A GAS - MAR")
    assert outcome.dislodged == {"A MAR": ("PIE", "SPA")}
