from __future__ import annotations

import json

import msgspec
import pytest

from datc.reports import Report, StoredRunError, read_run
from datc.reports.html import render_html
from datc.reports.json_report import render_json
from datc.reports.junit import render_junit
from datc.reports.report import VERDICTS
from datc.reports.text import printable_struct


def test_a_stored_run_comes_back_as_it_was(every_verdict: Report, passing: Report, hostile: Report) -> None:
    for report in (every_verdict, passing, hostile):
        stored = read_run(render_json(report))
        assert stored == printable_struct(report)
        assert render_junit(stored) == render_junit(report)
        assert render_html(stored) == render_html(report)


def test_json_on_one_line_is_a_stored_run_too(every_verdict: Report) -> None:
    assert read_run(msgspec.json.encode(every_verdict)) == every_verdict


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
