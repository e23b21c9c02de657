"""Difficult passages and coasts that convoy against trying everything, and what else is special about a map."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from datc.reference_engine import Board, Position, Turn, Unit, adjudicate, find_procedure, legal_orders, start_position
from datc.reference_engine.errors import PositionError, UnplayedChoiceError
from datc.reference_engine.maps import load_board
from datc.reference_engine.orders import Build
from datc.reference_engine.routes import members

from ..strategies import BOARD
from .brute_force import SEAS, Battle, Equations, answer, outcomes, random_battle, solutions
from .play import orders_of, position_of

BATTLES = 700
DRAWN = 8000


def difficult_board() -> Board:
    """The standard map with every third border difficult, for armies and fleets alike."""
    count = len(BOARD.provinces)
    pairs = {(one, other) for one in range(count) for other in range(count) if (one * other) % 3 == 1}
    return replace(BOARD, difficult=frozenset((kind, *pair) for kind in ("A", "F") for pair in pairs))


DIFFICULT = difficult_board()


def is_difficult(kind: str, home: str, to: str) -> bool:
    return (kind, BOARD.number[home], BOARD.number[to]) in DIFFICULT.difficult


class PassageEquations(Equations):
    """DATC 2.4, chapter 10. No attack and an empty province have -1, less than a move with no strength but its path."""

    def crosses(self, index: int) -> bool:
        piece = self.pieces[index]
        return piece.kind == "move" and piece.routes is None and is_difficult(piece.type, piece.home, piece.target)

    def supported(self, index: int, won: Sequence[bool], but_of: str = "") -> int:
        return super().supported(index, won, but_of) - self.crosses(index)

    def hold(self, province: str, won: Sequence[bool]) -> int:
        return super().hold(province, won) or -1

    def prevent(self, index: int, won: Sequence[bool]) -> int:
        opponent = self.opponent(index, won)
        is_beaten = opponent is not None and won[opponent]
        return self.supported(index, won) if self.path(index, won) and not is_beaten else -1

    def attack(self, index: int, won: Sequence[bool]) -> int:
        piece, defender = self.pieces[index], self.at.get(self.pieces[index].target)
        if not self.path(index, won):
            return -1
        stays = defender is not None and (
            self.pieces[defender].kind != "move" or not won[defender] or self.opponent(index, won) is not None
        )
        if defender is None or not stays:
            return self.supported(index, won)
        power = self.pieces[defender].power
        return -1 if power == piece.power else self.supported(index, won, but_of=power)

    def cuts(self, attacker: int, index: int, won: Sequence[bool]) -> bool:
        return super().cuts(attacker, index, won) and not (self.crosses(attacker) and self.attack(attacker, won) < 1)


def without_far_supports(battle: Battle) -> Battle:
    """Nobody supports across a difficult passage."""
    return Battle(
        tuple(
            piece._replace(kind="hold", to="", partner=-1)
            if piece.kind == "support" and is_difficult(piece.type, piece.home, piece.target)
            else piece
            for piece in battle.pieces
        )
    )


@pytest.mark.slow
@pytest.mark.parametrize("lot", range(2))
def test_difficult_passages(lot: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(lot * BATTLES, (lot + 1) * BATTLES):
        battle = without_far_supports(random_battle(Random(seed)))
        equations = PassageEquations(battle)
        found = solutions(battle, PassageEquations)
        after = adjudicate(battle.position(DIFFICULT), battle.orders())
        expected = found[0] if len(found) == 1 else answer(battle, PassageEquations)
        assert outcomes(battle, after) == expected, f"seed {seed}, {len(found)} solutions:\n{battle}"
        moves = [index for index in battle.ordered if battle.pieces[index].kind == "move"]
        left = {battle.pieces[index].target for index in moves if equations.prevent(index, expected) >= 0}
        assert after.contested == left - {unit.location[:3] for unit in (*after.units,)}, f"seed {seed}:\n{battle}"
        seen.update("crosses" if equations.crosses(index) else "walks" for index in moves)
        seen[f"{len(found)} solutions"] += 1
    assert seen["crosses"] > BATTLES // 2
    assert seen["2 solutions"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("lot", range(1))
def test_coasts_that_convoy(lot: int) -> None:
    """Half of the coasts, many of them with a border that only armies cross: no convoy goes that way."""
    one_coast = [each.code for each in BOARD.provinces if each.terrain == "coastal" and not each.coasts]
    coasts = frozenset(one_coast[::2])
    board = replace(BOARD, convoying=BOARD.convoying | sum(1 << BOARD.number[code] for code in coasts))
    seen: Counter[str] = Counter()
    for seed in range(lot * DRAWN, (lot + 1) * DRAWN):
        battle = random_battle(Random(seed), SEAS | coasts)
        if all(piece.kind != "convoy" or piece.home in SEAS for piece in battle.pieces):
            continue
        found = solutions(battle)
        after = adjudicate(battle.position(board), battle.orders())
        expected = found[0] if len(found) == 1 else answer(battle)
        assert outcomes(battle, after) == expected, f"seed {seed}, {len(found)} solutions:\n{battle}"
        fleets = {piece.home for piece in battle.pieces if piece.kind == "convoy" and piece.home not in SEAS}
        attackers = [piece for piece in battle.pieces if piece.kind == "move" and piece.target in fleets]
        seen.update(f"attacked by {piece.type}" for piece in attackers)
        seen[f"{len(found)} solutions"] += 1
    assert seen["1 solutions"] > DRAWN // 200
    assert min(seen["attacked by A"], seen["attacked by F"]) > DRAWN // 1000, seen


def test_ice_has_no_borders_in_its_season() -> None:
    board = load_board("loeb9")
    fall = board.in_season("autumn")
    assert fall is board.in_season("autumn")
    assert board.in_season("spring") is fall.in_season("spring") is board
    assert "ARC" in board.destinations(Unit("NORWAY", "F", "NWG"))
    assert "ARC" not in fall.destinations(Unit("NORWAY", "F", "NWG"))
    assert fall.destinations(Unit("NORWAY", "F", "ARC")) == ()
    ice = board.number["ARC"]
    route = (board.number["LVP"], board.number["SIB"])
    assert any(seas >> ice & 1 for seas in board.routes.between(*route))
    assert not any(seas >> ice & 1 for seas in fall.routes.between(*route))
    again = pickle.loads(pickle.dumps((Position([Unit("NORWAY", "F", "ARC")], board=fall), board)))  # noqa: S301 - our own
    assert (again[0].board, again[1]) == (fall, board)


def test_a_game_goes_from_a_season_of_ice_to_one_without() -> None:
    turn = Turn(start_position(load_board("loeb9")))
    seasons = []
    for _ in range(4):
        turn = turn.after(adjudicate(turn.position, []))
        seasons.append((turn.season, "ARC" in turn.position.board.destinations(Unit("NORWAY", "F", "NWG"))))
    assert seasons == [("autumn", False), ("spring", True), ("autumn", False), ("spring", True)]


def test_a_power_builds_in_any_center_that_it_owns() -> None:
    board = load_board("chaos")
    position = Position([], phase="adjustment", centers={"C-BER": ["BER", "NAP"]}, board=board)
    legal = [given.order for place in ("BER", "NAP", "ROM") for given in legal_orders(position, place)]
    built = {order.unit.location for order in legal if isinstance(order, Build)}
    assert built == {"BER", "NAP"}


def test_what_a_power_owns_at_the_start_of_1898() -> None:
    board = load_board("1898")
    turn = Turn(start_position(board), "autumn").after(adjudicate(start_position(board), []))
    assert turn.season == "spring"  # One center and one unit each: nothing to adjust.
    assert turn.position.centers["RUSSIA"] == frozenset({"STP"})


def test_an_unknown_map_is_refused() -> None:
    for name in ("loeb8", "../data/loeb9", "lo\0eb9", ""):
        with pytest.raises(PositionError, match=r"there is no map"):
            _ = load_board(name)


@pytest.mark.parametrize("name", ["decisions", "dpjudge", "dptg"])
def test_a_procedure_that_knows_no_passages_is_not_asked(name: str) -> None:
    given = orders_of("FRANCE: A PAR - BUR")
    with pytest.raises(UnplayedChoiceError, match=r"difficult passages"):
        _ = adjudicate(Position(position_of(given).units, board=DIFFICULT), given, procedure=find_procedure(name))


def test_the_numbers_of_ice_and_passages() -> None:
    board = load_board("loeb9")
    assert {season: [board.locations[each] for each in members(ice)] for season, ice in board.ice.items()} == {
        "autumn": ["ARC"]
    }
    passages = {(kind, board.locations[one], board.locations[other]) for kind, one, other in board.difficult}
    assert passages == {
        ("A", "COR", "NAF"),
        ("A", "NAF", "COR"),
        ("A", "NAP", "SIC"),
        ("A", "SIC", "NAP"),
    }
