"""Gives the provinces, coasts and powers of a case other names, and with them its orders and all that it expects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TypeVar, cast

from msgspec import structs

from ..reference_engine import Board, NotationError, Order, OrderedUnit, Position, Submitted, Unit
from ..reference_engine.notation import read_order, write_order
from ..reference_engine.orders import Phase
from .suite import Case, CaseOrder, CasePhase, Expectation, Placement, RetreatClaim

_OrderT = TypeVar("_OrderT", bound=Order)


def renamed(case: Case, board: Board, placement: Placement) -> Case:
    """Return a case with the names of a placement on a board. What it says in words is not renamed.

    Raises `NotationError` where an order cannot be written with names of this board so that it is read as it is meant,
    and `PositionError` where the units cannot stand there.
    """
    names = _Names(board, placement)
    phases = tuple(map(names.phase, case.phases))
    found = replace(case, phases=phases, placement=placement, file="", line=1)
    # They are those of the case: finding them takes longer than all else here.
    alternatives = [
        each._replace(expected=tuple(one and names.expectation(one) for one in each.expected))
        for each in case.alternatives
    ]
    vars(found).update(alternatives=tuple(alternatives))
    return found


def locations_of(case: Case) -> Mapping[str, None]:
    """Return all locations that a case names, in their order; some may not be on the board."""
    found: dict[str, None] = {}
    for phase in case.phases:
        units = phase.position.units if phase.position else ()
        found |= dict.fromkeys(unit.location for unit in units)
        for order in phase.orders:
            found |= dict.fromkeys(_locations_in(order.order))
        for owned in phase.centers.values():
            found |= dict.fromkeys(owned)
        for expected in phase.expectations:
            claims = sorted(expected.may_retreat | expected.may_not_retreat)
            found |= dict.fromkeys(location for claim in claims for location in claim)
            found |= dict.fromkeys([*expected.moved.values(), *(unit.location for unit in sorted(expected.built))])
    return found


def powers_of(case: Case) -> Mapping[str, None]:
    """Return all powers that a case names, in their order."""
    found: dict[str, None] = {}
    for phase in case.phases:
        units = phase.position.units if phase.position else ()
        found |= dict.fromkeys([*(unit.power for unit in units), *(order.power for order in phase.orders)])
        found |= dict.fromkeys(phase.centers)
        named = (value for order in phase.orders for value in _values(order.order))
        found |= dict.fromkeys(unit.power for unit in named if isinstance(unit, OrderedUnit) and unit.power)
    return found


def _locations_in(order: Order | None) -> Iterator[str]:
    for value in _values(order):
        if isinstance(value, OrderedUnit):
            yield value.location
        elif isinstance(value, str):
            yield value
        elif isinstance(value, tuple):
            yield from cast("tuple[str, ...]", value)


def _values(order: Order | None) -> Iterable[object]:
    """The fields of an order: units, locations, paths, and whether it is by convoy."""
    return [getattr(order, each.name) for each in fields(order)] if is_dataclass(order) else ()


@dataclass
class _Names:
    board: Board
    placement: Placement
    _expectations: dict[int, Expectation] = field(default_factory=dict[int, Expectation])

    def phase(self, phase: CasePhase) -> CasePhase:
        """Rename a phase. Raises `NotationError` and `PositionError`."""
        board, position = self.board.in_season(phase.season), phase.position
        if position is not None:
            centers = {self.power(power): map(self.location, owned) for power, owned in position.centers.items()}
            position = Position(map(self.unit, position.units), phase=phase.phase, centers=centers, board=board)
        return structs.replace(
            phase,
            year=phase.year - phase.board.first_year + board.first_year,
            board=board,
            position=position,
            centers={self.power(power): (*map(self.location, owned),) for power, owned in phase.centers.items()},
            orders=tuple(self.order(order, phase.phase) for order in phase.orders),
            expectations=tuple(map(self.expectation, phase.expectations)),
        )

    def location(self, location: str) -> str:
        """Rename a location, also one with a coast that its province does not have."""
        if found := self.placement.locations.get(location):
            return found
        province, _, coast = location.partition("/")
        return f"{self.placement.locations[province]}/{coast}" if coast else location

    def power(self, power: str) -> str:
        return self.placement.powers[power]

    def unit(self, unit: Unit) -> Unit:
        return Unit(self.power(unit.power), unit.type, self.location(unit.location))

    def ordered(self, unit: OrderedUnit) -> OrderedUnit:
        return OrderedUnit(self.location(unit.location), unit.type, unit.power and self.power(unit.power))

    def order(self, given: CaseOrder, phase: Phase) -> CaseOrder:
        """Rename an order, and write its text. Raises `NotationError`."""
        power, order = self.power(given.power), given.order
        if order is None:
            raise NotationError(given.text, 0, "it is no order with one meaning")
        renamed = self._order(order)
        text = write_order(renamed, "names", board=self.board)
        if read_order(text, phase, board=self.board).order != renamed:
            raise NotationError(text, 0, "with these names it has another meaning")
        return CaseOrder(Submitted(power, renamed), text)

    def _order(self, order: _OrderT) -> _OrderT:
        changed: dict[str, object] = {}
        for each in fields(order):
            value = getattr(order, each.name)
            if isinstance(value, OrderedUnit):
                changed[each.name] = self.ordered(value)
            elif isinstance(value, str):
                changed[each.name] = self.location(value)
            elif isinstance(value, tuple):
                changed[each.name] = tuple(map(self.location, cast("tuple[str, ...]", value)))
        return replace(order, **changed)

    def expectation(self, one: Expectation) -> Expectation:
        """Rename an expectation, each only once, since phases and alternatives share them."""
        if id(one) not in self._expectations:
            others = one.without_resolutions
            self._expectations[id(one)] = structs.replace(
                one,
                moved={self.location(province): self.location(to) for province, to in one.moved.items()},
                dislodged=frozenset(map(self.location, one.dislodged)),
                gone=frozenset(map(self.location, one.gone)),
                built=frozenset(map(self.unit, one.built)),
                may_retreat=frozenset(map(self.claim, one.may_retreat)),
                may_not_retreat=frozenset(map(self.claim, one.may_not_retreat)),
                without_resolutions=others and self.expectation(others),
            )
        return self._expectations[id(one)]

    def claim(self, claim: RetreatClaim) -> RetreatClaim:
        return RetreatClaim(self.location(claim.province), self.location(claim.to))
