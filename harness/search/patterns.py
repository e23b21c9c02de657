"""What positions have in common, in any place and for any power: who does what to whom, and what went wrong.

A pattern is a text, the same for positions that are alike. A shape is looked for in larger positions.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...reference_engine import OrderedUnit, Unit, province_code
from ...reference_engine.orders import Convoy, GivenOrder, Hold, Move, Order, SupportHold, SupportMove, Waive
from ..play.answer import Failure
from ..play.differences import FactKind, Fate, board_facts, diff_answers, expect_answer, fate_of
from ..play.differential import Played
from ..play.positions import OrderedPosition, helped_unit, ordered_province

_MOST_TRIES = 500
ALSO_RETREATS = "and retreats"
_FATES: Mapping[Fate, str] = {"moves": "goes", "stays": "stays", "is dislodged": "dislodged"}
_TOO_MANY: Mapping[FactKind, int] = {
    "retreat-missing": -1,
    "retreat-unexpected": 1,
    "dislodgement-missing": -1,
    "dislodgement-unexpected": 1,
}
"""Whether a fact is about a retreat too few, or one too many."""
_FEWEST, MOST = 3, 10
"""A disagreement of fewer units shows in too much that has another cause; one of more takes too long to look for."""
_MOST_STEPS = 20_000
_WORDS: Mapping[type[Order], str] = {Hold: "H", Move: "-", SupportHold: "S", SupportMove: "S", Convoy: "C"}


class Wrong(NamedTuple):
    """What is wrong with what happened to a unit."""

    expected: Fate
    said: Fate
    retreats: str = ""
    """Where only its retreats are wrong when it is dislodged: whether there are too many, too few, or others."""


def pattern(ordered: OrderedPosition, expected: Played, said: Played) -> str:
    """Write a position with letters for places and numbers for powers; in brackets, what is expected and said."""
    if ordered.phase == "adjustment":
        kinds = sorted({"?" if given.order is None else type(given.order).__name__.lower() for given in ordered.orders})
        return f"after an adjustment phase with {', '.join(kinds) or 'no'} orders"
    orders, wrong = _orders_by_province(ordered), dict[Unit, str]()
    for unit, (mine, theirs, retreats) in fates(ordered, expected, said).items():
        wrong[unit] = f" [retreats {retreats}]" if retreats else f" [{_FATES[mine]}, {_FATES[theirs]}]"
    looks: dict[Unit, tuple[str, ...]] = {}
    """What can be said of units without naming a place or a power."""
    for unit in ordered.units:
        kinds = [_kind(given.order) for given in orders.get(province_code(unit.location), ())]
        looks[unit] = (unit.type, wrong.get(unit, ""), *sorted(kinds))
    # Those that look alike are tried in every order.
    units = sorted(ordered.units, key=lambda unit: (looks[unit], unit))
    groups = [itertools.permutations(alike) for _, alike in itertools.groupby(units, key=lambda unit: looks[unit])]
    tries = itertools.islice(itertools.product(*groups), _MOST_TRIES)
    return min(_write(list(itertools.chain(*several)), ordered, orders, wrong) for several in tries)


def named_provinces(order: Order | None) -> Iterator[str]:
    """Give the provinces that an order names beside that of its unit: of the unit that it helps, and where one goes."""
    if helped := helped_unit(order):
        yield province_code(helped.location)
    if isinstance(order, (Move, SupportMove, Convoy)):
        yield province_code(order.to)


def _orders_by_province(ordered: OrderedPosition) -> Mapping[str, Sequence[GivenOrder]]:
    found: dict[str, list[GivenOrder]] = {}
    for given in ordered.orders:
        found.setdefault(ordered_province(given.order), []).append(given)
    return found


def _kind(order: Order | None) -> str:
    return type(order).__name__ + (" VIA" if isinstance(order, Move) and order.via_convoy else "")


def _write(
    units: Sequence[Unit],
    ordered: OrderedPosition,
    orders: Mapping[str, Sequence[GivenOrder]],
    wrong: Mapping[Unit, str],
) -> str:
    places: dict[str, str] = {}
    powers: dict[str, str] = {}

    def place(location: str) -> str:
        province, _, coast = location.partition("/")
        number = len(places)
        letter = places.setdefault(province, chr(ord("a") + number) if number < 26 else f"z{number}")
        return f"{letter}/c" if coast else letter

    def power(code: str) -> str:
        return powers.setdefault(code, str(len(powers) + 1))

    def named(unit: OrderedUnit) -> str:
        return f"{unit.type or ''} {place(unit.location)}".strip()

    def written(order: Order | None) -> str:
        if order is None or isinstance(order, Waive):
            return "?"
        text, helped = f"{named(order.unit)} {_WORDS.get(type(order), type(order).__name__)}", helped_unit(order)
        if helped is not None:
            text += f" {named(helped)}"
        if isinstance(order, (SupportMove, Convoy)):
            text += f" - {place(order.to)}"
        elif isinstance(order, Move):
            text += f" {place(order.to)}" + (" VIA" if order.via_convoy else "")
        return text

    lines: list[str] = []
    for unit in units:
        own = orders.get(province_code(unit.location), ())
        for given in own:
            stranger = "" if given.power == unit.power else f" by {power(given.power)}"
            lines.append(f"{power(unit.power)}: {written(given.order)}{stranger}{wrong.get(unit, '')}")
        if not own:
            lines.append(f"{power(unit.power)}: {unit.type} {place(unit.location)}{wrong.get(unit, '')}")
    homes = {province_code(unit.location) for unit in units}
    without_unit = [given for given in ordered.orders if ordered_province(given.order) not in homes]
    lines += sorted(f"{power(given.power)}: {written(given.order)}" for given in without_unit)
    if ordered.retreats is not None:
        lines.append(ALSO_RETREATS)
    return "; ".join(lines)


def fates(ordered: OrderedPosition, expected: Played, said: Played) -> Mapping[Unit, Wrong]:
    """For each unit whose movement differs, return what is expected and what is said of it."""
    one, other = expected[0].answer, said[0].answer
    if ordered.phase != "movement" or isinstance(one, Failure) or isinstance(other, Failure):
        return {}
    orders = _orders_by_province(ordered)
    found: dict[Unit, Wrong] = {}
    for unit in ordered.units:
        own = [given.order for given in orders.get(province_code(unit.location), ())]
        to = {province_code(order.to) for order in own if isinstance(order, Move)}
        mine, theirs = fate_of(unit, to, one), fate_of(unit, to, other)
        if mine != theirs:
            found[unit] = Wrong(mine, theirs)
    too_many: dict[Unit, int] = {}
    for fact in board_facts(diff_answers(expect_answer(one), other)):
        if fact.unit is not None and fact.unit not in found and fact.kind in _TOO_MANY:
            too_many[fact.unit] = too_many.get(fact.unit, 0) + _TOO_MANY[fact.kind]
    for unit, count in too_many.items():
        retreats = "too many" if count > 0 else "too few" if count < 0 else "others"
        found[unit] = Wrong("is dislodged", "is dislodged", retreats)
    return found


class UnitLine(NamedTuple):
    """What a unit does."""

    kind: str
    power: str
    places: tuple[str, ...]
    wrong: Wrong | tuple[()]
    """What happened to it that should not have; empty where nothing."""


Shape = Sequence[UnitLine]
"""What all units of a position do, those first whose movement is wrong."""


def shape(ordered: OrderedPosition, expected: Played, said: Played) -> Shape:
    """Take from a disagreement what matters for comparing it with others."""
    wrong, orders = fates(ordered, expected, said), _orders_by_province(ordered)
    lines: list[UnitLine] = []
    for unit in ordered.units:
        province = province_code(unit.location)
        order = orders[province][0].order if province in orders else None
        kind, places = "" if order is None else _kind(order), (province, *named_provinces(order))
        lines.append(UnitLine(kind, unit.power, places, wrong.get(unit, ())))
    return sorted(lines, key=lambda line: (not line.wrong, line))


def shows_in(small: Shape, large: Shape) -> bool:
    """Whether units of the larger one do what all of the smaller one do, in some places and for some powers.

    What belongs to one power there belongs to one power here; what belongs to two may belong to one. One of more than
    `MOST` units is not looked for, and neither is one that takes too long to find.
    """
    steps = itertools.count(1)

    def match(small: Shape, large: Shape, places: Mapping[str, str], powers: Mapping[str, str]) -> bool:
        if not small or next(steps) > _MOST_STEPS:
            return not small
        line, *rest = small
        for index, other in enumerate(large):
            if line.wrong not in ((), other.wrong) or not other.kind.startswith(line.kind):
                continue
            if len(line.places) != len(other.places) or powers.get(line.power, other.power) != other.power:
                continue
            joined = dict(places)  # One name for each.
            if any(joined.setdefault(mine, its) != its for mine, its in zip(line.places, other.places, strict=True)):
                continue
            left, ours = [*large[:index], *large[index + 1 :]], {**powers, line.power: other.power}
            if len(set(joined.values())) == len(joined) and match(rest, left, joined, ours):
                return True
        return False

    return _FEWEST <= len(small) <= min(MOST, len(large)) and match(small, large, {}, {})
