"""The lettering of a board: codes and full names, each where it is free of units, arrows and other lettering."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from xml.sax.saxutils import escape

from ...reference_engine import Board
from .geography import Window, geography_of
from .geometry import Curve, Point, number
from .mapdata import FACES, LEADING, Style, half_size, split_name

CELL = 3.0
"""The map is cut into squares of this size; what is drawn takes the squares that it touches."""
_ROW = 4096
"""The numbers of two squares of one column differ by less."""
CENTER_RADIUS = 5.5
"""The radius of a supply center's mark."""
LEADERS = (22.0, 27.0, 33.0)
"""How far from its unit the code of a province is put where it fits nowhere else."""
DIRECTIONS = 16


@dataclass(frozen=True)
class Label:
    """A text at a place on the map."""

    lines: tuple[str, ...]
    style: Style
    spot: Point
    turn: int = 0
    at_sea: bool = False

    @property
    def classes(self) -> str:
        return f"names {self.style}" + (" water" if self.at_sea and self.style == "code" else "")

    @property
    def _half_size(self) -> tuple[float, float]:
        """Half the width and half the height of the box, with room for what rounding moves."""
        half_width, half_height = half_size(self.lines, self.style)
        return half_width + 0.5, half_height + 0.5

    @cached_property
    def cells(self) -> frozenset[int]:
        half_width, half_height = self._half_size
        cos, sin = math.cos(math.radians(self.turn)), math.sin(math.radians(self.turn))
        room = CELL / 2 * (abs(cos) + abs(sin))
        left, top, right, bottom = self.box
        taken: set[int] = set()
        for column in range(int(left // CELL), int(right // CELL) + 1):
            for row in range(int(top // CELL), int(bottom // CELL) + 1):
                x, y = (column + 0.5) * CELL - self.spot.x, (row + 0.5) * CELL - self.spot.y
                along, across = abs(x * cos + y * sin), abs(y * cos - x * sin)
                if along < half_width + room and across < half_height + room:
                    taken.add(column * _ROW + row)
        return frozenset(taken)

    @cached_property
    def box(self) -> tuple[float, float, float, float]:
        """The upright box around it: its left, top, right and bottom edge."""
        half_width, half_height = self._half_size
        cos, sin = abs(math.cos(math.radians(self.turn))), abs(math.sin(math.radians(self.turn)))
        x, y = half_width * cos + half_height * sin, half_width * sin + half_height * cos
        return self.spot.x - x, self.spot.y - y, self.spot.x + x, self.spot.y + y

    @cached_property
    def svg(self) -> str:
        x, height = number(self.spot.x), FACES[self.style].size * LEADING
        first = self.spot.y + (FACES[self.style].size * 0.35 - height * (len(self.lines) - 1) / 2)
        place = f' transform="rotate({self.turn} {x} {number(self.spot.y)})"' if self.turn else ""
        if len(self.lines) == 1:
            return f'<text x="{x}" y="{first:.0f}"{place}>{escape(self.lines[0])}</text>'
        spans = [
            f'<tspan x="{x}" y="{first + index * height:.0f}">{escape(line)}</tspan>'
            for index, line in enumerate(self.lines)
        ]
        return f"<text{place}>{''.join(spans)}</text>"


class Obstacles:
    """The squares of the map that are taken."""

    def __init__(self) -> None:
        self.symbols: set[int] = set()
        """Those of units, of what is drawn around them, and of supply centers."""
        self.lines: set[int] = set()
        """Those of arrows and other lines."""

    def add_disc(self, spot: Point, radius: float) -> None:
        self.symbols |= _disc(spot, radius)

    def add_curve(self, curve: Curve) -> None:
        for (x, y), end in pairwise(curve.samples):
            steps = max(1, math.ceil(math.hypot(end.x - x, end.y - y) / CELL))
            dx, dy = (end.x - x) / steps / CELL, (end.y - y) / steps / CELL
            column, row = x / CELL, y / CELL
            self.lines.update(int(column + dx * n) * _ROW + int(row + dy * n) for n in range(steps))

    def free(self, labels: Iterable[Label], window: Window, *, crossing: bool = False) -> Label | None:
        """Find the first label that is inside a window and free of everything, or of all but lines."""
        right, bottom = window.x + window.width, window.y + window.height
        for label in labels:
            left, top, to_right, to_bottom = label.box
            inside = window.x <= left and window.y <= top and to_right <= right and to_bottom <= bottom
            if inside and self.symbols.isdisjoint(label.cells) and (crossing or self.lines.isdisjoint(label.cells)):
                return label
        return None


def place_labels(board: Board, obstacles: Obstacles, window: Window, in_play: Mapping[str, Point]) -> Iterator[Label]:
    """Letter the provinces in a window: those in play first, each of them in any case if there is room around it.

    `in_play` has the spot of the unit of each province in play. A province gets its full name where that fits along
    it, and else its code.
    """
    provinces = geography_of(board).provinces
    for province in provinces.values():
        if province.supply_center:
            obstacles.add_disc(province.supply_center, CENTER_RADIUS)
    first = sorted(in_play.keys() & provinces.keys())
    for code in dict.fromkeys([*first, *provinces]):
        if code not in in_play and not _reaches(board, code, window):
            continue
        names, codes, coasts = _lettering(board, code)
        label = obstacles.free(chain(names, codes), window)
        if label is None and code in in_play:
            # The code near the unit, if need be across a line.
            around = _around(board, code, in_play[code])
            label = obstacles.free(around, window) or obstacles.free(chain(codes, around), window, crossing=True)
        for each in chain([label], (obstacles.free(places, window) for places in coasts)):
            if each is not None:
                obstacles.symbols |= each.cells
                yield each


@lru_cache(maxsize=256)
def _around(board: Board, code: str, unit: Point) -> tuple[Label, ...]:
    at_sea = geography_of(board).provinces[code].kind == "sea"
    half_width, half_height = half_size((code,), "code")
    turns = [2 * math.pi * step / DIRECTIONS for step in range(DIRECTIONS)]
    spots = [
        Point(unit.x + math.cos(turn) * (away + half_width * 0.7), unit.y + math.sin(turn) * (away + half_height / 2))
        for away in LEADERS
        for turn in turns
    ]
    return tuple(Label((code,), "code", spot, at_sea=at_sea) for spot in spots)


@lru_cache(maxsize=1024)
def _lettering(board: Board, code: str) -> tuple[list[Label], list[Label], list[list[Label]]]:
    """The places that would do for the name, the code and each coast of a province, the best of each first."""
    province = geography_of(board).provinces[code]
    name, at_sea = board.describe(code), province.kind == "sea"
    near = ((0, 0), (0, -22), (24, 0), (-24, 0), (0, 22))  # Where a fleet stands on the coast, and next to that.
    coasts = [
        [Label((f"({coast.lower()})",), "coast", Point(spot.x + x, spot.y + y)) for x, y in near]
        for coast, spot in province.coasts.items()
    ]
    names = [
        Label(split_name(name, lines), province.kind, Point(x, y), turn, at_sea) for x, y, turn, lines in province.names
    ]
    return names, [Label((code,), "code", spot, 0, at_sea) for spot in province.codes], coasts


def _reaches(board: Board, code: str, window: Window) -> bool:
    """Whether some lettering of a province may be inside a window."""
    left, top, right, bottom = _reach(board, code)
    is_beside = right < window.x or left > window.x + window.width
    return not is_beside and bottom >= window.y and top <= window.y + window.height


@lru_cache(maxsize=1024)
def _reach(board: Board, code: str) -> tuple[float, float, float, float]:
    """Return the box around all places of the lettering of a province, as `Label.box`."""
    names, codes, coasts = _lettering(board, code)
    lefts, tops, rights, bottoms = zip(*(label.box for label in chain(names, codes, *coasts)), strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


@lru_cache(maxsize=1024)
def _disc(spot: Point, radius: float) -> frozenset[int]:
    reach = radius + CELL * 0.71
    return frozenset(
        column * _ROW + row
        for column in range(int((spot.x - reach) // CELL), int((spot.x + reach) // CELL) + 1)
        for row in range(int((spot.y - reach) // CELL), int((spot.y + reach) // CELL) + 1)
        if math.hypot((column + 0.5) * CELL - spot.x, (row + 0.5) * CELL - spot.y) <= reach
    )
