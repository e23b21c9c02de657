"""What the words of a pasted text mean: powers, provinces and orders in other languages and in DAIDE, and headings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, final

from ...reference_engine.board import Board
from ...reference_engine.toml import loads

Block: TypeAlias = Literal["movement", "retreat", "adjustment", "units", "centers"]
"""What lines are about: the orders of a phase, units without orders, or supply centers."""


class Heading(NamedTuple):
    """What a text says of the lines below, and what stands behind it in the same line."""

    power: str | None = None
    block: Block | None = None
    season: str | None = None
    year: int | None = None
    rest: str = ""


_SEASONS = {"spring": "spring", "fall": "autumn", "autumn": "autumn", "winter": "winter"}
_SEASON_LETTERS = {"s": "spring", "f": "autumn", "w": "winter"}
_LETTERS: dict[str, Block] = {"m": "movement", "r": "retreat", "a": "adjustment", "b": "adjustment"}
_CODE = re.compile(r"(?P<season>[sfw])(?P<year>(?:1[89]|20)?\d{2})(?P<phase>[mrab])?(?P<rest>\W.*)?", re.IGNORECASE)
"""`S1901M`, `F1902R`, `W1901A`, `S01`."""
_DATE = re.compile(r"\b(?P<season>spring|fall|autumn|winter)\b(?:\s+of)?,?\s*(?P<year>\d{4})?", re.IGNORECASE)
_BLOCKS: list[tuple[Block, re.Pattern[str]]] = [
    ("retreat", re.compile(r"\b(?:retreats?|r\u00fcckz\u00fcge|retraites?|retiradas|ritirate)\b", re.IGNORECASE)),
    (
        "adjustment",
        re.compile(r"\b(?:adjustments?|builds?(?:\s+and\s+(?:removals|disbands))?|winter)\b", re.IGNORECASE),
    ),
    ("centers", re.compile(r"\b(?:(?:supply\s+)?cent(?:er|re)s|scs?)\b", re.IGNORECASE)),
    ("units", re.compile(r"\b(?:units?|positions?|prestate|starting\s+position|board)\b", re.IGNORECASE)),
    ("movement", re.compile(r"\b(?:orders|moves|movements?|results|adjudication)\b", re.IGNORECASE)),
]
_FILLERS = re.compile(
    r"\b(?:phase|turn|season|results?|orders?|moves?|movements?|for|of|the|in|ownership|supply|and|mov|ret|adj|game|"
    + r"retreats?|adjustments?|builds?|removals?|disbands?|winter|spring|fall|autumn|cent(?:er|re)s?|scs?|units?|"
    + r"positions?|prestate|starting|board|adjudication|initial|current|"
    + r"r\u00fcckz\u00fcge|retraites?|retiradas|ritirate)\b"
    + r"|\d+|[^\w\s]",
    re.IGNORECASE,
)
"""What a heading of a phase is made of: no other words."""
_DONE = re.compile(
    r"(?P<power>\w+)\s+(?:(?P<build>builds\s+[AF]\s+\S.*)|retreat(?:s|ed)\s+(?P<retreat>[AF]\s+\S.*))", re.IGNORECASE
)
"""`Turkey builds F Smy`."""
_OF_POWER = re.compile(
    r"(?:(?:orders|moves|retreats|builds)\s+(?:for|of|from)\s+)?(?:the\s+)?(?P<name>[^\W\d_][^:]*?)(?:'s|s')?"
    + r"(?:\s+(?:orders|moves|units|player))?(?:\s*[-\u2013(]?\s*\d+\s*(?:sc|scs|centers|centres)?\)?)?",
    re.IGNORECASE,
)


_DAIDE = re.compile(r"\b(?:AMY|FLT)\b")
_DAIDE_POWER = re.compile(r"\b(AUS|ENG|FRA|GER|ITA|RUS|TUR)(?=\s*\(?\s*(?:AMY|FLT|\)?\s*WVE)\b)")
"""A power before its unit: `ENG` is a sea elsewhere."""
_DAIDE_MESSAGE = re.compile(r"^\s*SUB\b")
_DAIDE_ROUTE = re.compile(r"\bVIA\s*\([^()]*\)")


@final
class Vocabulary:
    """The words of `words.toml`, and the names of a board."""

    def __init__(self, board: Board) -> None:
        self.board = board
        table = loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
        powers = _by_spelling(table["powers"], board.powers)
        self.powers: dict[str, str] = dict(powers)
        """The code of each power by its names in every language, in lower case."""
        for power in board.powers.values():
            self.powers |= {spelling.lower(): power.code for spelling in (power.code, power.name, *power.adjectives)}
        self._abbreviations = {part.lower(): code for code in board.powers for part in (code[0], code[:3])}
        """The code of each power by what a heading such as `ENG:` or `E:` has for it, in lower case."""
        self.foreign: Mapping[str, str] = {
            **_by_spelling(table["provinces"], board.number),
            **_by_spelling(table["orders"]),
            **{spelling: board.power_name(code) for spelling, code in powers.items()},
        }
        """The words of other languages in English; a power has its name, a province its code."""
        self._daide = {token.lower(): word for token, word in table["daide"].items()}
        self._foreign_pattern, self._daide_pattern = _pattern(self.foreign), _pattern(self._daide)

    @cached_property
    def separator(self) -> re.Pattern[str]:
        """Match a comma, but not before a year; a full stop before an order; and what is before a power in a line."""
        names = [*self.powers, *(each for each in self._abbreviations if len(each) > 1)]
        spellings = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        return re.compile(
            r"[,;](?!\s*(?:18|19|20)\d\d\b)|\.\s+(?=[AF]\s)"
            + r"|(?<=\w)(?<!for)(?<!of)(?<!from)(?<!the)(?:\.|\s+(?:and|und|et|y))?\s+"
            + rf"(?=(?:{spellings})\s*:)",
            re.IGNORECASE,
        )

    def translate(self, text: str) -> str:
        """Put every word of another language into English."""
        return self._foreign_pattern.sub(lambda found: self.foreign[found[0].lower()], text)

    def from_daide(self, text: str) -> str:
        """Put an order of DAIDE into the usual notation; another text is returned as it is."""
        if not _DAIDE.search(text) and "WVE" not in text:
            return text
        text = _DAIDE_ROUTE.sub("via convoy", _DAIDE_MESSAGE.sub("", text))
        text = _DAIDE_POWER.sub(lambda power: self.board.power_name(self._abbreviations[power[1].lower()]), text)
        text = text.replace("(", " ").replace(")", " ")
        text = self._daide_pattern.sub(lambda found: self._daide[found[0].lower()], text)
        return re.sub(r"\s+/", "/", " ".join(text.split()))

    def power_named(self, text: str) -> str | None:
        """Return the power that a text names, in whatever language and with usual words around it."""
        text = " ".join(text.split()).lower()
        if text in self.powers:
            return self.powers[text]
        named = _OF_POWER.fullmatch(text)
        return self.powers.get(named["name"].strip()) if named else None

    def read_heading(self, text: str) -> Heading | None:
        """Read a text as a heading, with or without something behind its colon; `None` if it is something else."""
        before, colon, rest = text.partition(":")
        if (power := self.power_named(before)) is not None:
            return Heading(power=power, rest=rest.strip()) if colon or not rest else None
        if colon and (power := self._abbreviations.get(before.strip().lower())) is not None:
            return Heading(power=power, rest=rest.strip())
        if (done := _DONE.fullmatch(text)) is not None and (power := self.power_named(done["power"])) is not None:
            retreat, build = done["retreat"], done["build"]
            return Heading(power, "retreat", rest=retreat) if retreat else Heading(power, rest=build)
        if colon and before.strip().lower() in {"phase", "season", "turn"}:
            return _of_phase(rest)
        found = _of_phase(before)
        return found._replace(rest=rest.strip()) if found is not None else None


vocabulary_of = lru_cache(maxsize=8)(Vocabulary)
"""Return the vocabulary of a board; each is made once."""


def _by_spelling(texts: Mapping[str, str], known: Iterable[str] | None = None) -> dict[str, str]:
    """Return each meaning by its spellings, which commas separate, if it is one of the known ones."""
    return {
        spelling.strip(): meaning
        for meaning, spellings in texts.items()
        if known is None or meaning in known
        for spelling in spellings.split(",")
    }


def _pattern(meanings: Iterable[str]) -> re.Pattern[str]:
    """Match any of these words, the longest first."""
    longest_first = "|".join(map(re.escape, sorted(meanings, key=len, reverse=True)))
    return re.compile(rf"(?<![^\W\d_])(?:{longest_first})(?![^\W\d_])", re.IGNORECASE)


def _of_phase(text: str) -> Heading | None:
    """Read `"Fall 1902 Retreats"`, `"F1902R"`, `"Supply centers"`: a text with no other words."""
    text = text.strip()
    if code := _CODE.fullmatch(text):
        year = int(code["year"])
        letter = (code["phase"] or "").lower()
        season = _SEASON_LETTERS[code["season"].lower()]
        usually: Block = "adjustment" if season == "winter" else "movement"
        return Heading(None, _LETTERS.get(letter, usually), season, year if year > 100 else 1900 + year)
    if not text or _FILLERS.sub("", text).strip():
        return None
    date = _DATE.search(text)
    block: Block | None = next((named for named, pattern in _BLOCKS if pattern.search(text)), None)
    if date is None:
        return None if block is None else Heading(None, block)
    year = int(date["year"]) if date["year"] else None
    return Heading(None, block or "movement", _SEASONS[date["season"].lower()], year)
