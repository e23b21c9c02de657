"""Explains a case or a position, phase by phase, and compares the answers of an engine."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...cases import Case, CasePhase
from ...reference_engine import Ruleset
from ...reference_engine.explanation import MovementExplanation
from ...reference_engine.meanings import MOVE, SUPPORT
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
from ..experiments.changes import judged_orders, search_changes
from ..session import Adjudicator, PlayedPhase, ReferenceAdjudicator, case_inputs, play
from ..verdict import fact_data
from .comparison import ComparedPhase, EngineComparison
from .phases import explain_phase, movement_of
from .words import as_written


def explain_case(case: Case, ruleset: Ruleset, engine: Adjudicator | None = None) -> Sequence[ComparedPhase]:
    """Explain the phases of a case in turn, up to the first on which the engine, if there is one, differs.

    Raises `HarnessError` for rules that the reference engine does not play, and `EngineGaveOutError` and
    `EngineClosedError` where the engine does.
    """
    inputs = case_inputs(case)
    by_reference = play(ReferenceAdjudicator(ruleset), inputs)
    by_engine: Iterable[PlayedPhase | None] = itertools.repeat(None) if engine is None else play(engine, inputs)
    phases: list[ComparedPhase] = []
    for phase, (asked, answer, _), answered in zip(case.phases, by_reference, by_engine, strict=False):
        if isinstance(answer, Failure):
            raise HarnessError(answer.reason)
        movement = movement_of(asked, ruleset)
        compared = _compare(phase, asked, answer, answered, movement, ruleset) if answered is not None else None
        before = phases[-1].retreats if phases and asked.phase == "retreat" else ()
        explained = explain_phase(asked, answer, movement, ruleset, before)
        phases.append(ComparedPhase(**vars(explained), engine=compared))
        if compared is not None and (compared.error or compared.facts):
            break
    return phases


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
