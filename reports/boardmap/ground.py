"""The ground of any map but the standard one: cells around its places, and the marks of its special rules.

A map with the provinces of the standard one is drawn on that, with lines for the borders that it has besides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, repeat
from typing import TypeAlias

from ...reference_engine import Board, standard_board
from ...reference_engine.routes import members
from .cells import Cells, Pair, crossings, is_between, make_cells, outline_path, smooth_path
from .geometry import Point, pair
from .layout import borders, has_layout, lay_out
from .mapdata import WHOLE_WIDTHS, Area, Geography, Link, Mark, Province, Style, half_size, split_name

_Square: TypeAlias = tuple[int, int]
"""The column and the row of a place in a grid."""

STEP = 8.0
"""How far from each other places for lettering are looked for."""
MOST_LETTERINGS = 24
"""Of the places for a code, or for a name, so many are kept, the best first."""
CENTER_AWAY = 21.0
"""How far from a unit the mark of a supply center is."""


def draw_ground(board: Board, standard: Geography) -> Geography:
    """Draw the map of a board; without any province where it has no places and cannot be laid out."""
    codes = [province.code for province in board.provinces]
    if set(codes) == standard.provinces.keys() and not board.drawn_at:
        return _on_standard(board, standard)
    places = board.drawn_at
    if not set(codes) <= places.keys():
        if not has_layout():
            return Geography((0, 0, 600, 60), {}, (), (), "")
        places = lay_out(board)
    closed = {name: places[name] for name in sorted(board.impassable & places.keys())}
    cells = make_cells({code: places[code] for code in codes}, borders(board), closed, WHOLE_WIDTHS)
    provinces = {code: _province(board, code, cells) for code in codes}
    edges = {each: smooth_path(edge) for each, edge in cells.borders.items()}
    shores = (smooth_path(part) for code in codes for part in cells.shores[code] if provinces[code].kind == "land")
    wet = (edge for each, edge in edges.items() if _is_coast(board, *each))
    return Geography(
        (0, 0, round(cells.width), round(cells.height)),
        provinces,
        tuple(Area(name, outline_path(outline)) for name, outline in cells.gaps.items()),
        tuple(_link(each, provinces) for each in cells.crossing),
        "".join(chain(wet, shores)),
        tuple(_marks(board, provinces, edges)),
    )


def _on_standard(board: Board, standard: Geography) -> Geography:
    added = sorted({*borders(board)} - {*borders(standard_board())})
    links = (*standard.links, *(_link(each, standard.provinces) for each in added))
    return standard._replace(links=links, marks=tuple(_marks(board, standard.provinces, {})))


def _link(each: Pair, provinces: dict[str, Province]) -> Link:
    """The line of a border that no two cells have, between the edges of the two units."""
    one, other = (provinces[code].unit for code in each)
    ahead, far = one.direction(other), one.distance(other) / 3
    room = min(16.0, far)
    ends = one.beside(ahead, room), other.beside(ahead, -room)
    return Link(each, f"M{pair(ends[0])}L{pair(ends[1])}")


def _is_coast(board: Board, one: str, other: str) -> bool:
    """Whether a border is a coast: one of land and sea, or of two provinces between which no army goes."""
    first, second = board.number[one], board.number[other]
    seas = [board.seas >> number & 1 for number in (first, second)]
    return not all(seas) and not board.army_borders[first] >> second & 1


def _province(board: Board, code: str, cells: Cells) -> Province:
    outline, unit = _corners(cells, code), cells.spots[code]
    known = board.provinces[board.number[code]]
    free = _grid(outline)
    center = None
    if code in board.supply_centers:
        center = _clear(free, unit, CENTER_AWAY, outline)
        free = [spot for spot in free if center.distance(spot) > 12]
    room = _with_room(free)
    names = [
        (spot.x, spot.y, 0, lines)
        for lines in range(1, 4)
        for spot in _rooms(room, split_name(known.name, lines), "sea" if known.terrain == "sea" else "land")
    ]
    codes = _rooms(room, (code,), "code")
    return Province(
        "sea" if known.terrain == "sea" else "land",
        outline_path(cells.outlines[code]),
        unit,
        tuple(sorted(codes, key=lambda spot: abs(spot.distance(unit) - 22))[:MOST_LETTERINGS] or (unit,)),
        tuple(sorted(names, key=lambda name: (name[3], Point(name[0], name[1]).distance(unit)))[:MOST_LETTERINGS]),
        _clear(free, unit, 14.0, outline),
        center,
        {coast: _coast(board, code, coast, cells) for coast in known.coasts},
    )


def _coast(board: Board, code: str, coast: str, cells: Cells) -> Point:
    """Where a fleet on a coast is: near the seas that it goes to from there."""
    location, unit = f"{code}/{coast}", cells.spots[code]
    reached = members(board.fleet_borders[board.number[location]])
    others = [cells.spots[board.provinces[number].code] for number in reached] or [unit]
    middle = Point(sum(spot.x for spot in others) / len(others), sum(spot.y for spot in others) / len(others))
    outline = _corners(cells, code)
    edge = _edge(outline)
    spots = [spot for spot in _grid(outline) if _room(spot, edge) > 9] or [unit]
    away = [spot for spot in spots if spot.distance(unit) > 18] or spots
    return min(away, key=lambda spot: spot.distance(middle))


def _corners(cells: Cells, code: str) -> list[Point]:
    return [point for part in cells.outlines[code] for point in part[1:]]


def _grid(outline: Sequence[Point]) -> list[Point]:
    columns = sorted(int(point.x // STEP) for point in outline)
    rows = sorted(int(point.y // STEP) for point in outline)
    crossed = [((row + 0.5) * STEP, crossings((row + 0.5) * STEP, outline)) for row in range(rows[0], rows[-1] + 1)]
    across = ((column + 0.5) * STEP for column in range(columns[0], columns[-1] + 1))
    return [Point(x, y) for x in across for y, places in crossed if is_between(x, places)]


def _edge(outline: Sequence[Point]) -> Sequence[Point]:
    """Give the corners of an outline, and the middles of its sides."""
    sides = zip(outline, (*outline[1:], outline[0]), strict=True)
    return [*outline, *(one.towards(other, 0.5) for one, other in sides)]


def _room(spot: Point, edge: Sequence[Point]) -> float:
    """How far a point is from an edge."""
    return min(map(math.dist, repeat(spot), edge))


def _clear(free: Iterable[Point], unit: Point, away: float, outline: Sequence[Point]) -> Point:
    """The point with most room around it, so far from a unit as can be, up to a distance."""
    edge = _edge(outline)
    return max(
        free,
        key=lambda spot: min(spot.distance(unit), away) * 2 + min(_room(spot, edge), 14) - spot.distance(unit) / 4,
        default=unit,
    )


def _rooms(free: Mapping[_Square, tuple[Point, int]], lines: tuple[str, ...], style: Style) -> list[Point]:
    """Where a text is among the free points of a grid, which are as `_with_room` gives them."""
    wide, high = half_size(lines, style)
    columns, rows = math.ceil(wide / STEP), math.ceil(high / STEP)
    broad = {square for square, (_, beside) in free.items() if beside >= columns}
    above = range(-rows, rows + 1)
    return [spot for (x, y), (spot, _) in free.items() if all((x, y + dy) in broad for dy in above)]


def _with_room(free: Sequence[Point]) -> Mapping[_Square, tuple[Point, int]]:
    """Give for each square of a grid that is free its point, and how many squares on both sides of it are free."""
    squares = {_square(spot): spot for spot in free}

    def beside(x: int, y: int) -> int:
        return next(n for n in count() if not {(x - n - 1, y), (x + n + 1, y)} <= squares.keys())

    return {square: (spot, beside(*square)) for square, spot in squares.items()}


def _square(spot: Point) -> _Square:
    return int(spot.x // STEP), int(spot.y // STEP)


def _marks(board: Board, provinces: dict[str, Province], edges: dict[Pair, str]) -> Iterator[Mark]:
    """What is special about the map."""
    for season, frozen in board.ice.items():
        for code in (board.provinces[number].code for number in members(frozen)):
            yield Mark("ice", f"{board.describe(code)}: ice in {season}", provinces[code].path)
    passages: dict[Pair, list[str]] = {}
    for kind, first, second in sorted(board.difficult):
        one, other = sorted((board.provinces[first].code, board.provinces[second].code))
        kinds = passages.setdefault((one, other), [])
        if first < second:
            kinds.append("armies" if kind == "A" else "fleets")
    for each, kinds in passages.items():
        title = f"Difficult passage for {' and '.join(kinds)}: {' and '.join(map(board.describe, each))}"
        yield Mark("difficult", title, edges.get(each) or _bar(*(provinces[code].unit for code in each)))
    if board.canal:
        ends = [provinces[board.provinces[sea].code].unit for sea in board.canal.seas]
        keeper = board.provinces[board.canal.keeper].code
        unit = provinces[keeper].unit
        way = (ends[0].towards(unit, 0.35), unit, ends[1].towards(unit, 0.35))
        yield Mark("canal", f"Canal, kept from {board.describe(keeper)}", smooth_path(way))
    if board.railway:
        stations = [provinces[board.provinces[number].code].unit for number in board.railway.line]
        title = f"Railway of {board.power_name(board.railway.power)}"
        yield Mark("railway", title, "M" + "L".join(map(pair, stations)))
    for code in (board.provinces[number].code for number in members(board.convoying & board.coastal)):
        title = f"A fleet in {board.describe(code)} can convoy"
        yield Mark("convoys", title, provinces[code].path)


def _bar(one: Point, other: Point) -> str:
    """A bar across the middle of the way between two places."""
    ahead, middle = one.direction(other), one.towards(other, 0.5)
    return f"M{pair(middle.beside(ahead, 0, 12))}L{pair(middle.beside(ahead, 0, -12))}"
