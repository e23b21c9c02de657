"""What players submit, and how it becomes one set of orders: issues 4.D.1, 4.D.2 and 4.E.2 to 4.E.5."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from .board import OrderedUnit, province_code
from .choices import MULTIPLE_ORDERS, ChoiceTables
from .legality import Legality
from .orders import (
    Convoy,
    GivenOrder,
    Hold,
    Move,
    MovementOrder,
    Order,
    Proxy,
    SupportHold,
    SupportMove,
    Unclear,
    Waive,
    Writing,
)
from .position import Position
from .rulesets import Ruleset

Mark: TypeAlias = Literal["replaces", "extends"]
"""Whether an order set replaces all earlier sets of its power, or extends them."""


class Submitted(NamedTuple):
    """Something that a power wrote."""

    power: str
    writing: Writing | None
    """`None` where it can mean nothing."""
    order_set: int = 1
    """The set that it stands in, by its number among those of its power."""
    beforehand: bool = False
    """Known before orders were written: a perpetual order of an earlier turn, or a proxy that was announced."""


@dataclass(frozen=True)
class Submission:
    """All that was handed in before a phase."""

    writings: Sequence[Submitted]
    marks: Mapping[tuple[str, int], Mark] = field(default_factory=dict[tuple[str, int], Mark])
    """Whether an order set replaces or extends the earlier ones, by power and number; only where the set says so."""
    in_sequence: bool = True
    """Whether the numbers of order sets tell which came first; otherwise nobody knows."""

    def as_one_clear_set(self) -> list[GivenOrder] | None:
        """The orders, where nothing has to be settled but what they imply (4.E.3): the usual case."""
        orders: list[GivenOrder] = []
        for power, writing, order_set, beforehand in self.writings:
            if beforehand or order_set != 1 or isinstance(writing, (Proxy, Unclear)):
                return None
            orders.append(GivenOrder(power, writing))
        return orders


class Settled(NamedTuple):
    """One set of orders for each power, and where its orders come from."""

    orders: tuple[GivenOrder, ...]
    source: tuple[int, ...]
    """For each of the first orders the index of the writing that gave it; those behind them follow from others."""
    obeyed: frozenset[int]
    """The writings that are no orders but took effect: proxies."""


IsLegal: TypeAlias = Callable[[str, Order], bool]
"""Whether an order of a power could be carried out in the position (4.E.1 `possible-now`)."""

MAX_COMBINATIONS = 4096
"""A set of orders with more combinations of readings is not clarified by itself: its unclear orders mean nothing."""


class Considered(NamedTuple):
    """A choice of 4.E.2: what decides between the readings of an unclear order."""

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
    """Return what unclear orders of a power mean, by their keys, without the orders that stay unclear."""
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


def _since_replaced(marks: Sequence[Mark | None]) -> int:
    return max((index for index, mark in enumerate(marks) if mark == "replaces"), default=0)


def _before_extended(marks: Sequence[Mark | None]) -> int:
    first = len(marks) - 1
    while first and marks[first] == "extends":
        first -= 1
    return first


FIRST_SET: Mapping[str, Callable[[Sequence[Mark | None]], int]] = {
    "combine": lambda _marks: 0,
    "combine-unless-replaced": _since_replaced,
    "latest-unless-extended": _before_extended,
    "latest": lambda marks: len(marks) - 1,
}
"""Issue 4.D.1: the first set that counts, by the marks of a power's sets in the sequence in which they came."""

UNKNOWN_SEQUENCE_COUNTS: Mapping[str, bool] = {"hold-all": False, "combine": True}
"""Issue 4.D.2: whether several sets count whose sequence nobody knows; otherwise all units of the power hold."""

DEDUCED: Mapping[str, bool] = {"allowed": True, "not-allowed": False}
"""Issue 4.E.3: whether a support or convoy order also orders the unit that it helps."""

PERPETUAL: Mapping[str, bool] = {"allowed": True, "not-allowed": False}
"""Issue 4.E.4: whether an order of an earlier turn is repeated for a unit that has no other."""

PROXIES: Mapping[str, frozenset[bool]] = {
    "proxy-notified": frozenset({True}),
    "proxy-in-orders": frozenset({False}),
    "not-allowed": frozenset(),
}
"""Issue 4.E.5: which proxies count: those known beforehand, or those that stand among the orders."""

