"""Knows what the words mean that people paste.

They are powers, provinces and orders in other languages and in DAIDE, headings, and sentences about orders.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, TypeVar, final

from ...reference_engine import Phase
from ...reference_engine.board import Board, normal
from ...reference_engine.toml import loads

Block: TypeAlias = Literal["orders", "units", "dislodged", "centers", "after"]
"""What lines are about: orders, units without orders, those that have to retreat, centers, or what came of orders."""


class Heading(NamedTuple):
    """What a text says of the lines below, and what stands behind it in the same line."""

    power: str | None = None
    block: Block | None = None
    phase: Phase | None = None
    season: str | None = None
    year: int | None = None
    verb: str = ""
    """What is ordered of units that are only named: to build or to remove them."""
    rest: str = ""


TABLE = loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))

_SEASONS: Mapping[str, tuple[str, Phase]] = {
    "spring": ("spring", "movement"),
    "summer": ("spring", "retreat"),
    "fall": ("autumn", "movement"),
    "autumn": ("autumn", "movement"),
    "winter": ("winter", "adjustment"),
}
"""The season of each name, and the phase that it is, unless a heading says it."""
_SEASON_LETTERS = {"s": "spring", "f": "fall", "w": "winter"}
_LETTERS: dict[str, Phase] = {"m": "movement", "r": "retreat", "a": "adjustment", "b": "adjustment"}
_CODE = re.compile(r"(?P<season>[sfw]) ?(?P<year>\d{4}|'?\d{2})(?P<phase>[mrab])?(?P<rest>\W.*)?", re.IGNORECASE)
"""`S1901M`, `F1902R`, `W1901A`, `S01`, `F 01`."""
_DATE = re.compile(
    r"\b(?P<season>spring|summer|fall|autumn|winter)\b(?:\s+of)?,?\s*(?P<year>\d{4}|'?\d\d(?!\d))?", re.IGNORECASE
)
_PHASES: Mapping[Phase, str] = TABLE["phases"]
_BLOCKS: Mapping[Block, str] = TABLE["blocks"]
"""The words for each phase and block; the first one that a heading has counts."""
PHASE_WORDS = re.compile("|".join(_PHASES.values()), re.IGNORECASE)
_VERBS = {"build": "build", "builds": "build", "removals": "remove", "disbands": "disband"}
_FILLERS = re.compile(
    r"\b(?:phase|turn|season|for|of|the|in|ownership|supply|and|mov|ret|adj|game|starting|initial|current|"
    + rf"spring|summer|fall|autumn|winter|{'|'.join((*_PHASES.values(), *_BLOCKS.values()))})\b|\d+|[^\w\s]",
    re.IGNORECASE,
)
"""What a heading of a phase is made of: no other words."""
_DONE = re.compile(
    r"(?P<power>[^\W\d_][\w-]*)\s+(?P<does>(?:builds?|removes?|disbands?|destroys|retreat(?:s|ed)|owns|controls)\s.+)",
    re.IGNORECASE,
)
"""`Turkey builds F Smy`."""
_OWNS = re.compile(r"(?:owns|controls)\s+(.+)", re.IGNORECASE)
_OF_POWER = re.compile(
    r"(?:(?:orders|moves|retreats|builds)\s+(?:for|of|from)\s+)?(?:the\s+)?(?P<name>[^\W\d_][^:]*?)(?:'s|s')?"
    + r"(?:\s+(?:orders|moves|units|player))?(?:\s*[-\u2013(]?\s*\d+\s*(?:sc|scs|centers|centres)?\)?)?",
    re.IGNORECASE,
)


_UNIT = re.compile(
    r"\b(?:arm(?:y|ies|ee|\u00e9e|ata|ate)|fle(?:et|ets)|flott[ae]n?|e[jx][e\u00e9]rcito|flota|frota)\b", re.IGNORECASE
)
_LETTER_BEFORE = re.compile(r"(?:(?<!\w)[AF]|^[af])[\s(]*$")
_BEGINS_LIKE_ORDER = re.compile(
    r"\s*(?:[AF]|(?i:army|fleet|armee|flotte))\s+\w[\w.]*(?:\s*\([^()]*\))?\s*"
    + r"(?:$|[-\u2013\u2014\u2192>=/]|(?i:[shcrd]|to|sup\w*|con\w*|hold\w*|mov\w*)\b)"
    + r"|\s*(?i:builds?|removes?|disbands?|destroys?|retreats?)\s+(?:an?\s+)?(?:(?i:army|fleet)|a|f|A|F)\b"
)
_DAIDE = re.compile(r"\b(?:AMY|FLT)\b")
_DAIDE_POWER = re.compile(r"\b(AUS|ENG|FRA|GER|ITA|RUS|TUR)(?=\s*\(?\s*(?:AMY|FLT|\)?\s*WVE)\b)")
"""A power before its unit: `ENG` is a sea elsewhere."""
_DAIDE_ROUTE = re.compile(r"\bVIA\s*\([^()]*\)")


class _Dictionary(dict[str, str]):
    """What words mean, by their spelling in lower case."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Match any of the words. Most texts need few of these patterns, each of which takes long to compile."""
        return re.compile(rf"(?<![^\W\d_])(?:{_alternatives(self)})(?![^\W\d_])", re.IGNORECASE)

    def put_into(self, text: str) -> str:
        """Put what they mean in the places of words."""
        return self.pattern.sub(lambda found: self[found[0].lower()], text)


