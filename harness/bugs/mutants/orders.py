"""Mutants in orders: whose are obeyed, and what is said of those that come to nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from typing import final

from ....reference_engine import (
    Adjudication,
    Convoy,
    GivenOrder,
    Hold,
    Move,
    Order,
    OrderedUnit,
    OrderResult,
    Position,
    Procedure,
    Reason,
    Ruleset,
    SupportHold,
    SupportMove,
    Unit,
    Waive,
    province_code,
)
from ....reference_engine.procedures import EQUATIONS
from .mutant import AdjudicatedPhase, Mutant, by_phase, by_result, ordered_province


def _obeying_anyone(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Adjudication:
    owner = {province_code(unit.location): unit.power for unit in position.units}
    obeyed = [GivenOrder(owner.get(ordered_province(order), power), order) for power, order in orders]
    return EQUATIONS["movement"](position, obeyed, ruleset)


@final
class _SeveralTimes(Position):
    """A position in which a unit has a double for each further order, which nobody meets at home."""

    def __init__(self, position: Position, doubles: Mapping[OrderedUnit, Unit]) -> None:
        super().__init__(position.units, board=position.board)
        self._doubles: dict[OrderedUnit, int] = {}
        for name, unit in doubles.items():
            original = self.units.index(unit)
            self._doubles[name] = len(self.units)
            self.units = (*self.units, unit)
            self.places.append(self.places[original])
            self.home.append(self.home[original])
            self.power.append(self.power[original])
            self.is_fleet.append(self.is_fleet[original])

    def unit_named(self, named: OrderedUnit) -> int:
        double = self._doubles.get(named, -1)
        return double if double >= 0 else super().unit_named(named)


def _obeying_every_order(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Adjudication:
    """Give each further order of a unit to a double of it."""
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


def _without_doubles(orders: Sequence[GivenOrder], result: Adjudication, doubles: Mapping[Unit, int]) -> Adjudication:
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


def _obeying_no_displaced(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Adjudication:
    """Forget the orders of a unit's own power where the last order to the unit is another power's."""
    last = {ordered_province(order): power for power, order in orders}
    obeyed = [
        given if last[ordered_province(given.order)] == given.power else GivenOrder(given.power, None)
        for given in orders
    ]
    return EQUATIONS["movement"](position, obeyed, ruleset)


def _obeying_one(choose: Callable[[Sequence[int]], int]) -> Procedure:
    """Adjudicate movement with one of several orders to a unit, chosen before it is known which are legal."""

    def adjudicate(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Adjudication:
        owner = {province_code(unit.location): unit.power for unit in position.units}
        several: dict[str, list[int]] = {}
        for index, (power, order) in enumerate(orders):
            province = ordered_province(order)
            if owner.get(province) == power:
                several.setdefault(province, []).append(index)
        replaced = {index for indices in several.values() for index in indices if index != choose(indices)}
        obeyed = [GivenOrder(given.power, None) if index in replaced else given for index, given in enumerate(orders)]
        return EQUATIONS["movement"](position, obeyed, ruleset)

    return by_phase("movement", adjudicate)


def _first(indices: Sequence[int]) -> int:
    return indices[0]


def _last(indices: Sequence[int]) -> int:
    return indices[-1]


def _holding_who_stays(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Adjudication:
    """A move to where the unit is counts as its hold, and the support for it as one to hold."""

    def read(given: GivenOrder) -> GivenOrder:
        power, order = given
        if isinstance(order, Move) and province_code(order.to) == province_code(order.unit.location):
            return GivenOrder(power, Hold(order.unit))
        if isinstance(order, SupportMove) and province_code(order.to) == province_code(order.supported.location):
            return GivenOrder(power, SupportHold(order.unit, order.supported))
        return given

    return EQUATIONS["movement"](position, [read(given) for given in orders], ruleset)


def _without_the_unordered(phase: AdjudicatedPhase) -> Adjudication:
    ordered = {ordered_province(order) for _, order in phase.orders}
    idle = {unit for unit in phase.position.units if province_code(unit.location) not in ordered}
    return phase.result._replace(units=tuple(unit for unit in phase.result.units if unit not in idle))


def _unmatched_support_succeeds(phase: AdjudicatedPhase) -> Adjudication:
    refused = _refused(phase.orders, phase.result, ("void", "illegal"))
    return _said_to_succeed(phase.result, {index for index, order in refused.items() if isinstance(order, SupportMove)})


def _support_of_impossible_succeeds(phase: AdjudicatedPhase) -> Adjudication:
    helping = {
        index
        for index, order in _illegal_help(phase.orders, phase.result).items()
        if isinstance(order, SupportMove)
        and province_code(order.supported.location) != province_code(order.to)
        and _reaches(phase.position, ordered_province(order), province_code(order.to))
    }
    return _said_to_succeed(phase.result, helping)


def _reaches(position: Position, province: str, to: str) -> bool:
    """Whether the unit in a province could go to another by itself."""
    return any(
        to == province_code(destination)
        for unit in position.units
        if province_code(unit.location) == province
        for destination in position.board.destinations(unit)
    )


def _unmatched_convoy_succeeds(phase: AdjudicatedPhase) -> Adjudication:
    refused = _refused(phase.orders, phase.result, ("void",))
    return _said_to_succeed(phase.result, {index for index, order in refused.items() if isinstance(order, Convoy)})


def _convoy_of_impossible_succeeds(phase: AdjudicatedPhase) -> Adjudication:
    fleets, number = phase.position.fleets_at_sea, phase.position.board.number
    helping = {
        index
        for index, order in _illegal_help(phase.orders, phase.result).items()
        if isinstance(order, Convoy)
        and fleets([phase.orders[index].power]) >> number.get(ordered_province(order), 0) & 1
    }
    return _said_to_succeed(phase.result, helping)


def _illegal_help(orders: Sequence[GivenOrder], result: Adjudication) -> Mapping[int, SupportMove | Convoy]:
    """The illegal supports and convoys of moves that were ordered, by their place."""
    moves = {ordered_province(order): province_code(order.to) for _, order in orders if isinstance(order, Move)}
    found: dict[int, SupportMove | Convoy] = {}
    for index, order in _refused(orders, result, ("illegal",)).items():
        if isinstance(order, (SupportMove, Convoy)):
            helped = order.supported if isinstance(order, SupportMove) else order.convoyed
            if moves.get(province_code(helped.location)) == province_code(order.to):
                found[index] = order
    return found


def _refused(orders: Sequence[GivenOrder], result: Adjudication, reasons: Sequence[Reason]) -> Mapping[int, Order]:
    """The orders that failed for such a reason, by their place."""
    return {
        index: order
        for index, ((_, order), done) in enumerate(zip(orders, result.orders, strict=True))
        if order is not None and done.reason in reasons
    }


def _said_to_succeed(result: Adjudication, indices: Container[int]) -> Adjudication:
    said = [OrderResult() if index in indices else done for index, done in enumerate(result.orders)]
    return result._replace(orders=tuple(said))


MUTANTS = (
    Mutant("foreign-order-obeyed", "obeys an order to a unit of another power", by_phase("movement", _obeying_anyone)),
    Mutant(
        "every-order-obeyed",
        "carries out all orders of a unit that has several: it supports twice, or is in two places",
        by_phase("movement", _obeying_every_order),
    ),
    Mutant(
        "foreign-order-displaces",
        "forgets the order of a unit's own power where another power orders the unit after it",
        by_phase("movement", _obeying_no_displaced),
    ),
    Mutant(
        "illegal-order-replaces",
        "lets the last order to a unit replace the others also where it is illegal, so that the unit holds",
        _obeying_one(_last),
    ),
    Mutant(
        "illegal-order-comes-first",
        "lets the first order to a unit replace the others also where it is illegal, so that the unit holds",
        _obeying_one(_first),
    ),
    Mutant(
        "move-to-own-province-holds",
        "takes a move to where the unit stands for its hold, and the support for that move for one to hold",
        by_phase("movement", _holding_who_stays),
    ),
    Mutant(
        "unordered-unit-vanishes",
        "takes units off the board that were given no order",
        by_result("movement", _without_the_unordered),
    ),
    Mutant(
        "unmatched-support-succeeds",
        "says that a support succeeds for a move that is impossible or was not ordered",
        by_result("movement", _unmatched_support_succeeds),
    ),
    Mutant(
        "support-of-impossible-move-succeeds",
        "says that a support succeeds for a move that was ordered, but is impossible",
        by_result("movement", _support_of_impossible_succeeds),
    ),
    Mutant(
        "unmatched-convoy-succeeds",
        "says that a convoy succeeds of an army that was not ordered to go there",
        by_result("movement", _unmatched_convoy_succeeds),
    ),
    Mutant(
        "convoy-of-impossible-move-succeeds",
        "says that a convoy succeeds of an army that was ordered there, but that no chain of fleets could bring there",
        by_result("movement", _convoy_of_impossible_succeeds),
    ),
)
