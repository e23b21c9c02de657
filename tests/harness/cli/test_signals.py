"""Long commands at two Ctrl-C, or at SIGTERM, while an engine answers slowly: each ends, with what it found."""

import signal
import socket
import subprocess
import sys

import pytest

from ...adapters.fakes import DEADLINE
from ..search.games import many, write
from .running import COMMAND

pytestmark = pytest.mark.attack

SLOW = """
import json, socket, sys, time
from datc.adapters.builtin import respond
for number, line in enumerate(sys.stdin.buffer):
    if number > int(sys.argv[2]):
        telling = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        time.sleep(1000)
    print(respond(line).decode(), flush=True)
"""
"""An engine that connects to a port, and is silent, when it was asked so often."""
SUITES = 300
"""More questions than a hunt asks before it begins."""
COMMANDS = {
    "doctor": ("doctor ENGINE", 3),
    "compare": ("compare ENGINE builtin", 3),
    "explain": ("explain 6.A.1 ENGINE", 0),
    "check": ("engines check ENGINE", 3),
    "infer": ("infer ENGINE", 3),
    "preferences": ("preferences ENGINE", 3),
    "next": ("next ENGINE", 3),
    "hunt, several": ("hunt ENGINE --no-experiments --store found --processes 2", SUITES),
    "hunt, cluster": ("hunt ENGINE --no-experiments --store found --dask CLUSTER", SUITES),
    "replay": ("replay GAMES --engine ENGINE --store found", 3),
    "replay, several": ("replay GAMES --engine ENGINE --store found --processes 2", 3),
}
"""What is run, and how many requests the engine answers before."""
FOUND = {
    "doctor": "cases asked",
    "compare": "was not asked to the end: interrupted",
    "check": "Not checked to the end: interrupted",
    "infer": "Interrupted: this is from what was asked until then.",
    "preferences": "not every case was asked",
    "hunt": "Interrupted: this is what was found until then.",
    "replay": "Interrupted: this is what was found until then.",
}


@pytest.mark.promise("Every command ends")
@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        *((name, [signal.SIGTERM]) for name in COMMANDS),
        ("hunt, several", [signal.SIGINT, signal.SIGINT]),
    ],
)
def test_a_command_ends_although_an_engine_answers_slowly(tmp_path, request, name, numbers):
    text, answered = COMMANDS[name]
    _ = (tmp_path / "slow.py").write_text(SLOW)
    games = write(tmp_path / "games.jsonl", many(500))
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(DEADLINE)
        places = {"ENGINE": f"exec:{sys.executable} {tmp_path / 'slow.py'} {server.getsockname()[1]} {answered}"}
        places["GAMES"] = str(games)
        if "CLUSTER" in text:
            places["CLUSTER"] = request.getfixturevalue("cluster").scheduler_address
        words = [places.get(word, word) for word in text.split()]
        command = [COMMAND, *words, "--timeout", "1000"]
        process = subprocess.Popen(command, cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        with process:
            try:
                with server.accept()[0]:
                    for number in numbers:
                        process.send_signal(number)
                    said, _ = process.communicate(timeout=DEADLINE)
            finally:
                process.kill()
    assert process.returncode == (143 if numbers == [signal.SIGTERM] else 130), said
    assert "Traceback" not in said
    assert len(numbers) > 1 or FOUND.get(name.partition(",")[0], "") in said
