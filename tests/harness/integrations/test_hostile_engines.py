"""The pytest plugin and `watch` with engines that mean it: one bad case each, a bounded time, no command, no flood."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping

import pytest

from datc.adapters import EngineSpec
from datc.adapters.process import ProcessEngine
from datc.harness.cli.command import echo
from datc.harness.config.preparing import find_cases, make_ruleset
from datc.harness.integrations.watching import Watch
from datc.harness.play.verdict import Rules
from datc.harness.run.runner import Run

from ...adapters.fakes import COLD, command
from ...engines import attacking
from ..cli.test_attacks import COMMAND

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.attack

MARKER = "Picardy"
"""In 6.A.1 alone, of the cases that are asked."""
SAID: Mapping[str, str] = {
    "hangs": "gave no answer within 5 s",
    "floods": "answered more than 16777216 bytes",
    "floods-with-blank-lines": "gave no answer within 5 s|answered more than",
    "logs-much": "",
    "crashes": "ended with exit code 3",
    "crashes-in-colour": "ended with exit code 3",
    "crashes-with-a-long-line": "ended with exit code 3",
    "is-killed": "SIGKILL",
    "answers-twice": "",
    "leaves-a-daemon-and-crashes": "",
}
"""Behaviours of `fake.py`, and what is said of the case; nothing where it may pass."""
ATTACKS = ("commands", "state", "units", "dislodged", "name", "choices")
"""Attacks of `attacking.py`, whose cases may pass or fail."""
CASES = ("6.A.1", "6.A.2", "6.D.9")


def words_of(name: str) -> list[str]:
    return command(name, MARKER) if name in SAID else [sys.executable, "-S", attacking.__file__, name]


def assert_harmless(text: str) -> None:
    assert COMMAND.findall(text) == []
    assert not re.search("[\x00-\x08\x0e-\x1a\x1c-\x1f\u202e]|\x1b(?!\\[[0-9;]*m)", text)
    assert len(text) < 20_000


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch):
    """Tell the daemons of the fake where they may write."""
    monkeypatch.setenv("FAKE_PIPE", "/dev/null")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)


@pytest.mark.parametrize("name", [*SAID, *ATTACKS])
def test_a_hostile_engine_fails_the_test_that_it_attacks_and_what_it_says_is_text(pytester, name):
    config = f"[engine.bad]\ncommand = {words_of(name)!r}\nstart_timeout = 5\ntimeout = 1\n"
    _ = (pytester.path / "datc.toml").write_text(config)
    cases = CASES[:2] if name in SAID else CASES
    done = pytester.runpytest("--datc-engine=bad", *(f"--datc-select={case}" for case in cases), "--color=no", "-rA")
    text = done.stdout.str()
    assert_harmless(text)
    outcomes = done.parseoutcomes()
    assert outcomes.get("passed", 0) + outcomes.get("failed", 0) == len(cases)
    if SAID.get(name):
        assert outcomes.get("failed") == 1, text
        assert re.search(SAID[name], " ".join(text.split())), text


@pytest.mark.parametrize(
    "name", ["hangs", "floods", "crashes-in-colour", "is-killed", "commands", "units", "name", "choices"]
)
def test_watch_goes_on_after_what_a_hostile_engine_does_and_what_it_says_is_text(name, capsys):
    def prepare() -> Run:
        engine = ProcessEngine(words_of(name), COLD)
        return Run(engine, EngineSpec("bad"), find_cases((), CASES), Rules(make_ruleset(None, {}), {}))

    Watch(prepare, echo).follow(prepare(), [()])
    text = capsys.readouterr().out
    assert_harmless(text)
    assert re.search(SAID.get(name, ""), " ".join(text.split()))
    assert text.count("3 cases: ") == 2
