"""The route of a convoyed army, as far as a scene tells it: the fleets that carried it, and those of a broken route."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from ...reference_engine import Convoy, Move, province_code, standard_board
from .scenes import DrawnOrder, Scene


class Routes(NamedTuple):
    """The seas of a convoyed move."""

    way: tuple[str, ...]
    """The seas that the army goes over, in their order; empty for a move that is not convoyed."""
    broken: tuple[str, ...] = ()
    """Another route, on which a fleet was dislodged or did not convoy; empty without one."""
    is_chain: bool = True
    """Whether the fleets of `way` reach from the army to its target."""


NOT_CONVOYED = Routes(())


def find_routes(scene: Scene, given: DrawnOrder, order: Move) -> Routes:
    """Find the routes that the convoy orders of a scene make for a move.

    A fleet that was dislodged carries only a move that fails. Among the other routes the shortest is taken.
    """
    origin, target = province_code(order.unit.location), province_code(order.to)
    fleets = _convoying_fleets(scene, origin, target)
    on_board = {origin, target} <= standard_board().number.keys()
    if not fleets or not on_board or (order.unit.type or "A") == "F" or origin == target:
        return NOT_CONVOYED
    lost = _lost_fleets(scene, origin, target) if given.outcome != "fails" else frozenset[str]()
    route = _shortest_route(origin, target, [sea for sea in fleets if sea not in lost])
    carried = route or _shortest_route(origin, target, fleets)
    if _border(origin, target) and not (carried and _intends_convoy(given, order, carried, fleets)):
        return NOT_CONVOYED
    if not carried:
        return Routes(tuple(fleets), is_chain=False)
    broken = [sea for sea in fleets if sea in lost] if route else []
    return Routes(carried, _shortest_route(origin, target, [*broken, *carried], through=broken))


def _convoying_fleets(scene: Scene, origin: str, target: str) -> Mapping[str, str]:
    """The seas with a fleet that is ordered to convoy from one province to the other, and the power of each fleet."""
    board = standard_board()
    standing = {province_code(unit.location): unit.power for unit in scene.units if unit.type == "F"}
    seas = (province_code(order.unit.location) for _, order in _convoys(scene, origin, target))
    return {
        sea: standing[sea]
        for sea in seas
        if sea in standing and sea in board.number and board.seas >> board.number[sea] & 1
    }


def _convoys(scene: Scene, origin: str, target: str) -> Iterable[tuple[DrawnOrder, Convoy]]:
    for given in scene.orders:
        order = given.order
        if isinstance(order, Convoy) and (province_code(order.convoyed.location), province_code(order.to)) == (
            origin,
            target,
        ):
            yield given, order


def _lost_fleets(scene: Scene, origin: str, target: str) -> Collection[str]:
    """The seas whose fleet did not convoy: it was dislodged, or its order failed."""
    failed = {
        province_code(order.unit.location)
        for given, order in _convoys(scene, origin, target)
        if given.outcome == "fails"
    }
    return failed | {province_code(unit.location) for unit in scene.units if unit.mark == "dislodged"}


def _intends_convoy(given: DrawnOrder, order: Move, route: Iterable[str], fleets: Mapping[str, str]) -> bool:
    """Whether an army that could also walk goes by convoy: it says so, or a fleet of its own power takes part."""
    return bool(order.via_convoy or order.path or given.power in map(fleets.get, route))


def _shortest_route(
    origin: str, target: str, fleets: Iterable[str], through: Collection[str] | None = None
) -> tuple[str, ...]:
    """The shortest chain of fleets between two provinces, with one of `through` in it; empty without one."""
    queue: deque[tuple[str, ...]] = deque([()])
    left = list(fleets)
    while queue:
        chain = queue.popleft()
        here = chain[-1] if chain else origin
        if chain and _touch(here, target) and (through is None or not set(through).isdisjoint(chain)):
            return chain
        for sea in [sea for sea in left if _touch(here, sea)]:
            left.remove(sea)
            queue.append((*chain, sea))
    return ()


def _touch(one: str, other: str) -> bool:
    """Whether two provinces touch, over land or at sea."""
    board = standard_board()
    return board.distances[board.number[one]][board.number[other]] == 1


def _border(origin: str, target: str) -> bool:
    """Whether an army can walk from one province to the other."""
    board = standard_board()
    return bool(board.army_borders[board.number[origin]] >> board.number[target] & 1)
