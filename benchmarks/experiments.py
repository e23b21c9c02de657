"""Counts the distinct experiments of each mutant, and of each choice against those of the usual rules.

    python benchmarks/experiments.py [COUNT]

Looks for so many (20) each; lists those that have fewer.
"""

from __future__ import annotations

import sys
import time

from systems import changed, mutants

from datc.cases import load_ruleset
from datc.cases.suite import USUAL_EDITION
from datc.harness.bugs.experiment import ENOUGH, Claim, find_experiments
from datc.harness.play.session import ReferenceAdjudicator


def main() -> None:
    """Print what has fewer experiments than asked for."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else ENOUGH
    ruleset = load_ruleset(USUAL_EDITION).ruleset()
    rules = ReferenceAdjudicator(ruleset)
    systems = {**mutants(ruleset), **changed(ruleset)}
    began = time.perf_counter()
    few = {name: found for name, system in systems.items() if (found := _count(system, rules, count)) < count}
    print(f"{len(systems)} mutants and choices: {len(systems) - len(few)} have {count} experiments")
    for name, found in few.items():
        print(f"  {name}: {found}")
    print(f"{time.perf_counter() - began:.0f} s")


def _count(system: ReferenceAdjudicator, rules: ReferenceAdjudicator, count: int) -> int:
    return len(find_experiments(Claim(system, rules), count=count))


if __name__ == "__main__":
    main()
