"""Supports and convoys: lines from the unit that helps to what it helps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ...reference_engine import Convoy, SupportHold, SupportMove, province_code
from .arrows import LOOP
from .clutter import Candidate
from .geometry import Curve, Point, bent, loop, pair, straight
from .scene import DrawnOrder
from .sketch import TIP_RADIUS, UNIT_RADIUS, Arrow, Canvas, Line, Sketch, State, cross, head, state_of

JOINTS = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)
"""Where on an arrow a support may end, the best place first: the share of the arrow that is behind."""
BENDS = (0.0, 7.0, -7.0, 14.0, -14.0, 24.0, -24.0)
WAVE = 5.0
"""Half the length of a wave of the line of a convoy."""


def sketch_supports(canvas: Canvas) -> Iterator[Sketch]:
    """Draw the supports: to the arrow, or to the unit that they hold in place."""
    for given in canvas.scene.orders:
        order = given.order
        if not isinstance(order, (SupportHold, SupportMove)):
            continue
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
    """Draw the convoys: waves under a fleet on the way of its army, a wavy line to the army's arrow from any other."""
    for given in canvas.scene.orders:
        order = given.order
        if not isinstance(order, Convoy):
            continue
        start = canvas.places.unit(order.unit.location)
        arrow, ghost = _helped_arrow(canvas, order.convoyed.location, order.to)
        if start is None or arrow is None:
            continue
        state = state_of(given)
        if province_code(order.unit.location) in arrow.by_way_of:
            yield Sketch("con", state, (Line("w", waves(start)),), given)
            continue
        curve = straight(start, arrow.curve.at(_nearest(arrow.curve, start))).outside(UNIT_RADIUS + 2, 0)
        canvas.clutter.add(curve)
        mark = (cross(curve.at(0.5), 3.2),) if state else ()
        yield Sketch("con", state, (*ghost, Line("", _wavy(curve)), *mark), given, curve.end)


def support_lines(state: State, curve: Curve) -> tuple[Line, ...]:
    """The line of a support: broken where it is cut, marked where it was never one to follow."""
    if state == "no":
        broken = (Line("", curve.within(0, 0.36).data()), Line("", curve.within(0.64, 1).data()))
        return (*broken, cross(curve.at(0.5), 3.6))
    return (Line("", curve.data()), cross(curve.at(0.5), 3.2)) if state else (Line("", curve.data()),)


def waves(center: Point) -> str:
    """Three waves under a fleet."""
    return f"M{pair(Point(center.x - 15, center.y + 14))}q5-5 10 0t10 0 10 0"


def _support(given: DrawnOrder, curve: Curve, ghost: tuple[Line, ...] = ()) -> Sketch:
    state = state_of(given)
    return Sketch("sup", state, (*ghost, *support_lines(state, curve)), given, curve.end)


def _to_unit(canvas: Canvas, start: Point, helped: Point) -> Curve:
    if start == helped:
        return loop(start, LOOP).outside(UNIT_RADIUS, TIP_RADIUS + 1)
    candidates = [Candidate(abs(aside) / 3, partial(_line, start, helped, aside, TIP_RADIUS + 1)) for aside in BENDS]
    return canvas.clutter.choose(candidates, (start, helped))


def _line(start: Point, end: Point, aside: float, radius: float) -> Curve:
    return bent(start, end, aside).outside(UNIT_RADIUS, radius)


def _to_arrow(canvas: Canvas, start: Point, arrow: Arrow) -> Curve:
    """A line to somewhere near the middle of an arrow; on a long way over the sea, near the one who supports it."""
    candidates: list[Candidate] = []
    nearest = _nearest(arrow.curve, start) if arrow.by_way_of else 0.5
    for rank, share in enumerate((nearest, *JOINTS) if arrow.by_way_of else JOINTS):
        joint = arrow.curve.at(share)
        dislike = rank * 1.5 + (abs(share - nearest) * 60 if arrow.by_way_of else 0)
        candidates += [Candidate(dislike + abs(aside) / 3, partial(_line, start, joint, aside, 0)) for aside in BENDS]
    return canvas.clutter.choose(candidates, (start,), joint=True)


def _helped_arrow(canvas: Canvas, origin: str, target: str) -> tuple[Arrow | None, tuple[Line, ...]]:
    """The arrow of a move that others help, or a faint one in its place where the unit was ordered otherwise."""
    arrow = canvas.arrows.get((province_code(origin), province_code(target)))
    if arrow is not None:
        return arrow, ()
    start, end = canvas.places.unit(origin), canvas.places.unit(target)
    if start is None or end is None:
        return None, ()
    curve = (loop(start, LOOP) if start == end else straight(start, end)).outside(UNIT_RADIUS + 3, TIP_RADIUS)
    return Arrow(curve), (Line("g", curve.data()), head(curve.end, curve.direction(1), 6, 3))


def _nearest(curve: Curve, point: Point) -> float:
    """The share of a curve where it comes nearest to a point, not too near to its ends."""
    return min((step / 20 for step in range(6, 18)), key=lambda share: curve.at(share).distance(point))


def _wavy(line: Curve) -> str:
    """A straight line as a wavy one."""
    count = max(1, round(line.length / WAVE / 2)) * 2
    direction = line.start.direction(line.end)
    step = line.length / count
    words = [f"M{pair(line.start)}Q{pair(line.start.beside(direction, step / 2, 4))} "]
    words.append("T".join(pair(line.start.beside(direction, step * (index + 1))) for index in range(count)))
    return "".join(words)
