"""Boards that cannot exist: they are recognised before anything is compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from ...reference_engine import Unit, UnitType, province_code, standard_board
from .answer import Answer, PhaseInput
from .differences import Fact

_MOST = 20
"""Facts of one answer: more would tell nobody more."""


def find_impossible(asked: PhaseInput, answer: Answer) -> tuple[Fact, ...]:
    """Find what makes an answer impossible. A missing unit does not: it may be dislodged and have no retreat.

    Args:
        asked: The position before the phase, with its orders.
        answer: What was answered.

    Returns:
        Facts of `IMPOSSIBLE_KINDS`, each once, the first 20 of them; empty where the board can exist.
    """
    dislodged = tuple(entry.unit for entry in answer.dislodged or ())
    if _is_plain(asked, answer.standing, dislodged):
        return ()
    found = dict.fromkeys([*_impossible_boards(answer.units, dislodged), *_from_nowhere(asked, answer, dislodged)])
    return tuple(found)[:_MOST]


def _is_plain(asked: PhaseInput, units: Sequence[Unit], dislodged: Sequence[Unit]) -> bool:
    """Whether a board is possible at first sight: a fast check of the usual case."""
    before, standing, beside = set(asked.units), set(units), set(dislodged)
    if len(before) < len(asked.units) or len(standing) < len(units) or len(beside) < len(dislodged):
        return False
    came, gone = standing - before, before - standing
    if not came and not beside:
        return True
    # The first three letters are the province: `province_code` would take most of the time of this check.
    if asked.phase == "adjustment" or not beside <= gone or len({unit[2][:3] for unit in units}) < len(units):
        return False
    left = [unit[:2] for unit in gone - beside] + [entry.unit[:2] for entry in asked.dislodged or ()]
    return _all_came_from(left, came)


def _all_came_from(left: list[tuple[str, UnitType]], came: Iterable[Unit]) -> bool:
    """Whether each newcomer stands where it can, and is one of the units that left, by power and type."""
    places = _places()
    for power, unit_type, location in came:
        if (power, unit_type) not in left or (unit_type, location) not in places:
            return False
        left.remove((power, unit_type))
    return True


@cache
def _places() -> frozenset[tuple[str, str]]:
    """Return where units can stand, by their types."""
    board = standard_board()
    return frozenset((kind, place) for kind in ("A", "F") for place in board.locations if board.can_stand(kind, place))


def _impossible_boards(units: Sequence[Unit], dislodged: Sequence[Unit]) -> Iterable[Fact]:
    """What is impossible wherever the units came from."""
    board = standard_board()
    for unit in (*units, *dislodged):
        if unit.power not in board.powers or not board.can_stand(unit.type, unit.location):
            yield Fact("impossible-place", unit)
    for standing in (units, dislodged):
        for unit, count in Counter(standing).items():
            if count > 1:
                yield Fact("unit-twice", unit, "once", f"{count} times")
        by_province: dict[str, Unit] = {}
        for unit in dict.fromkeys(standing):
            first = by_province.setdefault(province_code(unit.location), unit)
            if first != unit:
                yield Fact("province-twice", unit, "alone", f"with {first.power} {first.type} {first.location}")
    for unit in sorted(set(units).intersection(dislodged)):
        yield Fact("standing-and-dislodged", unit, "one of the two", "both")


def _from_nowhere(asked: PhaseInput, answer: Answer, dislodged: Sequence[Unit]) -> Iterable[Fact]:
    """The units that cannot come from anywhere on the board before: as many of a power and type as there were."""
    before = [*asked.units, *(entry.unit for entry in asked.dislodged or ())]
    for unit in dislodged:
        if unit not in before:
            yield Fact("dislodged-from-nowhere", unit, "a unit on the board before", "none like it")
    left = Counter((unit.power, unit.type) for unit in before)
    if asked.phase == "adjustment":
        yield from _built_from_nowhere(asked, answer)
        return
    standing, stood = set(answer.units), set(before)
    gone = Counter((unit.power, unit.type) for unit in set(dislodged) & stood - standing)
    # Those that stand where they stood are surely the same; a newcomer is the one that is too many.
    for unit in sorted(dict.fromkeys(answer.units), key=lambda unit: unit not in stood):
        kind = (unit.power, unit.type)
        if left[kind] - gone[kind] <= 0:
            yield Fact("unit-from-nowhere", unit, "no more units than before", "one more")
        left[kind] -= 1


def _built_from_nowhere(asked: PhaseInput, answer: Answer) -> Iterable[Fact]:
    """Before an adjustment phase: the new units of a power that wrote fewer orders than it has new units."""
    orders = Counter(writing.power for writing in asked.submission.writings)
    for unit in dict.fromkeys(answer.units):
        if unit not in asked.units:
            orders[unit.power] -= 1
            if orders[unit.power] < 0:
                yield Fact("unit-from-nowhere", unit, "an order to build it", "none")
