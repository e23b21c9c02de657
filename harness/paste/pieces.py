"""Cuts what people paste into pieces that may be orders.

Markup, results and remarks become spaces, so that a column stays the column of the text that was pasted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from ...reference_engine import NotationError, read_order
from ...reference_engine.notation import MAX_LENGTH
from .words import PHASE_WORDS, TABLE, Vocabulary


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


_DAIDE_MESSAGE = re.compile(r"^\s*SUB\b(?P<orders>.*)")
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
_RESULTS: Mapping[str, str] = TABLE["results"]
"""The words for what came of an order."""
_RESULT_WORDS = "|".join(_RESULTS.values())
_RESULT = re.compile(
    rf"(?:(?:\s*(?:\.{{3}}|[-\u2013\u2014:=]+>?|\u2192|,))?\s+|^\s*)(?P<what>{_RESULT_WORDS})(?![^\W\d_])[\s.!,]*$",
    re.IGNORECASE,
)
_ONLY_RESULTS = re.compile(rf"[\s,;&/.*]*(?:(?:{_RESULT_WORDS})[\s,;&/.*]*)*", re.IGNORECASE)
_ONE_RESULT = re.compile("|".join(f"(?P<{name}>{words})" for name, words in _RESULTS.items()), re.IGNORECASE)
_STOP = re.compile(r"[\s.!?]+$")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")
_TIME = re.compile(r"\b\d{1,2}:\d\d(?::\d\d)?(?:\s*[ap]\.?m\b\.?)?(?:\s*(?:GMT|UTC|[CEMP][DES]?T)\b)?", re.IGNORECASE)
_CASE_PHASE = re.compile(r"(?:Movement|Retreat|Adjustment) phase, \w+ \d+")


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
        if _RULE_CHARACTERS.issuperset(raw):
            continue
        line = words.column.sub(_with_colon, raw).translate(_SAME)
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
            if (part := line[start:end]).strip():
                piece = _piece(number, part, start, words)
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
    found = {each.lastgroup or "other" for each in _ONE_RESULT.finditer(text)}
    return found - {"other"} - ({"cut"} if "not cut" in text.lower() else set())


def _without_brackets(group: re.Match[str], skipped: list[str], results: set[str], words: Vocabulary) -> str:
    """Keep a coast, open the brackets around an order or a power, and skip what else is in brackets."""
    inside = group[1].strip()
    if _COAST.fullmatch(inside) and inside:
        return group[0]
    if _VIA.fullmatch(inside) or PHASE_WORDS.fullmatch(inside) or _is_order(inside, words):
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
