"""How the commands name cases and break lines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from .columns import columns

_NARROWEST, _WIDEST = 40, 100
"""Lines are no shorter, however narrow the terminal, and no longer than can be read."""


def terminal_width() -> int:
    """How many columns there are to fill: those of the terminal or of `$COLUMNS`, 80 where the output is piped."""
    return max(_NARROWEST, min(columns(), _WIDEST))


def wrapped(text: str, *, indent: int = 0, hanging: int, break_words: bool = True) -> list[str]:
    """Break a text into lines for a terminal; those behind the first are indented as `hanging` says."""
    return textwrap.wrap(
        text,
        terminal_width() - 2,
        initial_indent=" " * indent,
        subsequent_indent=" " * hanging,
        break_long_words=break_words,
        break_on_hyphens=False,
    )


def listed(words: Iterable[str]) -> str:
    """Join words as a sentence does: `"A, B and C"`; `"none"` where there is no word."""
    *most, last = [*words] or ["none"]
    return f"{', '.join(most)} and {last}" if most else last
