"""Which armies are convoyed by whom: issues 4.A.1, 4.A.3 and 4.A.6, and the rules X.1, X.2 and X.15 beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from .board import set_of
from .legality import CONVOY, HOLD, MOVE, Meaning
from .matched import MatchedOrders
from .position import Position

Routes: TypeAlias = tuple[tuple[int, ...], ...]


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
    opposite_is_own: bool
    """And belongs to its own power."""


GOES_BY_CONVOY: Mapping[str, Callable[[AdjacentMove], bool]] = {
    "1971-convoy-always": lambda move: move.route_ordered,
    "1971-opposite": lambda move: move.route_ordered and move.opposite,
    "1971-opposite-undisrupted": lambda move: move.route_ordered and move.opposite,
    "1982-totality": lambda move: move.own_fleet or (move.route_ordered and move.opposite_is_own),
    "2000-no-fallback": lambda move: move.via_convoy or move.own_fleet,
    "2000-fallback-unordered": lambda move: (move.via_convoy or move.own_fleet) and move.route_ordered,
    "2000-fallback-disrupted": lambda move: (move.via_convoy or move.own_fleet) and move.route_ordered,
    "dptg-explicit": lambda move: move.via_convoy,
    "alexander": lambda move: move.via_convoy and move.route_ordered,
}
"""Issue 4.A.3: whether the convoy is used, and the land disregarded."""

FALLS_BACK_WHEN_DISRUPTED: frozenset[str] = frozenset(
    {"1971-opposite-undisrupted", "2000-fallback-disrupted", "alexander"}
)
"""Issue 4.A.3: where the army goes over land after all when its convoy is disrupted."""


class OrderedConvoy(NamedTuple):
    """The fleets that are ordered to convoy one army."""

    position: Position
    home: int
    target: int
    fleets: Mapping[int, int]
    """The fleet at each sea."""
    power: str
    """The power of the army."""


def all_routes(convoy: OrderedConvoy, _choices: Mapping[str, str]) -> Routes:
    """Each minimal route of which every fleet is ordered: the army needs one of them."""
    seas = set_of(convoy.fleets)
    return tuple(
        tuple(fleet for sea, fleet in convoy.fleets.items() if route >> sea & 1)
        for route in convoy.position.board.routes.between(convoy.home, convoy.target)
        if route & seas == route
    )


def any_route(convoy: OrderedConvoy, choices: Mapping[str, str]) -> Routes:
    """One route that holds the fleets of all routes: the army needs every one of them."""
    seas = 0
    for route in IS_A_ROUTE[choices["X.2"]](convoy):
        seas |= route
    fleets = tuple(fleet for sea, fleet in convoy.fleets.items() if seas >> sea & 1)
    return (fleets,) if fleets else ()


def _minimal_paths(convoy: OrderedConvoy) -> Sequence[int]:
    seas = set_of(convoy.fleets)
    routes = convoy.position.board.routes.between(convoy.home, convoy.target)
    return [route for route in routes if route & seas == route]


def _simple_paths(convoy: OrderedConvoy) -> Sequence[int]:
    return convoy.position.board.routes.simple_paths(convoy.home, convoy.target, set_of(convoy.fleets))


IS_A_ROUTE: Mapping[str, Callable[[OrderedConvoy], Sequence[int]]] = {
    "simple-path": _simple_paths,
    "minimal-path": _minimal_paths,
}
"""Rule X.2: the sets of seas that count as a route where any disrupted one disrupts the convoy."""

ROUTES: Mapping[str, Callable[[OrderedConvoy, Mapping[str, str]], Routes]] = {
    "all-routes": all_routes,
    "any-route": any_route,
}
"""Issue 4.A.1: the routes, of which the army needs one whole."""


def _all_matching(convoy: OrderedConvoy) -> OrderedConvoy:
    return convoy


def _countrymen_preferred(convoy: OrderedConvoy) -> OrderedConvoy:
    own = {sea: fleet for sea, fleet in convoy.fleets.items() if convoy.position.power[fleet] == convoy.power}
    suffices = convoy.position.board.routes.possible(convoy.home, convoy.target, set_of(own))
    return convoy._replace(fleets=own) if suffices else convoy


FOREIGN_FLEETS: Mapping[str, Callable[[OrderedConvoy], OrderedConvoy]] = {
    "all-matching": _all_matching,
    "countrymen-preferred": _countrymen_preferred,
}
"""Rule X.1: whether foreign fleets take part where those of the army's own power suffice."""


