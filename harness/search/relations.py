"""Metamorphic relations: what should make no difference to an engine's answer. They need no second engine."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import NamedTuple

from ...reference_engine import GivenOrder, Hold, Move, OrderedUnit, Unit, province_code
from ...reference_engine.notation import Style
from ..bugs.terrain import locations_of, with_names
from ..play.answer import Answer, AnswerOrFailure, Failure
from ..play.differential import Played
from ..play.positions import OrderedPosition, order_text, ordered_province, ordered_unit, units_without_order

_FAR = 4
"""Steps between a unit that is added and everything that a position names."""


class OtherForm(NamedTuple):
    """A position in another form, and how its answer differs from that to the first."""

    ordered: OrderedPosition
    style: Style = "codes"
    powers: Mapping[str, str] = {}
    added: tuple[Unit, ...] = ()
    """Units that should stand there still."""

    def expected(self, answered: AnswerOrFailure) -> AnswerOrFailure:
        """Return what should be answered, after what was answered to the first."""
        if isinstance(answered, Failure):
            return answered
        dislodged = answered.dislodged and tuple(
            sorted(entry._replace(unit=self._renamed(entry.unit)) for entry in answered.dislodged)
        )
        standing = (*map(self._renamed, answered.standing), *self.added)
        return Answer(standing, dislodged, lists_lost_units=answered.lists_lost_units)

    def _renamed(self, unit: Unit) -> Unit:
        return unit._replace(power=self.powers.get(unit.power, unit.power))


class Relation(NamedTuple):
    """Something that should make no difference."""

    sentence: str
    """What is wrong with an engine to which it does."""
    form: str
    put_otherwise: Callable[[OrderedPosition, int], OtherForm | None]
    """Return the same position in another form; a number says in which. `None` where no such form exists."""


def _shuffled(ordered: OrderedPosition, salt: int) -> OtherForm | None:
    """Sort the orders by a hash, so that those that stay are in the same order when others are left out.

    The orders to one unit, and all adjustments of one power, stay in their order: the rules may tell the first from
    the last of them (4.D.3 to 4.D.5).
    """
    if len(ordered.orders) < 2:
        return None
    shuffled = sorted(ordered.orders, key=lambda given: _hash(given, salt))
    waiting: dict[str, list[GivenOrder]] = {}
    for given in reversed(ordered.orders):
        waiting.setdefault(_rival(given, ordered), []).append(given)
    orders = tuple(waiting[_rival(given, ordered)].pop() for given in shuffled)
    return OtherForm(ordered._replace(orders=orders))


def _rival(given: GivenOrder, ordered: OrderedPosition) -> str:
    """What orders have in common of which only one may count."""
    return (ordered_province(given.order) if ordered.phase == "movement" else "") or given.power


def _hash(given: GivenOrder, salt: int) -> int:
    return zlib.crc32(f"{salt} {given.power} {order_text(given)}".encode())


def _other_powers(ordered: OrderedPosition, salt: int) -> OtherForm | None:
    powers = list(ordered.position.board.powers)
    if ordered.phase != "movement":
        return None  # In adjustments a power has a home.
    others = Random(salt).sample(powers, len(powers))  # noqa: S311 - names, not secrets
    names = dict(zip(powers, others, strict=True))
    return OtherForm(with_names(ordered, names), powers=names)


def _far_unit(ordered: OrderedPosition, salt: int) -> OtherForm | None:
    """Add a unit that holds, so far away that nothing can reach it."""
    board = ordered.position.board
    if ordered.phase != "movement":
        return None
    named = [board.number[code] for code in map(province_code, locations_of(ordered)) if code in board.number]
    far = [
        province.code
        for number, province in enumerate(board.provinces)
        if province.terrain == "inland" and all(board.distances[number][other] >= _FAR for other in named)
    ]
    if not far or not ordered.units:
        return None
    place = far[salt % len(far)]
    unit = Unit(ordered.units[salt % len(ordered.units)].power, "A", place)
    orders = (*ordered.orders, GivenOrder(unit.power, Hold(OrderedUnit(place, "A"))))
    return OtherForm(ordered._replace(orders=orders).with_units((*ordered.units, unit)), added=(unit,))


def _alone(ordered: OrderedPosition) -> list[GivenOrder]:
    rivals = Counter(_rival(given, ordered) for given in ordered.orders)
    return [given for given in ordered.orders if rivals[_rival(given, ordered)] == 1]


def _repeated(ordered: OrderedPosition, salt: int) -> OtherForm | None:
    """Give a unit's only order twice, word for word (DATC 4.D.3: the same order counts once)."""
    alone = _alone(ordered)
    if ordered.phase != "movement" or not alone:
        return None
    again = min(alone, key=lambda given: _hash(given, salt))
    return OtherForm(ordered._replace(orders=(*ordered.orders, again)))


