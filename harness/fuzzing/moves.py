"""Moves that make a situation simpler and know the game: what to leave out, and what goes with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

from ...reference_engine import (
    Convoy,
    GivenOrder,
    Hold,
    Move,
    Order,
    OrderedUnit,
    Position,
    Retreat,
    SupportHold,
    SupportMove,
    Unit,
    Waive,
    province_code,
    standard_board,
)
from .situation import Orders, Situation, ordered_unit


def without_units(situation: Situation, provinces: Collection[str]) -> Situation:
    """Take units off the board, with the orders to them; who supported or convoyed one of them holds."""
    units = [unit for unit in situation.units if province_code(unit.location) not in provinces]
    orders: list[GivenOrder] = []
    for given in situation.orders:
        unit = ordered_unit(given)
        if unit is not None and province_code(unit.location) in provinces:
            continue
        helped = helped_unit(given.order)
        if unit is not None and helped is not None and province_code(helped.location) in provinces:
            given = GivenOrder(given.power, Hold(unit))  # noqa: PLW2901 - it goes on as a hold
        orders.append(given)
    left = situation._replace(orders=tuple(orders)).with_units(units)
    return left if situation.retreats is None else left._replace(retreats=_not_of(situation.retreats, provinces))


def _not_of(orders: Orders, provinces: Collection[str]) -> Orders:
    units = [(given, ordered_unit(given)) for given in orders]
    return tuple(given for given, unit in units if unit is None or province_code(unit.location) not in provinces)


def helped_unit(order: Order | None) -> OrderedUnit | None:
    """The unit that an order supports or convoys."""
    match order:
        case SupportHold() | SupportMove():
            return order.supported
        case Convoy():
            return order.convoyed
        case _:
            return None


def simpler(situation: Situation) -> Iterator[Situation]:
    """Everything that is one step simpler, what saves most first."""
    if situation.retreats is not None:
        yield situation._replace(retreats=None)
        for index in range(len(situation.retreats)):
            yield situation._replace(retreats=_left_out(situation.retreats, index))
    for index, given in enumerate(situation.orders):
        for order in _simpler_orders(given.order):
            changed = (*situation.orders[:index], GivenOrder(given.power, order), *situation.orders[index + 1 :])
            yield situation._replace(orders=changed)
        if _is_spare(situation, index):
            yield situation._replace(orders=_left_out(situation.orders, index))
    yield from _with_holds(situation)
    yield from _fewer_centers(situation)


def _left_out(orders: Orders, index: int) -> Orders:
    return orders[:index] + orders[index + 1 :]


def _is_spare(situation: Situation, index: int) -> bool:
    """Whether an order may go altogether: its unit is left one by its owner, or never had one."""
    given = situation.orders[index]
    if situation.position.phase != "movement" or ordered_unit(given) is None:
        return True
    ordered = [unit for unit in situation.units if _is_to(given, unit)]
    others = _left_out(situation.orders, index)
    return all(
        given.power != unit.power or any(other.power == unit.power and _is_to(other, unit) for other in others)
        for unit in ordered
    )


def _simpler_orders(order: Order | None) -> Iterator[Order]:
    if order is None or isinstance(order, Waive):
        return
    if isinstance(order, (Move, SupportHold, SupportMove, Convoy)):
        yield Hold(order.unit)
    if isinstance(order, Move) and order.via_convoy:
        yield replace(order, via_convoy=False)
    if isinstance(order, (Move, SupportMove)) and "/" in order.to:
        yield replace(order, to=province_code(order.to))
    if isinstance(order, SupportMove):
        yield SupportHold(order.unit, order.supported)


def _with_holds(situation: Situation) -> Iterator[Situation]:
    """Write an order for a unit that has none."""
    if situation.position.phase != "movement":
        return
    ordered = {province_code(unit.location) for given in situation.orders if (unit := ordered_unit(given))}
    for unit in situation.units:
        if province_code(unit.location) not in ordered:
            hold = GivenOrder(unit.power, Hold(OrderedUnit(unit.location, unit.type)))
            yield situation._replace(orders=(*situation.orders, hold))


def _fewer_centers(situation: Situation) -> Iterator[Situation]:
    position = situation.position
    for power, owned in position.centers.items():
        for center in sorted(owned):
            left = {**position.centers, power: owned - {center}}
            yield situation._replace(position=Position(position.units, phase=position.phase, centers=left))


def more_powers(situation: Situation) -> Iterator[Situation]:
    """Give one unit to a power that has none, so that units of one power are those that have to be."""
    if situation.position.phase != "movement":
        return
    counts = Counter(unit.power for unit in situation.units)
    ordering = {given.power for given in situation.orders}
    free = [power for power in standard_board().powers if power not in counts and power not in ordering]
    for unit in situation.units:
        if free and counts[unit.power] > 1:
            units = [unit._replace(power=free[0]) if other == unit else other for other in situation.units]
            orders = tuple(
                given._replace(power=free[0]) if given.power == unit.power and _is_to(given, unit) else given
                for given in situation.orders
            )
            yield situation._replace(orders=orders).with_units(units)


def _is_to(given: GivenOrder, unit: Unit) -> bool:
    named = ordered_unit(given)
    return named is not None and province_code(named.location) == province_code(unit.location)


def with_powers(situation: Situation, names: Mapping[str, str]) -> Situation:
    """Give powers other names: to units, centers, who orders, and the nationalities in orders."""

    def name(power: str) -> str:
        return names.get(power, power)

    def unit_named(unit: OrderedUnit) -> OrderedUnit:
        return unit if unit.power is None else unit._replace(power=name(unit.power))

    def renamed(orders: Orders) -> Orders:
        return tuple(GivenOrder(name(given.power), with_named_units(given.order, unit_named)) for given in orders)

    position = situation.position
    units = [Unit(name(unit.power), unit.type, unit.location) for unit in position.units]
    centers = {name(power): owned for power, owned in position.centers.items()}
    return Situation(
        Position(units, phase=position.phase, centers=centers),
        renamed(situation.orders),
        None if situation.retreats is None else renamed(situation.retreats),
    )


def with_places(situation: Situation, places: Mapping[str, str]) -> Situation:
    """Move everything to other provinces. Raises `PositionError` where a unit cannot stand there."""

    def place(location: str) -> str:
        return places.get(location, location)

    def unit_named(unit: OrderedUnit) -> OrderedUnit:
        return unit._replace(location=place(unit.location))

    def moved(orders: Orders) -> Orders:
        return tuple(GivenOrder(given.power, _going(given.order, unit_named, place)) for given in orders)

    units = [unit._replace(location=place(unit.location)) for unit in situation.units]
    retreats = None if situation.retreats is None else moved(situation.retreats)
    return situation._replace(orders=moved(situation.orders), retreats=retreats).with_units(units)


def _going(
    order: Order | None, unit_named: Callable[[OrderedUnit], OrderedUnit], place: Callable[[str], str]
) -> Order | None:
    order = with_named_units(order, unit_named)
    return replace(order, to=place(order.to)) if isinstance(order, (Move, SupportMove, Convoy, Retreat)) else order


def with_named_units(order: Order | None, named: Callable[[OrderedUnit], OrderedUnit]) -> Order | None:
    """Name the units of an order otherwise."""
    if order is None or isinstance(order, Waive):
        return order
    order = replace(order, unit=named(order.unit))
    match order:
        case SupportHold() | SupportMove():
            return replace(order, supported=named(order.supported))
        case Convoy():
            return replace(order, convoyed=named(order.convoyed))
        case _:
            return order


def locations_of(situation: Situation) -> list[str]:
    """The locations that a situation names, each once, those of orders first."""
    found: dict[str, None] = {}
    for given in (*situation.orders, *(situation.retreats or ())):
        order = given.order
        if order is None or isinstance(order, Waive):
            continue
        helped = helped_unit(order)
        to = order.to if isinstance(order, (Move, SupportMove, Convoy, Retreat)) else None
        for location in (order.unit.location, helped.location if helped else None, to):
            if location is not None:
                found[location] = None
    for unit in situation.units:
        found[unit.location] = None
    return list(found)
