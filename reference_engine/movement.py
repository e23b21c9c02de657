"""The movement phase: which orders match, what the equations make of them, and who is dislodged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from .board import members
from .equations import Equations
from .legality import CONVOY, HOLD, HOLDS, MOVE, MULTIPLE_ORDERS, SUPPORT, Legality, Meaning, check_played, follow_one
from .legality import PLAYED as PLAYED_FOR_LEGALITY
from .orders import GivenOrder, Unit, UnitType
from .position import Dislodged, Position
from .results import (
    BOUNCED,
    CUT,
    DISLODGED,
    DISRUPTED,
    IGNORED,
    ILLEGAL,
    NO_PATH,
    SUCCEEDED,
    VOID,
    Adjudication,
    OrderResult,
)
from .rulesets import Ruleset


class AdjacentMove(NamedTuple):
    """What decides whether an army goes to a neighbouring province by convoy (issue 4.A.3)."""

    via_convoy: bool
    """Its order is tagged "via convoy"."""
    own_fleet: bool
    """A fleet of its own power is legally ordered to convoy it."""
    route_ordered: bool
    """All fleets of one route are ordered to convoy it."""
    opposite: bool
    """The unit at its destination moves to where it comes from."""


GOES_BY_CONVOY: Mapping[str, Callable[[AdjacentMove], bool]] = {
    "1971-convoy-always": lambda move: move.route_ordered,
    "1971-opposite": lambda move: move.route_ordered and move.opposite,
    "2000-no-fallback": lambda move: move.via_convoy or move.own_fleet,
    "2000-fallback-unordered": lambda move: (move.via_convoy or move.own_fleet) and move.route_ordered,
    "dptg-explicit": lambda move: move.via_convoy,
}
"""Issue 4.A.3: whether the convoy is used, and the land disregarded."""

COASTS_MATCH: Mapping[str, Callable[[int, int], bool]] = {
    "required": lambda written, landing: written == landing,
    "optional-must-match": lambda written, landing: written in (-1, landing),
    "ignored": lambda _written, _landing: True,
}
"""Issue 4.B.4: whether the coast written in a support (-1 for none) fits a fleet's landing on one of two coasts."""

PLAYED: Mapping[str, frozenset[str]] = {
    **PLAYED_FOR_LEGALITY,
    "4.A.1": frozenset({"all-routes"}),
    "4.A.2": frozenset({"szykman"}),
    "4.A.3": frozenset(GOES_BY_CONVOY),
    "4.A.4": frozenset({"not-cut", "cut"}),
    "4.A.5": frozenset({"no-retreat-to-origin", "retreat-to-origin"}),
    "4.A.6": frozenset({"ignored"}),
    "4.A.7": frozenset({"head-to-head-only"}),
    "4.B.4": frozenset(COASTS_MATCH),
}


