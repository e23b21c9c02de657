# pyright: basic, reportMissingTypeStubs=false
# Shapely brings no types.
"""Finds room in each province for what stands in it: a unit, one dislodged beside it, a supply center."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from projection import XY
from shapely.geometry.base import BaseGeometry

UNIT = 13.0
"""The half of a unit symbol."""
BURST = 20.5
"""The radius of what is drawn around a unit that is dislodged."""
CENTER = 5.0
"""The radius of a supply center's mark."""


def place_marks(shape: BaseGeometry, *, supply_center: bool, unit: XY | None = None) -> dict[str, XY]:
    """Find room in a province; `unit` is settled by hand where it is given."""
    spot = unit or _unit_place(shape)
    marks = {"unit": _place(*spot)}
    if supply_center:
        marks["supply_center"] = _place(*_center_place(shape, spot))
    marks["beside"] = _beside(shape, spot, marks.get("supply_center"))
    return marks


def grid_places(shape: BaseGeometry, most: int = 700) -> np.ndarray:
    """Places all over a shape, evenly."""
    left, top, right, bottom = shape.bounds
    step = max(1.5, float(np.sqrt(shape.area / most)))
    xs, ys = np.meshgrid(np.arange(left + step / 2, right, step), np.arange(top + step / 2, bottom, step))
    places = np.column_stack([xs.ravel(), ys.ravel()])
    return places[shapely.contains_xy(shape, places)]


def _place(x: float, y: float) -> XY:
    return round(float(x), 1), round(float(y), 1)


def _unit_place(shape: BaseGeometry) -> XY:
    """Find the place for the unit: not too near the border, and near the middle."""
    places, room = _rooms(shape)
    core = shapely.maximum_inscribed_circle(shape, tolerance=0.5)  # pyright: ignore[reportCallIssue, reportArgumentType]
    away = np.hypot(*(places - np.array(core.coords[0])).T)
    x, y = places[np.argmin(np.maximum(0, UNIT + 2 - room) ** 2 + away * 0.1)]
    return float(x), float(y)


def _center_place(shape: BaseGeometry, unit: XY) -> XY:
    """Find the place for the supply center: clear of a unit with a burst around it, and of the border."""
    places, room = _rooms(shape)
    away = np.hypot(*(places - np.array(unit)).T)
    cost = np.maximum(0, BURST + CENTER + 1 - away) ** 2 + np.maximum(0, CENTER + 2 - room) ** 2 + away * 0.2
    x, y = places[np.argmin(cost)]
    return float(x), float(y)


def _rooms(shape: BaseGeometry) -> tuple[Any, Any]:
    """Places all over a shape, and how far each is from the border."""
    places = grid_places(shape)
    return places, shapely.distance(shapely.points(places), shape.boundary)


def _beside(shape: BaseGeometry, unit: XY, center: XY | None) -> XY:
    """Where a dislodged unit is drawn: half behind the unit, to the side that has most room."""
    dot = shapely.Point(center).buffer(CENTER) if center else shapely.Point()
    best, least = unit, float("inf")
    for dx, dy in ((1, 0.6), (1, -0.6), (-1, 0.6), (-1, -0.6), (0, 1.1), (0, -1.1), (1.15, 0), (-1.15, 0)):
        x, y = unit[0] + dx * (UNIT - 1), unit[1] + dy * (UNIT - 1)
        symbol = shapely.box(x - 9, y - 9, x + 9, y + 9)
        cost = symbol.difference(shape).area + 1.5 * symbol.intersection(dot).area
        if not shape.contains(shapely.Point(x, y)):
            cost += 1000
        if cost < least - 1e-6:
            best, least = (x, y), cost
    return _place(*best)
