"""Generated positions of every phase, seeded, and those built from paradoxes (DATC 6.F.14 to 6.F.24, DPTG)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import msgspec

from ...cases import load_suite
from ...reference_engine import (
    Build,
    Convoy,
    Disband,
    Dislodged,
    GivenOrder,
    Hold,
    Move,
    Order,
    OrderedUnit,
    Position,
    Remove,
    Retreat,
    SupportHold,
    SupportMove,
    Unit,
    UnitType,
    Waive,
    adjudicate,
    province_code,
    standard_board,
)
from ...reference_engine.toml import loads
from ..positions import OrderedPosition, ordered_unit, read_position_text, without_units
from .draft import Draft
from .terrain import UNIT_TYPES, Profile, familiar, other_places, terrain, with_places, with_powers

_PHASES = (0.84, 0.93)
"""The shares of movements, and of movements and retreats together; the rest are adjustments."""


def random_position(rng: Random, profile: Profile) -> OrderedPosition:
    """Draw a position with orders: mostly movements, some with the retreats after them, some adjustments."""
    share = rng.random()
    if share < _PHASES[0]:
        return random_movements(rng, profile)
    if share < _PHASES[1]:
        return with_retreats(rng, random_movements(rng, profile))
    return random_adjustments(rng)


def random_movements(rng: Random, profile: Profile) -> OrderedPosition:
    """Draw a position before a movement phase, with orders."""
    draft = Draft(rng, profile)
    return OrderedPosition(Position(draft.units), tuple(draft.give_orders()))


def another_order(rng: Random, unit: Unit, ordered: OrderedPosition) -> Order:
    """Draw an order for a unit among others: a move, a support of what another one does, or a hold."""
    here = terrain()
    key = (unit.type, unit.location)
    named, reach = here.named[key], here.reach[key]
    found: list[Order] = [Move(named, to) for to in here.moves[key]]
    for given in ordered.orders:
        order = given.order
        if isinstance(order, Move) and order.to[:3] in reach and order.unit != named:
            found += [SupportMove(named, order.unit, order.to)] * 3
    for other in ordered.units:
        if other.location[:3] in reach:
            found.append(SupportHold(named, here.named[other.type, other.location]))
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
    orders: list[GivenOrder] = []
    for entry in dislodged:
        orders += _retreat_orders(rng, ordered, entry, every, meeting)
    return ordered._replace(retreats=tuple(orders))


def _retreat_orders(
    rng: Random, ordered: OrderedPosition, entry: Dislodged, every: Sequence[str], meeting: str | None
) -> list[GivenOrder]:
    """Draw the orders for a dislodged unit: rather to the `meeting` province; now and then none, or an odd one."""
    unit, origin, retreats = entry
    named = OrderedUnit(unit.location, unit.type)
    kind = rng.random()
    if meeting is not None and meeting in (retreats or ()) and kind < 0.8:
        return [GivenOrder(unit.power, Retreat(named, meeting)), *_retreat_supports(rng, ordered, named, meeting)]
    if kind < 0.1:
        return []
    if kind < 0.2:
        return [GivenOrder(unit.power, Disband(named))]
    if kind < 0.3:
        # Where its attacker came from, or where another unit may go: as a rule not for this one.
        return [GivenOrder(unit.power, Retreat(named, rng.choice([*every, origin or unit.location])))]
    if kind < 0.4:
        return _retreat_overseas(rng, ordered, unit)
    return [GivenOrder(unit.power, Retreat(named, rng.choice(retreats)))] if retreats else []


def _retreat_supports(rng: Random, ordered: OrderedPosition, retreating: OrderedUnit, to: str) -> list[GivenOrder]:
    """Sometimes order a unit to support a retreat, which nobody may order."""
    if rng.random() < 0.7:
        return []
    unit = rng.choice(ordered.units)
    return [GivenOrder(unit.power, SupportMove(OrderedUnit(unit.location, unit.type), retreating, to))]


def _retreat_overseas(rng: Random, ordered: OrderedPosition, unit: Unit) -> list[GivenOrder]:
    """Order a retreat over a sea, and the fleet there to convoy it, which nobody may order."""
    here, named = terrain(), OrderedUnit(unit.location, unit.type)
    fleets = [other for other in ordered.units if other.location in here.waters.get(unit.location, ())]
    if not fleets:
        return []
    fleet = rng.choice(fleets)
    to = rng.choice(here.shores[fleet.location])
    convoy = Convoy(OrderedUnit(fleet.location, fleet.type), named, to)
    return [GivenOrder(unit.power, Retreat(named, to)), GivenOrder(fleet.power, convoy)]


def random_adjustments(rng: Random) -> OrderedPosition:
    """Draw a position before an adjustment phase: powers with too many and too few units, and orders that fit badly.

    As after every autumn, a unit on a supply center owns it.
    """
    here = terrain()
    owners = rng.sample(here.powers, rng.randint(1, 5))
    centers = _draw_centers(rng, owners)
    units = [
        Unit(rng.choice(owners), *rng.choice(here.places[code])) for code in rng.sample(here.codes, rng.randint(0, 26))
    ]
    taken = {province_code(unit.location): unit.power for unit in units}
    centers = {
        power: [
            center
            for center in sorted(standard_board().supply_centers)
            if (taken[center] == power if center in taken else center in owned)
        ]
        for power, owned in centers.items()
    }
    orders: list[GivenOrder] = []
    for power in owners:
        own = [unit for unit in units if unit.power == power]
        due = len(centers[power]) - len(own)
        count = rng.randint(0, abs(due) + 1)
        orders += [GivenOrder(power, _adjustment(rng, power, own, removing=due < 0)) for _ in range(count)]
    return OrderedPosition(Position(units, phase="adjustment", centers=centers), tuple(orders))


def _draw_centers(rng: Random, owners: Sequence[str]) -> dict[str, list[str]]:
    """Give some supply centers to powers, rather to those at home there."""
    centers: dict[str, list[str]] = {power: [] for power in owners}
    for center in sorted(standard_board().supply_centers):
        kind = rng.random()
        at_home = [power for power in owners if center in terrain().homes[power]]
        if kind < 0.4 and at_home:
            centers[at_home[0]].append(center)
        elif kind < 0.55:
            centers[rng.choice(owners)].append(center)
    return centers


def _adjustment(rng: Random, power: str, own: Sequence[Unit], *, removing: bool) -> Order:
    here = terrain()
    if removing != (rng.random() < 0.05) and own:
        unit = rng.choice(own)
        return Remove(OrderedUnit(unit.location, unit.type))
    if rng.random() < 0.1:
        return Waive()
    kind = rng.random()
    homes = here.homes[power] if kind < 0.8 else standard_board().supply_centers if kind < 0.9 else here.codes
    code = rng.choice(sorted(homes))
    unit_type, place = rng.choice(here.places[code])
    # Now and then a fleet inland, or on no coast of a province with two.
    return Build(OrderedUnit(code, "F") if rng.random() < 0.1 else OrderedUnit(place, unit_type))


_CASES = tuple(f"6.F.{number}" for number in range(14, 25))
_VARIANTS = 12
_MOST_STEPS = 1500
_MOST_ADDED = 4


class _Knots(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`knots.toml`: the orders of each by its place in the DPTG."""

    knot: dict[str, str]


