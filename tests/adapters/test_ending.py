"""What an engine starts ends with it, on every system: a child holds a connection, which shows when it is gone."""

import json
import socket
import subprocess
import sys

import pytest

from datc.adapters.process import ProcessEngine

from .fakes import DEADLINE, PATIENT

CHILD = "import socket, sys, time; s = socket.create_connection(('127.0.0.1', int(sys.argv[1]))); time.sleep(1000)"
ENGINE = f"""
import json, subprocess, sys, time
quiet = subprocess.DEVNULL
subprocess.Popen([sys.executable, "-c", {CHILD!r}, sys.argv[1]], stdin=quiet, stdout=quiet, stderr=quiet)
request = json.loads(sys.stdin.readline())
result = {{"protocol": 1, "engine": {{"name": "parent", "version": "1"}}}}
print(json.dumps({{"jsonrpc": "2.0", "id": request["id"], "result": result}}), flush=True)
if "reads" in sys.argv:
    sys.stdin.read()
time.sleep(1000)
"""
HARNESS = """
import json, sys, time
from datc.adapters.process import ProcessEngine
if __name__ == "__main__":
    ProcessEngine(json.loads(sys.argv[1])).start()
    time.sleep(1000)
"""


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(DEADLINE)
        yield server


def is_closed_by_its_end(connection: socket.socket) -> bool:
    connection.settimeout(DEADLINE)
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:  # So Windows closes those of a process that is killed.
        return True


def command(listener: socket.socket, *words: str) -> list[str]:
    return [sys.executable, "-c", ENGINE, str(listener.getsockname()[1]), *words]


@pytest.mark.parametrize("words", [(), ("reads",)])
def test_a_child_ends_with_an_engine_that_is_closed(listener, words):
    engine = ProcessEngine(command(listener, *words), PATIENT)
    _ = engine.start()
    connection, _ = listener.accept()
    with connection:
        engine.close()
        assert is_closed_by_its_end(connection)


def test_a_child_ends_with_a_harness_that_is_killed(listener):
    with subprocess.Popen([sys.executable, "-c", HARNESS, json.dumps(command(listener))]) as harness:
        connection, _ = listener.accept()
        with connection:
            harness.kill()
            assert is_closed_by_its_end(connection)
