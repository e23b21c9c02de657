"""Cases that the config skips are not asked, fail no run, never count as passed, and are never left out in silence."""

import json
import re

import pytest

from datc.reports import CaseData
from datc.reports.report import counted_verdicts

from ..cli.running import ENGINE
from ..cli.running import invoke as call

CONFIG = '[run]\nengine = "builtin"\n[run.skip]\n"6.F.*" = "no convoys yet"\n"6.J.2" = "later"\n'
NAMED = "31 cases were skipped by the config, and not asked: 6.F.1 to 6.F.30, 6.J.2"


@pytest.fixture(autouse=True)
def in_project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "datc.toml").write_text(CONFIG, encoding="utf-8")


def test_a_run_passes_without_them_and_says_how_many_there_were():
    done = call("run")
    assert done.exit_code == 0
    assert "145 passed, 31 not-run (skipped by the config)" in done.stdout
    assert "Not compliant with datc-3.2" in done.stdout
    assert "no convoys yet (30 cases): 6.F.1 to 6.F.30" in done.stdout
    assert NAMED in " ".join(done.stderr.split())
    quiet = call("run", "-q")
    assert (quiet.exit_code, quiet.stdout, quiet.stderr) == (0, "", NAMED + "\n")


def test_what_is_asked_still_fails_a_run_and_a_run_without_any_case_fails():
    done = call("run", f"{ENGINE} --mutant swap-by-land", "-q", "--no-experiments")
    assert done.exit_code == 1
    assert "6.B.13" in done.stderr
    assert NAMED in done.stderr
    assert call("run", "--select", "6.F", "-q").exit_code == 1


def test_they_can_be_asked_all_the_same_and_a_comparison_asks_them():
    done = call("run", "--no-skip", "-q")
    assert (done.exit_code, done.stderr) == (0, "")
    done = call("compare", "builtin", "builtin:dptg", "--select", "6.J.2", "--json")
    assert "skipped by the config" not in done.stdout
    assert '"passed"' in done.stdout


def test_a_report_has_them_with_their_reasons():
    found = json.loads(call("run", "--json").stdout)
    assert (found["compliant"], found["complete"], found["gate"]["passed"]) == (False, True, True)
    assert found["summary"]["not-run"] == 31
    skipped = {case["id"]: case for case in found["cases"] if case["skipped"]}
    assert len(skipped) == 31
    assert (skipped["6.J.2"]["verdict"], skipped["6.J.2"]["skipped"]) == ("not-run", "later")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("tap", NAMED),
        ("markdown", NAMED),
        ("junit", 'skipped="31"'),
        ("html", "31 were not asked (skipped by the config)"),
    ],
)
def test_each_format_shows_them_and_none_as_passed(name, says):
    done = call("run", "-q", "--report", f"{name}:-")
    assert done.exit_code == 0
    assert says in done.stdout


def test_doctor_and_a_baseline_count_only_what_is_asked(tmp_path):
    done = call("doctor", "--suite", "datc-3.2")
    assert done.exit_code == 0
    assert ": 145 cases asked, 0 failed\n" in done.stdout
    assert NAMED in " ".join(done.stdout.split())
    assert call("doctor", "--suite", "datc-3.2", "-q").stderr == NAMED + "\n"
    nothing = call("doctor", "--suite", "datc-3.2", "--select", "6.F")
    assert (nothing.exit_code, ": 0 cases asked, 0 failed\n" in nothing.stdout) == (1, True)
    assert call("baseline", "update").exit_code == 0
    assert len(json.loads((tmp_path / "datc-baseline.json").read_bytes())["cases"]) == 145


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ('"6.F.*" = "  "', "needs a reason"),
        ('"6.F.*" = 1', "Expected `str`"),
        ('"6.K.*" = "why"', "[run.skip] names the case '6.K.*', which is in no suite"),
        ("6.F.1 = 'why'", "write it in quotes"),
    ],
)
def test_a_wrong_table_is_an_error_with_the_fix(tmp_path, table, says):
    (tmp_path / "datc.toml").write_text(f"[run.skip]\n{table}\n", encoding="utf-8")
    done = call("run", "builtin")
    assert (done.exit_code, done.stdout) == (2, "")
    assert says in done.stderr


@pytest.mark.parametrize(
    ("skips", "note"), [(0, ""), (1, " (1 skipped by the config)"), (2, " (skipped by the config)")]
)
def test_the_note_counts_them(skips, note):
    cases = [
        CaseData(id=f"{n}", suite="s", section="", title="", issues=[], verdict="not-run", skipped="why" * (n < skips))
        for n in range(2)
    ]
    assert counted_verdicts(cases) == [("not-run", 2, note)]


def test_a_reason_cannot_forge_a_line_of_a_report(tmp_path):
    (tmp_path / "datc.toml").write_text('[run.skip]\n"6.A.1" = "x\\n::error::y\\u001b[31m"\n', encoding="utf-8")
    done = call("run", "builtin", "--select", "6.A")
    assert not re.search(r"^::error|\x1b", done.stdout + done.stderr, re.MULTILINE)
