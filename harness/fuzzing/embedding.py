"""Whether one disagreement shows in another: the same units do the same to each other, and come out as wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, final

from ...reference_engine import Convoy, Move, SupportMove, Waive, province_code
from .moves import helped_unit
from .parties import Statement
from .patterns import fates
from .situation import Situation, ordered_unit

_FEWEST, MOST = 3, 10
"""A disagreement of fewer units shows in too much that has another cause; one of more takes too long to look for."""
_MOST_STEPS = 20_000


class _Line(NamedTuple):
    """What a unit does."""

    kind: str
    power: str
    places: tuple[str, ...]
    fate: str
    """What became of it that should not have, in the words of a pattern; empty where nothing."""


Shape = Sequence[_Line]
"""What all units of a situation do, those first that came out wrong."""


def shape(situation: Situation, expected: Statement, said: Statement) -> Shape:
    """Take from a disagreement what matters for comparing it with others."""
    wrong = fates(situation, expected, said)
    lines: list[_Line] = []
    for unit in situation.units:
        province = province_code(unit.location)
        own = [
            given.order
            for given in situation.orders
            if (named := ordered_unit(given)) is not None and province_code(named.location) == province
        ]
        order = own[0] if own else None
        kind = "" if order is None else type(order).__name__ + (" VIA" * (isinstance(order, Move) and order.via_convoy))
        places = [province]
        if order is not None and not isinstance(order, Waive):
            helped = helped_unit(order)
            places += [province_code(helped.location)] if helped else []
            places += [province_code(order.to)] if isinstance(order, (Move, SupportMove, Convoy)) else []
        lines.append(_Line(kind, unit.power, tuple(places), wrong.get(unit, "")))
    return sorted(lines, key=lambda line: (not line.fate, line))


def shows_in(small: Shape, large: Shape, most: int = MOST) -> bool:
    """Whether units of the larger one do what all of the smaller one do, in some places and for some powers.

    What belongs to one power there belongs to one power here; what belongs to two may belong to one. One of more than
    `most` units is not looked for.
    """
    return _FEWEST <= len(small) <= min(most, len(large)) and _Search().match(small, large, {}, {})


@final
class _Search:
    """Looks for one disagreement in another, unless it takes too long."""

    def __init__(self) -> None:
        self._steps = 0

    def match(self, small: Shape, large: Shape, places: Mapping[str, str], powers: Mapping[str, str]) -> bool:
        """Find a unit of the larger one for each that is left of the smaller one."""
        self._steps += 1
        if not small or self._steps > _MOST_STEPS:
            return not small
        line, *rest = small
        for index, other in enumerate(large):
            if line.fate not in ("", other.fate) or not other.kind.startswith(line.kind):
                continue
            if len(line.places) != len(other.places) or powers.get(line.power, other.power) != other.power:
                continue
            places_now = _joined(places, zip(line.places, other.places, strict=True))
            powers_now = {**powers, line.power: other.power}
            left = [*large[:index], *large[index + 1 :]]
            if places_now is not None and self.match(rest, left, places_now, powers_now):
                return True
        return False


def _joined(known: Mapping[str, str], pairs: Iterable[tuple[str, str]]) -> Mapping[str, str] | None:
    """Names for names, one for each; `None` where that contradicts what is known."""
    found = dict(known)
    for mine, theirs in pairs:
        if found.setdefault(mine, theirs) != theirs:
            return None
    return found if len(set(found.values())) == len(found) else None
