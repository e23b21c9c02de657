"""Takes markup, results and remarks off what people paste, and cuts it into pieces that may be orders.

What is taken off becomes spaces, so that a column stays the column of the text that was pasted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...reference_engine import NotationError, read_order
from ...reference_engine.notation import MAX_LENGTH, read_unit
from .words import Vocabulary


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
        line = _LEADER.sub(lambda found: found[1].ljust(len(found[0]) - 1) + ":", _called(line))
        line = _COMMENT.sub(_blank, _MARKUP.sub(_blank, _MARKUP.sub(_blank, line)))
        for start, end in _parts(line, words):
            piece = _piece(number, line[start:end], start, words)
            if piece.text or piece.skipped:
                yield piece


def _called(line: str) -> str:
    """Write what a call sets as its power and a list, or as the name of a phase; another line stays as it is."""
    call = _CALL.fullmatch(line)  # Searched in a long line, it would take a time that grows with the square.
    if call is None:
        return line
    return call[3] if call[1] is None else f"{call[1]}: {call[2]}"


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _parts(line: str, words: Vocabulary) -> Iterator[tuple[int, int]]:
    """Where the pieces of a line begin and end: a separator in brackets separates nothing."""
    depths = _depths(line)
    start = 0
    for separator in words.separator.finditer(line):
        if not depths[separator.start()]:
            yield start, separator.start()
            start = separator.end()
    yield start, len(line)


def _depths(line: str) -> list[bool]:
    """For each character whether it is in brackets that are closed again."""
    inside = [False] * (len(line) + 1)
    opened: list[int] = []
    for index, character in enumerate(line):
        if character == "(":
            opened.append(index)
        elif character == ")" and opened:
            start = opened.pop()
            if not opened:
                inside[start:index] = [True] * (index - start)
    return inside


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
        try:
            _ = read(_HOLDS.sub(" H", text), board=words.board)
        except NotationError:
            continue
        return True
    return False
