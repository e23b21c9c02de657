"""Compares the procedures of DATC 3.1 and 2.4 with the default one on seeded positions in which everything meets.

    python benchmarks/procedures.py [COUNT] [FIRST SEED]

Every other position is adjudicated under `datc-3.1`, the rest each under a ruleset whose choices for what comes before
and after resolving are drawn. Those on which the procedures differ are printed whole; the exit code is then 1.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random

from melees import UNITS, Melee

from datc.reference_engine import (
    DATC_3_1,
    ISSUES,
    Adjudication,
    Convoy,
    GivenOrder,
    Procedure,
    Ruleset,
    adjudicate,
    find_procedure,
    standard_board,
    write_order,
)
from datc.reference_engine.procedures import EQUATIONS, decisions
from datc.reference_engine.procedures.decisions.types import Decision
from datc.reference_engine.solver import MovementSolver

PROCEDURES: dict[str, Procedure] = {
    "default": EQUATIONS,
    "guess": find_procedure("guess"),
    "decisions": find_procedure("decisions"),
}
DRAWN = ("4.A.1", "4.A.3", "4.A.4", "4.A.5", "X.1", "X.2", "X.15")
"""The issues on movement that all of them play whatever the choice."""
SHOWN = 5


def main() -> int:
    """Print how many positions there were, what was in them, and on how many each procedure differs."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    board = standard_board()
    differing: Counter[str] = Counter()
    seconds = dict.fromkeys(PROCEDURES, 0.0)
    results: Counter[str] = Counter()
    found: Counter[str] = Counter()
    _count_cores(found)
    for seed in range(first, first + count):
        random = Random(seed)
        melee = Melee(board, random)
        position, orders = melee.position(), melee.given()
        ruleset = _drawn(random) if seed % 2 else DATC_3_1
        answers: dict[str, Adjudication] = {}
        for name, procedure in PROCEDURES.items():
            began = time.perf_counter()
            answers[name] = adjudicate(position, orders, ruleset, procedure)
            seconds[name] += time.perf_counter() - began
        results.update(result.reason or "succeeds" for result in answers["default"].orders)
        wrong = [name for name in answers if _told(orders, answers[name]) != _told(orders, answers["default"])]
        if wrong and differing.total() < SHOWN:
            _show(seed, ruleset, orders, answers)
        differing.update(wrong)
    print(f"{count:,} positions of {UNITS} units, seeds {first} to {first + count - 1}")
    print(f"{found['paradox']:,} paradoxes, {found['circular movement']:,} circular movements")
    print("orders:", ", ".join(f"{results[name]:,} {name}" for name in sorted(results)))
    for name in PROCEDURES:
        print(f"{name:10}{seconds[name] / count * 1e6:6.0f} µs a position, differs on {differing[name]}")
    return 1 if differing else 0


def _drawn(random: Random) -> Ruleset:
    return DATC_3_1.with_choices({issue: random.choice(ISSUES[issue].choices) for issue in DRAWN})


def _told(orders: Sequence[GivenOrder], answer: Adjudication) -> object:
    """What must be the same: all but the outcome of convoy orders, which DATC 2.4 has no decision for."""
    reasons = [
        result.reason
        for given, result in zip(orders, answer.orders, strict=True)
        if not isinstance(given.order, Convoy)
    ]
    return answer.units, answer.dislodged, answer.contested, reasons


def _count_cores(found: Counter[str]) -> None:
    """Have the circular movements and paradoxes counted that the decisions come upon."""
    is_paradox = decisions.is_convoy_disruption_paradox

    def is_paradox_and_count(orders: MovementSolver, core: Iterable[Decision]) -> bool:
        paradox = is_paradox(orders, core)
        found["paradox" if paradox else "circular movement"] += 1
        return paradox

    decisions.is_convoy_disruption_paradox = is_paradox_and_count


def _show(seed: int, ruleset: Ruleset, orders: Sequence[GivenOrder], answers: dict[str, Adjudication]) -> None:
    print(f"seed {seed}:", {issue: ruleset.choices[issue] for issue in DRAWN})
    for index, (power, order) in enumerate(orders):
        outcomes = [answer.orders[index].reason or "succeeds" for answer in answers.values()]
        if order is not None:
            print(f"  {power:8} {write_order(order):40}", *(outcomes if len(set(outcomes)) > 1 else outcomes[:1]))


if __name__ == "__main__":
    sys.exit(main())
