"""How an order is followed that leaves something out, or names a coast or a kind of unit that does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...reference_engine import Move, Order, OrderedUnit, Unit, province_code, standard_board
from .words import place, unit_words


def how_read(order: Order | None, unit: Unit, landing: str, choices: Mapping[str, str]) -> Iterable[str]:
    """Name the choices by which a unit follows an order that is not exact; `landing` is where its move leads."""
    ordered = getattr(order, "unit", None)
    if isinstance(ordered, OrderedUnit):
        yield from _unit_read(ordered, unit, choices)
    if isinstance(order, Move) and landing and order.to != landing:
        yield _coast_read(order.to, unit, landing, choices)


def _unit_read(ordered: OrderedUnit, unit: Unit, choices: Mapping[str, str]) -> Iterable[str]:
    if ordered.type is None:
        yield f"it does not say army or fleet, and counts for {unit_words(unit)} (4.C.1 = {choices['4.C.1']})"
    elif ordered.type != unit.type:
        yield f"it counts for {unit_words(unit)}, though it names another kind of unit (4.C.2 = {choices['4.C.2']})"
    if "/" in ordered.location and ordered.location != unit.location:
        issue = "4.B.5" if unit.type == "F" and ordered.location in standard_board().number else "4.B.6"
        yield f"it counts for {unit_words(unit)}, though it names another coast ({issue} = {choices[issue]})"


def _coast_read(to: str, unit: Unit, landing: str, choices: Mapping[str, str]) -> str:
    if "/" not in to:
        coasts = [each for each in standard_board().destinations(unit) if province_code(each) == province_code(to)]
        issue = "4.B.1" if len(coasts) > 1 else "4.B.2"
        return f"it names no coast, and counts as a move to {place(landing)} ({issue} = {choices[issue]})"
    issue = "4.B.3" if unit.type == "F" and to in standard_board().number else "4.B.6"
    return f"it counts as a move to {place(landing)}, whatever coast it names ({issue} = {choices[issue]})"
