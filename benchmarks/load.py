"""Opens connections that only occupy `serve` and `shadow`, and measures how long a client that asks something waits.

    python benchmarks/load.py [CONNECTIONS]

Each line has servers of its own with that many connections of one kind, 200 unless said, while a client sends one
request after the other, each over a new connection. "Hard" ones are four clients that ask without a pause what takes
the reference engine the longest. Exits with 1 where a request was not answered.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import final

REQUESTS = 100
PATIENCE = 60.0
"""Seconds that the client waits for an answer."""
COMMAND = str(Path(sys.executable).with_name("datc-check"))
ENGINE = f"exec:{COMMAND} engine"
SERVERS: Mapping[str, Sequence[str]] = {
    "engine --http": ("engine", "--http"),
    "shadow": ("shadow", ENGINE, ENGINE),
}
HEADERS = {"Content-Type": "application/json"}
LONDON = {"power": "ENGLAND", "type": "A", "location": "LON"}
MOVE = {"power": "ENGLAND", "text": "A London - Wales"}
FLEETS = [{"power": "ENGLAND", "type": "F", "location": name} for name in ("NWG", "NTH", "ENG", "IRI")]
HARD = {
    "phase": "movement",
    "ruleset": {"choices": {"4.E.2": "set-matching"}},
    "units": [LONDON, *FLEETS],
    "orders": [
        *([{"power": "ENGLAND", "text": "F NWG - Nort"}] * 12),  # Each could mean two seas: 4,096 combinations.
        *([{"power": "ENGLAND", "text": "F NTH S F NWG - NAO"}] * 488),
    ],
}


def request(params: object) -> bytes:
    """Return an `adjudicate` request."""
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "adjudicate", "params": params}).encode()


EASY_BODY = request({"phase": "movement", "units": [LONDON], "orders": [MOVE]})
HARD_BODY = request(HARD)


@final
class Occupied:
    """Connections that occupy a server until it is closed."""

    def __init__(self, port: int, count: int) -> None:
        self.port = port
        self.count = count
        self.ended = threading.Event()
        self._sockets: list[socket.socket] = []
        self._threads: list[threading.Thread] = []

    def send(self, text: str, *, answers: bool = False) -> None:
        """Open the connections and write the same on each; wait for the answers if there are any."""
        data = text.replace("\n", "\r\n").replace("HOST", f"127.0.0.1:{self.port}").encode()
        for _ in range(self.count):
            opened = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
            self._sockets.append(opened)
            opened.sendall(data)
            if answers:
                _ = opened.recv(1 << 16)

    def drip(self) -> None:
        """Send a byte a second on each connection."""
        while not self.ended.wait(1):
            for each in self._sockets:
                with contextlib.suppress(OSError):
                    _ = each.send(b"x")

    def ask(self, body: bytes) -> None:
        """Ask one request after the other, over a connection that is kept alive."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(connection):
            while not self.ended.is_set():
                connection.request("POST", "/", body, HEADERS)
                _ = connection.getresponse().read()

    def start(self, *functions: Callable[[], None]) -> None:
        """Let functions run in threads of their own."""
        for function in functions:
            self._threads.append(threading.Thread(target=function))
            self._threads[-1].start()

    def close(self) -> None:
        """End it all."""
        self.ended.set()
        for thread in self._threads:
            thread.join()
        for each in self._sockets:
            each.close()


def drip(occupied: Occupied) -> None:
    """Send requests a byte at a time."""
    occupied.send("POST / HTTP/1.1\nHost: HOST\nX: ")
    occupied.start(occupied.drip)


KINDS: Mapping[str, Callable[[Occupied], None]] = {
    "nothing else": lambda _occupied: None,
    "idle": lambda occupied: occupied.send(""),
    "half a head": lambda occupied: occupied.send("POST / HTTP/1.1\nHost: HOST\n"),
    "half a body": lambda occupied: occupied.send("POST / HTTP/1.1\nHost: HOST\nContent-Length: 1000\n\n{"),
    "a byte a second": drip,
    "kept alive": lambda occupied: occupied.send("GET /health HTTP/1.1\nHost: HOST\n\n", answers=True),
    "not reading": lambda occupied: occupied.send("GET /health HTTP/1.1\nHost: HOST\n\n" * 8),
    "hard ones": lambda occupied: occupied.start(*([lambda: occupied.ask(HARD_BODY)] * 4)),
}


@contextlib.contextmanager
def running(arguments: Sequence[str]) -> Generator[int]:
    """Run a server, and give its port."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [COMMAND, *arguments, "--port", "0"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert process.stdout is not None
        url = process.stdout.readline().decode().strip()
        try:
            yield int(url.rpartition(":")[2])
        finally:
            process.terminate()
            _ = process.communicate()


def waits(port: int) -> Sequence[float]:
    """Ask requests, each over a new connection; return the seconds that each answer took, those that came."""
    taken: list[float] = []
    for _ in range(REQUESTS):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        started = time.perf_counter()
        with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(connection):
            connection.request("POST", "/", EASY_BODY, HEADERS)
            response = connection.getresponse()
            if response.status == 200 and "result" in json.loads(response.read()):
                taken.append(time.perf_counter() - started)
    return taken


def measured(server: str, occupy: Callable[[Occupied], None], count: int) -> Sequence[float]:
    """Return how long the client waited for its answers from a server that others occupy."""
    with running(SERVERS[server]) as port:
        occupied = Occupied(port, count)
        try:
            occupy(occupied)
            return waits(port)
        finally:
            occupied.close()


def shown(taken: Sequence[float]) -> str:
    """Return the columns of a server."""
    median, worst = (statistics.median(taken), max(taken)) if taken else (PATIENCE, PATIENCE)
    return f"{len(taken)} of {REQUESTS} | {median * 1000:.0f} ms | {worst * 1000:.0f} ms"


def main() -> None:
    """Print the table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    titles = [f"`{server}` answered | median | worst" for server in SERVERS]
    print(f"| {count} connections", *titles, sep=" | ", end=" |\n")
    print("|---" * (1 + 3 * len(SERVERS)) + "|")
    complete = True
    for kind, occupy in KINDS.items():
        by_server = [measured(server, occupy, count) for server in SERVERS]
        complete = complete and all(len(taken) == REQUESTS for taken in by_server)
        print(f"| {kind}", *map(shown, by_server), sep=" | ", end=" |\n", flush=True)
    sys.exit(not complete)


if __name__ == "__main__":
    main()
