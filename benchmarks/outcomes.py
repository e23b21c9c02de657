"""Prints digests of generated positions and of all that the reference engine makes of them, to compare two versions.

    python benchmarks/outcomes.py [POSITIONS]

Each position is adjudicated by the default ruleset and by one in which a single choice or many are changed, and every
fourth by a procedure of another document. Run it before a change and after it: the same lines mean the same outcomes.
"""

from __future__ import annotations

import hashlib
import sys
from random import Random

from datc.harness.generating.generate import random_paradox, random_position, with_retreats
from datc.harness.generating.terrain import PROFILES
from datc.harness.positions import OrderedPosition
from datc.reference_engine import (
    DATC_3_2,
    EQUATIONS,
    ISSUES,
    PROCEDURES,
    Adjudication,
    Position,
    Procedure,
    Ruleset,
    adjudicate,
    find_procedure,
)

COUNT = 100_000
SHOWN = 10
"""How many lines are printed, so that a difference can be found in one part of the positions."""


def main() -> None:
    """Print a line for each part of the positions: a digest of them, and one of their outcomes."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    variants = _single_choices()
    profiles = tuple(PROFILES.values())
    positions, outcomes = hashlib.sha256(), hashlib.sha256()
    for number in range(count):
        rng = Random(number)
        if number % 5 == 0:
            ordered = with_retreats(rng, random_paradox(rng))
        else:
            ordered = random_position(rng, profiles[number % len(profiles)])
        positions.update(_text_of(ordered).encode())
        varied = variants[number % len(variants)] if number % 3 else _random_ruleset(rng)
        procedure = find_procedure(tuple(PROCEDURES)[number // 4 % len(PROCEDURES)]) if number % 4 == 0 else EQUATIONS
        for ruleset, by in ((DATC_3_2, EQUATIONS), (varied, EQUATIONS), (DATC_3_2, procedure)):
            outcomes.update("\n".join(map(_outcome, _played(ordered, ruleset, by))).encode())
        if (number + 1) % max(1, count // SHOWN) == 0:
            print(f"{number + 1:7} positions {positions.hexdigest()[:16]} outcomes {outcomes.hexdigest()[:16]}")


def _played(ordered: OrderedPosition, ruleset: Ruleset, procedure: Procedure) -> list[Adjudication]:
    """What becomes of a position, and of the retreats after it."""
    played = [adjudicate(ordered.position, ordered.orders, ruleset, procedure)]
    if ordered.retreats is not None:
        position = Position(played[0].units, phase="retreat", dislodged=played[0].dislodged)
        played.append(adjudicate(position, ordered.retreats, ruleset, procedure))
    return played


def _outcome(adjudication: Adjudication) -> str:
    units, dislodged, orders, contested = adjudication
    return repr((list(map(tuple, units)), list(map(tuple, dislodged)), [each.reason for each in orders], sorted(contested)))


def _text_of(ordered: OrderedPosition) -> str:
    position = ordered.position
    owned = {power: sorted(centers) for power, centers in position.centers.items()}
    return repr((position.phase, position.units, owned, ordered.orders, ordered.retreats))


def _single_choices() -> list[Ruleset]:
    return [DATC_3_2.with_choices({issue: choice}) for issue in ISSUES for choice in ISSUES[issue].choices]


def _random_ruleset(rng: Random) -> Ruleset:
    return DATC_3_2.with_choices({issue: rng.choice(ISSUES[issue].choices) for issue in ISSUES if rng.random() < 0.4})


main()
