"""`datc-check watch`: what is asked again, in which order, and how it ends."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest
import watchfiles

from datc.adapters import EngineSpec
from datc.adapters.process import ProcessEngine
from datc.adapters.protocol import Capabilities
from datc.harness.cli.commands import watch
from datc.harness.config.preparing import find_cases, make_ruleset
from datc.harness.errors import ConfigError, SetUpError
from datc.harness.integrations.watching import Changes, Watch
from datc.harness.play.verdict import Rules
from datc.harness.run.runner import Run

from ..cli.running import COMMAND, invoke
from ..play.altered import Altered
from ..rules.test_compare import LENIENT, STRICT


class Rounds:
    """Runs 6.B against one engine after the other, or raises, and keeps what is shown of each round."""

    def __init__(self, *engines) -> None:
        self.engines = iter(engines)
        self.runs: list[Run] = []
        self.shown: list[str] = []

    def prepare(self) -> Run:
        engine = next(self.engines)
        if isinstance(engine, Exception):
            raise engine
        rules = Rules(make_ruleset("datc-3.2", {}), {})
        self.runs.append(Run(engine, EngineSpec("mine"), find_cases((), ("6.B",)), rules))
        return self.runs[-1]

    def play(self, *files: set[Path]) -> str:
        Watch(self.prepare, self.shown.append).follow(self.prepare(), files)
        return "\n".join(self.shown)


CHANGE = {Path("/src/engine.py")}


def test_what_failed_is_asked_first_the_next_time():
    rounds = Rounds(Altered(ruleset=STRICT), Altered(ruleset=STRICT), Altered(ruleset=STRICT))
    _ = rounds.play(CHANGE, CHANGE)
    first, *later = [[int(case.id.removeprefix("6.B.")) for case in run.cases] for run in rounds.runs]
    assert first == [*range(1, 20)]
    assert later == [[7, 8, 12, 15, *(number for number in first if number not in (7, 8, 12, 15))]] * 2


def test_it_shows_what_is_wrong_and_then_what_changed():
    shown = Rounds(Altered(ruleset=STRICT), Altered(ruleset=LENIENT)).play(CHANGE)
    first, changed, second = shown.partition("\nChanged: engine.py\n")
    assert changed
    assert first.count("Board") == 3, "three cases are shown in full"
    assert "6.B.15 Supporting foreign unit with unspecified coast: deviated" in first
    assert "\n19 cases: 15 passed, 4 deviated (" in first
    assert all(f"6.B.{number} " in second for number in (7, 8, 12, 15))
    assert second.count("deviated → passed") == 4
    assert "6.B.9 Supporting with wrong coast: passed → deviated" in second
    assert max(map(len, shown.splitlines())) <= 80


def test_what_fails_as_before_is_named_in_one_line_and_what_fails_otherwise_is_shown():
    right = [Altered(ruleset=STRICT) for _ in range(2)]
    lost = [Altered(lambda _, answer: msgspec.structs.replace(answer, units=[])) for _ in range(2)]
    shown = Rounds(*right, *lost).play(CHANGE, CHANGE, CHANGE)
    _, same, otherwise, again = shown.split("\nChanged: engine.py\n")
    told = "Not passed, as before: 6.B.7, 6.B.8, 6.B.12, 6.B.15"
    assert (same.splitlines()[0], len(same.splitlines())) == (told, 2)
    assert otherwise.count("Board") == 3
    assert "6.B.15 Supporting foreign unit with unspecified coast: deviated → failed" in otherwise
    assert "as before" not in otherwise
    assert again.startswith("Not passed, as before: 6.B.1 to 6.B.13, 6.B.15 to 6.B.19\n")


def test_what_is_unsupported_shares_a_line():
    without_movement = [Altered(capabilities=Capabilities(phases=["retreat"])) for _ in range(2)]
    shown = Rounds(*without_movement).play(CHANGE)
    assert shown.count("unsupported: the engine has no movement phase (18 cases): 6.B.1 to 6.B.") == 2
    assert len(shown.splitlines()) < 20, "not one for each of 38 cases"


def test_a_config_that_is_broken_and_an_engine_that_does_not_start_are_said_and_waited_for():
    broken, missing = ConfigError("datc.toml: is \x1bnot TOML"), ProcessEngine(["/nowhere/engine"])
    shown = Rounds(missing, broken, Altered(ruleset=LENIENT)).play(
        CHANGE, {Path(f"/src/{name}.py") for name in "abcde"}
    )
    assert "Not finished: '/nowhere/engine' cannot be started" in shown
    assert "datc.toml: is" in shown
    assert "\x1b" not in shown
    assert "Changed: a.py, b.py, c.py and 2 more" in shown
    assert re.findall(r"^19 cases: (.*) \(", shown, re.MULTILINE) == ["19 not-run", "18 passed, 1 deviated"]


def test_every_engine_is_ended_also_by_ctrl_c():
    closed = []

    class Closing(Altered):
        def close(self) -> None:
            closed.append(self)

    def interrupt(params, answer):
        raise KeyboardInterrupt

    engines = Closing(), Closing(interrupt)
    with pytest.raises(KeyboardInterrupt):
        _ = Rounds(*engines).play(CHANGE)
    assert {*map(id, closed)} == {*map(id, engines)}


def test_without_watchfiles_it_says_what_to_install(monkeypatch):
    for module in ("watchfiles", "datc.harness.integrations.watching"):
        monkeypatch.setitem(sys.modules, module, None)
    done = invoke("watch", "builtin")
    assert done.exit_code == 2
    assert "pip install 'datc-check[watch]'" in done.stderr


NO_SOURCES = "build/engine.o .git/index src/__pycache__/engine.pyc src/#engine.py# src/.engine.py.swp src/4913"


def test_the_sources_count_and_of_what_is_built_the_program_alone(tmp_path, monkeypatch):
    """The watched folder is in one named `build`, which does not matter."""
    folder = tmp_path / "build"
    count = {folder / "engine.py", folder / "src/engine.py", folder / "target/release/engine"}
    others = {folder / name for name in ("target/release/other", *NO_SOURCES.split())}
    changed = [(watchfiles.Change.modified, str(file)) for file in count | others]
    monkeypatch.setattr(
        watchfiles, "watch", lambda *_, watch_filter, **__: iter([{one for one in changed if watch_filter(*one)}])
    )
    program = watch._program(EngineSpec("mine", ("target/release/engine",), cwd=str(folder)))
    assert list(Changes([folder], program)) == [count]


ENGINE = """
import json, os, sys
print(os.getpid(), file=open(sys.argv[1], "a"))
for line in sys.stdin:
    request = json.loads(line)
    result = {"protocol": 1, "engine": {"name": "holder"}}
    if request["method"] == "adjudicate":
        result = {"units": request["params"]["units"] if HOLDS else [], "dislodged": []}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""


