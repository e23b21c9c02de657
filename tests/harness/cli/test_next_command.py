"""`datc-check next`: the stage that an engine has reached, and the one case to make pass next."""

import re
import shlex
import sys

from click.testing import CliRunner

from datc.harness.cli.group import cli

from .running import engine_of

MISSES_CUTS = "exec:datc-check engine --mutant hold-support-not-cut"


def call(*arguments):
    return CliRunner().invoke(cli, ["next", *arguments], catch_exceptions=False)


def test_the_commands_that_it_names_can_be_taken():
    (line,) = [line for line in call(MISSES_CUTS).stdout.splitlines() if line.startswith("  datc-check explain")]
    _, *arguments = shlex.split(line)
    explained = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert explained.exit_code == 1
    assert "The engine differs:" in explained.stdout


def test_a_deviation_and_a_declared_case_are_not_in_the_way(tmp_path):
    config = tmp_path / "datc.toml"
    config.write_text(
        '[deviations]\n"6.D.*" = "supports to hold are not cut, on purpose"\n"6.F.6" = "so"\n"6.B.6" = "so"\n', "utf-8"
    )
    done = call(MISSES_CUTS, "--config", str(config))
    assert done.exit_code == 0
    assert ": all 14 stages done, 169 passed, 3 deviated, 4 declared" in " ".join(done.stdout.split())
    assert "(2 declared)" in done.stdout
    assert "(3 deviated)" in done.stdout
    assert "A run still fails, since 3 cases deviate from datc-3.2:" in done.stdout


def test_a_case_that_the_config_skips_is_asked(tmp_path):
    config = tmp_path / "datc.toml"
    config.write_text('[run.skip]\n"*" = "later"\n', "utf-8")
    assert "176 of 176" in call("builtin", "--config", str(config)).stdout


def test_an_engine_that_plays_no_retreats_is_asked_for_them_when_it_comes_to_them(tmp_path):
    engine = tmp_path / "engine.py"
    engine.write_text(
        "import json, subprocess, sys\n"
        "inner = subprocess.Popen(['datc-check', 'engine'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "for line in sys.stdin.buffer:\n"
        "    inner.stdin.write(line); inner.stdin.flush()\n"
        "    answer = json.loads(inner.stdout.readline())\n"
        "    if 'capabilities' in answer['result']:\n"
        "        answer['result']['capabilities']['phases'] = ['movement']\n"
        "    print(json.dumps(answer), flush=True)\n",
        "utf-8",
    )
    done = call(f"exec:{sys.executable} {engine}")
    assert done.exit_code == 1
    assert "12 of 14, retreats" in " ".join(done.stdout.split())
    assert "the engine has no retreat phase" in " ".join(done.stdout.split())
    assert "By the rules:" in done.stdout


def test_stages_can_be_left_for_later():
    assert call(MISSES_CUTS, "--until", "supports").exit_code == 0
    assert call(MISSES_CUTS, "--until", "cutting").exit_code == 1
    wrong = call(MISSES_CUTS, "--until", "cuting")
    assert wrong.exit_code == 2
    assert "'cutting'" in wrong.stderr
    assert "no case of it is selected" in call("builtin", "--select", "6.A", "--until", "retreats").stderr


def test_an_engine_that_says_nothing_of_orders_is_told_that_cases_pass_because_of_that(tmp_path):
    started = {"protocol": 1, "engine": {"name": "holds"}, "capabilities": {"phases": ["movement"]}}
    held = "{'units': asked['params'].get('units'), 'dislodged': []}"
    engine = engine_of(tmp_path, f"{{'result': {started} if starts else {held}}}")
    done = call(engine)
    assert done.exit_code == 1
    assert "cases of these the answers leave out the outcomes of orders, or retreats." in " ".join(done.stdout.split())


def test_what_an_engine_says_of_itself_forges_no_line(tmp_path):
    name = "x\n::error::y\x1b[31m"
    started = {"result": {"protocol": 1, "engine": {"name": name}, "capabilities": {}}}
    failed = {"error": {"code": -32603, "message": name}}
    done = call(engine_of(tmp_path, f"({started} if starts else {failed})"))
    assert done.exit_code == 1
    assert "stage 1 of 14" in done.stdout
    assert "\nNext:\n6.A.1 " in done.stdout
    assert "By the rules:" in done.stdout
    assert not re.search(r"^\s*::error|\x1b", done.stdout + done.stderr, re.MULTILINE)


def test_quietly_it_says_the_next_case_alone():
    done = call(MISSES_CUTS, "-q")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == "Next: 6.D.4 Support to hold on unit supporting a hold allowed\n"


def test_an_engine_that_ends_has_no_stage():
    done = call("exec:false")
    assert (done.exit_code, done.stdout) == (3, "")
    assert "Error: " in done.stderr
