"""Reads orders as far as that depends on the board alone: what an order means is worked out once, and kept with it.

Most orders name their units in full, and have them act where they can. What these mean depends on the position only in
that the units stand there. `legality` knows the few rules under which that does not do, and reads all other orders.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeAlias

from .board import Board, Place
from .meanings import CONVOY, HOLD, MOVE, SUPPORT, Meaning
from .orders import Convoy, Hold, Move, SupportHold, SupportMove, WrittenOrder
from .routes import members
from .units import OrderedUnit

_Key: TypeAlias = "tuple[int, OrderedUnit | None, str | None, bool]"
"""Of an order to a unit: its kind, the unit that it helps, the location written, and whether it is "via convoy"."""
_MOST_KEPT = 2048
"""So many orders to a type of unit at a location are kept. A fleet in the North Sea has most that make sense: 1,500."""


def read(board: Board, order: WrittenOrder) -> Meaning:
    """Work out what an order means on a board, and keep it with the order."""
    meaning = _read(board, order) or Meaning(HOLD, board=board)
    object.__setattr__(order, "meaning", meaning)
    return meaning


def plain_move(board: Board, place: Place, to: str) -> Meaning | None:
    """What the move of a unit to a neighbour means, by the location written; `None` where it is no such move."""
    moves = place.kept.moves
    if not moves:
        for province, landings in _landings(board, place):
            for landing in landings:
                moves[board.locations[landing]] = Meaning(
                    MOVE, province, landing, is_plain=True, board=board, place=place, province=place.province
                )
    return moves.get(to)


def plain_support(board: Board, helped: Place, to: str) -> tuple[int, int] | None:
    """The province of a unit's move to a neighbour that is supported, and the coast that this names, or -1.

    `None` where it is no such move.
    """
    plain = plain_move(board, helped, to)
    if plain is None:
        return None
    return plain.target, plain.landing if plain.landing != plain.target else -1


def _landings(board: Board, place: Place) -> Iterable[tuple[int, tuple[int, ...]]]:
    """The provinces that a unit can go to by itself, and the locations that it can arrive at in each."""
    if place.is_fleet:
        return board.fleet_moves[place.location].items()
    return [(province, (province,)) for province in members(board.army_borders[place.location])]


def _read(board: Board, order: WrittenOrder) -> Meaning | None:
    """What an order means; `None` where it has to be read with the position."""
    if not isinstance(order, (Move, SupportMove, SupportHold, Convoy, Hold)):
        return None
    place = board.place_named(order.unit)
    if place is None:
        return None
    key: _Key
    if isinstance(order, Move):
        if order.path:
            return None
        plain = plain_move(board, place, order.to)
        if plain is not None:
            return None if order.via_convoy else plain
        key = (MOVE, None, order.to, order.via_convoy)
    elif isinstance(order, Convoy):
        key = (CONVOY, order.convoyed, order.to, False)
    elif isinstance(order, Hold):
        key = (HOLD, None, None, False)
    else:
        key = (SUPPORT, order.supported, order.to if isinstance(order, SupportMove) else None, False)
    known = place.kept.known
    meaning = known.get(key)
    if meaning is None:
        meaning = _work_out(board, place, key)
        if meaning is not None:
            if len(known) >= _MOST_KEPT:
                known.clear()
            known[key] = meaning
    return meaning


def _work_out(board: Board, place: Place, key: _Key) -> Meaning | None:
    """What an order means that is no move to a neighbour."""
    kind, named, to, via_convoy = key
    if kind == HOLD:
        return Meaning(HOLD, is_plain=True, board=board, place=place, province=place.province)
    if kind == MOVE:
        return _read_voyage(board, place, to or "", via_convoy)
    helped = None if named is None else board.place_named(named)
    if helped is None or helped.province == place.province:
        return None
    return _read_convoy(board, place, helped, to or "") if kind == CONVOY else _read_support(board, place, helped, to)


def _read_voyage(board: Board, army: Place, to: str, via_convoy: bool) -> Meaning | None:
    """The move of an army to where only fleets can bring it."""
    target = _landing_by_sea(board, army, to)
    if target < 0:
        return None
    return Meaning(
        MOVE,
        target,
        target,
        via_convoy=via_convoy,
        board=board,
        place=army,
        province=army.province,
        routes=board.routes.between(army.province, target),
    )


def _read_support(board: Board, place: Place, helped: Place, to: str | None) -> Meaning | None:
    """The support of a unit to hold, or for its move; it is not one of the fleets that bring an army (6.D.31)."""
    target, coast = helped.province, -1
    routes: tuple[int, ...] | None = None
    if to is not None:
        plain = plain_support(board, helped, to)
        if plain is None:
            target = _landing_by_sea(board, helped, to)
            between = board.routes.between(helped.province, target)
            routes = tuple([route for route in between if not route >> place.location & 1])
        else:
            target, coast = plain
    if target not in place.reach:
        return None
    return _helping(board, place, helped, Meaning(SUPPORT, target, coast, routes=routes))


def _read_convoy(board: Board, fleet: Place, army: Place, to: str) -> Meaning | None:
    """A convoy by a fleet at sea, which has to be on the route (X.3 `illegal-if-unnecessary`)."""
    target = _landing_by_sea(board, army, to)
    if target < 0 or not fleet.is_fleet or not board.seas >> fleet.location & 1:
        return None
    routes = board.routes.between(army.province, target)
    over = tuple([route for route in routes if route >> fleet.location & 1])
    return _helping(board, fleet, army, Meaning(CONVOY, target, routes=over))


def _helping(board: Board, place: Place, helped: Place, meaning: Meaning) -> Meaning:
    """The same support or convoy, with where it applies: a unit at a place helps the one at another."""
    return replace(
        meaning, helped=helped.province, board=board, place=place, province=place.province, place_helped=helped
    )


def _landing_by_sea(board: Board, army: Place, to: str) -> int:
    """The province that a text names, if an army could come there by sea, or -1."""
    target = -1 if army.is_fleet else board.number.get(to, -1)
    return target if target >= 0 and board.routes.between(army.province, target) else -1
