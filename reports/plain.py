"""What the terminal shows of a run that passes, as plain lines: rich, which draws the rest, is slow to import."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import TextIO, final

from .inert import inert
from .report import CaseData, Event, Handler, Report, RunFinished, counted, engine_name, statement


@final
class PlainOutput:
    """Writes about a run to a file or a pipe. What it cannot show is left to what draws on terminals."""

    def __init__(self, file: TextIO, width: int, full: Callable[[], Handler]) -> None:
        """Write to a file in lines of at most so many columns; `full` makes the other output."""
        self._file = file
        self._width = width
        self._full = full

    def handle(self, event: Event) -> None:
        """Show a finished run: nobody watches it before."""
        if isinstance(event, RunFinished):
            text = plain_text(event.report, self._width)
            if text is None:
                self._full().handle(event)
            else:
                _ = self._file.write(text)


def plain_text(report: Report, width: int) -> str | None:
    """Return what `TerminalOutput` shows of a run; `None` where more is to be shown than lines of this width."""
    if not (report.complete and report.cases) or report.restarts or report.looks_like or report.tested_choices:
        return None
    if any(case.verdict != "passed" or case.notes for case in report.cases):
        return None
    lines = [
        f"{engine_name(report.engine)}, ruleset {report.ruleset.name}",
        "",
        *_sections(report.cases),
        "",
        f"{counted(len(report.cases), 'case')}: {len(report.cases)} passed{took(report)}",
        statement(report),
    ]
    if not all(line.isascii() and line.isprintable() and len(line) <= width for line in lines):
        return None
    return inert("".join(f"{line}\n" for line in lines))


def _sections(all_cases: list[CaseData]) -> list[str]:
    rows: list[tuple[str, str, str]] = []
    for (_, section), members in groupby(all_cases, key=lambda case: (case.suite, case.section)):
        cases = list(members)
        rows.append((section, cases[0].section_title, f"{len(cases)} passed"))
    first, second = (max(len(row[column]) for row in rows) for column in (0, 1))
    return [f"{section:{first}}  {title:{second}}  {count}" for section, title, count in rows]


def took(report: Report) -> str:
    """Say how long a run took, where that is known."""
    return f"  ({report.seconds:.1f} s)" if report.seconds or not report.search else ""
