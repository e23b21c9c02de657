"""Random positions of every phase: seeded, and cheaper to make than to adjudicate."""

from __future__ import annotations

from random import Random

from ...reference_engine import (
    Hold,
    Move,
    Order,
    Position,
    SupportHold,
    SupportMove,
    Unit,
)
from .draft import Draft
from .later_phases import random_adjustments, with_retreats
from .profiles import Profile
from .situation import Situation
from .terrain import terrain

_PHASES = (0.84, 0.93)
"""The shares of movements, and of movements and retreats together; the rest are adjustments."""


def random_situation(rng: Random, profile: Profile) -> Situation:
    """Draw a position with orders: mostly movements, some with the retreats after them, some adjustments."""
    share = rng.random()
    if share < _PHASES[0]:
        return random_movements(rng, profile)
    if share < _PHASES[1]:
        return with_retreats(rng, random_movements(rng, profile))
    return random_adjustments(rng)


def random_movements(rng: Random, profile: Profile) -> Situation:
    """Draw a position before a movement phase, with orders."""
    draft = Draft(rng, profile)
    return Situation(Position(draft.units), tuple(draft.give_orders()))


def another_order(rng: Random, unit: Unit, situation: Situation) -> Order:
    """Draw an order for a unit among others: a move, a support of what another one does, or a hold."""
    here = terrain()
    key = (unit.type, unit.location)
    named, reach = here.named[key], here.reach[key]
    found: list[Order] = [Move(named, to) for to in here.moves[key]]
    for given in situation.orders:
        order = given.order
        if isinstance(order, Move) and order.to[:3] in reach and order.unit != named:
            found += [SupportMove(named, order.unit, order.to)] * 3
    for other in situation.units:
        if other.location[:3] in reach:
            found.append(SupportHold(named, here.named[other.type, other.location]))
    return rng.choice(found) if found else Hold(named)
