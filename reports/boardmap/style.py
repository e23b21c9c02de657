"""The colours of the boards: light, dark as the reader has it, or as the page says; the templates have the rest.

The colours of the powers were chosen so that people who see no red, no green or no blue light can tell them apart as
well, on the land and the sea of the page; the tests measure the distances. Colours stand in plain rules, not in custom
properties alone, so that programs other than browsers show the files, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache, partial
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

from ...reference_engine import Board, standard_board
from ...reference_engine.toml import loads


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


_DATA = loads(Path(__file__).with_name("colors.toml").read_text(encoding="utf-8"))
PALETTE: Mapping[str, Colors] = {
    page: Colors(**{name: value for name, value in colors.items() if name != "more"}) for page, colors in _DATA.items()
}
"""The colours of both pages."""

MORE_COLORS: Mapping[str, Mapping[str, str]] = {
    page: {f"p{number}": color for number, color in enumerate(colors["more"], 8)} for page, colors in _DATA.items()
}
"""For both pages the colours of powers beyond seven, by their classes."""

LEAST_SCALE = 0.92
"""The pixels that a unit of the map takes at least: the smallest letters are 11 pixels high then."""
GREATEST_SCALE = 1.6


def power_class(power: str, board: Board | None = None) -> str:
    """The class of a power of a board, by default the standard one: none comes from outside.

    The powers of other maps take the colours of the seven that they lack, then those of `MORE_COLORS`, and begin again
    where there are more. What is no power of the board has the class `oth`.
    """
    return power_classes(board or standard_board()).get(power, "oth")


@lru_cache(maxsize=64)
def power_classes(board: Board) -> Mapping[str, str]:
    """The class of each power of a board."""
    seven = standard_board().powers
    own = {power: power[:3].lower() for power in board.powers if power in seven}
    others = [power for power in board.powers if power not in own]
    free = [power[:3].lower() for power in seven if power not in own] + [*MORE_COLORS["light"]]
    return own | dict(zip(others, cycle(free), strict=False))


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


def letter_color(color: str) -> str:
    """White or black, whichever can be read on a colour."""
    return max(("#ffffff", "#000000"), key=partial(contrast, color))


def with_plain_values(css: str) -> str:
    """A style sheet on one line, with the value of each custom property before its use, for programs that know none."""
    values = dict(reversed(re.findall(r"(--[\w-]+): ([^;]+);", css)))
    short = re.sub(r" ?([{};:,]) ?", r"\1", " ".join(css.split()))
    return re.sub(
        r"([\w-]+):var\((--[\w-]+)\)", lambda use: f"{use[1]}:{values[use[2]]};{use[0]}", short.replace(";}", "}")
    )
