"""`datc-check preferences`, as an author calls it."""

import json

import pytest
from click.testing import CliRunner

from datc.harness.cli.group import cli

RUNS_1982 = "exec:datc-check engine --ruleset 1982 --fixed"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def call(*arguments):
    return CliRunner().invoke(cli, ["preferences", *arguments], prog_name="datc-check")


def data(*arguments):
    done = call(*arguments, "--json")
    return done.exit_code, {each["id"]: each for each in json.loads(done.stdout)["preferences"]}


def test_the_config_says_what_is_declared(tmp_path):
    (tmp_path / "datc.toml").write_text('[run]\nruleset = "1982"\n[choices]\n"4.B.1" = "default-coast"\n', "utf-8")
    done = call()
    assert done.exit_code == 0
    assert "The ruleset is `1982`, but for `4.B.1`." in done.stdout
    assert "**The fleet moves to a default coast.** (`default-coast`)" in done.stdout


def test_options_win_over_the_config(tmp_path):
    (tmp_path / "datc.toml").write_text('[run]\nruleset = "1982"\n', "utf-8")
    _, found = data("--ruleset", "1971", "--choice", "4.A.1=all-routes")
    assert (found["4.A.2"]["choices"], found["4.A.1"]["choices"]) == (["1971"], ["all-routes"])


def test_an_engine_is_asked_and_what_stays_open_is_said():
    code, found = data(RUNS_1982)
    assert code == 0
    assert (found["4.A.2"]["standing"], found["4.A.2"]["choices"]) == ("seen", ["1982"])
    inferred = json.loads(CliRunner().invoke(cli, ["infer", RUNS_1982, "--json"], prog_name="datc-check").stdout)
    assert [case["id"] for case in found["4.A.2"]["cases"]] == [
        key.split("/")[-1] for key in inferred["proof"]["4.A.2"]
    ]
    assert {issue: each["choices"] for issue, each in found.items()} == inferred["choices"]
    assert (found["X.2"]["standing"], found["X.2"]["choices"]) == ("open", ["simple-path", "minimal-path"])
    assert found["X.2"]["note"].startswith("Any choice fits: ")


def test_a_stored_run_says_what_was_declared_and_shown(tmp_path):
    runner = CliRunner()
    run = runner.invoke(cli, ["run", RUNS_1982, "-q", "--report", "json:run.json"], prog_name="datc-check")
    assert run.exit_code == 1
    code, found = data("--run", "run.json")
    assert code == 1
    assert call("--run", "run.json").stderr.startswith("Contradicted by its answers: 4.A.2")
    assert (found["4.A.2"]["standing"], found["4.A.2"]["declared"]) == ("contradicted", "szykman")
    assert "1982" in found["4.A.2"]["choices"]
    assert (found["4.A.1"]["standing"], found["4.A.1"]["choices"]) == ("seen", ["all-routes"])


def test_the_name_of_the_file_says_the_format(tmp_path):
    assert call("-o", "rules.md").exit_code == 0
    assert call("-o", "rules.html").exit_code == 0
    assert (tmp_path / "rules.md").read_text("utf-8") == call().stdout
    assert (tmp_path / "rules.html").read_text("utf-8").startswith("<!DOCTYPE html>")
