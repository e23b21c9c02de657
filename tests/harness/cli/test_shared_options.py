"""What several commands share: `-q`, `--seed`, `--select`, `--json`, and the baseline of the config."""

import json
from pathlib import Path

import pytest

from datc.harness.cli.command import Options
from datc.harness.cli.group import cli
from datc.reference_engine.toml import loads

from .running import invoke as call

ROOT = Path(__file__).parents[3]
SWAPS = "exec:datc-check engine --mutant swap-by-land"


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (
            ("run", SWAPS, "--select", "6.B.13"),
            "What fails the run (deviated, failed, unsupported, error, not-run): 1 case: 6.B.13",
        ),
        (("doctor", SWAPS, "--suite", "datc-3.2", "--select", "6.B.13"), "1 case failed."),
        (("compare", SWAPS, "builtin", "--select", "6.B.13"), "They differ in 1 of 1 cases."),
        (("infer", SWAPS, "--suite", "datc-3.2", "--select", "6.B.13", "--all"), "Wrong under every ruleset: 6.B.13."),
        (("hunt", SWAPS, "--positions", "60", "--no-experiments"), ", 1 cause."),
    ],
)
def test_quiet_leaves_the_reason_of_a_failure(command, why):
    done = call(*command, "-q")
    assert (done.exit_code, done.stdout) == (1, "")
    assert why in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "command",
    [
        ("run", "builtin", "--select", "6.B"),
        ("doctor", "builtin", "--select", "6.B"),
        ("compare", "builtin", "builtin", "--select", "6.B"),
        ("infer", "builtin", "--select", "6.B"),
        ("hunt", "builtin", "--positions", "20"),
    ],
)
def test_quiet_says_nothing_of_a_success(command):
    done = call(*command, "-q")
    assert (done.exit_code, done.output) == (0, "")


def test_quiet_leaves_the_choices_that_were_asked_for():
    done = call("infer", "builtin", "--select", "6.B", "--toml", "-q", "--no-experiments")
    assert done.stdout.startswith("[choices]\n")


def test_two_stored_runs_that_differ_say_quietly_what_is_worse(tmp_path):
    stored = [tmp_path / "before.json", tmp_path / "after.json"]
    for engine, file in zip(("builtin", SWAPS), stored, strict=True):
        _ = call("run", engine, "--select", "6.B.13", "-q", "-o", str(file))
    worse, better = (call("compare", *map(str, pair), "-q") for pair in (stored, reversed(stored)))
    assert (worse.exit_code, worse.stdout) == (1, "")
    assert worse.stderr.startswith("Newly failing: 1\n  6.B.13")
    assert (better.exit_code, better.output) == (0, "")


def test_another_seed_asks_other_questions(tmp_path):
    def asked(name, *options):
        log = tmp_path / name
        engine = f"exec:sh -c 'tee {log} | {SWAPS.removeprefix('exec:')}'"
        assert call("doctor", engine, "--suite", "datc-2.4", "-q", *options).exit_code == 1
        return log.read_text(encoding="utf-8")

    usual = asked("usual")
    assert asked("again", "--seed", "0") == usual
    assert asked("other", "--seed", "7") != usual


def test_a_case_as_json_is_its_table_with_what_it_inherits():
    older, newer = (
        next(case for case in loads(file.read_text(encoding="utf-8"))["case"] if case["id"] == "6.F.6")
        for file in (ROOT / "cases" / edition / "6.F.toml" for edition in ("datc-3.1", "datc-3.2"))
    )
    assert (newer["inherits"], "expect" in newer) == ("datc-3.1/6.F.6", False)
    shown = json.loads(call("cases", "show", "datc-3.2/6.F.6", "--json").stdout)
    assert (shown["suite"], shown["id"], shown["orders"]) == ("datc-3.2", "6.F.6", newer["orders"])
    assert [each["moved"] for each in shown["expect"]] == [each["moved"] for each in older["expect"]]


def test_suites_that_are_checked_are_json_too(tmp_path):
    (tmp_path / "suite.toml").write_text('name = "mine"\n', encoding="utf-8")
    good, bad = json.loads(call("cases", "check", "datc-2.4", str(tmp_path), "--json").stdout)
    assert (good["suite"], good["problems"]) == ("datc-2.4", [])
    assert bad["problems"][0]["file"].endswith("suite.toml")


def test_the_config_can_name_the_baseline(tmp_path, monkeypatch):
    config = tmp_path / "datc.toml"
    config.write_text(
        '[engine.mine]\ncommand = ["datc-check", "engine", "--mutant", "swap-by-land"]\n'
        '[run]\nbaseline = "held/baseline.json"\n',
        encoding="utf-8",
    )
    (tmp_path / "held").mkdir()
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    missing = call("run", "--select", "6.B.13")
    assert missing.exit_code == 2
    assert "baseline update" in missing.stderr
    assert call("baseline", "update", "--select", "6.B.13", "-q").output == ""
    assert (tmp_path / "held" / "baseline.json").is_file()
    assert call("run", "--select", "6.B.13", "-q").exit_code == 0
    assert call("run", "--select", "6.B.13,6.B.14", "-q").exit_code == 0


def test_each_argument_and_option_has_a_name_that_all_commands_share():
    def parameters(command):
        yield from command.params
        for subcommand in getattr(command, "commands", {}).values():
            yield from parameters(subcommand)

    context = cli.make_context("datc-check", [], resilient_parsing=True)
    commands = [cli.get_command(context, name) for name in cli.list_commands(context)]
    names = {parameter.name for command in commands for parameter in parameters(command)}
    assert names == Options.__annotations__.keys()