CHOICE_TABLES: ChoiceTables = {
    "4.D.1": FIRST_SET,
    "4.D.2": UNKNOWN_SEQUENCE_COUNTS,
    "4.E.2": CONSIDERED,
    "4.E.3": DEDUCED,
    "4.E.4": PERPETUAL,
    "4.E.5": PROXIES,
}


def settle(position: Position, submission: Submission, ruleset: Ruleset, is_legal: IsLegal) -> Settled:
    """Make of all that was handed in one set of orders for each power.

    Perpetual, implicit and proxy orders are for movement phases; in the others they do not count.
    """
    writings, choices = submission.writings, ruleset.choices
    counted, holding = _counted(submission, choices)
    given = _read(writings, counted, position, choices, is_legal)
    obeyed: frozenset[int] = frozenset()
    deduced: list[GivenOrder] = []
    if position.phase == "movement":
        legality = Legality(position, ruleset)
        obeyed = _obey_proxies(writings, given, legality, choices)
        _repeat(writings, given, legality, choices)
        deduced += _implied(given, legality, position, choices)
        deduced += [
            GivenOrder(unit.power, Hold(OrderedUnit(unit.location, unit.type)))
            for unit in position.units
            if unit.power in holding
        ]
    else:
        given = {index: order for index, order in given.items() if not writings[index].beforehand}
    orders = [*(GivenOrder(power, _order(writing)) for power, writing in given.values()), *deduced]
    # Who wrote anything is not in civil disorder (4.D.9), also if it does not count.
    wrote = {writing.power for writing in writings if not writing.beforehand} - {order.power for order in orders}
    orders += [GivenOrder(power, None) for power in sorted(wrote)]
    return Settled(tuple(orders), tuple(given), obeyed)


_Given: TypeAlias = dict[int, tuple[str, "Order | Proxy | None"]]
"""For the index of each writing that counts, the power whose unit it orders and what it means."""


def _order(writing: Order | Proxy | None) -> Order | None:
    return None if isinstance(writing, Proxy) else writing


def _counted(submission: Submission, choices: Mapping[str, str]) -> tuple[Collection[int], Collection[str]]:
    """Issues 4.D.1 and 4.D.2: the writings of the sets that count, and the powers whose units all hold."""
    counted: list[int] = []
    holding: set[str] = set()
    for power in dict.fromkeys(writing.power for writing in submission.writings):
        own = {index: writing for index, writing in enumerate(submission.writings) if writing.power == power}
        sets_that_count = _sets_that_count(submission, power, own.values(), choices)
        if sets_that_count is None:
            holding.add(power)
            continue
        in_order = sorted(own, key=lambda index: (own[index].order_set, index))
        counted += [index for index in in_order if own[index].beforehand or own[index].order_set in sets_that_count]
    return counted, holding


def _sets_that_count(
    submission: Submission, power: str, own: Iterable[Submitted], choices: Mapping[str, str]
) -> Sequence[int] | None:
    """The numbers of the order sets of a power that count; `None` where none of several does, so that it holds."""
    sets = sorted({writing.order_set for writing in own if not writing.beforehand})
    if len(sets) < 2:
        return sets
    if submission.in_sequence:
        marks: list[Mark | None] = [submission.marks.get((power, order_set)) for order_set in sets]
        return sets[FIRST_SET[choices["4.D.1"]](marks) :]
    return sets if UNKNOWN_SEQUENCE_COUNTS[choices["4.D.2"]] else None


def _read(
    writings: Sequence[Submitted],
    counted: Collection[int],
    position: Position,
    choices: Mapping[str, str],
    is_legal: IsLegal,
) -> _Given:
    """Issue 4.E.2: what each writing means; `None` where an unclear one keeps several meanings."""
    given: _Given = {}
    sets: dict[tuple[str, bool], dict[int, Writing | None]] = {}
    for index in counted:
        power, writing, _, beforehand = writings[index]
        given[index] = (power, _move_somewhere(writing) if isinstance(writing, Unclear) else writing)
        sets.setdefault((power, beforehand), {})[index] = writing
    for (power, _), own in sets.items():
        for index, order in clarify(own, power, position, choices, is_legal).items():
            given[index] = (power, order)
    return given


