"""Mutants in orders: whose are obeyed, and what is said of those that come to nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import final

from ....reference_engine import OrderedUnit, Procedure, Ruleset, Unit, province_code
from ....reference_engine.orders import Convoy, GivenOrder, Hold, Move, Order, SupportHold, SupportMove, Waive
from ....reference_engine.position import Adjudication, OrderResult, Position, Reason
from ....reference_engine.procedures import EQUATIONS
from ...play.positions import ordered_province
from .mutant import Adjudicated, Orders, by_orders, by_phase, by_result, mutant

by_given = partial(by_orders, "movement")
by_said = partial(by_result, "movement")


def _owners(position: Position) -> dict[str, str]:
    return {province_code(unit.location): unit.power for unit in position.units}


@mutant("obeys an order to a unit of another power", by_given)
def _foreign_order_obeyed(position: Position, orders: Orders) -> Orders:
    owners = _owners(position)
    return [GivenOrder(owners.get(ordered_province(order), power), order) for power, order in orders]


@final
class _SeveralTimes(Position):
    """A position in which a unit has a double for each further order, which nobody meets at home."""

    def __init__(self, position: Position, doubles: Mapping[OrderedUnit, Unit]) -> None:
        super().__init__(position.units, board=position.board)
        for name, unit in doubles.items():
            original = self.units.index(unit)
            self._named[name] = len(self.units)
            self._units = (*self.units, unit)
            self._places = (*self.places, self.places[original])
            self._home = (*self.home, self.home[original])
            self._power = (*self.power, self.power[original])
            self._is_fleet = (*self.is_fleet, self.is_fleet[original])
            self._alike = (*self.alike, self.alike[original])


@mutant(
    "carries out all orders of a unit that has several: it supports twice, or is in two places",
    partial(by_phase, "movement"),
)
def _every_order_obeyed(position: Position, orders: Orders, ruleset: Ruleset) -> Adjudication:
    units = {province_code(unit.location): unit for unit in position.units}
    several: dict[Unit, list[Order]] = {}
    doubles: dict[OrderedUnit, Unit] = {}
    obeyed: list[GivenOrder] = []
    for given in orders:
        power, order = given
        unit = units.get(ordered_province(order))
        if order is None or isinstance(order, Waive) or unit is None or unit.power != power:
            obeyed.append(given)
            continue
        different = several.setdefault(unit, [])
        if order not in different:
            different.append(order)
        nth = different.index(order) + 1
        name = OrderedUnit(f"{province_code(unit.location)}/{nth}", unit.type)  # A coast that no province has.
        if nth > 1:
            doubles[name] = unit
        obeyed.append(given if nth == 1 else GivenOrder(power, replace(order, unit=name)))
    result = EQUATIONS["movement"](_SeveralTimes(position, doubles), obeyed, ruleset)
    return _without_doubles(obeyed, result, Counter(doubles.values()))


def _without_doubles(orders: Orders, result: Adjudication, doubles: Mapping[Unit, int]) -> Adjudication:
    """Each order of a unit is as good as a unit, but at home there is one at most; illegal orders do not count."""
    units, dislodged = list(result.units), list(result.dislodged)
    for unit, count in doubles.items():
        done = {
            order: isinstance(order, Move) and outcome.reason is None
            for (_, order), outcome in zip(orders, result.orders, strict=True)
            if ordered_province(order) == province_code(unit.location) and outcome.reason != "illegal"
        }
        moved = sum(done.values())
        lost = [entry for entry in dislodged if entry.unit == unit]
        stays = not moved or moved < len(done)
        for _ in range(count + 1 - moved - len(lost) - (stays and not lost)):
            units.remove(unit)
        if not stays:
            dislodged = [entry for entry in dislodged if entry not in lost]
    contested = result.contested - {province_code(unit.location) for unit in units}
    return result._replace(units=tuple(units), dislodged=tuple(dislodged), contested=contested)


def _obeyed(orders: Orders, obeys: Callable[[int, GivenOrder], bool]) -> Orders:
    return [given if obeys(index, given) else GivenOrder(given.power, None) for index, given in enumerate(orders)]


@mutant("knows 22 units at most, and so obeys no order to the 23rd that is listed, nor to those after it", by_given)
def _only_twenty_two_units(position: Position, orders: Orders) -> Orders:
    unknown = {province_code(unit.location) for unit in position.units[22:]}
    return _obeyed(orders, lambda _, given: ordered_province(given.order) not in unknown)


@mutant("forgets the order of a unit's own power where another power orders the unit after it", by_given)
def _foreign_order_displaces(_position: Position, orders: Orders) -> Orders:
    last = {ordered_province(order): power for power, order in orders}
    return _obeyed(orders, lambda _, given: last[ordered_province(given.order)] == given.power)


def _obeying_one(choose: Callable[[Sequence[int]], int]) -> Procedure:
    """Adjudicate movement with one of several orders to a unit, chosen before it is known which are legal."""

    def change(position: Position, orders: Orders) -> Orders:
        owners = _owners(position)
        several: dict[str, list[int]] = {}
        for index, (power, order) in enumerate(orders):
            province = ordered_province(order)
            if owners.get(province) == power:
                several.setdefault(province, []).append(index)
        replaced = {index for indices in several.values() for index in indices if index != choose(indices)}
        return _obeyed(orders, lambda index, _: index not in replaced)

    return by_given(change)


@mutant(
    "lets the last order to a unit replace the others also where it is illegal, so that the unit holds", _obeying_one
)
def _illegal_order_replaces(indices: Sequence[int]) -> int:
    return indices[-1]


@mutant(
    "lets the first order to a unit replace the others also where it is illegal, so that the unit holds", _obeying_one
)
def _illegal_order_comes_first(indices: Sequence[int]) -> int:
    return indices[0]


@mutant("takes a move to where the unit stands for its hold, and the support for that move for one to hold", by_given)
def _move_to_own_province_holds(_position: Position, orders: Orders) -> Orders:
    def read(order: Order | None) -> Order | None:
        if isinstance(order, Move) and province_code(order.to) == province_code(order.unit.location):
            return Hold(order.unit)
        if isinstance(order, SupportMove) and province_code(order.to) == province_code(order.supported.location):
            return SupportHold(order.unit, order.supported)
        return order

    return [GivenOrder(power, read(order)) for power, order in orders]


@mutant("takes units off the board that were given no order", by_said)
def _unordered_unit_vanishes(phase: Adjudicated) -> Adjudication:
    ordered = {ordered_province(order) for _, order in phase.orders}
    idle = {unit for unit in phase.position.units if province_code(unit.location) not in ordered}
    return phase.result._replace(units=tuple(unit for unit in phase.result.units if unit not in idle))


def _refused(phase: Adjudicated, *reasons: Reason) -> list[tuple[int, Order]]:
    """The orders that failed for such a reason, each with its place."""
    pairs = enumerate(zip(phase.orders, phase.result.orders, strict=True))
    return [(index, order) for index, ((_, order), done) in pairs if order is not None and done.reason in reasons]


def _illegal_help(phase: Adjudicated) -> Iterable[tuple[int, SupportMove | Convoy]]:
    """The illegal supports and convoys of moves that were ordered, each with its place."""
    moves = {ordered_province(order): province_code(order.to) for _, order in phase.orders if isinstance(order, Move)}
    for index, order in _refused(phase, "illegal"):
        if isinstance(order, (SupportMove, Convoy)):
            helped = order.supported if isinstance(order, SupportMove) else order.convoyed
            if moves.get(province_code(helped.location)) == province_code(order.to):
                yield index, order


def _saying_succeeded(find: Callable[[Adjudicated], Iterable[int]]) -> Procedure:
    """Adjudicate movement by the rules, and say that some of the orders succeeded, by their places."""

    def mutate(phase: Adjudicated) -> Adjudication:
        results = list(phase.result.orders)
        for index in find(phase):
            results[index] = OrderResult()
        return phase.result._replace(orders=tuple(results))

    return by_said(mutate)


@mutant("says that a support succeeds for a move that is impossible or was not ordered", _saying_succeeded)
def _unmatched_support_succeeds(phase: Adjudicated) -> Iterable[int]:
    return [index for index, order in _refused(phase, "void", "illegal") if isinstance(order, SupportMove)]


@mutant("says that a support succeeds for a move that was ordered, but is impossible", _saying_succeeded)
def _support_of_impossible_move_succeeds(phase: Adjudicated) -> Iterable[int]:
    units = {province_code(unit.location): unit for unit in phase.position.units}
    for index, order in _illegal_help(phase):
        unit, to = units.get(ordered_province(order)), province_code(order.to)
        reached = map(province_code, phase.position.board.destinations(unit)) if unit else ()
        if isinstance(order, SupportMove) and province_code(order.supported.location) != to and to in reached:
            yield index


@mutant("says that a convoy succeeds of an army that was not ordered to go there", _saying_succeeded)
def _unmatched_convoy_succeeds(phase: Adjudicated) -> Iterable[int]:
    return [index for index, order in _refused(phase, "void") if isinstance(order, Convoy)]


@mutant(
    "says that a convoy succeeds of an army that was ordered there, but that no chain of fleets could bring there",
    _saying_succeeded,
)
def _convoy_of_impossible_move_succeeds(phase: Adjudicated) -> Iterable[int]:
    for index, order in _illegal_help(phase):
        fleets = phase.position.fleets_at_sea([phase.orders[index].power])
        number = phase.position.board.number.get(ordered_province(order), 0)
        if isinstance(order, Convoy) and fleets >> number & 1:
            yield index
