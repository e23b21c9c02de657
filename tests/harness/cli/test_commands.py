"""What several commands share, and what doctor, next, preferences and baseline do that no golden output holds."""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from datc.harness.cli.command import Options
from datc.harness.cli.commands import diagnose
from datc.harness.cli.group import cli

from .running import COMMAND, ENGINE, do_once, engine_of
from .running import invoke as call

ROOT = Path(__file__).parents[3]
SWAPS = f"{ENGINE} --mutant swap-by-land"
MISSES_CUTS = f"{ENGINE} --mutant hold-support-not-cut"
RUNS_1982 = f"{ENGINE} --ruleset 1982 --fixed"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


CAN_NOTHING = (
    "({'result': {'protocol': 1, 'engine': {'name': 'mute'}}} if starts"
    " else {'error': {'code': -32004, 'message': 'not yet'}})"
)
"""What an engine answers that can do nothing yet, as the one that `datc-check init` writes."""


@pytest.mark.parametrize(
    "words",
    [
        ["run"],
        ["run", "--fail-on", "failed", "--select", "6.A"],
        ["doctor", "--suite", "datc-3.2"],
        ["infer", "--select", "6.F"],
        ["preferences", "-o", "rules.md"],
        ["hunt", "--positions", "30"],
        ["hunt", "builtin", "--positions", "30"],
        ["compare", "builtin", "--select", "6.A"],
        ["next"],
        ["engines", "check"],
        ["explain", "6.A.1"],
    ],
    ids=" ".join,
)
def test_no_command_passes_an_engine_that_answers_nothing(words, tmp_path):
    command, *options = words
    places = 2 if command == "engines" else 1
    done = call(*words[:places], *options[places - 1 :], engine_of(tmp_path, CAN_NOTHING))
    assert done.exit_code == 1
    if command in ("run", "doctor", "infer", "preferences", "hunt"):
        assert re.search("(None of|answered none of) \\d+ (case|position)s", done.output)


@pytest.mark.parametrize(
    ("command", "options", "why"),
    [
        ("run", "--select 6.B.13 --no-experiments", "(deviated, failed, unsupported, error, not-run): 1 case: 6.B.13"),
        ("doctor", "--suite datc-3.2 --select 6.B.13 --no-experiments", "1 case failed."),
        ("compare builtin", "--select 6.B.13", "They differ in 1 of 1 cases."),
        ("infer", "--suite datc-3.2 --select 6.B.13 --all --no-experiments", "Wrong under every ruleset: 6.B.13."),
        ("hunt", "--positions 60 --no-experiments", ", 1 cause."),
        ("next", "", "Next: 6.B.13 Coastal crawl not allowed"),
    ],
)
def test_quiet_leaves_the_reason_of_a_failure_alone(command, options, why):
    done = call(*command.split(), SWAPS, *options.split(), "-q")
    assert (done.exit_code, done.stdout) == (1, "")
    assert why in done.stderr
    assert done.stderr.count("\n") == 1
    right = call(*command.split(), "builtin", *options.split(), "-q")
    assert (right.exit_code, right.output) == (0, "")


def test_quiet_leaves_the_choices_that_were_asked_for():
    done = call("infer", "builtin", "--select", "6.B", "--toml", "-q", "--no-experiments")
    assert done.stdout.startswith("[choices]\n")


def test_two_stored_runs_that_differ_say_quietly_what_is_worse(tmp_path):
    stored = [tmp_path / "before.json", tmp_path / "after.json"]
    for engine, file in zip(("builtin", SWAPS), stored, strict=True):
        _ = call("run", engine, "--select", "6.B.13", "--no-experiments", "-q", "-o", str(file))
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


def test_a_broken_suite_exits_1_with_the_place(tmp_path):
    (tmp_path / "suite.toml").write_text('name = "mine"\ntitle = "Mine"', encoding="utf-8")
    case = 'section = "1"\ntitle = "One"\n[[case]]\nid = "1.1"\ntitle = "x"'
    (tmp_path / "1.toml").write_text(case, encoding="utf-8")
    done = call("cases", "check", "datc-2.4", tmp_path)
    assert done.exit_code == 1
    assert "1.toml, 1.1, expect: nothing is expected" in done.stdout
    good, bad = json.loads(call("cases", "check", "datc-2.4", tmp_path, "--json").stdout)["suites"]
    assert (good["suite"], good["problems"]) == ("datc-2.4", [])
    assert bad["problems"][0]["file"].endswith("1.toml")


