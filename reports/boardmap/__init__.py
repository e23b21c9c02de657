"""The board as a picture."""

from __future__ import annotations

from .geography import Area, Geography, Link, Province, base_map_svg, map_style, standard_geography
from .palette import PALETTE, Colors, Palette

__all__ = [
    "PALETTE",
    "Area",
    "Colors",
    "Geography",
    "Link",
    "Palette",
    "Province",
    "base_map_svg",
    "map_style",
    "standard_geography",
]
