"""A map as it is drawn: the outlines of its provinces, the places of what stands on them, and its lettering."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

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


Style: TypeAlias = Literal["code", "land", "sea", "coast"]
"""A code, the full name of a province on land or at sea, or the name of a coast."""


class Face(NamedTuple):
    """The size of a style's letters, and how wide they are in ems."""

    size: float
    capital: float
    letter: float
    spacing: float = 0.0
    """What is added to each letter, in units of the map."""


FACES: dict[Style, Face] = {
    "code": Face(12, 0.8, 0.66),
    "land": Face(13, 0.8, 0.62),
    "sea": Face(15, 0.8, 0.57, 0.4),
    "coast": Face(12, 0.8, 0.62),
}
_WIDE = {"M": 1.05, "W": 1.12, "m": 0.97, "w": 0.9, "O": 0.86, "Q": 0.86, "G": 0.84, "N": 0.88, "H": 0.89, "D": 0.84}
_NARROW = {" ": 0.34, "-": 0.4, ".": 0.34, "i": 0.36, "l": 0.36, "j": 0.36, "I": 0.42, "t": 0.44, "f": 0.42, "r": 0.52}
LEADING = 1.12
"""The height of a line, of the size of its letters."""
CAPITALS = 0.78
"""The height of a capital letter with what hangs below the line, of the size of the letters."""


@cache
def half_size(lines: tuple[str, ...], style: Style) -> tuple[float, float]:
    """Half the width and half the height of some lines of text."""
    height = FACES[style].size * (CAPITALS + LEADING * (len(lines) - 1)) + (1.5 if style != "code" else 0)
    return max(_width(line, style) for line in lines) / 2, height / 2


def split_name(name: str, count: int) -> tuple[str, ...]:
    """A name on some lines, the longest of them as short as it can be; on fewer lines for a name of fewer words."""
    words = name.replace("-", "- ").split(" ")
    if count == 1 or len(words) < count:
        return (name,)
    parts = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words) - count + 2)]
    splits = [(one.replace("- ", "-"), *split_name(rest.replace("- ", "-"), count - 1)) for one, rest in parts]
    return min(splits, key=lambda lines: max(map(len, lines)))


def _width(text: str, style: Style) -> float:
    """The width of a text; small capitals are as wide as capitals seven tenths their size."""
    face, width = FACES[style], 0.0
    for letter in text:
        if style == "sea" and not letter.isupper() and letter != " ":
            ems = (_WIDE.get(letter.upper()) or face.capital) * 0.7
        else:
            ems = _WIDE.get(letter) or _NARROW.get(letter) or (face.capital if letter.isupper() else face.letter)
        width += ems * face.size + face.spacing
    return width