def test_the_config_can_name_the_baseline(tmp_path, monkeypatch):
    (tmp_path / "datc.toml").write_text(
        f'[engine.mine]\ncommand = ["{COMMAND}", "engine", "--mutant", "swap-by-land"]\n'
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
    assert call("run", "--select", "6.B.13", "-q", "--no-experiments").exit_code == 0
    assert call("run", "--select", "6.B.13,6.B.14", "-q", "--no-experiments").exit_code == 0


DPTG = ("builtin:dptg", "--select", "6.F.16,6.F.17")


def test_a_baseline_is_written_and_a_run_is_held_to_it(tmp_path):
    written = call("baseline", "update", *DPTG)
    assert written.exit_code == 0
    assert written.output.startswith("Wrote datc-baseline.json: 2 cases of ")
    held = ("run", *DPTG, "-q", "--no-experiments", "--baseline", "datc-baseline.json")
    assert call(*held).output == ""
    data = json.loads((tmp_path / "datc-baseline.json").read_bytes())
    data["cases"] = dict.fromkeys(data["cases"], "passed")
    _ = (tmp_path / "datc-baseline.json").write_text(json.dumps(data), encoding="utf-8")
    worse = call(*held)
    assert worse.exit_code == 1
    assert worse.output.startswith("What fails the run (deviated, failed, unsupported, error, not-run; only where")
    again = call("baseline", "update", *DPTG)
    assert (again.exit_code, "  6.F.1" in again.output, "passed → " in again.output) == (0, True, True)


def test_a_stored_run_is_as_good_and_is_still_a_baseline_itself():
    run = ("run", *DPTG, "-q", "--no-experiments")
    assert call(*run, "--report", "json:run.json").exit_code == 1
    assert call("baseline", "update", "--run", "run.json", "--baseline", "small.json").exit_code == 0
    for file in ("run.json", "small.json"):
        held = call(*run, "--baseline", file)
        assert (held.exit_code, held.output) == (0, "")
    said = call(*run, "--ruleset", "1982", "--baseline", "small.json").output
    assert "The baseline is of the ruleset datc-3.2, but this run is of 1982." in said, "also where it is quiet"


def test_a_run_that_does_not_finish_writes_no_baseline(tmp_path):
    done = call("baseline", "update", "exec:false")
    assert done.exit_code == 3
    assert "datc-baseline.json is not written: the engine ended with exit code 1" in done.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "engine"),
    [
        ("doctor --suite datc-3.2 --no-experiments", SWAPS),
        ("doctor --suite extended --no-experiments", SWAPS),
        ("next", MISSES_CUTS),
    ],
)
def test_the_next_step_that_it_names_can_be_taken(words, engine):
    shown = call(*words.split(), engine).stdout
    (step,) = [line for line in shown.splitlines() if line.lstrip().startswith("datc-check explain ")]
    _, *arguments = shlex.split(step)
    assert arguments[-1] == engine
    explained = call(*arguments)
    assert explained.exit_code == 1
    assert "The engine differs:" in explained.stdout


def test_impossible_boards_are_listed_apart_with_what_is_impossible():
    spoiling = ROOT / "tests" / "engines" / "spoiling.py"
    engine = f"exec:{sys.executable} {spoiling} a-unit-twice"
    told = call("doctor", engine, "--suite", "datc-2.4", "--no-experiments").stdout
    assert "\nImpossible boards:\n  datc-2.4/6.B.3: France F Gascony is listed 2 times\n" in told
    assert "Like no mutant" not in told


