"""Positions and outcomes in a notation that fits on a line.

Units and orders are given as `"ENGLAND: F EDI - NTH, F LON H; FRANCE: A PAR - BUR"`, supply centers as
`"GERMANY: BER KIE"`. A unit of an outcome is its type and location, `"F EDI"`, whoever owns it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from datc.reference_engine import (
    DATC_3_1,
    Adjudication,
    Dislodged,
    GivenOrder,
    Phase,
    Position,
    Unit,
    adjudicate,
    read_order,
    read_unit,
)

NO_CHOICES: Mapping[str, str] = {}


class Outcome(NamedTuple):
    """What became of the units and of each order."""

    units: frozenset[str]
    dislodged: Mapping[str, tuple[str, ...]]
    """Each dislodged unit and where it may retreat to."""
    reasons: list[str | None]
    """For each order why it failed, or `None`."""
    adjudication: Adjudication


def play(units: str, orders: str, choices: Mapping[str, str] = NO_CHOICES) -> Outcome:
    """Adjudicate a movement phase."""
    return _outcome(Position(units_of(units)), orders_of(orders), choices)


def retreat(
    dislodged: list[Dislodged], orders: str, units: str = "", choices: Mapping[str, str] = NO_CHOICES
) -> Outcome:
    """Adjudicate a retreat phase."""
    position = Position(units_of(units), phase="retreat", dislodged=dislodged)
    return _outcome(position, orders_of(orders, "retreat"), choices)


def adjust(units: str, centers: str, orders: str, choices: Mapping[str, str] = NO_CHOICES) -> Outcome:
    """Adjudicate an adjustment phase."""
    owned = {power: text.split() for power, text in _by_power(centers)}
    position = Position(units_of(units), phase="adjustment", centers=owned)
    return _outcome(position, orders_of(orders, "adjustment"), choices)


def units_of(text: str) -> list[Unit]:
    """Read the units on a board."""
    found: list[Unit] = []
    for power, units in _by_power(text):
        for unit in units.split(","):
            named = read_unit(unit.strip())
            assert named.type is not None
            found.append(Unit(power, named.type, named.location))
    return found


def orders_of(text: str, phase: Phase = "movement") -> list[GivenOrder]:
    """Read the orders of all powers."""
    return [
        GivenOrder(power, read_order(order.strip(), phase).order)
        for power, orders in _by_power(text)
        for order in orders.split(",")
    ]


def board(text: str) -> frozenset[str]:
    """Units as an outcome has them: `"F EDI, A PAR"`."""
    return frozenset(unit.strip() for unit in text.split(","))


def _by_power(text: str) -> list[tuple[str, str]]:
    parts = [part.partition(":") for part in text.split(";") if part.strip()]
    return [(power.strip(), rest.strip()) for power, _, rest in parts]


def _outcome(position: Position, orders: list[GivenOrder], choices: Mapping[str, str]) -> Outcome:
    after = adjudicate(position, orders, DATC_3_1.with_choices(choices))
    return Outcome(
        frozenset(f"{unit.type} {unit.location}" for unit in after.units),
        {f"{unit.type} {unit.location}": retreats for unit, _, retreats in after.dislodged},
        [result.reason for result in after.orders],
        after,
    )
