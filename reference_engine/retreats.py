# mypyc
"""The retreat phase: a dislodged unit goes where nobody else retreats to, or is disbanded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from typing import Final

from .board import Board, Unit
from .choices import MULTIPLE_ORDERS, check_supported
from .legality import SUPPORTED_CHOICES, Legality, check_given, choose_order
from .orders import Disband, GivenOrder, Order, Retreat
from .position import BOUNCED, IGNORED, ILLEGAL, SUCCEEDED, Adjudication, OrderResult, Position
from .rulesets import Ruleset

_DISBANDS: Final = -1
_NO_UNIT: Final = (-1, _DISBANDS)


def legal_retreats(board: Board, unit: Unit, closed: Container[int], origin: int = -1) -> tuple[str, ...]:
    """The locations that a dislodged unit may retreat to, in alphabetical order: a border away, and not closed.

    `closed` has the numbers of the provinces that are occupied or were left vacant by a standoff; `origin` is the
    number of the one that the attacker came from, where 4.A.5 closes it.
    """
    place = board.places.get((unit.type, unit.location))
    moves = () if place is None else place.moves.items()
    return tuple([location for location, move in moves if move.target != origin and move.target not in closed])


def adjudicate_retreats(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Adjudication:
    """Adjudicate a retreat phase: the units on the board stay, those beside it retreat or are gone.

    Raises `UnplayedChoiceError` for a choice that this engine does not play.
    """
    check_supported(ruleset, SUPPORTED_CHOICES)
    check_given(position.board, orders)
    dislodged = [entry.unit for entry in position.dislodged]
    board, beside = position.board, Position(dislodged, board=position.board)
    legality = Legality(beside, ruleset)
    given = [_retreat_ordered(position, legality, power, order) for power, order in orders]
    units, landings = [unit for unit, _ in given], [landing for _, landing in given]
    _, goes_to = choose_order(units, landings, len(dislodged), _DISBANDS, MULTIPLE_ORDERS[ruleset.choices["4.D.3"]])
    going = {index: board.province_of[landing] for index, landing in enumerate(goes_to) if landing != _DISBANDS}
    crossing = {index for index, to in going.items() if to in beside.places[index].difficult}
    # Who comes over a difficult passage keeps nobody out but others that do (DATC 2.4, 10.K).
    easily = Counter(to for index, to in going.items() if index not in crossing)
    arrivals = Counter(going.values()) if crossing else easily

    after = list(position.units)
    survived: set[int] = set()
    for index, to in going.items():
        if (arrivals if index in crossing else easily)[to] == 1:
            unit = dislodged[index]
            after.append(Unit(unit.power, unit.type, board.locations[goes_to[index]]))
            survived.add(index)
    return Adjudication(tuple(after), (), tuple(_result(*order, goes_to, survived) for order in given))


def _retreat_ordered(position: Position, legality: Legality, power: str, order: Order | None) -> tuple[int, int]:
    """The dislodged unit that an order commands, -1 where it is illegal, and the location that it goes to."""
    if not isinstance(order, (Retreat, Disband)):
        return _NO_UNIT
    unit = legality.commanded(power, order.unit)
    if unit < 0:
        return _NO_UNIT
    if isinstance(order, Disband):
        return unit, _DISBANDS
    landing = legality.landing(unit, order.to)
    if landing < 0 or position.board.locations[landing] not in (position.dislodged[unit].retreats or ()):
        return _NO_UNIT
    return unit, landing


def _result(unit: int, landing: int, goes_to: Sequence[int], survived: set[int]) -> OrderResult:
    if unit < 0:
        return ILLEGAL
    if goes_to[unit] != landing:
        return IGNORED
    return SUCCEEDED if landing == _DISBANDS or unit in survived else BOUNCED
