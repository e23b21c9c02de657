"""Makes a position smaller on which something was recorded, or answered, that the reference does not answer."""

from __future__ import annotations

from collections.abc import Callable

from ..asking import agree, ask, find_facts
from ..fuzzing.causes import Disagreement
from ..fuzzing.metamorphic import own_contradiction
from ..generating.shrink import Shrinker
from ..positions import OrderedPosition
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

    start = found.ordered if engine else _of_powers_that_differ(found)
    if start is not found.ordered and not interesting(start):
        start = found.ordered
    if start.phase == "adjustment" and not engine:
        return kept[-1]  # With fewer units a power has other builds and removals to make.
    shrinker = Shrinker(interesting, _MOST_QUESTIONS)
    small = shrinker.shrink(start) if engine else shrinker.shrink_in_place(start)
    return next((each for each in reversed(kept) if each.ordered == small), kept[-1])


def _asked_again(
    found: Disagreement, part: OrderedPosition, engine: Adjudicator, reference: Adjudicator
) -> Disagreement | None:
    said, expected = ask(engine, part), ask(reference, part)
    if not said or not expected or agree(expected, said, words=True):
        return None
    return Disagreement(part, said, expected, found.ruleset, own_contradiction(part, said))


def _part(found: Disagreement, part: OrderedPosition, reference: Adjudicator) -> Disagreement | None:
    said = restricted(found.said, found.ordered, part)
    wanted = said and restricted(found.expected, found.ordered, part)
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
