"""Times `adjudicate_all` on dense positions, in one process and in several: for the equations and a slower procedure.

    python benchmarks/batches.py [PROCESSES]

The start of the processes is not counted.
"""

from __future__ import annotations

import sys
import time
from itertools import cycle, islice

from workloads import workloads

from datc.reference_engine import DATC_3_1, GivenOrder, Position, adjudicate_all, read_order
from datc.reference_engine.adjudication import CHUNK, Ordered

COUNTS = {None: 20_000, "decisions": 10_000}
"""How many positions, by procedure; `None` stands for the equations."""
ROUNDS = 3


def main() -> None:
    """Print positions a second, in one process and in several."""
    processes = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    (_, dense, _) = workloads(1000)
    positions: list[Ordered] = [
        (Position(units), [GivenOrder(power, read_order(text).order) for power, text in orders])
        for units, orders in dense.positions
    ]
    for procedure, count in COUNTS.items():
        alone, together = (
            max(_rate(positions, procedure, count, number) for _ in range(ROUNDS)) for number in (1, processes)
        )
        print(
            f"{procedure or 'equations':10}{alone:7.0f}/s in one process,{together:7.0f}/s in {processes}"
            + f" ({together / alone:.2f} times)"
        )


def _rate(positions: list[Ordered], procedure: str | None, count: int, processes: int) -> float:
    """Positions a second, by the clock, once the processes have started and have their first positions behind them."""
    at_first = 2 * processes * CHUNK
    adjudications = adjudicate_all(islice(cycle(positions), at_first + count), DATC_3_1, procedure, processes)
    for _ in islice(adjudications, at_first):
        pass
    began = time.perf_counter()
    for _ in adjudications:
        pass
    return count / (time.perf_counter() - began)


if __name__ == "__main__":
    main()
