"""Explains a case or a position, phase by phase, and compares the answers of an engine."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...cases import Case, CasePhase
from ...reference_engine import Ruleset
from ...reference_engine.explanation import MovementExplanation, explain_movement
from ...reference_engine.legality import MOVE, SUPPORT
from ..answers import (
    Answer,
    Fact,
    Failure,
    PhaseInput,
    diff_answers,
    expect_answer,
    fact_texts,
    fate_of,
)
from ..errors import HarnessError
from ..experiments.changes import is_one_clear_set, judged_orders, search_changes
from ..session import Adjudicator, PlayedPhase, ReferenceAdjudicator, case_inputs, play
from ..verdict import fact_data
from .adjustments import PowerAdjustment, explain_balances
from .cycles import explain_cycles
from .later_phases import balance_lines, explain_later_orders, orders_of
from .movement import explain_orders
from .outcomes import outcomes_of
from .phase import Decision, EngineComparison, PhaseExplanation
from .retreats import RetreatExplanation, explain_retreats
from .summary import summarize
from .words import as_written


def explain_case(case: Case, ruleset: Ruleset, engine: Adjudicator | None = None) -> Sequence[PhaseExplanation]:
    """Explain the phases of a case in turn, up to the first on which the engine, if there is one, differs.

    Raises `HarnessError` for rules that the reference engine does not play, and `EngineGaveOutError` and
    `EngineClosedError` where the engine does.
    """
    inputs = case_inputs(case)
    by_reference = play(ReferenceAdjudicator(ruleset), inputs)
    by_engine: Iterable[PlayedPhase | None] = itertools.repeat(None) if engine is None else play(engine, inputs)
    phases: list[PhaseExplanation] = []
    for phase, (asked, answer, _), answered in zip(case.phases, by_reference, by_engine, strict=False):
        if isinstance(answer, Failure):
            raise HarnessError(answer.reason)
        movement = _explain_movement(asked, ruleset)
        compared = _compare(phase, asked, answer, answered, movement, ruleset) if answered is not None else None
        before = phases[-1].retreats if phases and asked.phase == "retreat" else ()
        explained = _explain_phase(asked, answer, movement, ruleset, before)
        summary = summarize(explained, outcomes_of(asked, answer))
        phases.append(replace(explained, summary=summary, engine=compared))
        if compared is not None and (compared.error or compared.facts):
            break
    return phases


def _explain_movement(asked: PhaseInput, ruleset: Ruleset) -> MovementExplanation | None:
    """Return the reasoning behind a movement phase; `None` for other phases and for orders that are not clear."""
    if asked.phase != "movement" or not is_one_clear_set(asked):
        return None
    return explain_movement(asked.position(), asked.submission.as_one_clear_set() or [], ruleset)


def _explain_phase(
    asked: PhaseInput,
    answer: Answer,
    movement: MovementExplanation | None,
    ruleset: Ruleset,
    before: Sequence[RetreatExplanation],
) -> PhaseExplanation:
    """Explain a phase; `before` is what was said of retreats in the movement phase before it."""
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


def _compare(
    phase: CasePhase,
    asked: PhaseInput,
    right: Answer,
    answered: PlayedPhase,
    movement: MovementExplanation | None,
    ruleset: Ruleset,
) -> EngineComparison:
    """Compare what an engine answered with the reference engine: the board, and the orders that the case judges."""
    answer = answered.answer
    if isinstance(answer, Failure):
        return EngineComparison(error=answer.reason)
    if answered.impossible:
        return _differing(answered.impossible, asked)
    every = diff_answers(expect_answer(right), answer)
    judged = judged_orders(phase, ruleset) or ()
    facts = [fact for fact in every if fact.order is None or fact.order in judged]
    if not facts:
        return EngineComparison()
    found = search_changes([PlayedPhase(asked, answer)], ruleset, case_phases=[phase])
    return replace(
        _differing(facts, asked),
        first=_first_difference(movement, every, right, answer) if movement is not None else "",
        choices=found.changes,
        tried=found.tried,
    )


def _differing(facts: Sequence[Fact], asked: PhaseInput) -> EngineComparison:
    return EngineComparison(differences=fact_texts(facts, asked.texts or ()), facts=list(map(fact_data, facts)))


def _first_difference(movement: MovementExplanation, facts: Iterable[Fact], right: Answer, answer: Answer) -> str:
    """Find the first decision that is another one for the engine; empty where its answer does not show it.

    For a support that is the outcome of the order, as far as the engine gives it; for other orders the board.
    """
    equations, position = movement.equations, movement.position
    outcomes = {given[0]: fact for fact in facts if fact.order is not None and (given := movement.given[fact.order])}
    for unit in dict.fromkeys([*(step.unit for step in equations.steps), *range(len(position.units))]):
        if equations.kind[unit] == SUPPORT and unit in outcomes:
            fact = outcomes[unit]
            return f"{as_written(movement, unit)}: the support {fact.expected}; for the engine it {fact.actual}"
        moves = equations.kind[unit] == MOVE and equations.target[unit] >= 0
        destinations = {position.board.provinces[equations.target[unit]].code} if moves else ()
        expected, actual = (fate_of(position.units[unit], destinations, each) for each in (right, answer))
        if expected != actual:
            return f"{as_written(movement, unit)}: the unit {expected}; for the engine it {actual}"
    return ""
