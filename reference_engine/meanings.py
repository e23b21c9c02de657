"""What orders mean: what a legal one makes its unit do, wherever the units stand that are on the board."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Final, final

HOLD: Final = 0
MOVE: Final = 1
SUPPORT: Final = 2
CONVOY: Final = 3
"""The kinds of orders of a movement phase. `HOLD` is 0, and so false: nothing has to be resolved.

A constant of the hot modules is `Final`: the compiler puts it in place, where it would look up another name each time.
"""


@final
@dataclass(frozen=True, slots=True)
class Meaning:
    """What a legal order makes its unit do. Provinces and locations are numbers on the board.

    One that `readings` keeps with an order also says on which board it applies, and to units at which places. These
    fields do not count for equality.
    """

    kind: int
    """`HOLD`, `MOVE`, `SUPPORT` or `CONVOY`."""
    target: int = -1
    """The province that a move or a convoy leads to, or that a support is given into; -1 for a hold."""
    landing: int = -1
    """The location that a move ends on; for a support, the coast that it names for the supported fleet, or -1."""
    helped: int = -1
    """The province of the unit that is supported or convoyed, or -1."""
    via_convoy: bool = False
    """Whether a move is tagged "via convoy", or names the path of its convoy."""
    path: int = 0
    """The set of seas that a move names as its path (4.A.6)."""
    is_plain: bool = field(default=False, compare=False)
    """Whether it is a hold, or a move to a neighbour that does not ask for a convoy: it depends on no other unit."""
    board: object | None = field(default=None, compare=False, repr=False)
    """The board, which is only compared with others here; so are the two places."""
    place: object | None = field(default=None, compare=False, repr=False)
    """Where its unit stands, and of which type it is. `None` where the order has to be read with the position."""
    province: int = field(default=0, compare=False, repr=False)
    """The province of that place."""
    place_helped: object | None = field(default=None, compare=False, repr=False)
    """Where the unit stands that it supports or convoys."""
    routes: tuple[int, ...] | None = field(default=None, compare=False, repr=False)
    """The sets of seas of which one needs a fleet on each sea; `None` where it needs no fleet."""

    def is_possible(self, at_sea: int) -> bool:
        """Whether there are fleets on all seas of some route, for an order that needs them."""
        for route in self.routes or ():  # noqa: SIM110 - `any` takes twice as long
            if route & at_sea == route:
                return True
        return False


HOLDS: Final = Meaning(HOLD)
UNREACHABLE_MOVE: Final = Meaning(MOVE)
"""An impossible move that is an order all the same (4.E.1)."""

meaning_of: Final = cache(Meaning)
"""There are few meanings without a path, and making a new one each time costs more than looking it up."""


@final
class KeptOrders:
    """What the orders mean that were given to a type of unit at a location."""

    __slots__: tuple[str, ...] = ("known", "moves")

    def __init__(self) -> None:
        self.moves: dict[str, Meaning] = {}
        """Its moves to neighbours, by the location written; none before the first order."""
        self.known: dict[object, Meaning] = {}
        """The other orders."""

    def __reduce__(self) -> tuple[type[KeptOrders], tuple[()]]:
        """Pickle none: they are worked out again."""
        return KeptOrders, ()