@final
class Vocabulary:
    """The words of `words.toml`, and the names of a board."""

    def __init__(self, board: Board) -> None:
        self.board = board
        powers = _by_spelling(TABLE["powers"], board.powers)
        self.powers: dict[str, str] = dict(powers)
        """The code of each power by its names in every language, in lower case."""
        for power in board.powers.values():
            self.powers |= {spelling.lower(): power.code for spelling in (power.code, power.name, *power.adjectives)}
        self._abbreviations = {
            **_by_spelling(TABLE["letters"], board.powers),
            **{part.lower(): code for code in board.powers for part in (code[0], code[:3])},
        }
        """The code of each power by what a heading such as `ENG:` or `E:` has for it, in lower case."""
        self.foreign = _Dictionary(
            {
                **_by_spelling(TABLE["provinces"], board.number),
                **_by_spelling(TABLE["orders"]),
                **{spelling: board.power_name(code) for spelling, code in powers.items()},
            }
        )
        """The words of other languages in English; a power has its name, a province its code."""
        of_seasons = {name.lower(): season for season, name in board.season_names.items()}
        self._headings = _Dictionary({**_by_spelling(TABLE["headings"]), **of_seasons})
        places = {**board.names.provinces, **_by_spelling(TABLE["provinces"], board.number)}
        self._places = _Dictionary({normal(spelling): code for spelling, code in places.items()})
        self._daide = _Dictionary({token.lower(): word for token, word in TABLE["daide"].items()})

    @cached_property
    def separator(self) -> re.Pattern[str]:
        """Match a comma, but not before a year; a full stop before an order; and what is before a power in a line."""
        names = [*self.powers, *(each for each in self._abbreviations if len(each) > 1)]
        return re.compile(
            r"[,;](?!\s*(?:(?:spring|summer|fall|autumn|winter)\s+)?\d{4}\b)|(?:\.|\s/)\s+(?=[AF]\s)"
            + r"|(?<=\w)(?<!for)(?<!of)(?<!from)(?<!the)(?:\.|\s+(?:and|und|et|y))?\s+"
            + rf"(?=(?:{_alternatives(names)})\s*:)",
            re.IGNORECASE,
        )

    @cached_property
    def column(self) -> re.Pattern[str]:
        """Match a power in a column of its own: `England  A London`."""
        return re.compile(rf"^(\s*(?:{_alternatives(self.powers)}))(?: {{2,}}|\t\s*)(?=\w)", re.IGNORECASE)

    def translate(self, text: str) -> str:
        """Put every word of another language into English."""
        return self.foreign.put_into(text)

    def from_daide(self, text: str) -> str:
        """Put an order of DAIDE into the usual notation; another text is returned as it is."""
        if not _DAIDE.search(text) and "WVE" not in text:
            return text
        text = _DAIDE_ROUTE.sub("via convoy", text)
        text = _DAIDE_POWER.sub(self._power_of_daide, text)
        text = text.replace("(", " ").replace(")", " ")
        text = self._daide.put_into(text)
        return re.sub(r"\s+/", "/", " ".join(text.split()))

    def _power_of_daide(self, found: re.Match[str]) -> str:
        code = self._abbreviations.get(found[1].lower())
        return found[0] if code is None else self.board.power_name(code)

    def power_named(self, text: str) -> str | None:
        """Return the power that a text names, in whatever language and with usual words around it."""
        text = " ".join(text.split()).lower()
        if text in self.powers:
            return self.powers[text]
        named = _OF_POWER.fullmatch(text)
        return self.powers.get(named["name"].strip()) if named else None

    def is_about_units(self, text: str) -> bool:
        """Whether a text names a unit and a province, or two provinces: then it is no remark."""
        places = [place.start() for place in self._places.pattern.finditer(text)]
        has_unit = bool(_UNIT.search(text)) or any(_LETTER_BEFORE.search(text[:start]) for start in places)
        return len(places) > 1 or self.begins_like_order(text) or (bool(places) and has_unit)

    def begins_like_order(self, text: str) -> bool:
        """Whether a text begins with a unit and the word for an order, whatever it means."""
        return _BEGINS_LIKE_ORDER.match(text) is not None

    def meant_by(self, word: str) -> Sequence[str]:
        """Return the provinces that a word may abbreviate: it has the first letters of the words of a name, or some."""
        letters = [re.escape(letter) for letter in normal(word).replace(" ", "")]
        if not 3 <= len(letters) <= 5:
            return ()
        for between in (r"(?:.*\b)?", ".*") if len(letters) == 3 else (r"(?:.*\b)?",):
            pattern = re.compile(r"\b" + between.join(letters))
            if codes := {code for name, code in self._places.items() if pattern.search(name)}:
                return sorted(codes)
        return ()

    def read_heading(self, text: str) -> Heading | None:
        """Read a text as a heading, with or without something behind its colon; `None` if it is something else."""
        before, colon, rest = text.partition(":")
        if (power := self.power_named(before)) is not None:
            return Heading(power=power, rest=rest.strip()) if colon or not rest else None
        if colon and (power := self._abbreviations.get(before.strip().lower())) is not None:
            return Heading(power=power, rest=rest.strip())
        if (done := _DONE.fullmatch(text)) is not None and (power := self.power_named(done["power"])) is not None:
            return Heading(power, rest=done["does"])
        if owns := _OWNS.fullmatch(text):
            return Heading(block="centers", rest=owns[1])
        before = self._in_english(before)
        if colon and before.strip().lower() in {"phase", "season", "turn"}:
            return self._of_phase(rest)
        found = self._of_phase(before)
        return found._replace(rest=rest.strip()) if found is not None else None

    def _in_english(self, heading: str) -> str:
        """Replace the words of other languages in a heading, and the names that the map has for seasons."""
        return self._headings.put_into(heading)

    def _of_phase(self, text: str) -> Heading | None:
        """Read `"Fall 1902 Retreats"`, `"F1902R"`, `"Supply centers"`: a text with no other words."""
        text = text.strip()
        if code := _CODE.fullmatch(text):
            season, phase = _SEASONS[_SEASON_LETTERS[code["season"].lower()]]
            phase = _LETTERS.get((code["phase"] or "").lower()) or _first(_PHASES, code["rest"] or "") or phase
            return Heading(None, "orders", phase, season, self._year(code["year"]))
        if not text or _FILLERS.sub("", text).strip():
            return None
        found = self.date_of(text) or Heading()
        words = text.lower().split()
        verbs = {_VERBS[word] for word in words if word in _VERBS}
        block, phase = _first(_BLOCKS, text), _first(_PHASES, text) or found.phase
        if found.season is None and (block is None or any(map(str.isdigit, text))):
            return None  # `4 units` says how many.
        return found._replace(block=block or "orders", phase=phase, verb=verbs.pop() if len(verbs) == 1 else "")

    def date_of(self, text: str) -> Heading | None:
        """Return the season, the year and the phase that a text names, if it does."""
        date = _DATE.search(self._in_english(text))
        if date is None:
            return None
        season, phase = _SEASONS[date["season"].lower()]
        return Heading(phase=phase, season=season, year=self._year(date["year"]) if date["year"] else None)

    def _year(self, digits: str) -> int:
        """Return a year; of two digits the next one since games on this map begin: `'04` is 1904."""
        year, first = int(digits.lstrip("'")), self.board.first_year
        return year if len(digits) == 4 else first + (year - first) % 100


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