FAILED = "6.A.1 Moving to a province that is not a neighbour: failed"
BUILD = """
source = open("engine.py").read()
exec(source.partition("\\n")[0])
open("built.py", "w").write(source)
"""


def make_project(folder, program, setup=""):
    """Make a project with an engine that is wrong, and a file for the ids of its processes."""
    project, started = folder / "project", folder / "started"
    project.mkdir()
    config = f"[engine.mine]\n{setup}command = [{sys.executable!r}, '-S', {program!r}, {str(started)!r}]\n"
    (project / "datc.toml").write_text(config, encoding="utf-8")
    (project / "engine.py").write_text("HOLDS = False" + ENGINE, encoding="utf-8")
    return project, started


def test_a_change_is_noticed_and_ctrl_c_ends_it_quietly(tmp_path):
    project, started = make_project(tmp_path, "engine.py")
    with _watching(project) as process:
        first = _until(process, "1 case:")
        assert FAILED in first
        (project / "engine.py").write_text("HOLDS = True" + ENGINE, encoding="utf-8")
        second = _until(process, "1 case:")
        assert "Changed: engine.py" in second
        assert f"{FAILED} → passed" in second
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate()
    assert (process.returncode, rest, errors) == (130, "", "")
    for number in map(int, started.read_text().split()):
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)


