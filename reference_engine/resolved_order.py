# mypyc
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
class OrderEffect:
    """What a legal order makes its unit do. Provinces and locations are numbers on the board."""

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
    by_rail: bool = False
    """Whether a move is along a railway (DATC 2.4, 7.B)."""
    is_plain: bool = field(default=False, compare=False)
    """Whether it is a hold, or a move to a neighbour that does not ask for a convoy: it depends on no other unit."""


HOLDS: Final = OrderEffect(HOLD)
UNREACHABLE_MOVE: Final = OrderEffect(MOVE)
"""An impossible move that is an order all the same (4.E.1)."""

effect_of: Final = cache(OrderEffect)
"""Return one object for equal effects: there are few without a path, and to look one up takes less than to make it."""
