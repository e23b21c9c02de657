"""What the drawing of an order is made of, and what all drawings of a scene share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from ...reference_engine import Board
from .clutter import Clutter
from .geometry import Curve, Point, number, pair, polygon
from .places import Places
from .scene import DrawnOrder, Scene

Kind: TypeAlias = Literal["move", "sup", "con", "hold", "ret", "may", "build", "out"]
"""The class of a drawing: of an order, or (`may`) of a possible retreat."""
State: TypeAlias = Literal["", "no", "void"]
"""The class of what became of an order: nothing bad, failed, or never one to follow."""

NEVER_FOLLOWED: frozenset[str] = frozenset({"illegal", "void", "ignored"})
"""The reasons of orders that were not tried."""

UNIT_RADIUS = 13.0
"""Where a line that begins at a unit can be seen."""
TIP_RADIUS = 16.0
"""How near to the middle of a unit an arrow comes."""


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
    by_way_of: tuple[str, ...] = ()
    """The seas of its convoy."""


@dataclass(frozen=True)
class Canvas:
    """What the drawings of one scene need of each other."""

    scene: Scene
    places: Places
    board: Board
    clutter: Clutter
    arrows: dict[tuple[str, str], Arrow] = field(default_factory=dict[tuple[str, str], Arrow])
    """The moves by their two provinces."""


def state_of(order: DrawnOrder) -> State:
    """The class of what became of an order."""
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


def dots(centers: Iterable[Point]) -> Line:
    """Dots, where lines end on others."""
    return Line("j", "".join(f"M{pair(center)}h0" for center in centers))
