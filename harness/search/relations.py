"""Metamorphic relations: what should make no difference to an engine's answer. They need no second engine."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial
from itertools import count, cycle, islice
from random import Random
from typing import NamedTuple

from ...reference_engine import (
    GivenOrder,
    Hold,
    Move,
    OrderedUnit,
    Position,
    Unit,
    province_code,
    standard_board,
)
from ...reference_engine.board import Province
from ...reference_engine.notation import Style
from ..bugs.battles import random_battles
from ..bugs.generate import random_adjustments, random_movements, with_retreats
from ..bugs.terrain import PROFILES, locations_of, with_names
from ..play.answer import Answer, AnswerOrFailure, Failure
from ..play.differential import Played, agree, ask, supported
from ..play.positions import (
    OrderedPosition,
    order_text,
    ordered_province,
    ordered_unit,
    units_without_order,
    without_units,
)
from ..play.session import Adjudicator, play

_FAR = 4
"""Steps between a unit that is added and everything that a position names."""
_BESIDE = 2
"""Steps from which a unit that holds is in nobody's way, also of a unit that retreats."""
_LATE = 1914
_MOST_IN_GAMES = 34
"""A game has no more units than supply centers."""
_ASKED_EACH_TIME = 3
"""So often the same is asked before a restart, and after it."""
_LATER = 105
"""Questions from the first to the last of those by which an engine is found whose answers change in time."""


class OtherForm(NamedTuple):
    """A position in another form, and how its answer differs from that to the first."""

    ordered: OrderedPosition
    style: Style = "codes"
    powers: Mapping[str, str] = {}
    added: tuple[Unit, ...] = ()
    """Units that should stand there still."""
    left_out: Collection[Unit] = ()

    def expected(self, answered: AnswerOrFailure) -> AnswerOrFailure:
        """Return what should be answered, after what was answered to the first."""
        if isinstance(answered, Failure):
            return answered
        dislodged = answered.dislodged and tuple(
            sorted(entry._replace(unit=self._renamed(entry.unit)) for entry in answered.dislodged)
        )
        stay = (unit for unit in answered.standing if unit not in self.left_out)
        standing = (*map(self._renamed, stay), *self.added)
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
    ask: Callable[[Adjudicator, OtherForm], Played] = lambda adjudicator, form: ask(
        adjudicator, form.ordered, form.style
    )
    """Ask the other form. Raises as `ask` of `differential` does."""


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


def _away_from(ordered: OrderedPosition, steps: int) -> list[Province]:
    """The provinces that are so many steps from everything that a position names."""
    board = ordered.position.board
    named = [board.number[code] for code in map(province_code, locations_of(ordered)) if code in board.number]
    return [
        province
        for number, province in enumerate(board.provinces)
        if all(board.distances[number][other] >= steps for other in named)
    ]


def _far_unit(ordered: OrderedPosition, salt: int) -> OtherForm | None:
    """Add a unit that holds, so far away that nothing can reach it."""
    far = [province.code for province in _away_from(ordered, _FAR) if province.terrain == "inland"]
    if ordered.phase != "movement" or not far or not ordered.units:
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


def _crowd(ordered: OrderedPosition, salt: int) -> OtherForm | None:
    """Add as many units that hold as a game can have, where none of them is in the way; or leave those out."""
    if ordered.phase != "movement" or not ordered.units:
        return None
    if salt % 2 and (idle := _bystanders(ordered)):
        provinces = [province_code(unit.location) for unit in idle]
        return OtherForm(without_units(ordered, provinces), left_out=idle)
    owners = cycle(dict.fromkeys(unit.power for unit in ordered.units))
    added = [
        Unit(next(owners), "F" if province.terrain == "sea" else "A", province.code)
        for province in _away_from(ordered, _BESIDE)
    ][: max(0, _MOST_IN_GAMES - len(ordered.units))]
    orders = [GivenOrder(unit.power, Hold(OrderedUnit(unit.location, unit.type))) for unit in added]
    crowded = ordered._replace(orders=(*ordered.orders, *orders)).with_units((*ordered.units, *added))
    return OtherForm(crowded, added=tuple(added)) if added else None


