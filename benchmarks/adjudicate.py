"""Times the reference engine and every engine that is set up and has a program in `sides/`, by turns in one run.

    datc-check engines setup diplomacy_pypi
    python benchmarks/adjudicate.py [--compiled PYTHON] [--positions COUNT]

PYTHON is that of an environment with the compiled engine. A figure is the processor time of a position in
microseconds, and the best of several rounds in which all take turns; beside it, how many times that of the reference
engine in plain Python it is. In the rows "from text" that is the way from units and texts of orders to the outcomes; in
the others positions are set up and orders are read before, as new objects in each round.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import final

from workloads import Workload, workloads

from datc.adapters.bridges import Bridge, set_up_bridges

_FROM_TEXT = "  from text"
ROUNDS = 12
"""Enough that a Java engine runs as compiled in the last of them."""
SIDES = Path(__file__).with_name("sides")


@dataclass(frozen=True)
class Peer:
    """How to time another engine. In the command lines, `{home}` is the home of its bridge, `{sides}` is `sides/`."""

    bridge: str
    what: str
    command: str
    build: tuple[str, ...] = ()


PEERS = (
    Peer("diplomacy_pypi", "only the resolver", "{home}/venv/bin/python {sides}/diplomacy_pypi.py"),
    Peer(
        "rust_diplomacy",
        "to the outcomes",
        "{home}/benchmark/release/datc-benchmark-diplomacy",
        (
            "cargo build --quiet --locked --release --target-dir {home}/benchmark"
            + " --manifest-path {sides}/rust_diplomacy/Cargo.toml",
        ),
    ),
    Peer(
        "godip",
        "to the next phase",
        "{home}/datc-benchmark-godip",
        ("go build -C {sides}/godip -mod=readonly -o {home}/datc-benchmark-godip .",),
    ),
    Peer(
        "jdip",
        "to the next phase",
        "java -Djava.awt.headless=true -Duser.language=en -Duser.country=US"
        + " -cp {home}/benchmark:{home}/classes:{home}/source:{home}/source/lib/*:{home}/lib/*"
        + " Side {home}/variants",
        ("javac -nowarn -cp {home}/classes:{home}/lib/* -d {home}/benchmark {sides}/jdip/Side.java",),
    ),
)
"""The engines that can be timed without the protocol."""


@final
class Side:
    """A program that adjudicates workloads and says how long it took, in its own process and environment."""

    def __init__(self, name: str, command: Sequence[str], loads: Sequence[Workload]) -> None:
        self.name = name
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._ask(json.dumps([load.positions for load in loads])) == "ready\n", command
        self.best = [float("inf")] * len(loads)

    def take_turn(self, index: int, positions: int) -> None:
        """Adjudicate a workload of so many positions, and keep the time of one if it is the best."""
        self.best[index] = min(self.best[index], float(self._ask(str(index))) / positions)

    def close(self) -> None:
        """End the program."""
        _ = self._process.communicate()

    def _ask(self, line: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        _ = self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()


def main() -> None:
    """Print a table: a line for each engine, and a pair of columns for each workload."""
    arguments = argparse.ArgumentParser()
    _ = arguments.add_argument("--compiled", metavar="PYTHON")
    _ = arguments.add_argument("--positions", metavar="COUNT", type=int, default=1000, help="in each workload")
    given = arguments.parse_args()
    count: int = given.positions
    loads = workloads(count)
    with ExitStack() as stack:
        sides = [stack.enter_context(closing(Side(*side, loads))) for side in _sides(given.compiled)]
        for _ in range(ROUNDS):
            for index in range(len(loads)):
                for side in sides:
                    side.take_turn(index, count)
    width = max(len(side.name) for side in sides)
    print(" " * width + "".join(f"{load.name:>14}" for load in loads))
    for side in sides:
        # A way from text is compared with that of the engine in plain Python, which comes second.
        plain = sides[side.name == _FROM_TEXT].best
        cells = (f"{best * 1e6:6.0f} µs{best / of:5.1f}" for best, of in zip(side.best, plain, strict=True))
        print(f"{side.name:{width}}{''.join(cells)}")


def _sides(compiled: str | None) -> Iterator[tuple[str, Sequence[str]]]:
    reference = str(SIDES / "reference.py")
    for name, python in (("plain Python", sys.executable), ("compiled", compiled)):
        if python is not None:
            yield f"datc-check, {name}", (python, reference)
            yield _FROM_TEXT, (python, reference, "text")
            yield "  its equations alone", (python, reference, "equations")
    for peer in PEERS:
        for bridge in set_up_bridges(peer.bridge)[:1]:
            for command in peer.build:
                _ = subprocess.run(_words(command, bridge), check=True)
            yield f"{bridge.table.engine}, {peer.what}", _words(peer.command, bridge)
            yield _FROM_TEXT, (*_words(peer.command, bridge), "text")


def _words(command: str, bridge: Bridge) -> list[str]:
    """Split a command line into words, then fill in the folders: these may have spaces."""
    return [word.replace("{home}", str(bridge.home)).replace("{sides}", str(SIDES)) for word in command.split()]


if __name__ == "__main__":
    main()
