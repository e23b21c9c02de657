"""Asks an engine what tells rules apart, and reports which it plays."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from ...adapters import Capabilities, Engine, EngineFailure, UnsupportedError
from ...cases import Case, Expectation
from ...reference_engine import ISSUES
from ...reports import CaseData, EngineData, HarnessData, InferenceReport, PhaseData, RulesetData, Verdict
from ..session.questions import ask_phase, before
from ..verdict.asking import Rules, unasked
from ..verdict.judging import AskedPhase, Judgement, judge
from ..verdict.phase_data import phase_data
from ..wording import case_key, short_key
from .conclusions import (
    Conclusion,
    Constraint,
    conclude,
    constraint_of,
    everything,
    propagate,
    simplest_first,
    tells_something,
)


class Inferred(NamedTuple):
    """What was concluded, and the cases from which, in the order in which they were asked."""

    conclusion: Conclusion
    cases: list[CaseData]


class _Answers(NamedTuple):
    asked: list[AskedPhase]
    phases: list[PhaseData]
    trouble: tuple[Verdict, str] | None
    """The verdict where a phase was not answered, and why."""


def infer(
    engine: Engine, capabilities: Capabilities, cases: Sequence[Case], rules: Rules, *, every_case: bool = False
) -> Inferred:
    """Ask an engine the cases that still tell something, or every case, and conclude which choices it makes.

    `rules` are what the requests say is in force: an engine that honours choices plays those. Raises
    `EngineGaveOutError` and `EngineClosedError`.
    """
    constraints: list[Constraint] = []
    bugs: list[Case] = []
    unsupported: list[Case] = []
    found: list[CaseData] = []
    candidates = everything()
    for case in sorted(cases, key=simplest_first):
        if not every_case and not tells_something(case, candidates):
            continue
        answers = _ask(engine, capabilities, case, rules)
        constraint = constraint_of(case, answers.asked) if answers.asked else None
        found.append(_case_data(case, answers, constraint, rules))
        if not answers.asked:
            unsupported.append(case)
        elif constraint is None:
            bugs.append(case)
        else:
            constraints.append(constraint)
            candidates = propagate([constraint], candidates) or candidates
    return Inferred(conclude(constraints, bugs, unsupported, len(found)), found)


def inference_report(
    inferred: Inferred, harness: HarnessData, engine: EngineData, rules: Rules, *, every_case: bool
) -> InferenceReport:
    """Put into a report what was inferred of an engine."""
    conclusion = inferred.conclusion
    return InferenceReport(
        harness=harness,
        engine=engine,
        ruleset=RulesetData(name=rules.ruleset.name, choices=dict(rules.ruleset.choices)),
        every_case=every_case,
        asked=conclusion.asked,
        choices={issue: list(found.choices) for issue, found in conclusion.findings.items()},
        proof={issue: _keys(found.proof) for issue, found in conclusion.findings.items()},
        open={issue: found.why_open for issue, found in conclusion.findings.items() if found.why_open},
        contradictions=[_keys(cases) for cases in conclusion.contradictions],
        bugs=_keys(conclusion.bugs),
        unsupported=_keys(conclusion.unsupported),
        cases=inferred.cases,
    )


def _ask(engine: Engine, capabilities: Capabilities, case: Case, rules: Rules) -> _Answers:
    """Ask all phases of a case, or those before one that the engine cannot be asked or does not answer."""
    asked: list[AskedPhase] = []
    phases: list[PhaseData] = []
    for phase in case.phases:
        standing = before(phase, asked)
        expectation = phase.expected(rules.ruleset.choices)
        if expectation is not None and expectation.no_answer:
            expectation = None
        try:
            answer = ask_phase(engine, capabilities, phase, standing, rules.ruleset, rules.notation)
        except (UnsupportedError, EngineFailure) as error:
            phases.append(phase_data(phase, standing, expectation, None, Judgement()))
            verdict: Verdict = "unsupported" if isinstance(error, UnsupportedError) else "error"
            return _Answers(asked, phases, (verdict, str(error)))
        asked.append(AskedPhase(phase, standing.units, standing.dislodged_units, answer))
        phases.append(phase_data(phase, standing, expectation, answer, _judgement(asked[-1], expectation)))
    return _Answers(asked, phases, None)


def _judgement(asked: AskedPhase, expectation: Expectation | None) -> Judgement:
    return Judgement() if expectation is None else judge(asked, expectation)


def _case_data(case: Case, answers: _Answers, constraint: Constraint | None, rules: Rules) -> CaseData:
    fitting = constraint.fitting if constraint else ()
    if answers.trouble is not None:
        verdict, reason = answers.trouble
    elif constraint is None:
        verdict, reason = "failed", "right under no choice of any issue"
    elif any(all(rules.ruleset.choices[issue] in group for issue, group in one.items()) for one in fitting):
        verdict, reason = "passed", ""
    else:
        verdict, reason = "deviated", f"it is not what {rules.ruleset.name} has, but right under other choices"
    fits = {issue: set(itertools.chain.from_iterable(one[issue] for one in fitting)) for issue in case.deciding_issues}
    return msgspec.structs.replace(
        unasked(case, reason),
        verdict=verdict,
        choices={
            issue: [choice for choice in ISSUES[issue].choices if choice in kept]
            for issue, kept in fits.items()
            if 0 < len(kept) < len(ISSUES[issue].choices)
        },
        phases=answers.phases,
    )


def _keys(cases: Iterable[Case]) -> list[str]:
    return [short_key(case_key(case.suite, case.id)) for case in cases]
