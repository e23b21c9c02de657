"""Times whole hunts, in one process and in several.

    python benchmarks/hunt.py [POSITIONS]

With the built-in engine: where the time of so many positions (5,000) goes, for the first ones, which have to wait for
what is read and searched once a process, and for the next ones; and what one takes in two processes, their start
included, against one process. By processor time, which other programs change less than the clock.

With engines that answer after some milliseconds: what the tool itself takes of a position, which says how long a worker
waits that has a core of its own; and how long several workers on this machine waited by the clock, from when all have
begun, with the bytes that each position sends to the hunt.
"""

from __future__ import annotations

import os
import pickle
import sys
import tempfile
import time
from pathlib import Path

from datc.adapters import EngineSpec, Limits
from datc.harness.bugs.terrain import PROFILES
from datc.harness.play.session import ReferenceAdjudicator
from datc.harness.search.hunt import Hunt, hunt_chunk
from datc.harness.search.plan import CHUNK, FIRST_CHUNK, Plan, PlannedEngine
from datc.harness.search.workers import open_adjudicators
from datc.reference_engine import DATC_3_1

BUILTIN = PlannedEngine(EngineSpec("builtin"), Limits())
WAITS = (0.001, 0.005)
"""Seconds after which engines answer."""
CHUNKS = 4
"""What each of several workers is asked on the average, of engines that wait."""
_WAITING = """
import sys, time
from datc.adapters.builtin import Reference, serve
from datc.reference_engine import DATC_3_1

class Waiting(Reference):
    def adjudicate(self, params):
        time.sleep({})
        return super().adjudicate(params)

serve(sys.stdin.buffer, sys.stdout.buffer, Waiting(DATC_3_1))
"""


def main() -> None:
    """Print where the time of hunts goes, and what their workers wait for."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    for name, seed in (("at first", 1), ("then", 2)):
        began = time.process_time()
        seconds = hunt_chunk(_plan(BUILTIN, count, seed, count), [ReferenceAdjudicator(DATC_3_1)], 0).seconds
        rate, whole = count / (time.process_time() - began), seconds.generator + seconds.engines + seconds.comparison
        print(
            f"a hunt {name:9}{rate:9.0f}/s in one process: generator {seconds.generator / whole:.0%},"
            + f" engine {seconds.engines / whole:.0%}, reference and comparison {seconds.comparison / whole:.0%}"
        )
    one, two = (_processor_time(processes, count) for processes in (1, 2))
    print(f"a position in two processes takes {two / one:.2f} times as long as in one, their start included")
    for wait in WAITS:
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder, "waiting.py")
            _ = script.write_text(_WAITING.format(wait))
            engine = PlannedEngine(EngineSpec("waiting", (sys.executable, "-P", str(script))), Limits())
            _print_tool(engine, wait)
            for workers in (2, 4, 8):
                _print_workers(engine, wait, workers)


def _plan(engine: PlannedEngine, positions: int, seed: int = 1, chunk: int = CHUNK) -> Plan:
    return Plan((engine,), DATC_3_1, ("random",), tuple(PROFILES), seed=seed, positions=positions, chunk=chunk)


def _processor_time(processes: int, count: int) -> float:
    """Return the seconds that a hunt takes, those of its worker processes included."""
    adjudicators, before = [ReferenceAdjudicator(DATC_3_1)], sum(os.times()[:4])
    for _ in Hunt(_plan(BUILTIN, count), ["builtin"], done={FIRST_CHUNK}).go_on(adjudicators, processes, None, None):
        pass
    return sum(os.times()[:4]) - before


def _print_tool(engine: PlannedEngine, wait: float) -> None:
    """Hunt in this process, and say what the tool itself takes."""
    plan = _plan(engine, CHUNK * CHUNKS)
    with open_adjudicators(plan) as adjudicators:
        _ = hunt_chunk(plan, adjudicators, 0)
        began = time.process_time()
        positions = sum(hunt_chunk(plan, adjudicators, chunk).positions for chunk in range(1, CHUNKS))
        taken = (time.process_time() - began) / positions
    print(
        f"an engine that takes {wait * 1e3:.0f} ms: the tool takes {taken * 1e6:.0f} µs, so a worker with a core of its"
        + f" own waits {wait / (wait + taken):.0%} of its time"
    )


def _print_workers(engine: PlannedEngine, wait: float, workers: int) -> None:
    """Hunt in several processes, and say how much of their time they waited for engines."""
    # Without what an engine is asked first, which one worker does alone.
    hunt = Hunt(_plan(engine, (CHUNKS + 2) * workers * CHUNK), ["waiting"], done={FIRST_CHUNK})
    results = [(time.perf_counter(), each) for each in hunt.go_on([], workers, None, None)]
    # The first of each worker waits for its start; at the end some have nothing left to do.
    measured = results[workers:-workers]
    positions = sum(each.positions for _, each in measured)
    share = positions * wait / workers / (measured[-1][0] - results[workers - 1][0])
    size = sum(len(pickle.dumps(each)) for _, each in measured) / positions
    print(f"  {workers} workers on {os.cpu_count()} cores waited {share:.0%}, and sent {size:.1f} bytes a position")


if __name__ == "__main__":
    main()
