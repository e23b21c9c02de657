"""Positions built from the known paradoxes: the cores of DATC 6.F.14 to 6.F.24, and the knots of the DPTG, varied."""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
from ..positions import OrderedPosition, ordered_unit
from .places import familiar, other_places, with_places, with_powers
from .shrink import without_units
from .terrain import UNIT_TYPES

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
            ordered = _with_another(rng, ordered)
    orders = [_perhaps_via(rng, given) for given in ordered.orders]
    rng.shuffle(orders)
    return ordered._replace(orders=tuple(orders))


def _perhaps_via(rng: Random, given: GivenOrder) -> GivenOrder:
    order = given.order
    if isinstance(order, Move) and order.unit.type == "A" and rng.random() < 0.15:
        return given._replace(order=replace(order, via_convoy=not order.via_convoy))
    return given


def _with_another(rng: Random, ordered: OrderedPosition) -> OrderedPosition:
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
