"""Names of provinces and powers, and words of orders, in other languages and in DAIDE, put into English."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ...reference_engine import standard_board
from ...reference_engine.toml import loads


class _Table(NamedTuple):
    """`words.toml`."""

    powers: dict[str, str]
    provinces: dict[str, str]
    orders: dict[str, str]
    daide: dict[str, str]


class Words(NamedTuple):
    """What each spelling means, and a pattern of all spellings, the longest first."""

    meanings: Mapping[str, str]
    pattern: re.Pattern[str]

    def translate(self, text: str) -> str:
        """Put every known word of a text into English."""
        return self.pattern.sub(lambda found: self.meanings[found[0].lower()], text)


@cache
def table() -> _Table:
    """Read `words.toml`."""
    text = Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
    return _Table(**loads(text))


@cache
def power_names() -> Mapping[str, str]:
    """Return the code of each power by its names in every language, in lower case."""
    names = {spelling: power for power, texts in table().powers.items() for spelling in _spellings(texts)}
    for power in standard_board().powers.values():
        names |= {spelling.lower(): power.code for spelling in (power.code, power.name, *power.adjectives)}
    return names


@cache
def power_abbreviations() -> Mapping[str, str]:
    """Return the code of each power by what a heading such as `ENG:` or `E:` has for it, in lower case."""
    codes = [power.code for power in standard_board().powers.values()]
    return {abbreviation.lower(): code for code in codes for abbreviation in (code[0], code[:3])}


def spellings_of_powers() -> str:
    """Return a pattern of all names of powers, and of their abbreviations of three letters."""
    names = [*power_names(), *(each for each in power_abbreviations() if len(each) > 1)]
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True)))


@cache
def foreign_words() -> Words:
    """Return the words of other languages; a power is named in English, a province by its code."""
    found = table()
    board = standard_board()
    meanings = {spelling: code for code, texts in found.provinces.items() for spelling in _spellings(texts)}
    meanings |= {spelling: word for word, texts in found.orders.items() for spelling in _spellings(texts)}
    meanings |= {
        spelling: board.power_name(power) for power, texts in found.powers.items() for spelling in _spellings(texts)
    }
    return _words(meanings)


@cache
def daide_words() -> Words:
    """Return the tokens of DAIDE; one for a power stands before its unit, as `ENG` is a sea elsewhere."""
    return _words({token.lower(): word for token, word in table().daide.items()})


def _spellings(texts: str) -> list[str]:
    return [text.strip() for text in texts.split(",")]


def _words(meanings: Mapping[str, str]) -> Words:
    longest_first = "|".join(map(re.escape, sorted(meanings, key=len, reverse=True)))
    return Words(meanings, re.compile(rf"(?<![^\W\d_])(?:{longest_first})(?![^\W\d_])", re.IGNORECASE))


_DAIDE = re.compile(r"\b(?:AMY|FLT)\b")
_DAIDE_POWER = re.compile(r"\b(AUS|ENG|FRA|GER|ITA|RUS|TUR)(?=\s*\(?\s*(?:AMY|FLT|\)?\s*WVE)\b)")
_DAIDE_MESSAGE = re.compile(r"^\s*SUB\b")
_DAIDE_ROUTE = re.compile(r"\bVIA\s*\([^()]*\)")


def from_daide(text: str) -> str:
    """Put an order of DAIDE into the usual notation; another text is returned as it is."""
    if not _DAIDE.search(text) and "WVE" not in text:
        return text
    text = _DAIDE_ROUTE.sub("via convoy", _DAIDE_MESSAGE.sub("", text))
    text = _DAIDE_POWER.sub(lambda power: _power_of_token(power[1]), text)
    text = daide_words().translate(text.replace("(", " ").replace(")", " "))
    return re.sub(r"\s+/", "/", " ".join(text.split()))


def _power_of_token(token: str) -> str:
    return next(power.name for power in standard_board().powers.values() if power.code.startswith(token))
