"""Random retreats and adjustments."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from ...reference_engine import (
    Build,
    Convoy,
    Disband,
    GivenOrder,
    Order,
    OrderedUnit,
    Position,
    Remove,
    Retreat,
    SupportMove,
    Unit,
    Waive,
    adjudicate,
    province_code,
    standard_board,
)
from .situation import Situation
from .terrain import terrain


def with_retreats(rng: Random, situation: Situation) -> Situation:
    """Add retreat orders to where the reference leaves units dislodged; often two go to one province."""
    if situation.position.phase != "movement":
        return situation
    dislodged = adjudicate(situation.position, situation.orders).dislodged
    if not dislodged:
        return situation
    every = [to for entry in dislodged for to in entry.retreats or ()]
    contested = [to for to in every if every.count(to) > 1]
    meeting = rng.choice(contested) if contested else None
    orders: list[GivenOrder] = []
    for unit, origin, retreats in dislodged:
        named = OrderedUnit(unit.location, unit.type)
        fate = rng.random()
        if meeting is not None and meeting in (retreats or ()) and fate < 0.8:
            orders.append(GivenOrder(unit.power, Retreat(named, meeting)))
            orders += _retreat_supports(rng, situation, named, meeting)
        elif fate < 0.1:
            continue
        elif fate < 0.2:
            orders.append(GivenOrder(unit.power, Disband(named)))
        elif fate < 0.3:
            # Where its attacker came from, or where another unit may go: as a rule not for this one.
            orders.append(GivenOrder(unit.power, Retreat(named, rng.choice([*every, origin or unit.location]))))
        elif fate < 0.4:
            orders += _retreat_overseas(rng, situation, unit)
        elif retreats:
            orders.append(GivenOrder(unit.power, Retreat(named, rng.choice(retreats))))
    return situation._replace(retreats=tuple(orders))


def _retreat_supports(rng: Random, situation: Situation, retreating: OrderedUnit, to: str) -> list[GivenOrder]:
    """Sometimes an order to support a retreat, which nobody may give."""
    if rng.random() < 0.7:
        return []
    unit = rng.choice(situation.units)
    return [GivenOrder(unit.power, SupportMove(OrderedUnit(unit.location, unit.type), retreating, to))]


def _retreat_overseas(rng: Random, situation: Situation, unit: Unit) -> list[GivenOrder]:
    """An order to retreat over a sea, and one to the fleet there to convoy, which nobody may give."""
    here, named = terrain(), OrderedUnit(unit.location, unit.type)
    fleets = [other for other in situation.units if other.location in here.waters.get(unit.location, ())]
    if not fleets:
        return []
    fleet = rng.choice(fleets)
    to = rng.choice(here.shores[fleet.location])
    convoy = Convoy(OrderedUnit(fleet.location, fleet.type), named, to)
    return [GivenOrder(unit.power, Retreat(named, to)), GivenOrder(fleet.power, convoy)]


def random_adjustments(rng: Random) -> Situation:
    """Draw a position before an adjustment phase: powers with too many and too few units, and orders that fit badly.

    As after every autumn, a unit on a supply center owns it.
    """
    here, board = terrain(), standard_board()
    owners = rng.sample(here.powers, rng.randint(1, 5))
    centers: dict[str, list[str]] = {power: [] for power in owners}
    for center in sorted(board.supply_centers):
        fate = rng.random()
        at_home = [power for power in owners if center in here.homes[power]]
        if fate < 0.4 and at_home:
            centers[at_home[0]].append(center)
        elif fate < 0.55:
            centers[rng.choice(owners)].append(center)
    units = [
        Unit(rng.choice(owners), *rng.choice(here.places[code])) for code in rng.sample(here.codes, rng.randint(0, 26))
    ]
    taken = {province_code(unit.location): unit.power for unit in units}
    centers = {
        power: [c for c in sorted(board.supply_centers) if (taken[c] == power if c in taken else c in owned)]
        for power, owned in centers.items()
    }
    orders: list[GivenOrder] = []
    for power in owners:
        own = [unit for unit in units if unit.power == power]
        due = len(centers[power]) - len(own)
        count = rng.randint(0, abs(due) + 1)
        orders += [GivenOrder(power, _adjustment(rng, power, own, removing=due < 0)) for _ in range(count)]
    return Situation(Position(units, phase="adjustment", centers=centers), tuple(orders))


def _adjustment(rng: Random, power: str, own: Sequence[Unit], *, removing: bool) -> Order:
    here = terrain()
    if removing != (rng.random() < 0.05) and own:
        unit = rng.choice(own)
        return Remove(OrderedUnit(unit.location, unit.type))
    if rng.random() < 0.1:
        return Waive()
    fate = rng.random()
    homes = here.homes[power] if fate < 0.8 else standard_board().supply_centers if fate < 0.9 else here.codes
    code = rng.choice(sorted(homes))
    kind, place = rng.choice(here.places[code])
    # Now and then a fleet inland, or on no coast of a province with two.
    return Build(OrderedUnit(code, "F") if rng.random() < 0.1 else OrderedUnit(place, kind))
