"""`datc-check report`, and the formats as `datc-check run` writes them."""

import contextlib
import json
import os
import signal

import pytest

from datc.reports import FORMATS

from .running import call, engine_of
from .test_cli import hanging

BAD = "<script>alert(1)</script>]]> | \x00\x1b[31m @everyone [a](https://evil.example) `b`\n::error::x\n../../evil\n"


@pytest.fixture
def hostile_engine(tmp_path):
    identity = {"name": BAD, "version": BAD, "url": "javascript:alert(1)"}
    started = {"result": {"protocol": 1, "engine": identity}}
    return engine_of(tmp_path, f"({started} if starts else {{'error': {{'code': 1, 'message': {BAD!r}}}}})")


def test_every_format_of_a_stored_run_is_that_of_the_run_itself(tmp_path, hostile_engine):
    (tmp_path / "direct").mkdir()
    there = sorted(tmp_path.iterdir())
    direct = [f"--report={name}:direct/{name}" for name in FORMATS]
    ran = call("run", hostile_engine, "--select=6.B", *direct, cwd=tmp_path)
    assert sorted(tmp_path.iterdir()) == there
    assert sorted(file.name for file in (tmp_path / "direct").iterdir()) == sorted(FORMATS)
    for stored in ("json", "jsonl"):
        (tmp_path / f"from-{stored}").mkdir()
        later = [f"--report={name}:from-{stored}/{name}" for name in FORMATS]
        done = call("report", f"direct/{stored}", *later, cwd=tmp_path)
        assert (done.returncode, done.stdout, "\x1b" in done.stderr) == (1, "", False)
        assert "Not compliant with datc-3.2: 19 error." in done.stderr
        for name in FORMATS:
            assert (tmp_path / f"from-{stored}" / name).read_bytes() == (tmp_path / "direct" / name).read_bytes(), name
        assert call("report", f"direct/{stored}", cwd=tmp_path).stdout == ran.stdout


def test_the_terminal_shows_no_control_characters_and_no_commands(tmp_path, hostile_engine):
    shown = call("run", hostile_engine, "--select=6.B.1", cwd=tmp_path).stdout
    assert "<script>alert(1)</script>]]> | \ufffd\ufffd[31m @everyone" in shown
    assert not {letter for letter in shown if ord(letter) < 32} - {"\n"}
    assert not [line for line in shown.splitlines() if line.lstrip().startswith("::")]


def test_several_runs_are_set_side_by_side(tmp_path, hostile_engine):
    assert call("run", "builtin", "-q", "--select=6.B", "--report=json:ours.json", cwd=tmp_path).returncode == 0
    assert call("run", hostile_engine, "-q", "--select=6.B", "--report=jsonl:theirs", cwd=tmp_path).returncode == 1
    done = call("report", "ours.json", "theirs", "--report=html:both.html", "--report=markdown:-", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith("### 2 engines side by side\n\n1. `datc-check reference engine")
    assert "<h1>2 engines" in (tmp_path / "both.html").read_text(encoding="utf-8")
    shown = call("report", "ours.json", "theirs", cwd=tmp_path).stdout
    assert "All 19 cases pass: 19 of 176 cases of datc-3.2.\n\n" in shown
    assert "Not compliant with datc-3.2: 19 error.\n" in shown


def test_a_run_that_was_killed_is_reported_as_far_as_it_got(tmp_path):
    process, engine = hanging(tmp_path, "run", "--report=jsonl:run.jsonl", "-q")
    process.kill()
    _ = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    with contextlib.suppress(ProcessLookupError):  # It ends with the run where it has a guard.
        os.kill(engine, signal.SIGKILL)
    done = call("report", "run.jsonl", "--report=json:-", cwd=tmp_path)
    assert done.returncode == 3
    found = json.loads(done.stdout)
    assert (found["complete"], found["incomplete_reason"]) == (False, "the run was cut off after 0 of 176 cases")
    assert found["engine"]["name"] == "sleeper"


def test_an_engine_that_is_not_there_exits_3_and_no_line_of_an_earlier_report_stays(tmp_path):
    (tmp_path / "run.jsonl").write_text("an earlier run\n", encoding="utf-8")
    done = call("run", "exec:./nowhere", "--select=6.A.1", "--report=jsonl:run.jsonl", cwd=tmp_path)
    assert done.returncode == 3
    assert "cannot be started" in " ".join(done.stdout.split())
    header, case, footer = map(json.loads, (tmp_path / "run.jsonl").read_text(encoding="utf-8").splitlines())
    assert (header["cases"], case["case"]["verdict"]) == (1, "not-run")
    assert (footer["complete"], footer["compliant"]) == (False, False)


def test_github_has_annotations_on_stdout_and_the_summary_in_its_file(tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    done = call("run", "builtin", "--select=6.A", "--report=github:-", cwd=tmp_path)
    assert done.returncode == 0
    said = "All 12 cases pass: 12 of 176 cases of datc-3.2."
    assert done.stdout == f"::notice title=datc-check reference engine 0.2.0::{said}\n"
    assert said in done.stderr
    assert f"✅ **{said.replace('datc-3.2', '`datc-3.2`')}**" in (tmp_path / "summary").read_text(encoding="utf-8")


def test_a_case_of_ones_own_suite_is_pointed_at(tmp_path, hostile_engine):
    suite = tmp_path / "house"
    suite.mkdir()
    (suite / "suite.toml").write_text('name = "house"\ntitle = "Ours"\n', encoding="utf-8")
    text = 'section = "1"\ntitle = "One"\n\n[[case]]\ntitle = "x"\nid = "1.1"\n'
    (suite / "1.toml").write_text(f'{text}orders.France = ["A Paris Hold"]\n[[case.expect]]\n', encoding="utf-8")
    done = call("run", hostile_engine, "-q", "--suite=./house", "--report=sarif:-", cwd=tmp_path)
    (result,) = json.loads(done.stdout)["runs"][0]["results"]
    physical = result["locations"][0]["physicalLocation"]
    assert physical == {"artifactLocation": {"uri": "house/1.toml"}, "region": {"startLine": 6}}


def test_the_format_follows_from_the_name_of_the_file_and_what_was_written_is_said(tmp_path):
    endings = {kind.suffix: name for name, kind in FORMATS.items() if kind.suffix}
    assert len(endings) == len(FORMATS) - 1, "github is no format of files"
    reports = [f"--report=run{ending}" for ending in endings] + [f"--report={name}:{name}" for name in endings.values()]
    done = call("run", "builtin", "--select=6.A.1", *reports, "--report=tap:-", cwd=tmp_path)
    assert done.returncode == 0
    assert "".join(f"Wrote run{ending}\n" for ending in endings) in done.stderr
    for ending, name in endings.items():
        assert (tmp_path / f"run{ending}").read_bytes() == (tmp_path / name).read_bytes(), ending