def _bystanders(ordered: OrderedPosition) -> Sequence[Unit]:
    """The units that hold, or have no order, where they are in the way of none of the others."""
    busy = tuple(given for given in ordered.orders if not isinstance(given.order, Hold))
    provinces = {ordered_province(given.order) for given in busy}
    movers = [unit for unit in ordered.units if province_code(unit.location) in provinces]
    away = _away_from(ordered._replace(orders=busy).with_units(movers), _BESIDE) if movers else ()
    far = {province.code for province in away}
    return [unit for unit in ordered.units if province_code(unit.location) in far]


def _in_another_season(ordered: OrderedPosition, _salt: int) -> OtherForm | None:
    return None if ordered.phase == "adjustment" else OtherForm(ordered._replace(autumn=not ordered.autumn))


def _in_another_year(ordered: OrderedPosition, _salt: int) -> OtherForm:
    first = ordered.position.board.first_year
    return OtherForm(ordered._replace(year=_LATE if ordered.year == first else first))


def _list_otherwise(adjudicator: Adjudicator, form: OtherForm) -> Played:
    """Ask with the units, and the powers that own centers, in the reverse order."""
    first, *later = form.ordered.phases()
    first = first._replace(
        units=first.units[::-1], centers={power: first.centers[power] for power in reversed(list(first.centers))}
    )
    return supported(play(adjudicator, [first, *later]))


def _in_turn(adjudicator: Adjudicator, form: OtherForm) -> Played:
    """Ask the phases of a game by turns with those of another one."""
    other = play(adjudicator, first_positions()[1].phases())
    return supported([(played, next(other, None))[0] for played in play(adjudicator, form.ordered.phases())])


def _after_restart(adjudicator: Adjudicator, form: OtherForm) -> Played:
    """Ask before and after a restart; nothing where it cannot be restarted, or answers at random."""

    def steady() -> Played:
        first, *others = [ask(adjudicator, form.ordered) for _ in range(_ASKED_EACH_TIME)]
        return first if all(agree(first, each) for each in others) else ()

    return steady() if steady() and adjudicator.restart() else ()


def _with_retreats(ordered: OrderedPosition, _salt: int) -> OtherForm | None:
    return None if ordered.retreats is None else OtherForm(ordered)


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
    "later": Relation("answers change in time", f"word for word, among {_LATER} questions", _as_it_is),
    "again": Relation("the same question, asked again, has another answer", "word for word", _as_it_is),
    "season": Relation("the season changes the answer", "in another season", _in_another_season),
    "year": Relation("the year changes the answer", "in another year", _in_another_year),
    "listed": Relation(
        "the answer depends on the order in which units are listed",
        "with the units in the reverse order",
        _as_it_is,
        _list_otherwise,
    ),
    "crowd": Relation(
        "units that have nothing to do with it change the answer, where there are many",
        "with as many units as a game can have, or without those that only hold",
        _crowd,
    ),
    "games": Relation(
        "two games that are asked by turns get mixed up",
        "with the phases of another game between its own",
        _with_retreats,
        _in_turn,
    ),
    "restart": Relation(
        "the same question has another answer after a restart",
        "word for word, after a restart",
        _as_it_is,
        _after_restart,
    ),
}
DRAWN = ("shuffled", "powers", "far-unit", "repeated", "holds", "notation", "again")
"""The relations that positions of a hunt are drawn for; all of them are asked first of all of a few positions."""
UNSTABLE = frozenset({"again", "later", "games", "restart"})
"""An engine that breaks one of these does not answer by what it is asked alone."""
_OF_BATTLES, _FIRST_BATTLES = ("shuffled", "shuffled", "powers", "season", "year", "crowd"), 4
"""The relations that are asked first of positions with battles, and of how many."""
_FIRST, _FIRST_ADJUSTMENT = (759, 679), 205
"""What the positions are drawn by of which an engine is asked first.

In the movements are convoys, supports that are cut, stand-offs and dislodged units with retreats; in the adjustment
builds, removals and waived builds.
"""


