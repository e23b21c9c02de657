"""Mutants in the board: borders that are missing or too many, and coasts."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from ....reference_engine import Adjudication, Board, Phase, province_code
from ....reference_engine.routes import members
from .mutant import DEFINED, Adjudicated, Mutant, by_board, by_result, mutant

_MISSING = (
    *("A GAL SIL", "A GAL UKR", "A LVN WAR", "AF NWY STP", "F ADR ALB", "F BAL KIE", "F NTH SKA", "F BOT FIN"),
    *("F BOT LVN", "F BOT STP/SC", "F BOT SWE", "F CON SMY", "F MAO SPA/SC", "F TUS TYS"),
)
"""Borders that some public engine's map lacks, or has lacked, for such units. One end may be a coast."""


def _with_fleet_moves(board: Board, moves: Iterable[Mapping[int, tuple[int, ...]]]) -> Board:
    moves = tuple(moves)
    borders = tuple(sum(1 << province for province in reached) for reached in moves)
    return dataclasses.replace(board, fleet_moves=moves, fleet_borders=borders)


def _without(unit_types: str, ends: Sequence[str], board: Board) -> Board:
    """Take away a border, if the map has the provinces."""
    if not board.number.keys() >= set(ends):
        return board
    one, other = (board.number[end] for end in ends)
    if "A" in unit_types:
        borders = list(board.army_borders)
        borders[one] &= ~(1 << other)
        borders[other] &= ~(1 << one)
        board = dataclasses.replace(board, army_borders=tuple(borders))
    if "F" not in unit_types:
        return board
    moves: list[Mapping[int, tuple[int, ...]]] = []
    for location, reached in enumerate(board.fleet_moves):
        here = (location, board.province_of[location])  # Each end of a border is a province or a coast.
        barred = {end for start, end in ((one, other), (other, one)) if start in here}
        left = {
            province: tuple(landing for landing in landings if not barred & {landing, province})
            for province, landings in reached.items()
        }
        moves.append({province: landings for province, landings in left.items() if landings})
    return _with_fleet_moves(board, moves)


for _border in _MISSING:
    _types, *_ends = _border.split()
    _name = "-".join(["no-border", *_ends]).lower().replace("/", "-")
    DEFINED[__name__].append(
        Mutant(_name, f"lacks the border of {' and '.join(_ends)}", by_board(partial(_without, _types, _ends)))
    )


def _coasts_of(board: Board) -> Iterable[list[int]]:
    """The numbers of the coasts of each province with two."""
    for province in board.provinces:
        if province.coasts:
            yield [board.number[f"{province.code}/{coast}"] for coast in province.coasts]


@mutant("lets a fleet leave a province with two coasts for what borders on the other coast", by_board)
def _either_coast_left(board: Board) -> Board:
    moves = list(board.fleet_moves)
    for coasts in _coasts_of(board):
        reached = {to: landings for coast in coasts for to, landings in board.fleet_moves[coast].items()}
        for coast in coasts:
            moves[coast] = reached
    return _with_fleet_moves(board, moves)


@mutant("lets a fleet land on either coast of a province, also the one out of its reach", by_board)
def _either_coast_entered(board: Board) -> Board:
    both = {board.province_of[coasts[0]]: tuple(coasts) for coasts in _coasts_of(board)}
    return _with_fleet_moves(
        board, ({to: both.get(to, landings) for to, landings in reached.items()} for reached in board.fleet_moves)
    )


def _forgetting_coasts(phase: Adjudicated) -> Adjudication:
    units = [
        unit if unit in phase.position.units else unit._replace(location=province_code(unit.location))
        for unit in phase.result.units
    ]
    return phase.result._replace(units=tuple(units))


_WITHOUT_COASTS: Mapping[Phase, tuple[str, str]] = {
    "movement": ("coast-forgotten", "forgets on which of two coasts a fleet has landed"),
    "retreat": ("coast-forgotten-in-retreat", "forgets on which of two coasts a fleet has retreated"),
    "adjustment": ("coast-forgotten-by-build", "forgets on which of two coasts a fleet was built"),
}
for _phase, (_name, _sentence) in _WITHOUT_COASTS.items():
    DEFINED[__name__].append(Mutant(_name, _sentence, by_result(_phase, _forgetting_coasts)))


def _with_fleets_over_land(board: Board, terrain: int) -> Board:
    """Let fleets go to such provinces by the borders of armies, beside their own."""
    moves: list[Mapping[int, tuple[int, ...]]] = []
    for location, reached in enumerate(board.fleet_moves):
        province = board.province_of[location]
        is_fleets = location >= len(board.provinces) or not board.provinces[province].coasts
        more = members(board.army_borders[province] & terrain) if reached and is_fleets else []
        moves.append({**{to: (to,) for to in more if not board.provinces[to].coasts}, **reached})
    return _with_fleet_moves(board, moves)


@mutant("takes Kiel and Constantinople for inland, so that no fleet enters or leaves them", by_board)
def _no_fleet_in_canals(board: Board) -> Board:
    for canal in ("KIE", "CON"):
        for other in members(board.borders_of_any_unit(board.number[canal])) if canal in board.number else ():
            board = _without("F", (canal, board.provinces[other].code), board)
    return board


@mutant("lets a fleet go along a coast where only armies can, such as from Rome to Venice", by_board)
def _fleet_follows_land_border(board: Board) -> Board:
    return _with_fleets_over_land(board, board.coastal)


@mutant("lets a fleet go inland", by_board)
def _fleet_goes_inland(board: Board) -> Board:
    everywhere = (1 << len(board.provinces)) - 1
    return _with_fleets_over_land(board, everywhere & ~board.seas & ~board.coastal)


@mutant("lets a fleet support into a province that it cannot go to itself", by_board)
def _fleet_supports_over_land(board: Board) -> Board:
    borders = [
        reached | (board.army_borders[board.province_of[location]] if reached else 0)
        for location, reached in enumerate(board.fleet_borders)
    ]
    return dataclasses.replace(board, fleet_borders=tuple(borders))


@mutant("lets an army go to sea", by_board)
def _army_goes_to_sea(board: Board) -> Board:
    borders = list(board.army_borders)
    for location, reached in enumerate(board.fleet_borders):
        province = board.province_of[location]
        if not board.seas >> province & 1:
            borders[province] |= reached & board.seas
    return dataclasses.replace(board, army_borders=tuple(borders))
