"""What was recorded as the answers of an adjudicator, also of a part of a position."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ...reference_engine import Build, Convoy, Dislodged, GivenOrder, Move, Retreat, SupportMove, Unit, province_code
from ..bugs.shrink import Shrinker
from ..play.answer import Answer, PhaseInput
from ..play.differential import Played, agree, ask, find_facts
from ..play.positions import OrderedPosition, helped_unit, ordered_unit, without_units
from ..play.session import Adjudicator, PlayedPhase, check_answer
from .archives import Turn
from .disagreement import Disagreement

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
    if len(gone) + len(part.units) != len(whole.units):
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
        if lost is None:
            return None
        places = [_place(unit, answer, orders, by_reference) for unit in gone]
        left = _without(answer, places, asked[at], [orders[index] for index in lost], whole.units)
        if left.outcomes is not None:
            left = replace(left, outcomes=tuple(each for index, each in enumerate(left.outcomes) if index not in lost))
        before = found[-1].answer if found else None
        found.append(check_answer(asked[at].after(before) if isinstance(before, Answer) else asked[at], left))
        gone = places
    return tuple(found)


def _lost_orders(whole: Sequence[GivenOrder], part: Sequence[GivenOrder]) -> Collection[int] | None:
    """Return the indices of the orders that are not in a part; `None` where it has others, or in another order."""
    left = list(part)
    lost: set[int] = set()
    for index, given in enumerate(whole):
        if left and left[0] == given:
            _ = left.pop(0)
        else:
            lost.add(index)
    return None if left else lost


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


def part_of(found: Disagreement, part: OrderedPosition, reference: Adjudicator) -> tuple[Played, Played] | None:
    """Return what was recorded of a part of a position, and what the reference answers to it.

    `None` where that is the same, or where the rest of the position makes a difference to the reference.
    """
    said = restricted(found.said, found.ordered, part, found.expected)
    wanted = said and restricted(found.expected, found.ordered, part, found.expected)
    if not said or not wanted:
        return None
    expected = ask(reference, part)
    if len(expected) != len(wanted) or not agree(wanted, expected, words=True) or agree(expected, said, words=True):
        return None
    return said, expected


def shrink_part(shrinker: Shrinker, found: Disagreement) -> OrderedPosition:
    """Return the smallest part of a recorded position that a shrinker keeps."""
    if found.ordered.phase == "adjustment":
        part = _of_powers_that_differ(found)
        return part if shrinker.keeps(part) else found.ordered  # With fewer units a power has other builds to make.
    start = next((part for part in _neighbourhoods(found) if shrinker.keeps(part)), found.ordered)
    return shrinker.shrink_in_place(start)


def _neighbourhoods(found: Disagreement) -> Iterator[OrderedPosition]:
    """Give the units that have to do with what differs, then those too that have to do with these, and so on."""
    ordered = found.ordered
    touched = {unit: _touched(unit, ordered) for unit in ordered.units}
    facts = find_facts(found.expected, found.said)[1]
    places = {province_code(fact.unit.location) for fact in facts if fact.unit}
    before: set[Unit] = set()
    while True:
        near = {unit for unit, provinces in touched.items() if not provinces.isdisjoint(places)}
        if near == before:
            return
        yield without_units(ordered, {province_code(unit.location) for unit in ordered.units if unit not in near})
        before = near
        places.update(*(touched[unit] for unit in near))


def _touched(unit: Unit, ordered: OrderedPosition) -> set[str]:
    """Return the provinces that a unit stands in, goes to, or helps a unit in or to."""
    home = province_code(unit.location)
    provinces = {home}
    for given in (*ordered.orders, *(ordered.retreats or ())):
        named = ordered_unit(given)
        if named is None or province_code(named.location) != home:
            continue
        helped = helped_unit(given.order)
        provinces |= {province_code(helped.location)} if helped else set()
        if isinstance(given.order, (Move, SupportMove, Convoy, Retreat)):
            provinces.add(province_code(given.order.to))
    return provinces


def _of_powers_that_differ(found: Disagreement) -> OrderedPosition:
    """Leave out of an adjustment phase the powers of which nothing differs: each one builds and removes for itself."""
    ordered = found.ordered
    powers = {fact.unit.power for fact in find_facts(found.expected, found.said)[1] if fact.unit}
    if ordered.phase != "adjustment" or not powers:
        return ordered
    position = ordered.position
    return OrderedPosition(
        type(position)(
            [unit for unit in position.units if unit.power in powers],
            phase="adjustment",
            centers={power: owned for power, owned in position.centers.items() if power in powers},
        ),
        tuple(given for given in ordered.orders if given.power in powers),
    )
