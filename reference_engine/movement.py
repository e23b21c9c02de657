"""The movement phase: which orders match, what a solver makes of them, and who is dislodged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from .board import members
from .convoys import FALLS_BACK_WHEN_DISRUPTED, GOES_BY_CONVOY, NAMED_PATH, ROUTES, match_convoys
from .equations import Equations
from .errors import UnplayedChoiceError
from .legality import HOLD, HOLDS, MOVE, MULTIPLE_ORDERS, SUPPORT, Legality, Meaning, check_played, follow_one
from .legality import PLAYED as PLAYED_FOR_LEGALITY
from .matched import MatchedOrders
from .orders import GivenOrder, Unit, UnitType
from .paradoxes import SETTLES, SPARES
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
from .variants import PLAIN, VariantEquations

_Solver = TypeVar("_Solver", bound=MatchedOrders)

NONE_BY_LAND: frozenset[int] = frozenset()
NONE_DISORDERED: frozenset[str] = frozenset()


class SupportedCoast(NamedTuple):
    """What decides whether a support for a fleet's move to one of two coasts matches (issue 4.B.4)."""

    written: int
    """The coast in the support order, or -1."""
    landing: int
    """The coast that the fleet goes to."""
    own: bool
    """The supported fleet belongs to the supporting power."""
    only_one: bool
    """It could reach only one of the coasts."""
    default: int
    """The default coast of the province."""


COASTS_MATCH: Mapping[str, Callable[[SupportedCoast], bool]] = {
    "required": lambda coast: coast.written == coast.landing,
    "default-coast": lambda coast: (coast.default if coast.written < 0 else coast.written) == coast.landing,
    "own-or-single": lambda coast: (
        coast.written == coast.landing or (coast.written < 0 and (coast.own or coast.only_one))
    ),
    "optional-must-match": lambda coast: coast.written in (-1, coast.landing),
    "ignored": lambda _: True,
}
"""Issue 4.B.4: whether the coast written in a support fits the coast that the fleet goes to."""

CIVIL_DISORDER_HOLDS: Mapping[str, bool] = {"succeeds": True, "fails": False}
"""Issue 4.D.9: whether a unit can be supported to hold whose power gave no order at all."""

PLAYED: Mapping[str, frozenset[str]] = {
    **PLAYED_FOR_LEGALITY,
    "4.A.1": frozenset(ROUTES),
    "4.A.2": frozenset({*SPARES, *SETTLES}),
    "4.A.3": frozenset(GOES_BY_CONVOY),
    "4.A.4": frozenset({"not-cut", "cut"}),
    "4.A.5": frozenset({"no-retreat-to-origin", "retreat-to-origin"}),
    "4.A.6": frozenset(NAMED_PATH),
    "4.A.7": frozenset({"head-to-head-only", "never-effect"}),
    "4.B.4": frozenset(COASTS_MATCH),
    "4.D.9": frozenset(CIVIL_DISORDER_HOLDS),
}


