"""Several runs as one Markdown table, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .markdown import SIGNS, cell, code, engine_name, fit, headline
from .report import VERDICTS, Report
from .side_by_side import CaseRow, case_rows
from .text import printable_report


def render_markdown_runs(reports: Sequence[Report]) -> bytes:
    """Render several runs as GitHub Markdown in UTF-8, small enough for a comment.

    The table has the cases that not every run passes.
    """
    reports = [printable_report(report) for report in reports]
    rows = case_rows(reports)
    differing = [row for row in rows if not row.all_passed]
    runs = "\n".join(_run(number, report) for number, report in enumerate(reports, start=1))
    agreed = sum(row.agreed for row in rows)
    said = f"{agreed} of {len(rows)} cases have the same verdict in all runs; {_listed(differing)}."
    head = f"### {len(reports)} runs\n\n{runs}\n\n{_figures(reports)}\n\n{said}\n"
    return fit(head, list(_tables(reports, differing)), "parts of the table")


def _run(number: int, report: Report) -> str:
    return f"{number}. {code(engine_name(report))}: {headline(report)}"


def _listed(differing: Sequence[CaseRow]) -> str:
    return f"those that not all pass ({len(differing)}) are below" if differing else "all runs pass all"


def _figures(reports: Sequence[Report]) -> str:
    names = [f"{number}: {cell(engine_name(report))}" for number, report in enumerate(reports, start=1)]
    head = _row(["", *names])
    rules = _row(["ruleset", *(cell(report.ruleset.name) for report in reports)])
    counts = [
        _row([f"{SIGNS[verdict]} {verdict}", *(str(report.summary[verdict]) for report in reports)])
        for verdict in VERDICTS
        if any(report.summary[verdict] for report in reports)
    ]
    return "\n".join([head, _row([":--", *("--:" for _ in reports)]), rules, *counts])


_ROWS = 25
"""The rows of a table: what does not fit is left out a table at a time."""


def _tables(reports: Sequence[Report], rows: Sequence[CaseRow]) -> Iterable[str]:
    numbers = [str(number) for number in range(1, len(reports) + 1)]
    head = [_row(["case", *numbers]), _row([":--"] * (len(reports) + 1))]
    for start in range(0, len(rows), _ROWS):
        yield "\n".join([*head, *map(_case_row, rows[start : start + _ROWS])])


def _case_row(row: CaseRow) -> str:
    verdicts = [f"{SIGNS[case.verdict]} {case.verdict}" if case else "-" for case in row.cases]
    return _row([cell(f"{row.first.id} {row.first.title}"), *verdicts])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
