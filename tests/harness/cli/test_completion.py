"""What a shell is told when someone presses the tab key."""

import os
import shutil
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from datc.adapters.bridges import bridge_names
from datc.cases import load_suite, ruleset_names, suite_names
from datc.harness.cli.group import cli
from datc.reports import FORMATS

from ...programs import run
from .running import COMMAND, spawn


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def complete(*words):
    """What can stand for the last word."""
    *before, incomplete = words
    shell = ShellComplete(cli, {}, "datc-check", "_DATC_CHECK_COMPLETE")
    return [item.value for item in shell.get_completions(before, incomplete)]


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (("pref",), ["preferences"]),
        (("run", "--rules"), ["--ruleset"]),
        (("run", "--ruleset", ""), list(ruleset_names())),
        (("rulesets", "diff", "1971", ""), list(ruleset_names())),
        (("run", "--suite", ""), [*suite_names(), "colonial", "datc-2.4-variants"]),
        (("run", "--select", "4.B.1"), ["4.B.1"]),
        (("run", "--select", "6.A.1,6.A.11"), ["6.A.1,6.A.11"]),
        (("run", "--choice", "4.A.1"), ["4.A.1=any-route", "4.A.1=all-routes"]),
        (("run", "--report", ""), [f"{name}:" for name in FORMATS]),
        (("run", "--fail-on", "fail"), ["failed", "failed-board"]),
        (("run", "--fail-on", "failed,er"), ["failed,error"]),
        (("init", ""), ["cpp", "go", "http", "java", "node", "php", "python", "ruby", "rust"]),
        (("next", "--until", "c"), ["cutting", "circular-movement", "convoys", "coasts", "civil-disorder"]),
        (("schema", "ca"), ["cases", "case-table", "case"]),
        (("cases", "show", "6.F.2"), ["6.F.2", *(f"6.F.2{number}" for number in range(10))]),
        (("draw", "6.A.1"), ["6.A.1", "6.A.10", "6.A.11", "6.A.12"]),
        (("cases", "show", "--suite", "nowhere", "6"), []),
        (("cases", "show", "--suite", "extended", "4.D.1-f"), ["4.D.1-four-sets"]),
        (("run", "--select", "6.C"), ["6.C", *(f"6.C.{number}" for number in range(1, 10))]),
    ],
)
def test_words_are_known(words, values):
    assert complete(*words) == values


def test_engines_are_those_of_the_config_the_bridges_and_the_ways_to_name_one(tmp_path):
    (tmp_path / "datc.toml").write_text('[engine.mine]\ncommand = ["./mine"]\n', "utf-8")
    (tmp_path / "other.toml").write_text('[engine.theirs]\nurl = "http://127.0.0.1"\n', "utf-8")
    found = complete("run", "")
    assert {"builtin", "mine", "exec:", "http://", *bridge_names()} <= set(found)
    assert complete("run", "--config", "other.toml", "thei") == ["theirs"]
    assert complete("compare", "mine", "mi") == ["mine"]
    assert complete("engines", "setup", "") == ["mine", *bridge_names()]
    (tmp_path / "datc.toml").write_text("[engine", "utf-8")
    assert "builtin" in complete("run", ""), "a config that is wrong leaves the rest"


BASH = shutil.which("bash")


@pytest.mark.skipif(BASH is None, reason="there is no bash here")
def test_bash_gets_what_comes_behind_the_break_of_its_words():
    """Bash has `4.A.2=sz` as three words, of which it replaces the last."""
    replies = [
        (["run", "builtin", "--choice", "4.A.2", "=", "sz"], ["szykman"]),
        (["run", "builtin", "--choice", "4.A.1", "="], ["any-route", "all-routes"]),
        (["run", "--choice", "=", "4.A.1", "=", "an"], ["any-route"]),
        (["run", "--report", "ht"], ["html:"]),
        (["rulesets", "show", "datc"], ["datc-2.4", "datc-3.1", "datc-3.2"]),
        (["engines", "setup", ""], list(bridge_names())),
    ]
    script = f'eval "$(_DATC_CHECK_COMPLETE=bash_source {COMMAND})"\n'
    for words, _ in replies:
        quoted = " ".join(f"'{word}'" for word in ["datc-check", *words])
        script += f"""
            COMPREPLY=(); COMP_WORDS=({quoted}); COMP_CWORD={len(words)}
            _datc_check_completion {COMMAND}
            echo "${{COMPREPLY[*]}}"
        """
    said = run([BASH, "-c", script]).stdout.splitlines()
    assert [line.split() for line in said] == [reply for _, reply in replies]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(tmp_path, shell):
    script = spawn(cwd=tmp_path, _DATC_CHECK_COMPLETE=f"{shell}_source").stdout
    assert f"_DATC_CHECK_COMPLETE={shell}_complete" in script
    assert shell != "fish" or 'string split --max 1 "," $completion' in script
    page = (Path(__file__).parents[3] / "docs" / "completion.md").read_text("utf-8")
    assert f"_DATC_CHECK_COMPLETE={shell}_source datc-check" in page


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("datc-check ", "plain,report\tReport stored runs in any format, several side by side."),
        ("datc-check run --suite ", f"plain,datc-2.4\t{load_suite('datc-2.4').title}"),
    ],
)
def test_fish_gets_whole_descriptions(tmp_path, words, line):
    """Each line is the type, a comma, the value, a tab and the description, which may have commas of its own."""
    asked = {"_DATC_CHECK_COMPLETE": "fish_complete", "COMP_WORDS": words, "COMP_CWORD": ""}
    assert line in spawn(cwd=tmp_path, **asked).stdout.splitlines()


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish here")
def test_fish_itself_shows_them():
    script = "_DATC_CHECK_COMPLETE=fish_source datc-check | source\ncomplete -C 'datc-check run --suite datc-2'"
    path = os.pathsep.join([str(Path(COMMAND).parent), os.environ["PATH"]])
    done = run(["fish", "--no-config", "--command", script], env={**os.environ, "PATH": path})
    assert done.stdout == f"datc-2.4\t{load_suite('datc-2.4').title}\n"
