"""Civil disorder: which unit is removed first (issue 4.D.8), and by which alphabet (X.17)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from .board import Board, members
from .orders import Unit
from .position import Position
from .rulesets import Ruleset

FAR = 1000
"""The distance of a unit that can reach nothing: more steps than any board has."""

SortKey: TypeAlias = tuple[bool, int, bool, str]

ALPHABET: Mapping[str, Mapping[str, str]] = {
    "map-name": {},
    "dptg-list": {"BOT": "Bothnia", "LYO": "Lyon", "STP": "Saint Petersburg"},
}
"""Rule X.17: the names by which provinces are ordered where they are not those of the map."""


def removal_order(position: Position, power: str, ruleset: Ruleset) -> Callable[[Unit], SortKey]:
    """What the units of a power are sorted by: the first ones are removed.

    Farthest first, at equal distance a fleet before an army (but in the Alexander rules), then by name. The 2023
    rulebook takes units on supply centers last.
    """
    rule = ruleset.choices["4.D.8"]
    distance = DISTANCE[rule](position, power)
    names = ALPHABET[ruleset.choices["X.17"]]
    board = position.board

    def key(unit: Unit) -> SortKey:
        province = board.provinces[board.province_of[board.number[unit.location]]]
        spared = rule == "2023" and province.code in board.supply_centers
        army_later = rule != "alexander" and unit.type == "A"
        return (spared, -distance(unit), army_later, names.get(province.code, province.name))

    return key


def _to_owned_centers(position: Position, power: str) -> Callable[[Unit], int]:
    """The 2023 rulebook: steps over land and sea alike to a center that the power owns."""
    return _any_way(position, position.centers.get(power, ()))


def _all_abilities(position: Position, power: str) -> Callable[[Unit], int]:
    """A reading of 1971: steps over land and sea alike to a home center."""
    return _any_way(position, position.board.powers[power].home_centers)


def _as_the_dptg(position: Position, power: str) -> Callable[[Unit], int]:
    """DPTG XI: armies over land and sea, fleets as fleets move, to a home center whoever owns it."""
    return _armies_any_way(position, position.board.powers[power].home_centers)


def _to_the_country(position: Position, power: str) -> Callable[[Unit], int]:
    """The 2000 rulebook: to any province of the home country, counted as the community did (like the DPTG)."""
    return _armies_any_way(position, position.board.powers[power].country)


def _convoy_counts_one(position: Position, power: str) -> Callable[[Unit], int]:
    """A reading of 1971: units move as they do, and any sea route is one move for an army."""
    return _as_units_move(position, position.board.powers[power].home_centers, position.board.seas)


def _own_fleets(position: Position, power: str) -> Callable[[Unit], int]:
    """A reading of 1971: units move as they do, and armies are convoyed by fleets of their own that are there."""
    homes = position.board.powers[power].home_centers
    return _as_units_move(position, homes, position.fleets_at_sea([power]))


def _any_fleets(position: Position, power: str) -> Callable[[Unit], int]:
    """A reading of 1971: units move as they do, and armies are convoyed by whatever fleets are there."""
    homes = position.board.powers[power].home_centers
    return _as_units_move(position, homes, position.fleets_at_sea(position.board.powers))


def _as_alexander(position: Position, power: str) -> Callable[[Unit], int]:
    """Alexander III.5.h: successful moves as the board stands, over vacant provinces, with convoys of own fleets."""
    homes = position.board.powers[power].home_centers
    return _as_units_move(position, homes, position.fleets_at_sea([power]), vacant_only=True)


DISTANCE: Mapping[str, Callable[[Position, str], Callable[[Unit], int]]] = {
    "1971-convoy-one-move": _convoy_counts_one,
    "1971-own-fleets": _own_fleets,
    "1971-any-fleets": _any_fleets,
    "dptg": _as_the_dptg,
    "1971-all-abilities": _all_abilities,
    "2000-country": _to_the_country,
    "2023": _to_owned_centers,
    "alexander": _as_alexander,
}
"""Issue 4.D.8: how far a unit of a power is from home."""


def _any_way(position: Position, goals: Iterable[str]) -> Callable[[Unit], int]:
    board = position.board
    provinces = [board.number[goal] for goal in goals]

    def distance(unit: Unit) -> int:
        start = board.province_of[board.number[unit.location]]
        return min((board.distances[start][goal] for goal in provinces), default=FAR)

    return distance


def _armies_any_way(position: Position, goals: Sequence[str]) -> Callable[[Unit], int]:
    by_foot = _any_way(position, goals)
    by_sea = _as_units_move(position, goals, 0)
    return lambda unit: by_foot(unit) if unit.type == "A" else by_sea(unit)


def _as_units_move(
    position: Position, goals: Sequence[str], convoying: int, *, vacant_only: bool = False
) -> Callable[[Unit], int]:
    """Moves to the nearest goal, each by land, by a fleet's border, or over a route of the convoying seas."""
    board = position.board
    wanted = {board.number[goal] for goal in goals}

    def distance(unit: Unit) -> int:
        start = board.number[unit.location]
        seen = {start}
        frontier, steps = [start], 0
        while frontier:
            if any(board.province_of[location] in wanted for location in frontier):
                return steps
            following = {to for location in frontier for to in _moves(board, unit, location, convoying)} - seen
            if vacant_only:
                following = {to for to in following if position.occupant[board.province_of[to]] < 0}
            seen |= following
            frontier, steps = sorted(following), steps + 1
        return FAR

    return distance


def _moves(board: Board, unit: Unit, location: int, convoying: int) -> set[int]:
    if unit.type == "F":
        return {to for landings in board.fleet_moves[location].values() for to in landings}
    reach = set(members(board.army_borders[location]))
    if convoying:
        reach |= {to for to in members(board.coastal) if board.routes.possible(location, to, convoying)}
    return reach
