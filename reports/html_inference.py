"""Which rules an engine plays, as one HTML page: for each issue the choice and its proof, and what contradicts."""

from __future__ import annotations

from .claim import inference_claim, issue_counts
from .html_cases import anchors_of, case_views, sections_of, suites_of
from .html_page import Toggle, render_page, verdict_toggles
from .inference import InferenceReport, cases_by_key
from .issue_rows import IssueRow, chapters
from .report import summarize
from .text import printable_struct


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
