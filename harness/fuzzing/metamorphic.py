"""What an engine should answer alike, whoever is right: questions that need no second engine."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from ...reference_engine import (
    GivenOrder,
    Hold,
    Move,
    OrderedUnit,
    Unit,
    province_code,
    standard_board,
)
from ...reference_engine.notation import Style
from .answers import Answer, Said
from .moves import locations_of, with_powers
from .parties import Party, Statement, is_board
from .situation import Situation, order_text, ordered_unit

_FAR = 4
"""Steps between a unit that is added and everything that a situation names."""


@dataclass(frozen=True)
class Question:
    """A situation put otherwise, and how its answer differs from that to the first."""

    situation: Situation
    style: Style = "codes"
    powers: Mapping[str, str] = field(default_factory=dict[str, str])
    """The new names of the powers."""
    added: tuple[Unit, ...] = ()
    """Units that should stand there still."""

    def expected(self, said: Said) -> Said:
        """What should be answered, after what was answered to the first."""
        if not isinstance(said, Answer):
            return said
        named = [unit._replace(power=self.powers.get(unit.power, unit.power)) for unit in said.units]
        return said._replace(units=tuple(sorted((*named, *self.added))))


class Relation(NamedTuple):
    """Something that should make no difference."""

    sentence: str
    """What is wrong with an engine to which it does."""
    put_otherwise: Callable[[Situation, int], Question | None]
    """The same situation put otherwise; a number says which way. `None` where it cannot be."""


def _shuffled(situation: Situation, salt: int) -> Question | None:
    """Sort the orders by a hash, so that those that stay are in the same order when others are left out.

    The orders to one unit, and all adjustments of one power, stay in their order: the rules may tell the first from
    the last of them (4.D.3 to 4.D.5).
    """
    if len(situation.orders) < 2:
        return None
    shuffled = sorted(situation.orders, key=lambda given: _hash(given, salt))
    waiting: dict[object, list[GivenOrder]] = {}
    for given in reversed(situation.orders):
        waiting.setdefault(_rival(given, situation), []).append(given)
    return Question(situation._replace(orders=tuple(waiting[_rival(given, situation)].pop() for given in shuffled)))


def _rival(given: GivenOrder, situation: Situation) -> object:
    """What orders have in common of which only one may count."""
    unit = ordered_unit(given)
    return given.power if situation.position.phase != "movement" or unit is None else province_code(unit.location)


def _hash(given: GivenOrder, salt: int) -> int:
    return zlib.crc32(f"{salt} {given.power} {order_text(given)}".encode())


def _other_powers(situation: Situation, salt: int) -> Question | None:
    powers = list(standard_board().powers)
    if situation.position.phase != "movement":
        return None  # In adjustments a power has a home.
    others = Random(salt).sample(powers, len(powers))  # noqa: S311 - names, not secrets
    names = dict(zip(powers, others, strict=True))
    return Question(with_powers(situation, names), powers=names)


def _far_unit(situation: Situation, salt: int) -> Question | None:
    """Add a unit that holds, so far away that nothing can reach it."""
    board = standard_board()
    if situation.position.phase != "movement":
        return None
    named = [board.number[code] for code in map(province_code, locations_of(situation)) if code in board.number]
    far = [
        province.code
        for number, province in enumerate(board.provinces)
        if province.terrain == "inland" and all(board.distances[number][other] >= _FAR for other in named)
    ]
    if not far or not situation.units:
        return None
    place = far[salt % len(far)]
    unit = Unit(situation.units[salt % len(situation.units)].power, "A", place)
    orders = (*situation.orders, GivenOrder(unit.power, Hold(OrderedUnit(place, "A"))))
    return Question(situation._replace(orders=orders).with_units((*situation.units, unit)), added=(unit,))


def _repeated(situation: Situation, salt: int) -> Question | None:
    """Give a unit's only order twice, word for word (DATC 4.D.3: the same order counts once)."""
    if situation.position.phase != "movement":
        return None
    rivals = Counter(_rival(given, situation) for given in situation.orders)
    alone = [given for given in situation.orders if rivals[_rival(given, situation)] == 1]
    if not alone:
        return None
    again = min(alone, key=lambda given: _hash(given, salt))
    return Question(situation._replace(orders=(*situation.orders, again)))


