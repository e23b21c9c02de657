from __future__ import annotations

import io
import json

import msgspec
import pytest

from datc.reports import CaseFinished, Report, RunFinished, RunStarted, StoredRunError, read_run
from datc.reports.json_report import JsonLinesOutput
from datc.reports.text import printable_struct


class Flushes(io.BytesIO):
    """Knows what has been flushed."""

    def flush(self) -> None:
        self.safe = self.getvalue()


def test_there_is_a_line_a_case_between_a_header_and_a_footer(every_verdict: Report) -> None:
    header, *cases, footer = map(json.loads, written(every_verdict).splitlines())
    assert (header["type"], header["format"], header["cases"]) == ("run", 1, 7)
    assert (header["engine"]["name"], header["ruleset"]["name"]) == ("Mine", "datc-3.2")
    assert [(line["type"], line["number"], line["case"]["id"]) for line in cases[:2]] == [
        ("case", 1, "6.F.1"),
        ("case", 2, "6.F.2"),
    ]
    assert (footer["type"], footer["complete"], footer["incomplete_reason"]) == ("end", False, "the engine gave out")
    assert footer["summary"] == every_verdict.summary


def test_each_line_is_there_as_soon_as_it_can_be(passing: Report) -> None:
    file = Flushes()
    output = JsonLinesOutput(file)
    output.handle(started(passing))
    assert file.safe.count(b"\n") == 1
    for number, case in enumerate(passing.cases, start=2):
        output.handle(CaseFinished(case))
        assert file.safe.count(b"\n") == number
    output.handle(RunFinished(passing))
    assert file.safe == written(passing)


def test_a_finished_run_comes_back_as_it_was(every_verdict: Report, passing: Report, hostile: Report) -> None:
    for report in (every_verdict, passing, hostile):
        assert read_run(written(report)) == printable_struct(report)


def test_a_run_whose_engine_did_not_start_has_all_lines_too(every_verdict: Report) -> None:
    file = io.BytesIO()
    JsonLinesOutput(file).handle(RunFinished(every_verdict))
    assert file.getvalue() == written(every_verdict)


def test_cases_that_were_not_asked_come_before_the_footer(every_verdict: Report) -> None:
    file = io.BytesIO()
    output = JsonLinesOutput(file)
    output.handle(started(every_verdict))
    output.handle(CaseFinished(every_verdict.cases[0]))
    output.handle(RunFinished(every_verdict))
    assert read_run(file.getvalue()) == every_verdict


@pytest.mark.parametrize("name", ["every_verdict", "passing", "hostile"])
def test_a_run_that_was_killed_is_partial_wherever_it_was_cut(name: str, request: pytest.FixtureRequest) -> None:
    report: Report = request.getfixturevalue(name)
    content = written(report)
    first_line = content.index(b"\n")
    last = len(content) - 1
    line_ends = [at + offset for at, byte in enumerate(content) if byte == ord("\n") for offset in (-1, 0, 1)]
    for end in {*range(0, last, 1 if name == "passing" else 211), *(end for end in line_ends if end < last)}:
        if end < first_line:
            with pytest.raises(StoredRunError):
                _ = read_run(content[:end])
            continue
        partial = read_run(content[:end])
        # A line that lacks only its line feed is whole.
        whole = content[: end + 1].count(b"\n") - 1
        assert (partial.complete, partial.compliant) == (False, False)
        assert partial.incomplete_reason == f"the run was cut off after {whole} of {len(report.cases)} cases"
        assert partial.cases == printable_struct(report).cases[:whole]
        assert sum(partial.summary.values()) == whole


def test_a_line_that_is_lost_or_there_twice_is_noticed(passing: Report) -> None:
    header, first, second, footer = written(passing).splitlines(keepends=True)
    lost = read_run(header + first + footer)
    assert (lost.complete, lost.incomplete_reason) == (False, "only 1 of 2 cases are in the file")
    twice = read_run(header + header + first + second + second + footer)
    assert twice == passing


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((b'"type":"end"', b'"type":"fin"'), "line 4 is not part of a run"),
        ((b'"number":1', b'"number":'), "line 2 is not JSON"),
        ((b'"type":"run","format":1', b'"type":"run","format":2'), "it is of format 2"),
        ((b'"cases":2', b'"cases":"x"'), "line 1 is not part of a run"),
    ],
)
def test_what_is_no_run_is_refused(passing: Report, change: tuple[bytes, bytes], message: str) -> None:
    with pytest.raises(StoredRunError, match=message):
        _ = read_run(written(passing).replace(*change))


def written(report: Report) -> bytes:
    """Let a run be written from its beginning to its end."""
    file = io.BytesIO()
    output = JsonLinesOutput(file)
    output.handle(started(report))
    for case in report.cases:
        output.handle(CaseFinished(case))
    output.handle(RunFinished(report))
    return file.getvalue()


def started(report: Report) -> RunStarted:
    return RunStarted(report.harness, report.engine, report.ruleset, len(report.cases))


def test_a_header_alone_is_a_run_of_nothing_yet(passing: Report) -> None:
    file = io.BytesIO()
    JsonLinesOutput(file).handle(started(passing))
    partial = read_run(file.getvalue())
    assert partial == msgspec.structs.replace(
        passing,
        complete=False,
        incomplete_reason="the run was cut off after 0 of 2 cases",
        compliant=False,
        seconds=0,
        summary=dict.fromkeys(passing.summary, 0),
        board_summary=dict.fromkeys(passing.summary, 0),
        cases=[],
    )