def _accepted(convoy: OrderedConvoy, matched: MatchedOrders) -> OrderedConvoy:
    """The convoy with the fleets that take part; those that are declined (X.1) convoy nobody."""
    accepted = FOREIGN_FLEETS[matched.choices["X.1"]](convoy)
    if accepted is convoy:
        return convoy
    for sea in convoy.fleets.keys() - accepted.fleets.keys():
        matched.kind[convoy.fleets[sea]] = HOLD
    return accepted


def unordered_convoy_holds(choices: Mapping[str, str]) -> bool:
    """Rule X.15: whether an army that nobody is ordered to convoy holds, and can be supported to.

    In the Alexander rules its move is illegal then (4.E.1 `alexander`), which comes to the same.
    """
    return choices["X.15"] == "yes" or choices["4.E.1"] == "alexander"


NAMED_PATH: Mapping[str, Callable[[Mapping[int, int], int], Mapping[int, int]]] = {
    "ignored": lambda fleets, _seas: fleets,
    "allowed": lambda fleets, seas: {sea: fleets[sea] for sea in fleets if seas >> sea & 1} if seas else fleets,
    "required": lambda fleets, seas: {sea: fleets[sea] for sea in fleets if seas >> sea & 1},
}
"""Issue 4.A.6: which of the fleets ordered can convoy, given the set of seas that the army's order names."""


def match_convoys(
    position: Position,
    meanings: Sequence[Meaning],
    matched: MatchedOrders,
    by_land: frozenset[int],
) -> None:
    """Find the routes of each army that is convoyed; `by_land` holds the armies that fell back to the land."""
    choices = matched.choices
    goes_by_convoy = GOES_BY_CONVOY[choices["4.A.3"]]
    fleets: dict[tuple[int, int], list[int]] = {}
    for unit, (kind, target, convoyed, _) in enumerate(meanings):
        if kind == CONVOY:
            fleets.setdefault((convoyed, target), []).append(unit)
    for unit, (kind, target, _, detail) in enumerate(meanings):
        if kind != MOVE:
            continue
        if target < 0:
            matched.routes[unit] = ()
            continue
        if position.is_fleet[unit]:
            continue
        home = matched.home[unit]
        adjacent = position.board.army_borders[home] >> target & 1
        convoying = fleets.get((unit, target), [])
        if adjacent and not convoying and not detail:
            continue
        at_sea = NAMED_PATH[choices["4.A.6"]]({matched.home[fleet]: fleet for fleet in convoying}, detail >> 1)
        convoy = OrderedConvoy(position, home, target, at_sea, matched.power[unit])
        routes = ROUTES[choices["4.A.1"]](_accepted(convoy, matched), choices)
        if adjacent:
            other = position.occupant[target]
            opposite = other >= 0 and meanings[other][0] == MOVE and meanings[other][1] == home
            move = AdjacentMove(
                via_convoy=bool(detail & 1),
                own_fleet=any(matched.power[fleet] == matched.power[unit] for fleet in convoying),
                route_ordered=bool(routes),
                opposite=opposite,
                opposite_is_own=opposite and matched.power[other] == matched.power[unit],
            )
            if unit in by_land or not goes_by_convoy(move):
                continue
        elif not convoying and unordered_convoy_holds(choices):
            matched.stay(unit)
            continue
        matched.routes[unit] = routes
        _ = fleets.pop((unit, target), None)
    for unmatched in fleets.values():
        for fleet in unmatched:
            matched.kind[fleet] = HOLD
