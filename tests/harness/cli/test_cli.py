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
import xml.etree.ElementTree as ET
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import CliRunner

from datc.adapters.bridges import bridge_names, find_bridge
from datc.adapters.protocol import PROTOCOL_VERSION
from datc.cases import ruleset_names
from datc.harness.cli.group import cli
from datc.reference_engine.installation import is_compiled, package_version

from .running import COMMAND, call

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
    words = ["sh", "-c", f'exec "$@" {redirections}', "sh", COMMAND, *arguments]
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)


def test_without_arguments_it_asks_the_built_in_engine_every_case_and_says_that_it_is_a_demonstration(tmp_path):
    done = call(cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("A demonstration: the cases of DATC 3.2, asked of the engine that comes with")
    assert "176 cases: 176 passed" in done.stdout
    assert done.stdout.endswith("All 176 cases pass: compliant.\n")
    assert done.stderr == ""


def test_a_run_without_arguments_ignores_the_config(tmp_path):
    (tmp_path / "datc.toml").write_text("[run]\nengine = 'nowhere'", encoding="utf-8")
    assert call(cwd=tmp_path).returncode == 0
    assert call("run", cwd=tmp_path).returncode == 2


@pytest.mark.parametrize("name", ["run", "infer", "doctor", "watch"])
def test_no_engine_stands_in_for_one_that_is_not_named(tmp_path, name):
    done = call(name, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: no engine is named, and there is no datc.toml in this folder or above it.")
    assert "datc-check init" in done.stderr


def test_the_reports_hold_the_contract(tmp_path):
    reports = [f"--report={name}:{tmp_path / name}" for name in ("json", "junit", "html")]
    assert call("run", "builtin", "-q", *reports, cwd=tmp_path).returncode == 0
    report = json.loads((tmp_path / "json").read_text(encoding="utf-8"))
    assert report["format"] == 1
    assert (report["complete"], report["compliant"]) == (True, True)
    assert report["summary"] == {
        "passed": 176, "deviated": 0, "failed": 0, "declared": 0, "unsupported": 0, "error": 0, "not-run": 0,
    }  # fmt: skip
    case = next(case for case in report["cases"] if case["id"] == "6.F.9")
    assert {"id", "suite", "verdict", "choices", "seconds", "expected", "answer"} <= case.keys()
    assert case["choices"] == {"4.A.1": ["all-routes"], "4.A.6": ["ignored", "allowed"]}
    assert {"power": "ENGLAND", "type": "A", "location": "BEL"} in case["expected"]["units"]
    assert case["expected"]["units"] == case["answer"]["units"]
    assert len(ET.parse(tmp_path / "junit").getroot().findall(".//testcase")) == 176
    assert "6.J.11" in (tmp_path / "html").read_text(encoding="utf-8")


def test_another_ruleset_shows_deviations_and_exits_1(tmp_path):
    command = ("run", f"exec:{COMMAND} engine --choice 4.B.4=ignored --fixed", "--select", "6.B")
    done = call(*command, cwd=tmp_path)
    assert done.returncode == 1
    assert "6.B.9 Supporting with wrong coast: deviated" in done.stdout
    assert "right under 4.B.4 = ignored" in done.stdout
    assert "Not compliant with datc-3.2: 18 passed, 1 deviated." in done.stdout
    assert call(*command, "--choice", "4.B.4=ignored", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "shows_usage"),
    [
        (["run", "--nothing"], True),
        (["rnu"], True),
        (["compare", "builtin"], True),
        (["run", "nowhere"], False),
        (["run", "builtin", "--select", "6.Z"], False),
        (["cases", "show", "6.Z"], False),
        (["serve", "--host", "nowhere.invalid"], False),
        (["engines", "setup", "nothing"], False),
    ],
)
def test_the_usage_is_shown_for_wrongly_written_commands_alone(tmp_path, arguments, shows_usage):
    (tmp_path / "datc.toml").write_text("[engine.nothing]\ncommand = ['x']", encoding="utf-8")
    done = call(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: " if shows_usage else "Error: ")


def test_an_engine_that_is_not_there_exits_3_and_the_report_says_so(tmp_path):
    done = call("run", "exec:./nowhere", "--report", f"json:{tmp_path / 'report.json'}", cwd=tmp_path)
    assert done.returncode == 3
    assert "cannot be started" in " ".join(done.stdout.split())
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert (report["complete"], report["compliant"]) == (False, False)
    assert report["summary"]["not-run"] == 176


@pytest.mark.parametrize(
    "command", ["doctor", "preferences", "next", "hunt", "infer", "shadow --engine=exec:./nowhere --engine"]
)
def test_where_there_is_no_report_the_error_says_that_the_engine_is_not_there(tmp_path, command):
    done = call(*command.split(), "exec:./nowhere", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("Error: ")
    assert "cannot be started" in " ".join(done.stderr.split())


@pytest.mark.parametrize("declared", ["6.B.33", "6.K.*"])
def test_a_declared_deviation_must_name_a_case(tmp_path, declared):
    (tmp_path / "datc.toml").write_text(f'[deviations]\n"{declared}" = "why"', encoding="utf-8")
    done = call("run", "builtin", cwd=tmp_path)
    assert done.returncode == 2
    assert f"{declared!r}, which is in no suite" in " ".join(done.stderr.split())


def test_a_declared_deviation_may_be_a_pattern(tmp_path):
    (tmp_path / "datc.toml").write_text(
        '[deviations]\n"6.G.*" = "why"\n"6.G.4" = "first"\n"6.G.3" = "old"', encoding="utf-8"
    )
    engine = f"exec:{COMMAND} engine --mutant swap-by-land"
    done = call("run", engine, "--select", "6.G", "--no-experiments", "--json", cwd=tmp_path)
    cases = json.loads(done.stdout)["cases"]
    reasons = {case["id"]: case["reason"] for case in cases if case["verdict"] == "declared"}
    assert reasons == {"6.G.2": "why", "6.G.4": "first", "6.G.7": "why", "6.G.19": "why"}
    assert [case["id"] for case in cases if any("but passes" in note for note in case["notes"])] == ["6.G.3"]


def has_ended(pid):
    """Whether a process is gone, or dead and waiting for somebody to take note of it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_a_deviation_of_another_suite_is_no_mistake(tmp_path):
    (tmp_path / "datc.toml").write_text('[deviations]\n"6.B.3" = "why"', encoding="utf-8")
    assert call("run", "builtin", "--suite", "extended", cwd=tmp_path).returncode == 0


def hanging(tmp_path, command, *options, hangs=HANGS):
    """Start a command with an engine that hangs; return the process, and that of the engine once it is asked."""
    (tmp_path / "engine.py").write_text(hangs, encoding="utf-8")
    asked = tmp_path / "asked"
    os.mkfifo(asked)
    words = [COMMAND, command, f"exec:{sys.executable} {tmp_path / 'engine.py'}", "--timeout=600", *options]
    surroundings = {**os.environ, "ASKED": str(asked)}
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=surroundings)
    return process, int(asked.read_text(encoding="ascii"))


def test_interrupted_it_writes_what_it_has_and_ends_the_engine(tmp_path):
    report = tmp_path / "report.json"
    process, engine = hanging(tmp_path, "run", f"--report=json:{report}")
    process.send_signal(signal.SIGINT)
    output = process.communicate(timeout=60)
    assert process.returncode == 130, output
    found = json.loads(report.read_text(encoding="utf-8"))
    assert (found["complete"], found["incomplete_reason"]) == (False, "interrupted")
    assert has_ended(engine)


@pytest.mark.parametrize("command", ["run", "infer", "hunt", "preferences"])
@pytest.mark.parametrize(
    ("signals", "code"), [([signal.SIGINT], 130), ([signal.SIGTERM], 143), ([signal.SIGINT, signal.SIGINT], 130)]
)
def test_a_signal_ends_the_engine_and_the_exit_code_tells_it(tmp_path, command, signals, code):
    process, engine = hanging(tmp_path, command, hangs=HANGS.replace("sys.stdin.read()", "os.close(0); signal.pause()"))
    for number in signals:
        process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            _ = process.wait(0.5)  # The engine does not end by itself, so it is being waited for when the next comes.
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, b"Traceback" in errors) == (code, False), errors
    assert has_ended(engine)


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
    process = subprocess.Popen([COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path)
    assert process.stdout is not None
    assert process.stderr is not None
    _ = process.stdout.readline()
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    _ = process.wait(timeout=60)
    assert b"Error" not in said
    assert b"Traceback" not in said


def test_the_help_of_every_command_has_examples_and_fits_80_columns():
    def helps(command, *path):
        yield path
        for name in getattr(command, "commands", {}):
            yield from helps(command.commands[name], *path, name)

    context = cli.make_context("datc-check", [], resilient_parsing=True)
    names = cli.list_commands(context)
    assert {"run", "report", "infer", "preferences", "compare", "init", "cases", "engines", "serve"} <= set(names)
    for path in [(), *(path for name in names for path in helps(cli.get_command(context, name), name))]:
        shown = CliRunner(env={"COLUMNS": "80"}).invoke(cli, [*path, "--help"], prog_name="datc-check")
        assert shown.exit_code == 0
        examples = re.findall(r"^  (?:echo .* \| )?datc-check .*", shown.stdout, re.MULTILINE)
        assert examples, f"{path}: its examples stand on lines of their own"
        assert "\\b" not in shown.stdout
        assert all(len(line) <= 80 for line in shown.stdout.splitlines()), path


def test_the_version_says_what_a_bug_report_needs(tmp_path):
    alone = call("--version", cwd=tmp_path).stdout
    shown = call("--version", "-v", cwd=tmp_path).stdout
    assert shown.startswith(alone)
    lines = shown.splitlines()
    assert lines[0] == f"datc-check {package_version()}"
    text = " ".join(" ".join(lines).split())
    assert f"Python {platform.python_version()}" in text
    assert f"msgspec {version('msgspec')}" in text
    compiled = "compiled" if is_compiled() else "in plain Python"
    assert lines[2] == f"engine protocol {PROTOCOL_VERSION}, reference engine {compiled}"
    assert "hypothesis" not in text, "what only the tests need"
    assert "no terminal, 80 columns, colours none" in text
    assert re.search(rf"bridges: .* set up, of {len(bridge_names())}, in /", text)


def on_a_terminal(tmp_path, *arguments, columns=80, **environment):
    """Run a command as on a terminal of that width, and give all that it shows."""
    ours, theirs = pty.openpty()
    _ = fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    usual = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    process = subprocess.Popen(
        [COMMAND, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=tmp_path,
        env={**usual, "TERM": "xterm-256color", **environment},
    )
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
    piped = call(*arguments, cwd=tmp_path)
    assert "\x1b" not in piped.stdout
    assert piped.stderr == ""


@pytest.mark.parametrize("columns", [50, 80, 100])
def test_lines_are_as_wide_as_the_terminal(tmp_path, columns):
    lines = on_a_terminal(tmp_path, "rulesets", "show", "1982", columns=columns).splitlines()
    assert columns - 15 < max(map(len, lines)) <= columns


@pytest.mark.parametrize("command", [(), ("run",), ("cases",), ("cases", "list")])
def test_the_stored_help_is_that_of_the_command(tmp_path, command):
    """A second `--help` changes nothing but that it is made anew."""
    made = call(*command, "--help", "--help", cwd=tmp_path).stdout
    assert made.startswith("Usage: ")
    assert call(*command, "--help", cwd=tmp_path).stdout == made, "run: python docs/generate/commands.py"
    assert call(*command, "-h", cwd=tmp_path).stdout == made


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
    environment = {**os.environ, "COLUMNS": "80"}
    _ = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, timeout=60, env=environment)


def test_rulesets_are_listed_shown_and_compared(tmp_path):
    assert [line.split()[0] for line in call("rulesets", cwd=tmp_path).stdout.splitlines()] == list(ruleset_names())
    shown = call("rulesets", "show", "1982", cwd=tmp_path)
    assert "4.A.2 Convoy disruption paradoxes: 1982\n" in shown.stdout
    assert all(len(line) <= 80 for line in shown.stdout.splitlines())
    data = json.loads(call("rulesets", "show", "1982", "--json", cwd=tmp_path).stdout)
    assert data.keys() == {"name", "choices"}
    assert data["choices"]["4.A.2"] == "1982"
    assert "alike" in call("rulesets", "diff", "1971", "1971", cwd=tmp_path).stdout


def test_coverage_is_shown(tmp_path):
    data = json.loads(call("cases", "coverage", "--json", cwd=tmp_path).stdout)
    assert {"id": "4.A.1", "choices": ["any-route", "all-routes"]} in data["issues"]
    assert data["gaps"] == []
    alone = json.loads(call("cases", "coverage", "--json", "--suite", "datc-3.1", cwd=tmp_path).stdout)
    assert {"issue": "4.E.3", "one": "allowed", "other": "not-allowed"} in alone["gaps"]
    assert "4.A.1      1 of 1 pairs distinguished" in call("cases", "coverage", cwd=tmp_path).stdout


def test_cases_are_listed_shown_and_checked(tmp_path):
    assert len(call("cases", cwd=tmp_path).stdout.splitlines()) == 176
    assert len(call("cases", "list", "--select", "6.C", cwd=tmp_path).stdout.splitlines()) == 9
    long_ids = call("cases", "list", "--suite", "dptg", "--select", "DPTG.XIII", cwd=tmp_path).stdout
    assert long_ids.splitlines()[1] == "DPTG.XIII.b  A removal"
    sets = call("cases", "show", "4.D.1-four-sets", "--suite", "extended", cwd=tmp_path).stdout
    assert "A Warsaw - Galicia  (set 2, which replaces earlier ones)" in sets
    proxy = call("cases", "show", "4.E.5-announced", "--suite", "extended", cwd=tmp_path).stdout
    assert "(beforehand)" in proxy
    dutchman = call("cases", "show", "4.E.6-identified", "--suite", "extended", cwd=tmp_path).stdout
    assert "has a unit too many, in " in dutchman
    field = call("cases", "show", "FIELD.battles.bulgaria", "--suite", "field", cwd=tmp_path).stdout
    assert "Source: https://github.com/taparkins/pydip/issues/5\n" in field
    assert "datc-3.2: 176 cases, nothing wrong" in call("cases", "check", cwd=tmp_path).stdout.splitlines()


@pytest.mark.parametrize(
    "arguments", [("run", "builtin", "--select=6.A.1"), ("cases", "list"), ("rulesets", "list"), ("engines", "list")]
)
def test_every_command_that_finds_something_says_it_as_json(tmp_path, arguments):
    done = call(*arguments, "--json", cwd=tmp_path)
    assert done.returncode == 0
    assert json.loads(done.stdout)


def test_a_broken_suite_exits_1_with_the_place(tmp_path):
    (tmp_path / "suite.toml").write_text('name = "mine"\ntitle = "Mine"', encoding="utf-8")
    case = 'section = "1"\ntitle = "One"\n[[case]]\nid = "1.1"\ntitle = "x"'
    (tmp_path / "1.toml").write_text(case, encoding="utf-8")
    done = call("cases", "check", str(tmp_path), cwd=tmp_path)
    assert done.returncode == 1
    assert "1.toml, 1.1, expect: nothing is expected" in done.stdout


def test_every_bridge_that_is_set_up_is_compared_and_a_broken_one_stops_no_other(tmp_path, monkeypatch):
    monkeypatch.setenv("DATC_CHECK_HOME", str(tmp_path))
    arguments = ["compare", "builtin", "--all-bridges", "--select", "6.A"]
    alone = CliRunner().invoke(cli, arguments)
    assert (alone.exit_code, "name two engines or stored runs at least" in alone.output) == (2, True)
    for bridge in (find_bridge("pydip"), find_bridge("pydip@0.1.7")):
        bridge.home.mkdir()
        bridge.mark_ready()  # But there is no program in it.
    done = CliRunner().invoke(cli, [*arguments, "builtin:guess"])
    assert done.exit_code == 3
    assert "\n3  pydip\n4  pydip@0.1.7\n" in done.output
    assert "pydip@0.1.7 was not asked to the end: " in " ".join(done.output.split())  # A long path wraps the line.
    assert "  1 and 2  12 of 12\n" in done.output
