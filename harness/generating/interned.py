"""Orders that are drawn again and again, each made once: the engine keeps on an order what it made of it.

The orders of known positions, and of their variants in other places, are among them. Other orders are new each time:
those that are odd or badly written, name a path, retreat, or that a paradox gets when it is changed. They are 1 to 2%
of the orders of movements, and 5% of those of paradoxes. To look them up saves no time that can be measured.
"""

from collections.abc import Callable, Hashable
from functools import cache, lru_cache, partial
from typing import Final

from ...reference_engine import Build, Convoy, Hold, Move, Order, Remove, SupportHold, SupportMove, Waive
from ..positions import helped_unit

_MOST_KEPT = 100_000


def interned(order: Order) -> Order:
    """Return the one object that is kept of all orders equal to this one.

    An order to help its own unit stays as it is. A slip changes just one of its two units if they are two objects, and
    both if they are one, so a position would depend on those that were drawn before it.
    """
    helps_itself = not isinstance(order, Waive) and helped_unit(order) == order.unit
    return order if helps_itself else _first_equal(order)


@lru_cache(_MOST_KEPT)
def _first_equal(order: Order) -> Order:
    return order


def _made_once(make: Callable[..., Order]) -> Callable[..., Order]:
    @cache
    def made(*parts: Hashable) -> Order:
        return interned(make(*parts))

    return made


hold: Final = _made_once(Hold)
move: Final = _made_once(Move)
move_by_convoy: Final = _made_once(partial(Move, via_convoy=True))
support_hold: Final = _made_once(SupportHold)
support_move: Final = _made_once(SupportMove)
convoy: Final = _made_once(Convoy)
build: Final = _made_once(Build)
remove: Final = _made_once(Remove)
waive: Final = _made_once(Waive)
