"""Explains one phase that the reference engine adjudicated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...reference_engine import Ruleset
from ...reference_engine.explanation import MovementExplanation, explain_movement
from ..answers import Answer, Failure, PhaseInput
from ..errors import HarnessError
from ..experiments.changes import is_one_clear_set
from ..session import PlayedPhase
from .adjustments import PowerAdjustment, explain_balances
from .cycles import explain_cycles
from .later_phases import balance_lines, explain_later_orders, orders_of
from .movement import explain_orders
from .outcomes import outcomes_of
from .phase import Decision, PhaseExplanation
from .retreats import RetreatExplanation, explain_retreats
from .summary import summarize
from .words import as_written


def movement_of(asked: PhaseInput, ruleset: Ruleset) -> MovementExplanation | None:
    """Return the reasoning behind a movement phase; `None` for other phases and for orders that are not clear."""
    if asked.phase != "movement" or not is_one_clear_set(asked):
        return None
    return explain_movement(asked.position(), asked.submission.as_one_clear_set() or [], ruleset)


def explain_phases(played: Iterable[PlayedPhase], ruleset: Ruleset) -> Sequence[PhaseExplanation]:
    """Explain phases that the reference engine played. Raises `HarnessError` for rules that it does not play."""
    explained: list[PhaseExplanation] = []
    for asked, answer, _ in played:
        if isinstance(answer, Failure):
            raise HarnessError(answer.reason)
        before = explained[-1].retreats if explained and asked.phase == "retreat" else ()
        explained.append(explain_phase(asked, answer, movement_of(asked, ruleset), ruleset, before))
    return explained


def explain_phase(
    asked: PhaseInput,
    answer: Answer,
    movement: MovementExplanation | None,
    ruleset: Ruleset,
    before: Sequence[RetreatExplanation],
) -> PhaseExplanation:
    """Explain a phase; `before` is what was said of retreats in the movement phase before it."""
    explained = _explain_orders(asked, answer, movement, ruleset, before)
    return replace(explained, summary=summarize(explained, outcomes_of(asked, answer)))


def _explain_orders(
    asked: PhaseInput,
    answer: Answer,
    movement: MovementExplanation | None,
    ruleset: Ruleset,
    before: Sequence[RetreatExplanation],
) -> PhaseExplanation:
    explained = PhaseExplanation(asked.phase, asked.season, asked.year)
    dislodged = asked.dislodged if asked.phase == "retreat" else answer.dislodged
    standing = asked.units if asked.phase == "retreat" else answer.units
    retreats = before or explain_retreats(dislodged or (), standing, ruleset, movement)
    if movement is None:
        adjustments = _explain_adjustments(asked, answer, ruleset)
        orders = explain_later_orders(asked, answer, ruleset, retreats)
        return replace(
            explained,
            orders=[*orders, *balance_lines(asked.position(), adjustments)],
            retreats=retreats,
            adjustments=adjustments,
            remark="" if is_one_clear_set(asked) else "The orders are not one clear set: only outcomes are shown.",
        )
    cycles, numbers = explain_cycles(movement)
    written = {unit: as_written(movement, unit) for unit in range(len(movement.position.units))}
    return replace(
        explained,
        orders=explain_orders(movement, asked.texts or (), retreats),
        decisions=[
            Decision(written[step.unit], step.succeeds, numbers[step.cycle] if step.cycle >= 0 else -1)
            for step in movement.equations.steps
        ],
        cycles=cycles,
        contested=sorted(movement.adjudication.contested),
        retreats=retreats,
    )


def _explain_adjustments(asked: PhaseInput, answer: Answer, ruleset: Ruleset) -> Sequence[PowerAdjustment]:
    if asked.phase != "adjustment":
        return ()
    outcomes = answer.outcomes or ()
    followed = [
        order
        for order, outcome in zip(orders_of(asked), outcomes, strict=True)
        if outcome is not None and outcome.reason is None
    ]
    return explain_balances(asked.position(), answer.units, followed, ruleset)
