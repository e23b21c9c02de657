"""Orders as lines: moves and retreats as arrows, supports and convoys to what they help, other orders on their unit.

The canvas here is what all drawings of a scene share: it keeps their lines out of each other's way.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias, TypeVar, final

from ...reference_engine import orders, province_code
from .geography import Places
from .geometry import Curve, Point, bent, loop, number, pair, smooth, straight
from .scenes import NOT_CONVOYED, DrawnOrder, DrawnUnit, Routes, Scene, State, find_routes

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
UNIT_RADIUS = 13.0
"""Where a line that begins at a unit can be seen."""
TIP_RADIUS = 16.0
"""How near to the middle of a unit an arrow comes."""
FREE_TIP_RADIUS = 5.0
"""How near an arrow comes to the middle of a province where no unit is."""
SYMBOL = 15.0
"""The radius around a unit that a line of others keeps out of."""
NEAR = 7.0
"""Lines nearer than this, and in nearly the same direction, are taken for one."""
JOINTS_APART = 14.0
"""Joints nearer than this look like one."""

Kind: TypeAlias = Literal["move", "sup", "con", "hold", "ret", "may", "build", "out"]
"""The class of a drawing: of an order, or (`may`) of a possible retreat."""
Candidate: TypeAlias = tuple[float, Curve]
"""A curve that would do, and how little it is liked for itself."""

OrderT = TypeVar("OrderT", bound=orders.Order)


class Line(NamedTuple):
    """One path of a drawing, and its class: none for a plain line, which gets a halo."""

    style: str
    data: str


@dataclass(frozen=True)
class Sketch:
    """The drawing of an order, or of a possible retreat."""

    kind: Kind
    state: State
    lines: tuple[Line, ...]
    order: DrawnOrder | None = None
    joint: Point | None = None
    """Where it ends on another line: a dot there stands above both."""


@dataclass(frozen=True)
class Arrow:
    """The move of a unit as it is drawn."""

    curve: Curve
    routes: Routes = NOT_CONVOYED
    """The seas of its convoy."""
    order: DrawnOrder | None = None


class _Way(NamedTuple):
    order: DrawnOrder
    origin: str
    target: str
    start: Point
    end: Point
    routes: Routes


@final
class Canvas:
    """What is drawn of a scene so far: of several curves for an order, the one that meets least is chosen."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.places = Places(scene)
        self.arrows: dict[tuple[str, str], Arrow] = {}
        """The moves by their two provinces."""
        self.curves: list[Curve] = []
        """The lines, as they are drawn."""
        self._symbols = self.places.spots
        self._steps: defaultdict[int, list[_Step]] = defaultdict(list)
        self._joints: list[Point] = []

    def orders(self, *kinds: type[OrderT]) -> Iterator[tuple[DrawnOrder, OrderT]]:
        """Find the orders of some kinds."""
        for given in self.scene.orders:
            if isinstance(given.order, kinds):
                yield given, given.order

    def units(self, seas: Iterable[str]) -> tuple[Point, ...]:
        """Find the spots of the units in some provinces."""
        return tuple(spot for sea in seas if (spot := self.places.unit(sea)) is not None)

    def choose(
        self, candidates: Sequence[Candidate], own: Sequence[Point], radius: float, *, joint: bool = False
    ) -> Curve:
        """Choose a curve, cut it to its part between a unit and so near its end, and remember it.

        `own` are the symbols that it belongs to, `joint` whether it ends on a line. The samples of a curve are its
        ends, too, which lie on the edges of its own symbols.
        """
        foreign = [symbol for symbol in self._symbols if symbol not in own]
        best, least = None, math.inf
        for dislike, whole in sorted(candidates, key=lambda candidate: candidate[0]):
            if best is not None and dislike >= least:
                break
            curve = whole.outside(UNIT_RADIUS, radius)
            near = self._joints if joint else ()
            crowding = sum(4.0 * max(0.0, JOINTS_APART - other.distance(curve.end)) for other in near)
            cost = self._cost(curve, foreign, dislike + crowding, least)
            if best is None or cost < least:
                best, least = curve, cost
        assert best is not None  # noqa: S101 - there are candidates
        self.add(best)
        if joint:
            self._joints.append(best.end)
        return best

    def add(self, curve: Curve) -> None:
        self.curves.append(curve)
        for step in _walk(curve):
            self._steps[_square(step[0], step[1])].append(step)

    def _cost(self, curve: Curve, foreign: Sequence[Point], cost: float, bound: float) -> float:
        """Add to a cost what a curve meets; stop where it is beyond the bound, since another curve is better then."""
        for step in _walk(curve):
            if cost >= bound:
                break
            x, y, _, _ = step
            for symbol_x, symbol_y in foreign:
                if abs(symbol_x - x) < SYMBOL and abs(symbol_y - y) < SYMBOL:
                    cost += max(0.0, SYMBOL - math.hypot(symbol_x - x, symbol_y - y)) * 1.2
            cost += 4.0 * self._lines_along(step)
        return cost

    def _lines_along(self, step: _Step) -> int:
        x, y, ahead_x, ahead_y = step
        square, count = _square(x, y), 0
        for offset in _AROUND:
            for other_x, other_y, leads_x, leads_y in self._steps.get(square + offset, ()):
                if abs(ahead_x * leads_y - ahead_y * leads_x) < 0.4 and math.hypot(other_x - x, other_y - y) < NEAR:
                    count += 1
        return count


