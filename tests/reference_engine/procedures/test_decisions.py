"""The decisions of DATC 2.4, chapter 5. The examples are those of its section 5.A, the cases those of its chapter 6."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from datc.reference_engine import DATC_3_1, Position, adjudicate
from datc.reference_engine.legality import Legality
from datc.reference_engine.movement import match
from datc.reference_engine.procedures.decisions import (
    PROCEDURE,
    Decisions,
    is_circular_movement,
    is_convoy_disruption_paradox,
    make_decisions,
    smallest_dependency_list,
)
from datc.reference_engine.procedures.decisions.types import Decision, DecisionTable

from ..brute_force import SIMPLE_PARADOX
from ..play import orders_of, position_of

HEAD_TO_HEAD = (
    "FRANCE: A BEL S A BUR - RUH, A HOL S A BUR - RUH, A BUR - RUH, A MUN S A RUH - BUR, A MAR - BUR;"
    " GERMANY: A RUH - BUR"
)


class Table:
    """The decisions on some orders, none made yet."""

    def __init__(self, text: str) -> None:
        orders = orders_of(text)
        self.position: Position = position_of(orders)
        legal = [Legality(self.position, DATC_3_1).effect(*order) for order in orders]
        effects = [effect for _, effect in filter(None, legal)]
        self.decisions: DecisionTable = match(self.position, effects, DATC_3_1, solver_type=Decisions).table

    def names(self, decisions: Iterable[Decision]) -> set[str]:
        """Their types and the places of their units, as `"attack VIE"`."""
        kinds = [(type(each).__name__.removesuffix("Decision").removesuffix("Strength"), each) for each in decisions]
        return {f"{kind.lower()} {self.position.units[each.unit].location}" for kind, each in kinds}

    def core(self) -> list[Decision]:
        return smallest_dependency_list(make_decisions(self.decisions))


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (
            "AUSTRIA: A VIE - TYR, A TYR - MUN, A TRI S A VIE - TYR; GERMANY: A MUN S A VEN - TYR, A VEN - TYR",
            "attack VIE 0, prevent VIE 2, attack VEN 2, move VEN 0, move VIE 0, hold TYR 1",
        ),
        (
            HEAD_TO_HEAD,
            "attack RUH 1, attack BUR 3, prevent RUH 0, defend RUH 2, move BUR 1, move MAR 1, hold BUR 0"
            + ", dislodge RUH 1",
        ),
        (
            "ENGLAND: A YOR - BEL, F NTH C A YOR - BEL; GERMANY: F HOL S F DEN - NTH, F DEN - NTH",
            "path YOR 0, path DEN 1, dislodge NTH 1, support HOL 1, move YOR 0, prevent YOR 0",
        ),
    ],
)
def test_the_decisions_of_the_examples(text: str, made: str) -> None:
    table = Table(text)
    assert make_decisions(table.decisions) == []
    for kind, place, value in map(str.split, made.split(", ")):
        province = table.position.board.number[place]
        unit = province if kind == "hold" else table.position.occupant[province]
        decision: Decision = getattr(table.decisions, kind)[unit]
        assert decision.minimum == decision.maximum == int(value), (kind, place)


def test_the_move_of_the_convoyed_army_is_not_in_the_list_but_its_attack_strength_is() -> None:
    table = Table(f"{SIMPLE_PARADOX}; GERMANY: F NTH S F BEL - ENG, F BEL - ENG")
    core = table.core()
    assert table.names(core) == {"path BRE", "attack BRE", "support LON", "prevent WAL", "move BEL", "dislodge ENG"}
    assert is_convoy_disruption_paradox(table.decisions.orders, core)


def test_a_circular_movement_is_a_list_without_a_move_against_a_convoying_fleet() -> None:
    table = Table("TURKEY: F ANK - CON, A CON - SMY, A SMY - ANK")
    core = table.core()
    assert table.names(core) >= {"move ANK", "move CON", "move SMY"}
    assert not is_convoy_disruption_paradox(table.decisions.orders, core)
    assert is_circular_movement(table.decisions.orders, core)


def test_what_waits_for_a_paradox_is_not_in_the_smallest_list() -> None:
    alone, followed = Table(SIMPLE_PARADOX), Table(f"{SIMPLE_PARADOX}; ENGLAND: A LVP - WAL")
    assert followed.names(followed.core()) == alone.names(alone.core())
    assert "move LVP" in followed.names(make_decisions(followed.decisions))


def test_an_army_walks_into_a_battle_where_its_convoy_is_disrupted() -> None:
    orders = orders_of(
        "ENGLAND: A NWY - SWE, F SKA C A NWY - SWE; RUSSIA: A SWE - NWY, F BAR S A SWE - NWY;"
        " GERMANY: F DEN - SKA, F NTH S F DEN - SKA"
    )
    rules = DATC_3_1.with_choices({"4.A.3": "1971-opposite-undisrupted"})
    after = adjudicate(position_of(orders), orders, rules, PROCEDURE)
    assert {unit.location for unit in after.units} == {"NWY", "BAR", "SKA", "NTH"}
    assert "NWY" not in {retreat for entry in after.dislodged for retreat in entry.retreats or ()}
