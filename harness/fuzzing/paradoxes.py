"""Positions built from the known paradoxes: the cores of DATC 6.F.14 to 6.F.24, and the knots of the DPTG, varied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import msgspec

from ...cases import load_suite
from ...reference_engine import (
    GivenOrder,
    Hold,
    Move,
    OrderedUnit,
    Position,
    SupportHold,
    SupportMove,
    Unit,
    UnitType,
    province_code,
    standard_board,
)
from ...reference_engine.toml import loads
from ..position_lines import read_position_text
from .moves import with_places, with_powers, without_units
from .places import familiar, other_places
from .situation import Situation, ordered_unit
from .terrain import UNIT_TYPES

_CASES = tuple(f"6.F.{number}" for number in range(14, 25))
_VARIANTS = 12
_MOST_STEPS = 1500
_MOST_ADDED = 4


class _Knots(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`knots.toml`: the orders of each by its place in the DPTG."""

    knot: dict[str, str]


@cache
def paradox_cores() -> Sequence[Situation]:
    """The positions that everything is built from."""
    found: list[Situation] = []
    for case in load_suite("datc-3.1").cases:
        if case.id in _CASES:
            phase = case.phases[0]
            orders = tuple(GivenOrder(order.power, order.order) for order in phase.orders)
            found.append(Situation(phase.position or Position(()), orders))
    text = Path(__file__).with_name("knots.toml").read_text(encoding="utf-8")
    for name, lines in msgspec.convert(loads(text), _Knots).knot.items():
        knot = read_position_text(lines, name)
        found.append(Situation(knot.position, knot.orders))
    return found


@cache
def _elsewhere(core: int, variant: int) -> Situation:
    """A core in other places: as many variants as the board has, and are found soon; else the core as it is."""
    situation = paradox_cores()[core]
    if variant > 1 and _elsewhere(core, 1) is situation:
        return situation
    ranked = list(familiar())
    Random(variant).shuffle(ranked)  # noqa: S311 - places, not secrets
    found = next(other_places(situation, ranked, _MOST_STEPS), None)
    return with_places(situation, found) if found else situation


def random_paradox(rng: Random) -> Situation:
    """Draw a paradox, with other powers, with units added to it or taken from it."""
    core = rng.randrange(len(paradox_cores()))
    situation = paradox_cores()[core] if rng.random() < 0.4 else _elsewhere(core, rng.randint(1, _VARIANTS))
    powers = list(standard_board().powers)
    if rng.random() < 0.5:
        others = rng.sample(powers, len(powers)) if rng.random() < 0.8 else rng.choices(powers, k=len(powers))
        situation = with_powers(situation, dict(zip(powers, others, strict=True)))
    if rng.random() < 0.3:
        situation = without_units(situation, {province_code(rng.choice(situation.units).location)})
    if rng.random() < 0.5:
        for _ in range(rng.randint(1, _MOST_ADDED)):
            situation = _with_another(rng, situation)
    orders = [_perhaps_via(rng, given) for given in situation.orders]
    rng.shuffle(orders)
    return situation._replace(orders=tuple(orders))


def _perhaps_via(rng: Random, given: GivenOrder) -> GivenOrder:
    order = given.order
    if isinstance(order, Move) and order.unit.type == "A" and rng.random() < 0.15:
        return given._replace(order=replace(order, via_convoy=not order.via_convoy))
    return given


def _with_another(rng: Random, situation: Situation) -> Situation:
    """Add a unit that attacks one of the others, or supports one of them in what it does."""
    if not situation.orders:
        return situation
    board = standard_board()
    given = rng.choice(situation.orders)
    subject = ordered_unit(given)
    if subject is None:
        return situation
    target = given.order.to if isinstance(given.order, Move) else subject.location
    taken = {province_code(unit.location) for unit in situation.units}
    near: list[tuple[UnitType, str]] = [
        (kind, place)
        for place in board.locations
        if province_code(place) not in taken
        for kind in UNIT_TYPES
        if board.can_stand(kind, place)
        and province_code(target) in map(province_code, board.destinations(Unit("ENGLAND", kind, place)))
    ]
    if not near:
        return situation
    kind, place = rng.choice(near)
    unit = Unit(rng.choice(tuple(board.powers)), kind, place)
    named = OrderedUnit(place, kind)
    to = next(to for to in board.destinations(unit) if province_code(to) == province_code(target))
    if rng.random() < 0.45:
        order = Move(named, to)
    elif isinstance(given.order, Move):
        order = SupportMove(named, OrderedUnit(subject.location, subject.type), given.order.to)
    else:
        order = SupportHold(named, OrderedUnit(subject.location, subject.type)) if rng.random() < 0.9 else Hold(named)
    return situation._replace(orders=(*situation.orders, GivenOrder(unit.power, order))).with_units(
        (*situation.units, unit)
    )
