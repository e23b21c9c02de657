"""Cuts what people paste into pieces that may be orders, and knows what its words mean.

Its vocabulary has powers, provinces and orders in other languages and in DAIDE, and headings. Markup, results and
remarks become spaces, so that a column stays the column of the text that was pasted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, final

from ...reference_engine import NotationError, read_order
from ...reference_engine.board import Board
from ...reference_engine.notation import MAX_LENGTH, read_unit
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
_BLOCKS: Mapping[Block, str] = {
    "retreat": r"retreats?|r\u00fcckz\u00fcge|retraites?|retiradas|ritirate",
    "adjustment": r"adjustments?|builds?(?:\s+and\s+(?:removals|disbands))?|winter",
    "centers": r"(?:supply\s+)?cent(?:er|re)s|scs?",
    "units": r"units?|positions?|prestate|starting\s+position|board",
    "movement": r"orders|moves|movements?|results|adjudication",
}
"""The words for each block; the first one that a heading has counts."""
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
    block: Block | None = next(
        (named for named, words in _BLOCKS.items() if re.search(rf"\b(?:{words})\b", text, re.IGNORECASE)), None
    )
    if date is None:
        return None if block is None else Heading(None, block)
    year = int(date["year"]) if date["year"] else None
    return Heading(None, block or "movement", _SEASONS[date["season"].lower()], year)


class Piece(NamedTuple):
    """What is between two separators."""

    line: int
    column: int
    """Where it begins in the line, counted from 1."""
    text: str
    skipped: tuple[str, ...]
    """What was taken off, but markup and the words for usual results."""


_SAME = str.maketrans({"\u00a0": " ", "\u2018": "'", "\u2019": "'", "\u2011": "-", "\u2010": "-", "\t": " ", "|": ";"})
_MARKUP = re.compile(
    r"""
      ^(?:\s*>)+                                             # a quotation
    | ^\s*(?:```|~~~)\w*                                     # a fence
    | ^\s*\#+\s(?=\s*\**\w+\W*$)                             # a heading of one word
    | ^\s*(?:[-*\u2022+]|\d{1,2}[.)])\s+                     # an item of a list
    | \[/?(?:b|i|u|s|quote|code|list|size|color|url|spoiler|\*)(?:=[^\]]{0,80})?\]
    | </?(?:b|i|u|p|br|li|ul|ol|em|strong|code|pre|td|tr|th|table|tbody|span|div)\b[^<>]{0,80}>
    | <(?![-=>]) | (?<![-=>])>                                # what is left of brackets around an order
    | [*`"\[\]{}] | (?<!\w)_+ | _+(?!\w) | (?<!\w)'|'(?!\w)  # emphasis, quotation marks, brackets of data
    """,
    re.VERBOSE | re.IGNORECASE,
)
_RULE_CHARACTERS = frozenset(" \t|:+-=_*~")
"""What lines between the rows of a table, and rules between paragraphs, are made of."""
_CALL = re.compile(
    r"\s*\w+\.set_(?:units|orders)\(\s*['\"](\w+)['\"]\s*,\s*\[(.*)\]\s*\)\s*|\s*\w+\.set_current_phase\((.*)\)\s*"
)
"""Calls of the package `diplomacy`: `game.set_orders('FRANCE', ['A PAR - BUR'])`."""
_LEADER = re.compile(r"(^\s*[^\W\d_]{3,}\s*)\.{3,}")
"""`ENG.......`, as zines have it for `ENG:`."""
_COMMENT = re.compile(r"#.*")
_GROUP = re.compile(r"\(([^()]*)\)")
_COAST = re.compile(r"\s*(?:north|south|east|west|[nsew])\W*(?:coast|c)?\W*", re.IGNORECASE)
_TYPE_BEHIND = re.compile(r"((?:^|:)\s*)(?P<name>[^\W\d_][\w. ]*?)\s*\((?P<type>a|f|army|fleet)\)", re.IGNORECASE)
"""`Berlin (A)`."""
_VIA = re.compile(r"\s*(?:via|by)\s+(?:a\s+)?convoy\s*", re.IGNORECASE)
_NESTED = re.compile(r"\(([^()]*\([^()]*\)[^()]*)\)")
_MARK = re.compile(r"(?<=\s)/[a-z]/(?=\W|$)|(?<=\w)/(?:nso|ann|nmr|nrr)\b", re.IGNORECASE)
_TYPE_COLON = re.compile(r"^(\s*)([AF]):(?=\s+(?!(?:[AF]|army|fleet)\b))", re.IGNORECASE)
"""`F: Lon - Nth` is the order of a fleet; in `F: A Par - Bur` the letter is France."""
_GLUED = re.compile(r"(?<=\s)([sc])([af])(?=\s)", re.IGNORECASE)
"""`F Mao SF Wes - Spa`."""
_HOLDS = re.compile(r"(?<=[\w)])\s*[-\u2013\u2014]\s*(?:h|holds?|stands?)(?=\W*$)", re.IGNORECASE)
"""`F Lon-H`."""
_RESULT_WORDS = (
    r"succe(?:eds?|eded|ss(?:ful)?)|fail(?:s|ed|ure)?|bounce[sd]?(?:\s+(?:with|off|against)\b.*)?|cut(?:\s+by\b.*)?"
    + r"|not\s+cut|dislodged(?:\s+(?:by|from)\b.*)?|void|invalid|illegal|resolves|ok|no\s+convoy|disrupted|destroyed"
    + r"|convoy\s+path\s+taken\b.*|\d+\s+(?:units?|against\s+\d+)"
    + r"|stand\s?off|no\s+such\s+order|nso|no\s+(?:move|order)s?\s+received|unordered"
)
_RESULT = re.compile(
    rf"(?:(?:\s*(?:\.{{3}}|[-\u2013\u2014:=]+>?|\u2192))?\s+|^\s*)(?:(?:{_RESULT_WORDS})(?![^\W\d_])|[\u2713\u2714\u2717\u2718\u2705\u274c])"
    + r"[\s.!,]*$",
    re.IGNORECASE,
)
_ONLY_RESULTS = re.compile(rf"[\s,;&/.]*(?:(?:{_RESULT_WORDS})[\s,;&/.]*)*", re.IGNORECASE)
_PHASES = frozenset({"movement", "movements", "retreat", "retreats", "adjustment", "adjustments", "builds"})
_STOP = re.compile(r"[\s.!?]+$")


def read_pieces(text: str, words: Vocabulary) -> Iterator[Piece]:
    """Cut a text into pieces, line by line."""
    for number, raw in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
        line = "" if _RULE_CHARACTERS.issuperset(raw) else raw.translate(_SAME)
        line = _TYPE_COLON.sub(r"\1\2 ", line)
        call = _CALL.fullmatch(line)  # Searched in a long line, it would take a time that grows with the square.
        if call is not None:
            line = call[3] if call[1] is None else f"{call[1]}: {call[2]}"
        line = _LEADER.sub(lambda found: found[1].ljust(len(found[0]) - 1) + ":", line)
        line = _COMMENT.sub(_blank, _MARKUP.sub(_blank, _MARKUP.sub(_blank, line)))
        for start, end in _parts(line, words):
            piece = _piece(number, line[start:end], start, words)
            if piece.text or piece.skipped:
                yield piece


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _parts(line: str, words: Vocabulary) -> Iterator[tuple[int, int]]:
    """Where the pieces of a line begin and end: a separator in brackets that are closed again separates nothing."""
    inside = [False] * (len(line) + 1)
    opened: list[int] = []
    for index, character in enumerate(line):
        if character == "(":
            opened.append(index)
        elif character == ")" and opened:
            opening = opened.pop()
            if not opened:
                inside[opening:index] = [True] * (index - opening)
    start = 0
    for separator in words.separator.finditer(line):
        if not inside[separator.start()]:
            yield start, separator.start()
            start = separator.end()
    yield start, len(line)


def _piece(number: int, text: str, start: int, words: Vocabulary) -> Piece:
    if len(text) > MAX_LENGTH:
        return Piece(number, start + 1, " ".join(text.split()), ())  # Too long for an order: reported as it is.
    skipped: list[str] = []
    if (plain := words.from_daide(text)) != text:
        text = plain
    else:
        text = _GLUED.sub(r"\1 \2", _MARK.sub(_blank, text))
        text = _NESTED.sub(lambda group: f" {group[1]} " if _is_order(group[1].strip(), words) else group[0], text)
        text = _TYPE_BEHIND.sub(r"\1\g<type> \g<name>", text)
        for _ in range(2):  # Brackets in brackets.
            text = _GROUP.sub(lambda group: _without_brackets(group, skipped, words), text)
    text = _HOLDS.sub(" H", text)
    while (shorter := _STOP.sub("", _RESULT.sub("", text))) != text:
        text = shorter
    return Piece(number, start + 1 + len(text) - len(text.lstrip()), " ".join(text.split()), tuple(skipped))


def _without_brackets(group: re.Match[str], skipped: list[str], words: Vocabulary) -> str:
    """Keep a coast, open the brackets around an order or a power, and skip what else is in brackets."""
    inside = group[1].strip()
    if _COAST.fullmatch(inside) and inside:
        return group[0]
    if _VIA.fullmatch(inside) or inside.lower() in _PHASES or _is_order(inside, words):
        return f" {group[1]} "
    if not _ONLY_RESULTS.fullmatch(inside) and inside.lower() not in words.powers:
        skipped.append(group[0])
    return _blank(group)


def _is_order(text: str, words: Vocabulary) -> bool:
    for read in (read_order, read_unit):
        with suppress(NotationError):
            _ = read(_HOLDS.sub(" H", text), board=words.board)
            return True
    return False
