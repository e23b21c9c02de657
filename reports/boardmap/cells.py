"""The ground of a map that has places: a cell around each place, which touches those cells that it borders on.

The places and the borders between them are a graph. Where its lines do not cross, a province has the part of each face
around its place: two cells share an edge if units pass between them, and otherwise not even a corner of a large face.
A border whose line crosses others is drawn as a line over them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from .geometry import Point, pair, turn
from .layout import without_crossings

Pair: TypeAlias = tuple[str, str]

SIDE = 115.0
"""The side of the square that a province takes on average, in units of the map."""
MARGIN = 46.0
"""How far a cell reaches beyond its place at the edge of the map."""
FEW_CORNERS = 6
"""In a face with fewer corners all its provinces meet in a point."""


class Cells(NamedTuple):
    """The ground, in units of the map from 0 on."""

    width: float
    height: float
    spots: Mapping[str, Point]
    """The places."""
    outlines: Mapping[str, Sequence[Sequence[Point]]]
    """The borders and shores of each cell in the direction of the clock, each from where the one before ends."""
    borders: Mapping[Pair, Sequence[Point]]
    """The common edge of two cells, by their codes in alphabetical order."""
    shores: Mapping[str, Sequence[Sequence[Point]]]
    """The parts of the edge of each cell at which nothing is."""
    crossing: Sequence[Pair]
    """The borders that no two cells have."""
    gaps: Mapping[str, Sequence[Sequence[Point]]]
    """The outlines of the faces with the places of spaces that no unit enters."""


def make_cells(
    places: Mapping[str, tuple[float, float]],
    pairs: Iterable[Pair],
    closed: Mapping[str, tuple[float, float]],
    widths: Sequence[float],
) -> Cells:
    """Make the cells of a map from its places, in any unit, its borders, and the places of impassable spaces.

    The map has one of some widths.
    """
    spots, holes, width, height = _scaled(places, closed, widths)
    kept, crossing = without_crossings(spots, sorted(pairs))
    ground = _Ground(spots, kept, holes)
    ground.fill()
    return Cells(width, height, spots, ground.outlines, ground.borders, ground.shores, crossing, ground.gaps)


def _scaled(
    places: Mapping[str, tuple[float, float]], closed: Mapping[str, tuple[float, float]], widths: Sequence[float]
) -> tuple[dict[str, Point], dict[str, Point], float, float]:
    xs, ys = [x for x, _ in places.values()], [y for _, y in places.values()]
    wide, high = max(max(xs) - min(xs), 1e-6), max(max(ys) - min(ys), 1e-6)
    least = SIDE * math.sqrt(len(places) / (wide * high)) if min(wide, high) > 1e-3 else SIDE / max(wide, high)
    edge = 2 * MARGIN + 12
    width = next((width for width in widths if width >= wide * least + edge), widths[-1])
    scale = (width - edge) / wide

    def spot(x: float, y: float) -> Point:
        return Point(round((x - min(xs)) * scale + edge / 2, 1), round((y - min(ys)) * scale + edge / 2, 1))

    found = {code: spot(*place) for code, place in sorted(places.items())}
    return found, {name: spot(*place) for name, place in closed.items()}, width, round(high * scale + edge)


def is_inside(spot: Point, outline: Sequence[Point]) -> bool:
    """Whether a point is inside an outline."""
    return is_between(spot.x, crossings(spot.y, outline))


def crossings(y: float, outline: Sequence[Point]) -> list[float]:
    """Where an outline crosses a line from left to right."""
    sides = zip(outline, (*outline[1:], outline[0]), strict=True)
    return [
        one.x + (y - one.y) / (other.y - one.y) * (other.x - one.x)
        for one, other in sides
        if (one.y > y) != (other.y > y)
    ]


def is_between(x: float, crossed: Sequence[float]) -> bool:
    """Whether a point of a line is inside an outline that crosses the line at these places."""
    return sum(x < each for each in crossed) % 2 == 1


def _cut(outline: Sequence[Point], one: Point, other: Point) -> list[Point]:
    """The part of a convex or simple outline that is to the right of a line."""
    part: list[Point] = []
    for here, after in zip(outline, (*outline[1:], *outline[:1]), strict=True):
        side, next_side = turn(one, other, here), turn(one, other, after)
        if side >= 0:
            part.append(here)
        if side * next_side < 0:
            part.append(here.towards(after, side / (side - next_side)))
    return part


def _middle(points: Sequence[Point]) -> Point:
    x, y = (sum(point[axis] for point in points) / len(points) for axis in (0, 1))
    return Point(round(x, 1), round(y, 1))


@dataclass
class _Ground:
    """The cells while they are made."""

    spots: Mapping[str, Point]
    kept: Sequence[Pair]
    holes: Mapping[str, Point]
    outlines: dict[str, list[list[Point]]] = field(default_factory=dict[str, "list[list[Point]]"])
    borders: dict[Pair, list[Point]] = field(default_factory=dict[Pair, "list[Point]"])
    shores: dict[str, list[list[Point]]] = field(default_factory=dict[str, "list[list[Point]]"])
    gaps: dict[str, list[list[Point]]] = field(default_factory=dict[str, "list[list[Point]]"])

    def fill(self) -> None:
        around = self._around()
        faces = _faces(around)
        # The part of a face beside the line from one place to another: what follows the middle of the line.
        inner: dict[Pair, list[Point]] = {}
        shore: dict[Pair, list[Point]] = {}
        for face in faces:
            corners = [self.spots[code] for code in face]
            center = self._center(corners)
            if center is not None:
                inner |= {each: [center] for each in zip(face, (*face[1:], face[0]), strict=True)}
                continue
            reach = self._reach(corners)
            offsets: dict[Pair, Point] = {}
            for index, code in enumerate(face):
                offsets[code, face[(index + 1) % len(face)]] = self._offset(corners, index, reach)
            for index, code in enumerate(face):
                after, before = face[(index + 1) % len(face)], face[index - 1]
                shore[code, after] = self._shore(corners, index, offsets[before, code], offsets[code, after], reach)
            inner |= {each: [offsets[each]] for each in offsets}
            for name, spot in self.holes.items():
                if is_inside(spot, corners):
                    self.gaps[name] = [shore[each] for each in zip(face, (*face[1:], face[0]), strict=True)]
        for code, others in around.items():
            self._cell(code, others, inner, shore)

    def _around(self) -> dict[str, list[str]]:
        """The neighbours of each place in the direction of the clock."""
        around: dict[str, list[str]] = {code: [] for code in self.spots}
        for one, other in self.kept:
            around[one].append(other)
            around[other].append(one)
        for code, others in around.items():
            here = self.spots[code]
            others.sort(key=lambda other: math.atan2(self.spots[other].y - here.y, self.spots[other].x - here.x))
        return around

    def _center(self, corners: Sequence[Point]) -> Point | None:
        """Where the provinces around a face meet; `None` for a large face, or one around an impassable space."""
        if not 3 <= len(corners) < FEW_CORNERS or any(is_inside(spot, corners) for spot in self.holes.values()):
            return None
        sides = [*zip(corners, (*corners[1:], corners[0]), strict=True)]
        sees: list[Point] = [*corners]
        for one, other in sides:  # What sees all corners is to the right of every side.
            sees = _cut(sees, one, other)
        center = _middle(corners)
        if sees and not all(turn(center, one, other) > 0 for one, other in sides):
            center = _middle(sees)
        return center if sees else None

    def _reach(self, corners: Sequence[Point]) -> float:
        """How far cells reach into a face: all the way outside the map, and a part of one that has provinces around."""
        area = sum(turn(Point(0, 0), *side) for side in zip(corners, (*corners[1:], corners[0]), strict=True)) / 2
        return min(MARGIN, 0.3 * math.sqrt(area)) if area > 0 else MARGIN

    def _offset(self, corners: Sequence[Point], index: int, reach: float) -> Point:
        """Where the border between two corners of a face ends in it."""
        one, other = corners[index], corners[(index + 1) % len(corners)]
        ahead, half = one.direction(other), one.distance(other) / 2
        angles = (_angle(corners, index), _angle(corners, (index + 1) % len(corners)))
        sharp = [math.tan(angle / 2) * half * 0.8 for angle in angles if angle < math.pi * 0.9]
        return one.towards(other, 0.5).beside(ahead, 0, -min([reach, *sharp]))

    def _shore(self, corners: Sequence[Point], index: int, start: Point, end: Point, reach: float) -> list[Point]:
        """The edge of a cell in a face, from one border to the next."""
        here, angle = corners[index], _angle(corners, index)
        steps = int(angle / 0.7) - 1
        first = here.direction(corners[index - 1])
        points = [start]
        if angle > 1.9:
            for step in range(1, steps + 1):
                bearing = math.atan2(first.y, first.x) - angle * step / (steps + 1)
                points.append(Point(here.x + reach * math.cos(bearing), here.y + reach * math.sin(bearing)))
        return [*points, end]

    def _cell(
        self, code: str, others: Sequence[str], inner: Mapping[Pair, Sequence[Point]], shore: Mapping[Pair, list[Point]]
    ) -> None:
        """Put the outline of a cell together from its borders and its shores, in the direction of the clock."""
        here, parts = self.spots[code], list[list[Point]]()
        self.shores[code] = []
        for other in others:
            # The face beside the line out is on its right on the screen, that of the line back on its left.
            middle = here.towards(self.spots[other], 0.5)
            edge = [*inner[other, code], middle, *inner[code, other]]
            if code < other:
                self.borders[code, other] = edge
            parts.append(edge)
            if (code, other) in shore:
                part = shore[code, other][::-1]
                self.shores[code].append(part)
                parts.append(part)
        self.outlines[code] = parts


def _faces(around: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """The faces of a drawing, each in the direction of the clock; that outside the other way round."""
    left = {(one, other) for one, others in around.items() for other in others}
    for start in sorted(left):
        face: list[str] = []
        one, other = start
        while (one, other) in left:
            left.remove((one, other))
            face.append(one)
            others = around[other]
            one, other = other, others[others.index(one) - 1]
        if face:
            yield face


def _angle(corners: Sequence[Point], index: int) -> float:
    """The angle of a face at a corner, more than 0 and at most a full turn."""
    here, before, after = corners[index], corners[index - 1], corners[(index + 1) % len(corners)]
    one = math.atan2(before.y - here.y, before.x - here.x)
    other = math.atan2(after.y - here.y, after.x - here.x)
    return (one - other) % (2 * math.pi) or 2 * math.pi


def smooth_path(points: Sequence[Point]) -> str:
    """A curve from the first to the last of some points, bent towards those between; the same one backwards."""
    return f"M{pair(points[0])}{_curve(points)}"


def outline_path(parts: Sequence[Sequence[Point]]) -> str:
    """The closed path along parts of an outline, each a curve as `smooth_path` has it."""
    return f"M{pair(parts[0][0])}{''.join(map(_curve, parts))}z"


def _curve(points: Sequence[Point]) -> str:
    if len(points) == 2:
        return f"L{pair(points[1])}"
    ends = [*(one.towards(other, 0.5) for one, other in pairwise(points[1:-1])), points[-1]]
    return "".join(f"Q{pair(bend)} {pair(end)}" for bend, end in zip(points[1:-1], ends, strict=True))
