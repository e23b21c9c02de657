"""Prints digests of generated positions and of all that the reference engine makes of them, to compare two versions.

    python benchmarks/outcomes.py [POSITIONS [MAP]]

The positions are on the standard map or on another one. Each is adjudicated by the default ruleset, and by one in which
a single choice or many are changed: by the equations, and by a procedure of another document or a mutant. Run it before
a change and after it: the same lines mean the same outcomes.
"""

from __future__ import annotations

import hashlib
import sys
from random import Random

from datc.harness.bugs.generate import random_paradox, random_position, with_retreats
from datc.harness.bugs.mutants import MUTANTS
from datc.harness.bugs.terrain import PROFILES
from datc.harness.play.positions import OrderedPosition
from datc.reference_engine import (
    DATC_3_2,
    ISSUES,
    PROCEDURES,
    Adjudication,
    Position,
    Procedure,
    Ruleset,
    adjudicate,
    find_procedure,
)
from datc.reference_engine.errors import ReferenceEngineError
from datc.reference_engine.maps import STANDARD, load_board
from datc.reference_engine.procedures import EQUATIONS

COUNT = 100_000
SHOWN = 10
"""How many lines are printed, so that a difference can be found in one part of the positions."""


def main() -> None:
    """Print a line for each part of the positions: a digest of them, and one of their outcomes."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    board = load_board(sys.argv[2] if len(sys.argv) > 2 else STANDARD)
    variants = _single_choices()
    profiles = tuple(PROFILES.values())
    procedures = [*map(find_procedure, PROCEDURES), *(mutant.procedure for mutant in MUTANTS.values())]
    positions, outcomes = hashlib.sha256(), hashlib.sha256()
    for number in range(count):
        rng = Random(number)
        if number % 5 == 0:
            ordered = with_retreats(rng, random_paradox(rng, board))
        else:
            ordered = random_position(rng, profiles[number % len(profiles)], board)
        positions.update(_text_of(ordered).encode())
        varied = variants[number % len(variants)] if number % 3 else _random_ruleset(rng)
        procedure = procedures[number % len(procedures)]
        for ruleset, by in ((DATC_3_2, EQUATIONS), (varied, EQUATIONS), (DATC_3_2, procedure), (varied, procedure)):
            outcomes.update(_outcomes(ordered, ruleset, by).encode())
        if (number + 1) % max(1, count // SHOWN) == 0:
            print(f"{number + 1:7} positions {positions.hexdigest()[:16]} outcomes {outcomes.hexdigest()[:16]}")


def _outcomes(ordered: OrderedPosition, ruleset: Ruleset, procedure: Procedure) -> str:
    """What becomes of a position, and of the retreats after it."""
    try:
        played = adjudicate(ordered.position, ordered.orders, ruleset, procedure)
        if ordered.retreats is None:
            return _outcome(played)
        position = Position(played.units, phase="retreat", dislodged=played.dislodged, board=ordered.position.board)
        return _outcome(played) + _outcome(adjudicate(position, ordered.retreats, ruleset, procedure))
    except ReferenceEngineError as error:  # A mutant makes a board that cannot exist, a procedure knows no canal.
        return str(error)


def _outcome(adjudication: Adjudication) -> str:
    units, dislodged, orders, contested = adjudication
    reasons = [result.reason for result in orders]
    return repr((list(map(tuple, units)), list(map(tuple, dislodged)), reasons, sorted(contested)))


def _text_of(ordered: OrderedPosition) -> str:
    position = ordered.position
    owned = {power: sorted(centers) for power, centers in position.centers.items()}
    return repr((position.phase, position.units, owned, ordered.orders, ordered.retreats))


def _single_choices() -> list[Ruleset]:
    return [DATC_3_2.with_choices({issue: choice}) for issue in ISSUES for choice in ISSUES[issue].choices]


def _random_ruleset(rng: Random) -> Ruleset:
    return DATC_3_2.with_choices({issue: rng.choice(ISSUES[issue].choices) for issue in ISSUES if rng.random() < 0.4})


main()