@cache
def first_positions() -> Sequence[OrderedPosition]:
    """Return the positions of which an engine is asked first whether it keeps the relations."""
    rngs = map(Random, _FIRST)
    profile = PROFILES["convoy-knots"]
    movements = [with_retreats(rng, random_movements(rng, profile, "dislodgement", 2.0)) for rng in rngs]
    return (*movements, random_adjustments(Random(_FIRST_ADJUSTMENT)))  # noqa: S311 - positions, not secrets


@cache
def _battles() -> Sequence[OrderedPosition]:
    """Return positions in which each order decides something: what changes one, or depends on it, shows."""
    drawn = (random_battles(0, number, Random(number)) for number in count())  # noqa: S311 - positions, not secrets
    return [*islice((ordered for ordered in drawn if ordered.phase == "movement"), _FIRST_BATTLES)]


@cache
def moves_everywhere() -> Sequence[OrderedPosition]:
    """Return positions in which units move to each place of the board, so that each is named in an order that shows."""
    board, left = standard_board(), dict.fromkeys(standard_board().locations)
    found: list[OrderedPosition] = []
    while left:
        used: set[str] = set()
        moves: list[tuple[Unit, str]] = []
        for origin in board.locations:
            kind = "A" if board.can_stand("A", origin) else "F"
            to = next(
                (to for to in board.destinations(Unit("ITALY", kind, origin)) if to in left and to[:3] not in used), ""
            )
            if to and origin[:3] not in used:
                used |= {origin[:3], to[:3]}
                moves.append((Unit("ITALY", kind, origin), to))
        orders = [GivenOrder("ITALY", Move(OrderedUnit(unit.location, unit.type), to)) for unit, to in moves]
        found.append(OrderedPosition(Position([unit for unit, _ in moves]), tuple(orders)))
        for _, to in moves:
            _ = left.pop(to)
    return found


@cache
def first_questions() -> Sequence[tuple[str, OrderedPosition, int]]:
    """Return what an engine is asked first: relations, with the position of which each is asked and in which form."""
    one, other, adjustment = first_positions()
    of_movements = ("season", "year", "shuffled", "shuffled", "shuffled", "listed", "powers", "crowd", "notation")
    every = [("restart", one), ("later", one._replace(retreats=None)), ("again", one), ("games", one)]
    every += [(relation, ordered) for ordered in (one, other) for relation in of_movements]
    every += [(relation, adjustment) for relation in ("year", "shuffled", "listed", "notation")]
    every += [(relation, ordered) for ordered in _battles() for relation in _OF_BATTLES]
    every += [("notation", ordered) for ordered in moves_everywhere()]
    return [(relation, ordered, salt) for salt, (relation, ordered) in enumerate(every)]


class Change(NamedTuple):
    """A question whose answer changed in time."""

    ordered: OrderedPosition
    before: Played
    now: Played
    sentence: str


def find_change(adjudicator: Adjudicator, ordered: OrderedPosition) -> Change | None:
    """Ask a question and a few others by turns, and find from which request on the answers are others.

    It is started again first, where it can be, so that nothing that was asked before counts. Raises as `ask` does. What
    an engine gives no answer to says nothing.
    """
    _ = adjudicator.restart()
    asked = [ordered, *(each._replace(retreats=None) for each in first_positions()[:2])]
    asked = list(dict.fromkeys(asked))
    first: dict[int, Played] = {}
    same: dict[int, int] = {}
    """The last request to which each question still had its first answer."""
    changed: dict[int, tuple[int, Played]] = {}
    for turn, question in islice(enumerate(cycle(asked)), _LATER):
        number = turn % len(asked)
        said = ask(adjudicator, question)
        request = adjudicator.answered
        if not said or isinstance(said[-1].answer, Failure):
            return None
        if agree(first.setdefault(number, said), said):
            same[number] = request
        else:
            _ = changed.setdefault(number, (request, said))
    if not changed:
        return None
    since, until = max(same[number] for number in changed), min(request for request, _ in changed.values())
    number = min(changed, key=lambda each: changed[each][0])
    found = Change(asked[number], first[number], changed[number][1], RELATIONS["again"].sentence)
    if since > until:  # Some had their first answer again.
        return found
    when = f"from the {_ordinal(until)} request on" if since + 1 == until else f"after {since} to {until - 1} requests"
    return found._replace(sentence=f"answers change {when}")


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ending}"


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
