"""Several engines as one HTML page: how often they agree, which issues part them, and each case with its boards."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from ..cases import load_issues
from .claim import comparison_claim
from .compared_cases import compared_cases
from .comparison import KINDS, Agreement, Comparison, IssueComparison, Kind
from .html_cases import anchors_of, sections_of, suites_of
from .html_page import Toggle, render_page, verdict_toggles
from .issue_rows import IssueRow
from .report import Report

_KINDS: Mapping[Kind, tuple[str, str]] = {
    "differing": ("≠", "they differ"),
    "unanswered": ("○", "not all answered"),
    "alike": ("=", "all alike"),
}

_STEPS = (0.7, 0.8, 0.9, 0.95)
"""The shares of cases answered alike at which the colour changes."""


def render_html_comparison(comparison: Comparison) -> bytes:
    """Render what several runs show of their engines as one HTML page in UTF-8."""
    reports = comparison.reports
    cases = [case.first for case in comparison.cases]
    anchors = anchors_of(cases)
    shown = [case for case in comparison.cases if case.kind != "alike" or not case.all_passed]
    views = compared_cases(shown, anchors)
    return render_page(
        "comparison.html",
        reports=reports,
        comparison=comparison,
        names=engine_names(reports),
        claim=comparison_claim(comparison),
        toggles=[Toggle(kind, *_KINDS[kind], len(of_kind)) for kind in KINDS if (of_kind := comparison.of_kind(kind))],
        shown_toggles=[
            Toggle(kind, *_KINDS[kind], count) for kind in KINDS if (count := sum(case.kind == kind for case in shown))
        ],
        verdict_toggles=verdict_toggles,
        level=_level,
        parting={each.issue for each in comparison.issues},
        stands=stands_of,
        anchors=anchors,
        by_key={case.key: case.first for case in comparison.cases},
        has_article={anchors[case.first.suite, case.first.id] for case in shown},
        known_issues={issue: IssueRow(issue, "", "", []) for issue in load_issues()},
        sections=sections_of([view.data.first for view in views], views),
        suites=suites_of(cases),
    )


def engine_names(reports: Sequence[Report]) -> list[str]:
    """Number the engines, as their names may be the same."""
    return [f"{number} {report.engine.name}" for number, report in enumerate(reports, 1)]


def stands_of(issue: IssueComparison) -> list[tuple[tuple[str, ...], list[int]]]:
    """The engines, by their place, that settle an issue in the same way; last those that were not seen to, at all."""
    found: dict[tuple[str, ...], list[int]] = {}
    for place, stand in enumerate(issue.stands):
        found.setdefault(stand.choices if stand is not None else (), []).append(place)
    return sorted(found.items(), key=lambda item: not item[0])


def _level(agreement: Agreement) -> int:
    """How strong a colour it has, from 0 to 4."""
    return bisect_right(_STEPS, agreement.alike / agreement.both) if agreement.both else 0
