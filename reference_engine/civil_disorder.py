# mypyc
"""Units that go without an order: in civil disorder (4.D.8, X.17), and as a Flying Dutchman (4.E.6).

A Flying Dutchman is a unit that should not be on the board.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from .board import Board, Unit, UnitType, province_code
from .choices import ChoiceTables
from .position import FlyingDutchman, Position
from .routes import members
from .rulesets import Ruleset

FAR = 1000
"""The distance of a unit that can reach nothing: more steps than any board has."""

SortKey: TypeAlias = tuple[bool, int, bool, str]


Way: TypeAlias = Callable[[Unit], tuple[str, ...]]
"""A shortest way home: the locations from where a unit stands to the goal; empty where it can reach nothing."""


class RemovalCandidate(NamedTuple):
    """What the rule for civil disorder looks at in a unit."""

    unit: Unit
    distance: int
    way: tuple[str, ...]
    """A shortest way home; empty where the unit can reach nothing."""
    is_spared: bool
    """Whether it is removed last, since it stands on a supply center."""
    name: str
    """What it is ordered by in the alphabet."""
    key: SortKey
    """What the units are sorted by: the first ones are removed."""


ALPHABET: Mapping[str, Mapping[str, str]] = {
    "map-name": {},
    "dptg-list": {"BOT": "Bothnia", "LYO": "Lyon", "STP": "Saint Petersburg"},
}
"""Rule X.17: the names by which provinces are ordered where they are not those of the map."""


def removal_order(position: Position, power: str, ruleset: Ruleset) -> Callable[[Unit], SortKey]:
    """What the units of a power are sorted by: the first ones are removed.

    Farthest first, then as the rule says (4.D.8), then by name.
    """
    rule = REMOVAL_RULES[ruleset.choices["4.D.8"]]
    way = rule.way(position, power)
    board, names = position.board, ALPHABET[ruleset.choices["X.17"]]
    centers = board.supply_centers - board.not_counted.get(power, frozenset())

    def key(unit: Unit) -> SortKey:
        province = board.provinces[board.province_of[board.number[unit.location]]]
        spared = rule.spares_centers and province.code in centers
        army_later = rule.takes_fleets_first and unit.type == "A"
        return (spared, -_distance(way(unit)), army_later, names.get(province.code, province.name))

    return key


def removal_candidates(position: Position, power: str, ruleset: Ruleset) -> list[RemovalCandidate]:
    """The units of a power in the order in which civil disorder removes them, with what decides it."""
    way = REMOVAL_RULES[ruleset.choices["4.D.8"]].way(position, power)
    key_of = removal_order(position, power, ruleset)
    found: list[RemovalCandidate] = []
    for unit in position.units:
        if unit.power == power:
            key = key_of(unit)
            found.append(RemovalCandidate(unit, -key[1], way(unit), key[0], key[3], key))
    return sorted(found, key=lambda candidate: candidate.key)


def _distance(way: tuple[str, ...]) -> int:
    return len(way) - 1 if way else FAR


def homes(position: Position, power: str) -> Collection[str]:
    """The home centers of a power, where it may build; on some maps all centers that it owns (DATC 2.4, 11)."""
    board = position.board
    return position.counted(power) if board.builds_anywhere else board.powers[power].home_centers


def _to_owned_centers(position: Position, power: str) -> Way:
    """The 2023 rulebook: steps over land and sea alike to a center that the power owns."""
    return _any_way(position, position.counted(power))


def _all_abilities(position: Position, power: str) -> Way:
    """A reading of 1971: steps over land and sea alike to a home center."""
    return _any_way(position, homes(position, power))


def _as_the_dptg(position: Position, power: str) -> Way:
    """DPTG XIII: armies over land and sea, fleets as fleets move, to a home center whichever power owns it."""
    return _armies_any_way(position, homes(position, power))


def _to_the_country(position: Position, power: str) -> Way:
    """The 2000 rulebook: to any province of the home country, counted as the community did (like the DPTG)."""
    anywhere = position.board.builds_anywhere
    return _armies_any_way(position, homes(position, power) if anywhere else position.board.powers[power].country)


def _convoy_counts_one(position: Position, power: str) -> Way:
    """A reading of 1971: units move as they do, and any sea route is one move for an army."""
    return _as_units_move(position, homes(position, power), position.board.convoying)


def _own_fleets(position: Position, power: str) -> Way:
    """A reading of 1971: units move as they do, and armies are convoyed by fleets of their own that are there."""
    return _as_units_move(position, homes(position, power), position.fleets_at_sea([power]))


def _any_fleets(position: Position, power: str) -> Way:
    """A reading of 1971: units move as they do, and armies are convoyed by whatever fleets are there."""
    return _as_units_move(position, homes(position, power), position.fleets_at_sea())


def _as_alexander(position: Position, power: str) -> Way:
    """Alexander III.5.h: successful moves as the board stands, over vacant provinces, with convoys of own fleets."""
    return _as_units_move(position, homes(position, power), position.fleets_at_sea([power]), vacant_only=True)


@dataclass(frozen=True)
class RemovalRule:
    """A choice of 4.D.8."""

    way: Callable[[Position, str], Way]
    """How the units of a power come home."""
    spares_centers: bool
    """Whether units on supply centers are removed last, however far they are."""
    takes_fleets_first: bool
    """Whether a fleet is removed before an army at the same distance."""


REMOVAL_RULES: Mapping[str, RemovalRule] = {
    "1971-convoy-one-move": RemovalRule(_convoy_counts_one, spares_centers=False, takes_fleets_first=True),
    "1971-own-fleets": RemovalRule(_own_fleets, spares_centers=False, takes_fleets_first=True),
    "1971-any-fleets": RemovalRule(_any_fleets, spares_centers=False, takes_fleets_first=True),
    "dptg": RemovalRule(_as_the_dptg, spares_centers=False, takes_fleets_first=True),
    "1971-all-abilities": RemovalRule(_all_abilities, spares_centers=False, takes_fleets_first=True),
    "2000-country": RemovalRule(_to_the_country, spares_centers=False, takes_fleets_first=True),
    "2023": RemovalRule(_to_owned_centers, spares_centers=True, takes_fleets_first=True),
    "alexander": RemovalRule(_as_alexander, spares_centers=False, takes_fleets_first=False),
}
"""Issue 4.D.8: which unit is removed first in civil disorder."""


def _any_way(position: Position, goals: Collection[str]) -> Way:
    """Steps over land and sea alike."""
    board, wanted = position.board, frozenset(goals)
    return lambda unit: _nearest_steps(board, unit.location, wanted)


@lru_cache(maxsize=4096)
def _nearest_steps(board: Board, location: str, goals: frozenset[str]) -> tuple[str, ...]:
    """Find the steps from a location to the nearest goal, over land and sea alike."""
    if not goals:
        return ()
    here = board.province_of[board.number[location]]
    provinces = sorted(board.number[goal] for goal in goals)
    to_goal = board.distances[min(provinces, key=board.distances[here].__getitem__)]
    steps = [location]
    while to_goal[here]:
        here = next(to for to in members(board.borders_of_any_unit(here)) if to_goal[to] < to_goal[here])
        steps.append(board.locations[here])
    return tuple(steps)


def _armies_any_way(position: Position, goals: Collection[str]) -> Way:
    by_foot, by_sea = _any_way(position, goals), _as_units_move(position, goals, 0)
    return lambda unit: (by_foot if unit.type == "A" else by_sea)(unit)


def _as_units_move(position: Position, goals: Collection[str], convoying: int, *, vacant_only: bool = False) -> Way:
    """Moves to the nearest goal, each by land, by a fleet's border, or over a route of the convoying seas."""
    board, wanted = position.board, frozenset(goals)
    closed = frozenset(position.home) if vacant_only else frozenset[int]()
    return lambda unit: _nearest_way(board, unit.type, unit.location, wanted, convoying, closed)