def adjudicate_movement(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Adjudication:
    """Adjudicate a movement phase. Raises `UnplayedChoiceError` for a choice that this engine does not play."""
    check_played(ruleset, PLAYED)
    legality = Legality(position, ruleset)
    given = [legality.meaning(power, order) for power, order in orders]
    followed, meanings = follow_one(given, len(position.units), HOLDS, MULTIPLE_ORDERS[ruleset.choices["4.D.3"]])
    equations = match(position, meanings, ruleset)
    equations.solve()
    dislodger = _dislodgers(equations)
    units, occupied = _board_after(position, meanings, equations, dislodger)
    contested = _contested(equations, occupied)
    return Adjudication(
        units=units,
        dislodged=_dislodged(position, equations, dislodger, occupied | contested, ruleset),
        orders=tuple([_result(given, index, followed, equations, dislodger) for index in range(len(given))]),
        contested=frozenset([position.board.provinces[province].code for province in contested]),
    )


def match(position: Position, meanings: Sequence[Meaning], ruleset: Ruleset) -> Equations:
    """Set up the equations: which armies are convoyed by whom, which supports match, who meets head to head."""
    home = position.home
    equations = Equations(
        position.power,
        home,
        position.occupant,
        [meaning[0] for meaning in meanings],
        [meaning[1] for meaning in meanings],
        convoy_cuts_support_on_itself=ruleset.choices["4.A.4"] == "cut",
    )
    kind, target, routes = equations.kind, equations.target, equations.routes
    _match_convoys(position, meanings, equations, GOES_BY_CONVOY[ruleset.choices["4.A.3"]])
    coasts_match = COASTS_MATCH[ruleset.choices["4.B.4"]]
    for unit, meaning in enumerate(meanings):
        if kind[unit] == SUPPORT:
            if _support_matches(meaning, meanings[meaning[2]], home[meaning[2]], coasts_match):
                equations.supporters[meaning[2]] = (*equations.supporters[meaning[2]], unit)
            else:
                kind[unit] = HOLD
        elif kind[unit] == MOVE and routes[unit] is None:
            other = position.occupant[target[unit]]
            if other >= 0 and kind[other] == MOVE and target[other] == home[unit] and routes[other] is None:
                equations.opponent[unit] = other
    return equations


def _support_matches(
    support: Meaning, supported: Meaning, supported_home: int, coasts_match: Callable[[int, int], bool]
) -> bool:
    _, province, _, coast = support
    kind, target, landing, _ = supported
    if province == supported_home:
        return kind != MOVE
    if kind != MOVE or target != province:
        return False
    return landing == target or coasts_match(coast, landing)


def _match_convoys(
    position: Position,
    meanings: Sequence[Meaning],
    equations: Equations,
    goes_by_convoy: Callable[[AdjacentMove], bool],
) -> None:
    """Find the fleets that are ordered to convoy each army, and which armies go by convoy (4.A.3)."""
    fleets: dict[tuple[int, int], list[int]] = {}
    for unit, (kind, target, convoyed, _) in enumerate(meanings):
        if kind == CONVOY:
            fleets.setdefault((convoyed, target), []).append(unit)
    for unit, (kind, target, _, via_convoy) in enumerate(meanings):
        if kind != MOVE or position.is_fleet[unit]:
            continue
        home = equations.home[unit]
        adjacent = position.board.army_borders[home] >> target & 1
        convoying = fleets.get((unit, target), [])
        if adjacent and not convoying and not via_convoy:
            continue
        routes = _ordered_routes(position, home, target, {equations.home[fleet]: fleet for fleet in convoying})
        if adjacent:
            other = position.occupant[target]
            move = AdjacentMove(
                via_convoy=bool(via_convoy),
                own_fleet=any(equations.power[fleet] == equations.power[unit] for fleet in convoying),
                route_ordered=bool(routes),
                opposite=other >= 0 and meanings[other][0] == MOVE and meanings[other][1] == home,
            )
            if not goes_by_convoy(move):
                continue
        equations.routes[unit] = routes
        _ = fleets.pop((unit, target), None)
    for unmatched in fleets.values():
        for fleet in unmatched:
            equations.kind[fleet] = HOLD


def _ordered_routes(
    position: Position, home: int, target: int, fleets: Mapping[int, int]
) -> tuple[tuple[int, ...], ...]:
    """The minimal routes of which every fleet is ordered, each as its fleets; `fleets` holds the one at each sea."""
    seas = 0
    for sea in fleets:
        seas |= 1 << sea
    return tuple(
        tuple(fleet for sea, fleet in fleets.items() if route >> sea & 1)
        for route in position.board.routes.between(home, target)
        if route & seas == route
    )


def _result(
    given: Sequence[tuple[int, Meaning] | None],
    index: int,
    followed: Sequence[int],
    equations: Equations,
    dislodger: Mapping[int, int],
) -> OrderResult:
    """What became of one order: it was illegal, not the one followed, or what the equations say."""
    order = given[index]
    if order is None:
        return ILLEGAL
    unit, (kind, _, _, _) = order
    if followed[unit] != index and (followed[unit] < 0 or given[followed[unit]] != order):
        return IGNORED
    if kind == MOVE:
        return SUCCEEDED if equations.resolution[unit] else _failed_move(equations, unit)
    if kind == HOLD:
        return DISLODGED if unit in dislodger else SUCCEEDED
    if equations.kind[unit] == HOLD:
        return VOID
    if equations.resolution[unit]:
        return SUCCEEDED
    if kind == SUPPORT:
        return CUT
    return DISLODGED if unit in dislodger else DISRUPTED


def _failed_move(equations: Equations, unit: int) -> OrderResult:
    if equations.path(unit, optimistic=False):
        return BOUNCED
    return DISRUPTED if equations.routes[unit] else NO_PATH


def _dislodgers(equations: Equations) -> dict[int, int]:
    """The unit that moves into the province of each one that stays (5.A)."""
    kind, resolution = equations.kind, equations.resolution
    dislodger: dict[int, int] = {}
    for province, attackers in equations.attackers.items():
        unit = equations.occupant[province]
        if unit >= 0 and not (kind[unit] == MOVE and resolution[unit]):
            for attacker in attackers:
                if resolution[attacker]:
                    dislodger[unit] = attacker
    return dislodger


@lru_cache(maxsize=4096)
def _unit(power: str, unit_type: UnitType, location: str) -> Unit:
    """A unit: there are few, and making them anew each time costs more than looking them up."""
    return Unit(power, unit_type, location)


def _board_after(
    position: Position, meanings: Sequence[Meaning], equations: Equations, dislodger: Mapping[int, int]
) -> tuple[tuple[Unit, ...], set[int]]:
    """The units on the board after the moves, without the dislodged ones, and the provinces that they occupy."""
    after: list[Unit] = []
    occupied: set[int] = set()
    for index, unit in enumerate(position.units):
        if equations.kind[index] == MOVE and equations.resolution[index]:
            after.append(_unit(unit.power, unit.type, position.board.locations[meanings[index][2]]))
            occupied.add(equations.target[index])
        elif index not in dislodger:
            after.append(unit)
            occupied.add(equations.home[index])
    return tuple(after), occupied


def _contested(equations: Equations, occupied: set[int]) -> set[int]:
    """The provinces left vacant by a standoff: someone could have come there, and nobody did."""
    return {
        province
        for province, attackers in equations.attackers.items()
        if province not in occupied
        and any(equations.prevent_strength(attacker, optimistic=True) for attacker in attackers)
    }


def _dislodged(
    position: Position, equations: Equations, dislodger: Mapping[int, int], closed: set[int], ruleset: Ruleset
) -> tuple[Dislodged, ...]:
    """The dislodged units and where they may retreat to: a border away, and not to a closed province (4.A.5)."""
    board = position.board
    to_origin = ruleset.choices["4.A.5"] == "retreat-to-origin"
    found: list[Dislodged] = []
    for index, attacker in sorted(dislodger.items()):
        unit = position.units[index]
        origin = equations.home[attacker]
        origin_is_open = to_origin and equations.routes[attacker] is not None
        retreats = [
            board.locations[landing]
            for province, landings in _neighbours(position, unit).items()
            if province not in closed and (province != origin or origin_is_open)
            for landing in landings
        ]
        found.append(Dislodged(unit, board.provinces[origin].code, tuple(sorted(retreats))))
    return tuple(found)


def _neighbours(position: Position, unit: Unit) -> Mapping[int, tuple[int, ...]]:
    """The locations that a unit can move to by itself, by province."""
    where = position.board.number[unit.location]
    if unit.type == "F":
        return position.board.fleet_moves[where]
    return {province: (province,) for province in members(position.board.army_borders[where])}
