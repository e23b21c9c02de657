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
from .gate import failing_cases, gate_sentences, is_success, place_of
from .markdown import render_markdown
from .report import VERDICTS, CaseData, Event, Report, RunFinished, Verdict, counted, engine_name, statement
from .text import one_line, printable_report
from .wording import differences

_Level: TypeAlias = Literal["error", "warning", "notice"]

_LEVELS: Mapping[Verdict, _Level] = {"failed": "error", "error": "error", "deviated": "warning", "passed": "warning"}
"""The cases with an annotation of their own where they fail a run, the worst first. Of one that passed, the declaration
is out of date."""
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
    said = "\n".join([statement(report), *gate_sentences(report)])
    yield _command("notice" if is_success(report) else "error", {"title": title}, said)
    failing = failing_cases(report)
    for verdict, level in _LEVELS.items():
        for case in report.cases:
            if case.key in failing and case.verdict == verdict:
                title = f"{case.id} {case.title}: {failing[case.key]}"
                yield _command(level, {**_place(report, case), "title": title}, _message(case))
    for verdict in VERDICTS:
        fail = [case for case in report.cases if case.verdict == verdict and case.key in failing]
        others = [case for case in report.cases if case.verdict == verdict and case.key not in failing]
        if fail and verdict not in _LEVELS:
            yield _together("warning", fail, verdict)
        if others and verdict != "passed":
            yield _together("notice", others, verdict if verdict == "declared" else f"{verdict}, fails nothing")


def _together(level: _Level, cases: Sequence[CaseData], said: str) -> str:
    ids = ", ".join(case.id for case in cases)
    return _command(level, {"title": f"{counted(len(cases), 'case')}: {said}"}, ids[:_LONGEST_MESSAGE])


def _place(report: Report, case: CaseData) -> dict[str, str]:
    place = place_of(report, case)
    return {} if place is None else {"file": place[0], "line": str(place[1])}


def _message(case: CaseData) -> str:
    return "\n".join([case.reason or case.verdict, *differences(case)])[:_LONGEST_MESSAGE]


def _command(level: _Level, properties: Mapping[str, str], message: str) -> str:
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {listed}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(one_line(text, _LONGEST_TITLE)).replace(":", "%3A").replace(",", "%2C")
