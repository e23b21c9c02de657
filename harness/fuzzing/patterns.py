"""What positions have in common, whatever their places and powers: who does what to whom, and what became of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from ...reference_engine import (
    Convoy,
    Hold,
    Move,
    Order,
    OrderedUnit,
    SupportHold,
    SupportMove,
    Unit,
    Waive,
    province_code,
)
from .answers import Answer, retreat_differences
from .parties import Statement
from .situation import Situation, ordered_unit

_MOST_TRIES = 500
ALSO_RETREATS = "and retreats"
_WORDS: Mapping[type[Order], str] = {Hold: "H", Move: "-", SupportHold: "S", SupportMove: "S", Convoy: "C"}


def pattern(situation: Situation, expected: Statement, said: Statement) -> str:
    """Write a situation with letters for places and numbers for powers, the same for all that are alike.

    What differs stands in brackets behind a unit: what is expected of it, and what the engine has it do.
    """
    if situation.position.phase == "adjustment":
        kinds = sorted(
            {"?" if given.order is None else type(given.order).__name__.lower() for given in situation.orders}
        )
        return f"after an adjustment phase with {', '.join(kinds) or 'no'} orders"
    wrong = fates(situation, expected, said)
    units = _in_canonical_order(situation, wrong)
    return min(_write(order, situation, wrong) for order in units)


def _in_canonical_order(situation: Situation, wrong: Mapping[Unit, str]) -> Iterable[Sequence[Unit]]:
    """The orders of the units that have to be tried: those that look alike in every order."""
    looks = {unit: _look(unit, situation, wrong) for unit in situation.units}
    units = sorted(situation.units, key=lambda unit: (looks[unit], unit))
    groups = [list(alike) for _, alike in itertools.groupby(units, key=lambda unit: looks[unit])]
    tries = itertools.product(*(itertools.permutations(group) for group in groups))
    for several in itertools.islice(tries, _MOST_TRIES):
        yield [unit for group in several for unit in group]


def _look(unit: Unit, situation: Situation, wrong: Mapping[Unit, str]) -> tuple[str, ...]:
    """What can be said of a unit without naming a place or a power."""
    texts: list[str] = []
    for given in situation.orders:
        named = ordered_unit(given)
        if named is not None and province_code(named.location) == province_code(unit.location):
            via = " VIA" if isinstance(given.order, Move) and given.order.via_convoy else ""
            texts.append(f"{type(given.order).__name__}{via}")
    return (unit.type, wrong.get(unit, ""), *sorted(texts))


def _write(units: Sequence[Unit], situation: Situation, wrong: Mapping[Unit, str]) -> str:
    """Write the units in this order."""
    places: dict[str, str] = {}
    powers: dict[str, str] = {}

    def place(location: str) -> str:
        province, _, coast = location.partition("/")
        letter = places.setdefault(province, _letter(len(places)))
        return f"{letter}/c" if coast else letter

    def power(code: str) -> str:
        return powers.setdefault(code, str(len(powers) + 1))

    def named(ordered: OrderedUnit) -> str:
        return f"{ordered.type or ''} {place(ordered.location)}".strip()

    def written(order: Order | None) -> str:
        if order is None or isinstance(order, Waive):
            return "?"
        text = f"{named(order.unit)} {_WORDS.get(type(order), type(order).__name__)}"
        match order:
            case Move():
                return f"{text} {place(order.to)}" + (" VIA" if order.via_convoy else "")
            case SupportHold():
                return f"{text} {named(order.supported)}"
            case SupportMove():
                return f"{text} {named(order.supported)} - {place(order.to)}"
            case Convoy():
                return f"{text} {named(order.convoyed)} - {place(order.to)}"
            case _:
                return text

    lines: list[str] = []
    for unit in units:
        own = [given for given in situation.orders if _is_for(given.order, unit)]
        for given in own:
            stranger = "" if given.power == unit.power else f" by {power(given.power)}"
            lines.append(f"{power(unit.power)}: {written(given.order)}{stranger}{wrong.get(unit, '')}")
        if not own:
            lines.append(f"{power(unit.power)}: {unit.type} {place(unit.location)}{wrong.get(unit, '')}")
    without_unit = [given for given in situation.orders if not any(_is_for(given.order, unit) for unit in units)]
    lines += sorted(f"{power(given.power)}: {written(given.order)}" for given in without_unit)
    if situation.retreats is not None:
        lines.append(ALSO_RETREATS)
    return "; ".join(lines)


def _is_for(order: Order | None, unit: Unit) -> bool:
    if order is None or isinstance(order, Waive):
        return False
    return province_code(order.unit.location) == province_code(unit.location)


def fates(situation: Situation, expected: Statement, said: Statement) -> Mapping[Unit, str]:
    """For each unit that they differ on, what is expected and what is said of it, in brackets."""
    one, other = expected.said[0], said.said[0]
    if situation.position.phase != "movement":
        return {}
    if not isinstance(one, Answer) or not isinstance(other, Answer):
        return {}
    found: dict[Unit, str] = {}
    for unit in situation.units:
        mine, theirs = _fate(unit, situation, one), _fate(unit, situation, other)
        if mine != theirs:
            found[unit] = f" [{mine}, {theirs}]"
    for province in retreat_differences(one, other):
        for unit in situation.units:
            if province_code(unit.location) == province and unit not in found:
                more = _count(other, province) - _count(one, province)
                found[unit] = f" [retreats {'too many' if more > 0 else 'too few' if more < 0 else 'others'}]"
    return found


def _count(answer: Answer, province: str) -> int:
    return len((answer.retreats or {}).get(province) or ())


def _fate(unit: Unit, situation: Situation, answer: Answer) -> str:
    """Whether a unit went, stayed, or is no longer on the board."""
    targets = {
        province_code(given.order.to)
        for given in situation.orders
        if isinstance(given.order, Move) and _is_for(given.order, unit)
    }
    there = {other.location for other in answer.units if other[:2] == unit[:2]}
    if unit.location in there:
        return "stays"
    return "goes" if targets & set(map(province_code, there)) else "dislodged"


def _letter(number: int) -> str:
    return chr(ord("a") + number) if number < 26 else f"z{number}"
