"""The report for GitHub Actions: annotations on its standard output, and the summary of the step.

The annotations are workflow commands: the first says how the run went, then comes each case that fails the run, then a
line for each kind of the others. They point at a file of the author: the config, or a case of an own suite. GitHub
shows ten errors, ten warnings and ten notices of a step; the rest stays in its log. The summary is the report in
Markdown, added to the file that `GITHUB_STEP_SUMMARY` names; nothing is added where it names none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias, final

from .files import Sink
from .gate import SEVERITIES, failing_cases, gate_sentences, is_success, place_of
from .markdown import render_markdown
from .report import CaseData, Event, Report, RunFinished, by_verdict, counted, engine_name
from .text import one_line, printable_struct
from .wording import statement

_Level: TypeAlias = Literal["error", "warning", "notice"]

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
        if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
            with Path(summary).open("ab") as file:
                _ = file.write(render_markdown(event.report) + b"\n")


def render_annotations(report: Report) -> bytes:
    """Render a report as workflow commands in UTF-8."""
    return "".join(f"{line}\n" for line in _annotations(printable_struct(report))).encode()


def _annotations(report: Report) -> Iterator[str]:
    said = "\n".join([statement(report), *gate_sentences(report)])
    yield _command("notice" if is_success(report) else "error", {"title": engine_name(report.engine)}, said)
    failing = failing_cases(report)
    fail = by_verdict(case for case in report.cases if case.key in failing)
    others = by_verdict(case for case in report.cases if case.key not in failing)
    for verdict, level in SEVERITIES.items():
        for case in fail[verdict]:
            place = place_of(report, case)
            at = {} if place is None else {"file": place[0], "line": str(place[1])}
            said = "\n".join([case.reason or verdict, *case.differences])[:_LONGEST_MESSAGE]
            yield _command(level, {**at, "title": f"{case.id} {case.title}: {failing[case.key]}"}, said)
    for verdict in fail:
        if fail[verdict] and verdict not in SEVERITIES:
            yield _together("warning", fail[verdict], verdict)
        if others[verdict] and verdict != "passed":
            said = verdict if verdict == "declared" else f"{verdict}, fails nothing"
            yield _together("notice", others[verdict], said)


def _together(level: _Level, cases: Sequence[CaseData], said: str) -> str:
    ids = ", ".join(case.id for case in cases)
    return _command(level, {"title": f"{counted(len(cases), 'case')}: {said}"}, ids[:_LONGEST_MESSAGE])


def _command(level: _Level, properties: Mapping[str, str], message: str) -> str:
    shown = {name: _data(one_line(value, _LONGEST_TITLE)) for name, value in properties.items()}
    listed = ",".join(f"{name}={value.replace(':', '%3A').replace(',', '%2C')}" for name, value in shown.items())
    return f"::{level} {listed}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
