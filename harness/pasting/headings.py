"""Headings in what people paste: the power, the phase and the supply centers that the lines below are about."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias

from .words import power_abbreviations, power_names

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


def read_heading(text: str) -> Heading | None:
    """Read a text as a heading, with or without something behind its colon; `None` if it is something else."""
    before, colon, rest = text.partition(":")
    if (power := power_named(before)) is not None:
        return Heading(power=power, rest=rest.strip()) if colon or not rest else None
    if colon and (power := power_abbreviations().get(before.strip().lower())) is not None:
        return Heading(power=power, rest=rest.strip())
    if (done := _DONE.fullmatch(text)) is not None and (power := power_named(done["power"])) is not None:
        return (
            Heading(power, "retreat", rest=done["retreat"]) if done["retreat"] else Heading(power, rest=done["build"])
        )
    if colon and before.strip().lower() in {"phase", "season", "turn"}:
        return _of_phase(rest)
    found = _of_phase(before)
    return found._replace(rest=rest.strip()) if found is not None else None


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
    block = _block_named(text)
    if date is None:
        return None if block is None else Heading(None, block)
    year = int(date["year"]) if date["year"] else None
    return Heading(None, block or "movement", _SEASONS[date["season"].lower()], year)


def _block_named(text: str) -> Block | None:
    for block, pattern in _BLOCKS:
        if pattern.search(text):
            return block
    return None


def power_named(text: str) -> str | None:
    """Return the power that a text names, in whatever language and with usual words around it."""
    names = power_names()
    text = " ".join(text.split()).lower()
    if text in names:
        return names[text]
    named = _OF_POWER.fullmatch(text)
    return names.get(named["name"].strip()) if named else None
