"""The engine's resolutions against those found by trying everything (see `brute_force`)."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from datc.reference_engine import Dislodged, Unit, adjudicate

from ..strategies import destinations
from . import brute_force
from .brute_force import Assignment, Battle, Equations, Piece, answer, outcomes, random_battle, solutions

BATTLES = 1000


@pytest.mark.parametrize("lot", range(8))
def test_random_battles(lot: int) -> None:
    """One solution is what must come out; where there is none or several, what the backup rule makes of them."""
    seen: Counter[int] = Counter()
    for seed in range(lot * BATTLES, (lot + 1) * BATTLES):
        battle = random_battle(Random(seed))
        found = solutions(battle)
        seen[len(found)] += 1
        after = adjudicate(battle.position(), battle.orders())
        expected = found[0] if len(found) == 1 else answer(battle)
        assert outcomes(battle, after) == expected, f"seed {seed}, {len(found)} solutions:\n{battle}"
        board = set(after.units), set(after.dislodged), set(after.contested)
        assert board == expected_board(battle, expected), f"seed {seed}:\n{battle}"
        if len(found) != 1:
            assert_explained(battle, found, expected)
    assert seen[1] > 0.9 * BATTLES
    assert seen[0] + seen[2] > 10


def assert_explained(battle: Battle, found: list[Assignment], won: Assignment) -> None:
    """Several solutions are a circular movement, where all moves succeed, or a paradox, where convoys fail."""
    convoy_fails = any(piece.kind == "convoy" and not won[index] for index, piece in enumerate(battle.pieces))
    assert convoy_fails or won == max(found, key=sum, default=None), str(battle)


def expected_board(battle: Battle, won: Assignment) -> tuple[set[Unit], set[Dislodged], set[str]]:
    """The units after the phase, the dislodged ones with their retreats (5.A, 4.A.5), and where standoffs were."""
    arrivals = {piece.target: piece for i, piece in enumerate(battle.pieces) if piece.kind == "move" and won[i]}
    after = {Unit(piece.power, piece.type, piece.to) for piece in arrivals.values()}
    beaten: list[Piece] = []
    for piece in battle.pieces:
        if piece in arrivals.values():
            continue
        if piece.home in arrivals:
            beaten.append(piece)
        else:
            after.add(piece.unit)
    closed = {unit.location[:3] for unit in after}
    contested = fought_over(battle, won) - closed
    dislodged: set[Dislodged] = set()
    for piece in beaten:
        attacker = arrivals[piece.home]
        came_from = attacker.home if attacker.routes is None else ""
        forbidden = {*closed, *contested, came_from}
        retreats = sorted(to for to in destinations(piece.unit) if to[:3] not in forbidden)
        dislodged.add(Dislodged(piece.unit, attacker.home, tuple(retreats)))
    return after, dislodged, contested


def fought_over(battle: Battle, won: Assignment) -> set[str]:
    """Where someone who could come there kept others out."""
    equations = Equations(battle)
    moves = [i for i, piece in enumerate(battle.pieces) if piece.kind == "move"]
    return {battle.pieces[i].target for i in moves if equations.prevent(i, won) > 0}


@pytest.mark.parametrize(
    ("battle", "count", "won"),
    [
        (brute_force.CIRCLE, 2, (True, True, True)),  # circular movement (6.C.1)
        (brute_force.ONE_WAY_ROUND, 1, (True, True, True, True)),  # circular movement with one solution (5.C)
        (brute_force.SZYKMAN, 2, (True, True, False, False)),  # paradox with two solutions (6.F.14)
        (brute_force.BETRAYAL, 0, (True, False, False, False, True)),  # paradox without a solution (6.F.18)
        (brute_force.CONVOY_FOR_A_SWAP, 1, (True, True, True, False, False)),  # trap of the guessing algorithm (5.F)
    ],
)
def test_known_battles(battle: Battle, count: int, won: Assignment) -> None:
    """The brute force itself, held to answers that stand in the documents."""
    assert len(solutions(battle)) == count
    assert answer(battle) == won
    assert outcomes(battle, adjudicate(battle.position(), battle.orders())) == won


def test_a_battle_is_written_as_ordered() -> None:
    assert str(brute_force.SZYKMAN).splitlines() == [
        "ENGLAND F LON S ENGLAND F WAL - ENG",
        "ENGLAND F WAL - ENG",
        "FRANCE A BRE - LON VIA",
        "FRANCE F ENG C FRANCE A BRE - LON",
    ]
