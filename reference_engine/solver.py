# mypyc
"""The matching orders of a movement phase, and who convoys which army: 4.A.1, 4.A.3, 4.A.6, X.1, X.2 and X.15."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from .choices import (
    ADJACENT_CONVOYS,
    CONVOY_CUTS_SUPPORT_ON_ITSELF,
    CONVOY_PATHS,
    CONVOYED_ATTACKS,
    ILLEGAL_ORDERS,
    UNORDERED_CONVOY_HOLDS,
    AdjacentMove,
    ChoiceTables,
)
from .installation import mypyc_attr
from .position import Position
from .resolved_order import HOLD, MOVE, SUPPORT, OrderEffect
from .routes import ConvoyRoutes, set_of
from .rulesets import Ruleset

NOBODY: Final[tuple[int, ...]] = ()

Routes: TypeAlias = tuple[tuple[int, ...], ...]
"""The fleets of each route of a convoy."""


@mypyc_attr(allow_interpreted_subclasses=True)
class MovementSolver(ABC):
    """One movement phase: legal, matching orders as integers, and their resolutions once `solve` has run.

    A unit is its index in the position, a province its number on the board. All lists have an entry a unit. `kind` is
    `HOLD` for supports and convoys without a match, too. `target` is where a move goes, a support is given, a convoy
    leads. `routes` is `None` for a move over land, and for a convoyed one the fleets of each route that was ordered
    whole. `opponent` is the other unit of a head-to-head battle, or -1. `supporters` are the matching supports for the
    unit's move, or for its hold where it does not move.
    """

    def __init__(self, position: Position, effects: list[OrderEffect], ruleset: Ruleset) -> None:
        """Begin with all moves over land, without supports; the caller fills in `routes`, `opponent`, `supporters`."""
        count = len(effects)
        self.power: tuple[str, ...] = position.power
        self.home: tuple[int, ...] = position.home
        self.occupant: tuple[int, ...] = position.occupant
        self.kind: list[int] = [HOLD] * count
        self.target: list[int] = [-1] * count
        self.choices: Mapping[str, str] = ruleset.choices
        self.routes: list[Routes | None] = [None] * count
        self.opponent: list[int] = [-1] * count
        self.supporters: list[tuple[int, ...]] = [NOBODY] * count
        self.falls_back: dict[int, Routes] = {}
        """The armies that walk if their convoy is disrupted (4.A.3), with their routes by sea, until all is solved."""
        self.resolution: list[bool | None] = [None] * count
        """Whether the move, support or convoy of each unit succeeds."""
        self.attackers: list[tuple[int, ...]] = [NOBODY] * (len(self.occupant) + 1)
        """The units ordered to move to each province; the last entry has the units with an impossible move."""
        self.movers: list[int] = []
        """The units that are ordered to move, also those that `stay`."""
        self.not_plain: list[int] = []
        """Those of them whose move is not plain: over sea, perhaps over sea, or impossible."""
        self.supports: list[int] = []
        """The units that are ordered to support, whether that matches or not."""
        self.convoys: list[int] = []
        """The fleets that are ordered to convoy, whether that matches or not."""
        kind, target, attackers = self.kind, self.target, self.attackers
        movers, supports, convoys = self.movers, self.supports, self.convoys
        for unit, effect in enumerate(effects):
            its_kind = effect.kind
            if its_kind:
                kind[unit] = its_kind
                province = target[unit] = effect.target
                if its_kind == MOVE:
                    attackers[province] += (unit,)
                    movers.append(unit)
                    if not effect.is_plain:
                        self.not_plain.append(unit)
                elif its_kind == SUPPORT:
                    supports.append(unit)
                else:
                    convoys.append(unit)

    @property
    def convoy_cuts_support_on_itself(self) -> bool:
        """Whether a convoyed army cuts a support for an attack on where it comes from (4.A.4, v3.2-4.A.4)."""
        return (
            CONVOY_CUTS_SUPPORT_ON_ITSELF[self.choices["4.A.4"]]
            or CONVOYED_ATTACKS[self.choices["v3.2-4.A.4"]].opens_origin
        )

    def stay(self, unit: int) -> None:
        """Take a move for a hold, which has no effect elsewhere and can be supported."""
        self.kind[unit] = HOLD
        self.routes[unit] = ()
        target = self.target[unit]
        self.attackers[target] = tuple([other for other in self.attackers[target] if other != unit])

    def opposite(self, unit: int) -> int:
        """The unit at the destination of a move that moves the opposite way, by land or sea, or -1."""
        target = self.target[unit]
        other = self.occupant[target] if target >= 0 else -1
        return other if other >= 0 and self.kind[other] == MOVE and self.target[other] == self.home[unit] else -1

    def meet(self, unit: int) -> None:
        """Note for a move over land whether it meets another one head to head."""
        other = self.opposite(unit)
        if other >= 0 and self.routes[other] is None:
            self.opponent[unit], self.opponent[other] = other, unit

    def prepare(self, position: Position, effects: Sequence[OrderEffect]) -> None:
        """Work out before `solve` what else it needs of the orders, now that all that match are known."""
        del position, effects  # Most need nothing more.

    @abstractmethod
    def solve(self) -> None:
        """Resolve every order."""

    @abstractmethod
    def has_path(self, unit: int) -> bool:
        """Whether a move, once all is solved, could come to its destination if nobody were there."""

    @abstractmethod
    def prevents(self, unit: int) -> bool:
        """Whether a move, once all is solved, could keep another out of its destination."""

    def is_beaten(self, unit: int) -> bool:
        """Whether a move, once all is solved, has lost a head-to-head battle."""
        opponent = self.opponent[unit]
        return opponent >= 0 and bool(self.resolution[opponent])

    def is_dislodged(self, unit: int) -> bool:
        """Whether a unit that stays is attacked successfully, once all is solved (5.A)."""
        return any(self.resolution[attacker] for attacker in self.attackers[self.home[unit]])


ROUTES_OF_FLEETS: Final[Mapping[str, Callable[[ConvoyRoutes, int, int, int], list[int]]]] = {
    "simple-path": ConvoyRoutes.simple_paths,
    "minimal-path": ConvoyRoutes.within,
}
"""Rule X.2: the sets of seas that count as a route where any disrupted one disrupts the convoy.

