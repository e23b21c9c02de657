"""Writes positions and orders as people do, so that reading the text gives the same again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ...reference_engine import Board, GivenOrder, OrderedUnit, Unit
from ...reference_engine.board import province_code
from ..play import positions
from ..play.answer import PhaseInput


def position_text(asked: PhaseInput, orders: Sequence[GivenOrder] = ()) -> str:
    """Write a position so that reading the text gives the same: a heading, a block for each power, and the centers.

    An order places its unit. A unit without an order stands there alone; before adjustments all units do, since no
    order there places one. All do before the orders, too, where an order gives its unit another type or coast.
    """
    units, board = asked.units, asked.board
    ordered = {(each.power, unit.type, unit.location) for each in orders if (unit := positions.ordered_unit(each))}
    named = ((unit, _unit_in(unit, units)) for each in orders if (unit := positions.ordered_unit(each)))
    units_first = any(found is not None and found[1:] != (unit.type, unit.location) for unit, found in named)
    all_alone = units_first or asked.phase != "movement"
    alone = [unit for unit in units if all_alone or unit not in ordered]
    lines = [heading(asked)]
    for power in dict.fromkeys([*(each.power for each in units), *(each.power for each in orders)]):
        lines += ["", f"{positions.power_text(power, board)}:"]
        lines += [positions.unit_text(unit, board) for unit in alone if unit.power == power]
        if not units_first:
            lines += [_full_text(each, units, board) for each in orders if each.power == power]
    if units_first:
        lines += [
            "",
            *(f"{positions.power_text(each.power, board)}: {_full_text(each, units, board)}" for each in orders),
        ]
    if any(asked.centers.values()):
        lines += ["", *_center_lines(asked.centers, board)]
    return "\n".join(lines) + "\n"


def heading(asked: PhaseInput) -> str:
    """Name a phase: `Spring 1901, movement`."""
    return f"{asked.season.capitalize()} {asked.year}, {asked.phase}"


def _full_text(given: GivenOrder, units: Sequence[Unit], board: Board | None) -> str:
    """Write an order; one to a unit of another power says whose it is, so that it places none of its own."""
    ordered = positions.ordered_unit(given)
    if given.order is not None and ordered is not None and ordered.power == given.power:
        given = given._replace(order=replace(given.order, unit=ordered._replace(power=None)))
        ordered = positions.ordered_unit(given)
    unit = _unit_in(ordered, units) if ordered is None or ordered.power is None else None
    text = positions.order_text(given, "names", board)
    return text if unit is None or unit.power == given.power else f"{positions.power_text(unit.power, board)} {text}"


def _unit_in(ordered: OrderedUnit | None, units: Sequence[Unit]) -> Unit | None:
    province = province_code(ordered.location) if ordered else None
    return next((unit for unit in units if province_code(unit.location) == province), None)


def orders_text(orders: Sequence[GivenOrder], board: Board | None = None) -> str:
    """Write the orders of a later phase, one a line, each behind its power."""
    texts = ((positions.power_text(each.power, board), positions.order_text(each, "names", board)) for each in orders)
    return "".join(f"{power}: {text}\n" for power, text in texts)


def forum_text(phases: Sequence[PhaseInput], orders: Sequence[Sequence[GivenOrder]]) -> str:
    """Write phases as a player posts them."""
    parts: list[str] = []
    for asked, given in zip(phases, orders, strict=True):
        if not asked.follows:
            parts.append(position_text(asked, given))
            continue
        lines = [heading(asked)]
        if asked.phase == "adjustment" and asked.centers:
            lines += [*_center_lines(asked.centers, asked.board), "Builds"]
        parts.append("\n".join([*lines, orders_text(given, asked.board) or "No orders."]).rstrip() + "\n")
    return "\n".join(parts)


def _center_lines(centers: Mapping[str, Sequence[str]], board: Board | None) -> Iterable[str]:
    yield "Supply centers"
    for power, owned in centers.items():
        if owned:
            places = (positions.place_text(center, board) for center in sorted(owned))
            yield f"{positions.power_text(power, board)}: {', '.join(places)}"
