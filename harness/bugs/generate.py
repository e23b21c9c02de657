# mypyc
"""Generated positions of every phase, seeded, and those built from paradoxes."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec

from ...cases import load_suite
from ...reference_engine import Board, Build, Disband, Dislodged, OrderedUnit, Position, Remove, Unit, adjudicate
from ...reference_engine.board import province_code
from ...reference_engine.maps import standard_board
from ...reference_engine.orders import Convoy, GivenOrder, Hold, Move, Order, Retreat, SupportHold, SupportMove, Waive
from ...reference_engine.toml import loads
from ..paste.reader import read_position_text
from ..play.positions import OrderedPosition, in_first_year, ordered_unit, without_units
from .draft import Draft
from .terrain import (
    PROFILES,
    Profile,
    Terrain,
    UnitPlace,
    elsewhere,
    names_coasts,
    on_another_board,
    other_powers,
    terrain,
    with_names,
)

_PARADOXES = tuple(f"6.F.{number}" for number in range(14, 25))
_MOST_STEPS = 1500
"""Of a search for other places."""
_PHASES = (0.8, 0.9)
"""The shares of movements, and of movements and retreats together; the rest are adjustments."""
_BEFORE_RETREATS = 2.0
"""How many times as often units are in a situation before retreats."""
_MOST_UNITS = (6, 14, 26)
_AT_SEA, _OUT_OF_PLACE, _WAIVED = 0.35, 0.1, 0.2
"""How often all units stand at sea; how many builds are ordered instead of removals or the reverse, and are waived."""
_FEWEST_AT_SEA = 4
_GULFS = ("BOT", "EAS", "ENG", "LYO", "HEL", "ION", "IRI")
"""Two gulfs, which stand elsewhere in the list of the DPTG than in that of the map, and seas between."""
_AT_HOME, _OWNED = 0.55, 0.7
"""How many of the home centers belong to the power at home there, and how many of the others to any power."""
_COUNTS = (0.4, 0.4, 0.2)
"""How many powers order one adjustment too many, any number of them, and none."""
_SITES = ("possible", "two coasts", "not free", "country", "center", "anywhere")
_SITE_ODDS = tuple(itertools.accumulate((0.25, 0.3, 0.2, 0.1, 0.1, 0.05)))
"""How many builds are where one is possible, on two coasts, at home in vain, in the country, in a center, anywhere."""
_BUILT, _BUILT_ON_COASTS = (0.7, 0.2, 0.1), (0.4, 0.3, 0.3)
"""How many are of what can stand there, of a fleet on no coast, and of no type; and where there are two coasts."""
_VARIANTS = 12
"""Other places that each paradox is drawn in."""
_MOST_ADDED = 4
"""Units that are added to a paradox."""


@cache
def known_positions(table: str) -> Sequence[OrderedPosition]:
    """Read positions that random orders rarely make: paradoxes for `"knot"`, or a table of `situations.toml`.

    After a `"dislodgement"` units retreat as they rarely do. The paradoxes are DATC 6.F.14 to 6.F.24, and those of
    `knots.toml` from the DPTG.
    """
    file = Path(__file__).with_name("knots.toml" if table == "knot" else "situations.toml")
    orders = msgspec.convert(loads(file.read_text(encoding="utf-8")), Mapping[str, Mapping[str, str]])[table]
    found: list[OrderedPosition] = []
    for case in load_suite("datc-3.1").cases if table == "knot" else ():
        if case.id in _PARADOXES:
            given = tuple(GivenOrder(order.power, order.order) for order in case.phases[0].orders)
            found.append(OrderedPosition(case.phases[0].position or Position(()), given))
    return (*found, *(read_position_text(lines, name)[0] for name, lines in orders.items()))


def _drawn_elsewhere(rng: Random, table: str, board: Board, variants: int = 4) -> OrderedPosition | None:
    """Draw one of the positions of a table, as a rule in other places: in so many variants, which are kept.

    On another board than the standard one always in other places, or `None` where it has none soon.
    """
    known = known_positions(table)
    core = rng.randrange(len(known))
    if board is not standard_board():
        return _on_board(table, core, rng.randint(1, variants), board)
    return known[core] if rng.random() < 0.4 else _elsewhere(table, core, rng.randint(1, variants))


@cache
def _elsewhere(table: str, core: int, variant: int) -> OrderedPosition:
    """A position in other places: as many variants as the board has, and are found soon; else as it is.

    One about coasts stays: a seed is to draw what it always drew.
    """
    ordered = known_positions(table)[core]
    if names_coasts(ordered) or (variant > 1 and _elsewhere(table, core, 1) is ordered):
        return ordered
    return elsewhere(Random(variant), ordered, _MOST_STEPS)  # noqa: S311 - places, not secrets


@cache
def _on_board(table: str, core: int, variant: int, board: Board) -> OrderedPosition | None:
    """A position in places of another board, if they are found soon."""
    return on_another_board(Random(variant), known_positions(table)[core], board, _MOST_STEPS)  # noqa: S311 - places


def random_position(rng: Random, profile: Profile, board: Board | None = None) -> OrderedPosition:
    """Draw a position with orders: mostly movements, some with the retreats after them, some adjustments.

    It is on the standard board if no other is given.
    """
    share = rng.random()
    if share < _PHASES[0]:
        return random_movements(rng, profile, board=board)
    if share < _PHASES[1]:
        return with_retreats(rng, random_movements(rng, profile, "dislodgement", _BEFORE_RETREATS, board))
    return random_adjustments(rng, board)


def random_movements(
    rng: Random, profile: Profile, table: str = "situation", often: float = 1.0, board: Board | None = None
) -> OrderedPosition:
    """Draw a position before a movement phase, with orders.

    Some units are in a situation of a table, so many times as often as the profile has it.
    """
    board = board or standard_board()
    situation = _drawn_elsewhere(rng, table, board) if rng.random() < profile.situated * often else None
    draft = Draft(rng, profile, situation, board)
    return in_first_year(Position(draft.units, board=board), draft.give_orders())


def another_order(rng: Random, unit: Unit, ordered: OrderedPosition) -> Order:
    """Draw an order for a unit among others: a move, a support of what another one does, or a hold."""
    here = terrain(ordered.position.board)
    unit_place = here.unit_places[unit.type, unit.location]
    named, reach = unit_place.named, [here.codes[province] for province in unit_place.reach]
    found: list[Order] = [Move(named, to.location) for to in unit_place.moves]
    for given in ordered.orders:
        order = given.order
        if isinstance(order, Move) and province_code(order.to) in reach and order.unit != named:
            found += [SupportMove(named, order.unit, order.to)] * 3
    for other in ordered.units:
        if province_code(other.location) in reach:
            found.append(SupportHold(named, here.unit_places[other.type, other.location].named))
    return rng.choice(found) if found else Hold(named)


def with_retreats(rng: Random, ordered: OrderedPosition) -> OrderedPosition:
    """Add retreat orders to where the reference leaves units dislodged; often two go to one province."""
    if ordered.phase != "movement":
        return ordered
    dislodged = adjudicate(ordered.position, ordered.orders).dislodged
    if not dislodged:
        return ordered
    every = [to for entry in dislodged for to in entry.retreats or ()]
    contested = [to for to in every if every.count(to) > 1]
    meeting = rng.choice(contested) if contested else None
    orders = (_retreat_orders(rng, ordered, entry, every, meeting) for entry in dislodged)
    return ordered._replace(retreats=tuple(itertools.chain.from_iterable(orders)))


def _retreat_orders(
    rng: Random, ordered: OrderedPosition, entry: Dislodged, every: Sequence[str], meeting: str | None
) -> list[GivenOrder]:
    """Draw the orders for a dislodged unit: rather to the `meeting` province; now and then none, or an odd one."""
    unit, origin, retreats = entry
    named = OrderedUnit(unit.location, unit.type)
    kind = rng.random()
    if meeting is not None and meeting in (retreats or ()) and kind < 0.9:
        orders = [GivenOrder(unit.power, Retreat(named, meeting))]
        if rng.random() >= 0.7:  # A support of a retreat, which nobody may order.
            other = rng.choice(ordered.units)
            support = SupportMove(OrderedUnit(other.location, other.type), named, meeting)
            orders.append(GivenOrder(other.power, support))
        return orders
    if kind < 0.1:
        return []
    if kind < 0.2:
        return [GivenOrder(unit.power, Disband(named))]
    if kind < 0.35:
        # Where its attacker came from, or where another unit may go: as a rule not for this one.
        to = rng.choice((origin or unit.location, rng.choice(every or [unit.location])))
        return [GivenOrder(unit.power, Retreat(named, to))]
    if kind < 0.45:
        return _retreat_overseas(rng, ordered, unit)
    return [GivenOrder(unit.power, Retreat(named, rng.choice(retreats)))] if retreats else []


def _retreat_overseas(rng: Random, ordered: OrderedPosition, unit: Unit) -> list[GivenOrder]:
    """Order a retreat over a sea, and the fleet there to convoy it, which nobody may order."""
    here, named = terrain(ordered.position.board), OrderedUnit(unit.location, unit.type)
    waters = [sea.location for sea in here.unit_places[unit.type, unit.location].waters]
    fleets = [other for other in ordered.units if other.location in waters]
    fleets = [other for other in fleets if here.unit_places["F", other.location].shores]
    if not fleets:
        return []
    fleet = rng.choice(fleets)
    to = rng.choice(here.unit_places["F", fleet.location].shores).location
    convoy = Convoy(OrderedUnit(fleet.location, fleet.type), named, to)
    return [GivenOrder(unit.power, Retreat(named, to)), GivenOrder(fleet.power, convoy)]


class Winter(NamedTuple):
    """What powers have before an adjustment phase."""

    here: Terrain
    units: Sequence[Unit]
    taken: Mapping[str, str]
    """Whose unit is in each province."""
    centers: Mapping[str, list[str]]

    def of(self, power: str) -> tuple[list[Unit], list[str], int]:
        """Return the units of a power, where it can build, and how many builds are due; removals are negative."""
        own, centers = [unit for unit in self.units if unit.power == power], self.centers[power]
        free = [home for home in self.here.homes[power] if home in centers and home not in self.taken]
        return own, free, len(centers) - len(own)

    def ordered(self, orders: Iterable[GivenOrder]) -> OrderedPosition:
        """Return the position with orders."""
        position = Position(self.units, phase="adjustment", centers=self.centers, board=self.here.board)
        return in_first_year(position, tuple(orders))


def owned_centers(rng: Random, here: Terrain) -> Mapping[str, str]:
    """Draw who owns each center: most have an owner, rather the power at home there."""
    owner_of: dict[str, str] = {}
    for center in here.centers:
        kind = rng.random()
        if kind < _AT_HOME and center in here.owner_at_home:
            owner_of[center] = here.owner_at_home[center]
        elif kind < _OWNED:
            owner_of[center] = rng.choice(here.powers)
    return owner_of


def draw_winter(
    rng: Random, here: Terrain, owners: Sequence[str], places: Sequence[str], owner_of: Mapping[str, str]
) -> Winter:
    """Draw units of some powers in places: as after every autumn, a unit on a supply center owns it."""
    drawn = [(rng.choice(owners), rng.choice(here.spaces[code].unit_places)) for code in places]
    taken = {place: power for place, (power, _) in zip(places, drawn, strict=True)}
    centers: dict[str, list[str]] = {power: [] for power in here.powers if power in owners}
    for center in here.centers:
        owner = taken.get(center) or owner_of.get(center)
        if owner in centers:
            centers[owner].append(center)
    return Winter(here, [place.units[power] for power, place in drawn], taken, centers)


def random_adjustments(rng: Random, board: Board | None = None) -> OrderedPosition:
    """Draw a position before an adjustment phase: powers with too many and too few units, and orders that fit badly."""
    here = terrain(board)
    gulfs = _GULFS if here.board is standard_board() else [code for code in here.codes if not here.spaces[code].armies]
    # One power with all units at sea: many are as far from home as one another.
    at_sea = rng.random() < _AT_SEA and len(gulfs) >= _FEWEST_AT_SEA
    owners = rng.sample(here.powers, 1 if at_sea else rng.randint(1, len(here.powers)))
    owner_of, codes = owned_centers(rng, here), gulfs if at_sea else here.codes
    fewest, most = (_FEWEST_AT_SEA, len(codes)) if at_sea else (0, min(rng.choice(_MOST_UNITS), len(codes)))
    winter = draw_winter(rng, here, owners, rng.sample(codes, rng.randint(fewest, most)), owner_of)
    orders: list[GivenOrder] = []
    for power in owners:
        own, free, due = winter.of(power)
        count = rng.choices((abs(due) + 1, rng.randint(0, abs(due) + 1), 0), _COUNTS)[0]
        orders += [GivenOrder(power, _adjustment(rng, here, power, own, free, removing=due < 0)) for _ in range(count)]
    return winter.ordered(orders)


def _adjustment(
    rng: Random, here: Terrain, power: str, own: Sequence[Unit], free: Sequence[str], *, removing: bool
) -> Order:
    """Draw an order of a power with these units, and with these home centers to build in."""
    if removing != (rng.random() < _OUT_OF_PLACE) and own:
        unit = rng.choice(own)
        return Remove(here.unit_places[unit.type, unit.location].named)
    if rng.random() < _WAIVED:
        return Waive()
    (kind,) = rng.choices(_SITES, cum_weights=_SITE_ODDS)
    home_country = here.board.powers[power]
    possible = free or home_country.country
    sites: Sequence[str] = possible
    if kind == "two coasts":
        sites = [home for home in possible if len(here.spaces[home].unit_places) > 2] or possible
    elif kind == "not free":
        sites = [home for home in home_country.home_centers if home not in free] or possible
    elif kind != "possible":
        sites = {"country": home_country.country, "center": here.centers, "anywhere": here.codes}[kind]
    code = rng.choice(sites)
    unit_places = here.spaces[code].unit_places
    unit_place = rng.choice(unit_places)
    odds = _BUILT_ON_COASTS if len(unit_places) > 2 else _BUILT
    # Now and then a fleet inland, or on no coast of a province with two; or of no type.
    (named,) = rng.choices((unit_place.named, OrderedUnit(code, "F"), OrderedUnit(unit_place.location)), odds)
    return Build(named)


def random_paradox(rng: Random, board: Board | None = None) -> OrderedPosition:
    """Draw a paradox, with other powers, with units added to it or taken from it.

    On a board that has no places for the one that was drawn, draw a position with many convoys.
    """
    board = board or standard_board()
    ordered = _drawn_elsewhere(rng, "knot", board, _VARIANTS)
    if ordered is None:
        return random_movements(rng, PROFILES["convoy-knots"], board=board)
    if rng.random() < 0.5:
        ordered = with_names(ordered, other_powers(rng, board))
    if rng.random() < 0.3:
        ordered = without_units(ordered, {province_code(rng.choice(ordered.units).location)})
    if rng.random() < 0.5:
        ordered = with_others(rng, ordered, rng.randint(1, _MOST_ADDED))
    orders = [perhaps_via(rng, given) for given in ordered.orders]
    rng.shuffle(orders)
    return ordered._replace(orders=tuple(orders))


def perhaps_via(rng: Random, given: GivenOrder) -> GivenOrder:
    """Now and then send an army by convoy that was not, or the other way round."""
    order = given.order
    if isinstance(order, Move) and order.unit.type == "A" and rng.random() < 0.15:
        return GivenOrder(given.power, replace(order, via_convoy=not order.via_convoy))
    return given


def with_others(rng: Random, ordered: OrderedPosition, count: int) -> OrderedPosition:
    """Add up to so many units, each of which attacks one of the others, or supports one of them in what it does."""
    units, orders = list(ordered.units), list(ordered.orders)
    for _ in range(count if orders else 0):
        given = rng.choice(orders)
        subject = ordered_unit(given)
        if subject is None:
            continue
        target = province_code(given.order.to if isinstance(given.order, Move) else subject.location)
        taken = {province_code(unit.location) for unit in units}
        beside = unit_places_beside(target, ordered.position.board)
        near = [unit_place for unit_place in beside if province_code(unit_place.location) not in taken]
        if not near:
            continue
        unit_place = rng.choice(near)
        units.append(unit_place.units[rng.choice(terrain(ordered.position.board).powers)])
        named, supported = unit_place.named, OrderedUnit(subject.location, subject.type)
        order: Order
        if rng.random() < 0.45:
            order = Move(named, next(to.location for to in unit_place.moves if province_code(to.location) == target))
        elif isinstance(given.order, Move):
            order = SupportMove(named, supported, given.order.to)
        else:
            order = SupportHold(named, supported) if rng.random() < 0.9 else Hold(named)
        orders.append(GivenOrder(units[-1].power, order))
    if len(units) == len(ordered.units):
        return ordered
    return ordered._replace(orders=tuple(orders)).with_units(units)


@cache
def unit_places_beside(target: str, board: Board) -> Sequence[UnitPlace]:
    """Return where units can stand that reach a province."""
    here = terrain(board)
    return [place for place in here.unit_places.values() if target in [here.codes[to] for to in place.reach]]
