"""Traces of runs, and what is sent again of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from datc.adapters import Engine, EngineSpec, open_engine
from datc.adapters.process import ProcessEngine
from datc.cases import load_suite, select_cases
from datc.harness.play.trace import make_trace_folder, trace_name
from datc.harness.play.verdict import Rules
from datc.harness.run.replay_requests import Resent, read_exchanges, resend
from datc.harness.run.runner import Run
from datc.reference_engine import DATC_3_1
from datc.reports import CaseData, Report

from ...adapters import fake_sites
from ...adapters.fakes import FAKE, PATIENT, command
from ..cli.running import invoke as call

CASES = {case.id: case for case in load_suite("datc-3.1").cases}
MARKED, TEXT = "6.A.3", "F Kiel - Munich"
TRACE = f"datc-3.1+{MARKED}.jsonl"


def traced(engine: Engine, folder: Path | None, *ids: str, jobs: int = 1) -> Report:
    run = Run(engine, EngineSpec("fake"), [CASES[each] for each in ids], Rules(DATC_3_1), jobs)
    run.traces = None if folder is None else make_trace_folder(folder)
    return run.to_the_end()


def fake(behaviour: str) -> Engine:
    return ProcessEngine(command(behaviour, TEXT), PATIENT)


def lines(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def asked_again(engine: Engine, file: Path) -> Sequence[Resent]:
    with engine:
        _ = engine.start()
        return list(resend(engine, read_exchanges(file.read_bytes(), file.name)))


def test_a_trace_has_what_was_sent_and_what_was_answered_in_each_phase(tmp_path: Path) -> None:
    report = traced(open_engine(EngineSpec("builtin"), PATIENT), tmp_path / "new" / "traces", "6.H.1", "6.A.1")
    file = tmp_path / "new" / "traces" / "datc-3.1+6.H.1.jsonl"
    assert [case.trace for case in report.cases] == [str(file), str(file.with_name("datc-3.1+6.A.1.jsonl"))]
    movement, answer, retreat, end = lines(file)
    assert (movement["sent"]["id"], movement["sent"]["method"]) == (1, "adjudicate")
    assert (movement["sent"]["params"]["phase"], retreat["sent"]["params"]["phase"]) == ("movement", "retreat")
    assert answer["received"]["result"]["dislodged"] == retreat["sent"]["params"]["dislodged"]
    assert (retreat["sent"]["id"], end["received"]["id"]) == (2, 2)
    assert end["seconds"] > 0


BEHAVIOURS = [
    "behaves", "crashes", "writes-no-json", "writes-bad-utf-8-in-the-result", "writes-controls", "nests-deeply",
    "writes-a-lone-surrogate", "writes-a-lone-surrogate-in-the-result", "nests-deeply-in-the-result", "id-as-text",
    "result-is-null", "result-without-units", "too-many-order-results", "error-not-supported", "error-with-controls",
    "error-endless", "neither-result-nor-error",
]  # fmt: skip


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_a_trace_changes_no_verdict_and_what_is_sent_again_is_answered_alike(tmp_path: Path, behaviour: str) -> None:
    def said(report: Report) -> CaseData:
        return msgspec.structs.replace(report.cases[0], seconds=0, trace="")

    assert said(traced(fake(behaviour), tmp_path, MARKED)) == said(traced(fake(behaviour), None, MARKED))
    assert (tmp_path / TRACE).read_bytes().count(b'{"sent":') == 1
    (again,) = asked_again(fake(behaviour), tmp_path / TRACE)
    assert again.compared == "same"
    assert bool(again.failed) == (behaviour != "behaves")
    assert again.text.isprintable()
    (other,) = asked_again(fake("answers-late" if behaviour == "crashes" else "crashes"), tmp_path / TRACE)
    assert other.compared == ("same" if behaviour == "crashes" and other.failed else "different")


def test_an_answer_that_cannot_be_judged_stands_as_it_is_and_a_log_before_what_it_led_to(tmp_path: Path) -> None:
    _ = traced(fake("result-without-units"), tmp_path, MARKED)
    _, answer = lines(tmp_path / TRACE)
    assert answer["received"] == {"jsonrpc": "2.0", "id": 1, "result": {"dislodged": []}}
    assert answer["failed"].startswith("answered a result of the wrong form: ")
    report = traced(fake("crashes"), tmp_path, MARKED, "6.A.1")
    assert report.cases[0].verdict == "error"
    _, log, failed = lines(tmp_path / TRACE)
    assert [line for line in log["log"] if line] == ["reading the order", "the fake goes down"]
    assert "its log ends: the fake goes down" in failed["failed"]
    assert len(lines(tmp_path / "datc-3.1+6.A.1.jsonl")) == 2


def test_cases_that_are_asked_at_once_have_a_trace_each(tmp_path: Path) -> None:
    ids = [case.id for case in select_cases(list(CASES.values()), ["6.A"])]
    _ = traced(fake("behaves"), tmp_path, *ids, jobs=4)
    for name in ids:
        sent, received = lines(tmp_path / trace_name(CASES[name]))
        texts = [order["text"] for order in sent["sent"]["params"]["orders"]]
        assert texts == [order.text for order in CASES[name].phases[0].orders]
        assert received["received"]["result"]["state"]["orders"] == texts


def test_a_case_that_is_not_asked_has_no_trace(tmp_path: Path) -> None:
    report = traced(fake("has-no-adjustment"), tmp_path, "6.I.1")
    assert (report.cases[0].verdict, report.cases[0].trace) == ("unsupported", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("suite", "case_id", "name"),
    [
        ("datc-3.2", "v2.4-4.E.1.d", "datc-3.2+v2.4-4.E.1.d.jsonl"),
        ("..", "..", "..+...jsonl"),
        ("../a\\b", "c:\x00\n", "..%2Fa%5Cb+c%3A%00%0A.jsonl"),
        ("mine", "+ü", "mine+%2B%C3%BC.jsonl"),
    ],
)
def test_a_file_is_named_after_the_suite_and_the_case_in_safe_characters(suite: str, case_id: str, name: str) -> None:
    assert trace_name(replace(CASES["6.A.1"], suite=suite, id=case_id)) == name


def test_a_long_name_is_cut_and_stays_apart() -> None:
    one, other = (trace_name(replace(CASES["6.A.1"], id="x" * 1000 + end)) for end in "ab")
    assert one != other
    assert max(len(one), len(other)) <= 255


@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"code": 1, "message": "not with Bearer s3cret-token", "data": ["s3cret-token"]}},
        {"result": {"units": [{"power": "s3cret-token", "type": "A", "location": "LON"}], "state": "s3cret-token"}},
        {"result": {"units": "s3cret-token"}},
    ],
    ids=["error", "result", "wrong-result"],
)
def test_a_header_that_an_engine_repeats_is_in_no_trace_and_never_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Mapping[str, object]
) -> None:
    monkeypatch.setattr(fake_sites, "MARKER", TEXT)

    def behave(connection: fake_sites.Connection) -> None:
        connection.answer({"jsonrpc": "2.0", "id": connection.asked.message["id"], **answer})

    with closing(fake_sites.Site(behave)) as site:
        spec = EngineSpec("site", url=site.url, headers={"Authorization": "Bearer s3cret-token"})
        _ = traced(open_engine(spec, PATIENT), tmp_path, MARKED)
        (again,) = asked_again(open_engine(spec, PATIENT), tmp_path / TRACE)
    for shown in ((tmp_path / TRACE).read_text("utf-8"), again.text):
        assert "***" in shown
        assert "s3cret" not in shown + again.failed


ENGINE = f"exec:{sys.executable} -S {FAKE}"


class TestCommand:
    """`run --trace` and `ask`, as they are called."""

    def test_what_a_run_wrote_is_sent_again(self, tmp_path: Path) -> None:
        folder, report = tmp_path / "traces", tmp_path / "run.json"
        run = ("run", "builtin", "--select", "6.F.1", "-q", "--trace", str(folder), "--report", f"json:{report}")
        assert call(*run).exit_code == 0
        (case,) = json.loads(report.read_bytes())["cases"]
        assert case["trace"] == str(folder / "datc-3.2+6.F.1.jsonl")
        done = call("ask", "builtin", case["trace"])
        assert done.exit_code == 0
        assert json.loads(done.stdout)["result"] == lines(Path(case["trace"]))[1]["received"]["result"]
        assert done.stderr.startswith("1 adjudicate: the same as recorded (")
        other = call("ask", f"{ENGINE} behaves", case["trace"])
        assert other.exit_code == 1
        assert "1 adjudicate: not the same as recorded (" in other.stderr
        _ = call("compare", "builtin", f"{ENGINE} behaves", "--select", "6.A.1", "--trace", tmp_path)
        assert all((tmp_path / number / "datc-3.2+6.A.1.jsonl").is_file() for number in "12"), (
            "a folder for each engine"
        )

    def test_a_request_alone_is_sent_as_it_is(self) -> None:
        request = '{\n  "jsonrpc": "2.0",\n  "id": "mine",\n  "method": "play",\n  "params": {"a":\n1}\n}\n'
        done = call("ask", "builtin", "-", input=request)
        answer = json.loads(done.stdout)
        assert (done.exit_code, answer["id"], answer["error"]["code"]) == (0, "mine", -32601)
        assert done.stderr.startswith("1 play: nothing was recorded (")

    def test_an_engine_that_breaks_down_is_not_started_again(self, tmp_path: Path) -> None:
        _ = traced(fake("crashes"), tmp_path, MARKED)
        twice = (tmp_path / TRACE).read_text("utf-8") * 2
        done = call("ask", f"{ENGINE} crashes {TEXT.replace(' ', chr(92) + ' ')}", "-", input=twice)
        assert done.exit_code == 3
        assert "1 adjudicate: ended with exit code 3 (its log ends: the fake goes down); the same as" in done.stderr
        assert "Error: the engine broke down 1 times" in done.stderr

    def test_a_pasted_position_is_sent(self) -> None:
        text = "Italy: A Ven - Tri /r/, A Tyrl S Ven - Tri\nAustria: A Tri H\nRetreats:\nAustria: A Tri - Alb"
        done = call("ask", "builtin", "-", input=text)
        assert done.exit_code == 0
        (result,) = [json.loads(line)["result"] for line in done.stdout.splitlines()]
        assert [entry["location"] for entry in result["dislodged"]] == ["TRI"]
        assert "line 1: 'Tyrl' read as TYR" in done.stderr
        assert "not sent, since they follow from the answer: retreat orders" in done.stderr

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            (b"", "has no request"),
            (b'{"log":["x"]}\n', "has no request"),
            (b"Germany: A Mun - Oz", "line 1, column 18: 'Oz' is no province"),
            (b"hello", "line 1 is neither a line of a trace nor a request: JSON is malformed"),
            (b'\n[1]', "line 2 is neither"),
            (b'{"sent":{"method":7}}', "line 1 is neither"),
            (b'{"method":"adjudicate"}', "missing required field `id`"),
            (b'{"received":{"jsonrpc":"2.0","id":1,"result":{}}}', "line 1 has an answer, but no request"),
            (b"\xff\xfe\x00", "line 1 is neither"),
            (b'{"sent":{"jsonrpc":"2.0","id":1,"method":"\xff","params":{}}}', "line 1 is neither"),
            (b'{"jsonrpc":"2.0","id":1,"method":"x","params":' + b"[" * 100_000, "line 1 is neither"),
            (b'{"sent":' * 100_000, "line 1 is neither"),
            (b"\x1b[31m\xe2\x80\xae", "line 1 is neither"),
        ],
    )  # fmt: skip
    def test_a_file_that_is_no_trace_is_refused(self, content: bytes, problem: str) -> None:
        done = call("ask", "builtin", "-", input=content)
        assert done.exit_code == 2
        assert problem in " ".join(done.stderr.split())
        assert "\x1b" not in done.stderr

    @pytest.mark.parametrize(
        "params",
        [b"[" * 5000 + b"]" * 5000, b'"\xff"', b'"\\ud800"', b"null", b"1e999", b'{"phase":"movement","units":7}'],
    )
    def test_odd_parameters_are_sent_and_their_answer_shown(self, params: bytes) -> None:
        done = call("ask", "builtin", "-", input=b'{"id":1,"method":"adjudicate","params":' + params + b"}")
        assert done.exit_code in (0, 2)
        assert done.exit_code == 2 or "error" in json.loads(done.stdout)

    def test_a_trace_that_cannot_be_written_ends_the_run(self, tmp_path: Path) -> None:
        (tmp_path / "datc-3.2+6.A.1.jsonl").mkdir()
        done = call("run", "builtin", "--select", "6.A.1", "--trace", str(tmp_path))
        assert done.exit_code == 2
        assert "cannot be written: Is a directory" in " ".join(done.stderr.split())

    def test_a_damaged_trace_is_compared_as_a_failure(self) -> None:
        request = b'{"sent":{"jsonrpc":"2.0","id":1,"method":"adjudicate","params":{"phase":"movement","units":[]}}}'
        done = call("ask", "builtin", "-", input=request + b'\n{"received":{"jsonrpc":"2.0","id":1}}')
        assert (done.exit_code, "Traceback" in done.stderr) == (1, False)
