"""The results that an njudge mails: movements with what happened to each, retreats, and adjustments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, final

from ....reference_engine import (
    Build,
    Disband,
    Dislodged,
    Move,
    NotationError,
    Phase,
    Remove,
    Retreat,
    Unit,
    province_code,
    read_order,
    standard_board,
)
from ....reference_engine.notation import read_location, read_unit
from ...play.answer import Answer, OrderOutcome
from .records import MOST_BYTES, ArchiveError, ArchiveFormat, RecordedPhase, outcome_of

_HEADING = re.compile(
    r"(?P<what>Movement results|Retreat orders|Retreat results|Adjustment orders|Adjustment results) for "
    + r"(?P<season>Spring|Summer|Fall|Autumn|Winter) of (?P<year>\d{1,4})\.?(?:\s*\((?P<game>[\w-]+)\.\w+\))?",
    re.IGNORECASE,
)
_TURN = re.compile(rb"Movement results for \w+ of \d", re.IGNORECASE)
_GAME = re.compile(rb"\bGame:\s*(?P<name>[\w-]+)")
_ORDER = re.compile(r"(?P<power>[A-Z][a-z]+):\s+(?P<text>.+?)\.?\s*(?:\(\*(?P<words>[^*]*)\*\))?\.?\s*")
_DISLODGED = re.compile(
    r"The (?P<power>\w+) (?P<unit>(?:Army|Fleet) in (?:the )?.+?) "
    + r"(?:can retreat to (?P<to>.+?)|with no valid retreats was destroyed)\.?\s*"
)
_BEGINS = re.compile(r"[A-Z][\w-]*:|The \w+ (?:Army|Fleet)\b")
"""What a line begins with that does not go on from the one before."""
_ENDS = re.compile(r"(?<!\bSt)\.\s*$|[:)]\s*$")
_LONGEST = 2000
"""Nothing that goes on in the next line is longer."""
_COUNT = re.compile(r"\d+ supply cent", re.IGNORECASE)
"""How many centers and units a power has stands below those that it owns."""
_BUILD = re.compile(r"Builds an? (?P<type>army|fleet) in (?:the )?(?P<where>.+)", re.IGNORECASE)
_REMOVAL = re.compile(
    r"(?P<default>Defaults?, )?remov(?:es|ing) the (?P<type>army|fleet) in (?:the )?(?P<where>.+)", re.IGNORECASE
)
_NO_ORDER = re.compile(r",\s*no orders? (?:processed|given)$", re.IGNORECASE)
_LIST = re.compile(r",\s*|\s+or\s+")
_OWNERS = "ownership of supply centers"
_LETTERS = {"spring": "S", "summer": "S", "fall": "F", "autumn": "F", "winter": "W"}

_Part: TypeAlias = Literal["movement", "retreat", "adjustment", "owners", ""]


@final
class NjudgeResults(ArchiveFormat):
    """Results of games, turn after turn. A turn begins with its movements, which name all units."""

    purpose = "results as an njudge mails them ('Movement results for Spring of 1901.')"

    def recognises(self, start: bytes) -> bool:
        return _HEADING.search(start.decode(errors="replace")) is not None

    def blocks(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
        """Take each turn as a block, below the last line before it that names the game. Raises `ArchiveError`."""
        first, size = 1, 0
        parts: list[bytes] = []
        game = b""
        for number, line in lines:
            if named := _GAME.search(line):
                game = b"Game: " + named["name"] + b"\n"
            if size > MOST_BYTES:
                raise ArchiveError(f"the turn in line {first} has more than {MOST_BYTES >> 20} MiB")
            if _TURN.search(line):
                if parts:
                    yield first, b"".join(parts)
                first, size, parts = number, 0, [game]
            parts.append(line)
            size += len(line)
        if parts:
            yield first, b"".join(parts)

    def game_of(self, content: bytes) -> str:
        named = _HEADING.search(content.decode(errors="replace"))
        if named is not None and named["game"]:
            return named["game"]
        found = _GAME.search(content)
        return found["name"].decode(errors="replace") if found else ""

    def phases(self, content: bytes) -> Iterable[RecordedPhase]:
        try:
            return list(_Reader(self.game_of(content)).read(content.decode()))
        except (UnicodeDecodeError, NotationError) as error:
            raise ArchiveError(str(error)) from error


@dataclass
class _Phase:
    """A phase while it is read."""

    name: str
    phase: Phase
    units: tuple[Unit, ...]
    dislodged: tuple[Dislodged, ...] = ()
    orders: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    outcomes: list[OrderOutcome | None] = field(default_factory=list[OrderOutcome | None])
    after: list[Unit] = field(default_factory=list[Unit])
    forced_out: list[Dislodged] = field(default_factory=list[Dislodged])


@dataclass
class _Reader:
    """Reads a turn line by line, and remembers the board."""

    game: str
    units: tuple[Unit, ...] = ()
    dislodged: tuple[Dislodged, ...] = ()
    centers: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    part: _Part = ""
    current: _Phase | None = None

    def read(self, text: str) -> Iterator[RecordedPhase]:
        """Give the phases in their order. Raises `ArchiveError` and `NotationError`."""
        for stripped in _unbroken(text):
            heading = _HEADING.search(stripped)
            if heading or stripped.lower().startswith(_OWNERS):
                yield from self._finish()
                self._begin(heading)
                continue
            try:
                self._take(stripped)
            except (ArchiveError, NotationError) as error:
                raise ArchiveError(f"{stripped!r}: {error}") from error
        yield from self._finish()

    def _begin(self, heading: re.Match[str] | None) -> None:
        if heading is None:
            self.part, self.centers = "owners", {}
            return
        what = heading["what"].lower()
        letter = "R" if what.startswith("retreat") else "A" if what.startswith("adj") else "M"
        name = f"{_LETTERS[heading['season'].lower()]}{heading['year']}{letter}"
        self.part = "retreat" if letter == "R" else "adjustment" if letter == "A" else "movement"
        self.current = _Phase(
            name, self.part, () if letter == "M" else self.units, self.dislodged if letter == "R" else ()
        )
        if letter != "M":
            self.current.after = list(self.units)

    def _take(self, line: str) -> None:
        if found := _DISLODGED.fullmatch(line):
            self._retreats(found)
            return
        order = _ORDER.fullmatch(line)
        power = order and _power(order["power"])
        if order is None or power is None:
            return
        if self.part == "owners":
            if _COUNT.match(order["text"]):
                return
            self.centers[power] = [read_location(each) for each in _LIST.split(order["text"]) if each]
        elif self.current is None:
            return
        elif self.part == "movement":
            self._movement(self.current, power, order["text"], order["words"])
        elif self.part == "retreat":
            self._retreat(self.current, power, order["text"], order["words"])
        elif self.part == "adjustment":
            self._adjustment(self.current, power, order["text"])

    def _movement(self, phase: _Phase, power: str, text: str, remark: str | None) -> None:
        words = [word.strip().lower() for word in (remark or "").split(",") if word.strip()]
        alone = _NO_ORDER.sub("", text)
        order = None if alone != text else read_order(text).order
        named = read_unit(alone) if order is None else getattr(order, "unit", None)
        if named is None or named.type is None:
            raise ArchiveError(f"{text!r} names no unit")
        unit = Unit(power, named.type, named.location)
        phase.units = (*phase.units, unit)
        if order is not None:
            phase.orders.append((power, text))
            phase.outcomes.append(outcome_of(words, order))
        if {"dislodged", "destroyed"}.intersection(words):
            phase.forced_out.append(Dislodged(unit, None, () if "destroyed" in words else None))
        elif isinstance(order, Move) and not words:
            phase.after.append(_arrived(unit, order.to))
        else:
            phase.after.append(unit)

    def _retreats(self, found: re.Match[str]) -> None:
        """Note where a dislodged unit may retreat to."""
        if self.current is None or self.part != "movement":
            return
        named = read_unit(re.sub(r" in (the )?", " ", found["unit"]))
        names = _LIST.split(found["to"] or "")
        places = tuple(sorted(read_location(each.removeprefix("the ")) for each in names if each))
        self.current.forced_out = [
            entry._replace(retreats=places)
            if province_code(entry.unit.location) == province_code(named.location)
            else entry
            for entry in self.current.forced_out
        ]

    def _retreat(self, phase: _Phase, power: str, text: str, remark: str | None) -> None:
        if _NO_ORDER.search(text):  # It disbands.
            return
        order = read_order(text, "retreat").order
        if not isinstance(order, (Retreat, Disband)):
            raise ArchiveError(f"{text!r} is no retreat")
        phase.orders.append((power, text))
        if isinstance(order, Retreat) and not remark:
            entry = next(
                (
                    each
                    for each in phase.dislodged
                    if province_code(each.unit.location) == province_code(order.unit.location)
                ),
                None,
            )
            if entry is None:
                raise ArchiveError(f"no unit was dislodged that could go: {text!r}")
            phase.after.append(_arrived(entry.unit, order.to))

    def _adjustment(self, phase: _Phase, power: str, text: str) -> None:
        if found := _BUILD.fullmatch(text):
            order = read_order(f"Build {found['type']} {found['where']}", "adjustment").order
            if isinstance(order, Build) and order.unit.type is not None:
                phase.orders.append((power, f"Build {found['type']} {found['where']}"))
                phase.after.append(Unit(power, order.unit.type, order.unit.location))
        elif found := _REMOVAL.fullmatch(text):
            order = read_order(f"Remove {found['type']} {found['where']}", "adjustment").order
            if not isinstance(order, Remove):
                raise ArchiveError(f"{text!r} is no removal")
            if not found["default"]:
                phase.orders.append((power, f"Remove {found['type']} {found['where']}"))
            gone = province_code(order.unit.location)
            phase.after = [unit for unit in phase.after if province_code(unit.location) != gone]

    def _finish(self) -> Iterator[RecordedPhase]:
        """Give the phase that was read, and go on from the board that it left."""
        phase, self.current, self.part = self.current, None, ""
        if phase is None or (not phase.units and not phase.orders):
            return
        is_movement = phase.phase == "movement"
        answer = Answer(
            tuple(phase.after),
            tuple(sorted(phase.forced_out)) if is_movement else None,
            tuple(phase.outcomes) if is_movement else None,
        )
        is_known = phase.phase != "adjustment" or bool(self.centers)
        yield RecordedPhase(
            self.game,
            phase.name,
            phase.phase,
            phase.units,
            tuple(phase.orders),
            dict(self.centers),
            phase.dislodged,
            answer if is_known else None,
        )
        self.units = answer.units
        self.dislodged = answer.dislodged or ()


def _unbroken(text: str) -> Iterator[str]:
    """Give the lines, those that were broken put together again, with one space between words."""
    waiting = ""
    for line in text.splitlines():
        part = " ".join(line.split())
        is_whole = len(waiting) > _LONGEST or _ENDS.search(waiting)
        if waiting and (is_whole or not part or _BEGINS.match(part) or _HEADING.search(part)):
            yield waiting
            waiting = ""
        waiting = f"{waiting} {part}".strip()
    if waiting:
        yield waiting


def _power(name: str) -> str | None:
    """Find a power by its name."""
    return next((power.code for power in standard_board().powers.values() if power.name == name), None)


def _arrived(unit: Unit, to: str) -> Unit:
    """Put a unit where it went; a fleet on the only coast that it can reach, where none is named."""
    board = standard_board()
    if unit.type == "A":
        return unit._replace(location=province_code(to))
    if board.can_stand("F", to):
        return unit._replace(location=to)
    coasts: Sequence[str] = [each for each in board.destinations(unit) if province_code(each) == province_code(to)]
    return unit._replace(location=coasts[0] if len(coasts) == 1 else to)
