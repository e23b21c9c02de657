"""Orders that lead somewhere as lines: moves and retreats as arrows, supports and convoys to what they help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from ...reference_engine import Convoy, Move, Retreat, SupportHold, SupportMove, province_code
from .canvas import (
    TIP_RADIUS,
    UNIT_RADIUS,
    Arrow,
    Candidate,
    Canvas,
    Line,
    Sketch,
    State,
    bar,
    cross,
    head,
    joint,
    state_of,
    waves,
)
from .geometry import Curve, Point, bent, loop, pair, smooth, straight
from .scenes import DrawnOrder, Routes, find_routes

SHORT = 48.0
"""Between neighbours this near an arrow bends aside, or there would be nothing to see of it."""
LOOP = 52.0
"""The reach of the arrow of a unit that is ordered to where it is."""
OPPOSITE = 0.17
"""How far two arrows against each other bend aside, of their length."""
JOINTS = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)
"""Where on an arrow a support may end, the best place first: the share of the arrow that is behind."""
BENDS = (0.0, 7.0, -7.0, 14.0, -14.0, 24.0, -24.0)
WAVE = 5.0
"""Half the length of a wave of the line of a convoy."""


class _Way(NamedTuple):
    """A move that can be drawn."""

    order: DrawnOrder
    origin: str
    target: str
    start: Point
    end: Point
    routes: Routes

    @property
    def seas(self) -> tuple[str, ...]:
        """The seas that it goes over."""
        return self.routes.way


def sketch_moves(canvas: Canvas) -> Iterator[Sketch]:
    """Draw the moves: those by convoy first, since their way is given."""
    ways = list(_ways(canvas))
    aimed_at = Counter(way.target for way in ways)
    pairs = {(way.origin, way.target) for way in ways}
    for way in sorted(ways, key=lambda way: (not way.seas, way.start.distance(way.end))):
        crowded = aimed_at[way.target] > 1 or way.order.outcome == "fails" or canvas.places.is_occupied(way.target)
        opposed = (way.target, way.origin) in pairs
        candidates = _curves(canvas, way, TIP_RADIUS if crowded else 5.0, opposed=opposed)
        curve = canvas.clutter.choose(candidates, (way.start, way.end, *_spots(canvas, way.seas)))
        _ = canvas.arrows.setdefault((way.origin, way.target), Arrow(curve, way.routes, way.order))
        state = state_of(way.order)
        yield Sketch("move", state, arrow_lines(state, curve), way.order)


def sketch_retreats(canvas: Canvas) -> Iterator[Sketch]:
    """Draw where dislodged units are ordered to retreat to, and where else they may."""
    ordered: set[tuple[str, str]] = set()
    for given, order in canvas.orders(Retreat):
        start, end = canvas.places.dislodged_unit(order.unit.location), canvas.places.target(order.to)
        if start is None or end is None or start == end:
            continue
        ordered.add((province_code(order.unit.location), order.to))
        radius = TIP_RADIUS if given.outcome == "fails" or canvas.places.is_occupied(order.to) else 5.0
        state = state_of(given)
        yield Sketch("ret", state, arrow_lines(state, _retreat(canvas, start, end, radius)), given)
    for entry, start in canvas.places.dislodged:
        for to in entry.retreats:
            end = canvas.places.spot(to)
            if end is not None and end != start and (province_code(entry.unit.location), to) not in ordered:
                curve = _retreat(canvas, start, end, TIP_RADIUS - 4)
                yield Sketch("may", "", _pointed(curve, 7, 3.4))


def sketch_supports(canvas: Canvas) -> Iterator[Sketch]:
    """Draw the supports: to the arrow, or to the unit that they hold in place."""
    for given, order in canvas.orders(SupportHold, SupportMove):
        start, helped = canvas.places.unit(order.unit.location), canvas.places.unit(order.supported.location)
        if start is None or helped is None:
            continue
        if isinstance(order, SupportHold):
            yield _support(given, _to_unit(canvas, start, helped))
            continue
        arrow, ghost = _helped_arrow(canvas, order.supported.location, order.to)
        if arrow is not None:
            yield _support(given, _to_arrow(canvas, start, arrow), ghost)


def sketch_convoys(canvas: Canvas) -> Iterator[Sketch]:
    """Draw the convoys: waves under a fleet on a route of its army, a wavy line to the army's arrow from any other.

    A route that was broken, while the army went by another one, is a dotted line of its own.
    """
    for arrow in canvas.arrows.values():
        if arrow.routes.broken:
            yield _broken_route(canvas, arrow)
    for given, order in canvas.orders(Convoy):
        start = canvas.places.unit(order.unit.location)
        arrow, ghost = _helped_arrow(canvas, order.convoyed.location, order.to)
        if start is None or arrow is None:
            continue
        state = state_of(given)
        if province_code(order.unit.location) in (*arrow.routes.way, *arrow.routes.broken):
            yield Sketch("con", state, (waves(start),), given)
            continue
        curve = straight(start, arrow.curve.at(_nearest(arrow.curve, start))).outside(UNIT_RADIUS + 2, 0)
        canvas.clutter.add(curve)
        mark = (cross(curve.at(0.5), 3.2),) if state else ()
        yield Sketch("con", state, (*ghost, Line("", _wavy(curve)), joint(curve.end), *mark), given, curve.end)


def _broken_route(canvas: Canvas, arrow: Arrow) -> Sketch:
    seas = _spots(canvas, arrow.routes.broken)
    curve = smooth((arrow.curve.start, *seas, arrow.curve.end)).outside(2, UNIT_RADIUS)
    canvas.clutter.add(curve)
    return Sketch(
        "con", "no", (Line("g", curve.data()), cross(seas[0].towards(arrow.curve.start, 0.5), 3.6)), arrow.order
    )


def arrow_lines(state: State, curve: Curve) -> tuple[Line, ...]:
    """The line and the head of an arrow, and what shows that it got nowhere."""
    lines = _pointed(curve)
    if state == "no":
        return (*lines, bar(curve.end, curve.direction(1)))
    return (*lines, cross(curve.at(0.5), 3.2)) if state == "void" else lines


def support_lines(state: State, curve: Curve) -> tuple[Line, ...]:
    """The line of a support: broken where it is cut, marked where it was never one to follow."""
    if state == "no":
        broken = (Line("", curve.within(0, 0.36).data()), Line("", curve.within(0.64, 1).data()))
        return (*broken, cross(curve.at(0.5), 3.6))
    return (Line("", curve.data()), cross(curve.at(0.5), 3.2)) if state else (Line("", curve.data()),)


def _pointed(curve: Curve, length: float = 9, width: float = 4.6) -> tuple[Line, ...]:
    body = curve.without_end(min(length - 2, curve.length / 2))
    return Line("", body.data()), head(curve.end, body.end.direction(curve.end), length, width)


def _retreat(canvas: Canvas, start: Point, end: Point, radius: float) -> Curve:
    return canvas.clutter.choose(_bent(start, end, (0, 8, -8, 18, -18), radius, ease=4), (start, end))


def _bent(
    start: Point, end: Point, bends: Iterable[float], radius: float, *, dislike: float = 0, ease: float = 3
) -> list[Candidate]:
    """Lines from the edge of a unit to so near their end; the more one bends aside, the less it is liked."""
    return [
        Candidate(dislike + abs(aside) / ease, partial(_trimmed, partial(bent, start, end, aside), radius))
        for aside in bends
    ]


def _trimmed(make: Callable[[], Curve], radius: float) -> Curve:
    return make().outside(UNIT_RADIUS, radius)


def _ways(canvas: Canvas) -> Iterator[_Way]:
    seen: set[tuple[str, str, str]] = set()
    for given, order in canvas.orders(Move):
        start, end = canvas.places.unit(order.unit.location), canvas.places.target(order.to)
        origin, target = province_code(order.unit.location), province_code(order.to)
        key = (order.unit.location, order.to, state_of(given))
        if start is None or end is None or key in seen:
            continue
        if start == end:
            # From one coast of a province to the other.
            end = canvas.places.spot(order.to) or end
        seen.add(key)
        yield _Way(given, origin, target, start, end, _routes(canvas, given, order))


def _curves(canvas: Canvas, way: _Way, radius: float, *, opposed: bool) -> list[Candidate]:
    """The ways that the arrow could take, and how little each is liked."""
    if way.seas:
        curve = smooth((way.start, *_spots(canvas, way.seas), way.end))
        return [Candidate(0.0, partial(curve.outside, UNIT_RADIUS, radius))]
    if way.start == way.end:
        return [Candidate(0.0, partial(loop(way.start, LOOP).outside, UNIT_RADIUS, radius))]
    distance = way.start.distance(way.end)
    bends: Sequence[float] = (0.0, 9.0, -9.0, 18.0, -18.0, 30.0, -30.0)
    if distance < SHORT:
        bends = (10.0, -10.0, 16.0, -16.0)
    if opposed:
        least = max(9.0, min(22.0, distance * OPPOSITE))
        bends = (least, least + 7, least + 16)
    return _bent(way.start, way.end, bends, radius)


def _spots(canvas: Canvas, seas: Iterable[str]) -> tuple[Point, ...]:
    return tuple(spot for sea in seas if (spot := canvas.places.unit(sea)) is not None)


def _routes(canvas: Canvas, given: DrawnOrder, order: Move) -> Routes:
    """The routes of an army that goes by convoy. Fleets that make no chain come each after the nearest before it."""
    routes = find_routes(canvas.scene, given, order)
    return routes._replace(way=_by_nearness(canvas, province_code(order.unit.location), routes))


def _by_nearness(canvas: Canvas, origin: str, routes: Routes) -> tuple[str, ...]:
    if routes.is_chain:
        return routes.way
    chain: list[str] = []
    left = list(routes.way)
    here = canvas.places.unit(origin)
    while left and here is not None:
        at = here
        nearest = min(left, key=lambda sea: at.distance(canvas.places.unit(sea) or at))
        left.remove(nearest)
        chain.append(nearest)
        here = canvas.places.unit(nearest)
    return tuple(chain)


def _support(given: DrawnOrder, curve: Curve, ghost: tuple[Line, ...] = ()) -> Sketch:
    state = state_of(given)
    return Sketch("sup", state, (*ghost, *support_lines(state, curve), joint(curve.end)), given, curve.end)


def _to_unit(canvas: Canvas, start: Point, helped: Point) -> Curve:
    if start == helped:
        return loop(start, LOOP).outside(UNIT_RADIUS, TIP_RADIUS + 1)
    return canvas.clutter.choose(_bent(start, helped, BENDS, TIP_RADIUS + 1), (start, helped))


def _to_arrow(canvas: Canvas, start: Point, arrow: Arrow) -> Curve:
    """A line to somewhere near the middle of an arrow; on a long way over the sea, near the one who supports it."""
    candidates: list[Candidate] = []
    nearest = _nearest(arrow.curve, start) if arrow.routes.way else 0.5
    for rank, share in enumerate((nearest, *JOINTS) if arrow.routes.way else JOINTS):
        dislike = rank * 1.5 + (abs(share - nearest) * 60 if arrow.routes.way else 0)
        candidates += _bent(start, arrow.curve.at(share), BENDS, 0, dislike=dislike)
    return canvas.clutter.choose(candidates, (start,), joint=True)


def _helped_arrow(canvas: Canvas, origin: str, target: str) -> tuple[Arrow | None, tuple[Line, ...]]:
    """The arrow of a move that others help, or a faint one in its place where the unit was ordered otherwise."""
    arrow = canvas.arrows.get((province_code(origin), province_code(target)))
    if arrow is not None:
        return arrow, ()
    start, end = canvas.places.unit(origin), canvas.places.target(target)
    if start is None or end is None:
        return None, ()
    curve = (loop(start, LOOP) if start == end else straight(start, end)).outside(UNIT_RADIUS + 3, TIP_RADIUS)
    return Arrow(curve), (Line("g", curve.data()), head(curve.end, curve.direction(1), 6, 3))


def _nearest(curve: Curve, point: Point) -> float:
    """The share of a curve where it comes nearest to a point, not too near to its ends."""
    return min((step / 20 for step in range(6, 18)), key=lambda share: curve.at(share).distance(point))


def _wavy(line: Curve) -> str:
    count = max(1, round(line.length / WAVE / 2)) * 2
    direction = line.start.direction(line.end)
    step = line.length / count
    words = [f"M{pair(line.start)}Q{pair(line.start.beside(direction, step / 2, 4))} "]
    words.append("T".join(pair(line.start.beside(direction, step * (index + 1))) for index in range(count)))
    return "".join(words)
