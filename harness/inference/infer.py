"""Asks an engine what tells rules apart, and reports which it plays."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from ...adapters import Capabilities, Engine
from ...cases import Case
from ...reference_engine import ISSUES
from ...reports import CaseData, EngineData, HarnessData, InferenceReport, RulesetData
from ..answers import Answer
from ..session import EngineAdjudicator
from ..verdict import Rules, judged_case, phases_with_answer, play_case
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
    adjudicator = EngineAdjudicator(engine, capabilities, rules.ruleset, rules.notation)
    for case in sorted(cases, key=simplest_first):
        if not every_case and not tells_something(case, candidates):
            continue
        played = play_case(adjudicator, case, len(case.phases))
        answered = [one for one in played if isinstance(one.answer, Answer)]
        constraint = constraint_of(case, answered) if answered else None
        data = judged_case(case, played[: max(1, phases_with_answer(case, rules))], rules)
        found.append(_with_left_choices(case, data, constraint))
        if not answered:
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


def _with_left_choices(case: Case, data: CaseData, constraint: Constraint | None) -> CaseData:
    """Say for each issue which choices an answer leaves possible, where it leaves not all."""
    fitting = constraint.fitting if constraint else ()
    fits = {issue: set(itertools.chain.from_iterable(one[issue] for one in fitting)) for issue in case.deciding_issues}
    return msgspec.structs.replace(
        data,
        choices={
            issue: [choice for choice in ISSUES[issue].choices if choice in kept]
            for issue, kept in fits.items()
            if 0 < len(kept) < len(ISSUES[issue].choices)
        },
    )


def _keys(cases: Iterable[Case]) -> list[str]:
    return [short_key(case_key(case.suite, case.id)) for case in cases]
