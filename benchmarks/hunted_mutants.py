"""Hunts every mutant of the doctor: the first position of each source on which it shows.

    python benchmarks/hunted_mutants.py [POSITIONS] [SEED]

Asks up to so many positions (5,000) of the source `random`, then of `paradoxes` and `metamorphic` for each mutant that
did not show. Lists the mutants that none of them shows; the exit code is then 1.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from datc.adapters import EngineSpec, Limits
from datc.harness.asking import agree, ask
from datc.harness.diagnosis.mutants import MUTANTS
from datc.harness.fuzzing.metamorphic import contradiction
from datc.harness.fuzzing.plan import Drawn, Plan, PlannedEngine, draw
from datc.harness.generating.terrain import PROFILES
from datc.harness.session import ReferenceAdjudicator
from datc.reference_engine import DATC_3_1

SOURCES = ("random", "paradoxes", "metamorphic")


def main() -> int:
    """Print for each mutant where it first showed."""
    positions = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    began = time.perf_counter()
    open_mutants = {name: ReferenceAdjudicator(DATC_3_1, mutant.procedure, name) for name, mutant in MUTANTS.items()}
    for source in SOURCES:
        found = _hunt(source, positions, seed, open_mutants)
        last = max((number + 1 for number in found.values()), default=0)
        print(f"{source}: {len(found)} of {len(open_mutants)} show, the last in position {last} of {positions}")
        if source != SOURCES[0]:
            for name, number in sorted(found.items()):
                print(f"  {name}: position {number + 1}")
        open_mutants = {name: adjudicator for name, adjudicator in open_mutants.items() if name not in found}
    for name in sorted(open_mutants):
        print(f"not found: {name}, which {MUTANTS[name].sentence}")
    print(f"{time.perf_counter() - began:.0f} s")
    return 1 if open_mutants else 0


def _hunt(source: str, positions: int, seed: int, adjudicators: dict[str, ReferenceAdjudicator]) -> dict[str, int]:
    """The number of the first position on which each mutant shows."""
    found: dict[str, int] = {}
    left = dict(adjudicators)
    reference = ReferenceAdjudicator(DATC_3_1)
    for drawn in _drawn(source, positions, seed):
        if not left:
            break
        expected = ask(reference, drawn.ordered)
        for name, adjudicator in [*left.items()]:
            if drawn.relation:
                shows = contradiction(adjudicator, drawn.ordered, drawn.relation, drawn.salt) is not None
            else:
                shows = not agree(expected, ask(adjudicator, drawn.ordered))
            if shows:
                found[name] = drawn.number
                del left[name]
    return found


def _drawn(source: str, positions: int, seed: int) -> Iterator[Drawn]:
    engine = PlannedEngine(EngineSpec("builtin"), Limits())
    plan = Plan((engine,), DATC_3_1, (source,), tuple(PROFILES), seed=seed, positions=positions)
    return (draw(plan, number) for number in range(positions))


if __name__ == "__main__":
    sys.exit(main())
