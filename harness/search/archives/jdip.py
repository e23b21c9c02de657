"""The cases of jDip: a file with `CASE`, `PRESTATE`, `ORDERS` and `POSTSTATE`, as its tests and others have them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import final

from ....reference_engine import Dislodged, NotationError, Unit, read_order, standard_board
from ....reference_engine.errors import nearest
from ....reference_engine.notation import read_location, read_unit
from ...play.answer import Answer
from .records import PHASE_NAMES, ArchiveError, ArchiveFormat, RecordedPhase, cut

_SECTIONS = frozenset(
    {
        "PRESTATE",
        "PRESTATE_DISLODGED",
        "PRESTATE_RESULTS",
        "PRESTATE_SUPPLYCENTER_OWNERS",
        "ORDERS",
        "POSTSTATE",
        "POSTSTATE_DISLODGED",
    }
)
_PHASE = re.compile(
    r"(?P<season>Spring|Fall|Autumn|Winter)\s+(?P<year>\d{1,4})\s*[,(\[]\s*(?P<phase>\w+)", re.IGNORECASE
)
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
        ended = False

        def begins(line: bytes) -> bool:
            nonlocal ended
            words, follows_end = _words(line), ended
            ended = words[:1] == [b"END"]
            return follows_end or words[:1] == [b"CASE"] or _is_variant(words)

        for number, content in cut(lines, begins, "the case in line {}"):
            words = _words(content.partition(b"\n")[0])
            if _is_variant(words):
                name = words[-1].decode(errors="replace")
                raise ArchiveError(
                    f"the cases from line {number} on are of the variant {name}, not on the standard map"
                )
            if words[:1] == [b"CASE"]:
                yield number, content

    def phases(self, content: bytes) -> Iterable[RecordedPhase]:
        return _Case(content.decode()).phases()


def _words(line: bytes) -> Sequence[bytes]:
    return line.partition(b"#")[0].split()


def _is_variant(words: Sequence[bytes]) -> bool:
    return words[:1] == [b"VARIANT_ALL"] and not words[-1].lower().endswith(b"standard")


class _Case:
    """A case, its sections gathered."""

    def __init__(self, text: str) -> None:
        self.name: str = ""
        self.when: str = "Spring 1901, Movement"
        self.sections: dict[str, list[tuple[str, str]]] = {}
        self.is_same: bool = False
        section: list[tuple[str, str]] | None = None
        for raw in text.splitlines():
            line = raw.partition("#")[0].strip()
            word, _, rest = line.partition(" ")
            if word == "END":
                return
            if word == "CASE":
                self.name = rest.strip()
            elif word == "PRESTATE_SETPHASE":
                self.when = rest.strip()
            elif word == "POSTSTATE_SAME":
                self.is_same = True
            elif word in _SECTIONS:
                section = self.sections[word] = []
            elif line and section is None:
                raise ArchiveError(f"{line!r} stands before any section")
            elif line and section is not None:
                section.append(_of_power(line))

    def phases(self) -> Iterator[RecordedPhase]:
        """Give the movements before the case, if it has any, and the phase of the case."""
        when = _PHASE.match(self.when)
        phase = when and PHASE_NAMES.get(when["phase"].lower())
        if when is None or phase is None:
            raise ArchiveError(f"{self.when!r} is no phase such as 'Spring 1901, Movement'")
        name = f"{'F' if when['season'].upper() == 'AUTUMN' else when['season'][0].upper()}{when['year']}"
        units, dislodged = self._units("PRESTATE"), self._dislodged("PRESTATE_DISLODGED")
        orders = tuple(self.sections.get("PRESTATE_RESULTS", ()))
        if phase == "retreat" and "PRESTATE_RESULTS" in self.sections:
            # Each order names a unit that stood there.
            before = tuple(_unit(*each) for each in orders)
            yield RecordedPhase(self.name, f"{name}M", "movement", before, orders, answer=Answer(units, dislodged))
        centers: dict[str, list[str]] = {}
        for power, text in self.sections.get("PRESTATE_SUPPLYCENTER_OWNERS", ()):
            centers.setdefault(power, []).append(read_location(_OWNED_BY.sub("", text, count=1)))
        answer, forced_out = None, self._dislodged("POSTSTATE_DISLODGED")
        if self.is_same or "POSTSTATE" in self.sections:
            after = units if self.is_same else self._units("POSTSTATE")
            answer = Answer(after, forced_out if phase == "movement" else None)
        yield RecordedPhase(
            self.name,
            f"{name}{phase[0].upper()}",
            phase,
            units,
            tuple(self.sections.get("ORDERS", ())),
            centers,
            dislodged if phase == "retreat" else (),
            answer,
        )

    def _units(self, section: str) -> tuple[Unit, ...]:
        return tuple(sorted(_unit(power, text) for power, text in self.sections.get(section, ())))

    def _dislodged(self, section: str) -> tuple[Dislodged, ...]:
        return tuple(Dislodged(unit, None, None) for unit in self._units(section))


def _of_power(line: str) -> tuple[str, str]:
    """Split a line into its power and the rest; the colon may be missing."""
    text = _OTHER_WORDS.sub("", line).strip()
    name, _, rest = text.partition(":" if ":" in text else " ")
    codes = {power.name.upper(): power.code for power in standard_board().powers.values()}
    code = codes.get(name.strip().upper())
    if code is None:
        known = nearest(name.strip(), [power.name for power in standard_board().powers.values()])
        raise ArchiveError(f"{line!r} does not begin with a power, such as 'France: '{known}")
    return code, rest.strip()


def _unit(power: str, text: str) -> Unit:
    """Read the unit that a text begins with: of an order, or alone."""
    words = text.split()
    for count in range(len(words), 1, -1):
        with suppress(NotationError):
            unit = read_unit(" ".join(words[:count]))
            if unit.type is not None:
                return Unit(power, unit.type, unit.location)
    with suppress(NotationError):  # An order whose words are not apart: `A tyr-tri`.
        ordered = getattr(read_order(text).order, "unit", None)
        if ordered is not None and ordered.type is not None:
            return Unit(power, ordered.type, ordered.location)
    raise ArchiveError(f"{text!r} names no unit such as 'A Paris'")
