"""What a shell is told when someone presses the tab key."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from datc.adapters.bridges import bridge_names
from datc.cases import load_suite, ruleset_names, suite_names
from datc.harness.cli.group import cli
from datc.reports import FORMATS

COMMAND = str(Path(sys.executable).with_name("datc-check"))


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def complete(*words):
    """What can stand for the last word."""
    *before, incomplete = words
    shell = ShellComplete(cli, {}, "datc-check", "_DATC_CHECK_COMPLETE")
    return [item.value for item in shell.get_completions(before, incomplete)]


def test_commands_and_options_are_known():
    assert complete("pref") == ["preferences"]
    assert "--ruleset" in complete("run", "--r")


@pytest.mark.parametrize(
    "words",
    [("run", "--ruleset", ""), ("rulesets", "show", ""), ("rulesets", "diff", "1971", ""), ("infer", "--ruleset", "")],
)
def test_rulesets_are_known(words):
    assert complete(*words) == list(ruleset_names())


@pytest.mark.parametrize("words", [("run", "--suite", ""), ("cases", "list", "--suite", "")])
def test_suites_are_known(words):
    assert complete(*words) == list(suite_names())


def test_cases_are_those_of_the_suite_that_is_named():
    assert complete("cases", "show", "6.F.2") == ["6.F.2", *(f"6.F.2{number}" for number in range(10))]
    assert complete("draw", "6.A.1") == ["6.A.1", "6.A.10", "6.A.11", "6.A.12"]
    extended = [case.id for case in load_suite("extended").cases if case.id.startswith("4.D.1")]
    assert complete("cases", "show", "--suite", "extended", "4.D.1") == extended
    assert complete("cases", "show", "--suite", "nowhere", "6") == []


def test_a_selection_is_a_section_a_case_or_an_issue():
    assert complete("run", "--select", "6.F")[:2] == ["6.F", "6.F.1"]
    assert complete("run", "--select", "4.B.1") == ["4.B.1"]


def test_choices_are_known_by_their_issue():
    assert complete("run", "--choice", "4.A.1") == ["4.A.1=any-route", "4.A.1=all-routes"]


def test_reports_are_known_by_their_format():
    assert complete("run", "--report", "") == [f"{name}:" for name in FORMATS]


def test_engines_are_those_of_the_config_the_bridges_and_the_ways_to_name_one(tmp_path):
    (tmp_path / "datc.toml").write_text('[engine.mine]\ncommand = ["./mine"]\n', "utf-8")
    (tmp_path / "other.toml").write_text('[engine.theirs]\nurl = "http://127.0.0.1"\n', "utf-8")
    found = complete("run", "")
    assert {"builtin", "mine", "exec:", "http://", *bridge_names()} <= set(found)
    assert complete("run", "--config", "other.toml", "thei") == ["theirs"]
    assert complete("compare", "mine", "mi") == ["mine"]
    assert complete("engines", "setup", "") == ["mine", *bridge_names()]


def test_a_config_that_is_wrong_completes_to_the_rest(tmp_path):
    (tmp_path / "datc.toml").write_text("[engine", "utf-8")
    assert "builtin" in complete("run", "")


def test_what_fails_a_run_is_known_also_behind_a_comma():
    assert complete("run", "--fail-on", "fail") == ["failed", "failed-board"]
    assert complete("run", "--fail-on", "failed,er") == ["failed,error"]
    assert complete("run", "--select", "6.A.1,6.A.11") == ["6.A.1,6.A.11"]


def test_kinds_are_known():
    assert complete("init", "") == ["cpp", "go", "http", "java", "node", "php", "python", "ruby", "rust"]
    assert complete("next", "--until", "c") == ["cutting", "circular-movement", "convoys", "coasts", "civil-disorder"]
    assert complete("schema", "") == ["report", "protocol", "case", "explain", "board"]


def test_a_command_that_is_run_is_left_as_it_is():
    from click.testing import CliRunner

    done = CliRunner().invoke(cli, ["cases", "show", "6.F.90"], prog_name="datc-check")
    assert "did you mean '6.F.9'" in done.stderr


BASH = shutil.which("bash")


@pytest.mark.skipif(BASH is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("words", "reply"),
    [
        (["run", "builtin", "--choice", "4.A.2", "=", "sz"], ["szykman"]),
        (["run", "builtin", "--choice", "4.A.1", "="], ["any-route", "all-routes"]),
        (["run", "--choice", "=", "4.A.1", "=", "an"], ["any-route"]),
        (["run", "--report", "ht"], ["html:"]),
        (["rulesets", "show", "datc"], ["datc-2.4", "datc-3.1", "datc-3.2"]),
        (["engines", "setup", ""], list(bridge_names())),
    ],
    ids=["begun", "after-the-break", "two-breaks", "no-break", "an-argument", "nothing-yet"],
)
def test_bash_gets_what_comes_behind_the_break_of_its_words(words, reply):
    """Bash has `4.A.2=sz` as three words, of which it replaces the last."""
    quoted = " ".join(f"'{word}'" for word in ["datc-check", *words])
    script = f"""
        eval "$(_DATC_CHECK_COMPLETE=bash_source {COMMAND})"
        COMP_WORDS=({quoted}); COMP_CWORD={len(words)}
        _datc_check_completion {COMMAND}
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    assert BASH is not None
    done = subprocess.run(
        [BASH, "-c", script], capture_output=True, text=True, timeout=60, check=True, env={**os.environ}
    )
    assert done.stdout.split() == reply


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(shell):
    environment = {**os.environ, "_DATC_CHECK_COMPLETE": f"{shell}_source"}
    done = subprocess.run([COMMAND], capture_output=True, text=True, timeout=60, check=True, env=environment)
    assert f"_DATC_CHECK_COMPLETE={shell}_complete" in done.stdout


def fish(*words):
    environment = {"_DATC_CHECK_COMPLETE": "fish_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": ""}
    done = subprocess.run(
        [COMMAND], capture_output=True, text=True, timeout=60, check=True, env={**os.environ, **environment}
    )
    return done.stdout.splitlines()


def test_fish_gets_whole_descriptions():
    """Each line is the type, a comma, the value, a tab and the description, which may have commas of its own."""
    assert "plain,run\tAsk an engine the cases." in fish("datc-check ")
    assert "plain,report\tReport stored runs in any format, several side by side." in fish("datc-check ")
    title = load_suite("datc-2.4").title
    assert "," in title
    assert f"plain,datc-2.4\t{title}" in fish("datc-check run --suite ")
    environment = {**os.environ, "_DATC_CHECK_COMPLETE": "fish_source"}
    script = subprocess.run([COMMAND], capture_output=True, text=True, timeout=60, check=True, env=environment).stdout
    assert 'string split --max 1 "," $completion' in script


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish here")
def test_fish_itself_shows_them():
    script = "_DATC_CHECK_COMPLETE=fish_source datc-check | source\ncomplete -C 'datc-check run --suite datc-2'"
    path = os.pathsep.join([str(Path(COMMAND).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["fish", "--no-config", "--command", script],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, "PATH": path},
    )
    assert done.stdout == f"datc-2.4\t{load_suite('datc-2.4').title}\n"


def test_the_page_says_how_each_shell_asks():
    page = (Path(__file__).parents[3] / "docs" / "completion.md").read_text("utf-8")
    for shell in ("bash", "zsh", "fish"):
        assert f"_DATC_CHECK_COMPLETE={shell}_source datc-check" in page
