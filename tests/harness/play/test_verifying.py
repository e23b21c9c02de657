"""Stored runs, verified: the verdicts follow from the answers, and what was changed afterwards is found."""

import copy
import json

import msgspec
import pytest

from datc.adapters import EngineFailure, EngineSpec, UnsupportedError
from datc.adapters.protocol import Capabilities
from datc.cases import load_suite
from datc.harness.play.case_verdicts import verify_run
from datc.harness.play.verdict import Rules
from datc.harness.run.runner import Run
from datc.reference_engine import DATC_3_1, DATC_3_2
from datc.reports import read_run
from datc.reports.json_report import render_json

from ..cli.running import call
from .altered import Altered

CASES = [case for name in ("datc-3.2", "extended") for case in load_suite(name).cases]


OTHER_RULES = DATC_3_1.with_choices({"4.A.2": "1982", "4.B.4": "ignored"})


def change(params, answer):
    """Fail in some places, lose a unit in others, and have no adjustments."""
    if params.phase == "adjustment":
        raise UnsupportedError("no adjustments")
    if len(params.orders) == 7:
        raise EngineFailure("seven orders are too many")
    return msgspec.structs.replace(answer, units=answer.units[1:]) if len(params.orders) == 4 else answer


@pytest.fixture(scope="module")
def stored():
    """A run with every verdict, as its file has it."""
    engine = Altered(change, Capabilities(), OTHER_RULES)
    rules = Rules(DATC_3_2, {"6.A.7": "on purpose", "6.J.1": "no builds"})
    report = Run(engine, EngineSpec("other"), CASES, rules).to_the_end()
    found = {case.verdict for case in report.cases}
    assert found == {"passed", "deviated", "failed", "declared", "unsupported", "error"}
    return json.loads(render_json(report))


@pytest.fixture
def content(stored):
    """A copy of it, to be changed."""
    return copy.deepcopy(stored)


def verified(content):
    return {each.case: each.reason for each in verify_run(read_run(json.dumps(content).encode()))}


def case_with(content, verdict, *, phases=0):
    return next(case for case in content["cases"] if case["verdict"] == verdict and len(case["phases"]) >= phases)


def key(case):
    return f"{case['suite']}/{case['id']}"


def test_the_verdicts_of_a_run_follow_from_its_answers(stored):
    assert verified(stored) == {}


@pytest.mark.parametrize("verdict", ["deviated", "failed", "unsupported", "error"])
def test_a_verdict_that_was_changed_to_passed_is_found(content, verdict):
    case = case_with(content, verdict)
    case["verdict"] = "passed"
    found = verified(content)
    assert found.keys() == {key(case)}
    assert "the run says passed" in found[key(case)]


def test_a_passed_case_with_another_board_is_found_also_where_the_stored_position_was_changed(content):
    case = case_with(content, "passed", phases=2)
    moved = case["phases"][1]["answer"]["units"][0]
    case["phases"][1]["before"]["units"] = [{**moved, "location": "SYR"}]
    moved["location"] = "SYR"
    assert verified(content).keys() == {key(case)}


@pytest.mark.parametrize(
    "change",
    [
        lambda phase: phase.update(phase="retreat"),
        lambda phase: phase.update(phase="\x1b[31m"),
        lambda phase: phase["orders"].pop(),
        lambda phase: phase["answer"]["units"].append({"power": "<b>", "type": "A", "location": "???"}),
        lambda phase: phase["answer"]["units"][0].update(type="Z"),
        lambda phase: phase["answer"]["units"].append(phase["answer"]["units"][0]),
        lambda phase: phase["orders"][0].update(outcome="maybe"),
    ],
)
def test_a_passed_case_with_an_answer_that_nobody_could_give_is_found(content, change):
    case = case_with(content, "passed")
    change(case["phases"][0])
    assert verified(content).keys() == {key(case)}


def test_the_command_names_what_does_not_follow_and_exits_with_1(content, tmp_path):
    case = case_with(content, "failed")
    for name in ("true", "false"):
        (tmp_path / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
        case["verdict"] = "passed"
    lacking = [
        each for each in content["cases"] if each["verdict"] in ("unsupported", "error") or each["id"] == "6.J.1"
    ]
    done = call("report", "--verify", "true.json", cwd=tmp_path)
    said = (
        f"true.json: {len(CASES) - len(lacking)} verdicts, and all follow from the answers under datc-3.2; 176 of 176 "
    )
    assert (done.returncode, done.stdout[: len(said)], done.stderr) == (0, said, "")
    assert f"; {len(lacking)} cases lack an answer, so nothing follows for them: " in done.stdout
    done = call("report", "--verify", "true.json", "false.json", cwd=tmp_path)
    assert done.returncode == 1
    assert f"false.json: {case['id']}: the run says passed, its answers give failed" in done.stdout
    assert call("report", "--verify", "true.json", "--json", cwd=tmp_path).returncode == 2
