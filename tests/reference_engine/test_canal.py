"""The Suez Canal against trying everything: a canal on the standard map, where the battles of `brute_force` are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from random import Random

import pytest

from datc.reference_engine import adjudicate
from datc.reference_engine.board import Canal

from ..strategies import BOARD
from .brute_force import Battle, Equations, answer, random_battle, solutions

NORTH, BALTIC, DENMARK = "NTH", "BAL", "DEN"
SEAS = (BOARD.number[NORTH], BOARD.number[BALTIC])
CANAL = replace(BOARD, canal=Canal(SEAS, BOARD.number[DENMARK], permits="fleet", stays="turn"))


class CanalEquations(Equations):
    """DATC 2.4, 7.C: the fleet passes while the unit in Denmark stays; a paradox stops it."""

    def __init__(self, battle: Battle) -> None:
        super().__init__(battle)
        self.passing = next(i for i, piece in enumerate(self.pieces) if {piece.home, piece.target} == {NORTH, BALTIC})
        self.keeper = self.at[DENMARK]

    def sails(self, index: int, won: Sequence[bool]) -> bool:
        return index == self.passing or super().sails(index, won)

    def path(self, index: int, won: Sequence[bool]) -> bool:
        if index != self.passing:
            return super().path(index, won)
        leaves = self.pieces[self.keeper].kind == "move" and won[self.keeper]
        return not self.stopped and not leaves and not any(won[mover] for mover in self.movers(DENMARK))

    def stops_in(self, core: Collection[int]) -> bool:
        """Whether the fleet waits for these orders, and one of them for the fleet."""
        goes_to = self.pieces[self.passing].target
        waits = self.keeper in core or any(self.pieces[index].to[:3] == DENMARK for index in core)
        asks = any(goes_to in (self.pieces[index].home, self.pieces[index].to[:3]) for index in core)
        return not self.stopped and waits and (asks or self.passing in core)


def battle_at_the_canal(random: Random) -> Battle | None:
    """Draw a battle in which a fleet goes from one of the seas to the other, past a unit of its power."""
    battle = random_battle(random)
    at = {piece.home: index for index, piece in enumerate(battle.pieces)}
    sea = next((sea for sea in (NORTH, BALTIC) if sea in at and battle.pieces[at[sea]].kind != "convoy"), None)
    if sea is None or DENMARK not in at or any(piece.partner == at[sea] for piece in battle.pieces):
        return None
    pieces = list(battle.pieces)
    to = BALTIC if sea == NORTH else NORTH
    pieces[at[sea]] = pieces[at[sea]]._replace(power=pieces[at[DENMARK]].power, kind="move", to=to, partner=-1)
    if to in at and pieces[at[to]].target == sea:
        return None
    return Battle(tuple(pieces))


@pytest.mark.slow
def test_a_canal_against_trying_everything() -> None:
    seen: Counter[str] = Counter()
    for seed in range(5000):
        battle = battle_at_the_canal(Random(seed))
        if battle is None:
            continue
        found = solutions(battle, CanalEquations)
        after = adjudicate(battle.position(CANAL), battle.orders())
        expected = found[0] if len(found) == 1 else answer(battle, CanalEquations)
        results = zip(battle.pieces, after.orders, strict=True)
        won = tuple(piece.kind == "hold" or result.outcome == "succeeds" for piece, result in results)
        assert won == expected, f"seed {seed}, {len(found)} solutions:\n{battle}"
        seen[f"{len(found)} solutions"] += 1
    assert seen["1 solutions"] > 200
    assert min(seen["0 solutions"], seen["2 solutions"]) > 0