def adjudicate_movement(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Adjudication:
    """Adjudicate a movement phase. Raises `UnplayedChoiceError` for a choice that this engine does not play."""
    return adjudicate_with(needed_equations(ruleset), position, orders, ruleset)


def adjudicate_with(
    solver: type[MatchedOrders], position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset
) -> Adjudication:
    """Adjudicate a movement phase, the matching orders being resolved by a solver."""
    legality = Legality(position, ruleset)
    given = legality.meanings(orders)
    followed, meanings = follow_one(given, len(position.units), HOLDS, MULTIPLE_ORDERS[ruleset.choices["4.D.3"]])
    matched = solve(position, meanings, ruleset, powers_in_disorder(position, orders, ruleset), solver)
    dislodger = _dislodgers(matched)
    units, occupied = _board_after(position, meanings, matched, dislodger)
    contested = _contested(matched, occupied)
    return Adjudication(
        units=units,
        dislodged=_dislodged(position, matched, dislodger, occupied | contested, ruleset),
        orders=tuple([_result(given, index, followed, matched, dislodger, legality) for index in range(len(given))]),
        contested=frozenset([position.board.provinces[province].code for province in contested]),
    )


def powers_in_disorder(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> frozenset[str]:
    """Issue 4.D.9: the powers that gave no order at all, where their units cannot be supported to hold then."""
    if CIVIL_DISORDER_HOLDS[ruleset.choices["4.D.9"]]:
        return frozenset()
    return frozenset(position.power) - {order.power for order in orders}


@lru_cache(maxsize=256)
def needed_equations(ruleset: Ruleset) -> type[Equations]:
    """The equations that a ruleset needs: the plain ones, if they do. Raises `UnplayedChoiceError`."""
    check_played(ruleset, PLAYED)
    choices = ruleset.choices
    if choices["4.A.2"] in SPARES and choices["X.22"] == "all-hold" and choices["4.A.3"] in FALLS_BACK_WHEN_DISRUPTED:
        # Whether an army that all-hold stops may still walk depends on itself: going back step by step cannot see that.
        raise UnplayedChoiceError(
            f"the reference engine does not play 4.A.3 = {choices['4.A.3']} together with 4.A.2 = {choices['4.A.2']}"
            + " and X.22 = all-hold yet"
        )
    is_plain = all(ruleset.choices[issue] == choice for issue, choice in PLAIN.items())
    return Equations if is_plain else VariantEquations


def match(
    position: Position,
    meanings: Sequence[Meaning],
    ruleset: Ruleset,
    by_land: frozenset[int] = NONE_BY_LAND,
    *,
    disordered: frozenset[str] = NONE_DISORDERED,
    solver: type[_Solver],
) -> _Solver:
    """Set up a solver: which armies are convoyed by whom, which supports match, who meets head to head.

    `by_land` holds the armies that fell back to the land route (4.A.3), `disordered` the powers whose units cannot be
    supported to hold (4.D.9).
    """
    home = position.home
    matched = solver(
        position, [meaning[0] for meaning in meanings], [meaning[1] for meaning in meanings], ruleset.choices
    )
    kind, target, routes = matched.kind, matched.target, matched.routes
    match_convoys(position, meanings, matched, by_land)
    for unit, meaning in enumerate(meanings):
        if kind[unit] == SUPPORT:
            if position.power[meaning[2]] in disordered and meaning[1] == home[meaning[2]]:
                kind[unit] = HOLD
            elif support_matches(position, unit, meaning, meanings[meaning[2]], kind[meaning[2]], ruleset):
                matched.supporters[meaning[2]] = (*matched.supporters[meaning[2]], unit)
            else:
                kind[unit] = HOLD
        elif kind[unit] == MOVE and routes[unit] is None:
            other = position.occupant[target[unit]]
            if other >= 0 and kind[other] == MOVE and target[other] == home[unit] and routes[other] is None:
                matched.opponent[unit] = other
    matched.prepare(position, meanings)
    return matched


def solve(
    position: Position,
    meanings: Sequence[Meaning],
    ruleset: Ruleset,
    disordered: frozenset[str],
    solver: type[_Solver],
) -> _Solver:
    """Set up a solver and have it resolve the orders.

    Issue 4.A.3: armies whose convoy to a neighbour is disrupted are sent over land, where they are, until no more is.
    """
    by_land = NONE_BY_LAND
    while True:
        matched = match(position, meanings, ruleset, by_land, disordered=disordered, solver=solver)
        matched.solve()
        if ruleset.choices["4.A.3"] not in FALLS_BACK_WHEN_DISRUPTED:
            return matched
        disrupted = {
            unit
            for unit, routes in enumerate(matched.routes)
            if routes is not None
            and position.board.army_borders[matched.home[unit]] >> max(matched.target[unit], 0) & 1
            and not matched.has_path(unit)
        }
        if not disrupted:
            return matched
        by_land |= disrupted


def support_matches(
    position: Position, unit: int, support: Meaning, supported: Meaning, supported_kind: int, ruleset: Ruleset
) -> bool:
    """Whether the unit supported does what a support is for (4.B.4)."""
    _, province, other, coast = support
    _, target, landing, _ = supported
    if province == position.home[other]:
        return supported_kind != MOVE
    if supported_kind != MOVE or target != province:
        return False
    if landing == target:
        return True
    default = ruleset.default_coasts.get(position.board.provinces[province].code, "")
    return COASTS_MATCH[ruleset.choices["4.B.4"]](
        SupportedCoast(
            written=coast,
            landing=landing,
            own=position.power[unit] == position.power[other],
            only_one=len(position.board.fleet_moves[position.where[other]][province]) == 1,
            default=position.board.number.get(f"{position.board.provinces[province].code}/{default}", -1),
        )
    )


def _result(
    given: Sequence[tuple[int, Meaning] | None],
    index: int,
    followed: Sequence[int],
    matched: MatchedOrders,
    dislodger: Mapping[int, int],
    legality: Legality,
) -> OrderResult:
    """What became of one order: it was illegal, not the one followed, or what was resolved."""
    order = given[index]
    if order is None:
        return IGNORED if index in legality.ignored else ILLEGAL
    unit, (kind, target, _, _) = order
    if followed[unit] != index and (followed[unit] < 0 or given[followed[unit]] != order):
        return IGNORED
    if kind == MOVE:
        if target < 0:
            return ILLEGAL
        return SUCCEEDED if matched.resolution[unit] else _failed_move(matched, unit)
    if kind == HOLD:
        return DISLODGED if unit in dislodger else SUCCEEDED
    if matched.kind[unit] == HOLD:
        return VOID
    if matched.resolution[unit]:
        return SUCCEEDED
    if kind == SUPPORT:
        return CUT
    return DISLODGED if unit in dislodger else DISRUPTED


def _failed_move(matched: MatchedOrders, unit: int) -> OrderResult:
    if matched.routes[unit] == ():
        return NO_PATH
    return BOUNCED if matched.has_path(unit) else DISRUPTED


def _dislodgers(matched: MatchedOrders) -> dict[int, int]:
    """The unit that moves into the province of each one that stays (5.A)."""
    kind, resolution = matched.kind, matched.resolution
    dislodger: dict[int, int] = {}
    for province, attackers in matched.attackers.items():
        unit = matched.occupant[province] if province >= 0 else -1
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
    position: Position, meanings: Sequence[Meaning], matched: MatchedOrders, dislodger: Mapping[int, int]
) -> tuple[tuple[Unit, ...], set[int]]:
    """The units on the board after the moves, without the dislodged ones, and the provinces that they occupy."""
    after: list[Unit] = []
    occupied: set[int] = set()
    for index, unit in enumerate(position.units):
        if matched.kind[index] == MOVE and matched.resolution[index]:
            after.append(_unit(unit.power, unit.type, position.board.locations[meanings[index][2]]))
            occupied.add(matched.target[index])
        elif index not in dislodger:
            after.append(unit)
            occupied.add(matched.home[index])
    return tuple(after), occupied


def _contested(matched: MatchedOrders, occupied: set[int]) -> set[int]:
    """The provinces left vacant by a standoff: someone could have come there, and nobody did."""
    return {
        province
        for province, attackers in matched.attackers.items()
        if province >= 0 and province not in occupied and any(matched.prevents(attacker) for attacker in attackers)
    }


def _dislodged(
    position: Position, matched: MatchedOrders, dislodger: Mapping[int, int], closed: set[int], ruleset: Ruleset
) -> tuple[Dislodged, ...]:
    """The dislodged units and where they may retreat to: a border away, and not to a closed province (4.A.5)."""
    board = position.board
    to_origin = ruleset.choices["4.A.5"] == "retreat-to-origin"
    found: list[Dislodged] = []
    for index, attacker in sorted(dislodger.items()):
        unit = position.units[index]
        origin = matched.home[attacker]
        origin_is_open = to_origin and matched.routes[attacker] is not None
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
