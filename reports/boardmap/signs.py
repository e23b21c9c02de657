"""Marks on units: holds, builds, removals, and disbanded units."""

from __future__ import annotations

from collections.abc import Iterator

from ...reference_engine import Build, Disband, Hold, Remove
from .geometry import Point, number
from .scene import DrawnUnit
from .sketch import Canvas, Line, Sketch, cross, state_of


def sketch_marks(canvas: Canvas) -> Iterator[Sketch]:
    """Draw the orders that lead nowhere, each on its unit."""
    for given in canvas.scene.orders:
        order = given.order
        places = canvas.places
        if isinstance(order, Hold) and (spot := places.unit(order.unit.location)):
            yield Sketch("hold", state_of(given), (Line("o", ring(spot, 17)),), given)
        elif isinstance(order, Remove) and (spot := places.unit(order.unit.location)):
            yield Sketch("out", state_of(given), (cross(spot, 13),), given)
        elif isinstance(order, Disband) and (spot := places.dislodged_unit(order.unit.location)):
            yield Sketch("out", state_of(given), (cross(spot, 10),), given)


def sketch_builds(canvas: Canvas) -> Iterator[tuple[DrawnUnit, Point, Sketch]]:
    """Draw the units that are built, each with a ring around it and a plus."""
    for given in canvas.scene.orders:
        order = given.order
        if not isinstance(order, Build):
            continue
        spot = canvas.places.spot(order.unit.location)
        if spot is None:
            continue
        spot = canvas.places.free(spot)
        lines = (Line("o", ring(spot, 17)), Line("x", plus(spot)))
        unit = DrawnUnit(given.power, order.unit.type or "?", order.unit.location)
        yield unit, spot, Sketch("build", state_of(given), lines, given)


def ring(center: Point, radius: int) -> str:
    """A circle."""
    x, y = number(center.x - radius), number(center.y)
    return f"M{x} {y}a{radius} {radius} 0 1 0 {radius * 2} 0a{radius} {radius} 0 1 0-{radius * 2} 0z"


def plus(center: Point) -> str:
    """A plus beside a unit."""
    return f"M{number(center.x + 11)} {number(center.y - 13)}h9m-4.5-4.5v9"
