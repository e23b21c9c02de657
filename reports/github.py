"""The report for GitHub Actions: annotations on its standard output, and the summary of the step.

The annotations are workflow commands: the first says how the run went, the others point at the files of the cases.
GitHub shows ten errors, ten warnings and ten notices of a step; the rest stays in its log. The summary is the report in
Markdown, added to the file that `GITHUB_STEP_SUMMARY` names; nothing is added where it names none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, TypeAlias, final

from .files import Sink
from .markdown import render_markdown
from .report import CaseData, Event, Report, RunFinished, Verdict, statement
from .text import one_line, printable_report
from .wording import differences, engine_name

_Level: TypeAlias = Literal["error", "warning", "notice"]

_LEVELS: Mapping[Verdict, _Level] = {
    "failed": "error",
    "error": "error",
    "deviated": "warning",
    "unsupported": "warning",
    "declared": "notice",
}
_SUMMARY = "GITHUB_STEP_SUMMARY"
_LONGEST_TITLE = 200
_LONGEST_MESSAGE = 4_000


@final
class GitHubOutput:
    """Writes the annotations and the summary when the run is finished."""

    def __init__(self, file: Sink) -> None:
        """`file` takes the annotations; it is left open."""
        self._file = file

    def handle(self, event: Event) -> None:
        """Write what a finished run found. Raises `OSError`."""
        if not isinstance(event, RunFinished):
            return
        _ = self._file.write(render_annotations(event.report))
        self._file.flush()
        if summary := os.environ.get(_SUMMARY):
            with Path(summary).open("ab") as file:
                _ = file.write(render_markdown(event.report) + b"\n")


def render_annotations(report: Report) -> bytes:
    """Render a report as workflow commands in UTF-8."""
    report = printable_report(report)
    return "".join(f"{line}\n" for line in _annotations(report)).encode()


def _annotations(report: Report) -> Iterator[str]:
    title = engine_name(report.engine)
    yield _command("notice" if report.compliant else "error", {"title": title}, statement(report))
    for case in report.cases:
        if case.verdict in _LEVELS:
            title = f"{case.id} {case.title}: {case.verdict}"
            yield _command(_LEVELS[case.verdict], {**_place(case), "title": title}, _message(case))


def _place(case: CaseData) -> dict[str, str]:
    return {"file": case.file, "line": str(case.line)} if case.file else {}


def _message(case: CaseData) -> str:
    return "\n".join([case.reason or case.verdict, *differences(case)])[:_LONGEST_MESSAGE]


def _command(level: _Level, properties: Mapping[str, str], message: str) -> str:
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {listed}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(one_line(text, _LONGEST_TITLE)).replace(":", "%3A").replace(",", "%2C")
