"""The map's colours, for a light and a dark page, and their contrast.

The colours of the powers were chosen so that people who see no red, no green or no blue light can tell them apart as
well, on the land and the sea of the page; the tests measure the distances.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

RGB: TypeAlias = tuple[float, float, float]


class Colors(NamedTuple):
    """The colours of a page."""

    land: str
    sea: str
    powers: Mapping[str, str]


class Palette(NamedTuple):
    """The colours of both pages."""

    light: Colors
    dark: Colors


PALETTE = Palette(
    light=Colors(
        land="#f5f0e3",
        sea="#d9e6ec",
        powers={
            "AUSTRIA": "#c3566e",
            "ENGLAND": "#004eb2",
            "FRANCE": "#1a88c3",
            "GERMANY": "#1e2417",
            "ITALY": "#134a00",
            "RUSSIA": "#870466",
            "TURKEY": "#6c650f",
        },
    ),
    dark=Colors(
        land="#33363a",
        sea="#1b2733",
        powers={
            "AUSTRIA": "#ce5c61",
            "ENGLAND": "#6c7dff",
            "FRANCE": "#2ce1ff",
            "GERMANY": "#b3c6ad",
            "ITALY": "#4fc442",
            "RUSSIA": "#c889b8",
            "TURKEY": "#f4db70",
        },
    ),
)


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours as the WCAG counts it, 1 to 21."""
    low, high = sorted(_luminance(color) for color in (one, other))
    return (high + 0.05) / (low + 0.05)


def linear_light(color: str) -> RGB:
    """Return how much red, green and blue light a colour has, each 0 to 1."""
    red, green, blue = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return _light(red), _light(green), _light(blue)


def _light(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _luminance(color: str) -> float:
    red, green, blue = linear_light(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
