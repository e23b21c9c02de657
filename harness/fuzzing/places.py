"""The same position in other places, which border each other in the same way, and with other powers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from ...reference_engine import (
    Convoy,
    GivenOrder,
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
from ..positions import OrderedPosition, Orders, helped_unit

_KNOWN = (
    *("NTH", "ENG", "LON", "BEL", "HOL", "BRE", "PIC", "YOR", "NWY", "DEN", "PAR", "BUR"),
    *("MUN", "BER", "KIE", "RUH", "EDI", "WAL", "HEL", "IRI", "MAO", "NWG", "SKA"),
)
"""The places that the examples of rulebooks use most, these first."""
_MOST_PROVINCES = 10


def other_places(
    ordered: OrderedPosition, ranked: Sequence[str] | None = None, most_steps: int = 5000
) -> Iterator[Mapping[str, str]]:
    """Find places with the same borders, the familiar ones or those ranked highest first.

    None are given for a position with more than ten provinces, or with a coast in it.
    """
    named = locations_of(ordered)
    board = standard_board()
    if len(named) > _MOST_PROVINCES or any("/" in place or place not in board.number for place in named):
        return
    ranks = {code: rank for rank, code in enumerate(ranked or familiar())}
    stack: list[tuple[str, ...]] = [()]
    for _ in range(most_steps):
        if not stack:
            return
        chosen = stack.pop()
        if len(chosen) == len(named):
            yield dict(zip(named, chosen, strict=True))
            continue
        fitting = [code for code in _candidates(chosen, named, ranks) if _fits(code, chosen, named)]
        stack += [(*chosen, code) for code in reversed(fitting)]


def _candidates(chosen: Sequence[str], named: Sequence[str], ranks: Mapping[str, int]) -> Sequence[str]:
    """The provinces to try next: neighbours of one that is chosen, where that has to be."""
    mine = named[len(chosen)]
    beside = next((there for here, there in zip(named, chosen, strict=False) if any(_border(mine, here))), None)
    free = ranks.keys() - set(chosen)
    if beside is not None:
        free = {code for code in free if any(_border(code, beside))}
    return sorted(free, key=ranks.__getitem__)


def familiar_powers(ordered: OrderedPosition) -> OrderedPosition:
    """Name the powers England, France, and so on, in the order in which they come."""
    if ordered.phase != "movement":
        return ordered
    seen = dict.fromkeys([given.power for given in ordered.orders] + [unit.power for unit in ordered.units])
    names = ("ENGLAND", "FRANCE", "GERMANY", "ITALY", "AUSTRIA", "RUSSIA", "TURKEY")
    return with_powers(ordered, dict(zip(seen, names, strict=False)))


@cache
def familiar() -> Sequence[str]:
    """The provinces without two coasts, those first that every player knows."""
    codes = [province.code for province in standard_board().provinces if not province.coasts]
    return (*_KNOWN, *(code for code in codes if code not in _KNOWN))


def _fits(code: str, chosen: Sequence[str], named: Sequence[str]) -> bool:
    mine = named[len(chosen)]
    return _kind(code) == _kind(mine) and all(
        _border(code, there) == _border(mine, here) for here, there in zip(named, chosen, strict=False)
    )


@cache
def _kind(code: str) -> object:
    province = standard_board().province(code)
    assert province is not None  # noqa: S101 - it comes from the board
    return (province.terrain, bool(province.coasts))


@cache
def _border(one: str, other: str) -> tuple[bool, bool]:
    """Whether an army, and whether a fleet, can go from one to the other."""
    board = standard_board()
    here, there = board.number[one], board.number[other]
    coasts = [number for number, location in enumerate(board.locations) if province_code(location) == one]
    by_sea = any(board.fleet_borders[coast] >> there & 1 for coast in coasts)
    return (bool(board.army_borders[here] >> there & 1), by_sea)


def with_powers(ordered: OrderedPosition, names: Mapping[str, str]) -> OrderedPosition:
    """Give powers other names: to units, centers, who orders, and the nationalities in orders."""

    def name(power: str) -> str:
        return names.get(power, power)

    def unit_named(unit: OrderedUnit) -> OrderedUnit:
        return unit if unit.power is None else unit._replace(power=name(unit.power))

    def renamed(orders: Orders) -> Orders:
        return tuple(GivenOrder(name(given.power), with_named_units(given.order, unit_named)) for given in orders)

    position = ordered.position
    units = [Unit(name(unit.power), unit.type, unit.location) for unit in position.units]
    centers = {name(power): owned for power, owned in position.centers.items()}
    return OrderedPosition(
        Position(units, phase=position.phase, centers=centers),
        renamed(ordered.orders),
        None if ordered.retreats is None else renamed(ordered.retreats),
    )


def with_places(ordered: OrderedPosition, places: Mapping[str, str]) -> OrderedPosition:
    """Move everything to other provinces. Raises `PositionError` where a unit cannot stand there."""

    def place(location: str) -> str:
        return places.get(location, location)

    def unit_named(unit: OrderedUnit) -> OrderedUnit:
        return unit._replace(location=place(unit.location))

    def moved(orders: Orders) -> Orders:
        return tuple(GivenOrder(given.power, _going(given.order, unit_named, place)) for given in orders)

    units = [unit._replace(location=place(unit.location)) for unit in ordered.units]
    retreats = None if ordered.retreats is None else moved(ordered.retreats)
    return ordered._replace(orders=moved(ordered.orders), retreats=retreats).with_units(units)


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


def locations_of(ordered: OrderedPosition) -> list[str]:
    """The locations that a position names, each once, those of orders first."""
    found: dict[str, None] = {}
    for given in (*ordered.orders, *(ordered.retreats or ())):
        order = given.order
        if order is None or isinstance(order, Waive):
            continue
        helped = helped_unit(order)
        to = order.to if isinstance(order, (Move, SupportMove, Convoy, Retreat)) else None
        for location in (order.unit.location, helped.location if helped else None, to):
            if location is not None:
                found[location] = None
    for unit in ordered.units:
        found[unit.location] = None
    return list(found)
