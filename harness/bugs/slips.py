# mypyc
"""Orders that are badly written: a coast, a type or a nationality that is missing or wrong (DATC 4.B and 4.C)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ...reference_engine import Order, OrderedUnit, Waive
from ..play.positions import helped_unit
from .terrain import terrain, with_named_units

Pick: TypeAlias = Callable[[Sequence[Any]], Any]
"""Chooses at random."""
_Slip: TypeAlias = Callable[[OrderedUnit, Pick], OrderedUnit]


def _without_type(unit: OrderedUnit, _pick: Pick) -> OrderedUnit:
    return OrderedUnit(unit.location, None, unit.power)


def _of_other_type(unit: OrderedUnit, _pick: Pick) -> OrderedUnit:
    return OrderedUnit(unit.location, "F" if unit.type == "A" else "A", unit.power)


def _of_some_power(unit: OrderedUnit, pick: Pick) -> OrderedUnit:
    return OrderedUnit(unit.location, unit.type, pick(terrain().powers))


def _on_another_coast(unit: OrderedUnit, pick: Pick) -> OrderedUnit:
    """Name another coast of a province with two, or none; one that is not there of any other province."""
    place = unit.location
    coasts = terrain().coasts.get(place) or (f"{place[:3]}/NC", f"{place[:3]}/SC")
    return OrderedUnit(pick(coasts), unit.type, unit.power)


# A wrong nationality is drawn twice as often as each other slip.
_SLIPS: Sequence[_Slip] = (_without_type, _of_other_type, _of_some_power, _of_some_power, _on_another_coast)


def badly_written(order: Order, pick: Pick) -> Order:
    """Write an order with a slip: in how it names its own unit or the one that it helps."""
    if isinstance(order, Waive):
        return order
    about = pick((order.unit, helped_unit(order) or order.unit))
    return _with_slip(order, about, pick(_SLIPS), pick)


def on_another_coast(order: Order, pick: Pick) -> Order:
    """Name another coast of an order's own unit, or none."""
    return order if isinstance(order, Waive) else _with_slip(order, order.unit, _on_another_coast, pick)


def _with_slip(order: Order, about: OrderedUnit, slip: _Slip, pick: Pick) -> Order:
    return with_named_units(order, lambda unit: slip(unit, pick) if unit is about else unit) or order
