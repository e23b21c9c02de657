"""Units as small values, on the board and as orders name them.

A location is a province's code, with a coast where it matters: `"LON"`, `"SPA/NC"`. A power is its name in upper case.

This module stays in Python where the engine is compiled: compiled, a `NamedTuple` loses the types of its fields, by
which archives are read.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, get_args

UnitType: TypeAlias = Literal["A", "F"]
"""An army or a fleet."""
UNIT_TYPES: tuple[UnitType, ...] = get_args(UnitType)
"""Every `UnitType`."""


class Unit(NamedTuple):
    """A unit on the board."""

    power: str
    type: UnitType
    location: str


class OrderedUnit(NamedTuple):
    """A unit as an order names it: its type and nationality may be missing, and anything may be wrong."""

    location: str
    type: UnitType | None = None
    power: str | None = None