def _alternatives(words: Iterable[str]) -> str:
    """Return a pattern for any of these words, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


_Named = TypeVar("_Named", Phase, Block)


def _first(words: Mapping[_Named, str], text: str) -> _Named | None:
    return next((named for named, each in words.items() if re.search(rf"\b(?:{each})\b", text, re.IGNORECASE)), None)


_SENTENCE = re.compile(
    r"The (?P<type>army|fleet) (?:at|in) (?P<at>.+?) (?:(?P<does>support|convoy)s? (?:hold |move )?to (?P<to>.+?)"
    + r"(?: from (?P<start>.+))?|(?P<moves>(?:move|hold|retreat|disband)\b.*))",
    re.IGNORECASE,
)
"""What webDiplomacy writes: `The army at Piedmont support move to Marseilles from Gascony`."""
_RETREATS = re.compile(
    r"(?:retreat(?:s|ed)?\s+(?P<unit>\S.*?)|(?P<unit_first>\S.*?)\s+retreated)(?:\s+to\s+|\s*-+>?\s*)(?P<to>\S.*)",
    re.IGNORECASE,
)
"""`Retreat F Armenia to Black Sea`, `A Mos retreated to War`."""
_WAIVES = re.compile(
    r"(?:\d+\s+)?(?:unused\s+)?builds?\s+(?:waived|postponed|pending)|postpones?.*|pass(?:es)?", re.IGNORECASE
)
_ARTICLES = re.compile(r"\b(?:the|a(?=\s+(?:move|convoy)))\s+", re.IGNORECASE)
_UNIT_IN = re.compile(r"\b(army|fleet|a|f)\s+(?:in|at|from)\s+", re.IGNORECASE)
_POSSESSIVE = re.compile(r"(?:'s)?\s+(?:moving|move|attack|attacking|going)\s+(?:to|on|into)\s+", re.IGNORECASE)


def plain(text: str) -> str:
    """Put a sentence about an order, if a text is one, into the usual notation."""
    if sentence := _SENTENCE.fullmatch(text):
        unit = f"{sentence['type']} {sentence['at']}"
        if sentence["does"] is None:
            return f"{unit} {sentence['moves']}"
        helped = f"{sentence['start']} - {sentence['to']}" if sentence["start"] else sentence["to"]
        return f"{unit} {sentence['does']}s {helped}"
    if retreat := _RETREATS.fullmatch(text):
        return f"{retreat['unit'] or retreat['unit_first']} retreats {retreat['to']}"
    if _WAIVES.fullmatch(text):
        return "waive"
    return _POSSESSIVE.sub(" - ", _UNIT_IN.sub(r"\1 ", _ARTICLES.sub("", text)))
