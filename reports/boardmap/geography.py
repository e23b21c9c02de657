"""The map: where everything on it is, read from `standard.json`, and its picture without anything on it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from .geometry import Point, number


class Place(msgspec.Struct, frozen=True):
    """A province on the map."""

    kind: Literal["land", "sea"]
    path: str
    """Its outline, in the words of SVG."""
    unit: Point
    """Where a unit stands."""
    label: Point
    """The middle of its code."""
    beside: Point
    """Where a dislodged unit is, beside the unit that came in its place."""
    supply_center: Point | None = None
    coasts: Mapping[str, Point] = {}
    """Where a fleet stands on each coast, where there are two."""


class Impassable(msgspec.Struct, frozen=True):
    """Land that is no province."""

    name: str
    path: str


class Link(msgspec.Struct, frozen=True):
    """A line between two provinces that border each other although the map shows water between them."""

    between: tuple[str, str]
    path: str


class Geography(msgspec.Struct, frozen=True, rename={"view_box": "viewBox"}):
    """A map."""

    view_box: tuple[float, float, float, float]
    provinces: Mapping[str, Place]
    impassable: tuple[Impassable, ...] = ()
    links: tuple[Link, ...] = ()

    @property
    def width(self) -> float:
        """Its width, in the units of all its coordinates."""
        return self.view_box[2]

    @property
    def height(self) -> float:
        """Its height."""
        return self.view_box[3]


@cache
def standard_geography() -> Geography:
    """The map of the standard board."""
    return msgspec.json.decode(Path(__file__).with_name("standard.json").read_bytes(), type=Geography)


@cache
def base_map() -> str:
    """The map as elements of SVG. It has no ids; its classes begin with `bm-`, and `MAP_STYLE` is for them."""
    geography = standard_geography()
    places = geography.provinces.items()
    return "".join(
        (
            f'<rect class="bm-sea" width="{number(geography.width)}" height="{number(geography.height)}"/>',
            *(f'<path class="bm-{place.kind}" d="{place.path}"/>' for _, place in places),
            *(f'<path class="bm-none" d="{land.path}"/>' for land in geography.impassable),
            *(f'<path class="bm-link" d="{link.path}"/>' for link in geography.links),
            *(_center(place.supply_center) for _, place in places if place.supply_center),
            *(
                f'<text class="bm-code" x="{number(place.label.x)}" y="{number(place.label.y + 3)}">{code}</text>'
                for code, place in places
            ),
        )
    )


def _center(spot: Point) -> str:
    return f'<circle class="bm-center" cx="{number(spot.x)}" cy="{number(spot.y)}" r="3.6"/>'


_LIGHT = "--bm-sea:#cfe0ec;--bm-land:#f1ebdc;--bm-none:#d9d2c2;--bm-line:#8d8b80;--bm-code:#5b5a52"
_DARK = "--bm-sea:#16222e;--bm-land:#34342f;--bm-none:#23231f;--bm-line:#7d7c74;--bm-code:#b9b7ab"

# A page draws the map through <use>, where only inherited values reach it: hence properties, with plain colours before
# them for programs that know none.
MAP_STYLE = (
    f".dm,.dm.light,[data-theme=light] .dm{{{_LIGHT}}}"
    f"@media screen and (prefers-color-scheme:dark){{.dm{{{_DARK}}}}}"
    f".dm.light,[data-theme=light] .dm{{{_LIGHT}}}.dm.dark,[data-theme=dark] .dm{{{_DARK}}}"
    ".bm-sea{fill:#cfe0ec;fill:var(--bm-sea)}"
    ".bm-land{fill:#f1ebdc;fill:var(--bm-land)}"
    ".bm-none{fill:#d9d2c2;fill:var(--bm-none)}"
    ".bm-sea,.bm-land,.bm-none,.bm-link{stroke:#8d8b80;stroke:var(--bm-line);stroke-width:.8;stroke-linejoin:round}"
    ".bm-link{fill:none;stroke-dasharray:3 3}"
    ".bm-center{fill:none;stroke:#5b5a52;stroke:var(--bm-code);stroke-width:1.2}"
    ".bm-code{font:600 9.5px system-ui,sans-serif;text-anchor:middle;fill:#5b5a52;fill:var(--bm-code)}"
)
"""The style of the map."""
