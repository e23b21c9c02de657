"""Reads orders as far as that depends on the board alone: what an order means is worked out once, and kept with it.

Most orders name their units exactly, and have them act where they can. What they mean does not depend on the rules,
and on the position only in that these units stand there. The rest is read by `legality`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias, final

from .board import Board, Place, members
from .meanings import CONVOY, HOLDS, MOVE, SUPPORT, Meaning, OrderOnBoard, meaning_of
from .orders import Convoy, Hold, Move, OrderedUnit, SupportHold, SupportMove, WrittenOrder

_Key: TypeAlias = "tuple[int, OrderedUnit | None, str | None, bool]"
"""Of an order to a unit: its kind, the unit that it helps, the location written, and whether it is "via convoy"."""
_MOST_KEPT = 512
"""So many orders to a unit at one place are kept; there are some 100 that make sense."""


@final
class _Stand:
    """A place, and what the orders mean to a unit there."""

    __slots__: tuple[str, ...] = ("hold", "known", "moves", "place")

    def __init__(self, board: Board, place: Place) -> None:
        self.place: Place = place
        self.hold: OrderOnBoard = _on_board(board, place, HOLDS)
        self.moves: dict[str, OrderOnBoard] = {
            board.locations[landing]: _on_board(board, place, Meaning(MOVE, province, landing, is_plain=True))
            for province, landings in _landings(board, place)
            for landing in landings
        }
        """Its moves to neighbours, by the location written."""
        self.known: dict[_Key, OrderOnBoard] = {}
        """Its other orders that were read."""

    def keep(self, key: _Key, reading: OrderOnBoard) -> None:
        """Keep what an order means."""
        if len(self.known) >= _MOST_KEPT:
            self.known.clear()
        self.known[key] = reading


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
    reading = _read(board, order) or OrderOnBoard(board)
    object.__setattr__(order, "on_board", reading)
    return reading


def _read(board: Board, order: WrittenOrder) -> OrderOnBoard | None:
    """What an order means; `None` where it has to be read with the position."""
    if not isinstance(order, (Move, SupportMove, SupportHold, Convoy, Hold)):
        return None
    stand = _stands(board).find(order.unit)
    if stand is None or isinstance(order, Hold):
        return None if stand is None else stand.hold
    key: _Key
    if isinstance(order, Move):
        if order.path:
            return None
        if order.to in stand.moves:
            return None if order.via_convoy else stand.moves[order.to]
        key = (MOVE, None, order.to, order.via_convoy)
    elif isinstance(order, Convoy):
        key = (CONVOY, order.convoyed, order.to, False)
    else:
        key = (SUPPORT, order.supported, order.to if isinstance(order, SupportMove) else None, False)
    reading = stand.known.get(key)
    if reading is None:
        reading = _work_out(board, stand.place, key)
        if reading is not None:
            stand.keep(key, reading)
    return reading


def _work_out(board: Board, place: Place, key: _Key) -> OrderOnBoard | None:
    """What an order means that is no move to a neighbour."""
    kind, helped, to, via_convoy = key
    if helped is None or kind == MOVE:
        return _read_voyage(board, place, to or "", via_convoy)
    other = _stands(board).find(helped)
    if other is None or other.place.province == place.province:
        return None
    if kind == CONVOY:
        return _read_convoy(board, place, other.place, to or "")
    return _read_support(board, place, other, to)


def _on_board(
    board: Board, place: Place, meaning: Meaning, helped: Place | None = None, routes: tuple[int, ...] | None = None
) -> OrderOnBoard:
    province_helped = 0 if helped is None else helped.province
    return OrderOnBoard(board, place, place.province, meaning, helped, province_helped, routes)


def _read_voyage(board: Board, army: Place, to: str, via_convoy: bool) -> OrderOnBoard | None:
    """The move of an army to where only fleets can bring it."""
    target = _landing_by_sea(board, army, to)
    if target < 0:
        return None
    meaning = meaning_of(MOVE, target, target, -1, via_convoy)
    return _on_board(board, army, meaning, None, board.routes.between(army.province, target))


def _read_support(board: Board, place: Place, helped: _Stand, to: str | None) -> OrderOnBoard | None:
    """The support of a unit to hold, or for its move; it is not one of the fleets that bring an army (6.D.31)."""
    routes: tuple[int, ...] | None = None
    landing = -1
    plain = None if to is None else helped.moves.get(to)
    if to is None:
        target = helped.place.province
    elif plain is not None:
        target, landing = plain.meaning.target, plain.meaning.landing
    else:
        target = _landing_by_sea(board, helped.place, to)
        routes = tuple(
            [route for route in board.routes.between(helped.place.province, target) if not route >> place.location & 1]
        )
    if target not in place.reach:
        return None
    coast = landing if landing != target else -1
    return _on_board(board, place, Meaning(SUPPORT, target, coast), helped.place, routes)


def _read_convoy(board: Board, fleet: Place, army: Place, to: str) -> OrderOnBoard | None:
    """A convoy by a fleet at sea, which has to be on the route (X.3 `illegal-if-unnecessary`)."""
    target = _landing_by_sea(board, army, to)
    if target < 0 or not fleet.is_fleet:
        return None
    routes = board.routes.between(army.province, target)
    over = tuple([route for route in routes if route >> fleet.location & 1])
    return _on_board(board, fleet, Meaning(CONVOY, target), army, over)


def _landing_by_sea(board: Board, army: Place, to: str) -> int:
    """The province that a text names, if an army could come there by sea, or -1."""
    target = -1 if army.is_fleet else board.number.get(to, -1)
    return target if target >= 0 and board.routes.between(army.province, target) else -1
