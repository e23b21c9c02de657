"""Points and curves: Béziers cut to length, bent aside, and drawn smoothly through places."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeAlias

SAMPLES = 12
"""How finely a segment is looked at to measure it."""


class Point(NamedTuple):
    """A place, or a direction, in the units of the map."""

    x: float
    y: float

    def towards(self, other: Point, share: float) -> Point:
        """The point at this share of the way to another."""
        return Point(self.x + (other.x - self.x) * share, self.y + (other.y - self.y) * share)

    def beside(self, direction: Point, ahead: float, aside: float = 0) -> Point:
        """The point so far ahead in a direction, and so far to its left as it is seen on the screen."""
        return Point(
            self.x + direction.x * ahead + direction.y * aside, self.y + direction.y * ahead - direction.x * aside
        )

    def distance(self, other: Point) -> float:
        """How far another point is."""
        return math.hypot(other.x - self.x, other.y - self.y)

    def direction(self, other: Point) -> Point:
        """The direction of another point, of length 1; to the right for one in the same place."""
        length = self.distance(other)
        return Point((other.x - self.x) / length, (other.y - self.y) / length) if length > 1e-9 else Point(1, 0)


Segment: TypeAlias = tuple[Point, ...]
"""The control points of a Bézier curve: two of a line, three of a quadratic, four of a cubic one."""


@dataclass(frozen=True)
class Curve:
    """Segments, each from where the one before ends."""

    segments: tuple[Segment, ...]

    @property
    def start(self) -> Point:
        return self.segments[0][0]

    @property
    def end(self) -> Point:
        return self.segments[-1][-1]

    @cached_property
    def samples(self) -> Sequence[Point]:
        """Points along it, the same number on each segment, both ends with them."""
        points = [self.start]
        for segment in self.segments:
            points += [_weighted(segment, weights) for weights in _SAMPLE_WEIGHTS[len(segment)]]
        return points

    @cached_property
    def lengths(self) -> Sequence[float]:
        """The way along it from its start to each sample."""
        lengths = [0.0]
        for one, other in pairwise(self.samples):
            lengths.append(lengths[-1] + one.distance(other))
        return lengths

    @property
    def length(self) -> float:
        return self.lengths[-1]

    def at(self, share: float) -> Point:
        """The point at this share of its length."""
        segment, position = self._place(share * self.length)
        return _weighted(self.segments[segment], _weights(len(self.segments[segment]), position))

    def direction(self, share: float) -> Point:
        """Where it leads at this share of its length."""
        return self.at(max(0.0, share - 0.02)).direction(self.at(min(1.0, share + 0.02)))

    def within(self, start: float, end: float) -> Curve:
        """The part between two shares of its length."""
        first, cut_start = self._place(start * self.length)
        last, cut_end = self._place(end * self.length)
        if (first, cut_start) >= (last, cut_end):
            point = self.at(start)
            return Curve(((point, point),))
        segments = list(self.segments[first : last + 1])
        if first == last and cut_end > 0:
            cut_start /= cut_end
        segments[-1] = _split(segments[-1], cut_end)[0]
        segments[0] = _split(segments[0], cut_start)[1]
        return Curve(tuple(segment for segment in segments if segment[0] != segment[-1]) or (segments[0],))

    def outside(self, start_radius: float, end_radius: float) -> Curve:
        """The part outside circles around its two ends; at least its middle stays."""
        samples = self.samples
        leave = next((i for i, point in enumerate(samples) if point.distance(self.start) >= start_radius), 0)
        enter = next((i for i in reversed(range(len(samples))) if samples[i].distance(self.end) >= end_radius), 0)
        start = self._crossing(leave, leave - 1, self.start, start_radius)
        end = self._crossing(enter, enter + 1, self.end, end_radius)
        if self.length == 0:
            return self
        if end - start < 4:
            middle = min(max((start + end) / 2, 2.0), max(self.length - 2, 2.0))
            start, end = middle - 2, middle + 2
        return self.within(max(0.0, start / self.length), min(1.0, end / self.length))

    def data(self) -> str:
        """The path in the words of SVG."""
        words = [f"M{pair(self.start)}"]
        for _, *controls in self.segments:
            words.append("LQC"[len(controls) - 1] + " ".join(pair(point) for point in controls))
        return "".join(words)

    def _place(self, length: float) -> tuple[int, float]:
        """The segment, and the parameter in it, where so much of the way is behind."""
        lengths = self.lengths
        index = next((i for i in range(1, len(lengths)) if lengths[i] >= length), len(lengths) - 1)
        step = lengths[index] - lengths[index - 1]
        share = min(1.0, max(0.0, (length - lengths[index - 1]) / step)) if step else 1.0
        segment, sample = divmod(index - 1, SAMPLES)
        return segment, (sample + share) / SAMPLES

    def _crossing(self, outside: int, inside: int, center: Point, radius: float) -> float:
        """How far along it crosses a circle, between a sample outside the circle and the next one inside."""
        samples, lengths = self.samples, self.lengths
        if not 0 <= inside < len(samples):
            return lengths[outside]
        far, near = samples[outside].distance(center), samples[inside].distance(center)
        share = min(1.0, max(0.0, (far - radius) / (far - near))) if far > near else 0.0
        return lengths[outside] + (lengths[inside] - lengths[outside]) * share


def straight(start: Point, end: Point) -> Curve:
    """A line."""
    return Curve(((start, end),))


def bent(start: Point, end: Point, aside: float) -> Curve:
    """A line whose middle is pushed aside: to the left of who goes along it, for a positive number."""
    if abs(aside) < 0.5:
        return straight(start, end)
    control = start.towards(end, 0.5).beside(start.direction(end), 0, aside * 2)
    return Curve(((start, control, end),))


def loop(spot: Point, size: float) -> Curve:
    """A way from a place back to it, above it."""
    return Curve(((spot, Point(spot.x - size, spot.y - size), Point(spot.x + size, spot.y - size), spot),))


def smooth(points: Sequence[Point]) -> Curve:
    """A curve through all these points, without a corner."""
    if len(points) == 2:
        return straight(points[0], points[1])
    padded = [points[0], *points, points[-1]]
    segments: list[Segment] = []
    for before, start, end, after in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        # Catmull-Rom, with the pull of a long neighbour bounded by this segment, so that nothing overshoots.
        reach = start.distance(end) / 3
        one = start.beside(before.direction(end), min(reach, before.distance(end) / 6 + reach / 2))
        other = end.beside(after.direction(start), min(reach, after.distance(start) / 6 + reach / 2))
        segments.append((start, one, other, end))
    return Curve(tuple(segments))


def number(value: float) -> str:
    """A coordinate, as short as it can be told: tenths are enough."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def pair(point: Point) -> str:
    """Two coordinates."""
    y = number(point.y)
    return f"{number(point.x)}{'' if y.startswith('-') else ' '}{y}"


