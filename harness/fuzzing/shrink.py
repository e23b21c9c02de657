"""Makes a situation as small as possible while it stays interesting, with a bounded number of questions.

Delta debugging (ddmin, leaving out complements) over the units, then single simplifications until none is left, then
familiar places. It is written here, since no library fits: `picire` has had no release since 2021, `shrinkray` needs
Python 3.12 and an event loop, and the shrinker of `hypothesis` starts from its own random choices, not from a position
that came from elsewhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar, final

from ...reference_engine import province_code
from .moves import more_powers, simpler, with_places, without_units
from .places import familiar_powers, other_places
from .situation import Situation, order_text

_T = TypeVar("_T")
_MOST_PLACES = 6
"""Other places are tried so often."""


@final
class Shrinker:
    """Asks whether smaller situations are still interesting, each once, and at most so many."""

    def __init__(self, interesting: Callable[[Situation], bool], most_questions: int) -> None:
        """`interesting` is asked of situations other than the first, which is known to be."""
        self._interesting = interesting
        self._left = most_questions
        self._known: dict[object, bool] = {}

    def shrink(self, situation: Situation) -> Situation:
        """Give the smallest situation that was found interesting, in familiar places where there are any."""
        before = None
        while before != _key(situation) and self._left:
            before = _key(situation)
            situation = self._fewer_units(situation)
            situation = self._first_kept(situation, simpler)
        situation = self._first_kept(situation, more_powers)
        renamed = familiar_powers(situation)
        return self._in_familiar_places(renamed if self._keeps(renamed) else situation)

    def _in_familiar_places(self, situation: Situation) -> Situation:
        for places in itertools.islice(other_places(situation), _MOST_PLACES):
            moved = with_places(situation, places)
            if self._keeps(moved):
                return moved
        return situation

    def _fewer_units(self, situation: Situation) -> Situation:
        provinces = [province_code(unit.location) for unit in situation.units]

        def keeps(kept: Sequence[str]) -> bool:
            return self._keeps(without_units(situation, set(provinces) - set(kept)))

        return without_units(situation, set(provinces) - set(smallest(provinces, keeps)))

    def _first_kept(self, situation: Situation, steps: Callable[[Situation], Iterable[Situation]]) -> Situation:
        """Take the first step that keeps it interesting, again and again."""
        found = True
        while found:
            found = False
            for candidate in steps(situation):
                if self._keeps(candidate):
                    situation, found = candidate, True
                    break
        return situation

    def _keeps(self, candidate: Situation) -> bool:
        key = _key(candidate)
        if key not in self._known:
            if not self._left:
                return False
            self._left -= 1
            self._known[key] = self._interesting(candidate)
        return self._known[key]


def smallest(items: Sequence[_T], keeps: Callable[[Sequence[_T]], bool]) -> Sequence[_T]:
    """Leave out as many items as possible, larger parts first: ddmin. `keeps` holds for all of them."""
    parts = 2
    while items:
        size = -(-len(items) // parts)
        rest = next((left for left in _without_parts(items, size) if keeps(left)), None)
        if rest is not None:
            items, parts = rest, max(parts - 1, 2)
        elif size == 1:
            break
        else:
            parts = min(2 * parts, len(items))
    return items


def _without_parts(items: Sequence[_T], size: int) -> Iterable[Sequence[_T]]:
    return ([*items[:start], *items[start + size :]] for start in range(0, len(items), size))


def _key(situation: Situation) -> object:
    """What makes two situations the same question."""
    position = situation.position
    texts = tuple((given.power, order_text(given)) for given in situation.orders)
    retreats = situation.retreats and tuple((given.power, order_text(given)) for given in situation.retreats)
    centers = tuple((power, tuple(sorted(owned))) for power, owned in sorted(position.centers.items()))
    return (position.units, centers, texts, retreats)
