"""The report as one HTML page, for people. It loads nothing, and runs nothing but its own script."""

from __future__ import annotations

from .claim import claim
from .html_cases import anchors_of, case_views, sections_of, suites_of
from .html_page import render_page, verdict_toggles
from .issue_rows import chapters, issue_rows
from .report import Report
from .text import printable_report


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
