# mypyc
"""Orders as small values, as they were written: right or wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from .board import OrderedUnit

Phase: TypeAlias = Literal["movement", "retreat", "adjustment"]
"""The kinds of a phase; moves are orders of a movement phase."""
PHASES: tuple[Phase, ...] = ("movement", "retreat", "adjustment")
"""Every `Phase`."""


class WrittenOrder:
    """What all orders have in common.

    An order is pickled by its fields, since where it is compiled and frozen, nothing could fill them in afterwards.
    """

    __slots__: tuple[str, ...] = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), tuple([getattr(self, name) for name in self.__match_args__])


@dataclass(frozen=True, slots=True)
class MovementOrder(WrittenOrder):
    """What the orders of a movement phase have in common."""

    unit: OrderedUnit


@dataclass(frozen=True, slots=True)
class Hold(MovementOrder):
    """Stay."""


@dataclass(frozen=True, slots=True)
class Move(MovementOrder):
    """Go to a province. `path` names the seas of the convoy where the order writes them out (issue 4.A.6)."""

    to: str
    via_convoy: bool = False
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SupportHold(MovementOrder):
    """Support a unit that stays."""

    supported: OrderedUnit


@dataclass(frozen=True, slots=True)
class SupportMove(MovementOrder):
    """Support the move of another unit."""

    supported: OrderedUnit
    to: str


@dataclass(frozen=True, slots=True)
class Convoy(MovementOrder):
    """Carry an army over a sea."""

    convoyed: OrderedUnit
    to: str


@dataclass(frozen=True, slots=True)
class Retreat(WrittenOrder):
    """Retreat with a dislodged unit."""

    unit: OrderedUnit
    to: str


@dataclass(frozen=True, slots=True)
class Disband(WrittenOrder):
    """Disband a dislodged unit."""

    unit: OrderedUnit


@dataclass(frozen=True, slots=True)
class Build(WrittenOrder):
    """Build a unit in a home supply center."""

    unit: OrderedUnit


@dataclass(frozen=True, slots=True)
class Remove(WrittenOrder):
    """Remove a unit in an adjustment phase."""

    unit: OrderedUnit


@dataclass(frozen=True, slots=True)
class Waive(WrittenOrder):
    """Decline one build."""


Order: TypeAlias = Hold | Move | SupportHold | SupportMove | Convoy | Retreat | Disband | Build | Remove | Waive
"""An order that has been read."""


@dataclass(frozen=True, slots=True)
class Proxy(WrittenOrder):
    """Let another power order one's unit (issue 4.E.5)."""

    unit: OrderedUnit
    to: str
    """The power that may order it."""


@dataclass(frozen=True, slots=True)
class Unclear(WrittenOrder):
    """A text that could mean several orders; which one, if any, is issue 4.E.2."""

    readings: tuple[Order | Proxy, ...]


Writing: TypeAlias = Order | Proxy | Unclear
"""What a player puts on paper: an order, or what the rules in force have to make one of first."""


class GivenOrder(NamedTuple):
    """An order and the power, one of the board, that gave it; `None` stands for one that nobody could read."""

    power: str
    order: Order | None
