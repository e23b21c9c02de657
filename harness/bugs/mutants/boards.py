"""Mutants in the board: borders that are missing or too many, and coasts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from ....reference_engine import Adjudication, Board, province_code
from ....reference_engine.routes import members
from .mutant import AdjudicatedPhase, Mutant, by_board, by_result


class MissingBorder(NamedTuple):
    """A border that some public engine's map lacks, or has lacked. One end may be a coast."""

    unit_types: str
    one: str
    other: str


MISSING = (
    MissingBorder("A", "GAL", "SIL"),
    MissingBorder("A", "GAL", "UKR"),
    MissingBorder("A", "LVN", "WAR"),
    MissingBorder("AF", "NWY", "STP"),
    MissingBorder("F", "ADR", "ALB"),
    MissingBorder("F", "BAL", "KIE"),
    MissingBorder("F", "NTH", "SKA"),
    MissingBorder("F", "BOT", "FIN"),
    MissingBorder("F", "BOT", "LVN"),
    MissingBorder("F", "BOT", "STP/SC"),
    MissingBorder("F", "BOT", "SWE"),
    MissingBorder("F", "CON", "SMY"),
    MissingBorder("F", "MAO", "SPA/SC"),
    MissingBorder("F", "TUS", "TYS"),
)


def _without(border: MissingBorder) -> Callable[[Board], Board]:
    def make(board: Board) -> Board:
        one, other = board.number[border.one], board.number[border.other]
        if "A" in border.unit_types:
            borders = list(board.army_borders)
            borders[one] &= ~(1 << other)
            borders[other] &= ~(1 << one)
            board = dataclasses.replace(board, army_borders=tuple(borders))
        if "F" in border.unit_types:
            board = _with_fleet_moves(
                board, [_barred(board, place, reached, one, other) for place, reached in enumerate(board.fleet_moves)]
            )
        return board

    return make


def _barred(
    board: Board, location: int, reached: Mapping[int, tuple[int, ...]], one: int, other: int
) -> Mapping[int, tuple[int, ...]]:
    """Where a fleet at a location can still go without a border: each end of it is a province or a coast."""
    here = (location, board.province_of[location])
    barred = {end for start, end in ((one, other), (other, one)) if start in here}
    left = {
        province: tuple(landing for landing in landings if not barred & {landing, province})
        for province, landings in reached.items()
    }
    return {province: landings for province, landings in left.items() if landings}


def _with_fleet_moves(board: Board, moves: Sequence[Mapping[int, tuple[int, ...]]]) -> Board:
    borders = tuple(sum(1 << province for province in reached) for reached in moves)
    return dataclasses.replace(board, fleet_moves=tuple(moves), fleet_borders=borders)


def _coasts_of(board: Board) -> Iterable[list[int]]:
    """The numbers of the coasts of each province with two."""
    for province in board.provinces:
        if province.coasts:
            yield [board.number[f"{province.code}/{coast}"] for coast in province.coasts]


def _coasts_reach_alike(board: Board) -> Board:
    moves = list(board.fleet_moves)
    for coasts in _coasts_of(board):
        reached: dict[int, tuple[int, ...]] = {}
        for coast in coasts:
            reached.update(board.fleet_moves[coast])
        for coast in coasts:
            moves[coast] = reached
    return _with_fleet_moves(board, moves)


def _coasts_are_reached_alike(board: Board) -> Board:
    both = {board.province_of[coasts[0]]: tuple(coasts) for coasts in _coasts_of(board)}
    moves = [
        {province: both.get(province, landings) for province, landings in reached.items()}
        for reached in board.fleet_moves
    ]
    return _with_fleet_moves(board, moves)


def _fleets_over_land(board: Board, terrain: int) -> Sequence[Mapping[int, tuple[int, ...]]]:
    """Where fleets could go if, beside their own borders, they had those of armies to such provinces."""
    moves: list[Mapping[int, tuple[int, ...]]] = []
    for location, reached in enumerate(board.fleet_moves):
        province = board.province_of[location]
        is_fleets = location >= len(board.provinces) or not board.provinces[province].coasts
        more = members(board.army_borders[province] & terrain) if reached and is_fleets else []
        moves.append({**{to: (to,) for to in more if not board.provinces[to].coasts}, **reached})
    return moves


def _fleets_follow_land_borders(board: Board) -> Board:
    return _with_fleet_moves(board, _fleets_over_land(board, board.coastal))


def _fleets_go_inland(board: Board) -> Board:
    everywhere = (1 << len(board.provinces)) - 1
    return _with_fleet_moves(board, _fleets_over_land(board, everywhere & ~board.seas & ~board.coastal))


def _fleets_support_over_land(board: Board) -> Board:
    borders = [
        reached | (board.army_borders[board.province_of[location]] if reached else 0)
        for location, reached in enumerate(board.fleet_borders)
    ]
    return dataclasses.replace(board, fleet_borders=tuple(borders))


def _armies_go_to_sea(board: Board) -> Board:
    borders = list(board.army_borders)
    for location, reached in enumerate(board.fleet_borders):
        province = board.province_of[location]
        if not board.seas >> province & 1:
            borders[province] |= reached & board.seas
    return dataclasses.replace(board, army_borders=tuple(borders))


def _coast_forgotten(phase: AdjudicatedPhase) -> Adjudication:
    units = [
        unit if unit in phase.position.units else unit._replace(location=province_code(unit.location))
        for unit in phase.result.units
    ]
    return phase.result._replace(units=tuple(units))


MUTANTS = (
    *(
        Mutant(
            f"no-border-{border.one}-{border.other}".lower().replace("/", "-"),
            f"lacks the border of {border.one} and {border.other}",
            by_board(_without(border)),
        )
        for border in MISSING
    ),
    Mutant(
        "either-coast-left",
        "lets a fleet leave a province with two coasts for what borders on the other coast",
        by_board(_coasts_reach_alike),
    ),
    Mutant(
        "either-coast-entered",
        "lets a fleet land on either coast of a province, also the one out of its reach",
        by_board(_coasts_are_reached_alike),
    ),
    Mutant(
        "coast-forgotten", "forgets on which of two coasts a fleet has landed", by_result("movement", _coast_forgotten)
    ),
    Mutant(
        "fleet-follows-land-border",
        "lets a fleet go along a coast where only armies can, such as from Rome to Venice",
        by_board(_fleets_follow_land_borders),
    ),
    Mutant("fleet-goes-inland", "lets a fleet go inland", by_board(_fleets_go_inland)),
    Mutant(
        "fleet-supports-over-land",
        "lets a fleet support into a province that it cannot go to itself",
        by_board(_fleets_support_over_land),
    ),
    Mutant("army-goes-to-sea", "lets an army go to sea", by_board(_armies_go_to_sea)),
)
