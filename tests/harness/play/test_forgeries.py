"""Stored runs of a faulty engine, forged to look better: `report --verify` finds each forgery, or says what is left."""

import copy
import json

import msgspec
import pytest

from datc.adapters import EngineSpec
from datc.cases import load_ruleset, load_suite
from datc.harness.cli.command import Exit
from datc.harness.play.verdict import Rules
from datc.harness.run.gate import Gate
from datc.harness.run.runner import Run
from datc.reports import read_run
from datc.reports.badge import badge_state
from datc.reports.json_report import render_json
from datc.reports.wording import claim

from ..cli.running import invoke
from .altered import Altered

CASES = load_suite("datc-3.2").cases


def lose_a_unit(params, answer):
    """Lose a unit where there are three orders."""
    return msgspec.structs.replace(answer, units=answer.units[1:]) if len(params.orders) == 3 else answer


def stored_run(change, ruleset):
    rules = Rules(load_ruleset(ruleset).ruleset())
    report = Run(Altered(change), EngineSpec("faulty"), CASES, rules).to_the_end()
    return json.loads(render_json(Gate().applied(report, {})))


@pytest.fixture(scope="module")
def faulty():
    """A true run of a faulty engine, as its file has it."""
    return stored_run(lose_a_unit, "datc-3.2")


@pytest.fixture(scope="module")
def by_other_rules():
    """A true run of a right engine under other rules."""
    return stored_run(lambda _params, answer: answer, "alexander")


def verify(content, tmp_path, *, recount=True):
    """Verify a run whose counts are those of its cases, unless they are what is forged."""
    if recount:
        content = msgspec.to_builtins(read_run(json.dumps(content).encode()))
    file = tmp_path / "run.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    done = invoke("report", "--verify", file)
    return done.exit_code, done.stdout


def failed(run):
    return [case for case in run["cases"] if case["verdict"] == "failed"]


def passed(run):
    return [case for case in run["cases"] if case["verdict"] == "passed"]


def without_answers(case):
    for phase in case["phases"]:
        phase.update(answer=None, facts=[], differences=[], not_given=[])
        for order in phase["orders"]:
            order.update(outcome=None, reason=None)
    case.update(answer=None, nearest=None, choices={}, deviations={})


def as_expected(case):
    """Copy the expected board of the phase that differs, and keep the outcomes that the engine gave."""
    for phase in case["phases"]:
        phase.update(facts=[], differences=[])
        phase["answer"]["units"] = phase["expected"]["units"]


def let_the_gate_pass(run):
    run["gate"].update(failing=[], passed=True)


def declare(run):
    for case in failed(run):
        case.update(verdict="declared", reason="on purpose", board_verdict="declared")
        without_answers(case)


def make_newer(run):
    pin_to_nothing(run)
    for case in failed(run):
        case.update(since="2026.12")


def pin_to_nothing(run):
    let_the_gate_pass(run)
    run["gate"].update(editions={"datc-3.2": "1901.01"})


def repeat_a_case(run):
    run["cases"][run["cases"].index(failed(run)[0])] = passed(run)[0]


def leave_out(run):
    case = failed(run)[0]
    without_answers(case)
    case.update(verdict="not-run", phases=[], board_verdict=None)


def answer_another(run):
    failed(run)[0].update(verdict="passed", phases=passed(run)[0]["phases"])


FORGERIES = {
    "a verdict": (lambda run: failed(run)[0].update(verdict="passed"), "the run says passed, its answers give failed"),
    "declared": (declare, "the run says"),
    "declared with an answer left": (
        lambda run: failed(run)[0].update(verdict="declared", reason="on purpose"),
        "give another notes",
    ),
    "skipped": (
        lambda run: failed(run)[0].update(skipped="too slow", verdict="not-run"),
        "the run says that it was skipped, and has a verdict or an answer of it",
    ),
    "added twice": (repeat_a_case, "it is there 2 times"),
    "renamed": (lambda run: failed(run)[0].update(id="6.A.4", verdict="passed"), "6.A.4: it is there 2 times"),
    "renamed to none": (lambda run: failed(run)[0].update(id="6.Z.1"), "this version of datc-check has no such case"),
    "another suite": (lambda run: failed(run)[0].update(suite="mine"), "it is of a suite that does not come with"),
    "another ruleset": (lambda run: run["ruleset"].update(name="mine"), "there is no ruleset 'mine'"),
    "a choice left out": (lambda run: run["ruleset"]["choices"].popitem(), "its ruleset cannot be played"),
    "orders": (
        lambda run: failed(run)[0]["phases"][0]["orders"][0].update(text="A Paris - Gascony"),
        "an answer belongs to another edition of the case",
    ),
    "power": (
        lambda run: failed(run)[0]["phases"][0]["orders"][0].update(power="CHINA"),
        "give another orders of phase 1",
    ),
    "position": (
        lambda run: failed(run)[0]["phases"][0]["before"]["units"].pop(),
        "give another before of phase 1",
    ),
    "expectations": (
        lambda run: failed(run)[0]["phases"][0]["expected"]["units"].pop(),
        "give another expected of phase 1",
    ),
    "differences": (
        lambda run: failed(run)[0]["phases"][0].update(differences=[]),
        "give another differences of phase",
    ),
    "the answer of another case": (answer_another, "an answer belongs to another edition of the case"),
    "choices": (
        lambda run: next(case for case in passed(run) if case["choices"]).update(choices={}),
        "the choices that its answers fit, or that it deviates by, are others",
    ),
    "deviations": (
        lambda run: failed(run)[0].update(verdict="deviated", deviations={"4.A.2": ["1982"]}),
        "the run says deviated, its answers give failed",
    ),
    "reason": (
        lambda run: failed(run)[0].update(reason="datc-check is wrong here"),
        "the run says 'datc-check is wrong here', its answers give",
    ),
    "board": (lambda run: failed(run)[0].update(board_verdict="passed"), "the run says that its board passed"),
    "complete": (
        leave_out,
        "it was not asked, and the run says that it is complete",
    ),
    "newer than its edition": (make_newer, "its answers and the case give another since"),
    "pinned to an older edition": (pin_to_nothing, "that it fails the run (failed) is not what the gate says"),
    "gate": (let_the_gate_pass, "that it fails the run (failed) is not what the gate says"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_run_does_not_follow(faulty, tmp_path, forgery):
    change, reason = FORGERIES[forgery]
    forged = copy.deepcopy(faulty)
    _ = change(forged)
    code, said = verify(forged, tmp_path)
    assert code == 1
    assert reason in said


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("summary", {"passed": 176}),
        ("board_summary", {"passed": 176}),
        ("compliant", True),
        ("gate", {"fail_on": ["failed"], "failing": [], "passed": True}),
    ],
)
def test_what_is_said_of_the_whole_run_follows_from_its_cases(faulty, tmp_path, field, value):
    forged = {**faulty, field: value}
    code, said = verify(forged, tmp_path, recount=False)
    assert code == 1
    assert f"its {field} does not follow from its cases" in said or "is not what the gate says" in said


