"""Moves and retreats as arrows."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from ...reference_engine import Convoy, Move, Retreat, province_code
from .clutter import Candidate
from .geometry import Curve, Point, bent, loop, smooth
from .scene import DrawnOrder
from .sketch import TIP_RADIUS, UNIT_RADIUS, Arrow, Canvas, Line, Sketch, bar, cross, head, state_of

HEAD = 7.0
"""How much of a line its arrowhead covers."""
SHORT = 48.0
"""Between neighbours this near an arrow bends aside, or there would be nothing to see of it."""
LOOP = 52.0
"""The reach of the arrow of a unit that is ordered to where it is."""
OPPOSITE = 0.17
"""How far two arrows against each other bend aside, of their length."""


class _Way(NamedTuple):
    """A move that can be drawn."""

    order: DrawnOrder
    origin: str
    target: str
    start: Point
    end: Point
    seas: tuple[str, ...]


def sketch_moves(canvas: Canvas) -> Iterator[Sketch]:
    """Draw the moves: those by convoy first, since their way is given."""
    ways = list(_ways(canvas))
    aimed_at = Counter(way.target for way in ways)
    pairs = {(way.origin, way.target) for way in ways}
    for way in sorted(ways, key=lambda way: (not way.seas, way.start.distance(way.end))):
        crowded = aimed_at[way.target] > 1 or way.order.outcome == "fails" or canvas.places.is_occupied(way.target)
        opposed = (way.target, way.origin) in pairs
        candidates = [
            Candidate(dislike, partial(_trimmed, make, TIP_RADIUS if crowded else 5.0))
            for dislike, make in _curves(canvas, way, opposed=opposed)
        ]
        curve = canvas.clutter.choose(candidates, (way.start, way.end, *_spots(canvas, way.seas)))
        _ = canvas.arrows.setdefault((way.origin, way.target), Arrow(curve, way.seas))
        yield Sketch("move", state_of(way.order), arrow_lines(way.order, curve), way.order)


def sketch_retreats(canvas: Canvas) -> Iterator[Sketch]:
    """Draw where dislodged units are ordered to retreat to, and where else they may."""
    ordered: set[tuple[str, str]] = set()
    for given in canvas.scene.orders:
        order = given.order
        if not isinstance(order, Retreat):
            continue
        start, end = canvas.places.dislodged_unit(order.unit.location), canvas.places.unit(order.to)
        if start is None or end is None or start == end:
            continue
        ordered.add((province_code(order.unit.location), order.to))
        radius = TIP_RADIUS if given.outcome == "fails" or canvas.places.is_occupied(order.to) else 5.0
        curve = _retreat(canvas, start, end, radius)
        yield Sketch("ret", state_of(given), arrow_lines(given, curve), given)
    for entry, start in canvas.places.dislodged:
        for to in entry.retreats:
            end = canvas.places.spot(to)
            if end is not None and end != start and (province_code(entry.unit.location), to) not in ordered:
                curve = _retreat(canvas, start, end, TIP_RADIUS - 4)
                yield Sketch("may", "", _pointed(curve, 7, 3.4))


def arrow_lines(order: DrawnOrder, curve: Curve) -> tuple[Line, ...]:
    """The line and the head of an arrow, and what shows that it got nowhere."""
    lines = _pointed(curve)
    state = state_of(order)
    if state == "no":
        return (*lines, bar(curve.end, curve.direction(1)))
    return (*lines, cross(curve.at(0.5), 3.2)) if state == "void" else lines


def is_adjacent(canvas: Canvas, origin: str, target: str) -> bool:
    """Whether two provinces touch, be it over land or at sea."""
    number = canvas.board.number
    return canvas.board.distances[number[origin]][number[target]] == 1


def _pointed(curve: Curve, length: float = 9, width: float = 4.6) -> tuple[Line, ...]:
    body = curve.without_end(min(length - 2, curve.length / 2))
    return Line("", body.data()), head(curve.end, body.end.direction(curve.end), length, width)


def _retreat(canvas: Canvas, start: Point, end: Point, radius: float) -> Curve:
    candidates = [
        Candidate(abs(aside) / 4, partial(_trimmed, partial(bent, start, end, aside), radius))
        for aside in (0, 8, -8, 18, -18)
    ]
    return canvas.clutter.choose(candidates, (start, end))


def _trimmed(make: Callable[[], Curve], radius: float) -> Curve:
    """A curve from the edge of a unit to so near its end."""
    return make().outside(UNIT_RADIUS, radius)


def _ways(canvas: Canvas) -> Iterator[_Way]:
    seen: set[tuple[str, str, str]] = set()
    for given in canvas.scene.orders:
        order = given.order
        if not isinstance(order, Move):
            continue
        start, end = canvas.places.unit(order.unit.location), canvas.places.unit(order.to)
        origin, target = province_code(order.unit.location), province_code(order.to)
        key = (order.unit.location, order.to, state_of(given))
        if start is None or end is None or key in seen:
            continue
        if start == end:
            # From one coast of a province to the other.
            end = canvas.places.spot(order.to) or end
        seen.add(key)
        yield _Way(given, origin, target, start, end, _seas(canvas, given, order))


def _curves(canvas: Canvas, way: _Way, *, opposed: bool) -> Iterable[Candidate]:
    """The ways that the arrow could take, and how little each is liked."""
    if way.seas:
        return [Candidate(0.0, partial(smooth, (way.start, *_spots(canvas, way.seas), way.end)))]
    if way.start == way.end:
        return [Candidate(0.0, partial(loop, way.start, LOOP))]
    distance = way.start.distance(way.end)
    bends: Sequence[float] = (0.0, 9.0, -9.0, 18.0, -18.0, 30.0, -30.0)
    if distance < SHORT:
        bends = (10.0, -10.0, 16.0, -16.0)
    if opposed:
        least = max(9.0, min(22.0, distance * OPPOSITE))
        bends = (least, least + 7, least + 16)
    return [Candidate(abs(aside) / 3, partial(bent, way.start, way.end, aside)) for aside in bends]


def _spots(canvas: Canvas, seas: Iterable[str]) -> tuple[Point, ...]:
    return tuple(spot for sea in seas if (spot := canvas.places.unit(sea)) is not None)


def _seas(canvas: Canvas, given: DrawnOrder, order: Move) -> tuple[str, ...]:
    """The seas that an army goes over, if it goes by convoy: the shortest route that is ordered, as far as it leads."""
    origin, target = province_code(order.unit.location), province_code(order.to)
    fleets = _convoying(canvas, origin, target)
    if not fleets or (order.unit.type or "A") == "F" or origin == target:
        return ()
    route = _route(canvas, origin, target, fleets)
    number = canvas.board.number
    by_land = canvas.board.army_borders[number[origin]] >> number[target] & 1
    if by_land and not (route and (order.via_convoy or order.path or given.power in map(fleets.get, route))):
        return ()
    return route or _by_nearness(canvas, origin, fleets)


def _convoying(canvas: Canvas, origin: str, target: str) -> Mapping[str, str]:
    """The seas with a fleet that is ordered to convoy from one province to the other, and whose it is."""
    standing = {province_code(unit.location): unit.power for unit, _ in canvas.places.units if unit.type == "F"}
    seas = canvas.board.seas
    return {
        sea: standing[sea]
        for _, order, *_ in canvas.scene.orders
        if isinstance(order, Convoy)
        and (province_code(order.convoyed.location), province_code(order.to)) == (origin, target)
        and (sea := province_code(order.unit.location)) in standing
        and seas >> canvas.board.number[sea] & 1
    }


def _route(canvas: Canvas, origin: str, target: str, fleets: Iterable[str]) -> tuple[str, ...]:
    """The shortest chain of fleets between two provinces; none where there is no chain."""
    queue: deque[tuple[str, ...]] = deque([()])
    left = list(fleets)
    while queue:
        chain = queue.popleft()
        here = chain[-1] if chain else origin
        if chain and is_adjacent(canvas, here, target):
            return chain
        for sea in [sea for sea in left if is_adjacent(canvas, here, sea)]:
            left.remove(sea)
            queue.append((*chain, sea))
    return ()


def _by_nearness(canvas: Canvas, origin: str, fleets: Iterable[str]) -> tuple[str, ...]:
    """Fleets that make no chain, each the nearest to the one before."""
    chain: list[str] = []
    left = list(fleets)
    here = canvas.places.unit(origin)
    while left and here is not None:
        at = here
        nearest = min(left, key=lambda sea: at.distance(canvas.places.unit(sea) or at))
        left.remove(nearest)
        chain.append(nearest)
        here = canvas.places.unit(nearest)
    return tuple(chain)
