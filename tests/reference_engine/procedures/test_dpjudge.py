"""The ten steps: what they say of some positions, worked out by hand, and that they agree with the equations."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from datc.cases import load_ruleset
from datc.reference_engine import GivenOrder, Move, adjudicate, find_procedure

from ..brute_force import Battle, random_battle
from ..play import board_of, ends, in_words, played

RULES = load_ruleset("dpjudge").ruleset()

LON_TO_HOL = "ENGLAND: A LON - NTH - HOL, F NTH C A LON - HOL"
NAF_TO_SPA_OVER_TWO_SEAS = "FRANCE: A NAF - MAO - WES - SPA, F MAO C A NAF - SPA, F WES C A NAF - SPA"
TIED_AGAINST_NTH = "FRANCE: F ENG - NTH, F BEL S F ENG - NTH; GERMANY: F SKA - NTH, F DEN S F SKA - NTH"
AGAINST_NTH = "GERMANY: F SKA - NTH, F DEN S F SKA - NTH"

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
    "step 6: the loser's countryman decides the battle, and the winner beats the loser without his support": (
        (
            "GERMANY: F HOL - NTH, F HEL S F HOL - NTH; FRANCE: F NTH - HOL, F BEL S F NTH - HOL, F ENG S F HOL - NTH;"
            " AUSTRIA: A KIE S A RUH - HOL, A RUH - HOL"
        ),
        "F HOL - NTH, F NTH x, A RUH - HOL",
    ),
}


@pytest.mark.parametrize(("orders", "end"), POSITIONS.values(), ids=POSITIONS)
def test_a_position_ends_as_the_steps_say(orders: str, end: str) -> None:
    assert ends(orders, played("dpjudge", orders)) == in_words(end)


NO_SUCH_FLEET = "ENGLAND: A YOR - ENG - BEL, A LVP S A YOR, F NTH H; FRANCE: A EDI - YOR, F LON S A EDI - YOR"
BY_COUNTRYMEN = f"{LON_TO_HOL}, F YOR - NTH, F EDI S F YOR - NTH, F HEL - NTH, F DEN S F HEL - NTH"


@pytest.mark.parametrize(
    ("choices", "orders", "end"),
    [
        # A convoying fleet that is beleaguered, by foreigners and no weaker than it
        ({"X.8": "safe"}, f"{LON_TO_HOL}; {TIED_AGAINST_NTH}", "A LON - HOL"),
        ({"X.8": "beleaguered-disrupts"}, f"{LON_TO_HOL}; {TIED_AGAINST_NTH}", ""),
        ({"X.8": "beleaguered-disrupts"}, f"{LON_TO_HOL}, F EDI S F NTH; {TIED_AGAINST_NTH}", "A LON - HOL"),
        ({"X.8": "beleaguered-disrupts"}, BY_COUNTRYMEN, "A LON - HOL"),
        # An army that names a fleet which does not exist
        ({"4.E.1": "possible-now"}, NO_SUCH_FLEET, ""),
        ({"4.E.1": "any-board-space"}, NO_SUCH_FLEET, "A EDI - YOR, A YOR x"),
        ({"4.E.1": "any-writing"}, NO_SUCH_FLEET, "A EDI - YOR, A YOR x"),
    ],
)
def test_its_two_options(choices: dict[str, str], orders: str, end: str) -> None:
    assert ends(orders, played("dpjudge", orders, choices)) == in_words(end)


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
