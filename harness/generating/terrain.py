"""What positions are generated from: the board in lists that have the same order in every process; places exchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

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
    UnitType,
    Waive,
    province_code,
    standard_board,
)
from ..positions import OrderedPosition, Orders, helped_unit

UNIT_TYPES: tuple[UnitType, ...] = ("A", "F")


class Area(NamedTuple):
    """A part of the board."""

    seas: tuple[str, ...]
    land: tuple[str, ...]


class Terrain(NamedTuple):
    """The board in lists to pick from, by unit type and location."""

    places: Mapping[str, tuple[tuple[UnitType, str], ...]]
    """For each province, what can stand there."""
    moves: Mapping[tuple[UnitType, str], tuple[str, ...]]
    reach: Mapping[tuple[UnitType, str], tuple[str, ...]]
    """The provinces that a unit could move to, in an order that is the same in every process."""
    seas: tuple[str, ...]
    shores: Mapping[str, tuple[str, ...]]
    """For each sea, the coastal provinces on it."""
    waters: Mapping[str, tuple[str, ...]]
    """For each coastal province or sea, the seas that border it."""
    coasts: Mapping[str, tuple[str, ...]]
    """For each coast of a province with two, the province and its other coast."""
    everywhere: Area
    around: Mapping[str, tuple[Area, Area]]
    """For each province, what is within two steps, and within three."""
    named: Mapping[tuple[UnitType, str], OrderedUnit]
    homes: Mapping[str, tuple[str, ...]]
    centers: tuple[str, ...]
    powers: tuple[str, ...]
    codes: tuple[str, ...]


@cache
def terrain() -> Terrain:
    """Make the lists of the standard board, once."""
    board = standard_board()
    stands: list[tuple[UnitType, str]] = [
        (kind, place) for place in board.locations for kind in UNIT_TYPES if board.can_stand(kind, place)
    ]
    moves: dict[tuple[UnitType, str], tuple[str, ...]] = {
        (kind, place): board.destinations(Unit("ENGLAND", kind, place)) for kind, place in stands
    }
    reach = {key: tuple(dict.fromkeys(map(province_code, places))) for key, places in moves.items()}
    codes, places = [province.code for province in board.provinces], board.locations
    seas = tuple(province.code for province in board.provinces if province.terrain == "sea")
    by_sea = {
        code: {to for at, several in reach.items() if at[0] == "F" and province_code(at[1]) == code for to in several}
        for code in codes
    }
    areas = [[_within(near, steps, codes, seas) for steps in (2, 3)] for near in board.distances[: len(codes)]]
    return Terrain(
        places={code: tuple(stand for stand in stands if province_code(stand[1]) == code) for code in codes},
        moves=moves,
        reach=reach,
        seas=seas,
        shores={sea: tuple(sorted(by_sea[sea].difference(seas))) for sea in seas},
        waters={code: tuple(sorted(by_sea[code].intersection(seas))) for code in codes},
        coasts={
            place: (code, *(other for other in places if other[:3] == code and other not in (code, place)))
            for place in places
            if (code := place[:3]) != place
        },
        everywhere=_within(board.distances[0], len(codes), codes, seas),
        around={code: (near, far) for code, (near, far) in zip(codes, areas, strict=True)},
        named={(kind, place): OrderedUnit(place, kind) for kind, place in stands},
        homes={code: power.home_centers for code, power in board.powers.items()},
        centers=tuple(sorted(board.supply_centers)),
        powers=tuple(board.powers),
        codes=tuple(codes),
    )


def _within(distances: Sequence[int], steps: int, codes: Sequence[str], seas: Sequence[str]) -> Area:
    near = [code for code, distance in zip(codes, distances, strict=True) if distance <= steps]
    return Area(tuple(code for code in near if code in seas), tuple(code for code in near if code not in seas))


class Profile(NamedTuple):
    """What random positions are made of. Shares are between 0 and 1."""

    purpose: str
    fewest: int
    most: int
    """Units on the board."""
    crowded: float
    """How often all units stand within two or three steps of one province."""
    at_sea: float
    """How many of the units are put on seas."""
    fleets: float
    """How many of the units on coasts are fleets."""
    convoyed: float
    """How many of the armies on coasts go by convoy where they can."""
    moving: float
    """How many of the other units move."""
    situated: float
    """How often some of the units are in a rare situation."""


PROFILES: Mapping[str, Profile] = {
    "opening": Profile("the units of 1901, some of them a few moves on", 22, 22, 0.0, 0.0, 0.0, 0.3, 0.5, 0.0),
    "dense": Profile("up to 34 units, with a bit of everything", 4, 34, 0.6, 0.3, 0.35, 0.35, 0.4, 0.3),
    "sea-war": Profile("fleets against fleets, on coasts that matter", 3, 24, 0.7, 0.55, 0.8, 0.3, 0.45, 0.3),
    "convoy-knots": Profile("convoys that cross, miss fleets and are attacked", 4, 26, 0.8, 0.55, 0.3, 0.9, 0.4, 0.3),
}


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
    borders = _borders()
    # Of each, how it borders on those before it.
    wanted = [[borders[mine].get(here) for here in named[:number]] for number, mine in enumerate(named)]
    stack: list[tuple[str, ...]] = [()]
    for _ in range(most_steps):
        if not stack:
            return
        chosen = stack.pop()
        if len(chosen) == len(named):
            yield dict(zip(named, chosen, strict=True))
            continue
        kind, relations = province_kind(named[len(chosen)]), wanted[len(chosen)]
        # Neighbours of one that is chosen, where that has to be.
        beside = next((there for there, how in zip(chosen, relations, strict=True) if how), None)
        fitting = [
            code
            for code in (ranks if beside is None else borders[beside])
            if code in ranks
            and code not in chosen
            and province_kind(code) == kind
            and [borders[code].get(there) for there in chosen] == relations
        ]
        stack += [(*chosen, code) for code in sorted(fitting, key=ranks.__getitem__, reverse=True)]


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


@cache
def province_kind(code: str) -> object:
    """What two provinces share in which the same units can stand."""
    province = standard_board().province(code)
    assert province is not None  # noqa: S101 - it comes from the board
    return (province.terrain, bool(province.coasts))


@cache
def _borders() -> Mapping[str, Mapping[str, tuple[bool, bool]]]:
    """For each province its neighbours, and whether an army, and whether a fleet, can go there."""
    here = terrain()
    found: dict[str, dict[str, tuple[bool, bool]]] = {}
    for code in here.codes:
        by_land = here.reach.get(("A", code), ())
        by_sea = {to for kind, place in here.places[code] if kind == "F" for to in here.reach[kind, place]}
        found[code] = {to: (to in by_land, to in by_sea) for to in (*by_land, *by_sea)}
    return found


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
