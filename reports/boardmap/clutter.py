"""Keeps lines out of each other's way: of several curves for one order the one that meets least is drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, final

from .geometry import Curve, Point

SYMBOL = 15.0
"""The radius around a unit that a line of others keeps out of."""
NEAR = 7.0
"""Lines nearer than this, and in nearly the same direction, are taken for one."""


class Candidate(NamedTuple):
    """A curve that would do, how little it is liked for itself, and how to make it: most are never made."""

    dislike: float
    make: Callable[[], Curve]


@final
class Clutter:
    """The symbols and lines that were drawn so far."""

    def __init__(self, symbols: Iterable[Point]) -> None:
        self._symbols = tuple(symbols)
        self._lines: defaultdict[tuple[int, int], list[tuple[Point, Point]]] = defaultdict(list)
        self._joints: list[Point] = []

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
            cost = dislike + self._cost(curve, foreign) + (self._crowding(curve.end) if joint else 0)
            if best is None or cost < least:
                best, least = curve, cost
        assert best is not None  # noqa: S101 - there are candidates
        self.add(best)
        if joint:
            self._joints.append(best.end)
        return best

    def add(self, curve: Curve) -> None:
        """Remember a curve."""
        for point, direction in _walk(curve):
            self._lines[_cell(point)].append((point, direction))

    def _cost(self, curve: Curve, foreign: Sequence[Point]) -> float:
        cost = 0.0
        for point, direction in _walk(curve):
            for symbol in foreign:
                distance = point.distance(symbol)
                if distance < SYMBOL:
                    cost += (SYMBOL - distance) * 1.2
            cost += sum(4.0 for _ in self._along(point, direction))
        return cost

    def _along(self, point: Point, direction: Point) -> Iterator[Point]:
        """The points of other lines that run along here."""
        column, row = _cell(point)
        for x in (column - 1, column, column + 1):
            for y in (row - 1, row, row + 1):
                for other, leads in self._lines.get((x, y), ()):
                    across = abs(direction.x * leads.y - direction.y * leads.x)
                    if across < 0.4 and point.distance(other) < NEAR:
                        yield other

    def _crowding(self, end: Point) -> float:
        return sum(8.0 for joint in self._joints if joint.distance(end) < NEAR)


def _cell(point: Point) -> tuple[int, int]:
    return int(point.x // NEAR), int(point.y // NEAR)


def _walk(curve: Curve) -> Iterator[tuple[Point, Point]]:
    """Points along a curve, close enough to each other that another line cannot slip through, and where it leads."""
    for one, other in pairwise(curve.samples):
        steps = max(1, round(one.distance(other) / NEAR))
        direction = one.direction(other)
        for step in range(steps):
            yield one.towards(other, (step + 0.5) / steps), direction
