# pyright: basic, reportMissingTypeStubs=false
# Shapely brings no types.
"""Finds room in each province for what stands in it: a unit, one dislodged beside it, the code, a supply center."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from projection import XY
from shapely.geometry.base import BaseGeometry

UNIT = 11.0
"""The half of a unit symbol."""
CODE = (11.0, 5.0)
"""The half of a code's box."""
CENTER = 3.6
"""The radius of a supply center's mark."""
GAP = 2.0


def place_marks(
    shape: BaseGeometry, *, supply_center: bool, unit: XY | None = None, label: XY | None = None
) -> dict[str, XY]:
    """Find room in a province; `unit` and `label` are settled by hand where they are given."""
    half_width = CODE[0] + (CENTER + GAP / 2 if supply_center else 0.0)
    units, rooms = _unit_places(shape, unit)
    groups, costs = _label_places(shape, half_width, label)
    apart_x = np.abs(units[:, None, 0] - groups[None, :, 0]) - (UNIT + GAP + half_width)
    apart_y = np.abs(units[:, None, 1] - groups[None, :, 1]) - (UNIT + GAP + CODE[1])
    collide = np.minimum(apart_x, 0) * np.minimum(apart_y, 0)
    distance = np.hypot(units[:, None, 0] - groups[None, :, 0], units[:, None, 1] - groups[None, :, 1])
    total = rooms[:, None] + costs[None, :] + collide * 2 + distance * 0.12
    best_unit, best_group = np.unravel_index(np.argmin(total), total.shape)
    (ux, uy), (gx, gy) = units[best_unit], groups[best_group]
    marks = {"unit": _place(ux, uy), "label": _place(gx, gy)}
    if supply_center:
        marks["label"] = _place(gx + CENTER + GAP / 2, gy)
        marks["supply_center"] = _place(gx - CODE[0] - GAP / 2, gy)
    marks["beside"] = _beside(shape, (ux, uy), (gx, gy), half_width)
    return marks


def _place(x: float, y: float) -> XY:
    return round(float(x), 1), round(float(y), 1)


def _grid(shape: BaseGeometry, most: int = 700) -> np.ndarray:
    """Places all over a shape, evenly."""
    left, top, right, bottom = shape.bounds
    step = max(1.5, float(np.sqrt(shape.area / most)))
    xs, ys = np.meshgrid(np.arange(left + step / 2, right, step), np.arange(top + step / 2, bottom, step))
    places = np.column_stack([xs.ravel(), ys.ravel()])
    return places[shapely.contains_xy(shape, places)]


def _unit_places(shape: BaseGeometry, settled: XY | None) -> tuple[Any, Any]:
    """Places for the unit, and how bad each is: too near the border, or far from the middle."""
    if settled is not None:
        return np.array([settled]), np.zeros(1)
    places = _grid(shape)
    room = shapely.distance(shapely.points(places), shape.boundary)
    core = shapely.maximum_inscribed_circle(shape, tolerance=0.5)  # pyright: ignore[reportCallIssue, reportArgumentType]
    middle = np.array(core.coords[0])
    away = np.hypot(*(places - middle).T)
    return places, np.maximum(0, UNIT + 4 - room) ** 2 + away * 0.1


def _label_places(shape: BaseGeometry, half_width: float, settled: XY | None) -> tuple[Any, Any]:
    """Places for the code and the supply center's mark, and how bad each is: how much of the box is outside."""
    if settled is not None:
        return np.array([settled]), np.zeros(1)
    places = _grid(shape)
    x, y = places.T
    boxes = shapely.box(x - half_width - 1, y - CODE[1] - 1, x + half_width + 1, y + CODE[1] + 1)
    outside = 1 - shapely.area(shapely.intersection(boxes, shape)) / shapely.area(boxes)
    return places, outside * 90


def _beside(shape: BaseGeometry, unit: XY, group: XY, half_width: float) -> XY:
    """Where a dislodged unit is drawn: half behind the unit, to the side that has most room."""
    best, least = unit, float("inf")
    for dx, dy in ((1, 0.6), (1, -0.6), (-1, 0.6), (-1, -0.6), (0, 1.1), (0, -1.1), (1.15, 0), (-1.15, 0)):
        x, y = unit[0] + dx * (UNIT + 1), unit[1] + dy * (UNIT + 1)
        symbol = shapely.box(x - 9, y - 9, x + 9, y + 9)
        code = shapely.box(group[0] - half_width, group[1] - CODE[1], group[0] + half_width, group[1] + CODE[1])
        cost = symbol.difference(shape).area + 1.5 * symbol.intersection(code).area
        if not shape.contains(shapely.Point(x, y)):
            cost += 1000
        if cost < least - 1e-6:
            best, least = (x, y), cost
    return _place(*best)