def test_the_suites_are_measured():
    measure = ("doctor", "--mutants", "--suite", "datc-2.4", "--select", "6.J")
    done = call(*measure, "--json")
    assert done.exit_code == 1, "one small suite lets most mutants pass"
    found = json.loads(done.stdout)
    assert found["mutants"]["too-many-removed"]["noticed_by"] == ["datc-2.4/6.J.1"]
    assert "build-abroad" in found["unnoticed"]
    told = call(*measure).stdout
    assert "\ntoo-many-removed\n  removes all units that were ordered to go" in told
    assert "\n  datc-2.4/6.J.1\n" in told
    assert f"Noticed by none: {found['unnoticed'][0]}" in told
    assert all(len(line) <= 80 for line in told.splitlines())


def test_a_run_that_passes_does_not_ask_the_doctor(monkeypatch, tmp_path):
    monkeypatch.setattr("datc.harness.bugs.diagnosis.MUTANTS", None)
    done = call("run", "builtin", "--select", "6.E", "--report", f"json:{tmp_path / 'run.json'}")
    assert done.exit_code == 0
    assert json.loads((tmp_path / "run.json").read_text())["looks_like"] == []


def test_next_ends_where_cases_pass_or_are_declared_and_asks_one_that_is_skipped(tmp_path):
    declared = '[deviations]\n"6.D.*" = "supports to hold are not cut"\n"6.F.6" = "so"\n"6.B.6" = "so"\n'
    (tmp_path / "datc.toml").write_text(declared, "utf-8")
    done = call("next", MISSES_CUTS)
    assert done.exit_code == 1
    assert "(2 declared)" in done.stdout
    assert "6.F.24 Second order paradox with no resolution: deviated" in done.stdout
    assert "put it into datc.toml, or declare the deviation there" in " ".join(done.stdout.split())
    more = "".join(f'"6.F.{number}" = "so"\n' for number in (20, 23, 24))
    (tmp_path / "datc.toml").write_text(declared + more, "utf-8")
    done = call("next", MISSES_CUTS)
    assert done.exit_code == 0
    assert ": all 14 stages done, 169 passed, 7 declared" in " ".join(done.stdout.split())
    assert "datc-check hunt" in done.stdout
    (tmp_path / "datc.toml").write_text('[run.skip]\n"*" = "later"\n', "utf-8")
    assert "176 of 176" in call("next", "builtin").stdout


NO_RETREATS = """
import json, sys
from datc.adapters.builtin import respond
for line in sys.stdin.buffer:
    answer = json.loads(respond(line))
    if "capabilities" in answer["result"]:
        answer["result"]["capabilities"]["phases"] = ["movement"]
    print(json.dumps(answer), flush=True)
"""


def test_an_engine_that_plays_no_retreats_is_asked_for_them_when_it_comes_to_them(tmp_path):
    (tmp_path / "engine.py").write_text(NO_RETREATS, "utf-8")
    done = call("next", f"exec:{sys.executable} engine.py")
    assert done.exit_code == 1
    said = " ".join(done.stdout.split())
    assert all(words in said for words in ("12 of 14, retreats", "the engine has no retreat phase", "By the rules:"))


def test_stages_can_be_left_for_later():
    assert call("next", MISSES_CUTS, "--until", "supports").exit_code == 0
    assert call("next", MISSES_CUTS, "--until", "cutting").exit_code == 1
    wrong = call("next", MISSES_CUTS, "--until", "cuting")
    assert wrong.exit_code == 2
    assert "'cutting'" in wrong.stderr
    assert "no case of it is selected" in call("next", "builtin", "--select", "6.A", "--until", "retreats").stderr


def test_an_engine_that_says_nothing_of_orders_is_told_that_cases_pass_because_of_that(tmp_path):
    started = {"protocol": 1, "engine": {"name": "holds"}, "capabilities": {"phases": ["movement"]}}
    held = "{'units': asked['params'].get('units'), 'dislodged': []}"
    engine = engine_of(tmp_path, f"{{'result': {started} if starts else {held}}}")
    done = call("next", engine)
    assert done.exit_code == 1
    assert "cases of these the answers leave out the outcomes of orders, or retreats." in " ".join(done.stdout.split())