def _move_somewhere(unclear: Unclear) -> Order | None:
    """What an order says that stays unclear: at most that one certain unit is to move, to no place that is known."""
    movers = {reading.unit if isinstance(reading, Move) else None for reading in unclear.readings}
    mover = movers.pop()
    return None if movers or mover is None else Move(mover, "")


def _obey_proxies(
    writings: Sequence[Submitted], given: _Given, legality: Legality, choices: Mapping[str, str]
) -> frozenset[int]:
    """Issue 4.E.5: give the orders for units with a proxy to the powers that own them; the proxies that took effect."""
    obeyed: set[int] = set()
    for unit, proxies in _proxies_that_count(writings, given, legality, choices).items():
        owner = given[proxies[0]][0]
        own = [index for index in given if index not in proxies and _ordered(given[index], legality) == unit]
        # Announced, the proxy binds its owner; among the orders it is one of several that the owner gave.
        rivals = [
            index
            for index in given
            if index in proxies
            or (index in own and not (writings[proxies[0]].beforehand or writings[index].beforehand))
        ]
        same = len({given[index] for index in rivals}) == 1
        kept = rivals[0] if same else MULTIPLE_ORDERS[choices["4.D.3"]](rivals)
        proxy = given[kept][1] if kept >= 0 else None
        for index in {*proxies, *own} - {kept}:
            del given[index]
        if isinstance(proxy, Proxy):
            obeyed.add(kept)
            _hand_over(given, unit, proxy.to, owner, legality)
    return frozenset(obeyed)


def _proxies_that_count(
    writings: Sequence[Submitted], given: _Given, legality: Legality, choices: Mapping[str, str]
) -> Mapping[int, Sequence[int]]:
    """For each unit that its power lets another order, the proxies; drop those announced that do not count."""
    proxies: dict[int, list[int]] = {}
    for index, (power, writing) in list(given.items()):
        if not isinstance(writing, Proxy):
            continue
        unit = legality.commanded(power, writing.unit)
        if writings[index].beforehand in PROXIES[choices["4.E.5"]] and unit >= 0 and writing.to != power:
            proxies.setdefault(unit, []).append(index)
        elif writings[index].beforehand:
            del given[index]
    return proxies


def _hand_over(given: _Given, unit: int, agent: str, owner: str, legality: Legality) -> None:
    """Make the agent's orders for a unit orders of its owner."""
    for index, (power, writing) in given.items():
        if power != agent or not isinstance(writing, MovementOrder):
            continue
        if legality.commanded(owner, writing.unit) == unit:
            given[index] = (owner, writing)


def _ordered(given: tuple[str, Order | Proxy | None], legality: Legality) -> int:
    """The unit that a legal order commands, or -1."""
    power, writing = given
    units, _ = legality.effects([GivenOrder(power, _order(writing))])
    return units[0]


def _repeat(writings: Sequence[Submitted], given: _Given, legality: Legality, choices: Mapping[str, str]) -> None:
    """Issue 4.E.4: drop the perpetual orders that do not count, all or those for a unit with an order of this turn."""
    ordered = {_ordered(order, legality) for index, order in given.items() if not writings[index].beforehand}
    for index in [index for index in given if writings[index].beforehand]:
        if not isinstance(given[index][1], Proxy) and (
            not PERPETUAL[choices["4.E.4"]] or _ordered(given[index], legality) in {-1, *ordered}
        ):
            del given[index]


def _implied(given: _Given, legality: Legality, position: Position, choices: Mapping[str, str]) -> Iterator[GivenOrder]:
    """Issue 4.E.3: the moves that supports and convoys of a power imply for its units without an order."""
    if not DEDUCED[choices["4.E.3"]]:
        return
    ordered = {_ordered(order, legality) for order in given.values()}
    for power, writing in given.values():
        if not isinstance(writing, (SupportMove, Convoy)):
            continue
        effect = legality.effect(power, writing)
        if effect is None:
            continue
        helped = position.occupant[effect[1].helped]
        unit = position.units[helped]
        if unit.power == power and helped not in ordered:
            yield GivenOrder(power, Move(OrderedUnit(unit.location, unit.type), writing.to))
