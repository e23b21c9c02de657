# pyright: basic, reportMissingTypeStubs=false
# Shapely brings no types.
"""Finds places for the lettering of each province: its code, and its full name along the land or the water."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import shapely
from marks import CENTER, grid_places
from projection import XY
from shapely.affinity import rotate, translate
from shapely.geometry.base import BaseGeometry

from datc.reports.boardmap.mapdata import Style, half_size, split_name

TURNS = (0, -12, 12, -24, 24, -36, 36, -50, 50, -65, 65, -80, 80)
"""How far a name is turned, in degrees, clockwise."""
MOST_NAMES = 12
MOST_CODES = 16
EDGE = 1.0
"""How far a name stays from the border of its province."""
OUTSIDE = 0.65
"""How much of a code may lie outside of its province."""
UNIT_ROOM = 20.0
"""The radius around a unit that most of the places keep out of."""


class Place(NamedTuple):
    """A place that would do for some lettering, and how little it is liked."""

    dislike: float
    x: float
    y: float
    turn: int
    lines: int


def place_labels(
    shape: BaseGeometry, name: str, code: str, unit: XY, center: XY | None, *, at_sea: bool
) -> dict[str, Any]:
    """Find places for the code and for the name of a province, the best of each first."""
    taken = shapely.Point(unit).buffer(UNIT_ROOM)
    dot = shapely.Point(center).buffer(CENTER + 2) if center else shapely.Point()
    apart = max(9.0, float(np.sqrt(shape.area)) * 0.09)
    names = _spread(_name_places(shape, name, taken, dot, "sea" if at_sea else "land"), MOST_NAMES, apart)
    codes = _spread(_code_places(shape, code, taken, dot), MOST_CODES, apart)
    return {
        "codes": [[round(place.x), round(place.y)] for place in codes],
        "names": [[round(place.x), round(place.y), place.turn, place.lines] for place in names],
    }


def _name_places(
    shape: BaseGeometry, name: str, taken: BaseGeometry, dot: BaseGeometry, style: Style
) -> Iterable[Place]:
    """Find the places where the whole name is inside."""
    room = shape.buffer(-EDGE).difference(dot)
    shapely.prepare(room)
    places = grid_places(shape, 260)
    middle = np.array(shape.centroid.coords[0])
    arrangements = {lines: count + 1 for count in reversed(range(3)) for lines in [split_name(name, count + 1)]}
    for lines, count in arrangements.items():
        width, height = half_size(lines, style)
        for turn in TURNS:
            box = rotate(shapely.box(-width, -height, width, height), turn, origin=(0, 0))
            boxes = [translate(box, x, y) for x, y in places]
            inside = shapely.contains_properly(room, boxes)
            for (x, y), fits, each in zip(places, inside, boxes, strict=True):
                if fits:
                    away = float(np.hypot(x - middle[0], y - middle[1]))
                    occupied = 60 if each.intersects(taken) else 0
                    yield Place(away * 0.25 + abs(turn) * 0.5 + (count - 1) * 12 + occupied, x, y, turn, count)


def _code_places(shape: BaseGeometry, code: str, taken: BaseGeometry, dot: BaseGeometry) -> Iterable[Place]:
    """Find the places where most of the code is inside; those where all of it is come first."""
    width, height = half_size((code,), "code")
    shapely.prepare(taken)
    near = shape.buffer(width * 0.7)
    middle = np.array(shape.centroid.coords[0])
    for x, y in grid_places(near, 420):
        box = shapely.box(x - width, y - height, x + width, y + height)
        outside = 1 - box.intersection(shape).area / box.area
        if outside > OUTSIDE or box.intersects(dot):
            continue
        away = float(np.hypot(x - middle[0], y - middle[1]))
        yield Place(outside * 120 + away * 0.15 + (25 if box.intersects(taken) else 0), x, y, 0, 1)


def _spread(places: Iterable[Place], most: int, apart: float) -> Sequence[Place]:
    """Choose some of the best places that are so far from each other, or that differ in their turn or their lines."""
    chosen: list[Place] = []
    for place in sorted(places):
        if all(_differ(place, other, apart) for other in chosen):
            chosen.append(place)
            if len(chosen) == most:
                break
    return chosen


def _differ(one: Place, other: Place, apart: float) -> bool:
    alike = one.lines == other.lines and abs(one.turn - other.turn) < 20
    return float(np.hypot(one.x - other.x, one.y - other.y)) > (apart if alike else apart / 2)
