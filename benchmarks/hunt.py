"""Times the built-in engine in a hunt: dense positions, their generation excluded, in one process and in two.

    python benchmarks/hunt.py [POSITIONS]

Each process draws its positions first; then all begin at once, and the last to finish counts. Rounds with one process
and with two take turns, and the best of each is shown, by the clock; where other programs run beside it, the positions
in a second of processor time say more. Below it: where the time of a whole hunt goes, for its first positions, which
have to wait for what is read and searched once a process, and for the next ones. Last: the share of their time in which
several workers wait for engines that answer after `WAIT` seconds, from when all have begun, and the bytes that each
position sends to the hunt.
"""

from __future__ import annotations

import multiprocessing
import pickle
import sys
import tempfile
import time
from multiprocessing.sharedctypes import SynchronizedArray
from multiprocessing.synchronize import Barrier
from pathlib import Path
from random import Random

from workloads import workloads

from datc.adapters import EngineSpec, Limits
from datc.harness.bugs.generate import random_movements
from datc.harness.bugs.terrain import PROFILES
from datc.harness.play.differential import agree, ask
from datc.harness.play.positions import OrderedPosition
from datc.harness.play.session import ReferenceAdjudicator
from datc.harness.search.hunt import Hunt, hunt_chunk
from datc.harness.search.plan import FIRST_CHUNK, Plan, PlannedEngine
from datc.reference_engine import DATC_3_1, GivenOrder, Position, read_order

ROUNDS = 3
REPEATS = 20
"""Positions are asked so often, so that drawing them is soon done."""
MILLION = 1_000_000
SHARED = 5000
"""Positions of a hunt of which the shares are shown."""
WAIT = 0.05
CHUNKS, CHUNK = 4, 50
"""What each of several workers is asked on the average, of engines that wait."""
_WAITING = f"""
import sys, time
from datc.adapters.builtin import Reference, serve
from datc.reference_engine import DATC_3_1

class Waiting(Reference):
    def adjudicate(self, params):
        time.sleep({WAIT})
        return super().adjudicate(params)

serve(sys.stdin.buffer, sys.stdout.buffer, Waiting(DATC_3_1))
"""


def main() -> None:
    """Print how many positions a second, and how long a million takes."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40_000
    for load in ("dense", "34 units"):
        best = {1: 0.0, 2: 0.0}
        of_processor = 0.0
        for _ in range(ROUNDS):
            for processes in (1, 2):
                rate, processor = _rates(load, processes, count // processes // REPEATS)
                best[processes] = max(best[processes], rate)
                of_processor = max(of_processor, processor)
        print(
            f"{load:10}{best[1]:7.0f}/s in one process,{best[2]:7.0f}/s in two ({best[2] / best[1]:.2f} times)"
            + f", a million in {MILLION / best[2]:.0f} s; {of_processor:.0f} in a second of processor time"
        )
    _print_shares()
    for workers in (2, 4, 8):
        _print_workers(workers)


def _rates(load: str, processes: int, count: int) -> tuple[float, float]:
    """Positions a second of all processes together, by the clock and of processor time."""
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(processes + 1)
    used = context.Array("d", processes)
    workers = [context.Process(target=_work, args=(load, number, count, barrier, used)) for number in range(processes)]
    for worker in workers:
        worker.start()
    _ = barrier.wait()
    began = time.perf_counter()
    _ = barrier.wait()
    seconds = time.perf_counter() - began
    for worker in workers:
        worker.join()
    processor: float = sum(used[number] for number in range(processes))
    return processes * count * REPEATS / seconds, processes * count * REPEATS / processor


def _work(load: str, number: int, count: int, barrier: Barrier, used: SynchronizedArray[float]) -> None:
    positions = _dense(number, count) if load == "dense" else _full(count)
    adjudicator, other = ReferenceAdjudicator(DATC_3_1), ReferenceAdjudicator(DATC_3_1)
    answers = [ask(other, ordered) for ordered in positions]
    _ = barrier.wait()
    began = time.process_time()
    for _ in range(REPEATS):
        for ordered, expected in zip(positions, answers, strict=True):
            assert agree(expected, ask(adjudicator, ordered))
    used[number] = time.process_time() - began
    _ = barrier.wait()


def _dense(seed: int, count: int) -> list[OrderedPosition]:
    rng = Random(seed)
    return [random_movements(rng, PROFILES["dense"]) for _ in range(count)]


def _full(count: int) -> list[OrderedPosition]:
    (_, load, _) = workloads(count)
    return [
        OrderedPosition(Position(units), tuple(GivenOrder(power, read_order(text).order) for power, text in orders))
        for units, orders in load.positions
    ]


def _print_shares() -> None:
    """Hunt with the built-in engine, and say where the time goes: at the start of a process, and after that."""
    engine = PlannedEngine(EngineSpec("builtin"), Limits())
    for name, seed in (("at first", 1), ("then", 2)):
        plan = Plan((engine,), DATC_3_1, ("random",), tuple(PROFILES), seed=seed, positions=SHARED, chunk=SHARED)
        began = time.perf_counter()
        seconds = hunt_chunk(plan, [ReferenceAdjudicator(DATC_3_1)], 0, lambda: False).seconds
        whole = time.perf_counter() - began
        print(
            f"a hunt {name:9}{SHARED / whole:9.0f}/s in one process: generator {seconds.generator / whole:.0%},"
            + f" engine {seconds.engines / whole:.0%}, reference and comparison {seconds.comparison / whole:.0%}"
        )


def _print_workers(workers: int) -> None:
    """Hunt with engines that wait, and say how much of the time of several workers they were waited for."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "waiting.py")
        _ = script.write_text(_WAITING)
        engine = PlannedEngine(EngineSpec("waiting", (sys.executable, "-P", str(script))), Limits())
        chunks = (CHUNKS + 2) * workers
        plan = Plan((engine,), DATC_3_1, ("random",), ("opening",), positions=chunks * CHUNK, chunk=CHUNK)
        # Without what an engine is asked first, which one worker does alone.
        hunt = Hunt(plan, ["waiting"], done={FIRST_CHUNK})
        results = [(time.perf_counter(), each) for each in hunt.go_on([], workers, None, None)]
    # The first of each worker waits for its start; at the end some have nothing left to do.
    measured = results[workers:-workers]
    asking = sum(each.seconds.engines for _, each in measured)
    share = asking / workers / (measured[-1][0] - results[workers - 1][0])
    size = sum(len(pickle.dumps(each)) for _, each in measured) / sum(each.positions for _, each in measured)
    print(f"{workers} workers wait for engines {share:.0%} of their time, and send {size:.0f} bytes a position")


if __name__ == "__main__":
    main()
