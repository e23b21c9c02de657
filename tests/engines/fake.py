"""A scripted engine that misbehaves in one way: `fake.py BEHAVIOUR [MARKER]`. Standard library only.

It answers every request as it must, all units holding, but for the one that its behaviour is about: `initialize` for
those in `AT_START`, a method that it does not know for those in `AT_UNKNOWN`, and for those in `AT_MARKER` a request
with an order whose text has the marker in it. The `state` of an answer names the orders that it answers and the process
that does.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn, TypeAlias

from speaking import MIB, NONSENSE, Message, Request, Saying, error, good, identity, raw  # pyright: ignore[reportImplicitRelativeImport]

Behaviour: TypeAlias = Callable[[Request], object]


def send(message: Message | bytes) -> None:
    line = message if isinstance(message, bytes) else json.dumps(message).encode()
    _ = sys.stdout.buffer.write(line + b"\n")
    _ = sys.stdout.buffer.flush()


def says(said: Saying) -> Behaviour:
    return lambda request: send(said(request))


def log(text: str) -> None:
    _ = sys.stderr.write(text)
    _ = sys.stderr.flush()


def goes_down(said: str) -> Behaviour:
    return lambda _request: log(said) or os._exit(3)


def hang(_request: Request | None = None) -> NoReturn:
    while True:
        time.sleep(60)


answered: list[Request] = []


def answer_the_last_again(request: Request) -> None:
    if answered:
        send(good(answered[-1]))
    send(good(request))


def warm_up(request: Request) -> None:
    """Take two seconds for the first of these requests."""
    if not answered:
        time.sleep(2)
    answered.append(request)
    send(good(request))


def log_each(request: Request) -> None:
    """Log what is asked, and go down at the third of these requests."""
    answered.append(request)
    log(f"request {len(answered)}\n")
    if len(answered) == 3:
        os._exit(3)
    send(good(request))


def answer_an_error_with_its_trace(request: Request) -> None:
    """Log as Java does, and say in the error what it is made of."""
    log("EngineException: no rule for Nessie\n\tat Board.resolve(Board.java:7)\n")
    send(error(request, -32000, "no rule for Nessie", data="caused by: no province LOC"))


def answer_three_in_reverse(request: Request) -> None:
    answered.append(request)
    if len(answered) == 3:
        for one in reversed(answered):
            send(good(one))


def flood(chunk: bytes, times: int) -> NoReturn:
    with contextlib.suppress(BrokenPipeError):  # Whose trace would be in the log.
        for _ in range(times):
            _ = sys.stdout.buffer.write(chunk)
        _ = sys.stdout.buffer.flush()
    hang()


def leave_a_child(*, session: bool = False) -> None:
    """Start a process that holds stdout for ever. It holds the pipe FAKE_PIPE too, which shows when it is gone."""
    pipe = os.open(os.environ["FAKE_PIPE"], os.O_WRONLY)
    _ = subprocess.Popen(["/bin/sleep", "1000"], pass_fds=[pipe], start_new_session=session)
    os.close(pipe)


def leave_a_daemon() -> None:
    """Leave an orphan in a session of its own that holds all pipes, and write our process id and its to FAKE_PIPE."""
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            _ = os.write(write, str(os.getpid()).encode())
            os.close(write)
            hang()
        os._exit(0)
    os.close(write)
    _ = os.wait()
    _ = Path(os.environ["FAKE_PIPE"]).write_text(f"{os.getpid()} {os.read(read, 100).decode()}", "ascii")


MAP = {
    "base": "standard",
    "impassable": ["Switzerland", "Andorra"],
    "provinces": {"WAL": {"name": "Cymru", "armies": "LON LVP"}, "YOR": {"armies": "EDI LON LVP"}},
    "neutral_centers": "BEL BUL DEN GRE HOL NWY POR RUM SER SPA SWE",
}
"""A map without an army's border between Wales and Yorkshire, and without a center in Tunis."""
AT_START: Mapping[str, Behaviour] = {
    "hangs-at-start": hang,
    "crashes-at-start": goes_down("the fake cannot find its board\n"),
    "greets-at-start": says(raw(b"Welcome to the fake engine!")),
    "cannot-at-start": says(lambda request: error(request, -32601, "no initialize")),
    "fails-at-start": says(lambda request: error(request, -32000, "no license")),
    "speaks-another-version": says(lambda request: good(request, result=identity(protocol=2))),
    "has-no-name": says(lambda request: good(request, result={"protocol": 1})),
    "answers-another-id-at-start": says(lambda request: good(request, id=1)),
    "never-reads": lambda request: send(good(request)) or hang(),
    "has-no-adjustment": says(
        lambda request: good(request, result=identity(capabilities={"phases": ["movement", "retreat"]}))
    ),
}
AT_UNKNOWN: Mapping[str, Behaviour] = {
    "answers-unknown-methods": says(lambda request: {"jsonrpc": "2.0", "id": request["id"], "result": {}}),
    "gives-a-map": says(
        lambda request: (
            {"jsonrpc": "2.0", "id": request["id"], "result": MAP}
            if request["method"] == "map"
            else error(request, -32601, "no such method")
        )
    ),
    "refuses-unknown-methods-in-its-own-way": says(lambda request: error(request, -32000, "pardon?")),
    "crashes-at-unknown-methods": goes_down("KeyError: 'datc-check/no-such-method'\n"),
}
AT_MARKER: Mapping[str, Behaviour] = {
    **{name: says(said) for name, said in NONSENSE.items()},
    "behaves": says(good),
    "warms-up": warm_up,
    "logs-each": log_each,
    "hangs": hang,
    "crashes": goes_down("reading the order\nthe fake goes down\n\n"),
    "crashes-in-colour": goes_down("\x1b[31mthe fake\x07 goes down\x1b[0m\u202e\n"),
    "crashes-with-a-long-line": goes_down("x" * MIB + "the end"),
    "is-killed": lambda _request: os.kill(os.getpid(), signal.SIGKILL),
    "answers-late": lambda request: time.sleep(2) or send(good(request)),
    "answers-twice": says(lambda request: b"\n".join([json.dumps(good(request)).encode()] * 2)),
    "answers-an-error-with-its-trace": answer_an_error_with_its_trace,
    "answers-the-last-again": answer_the_last_again,
    "answers-three-in-reverse": answer_three_in_reverse,
    "floods": lambda _request: flood(b"x" * MIB, 64),
    "floods-with-blank-lines": lambda _request: flood(b"\n" * MIB, 1000),
    "logs-much": lambda request: (
        log("a line of the log\n" * MIB + "the log is full\n" + "x" * MIB) or send(good(request))
    ),
    "leaves-a-child-and-hangs": lambda _request: leave_a_child() or hang(),
    "leaves-a-session-and-hangs": lambda _request: leave_a_child(session=True) or hang(),
    "leaves-a-child-and-crashes": lambda _request: leave_a_child() or os._exit(3),
    "leaves-a-child-and-answers": lambda request: leave_a_child() or send(good(request)),
    "leaves-a-daemon-and-crashes": lambda _request: leave_a_daemon() or os._exit(3),
    "leaves-a-daemon-and-answers": lambda request: leave_a_daemon() or send(good(request)),
    "leaves-a-daemon-and-hangs": lambda _request: leave_a_daemon() or hang(),
    "kills-its-guard": lambda _request: os.kill(os.getppid(), signal.SIGKILL) or hang(),
    "stops-its-guard": lambda request: os.kill(os.getppid(), signal.SIGSTOP) or send(good(request)),
}


def main(behaviour: str, marker: str = "A Nessie - Loch Ness") -> None:
    if behaviour not in {*AT_START, *AT_UNKNOWN, *AT_MARKER}:
        sys.exit(f"there is no behaviour {behaviour!r}")
    at_start = AT_START.get(behaviour, says(good))
    at_unknown = AT_UNKNOWN.get(behaviour, says(lambda request: error(request, -32601, "no such method")))
    # One that has gone through its misbehaviour at the start goes down when it is asked about the marker.
    at_marker = AT_MARKER.get(behaviour, goes_down("was asked\n"))
    for line in sys.stdin.buffer:
        request: Request = json.loads(line)
        if request["method"] == "initialize":
            _ = at_start(request)
        elif request["method"] != "adjudicate":
            _ = at_unknown(request)
        elif any(marker in order["text"] for order in request["params"]["orders"]):
            _ = at_marker(request)
        else:
            send(good(request))
            answered.append(request)


if __name__ == "__main__":
    main(*sys.argv[1:])
