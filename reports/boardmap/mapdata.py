"""A map as it is drawn: the outlines of its provinces, and the places of what stands on them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from .geometry import Point

WIDTHS = (320, 400, 480, 600, 800, 1000)
"""How wide a part of the map may be."""
WHOLE_WIDTHS = (*WIDTHS, 1200, 1400, 1700, 2100, 2600, 3300)
"""How wide a map may be: the standard one has 1200."""


class Province(NamedTuple):
    """How a province is drawn."""

    kind: Literal["land", "sea"]
    path: str
    unit: Point
    """The middle of a unit's symbol."""
    codes: tuple[Point, ...]
    """Where the middle of its code may be, the best place first."""
    names: tuple[tuple[float, float, int, int], ...]
    """Where its full name may be: the middle, how far it is turned in degrees, and on how many lines it is."""
    beside: Point
    """The middle of the symbol of a dislodged unit, next to the unit."""
    supply_center: Point | None = None
    coasts: Mapping[str, Point] = MappingProxyType({})
    """Where a fleet on each of its two coasts stands."""
    waters: str = ""
    """Straits that belong to it: they lie within its path."""


class Area(NamedTuple):
    """Land where nobody can go."""

    name: str
    path: str
    waters: str = ""


class Link(NamedTuple):
    """A line across water, between two provinces that border there."""

    between: tuple[str, str]
    path: str


class Mark(NamedTuple):
    """What is drawn of a special rule of a map."""

    kind: Literal["difficult", "ice", "canal", "railway", "convoys"]
    title: str
    path: str


class Geography(NamedTuple):
    """A map in the units of its `view_box`: that of the standard board is `standard.json`."""

    view_box: tuple[int, int, int, int]
    provinces: dict[str, Province]
    impassable: tuple[Area, ...]
    links: tuple[Link, ...]
    coastline: str
    """Where land and sea meet."""
    marks: tuple[Mark, ...] = ()
