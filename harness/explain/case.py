"""Explains a case or a position, phase by phase, beside the answers of an engine, as data with a schema."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from ...cases import Case, load_ruleset, ruleset_names
from ...cases.suite import CasePhase
from ...reference_engine import EVERY_ISSUE, Ruleset, province_code
from ...reference_engine.explanation import MovementExplanation
from ...reference_engine.resolved_order import MOVE, SUPPORT
from ...reports import CaseData, FactData
from ...reports.vocabulary import fact_texts
from ..bugs.blame import broken_rule, find_blame
from ..bugs.changes import Change, find_changes, judged_orders
from ..errors import HarnessError
from ..play.answer import Answer, Failure, PhaseInput
from ..play.differences import Fact, diff_answers, expect_answer, fate_of
from ..play.report_data import answered_phases, fact_data
from ..play.session import Adjudicator, PlayedPhase, ReferenceAdjudicator, case_inputs, play
from ..play.verdict import is_wrong
from .movement import as_written
from .outcomes import OutcomeTable, comparable, explain_all_rulesets
from .phase import Disputed, PhaseExplanation, Summary, explain_phases, movement_of
from .rulebooks import Documents, compare_with_recorded

MOST_SENTENCES = 5
"""A reader of a verdict wants the reason, not the whole phase: `datc-check explain` has that."""


@dataclass(frozen=True)
class EngineComparison:
    """What an engine answered to a phase, compared with the reference engine."""

    error: str = ""
    unsupported: bool = False
    """The engine says that it cannot: `error` has its words."""
    differences: Sequence[str] = ()
    facts: Sequence[FactData] = ()
    first: str = ""
    """The first order, in the sequence of the decisions, that has another outcome."""
    choices: Sequence[Change] = ()
    """The fewest changes to the rules in force under which the answer is right; empty where none was found."""
    tried: int = 0
    broken_rule: str = ""
    """What its answer does that breaks a rule, where no choices were found; empty where nothing can be said."""


@dataclass(frozen=True)
class ComparedPhase(PhaseExplanation):
    """How the reference engine adjudicates a phase, and what an engine makes of it."""

    engine: EngineComparison | None = None


@dataclass(frozen=True)
class CaseExplanation:
    """A case or a position, explained."""

    case: str
    suite: str
    """Empty for a position."""
    title: str
    ruleset: str
    phases: Sequence[ComparedPhase]
    notes: Sequence[str] = ()
    """What was guessed or skipped to read a position."""
    rulesets: OutcomeTable | None = None
    recorded: Sequence[str] = ()
    """Where the results that the text of a position has contradict the ruleset, and what they are right under."""


def explain_whole_case(
    case: Case, ruleset: Ruleset, engines: Mapping[str, Adjudicator], *, all_rulesets: bool
) -> CaseExplanation:
    """Explain a case, and its outcomes under all rulesets if asked. Raises as `explain_case` does."""
    engine = next(iter(engines.values())) if len(engines) == 1 else None
    table = None
    if all_rulesets:
        expecting = case if case.suite else None
        table = explain_all_rulesets(case_inputs(case), ruleset, every_ruleset(), engines, expecting, every_document())
    phases = explain_case(case, ruleset, engine, table.disputed if table else ())
    notes = [] if case.suite else case.remark.splitlines()
    first = case_inputs(case)[0]
    others, _ = comparable([first], every_ruleset(), ruleset)
    recorded = compare_with_recorded(first, case.phases[0].recorded, ruleset, others)
    return CaseExplanation(case.id, case.suite, case.title, ruleset.name, phases, notes, table, recorded)


def every_ruleset() -> Mapping[str, Ruleset]:
    """Return the rulesets that come with the project, by name."""
    return {name: load_ruleset(name).ruleset() for name in ruleset_names()}


def every_document() -> Documents:
    """Return what each document behind `every_ruleset()` says of each issue."""
    cells = {name: load_ruleset(name).choices for name in ruleset_names()}
    bases = {name: {issue: cell.basis for issue, cell in each.items()} for name, each in cells.items()}
    return Documents(bases, {issue: each.title for issue, each in EVERY_ISSUE.items()})


def explain_case(
    case: Case, ruleset: Ruleset, engine: Adjudicator | None = None, disputed: Sequence[Disputed] = ()
) -> Sequence[ComparedPhase]:
    """Explain the phases of a case in turn, up to the first on which the engine, if there is one, differs.

    `disputed` are the units in which rulesets differ, by phase. Raises `HarnessError` for rules that the reference
    engine does not play, and `EngineGaveOutError` and `EngineClosedError` where the engine does.
    """
    inputs = case_inputs(case)
    right = [*play(ReferenceAdjudicator(ruleset), inputs)]
    explained = explain_phases(right, ruleset, disputed)
    by_engine: Iterable[PlayedPhase | None] = itertools.repeat(None) if engine is None else play(engine, inputs)
    phases: list[ComparedPhase] = []
    for phase, (asked, answer, _), each, answered in zip(case.phases, right, explained, by_engine, strict=False):
        compared: EngineComparison | None = None
        if answered is not None and isinstance(answer, Answer):
            compared = _compare(phase, asked, answer, answered, ruleset)
        phases.append(ComparedPhase(**vars(each), engine=compared))
        if compared is not None and (compared.error or compared.facts):
            break
    return phases


def _compare(
    phase: CasePhase, asked: PhaseInput, right: Answer, answered: PlayedPhase, ruleset: Ruleset
) -> EngineComparison:
    """Compare what an engine answered with the reference engine: the board, and the orders that the case judges."""
    answer = answered.answer
    if isinstance(answer, Failure):
        return EngineComparison(answer.reason, answer.unsupported)
    every = answered.impossible or diff_answers(expect_answer(right), answer)
    judged = judged_orders(phase, ruleset) or ()
    facts = [fact for fact in every if fact.order is None or fact.order in judged]
    found = EngineComparison(
        differences=fact_texts(facts, asked.texts or (), board=asked.board), facts=list(map(fact_data, facts))
    )
    if answered.impossible or not facts:
        return found
    movement = movement_of(asked, ruleset)
    first = _first_difference(movement, every, right, answer) if movement is not None else ""
    changes, tried = find_changes([PlayedPhase(asked, answer)], ruleset, case_phases=[phase])
    broken = "" if changes else broken_rule(find_blame(PlayedPhase(asked, right), answered, ruleset))
    return replace(found, first=first, choices=changes, tried=tried, broken_rule=broken)


def _first_difference(movement: MovementExplanation, facts: Iterable[Fact], right: Answer, answer: Answer) -> str:
    """Find the first decision that is another one for the engine: a support by its outcome, others by the board."""
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


def with_explanation(found: CaseData, case: Case, ruleset: Ruleset) -> CaseData:
    """Put into a verdict why what is expected is right, and the rule that is broken, in the first phase that differs.

    Nothing is put there where the reference engine does not play these rules, or gives another answer than expected.
    """
    number = next((number for number, phase in enumerate(found.phases) if phase.facts and phase.expected), -1)
    if number < 0:
        return found
    played = [*play(ReferenceAdjudicator(ruleset), case_inputs(case))]
    if number >= len(played) or is_wrong(case, played, ruleset):
        return found
    try:
        *_, explained = explain_phases(played[: number + 1], ruleset)
    except HarnessError:
        return found
    wrong = found.phases[number]
    why, broken = why_right(played[number].asked, explained, ruleset, wrong.facts), ""
    answered = answered_phases(found) if found.verdict == "failed" else ()
    if number < len(answered):
        broken = broken_rule(find_blame(played[number], answered[number], ruleset))
    told = msgspec.structs.replace(wrong, explanation=why, broken_rule=broken)
    return msgspec.structs.replace(found, phases=[*found.phases[:number], told, *found.phases[number + 1 :]])


def why_right(asked: PhaseInput, explained: PhaseExplanation, ruleset: Ruleset, facts: Sequence[FactData]) -> str:
    """Say why a phase has its result, in a few sentences about the units and orders of which some facts are."""
    if explained.phase != "movement":
        return explained.summary
    say = Summary(asked.position(), ruleset)
    provinces = {province_code(fact.unit.location) for fact in facts if fact.unit is not None}
    units = {say.unit(unit) for unit in asked.units if province_code(unit.location) in provinces}
    orders = {fact.order for fact in facts}
    is_about_retreats = any(fact.kind.startswith("retreat") for fact in facts)
    # The orders that facts are about; then the moves, since other orders matter by what they do to moves.
    concerned = [
        (index not in orders, order.goes_to is None, order)
        for index, order in enumerate(explained.orders)
        if index in orders or order.unit in units or province_code(order.goes_to or "") in provinces
    ]
    told: list[str] = []
    for is_beside, _, order in sorted(concerned, key=lambda each: each[:2]):
        owner, why = say.owner(order), "; ".join(order.sentences)
        if order.why:
            told.append(say.failure(order))
        elif order.goes_to is not None:
            told.append(f"{owner} moves to {say.place(province_code(order.goes_to))}{why and f': {why}'}.")
        elif order.sentences:
            shown = [each for each in order.sentences if is_about_retreats or not each.startswith("it may not retreat")]
            told.append(f"{owner}: {'; '.join(shown)}.")
        elif not is_beside:
            told.append(f"{owner} succeeds: the order is legal, and nothing stops it.")
    return " ".join(told[:MOST_SENTENCES]) or explained.summary