Given are the provinces of departure and of arrival, and the set of seas with a fleet that convoys.
"""


def all_routes(by_sea: ConvoyRoutes, home: int, target: int, fleets: dict[int, int], _choice: str) -> Routes:
    """Each minimal route of which every fleet is ordered: the army needs one of them."""
    return tuple([_fleets_of(route, fleets) for route in by_sea.within(home, target, set_of(fleets))])


def any_route(by_sea: ConvoyRoutes, home: int, target: int, fleets: dict[int, int], choice: str) -> Routes:
    """One route that holds the fleets of all routes: the army needs every one of them."""
    seas = 0
    for route in ROUTES_OF_FLEETS[choice](by_sea, home, target, set_of(fleets)):
        seas |= route
    return (_fleets_of(seas, fleets),) if seas else ()


def _fleets_of(seas: int, fleets: dict[int, int]) -> tuple[int, ...]:
    return tuple([fleet for sea, fleet in fleets.items() if seas >> sea & 1])


ROUTES: Final[Mapping[str, Callable[[ConvoyRoutes, int, int, dict[int, int], str], Routes]]] = {
    "all-routes": all_routes,
    "any-route": any_route,
}
"""Issue 4.A.1: the routes, of which the army needs one whole.

Given are the provinces of departure and of arrival, the fleet at each sea that convoys, and the choice of X.2.
"""

COUNTRYMEN_PREFERRED: Final[Mapping[str, bool]] = {"all-matching": False, "countrymen-preferred": True}
"""Rule X.1: whether foreign fleets do not take part where those of the army's own power suffice."""


def _decline_foreign_fleets(
    by_sea: ConvoyRoutes, army: int, fleets: dict[int, int], solver: MovementSolver
) -> dict[int, int]:
    """Return the fleets, by their sea, that convoy an army by X.1; the other fleets convoy nobody."""
    power = solver.power
    own = {sea: fleet for sea, fleet in fleets.items() if power[fleet] == power[army]}
    if not by_sea.possible(solver.home[army], solver.target[army], set_of(own)):
        return fleets
    for sea in fleets.keys() - own.keys():
        solver.kind[fleets[sea]] = HOLD
    return own