_Step: TypeAlias = tuple[float, float, float, float]
"""A point of a curve, and the direction that the curve has there: numbers alone, since there are thousands a board."""
_ROW = 4096
"""The numbers of two squares of one column differ by less."""
_AROUND = tuple(column + row for column in (-_ROW, 0, _ROW) for row in (-1, 0, 1))
"""The differences between the number of a square and those of the squares around it, itself among them."""


def _square(x: float, y: float) -> int:
    """The number of the square, `NEAR` wide, that a point is in."""
    return int(x // NEAR) * _ROW + int(y // NEAR)


def _walk(curve: Curve) -> Iterator[_Step]:
    """Points along a curve, close enough to each other that another line cannot slip through, and where it leads."""
    for one, other in pairwise(curve.samples):
        steps = max(1, round(one.distance(other) / NEAR))
        (x, y), (to_x, to_y), (ahead_x, ahead_y) = one, other, one.direction(other)
        for step in range(steps):
            share = (step + 0.5) / steps
            yield x + (to_x - x) * share, y + (to_y - y) * share, ahead_x, ahead_y


def sketch_lines(canvas: Canvas) -> Iterator[Sketch]:
    """Draw the orders that lead somewhere: moves and retreats, then what others do for the moves."""
    for sketch in (_moves, _retreats, _convoys, _supports):
        yield from sketch(canvas)


def _moves(canvas: Canvas) -> Iterator[Sketch]:
    ways = list(_ways(canvas))
    aimed_at = Counter(way.target for way in ways)
    pairs = {(way.origin, way.target) for way in ways}
    for way in sorted(ways, key=lambda way: (not way.routes.way, way.start.distance(way.end))):
        seas = canvas.units(way.routes.way)
        crowded = aimed_at[way.target] > 1 or way.order.outcome == "fails" or canvas.places.is_occupied(way.target)
        if way.routes.way:
            candidates = [(0.0, smooth((way.start, *seas, way.end)))]
        elif way.start == way.end:
            candidates = [(0.0, loop(way.start, LOOP))]
        else:
            candidates = _bent(way.start, way.end, _bends(way, opposed=(way.target, way.origin) in pairs))
        curve = canvas.choose(candidates, (way.start, way.end, *seas), TIP_RADIUS if crowded else FREE_TIP_RADIUS)
        _ = canvas.arrows.setdefault((way.origin, way.target), Arrow(curve, way.routes, way.order))
        yield Sketch("move", way.order.state, arrow_lines(way.order.state, curve), way.order)


def _retreats(canvas: Canvas) -> Iterator[Sketch]:
    def curve(start: Point, end: Point, radius: float) -> Curve:
        return canvas.choose(_bent(start, end, (0, 8, -8, 18, -18), ease=4), (start, end), radius)

    ordered: set[tuple[str, str]] = set()
    for given, order in canvas.orders(orders.Retreat):
        start, end = canvas.places.dislodged_unit(order.unit.location), canvas.places.target(order.to)
        if start is None or end is None or start == end:
            continue
        ordered.add((given.province, order.to))
        occupied = given.outcome == "fails" or canvas.places.is_occupied(order.to)
        lines = arrow_lines(given.state, curve(start, end, TIP_RADIUS if occupied else FREE_TIP_RADIUS))
        yield Sketch("ret", given.state, lines, given)
    for entry, start in canvas.places.dislodged:
        for to in entry.retreats:
            end = canvas.places.spot(to)
            if end is not None and end != start and (province_code(entry.unit.location), to) not in ordered:
                yield Sketch("may", "", _pointed(curve(start, end, TIP_RADIUS - 4), 7, 3.4))


def _supports(canvas: Canvas) -> Iterator[Sketch]:
    """Draw the supports: to the arrow, or to the unit that they hold in place."""
    for given, order in canvas.orders(orders.SupportHold, orders.SupportMove):
        start, helped = canvas.places.unit(order.unit.location), canvas.places.unit(order.supported.location)
        if start is None or helped is None:
            continue
        ghost: tuple[Line, ...] = ()
        if isinstance(order, orders.SupportMove):
            arrow, ghost = _helped_arrow(canvas, order.supported.location, order.to)
            if arrow is None:
                continue
            curve = _to_arrow(canvas, start, arrow)
        elif start == helped:
            curve = loop(start, LOOP).outside(UNIT_RADIUS, TIP_RADIUS + 1)
        else:
            curve = canvas.choose(_bent(start, helped, BENDS), (start, helped), TIP_RADIUS + 1)
        lines = (*ghost, *support_lines(given.state, curve), joint(curve.end))
        yield Sketch("sup", given.state, lines, given, curve.end)


def _convoys(canvas: Canvas) -> Iterator[Sketch]:
    """Draw the convoys: waves under a fleet on a route of its army, a wavy line to the army's arrow from any other.

    A route that was broken, while the army went by another one, is a dotted line of its own.
    """
    for arrow in canvas.arrows.values():
        if arrow.routes.broken:
            seas = canvas.units(arrow.routes.broken)
            curve = smooth((arrow.curve.start, *seas, arrow.curve.end)).outside(2, UNIT_RADIUS)
            canvas.add(curve)
            lines = (Line("g", curve.data()), cross(seas[0].towards(arrow.curve.start, 0.5), 3.6))
            yield Sketch("con", "no", lines, arrow.order)
    for given, order in canvas.orders(orders.Convoy):
        start = canvas.places.unit(order.unit.location)
        arrow, ghost = _helped_arrow(canvas, order.convoyed.location, order.to)
        if start is None or arrow is None:
            continue
        if given.province in (*arrow.routes.way, *arrow.routes.broken):
            yield Sketch("con", given.state, (waves(start),), given)
            continue
        curve = straight(start, arrow.curve.at(_nearest(arrow.curve, start))).outside(UNIT_RADIUS + 2, 0)
        canvas.add(curve)
        mark = (cross(curve.at(0.5), 3.2),) if given.state else ()
        lines = (*ghost, Line("", _wavy(curve)), joint(curve.end), *mark)
        yield Sketch("con", given.state, lines, given, curve.end)


def sketch_marks(canvas: Canvas) -> Iterator[Sketch]:
    """Draw the orders that lead nowhere, each on its unit."""
    for given, order in canvas.orders(orders.Hold, orders.Remove, orders.Disband):
        location, places = order.unit.location, canvas.places
        spot = places.dislodged_unit(location) if isinstance(order, orders.Disband) else places.unit(location)
        if spot is None:
            continue
        if isinstance(order, orders.Hold):
            yield Sketch("hold", given.state, (ring(spot),), given)
        else:
            yield Sketch("out", given.state, (cross(spot, 10 if isinstance(order, orders.Disband) else 13),), given)


def sketch_builds(canvas: Canvas) -> Iterator[tuple[DrawnUnit, Point, Sketch]]:
    """Draw the units that are built, each with a ring around it and a plus."""
    for given, order in canvas.orders(orders.Build):
        spot = canvas.places.spot(order.unit.location)
        if spot is not None:
            spot = canvas.places.free(spot)
            unit = DrawnUnit(given.power, order.unit.type or "?", order.unit.location)
            yield unit, spot, Sketch("build", given.state, (ring(spot), plus(spot)), given)


def arrow_lines(state: State, curve: Curve) -> tuple[Line, ...]:
    """The line and the head of an arrow, and what shows that it got nowhere."""
    lines = _pointed(curve)
    if state == "no":
        tip, direction = curve.end, curve.direction(1)
        one, other = tip.beside(direction, 1.5, 6.5), tip.beside(direction, 1.5, -6.5)
        return (*lines, Line("b", f"M{pair(one)}L{pair(other)}"))
    return (*lines, cross(curve.at(0.5), 3.2)) if state == "void" else lines


def support_lines(state: State, curve: Curve) -> tuple[Line, ...]:
    """The line of a support: broken where it is cut, marked where it was never one to follow."""
    if state == "no":
        broken = (Line("", curve.within(0, 0.36).data()), Line("", curve.within(0.64, 1).data()))
        return (*broken, cross(curve.at(0.5), 3.6))
    return (Line("", curve.data()), cross(curve.at(0.5), 3.2)) if state else (Line("", curve.data()),)


def _pointed(curve: Curve, length: float = 9, width: float = 4.6) -> tuple[Line, ...]:
    body = curve.within(0, max(0.0, 1 - min(length - 2, curve.length / 2) / curve.length)) if curve.length else curve
    return Line("", body.data()), _head(curve.end, body.end.direction(curve.end), length, width)


def _bent(start: Point, end: Point, bends: Iterable[float], *, dislike: float = 0, ease: float = 3) -> list[Candidate]:
    """Lines between two points; the more one bends aside, the less it is liked."""
    return [(dislike + abs(aside) / ease, bent(start, end, aside)) for aside in bends]


def _ways(canvas: Canvas) -> Iterator[_Way]:
    seen: set[tuple[str, str, str]] = set()
    for given, order in canvas.orders(orders.Move):
        start, end = canvas.places.unit(order.unit.location), canvas.places.target(order.to)
        key = (order.unit.location, order.to, given.state)
        if start is None or end is None or key in seen:
            continue
        if start == end:
            # From one coast of a province to the other.
            end = canvas.places.spot(order.to) or end
        seen.add(key)
        routes = find_routes(canvas.scene, given, order)
        if not routes.is_chain:
            routes = routes._replace(way=_by_nearness(canvas, given.province, routes.way))
        yield _Way(given, given.province, province_code(order.to), start, end, routes)


def _bends(way: _Way, *, opposed: bool) -> Sequence[float]:
    """How far the arrow could bend aside: from one against it, or between near neighbours, in any case."""
    distance = way.start.distance(way.end)
    if opposed:
        least = max(9.0, min(22.0, distance * OPPOSITE))
        return (least, least + 7, least + 16)
    return (10.0, -10.0, 16.0, -16.0) if distance < SHORT else (0.0, 9.0, -9.0, 18.0, -18.0, 30.0, -30.0)


def _by_nearness(canvas: Canvas, origin: str, seas: Iterable[str]) -> tuple[str, ...]:
    """Put fleets that make no chain in an order: each after the nearest before it."""
    chain: list[str] = []
    left = list(seas)
    here = canvas.places.unit(origin)
    while left and here is not None:
        at = here
        nearest = min(left, key=lambda sea: at.distance(canvas.places.unit(sea) or at))
        left.remove(nearest)
        chain.append(nearest)
        here = canvas.places.unit(nearest)
    return tuple(chain)


def _to_arrow(canvas: Canvas, start: Point, arrow: Arrow) -> Curve:
    """A line to somewhere near the middle of an arrow; on a long way over the sea, near the one who supports it."""
    candidates: list[Candidate] = []
    nearest = _nearest(arrow.curve, start) if arrow.routes.way else 0.5
    for rank, share in enumerate((nearest, *JOINTS) if arrow.routes.way else JOINTS):
        dislike = rank * 1.5 + (abs(share - nearest) * 60 if arrow.routes.way else 0)
        candidates += _bent(start, arrow.curve.at(share), BENDS, dislike=dislike)
    return canvas.choose(candidates, (start,), 0, joint=True)


def _helped_arrow(canvas: Canvas, origin: str, target: str) -> tuple[Arrow | None, tuple[Line, ...]]:
    """The arrow of a move that others help, or a faint one in its place where the unit was ordered otherwise."""
    arrow = canvas.arrows.get((province_code(origin), province_code(target)))
    if arrow is not None:
        return arrow, ()
    start, end = canvas.places.unit(origin), canvas.places.target(target)
    if start is None or end is None:
        return None, ()
    curve = (loop(start, LOOP) if start == end else straight(start, end)).outside(UNIT_RADIUS + 3, TIP_RADIUS)
    return Arrow(curve), (Line("g", curve.data()), _head(curve.end, curve.direction(1), 6, 3))


def _nearest(curve: Curve, point: Point) -> float:
    return min((step / 20 for step in range(6, 18)), key=lambda share: curve.at(share).distance(point))


def _wavy(line: Curve) -> str:
    count = max(1, round(line.length / WAVE / 2)) * 2
    direction = line.start.direction(line.end)
    step = line.length / count
    ends = "T".join(pair(line.start.beside(direction, step * (index + 1))) for index in range(count))
    return f"M{pair(line.start)}Q{pair(line.start.beside(direction, step / 2, 4))} {ends}"


def _head(tip: Point, direction: Point, length: float, width: float) -> Line:
    left, right = tip.beside(direction, -length, width), tip.beside(direction, -length, -width)
    return Line("p", f"M{pair(tip)}L{pair(left)}L{pair(right)}Z")


def cross(center: Point, size: float) -> Line:
    """A cross."""
    x, y, step = number(center.x - size), number(center.y - size), number(size * 2)
    return Line("x", f"M{x} {y}l{step} {step}m0-{step}l-{step} {step}")


def joint(center: Point) -> Line:
    """A ring where a line ends on another one."""
    return ring(center, 3.2, "j")


def ring(center: Point, radius: float = 17, style: str = "o") -> Line:
    """A circle, by itself one around a unit."""
    x, y = number(center.x - radius), number(center.y)
    return Line(style, f"M{x} {y}a{radius} {radius} 0 1 0 {radius * 2} 0a{radius} {radius} 0 1 0-{radius * 2} 0z")


def plus(center: Point) -> Line:
    """A plus beside a unit."""
    return Line("x", f"M{number(center.x + 11)} {number(center.y - 13)}h9m-4.5-4.5v9")


def waves(center: Point) -> Line:
    """Three waves under a fleet."""
    return Line("w", f"M{pair(Point(center.x - 15, center.y + 14))}q5-5 10 0t10 0 10 0")
