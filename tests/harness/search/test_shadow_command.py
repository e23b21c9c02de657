"""`datc-check shadow` as a process of its own, before engines that behave and engines that do not."""

from __future__ import annotations

import doctest
import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from ...adapters.fakes import FAKE, MARKER, ask
from ...conftest import ROOT
from ...test_docs import BLOCK
from .shadowed import VIA

COMMAND = str(Path(sys.executable).with_name("datc-check"))
ENGINE = f"exec:{COMMAND} engine"
WALKS = f"{ENGINE} --choice 4.A.3=2000-fallback-unordered --fixed"


def fake(behaviour: str) -> str:
    return f"exec:{sys.executable} -S {FAKE} {behaviour}"


class Running:
    """A shadow that runs until it is told to end."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [COMMAND, "shadow", "--port", "0", *arguments],
            cwd=folder,
            env={**os.environ, "COLUMNS": "80"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        assert self.url.startswith("http://127.0.0.1:"), self.process.communicate(timeout=60)
        self._connection = http.client.HTTPConnection(self.url.partition("//")[2], timeout=60)

    def ask(self, method: str, path: str, body: bytes | None = None) -> bytes:
        self._connection.request(method, path, body, {"Content-Type": "application/json"})
        return self._connection.getresponse().read()

    def adjudicate(self, params: object) -> Any:
        body = {"jsonrpc": "2.0", "id": "x", "method": "adjudicate", "params": params}
        return json.loads(self.ask("POST", "/", msgspec.json.encode(body)))

    def health(self) -> Any:
        return json.loads(self.ask("GET", "/health"))

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
        self._connection.close()
        self.process.send_signal(number)
        output, said = self.process.communicate(timeout=60)
        return self.process.returncode, " ".join(output.split()), said


def both(first: str, second: str) -> Sequence[str]:
    return "--engine", first, "--engine", second


def test_answers_pass_through_byte_for_byte_and_health_counts(tmp_path: Path) -> None:
    running = Running(tmp_path, *both(fake("error-of-its-own"), "builtin"))
    assert running.adjudicate(ask())["error"] == {"code": -32000, "message": "the board is on fire"}
    answer = running.adjudicate(ask("A London H"))
    assert answer["id"] == "x"
    assert answer["result"]["state"]["orders"] == ["A London H"]
    health = running.health()
    assert (health["status"], health["engine"]) == ("ok", "fake 1.0")
    assert health["shadow"].keys() >= {"asked", "different", "failed", "dropped", "errors", "waiting"}
    assert json.loads(running.ask("GET", "/elsewhere"))["status"] == 404
    code, output, _ = running.end(signal.SIGINT)
    assert (code, output) == (130, "1 compared: 0 different, 0 without an answer")


def test_a_second_engine_that_is_not_there_is_said_and_the_first_one_answers(tmp_path: Path) -> None:
    running = Running(tmp_path, *both("builtin", "exec:/nowhere/engine"))
    assert running.adjudicate(VIA)["result"]["units"]
    code, output, said = running.end()
    assert (code, output) == (143, "0 compared: 0 different, 0 without an answer, 1 errors")
    assert said.startswith("Not compared: '/nowhere/engine' cannot be started:")


def test_a_second_engine_that_hangs_does_not_keep_it_from_ending(tmp_path: Path) -> None:
    running = Running(tmp_path, *both(fake("behaves"), fake("hangs")), "--timeout", "600")
    assert running.adjudicate(ask(MARKER))["result"]["units"]
    code, output, _ = running.end()
    assert (code, output) == (143, "0 compared: 0 different, 0 without an answer, 1 not asked")
    assert (tmp_path / "shadow.jsonl").read_bytes() == b""


def test_the_document_shows_what_can_be_done(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(COMMAND).parent}{os.pathsep}{os.environ['PATH']}")
    text = (ROOT / "docs" / "shadow.md").read_text(encoding="utf-8")
    found = [match.groupdict() for match in BLOCK.finditer(text)]
    shadow, after = (block["text"] for block in found if block["kind"] == "sh")
    (session,) = (block["text"] for block in found if block["kind"] == "python")
    example = doctest.DocTestParser().get_doctest(session, {}, "shadow", "docs/shadow.md", 0)
    assert doctest.DocTestRunner().run(example).failed == 0
    _ = (tmp_path / "datc.toml").write_text(
        "[engine.mine]\ncommand = ['datc-check', 'engine']\n"
        "[engine.my-next]\ncommand = ['datc-check', 'engine', '--fault', 'own-support-dislodges']\n",
        encoding="utf-8",
    )
    program, name, *arguments = shadow.split()
    assert (program, name) == ("datc-check", "shadow")
    assert Running(tmp_path, *arguments).end()[0] == 143
    explained, hunted = (
        subprocess.run(line, shell=True, capture_output=True, text=True, timeout=300, check=False)
        for line in after.splitlines()
    )
    assert (explained.returncode, explained.stderr) == (1, "")
    assert "single and together, gives its answer: it is probably a bug." in " ".join(explained.stdout.split())
    assert (hunted.returncode, hunted.stderr) == (1, "Wrote hunt.html\n")
    assert "1 cause\n" in hunted.stdout
    assert (tmp_path / "hunt.html").exists()
