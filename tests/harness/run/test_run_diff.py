"""What changed between two runs."""

import json
from pathlib import Path

import msgspec
import pytest

from datc.harness.cli.commands.compare import change_findings
from datc.harness.run.gate import diff_runs
from datc.reports import Report
from datc.reports.json_report import render_json

from ..cli.running import invoke
from ..rules.test_compare import LENIENT, STRICT, report

BASE = report(LENIENT)


def with_case(run: Report, case_id: str, **changes) -> Report:
    cases = [msgspec.structs.replace(case, **changes) if case.id == case_id else case for case in run.cases]
    return msgspec.structs.replace(run, cases=cases)


def stored(file: Path, run: Report) -> Path:
    _ = file.write_bytes(msgspec.json.encode(run))
    return file


def keys(changes) -> list[str]:
    return [change.key.partition("/")[2] for change in changes]


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
    assert len(data["not_run"]) == len(cut) - 1
    assert data["unfinished"].startswith("it broke ")


def test_what_an_engine_says_does_not_reach_the_terminal(tmp_path):
    hostile = with_case(BASE, "6.B.9", title="\x1b[31mred")
    file = stored(tmp_path / "run.json", hostile)
    worse = stored(tmp_path / "worse.json", with_case(hostile, "6.B.9", verdict="passed"))
    done = invoke("compare", file, worse)
    assert "red: deviated → passed" in done.output
    assert "\x1b" not in done.output


def test_a_file_that_is_no_run_is_named(tmp_path):
    file = tmp_path / "nothing.json"
    file.write_text("{}", encoding="utf-8")
    done = invoke("compare", file, file)
    assert done.exit_code == 2
    assert "nothing.json" in done.output


def test_stored_runs_and_engines_are_compared_with_each_other(tmp_path):
    file = tmp_path / "before.json"
    file.write_bytes(render_json(BASE))
    mixed = invoke("compare", file, "builtin", "--suite", "datc-3.1", "--select", "6.B", "--json")
    data = json.loads(mixed.stdout)
    assert len(data["engines"]) == 2
    assert data["agreements"][0]["both"] == len(BASE.cases)
    several = invoke("compare", file, file, file)
    assert (several.exit_code, "answer every case alike" in several.stdout) == (0, True)
    refused = invoke("compare", file, file, "--select", "6.B")
    assert refused.exit_code == 2
    assert "stored runs are compared as they are: leave out --select" in refused.stderr
