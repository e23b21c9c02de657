"""Parties to hunt with: the reference, with a bug or without."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from datc.adapters import EngineSpec, Limits
from datc.harness.fuzzing.parties import Party, ReferenceParty, Statement
from datc.harness.fuzzing.plan import Plan, PlannedEngine
from datc.harness.fuzzing.situation import Situation
from datc.harness.position_lines import read_position_text
from datc.reference_engine import DATC_3_1, GivenOrder, Hold, Move, province_code
from datc.reference_engine.notation import Style

BUGGY = Path(__file__).parents[2] / "engines" / "buggy.py"
REFERENCE = ReferenceParty(DATC_3_1)


class Altered(Party):
    """The reference, asked something else than what it is asked."""

    def __init__(self, alter: Callable[[Situation], Situation]) -> None:
        self.name = "altered"
        self._alter = alter
        self.asked = 0

    def ask(self, situation: Situation, style: Style = "codes") -> Statement | None:
        self.asked += 1
        return REFERENCE.ask(self._alter(situation), style)


def lost_border(situation: Situation) -> Situation:
    """Galicia does not border Silesia."""

    def known(given: GivenOrder) -> GivenOrder:
        order = given.order
        if isinstance(order, Move) and {order.unit.location, order.to} == {"GAL", "SIL"}:
            return given._replace(order=Hold(order.unit))
        return given

    return situation._replace(orders=tuple(map(known, situation.orders)))


def first_come(situation: Situation) -> Situation:
    """Of the moves to a province only the first counts."""
    seen: set[str] = set()
    orders: list[GivenOrder] = []
    for given in situation.orders:
        to = province_code(given.order.to) if isinstance(given.order, Move) else ""
        orders.append(given._replace(order=None) if to in seen else given)
        seen |= {to} - {""}
    return situation._replace(orders=tuple(orders))


def says(party: Party, situation: Situation) -> Statement:
    """What a party says of a situation that it has to support."""
    statement = party.ask(situation)
    assert statement is not None
    return statement


def situation_of(*lines: str) -> Situation:
    """A position before a movement phase, from lines of orders."""
    read = read_position_text("\n".join(lines), "test")
    return Situation(read.position, read.orders)


def buggy_spec(bug: str) -> EngineSpec:
    return EngineSpec(f"exec:{bug}", (sys.executable, str(BUGGY), bug))


def plan_for(
    spec: EngineSpec,
    positions: int = 60,
    sources: tuple[str, ...] = ("random",),
    profiles: tuple[str, ...] = ("dense",),
) -> Plan:
    """A plan of short chunks, for one engine."""
    engine = PlannedEngine(spec, Limits(start=60, request=60, restarts=1000))
    return Plan((engine,), DATC_3_1, sources, profiles, seed=1, positions=positions, chunk=20)
