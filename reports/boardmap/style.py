"""The style of the boards: light, dark as the reader has it, or as the page says.

Colours stand in plain rules, not in custom properties alone, so that programs other than browsers show the files, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from .palette import PALETTE, contrast
from .symbols import power_class


class _Colors(NamedTuple):
    """The colours of everything that stands on a map."""

    ink: str
    """Moves, holds, and the edges of units."""
    halo: str
    """Around lines, so that each can be followed where they cross."""
    bad: str
    """What fails, and units that are dislodged or go."""
    void: str
    """Orders that were not followed."""
    help: str
    """Supports and builds."""
    carry: str
    """Convoys."""
    note: str
    """What is marked of a board that is compared with another."""


_LIGHT = _Colors("#16181d", "#fff", "#d1001f", "#5f6368", "#0a6640", "#1b57c4", "#b5179e")
_DARK = _Colors("#f4f5f7", "#101418", "#ff5468", "#b4bac2", "#6fe0a8", "#8fb8ff", "#ff8cf0")

_OTHER = "#8a8a8a"
"""The units of a power that is none of the seven."""

_WIDTHS = {"move": 2.6, "ret": 2.6, "may": 1.5, "sup": 2.0, "con": 2.0, "hold": 1.8, "build": 2.6, "out": 3.4}
"""How thick the lines of each kind of order are."""

_SHAPES = (
    ".dm{font:700 14px system-ui,sans-serif;display:block;width:100%;height:auto}"
    ".dm-shared{position:absolute}"
    ".dm>g.o>path{fill:none;stroke-linecap:round;stroke-linejoin:round}"
    ".dm>g.sup>path{stroke-dasharray:6 4;stroke-linecap:butt}"
    ".dm>g.may>path{stroke-dasharray:3 3;stroke-linecap:butt}"
    ".dm>g.void>path{stroke-dasharray:.1 4.4;stroke-linecap:round}"
    ".dm>g.hold.no>path{stroke-dasharray:5 4}"
    ".dm>g.o>path.h{stroke-dasharray:none;stroke-opacity:.85}"
    ".dm>g.o>path.p{stroke-width:2;stroke-dasharray:none}"
    ".dm>g.o>path.b{stroke-width:3.4;stroke-dasharray:none}"
    ".dm>g.o>path.x,.dm>g.o>path.w{stroke-dasharray:none;stroke-linecap:round}"
    ".dm>g.sup>path.x,.dm>g.void>path.x{stroke-width:2.6}"
    ".dm>g.o>path.j{stroke-width:6.5;stroke-linecap:round;stroke-dasharray:none}"
    ".dm>g.o>path.g{stroke-dasharray:.1 4.4;stroke-width:1.6;stroke-linecap:round}"
    ".dm .u{stroke-width:1.4}"
    ".dm .u text{stroke:none;text-anchor:middle}"
    ".dm .u .z{fill:none;stroke-width:5;stroke-dasharray:2.6 2.45}"
    ".dm .u .x{fill:none;stroke-width:3.6;stroke-linecap:round}"
    ".dm .missing .z,.dm .unexpected .z{stroke-width:3;stroke-dasharray:none}"
    ".dm .missing .z{stroke-dasharray:5 3.4}"
    ".dm .missing{fill-opacity:.35}"
    ".dm-legend{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.3em 1.2em}"
    ".dm-legend li{display:flex;align-items:center;gap:.4em}"
    ".dm.dm-key{width:72px;height:36px;flex:none}"
)


def _lines(scale: float = 1) -> str:
    """The width of the lines, and of the halo around them."""
    return "".join(
        f".dm>g.{kind}>path{{stroke-width:{width * scale:g}}}.dm>g.{kind}>path.h{{stroke-width:{width * scale + 3:g}}}"
        for kind, width in _WIDTHS.items()
    )


def _units(powers: Mapping[str, str], scope: str) -> str:
    """The colours of the units, and of the letters on them."""
    return "".join(
        f"{scope} .{power_class(power)}{{fill:{color}}}{scope} .{power_class(power)} text{{fill:{_letter(color)}}}"
        for power, color in {**powers, "": _OTHER}.items()
    )


def _letter(color: str) -> str:
    """Black or white, whichever can be read on a colour."""
    return max(("#ffffff", "#000000"), key=lambda letter: contrast(color, letter))


def _theme(colors: _Colors, powers: Mapping[str, str], scope: str) -> str:
    """The colours of the boards that the scope selects."""
    kinds = {"o": colors.ink, "sup": colors.help, "build": colors.help, "con": colors.carry, "out": colors.bad}
    states = {"no": colors.bad, "void": colors.void}
    lines = "".join(
        f"{scope}>g.{name}>path{{stroke:{color}}}{scope}>g.{name}>path.p{{fill:{color}}}"
        for name, color in (kinds | states).items()
    )
    return (
        f"{lines}{scope}>g.o>path.h{{stroke:{colors.halo}}}{scope} .u,{scope} .own{{stroke:{colors.ink}}}"
        + f"{scope} .u .z,{scope} .u .x{{stroke:{colors.bad}}}"
        + _units(powers, scope)
        + f"{scope} .missing .z,{scope} .unexpected .z{{stroke:{colors.note}}}"
    )


def with_plain_values(css: str) -> str:
    """A style sheet on one line, with the value of each custom property before its use, for programs that know none."""
    values = dict(reversed(re.findall(r"(--[\w-]+): ([^;]+);", css)))
    lines = " ".join(css.split())
    short = re.sub(r" ?([{};:,]) ?", r"\1", lines)
    return re.sub(
        r"([\w-]+):var\((--[\w-]+)\)", lambda use: f"{use[1]}:{values[use[2]]};{use[0]}", short.replace(";}", "}")
    )


def _light(scope: str) -> str:
    return _theme(_LIGHT, PALETTE.light.powers, scope)


def _dark(scope: str) -> str:
    return _theme(_DARK, PALETTE.dark.powers, scope)


STYLE = (
    f"{_SHAPES}{_lines()}{_light('.dm')}"
    f"@media screen and (prefers-color-scheme:dark){{{_dark('.dm')}}}"
    f"{_light('.dm.light')}{_light('[data-theme=light] .dm')}"
    f"{_dark('.dm.dark')}{_dark('[data-theme=dark] .dm')}"
    f"@media(max-width:520px){{.dm .u>*{{transform:scale(1.3)}}{_lines(1.6)}.dm>g.o>path.j{{stroke-width:10}}}}"
)
"""The style of all boards, and of the legend."""
