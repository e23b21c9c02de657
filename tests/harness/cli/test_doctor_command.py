"""`datc-check doctor`, `datc-check engine --fault`, and what a run says of its failures."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from .running import invoke as call

SWAPS = "exec:datc-check engine --fault swap-by-land"


@pytest.mark.parametrize("suite", ["datc-3.2", "extended"])
def test_the_next_step_that_it_names_can_be_taken(suite):
    *_, step = call("doctor", SWAPS, "--suite", suite).stdout.splitlines()
    command, *arguments = shlex.split(step)
    assert (command, arguments[0], arguments[-1]) == ("datc-check", "explain", SWAPS)
    explained = call(*arguments)
    assert explained.exit_code == 1
    assert "The engine differs:" in explained.stdout


def test_impossible_boards_are_listed_apart_with_what_is_impossible():
    spoiling = Path(__file__).parents[2] / "engines" / "spoiling.py"
    engine = f"exec:{sys.executable} {spoiling} a-unit-twice"
    told = call("doctor", engine, "--suite", "datc-2.4").stdout
    assert "\nImpossible boards:\n  datc-2.4/6.B.3: France F Gascony is listed 2 times\n" in told
    assert "Like no mutant" not in told


def test_the_suites_are_measured():
    done = call("doctor", "--suites", "--suite", "datc-2.4", "--json")
    assert done.exit_code == 1, "one small suite lets most mutants pass"
    found = json.loads(done.stdout)
    assert found["mutants"]["too-many-removed"]["noticed_by"] == ["datc-2.4/6.J.1"]
    assert "build-abroad" in found["unnoticed"]
    told = call("doctor", "--suites", "--suite", "datc-2.4").stdout
    assert "\ntoo-many-removed\n  removes all units that were ordered to go" in told
    assert "\n  datc-2.4/6.J.1\n" in told
    assert f"Noticed by none: {found['unnoticed'][0]}" in told
    assert all(len(line) <= 80 for line in told.splitlines())


def test_a_run_that_passes_does_not_ask_the_doctor(monkeypatch, tmp_path):
    monkeypatch.setattr("datc.harness.bugs.diagnosis.MUTANTS", None)
    done = call("run", "builtin", "--select", "6.E", "--report", f"json:{tmp_path / 'run.json'}")
    assert done.exit_code == 0
    assert json.loads((tmp_path / "run.json").read_text())["looks_like"] == []
