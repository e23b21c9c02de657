"""Several runs as one HTML page: their cases side by side, and what each run has to say of those not passed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .html import (
    VERDICT_TEXTS,
    _environment,  # pyright: ignore[reportPrivateUsage] - one environment, so one way to escape
)
from .plain import describe_case
from .report import VERDICTS, Report, statement
from .side_by_side import CaseRow, case_rows
from .text import printable_report


def render_html_runs(reports: Sequence[Report]) -> bytes:
    """Render several runs as one HTML page in UTF-8. It loads nothing and runs nothing."""
    reports = [printable_report(report) for report in reports]
    rows = case_rows(reports)
    page = _environment().get_template("runs.html")
    text = page.render(
        reports=reports,
        rows=rows,
        sections=_sections(rows),
        differing=[row for row in rows if not row.all_passed],
        agreed=sum(row.agreed for row in rows),
        anchors=_anchors(rows),
        statement=statement,
        describe_case=describe_case,
        verdicts=VERDICTS,
        verdict_texts=VERDICT_TEXTS,
    )
    return text.encode()


def _sections(rows: Sequence[CaseRow]) -> Mapping[tuple[str, str, str], list[CaseRow]]:
    sections: dict[tuple[str, str, str], list[CaseRow]] = {}
    for row in rows:
        sections.setdefault((row.first.suite, row.first.section, row.first.section_title), []).append(row)
    return sections


def _anchors(rows: Sequence[CaseRow]) -> Mapping[tuple[str, str], str]:
    """Name the place of each case within that of a run."""
    return {(row.first.suite, row.first.id): f"case-{number}" for number, row in enumerate(rows, start=1)}
