"""`datc-check` as a process of its own."""

import contextlib
import http.client
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from datc.harness.cli.group import cli

COMMAND = str(Path(sys.executable).with_name("datc-check"))
ENGINE = f"exec:{COMMAND} engine"


def call(*arguments, cwd, text=None, **environment):
    """Run a command in this process, but in a folder, and as where output is 80 columns wide."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(cwd)
        done = invoke(*arguments, input=text, env={"COLUMNS": "80", "NO_COLOR": "1", **environment})
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)


def spawn(*arguments, cwd, **environment):
    """Run a command to its end as a process of its own, for what only that shows."""
    surroundings = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", **environment}
    return subprocess.run(
        [COMMAND, *arguments], cwd=cwd, env=surroundings, capture_output=True, text=True, timeout=120, check=False
    )


def invoke(*arguments, **options):
    """Run a command in this process; an exception that it does not handle is one of the test."""
    return CliRunner().invoke(cli, [*map(str, arguments)], prog_name="datc-check", catch_exceptions=False, **options)


def do_once(monkeypatch, module, experiments):
    """Let a command that is called again for the same have the experiments of before: they take most of its time."""
    do, done = getattr(module, experiments), []

    def first(answers, cases, rules, engine, *seed, **options):
        asked = cases, rules, seed, options
        if not done:
            done.append((asked, do(answers, cases, rules, engine, *seed, **options)))
        before, found = done[0]
        assert asked == before, "it is another question"
        return found

    monkeypatch.setattr(module, experiments, first)


def words(text):
    """The words of a text, however wide the terminal is."""
    return " ".join(text.split())


def serving(*arguments, cwd=None):
    """Start a server on a free port; return the process and the URL that it prints."""
    process = subprocess.Popen(
        [COMMAND, *arguments, "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"},
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def connected(url):
    """Keep a connection to a server, and close it at the end."""
    return contextlib.closing(http.client.HTTPConnection(url.partition("//")[2], timeout=60))


def ask(connection, path, body=None, method="POST", **headers):
    """Send JSON, or bytes as they are; return the status and what the answer says."""
    sent = body if body is None or not isinstance(body, dict) else json.dumps(body)
    connection.request(method, path, sent, {"Content-Type": "application/json", **headers})
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def engine_of(folder, expression):
    """Write an engine that answers each request, `asked`, with the fields that an expression in Python gives."""
    file = folder / "engine.py"
    file.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    starts = asked['method'] == 'initialize'\n"
        f"    print(json.dumps({{'jsonrpc': '2.0', 'id': asked['id'], **{expression}}}), flush=True)\n",
        encoding="utf-8",
    )
    return f"exec:{sys.executable} {file}"
