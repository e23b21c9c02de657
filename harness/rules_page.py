"""From what was concluded of an engine to the page of its rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..cases import Case
from ..reference_engine import ISSUES
from ..reports.preferences import CaseRef, Preference, PreferencesPage
from .inference import Conclusion, Finding


def inferred_page(engine: str, conclusion: Conclusion) -> PreferencesPage:
    """The page of what the answers of an engine show, which say of no ruleset that it is in force."""
    remarks = [f"No one ruleset gives its answers to {_named(cases)}." for cases in conclusion.contradictions]
    if conclusion.bugs:
        remarks.append(f"Right under no ruleset at all: {_named(conclusion.bugs)}.")
    return PreferencesPage(
        engine=engine,
        ruleset="",
        basis="inferred",
        preferences=[
            _preference(issue, finding, _contradicting(issue, conclusion))
            for issue, finding in conclusion.findings.items()
        ],
        remarks=remarks,
    )


def _preference(issue: str, finding: Finding, contradicting: Sequence[Case]) -> Preference:
    cases = [_ref(case) for case in finding.proof]
    against = f"Answers that go together under no choices: {_named(contradicting)}." if contradicting else ""
    if len(finding.choices) == 1:
        return Preference(id=issue, standing="seen", choices=list(finding.choices), cases=cases, note=against)
    if against:
        return Preference(id=issue, standing="contradicted", choices=[], cases=cases, note=against)
    anything = len(finding.choices) == len(ISSUES[issue].choices)
    note = f"{'Any choice fits' if anything else 'These fit'}: {finding.why_open}."
    return Preference(id=issue, standing="open", choices=list(finding.choices), cases=cases, note=note)


def _contradicting(issue: str, conclusion: Conclusion) -> Sequence[Case]:
    """The cases of a contradiction that turns on this issue: two of them at least depend on it."""
    for cases in conclusion.contradictions:
        counted = Counter(each for case in cases for each in case.deciding_issues)
        if counted[issue] > 1:
            return cases
    return ()


def _named(cases: Sequence[Case]) -> str:
    return ", ".join(_ref(case).label for case in cases)


def _ref(case: Case) -> CaseRef:
    return CaseRef(suite=case.suite, id=case.id)
