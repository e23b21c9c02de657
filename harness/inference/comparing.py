"""What runs show of the rules that their engines play, and where these differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...cases import Case, load_suite, suite_names
from ...reports import Report
from ...reports.comparison import Comparison, PlayedRules, Stand, compare_runs
from ..verdict import answered_phases
from ..wording import case_key
from .conclusions import Constraint, conclude, constraint_of


def compare(reports: Sequence[Report], cases: Iterable[Case] | None = None) -> Comparison:
    """Compare runs of these cases, or of those that come with the project."""
    if cases is None:
        cases = [case for name in suite_names() for case in load_suite(name).cases]
    by_key = {case_key(case.suite, case.id): case for case in cases}
    return compare_runs(reports, [played_rules(report, by_key) for report in reports])


def played_rules(report: Report, cases: Mapping[str, Case]) -> PlayedRules:
    """Infer from the answers of a run which rules its engine plays. What is of no known case tells nothing."""
    constraints: list[Constraint] = []
    bugs: list[Case] = []
    silent: list[Case] = []
    for data in report.cases:
        case = cases.get(case_key(data.suite, data.id))
        if case is None:
            continue
        played = answered_phases(data, case)
        if not played:
            silent.append(case)
        elif constraint := constraint_of(case, played):
            constraints.append(constraint)
        else:
            bugs.append(case)
    conclusion = conclude(constraints, bugs, silent, len(report.cases))
    return PlayedRules(
        {
            issue: Stand(found.choices, tuple(map(_key, found.proof)), found.why_open)
            for issue, found in conclusion.findings.items()
        },
        tuple(tuple(map(_key, contradicting)) for contradicting in conclusion.contradictions),
    )


def _key(case: Case) -> str:
    return case_key(case.suite, case.id)
