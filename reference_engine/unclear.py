"""Orders that could mean several things, and what may tell which one is meant (issue 4.E.2)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .board import province_code
from .orders import Convoy, Move, Order, Proxy, SupportHold, SupportMove, Unclear, Waive, Writing
from .position import Position

IsLegal: TypeAlias = Callable[[str, Order], bool]
"""Whether an order of a power could be carried out in the position (4.E.1 `possible-now`)."""

MAX_COMBINATIONS = 4096
"""A set of orders with more combinations of readings is not clarified by itself: its unclear orders mean nothing."""


@dataclass(frozen=True)
class Considered:
    """A choice of 4.E.2: what tells apart the readings of an unclear order."""

    possible: bool
    """That the order is possible."""
    one_each: bool
    """That the power's orders are for different units."""
    matching: bool
    """That they match each other."""


CONSIDERED: Mapping[str, Considered] = {
    "spelling-only": Considered(possible=False, one_each=False, matching=False),
    "individual": Considered(possible=True, one_each=False, matching=False),
    "set": Considered(possible=True, one_each=True, matching=False),
    "set-matching": Considered(possible=True, one_each=True, matching=True),
}
"""Issue 4.E.2: orders that could mean several things."""


def clarify(
    writings: Mapping[int, Writing | None],
    power: str,
    position: Position,
    choices: Mapping[str, str],
    is_legal: IsLegal,
) -> Mapping[int, Order]:
    """What the unclear ones of a power's writings mean, by their keys; those that stay unclear are left out."""
    considered = CONSIDERED[choices["4.E.2"]]
    if not considered.possible:
        return {}
    open_orders = {
        key: readings for key, writing in writings.items() if (readings := _possible(writing, power, is_legal))
    }
    if not open_orders:
        return {}
    if not considered.one_each or math.prod(map(len, open_orders.values())) > MAX_COMBINATIONS:
        return {key: readings[0] for key, readings in open_orders.items() if len(readings) == 1}
    # What is impossible is not changed, and is still the order that its unit has; but nothing matches it.
    settled = [writing for key, writing in writings.items() if writing is not None and key not in open_orders]
    return _clarified(open_orders, _score(settled, power, position, is_legal, matching=considered.matching))


def _possible(writing: Writing | None, power: str, is_legal: IsLegal) -> Sequence[Order]:
    """The readings of an unclear order that are possible."""
    readings = writing.readings if isinstance(writing, Unclear) else ()
    return [order for order in readings if not isinstance(order, Proxy) and is_legal(power, order)]


def _score(
    settled: Sequence[Writing], power: str, position: Position, is_legal: IsLegal, *, matching: bool
) -> Callable[[Sequence[Order]], tuple[int, int]]:
    """How well readings of the unclear orders go with what is settled: units ordered, and orders that match."""
    ordered = set(map(_province_ordered, settled))
    matchable = [
        writing for writing in settled if not isinstance(writing, (Proxy, Unclear)) and is_legal(power, writing)
    ]

    def score(combination: Sequence[Order]) -> tuple[int, int]:
        matches = _matching((*matchable, *combination), power, position) if matching else 0
        return len(ordered.union(map(_province_ordered, combination)) - {None}), matches

    return score


def _clarified(
    open_orders: Mapping[int, Sequence[Order]], score: Callable[[Sequence[Order]], tuple[int, int]]
) -> Mapping[int, Order]:
    """The unclear orders of a set that are left with one reading, the same in all combinations of the best score."""
    best: list[tuple[Order, ...]] = []
    best_score = (-1, -1)
    for combination in itertools.product(*open_orders.values()):
        combination_score = score(combination)
        if combination_score > best_score:
            best, best_score = [], combination_score
        if combination_score == best_score:
            best.append(combination)
    by_order = zip(open_orders, zip(*best, strict=True), strict=True)
    return {key: readings[0] for key, readings in by_order if len(set(readings)) == 1}


def _province_ordered(writing: Writing) -> str | None:
    """The province of the unit that a writing is for, if it is for one and clear in this."""
    readings = writing.readings if isinstance(writing, Unclear) else (writing,)
    provinces = {None if isinstance(reading, Waive) else province_code(reading.unit.location) for reading in readings}
    return provinces.pop() if len(provinces) == 1 else None


def _matching(orders: Sequence[Order], power: str, position: Position) -> int:
    """How many supports and convoys of a power's own units match what those are ordered."""
    moves = {province_code(order.unit.location): province_code(order.to) for order in orders if isinstance(order, Move)}
    own = {province_code(unit.location) for unit in position.units if unit.power == power}
    matching = 0
    for order in orders:
        if isinstance(order, (SupportMove, Convoy)):
            helped = order.supported if isinstance(order, SupportMove) else order.convoyed
            province = province_code(helped.location)
            matching += province in own and moves.get(province) == province_code(order.to)
        elif isinstance(order, SupportHold):
            province = province_code(order.supported.location)
            matching += province in own and province not in moves
    return matching