CHOICE_TABLES: ChoiceTables = {
    "4.A.1": ROUTES,
    "4.A.3": ADJACENT_CONVOYS,
    "4.A.6": CONVOY_PATHS,
    "X.1": COUNTRYMEN_PREFERRED,
    "X.2": ROUTES_OF_FLEETS,
    "X.15": UNORDERED_CONVOY_HOLDS,
}


def match_convoys(position: Position, effects: list[OrderEffect], solver: MovementSolver) -> None:
    """Find the routes of each army that is convoyed."""
    fleets = _ordered_fleets(position, effects, solver)
    armies = solver.not_plain
    if fleets:
        by_choice = [unit for unit, target in fleets if effects[unit].is_plain and effects[unit].target == target]
        if by_choice:
            armies = sorted(armies + by_choice)
    for unit in armies:
        target = effects[unit].target
        can_walk = target in position.places[unit].reach
        convoying = fleets.get((unit, target), NOBODY)
        if can_walk and not convoying and not effects[unit].via_convoy:
            continue
        if target < 0:
            solver.routes[unit] = ()
        elif not position.is_fleet[unit] and _goes_by_convoy(
            position, effects, solver, unit, convoying, can_walk=can_walk
        ):
            _ = fleets.pop((unit, target), None)
    for unmatched in fleets.values():
        for fleet in unmatched:
            solver.kind[fleet] = HOLD


def _ordered_fleets(
    position: Position, effects: list[OrderEffect], solver: MovementSolver
) -> dict[tuple[int, int], tuple[int, ...]]:
    """The fleets that are ordered to convoy, by the unit that they would carry and the province."""
    fleets: dict[tuple[int, int], tuple[int, ...]] = {}
    for unit in solver.convoys:
        convoyed = position.occupant[effects[unit].helped], effects[unit].target
        fleets[convoyed] = fleets.get(convoyed, NOBODY) + (unit,)  # noqa: RUF005 - to unpack takes twice as long
    return fleets


def _goes_by_convoy(
    position: Position,
    effects: list[OrderEffect],
    solver: MovementSolver,
    unit: int,
    convoying: Sequence[int],
    *,
    can_walk: bool,
) -> bool:
    """Whether an army goes by the convoy of some fleets; then note its routes. One that can do neither stays."""
    choices = solver.choices
    home, target = solver.home[unit], solver.target[unit]
    routes: Routes = ()
    if convoying:
        by_sea = position.board.routes
        at_sea = {solver.home[fleet]: fleet for fleet in convoying}
        fleets = CONVOY_PATHS[choices["4.A.6"]].convoying(at_sea, effects[unit].path)
        if COUNTRYMEN_PREFERRED[choices["X.1"]]:
            fleets = _decline_foreign_fleets(by_sea, unit, fleets, solver)
        routes = ROUTES[choices["4.A.1"]](by_sea, home, target, fleets, choices["X.2"])
    if can_walk:
        other = position.occupant[target]
        opposite = other >= 0 and effects[other].kind == MOVE and effects[other].target == home
        move = AdjacentMove(
            via_convoy=effects[unit].via_convoy,
            own_fleet=any(solver.power[fleet] == solver.power[unit] for fleet in convoying),
            route_ordered=bool(routes),
            opposite=opposite,
            opposite_is_own=opposite and solver.power[other] == solver.power[unit],
        )
        adjacent_convoy = ADJACENT_CONVOYS[choices["4.A.3"]]
        if not adjacent_convoy.is_used(move):
            return False
        if adjacent_convoy.falls_back_to_land:
            solver.falls_back[unit] = routes
    elif not convoying and (
        UNORDERED_CONVOY_HOLDS[choices["X.15"]] or ILLEGAL_ORDERS[choices["4.E.1"]].unordered_convoy_holds
    ):
        solver.stay(unit)
        return False
    solver.routes[unit] = routes
    return True
