"""How wide the terminal is. The standard library's `shutil` says the same, but takes long to import."""

from __future__ import annotations

import os
import sys

USUAL = 80
"""The width where there is no terminal."""


def columns() -> int:
    """Return how many columns there are: `$COLUMNS`, or those of the terminal; 80 where there is no terminal."""
    try:
        width = int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        width = 0
    if width > 0:
        return width
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or USUAL if sys.__stdout__ else USUAL
    except (OSError, ValueError):
        return USUAL
