"""Positions and orders for `hypothesis`: mostly sensible ones, mixed with all the nonsense that players write.

What depends on nothing drawn is made once: `hypothesis` checks each strategy anew that is made while it draws.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from hypothesis import strategies as st

from datc.reference_engine import Board, Build, Convoy, Disband, GivenOrder, Position, Unit, UnitType, standard_board
from datc.reference_engine.board import UNIT_TYPES, OrderedUnit, province_code
from datc.reference_engine.orders import Hold, Move, Order, Remove, Retreat, SupportHold, SupportMove, Waive

BOARD: Board = standard_board()
POWERS: tuple[str, ...] = tuple(BOARD.powers)
PLACES: tuple[tuple[UnitType, str], ...] = tuple(
    (unit_type, location)
    for location in BOARD.locations
    for unit_type in UNIT_TYPES
    if BOARD.can_stand(unit_type, location)
)
"""Every kind of unit in every location where it can stand."""
HOME_POWER: dict[str, str] = {home: power for power in POWERS for home in BOARD.powers[power].home_centers}
"""Which power each home center belongs to."""
ODD_LOCATIONS: tuple[str, ...] = ("LON/NC", "SPA/WC", "STP/", "MUN/SC", "ZZZ", "ZZZ/NC", "spa/nc", "/", "")

locations: st.SearchStrategy[str] = st.one_of(
    st.sampled_from(BOARD.locations), st.sampled_from(BOARD.locations), st.sampled_from(ODD_LOCATIONS)
)
powers: st.SearchStrategy[str] = st.sampled_from(POWERS)
_owners = st.lists(powers, min_size=1, max_size=7, unique=True)
_owners_of_centers = st.lists(st.sampled_from((None, "home", "home", *POWERS)), min_size=34, max_size=34)


class Situation(NamedTuple):
    """A position and orders to it."""

    position: Position
    orders: list[GivenOrder]


def distance(one: str, other: str) -> int:
    """The steps between two provinces, over land and sea alike."""
    return BOARD.distances[BOARD.number[province_code(one)]][BOARD.number[province_code(other)]]


def destinations(unit: Unit) -> list[str]:
    """Where a unit can go by itself."""
    number = BOARD.number[unit.location]
    if unit.type == "F":
        return [BOARD.locations[landing] for landings in BOARD.fleet_moves[number].values() for landing in landings]
    return [other.code for i, other in enumerate(BOARD.provinces) if BOARD.army_borders[number] >> i & 1]


@st.composite
def unit_lists(draw: st.DrawFn, most: int = 34) -> list[Unit]:
    """Draw units, at most one a province: thinly over the whole board, or crowded around one province."""
    places, room = PLACES, 34
    if draw(st.integers(0, 3)):
        center = draw(st.sampled_from(BOARD.provinces)).code
        places, room = [place for place in PLACES if distance(place[1], center) <= 2], 10
    least = draw(st.integers(1, min(most, room)))
    found = draw(
        st.lists(
            st.sampled_from(places), min_size=least, max_size=most, unique_by=lambda place: province_code(place[1])
        )
    )
    owner = st.sampled_from(draw(_owners))
    return [Unit(draw(owner), unit_type, location) for unit_type, location in found]


def positions(most: int = 34) -> st.SearchStrategy[Position]:
    """Positions before a movement phase."""
    return unit_lists(most).map(Position)


@cache
def ordered_units(places: st.SearchStrategy[str] = locations) -> st.SearchStrategy[OrderedUnit]:
    """Units as any order could name them."""
    return st.builds(OrderedUnit, places, st.sampled_from((*UNIT_TYPES, None)), st.none() | powers)


@cache
def any_order(places: st.SearchStrategy[str] = locations) -> st.SearchStrategy[Order]:
    """Any of the ten kinds of orders, as a rule impossible."""
    units = ordered_units(places)
    paths = st.lists(places, max_size=2).map(tuple)
    return st.one_of(
        st.builds(Hold, units),
        st.builds(Move, units, places, st.booleans(), paths),
        st.builds(SupportHold, units, units),
        st.builds(SupportMove, units, units, places),
        st.builds(Convoy, units, units, places),
        st.builds(Retreat, units, places),
        st.builds(Disband, units),
        st.builds(Build, units),
        st.builds(Remove, units),
        st.just(Waive()),
    )


@cache
def nonsense(places: st.SearchStrategy[str] = locations) -> st.SearchStrategy[list[GivenOrder]]:
    """A few orders of any power to anything, some of which nobody could read."""
    return st.lists(st.builds(GivenOrder, powers, st.none() | any_order(places)), max_size=4)


@st.composite
def movement_orders(draw: st.DrawFn, position: Position) -> list[GivenOrder]:
    """Draw orders of a movement phase: they mostly fit each other, and some nonsense is mixed in."""
    moves: dict[Unit, str] = {}
    convoyed: dict[Unit, str] = {}
    convoys: dict[Unit, Unit] = {}
    for unit in position.units:
        if draw(st.integers(0, 4)) in (2, 4):
            moves[unit] = draw(st.sampled_from(_enticing(unit, position)))
    fleets = [unit for unit in position.units if unit.type == "F" and unit.location in SEAS]
    for fleet in fleets[:3]:
        armies = [unit for unit in position.units if unit.type == "A" and distance(unit.location, fleet.location) == 1]
        if armies and draw(st.booleans()):
            army = draw(st.sampled_from(armies))
            convoyed[army] = moves[army] = draw(st.sampled_from(_coasts_by(draw(st.sampled_from(([fleet], fleets))))))
            convoys[fleet] = army
    for fleet in fleets[3:]:
        if convoyed and draw(st.booleans()):
            convoys[fleet] = draw(st.sampled_from(sorted(convoyed)))
    orders: list[Order] = []
    for unit in position.units:
        named = OrderedUnit(unit.location, draw(st.sampled_from((unit.type, unit.type, unit.type, None))))
        if unit in convoys:
            orders.append(Convoy(named, OrderedUnit(convoys[unit].location, "A"), moves[convoys[unit]]))
        elif unit in moves:
            orders.append(Move(named, moves[unit], draw(st.booleans()) if unit in convoyed else False))
        elif supports := _supports(unit, named, position, moves):
            orders.append(draw(st.sampled_from(supports)))
        elif draw(st.booleans()):
            orders.append(Hold(named))
    given = [GivenOrder(_owner(position, order), order) for order in orders]
    return [*given, *draw(nonsense())] if draw(st.booleans()) else given


@st.composite
def situations(draw: st.DrawFn, most: int = 34) -> Situation:
    """Draw a position before a movement phase with orders."""
    position = draw(positions(most))
    return Situation(position, draw(movement_orders(position)))


@st.composite
def retreat_orders(draw: st.DrawFn, position: Position) -> list[GivenOrder]:
    """Draw orders of a retreat phase: most dislodged units retreat, often to where another one does."""
    orders: list[GivenOrder] = []
    for unit, _, retreats in position.dislodged:
        named = OrderedUnit(unit.location, unit.type)
        if retreats and draw(st.integers(0, 3)):
            orders.append(GivenOrder(unit.power, Retreat(named, draw(st.sampled_from(retreats)))))
        elif draw(st.booleans()):
            orders.append(GivenOrder(unit.power, Disband(named)))
    return [*orders, *draw(nonsense())]


@st.composite
def centers(draw: st.DrawFn) -> dict[str, list[str]]:
    """Draw the supply centers that each power owns, many of them at home."""
    owners = draw(_owners_of_centers)
    found: dict[str, list[str]] = {}
    for center, drawn in zip(sorted(BOARD.supply_centers), owners, strict=True):
        owner = HOME_POWER.get(center) if drawn == "home" else drawn
        if owner is not None:
            found.setdefault(owner, []).append(center)
    return found


_builds = st.lists(
    st.builds(
        GivenOrder,
        powers,
        st.builds(Build, ordered_units(st.sampled_from((*HOME_POWER, "STP/NC", "STP/SC")))) | st.just(Waive()),
    )
)


@st.composite
def adjustment_situations(draw: st.DrawFn) -> Situation:
    """Draw a position before an adjustment phase, with centers owned by anyone, and orders to build and to remove."""
    units = draw(unit_lists(most=16))
    position = Position(units, phase="adjustment", centers=draw(centers()))
    orders = draw(_builds)
    for unit in units:
        if draw(st.booleans()):
            orders.append(GivenOrder(unit.power, Remove(OrderedUnit(unit.location, unit.type))))
    return Situation(position, [*orders, *draw(nonsense())])


def _enticing(unit: Unit, position: Position) -> list[str]:
    """Destinations, the more often the more units come there: what they do to each other is what matters."""
    reach = Counter(province_code(to) for other in position.units for to in {*destinations(other), other.location})
    return [to for to in destinations(unit) for _ in range(reach[province_code(to)] ** 2)]


def _coasts_by(fleets: Sequence[Unit]) -> list[str]:
    """The coasts that touch the sea of one of these fleets."""
    return sorted({province_code(to) for fleet in fleets for to in destinations(fleet) if to not in SEAS})


def _supports(unit: Unit, named: OrderedUnit, position: Position, moves: dict[Unit, str]) -> list[Order]:
    """Supports that this unit could give, those of attacks many times over, and some that do not match."""
    reach = {province_code(to) for to in destinations(unit)}
    found: list[Order] = []
    for other in position.units:
        supported = OrderedUnit(other.location, other.type, other.power)
        if other in moves and province_code(moves[other]) in reach and other != unit:
            defended = position.occupant[BOARD.number[province_code(moves[other])]] >= 0
            found += [SupportMove(named, supported, moves[other])] * (12 if defended else 3)
        if province_code(other.location) in reach:
            found += [SupportHold(named, supported)] * (1 if other in moves else 3)
    return found


def _owner(position: Position, order: Order) -> str:
    """The power of the unit that an order is for."""
    assert not isinstance(order, Waive)
    return position.units[position.occupant[BOARD.number[province_code(order.unit.location)]]].power


SEAS = frozenset(province.code for province in BOARD.provinces if province.terrain == "sea")
