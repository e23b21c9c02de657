"""Times every engine that is set up behind the protocol, by turns in one run.

    datc-check engines setup NAME
    python benchmarks/requests.py [--positions COUNT]

Each engine is started in its own process, reads requests from a file, and answers them all. A figure is the processor
time of an answer in microseconds, that of JSON included, and the best of several rounds; beside it, how many times that
of the reference engine behind the same protocol it is. Each is run with some requests and then with COUNT more, and the
difference counts: without the start and the first requests. An engine that stops before its last answer has no figure.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import NamedTuple

from workloads import Workload, workloads

from datc.adapters.bridges import bridge_names, set_up_bridges
from datc.adapters.conversion import order_message, unit_messages
from datc.adapters.protocol import (
    PROTOCOL_VERSION,
    AdjudicateParams,
    GivenOrderMessage,
    Harness,
    InitializeParams,
    encode_request,
)
from datc.reference_engine import read_order

ROUNDS = 3
FIRST = 200
LIMIT = 120
"""Seconds after which an engine is left out of a workload."""


@dataclass
class Times:
    """What an engine took for a workload."""

    best: float = inf
    """The least processor time of an answer in seconds; infinite where it always took too long."""
    errors: int = 0
    """How many of the requests it answered with an error, at most."""
    stopped: str = ""
    """How it ended where it did not answer everything."""

    def take_turn(self, command: Sequence[str], some: Path, more: Path, difference: int) -> None:
        """Have an engine answer some requests and then more, by this number, and keep its time if it is the best."""
        try:
            turns = [_answered(command, requests) for requests in (some, more)]
        except subprocess.TimeoutExpired:
            return
        self.errors = max(self.errors, *(turn.errors for turn in turns))
        self.stopped = self.stopped or turns[0].stopped or turns[1].stopped
        self.best = min(self.best, (turns[1].seconds - turns[0].seconds) / difference)


class Turn(NamedTuple):
    """How an engine answered a file of requests."""

    seconds: float
    """Its processor time."""
    errors: int
    """How many of its answers are errors."""
    stopped: str
    """How it ended where it did not answer everything."""


def main() -> None:
    """Print a table: a line for each engine, and a pair of columns for each workload."""
    arguments = argparse.ArgumentParser()
    _ = arguments.add_argument("--positions", metavar="COUNT", type=int, default=500)
    count: int = arguments.parse_args().positions
    loads = workloads(FIRST + count)
    engines = list(_engines())
    times = [[Times() for _ in loads] for _ in engines]
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(ROUNDS):
            for column, load in enumerate(loads):
                some, more = (_written(load, each, Path(folder)) for each in (FIRST, FIRST + count))
                for row, (_, command) in enumerate(engines):
                    times[row][column].take_turn(command, some, more, count)
    print(" " * 31 + "".join(f"{load.name:>16}" for load in loads))
    for (name, _), row in zip(engines, times, strict=True):
        print(f"{name:31}{''.join(map(_cell, row, times[0]))}")
        for load, cell in zip(loads, row, strict=True):
            if cell.errors:
                print(f"  an error in answer to {cell.errors} of {FIRST + count} {load.name}")
            if cell.stopped:
                print(f"  stopped in {load.name}: {cell.stopped}")


def _cell(times: Times, reference: Times) -> str:
    if times.stopped:
        return f"{'stopped':>16}"
    if times.best == inf:
        return f"{f'over {LIMIT} s':>16}"
    return f"{times.best * 1e6:8.0f} µs{times.best / reference.best:5.1f}"


def _engines() -> Iterator[tuple[str, Sequence[str]]]:
    yield "datc-check", (str(Path(sys.executable).with_name("datc-check")), "engine")
    for name in bridge_names():
        for bridge in set_up_bridges(name)[:1]:
            yield f"{bridge.table.engine} ({bridge.table.language})", bridge.command


def _written(load: Workload, count: int, folder: Path) -> Path:
    """Write requests for so many positions of a workload."""
    hello = InitializeParams(protocol=PROTOCOL_VERSION, harness=Harness(name="benchmark", version=""))
    lines = [encode_request(0, "initialize", hello)]
    for number in range(1, count + 1):
        units, orders = load.positions[number - 1]
        given = [
            GivenOrderMessage(power=power, text=text, order=order_message(read_order(text).order))
            for power, text in orders
        ]
        params = AdjudicateParams(phase="movement", units=unit_messages(units), orders=given)
        lines.append(encode_request(number, "adjudicate", params))
    file = folder / f"{load.name}-{count}"
    _ = file.write_bytes(b"\n".join(lines) + b"\n")
    return file


def _answered(command: Sequence[str], requests: Path) -> Turn:
    """Have an engine answer requests. Raises `TimeoutExpired` where it takes too long."""
    expected = len(requests.read_bytes().splitlines())
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with requests.open("rb") as lines:
        done = subprocess.run(command, stdin=lines, capture_output=True, check=False, timeout=LIMIT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    answers = done.stdout.splitlines()
    stopped = ""
    if done.returncode or len(answers) < expected:
        stopped = f"exit code {done.returncode} after {len(answers)} of {expected} answers"
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Turn(seconds, sum(b'"error"' in line for line in answers), stopped)


if __name__ == "__main__":
    main()