def _weights(points: int, position: float) -> tuple[float, ...]:
    """How much each of so many control points counts at a parameter (Bernstein's form)."""
    last = points - 1
    return tuple(math.comb(last, at) * (1 - position) ** (last - at) * position**at for at in range(points))


_SAMPLE_WEIGHTS = {points: [_weights(points, step / SAMPLES) for step in range(1, SAMPLES + 1)] for points in (2, 3, 4)}
"""The weights at each sample of a segment, by the number of its control points."""


def _weighted(segment: Segment, weights: Sequence[float]) -> Point:
    x = y = 0.0
    for weight, (point_x, point_y) in zip(weights, segment, strict=True):
        x += weight * point_x
        y += weight * point_y
    return Point(x, y)


def _split(segment: Segment, position: float) -> tuple[Segment, Segment]:
    """Both parts of a segment (de Casteljau)."""
    left, right = [segment[0]], [segment[-1]]
    points: list[Point] = [*segment]
    while len(points) > 1:
        points = [one.towards(other, position) for one, other in pairwise(points)]
        left.append(points[0])
        right.insert(0, points[-1])
    return tuple(left), tuple(right)


def turn(one: tuple[float, float], other: tuple[float, float], third: tuple[float, float]) -> float:
    """Twice the area of a triangle; positive where it is in the direction of the clock on the screen."""
    return (other[0] - one[0]) * (third[1] - one[1]) - (other[1] - one[1]) * (third[0] - one[0])
