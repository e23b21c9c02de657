"""Circles of orders that depend on each other, and how each rule for paradoxes settles them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ...reference_engine import ISSUES
from ...reference_engine.errors import UnplayedChoiceError
from ...reference_engine.explanation import Cycle, MovementExplanation, explain_movement
from ...reference_engine.resolved_order import SUPPORT
from ...reports.vocabulary import Names
from .movement import as_written

PARADOX = "4.A.2"
_SHOWS_ALL = "szykman"
"""The rule under which the equations meet every paradox: others settle some before that."""


@dataclass(frozen=True)
class Resolution:
    """One possible set of outcomes of the orders in a cycle."""

    outcomes: Mapping[str, bool]
    consistent: bool
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
    attack: tuple[str, str] | None = None
    """In a paradox, an army that its fleets convoy, and the unit that it attacks, whose support is in the cycle."""
    may_be_cut: Sequence[bool] = ()
    """Whether it cuts the support in the resolutions that satisfy the equations: both, one of these, or neither."""


def explain_cycles(explained: MovementExplanation) -> tuple[Sequence[CycleExplanation], Sequence[int]]:
    """Find the cycles of a position, and how each rule for paradoxes settles them, the other rules being in force.

    Also returns, for each cycle that the rules in force met, which of the found ones it is: they meet fewer, or others.
    """
    plain = _under(explained, _SHOWS_ALL) or explained
    found = [(plain, cycle) for cycle in plain.equations.cycles]
    numbers: list[int] = []
    for cycle in explained.equations.cycles:
        same = [number for number, (_, other) in enumerate(found) if not {*cycle.units}.isdisjoint(other.units)]
        numbers.append(same[0] if same else len(found))
        if not same:
            found.append((explained, cycle))
    return [_explain_cycle(*each) for each in found], numbers


def _explain_cycle(met: MovementExplanation, cycle: Cycle) -> CycleExplanation:
    units, found = sorted(cycle.units), cycle.resolutions()
    written = tuple(as_written(met, unit) for unit in units)
    picked: dict[tuple[bool, ...], list[str]] = {
        tuple(bool(trial.resolution[unit]) for unit in units): [] for trial in found or ()
    }
    consistent = set(picked)
    for choice in ISSUES[PARADOX].choices if cycle.is_paradox else ():
        if judged := _under(met, choice):
            picked.setdefault(tuple(bool(judged.equations.resolution[unit]) for unit in units), []).append(choice)
    resolutions = [
        Resolution(dict(zip(written, outcome, strict=True)), outcome in consistent, tuple(choices))
        for outcome, choices in picked.items()
    ]
    attack = next(_attacks_on_supports(cycle), None) if cycle.is_paradox else None
    explained = CycleExplanation(written, cycle.is_paradox, resolutions, found is not None)
    if attack is None:
        return explained
    supporter, attacker = (Names(met.position.board).unit(met.position.units[unit]) for unit in attack)
    may_be_cut = sorted({trial.is_cut_by(*attack, optimistic=True) for trial in found or ()})
    return replace(explained, attack=(attacker, supporter), may_be_cut=may_be_cut)


def _attacks_on_supports(cycle: Cycle) -> Iterator[tuple[int, int]]:
    """Give each unit whose support is in a cycle with each army that fleets of the cycle convoy against it."""
    equations = cycle.equations
    for supporter in sorted(cycle.units):
        if equations.kind[supporter] == SUPPORT:
            for army in equations.attackers[equations.home[supporter]]:
                if not {*itertools.chain(*(equations.routes[army] or ()))}.isdisjoint(cycle.units):
                    yield supporter, army


def _under(explained: MovementExplanation, choice: str) -> MovementExplanation | None:
    """Explain the position under another rule for paradoxes; `None` where it cannot be played with the others."""
    try:
        return explain_movement(explained.position, explained.orders, explained.ruleset.with_choices({PARADOX: choice}))
    except UnplayedChoiceError:
        return None
