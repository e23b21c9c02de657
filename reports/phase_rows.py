"""The units and orders of a phase as rows of tables: what was expected beside what was got."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from .boardmap import phase_scenes
from .report import OrderData, PhaseData, UnitData

Mark: TypeAlias = Literal["", "missing", "unexpected"]


class MarkedUnit(NamedTuple):
    """A unit, and whether the other board lacks it."""

    unit: UnitData
    mark: Mark


class BoardRow(NamedTuple):
    """The units of a power, as expected and as the engine has them."""

    power: str
    expected: list[MarkedUnit]
    got: list[MarkedUnit]


class OrderRow(NamedTuple):
    """An order, what was expected of it, and what the engine made of it."""

    data: OrderData
    expected: str
    """What the document says, or what the boards show of a move; empty where neither tells."""
    got: str
    differs: bool


def board_rows(expected: Sequence[UnitData] | None, got: Sequence[UnitData] | None) -> list[BoardRow]:
    """Set two boards side by side, power by power. Nothing is marked where either was not said."""
    comparable = expected is not None and got is not None
    left = _marked(expected or (), got or (), "missing" if comparable else "")
    right = _marked(got or (), expected or (), "unexpected" if comparable else "")
    powers = sorted({marked.unit.power for marked in (*left, *right)})
    return [BoardRow(power, _of(power, left), _of(power, right)) for power in powers]


def order_rows(phase: PhaseData) -> list[OrderRow]:
    """Say of each order what was expected and what was got."""
    expected = phase_scenes(phase, "expected").before.orders
    got = phase_scenes(phase, "answer").before.orders
    return [
        OrderRow(
            data,
            data.expected or wanted.outcome or "",
            ": ".join(filter(None, (data.outcome or given.outcome, data.reason))),
            wanted.outcome is not None and given.outcome is not None and wanted.outcome != given.outcome,
        )
        for data, wanted, given in zip(phase.orders, expected, got, strict=True)
    ]


def _marked(units: Sequence[UnitData], others: Sequence[UnitData], mark: Mark) -> list[MarkedUnit]:
    left_over = Counter(others)
    marked: list[MarkedUnit] = []
    for unit in sorted(units):
        marked.append(MarkedUnit(unit, "" if left_over[unit] > 0 else mark))
        left_over[unit] -= 1
    return marked


def _of(power: str, units: Iterable[MarkedUnit]) -> list[MarkedUnit]:
    return [marked for marked in units if marked.unit.power == power]
