import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from datc.adapters import EngineSpec, Limits
from datc.adapters.process import ProcessEngine
from datc.cases import Case, load_suite, select_cases
from datc.harness.cli.group import cli
from datc.harness.play.verdict import Rules
from datc.harness.run.runner import Run
from datc.reference_engine import DATC_3_1
from datc.reports import CaseFinished, Report, RunFinished, RunStarted

from .fakes import COLD, PATIENT, command

CASES = select_cases(load_suite("datc-3.1").cases, ["6.A"])
MARKED, TEXT = "6.A.3", "F Kiel - Munich"
RULES = Rules(DATC_3_1, {})
CANNOT = "the engine says that it cannot: "


def a_run(
    behaviour: str, marker: str = TEXT, limits: Limits = PATIENT, jobs: int = 1, cases: Sequence[Case] = CASES
) -> Run:
    engine = ProcessEngine(command(behaviour, marker), limits)
    return Run(engine, EngineSpec(behaviour), cases, RULES, jobs)


def run(behaviour: str, **options: Any) -> Report:
    return a_run(behaviour, **options).to_the_end()


def found(report: Report) -> Mapping[str, object]:
    """What a report says of each case, but for how long it took."""
    return {case.id: msgspec.structs.replace(case, seconds=0.0) for case in report.cases}


@pytest.fixture(scope="module")
def good() -> Report:
    return run("behaves")


def test_a_good_engine_gets_a_verdict_on_each_case_told_in_order(good):
    started, *events, finished = a_run("behaves", jobs=4).events()
    assert isinstance(started, RunStarted)
    assert [event.case.id for event in events if isinstance(event, CaseFinished)] == [case.id for case in CASES]
    assert len(events) == len(CASES)
    assert isinstance(finished, RunFinished)
    assert [case.id for case in good.cases] == [case.id for case in CASES]
    assert (good.complete, good.compliant, good.engine.name) == (True, False, "fake")
    assert good.summary["passed"] > 0
    assert good.summary["failed"] > 0
    assert good.summary["passed"] + good.summary["failed"] == len(CASES)


@pytest.mark.parametrize("jobs", [1, 4])
@pytest.mark.parametrize(
    ("behaviour", "limits", "reason"),
    [
        ("hangs", COLD, "gave no answer within "),
        ("crashes", PATIENT, "ended with exit code 3 (its log ends: the fake goes down)"),
        ("writes-bad-utf-8-in-the-result", PATIENT, "answered a result of the wrong form"),
        ("floods", PATIENT, "answered more than 16777216 bytes without a newline"),
        ("too-many-order-results", PATIENT, "answered 9 order results to 1 orders"),
        ("error-of-its-own", PATIENT, "answered error -32000: 'the board is on fire'"),
        ("error-method-not-found", PATIENT, CANNOT),
    ],
)
def test_a_case_that_gets_no_answer_is_the_only_one_without_a_verdict_on_it(good, behaviour, limits, reason, jobs):
    report = run(behaviour, limits=limits, jobs=jobs)
    case = next(case for case in report.cases if case.id == MARKED)
    assert case.verdict == ("unsupported" if reason == CANNOT else "error")
    assert case.reason.startswith(reason)
    assert case.answer is None
    assert report.complete
    assert not report.compliant
    assert {**found(report), MARKED: None} == {**found(good), MARKED: None}


@pytest.mark.parametrize("jobs", [1, 4])
@pytest.mark.parametrize("behaviour", ["behaves", "answers-twice", "logs-much"])
def test_what_is_only_odd_changes_no_verdict(good, behaviour, jobs):
    report = run(behaviour, jobs=jobs)
    assert report.complete
    assert found(report) == found(good)


def test_an_error_has_the_log_of_its_request():
    report = run("answers-an-error-with-its-trace")
    logged = {case.id: case.log for case in report.cases if case.log}
    trace = ["caused by: no province LOC", "EngineException: no rule for Nessie", "    at Board.resolve(Board.java:7)"]
    assert logged == {MARKED: trace}
    assert report.restarts == []


@pytest.mark.parametrize("jobs", [1, 4])
def test_an_engine_that_does_not_start_leaves_all_cases_unasked(jobs):
    report = run("crashes-at-start", jobs=jobs)
    trouble = "the engine ended with exit code 3 (its log ends: the fake cannot find its board)"
    assert (report.complete, report.compliant) == (False, False)
    assert report.incomplete_reason == trouble
    assert report.engine.name == "crashes-at-start"
    assert [(case.id, case.verdict, case.reason) for case in report.cases] == [
        (case.id, "not-run", trouble) for case in CASES
    ]


@pytest.mark.parametrize("jobs", [1, 4])
def test_an_engine_that_gives_out_leaves_the_rest_unasked_and_passes_no_case(jobs):
    report = run("crashes", marker="", limits=Limits(start=60, request=60, restarts=2), jobs=jobs)
    assert (report.complete, report.compliant) == (False, False)
    assert report.incomplete_reason.startswith("the engine broke down 3 times; ")
    assert [case.id for case in report.cases] == [case.id for case in CASES]
    assert {case.verdict for case in report.cases} == {"error", "not-run"}
    if jobs == 1:
        gave_out = "the engine broke down 3 times; the last time it ended with exit code 3"
        assert [case.verdict for case in report.cases] == ["error"] * 3 + ["not-run"] * (len(CASES) - 3)
        assert {case.reason for case in report.cases[3:]} == {report.incomplete_reason} == {gave_out}


@pytest.mark.parametrize(
    ("name", "others", "first"),
    [("infer", ["--all", "--no-experiments"], ""), ("compare", ["builtin"], "2  ")],
)
def test_infer_and_compare_report_restarts_too(tmp_path, name, others, first):
    engine = f"exec:{shlex.join(command('answers-twice', TEXT))}"
    page = tmp_path / "page.html"
    done = CliRunner().invoke(
        cli, [name, *others, engine, "--select", f"datc-3.1/{MARKED}", "--report", f"html:{page}"]
    )
    assert f"\n{first}The process of the engine broke down " in done.output
    assert re.search(rf"\n{first}datc-3.1/{MARKED}: answered twice to id \d+\n", done.output)
    assert "answered twice to id" in page.read_text(encoding="utf-8")
