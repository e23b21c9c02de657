"""What fails a run: by verdict, by what is new, and by declarations that are out of date; what changed between two."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from datc.harness.cli.commands.compare import change_findings
from datc.harness.errors import HarnessError
from datc.harness.run.gate import Gate, diff_runs, gate_lines, split_verdicts
from datc.reports import VERDICTS, Report
from datc.reports.gate import Baseline, Failing
from datc.reports.json_report import render_json

from ..cli.running import engine_of, invoke
from ..rules.test_compare import LENIENT, STRICT, report

BASE = report(LENIENT)
"""6.B.9 deviates in it; the rest of 6.B passes."""


def with_case(run: Report, case_id: str, **changes) -> Report:
    cases = [msgspec.structs.replace(case, **changes) if case.id == case_id else case for case in run.cases]
    return msgspec.structs.replace(run, cases=cases)


def stored(file: Path, run: Report) -> Path:
    _ = file.write_bytes(msgspec.json.encode(run))
    return file


def keys(changes) -> list[str]:
    return [change.key.partition("/")[2] for change in changes]


def failing(gate: Gate, run: Report) -> list[str]:
    return [*whys(gate, run, {})]


def whys(gate: Gate, run: Report, declared: Mapping[str, str]) -> Mapping[str, str]:
    applied = gate.applied(run, declared).gate
    assert applied is not None
    return {each.case.id: each.why for each in applied.failing}


@pytest.mark.parametrize("verdict", VERDICTS)
def test_by_default_it_fails_on_all_that_is_not_compliant(verdict):
    run = with_case(report(STRICT), "6.B.7", verdict="passed")
    found = failing(Gate(), with_case(run, "6.B.9", verdict=verdict))
    assert ("6.B.9" in found) == (verdict not in ("passed", "declared"))


@pytest.mark.parametrize(
    ("verdict", "board", "fails_on"),
    [
        ("failed", "failed", {"failed", "failed-board"}),
        ("failed", "passed", {"failed"}),
        ("failed", "deviated", {"failed", "deviated-board"}),
        ("deviated", "deviated", {"deviated", "deviated-board"}),
        ("deviated", "passed", {"deviated"}),
        ("declared", "failed", set()),
        ("failed", None, {"failed", "failed-board"}),
        ("deviated", None, {"deviated", "deviated-board"}),
        *((verdict, verdict, {verdict}) for verdict in ("unsupported", "error", "not-run")),
    ],
)
def test_a_run_can_fail_on_wrong_boards_alone(verdict, board, fails_on):
    run = with_case(BASE, "6.B.9", verdict=verdict, board_verdict=board)
    assert {each for each in get_args(Failing) if failing(Gate(fail_on=frozenset({each})), run)} == fails_on


def test_with_a_baseline_it_fails_on_what_is_new_or_was_not_asked_alone():
    shorter = msgspec.structs.replace(BASE, cases=[case for case in BASE.cases if case.id != "6.B.9"])
    assert failing(Gate(baseline=Baseline.of_run(shorter)), BASE) == ["6.B.9"]
    gate = Gate(baseline=Baseline.of_run(BASE))
    assert failing(gate, BASE) == failing(gate, shorter) == []
    assert failing(gate, report(STRICT)) == ["6.B.7", "6.B.8", "6.B.12", "6.B.15"]


@pytest.mark.parametrize(
    ("before", "after", "fails"),
    [
        ("deviated", "failed", True),
        ("failed", "deviated", False),
        ("failed", "error", True),
        ("not-run", "failed", True),
        ("unsupported", "deviated", True),
        ("declared", "failed", True),
        ("failed", "declared", False),
        ("declared", "passed", False),
        ("passed", "unsupported", True),
        ("declared", "unsupported", True),
        ("deviated", "unsupported", True),
        ("failed", "unsupported", True),
        ("error", "unsupported", False),
        ("unsupported", "unsupported", False),
        ("failed, board passed", "failed, board failed", True),
        ("failed, board failed", "failed, board passed", False),
        ("failed", "failed, board failed", False),
    ],
)
def test_another_verdict_is_new_where_it_is_worse(before, after, fails):
    def run(verdicts):
        verdict, _, board = verdicts.partition(", board ")
        return with_case(BASE, "6.B.9", verdict=verdict, board_verdict=board or None)

    assert bool(failing(Gate(baseline=Baseline.of_run(run(before))), run(after))) == fails


def test_strict_fails_on_a_declared_deviation_that_passes():
    declared = {"6.B.1": "on purpose", "6.B.9": "on purpose"}
    fixed = with_case(BASE, "6.B.9", verdict="declared")
    assert whys(Gate(), fixed, declared) == {}
    why = {"6.B.1": "declared as a deviation, but passes"}
    assert whys(Gate(strict=True), fixed, declared) == why
    baseline = Baseline.of_run(fixed)
    assert whys(Gate(strict=True, baseline=baseline), fixed, declared) == why, "a baseline excuses no such declaration"


def test_verdicts_are_read_one_each_or_with_commas():
    assert split_verdicts(["failed, error", "failed-board"]) == {"failed", "error", "failed-board"}
    unknown = r"--fail-on fail: there is no such verdict to fail on: did you mean 'failed'"
    known = r"it is deviated, failed, unsupported, error, not-run, failed-board, deviated-board$"
    for text, problem in (("deviated,fail", unknown), ("", known)):
        with pytest.raises(HarnessError, match=problem):
            _ = split_verdicts([text])


def test_what_fails_is_said_in_80_columns_and_without_control_codes():
    gate = Gate(strict=True, baseline=Baseline.of_run(BASE), baseline_name="last.json")
    run = with_case(BASE, "6.B.1", verdict="failed", title="\x1b[31m" + "long " * 40 + "way")
    lines = list(gate_lines(gate.applied(run, {})))
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in "".join(lines)
    assert "".join(lines).startswith("What fails the run (deviated, failed, unsupported, error, not-run; only where")
    assert " ".join(" ".join(lines).split()).endswith("long way: failed")


CAN = {"protocol": 1, "engine": {"name": "holder"}, "capabilities": {"phases": ["movement", "retreat"]}}
HOLDS = f"{{'result': {CAN} if starts else {{'units': asked['params']['units'], 'dislodged': []}}}}"
"""An engine under which nothing ever moves: wrong in 6.C.1 and right in 6.A.2."""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Go where the config names an engine that is right about 6.A.2 and wrong about 6.C.1."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    _ = engine_of(tmp_path, HOLDS)
    config = f"[engine.mine]\ncommand = [{sys.executable!r}, '-S', 'engine.py']\n[run]\nengine = 'mine'\n"
    (tmp_path / "datc.toml").write_text(config, encoding="utf-8")
    return tmp_path / "datc.toml"


def run(*arguments: str) -> tuple[int, str]:
    done = invoke("run", *arguments, "--select", "6.A.2,6.C.1,6.I.1", "--no-experiments")
    return done.exit_code, done.stderr


def test_the_command_fails_on_what_it_is_told(project):
    assert run() == (1, "")
    code, said = run("--fail-on", "deviated,error")
    assert (code, "What fails the run (deviated, error): nothing" in said) == (0, True)
    assert run("--fail-on", "unsupported", "-q") == (1, "What fails the run (unsupported): 1 case: 6.I.1\n")
    assert run("--fail-on", "error", "-q") == (0, "")


def test_the_config_can_say_it_and_options_win(project):
    text = project.read_text(encoding="utf-8")
    project.write_text(text + "fail_on = ['error']\nstrict = true\n[deviations]\n'6.A.2' = 'why'\n", encoding="utf-8")
    code, said = run()
    assert code == 1
    assert "(error; a declared pattern without choices; a declared\n  deviation that passes): 1 case\n  6.A.2" in said
    assert run("--no-strict")[0] == 0
    assert run("--no-strict", "--fail-on", "failed")[0] == 1


def test_an_engine_that_gives_out_exits_3_whatever_the_gate(project):
    project.with_name("engine.py").write_text("", encoding="utf-8")
    assert run("--fail-on", "deviated")[0] == 3
    assert run("-q") == (3, "Not finished: the engine ended with exit code 0\n")


@pytest.mark.parametrize("options", [["-x"], ["--max-fail", "1", "--jobs", "3"]])
def test_a_run_can_end_at_the_first_case_that_fails_it(project, options):
    ended = "Not finished: ended after 1 failing case (--max-fail)\n"
    assert run("-q", *options, "--report", "json:run.json") == (1, ended)
    stored = msgspec.json.decode(project.with_name("run.json").read_bytes(), type=Report)
    assert (stored.complete, stored.summary["passed"], stored.summary["not-run"]) == (False, 1, 1)
    assert stored.gate is not None
    assert [each.case.id for each in stored.gate.failing] == ["6.C.1"], "that the rest was not asked fails nothing"
    assert invoke("report", "run.json").exit_code == 1, "that of the run"


def test_what_the_gate_lets_through_does_not_end_a_run(project):
    assert run("-x", "--fail-on", "error")[0] == 0
    assert run("--max-fail", "3")[0] == 1
    assert "3 cases: " in invoke("run", "--max-fail", "9", "--select", "6.A.2,6.C.1,6.I.1", "--no-experiments").output


def by_kind(before: Report, after: Report) -> dict[str, list[str]]:
    return {kind: keys(changes) for kind, changes in diff_runs(before, after).items() if changes}


def test_from_one_ruleset_to_another():
    strict, failing = report(STRICT), ["6.B.7", "6.B.8", "6.B.12", "6.B.15"]
    assert by_kind(BASE, strict) == {"newly_passing": ["6.B.9"], "newly_failing": failing}
    assert by_kind(strict, BASE) == {"newly_passing": failing, "newly_failing": ["6.B.9"]}
    assert change_findings(BASE, strict).data["worse"]


def test_nothing_changed(tmp_path):
    assert by_kind(BASE, BASE) == {}
    file = stored(tmp_path / "run.json", BASE)
    same = invoke("compare", file, file)
    assert (same.exit_code, same.output) == (0, "Nothing changed.\n")


@pytest.mark.parametrize(
    ("changes", "where", "worse"),
    [
        ({"verdict": "failed"}, "other_verdict", False),
        ({"verdict": "declared"}, "newly_passing", False),
        ({"phases": []}, "other_answer", False),
        ({"verdict": "not-run"}, "not_run", True),
    ],
)
def test_each_change_has_its_place(changes, where, worse):
    after = with_case(BASE, "6.B.9", **changes)
    assert by_kind(BASE, after) == {where: ["6.B.9"]}
    assert change_findings(BASE, after).data["worse"] == worse


def test_a_case_that_is_gone_makes_it_worse_and_a_new_one_does_not():
    shorter = msgspec.structs.replace(BASE, cases=BASE.cases[1:])
    gone, new = change_findings(BASE, shorter).data, change_findings(shorter, BASE).data
    assert (gone["only_before"], gone["worse"]) == (["datc-3.1/6.B.1"], True)
    assert (new["only_after"], new["worse"]) == (["datc-3.1/6.B.1"], False)


def test_cases_that_an_engine_could_not_be_asked_are_not_failing(tmp_path):
    """After a breakdown, only the case that it broke down on fails newly."""
    cut = [
        msgspec.structs.replace(case, verdict="error" if number == 0 else "not-run")
        for number, case in enumerate(BASE.cases)
    ]
    before = stored(tmp_path / "before.json", BASE)
    report_after = msgspec.structs.replace(BASE, cases=cut, complete=False, incomplete_reason="it broke \x1b[31mdown")
    after = stored(tmp_path / "after.json", report_after)
    done = invoke("compare", before, after)
    assert done.exit_code == 1
    assert "Newly failing: 1\n" in done.output
    assert f"Not run now: {len(cut) - 1} (it broke �[31mdown)\n  datc-3.1/6.B.2, " in done.output
    data = json.loads(invoke("compare", before, after, "--json").output)
    assert (len(data["not_run"]), data["unfinished"][:9]) == (len(cut) - 1, "it broke ")


def test_what_an_engine_says_does_not_reach_the_terminal(tmp_path):
    hostile = with_case(BASE, "6.B.9", title="\x1b[31mred")
    file = stored(tmp_path / "run.json", hostile)
    worse = stored(tmp_path / "worse.json", with_case(hostile, "6.B.9", verdict="passed"))
    done = invoke("compare", file, worse)
    assert "red: deviated → passed" in done.output
    assert "\x1b" not in done.output


def test_stored_runs_and_engines_are_compared_with_each_other(tmp_path):
    file = tmp_path / "before.json"
    file.write_bytes(render_json(BASE))
    mixed = invoke("compare", file, "builtin", "--suite", "datc-3.1", "--select", "6.B", "--json")
    data = json.loads(mixed.stdout)
    assert len(data["engines"]) == 2
    assert data["agreements"][0]["both"] == len(BASE.cases)
    several = invoke("compare", file, file, file)
    assert (several.exit_code, "answer every case alike" in several.stdout) == (0, True)
