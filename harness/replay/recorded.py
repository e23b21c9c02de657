"""What was recorded as the answers of an adjudicator, also of a part of a position."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from ...reference_engine import Build, Dislodged, GivenOrder, Move, Retreat, Unit, province_code
from ..answers import Answer, PhaseInput
from ..archives import Turn
from ..asking import Played
from ..positions import OrderedPosition, ordered_unit
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
        answer = Answer(tuple(sorted(before.units)), before.dislodged)
    elif answer.dislodged is None:
        answer = answer._replace(dislodged=before.dislodged)
    known = {entry.unit: entry for entry in before.dislodged}
    dislodged = tuple(
        known[each.unit] if each.retreats is None and each.unit in known else each for each in _of(answer)
    )
    answer = answer._replace(dislodged=dislodged)
    breaks = before.units != answer.units and sorted(before.units) != list(answer.units)
    breaks = breaks or not known.keys() <= {entry.unit for entry in dislodged}
    after = before.answer and _checked(inputs[1].after(answer), before.answer, expected[1:])
    return Recorded((_checked(inputs[0], answer, expected[:1]), after), breaks)


def _checked(asked: PhaseInput, answer: Answer, expected: Played) -> PlayedPhase:
    """Check that the board of an answer can exist. One that the reference has, too, can: most are."""
    same = expected[0].answer if expected else None
    if isinstance(same, Answer) and same.units == answer.units and not answer.dislodged:
        return PlayedPhase(asked, answer)
    return check_answer(asked, answer)


def _of(answer: Answer) -> tuple[Dislodged, ...]:
    return answer.dislodged or ()


def restricted(played: Played, whole: OrderedPosition, part: OrderedPosition) -> Played | None:
    """Return the answers to a position as far as they are about a part of it, which lacks units and orders.

    `None` where it is no such part, or it is not certain which unit of an answer is which.
    """
    gone = [unit for unit in whole.units if unit not in part.units]
    if len(gone) + len(part.units) != len(whole.units) or not _is_among(part.orders, whole.orders):
        return None
    if part.retreats is not None and not _is_among(part.retreats, whole.retreats or ()):
        return None
    asked = part.phases()
    if len(asked) < len(played):
        return None
    found: list[PlayedPhase] = []
    for one, phase in zip(played, asked, strict=False):
        answer = one.answer
        if not isinstance(answer, Answer):
            return None
        orders = whole.orders if not found else whole.retreats or ()
        kept = part.orders if not found else part.retreats or ()
        lost = _lost_orders(orders, kept)
        left = _without(answer, gone, phase, [orders[index] for index in lost], whole.units)
        if left is None:
            return None
        gone = left[1]
        answer = left[0]
        if answer.outcomes is not None:
            outcomes = answer.outcomes
            answer = answer._replace(outcomes=tuple(each for at, each in enumerate(outcomes) if at not in lost))
        before = found[-1].answer if found else None
        asked_now = phase.after(before) if isinstance(before, Answer) else phase
        found.append(check_answer(asked_now, answer))
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
    answer: Answer, gone: Iterable[Unit], phase: PhaseInput, lost: Sequence[GivenOrder], before: Sequence[Unit]
) -> tuple[Answer, list[Unit]] | None:
    """Take units out of an answer, and what their orders made; return where they stood in it, too."""
    units, dislodged = list(answer.units), list(_of(answer))
    after: list[Unit] = []
    for unit in gone:
        place = _place(unit, answer, lost, before)
        if place is None:
            return None
        if place in units:
            units.remove(place)
        dislodged = [entry for entry in dislodged if entry.unit != place]
        after.append(place)
    if phase.phase == "adjustment":
        built = {province_code(each.order.unit.location) for each in lost if isinstance(each.order, Build)}
        units = [unit for unit in units if unit in before or province_code(unit.location) not in built]
    left = answer._replace(units=tuple(units))
    return (left if answer.dislodged is None else left._replace(dislodged=tuple(dislodged))), after


def _place(unit: Unit, answer: Answer, lost: Sequence[GivenOrder], before: Sequence[Unit]) -> Unit | None:
    """Find where a unit is in an answer, itself where it is nowhere any more; `None` where that is not certain."""
    goals = {
        province_code(given.order.to)
        for given in lost
        if isinstance(given.order, (Move, Retreat))
        and (named := ordered_unit(given)) is not None
        and province_code(named.location) == province_code(unit.location)
    }
    arrived = [
        other
        for other in answer.units
        if other[:2] == unit[:2] and province_code(other.location) in goals and other not in before
    ]
    stands = unit in answer.units or any(entry.unit == unit for entry in _of(answer))
    if arrived and (stands or len(arrived) > 1):
        return None
    return arrived[0] if arrived else unit
