"""What was recorded as the answers of an adjudicator, also of a part of a position."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from ...reference_engine import Build, Dislodged, GivenOrder, Move, Retreat, Unit, province_code
from ..answers import Answer, PhaseInput
from ..archives import Turn
from ..asking import Played
from ..positions import OrderedPosition
from ..session import PlayedPhase, check_answer

NAME = "the archive"
"""What it is called beside engines."""


class Recorded(NamedTuple):
    """The recorded answers to the phases of a turn."""

    played: tuple[PlayedPhase | None, ...]
    """For each phase its answer; `None` where no result is recorded."""
    breaks: bool = False
    """Whether the retreats begin with another board than the movements ended with."""


def recorded_answers(turn: Turn, inputs: Sequence[PhaseInput], expected: Played) -> Recorded:
    """Return what was recorded of a turn, which is asked with these inputs, and what the reference answers to it.

    The board after the movements is that before the retreats where it is not recorded itself; so are the retreats.
    """
    answer = turn.first.answer
    if turn.retreat is None:
        return Recorded((answer and _checked(inputs[0], answer, expected[:1]),))
    before = turn.retreat
    if answer is None:
        answer = Answer(before.units, before.dislodged)
    elif answer.dislodged is None:
        answer = replace(answer, dislodged=before.dislodged)
    known = {entry.unit: entry for entry in before.dislodged}
    dislodged = tuple(
        known[each.unit] if each.retreats is None and each.unit in known else each for each in _of(answer)
    )
    answer = replace(answer, dislodged=dislodged)
    breaks = not answer.has_units(before.units)
    breaks = breaks or not known.keys() <= {entry.unit for entry in dislodged}
    after = before.answer and _checked(inputs[1].after(answer), before.answer, expected[1:])
    return Recorded((_checked(inputs[0], answer, expected[:1]), after), breaks)


def _checked(asked: PhaseInput, answer: Answer, expected: Played) -> PlayedPhase:
    """Check that the board of an answer can exist. One that the reference has, too, can: most are."""
    same = expected[0].answer if expected else None
    if isinstance(same, Answer) and same.has_units(answer.standing) and _are_among(answer.dislodged, same.dislodged):
        return PlayedPhase(asked, answer)
    return check_answer(asked, answer)


def _are_among(dislodged: Sequence[Dislodged] | None, others: Sequence[Dislodged] | None) -> bool:
    """Whether these units are the same as the others; true, too, without any."""
    return not dislodged or [entry.unit for entry in dislodged] == [entry.unit for entry in others or ()]


def _of(answer: Answer) -> tuple[Dislodged, ...]:
    return answer.dislodged or ()


def restricted(
    played: Played, whole: OrderedPosition, part: OrderedPosition, expected: Played
) -> tuple[PlayedPhase, ...] | None:
    """Return the answers to a position as far as they are about a part of it, which lacks units and orders.

    `expected` is what the reference answers to the whole. `None` where it is no such part.
    """
    gone = [unit for unit in whole.units if unit not in part.units]
    if len(gone) + len(part.units) != len(whole.units) or not _is_among(part.orders, whole.orders):
        return None
    if part.retreats is not None and not _is_among(part.retreats, whole.retreats or ()):
        return None
    asked = part.phases()
    if len(asked) < len(played) or len(expected) < len(played):
        return None
    found: list[PlayedPhase] = []
    for at, one in enumerate(played):
        answer, by_reference = one.answer, expected[at].answer
        if not isinstance(answer, Answer) or not isinstance(by_reference, Answer):
            return None
        orders, kept = (whole.retreats or (), part.retreats or ()) if at else (whole.orders, part.orders)
        lost = _lost_orders(orders, kept)
        places = [_place(unit, answer, orders, by_reference) for unit in gone]
        left = _without(answer, places, asked[at], [orders[index] for index in lost], whole.units)
        if left.outcomes is not None:
            left = replace(left, outcomes=tuple(each for index, each in enumerate(left.outcomes) if index not in lost))
        before = found[-1].answer if found else None
        found.append(check_answer(asked[at].after(before) if isinstance(before, Answer) else asked[at], left))
        gone = places
    return tuple(found)


def _is_among(part: Sequence[GivenOrder], whole: Sequence[GivenOrder]) -> bool:
    """Whether orders are some of others, in the same order."""
    rest = iter(whole)
    return all(any(given == other for other in rest) for given in part)


def _lost_orders(whole: Sequence[GivenOrder], part: Sequence[GivenOrder]) -> Collection[int]:
    """Return the indices of the orders that are not in a part."""
    left = list(part)
    lost: set[int] = set()
    for index, given in enumerate(whole):
        if left and left[0] == given:
            _ = left.pop(0)
        else:
            lost.add(index)
    return lost


def _without(
    answer: Answer, places: Sequence[Unit], phase: PhaseInput, lost: Sequence[GivenOrder], before: Sequence[Unit]
) -> Answer:
    """Take units out of an answer, each where it is in it, and what lost orders built."""
    units = [unit for unit in answer.units if unit not in places]
    if phase.phase == "adjustment":
        built = {province_code(each.order.unit.location) for each in lost if isinstance(each.order, Build)}
        units = [unit for unit in units if unit in before or province_code(unit.location) not in built]
    left = replace(answer, standing=tuple(units))
    if answer.dislodged is None:
        return left
    return replace(left, dislodged=tuple(entry for entry in answer.dislodged if entry.unit not in places))


def _place(unit: Unit, answer: Answer, orders: Sequence[GivenOrder], by_reference: Answer) -> Unit:
    """Find where a unit is in an answer: where the reference has it go, or else where it stood or was ordered to."""
    goes, tries = _goals(unit, orders, by_reference)
    alike = [other for other in answer.units if other[:2] == unit[:2]]
    arrived = next((other for other in alike if province_code(other.location) in goes), None)
    if arrived is not None:
        return arrived
    if unit in alike or any(entry.unit == unit for entry in _of(answer)):
        return unit
    return next((other for other in alike if province_code(other.location) in tries), unit)


def _goals(unit: Unit, orders: Sequence[GivenOrder], by_reference: Answer) -> tuple[set[str], set[str]]:
    """Return the provinces where a unit goes as the reference answers, and all that it is ordered to."""
    outcomes = by_reference.outcomes or [None] * len(orders)
    goes, tries = set[str](), set[str]()
    for given, outcome in zip(orders, outcomes, strict=True):
        order = given.order
        if not isinstance(order, (Move, Retreat)) or province_code(order.unit.location) != province_code(unit.location):
            continue
        tries.add(province_code(order.to))
        if outcome is not None and outcome.outcome == "succeeds":
            goes.add(province_code(order.to))
    return goes, tries