def test_what_an_engine_says_of_itself_forges_no_line(tmp_path):
    name = "x\n::error::y\x1b[31m"
    started = {"result": {"protocol": 1, "engine": {"name": name}, "capabilities": {}}}
    failed = {"error": {"code": -32603, "message": name}}
    done = call("next", engine_of(tmp_path, f"({started} if starts else {failed})"))
    assert done.exit_code == 1
    assert "stage 1 of 14" in done.stdout
    assert "\nNext:\n6.A.1 " in done.stdout
    assert "By the rules:" in done.stdout
    assert not re.search(r"^\s*::error|\x1b", done.stdout + done.stderr, re.MULTILINE)


def data(*arguments):
    done = call("preferences", *arguments, "--json")
    return done.exit_code, {each["id"]: each for each in json.loads(done.stdout)["preferences"]}


def test_the_config_says_what_is_declared_and_options_win(tmp_path):
    (tmp_path / "datc.toml").write_text('[run]\nruleset = "1982"\n[choices]\n"4.B.1" = "default-coast"\n', "utf-8")
    done = call("preferences")
    assert done.exit_code == 0
    assert "# Our rules: the rulebook of 1982 with 1 change\n" in done.stdout
    assert "The ruleset is 1982, but for 4.B.1." in done.stdout
    assert "**The fleet moves to a default coast. (default-coast)**" in done.stdout
    differs = call("rulesets", "diff", "datc.toml", "1982").stdout
    assert differs.startswith("4.B.1 Omitted coast")
    assert differs.count("\n") == 3
    _, found = data("--ruleset", "1971", "--choice", "4.A.1=all-routes")
    assert (found["4.A.2"]["choices"], found["4.A.1"]["choices"]) == (["1971"], ["all-routes"])


def test_the_preferences_of_an_engine_are_those_inferred(monkeypatch):
    do_once(monkeypatch, diagnose, "infer_by_experiments")
    engine = f"{ENGINE} --choice 4.A.2=1982 --fixed"
    code, found = data(engine)
    assert code == 0
    inferred = json.loads(call("infer", engine, "--json").stdout)
    proof = [key.split("/")[-1] for key in inferred["proof"]["4.A.2"]]
    assert [case["id"] for case in found["4.A.2"]["cases"]] == proof
    assert {issue: each["choices"] for issue, each in found.items()} == inferred["choices"]


def test_a_stored_run_says_what_was_declared_and_shown(tmp_path):
    run = ("run", RUNS_1982, "-q", "--select", "6.F", "--no-experiments", "--report", "json:run.json")
    assert call(*run).exit_code == 1
    code, found = data("--run", "run.json")
    assert code == 1
    assert call("preferences", "--run", "run.json").stderr.startswith("Contradicted by its answers: 4.A.2")
    assert (found["4.A.2"]["standing"], found["4.A.2"]["declared"]) == ("contradicted", "szykman")
    assert "1982" in found["4.A.2"]["choices"]
    assert (found["4.A.1"]["standing"], found["4.A.1"]["choices"]) == ("seen", ["all-routes"])


def test_the_name_of_the_file_says_the_format(tmp_path):
    assert call("preferences", "-o", "rules.md").exit_code == 0
    assert call("preferences", "-o", "rules.html").exit_code == 0
    assert call("preferences", "-o", "rules.bbcode").exit_code == 0
    assert (tmp_path / "rules.md").read_text("utf-8") == call("preferences").stdout
    assert (tmp_path / "rules.bbcode").read_text("utf-8").startswith("[b]Our rules: DATC 3.2[/b]")
    assert (tmp_path / "rules.html").read_text("utf-8").startswith("<!DOCTYPE html>")


def test_each_argument_and_option_has_a_name_that_all_commands_share():
    def parameters(command):
        yield from command.params
        for subcommand in getattr(command, "commands", {}).values():
            yield from parameters(subcommand)

    context = cli.make_context("datc-check", [], resilient_parsing=True)
    commands = [cli.get_command(context, name) for name in cli.list_commands(context)]
    names = {parameter.name for command in commands for parameter in parameters(command)}
    assert names == {name for name in vars(Options) if not name.startswith("_")}
