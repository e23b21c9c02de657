"""Times the reference engine, and its ratio to the resolver of PyPI `diplomacy` in the same run.

    datc-check engines setup diplomacy_pypi
    python benchmarks/adjudicate.py

For each workload: the whole way from orders to results, the equations alone, and the other resolver, each the best of
several rounds that take turns. The other resolver is that of the bridge's environment; a Python that has it can be
named instead. Where there is neither, the reference engine is timed alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import final

from workloads import Workload, workloads

from datc.adapters import find_bridge
from datc.reference_engine import DATC_3_1, GivenOrder, Position, Unit, adjudicate, read_order
from datc.reference_engine.equations import Equations
from datc.reference_engine.legality import HOLDS, Legality
from datc.reference_engine.movement import match

ROUNDS = 7
COUNT = 1000


def main() -> None:
    """Print a table: microseconds a position, and the ratio to the other resolver where its Python is given."""
    loads = workloads(COUNT)
    python = sys.argv[1] if len(sys.argv) > 1 else _python_with_diplomacy()
    other = _Other(python, loads) if python else None
    print(f"{'':24}{'whole':>9}{'equations':>11}" + (f"{'diplomacy':>11}{'ratio':>8}{'ratio':>8}" if other else ""))
    for index, load in enumerate(loads):
        prepared = [_prepare(units, orders) for units, orders in load.positions]
        whole = equations = theirs = float("inf")
        for _ in range(ROUNDS):
            whole = min(whole, _time_whole(prepared))
            equations = min(equations, _time_equations(prepared))
            theirs = min(theirs, other.time(index)) if other else theirs
        count = len(prepared)
        line = f"{load.name:24}{whole / count * 1e6:6.0f} µs{equations / count * 1e6:8.0f} µs"
        if other:
            line += f"{theirs / count * 1e6:8.0f} µs{theirs / whole:8.1f}{theirs / equations:8.1f}"
        print(line)


def _python_with_diplomacy() -> str | None:
    bridge = find_bridge("diplomacy_pypi")
    return bridge.command[0] if bridge.is_ready else None


_Prepared = tuple[Position, list[GivenOrder]]


def _prepare(units: list[Unit], orders: list[tuple[str, str]]) -> _Prepared:
    return Position(units), [GivenOrder(power, read_order(text).order) for power, text in orders]


def _time_whole(prepared: list[_Prepared]) -> float:
    repeats = max(1, COUNT // len(prepared))
    began = time.process_time()
    for _ in range(repeats):
        for position, orders in prepared:
            _ = adjudicate(position, orders)
    return (time.process_time() - began) / repeats


def _time_equations(prepared: list[_Prepared]) -> float:
    """Time setting up and solving the equations, for orders that are known to be legal."""
    repeats = max(1, COUNT // len(prepared))
    seconds = 0.0
    for position, orders in prepared:
        legality = Legality(position, DATC_3_1)
        meanings = [HOLDS] * len(position.units)
        for power, order in orders:
            if legal := legality.meaning(power, order):
                meanings[legal[0]] = legal[1]
        began = time.process_time()
        for _ in range(repeats):
            match(position, meanings, DATC_3_1, solver=Equations).solve()
        seconds += time.process_time() - began
    return seconds / repeats


@final
class _Other:
    """The other resolver in its process."""

    def __init__(self, python: str, loads: list[Workload]) -> None:
        self._process = subprocess.Popen(
            [python, str(Path(__file__).with_name("diplomacy_side.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        _ = self._ask(json.dumps([load.positions for load in loads]))
        self._repeats = [max(1, COUNT // len(load.positions)) // 10 or 1 for load in loads]

    def time(self, index: int) -> float:
        repeats = self._repeats[index]
        return sum(float(self._ask(str(index))) for _ in range(repeats)) / repeats

    def _ask(self, line: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        _ = self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()


main()
