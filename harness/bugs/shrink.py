"""Makes a position as small as possible while it stays interesting, with a bounded number of questions.

Delta debugging (ddmin, leaving out complements) over the units, then single simplifications until none is left, then
familiar places. It is written here, since no library fits: `picire` has had no release since 2021, `shrinkray` needs
Python 3.12 and an event loop, and the shrinker of `hypothesis` starts from its own random choices, not from a position
that came from elsewhere.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, final

from ...reference_engine import OrderedUnit, Unit, province_code
from ...reference_engine.orders import Convoy, GivenOrder, Hold, Move, Order, SupportHold, SupportMove, Waive
from ..play.positions import OrderedPosition, Orders, ordered_province, units_without_order, without_units
from .terrain import familiar_powers, other_places, with_names

_T = TypeVar("_T")
_MOST_PLACES = 6
"""Other places are tried so often."""


@final
@dataclass
class Shrinker:
    """Asks whether smaller positions are still interesting, each once, and at most so many, until it has to stop."""

    interesting: Callable[[OrderedPosition], bool]
    """Is asked of positions other than the first, which is known to be."""
    left: int
    """So many questions may still be asked."""
    stop: Callable[[], bool] = lambda: False
    """Once it says so, nothing more is asked."""
    _known: dict[Hashable, bool] = field(default_factory=dict[Hashable, bool])

    def shrink(self, ordered: OrderedPosition) -> OrderedPosition:
        """Return the smallest position that was found interesting, in familiar places where there are any."""
        ordered = self._first_kept(self.shrink_in_place(ordered), more_powers)
        renamed = familiar_powers(ordered)
        ordered = renamed if self.keeps(renamed) else ordered
        moved = (with_names(ordered, places=places) for places in itertools.islice(other_places(ordered), _MOST_PLACES))
        return next(filter(self.keeps, moved), ordered)

    def shrink_in_place(self, ordered: OrderedPosition) -> OrderedPosition:
        """Return the smallest position of the same powers in the same places that was found interesting."""
        before = None
        while before != question_key(ordered) and self.left and not self.stop():
            before = question_key(ordered)
            ordered = self._first_kept(self._fewer_units(ordered), simpler)
        return ordered

    def _fewer_units(self, ordered: OrderedPosition) -> OrderedPosition:
        provinces = [province_code(unit.location) for unit in ordered.units]

        def keeping(kept: Sequence[str]) -> OrderedPosition:
            return without_units(ordered, set(provinces) - set(kept))

        return keeping(ddmin(provinces, lambda kept: self.keeps(keeping(kept))))

    def _first_kept(
        self, ordered: OrderedPosition, steps: Callable[[OrderedPosition], Iterable[OrderedPosition]]
    ) -> OrderedPosition:
        """Take the first step that keeps it interesting, again and again."""
        while (kept := next(filter(self.keeps, steps(ordered)), None)) is not None:
            ordered = kept
        return ordered

    def keeps(self, candidate: OrderedPosition) -> bool:
        """Whether a position is interesting, if that may still be asked."""
        key = question_key(candidate)
        if key not in self._known:
            if not self.left or self.stop():
                return False
            self.left -= 1
            self._known[key] = self.interesting(candidate)
        return self._known[key]


def ddmin(items: Sequence[_T], keeps: Callable[[Sequence[_T]], bool]) -> Sequence[_T]:
    """Leave out as many items as possible, larger parts first. `keeps` holds for all of them."""
    parts = 2
    while items:
        size = -(-len(items) // parts)
        without = ([*items[:start], *items[start + size :]] for start in range(0, len(items), size))
        rest = next(filter(keeps, without), None)
        if rest is not None:
            items, parts = rest, max(parts - 1, 2)
        elif size == 1:
            break
        else:
            parts = min(2 * parts, len(items))
    return items


def question_key(ordered: OrderedPosition) -> tuple[Hashable, tuple[Unit, ...], Hashable, Orders, Orders | None]:
    """Return what makes two positions the same question, with their orders in the same sequence."""
    position = ordered.position
    centers = tuple((power, tuple(sorted(owned))) for power, owned in sorted(position.centers.items()))
    turn = position.phase, ordered.season, ordered.year
    return turn, position.units, centers, ordered.orders, ordered.retreats


def simpler(ordered: OrderedPosition) -> Iterator[OrderedPosition]:
    """Everything that is one step simpler, what saves most first."""
    if ordered.retreats is not None:
        yield ordered._replace(retreats=None)
        for index in range(len(ordered.retreats)):
            yield ordered._replace(retreats=_left_out(ordered.retreats, index))
    for index, given in enumerate(ordered.orders):
        for order in _simpler_orders(given.order):
            changed = (*ordered.orders[:index], GivenOrder(given.power, order), *ordered.orders[index + 1 :])
            yield ordered._replace(orders=changed)
        if _is_spare(ordered, index):
            yield ordered._replace(orders=_left_out(ordered.orders, index))
    if ordered.phase == "movement":
        for unit in units_without_order(ordered):
            hold = GivenOrder(unit.power, Hold(OrderedUnit(unit.location, unit.type)))
            yield ordered._replace(orders=(*ordered.orders, hold))
    position = ordered.position
    for power, owned in position.centers.items():
        for center in sorted(owned):
            yield ordered.with_units(ordered.units, {**position.centers, power: owned - {center}})


def _left_out(orders: Orders, index: int) -> Orders:
    return orders[:index] + orders[index + 1 :]


def _is_spare(ordered: OrderedPosition, index: int) -> bool:
    """Whether an order may go altogether: its unit is left one by its owner, or never had one."""
    ordering = [(given.power, ordered_province(given.order)) for given in ordered.orders]
    mine = ordering.pop(index)
    has_unit = mine in [(unit.power, province_code(unit.location)) for unit in ordered.units]
    return ordered.phase != "movement" or not has_unit or mine in ordering


def _simpler_orders(order: Order | None) -> Iterator[Order]:
    if order is None or isinstance(order, Waive):
        return
    if isinstance(order, (Move, SupportHold, SupportMove, Convoy)):
        yield Hold(order.unit)
    if isinstance(order, Move) and order.via_convoy:
        yield replace(order, via_convoy=False)
    if isinstance(order, (Move, SupportMove)) and "/" in order.to:
        yield replace(order, to=province_code(order.to))
    if isinstance(order, SupportMove):
        yield SupportHold(order.unit, order.supported)


def more_powers(ordered: OrderedPosition) -> Iterator[OrderedPosition]:
    """Give one unit to a power that has none, so that units of one power are those that have to be."""
    if ordered.phase != "movement":
        return
    counts = Counter(unit.power for unit in ordered.units)
    powers = {*counts, *(given.power for given in ordered.orders)}
    free = next((power for power in ordered.position.board.powers if power not in powers), None)
    for unit in ordered.units if free is not None else ():
        if counts[unit.power] > 1:
            units = [other._replace(power=free) if other == unit else other for other in ordered.units]
            # Its own power's orders go with it.
            mine = unit.power, province_code(unit.location)
            orders = tuple(
                given._replace(power=free) if (given.power, ordered_province(given.order)) == mine else given
                for given in ordered.orders
            )
            yield ordered._replace(orders=orders).with_units(units)