def _holds(ordered: OrderedPosition, salt: int) -> OtherForm | None:
    """Leave out what says to hold, or write it, as long as each power still orders something (4.D.9)."""
    if ordered.phase != "movement":
        return None
    powers = {given.power for given in ordered.orders}
    holds = [given for given in _alone(ordered) if isinstance(given.order, Hold)]
    if holds and salt % 2:
        left = tuple(given for given in ordered.orders if given not in holds)
        loses_a_power = {given.power for given in left} != powers
        return None if loses_a_power else OtherForm(ordered._replace(orders=left))
    written = tuple(
        GivenOrder(unit.power, Hold(OrderedUnit(unit.location, unit.type)))
        for unit in units_without_order(ordered)
        if unit.power in powers
    )
    return OtherForm(ordered._replace(orders=(*ordered.orders, *written))) if written else None


def _as_it_is(ordered: OrderedPosition, _salt: int, style: Style = "codes") -> OtherForm:
    return OtherForm(ordered, style)


RELATIONS: Mapping[str, Relation] = {
    "shuffled": Relation(
        "the answer depends on the order in which orders are given", "with the orders in another sequence", _shuffled
    ),
    "powers": Relation(
        "the answer depends on the names of the powers", "with other names of the powers", _other_powers
    ),
    "far-unit": Relation("a unit far away changes the answer", "with a unit far away", _far_unit),
    "repeated": Relation("an order that is given twice changes the answer", "with an order given twice", _repeated),
    "holds": Relation(
        "a hold that is written or left out changes the answer", "with a hold written or left out", _holds
    ),
    "notation": Relation(
        "the way in which orders are written changes the answer",
        "with the orders written in full",
        partial(_as_it_is, style="names"),
    ),
    "again": Relation("the same question, asked again, has another answer", "word for word", _as_it_is),
}
RESULTS_CONTRADICT_BOARD = "the results that it tells of orders do not fit its board"


def own_contradiction(ordered: OrderedPosition, played: Played) -> str:
    """Say so where a possible board contradicts what is said of moves; empty where it does not."""
    moved = played[0].answer
    if ordered.phase != "movement" or played[0].impossible or not isinstance(moved, Answer) or moved.outcomes is None:
        return ""
    standing = {province_code(unit.location): unit for unit in ordered.units}
    orders_to = Counter(unit.location for given in ordered.orders if (unit := ordered_unit(given)))
    arrived = {(unit.power, unit.type, province_code(unit.location)) for unit in moved.units}
    for (_, order), said in zip(ordered.orders, moved.outcomes, strict=True):
        # Of the orders to one unit only one may count.
        succeeds = said is not None and said.outcome == "succeeds"
        if isinstance(order, Move) and succeeds and orders_to[order.unit.location] == 1:
            mover, to = standing.get(province_code(order.unit.location)), province_code(order.to)
            if mover and to != province_code(mover.location) and (mover.power, mover.type, to) not in arrived:
                return RESULTS_CONTRADICT_BOARD
    return ""
