"""A scripted engine that misbehaves in one way: `fake.py BEHAVIOUR [MARKER]`. Standard library only.

It answers every request as it must, all units holding, but for the one that its behaviour is about: `initialize` for
those in `AT_START`, a method that it does not know for those in `AT_UNKNOWN`, and for those in `AT_MARKER` a request
with an order whose text has the marker in it. The `state` of an answer names the orders that it answers and the process
that does.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from speaking import MIB, NONSENSE, Behaviour, Request, error, good, identity, says, says_raw, send, write  # pyright: ignore[reportImplicitRelativeImport]

WITHOUT_ADJUSTMENT = {"phases": ["movement", "retreat"]}


def log(text: str) -> None:
    _ = sys.stderr.write(text)
    _ = sys.stderr.flush()


def goes_down(said: str, code: int = 3) -> Behaviour:
    def behave(_request: Request) -> NoReturn:
        log(said)
        os._exit(code)

    return behave


def hang(_request: Request | None = None) -> NoReturn:
    while True:
        time.sleep(60)


def answer_late(request: Request) -> None:
    time.sleep(2)
    send(good(request))


asked_before: list[Request] = []
collected: list[Request] = []


def warm_up(request: Request) -> None:
    """Take two seconds for the first of these requests."""
    if not collected:
        time.sleep(2)
    collected.append(request)
    send(good(request))


def log_each(request: Request) -> None:
    """Log what is asked, and go down at the third of these requests."""
    collected.append(request)
    log(f"request {len(collected)}\n")
    if len(collected) == 3:
        os._exit(3)
    send(good(request))


def answer_an_error_with_its_trace(request: Request) -> None:
    """Log as Java does, and say in the error what it is made of."""
    log("EngineException: no rule for Nessie\n\tat Board.resolve(Board.java:7)\n")
    send(error(request, -32000, "no rule for Nessie", data="caused by: no province LOC"))


def answer_twice(request: Request) -> None:
    line = json.dumps(good(request)).encode()
    write(line + b"\n" + line)


def answer_the_last_again(request: Request) -> None:
    if asked_before:
        send(good(asked_before[-1]))
    send(good(request))


def answer_three_in_reverse(request: Request) -> None:
    collected.append(request)
    if len(collected) == 3:
        for one in reversed(collected):
            send(good(one))
        collected.clear()


def flood(chunk: bytes, times: int) -> Behaviour:
    def behave(_request: Request) -> NoReturn:
        for _ in range(times):
            _ = sys.stdout.buffer.write(chunk)
        _ = sys.stdout.buffer.flush()
        hang()

    return behave


def log_much(request: Request) -> None:
    log("a line of the log\n" * (10 * MIB // 18) + "the log is full\n" + "x" * MIB)
    send(good(request))


def stop_reading(request: Request) -> NoReturn:
    send(good(request))
    hang()


def leave_a_child(go_on: Behaviour) -> Behaviour:
    """Start a process that holds stdout for ever. It holds the pipe FAKE_PIPE too, which shows when it is gone."""

    def behave(request: Request) -> None:
        pipe = os.open(os.environ["FAKE_PIPE"], os.O_WRONLY)
        _ = subprocess.Popen(["/bin/sleep", "1000"], pass_fds=[pipe])
        os.close(pipe)
        _ = go_on(request)

    return behave


def leave_a_daemon(go_on: Behaviour) -> Behaviour:
    """Leave an orphan in a session of its own that holds all pipes, and write our process id and its to FAKE_PIPE."""

    def behave(request: Request) -> None:
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
        _ = go_on(request)

    return behave


AT_START: Mapping[str, Behaviour] = {
    "hangs-at-start": hang,
    "crashes-at-start": goes_down("the fake cannot find its board\n"),
    "greets-at-start": says_raw(b"Welcome to the fake engine!"),
    "cannot-at-start": says(lambda request: error(request, -32601, "no initialize")),
    "fails-at-start": says(lambda request: error(request, -32000, "no license")),
    "speaks-another-version": says(lambda request: good(request, result=identity(protocol=2))),
    "has-no-name": says(lambda request: good(request, result={"protocol": 1})),
    "answers-another-id-at-start": says(lambda request: good(request, id=1)),
    "never-reads": stop_reading,
    "has-no-adjustment": says(lambda request: good(request, result=identity(capabilities=WITHOUT_ADJUSTMENT))),
}
AT_UNKNOWN: Mapping[str, Behaviour] = {
    "answers-unknown-methods": says(lambda request: {"jsonrpc": "2.0", "id": request["id"], "result": {}}),
    "refuses-unknown-methods-in-its-own-way": says(lambda request: error(request, -32000, "pardon?")),
    "crashes-at-unknown-methods": goes_down("KeyError: 'datc-check/no-such-method'\n"),
}
AT_MARKER: Mapping[str, Behaviour] = {
    **NONSENSE,
    "behaves": says(good),
    "warms-up": warm_up,
    "logs-each": log_each,
    "hangs": hang,
    "crashes": goes_down("reading the order\nthe fake goes down\n\n"),
    "crashes-in-colour": goes_down("\x1b[31mthe fake\x07 goes down\x1b[0m\u202e\n"),
    "crashes-with-a-long-line": goes_down("x" * MIB + "the end"),
    "is-killed": lambda _request: os.kill(os.getpid(), signal.SIGKILL),
    "ends": goes_down("", code=0),
    "answers-late": answer_late,
    "answers-twice": answer_twice,
    "answers-an-error-with-its-trace": answer_an_error_with_its_trace,
    "answers-the-last-again": answer_the_last_again,
    "answers-three-in-reverse": answer_three_in_reverse,
    "floods": flood(b"x" * MIB, 64),
    "floods-with-blank-lines": flood(b"\n" * MIB, 1000),
    "logs-much": log_much,
    "leaves-a-child-and-hangs": leave_a_child(hang),
    "leaves-a-child-and-crashes": leave_a_child(goes_down("")),
    "leaves-a-child-and-answers": leave_a_child(says(good)),
    "leaves-a-daemon-and-crashes": leave_a_daemon(goes_down("")),
    "leaves-a-daemon-and-answers": leave_a_daemon(says(good)),
    "leaves-a-daemon-and-hangs": leave_a_daemon(hang),
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
            asked_before.append(request)


if __name__ == "__main__":
    main(*sys.argv[1:])
