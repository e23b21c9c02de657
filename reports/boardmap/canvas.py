"""What the drawings of a scene are made of and share: lines, and what keeps them out of each other's way."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias, TypeVar, final

from ...reference_engine import Board, Order
from .geography import Places
from .geometry import Curve, Point, number, pair, polygon
from .scenes import NOT_CONVOYED, DrawnOrder, Routes, Scene

Kind: TypeAlias = Literal["move", "sup", "con", "hold", "ret", "may", "build", "out"]
"""The class of a drawing: of an order, or (`may`) of a possible retreat."""
State: TypeAlias = Literal["", "no", "void"]
"""The class of an outcome: nothing bad, failed, or never one to follow."""

NEVER_FOLLOWED: frozenset[str] = frozenset({"illegal", "void", "ignored"})
"""The reasons of orders that were not tried."""

UNIT_RADIUS = 13.0
"""Where a line that begins at a unit can be seen."""
TIP_RADIUS = 16.0
"""How near to the middle of a unit an arrow comes."""
SYMBOL = 15.0
"""The radius around a unit that a line of others keeps out of."""
NEAR = 7.0
"""Lines nearer than this, and in nearly the same direction, are taken for one."""
JOINTS_APART = 14.0
"""Joints nearer than this look like one."""

OrderT = TypeVar("OrderT", bound=Order)


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


class Candidate(NamedTuple):
    """A curve that would do, how little it is liked for itself, and how to make it: most are never made."""

    dislike: float
    make: Callable[[], Curve]


@final
class Clutter:
    """The symbols and lines drawn so far: of several curves for an order, the one that meets least is chosen."""

    def __init__(self, symbols: Iterable[Point]) -> None:
        self._symbols = tuple(symbols)
        self._lines: defaultdict[int, list[_Step]] = defaultdict(list)
        self._joints: list[Point] = []
        self.curves: list[Curve] = []
        """The lines, as they are drawn."""

    def choose(self, candidates: Sequence[Candidate], own: Sequence[Point], *, joint: bool = False) -> Curve:
        """Choose a curve and remember it. `own` are the symbols that it belongs to, `joint` whether it ends on a line.

        The samples of a curve are its ends, too, which lie on the edges of its own symbols.
        """
        foreign = [symbol for symbol in self._symbols if symbol not in own]
        best, least = None, 0.0
        for dislike, make in sorted(candidates, key=lambda candidate: candidate.dislike):
            if best is not None and dislike >= least:
                break
            curve = make()
            before = dislike + (self._crowding(curve.end) if joint else 0)
            cost = self._cost(curve, foreign, before, least if best is not None else math.inf)
            if best is None or cost < least:
                best, least = curve, cost
        assert best is not None  # noqa: S101 - there are candidates
        self.add(best)
        if joint:
            self._joints.append(best.end)
        return best

    def add(self, curve: Curve) -> None:
        """Remember a curve."""
        self.curves.append(curve)
        for step in _walk(curve):
            self._lines[_square(step[0], step[1])].append(step)

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
        """Count the points of other lines that run along here."""
        x, y, ahead_x, ahead_y = step
        square, count = _square(x, y), 0
        for offset in _AROUND:
            for other_x, other_y, leads_x, leads_y in self._lines.get(square + offset, ()):
                if abs(ahead_x * leads_y - ahead_y * leads_x) < 0.4 and math.hypot(other_x - x, other_y - y) < NEAR:
                    count += 1
        return count

    def _crowding(self, end: Point) -> float:
        return sum(4.0 * max(0.0, JOINTS_APART - joint.distance(end)) for joint in self._joints)


@dataclass(frozen=True)
class Canvas:
    """What the drawings of one scene need of each other."""

    scene: Scene
    places: Places
    board: Board
    clutter: Clutter
    arrows: dict[tuple[str, str], Arrow] = field(default_factory=dict[tuple[str, str], Arrow])
    """The moves by their two provinces."""

    def orders(self, *kinds: type[OrderT]) -> Iterator[tuple[DrawnOrder, OrderT]]:
        """Find the orders of some kinds."""
        for given in self.scene.orders:
            if isinstance(given.order, kinds):
                yield given, given.order


def state_of(order: DrawnOrder) -> State:
    """The class of the outcome of an order."""
    if order.outcome != "fails":
        return ""
    return "void" if order.reason in NEVER_FOLLOWED else "no"


def head(tip: Point, direction: Point, length: float = 9, width: float = 4.6) -> Line:
    """The head of an arrow."""
    return Line("p", polygon((tip, tip.beside(direction, -length, width), tip.beside(direction, -length, -width))))


def bar(tip: Point, direction: Point, width: float = 6.5) -> Line:
    """A bar across the end of an arrow."""
    one, other = tip.beside(direction, 1.5, width), tip.beside(direction, 1.5, -width)
    return Line("b", f"M{pair(one)}L{pair(other)}")


def cross(center: Point, size: float = 4) -> Line:
    """A cross."""
    x, y, step = number(center.x - size), number(center.y - size), number(size * 2)
    return Line("x", f"M{x} {y}l{step} {step}m0-{step}l-{step} {step}")


def joint(center: Point) -> Line:
    """A ring where a line ends on another one."""
    x, y = number(center.x - 3.2), number(center.y)
    return Line("j", f"M{x} {y}a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0z")


def ring(center: Point, radius: int = 17) -> Line:
    """A circle around a unit."""
    x, y = number(center.x - radius), number(center.y)
    return Line("o", f"M{x} {y}a{radius} {radius} 0 1 0 {radius * 2} 0a{radius} {radius} 0 1 0-{radius * 2} 0z")


def plus(center: Point) -> Line:
    """A plus beside a unit."""
    return Line("x", f"M{number(center.x + 11)} {number(center.y - 13)}h9m-4.5-4.5v9")


def waves(center: Point) -> Line:
    """Three waves under a fleet."""
    return Line("w", f"M{pair(Point(center.x - 15, center.y + 14))}q5-5 10 0t10 0 10 0")


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
