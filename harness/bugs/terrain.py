# mypyc
"""What positions are generated from: the board in lists that have the same order in every process; places exchanged."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import cycle
from random import Random
from typing import NamedTuple

from ...reference_engine import Board, OrderedUnit, Position, Unit, UnitType, province_code, standard_board
from ...reference_engine.board import UNIT_TYPES
from ...reference_engine.game import home_centers
from ...reference_engine.orders import Convoy, GivenOrder, Move, Order, Retreat, SupportMove, Waive
from ...reference_engine.routes import members, set_of
from ..play.positions import OrderedPosition, helped_unit, ordered_unit


@dataclass(slots=True, eq=False)
class UnitPlace:
    """Where a type of unit can stand, and what such a unit can do from there."""

    type: UnitType
    location: str
    province: int
    """The number of the province on the board."""
    named: OrderedUnit
    """Such a unit as orders name it."""
    units: Mapping[str, Unit]
    """Such a unit of each power."""
    coasts: tuple[str, ...]
    """For a coast of a province with two, the province and its other coast."""
    moves: tuple[UnitPlace, ...] = ()
    """Where such a unit can stand after a move."""
    reach: tuple[int, ...] = ()
    """The provinces that it can move to, ascending."""
    waters: tuple[UnitPlace, ...] = ()
    """The seas next to this province, each as the place of a fleet, which could convoy an army from or through here.

    A fleet in a port has them too, but not one on a coast of a province with two.
    """
    shores: tuple[UnitPlace, ...] = ()
    """For a fleet at sea, the places next to it that it could convoy an army to."""


@dataclass(slots=True, eq=False)
class Space:
    """A province."""

    number: int
    unit_places: tuple[UnitPlace, ...]
    """What can stand there: an army, then a fleet for each coast."""
    armies: tuple[UnitPlace, ...]
    fleets: tuple[UnitPlace, ...]


class Terrain(NamedTuple):
    """The board in lists to pick from."""

    spaces: Mapping[str, Space]
    """The provinces by code, in the order of their numbers."""
    unit_places: Mapping[tuple[UnitType, str], UnitPlace]
    """Where units can stand, by type and location."""
    coasts: Mapping[str, tuple[str, ...]]
    """For each coast of a province with two, the province and its other coast."""
    centers: tuple[str, ...]
    homes: Mapping[str, tuple[str, ...]]
    """The supply centers that each power owns at the start of a game."""
    owner_at_home: Mapping[str, str]
    """The power that owns each of these."""
    powers: tuple[str, ...]
    codes: tuple[str, ...]
    board: Board


def terrain(board: Board | None = None) -> Terrain:
    """Return the lists of a board, by default the standard one. Their order is the same in every process."""
    return _terrain(board or standard_board())


@cache
def _terrain(board: Board) -> Terrain:
    coasts = {
        place: (code, *(each for each in board.locations if province_code(each) == code and each not in (code, place)))
        for place in board.locations
        if (code := province_code(place)) != place
    }
    unit_places: dict[tuple[UnitType, str], UnitPlace] = {}
    for number, place in enumerate(board.locations):
        for kind in UNIT_TYPES:
            if board.can_stand(kind, place):
                units = {power: units[number] for power, units in board.units[kind].items()}
                province, named = board.province_of[number], board.places[kind, place].named
                unit_places[kind, place] = UnitPlace(kind, place, province, named, units, coasts.get(place, ()))
    codes = tuple(province.code for province in board.provinces)
    for key, unit_place in unit_places.items():
        moves = board.places[key].moves
        unit_place.moves = tuple(unit_places[unit_place.type, place] for place in moves)
        unit_place.reach = tuple(dict.fromkeys(move.target for move in moves.values()))
    spaces: dict[str, Space] = {}
    for number, code in enumerate(codes):
        here = tuple(unit_place for unit_place in unit_places.values() if unit_place.province == number)
        armies = tuple(unit_place for unit_place in here if unit_place.type == "A")
        fleets = tuple(unit_place for unit_place in here if unit_place.type == "F")
        spaces[code] = Space(number, here, armies, fleets)
        by_sea = [codes[province] for province in sorted({to for fleet in fleets for to in fleet.reach})]
        for unit_place in here:
            if unit_place.location == code:
                unit_place.waters = tuple(unit_places["F", to] for to in by_sea if ("A", to) not in unit_places)
                if not armies:
                    unit_place.shores = tuple(unit_places["A", to] for to in by_sea if ("A", to) in unit_places)
    homes, centers = home_centers(board), tuple(sorted(board.supply_centers))
    at_home = {center: power for power, owned in homes.items() for center in owned}
    return Terrain(spaces, unit_places, coasts, centers, homes, at_home, tuple(board.powers), codes, board)


@cache
def spaces_within(province: int, steps: int, board: Board) -> tuple[Sequence[Space], Sequence[Space]]:
    """Return the seas within so many steps of a province of a board, and the land."""
    spaces = zip(terrain(board).spaces.values(), board.distances[province], strict=True)
    near = [space for space, distance in spaces if 0 <= distance <= steps]
    return [space for space in near if not space.armies], [space for space in near if space.armies]


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
_MOST_PLACES = 10
_NO_OTHERS: Mapping[str, str] = {}


def other_places(
    ordered: OrderedPosition, ranked: Sequence[str] | None = None, most_steps: int = 5000, board: Board | None = None
) -> Iterator[Mapping[str, str]]:
    """Find places with the same borders, on another board if one is given; the familiar, or those ranked highest first.

    None are given for a position that names more than ten, or one that is not ranked. A place that is ranked twice has
    its higher rank.
    """
    if not can_be_elsewhere(ordered):
        return
    here = ordered.position.board
    there = board or here
    named = locations_of(ordered)
    # There are few provinces with coasts, so that little is left to try after these.
    named.sort(key=lambda place: not _has_coasts(place, here))
    ranks = {there.number[place]: rank for rank, place in enumerate(dict.fromkeys(ranked or familiar(there)))}
    every, borders, bordering, of_kind = set_of(ranks), _borders(here), *_sets_of_places(there)
    # Of each, how it borders on those before it: first where it does, since that leaves few.
    wanted = [
        [(place, borders[mine].get(other)) for place, other in enumerate(named[:n])] for n, mine in enumerate(named)
    ]
    for ways in wanted:
        ways.sort(key=lambda way: way[1] is None)
    chosen: list[int] = []
    left: list[list[int]] = []
    """For each place that is chosen or about to be, those that are not tried: the one with the highest rank is last."""
    for _ in range(most_steps):
        if len(chosen) == len(named):
            yield dict(zip(named, (there.locations[number] for number in chosen), strict=True))
        else:
            fitting = every & of_kind.get(_place_kind(named[len(chosen)], here), 0)
            for place, how in wanted[len(chosen)]:
                fitting &= bordering[chosen[place]].get(how, 0)
                if not fitting:
                    break
            left.append(sorted(members(fitting), key=ranks.__getitem__, reverse=True))
        while left and not left[-1]:
            _ = left.pop()
        if not left:
            return
        chosen[len(left) - 1 :] = [left[-1].pop()]


def can_be_elsewhere(ordered: OrderedPosition) -> bool:
    """Whether other places are looked for at all: a position that names many has none."""
    named, known = locations_of(ordered), ordered.position.board.number
    return len(named) <= _MOST_PLACES and all(place in known for place in named)


def elsewhere(rng: Random, ordered: OrderedPosition, most_steps: int) -> OrderedPosition:
    """Move a position to other places with the same borders, if some are found soon; else it stays as it is."""
    board = ordered.position.board
    ranked, with_coasts = list(familiar(board)), list(board.with_coasts)
    rng.shuffle(ranked)
    rng.shuffle(with_coasts)
    found = next(other_places(ordered, (*ranked, *with_coasts), most_steps), None)
    return with_names(ordered, places=found) if found else ordered


def on_another_board(rng: Random, ordered: OrderedPosition, board: Board, most_steps: int) -> OrderedPosition | None:
    """Move a position before movements to places of another board with the same borders; `None` if none are found."""
    if any(isinstance(given.order, Move) and given.order.path for given in ordered.orders):
        return None
    ranked = list(familiar(board))
    rng.shuffle(ranked)
    places = next(other_places(ordered, ranked, most_steps, board), None)
    powers = dict(zip(ordered.position.board.powers, cycle(board.powers), strict=False))
    return None if places is None else with_names(ordered, powers, places, board)


def other_powers(rng: Random, board: Board | None = None) -> Mapping[str, str]:
    """Exchange the powers, as a rule each for another one; now and then several become the same one."""
    powers = terrain(board).powers
    others = rng.sample(powers, len(powers)) if rng.random() < 0.8 else rng.choices(powers, k=len(powers))
    return dict(zip(powers, others, strict=True))


def familiar_powers(ordered: OrderedPosition) -> OrderedPosition:
    """Name the powers England, France, and so on, in the order in which they come."""
    if ordered.phase != "movement":
        return ordered
    seen = dict.fromkeys([given.power for given in ordered.orders] + [unit.power for unit in ordered.units])
    powers = ordered.position.board.powers
    known = ("ENGLAND", "FRANCE", "GERMANY", "ITALY", "AUSTRIA", "RUSSIA", "TURKEY")
    names = dict.fromkeys((*(name for name in known if name in powers), *powers))
    return with_names(ordered, dict(zip(seen, names, strict=False)))


@cache
def familiar(board: Board | None = None) -> Sequence[str]:
    """The provinces without two coasts, those first that every player knows."""
    board = board or standard_board()
    codes = [place for place in board.locations if place not in board.with_coasts]
    return (*(code for code in _KNOWN if code in codes), *(code for code in codes if code not in _KNOWN))


@cache
def province_kind(code: str, board: Board | None = None) -> object:
    """What two provinces share in which the same units can stand."""
    province = (board or standard_board()).province(code)
    assert province is not None  # noqa: S101 - it comes from the board
    return (province.terrain, bool(province.coasts))


def names_coasts(ordered: OrderedPosition) -> bool:
    """Whether a position names a province with two coasts, or one of these."""
    board = ordered.position.board
    return any(_has_coasts(place, board) for place in locations_of(ordered))


def _has_coasts(place: str, board: Board) -> bool:
    """Whether a place is a province with two coasts, or one of these."""
    return province_code(place) in board.with_coasts


@cache
def _place_kind(place: str, board: Board) -> object:
    """What two places share in which the same units can stand."""
    return province_kind(province_code(place), board), "/" in place


class _Border(NamedTuple):
    """How two places border on each other."""

    same_province: bool
    by_land: bool
    by_sea: bool
    on_any_coast: bool
    """Whether the provinces border by sea."""


@cache
def _borders(board: Board) -> Mapping[str, Mapping[str, _Border]]:
    """For each place those that it borders on; a province with two coasts borders by sea where one of these does."""
    here = terrain(board)
    moves = {
        kind: {
            pair
            for unit_place in here.unit_places.values()
            if unit_place.type == kind
            for to in unit_place.moves
            for pair in itertools.product(_with_province(unit_place.location), _with_province(to.location))
        }
        for kind in UNIT_TYPES
    }
    found: dict[str, dict[str, _Border]] = {place: {} for place in board.locations}
    for one, other in itertools.permutations(board.locations, 2):
        provinces = province_code(one), province_code(other)
        how = _Border(
            same_province=provinces[0] == provinces[1],
            by_land=provinces in moves["A"],
            by_sea=(one, other) in moves["F"],
            on_any_coast=provinces in moves["F"],
        )
        if any(how):
            found[one][other] = how
    return found


@cache
def _sets_of_places(board: Board) -> tuple[Sequence[Mapping[_Border | None, int]], Mapping[object, int]]:
    """For each place those that border on it in each way, or not (`None`); and those of each kind.

    A set of places is an integer with a bit for the number of each. A map may have borders that are crossed one way.
    """
    bordering, of_kind = [dict[_Border | None, int]() for _ in board.locations], dict[object, int]()
    for number, place in enumerate(board.locations):
        kind, borders = _place_kind(place, board), _borders(board)[place]
        of_kind[kind] = of_kind.get(kind, 0) | 1 << number
        for ways, other in zip(bordering, board.locations, strict=True):
            if other != place:
                how = borders.get(other)
                ways[how] = ways.get(how, 0) | 1 << number
    return bordering, of_kind


def _with_province(place: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((place, province_code(place))))


def with_names(
    ordered: OrderedPosition,
    powers: Mapping[str, str] = _NO_OTHERS,
    places: Mapping[str, str] = _NO_OTHERS,
    board: Board | None = None,
) -> OrderedPosition:
    """Give powers other names, and move units, and what orders name, to other provinces; centers stay where they are.

    With `board` these are names of another board.

    The path that a move names stays, too: a situation has one, and a seed is to draw what it always drew. Raises
    `PositionError` where a unit cannot stand there.
    """

    def named(unit: OrderedUnit) -> OrderedUnit:
        power = unit.power and powers.get(unit.power, unit.power)
        other = unit._replace(location=places.get(unit.location, unit.location), power=power)
        return unit if other == unit else other

    def changed(given: GivenOrder) -> GivenOrder:
        order = with_named_units(given.order, named)
        if places and isinstance(order, (Move, SupportMove, Convoy, Retreat)):
            order = replace(order, to=places.get(order.to, order.to))
        return GivenOrder(powers.get(given.power, given.power), order)

    units = [Unit(powers.get(power, power), kind, places.get(place, place)) for power, kind, place in ordered.units]
    centers = {powers.get(power, power): owned for power, owned in ordered.position.centers.items()}
    retreats = None if ordered.retreats is None else tuple(map(changed, ordered.retreats))
    changed_orders = tuple(map(changed, ordered.orders))
    if board is not None:
        position = Position(units, phase=ordered.phase, centers=centers, board=board)
        return ordered._replace(position=position, orders=changed_orders, retreats=retreats)
    return ordered.with_units(units, centers)._replace(orders=changed_orders, retreats=retreats)


def with_named_units(order: Order | None, named: Callable[[OrderedUnit], OrderedUnit]) -> Order | None:
    """Name the units of an order otherwise, each asked for once; the same order if each keeps its name."""
    if order is None or isinstance(order, Waive):
        return order
    kind, fields = order.__reduce__()
    changed = tuple([named(each) if isinstance(each, OrderedUnit) else each for each in fields])
    return order if changed == fields else kind(*changed)


def locations_of(ordered: OrderedPosition) -> list[str]:
    """The locations that a position names, but for the paths of moves, each once, those of orders first."""
    found: dict[str, None] = {}
    for given in (*ordered.orders, *(ordered.retreats or ())):
        for unit in (ordered_unit(given), helped_unit(given.order)):
            if unit is not None:
                found[unit.location] = None
        if isinstance(given.order, (Move, SupportMove, Convoy, Retreat)):
            found[given.order.to] = None
    return list(found | dict.fromkeys(unit.location for unit in ordered.units))
