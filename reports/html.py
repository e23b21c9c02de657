"""A report, a comparison, an inference and a rules page as one HTML page each, for people.

A page loads nothing, and runs nothing but its own script.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping

from ..cases import load_issues
from .comparison import KINDS, Agreement, Comparison, IssueComparison, Kind
from .html_cases import anchors_of, case_views, compared_cases, sections_of, suites_of
from .html_page import Toggle, render_page, verdict_toggles
from .preferences import (
    BASES,
    IssueRow,
    PreferencesPage,
    agreement,
    chapters,
    closeness,
    heading,
    issue_rows,
    own_choices,
)
from .report import InferenceReport, Report, cases_by_key, summarize
from .text import printable_report, printable_struct
from .wording import claim, comparison_claim, inference_claim, issue_counts

_KINDS: Mapping[Kind, tuple[str, str]] = {
    "differing": ("≠", "they differ"),
    "words": ("≈", "same boards, other outcomes of orders"),
    "unanswered": ("○", "not all answered"),
    "alike": ("=", "all alike"),
}

_STEPS = (0.7, 0.8, 0.9, 0.95)
"""The shares of cases answered alike at which the colour changes."""


def render_html(report: Report) -> bytes:
    """Render a report as one HTML page in UTF-8."""
    report = printable_report(report)
    rows = issue_rows(report)
    anchors = anchors_of(report.cases)
    return render_page(
        "report.html",
        report=report,
        claim=claim(report),
        anchors=anchors,
        toggles=verdict_toggles(report.summary),
        issues=chapters([row for row in rows if row.seen != "not-shown"]),
        unseen=[row for row in rows if row.seen == "not-shown"],
        own_choices=[row for row in rows if row.preset],
        known_issues={row.id: row for row in rows},
        sections=sections_of(report.cases, case_views(report.cases, anchors)),
        suites=suites_of(report.cases),
    )


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
        names=[f"{number} {report.engine.name}" for number, report in enumerate(reports, 1)],
        claim=comparison_claim(comparison),
        toggles=[Toggle(kind, *_KINDS[kind], len(of_kind)) for kind in KINDS if (of_kind := comparison.of_kind(kind))],
        shown_toggles=[
            Toggle(kind, *_KINDS[kind], count) for kind in KINDS if (count := sum(case.kind == kind for case in shown))
        ],
        verdict_toggles=verdict_toggles,
        level=_level,
        parting={each.issue for each in comparison.issues},
        engines_by_choice=_engines_by_choice,
        anchors=anchors,
        by_key={case.key: case.first for case in comparison.cases},
        has_article={anchors[case.first.suite, case.first.id] for case in shown},
        known_issues={issue: IssueRow(issue, "", "", []) for issue in load_issues()},
        sections=sections_of([view.data.first for view in views], views),
        suites=suites_of(cases),
    )


def render_html_inference(inference: InferenceReport) -> bytes:
    """Render what was inferred of an engine as one HTML page in UTF-8."""
    report = printable_struct(inference)
    rows = {issue: IssueRow(issue, "", "", []) for issue in report.choices}
    by_key = cases_by_key(report)
    telling = {key for keys in (*report.proof.values(), *report.contradictions) for key in keys}
    telling.update(report.bugs, report.unsupported)
    shown = [case for key, case in by_key.items() if key in telling]
    cases = sorted(shown, key=lambda case: (case.suite != "datc-3.1", case.suite, case.file, case.line))
    anchors = anchors_of(cases)
    return render_page(
        "inference.html",
        report=report,
        claim=inference_claim(report),
        issue_counts=[Toggle(name, "", name, count) for name, count in issue_counts(report).items() if count],
        issues=chapters([*rows.values()]),
        known_issues=rows,
        cases=cases,
        anchors=anchors,
        proof={issue: [by_key[key] for key in keys] for issue, keys in report.proof.items()},
        contradictions=[[by_key[key] for key in keys] for keys in report.contradictions],
        bugs=[by_key[key] for key in report.bugs],
        unanswered=[by_key[key] for key in report.unsupported],
        toggles=verdict_toggles(summarize(cases)),
        sections=sections_of(cases, case_views(cases, anchors)),
        suites=suites_of(cases),
    )


def render_html_preferences(page: PreferencesPage) -> bytes:
    """Render a rules page as HTML in UTF-8."""
    page = printable_struct(page)
    return render_page(
        "preferences.html",
        page=page,
        heading=heading(page),
        basis=BASES[page.basis],
        own_choices=own_choices(page),
        chapters=chapters(page.preferences),
        closeness=closeness(page.preferences),
        agreement=agreement,
    )


def _engines_by_choice(issue: IssueComparison) -> list[tuple[tuple[str, ...], list[int]]]:
    """The engines, by their place, that settle an issue in the same way; last those whose choice is unknown."""
    found: dict[tuple[str, ...], list[int]] = {}
    for place, inferred in enumerate(issue.inferred):
        found.setdefault(inferred.choices if inferred is not None else (), []).append(place)
    return sorted(found.items(), key=lambda item: not item[0])


def _level(agreement: Agreement) -> int:
    """How strong a colour it has, from 0 to 4."""
    return bisect_right(_STEPS, agreement.alike / agreement.both) if agreement.both else 0
