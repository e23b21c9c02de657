"""The twenty steps: worked examples of the Guide that no suite has.

What is expected of an example is what chapter VIII says of it: its lists of convoys, who advances, who is dislodged.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from datc.cases import load_ruleset
from datc.reference_engine import Position, Unit, adjudicate, find_procedure
from datc.reference_engine.legality import Legality, choose_order
from datc.reference_engine.movement import MovementOrders
from datc.reference_engine.procedures import dptg
from datc.reference_engine.procedures.dptg import battles, subversion
from datc.reference_engine.procedures.dptg.battles import Field
from datc.reference_engine.resolved_order import HOLDS

from ..play import ends, in_words, orders_of, played, units_of, units_ordered

RULES = load_ruleset("dptg").ruleset()
DPTG = find_procedure("dptg")

# Orders that several examples share

RUM_TO_ANK = "RUSSIA: A RUM - ANK, F BLA C A RUM - ANK"
APU_TO_TRI = "ITALY: A APU - TRI, F ADR C A APU - TRI"
PIC_TO_LON = "FRANCE: A PIC - LON, F ENG C A PIC - LON, F BEL S F ENG"
NWY_TO_BEL = "GERMANY: A NWY - BEL, F NTH C A NWY - BEL"
ALB_TO_ADR = "AUSTRIA: F ALB - ADR, F TRI S F ALB - ADR"
TWO_TO_BLA = "TURKEY: F CON - BLA, F ANK S F CON - BLA, F BUL/EC - BLA, F ARM S F BUL/EC - BLA"
STEP_5 = (
    "TURKEY: A GRE - TUN, F ION C A GRE - TUN, A NAF S A GRE - TUN, F CON - BLA, F ANK S F CON - BLA, A SMY S F ANK;"
    f" {RUM_TO_ANK}, F BRE S F MAO; GERMANY: F DEN - NTH, F NWY S F DEN - NTH;"
    " ENGLAND: A EDI - NWY, F NWG C A EDI - NWY, F CLY S F NWG, F IRI - NAO;"
    " FRANCE: A GAS - CLY, F MAO C A GAS - CLY, F NAO C A GAS - CLY, A HOL - BRE, F NTH C A HOL - BRE,"
    " F ENG C A HOL - BRE, F SPA/SC S F MAO;"
    " ITALY: A PIE - SPA, F LYO C A PIE - SPA, F TUS S F LYO, F NAP - ION;"
    " AUSTRIA: A TUN - TUS, F TYS C A TUN - TUS, A BUL - SMY, F AEG C A BUL - SMY, F EAS C A BUL - SMY,"
    " F ALB - ION, F ADR S F ALB - ION"
)
STEP_10_FIRST = (
    f"TURKEY: F CON - BLA, F ANK S F CON - BLA, F ARM S F CON - BLA; {RUM_TO_ANK}; {ALB_TO_ADR};"
    f" {APU_TO_TRI}, F VEN S F ADR;"
    f" ENGLAND: F IRI - ENG, F YOR - NTH, F EDI S F YOR - NTH, F LON S F YOR - NTH; {PIC_TO_LON}; {NWY_TO_BEL}"
)
STEP_10_SECOND = (
    f"{TWO_TO_BLA}; {RUM_TO_ANK}; {ALB_TO_ADR}; {APU_TO_TRI};"
    f" ENGLAND: F IRI - ENG, F WAL S F IRI - ENG, F YOR - NTH, F LON S F YOR - NTH; {PIC_TO_LON}; {NWY_TO_BEL}"
)
STEP_11_FIRST = (
    f"{TWO_TO_BLA}, F NAP - TYS, F ION S F NAP - TYS; {RUM_TO_ANK}, F LVN S F BAL; {ALB_TO_ADR};"
    f" {APU_TO_TRI}, A ROM - TUN, F TYS C A ROM - TUN, F TUS S F TYS;"
    " ENGLAND: F YOR - NTH, F LON S F YOR - NTH, F IRI - ENG, A NAF - TUS, F WES C A NAF - TUS, F LYO C A NAF - TUS,"
    f" F TUN S F WES; {PIC_TO_LON}, F MAR - LYO, F SPA/SC S F MAR - LYO;"
    f" {NWY_TO_BEL}, A SWE - LVN, F BAL C A SWE - LVN"
)
STEP_11_SECOND = (
    "FRANCE: A WAL - BRE, F ENG C A WAL - BRE, F BEL S F ENG, A GAS - EDI, F MAO C A GAS - EDI, F NAO C A GAS - EDI,"
    f" F NWG C A GAS - EDI; {NWY_TO_BEL};"
    " ENGLAND: F YOR - NTH, F EDI S F YOR - NTH, F PIC - ENG, F IRI - MAO, F BRE S F IRI - MAO;"
    " ITALY: F NAF - MAO, F WES S F NAF - MAO"
)
STEP_13 = f"{STEP_11_SECOND}; ENGLAND: F LON S F PIC - ENG"
STEP_15_TURKS = "TURKEY: F AEG - ION, F SMY S F ION - AEG, F CON - AEG; RUSSIA: F BLA - CON"
STEP_15_ITALIANS = "ITALY: F NAP - ION, F APU S F NAP - ION, F TYS S F NAP - ION, F TUN S F NAP - ION"
TUNIS_ATTACKS = "ITALY: F NAP - ION, F APU S F NAP - ION, F TYS S F NAP - ION, F TUN - ION"
AGAINST_AEG = "AUSTRIA: F ION - AEG, F EAS S F ION - AEG"
STEP_17_SECOND = (
    "FRANCE: F BEL - NTH, F HOL S F BEL - NTH; ENGLAND: F NTH - DEN, F SKA S F NTH - DEN;"
    " RUSSIA: A LVN - DEN, F BAL C A LVN - DEN, A SWE S A LVN - DEN;"
    " GERMANY: F DEN - NTH, F HEL S F DEN - NTH"
)
STEP_20_WEST = (
    "TURKEY: F TUN H; AUSTRIA: F WES - TUN, A NAF S F WES - TUN, F ION S F TUN; ITALY: F TYS - WES;"
    " FRANCE: F SPA/SC - WES, F MAO S F SPA/SC - WES, F LYO S F TYS - WES"
)
STEP_20_EAST = (
    "GERMANY: F BOT S A FIN - STP, A PRU - WAR, A SIL S A PRU - WAR, A BER - PRU;"
    " RUSSIA: A WAR H, F STP/SC - BOT, F BAR S A FIN - STP, A LVN - STP, A MOS S A LVN - STP;"
    " ENGLAND: A FIN - STP, F SKA - SWE"
)
GERMANS_MOVE = "A PRU - WAR, A WAR x, A BER - PRU, F SKA - SWE"

EXAMPLES = {
    "VIII, step 1": (
        (
            f"{RUM_TO_ANK}, F BOT C A LVN - SWE; TURKEY: F ARM - BLA, F CON S F ARM - BLA, A ALB - SMY,"
            " F AEG C A ALB - SMY; AUSTRIA: F EAS C A ALB - SMY; ITALY: F ION C A ALB - SMY, A NAP - SPA,"
            " F TYS C A NAP - SPA; FRANCE: F LYO H; GERMANY: A LVN - SWE, F BAL C A LVN - SWE; ENGLAND: A SWE H,"
            " A LON - BEL, F NTH C A LON - BEL, F ENG C A LON - BEL, F NAO C A LON - CLY, F NWG C A LON - BEL,"
            " F IRI C A LON - BEL"
        ),
        "F ARM - BLA, F BLA x, A ALB - SMY, A LON - BEL",
    ),
    "VIII, step 3": (
        (
            "FRANCE: A BUR - MUN, A PAR S A BUR; AUSTRIA: F TRI H, A SER S F TRI - ALB; RUSSIA: A SEV H, A MOS S A SEV,"
            " A PRU - SIL, A WAR S A PRU - SIL, A UKR S A WAR; GERMANY: A HOL - MOS; ENGLAND: F NTH S A HOL"
        ),
        "A BUR - MUN, A PRU - SIL",
    ),
    "VIII, step 5, exception A": (
        "GERMANY: A HOL - NWY, F NTH C A HOL - NWY; ENGLAND: F LON S F NTH, A PIC - LON; FRANCE: F ENG C A PIC - LON",
        "A HOL - NWY",
    ),
    "VIII, steps 5 to 9": (STEP_5, "F ALB - ION, F ION x, F CON - BLA, F BLA x"),
    "VIII, step 6: with two equal attacks the Turkish convoy survives": (
        STEP_5.replace("F EAS C A BUL - SMY", "A SYR H") + "; ITALY: F EAS S F NAP - ION",
        "A GRE - TUN, A TUN x, F CON - BLA, F BLA x",
    ),
    "VIII, step 11, first": (STEP_11_FIRST, "F MAR - LYO, F LYO x, F ALB - ADR, F ADR x"),
    "VIII, step 11, first, without the French fleet in Spain": (
        STEP_11_FIRST.replace(", F SPA/SC S F MAR - LYO", ""),
        "F NAP - TYS, F TYS x, F ALB - ADR, F ADR x",
    ),
    "VIII, step 15: balanced three to three": (
        (
            f"{AGAINST_AEG}, F ADR S F AEG - ION, F ALB S F AEG - ION, F GRE S F AEG - ION; {STEP_15_TURKS};"
            f" {STEP_15_ITALIANS}"
        ),
        "",
    ),
    "VIII, step 15: unbalanced four to three, and the Italians still stand the Turk off": (
        (
            f"{AGAINST_AEG}; FRANCE: F ADR S F AEG - ION, F ALB S F AEG - ION, F GRE S F AEG - ION; {STEP_15_TURKS};"
            f" {STEP_15_ITALIANS}"
        ),
        "",
    ),
    "VIII, step 17: the Turk beats both Italians, but not the defense": (
        (
            f"{AGAINST_AEG}, F ADR S F AEG - ION, F ALB S F AEG - ION, F GRE S F AEG - ION; {STEP_15_TURKS};"
            f" {TUNIS_ATTACKS}"
        ),
        "",
    ),
    "VIII, step 17: balanced two to two, and the Italian from Naples advances": (
        f"{AGAINST_AEG}, F ADR S F AEG - ION, F ALB H, F GRE H; {STEP_15_TURKS}; {TUNIS_ATTACKS}",
        "F NAP - ION, F ION x",
    ),
    "VIII, after step 17: unbalanced, the dislodged fleet's attack is cancelled": (
        f"{STEP_17_SECOND}; FRANCE: F ENG S F DEN - NTH",
        "F DEN - NTH, F NTH x, A LVN - DEN",
    ),
    "VIII, step 20": (
        f"{STEP_20_WEST}, F GAS - SPA/NC; ITALY: A MAR S F GAS - SPA; {STEP_20_EAST}",
        f"{GERMANS_MOVE}, A FIN - STP, F STP/SC x",
    ),
    "VIII, step 20: with one Russian fleet more": (
        f"{STEP_20_WEST}; {STEP_20_EAST}; RUSSIA: F BAL S F STP/SC - BOT",
        f"{GERMANS_MOVE}, F STP/SC - BOT, F BOT x",
    ),
    "VIII, step 20: the French support does not count against Spain": (
        f"{STEP_20_WEST}, A MAR S F GAS - SPA; ITALY: F GAS - SPA/NC",
        "",
    ),
    "VIII, step 20: an Italian attack with Italian support": (
        f"{STEP_20_WEST}; ITALY: A MAR S F GAS - SPA, F GAS - SPA/NC",
        "F GAS - SPA/NC, F SPA/SC x",
    ),
    "IX: a support is for either coast, whatever it says": (
        "FRANCE: F POR - SPA/NC, F GAS S F POR - SPA/SC; ITALY: A SPA H",
        "F POR - SPA/NC, A SPA x",
    ),
    "XII: an army walks to a neighbour unless its order says by convoy": (
        "TURKEY: A RUM - SEV, F BLA C A RUM - SEV; RUSSIA: A SEV - RUM",
        "",
    ),
    "XII: by convoy": ("TURKEY: A RUM - SEV VIA, F BLA C A RUM - SEV; RUSSIA: A SEV - RUM", "A RUM - SEV, A SEV - RUM"),
}


@pytest.mark.parametrize(("orders", "end"), EXAMPLES.values(), ids=EXAMPLES)
def test_a_worked_example_ends_as_the_document_says(orders: str, end: str) -> None:
    assert ends(orders, played("dptg", orders)) == in_words(end)


# The lists that the document prints


def field_after_step_4(orders: str) -> Field:
    position = Position(units_of(units_ordered(orders)))
    units, said = Legality(position, RULES).effects(orders_of(orders))
    _, effects = choose_order(units, said, len(position.units), HOLDS, lambda _: -1)
    field = Field(MovementOrders(position, effects, frozenset(), RULES))
    dptg.step_2_list_convoys(field, dptg.step_1_cancel_inconsistent_convoys(field))
    dptg.step_3_cancel_inconsistent_supports(field)
    dptg.step_4_let_direct_attacks_cut_support(field)
    return field


def spaces(field: Field, units: Iterable[int]) -> set[str]:
    return {field.position.units[unit].location for unit in units}


def convoy_list(orders: str) -> dict[str, set[str]]:
    field = field_after_step_4(orders)
    return {field.position.units[army].location: spaces(field, fleets) for army, fleets in field.convoys.items()}


def test_step_2_lists_the_convoys_of_step_1() -> None:
    orders, _ = EXAMPLES["VIII, step 1"]
    assert convoy_list(orders) == {"RUM": {"BLA"}, "ALB": {"ION", "AEG", "EAS"}, "LVN": {"BAL"}, "LON": {"NTH", "ENG"}}


@pytest.mark.parametrize(
    ("baltic", "bothnia", "fleets"),
    [("GERMANY", "RUSSIA", {"BAL"}), ("RUSSIA", "RUSSIA", {"BAL", "BOT"}), ("GERMANY", "GERMANY", {"BAL", "BOT"})],
)
def test_an_army_declines_foreign_fleets_that_it_can_do_without(baltic: str, bothnia: str, fleets: set[str]) -> None:
    orders = f"GERMANY: A LVN - SWE; {baltic}: F BAL C A LVN - SWE; {bothnia}: F BOT C A LVN - SWE"
    assert convoy_list(orders) == {"LVN": fleets}


def subversions(field: Field) -> dict[str, set[str]]:
    found = subversion.step_5_identify_subversion(field, subversion.Found())
    units = field.position.units
    return {units[army].location: spaces(field, [one.by for one in several]) for army, several in found.items()}


def test_step_5_finds_the_subversions_of_its_example() -> None:
    first = {"RUM": {"RUM"}, "PIE": {"TUN"}, "GAS": {"PIE", "HOL"}, "EDI": {"GAS"}, "HOL": {"EDI"}}
    assert subversions(field_after_step_4(STEP_5)) == first
    with_french_brest = STEP_5.replace(", F BRE S F MAO", "") + "; FRANCE: F BRE S F MAO"
    assert subversions(field_after_step_4(with_french_brest)) == {**first, "GAS": {"PIE"}}


def test_step_9_leaves_the_circle_of_the_example() -> None:
    field = field_after_step_4(STEP_5)
    subversion.step_9_repeat_steps_5_to_8(field, subversion.Found())
    assert subversions(field) == {"RUM": {"RUM"}, "GAS": {"HOL"}, "EDI": {"GAS"}, "HOL": {"EDI"}}
    assert spaces(field, field.advanced) == {"ALB"}
    assert {"SMY", "TUS", "SPA/SC"} <= spaces(field, field.failures)


KINDS = {
    "step 10, first": (STEP_10_FIRST, {"RUM", "NWY"}, {"APU", "PIC"}, set(), set()),
    "step 10, second": (STEP_10_SECOND, set(), set(), {"RUM", "PIC"}, {"APU", "NWY"}),
    "step 11, first": (STEP_11_FIRST, {"NAF"}, {"PIC", "SWE"}, {"RUM"}, {"APU", "NWY"}),
    "step 11, first, without the fleet in Spain": (
        STEP_11_FIRST.replace(", F SPA/SC S F MAR - LYO", ""),
        set(),
        {"NAF", "PIC", "SWE"},
        {"RUM", "ROM"},
        {"APU", "NWY"},
    ),
    "step 11, second": (STEP_11_SECOND, set(), {"WAL"}, {"GAS"}, {"NWY"}),
    "step 13": (STEP_13, set(), set(), {"WAL", "GAS"}, {"NWY"}),
}


@pytest.mark.parametrize(("orders", "futile", "indomitable", "confused", "merely_subverted"), KINDS.values(), ids=KINDS)
def test_step_10_classifies_the_convoys_of_an_example(
    orders: str, futile: set[str], indomitable: set[str], confused: set[str], merely_subverted: set[str]
) -> None:
    field, found = field_after_step_4(orders), subversion.Found()
    subversion.step_9_repeat_steps_5_to_8(field, found)
    subversion.step_10_break_circles(field, found)
    still_subverted = spaces(field, subversion.step_5_identify_subversion(field, found))
    assert spaces(field, found.futile) == futile
    assert spaces(field, found.indomitable) == indomitable
    assert spaces(field, found.confused) & still_subverted == confused
    assert still_subverted - confused == merely_subverted


# What the page on procedures says


@pytest.mark.parametrize("turn", ["as listed", "the other way round"])
def test_nothing_moves_in_6_e_15_whichever_half_is_fought_first(turn: str) -> None:
    field = field_after_step_4(
        "ENGLAND: F HOL S A RUH - KIE, A RUH - KIE; FRANCE: A KIE - BER, A MUN S A KIE - BER, A SIL S A KIE - BER;"
        " GERMANY: A BER - KIE, F DEN S A BER - KIE, F HEL S A BER - KIE; RUSSIA: F BAL S A PRU - BER, A PRU - BER"
    )
    (battle,) = battles.step_15_identify_head_to_head_battles(field)
    assert battle.is_balanced
    if turn != "as listed":
        battle = battles.HeadToHead(battle.other, battle.one, is_balanced=True)
    battles.step_17_resolve_balanced_battle(field, battle)
    assert not field.attacks
    assert not field.advanced
    assert not field.dislodged


def test_an_army_of_a_confused_circle_was_disrupted() -> None:
    orders = (
        "GERMANY: F NAF - MAO, F WES S F NAF - MAO; FRANCE: F MAO C A POR - SPA, F SPA/NC S F MAO;"
        " RUSSIA: A POR - SPA VIA"
    )
    after = played("dptg", orders)
    assert ends(orders, after) == []
    assert [result.reason for result in after.orders] == ["bounced", None, None, None, "disrupted"]


def test_a_fleet_that_is_superfluous_once_the_foreign_ones_are_declined_is_void() -> None:
    orders = (
        "GERMANY: A SWE - KIE VIA, F BAL C A SWE - KIE, F SKA C A SWE - KIE;"
        " RUSSIA: F NTH C A SWE - KIE, F HEL C A SWE - KIE"
    )
    assert [result.reason for result in played("dptg", orders).orders] == [None, None, "void", "void", "void"]


# Retreats and adjustments


def test_removals_follow_the_alphabet_of_the_document_whatever_is_asked_for() -> None:
    """Bothnia stands before Finland, but Gulf of Bothnia behind it."""
    position = Position(units_of("RUSSIA: F BOT, F FIN"), phase="adjustment", centers={"RUSSIA": ["STP"]})
    after = adjudicate(position, [], RULES.with_choices({"X.17": "map-name", "4.D.8": "2023"}), DPTG)
    assert after.units == (Unit("RUSSIA", "F", "FIN"),)
