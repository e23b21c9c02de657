"""The railway against trying everything: a railway on the standard map, where the battles of `brute_force` are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

import pytest

from datc.reference_engine import DATC_3_2, Board, OrderedUnit, adjudicate
from datc.reference_engine.board import Railway
from datc.reference_engine.orders import GivenOrder, Move

from ..strategies import BOARD, destinations
from .brute_force import Battle, Equations, Piece, answer, random_battle, solutions

LINES = ("PAR BUR MUN BOH VIE BUD", "HOL RUH MUN TYR TRI SER", "MOS WAR GAL BUD SER ALB")


class Stop(NamedTuple):
    """How far an army comes, and where it bounces others with which strength."""

    at: str
    bounces_in: str = ""
    strength: int = 0


class RailwayEquations(Equations):
    """DATC 2.4, 7.B: the army goes on from province to province as far as nothing stops it."""

    line: Sequence[str] = ()
    train: int = -1
    any_move_opens: bool = True

    @property
    def way(self) -> Sequence[str]:
        start, end = self.line.index(self.pieces[self.train].home), self.line.index(self.pieces[self.train].target)
        return self.line[start + 1 : end + 1] if start < end else self.line[end:start][::-1]

    def movers(self, province: str) -> list[int]:
        return [index for index in super().movers(province) if index != self.train]

    def sails(self, index: int, won: Sequence[bool]) -> bool:
        return index == self.train or super().sails(index, won)

    def move(self, index: int, won: Sequence[bool]) -> bool:
        ride = self.ride(won)
        piece = self.pieces[index]
        if index == self.train:
            return ride.at != piece.home
        is_met = piece.target == ride.bounces_in and (self.is_foreign(index) or ride.bounces_in == self.way[-1])
        return super().move(index, won) and not (is_met and self.attack(index, won) <= ride.strength)

    def ride(self, won: Sequence[bool]) -> Stop:
        home = self.pieces[self.train].home
        facing = self.at.get(self.way[0])
        if self.stopped or (facing is not None and self.is_foreign(facing) and self.goes_by_land(facing, home)):
            return Stop(home)
        stop = home
        for province in self.way[:-1]:
            if self.is_kept(province):
                return Stop(stop)
            if any(self.is_foreign(mover) and self.enters(mover, won) for mover in self.movers(province)):
                return Stop(stop, province, 1)
            if self.is_vacant(province, won) and not any(self.prevent(each, won) for each in self.movers(province)):
                stop = province
        strength, rivals = self.supported(self.train, won), self.movers(self.way[-1])
        wins = self.is_vacant(self.way[-1], won) and all(strength > self.prevent(rival, won) for rival in rivals)
        return Stop(self.way[-1] if wins else stop, self.way[-1], strength)

    def goes_by_land(self, index: int, to: str) -> bool:
        return (
            self.pieces[index].kind == "move" and self.pieces[index].routes is None and self.pieces[index].target == to
        )

    def is_foreign(self, index: int) -> bool:
        return self.pieces[index].power != self.pieces[self.train].power

    def is_vacant(self, province: str, won: Sequence[bool]) -> bool:
        unit = self.at.get(province)
        return unit is None or (self.pieces[unit].kind == "move" and won[unit])

    def is_kept(self, province: str) -> bool:
        unit = self.at.get(province)
        if unit is None or not self.is_foreign(unit):
            return False
        stays_on = self.pieces[unit].target in self.line and not self.any_move_opens
        return self.pieces[unit].kind != "move" or stays_on

    def enters(self, index: int, won: Sequence[bool]) -> bool:
        """Whether a move succeeds where nobody is on the railway, and nobody fails to leave."""
        target = self.pieces[index].target
        unit, opponent = self.at.get(target), self.opponent(index, won)
        if unit is not None and self.pieces[unit].kind == "move" and opponent is None:
            rivals = [rival for rival in self.movers(target) if rival != index]
            attack = self.supported(index, won)
            return self.path(index, won) and all(attack > self.prevent(rival, won) for rival in rivals)
        return super().move(index, won)

    def stops_in(self, core: Collection[int]) -> bool:
        is_circle = all(self.pieces[index].kind == "move" for index in core)
        touches = any(index == self.train or self.pieces[index].target in self.way for index in core)
        return not self.stopped and touches and not is_circle


def battle_on(line: Sequence[str], random: Random) -> tuple[Battle, int] | None:
    """Draw a battle in which an army goes along a railway, and that army."""
    near = sorted({code for place in line for code in neighbours(place)} - set(line))
    theatre = random.sample(line, random.randint(2, 4)) + random.sample(near, random.randint(2, 4))
    battle = random_battle(random, theatre=theatre)
    pieces = list(battle.pieces)
    armies = [i for i, each in enumerate(pieces) if each.home in line and each.type == "A" and each.routes is None]
    armies = [i for i in armies if not any(each.kind == "convoy" and each.partner == i for each in pieces)]
    if not armies:
        return None
    train = random.choice(armies)
    to = random.choice([code for code in line if code != pieces[train].home])
    pieces[train] = pieces[train]._replace(kind="move", to=to, partner=-1)
    for index, piece in enumerate(pieces):
        if piece.kind == "support" and piece.partner == train:
            can = to in {each[:3] for each in destinations(piece.unit)}
            pieces[index] = piece._replace(to=to) if can else Piece(*piece.unit)
    return Battle(tuple(pieces)), train


def neighbours(code: str) -> list[str]:
    return [each.code for i, each in enumerate(BOARD.provinces) if BOARD.distances[BOARD.number[code]][i] == 1]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("any_move_opens", [True, False])
def test_a_railway_against_trying_everything(line: str, any_move_opens: bool) -> None:
    stations = line.split()
    numbers = tuple(BOARD.number[code] for code in stations)
    boards: dict[str, Board] = {
        power: replace(BOARD, railway=Railway("TSR", numbers, power, "any-move")) for power in BOARD.powers
    }
    opens = DATC_3_2.with_choices({} if any_move_opens else {"railway.opens": "move-off-the-line"})
    seen: Counter[str] = Counter()
    for seed in range(250):
        drawn = battle_on(stations, Random(seed))
        if drawn is None:
            continue
        battle, train = drawn
        army = battle.pieces[train]
        namespace = {"line": stations, "train": train, "any_move_opens": any_move_opens}
        rules = type("Rules", (RailwayEquations,), namespace)
        found = solutions(battle, rules)
        expected = found[0] if len(found) == 1 else answer(battle, rules)
        orders = battle.orders()
        orders[train] = GivenOrder(army.power, Move(OrderedUnit(army.location, "A"), army.to, path=("TSR",)))
        after = adjudicate(battle.position(boards[army.power]), orders, opens)
        stop = rules(battle).ride(expected).at if expected[train] else army.home
        results = [
            piece.kind == "hold" or each.outcome == "succeeds"
            for piece, each in zip(battle.pieces, after.orders, strict=True)
        ]
        won = [*expected[:train], stop == army.to, *expected[train + 1 :]]
        assert results == won, f"seed {seed}, {len(found)} solutions, {army}:\n{battle}"
        assert army.unit._replace(location=stop) in after.units or not expected[train], (
            f"seed {seed}, {stop}:\n{battle}"
        )
        seen[f"{len(found)} solutions"] += 1
        seen["stops on the way"] += stop not in (army.home, army.to)
        seen["arrives"] += stop == army.to
        seen["bounces"] += bool(rules(battle).ride(expected).bounces_in)
    assert min(seen["1 solutions"], seen["stops on the way"], seen["arrives"], seen["bounces"]) > 20, seen
