"""JSON as it is promised, its lines as a run goes on, and stored runs read back."""

import io
import json
from pathlib import Path

import msgspec
import pytest

from datc.reports import CaseFinished, Event, Report, RunFinished, RunStarted, StoredRunError, read_run
from datc.reports.html import render_html
from datc.reports.json_report import JsonLinesOutput, render_json
from datc.reports.junit import render_junit
from datc.reports.report import VERDICTS
from datc.reports.text import printable_struct


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


def test_each_line_is_there_as_soon_as_it_can_be(passing: Report, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with path.open("wb") as file:
        output = JsonLinesOutput(file)
        output.handle(started(passing))
        for number, case in enumerate(passing.cases, start=1):
            assert path.read_bytes().count(b"\n") == number
            output.handle(CaseFinished(case))
        assert path.read_bytes().count(b"\n") == 3
        output.handle(RunFinished(passing))
        assert path.read_bytes() == written(passing)


def test_cases_that_were_not_asked_come_before_the_footer(every_verdict: Report) -> None:
    first = CaseFinished(every_verdict.cases[0])
    assert told(started(every_verdict), first, RunFinished(every_verdict)) == written(every_verdict)
    assert told(RunFinished(every_verdict)) == written(every_verdict), "the engine did not start"


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
        assert sum(partial.summary.values()) == sum((partial.board_summary or {}).values()) == whole
        assert partial.seconds == sum(case.seconds for case in partial.cases)


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
def test_lines_that_are_no_run_are_refused(passing: Report, change: tuple[bytes, bytes], message: str) -> None:
    with pytest.raises(StoredRunError, match=message):
        _ = read_run(written(passing).replace(*change))


def told(*events: Event) -> bytes:
    """The lines that a run writes for its events."""
    file = io.BytesIO()
    output = JsonLinesOutput(file)
    for event in events:
        output.handle(event)
    return file.getvalue()


def written(report: Report) -> bytes:
    """Let a run be written from its beginning to its end."""
    return told(started(report), *map(CaseFinished, report.cases), RunFinished(report))


def started(report: Report) -> RunStarted:
    cases = len(report.cases)
    return RunStarted(harness=report.harness, engine=report.engine, ruleset=report.ruleset, cases=cases)


def test_a_run_comes_back_as_it_was(every_verdict: Report, passing: Report, hostile: Report) -> None:
    for report in (every_verdict, passing, hostile):
        stored = read_run(render_json(report))
        assert stored == printable_struct(report) == read_run(written(report))
        assert read_run(msgspec.json.encode(stored)) == stored, "on one line"
        assert render_junit(stored) == render_junit(report)
        assert render_html(stored) == render_html(report)


def test_a_file_of_an_earlier_version_lacks_fields_and_one_of_a_later_has_more(every_verdict: Report) -> None:
    data = json.loads(render_json(every_verdict))
    data["weather"] = "fair"
    for case in data["cases"]:
        for name in ("section_title", "notes", "remark", "file", "line", "deviations"):
            del case[name]
        for phase in case["phases"]:
            del phase["not_given"]
            for order in phase["orders"]:
                del order["place"]
    stored = read_run(json.dumps(data).encode())
    assert [case.verdict for case in stored.cases] == list(VERDICTS)
    assert render_html(stored)


def test_the_cases_say_whether_a_run_is_compliant(every_verdict: Report) -> None:
    data = json.loads(render_json(every_verdict))
    data.update(complete=True, compliant=True, summary={"passed": 7})
    stored = read_run(json.dumps(data).encode())
    assert stored.compliant is False
    assert stored.summary == dict.fromkeys(VERDICTS, 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is empty"),
        (b" \n\n", "it is empty"),
        (b"engine = 'mine'\n[run]", "it is not JSON: "),
        (b'{"format":1,"harness"', "it is not JSON or was cut off in its first line: "),
        (b'{"format":2}', "it is of format 2, and this datc-check reads format 1"),
        (b'{"format":"1"}', "it holds no run: "),
        (b"{}", "it holds no run: "),
        (b'{"format":1,"type":"run"}', "line 1 is not part of a run: "),
        (b'{"format":1,"type":"case"}', "it holds no run: "),
        (b'{"type":"end","format":1,"complete":true,"compliant":true,"seconds":1,"summary":{}}', "it holds no run: "),
        (b"\xff\xfe{\x00", "it is not JSON"),
        (b"[" * 100_000, "it is not JSON|it holds no run"),
    ],
)
def test_what_is_no_run_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(StoredRunError, match=message):
        _ = read_run(content)
