"""Battles under other choices than the DATC's: issues 4.A.7 and v3.2-4.A.4, and the rules X.4, X.5 and X.8 to X.12.

What should become of the orders is derived by hand from the rulebooks and guides, or stated by the DATC.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from .play import Effect, Effects, check_all_shown, check_effect, effect_rows, play

FOR_NORWAY = "FRANCE: F NWG - NWY, F NTH S F NWG - NWY"
SWEDEN_TAKEN = "A NWY - SWE, A SWE x"
BELEAGUERED = "GERMANY: F HOL S F HEL - NTH, F HEL - NTH; RUSSIA: F SKA S F NWY - NTH, F NWY - NTH"
NTH_TAKEN = "F NWY - NTH, F NTH x"
LONDON_TO_HOLLAND = "ENGLAND: F NTH C A LON - HOL, A LON - HOL"
DISRUPTED = "F HEL S F SKA - NTH, F SKA - NTH"
SKA_MOVES = "F SKA - NTH, F NTH x"
UNATTACKED = (
    "ENGLAND: A CLY - NWY, F NWG C A CLY - NWY, F EDI S F NWG; FRANCE: A HOL - EDI, F NTH C A HOL - EDI;"
    " GERMANY: F DEN - NTH, F NWY S F DEN - NTH"
)
OVERCOME_EITHER_WAY = (
    "FRANCE: A WAL - BRE, F ENG C A WAL - BRE, F BEL S F ENG, A GAS - EDI, F MAO C A GAS - EDI, F NAO C A GAS - EDI,"
    " F NWG C A GAS - EDI; GERMANY: A NWY - BEL, F NTH C A NWY - BEL; ENGLAND: F YOR - NTH, F EDI S F YOR - NTH,"
    " F PIC - ENG, F LON S F PIC - ENG, F IRI - MAO, F BRE S F IRI - MAO; ITALY: F NAF - MAO, F WES S F NAF - MAO"
)

ALL_HOLD = {"4.A.2": "all-hold"}
FALLBACK = {"4.A.3": "2000-fallback-disrupted"}
PICARDY_TO_BELGIUM = "FRANCE: A PIC - BEL VIA, F ENG C A PIC - BEL, A BUR S A PIC - BEL"
TO_SEA_BY_TWO = "GERMANY: F BEL - ENG, F NTH S F BEL - ENG"
NEVER_EFFECT = {"4.A.7": "never-effect"}
LONDON_TO_BELGIUM = "ENGLAND: A LON - BEL, F ENG C A LON - BEL"
BELGIUM_TO_SEA = "FRANCE: F BEL - ENG, F BRE S F BEL - ENG"
SEA_TAKEN = "F BEL - ENG, F ENG x"
SPAIN_TO_NAPLES = "FRANCE: A SPA - NAP, F LYO C A SPA - NAP, F TYS C A SPA - NAP, A APU S A SPA - NAP"
NAPLES_TO_SEA = "ITALY: F NAP - TYS, F ION S F NAP - TYS"
BREST_TO_LONDON = "FRANCE: A BRE - LON, F ENG C A BRE - LON"
FROM_WALES = "ENGLAND: F WAL - ENG, F LON S F WAL - ENG"
ENG_TAKEN = "F WAL - ENG, F ENG x"
BY_TWO_SEAS = f"{LONDON_TO_BELGIUM}, F NTH C A LON - BEL"
PICARDY_TO_SEA = "FRANCE: F PIC - ENG, F BEL S F PIC - ENG"
HELGOLAND_TO_NTH = "GERMANY: F HEL - NTH, F DEN S F HEL - NTH"

EFFECTS: Effects = {
    "v3.2-4.A.4": [
        Effect(
            "point 1: equal strength (6.F.30)",
            f"{LONDON_TO_BELGIUM}, F NTH S A LON - BEL; {BELGIUM_TO_SEA}",
            {"starting-position": SEA_TAKEN, "brannan": ""},
        ),
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
            "point 2: no paradox, as the support is against the army (6.F.14)",
            f"{FROM_WALES}; {BREST_TO_LONDON}",
            {"starting-position": "", "brannan": ENG_TAKEN},
            ALL_HOLD,
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
            f"{BY_TWO_SEAS}; {PICARDY_TO_SEA}; {HELGOLAND_TO_NTH}",
            {"starting-position": "F HEL - NTH, F NTH x", "brannan": "F HEL - NTH, F NTH x, F PIC - ENG, F ENG x"},
            ALL_HOLD,
        ),
        Effect(
            "point 2: a support to hold the last fleet is not against the army (the text does not say)",
            f"{LONDON_TO_HOLLAND}; FRANCE: F HOL S F NTH; GERMANY: {DISRUPTED}",
            {"starting-position brannan": SKA_MOVES},
            {"4.A.2": "alexander"},
        ),
        Effect(
            "point 4: the unit that a convoyed army dislodges keeps a third one out (6.G.10)",
            "ENGLAND: A NWY - SWE VIA, F DEN S A NWY - SWE, F FIN S A NWY - SWE; GERMANY: F SKA C A NWY - SWE;"
            f" RUSSIA: A SWE - NWY, F BAR S A SWE - NWY; {FOR_NORWAY}",
            {"starting-position": f"{SWEDEN_TAKEN}, F NWG - NWY", "brannan": SWEDEN_TAKEN},
            NEVER_EFFECT,
        ),
        Effect(
            "point 4: not the unit that was convoyed itself and is dislodged over land (6.G.14)",
            "ENGLAND: A NWY - SWE, F DEN S A NWY - SWE, F FIN S A NWY - SWE; GERMANY: F SKA C A SWE - NWY;"
            f" RUSSIA: A SWE - NWY VIA, F BAR S A SWE - NWY; {FOR_NORWAY}",
            {"starting-position brannan": f"{SWEDEN_TAKEN}, F NWG - NWY"},
            NEVER_EFFECT,
        ),
        Effect(
            "point 5: the army cuts a support for an attack on its own province (6.G.13)",
            "AUSTRIA: F ADR C A TRI - VEN, A TRI - VEN VIA; ITALY: A VEN S F ALB - TRI, F ALB - TRI",
            {"starting-position": "F ALB - TRI, A TRI x", "brannan": ""},
        ),
    ],
    "4.A.7": [
        Effect(
            "swapped or a head-to-head battle (6.G.10)",
            "ENGLAND: A NWY - SWE VIA, F DEN S A NWY - SWE, F FIN S A NWY - SWE; GERMANY: F SKA C A NWY - SWE;"
            f" RUSSIA: A SWE - NWY, F BAR S A SWE - NWY; {FOR_NORWAY}",
            {"head-to-head-only": SWEDEN_TAKEN, "never-effect": f"{SWEDEN_TAKEN}, F NWG - NWY"},
        ),
        Effect(
            "the loser is convoyed (6.G.14)",
            "ENGLAND: A NWY - SWE, F DEN S A NWY - SWE, F FIN S A NWY - SWE; GERMANY: F SKA C A SWE - NWY;"
            f" RUSSIA: A SWE - NWY VIA, F BAR S A SWE - NWY; {FOR_NORWAY}",
            {"head-to-head-only": SWEDEN_TAKEN, "never-effect": f"{SWEDEN_TAKEN}, F NWG - NWY"},
        ),
        Effect(
            "both are convoyed (6.G.15)",
            "ENGLAND: F NTH C A LON - BEL, A HOL S A LON - BEL, A YOR - LON, A LON - BEL VIA;"
            " FRANCE: F ENG C A BEL - LON, A BEL - LON VIA",
            {"head-to-head-only": "A LON - BEL, A BEL x", "never-effect": "A LON - BEL, A BEL x, A YOR - LON"},
        ),
        Effect(
            "a swap, and a third unit (6.G.16)",
            "ENGLAND: A NWY - SWE, A DEN S A NWY - SWE, F BAL S A NWY - SWE, F NTH - NWY;"
            " RUSSIA: A SWE - NWY VIA, F SKA C A SWE - NWY, F NWG S A SWE - NWY",
            {"head-to-head-only never-effect": "A NWY - SWE, A SWE - NWY"},
        ),
        Effect(
            "a head-to-head battle over land (6.E.1)",
            "GERMANY: A BER - PRU, F KIE - BER, A SIL S A BER - PRU; RUSSIA: A PRU - BER",
            {"head-to-head-only never-effect": "A BER - PRU, F KIE - BER, A PRU x"},
        ),
    ],
    "X.4": [
        Effect(
            "a beleaguered garrison (6.E.7)",
            f"ENGLAND: F NTH H, F YOR S F NWY - NTH; {BELEAGUERED}",
            {"per-comparison": "", "grand-winner": NTH_TAKEN},
        ),
        Effect(
            "in a head-to-head battle, too (6.E.8)",
            f"ENGLAND: F NTH - NWY, F YOR S F NWY - NTH; {BELEAGUERED}",
            {"per-comparison": "", "grand-winner": NTH_TAKEN},
        ),
        Effect(
            "that leaves (6.E.9)",
            f"ENGLAND: F NTH - NWG, F YOR S F NWY - NTH; {BELEAGUERED}",
            {"per-comparison grand-winner": "F NTH - NWG, F NWY - NTH"},
        ),
        Effect(
            "almost a circle (6.E.10)",
            f"ENGLAND: F NTH - DEN, F YOR S F NWY - NTH; {BELEAGUERED.replace('; RUSSIA', ', F DEN - HEL; RUSSIA')}",
            {"per-comparison": "", "grand-winner": NTH_TAKEN},
        ),
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
        Effect(
            "and a third unit (6.E.6)",
            "GERMANY: F HOL - NTH, F HEL S F HOL - NTH; FRANCE: F NTH - HOL, F BEL S F NTH - HOL, F ENG S F HOL - NTH;"
            " AUSTRIA: A KIE S A RUH - HOL, A RUH - HOL",
            {"attack-vs-defend": "", "raw-count": "F HOL - NTH, F NTH x, A RUH - HOL"},
        ),
        Effect(
            "without that support the winner is no stronger than the loser standing alone (6.E.3)",
            "GERMANY: A BER - KIE, A MUN S F KIE - BER; ENGLAND: F KIE - BER",
            {"attack-vs-defend raw-count": ""},
        ),
    ],
    "X.8": [
        Effect(
            "nobody attacks the fleet whose support depends on its own convoy",
            UNATTACKED,
            {"safe beleaguered-disrupts": ""},
        ),
        Effect(
            "beleaguered or dislodged, as a support that depends on the convoy decides (DPTG VIII.13)",
            OVERCOME_EITHER_WAY,
            {"safe": "F YOR - NTH, F NTH x", "beleaguered-disrupts": "F YOR - NTH, F NTH x, F NAF - MAO, F MAO x"},
        ),
        Effect(
            "a beleaguered convoy (6.F.5)",
            f"{LONDON_TO_HOLLAND}; FRANCE: F ENG - NTH, F BEL S F ENG - NTH; GERMANY: F SKA - NTH, F DEN S F SKA - NTH",
            {"safe": "A LON - HOL", "beleaguered-disrupts": ""},
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
        Effect(
            "dislodged (6.F.8)",
            f"{LONDON_TO_HOLLAND}; GERMANY: {DISRUPTED}",
            {"fleet-dislodged outnumbered": SKA_MOVES},
        ),
        Effect(
            "attacked by its equal (6.F.4)",
            f"{LONDON_TO_HOLLAND}; GERMANY: F SKA - NTH",
            {"fleet-dislodged outnumbered": "A LON - HOL"},
        ),
    ],
    "X.10": [
        Effect(
            "a support where a disrupted convoy leads (6.F.6)",
            f"{LONDON_TO_HOLLAND}; GERMANY: A HOL S A BEL, A BEL S A HOL, {DISRUPTED};"
            " FRANCE: A PIC - BEL, A BUR S A PIC - BEL",
            {"none": SKA_MOVES, "still-attacks": f"{SKA_MOVES}, A PIC - BEL, A BEL x"},
        ),
        Effect(
            "a move to where a disrupted convoy leads (6.F.8)",
            f"{LONDON_TO_HOLLAND}; GERMANY: {DISRUPTED}, A BEL - HOL",
            {"none": f"{SKA_MOVES}, A BEL - HOL", "still-attacks": SKA_MOVES},
        ),
    ],
    "X.11": [
        Effect(
            "an attack on a countryman (6.D.20)",
            "ENGLAND: F LON S F NTH - ENG, F NTH - ENG, A YOR - LON; FRANCE: F ENG H",
            {"never": "F NTH - ENG, F ENG x", "allowed": ""},
        )
    ],
    "X.12": [
        Effect(
            "the loser is stronger than the third unit (D.33)",
            "GERMANY: A BER - PRU, A SIL S A BER - PRU, F BAL S A BER - PRU, F KIE - BER;"
            " RUSSIA: A PRU - BER, A MUN S A PRU - BER",
            {"no-effect": "A BER - PRU, A PRU x, F KIE - BER", "tie-only": "A BER - PRU, A PRU x"},
        ),
        Effect(
            "the loser is as strong as the third unit (6.E.1)",
            "GERMANY: A BER - PRU, F KIE - BER, A SIL S A BER - PRU; RUSSIA: A PRU - BER",
            {"no-effect tie-only": "A BER - PRU, A PRU x, F KIE - BER"},
        ),
    ],
}


@pytest.mark.parametrize(("effect", "choices", "end"), effect_rows(EFFECTS))
def test_choices(effect: Effect, choices: Mapping[str, str], end: str) -> None:
    check_effect(effect, choices, end)


def test_every_choice_is_shown() -> None:
    check_all_shown(EFFECTS)


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
def test_a_convoy_that_no_attack_can_outweigh_is_in_no_paradox(choices):
    """The attack has two at most against two, whether or not the convoyed army cuts its support."""
    units = "ENGLAND: F LON, F IRI; FRANCE: A BRE, F ENG, F MAO"
    orders = "ENGLAND: F LON S F IRI - ENG, F IRI - ENG; FRANCE: A BRE - LON, F ENG C A BRE - LON, F MAO S F ENG"
    assert play(units, orders, choices).reasons == ["cut", "bounced", "bounced", None, None]
