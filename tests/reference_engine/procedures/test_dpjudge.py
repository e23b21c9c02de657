"""The ten steps: what they say of some positions, worked out by hand, and that they agree with the equations."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from datc.cases import load_ruleset
from datc.reference_engine import GivenOrder, Move, adjudicate, find_procedure

from ..brute_force import Battle, random_battle
from ..play import board_of
from .playing import ends, in_words, played

RULES = load_ruleset("dpjudge").ruleset()

LON_TO_HOL = "ENGLAND: A LON - NTH - HOL, F NTH C A LON - HOL"
NAF_TO_SPA_OVER_TWO_SEAS = "FRANCE: A NAF - MAO - WES - SPA, F MAO C A NAF - SPA, F WES C A NAF - SPA"
TIED_AGAINST_NTH = "FRANCE: F ENG - NTH, F BEL S F ENG - NTH; GERMANY: F SKA - NTH, F DEN S F SKA - NTH"
AGAINST_NTH = "GERMANY: F SKA - NTH, F DEN S F SKA - NTH"
PANDIN = (
    "ENGLAND: F LON S F WAL - ENG, F WAL - ENG; FRANCE: A BRE - ENG - LON, F ENG C A BRE - LON;"
    " GERMANY: F NTH S F BEL - ENG, F BEL - ENG"
)

POSITIONS = {
    "step 1: an army that names no route has no convoy": ("ENGLAND: A LON - HOL, F NTH C A LON - HOL", ""),
    "step 1: it has one over the route that it names": (LON_TO_HOL, "A LON - HOL"),
    "step 1: every fleet that it names must be ordered to convoy it": (
        "ENGLAND: A LON - ENG - NTH - HOL, F NTH C A LON - HOL, F ENG H",
        "",
    ),
    "step 5: every fleet that it names must stay undisturbed, also on a detour": (
        f"{NAF_TO_SPA_OVER_TWO_SEAS}; ITALY: F LYO - WES, F TYS S F LYO - WES",
        "F LYO - WES, F WES x",
    ),
    "step 4: a convoyed army cuts a support against a fleet that it does not name": (
        "ITALY: F NTH - SKA, F DEN S F NTH - SKA; TURKEY: A SWE - BAL - DEN, F BAL C A SWE - DEN, F SKA C A SWE - DEN",
        "",
    ),
    "step 2: a hold cannot be supported for an army without its convoy": (
        "ITALY: A NAP - ION - GRE, A ROM S A NAP, F ION H; TURKEY: A APU - NAP, F TYS S A APU - NAP",
        "A APU - NAP, A NAP x",
    ),
    "step 4: a convoyed army cuts no support against a convoying fleet": (PANDIN, ""),
    "step 5: an endangered convoy fails and its army keeps nobody out": (
        f"{LON_TO_HOL}; {AGAINST_NTH}, A RUH - HOL",
        "F SKA - NTH, F NTH x, A RUH - HOL",
    ),
    "step 5: a foreign attack disrupts a convoy even if a countryman's support keeps it from dislodging the fleet": (
        "ENGLAND: A YOR - NTH - HOL, F EDI - NTH; FRANCE: F NTH C A YOR - HOL, F BEL S F EDI - NTH",
        "",
    ),
    "step 1: a fleet that the army names convoys it, needed or not": (
        "ITALY: A KIE - BAL - BOT - LVN, F BAL C A KIE - LVN, F BOT C A KIE - LVN",
        "A KIE - LVN",
    ),
    "checkDisruptions: every fleet on the army's path has to hold out": (
        (
            "ITALY: A KIE - BAL - BOT - LVN, F BAL C A KIE - LVN, F BOT C A KIE - LVN;"
            " RUSSIA: F STP/SC - BOT, F FIN S F STP/SC - BOT"
        ),
        "F STP/SC - BOT, F BOT x",
    ),
    "step 6: neither unit swaps where both are as strong": ("ENGLAND: F LON - YOR; FRANCE: A YOR - LON", ""),
    "step 6: the loser's countryman decides the battle, and the winner beats the loser without his support": (
        (
            "GERMANY: F HOL - NTH, F HEL S F HOL - NTH; FRANCE: F NTH - HOL, F BEL S F NTH - HOL, F ENG S F HOL - NTH;"
            " AUSTRIA: A KIE S A RUH - HOL, A RUH - HOL"
        ),
        "F HOL - NTH, F NTH x, A RUH - HOL",
    ),
    "step 8: the winner does not beat the loser without that support": (
        "GERMANY: A BER - KIE, A MUN S F KIE - BER; ENGLAND: F KIE - BER",
        "",
    ),
    "step 8: nobody dislodges a countryman": ("GERMANY: A BER - KIE, A MUN S A BER - KIE, F KIE H", ""),
    "step 8: a rival must be beaten without the support of the victim's countrymen": (
        (
            "AUSTRIA: A VIE H, A BUD S A GAL - VIE; RUSSIA: A GAL - VIE, A BOH S A GAL - VIE;"
            " ITALY: A TRI - VIE, A TYR S A TRI - VIE"
        ),
        "",
    ),
    "step 9: a dislodged unit gives no support": (
        (
            "GERMANY: A BER - PRU, F BAL S A BER - PRU; RUSSIA: A PRU - BER, A SIL S A PRU - BER, F LVN - BAL,"
            " F SWE S F LVN - BAL"
        ),
        "F LVN - BAL, F BAL x, A PRU - BER, A BER x",
    ),
    "step 10: who bounced off the loser of a battle moves behind the winner": (
        "GERMANY: A BER - PRU, A SIL S A BER - PRU; RUSSIA: A PRU - BER; FRANCE: A MUN - BER, A TYR - MUN",
        "A BER - PRU, A PRU x, A MUN - BER, A TYR - MUN",
    ),
    "a ring moves": ("TURKEY: F ANK - CON, A CON - SMY, A SMY - ANK", "F ANK - CON, A CON - SMY, A SMY - ANK"),
}


@pytest.mark.parametrize(("orders", "end"), POSITIONS.values(), ids=POSITIONS)
def test_a_position_ends_as_the_steps_say(orders: str, end: str) -> None:
    assert ends(orders, played("dpjudge", orders)) == in_words(end)


# Its two options


@pytest.mark.parametrize(("choice", "end"), [("safe", "A LON - HOL"), ("beleaguered-disrupts", "")])
def test_a_beleaguered_convoying_fleet_fails_only_by_the_option(choice: str, end: str) -> None:
    orders = f"{LON_TO_HOL}; {TIED_AGAINST_NTH}"
    assert ends(orders, played("dpjudge", orders, {"X.8": choice})) == in_words(end)


@pytest.mark.parametrize(
    "orders",
    [
        pytest.param(f"{LON_TO_HOL}, F EDI S F NTH; {TIED_AGAINST_NTH}", id="the fleet is as strong"),
        pytest.param(
            f"{LON_TO_HOL}, F YOR - NTH, F EDI S F YOR - NTH, F HEL - NTH, F DEN S F HEL - NTH", id="no foreigner"
        ),
    ],
)
def test_the_option_needs_a_foreigner_among_the_strongest_and_not_the_fleet(orders: str) -> None:
    assert ends(orders, played("dpjudge", orders, {"X.8": "beleaguered-disrupts"})) == ["A LON - HOL"]


@pytest.mark.parametrize(
    ("choice", "end"),
    [("possible-now", ""), ("any-board-space", "A EDI - YOR, A YOR x"), ("any-writing", "A EDI - YOR, A YOR x")],
)
def test_an_army_that_names_a_fleet_which_does_not_exist_holds_by_the_option(choice: str, end: str) -> None:
    orders = "ENGLAND: A YOR - ENG - BEL, A LVP S A YOR, F NTH H; FRANCE: A EDI - YOR, F LON S A EDI - YOR"
    assert ends(orders, played("dpjudge", orders, {"4.E.1": choice})) == in_words(end)


# What becomes of orders


def test_a_fleet_that_the_army_does_not_name_is_void() -> None:
    after = played("dpjudge", "ENGLAND: A LON - NTH - BEL, F NTH C A LON - BEL, F ENG C A LON - BEL")
    assert [result.reason for result in after.orders] == [None, None, "void"]


def test_a_unit_may_not_retreat_to_where_a_convoyed_attacker_came_from() -> None:
    orders = "TURKEY: A RUM - BLA - SEV, F BLA C A RUM - SEV, A UKR S A RUM - SEV; RUSSIA: A SEV H"
    (dislodged,) = played("dpjudge", orders, {"4.A.5": "retreat-to-origin"}).dislodged
    assert dislodged.retreats == ("ARM", "MOS")


def test_a_retreat_is_open_where_only_the_loser_of_the_battle_wanted_to_go() -> None:
    orders = (
        "GERMANY: A BER - PRU, A SIL S A BER - PRU; RUSSIA: A PRU - BER, A KIE H;"
        " FRANCE: A RUH - KIE, A MUN S A RUH - KIE"
    )
    kiel = {entry.unit.location: entry.retreats or () for entry in played("dpjudge", orders).dislodged}["KIE"]
    assert "BER" in kiel


def orders_with_routes(battle: Battle) -> list[GivenOrder]:
    """The orders of a battle, in which each convoyed army names its one route."""
    given = battle.orders()
    for index, piece in enumerate(battle.pieces):
        power, order = given[index]
        if isinstance(order, Move) and piece.routes:
            (route,) = piece.routes
            path = tuple(battle.pieces[fleet].home for fleet in sorted(route))
            given[index] = GivenOrder(power, replace(order, path=path))
    return given


@pytest.mark.parametrize("lot", range(4))
def test_it_agrees_with_the_equations_where_each_army_names_the_only_route(lot: int) -> None:
    played_out = 0
    for seed in range(lot * 250, lot * 250 + 250):
        battle = random_battle(Random(seed))
        if any(len(piece.routes or "1") != 1 for piece in battle.pieces):
            continue
        position, orders = battle.position(), orders_with_routes(battle)
        by_steps, by_equations = (
            adjudicate(position, orders, RULES, find_procedure("dpjudge")),
            adjudicate(position, orders, RULES),
        )
        assert board_of(by_steps) == board_of(by_equations), f"seed {seed}\n{battle}"
        assert by_steps.orders == by_equations.orders, f"seed {seed}\n{battle}"
        played_out += 1
    assert played_out > 200
