"""What is drawn on the map, as data. Every string in it may come from an engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from ...reference_engine import Order

Outcome: TypeAlias = Literal["succeeds", "fails"]
UnitMark: TypeAlias = Literal["", "dislodged", "gone", "missing", "unexpected"]
"""What is to be seen of a unit: that this phase dislodges it, or takes it off the board; that the board it is compared
with has it and this one lacks it, or the other way round."""


class DrawnUnit(NamedTuple):
    """A unit on the board."""

    power: str
    type: str
    location: str
    mark: UnitMark = ""


class DrawnDislodged(NamedTuple):
    """A dislodged unit, beside the unit that came in its place."""

    unit: DrawnUnit
    attacked_from: str | None = None
    """The province of its attacker, where it is known."""
    retreats: tuple[str, ...] = ()
    """Where it may retreat to."""


class DrawnOrder(NamedTuple):
    """An order and what became of it."""

    power: str
    order: Order | None
    """`None` for a text that is no order: it is told, not drawn."""
    text: str
    outcome: Outcome | None = None
    """`None` where it is not known or not to be shown."""
    reason: str | None = None
    """Why it fails, in the words of `Reason`, where that is known."""


@dataclass(frozen=True)
class Scene:
    """A board to draw: what stands on it, and the orders to it."""

    units: tuple[DrawnUnit, ...]
    dislodged: tuple[DrawnDislodged, ...] = ()
    orders: tuple[DrawnOrder, ...] = ()
    owners: Mapping[str, str] = field(default_factory=dict[str, str])
    """The power that owns each supply center."""
