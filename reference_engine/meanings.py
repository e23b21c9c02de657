"""What orders mean: what a legal one makes its unit do, and what of this holds wherever units stand."""

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


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a legal order makes its unit do. Provinces and locations are numbers on the board, units indices."""

    kind: int
    """`HOLD`, `MOVE`, `SUPPORT` or `CONVOY`."""
    target: int = -1
    """The province that a move or a convoy leads to, or that a support is given into; -1 for a hold."""
    landing: int = -1
    """The location that a move ends on; for a support, the coast that it names for the supported fleet, or -1."""
    other: int = -1
    """The unit that is supported or convoyed, or -1."""
    via_convoy: bool = False
    """Whether a move is tagged "via convoy", or names the path of its convoy."""
    path: int = 0
    """The set of seas that a move names as its path (4.A.6)."""
    is_plain: bool = field(default=False, compare=False)
    """Whether it is known that a move leads to a neighbour, and not by its own words over sea."""


HOLDS: Final = Meaning(HOLD)
UNREACHABLE_MOVE: Final = Meaning(MOVE)
"""An impossible move that is an order all the same (4.E.1)."""

meaning_of: Final = cache(Meaning)
"""There are few meanings without a path, and making a new one each time costs more than looking it up."""


@final
class OrderOnBoard:
    """What an order means on a board, wherever the units that it names stand there."""

    __slots__: tuple[str, ...] = (
        "board",
        "helped",
        "meaning",
        "meanings",
        "place",
        "province",
        "province_helped",
        "routes",
    )

    def __init__(
        self,
        board: object,
        place: object = None,
        province: int = 0,
        meaning: Meaning = HOLDS,
        helped: object = None,
        province_helped: int = 0,
        routes: tuple[int, ...] | None = None,
    ) -> None:
        self.board: object = board
        """The board, which is only compared with others here; so are the two places."""
        self.place: object = place
        """Where its unit stands, and of which type it is. `None` where the order has to be read with the position."""
        self.province: int = province
        self.meaning: Meaning = meaning
        """What it means; without the index of the unit that it helps."""
        self.helped: object = helped
        """Where the unit stands that it supports or convoys."""
        self.province_helped: int = province_helped
        self.meanings: dict[int, Meaning] = {}
        """What it means, by the index of the unit that it helps."""
        self.routes: tuple[int, ...] | None = routes
        """The sets of seas of which one needs a fleet on each sea; `None` where it needs no fleet."""

    def helping(self, other: int) -> Meaning:
        """What it means where the unit that it helps has this index, which is kept."""
        meaning = meaning_of(self.meaning.kind, self.meaning.target, self.meaning.landing, other)
        self.meanings[other] = meaning
        return meaning

    def is_possible(self, at_sea: int) -> bool:
        """Whether there are fleets on all seas of some route, for an order that needs them."""
        for route in self.routes or ():  # noqa: SIM110 - `any` takes twice as long
            if route & at_sea == route:
                return True
        return False


@final
class KeptOrders:
    """What the orders mean that were given to a type of unit at a location."""

    __slots__: tuple[str, ...] = ("known", "moves")

    def __init__(self) -> None:
        self.moves: dict[str, OrderOnBoard] = {}
        """Its moves to neighbours, by the location written; none before the first order."""
        self.known: dict[object, OrderOnBoard] = {}
        """The other orders."""
