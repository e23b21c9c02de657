"""Positions and outcomes in a notation that fits on a line.

Units and orders are given as `"ENGLAND: F EDI - NTH, F LON H; FRANCE: A PAR - BUR"`, supply centers as
`"GERMANY: BER KIE"`. A unit of an outcome is its type and location, `"F EDI"`, whoever owns it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pytest

from datc.cases import load_ruleset
from datc.reference_engine import DATC_3_1, Dislodged, Position, Unit, adjudicate, find_procedure, read_order
from datc.reference_engine.notation import read_unit
from datc.reference_engine.orders import Convoy, GivenOrder, Hold, Move, Phase, SupportHold, SupportMove
from datc.reference_engine.position import Adjudication

NO_CHOICES: Mapping[str, str] = {}


class Outcome(NamedTuple):
    """What became of the units and of each order."""

    units: frozenset[str]
    dislodged: Mapping[str, tuple[str, ...]]
    """Each dislodged unit and where it may retreat to."""
    reasons: list[str | None]
    """For each order why it failed, or `None`."""
    adjudication: Adjudication


class Effect(NamedTuple):
    """What the choices for an issue make of the same orders."""

    title: str
    orders: str
    ends: Mapping[str, str]
    """For choices, separated by spaces, the moves that succeed and the units that are dislodged.

    As `"F EAS - ION, F ION x"`, without powers; `""` where nothing moves.
    """
    under: Mapping[str, str] = NO_CHOICES
    """The choices for other issues."""
    units: str = ""
    """The units, where they are others than the orders name."""

    def choices(self) -> dict[str, str]:
        """How it ends, choice by choice."""
        return {choice: end for choices, end in self.ends.items() for choice in choices.split()}


Effects = Mapping[str, Sequence[Effect]]
"""For each issue the situations that show its choices."""


def effect_rows(effects: Effects) -> list[object]:
    """The parameters of a test that calls `check_effect`."""
    return [
        pytest.param(effect, {**effect.under, issue: choice}, end, id=f"{issue} {choice}: {effect.title}")
        for issue, several in effects.items()
        for effect in several
        for choice, end in effect.choices().items()
    ]


def check_effect(effect: Effect, choices: Mapping[str, str], end: str) -> None:
    """Assert that the orders end as they should."""
    units = effect.units or units_ordered(effect.orders)
    assert ends(units, play(units, effect.orders, choices).adjudication) == in_words(end)


def ends(orders: str, after: Adjudication) -> list[str]:
    """What moved and what was dislodged of the units that are named, as `"F EAS - ION"` and `"F ION x"`, sorted."""
    dislodged = {entry.unit for entry in after.dislodged}
    standing = iter(after.units)
    found: list[str] = []
    for unit in units_of(units_ordered(orders)):
        if unit in dislodged:
            found.append(f"{unit.type} {unit.location} x")
        elif (arrived := next(standing)) != unit:
            found.append(f"{unit.type} {unit.location} - {arrived.location}")
    return sorted(found)


def in_words(end: str) -> list[str]:
    """The same from a text, separated by commas."""
    return sorted(board(end))


def played(name: str, orders: str, choices: Mapping[str, str] = NO_CHOICES) -> Adjudication:
    """Adjudicate a movement phase by a procedure, under the ruleset of the same name with these choices."""
    ruleset = load_ruleset(name).ruleset().with_choices(choices)
    return adjudicate(Position(units_of(units_ordered(orders))), orders_of(orders), ruleset, find_procedure(name))


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


def position_of(orders: Sequence[GivenOrder]) -> Position:
    """The units that orders of a movement phase are for."""
    return Position(
        [
            Unit(power, order.unit.type, order.unit.location)
            for power, order in orders
            if isinstance(order, (Hold, Move, SupportHold, SupportMove, Convoy)) and order.unit.type is not None
        ]
    )


def board_of(after: Adjudication) -> tuple[frozenset[Unit], frozenset[Dislodged], frozenset[str]]:
    """Everything but the results of the orders, without any sequence."""
    return frozenset(after.units), frozenset(after.dislodged), after.contested


def board(text: str) -> frozenset[str]:
    """Units as an outcome has them: `"F EDI, A PAR"`."""
    return frozenset(unit.strip() for unit in text.split(",") if unit)


def units_ordered(orders: str) -> str:
    """The units that orders name, each with its power."""
    return ";".join(
        f"{power}: " + ", ".join(dict.fromkeys(" ".join(order.split()[:2]) for order in given.split(",")))
        for power, given in _by_power(orders)
    )


def _by_power(text: str) -> list[tuple[str, str]]:
    parts = [part.partition(":") for part in text.split(";") if part.strip()]
    return [(power.strip(), rest.strip()) for power, _, rest in parts]


def _outcome(position: Position, orders: list[GivenOrder], choices: Mapping[str, str]) -> Outcome:
    after = adjudicate(position, orders, DATC_3_1.with_choices(choices))
    return Outcome(
        frozenset(f"{unit.type} {unit.location}" for unit in after.units),
        {f"{unit.type} {unit.location}": retreats or () for unit, _, retreats in after.dislodged},
        [result.reason for result in after.orders],
        after,
    )
