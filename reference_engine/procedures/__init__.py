"""The ways to adjudicate: a function for each phase.

The default one works out movement by the equations of the DATC; the others are written from their documents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TypeAlias

from ..adjustments import adjudicate_adjustments
from ..errors import UnknownProcedureError, nearest
from ..movement import adjudicate_movement
from ..orders import GivenOrder, Phase
from ..position import Position
from ..results import Adjudication
from ..retreats import adjudicate_retreats
from ..rulesets import Ruleset

AdjudicatePhase: TypeAlias = Callable[[Position, Sequence[GivenOrder], Ruleset], Adjudication]
"""Adjudicates one phase: a position, one clear set of orders, and rules in; a result for each order out."""

Procedure: TypeAlias = Mapping[Phase, AdjudicatePhase]
"""How each phase is adjudicated."""

EQUATIONS: Procedure = {
    "movement": adjudicate_movement,
    "retreat": adjudicate_retreats,
    "adjustment": adjudicate_adjustments,
}
"""DATC 3.1, section 5.E."""

PROCEDURES: Mapping[str, str] = {
    "decisions": "DATC 2.4, chapter 5: eight types of decisions, and the smallest dependency list of a paradox",
    "guess": "DATC 3.1, section 5.F: the guess algorithm",
    "dpjudge": "the ten steps of the DPjudge",
    "dptg": "the twenty steps of the Diplomacy Player's Technical Guide, chapter VIII",
}
"""Their names, and what each is. Each is a module here, imported where it is asked for, with a `PROCEDURE`."""


def find_procedure(name: str) -> Procedure:
    """Look up a procedure by its name. Raises `UnknownProcedureError`."""
    if name not in PROCEDURES:
        raise UnknownProcedureError(f"there is no procedure {name!r}{nearest(name, tuple(PROCEDURES))}")
    procedure: Procedure = import_module(f".{name}", __package__).PROCEDURE
    return procedure


def as_supported(ruleset: Ruleset, supported: Mapping[str, tuple[str, ...]]) -> Ruleset:
    """A ruleset as a procedure plays it: where it cannot honour a choice, it makes the first of those that it can."""
    own = {issue: choices[0] for issue, choices in supported.items() if ruleset.choices[issue] not in choices}
    return ruleset.with_choices(own) if own else ruleset