@lru_cache(maxsize=4096)
def _nearest_way(
    board: Board, unit_type: UnitType, location: str, goals: frozenset[str], convoying: int, closed: frozenset[int]
) -> tuple[str, ...]:
    """Find the way from a location to the nearest goal that enters no closed province."""
    wanted = {board.number[goal] for goal in goals}
    start = board.number[location]
    came_from = {start: -1}
    frontier = [start]
    while frontier:
        for here in frontier:
            if board.province_of[here] in wanted:
                return tuple(board.locations[step] for step in _trace(came_from, here))
        following: dict[int, int] = {}
        for here in frontier:
            for to in _moves(board, unit_type, here, convoying) - came_from.keys():
                if board.province_of[to] not in closed:
                    _ = following.setdefault(to, here)
        came_from |= following
        frontier = sorted(following)
    return ()


def _trace(came_from: Mapping[int, int], location: int) -> list[int]:
    """The way to a location, from its start."""
    steps = [location]
    while came_from[steps[-1]] >= 0:
        steps.append(came_from[steps[-1]])
    return steps[::-1]


def _moves(board: Board, unit_type: UnitType, location: int, convoying: int) -> set[int]:
    if unit_type == "F":
        return {to for landings in board.fleet_moves[location].values() for to in landings}
    return set(members(board.army_borders[location] | board.routes.reachable(location, convoying)))


def _candidates(position: Position, dutchman: FlyingDutchman) -> Sequence[Unit]:
    provinces = {province_code(candidate) for candidate in dutchman.candidates}
    return [unit for unit in position.units if province_code(unit.location) in provinces]


def _any_before_moves(position: Position, dutchman: FlyingDutchman) -> Sequence[Unit]:
    """The Alexander Rules V.6: any unit of the power, as in civil disorder; adjustments finish as usual."""
    if position.phase == "adjustment":
        return ()
    return [unit for unit in position.units if unit.power == dutchman.power]


GOES_AT_ONCE: Mapping[str, Callable[[Position, FlyingDutchman], Sequence[Unit]]] = {
    "play-on": lambda _position, _dutchman: (),
    "datc": _candidates,
    "alexander": _any_before_moves,
}
"""Issue 4.E.6: the units among which civil disorder removes one before the phase; empty where no unit is removed.

That the last phase is judged again, where its adjudication was the mistake, is not for this phase to show.
"""

CHOICE_TABLES: ChoiceTables = {"4.D.8": REMOVAL_RULES, "4.E.6": GOES_AT_ONCE, "X.17": ALPHABET}


def without_flying_dutchmen(position: Position, ruleset: Ruleset) -> Position:
    """The position once its Flying Dutchmen are dealt with."""
    for dutchman in position.flying_dutchmen:
        doomed = GOES_AT_ONCE[ruleset.choices["4.E.6"]](position, dutchman)
        gone = min(doomed, key=removal_order(position, dutchman.power, ruleset), default=None)
        units = [unit for unit in position.units if unit != gone]
        position = Position(units, phase=position.phase, centers=position.centers, board=position.board)
    return position