def _holds(situation: Situation, salt: int) -> Question | None:
    """Leave out what says to hold, or write it, as long as each power still orders something (4.D.9)."""
    if situation.position.phase != "movement":
        return None
    rivals = Counter(_rival(given, situation) for given in situation.orders)
    holds = [
        given for given in situation.orders if isinstance(given.order, Hold) and rivals[_rival(given, situation)] == 1
    ]
    if holds and salt % 2:
        left = tuple(given for given in situation.orders if given not in holds)
        lost = {given.power for given in situation.orders} - {given.power for given in left}
        return None if lost else Question(situation._replace(orders=left))
    powers = {given.power for given in situation.orders}
    ordered = {province_code(unit.location) for given in situation.orders if (unit := ordered_unit(given))}
    written = tuple(
        GivenOrder(unit.power, Hold(OrderedUnit(unit.location, unit.type)))
        for unit in situation.units
        if province_code(unit.location) not in ordered and unit.power in powers
    )
    return Question(situation._replace(orders=(*situation.orders, *written))) if written else None


def _other_notation(situation: Situation, salt: int) -> Question | None:
    _ = salt
    return Question(situation, style="names")


def _again(situation: Situation, salt: int) -> Question | None:
    _ = salt
    return Question(situation)


RELATIONS: Mapping[str, Relation] = {
    "shuffled": Relation("the answer depends on the order in which orders are given", _shuffled),
    "powers": Relation("the answer depends on the names of the powers", _other_powers),
    "far-unit": Relation("a unit far away changes the answer", _far_unit),
    "repeated": Relation("an order that is given twice changes the answer", _repeated),
    "holds": Relation("a hold that is written or left out changes the answer", _holds),
    "notation": Relation("the way in which orders are written changes the answer", _other_notation),
    "again": Relation("the same question, asked again, has another answer", _again),
}
"""What should make no difference, by name."""
FITS = "the results that it tells of orders do not fit its board"
NO_BOARD = "its answer is no board: a unit is lost or doubled, or two stand in one province"
OWN_CONTRADICTIONS = frozenset({FITS, NO_BOARD})


class Contradiction(NamedTuple):
    """What an engine said, and what it should have said after what it said before."""

    expected: Statement
    said: Statement
    sentence: str


def contradiction(
    party: Party, situation: Situation, relation: str, salt: int, agree: Callable[[Statement, Statement], bool]
) -> Contradiction | None:
    """Ask a party twice, or look at one answer, and find where it contradicts itself."""
    first = party.ask(situation)
    if first is None or not isinstance(first.last, Answer):
        return None
    sentence = own_contradiction(situation, first)
    if sentence:
        return Contradiction(first, first, sentence)
    question = RELATIONS[relation].put_otherwise(situation, salt)
    if question is None:
        return None
    second = party.ask(question.situation, question.style)
    if second is None:
        return None
    expected = first._replace(said=tuple(map(question.expected, first.said)))
    if agree(expected, second):
        return None
    return Contradiction(expected, second, RELATIONS[relation].sentence)


def own_contradiction(situation: Situation, statement: Statement) -> str:
    """Find where one answer contradicts itself; empty where it does not."""
    moved = statement.said[0]
    if situation.position.phase != "movement" or not isinstance(moved, Answer):
        return ""
    if not is_board(moved) or not _is_complete(situation, moved):
        return NO_BOARD
    return "" if _results_fit(situation, moved, statement) else FITS


def _is_complete(situation: Situation, answer: Answer) -> bool:
    """Whether no unit came from nowhere. That one is missing says nothing: it may have had no retreat."""
    before = sorted((unit.power, unit.type) for unit in situation.units)
    for unit in answer.units:
        if unit[:2] not in before:
            return False
        before.remove(unit[:2])
    return True


def _results_fit(situation: Situation, answer: Answer, statement: Statement) -> bool:
    """Whether moves that are told to succeed arrived, and others did not."""
    results = statement.result.orders if statement.result is not None else None
    if results is None:
        return True
    for given, result in zip(situation.orders, results, strict=True):
        order = given.order
        if result is None or not isinstance(order, Move):
            continue
        mover = [unit for unit in situation.units if province_code(unit.location) == province_code(order.unit.location)]
        others = [
            other
            for other in situation.orders
            if (unit := ordered_unit(other)) and unit.location == order.unit.location
        ]
        if len(mover) != 1 or len(others) != 1 or province_code(order.to) == province_code(mover[0].location):
            continue
        arrived = any(
            unit[:2] == mover[0][:2] and province_code(unit.location) == province_code(order.to)
            for unit in answer.units
        )
        if result.outcome == "succeeds" and not arrived:
            return False
    return True
