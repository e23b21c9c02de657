"""The cases of jDip: a file with `CASE`, `PRESTATE`, `ORDERS` and `POSTSTATE`, as its tests and others have them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Literal, TypeAlias, final

from ....reference_engine import Dislodged, NotationError, OrderedUnit, Phase, Unit, read_order, standard_board
from ....reference_engine.errors import nearest
from ....reference_engine.notation import read_location, read_unit
from ...play.answer import Answer
from .records import ArchiveError, ArchiveFormat, RecordedPhase

_Section: TypeAlias = Literal[
    "PRESTATE",
    "PRESTATE_DISLODGED",
    "PRESTATE_RESULTS",
    "PRESTATE_SUPPLYCENTER_OWNERS",
    "ORDERS",
    "POSTSTATE",
    "POSTSTATE_DISLODGED",
]
_SECTIONS: tuple[_Section, ...] = _Section.__args__
_SAME = "POSTSTATE_SAME"
_PHASE = re.compile(
    r"(?P<season>Spring|Fall|Autumn|Winter)\s+(?P<year>\d{1,4})\s*[,(\[]\s*(?P<phase>\w+)", re.IGNORECASE
)
_PHASES: Mapping[str, tuple[Phase, str]] = {
    "movement": ("movement", "M"),
    "retreat": ("retreat", "R"),
    "adjustment": ("adjustment", "A"),
}
_VARIANT = b"VARIANT_ALL"
_OWNED_BY = re.compile(r"(A|F|Army|Fleet)\s+", re.IGNORECASE)
"""A supply center may be written as a unit in it: `Russia: A stp`."""
_OTHER_WORDS = re.compile(r"\s*\b(dislodged|SUCCESS|FAILURE)\b\s*:?", re.IGNORECASE)


@final
class JdipCases(ArchiveFormat):
    """A case is a game of one phase; before a retreat phase it may tell the movements that led to it."""

    purpose = "cases of jDip, such as its datc.txt"

    def recognises(self, start: bytes) -> bool:
        return re.search(rb"^\s*(VARIANT_ALL|CASE|PRESTATE_SETPHASE)\s", start, re.MULTILINE) is not None

    def blocks(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
        """Take each case as a block, from `CASE` to `END`. Raises `ArchiveError` for the map of a variant."""
        first, parts = 0, list[bytes]()
        for number, line in lines:
            words = line.partition(b"#")[0].split()
            word = words[:1]
            if word == [_VARIANT] and not words[-1].lower().endswith(b"standard"):
                if parts:
                    yield first, b"".join(parts)
                name = words[-1].decode(errors="replace")
                raise ArchiveError(
                    f"the cases from line {number} on are of the variant {name}, not on the standard map"
                )
            if word == [b"CASE"]:
                if parts:
                    yield first, b"".join(parts)
                first, parts = number, [line]
            elif parts:
                parts.append(line)
            if parts and word == [b"END"]:
                yield first, b"".join(parts)
                parts = []
        if parts:
            yield first, b"".join(parts)

    def phases(self, content: bytes) -> Iterable[RecordedPhase]:
        try:
            return list(_Case(content.decode()).phases())
        except (UnicodeDecodeError, NotationError) as error:
            raise ArchiveError(str(error)) from error


class _Case:
    """A case, its sections gathered."""

    def __init__(self, text: str) -> None:
        self.name: str = ""
        self.when: str = "Spring 1901, Movement"
        self.sections: dict[_Section, list[tuple[str, str]]] = {}
        self.is_same: bool = False
        section: _Section | None = None
        for raw in text.splitlines():
            line = raw.partition("#")[0].strip()
            word, _, rest = line.partition(" ")
            if not line or word == "END":
                continue
            if word == "CASE":
                self.name = rest.strip()
            elif word == "PRESTATE_SETPHASE":
                self.when = rest.strip()
            elif word == _SAME:
                self.is_same = True
            elif word in _SECTIONS:
                section = next(each for each in _SECTIONS if each == word)
                self.sections[section] = []
            elif section is None:
                raise ArchiveError(f"{line!r} stands before any section")
            else:
                self.sections[section].append(_of_power(line))

    def phases(self) -> Iterator[RecordedPhase]:
        """Give the movements before the case, if it has any, and the phase of the case."""
        when = _PHASE.match(self.when)
        if when is None or when["phase"].lower() not in _PHASES:
            raise ArchiveError(f"{self.when!r} is no phase such as 'Spring 1901, Movement'")
        phase, letter = _PHASES[when["phase"].lower()]
        name = f"{'F' if when['season'].upper() == 'AUTUMN' else when['season'][0].upper()}{when['year']}"
        units = self._units("PRESTATE")
        dislodged = tuple(Dislodged(unit, None, None) for unit in self._units("PRESTATE_DISLODGED"))
        if phase == "retreat" and "PRESTATE_RESULTS" in self.sections:
            yield self._movements(f"{name}M", units, dislodged)
        yield RecordedPhase(
            self.name,
            f"{name}{letter}",
            phase,
            units,
            tuple(self.sections.get("ORDERS", [])),
            self._centers(),
            dislodged if phase == "retreat" else (),
            self._answer(phase, units),
        )

    def _movements(self, name: str, units: tuple[Unit, ...], dislodged: tuple[Dislodged, ...]) -> RecordedPhase:
        """Make the movements before a retreat phase of their orders, each of which names a unit that stood there."""
        orders = self.sections["PRESTATE_RESULTS"]
        before = tuple(_unit(power, text) for power, text in orders)
        return RecordedPhase(self.name, name, "movement", before, tuple(orders), answer=Answer(units, dislodged))

    def _answer(self, phase: Phase, units: tuple[Unit, ...]) -> Answer | None:
        dislodged = tuple(Dislodged(unit, None, None) for unit in self._units("POSTSTATE_DISLODGED"))
        if not self.is_same and "POSTSTATE" not in self.sections:
            return None
        after = units if self.is_same else self._units("POSTSTATE")
        return Answer(after, dislodged if phase == "movement" else None)

    def _units(self, section: _Section) -> tuple[Unit, ...]:
        return tuple(sorted(_unit(power, text) for power, text in self.sections.get(section, [])))

    def _centers(self) -> Mapping[str, list[str]]:
        centers: dict[str, list[str]] = {}
        for power, text in self.sections.get("PRESTATE_SUPPLYCENTER_OWNERS", []):
            centers.setdefault(power, []).append(read_location(_OWNED_BY.sub("", text, count=1)))
        return centers


def _of_power(line: str) -> tuple[str, str]:
    """Split a line into its power and the rest; the colon may be missing."""
    text = _OTHER_WORDS.sub("", line).strip()
    name, _, rest = text.partition(":" if ":" in text else " ")
    for power in standard_board().powers.values():
        if name.strip().upper() == power.name.upper():
            return power.code, rest.strip()
    known = nearest(name.strip(), [power.name for power in standard_board().powers.values()])
    raise ArchiveError(f"{line!r} does not begin with a power, such as 'France: '{known}")


def _unit(power: str, text: str) -> Unit:
    """Read the unit that a text begins with: of an order, or alone."""
    words = text.split()
    for count in range(len(words), 1, -1):
        try:
            unit = read_unit(" ".join(words[:count]))
        except NotationError:
            continue
        if unit.type is not None:
            return Unit(power, unit.type, unit.location)
    ordered = _ordered_unit(text)
    if ordered is None or ordered.type is None:
        raise ArchiveError(f"{text!r} names no unit such as 'A Paris'")
    return Unit(power, ordered.type, ordered.location)


def _ordered_unit(text: str) -> OrderedUnit | None:
    """Return the unit of an order whose words are not apart: `A tyr-tri`."""
    with suppress(NotationError):
        return getattr(read_order(text).order, "unit", None)
    return None
