"""Cuts what people paste into pieces that may be orders, and knows what its words mean.

Its vocabulary has powers, provinces and orders in other languages and in DAIDE, and headings. Markup, results and
remarks become spaces, so that a column stays the column of the text that was pasted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, TypeVar, final

from ...reference_engine import NotationError, Phase, read_order
from ...reference_engine.board import Board, normal
from ...reference_engine.notation import MAX_LENGTH
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
_CODE = re.compile(r"(?P<season>[sfw])(?P<year>(?:1[89]|20)?\d{2})(?P<phase>[mrab])?(?P<rest>\W.*)?", re.IGNORECASE)
"""`S1901M`, `F1902R`, `W1901A`, `S01`."""
_DATE = re.compile(
    r"\b(?P<season>spring|summer|fall|autumn|winter)\b(?:\s+of)?,?\s*(?P<year>\d{4}|'?\d\d(?!\d))?", re.IGNORECASE
)
_PHASES: Mapping[Phase, str] = {
    "retreat": r"retreats?",
    "adjustment": r"adjustments?|builds?|removals?",
    "movement": r"moves|movements?",
}
_BLOCKS: Mapping[Block, str] = {
    "after": r"poststate|after|afterwards|new|final|resulting",
    "centers": r"(?:supply\s+)?cent(?:er|re)s?|scs?",
    "dislodged": r"dislodged|dislodgements",
    "units": r"units?|positions?|locations?|prestate|board",
    "orders": r"orders?|results?|adjudication|retreats?|adjustments?|builds?|removals?|disbands|moves|movements?",
}
"""The words for each phase and block; the first one that a heading has counts."""
_PHASE_WORDS = re.compile("|".join(_PHASES.values()), re.IGNORECASE)
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


_DAIDE = re.compile(r"\b(?:AMY|FLT)\b")
_DAIDE_POWER = re.compile(r"\b(AUS|ENG|FRA|GER|ITA|RUS|TUR)(?=\s*\(?\s*(?:AMY|FLT|\)?\s*WVE)\b)")
"""A power before its unit: `ENG` is a sea elsewhere."""
_DAIDE_MESSAGE = re.compile(r"^\s*SUB\b(?P<orders>.*)")
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
        self._abbreviations = {
            **_by_spelling(table["letters"], board.powers),
            **{part.lower(): code for code in board.powers for part in (code[0], code[:3])},
        }
        """The code of each power by what a heading such as `ENG:` or `E:` has for it, in lower case."""
        self.foreign: Mapping[str, str] = {
            **_by_spelling(table["provinces"], board.number),
            **_by_spelling(table["orders"]),
            **{spelling: board.power_name(code) for spelling, code in powers.items()},
        }
        """The words of other languages in English; a power has its name, a province its code."""
        self._headings = _by_spelling(table["headings"])
        places = {**board.names.provinces, **_by_spelling(table["provinces"], board.number)}
        self._places: Mapping[str, str] = {normal(spelling): code for spelling, code in places.items()}
        self._daide = {token.lower(): word for token, word in table["daide"].items()}
        self._foreign_pattern, self._daide_pattern = _pattern(self.foreign), _pattern(self._daide)
        self._heading_pattern, self._place_pattern = _pattern(self._headings), _pattern(self._places)

    @cached_property
    def separator(self) -> re.Pattern[str]:
        """Match a comma, but not before a year; a full stop before an order; and what is before a power in a line."""
        names = [*self.powers, *(each for each in self._abbreviations if len(each) > 1)]
        spellings = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        return re.compile(
            r"[,;](?!\s*(?:(?:spring|summer|fall|autumn|winter)\s+)?(?:18|19|20)\d\d\b)|(?:\.|\s/)\s+(?=[AF]\s)"
            + r"|(?<=\w)(?<!for)(?<!of)(?<!from)(?<!the)(?:\.|\s+(?:and|und|et|y))?\s+"
            + rf"(?=(?:{spellings})\s*:)",
            re.IGNORECASE,
        )

    @cached_property
    def column(self) -> re.Pattern[str]:
        """Match a power in a column of its own: `England  A London`."""
        names = "|".join(map(re.escape, sorted(self.powers, key=len, reverse=True)))
        return re.compile(rf"^(\s*(?:{names}))(?: {{2,}}|\t\s*)(?=\w)", re.IGNORECASE)

    def translate(self, text: str) -> str:
        """Put every word of another language into English."""
        return self._foreign_pattern.sub(lambda found: self.foreign[found[0].lower()], text)

    def from_daide(self, text: str) -> str:
        """Put an order of DAIDE into the usual notation; another text is returned as it is."""
        if not _DAIDE.search(text) and "WVE" not in text:
            return text
        text = _DAIDE_ROUTE.sub("via convoy", text)
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

    def is_about_units(self, text: str) -> bool:
        """Whether a text names a unit and a province, or two provinces: then it is no remark."""
        places = [place.start() for place in self._place_pattern.finditer(text)]
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
        before = self._heading_pattern.sub(lambda word: self._headings[word[0].lower()], before)
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
        season, phase = _SEASONS[_SEASON_LETTERS[code["season"].lower()]]
        phase = _LETTERS.get((code["phase"] or "").lower(), phase)
        return Heading(None, "orders", phase, season, _year(code["year"]))
    if not text or _FILLERS.sub("", text).strip():
        return None
    found = date_of(text) or Heading()
    words = text.lower().split()
    verbs = {_VERBS[word] for word in words if word in _VERBS}
    block, phase = _first(_BLOCKS, text), _first(_PHASES, text) or found.phase
    if found.season is None and (block is None or any(map(str.isdigit, text))):
        return None  # `4 units` says how many.
    return found._replace(block=block or "orders", phase=phase, verb=verbs.pop() if len(verbs) == 1 else "")


_Named = TypeVar("_Named", Phase, Block)


def _first(words: Mapping[_Named, str], text: str) -> _Named | None:
    return next((named for named, each in words.items() if re.search(rf"\b(?:{each})\b", text, re.IGNORECASE)), None)


def date_of(text: str) -> Heading | None:
    """Return the season, the year and the phase that a text names, if it does."""
    date = _DATE.search(text)
    if date is None:
        return None
    season, phase = _SEASONS[date["season"].lower()]
    return Heading(phase=phase, season=season, year=_year(date["year"]) if date["year"] else None)


def _year(digits: str) -> int:
    year = int(digits.lstrip("'"))
    return year if year > 100 else 1900 + year


class Piece(NamedTuple):
    """What is between two separators."""

    line: int
    column: int
    """Where it begins in the line, counted from 1."""
    text: str
    skipped: tuple[str, ...] = ()
    """What was taken off, but markup and the words for usual results."""
    results: frozenset[str] = frozenset()
    """What the text says that came of it: `"succeeds"`, `"fails"`, `"cut"`, `"dislodged"`."""
    is_question: bool = False
    """Whether its sentence ends with a question mark."""


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
_WAS_DISLODGED = re.compile(
    r"^\s*The\s+(\w+)\s+((?:army|fleet)\s+in\s+(?:(?!\s(?:can|may|must|with|was|is)\s).){1,60})\s"
    + r"(?:(?:can|may|must)\s+retreat|with\s+no\s+valid\s+retreats|(?:was|is)\s+dislodged)\b.*",
    re.IGNORECASE,
)
"""`The Austrian Army in Serbia can retreat to Budapest or Trieste.`"""
_COMMENT = re.compile(r"#.*")
_GROUP = re.compile(r"\(([^()]*)\)")
_COAST = re.compile(r"\s*(?:north|south|east|west|[nsew])\W*(?:coast|c)?\W*", re.IGNORECASE)
_TYPE_BEHIND = re.compile(r"((?:^|:)\s*)(?P<name>[^\W\d_][\w. ]*?)\s*\((?P<type>a|f|army|fleet)\)", re.IGNORECASE)
"""`Berlin (A)`."""
_VIA = re.compile(r"\s*(?:via|by)\s+(?:a\s+)?convoy\s*", re.IGNORECASE)
_NESTED = re.compile(r"\(([^()]*\([^()]*\)[^()]*)\)")
_MARK = re.compile(r"(?<=\s)/(?P<letter>[a-z])/(?=\W|$)|(?<=\w)/(?:nso|ann|nmr|nrr)\b", re.IGNORECASE)
_DISLODGED_MARKS = frozenset({"d", "r"})
_TYPE_COLON = re.compile(r"^(\s*)([AF]):(?=\s+(?!(?:[AF]|army|fleet)\b))", re.IGNORECASE)
"""`F: Lon - Nth` is the order of a fleet; in `F: A Par - Bur` the letter is France."""
_GLUED = re.compile(r"(?<=\s)([sc])([af])(?=\s)", re.IGNORECASE)
"""`F Mao SF Wes - Spa`."""
_GLUED_HOLD = re.compile(r"(?<=\s)s([af])\s+(\w+)-\2(?!\w)", re.IGNORECASE)
"""`A Nor SF Swe-Swe`: it supports the fleet where it is."""
_HOLDS = re.compile(r"(?<=[\w)])\s*[-\u2013\u2014]\s*(?:h|holds?|stands?|xxx)(?=\W*$)", re.IGNORECASE)
"""`F Lon-H`."""
_RESULTS: Mapping[str, str] = {
    "succeeds": r"succe(?:eds?|eded|ss(?:ful)?)|resolves|ok|[\u2713\u2714\u2705]",
    "fails": r"fail(?:s|ed|ure)?|bounce[sd]?(?:\s+(?:with|off|against)(?:\s+(?!dislodged)[^\s.]+){1,6})?"
    + r"|stand\s?off|[\u2717\u2718\u274c]",
    "cut": r"(?:support\s+)?cut(?:\s+by\b.*)?",
    "dislodged": r"dislod?ged(?:\s+(?:by|from)\b.*)?|destroyed",
    "": r"not\s+cut|void|invalid|illegal|no\s+convoy|disrupted|convoy\s+path\s+taken\b.*|\d+\s+(?:units?|against\s+\d+)"
    + r"|no\s+such\s+order|nso|no\s+(?:move|order)s?\s+received|unordered|supported",
}
"""The words for what came of an order; of the last ones nothing follows for the board."""
_RESULT_WORDS = "|".join(_RESULTS.values())
_RESULT = re.compile(
    rf"(?:(?:\s*(?:\.{{3}}|[-\u2013\u2014:=]+>?|\u2192|,))?\s+|^\s*)(?P<what>{_RESULT_WORDS})(?![^\W\d_])[\s.!,]*$",
    re.IGNORECASE,
)
_ONLY_RESULTS = re.compile(rf"[\s,;&/.*]*(?:(?:{_RESULT_WORDS})[\s,;&/.*]*)*", re.IGNORECASE)
_ONE_RESULT = re.compile("|".join(f"(?P<{name or 'other'}>{words})" for name, words in _RESULTS.items()), re.IGNORECASE)
_STOP = re.compile(r"[\s.!?]+$")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")
_TIME = re.compile(r"\b\d{1,2}:\d\d(?::\d\d)?(?:\s*[ap]\.?m\b\.?)?(?:\s*(?:GMT|UTC|[CEMP][DES]?T)\b)?", re.IGNORECASE)
_UNIT = re.compile(
    r"\b(?:arm(?:y|ies|ee|\u00e9e|ata|ate)|fle(?:et|ets)|flott[ae]n?|e[jx][e\u00e9]rcito|flota|frota)\b", re.IGNORECASE
)
_LETTER_BEFORE = re.compile(r"(?:(?<!\w)[AF]|^[af])[\s(]*$")
_BEGINS_LIKE_ORDER = re.compile(
    r"\s*(?:[AF]|(?i:army|fleet|armee|flotte))\s+\w[\w.]*(?:\s*\([^()]*\))?\s*"
    + r"(?:$|[-\u2013\u2014\u2192>=/]|(?i:[shcrd]|to|sup\w*|con\w*|hold\w*|mov\w*)\b)"
    + r"|\s*(?i:builds?|removes?|disbands?|destroys?|retreats?)\s+(?:an?\s+)?(?:(?i:army|fleet)|a|f|A|F)\b"
)
_CASE_PHASE = re.compile(r"(?:Movement|Retreat|Adjustment) phase, \w+ \d+")
_CASE_EXPECTED = re.compile(r"Expected (?:otherwise|under\b.*)")


def _without_expectations(lines: Sequence[str]) -> Sequence[str]:
    """Leave of what `datc-check cases show` prints the phases, their units, centers and orders."""
    if not any(map(_CASE_PHASE.fullmatch, lines)):
        return lines
    kept: list[str] = []
    is_kept = False
    for line in lines:
        if line[:1] != " ":
            is_kept = _CASE_PHASE.fullmatch(line) is not None or (line == "Orders" and bool(kept))
        kept.append(f"{line}; Units" if line[:1] != " " and line != "Orders" and is_kept else line if is_kept else "")
    return kept


def read_pieces(text: str, words: Vocabulary) -> Iterator[Piece]:
    """Cut a text into pieces, line by line."""
    for number, raw in enumerate(_without_expectations(text.lstrip("\ufeff").splitlines()), start=1):
        line = "" if _RULE_CHARACTERS.issuperset(raw) else words.column.sub(_with_colon, raw).translate(_SAME)
        line = _TYPE_COLON.sub(r"\1\2 ", line)
        call = _CALL.fullmatch(line)  # Searched in a long line, it would take a time that grows with the square.
        if call is not None:
            line = call[3] if call[1] is None else f"{call[1]}: {call[2]}"
        line = _WAS_DISLODGED.sub(lambda found: f"{found[1]}: {found[2]} (dislodged)".ljust(len(found[0])), line)
        line = _LEADER.sub(lambda found: found[1].ljust(len(found[0]) - 1) + ":", line)
        marked = _MARKUP.sub(_blank, _MARKUP.sub(_blank, line))
        line = _TIME.sub(_blank, _COMMENT.sub(_blank, marked))
        ends = [found[0] for found in _SENTENCE_END.finditer(line)]
        for start, end in _parts(line, words):
            piece = _piece(number, line[start:end], start, words)
            if piece.text or piece.skipped:
                yield piece._replace(is_question="?" in ends)


def _with_colon(found: re.Match[str]) -> str:
    return f"{found[1]}:{' ' * (len(found[0]) - len(found[1]) - 1)}"


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _parts(line: str, words: Vocabulary) -> Iterator[tuple[int, int]]:
    """Where the pieces of a line begin and end: a separator in brackets that are closed again separates nothing."""
    inside = [False] * (len(line) + 1)
    opened: list[int] = []
    groups: list[tuple[int, int]] = []
    for index, character in enumerate(line):
        if character == "(":
            opened.append(index)
        elif character == ")" and opened:
            opening = opened.pop()
            if not opened:
                inside[opening:index] = [True] * (index - opening)
                groups.append((opening, index + 1))
    if _DAIDE_MESSAGE.match(line) and groups:  # Each group of a message is an order, if its first one is.
        yield from groups if line.count("(", *groups[0]) > 1 else [(groups[0][0], len(line))]
        return
    start = 0
    for separator in words.separator.finditer(line):
        if not inside[separator.start()]:
            yield start, separator.start()
            start = separator.end()
    yield start, len(line)


def _piece(number: int, text: str, start: int, words: Vocabulary) -> Piece:
    if len(text) > MAX_LENGTH:
        return Piece(number, start + 1, " ".join(text.split()))  # Too long for an order: reported as it is.
    skipped: list[str] = []
    results: set[str] = set()
    if (plain := words.from_daide(text)) != text:
        text = plain
    else:
        results |= {"dislodged" for mark in _MARK.finditer(text) if (mark["letter"] or "").lower() in _DISLODGED_MARKS}
        text = _GLUED.sub(r"\1 \2", _GLUED_HOLD.sub(r"S \1 \2", _MARK.sub(_blank, text)))
        text = _NESTED.sub(lambda group: f" {group[1]} " if _is_order(group[1].strip(), words) else group[0], text)
        text = _TYPE_BEHIND.sub(r"\1\g<type> \g<name>", text)
        for _ in range(2):  # Brackets in brackets.
            text = _GROUP.sub(lambda group: _without_brackets(group, skipped, results, words), text)
    text = _HOLDS.sub(" H", text)
    while True:
        result = _RESULT.search(text)
        results |= _results(result["what"]) if result else set()
        shorter = _STOP.sub("", text[: result.start()] if result else text)
        if shorter == text:
            break
        text = shorter
    column = start + 1 + len(text) - len(text.lstrip())
    return Piece(number, column, " ".join(text.split()), tuple(skipped), frozenset(results))


def _results(text: str) -> set[str]:
    found = {each.lastgroup or "" for each in _ONE_RESULT.finditer(text)}
    return found - {"", "other"} - ({"cut"} if "not cut" in text.lower() else set())


def _without_brackets(group: re.Match[str], skipped: list[str], results: set[str], words: Vocabulary) -> str:
    """Keep a coast, open the brackets around an order or a power, and skip what else is in brackets."""
    inside = group[1].strip()
    if _COAST.fullmatch(inside) and inside:
        return group[0]
    if _VIA.fullmatch(inside) or _PHASE_WORDS.fullmatch(inside) or _is_order(inside, words):
        return f" {group[1]} "
    if _ONLY_RESULTS.fullmatch(inside):
        results |= _results(inside)
    elif inside.lower() not in words.powers:
        skipped.append(group[0])
    return _blank(group)


def _is_order(text: str, words: Vocabulary) -> bool:
    """Whether a text is an order, or a unit whose name needs no guess."""
    with suppress(NotationError):
        return bool(read_order(_HOLDS.sub(" H", text), board=words.board))
    with suppress(NotationError):
        return not read_order(f"{text} H", board=words.board).notes
    return False
