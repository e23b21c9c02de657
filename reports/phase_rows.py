"""The units and orders of a phase as rows of tables: what was expected beside what was got."""

from __future__ import annotations

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


def board_rows(phase: PhaseData, expected: Sequence[UnitData], got: Sequence[UnitData] | None) -> list[BoardRow]:
    """Set expected units of a phase beside those of the answer, power by power, and mark those that differ."""
    left = [MarkedUnit(unit, "missing" if unit in phase.missing else "") for unit in sorted(expected)]
    right = [MarkedUnit(unit, "unexpected" if unit in phase.unexpected else "") for unit in sorted(got or ())]
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


def _of(power: str, units: Iterable[MarkedUnit]) -> list[MarkedUnit]:
    return [marked for marked in units if marked.unit.power == power]
