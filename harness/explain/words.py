"""The names of units, places and orders in an explanation."""

from __future__ import annotations

from dataclasses import replace

from ...reference_engine import (
    Convoy,
    Dislodged,
    Hold,
    Move,
    Order,
    OrderedUnit,
    SupportHold,
    SupportMove,
    Unit,
    standard_board,
    write_order,
)
from ...reference_engine.explanation import MovementExplanation
from ..wording import listed


def place(location: str) -> str:
    """Name a location: `"Spain(nc)"`. Anything else is returned as it is."""
    return standard_board().describe(location)


def unit_words(unit: Unit) -> str:
    """Name a unit: `"F English Channel"`."""
    return f"{unit.type} {place(unit.location)}"


def owned(unit: Unit) -> str:
    """Name a unit with its power: `"France's F English Channel"`."""
    return f"{standard_board().power_name(unit.power)}'s {unit_words(unit)}"


def named(unit: OrderedUnit) -> str:
    """Name a unit as an order does."""
    return f"{unit.type or 'the unit in'} {place(unit.location)}"


def order_words(order: Order) -> str:
    """Write an order out: `"A London - Belgium"`."""
    return write_order(order, "names")


def retreat_words(entry: Dislodged) -> str:
    """Say where a dislodged unit may retreat to."""
    return f"it may retreat to {listed(map(place, entry.retreats))}" if entry.retreats else "it has no retreat"


def as_written(explained: MovementExplanation, unit: int) -> str:
    """Write the order that a unit follows: `"A London - Belgium"`; without one it holds."""
    standing = explained.position.units[unit]
    followed = (unit, explained.meanings[unit])
    for (_, order), given in zip(explained.orders, explained.given, strict=True):
        if given == followed and isinstance(order, (Hold, Move, SupportHold, SupportMove, Convoy)):
            return order_words(replace(order, unit=OrderedUnit(standing.location, standing.type)))
    return f"{unit_words(standing)} holds"
