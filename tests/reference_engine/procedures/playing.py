"""Positions that a procedure adjudicates, in the notation of `..play`."""

from __future__ import annotations

from collections.abc import Mapping

from datc.cases import load_ruleset
from datc.reference_engine import Adjudication, Position, adjudicate, find_procedure

from ..play import NO_CHOICES, orders_of, units_of, units_ordered


def played(name: str, orders: str, choices: Mapping[str, str] = NO_CHOICES) -> Adjudication:
    """Adjudicate a movement phase by a procedure, under the ruleset of the same name with these choices."""
    position = Position(units_of(units_ordered(orders)))
    ruleset = load_ruleset(name).ruleset().with_choices(choices)
    return adjudicate(position, orders_of(orders), ruleset, find_procedure(name))


def ends(orders: str, adjudication: Adjudication) -> list[str]:
    """What moved and what was dislodged, as `"F EAS - ION"` and `"F ION x"`, in alphabetical order."""
    dislodged = {entry.unit for entry in adjudication.dislodged}
    standing = iter(adjudication.units)
    found: list[str] = []
    for unit in units_of(units_ordered(orders)):
        if unit in dislodged:
            found.append(f"{unit.type} {unit.location} x")
        elif (after := next(standing)) != unit:
            found.append(f"{unit.type} {unit.location} - {after.location}")
    return sorted(found)


def in_words(end: str) -> list[str]:
    """The same from a text, separated by commas."""
    return sorted(part.strip() for part in end.split(",") if part.strip())
