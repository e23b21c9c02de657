"""The decisions of DATC 2.4, chapter 5. The examples are those of its section 5.A, the cases those of its chapter 6."""

from __future__ import annotations

import pytest

from datc.reference_engine import DATC_3_1, GivenOrder, Position, Ruleset, adjudicate
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
from datc.reference_engine.resolved_order import OrderEffect

from ..brute_force import SIMPLE_PARADOX
from ..play import orders_of, position_of

ALL_HOLD = DATC_3_1.with_choices({"4.A.2": "all-hold"})
RULEBOOK_2000 = DATC_3_1.with_choices({"4.A.2": "2000"})

OWN_SUPPORT = "AUSTRIA: A VIE - TYR, A TYR - MUN, A TRI S A VIE - TYR; GERMANY: A MUN S A VEN - TYR, A VEN - TYR"
HEAD_TO_HEAD = (
    "FRANCE: A BEL S A BUR - RUH, A HOL S A BUR - RUH, A BUR - RUH, A MUN S A RUH - BUR, A MAR - BUR;"
    " GERMANY: A RUH - BUR"
)
DISRUPTED = "ENGLAND: A YOR - BEL, F NTH C A YOR - BEL; GERMANY: F HOL S F DEN - NTH, F DEN - NTH"
PANDIN = f"{SIMPLE_PARADOX}; GERMANY: F NTH S F BEL - ENG, F BEL - ENG"
PANDIN_EXTENDED = f"{PANDIN}; FRANCE: F YOR S A BRE - LON"
ROUND_TURKEY = "TURKEY: F ANK - CON, A CON - SMY, A SMY - ANK"


class Table:
    """The decisions on some orders, none made yet."""

    def __init__(self, text: str, ruleset: Ruleset = DATC_3_1) -> None:
        orders = orders_of(text)
        self.position: Position = position_of(orders)
        effects = [_effect(self.position, order, ruleset) for order in orders]
        self.decisions: DecisionTable = match(self.position, effects, ruleset, solver_type=Decisions).table

    def decision(self, name: str) -> Decision:
        """One of them by its type and the place of its unit: `"attack VIE"`."""
        kind, _, place = name.partition(" ")
        province = self.position.board.number[place]
        found: Decision = getattr(self.decisions, kind)[
            province if kind == "hold" else self.position.occupant[province]
        ]
        return found

    def name(self, decision: Decision) -> str:
        kind = type(decision).__name__.removesuffix("Decision").removesuffix("Strength").lower()
        return f"{kind} {self.position.units[decision.unit].location}"


def _effect(position: Position, order: GivenOrder, ruleset: Ruleset) -> OrderEffect:
    legal = Legality(position, ruleset).effect(*order)
    assert legal is not None
    return legal[1]


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (
            OWN_SUPPORT,
            {"attack VIE": 0, "prevent VIE": 2, "attack VEN": 2, "move VEN": 0, "move VIE": 0, "hold TYR": 1},
        ),
        (
            HEAD_TO_HEAD,
            {
                "attack RUH": 1,
                "prevent RUH": 0,
                "defend RUH": 2,
                "attack BUR": 3,
                "move BUR": 1,
                "move MAR": 1,
                "dislodge RUH": 1,
                "hold BUR": 0,
            },
        ),
        (
            DISRUPTED,
            {"path YOR": 0, "path DEN": 1, "dislodge NTH": 1, "support HOL": 1, "move YOR": 0, "prevent YOR": 0},
        ),
    ],
)
def test_the_decisions_of_the_examples(text: str, made: dict[str, int]) -> None:
    table = Table(text)
    assert make_decisions(table.decisions) == []
    for name, value in made.items():
        assert (table.decision(name).minimum, table.decision(name).maximum) == (value, value), name


EXCHANGE = "ENGLAND: A NWY - SWE, F SKA C A NWY - SWE; RUSSIA: A SWE - NWY, F BAR S A SWE - NWY; GERMANY: F DEN - SKA"
UNDISRUPTED = DATC_3_1.with_choices({"4.A.3": "1971-opposite-undisrupted"})


@pytest.mark.parametrize(
    ("more", "units"),
    [
        ("", {"A SWE", "F SKA", "A NWY", "F BAR", "F DEN"}),
        ("; GERMANY: F NTH S F DEN - SKA", {"A NWY", "F BAR", "F SKA", "F NTH"}),
    ],
)
def test_an_army_walks_into_a_battle_where_its_convoy_is_disrupted(more: str, units: set[str]) -> None:
    orders = orders_of(EXCHANGE + more)
    position = position_of(orders)
    after = adjudicate(position, orders, UNDISRUPTED, PROCEDURE)
    assert {f"{unit.type} {unit.location}" for unit in after.units} == units
    assert "NWY" not in {retreat for entry in after.dislodged for retreat in entry.retreats or ()}


def core_of(table: Table) -> list[Decision]:
    return smallest_dependency_list(make_decisions(table.decisions))


def test_the_move_of_the_convoyed_army_is_not_in_the_list_but_its_attack_strength_is() -> None:
    table = Table(PANDIN)
    core = core_of(table)
    assert {table.name(decision) for decision in core} == {
        "path BRE",
        "attack BRE",
        "support LON",
        "prevent WAL",
        "move BEL",
        "dislodge ENG",
    }
    assert is_convoy_disruption_paradox(table.decisions.orders, core)


def test_a_circular_movement_is_a_list_without_a_move_against_a_convoying_fleet() -> None:
    table = Table(ROUND_TURKEY)
    core = core_of(table)
    assert {table.name(decision) for decision in core} >= {"move ANK", "move CON", "move SMY"}
    assert not is_convoy_disruption_paradox(table.decisions.orders, core)
    assert is_circular_movement(table.decisions.orders, core)


def test_what_waits_for_a_paradox_is_not_in_the_smallest_list() -> None:
    alone, followed = Table(SIMPLE_PARADOX), Table(f"{SIMPLE_PARADOX}; ENGLAND: A LVP - WAL")
    assert {followed.name(decision) for decision in core_of(followed)} == {
        alone.name(decision) for decision in core_of(alone)
    }
    assert "move LVP" in {followed.name(decision) for decision in make_decisions(followed.decisions)}


@pytest.mark.parametrize(
    ("text", "ruleset", "left"),
    [
        (PANDIN, DATC_3_1, set[str]()),
        (PANDIN, ALL_HOLD, set[str]()),
        (PANDIN_EXTENDED, DATC_3_1, set[str]()),
        (PANDIN_EXTENDED, RULEBOOK_2000, {"LON"}),
        (SIMPLE_PARADOX, DATC_3_1, {"ENG"}),
        (SIMPLE_PARADOX, RULEBOOK_2000, {"ENG"}),
        (SIMPLE_PARADOX, ALL_HOLD, set[str]()),
    ],
)
def test_the_paradox_rules(text: str, ruleset: Ruleset, left: set[str]) -> None:
    """6.F.14, 6.F.16 and 6.F.17: who is dislodged."""
    orders = orders_of(text)
    after = adjudicate(position_of(orders), orders, ruleset, PROCEDURE)
    assert {entry.unit.location for entry in after.dislodged} == left
