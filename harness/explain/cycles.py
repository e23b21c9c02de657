"""Orders that depend on each other in a circle, and how each rule for paradoxes settles them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...reference_engine import ISSUES, UnplayedChoiceError
from ...reference_engine.explanation import Cycle, MovementExplanation, explain_movement
from .words import as_written

PARADOX = "4.A.2"
_SHOWS_ALL = "szykman"
"""The rule under which the equations meet every paradox: others settle some before that."""


@dataclass(frozen=True)
class Resolution:
    """One possible set of outcomes of the orders in a cycle."""

    outcomes: Mapping[str, bool]
    """Of each order in the cycle, whether it succeeds."""
    consistent: bool
    """Whether it satisfies the equations."""
    picked_by: Sequence[str]
    """The choices of 4.A.2 that pick it."""


@dataclass(frozen=True)
class CycleExplanation:
    """A cycle, and its resolutions."""

    orders: Sequence[str]
    paradox: bool
    """Whether convoys are in it; otherwise it is a circular movement."""
    resolutions: Sequence[Resolution]
    complete: bool
    """Whether all resolutions were tried: not of a very large cycle."""


def explain_cycles(explained: MovementExplanation) -> tuple[Sequence[CycleExplanation], Sequence[int]]:
    """Find the cycles of a position, and how each rule for paradoxes settles them, the other rules being in force.

    Also returns, for each cycle that the rules in force met, which of the found ones it is: they meet fewer, or others.
    """
    plain = _under(explained, _SHOWS_ALL) or explained
    found = [(plain, cycle) for cycle in plain.equations.cycles]
    numbers: list[int] = []
    for cycle in explained.equations.cycles:
        same = [number for number, (_, other) in enumerate(found) if not {*cycle.units}.isdisjoint(other.units)]
        if not same:
            same = [len(found)]
            found.append((explained, cycle))
        numbers.append(same[0])
    return [_explain_cycle(*each) for each in found], numbers


def _explain_cycle(met: MovementExplanation, cycle: Cycle) -> CycleExplanation:
    orders = {unit: as_written(met, unit) for unit in sorted(cycle.units)}
    found = cycle.resolutions()
    ways: dict[tuple[bool, ...], list[str]] = {
        tuple(bool(trial.resolution[unit]) for unit in orders): [] for trial in found or ()
    }
    consistent = set(ways)
    if cycle.is_paradox:
        for choice in ISSUES[PARADOX].choices:
            judged = _under(met, choice)
            if judged is not None:
                outcome = tuple(bool(judged.equations.resolution[unit]) for unit in orders)
                ways.setdefault(outcome, []).append(choice)
    resolutions = [
        Resolution(dict(zip(orders.values(), outcome, strict=True)), outcome in consistent, tuple(choices))
        for outcome, choices in ways.items()
    ]
    return CycleExplanation(tuple(orders.values()), cycle.is_paradox, resolutions, found is not None)


def _under(explained: MovementExplanation, choice: str) -> MovementExplanation | None:
    """Explain the position under another rule for paradoxes; `None` where it cannot be played with the others."""
    rules = explained.ruleset.with_choices({PARADOX: choice})
    try:
        return explain_movement(explained.position, explained.orders, rules)
    except UnplayedChoiceError:
        return None