def test_what_is_built_is_built_again_before_it_is_asked(tmp_path):
    """It is built into the watched folder: what the set-up writes is no change. What fails to build is not asked."""
    project, started = make_project(tmp_path, "built.py", f"setup = [[{sys.executable!r}, 'build.py']]\n")
    (project / "build.py").write_text(BUILD, encoding="utf-8")
    with _watching(project) as process:
        assert FAILED in _until(process, "1 case:")
        (project / "engine.py").write_text("HOLDS = Maybe" + ENGINE, encoding="utf-8")
        assert "failed with exit code 1" in _until(process, "  NameError")
        (project / "engine.py").write_text("HOLDS = True" + ENGINE, encoding="utf-8")
        assert "failed → passed" in _until(process, "1 case:")
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate()
    assert rest == ""
    assert len(started.read_text().split()) == 2


def made_up_changes(monkeypatch, folder, *changed):
    """Changes of these files, one set after the other."""
    sets = [{(watchfiles.Change.modified, str(folder / name)) for name in names} for names in changed]
    monkeypatch.setattr(watchfiles, "watch", lambda *_, **__: iter(sets))
    return Changes([folder], None)


def test_what_a_failed_build_writes_is_no_change(tmp_path, monkeypatch):
    spec = EngineSpec("mine", command=("mine",), setup=((sys.executable, "-S", "-c", "raise SystemExit(1)"),))
    changes = made_up_changes(monkeypatch, tmp_path, ["half-built.o"], ["engine.c"])
    with pytest.raises(SetUpError, match="failed with exit code 1"):
        watch._build(spec, changes)
    assert list(changes) == [{tmp_path / "engine.c"}]


def test_what_is_saved_while_it_is_built_counts_and_what_each_build_writes_does_not(tmp_path, monkeypatch):
    for name in ("engine.c", "built"):
        (tmp_path / name).touch()
    builds = [["built"], ["built", "engine.c", "new"], ["built", "engine.c"], ["built"]]
    between = [["engine.c"], [], [], []]
    changes = made_up_changes(
        monkeypatch, tmp_path, *(each for pair in zip(builds, between, strict=True) for each in pair)
    )
    changes.without_built(lambda: None)
    found = []
    for changed in changes:
        found.append({file.name for file in changed})
        with contextlib.suppress(StopIteration):
            changes.without_built(lambda: None)
    assert found == [{"engine.c", "built"}, {"engine.c"}, {"engine.c"}]


def test_a_file_that_every_build_writes_ends_the_builds_though_a_person_edits_it(tmp_path, monkeypatch):
    (tmp_path / "parser.c").touch()
    changes = made_up_changes(monkeypatch, tmp_path, ["parser.c"], *([["parser.c"], []] * 4), [], [])
    rounds = 0
    for _ in changes:
        changes.without_built(lambda: None)
        rounds += 1
    assert rounds == 4


def test_the_file_that_the_output_goes_to_is_no_change(tmp_path):
    (tmp_path / "datc.toml").write_text('[engine.mine]\ncommand = ["nowhere/engine"]\n', encoding="utf-8")
    (tmp_path / "other.py").touch()
    output = tmp_path / "watch.txt"
    with output.open("w") as file, _watching(tmp_path, stdout=file) as process:
        until = time.monotonic() + 60
        while "cases:" not in output.read_text() and "case:" not in output.read_text() and time.monotonic() < until:
            time.sleep(0.05)
        (tmp_path / "other.py").write_text("2", encoding="utf-8")
        while output.read_text().count("1 case:") < 2 and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _ = process.communicate()
    assert "Changed: watch.txt" not in output.read_text()
    assert output.read_text().count("1 case:") == 2


@contextlib.contextmanager
def _watching(project, stdout=subprocess.PIPE):
    words = [COMMAND, "watch", "mine", "--select", "6.A.1"]
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    process = subprocess.Popen(words, cwd=project, stdin=null, stdout=stdout, stderr=pipe, text=True, bufsize=1)
    bound = threading.Timer(120, process.kill)
    bound.start()
    try:
        yield process
    finally:
        bound.cancel()
        process.kill()


def _until(process, beginning: str) -> str:
    """Read what is shown up to a line; the end of the output is a failure."""
    lines: list[str] = []
    while not lines or not lines[-1].startswith(beginning):
        lines.append(process.stdout.readline())
        assert lines[-1], "".join(lines)
    return " ".join(" ".join(lines).split())
