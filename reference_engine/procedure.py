"""A way to adjudicate: a function for each phase. The default one works out movement by the equations of the DATC."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from .adjustments import adjudicate_adjustments
from .movement import adjudicate_movement
from .orders import GivenOrder, Phase
from .position import Position
from .results import Adjudication
from .retreats import adjudicate_retreats
from .rulesets import Ruleset

AdjudicatePhase: TypeAlias = Callable[[Position, Sequence[GivenOrder], Ruleset], Adjudication]
"""Adjudicates one phase: a position, one clear set of orders, and rules in; a result for each order out."""

Procedure: TypeAlias = Mapping[Phase, AdjudicatePhase]

EQUATIONS: Procedure = {
    "movement": adjudicate_movement,
    "retreat": adjudicate_retreats,
    "adjustment": adjudicate_adjustments,
}
"""DATC 3.1, section 5.E."""


def as_played(ruleset: Ruleset, played: Mapping[str, tuple[str, ...]]) -> Ruleset:
    """A ruleset as a procedure plays it: where it cannot honour a choice, it makes the first of those that it can."""
    own = {issue: choices[0] for issue, choices in played.items() if ruleset.choices[issue] not in choices}
    return ruleset.with_choices(own) if own else ruleset
