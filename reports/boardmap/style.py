"""The colours of the boards: light, dark as the reader has it, or as the page says; `boardmap.css` has the rest.

The colours of the powers were chosen so that people who see no red, no green or no blue light can tell them apart as
well, on the land and the sea of the page; the tests measure the distances. Colours stand in plain rules, not in custom
properties alone, so that programs other than browsers show the files, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from ...reference_engine import standard_board


class Colors(NamedTuple):
    """The colours of a page: of the map, of the powers, and of everything that stands on the map."""

    paper: str
    """Around the map of a picture."""
    land: str
    sea: str
    ink: str
    """The edges of units."""
    halo: str
    """Around lines, so that each can be followed where they cross."""
    bad: str
    """What fails, and units that are dislodged or go."""
    void: str
    """Orders that were not followed."""
    note: str
    """What is marked of a board that is compared with another."""
    powers: Mapping[str, str]


_POWERS = {
    "AUSTRIA": ("#b96770", "#d75938"),
    "ENGLAND": ("#2e2daf", "#7c73d8"),
    "FRANCE": ("#0787d1", "#90f0ff"),
    "GERMANY": ("#1d1214", "#9da997"),
    "ITALY": ("#218002", "#56d531"),
    "RUSSIA": ("#7c075c", "#e78ffc"),
    "TURKEY": ("#5e4a0c", "#fff37a"),
}
"""The colour of each power on a light and on a dark page."""
_OTHERS = {
    "paper": ("#ffffff", "#14171c"),
    "land": ("#f5f0e3", "#33363a"),
    "sea": ("#d9e6ec", "#1b2733"),
    "ink": ("#16181d", "#f4f5f7"),
    "halo": ("#ffffff", "#101418"),
    "bad": ("#d1001f", "#ff5468"),
    "void": ("#5f6368", "#b4bac2"),
    "note": ("#b5179e", "#ff8cf0"),
}
"""The other colours, in the same way."""


PALETTE: Mapping[str, Colors] = {
    page: Colors(
        **{name: colors[at] for name, colors in _OTHERS.items()},
        powers={power: colors[at] for power, colors in _POWERS.items()},
    )
    for at, page in enumerate(("light", "dark"))
}
"""The colours of both pages."""

_OTHER = "#8a8a8a"
"""The units of any power but the seven."""

_WIDTHS = {"move": 2.6, "ret": 2.6, "may": 1.5, "sup": 2.0, "con": 2.0, "hold": 1.8, "build": 2.6, "out": 3.4}
"""How thick the lines of each kind of order are; the halo around one is thicker by 3."""

LEAST_SCALE = 0.92
"""The pixels that a unit of the map takes at least: the smallest letters are 11 pixels high then."""
GREATEST_SCALE = 1.6


def power_class(power: str) -> str:
    """The class of a power: none comes from outside, any power but the seven has the same one."""
    return power[:3].lower() if power in standard_board().powers else "oth"


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours as the WCAG counts it, 1 to 21."""
    colors = (linear(color) for color in (one, other))
    low, high = sorted(0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in colors)
    return (high + 0.05) / (low + 0.05)


def linear(color: str) -> tuple[float, float, float]:
    """Red, green and blue of a colour such as `"#004eb2"` in linear light, each from 0 to 1."""
    parts = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return red, green, blue


def _units(colors: Colors, scope: str) -> str:
    rules: list[str] = []
    for power, color in {**colors.powers, "": _OTHER}.items():
        name = power_class(power)
        letter = max(("#ffffff", "#000000"), key=partial(contrast, color))  # The one that can be read on the colour.
        ghost = f":is(.missing,.gone).{name}"
        rules += [
            f"{scope} .{name}{{fill:{color}}}{scope} .{name} text{{fill:{letter}}}",
            f"{scope} {ghost}{{fill:{colors.halo};stroke:{color}}}{scope} {ghost} text{{fill:{color}}}",
            f"{scope}.dot.{name}{{background:{color}}}{scope}>g.o.{name}>path{{stroke:{color}}}{scope}>g.o.{name}>path.p{{fill:{color}}}",
        ]
    return "".join(rules)


def _theme(colors: Colors, scope: str) -> str:
    marks = f"{scope}>g.o>path.x,{scope}>g.o>path.b,{scope}>g.o.out>path"
    return (
        f"{scope}>g.o>path{{stroke:{colors.ink}}}{scope}>g.o>path.p{{fill:{colors.ink}}}"
        f"{scope}>.band{{fill:{colors.paper}}}{scope}>:is(.caption,.key){{fill:{colors.ink}}}"
        f"{scope} .u,{scope} .own{{stroke:{colors.ink}}}"
        f"{_units(colors, scope)}"
        f"{marks}{{stroke:{colors.bad}}}{scope}>g.o.void>path.x{{stroke:{colors.void}}}"
        f"{scope}>g.o.build>path.x{{stroke:{colors.ink}}}"
        f"{scope}>g.o>path.h{{stroke:{colors.halo}}}{scope}>g.o>path.j{{fill:{colors.halo}}}"
        f"{scope} .u .z,{scope} .u .x{{stroke:{colors.bad}}}"
        f"{scope} .missing .z,{scope} .unexpected .z{{stroke:{colors.note}}}"
    )


def with_plain_values(css: str) -> str:
    """A style sheet on one line, with the value of each custom property before its use, for programs that know none."""
    values = dict(reversed(re.findall(r"(--[\w-]+): ([^;]+);", css)))
    short = re.sub(r" ?([{};:,]) ?", r"\1", " ".join(css.split()))
    return re.sub(
        r"([\w-]+):var\((--[\w-]+)\)", lambda use: f"{use[1]}:{values[use[2]]};{use[0]}", short.replace(";}", "}")
    )


_light = partial(_theme, PALETTE["light"])
_dark = partial(_theme, PALETTE["dark"])
_lines = "".join(
    f".dm>g.{kind}>path{{stroke-width:{width:g}}}.dm>g.{kind}>path.h{{stroke-width:{width + 3:g}}}"
    for kind, width in _WIDTHS.items()
)
STYLE = (
    f"{_lines}{_light('.dm')}"
    f"@media screen and (prefers-color-scheme:dark){{{_dark('.dm')}}}"
    f"{_light('.dm.light')}{_light('[data-theme=light] .dm')}"
    f"{_dark('.dm.dark')}{_dark('[data-theme=dark] .dm')}"
)
"""The style of all boards, and of the legend, as far as it has colours or differs by the kind of an order."""