@cache
def paradox_cores() -> Sequence[OrderedPosition]:
    """The positions that everything is built from."""
    found: list[OrderedPosition] = []
    for case in load_suite("datc-3.1").cases:
        if case.id in _CASES:
            phase = case.phases[0]
            orders = tuple(GivenOrder(order.power, order.order) for order in phase.orders)
            found.append(OrderedPosition(phase.position or Position(()), orders))
    text = Path(__file__).with_name("knots.toml").read_text(encoding="utf-8")
    for name, lines in msgspec.convert(loads(text), _Knots).knot.items():
        knot, _texts = read_position_text(lines, name)
        found.append(knot)
    return found


@cache
def _elsewhere(core: int, variant: int) -> OrderedPosition:
    """A core in other places: as many variants as the board has, and are found soon; else the core as it is."""
    ordered = paradox_cores()[core]
    if variant > 1 and _elsewhere(core, 1) is ordered:
        return ordered
    ranked = list(familiar())
    Random(variant).shuffle(ranked)  # noqa: S311 - places, not secrets
    found = next(other_places(ordered, ranked, _MOST_STEPS), None)
    return with_places(ordered, found) if found else ordered


def random_paradox(rng: Random) -> OrderedPosition:
    """Draw a paradox, with other powers, with units added to it or taken from it."""
    core = rng.randrange(len(paradox_cores()))
    ordered = paradox_cores()[core] if rng.random() < 0.4 else _elsewhere(core, rng.randint(1, _VARIANTS))
    powers = list(standard_board().powers)
    if rng.random() < 0.5:
        others = rng.sample(powers, len(powers)) if rng.random() < 0.8 else rng.choices(powers, k=len(powers))
        ordered = with_powers(ordered, dict(zip(powers, others, strict=True)))
    if rng.random() < 0.3:
        ordered = without_units(ordered, {province_code(rng.choice(ordered.units).location)})
    if rng.random() < 0.5:
        for _ in range(rng.randint(1, _MOST_ADDED)):
            ordered = with_another(rng, ordered)
    orders = [perhaps_via(rng, given) for given in ordered.orders]
    rng.shuffle(orders)
    return ordered._replace(orders=tuple(orders))


def perhaps_via(rng: Random, given: GivenOrder) -> GivenOrder:
    """Now and then send an army by convoy that was not, or the other way round."""
    order = given.order
    if isinstance(order, Move) and order.unit.type == "A" and rng.random() < 0.15:
        return given._replace(order=replace(order, via_convoy=not order.via_convoy))
    return given


def with_another(rng: Random, ordered: OrderedPosition) -> OrderedPosition:
    """Add a unit that attacks one of the others, or supports one of them in what it does."""
    if not ordered.orders:
        return ordered
    given = rng.choice(ordered.orders)
    subject = ordered_unit(given)
    if subject is None:
        return ordered
    target = province_code(given.order.to if isinstance(given.order, Move) else subject.location)
    near = _stands_beside(target, {province_code(unit.location) for unit in ordered.units})
    if not near:
        return ordered
    board = standard_board()
    kind, place = rng.choice(near)
    unit = Unit(rng.choice(tuple(board.powers)), kind, place)
    named, supported = OrderedUnit(place, kind), OrderedUnit(subject.location, subject.type)
    if rng.random() < 0.45:
        order = Move(named, next(to for to in board.destinations(unit) if province_code(to) == target))
    elif isinstance(given.order, Move):
        order = SupportMove(named, supported, given.order.to)
    else:
        order = SupportHold(named, supported) if rng.random() < 0.9 else Hold(named)
    return ordered._replace(orders=(*ordered.orders, GivenOrder(unit.power, order))).with_units((*ordered.units, unit))


def _stands_beside(target: str, taken: Collection[str]) -> list[tuple[UnitType, str]]:
    """Find where units could stand that border a province."""
    board = standard_board()
    return [
        (kind, place)
        for place in board.locations
        if province_code(place) not in taken
        for kind in UNIT_TYPES
        if board.can_stand(kind, place)
        and target in map(province_code, board.destinations(Unit("ENGLAND", kind, place)))
    ]
