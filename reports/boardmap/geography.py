"""The board as a picture: where its provinces are drawn, and the map without anything on it.

`tools/map` in the repository makes its data, `standard.json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ...reference_engine import standard_board
from .palette import PALETTE

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

    def place(self, location: str) -> XY:
        """Where a unit at a location stands, such as `"LON"` or `"STP/SC"`."""
        code, _, coast = location.partition("/")
        province = self.provinces[code]
        return province.coasts.get(coast, province.unit)


@cache
def standard_geography() -> Geography:
    """The map of the standard board."""
    return msgspec.json.decode(Path(__file__).with_name("standard.json").read_bytes(), type=Geography)


def base_map_svg(
    owners: Mapping[str, str] | None = None, *, overlay: str = "", style: bool = True, prefix: str = "map-"
) -> str:
    """The map as an SVG document: land in the colour of its owner where `owners` has a power for the province.

    `overlay` is SVG that is drawn on top, as it is. A page with several maps takes the style from `map_style` once, and
    gives each a `prefix` for the ids of its provinces.
    """
    template = _environment().get_template("boardmap.svg")
    return template.render(
        geography=standard_geography(),
        board=standard_board(),
        palette=PALETTE,
        owners=owners or {},
        overlay=Markup(overlay),  # noqa: S704 - the caller's own drawing
        style=style,
        prefix=prefix,
    )


@cache
def map_ground(prefix: str = "map-") -> str:
    """The map alone, as a `<g>` without a style, for what draws on it. `prefix` is that of the ids in it."""
    template = _environment().get_template("boardmap_ground.svg")
    return template.render(geography=standard_geography(), board=standard_board(), owners={}, prefix=prefix)


def map_style() -> str:
    """The map's style sheet, for a page that draws it with `style=False`."""
    return _environment().get_template("boardmap.css").render(palette=PALETTE)


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("datc.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
