"""The ways to adjudicate: a function for each phase.

The default one works out movement by the equations of the DATC; the others are written from their documents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from importlib import import_module
from typing import TypeAlias

from ..adjustments import adjudicate_adjustments
from ..choices import check_supported
from ..errors import UnknownProcedureError, UnplayedChoiceError, nearest
from ..legality import SUPPORTED_CHOICES
from ..movement import (
    MovementOrders,
    Outcome,
    ResolveMovement,
    adjudicate_by,
    adjudicate_movement,
    adjudicate_with,
    occupied_after,
)
from ..orders import GivenOrder, Phase
from ..position import DISLODGED, SUCCEEDED, Adjudication, Position
from ..resolved_order import CONVOY, HOLD
from ..retreats import adjudicate_retreats
from ..rulesets import Ruleset
from ..solver import MovementSolver

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
    """Look up a procedure.

    Args:
        name: One of `PROCEDURES`.

    Raises:
        UnknownProcedureError: There is no procedure of that name.
    """
    if name not in PROCEDURES:
        raise UnknownProcedureError(f"there is no procedure {name!r}{nearest(name, tuple(PROCEDURES))}")
    procedure: Procedure = import_module(f".{name}", __package__).PROCEDURE
    return procedure


def procedure_by_solver(solver: type[MovementSolver], supported: Mapping[str, tuple[str, ...]]) -> Procedure:
    """Make a procedure of a solver of movement; where it cannot honour a choice, it makes the first that it can."""

    def adjudicate(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Adjudication:
        own = {issue: choices[0] for issue, choices in supported.items() if ruleset.choices[issue] not in choices}
        return adjudicate_with(solver, position, orders, ruleset.with_choices(own) if own else ruleset)

    return {**EQUATIONS, "movement": adjudicate}


def procedure_by_document(resolve: ResolveMovement, fixed: Mapping[str, str]) -> Procedure:
    """Make a procedure of how a document resolves movement, and of the choices that it makes, whatever is asked for.

    That a unit was dislodged which held or convoyed, the function need not give as a failure. It may name provinces of
    a standoff that are occupied after the moves: they do not count.
    """

    @lru_cache(maxsize=256)
    def by_the_document(ruleset: Ruleset) -> Ruleset:
        played = ruleset.with_choices(fixed)
        check_supported(played, SUPPORTED_CHOICES)
        return played

    def with_its_choices(adjudicate: AdjudicatePhase) -> AdjudicatePhase:
        return lambda position, orders, ruleset: adjudicate(position, orders, by_the_document(ruleset))

    def resolved(orders: MovementOrders) -> Outcome:
        board = orders.position.board
        if board.difficult or board.canal or board.railway or board.convoying & board.coastal:
            raise UnplayedChoiceError(
                "this procedure knows no difficult passages, no coasts that convoy, no canal and no railway"
            )
        outcome = resolve(orders)
        for unit in outcome.dislodged:
            if outcome.results[unit] is SUCCEEDED and orders.effects[unit].kind in (HOLD, CONVOY):
                outcome.results[unit] = DISLODGED
        outcome.standoffs -= occupied_after(orders.position, orders.effects, outcome.advanced)
        return outcome

    return {
        "movement": with_its_choices(partial(adjudicate_by, resolved)),
        "retreat": with_its_choices(adjudicate_retreats),
        "adjustment": with_its_choices(adjudicate_adjustments),
    }
