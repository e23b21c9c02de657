"""The map: where its provinces are drawn, and the map as SVG without anything on it.

`tools/map` in the repository makes its data, `standard.json`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined

from ...reference_engine import standard_board
from .style import PALETTE

XY: TypeAlias = tuple[float, float]


class Province(msgspec.Struct, frozen=True):
    """How a province is drawn."""

    kind: Literal["land", "sea"]
    path: str
    unit: XY
    """The middle of a unit's symbol."""
    label: XY
    """The middle of its code."""
    beside: XY
    """The middle of the symbol of a dislodged unit, next to the unit."""
    supply_center: XY | None = None
    coasts: dict[str, XY] = {}
    """Where a fleet on each of its two coasts stands."""
    waters: str = ""
    """Straits that belong to it: they lie within its path."""


class Area(msgspec.Struct, frozen=True):
    """Land where nobody can go."""

    name: str
    path: str
    waters: str = ""


class Link(msgspec.Struct, frozen=True):
    """A line across water, between two provinces that border there."""

    between: tuple[str, str]
    path: str


class Geography(msgspec.Struct, frozen=True):
    """`standard.json`: the map in the units of its `view_box`."""

    view_box: tuple[int, int, int, int] = msgspec.field(name="viewBox")
    provinces: dict[str, Province]
    impassable: tuple[Area, ...]
    links: tuple[Link, ...]
    coastline: str
    """Where land and sea meet."""


@cache
def standard_geography() -> Geography:
    """The map of the standard board."""
    return msgspec.json.decode(Path(__file__).with_name("standard.json").read_bytes(), type=Geography)


@cache
def map_ground(prefix: str) -> str:
    """The map alone, as a `<g>` without a style, for what draws on it. `prefix` is that of the ids in it."""
    template = make_environment().get_template("boardmap.svg")
    return template.render(geography=standard_geography(), board=standard_board(), prefix=prefix).rstrip("\n")


def map_style() -> str:
    """The map's style sheet."""
    return make_environment().get_template("boardmap.css").render(palette=PALETTE)


def make_environment() -> Environment:
    """Make an environment for the templates of maps and pages: it escapes every value."""
    return Environment(
        loader=PackageLoader("datc.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
