"""`datc-check baseline update`, and a run that is held to what it wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from datc.harness.cli.group import cli

ENGINE = "builtin:dptg"
SELECT = ["--select", "6.F.16", "--select", "6.F.17"]


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


def call(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli, arguments)
    return done.exit_code, done.output


def test_it_is_written_and_a_run_is_held_to_it():
    code, said = call("baseline", "update", ENGINE, *SELECT)
    assert code == 0
    assert said.startswith("Wrote datc-baseline.json: 2 cases of ")
    held = ("run", ENGINE, *SELECT, "-q", "--baseline", "datc-baseline.json")
    assert call(*held) == (0, "")
    data = json.loads(Path("datc-baseline.json").read_bytes())
    data["cases"] = dict.fromkeys(data["cases"], "passed")
    _ = Path("datc-baseline.json").write_text(json.dumps(data), encoding="utf-8")
    code, said = call(*held)
    assert code == 1
    assert said.startswith("What fails the run (deviated, failed, unsupported, error, not-run; only where worse than ")
    code, said = call("baseline", "update", ENGINE, *SELECT)
    assert code == 0
    assert "  6.F.1" in said
    assert "passed → " in said


def test_a_stored_run_is_as_good_and_is_still_a_baseline_itself():
    assert call("run", ENGINE, *SELECT, "-q", "--report", "json:run.json")[0] == 1
    assert call("baseline", "update", "--run", "run.json", "--baseline", "small.json")[0] == 0
    for file in ("run.json", "small.json"):
        assert call("run", ENGINE, *SELECT, "-q", "--baseline", file) == (0, "")
    _, said = call("run", ENGINE, *SELECT, "-q", "--ruleset", "1982", "--baseline", "small.json")
    assert "The baseline is of the ruleset datc-3.2, but this run is of 1982." in said, "also where it is quiet"


def test_a_run_that_does_not_finish_writes_nothing():
    code, said = call("baseline", "update", "exec:false", *SELECT)
    assert code == 3
    assert "datc-baseline.json is not written: the engine ended with exit code 1" in said
    assert not Path("datc-baseline.json").exists()
