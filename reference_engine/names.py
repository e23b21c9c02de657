"""Names of provinces and powers in any usual spelling.

A word is looked up as a code, a name or another spelling; then as the beginning of exactly one name; then as one name
with a single slip (a letter too many, missing, wrong, or two swapped). The last two are reported, never silent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from .board import Board, standard_board

_SHORTEST_BEGINNING = 2
_SHORTEST_MISSPELT = 3
_SHORTEST_FOR_A_LETTER_LESS = 4


class Names(NamedTuple):
    """All spellings of a board, in lower case without punctuation (`"st petersburg"`)."""

    provinces: Mapping[str, str]
    """The code of a province by each spelling."""
    powers: Mapping[str, str]
    """The code of a power by its name, its code and its adjectives."""
    pattern: re.Pattern[str]
    """Matches the longest spelling of a province at the start of a text, where a word ends behind it."""


@cache
def standard_names() -> Names:
    """The names of the standard board."""
    return names_of(standard_board())


def names_of(board: Board) -> Names:
    """Collect the spellings of a board."""
    provinces: dict[str, str] = {}
    for province in board.provinces:
        for spelling in (province.code, province.name, *province.other_names):
            provinces[normal(spelling)] = province.code
    powers = {
        normal(spelling): power.code
        for power in board.powers.values()
        for spelling in (power.code, power.name, *power.adjectives)
    }
    longest_first = sorted(provinces, key=len, reverse=True)
    spellings = "|".join(re.escape(spelling).replace(r"\ ", r"[\s.-]+") for spelling in longest_first)
    return Names(provinces, powers, re.compile(rf"(?:{spellings})(?![^\W\d_])", re.IGNORECASE | re.ASCII))


def normal(spelling: str) -> str:
    """A spelling in lower case with single spaces for punctuation."""
    return " ".join(re.split(r"[\s.-]+", spelling.strip(" \t.-").lower()))


def guess(word: str, names: Names) -> tuple[str, ...]:
    """The provinces that a word that is no known spelling can mean: by the beginning of a name, or by one slip."""
    spelling = normal(word)
    if len(spelling) >= _SHORTEST_BEGINNING:
        beginnings = {code for name, code in names.provinces.items() if name.startswith(spelling)}
        if beginnings:
            return tuple(sorted(beginnings))
    if len(spelling) >= _SHORTEST_MISSPELT:
        slips = {code for name, code in names.provinces.items() if _one_slip_apart(spelling, name)}
        return tuple(sorted(slips))
    return ()


def _one_slip_apart(left: str, right: str) -> bool:
    """Whether one insertion, deletion, replacement or swap of neighbours turns one word into the other.

    A code has three letters, too few to be known by two of them or by four.
    """
    if len(left) != len(right) and (
        abs(len(left) - len(right)) > 1 or min(len(left), len(right)) < _SHORTEST_FOR_A_LETTER_LESS
    ):
        return False
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    left, right = left[start:], right[start:]
    while left and right and left[-1] == right[-1]:
        left, right = left[:-1], right[:-1]
    swapped = len(left) == 2 and left == right[::-1]
    return swapped or (len(left) <= 1 and len(right) <= 1)