def test_a_true_run_follows_and_one_of_an_expected_board_says_what_differs(faulty, tmp_path):
    assert verify(faulty, tmp_path, recount=False)[0] == 0
    forged = copy.deepcopy(faulty)
    as_expected(failed(forged)[0])
    assert verify(forged, tmp_path)[0] == 1


def test_rules_that_are_called_like_others_are_listed_as_changes_and_no_edition_is_said(by_other_rules, tmp_path):
    forged = {**by_other_rules, "ruleset": {**by_other_rules["ruleset"], "name": "datc-3.2"}}
    code, said = verify(forged, tmp_path)
    assert code == 0
    assert "under datc-3.2 with " in said
    assert ", 4.A.3 = alexander, " in said
    run = read_run(json.dumps(forged).encode())
    assert claim(run).words != "DATC 3.2 compliant"
    assert "datc-3.2 with " in claim(run).detail


def test_a_run_without_its_failed_cases_says_how_many_it_has_and_is_no_edition(faulty, tmp_path):
    forged = copy.deepcopy(faulty)
    let_the_gate_pass(forged)
    forged["cases"] = passed(forged)
    code, said = verify(forged, tmp_path)
    assert code == 0
    assert f"; {len(forged['cases'])} of 176 cases of datc-3.2" in said
    run = read_run(json.dumps(forged).encode())
    assert claim(run).words == "As expected"
    run = msgspec.structs.replace(run, cases=[*run.cases, *run.cases[: 176 - len(run.cases)]])
    assert claim(run).words == "As expected", "a case twice is no other case"


def test_declared_cases_without_answers_are_named_and_not_counted(faulty, tmp_path):
    forged = copy.deepcopy(faulty)
    let_the_gate_pass(forged)
    count = len(failed(forged))
    for case in failed(forged):
        case.update(verdict="declared", reason="on purpose", board_verdict="unsupported")
        without_answers(case)
        del case["phases"][1:]
        case.update(notes=["without the declaration: unsupported, no"], expected=case["phases"][0]["expected"])
    code, said = verify(forged, tmp_path)
    assert (code, f"{len(passed(forged))} verdicts" in said) == (0, True), said
    assert f"{count} cases lack an answer, so nothing follows for them: " in said
    everything = {**forged, "cases": [case for case in forged["cases"] if case["verdict"] == "declared"]}
    code, said = verify(everything, tmp_path)
    assert (code, "no case has an answer, so nothing follows" in said) == (1, True)


def test_a_badge_calls_no_part_of_an_edition_compliant(faulty):
    cases = [{**case, "verdict": "declared" if not number else "passed"} for number, case in enumerate(passed(faulty))]
    run = read_run(json.dumps({**faulty, "cases": cases}).encode())
    assert badge_state(run)[0] == f"{len(cases) - 1} passed, 1 declared"


def test_carried_cases_are_carried_again(tmp_path):
    stored = tmp_path / "run.json"
    done = invoke("run", "builtin", "--map", "loeb9", "--select", "6.A.5", "--report", f"json:{stored}")
    assert done.exit_code == Exit.PASSED, done.output
    run = json.loads(stored.read_text())
    code, said = verify(run, tmp_path, recount=False)
    assert code == Exit.PASSED, said
    assert "1 of 176 cases of datc-3.2@loeb9" in said
    run["carried"]["seed"] += 1
    code, said = verify(run, tmp_path, recount=False)
    assert code == Exit.NOT_PASSED
    assert "the run says passed, its answers give failed" in said
    run["carried"]["map"] = "oz"
    code, said = verify(run, tmp_path, recount=False)
    assert code == Exit.NOT_PASSED
    assert "its cases cannot be carried again: there is no map 'oz'" in said
