"""Orders that depend on each other in a circle: how they could come out, and which rule makes them come out how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...reference_engine import ISSUES, Ruleset, UnplayedChoiceError
from ...reference_engine.explanation import Cycle, MovementExplanation, explain_movement
from .accounts import as_written

PARADOX = "4.A.2"
_DATC = "szykman"
"""The rule with which the equations show every paradox: others decide some before it can be seen."""


@dataclass(frozen=True)
class Resolution:
    """One way in which a cycle can come out."""

    outcomes: Mapping[str, bool]
    """Of each order in the cycle, whether it succeeds."""
    consistent: bool
    """Whether it satisfies the equations."""
    picked_by: Sequence[str]
    """The choices of 4.A.2 that make it come out so."""


@dataclass(frozen=True)
class CycleAccount:
    """A cycle, and its resolutions."""

    orders: Sequence[str]
    paradox: bool
    """Whether convoys are in it; otherwise it is a circular movement."""
    resolutions: Sequence[Resolution]
    complete: bool
    """Whether all resolutions were looked for: not of a very large cycle."""


def cycle_accounts(explained: MovementExplanation) -> Sequence[CycleAccount]:
    """Find the cycles of a position, and what each rule makes of them. The other rules are those in force."""
    plain = _under(explained, _DATC)
    if plain is None:
        return ()
    return [_account(plain, cycle) for cycle in plain.equations.cycles]


def _account(plain: MovementExplanation, cycle: Cycle) -> CycleAccount:
    orders = {unit: as_written(plain, unit) for unit in sorted(cycle.units)}
    found = cycle.resolutions()
    ways: dict[tuple[bool, ...], list[str]] = {
        tuple(bool(trial.resolution[unit]) for unit in orders): [] for trial in found or ()
    }
    consistent = set(ways)
    if cycle.is_paradox:
        for choice in ISSUES[PARADOX].choices:
            judged = _under(plain, choice)
            if judged is not None:
                outcome = tuple(bool(judged.equations.resolution[unit]) for unit in orders)
                ways.setdefault(outcome, []).append(choice)
    resolutions = [
        Resolution(dict(zip(orders.values(), outcome, strict=True)), outcome in consistent, tuple(choices))
        for outcome, choices in ways.items()
    ]
    return CycleAccount(tuple(orders.values()), cycle.is_paradox, resolutions, found is not None)


def _under(explained: MovementExplanation, choice: str) -> MovementExplanation | None:
    """The same position under another rule for paradoxes; `None` where that is not played with the others in force."""
    rules: Ruleset = explained.ruleset.with_choices({PARADOX: choice})
    try:
        return explain_movement(explained.position, explained.orders, rules)
    except UnplayedChoiceError:
        return None
