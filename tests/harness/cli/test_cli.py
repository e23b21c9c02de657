"""The commands as a person or a CI pipeline calls them."""

import contextlib
import fcntl
import json
import os
import platform
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from importlib.metadata import version
from pathlib import Path

import pytest

from datc.adapters.bridges import bridge_names, find_bridge
from datc.adapters.protocol import PROTOCOL_VERSION
from datc.cases import ruleset_names
from datc.harness.cli.group import cli
from datc.reference_engine.installation import is_compiled, package_version

from ...programs import run
from .running import COMMAND, ENGINE, invoke, spawn

HANGS = """
import json, os, signal, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "initialize":
        result = {"protocol": 1, "engine": {"name": "sleeper"}}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
    else:
        with open(os.environ["ASKED"], "w") as pipe:
            pipe.write(str(os.getpid()))
        sys.stdin.read()
"""


def call_in_shell(redirections, *arguments, cwd):
    return run(["sh", "-c", f'exec "$@" {redirections}', "sh", COMMAND, *arguments], cwd=cwd)


def test_without_arguments_it_shows_a_run_of_the_built_in_engine_whatever_the_config_says(tmp_path):
    (tmp_path / "datc.toml").write_text("[run]\nengine = 'nowhere'", encoding="utf-8")
    done = spawn(cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("A demonstration: the cases of DATC 3.2, asked of the engine that comes with")
    assert "176 cases: 176 passed" in done.stdout
    assert done.stdout.endswith("All 176 cases pass: compliant.\n")
    assert done.stderr == ""
    assert spawn("run", cwd=tmp_path).returncode == 2


def test_another_ruleset_shows_deviations_and_exits_1():
    command = ("run", f"{ENGINE} --choice 4.B.4=ignored --fixed", "--select", "6.B")
    done = invoke(*command)
    assert done.exit_code == 1
    assert "6.B.9 Supporting with wrong coast: deviated" in done.stdout
    assert "right under 4.B.4 = ignored" in done.stdout
    assert "Not compliant with datc-3.2: 18 passed, 1 deviated." in done.stdout
    assert invoke(*command, "--choice", "4.B.4=ignored").exit_code == 0


@pytest.mark.parametrize("command", ["doctor", "preferences", "next", "hunt", "infer", "play", "shadow exec:./nowhere"])
def test_where_there_is_no_report_the_error_says_that_the_engine_is_not_there(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # A shadow writes where it is started.
    done = invoke(*command.split(), "exec:./nowhere")
    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr.startswith("Error: ")
    assert "cannot be started" in " ".join(done.stderr.split())


def test_a_declared_deviation_may_be_a_pattern(tmp_path):
    (tmp_path / "datc.toml").write_text(
        '[deviations]\n"6.G.*" = "why"\n"6.G.4" = "first"\n"6.G.3" = "old"', encoding="utf-8"
    )
    done = spawn("run", f"{ENGINE} --mutant swap-by-land", "--select=6.G", "--no-experiments", "--json", cwd=tmp_path)
    cases = json.loads(done.stdout)["cases"]
    reasons = {case["id"]: case["reason"] for case in cases if case["verdict"] == "declared"}
    assert reasons == {"6.G.2": "why", "6.G.4": "first", "6.G.7": "why", "6.G.19": "why"}
    assert [case["id"] for case in cases if any("but passes" in note for note in case["notes"])] == ["6.G.3"]
    assert spawn("run", "builtin", "--suite", "extended", cwd=tmp_path).returncode == 0, "it may be of another suite"


def hanging(tmp_path, *command, hangs=HANGS):
    """Start a command with an engine that hangs; return the process, and that of the engine once it is asked."""
    (tmp_path / "engine.py").write_text(hangs, encoding="utf-8")
    asked = tmp_path / "asked"
    os.mkfifo(asked)
    words = [COMMAND, *command, f"exec:{sys.executable} {tmp_path / 'engine.py'}", "--timeout=600"]
    surroundings = {**os.environ, "ASKED": str(asked)}
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=surroundings)
    return process, int(asked.read_text(encoding="ascii"))


def has_ended(pid):
    """Whether a process is gone, or dead and waiting for somebody to take note of it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.parametrize(
    "command", ["run --report=json:report", "run --jobs=2 --report=json:report", "infer", "hunt", "preferences"]
)
@pytest.mark.parametrize(
    ("signals", "code"), [([signal.SIGINT], 130), ([signal.SIGTERM], 143), ([signal.SIGINT, signal.SIGINT], 130)]
)
def test_a_signal_ends_the_engine_and_the_exit_code_tells_it(tmp_path, command, signals, code):
    pauses = HANGS.replace("sys.stdin.read()", "os.close(0); signal.pause()")
    process, engine = hanging(tmp_path, *command.split(), hangs=pauses)
    for number in signals:
        process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            _ = process.wait(0.5)  # The engine does not end by itself, so it is being waited for when the next comes.
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, b"Traceback" in errors) == (code, False), errors
    assert has_ended(engine)
    if command.startswith("run") and len(signals) == 1:
        found = json.loads((tmp_path / "report").read_bytes())
        assert (found["complete"], found["incomplete_reason"]) == (False, "interrupted")


@pytest.mark.parametrize("arguments", [["--version"], ["draw", "6.A.1"], ["explain", "-"], ["engine"]])
def test_streams_that_the_caller_closed_are_empty_ones(tmp_path, arguments):
    done = call_in_shell("<&- >&-", *arguments, cwd=tmp_path)
    assert "Traceback" not in done.stderr
    assert done.returncode == (2 if "explain" in arguments else 0)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["cases", "list"], ["draw", "6.A.1"]])
def test_a_full_disk_is_told_in_a_sentence(tmp_path, arguments):
    done = call_in_shell(">/dev/full", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "Error: the output cannot be written: No space left on device\n")


@pytest.mark.parametrize("arguments", [["cases", "list"], ["run", "builtin"], ["run", "builtin", "--report=json:-"]])
def test_a_reader_that_goes_away_is_no_error(tmp_path, arguments):
    done = call_in_shell("| head -n 1", *arguments, cwd=tmp_path)
    assert done.stdout
    assert not re.search("Error|Traceback", done.stderr)


def test_the_help_of_every_command_has_examples_and_fits_80_columns():
    def helps(command, *path):
        yield path
        for name in getattr(command, "commands", {}):
            yield from helps(command.commands[name], *path, name)

    context = cli.make_context("datc-check", [], resilient_parsing=True)
    names = cli.list_commands(context)
    assert {"run", "report", "cases", "engine"} <= set(names)
    for path in [(), *(path for name in names for path in helps(cli.get_command(context, name), name))]:
        shown = invoke(*path, "--help", env={"COLUMNS": "80"})
        assert shown.exit_code == 0
        examples = re.findall(r"^  (?:echo .* \| )?datc-check .*", shown.stdout, re.MULTILINE)
        assert examples, f"{path}: its examples stand on lines of their own"
        assert "\\b" not in shown.stdout
        assert all(len(line) <= 80 for line in shown.stdout.splitlines()), path


def test_the_version_says_what_a_bug_report_needs(tmp_path):
    alone = spawn("--version", cwd=tmp_path).stdout
    shown = spawn("--version", "-v", cwd=tmp_path).stdout
    assert shown.startswith(alone)
    first, _, third, *_ = shown.splitlines()
    assert first == f"datc-check {package_version()}"
    text = " ".join(shown.split())
    assert f"Python {platform.python_version()}" in text
    assert f"msgspec {version('msgspec')}" in text
    compiled = "compiled" if is_compiled() else "in plain Python"
    assert third == f"engine protocol {PROTOCOL_VERSION}, reference engine {compiled}"
    assert "hypothesis" not in text, "what only the tests need"
    assert "no terminal, 80 columns, colours none" in text
    assert re.search(rf"bridges: .* set up, of {len(bridge_names())}, in /", text)


def on_a_terminal(tmp_path, *arguments, columns=80, **environment):
    """Run a command as on a terminal of that width, and give all that it shows."""
    ours, theirs = pty.openpty()
    _ = fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    usual = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    environment = {**usual, "TERM": "xterm-256color", **environment}
    words = [COMMAND, *arguments]
    process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, cwd=tmp_path, env=environment)
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # Which is how Linux says that the other side was closed.
        while chunk := os.read(ours, 1 << 16):
            shown += chunk
    os.close(ours)
    assert process.wait(timeout=60) in (0, 1)
    return shown.decode()


GREEN = "\x1b[32m"


def test_colours_and_progress_are_for_terminals(tmp_path):
    arguments = ("run", "builtin", "--select", "6.A")
    shown = on_a_terminal(tmp_path, *arguments)
    assert GREEN in shown
    assert "━" in shown, "the progress"
    assert GREEN not in on_a_terminal(tmp_path, *arguments, NO_COLOR="1")
    piped = spawn(*arguments, cwd=tmp_path)
    assert "\x1b" not in piped.stdout
    assert piped.stderr == ""


@pytest.mark.parametrize("columns", [50, 80, 100])
def test_lines_are_as_wide_as_the_terminal(tmp_path, columns):
    lines = on_a_terminal(tmp_path, "rulesets", "show", "1982", columns=columns).splitlines()
    assert columns - 15 < max(map(len, lines)) <= columns


@pytest.mark.parametrize("command", [(), ("run",), ("cases",), ("cases", "list")])
def test_the_stored_help_is_that_of_the_command(tmp_path, command):
    """A second `--help` changes nothing but that it is made anew."""
    made = spawn(*command, "--help", "--help", cwd=tmp_path).stdout
    assert made.startswith("Usage: ")
    assert spawn(*command, "--help", cwd=tmp_path).stdout == made, "run: python docs/generate/commands.py"
    assert spawn(*command, "-h", cwd=tmp_path).stdout == made


def test_help_for_a_narrow_terminal_is_made_for_it(tmp_path):
    narrow = on_a_terminal(tmp_path, "--help", columns=60).splitlines()
    assert narrow[0].startswith("Usage: datc-check ")
    assert max(map(len, narrow)) <= 60 + len(" --report html:report.html"), "examples are not broken"


def test_the_help_that_is_at_hand_imports_nothing_of_the_program():
    script = (
        "import sys; sys.argv[1:] = ['--help']\n"
        "from datc.harness.cli.start import main; main()\n"
        "there = {name for name in sys.modules if name.startswith('datc') or name == 'click'}\n"
        "assert there <= {'datc', 'datc.harness', 'datc.harness.cli', 'datc.harness.cli.start'}, there"
    )
    done = run([sys.executable, "-c", script], env={**os.environ, "COLUMNS": "80"})
    assert done.returncode == 0, done.stderr


INTERRUPTED = """
import sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == interrupted_import:
            raise KeyboardInterrupt

from datc.harness.cli.start import main

interrupted_import = sys.argv.pop(1)
sys.meta_path.insert(0, Interrupt())
main()
"""


@pytest.mark.attack
@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("click", ["run", "builtin"]),
        ("datc.harness.cli.group", ["run", "builtin"]),
        ("datc.harness.cli.commands.run", ["run", "builtin"]),
        ("datc.harness.config.preparing", ["run", "builtin"]),
        ("msgspec", ["run", "builtin"]),
        ("platform", ["--version", "-v"]),
        ("datc.reports", ["run", "--help", "--help"]),
    ],
)
def test_an_interrupted_import_ends_in_one_line(module, arguments):
    done = run([sys.executable, "-c", INTERRUPTED, module, *arguments])
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


BROKEN = """
import os, signal, sys

from datc.harness.cli.start import main
from datc.harness.config import preparing
from datc.reference_engine import DatcCheckError

ending = sys.argv.pop(1)

def break_off(*_):
    if ending == "signal":
        os.kill(os.getpid(), signal.SIGTERM)
    raise DatcCheckError("no suite")

preparing.find_cases = break_off
main()
"""


@pytest.mark.parametrize(
    ("ending", "code", "said"), [("error", 2, "Error: no suite\n"), ("signal", 143, "Interrupted.\n")]
)
def test_a_demonstration_ends_as_commands_do(ending, code, said):
    done = run([sys.executable, "-c", BROKEN, ending])
    assert (done.returncode, done.stderr) == (code, said)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("rulesets show 1982", "4.A.2 Convoy disruption paradoxes: 1982"),
        ("rulesets diff 1971 1971", "1971 and 1971 settle every issue alike"),
        ("cases coverage", "4.A.1      1 of 1 pairs distinguished"),
        ("cases list --suite dptg --select DPTG.XIII", "DPTG.XIII.b  A removal"),
        ("cases show 4.D.1-four-sets --suite extended", "A Warsaw - Galicia  (set 2, which replaces earlier ones)"),
        ("cases show 4.E.5-announced", "(beforehand)"),
        ("cases show 4.E.6-identified", "has a unit too many, in "),
        ("cases show FIELD.battles.bulgaria", "Source: https://github.com/taparkins/pydip/issues/5"),
        ("cases check", "datc-3.2: 176 cases, nothing wrong"),
    ],
)
def test_rulesets_and_cases_are_listed_shown_and_checked(words, line):
    shown = invoke(*words.split(), env={"COLUMNS": "80"})
    assert shown.exit_code == 0
    assert line in shown.stdout


def test_rulesets_cases_and_coverage_are_data():
    def data(words):
        return json.loads(invoke(*words.split(), "--json").stdout)

    assert data("rulesets show 1982")["choices"]["4.A.2"] == "1982"
    assert [each["name"] for each in data("rulesets list")["rulesets"]] == list(ruleset_names())
    assert [len(data(f"cases list{option}")["cases"]) for option in ("", " --select 6.C")] == [176, 9]
    coverage = data("cases coverage")
    assert {"id": "4.A.1", "choices": ["any-route", "all-routes"]} in coverage["issues"]
    assert coverage["gaps"] == []
    alone = data("cases coverage --suite datc-3.1")
    assert {"issue": "4.E.3", "one": "allowed", "other": "not-allowed"} in alone["gaps"]


def test_every_bridge_that_is_set_up_is_compared_and_a_broken_one_stops_no_other(tmp_path, monkeypatch):
    monkeypatch.setenv("DATC_CHECK_HOME", str(tmp_path))
    arguments = ["compare", "builtin", "--all-bridges", "--select", "6.A"]
    alone = invoke(*arguments)
    assert (alone.exit_code, "name two engines or stored runs at least" in alone.output) == (2, True)
    for bridge in (find_bridge("pydip"), find_bridge("pydip@0.1.7")):
        bridge.home.mkdir()
        bridge.mark_ready()  # But there is no program in it.
    done = invoke(*arguments, "builtin:guess")
    assert done.exit_code == 3
    assert "\n3  pydip\n4  pydip@0.1.7\n" in done.output
    assert "pydip@0.1.7 was not asked to the end: " in " ".join(done.output.split())  # A long path wraps the line.
    assert "  1 and 2  12 of 12\n" in done.output
