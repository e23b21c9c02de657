"""Reads orders as far as that depends on the board alone: what an order means is worked out once, and kept with it.

Most orders name their units exactly, and have them act where they can. What they mean does not depend on the rules,
and on the position only in that these units stand there. The rest is read by `legality`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import final

from .board import Board, Place, members
from .meanings import CONVOY, HOLDS, MOVE, SUPPORT, Meaning, OrderOnBoard, meaning_of
from .orders import Convoy, Hold, Move, OrderedUnit, SupportHold, SupportMove, WrittenOrder


@final
class _Stand:
    """A place, and what the orders mean to a unit there that need no other unit."""

    __slots__: tuple[str, ...] = ("hold", "moves", "place")

    def __init__(self, board: Board, place: Place) -> None:
        self.place: Place = place
        self.hold: OrderOnBoard = _reading(board, place, HOLDS)
        self.moves: dict[str, OrderOnBoard] = {
            board.locations[landing]: _reading(board, place, Meaning(MOVE, province, landing, is_plain=True))
            for province, landings in _landings(board, place)
            for landing in landings
        }
        """Its moves to neighbours, by the location written."""


def _landings(board: Board, place: Place) -> Iterable[tuple[int, tuple[int, ...]]]:
    """The provinces that a unit can go to by itself, and the locations that it can arrive at in each."""
    if place.is_fleet:
        return board.fleet_moves[place.location].items()
    return [(province, (province,)) for province in members(board.army_borders[place.location])]


@final
class _Stands:
    """The places of a board, each worked out when it is first asked for."""

    __slots__: tuple[str, ...] = ("board", "known")

    def __init__(self, board: Board) -> None:
        self.board: Board = board
        self.known: dict[OrderedUnit, _Stand] = {}

    def find(self, named: OrderedUnit) -> _Stand | None:
        """The place of a unit that is named in full, without nationality."""
        stand = self.known.get(named)
        if stand is None and named.type is not None and named.power is None:
            place = self.board.places.get((named.type, named.location))
            if place is not None:
                stand = self.known[named] = _Stand(self.board, place)
        return stand


@lru_cache(maxsize=64)
def _stands(board: Board) -> _Stands:
    return _Stands(board)


def read(board: Board, order: WrittenOrder) -> OrderOnBoard:
    """Work out what an order means on a board, and keep it with the order."""
    reading = _read(board, _stands(board), order) or OrderOnBoard(board)
    object.__setattr__(order, "on_board", reading)
    return reading


def _read(board: Board, stands: _Stands, order: WrittenOrder) -> OrderOnBoard | None:
    if not isinstance(order, (Hold, Move, SupportHold, SupportMove, Convoy)):
        return None
    stand = stands.find(order.unit)
    if stand is None:
        return None
    if isinstance(order, Hold):
        return stand.hold
    if isinstance(order, Move):
        return _read_move(board, stand, order)
    helped = stands.find(order.convoyed if isinstance(order, Convoy) else order.supported)
    if helped is None or helped.place.province == stand.place.province:
        return None
    if isinstance(order, Convoy):
        return _read_convoy(board, stand.place, helped.place, order.to)
    if isinstance(order, SupportMove):
        return _read_support_move(board, stand.place, helped, order.to)
    province = helped.place.province
    if province not in stand.place.reach:
        return None
    return _reading(board, stand.place, Meaning(SUPPORT, province), helped.place)


def _reading(
    board: Board, place: Place, meaning: Meaning, helped: Place | None = None, routes: tuple[int, ...] | None = None
) -> OrderOnBoard:
    province_helped = 0 if helped is None else helped.province
    return OrderOnBoard(board, place, place.province, meaning, helped, province_helped, routes)


def _read_move(board: Board, stand: _Stand, order: Move) -> OrderOnBoard | None:
    """A move to a neighbour, or of an army to where only fleets can bring it."""
    if order.path:
        return None
    plain = stand.moves.get(order.to)
    if plain is not None:
        return None if order.via_convoy else plain
    target = _landing_by_sea(board, stand.place, order.to)
    if target < 0:
        return None
    meaning = meaning_of(MOVE, target, target, -1, order.via_convoy)
    return _reading(board, stand.place, meaning, None, _routes(board, stand.place, target))


def _read_support_move(board: Board, place: Place, helped: _Stand, to: str) -> OrderOnBoard | None:
    """The support for such a move; the supporting unit is not one of the fleets that bring the army (6.D.31)."""
    plain = helped.moves.get(to)
    if plain is not None:
        target, landing = plain.meaning.target, plain.meaning.landing
        coast = landing if landing != target else -1
        return _reading(board, place, Meaning(SUPPORT, target, coast), helped.place) if target in place.reach else None
    target = _landing_by_sea(board, helped.place, to)
    if target not in place.reach:
        return None
    routes = _routes(board, helped.place, target)
    others = tuple([route for route in routes if not route >> place.location & 1])
    return _reading(board, place, Meaning(SUPPORT, target), helped.place, others)


def _read_convoy(board: Board, fleet: Place, army: Place, to: str) -> OrderOnBoard | None:
    """A convoy by a fleet at sea, which has to be on the route (X.3 `illegal-if-unnecessary`)."""
    target = _landing_by_sea(board, army, to)
    if target < 0 or not fleet.is_fleet:
        return None
    routes = _routes(board, army, target)
    over = tuple([route for route in routes if route >> fleet.location & 1])
    return _reading(board, fleet, Meaning(CONVOY, target), army, over)


def _routes(board: Board, army: Place, target: int) -> tuple[int, ...]:
    """The convoy routes for an army, the shortest first, since these are ordered most often."""
    return tuple(sorted(board.routes.between(army.province, target), key=int.bit_count))


def _landing_by_sea(board: Board, army: Place, to: str) -> int:
    """The province that a text names, if an army could come there by sea, or -1."""
    target = -1 if army.is_fleet else board.number.get(to, -1)
    return target if target >= 0 and board.routes.between(army.province, target) else -1
