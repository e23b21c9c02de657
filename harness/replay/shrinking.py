"""Makes a position smaller on which something was recorded, or answered, that the reference does not answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...reference_engine import Convoy, Move, Retreat, SupportMove, Unit, province_code
from ..asking import agree, ask, find_facts
from ..fuzzing.causes import Disagreement
from ..fuzzing.metamorphic import own_contradiction
from ..generating.shrink import Shrinker
from ..positions import OrderedPosition, helped_unit, ordered_unit, without_units
from ..session import Adjudicator
from .recorded import restricted

_MOST_QUESTIONS = 400


def shrink(
    found: Disagreement,
    keeps: Callable[[Disagreement], bool],
    engine: Adjudicator | None,
    reference: Adjudicator,
) -> Disagreement:
    """Return the smallest disagreement that was found and is kept.

    An engine is asked about smaller positions. What was recorded cannot be: it is taken for the part of a position for
    which, as the reference answers, the rest makes no difference.
    """
    kept = [found]

    def interesting(part: OrderedPosition) -> bool:
        small = _asked_again(found, part, engine, reference) if engine else _part(found, part, reference)
        if small is None or not keeps(small):
            return False
        kept.append(small)
        return True

    if engine is not None:
        return _kept_as(Shrinker(interesting, _MOST_QUESTIONS).shrink(found.ordered), kept)
    if found.ordered.phase == "adjustment":
        _ = interesting(_of_powers_that_differ(found))
        return kept[-1]  # With fewer units a power has other builds and removals to make.
    start = next((part for part in _neighbourhoods(found) if interesting(part)), found.ordered)
    return _kept_as(Shrinker(interesting, _MOST_QUESTIONS).shrink_in_place(start), kept)


def _kept_as(small: OrderedPosition, kept: Sequence[Disagreement]) -> Disagreement:
    """Return the disagreement that was kept for a position."""
    return next((each for each in reversed(kept) if each.ordered == small), kept[-1])


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


def _asked_again(
    found: Disagreement, part: OrderedPosition, engine: Adjudicator, reference: Adjudicator
) -> Disagreement | None:
    said, expected = ask(engine, part), ask(reference, part)
    if not said or not expected or agree(expected, said, words=True):
        return None
    return Disagreement(part, said, expected, found.ruleset, own_contradiction(part, said))


def _part(found: Disagreement, part: OrderedPosition, reference: Adjudicator) -> Disagreement | None:
    said = restricted(found.said, found.ordered, part, found.expected)
    wanted = said and restricted(found.expected, found.ordered, part, found.expected)
    if not said or not wanted:
        return None
    expected = ask(reference, part)
    if len(expected) != len(wanted) or not agree(wanted, expected, words=True) or agree(expected, said, words=True):
        return None
    return Disagreement(part, said, expected, found.ruleset, own_contradiction(part, said))


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
