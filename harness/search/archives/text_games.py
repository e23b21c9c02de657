"""Archives that are texts: the cases of jDip, the results that an njudge mails, and orders as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import final

from ....reference_engine import Dislodged, NotationError, Unit, province_code, read_order, standard_board
from ....reference_engine.errors import nearest
from ....reference_engine.notation import read_location, read_unit
from ....reference_engine.orders import Build, Disband, Move, Phase, Remove, Retreat
from ...paste.reader import has_orders, read_pasted
from ...play.answer import Answer, OrderOutcome
from ...play.positions import order_text
from .records import MOST_ORDERS, PHASE_NAMES, ArchiveError, ArchiveFormat, RecordedPhase, cut, outcome_of

_LETTERS = {"spring": "S", "summer": "S", "fall": "F", "autumn": "F", "winter": "W"}
_JDIP = re.compile(rb"^[ \t]*(VARIANT_ALL|CASE|PRESTATE_SETPHASE)\s", re.MULTILINE)
_SECTION = re.compile(r"PRESTATE(_DISLODGED|_RESULTS|_SUPPLYCENTER_OWNERS)?|ORDERS|POSTSTATE(_DISLODGED)?")
_WHEN = re.compile(
    r"(?P<season>Spring|Fall|Autumn|Winter)\s+(?P<year>\d{1,4})\s*[,(\[]\s*(?P<phase>\w+)", re.IGNORECASE
)
_OWNED_BY = re.compile(r"(A|F|Army|Fleet)\s+", re.IGNORECASE)
"""A supply center may be written as a unit in it: `Russia: A stp`."""
_OTHER_WORDS = re.compile(r"(?<!\s)\s*\b(dislodged|SUCCESS|FAILURE)\b\s*:?", re.IGNORECASE)


@final
class JdipCases(ArchiveFormat):
    """Cases of jDip, such as its datc.txt: each a game of one phase, before retreats with the movements before."""

    def recognises(self, start: bytes) -> bool:
        return _JDIP.search(start) is not None

    def blocks(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
        """Take each case as a block, from `CASE` to `END`. Raises `ArchiveError` for the map of a variant."""
        ended = False

        def begins(line: bytes) -> bool:
            nonlocal ended
            (words, is_variant), follows_end = _words(line), ended
            ended = words[:1] == [b"END"]
            return follows_end or words[:1] == [b"CASE"] or is_variant

        for number, content in cut(lines, begins, "the case in line {}"):
            words, is_variant = _words(content.partition(b"\n")[0])
            if is_variant:
                cases = f"the cases from line {number} on are of the variant {words[-1].decode(errors='replace')}"
                raise ArchiveError(f"{cases}, not on the standard map")
            if words[:1] == [b"CASE"]:
                yield number, content

    def phases(self, content: bytes) -> Iterator[RecordedPhase]:
        """Give the movements before the case, if it has any, and the phase of the case."""
        heads, sections = _read_case(content.decode())
        when = _WHEN.match(heads["PRESTATE_SETPHASE"])
        phase = when and PHASE_NAMES.get(when["phase"].lower())
        if when is None or phase is None:
            raise ArchiveError(f"{heads['PRESTATE_SETPHASE']!r} is no phase such as 'Spring 1901, Movement'")

        def units(section: str) -> tuple[Unit, ...]:
            return tuple(sorted(_unit(*each) for each in sections.get(section, ())))

        def dislodged(section: str) -> tuple[Dislodged, ...]:
            return tuple(Dislodged(unit, None, None) for unit in units(section))

        game, date = heads["CASE"], f"{_LETTERS[when['season'].lower()]}{when['year']}"
        before, retreating = units("PRESTATE"), dislodged("PRESTATE_DISLODGED")
        if phase == "retreat" and "PRESTATE_RESULTS" in sections:
            orders = tuple(sections["PRESTATE_RESULTS"])
            stood = tuple(_unit(*each) for each in orders)  # Each order names a unit that stood there.
            yield RecordedPhase(game, f"{date}M", "movement", stood, orders, answer=Answer(before, retreating))
        centers: dict[str, list[str]] = {}
        for power, text in sections.get("PRESTATE_SUPPLYCENTER_OWNERS", ()):
            centers.setdefault(power, []).append(read_location(_OWNED_BY.sub("", text, count=1)))
        answer, forced_out = None, dislodged("POSTSTATE_DISLODGED")
        if "POSTSTATE_SAME" in heads or "POSTSTATE" in sections:
            after = before if "POSTSTATE_SAME" in heads else units("POSTSTATE")
            answer = Answer(after, forced_out if phase == "movement" else None)
        name, orders = f"{date}{phase[0].upper()}", tuple(sections.get("ORDERS", ()))
        beside = retreating if phase == "retreat" else ()
        yield RecordedPhase(game, name, phase, before, orders, centers, beside, answer)


def _read_case(text: str) -> tuple[dict[str, str], dict[str, list[tuple[str, str]]]]:
    """Return what stands on the lines of a case, and its sections: for each line a power and the rest."""
    heads = {"CASE": "", "PRESTATE_SETPHASE": "Spring 1901, Movement"}
    sections: dict[str, list[tuple[str, str]]] = {}
    section: list[tuple[str, str]] | None = None
    for raw in text.splitlines():
        line = raw.partition("#")[0].strip()
        word, _, rest = line.partition(" ")
        if word == "END":
            break
        if word in heads or word == "POSTSTATE_SAME":
            heads[word] = rest.strip()
        elif _SECTION.fullmatch(word):
            section = sections[word] = []
        elif line:
            if section is None:
                raise ArchiveError(f"{line!r} stands before any section")
            section.append(_of_power(line))
    else:
        raise ArchiveError("the case does not end with END: the file may be cut off")
    return heads, sections


def _words(line: bytes) -> tuple[Sequence[bytes], bool]:
    """Return the words of a line, and whether it names the map of a variant."""
    words = line.partition(b"#")[0].split()
    return words, words[:1] == [b"VARIANT_ALL"] and not words[-1].lower().endswith(b"standard")


def _of_power(line: str) -> tuple[str, str]:
    text = _OTHER_WORDS.sub("", line).strip()
    name, _, rest = text.partition(":" if ":" in text else " ")
    codes = {power.name.upper(): power.code for power in standard_board().powers.values()}
    code = codes.get(name.strip().upper())
    if code is None:
        known = nearest(name.strip(), [power.name for power in standard_board().powers.values()])
        raise ArchiveError(f"{line!r} does not begin with a power, such as 'France: '{known}")
    return code, rest.strip()


_LONGEST_UNIT = 10
"""No unit is written in more words: "Fleet St. Petersburg (north coast)" has five."""


def _unit(power: str, text: str) -> Unit:
    """Read the unit that a text begins with: of an order, or alone."""
    words = text.split(None, _LONGEST_UNIT)[:_LONGEST_UNIT]
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
_ENDS = re.compile(r"(?<!\bSt)\.\s*$|(?::|(?<!coast)\))\s*$")
_LONGEST = 2000
"""Nothing that goes on in the next line is longer."""
_COUNT = re.compile(r"\d+ supply cent", re.IGNORECASE)
_BUILD = re.compile(r"Builds an? (?P<type>army|fleet) in (?:the )?(?P<where>.+)", re.IGNORECASE)
_REMOVAL = re.compile(
    r"(?P<default>Defaults?, )?remov(?:es|ing) the (?P<type>army|fleet) in (?:the )?(?P<where>.+)", re.IGNORECASE
)
_NO_ORDER = re.compile(r",\s*no orders? (?:processed|given)$", re.IGNORECASE)
_LIST = re.compile(r",\s*|(?<!\s)\s+or\s+")
_OWNERS = "ownership of supply centers"


@final
class NjudgeResults(ArchiveFormat):
    """Results as an njudge mails them, turn after turn. A turn begins with its movements, which name all units."""

    def recognises(self, start: bytes) -> bool:
        return _HEADING.search(start.decode(errors="replace")) is not None

    def blocks(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
        """Take each turn as a block, below the last line before it that names the game. Raises `ArchiveError`."""

        def with_games() -> Iterator[tuple[int, bytes]]:
            game = b""
            for number, line in lines:
                if named := _GAME.search(line):
                    game = b"Game: " + named["name"] + b"\n"
                yield number, game + line if _TURN.search(line) else line

        return cut(with_games(), _TURN.search, "the turn in line {}")

    def game_of(self, content: bytes) -> str:
        named = _HEADING.search(content.decode(errors="replace"))
        if named is not None and named["game"]:
            return named["game"]
        found = _GAME.search(content)
        return found["name"].decode(errors="replace") if found else ""

    def phases(self, content: bytes) -> Iterator[RecordedPhase]:
        """Read a turn, in which each phase goes on from the board that the one before it left."""
        game, phase = self.game_of(content), None
        units: tuple[Unit, ...] = ()
        doubt = ""
        dislodged: tuple[Dislodged, ...] = ()
        centers: dict[str, list[str]] | None = None
        given: dict[str, RecordedPhase] = {}
        for line in (*_unbroken(content.decode()), _OWNERS):  # The last heading ends the last phase.
            heading = _HEADING.search(line)
            if heading is None and not line.lower().startswith(_OWNERS):
                try:
                    if phase is not None:
                        phase.take(line)
                    elif centers is not None and (named := _named(line)) and not _COUNT.match(named[1]["text"]):
                        centers[named[0]] = [read_location(each) for each in _LIST.split(named[1]["text"]) if each]
                except (ArchiveError, NotationError) as error:
                    if phase is None:
                        raise ArchiveError(f"{line!r}: {error}") from error
                    phase.lost.append(f"{line!r}: {error}")
                    phase.doubt = f"it follows {phase.name}, of which a line cannot be read"
                continue
            if phase is not None and (phase.units or phase.orders or phase.lost):
                yield given.setdefault(phase.name, phase.recorded(game, centers or {}))
                units, dislodged, doubt = tuple(sorted(phase.after)), phase.dislodged_by_unit(), phase.doubt
            if heading is None:
                phase, centers = None, {}
                continue
            kind = PHASE_NAMES[heading["what"].lower().partition(" ")[0]]
            name = f"{_LETTERS[heading['season'].lower()]}{heading['year']}{kind[0].upper()}"
            if name in given:  # It was mailed twice.
                yield given[name]
                phase = centers = None
                continue
            phase = _Phase(kind, name)
            if kind != "movement":
                phase = _Phase(kind, name, units, after=list(units), lost=[doubt] if doubt else [], doubt=doubt)
            if kind == "retreat":
                phase.dislodged = dislodged


@dataclass
class _Phase:
    kind: Phase
    name: str
    units: tuple[Unit, ...] = ()
    dislodged: tuple[Dislodged, ...] = ()
    orders: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    outcomes: list[OrderOutcome | None] = field(default_factory=list[OrderOutcome | None])
    after: list[Unit] = field(default_factory=list[Unit])
    forced_out: list[Dislodged] = field(default_factory=list[Dislodged])
    lost: list[str] = field(default_factory=list[str])
    doubt: str = ""
    """Why the board after it is not known."""
    lines: int = 0
    """How many were taken."""

    def recorded(self, game: str, centers: Mapping[str, Sequence[str]]) -> RecordedPhase:
        answer = Answer(tuple(self.after)) if self.kind == "retreat" or centers else None
        if self.kind == "movement":
            answer = Answer(tuple(self.after), self.dislodged_by_unit(), tuple(self.outcomes))
        orders = tuple(self.orders)
        phase = RecordedPhase(game, self.name, self.kind, self.units, orders, dict(centers), self.dislodged, answer)
        return phase._replace(lost=tuple(str(ArchiveError(each)) for each in self.lost))

    def dislodged_by_unit(self) -> tuple[Dislodged, ...]:
        return tuple(sorted(self.forced_out, key=lambda entry: entry.unit))  # A broken text may name a unit twice.

    def take(self, line: str) -> None:
        self.lines += 1
        if self.lines > 2 * MOST_ORDERS:  # An order each, and a line each on where a unit can retreat to.
            raise ArchiveError(f"the phase has more than {2 * MOST_ORDERS} lines")
        if found := _DISLODGED.fullmatch(line):
            if self.kind == "movement":
                self._open_retreats(found)
        elif named := _named(line):
            power, order = named
            read = {"movement": self._movement, "retreat": self._retreat, "adjustment": self._adjustment}[self.kind]
            read(power, order["text"], order["words"])

    def _movement(self, power: str, text: str, remark: str | None) -> None:
        words = [word.strip().lower() for word in (remark or "").split(",") if word.strip()]
        alone = _NO_ORDER.sub("", text)
        order, unit = None, _unit(power, alone)
        try:
            order = None if alone != text else read_order(text).order
        except NotationError as error:
            if "->" in text.partition(" SUPPORT ")[0]:  # Where the unit went is not known.
                raise
            self.lost.append(f"{text!r}: {error}")
        self.units = (*self.units, unit)
        if order is not None:
            self.orders.append((power, text))
            self.outcomes.append(outcome_of(words, order) if words else None)
        if {"dislodged", "destroyed"}.intersection(words):
            self.forced_out.append(Dislodged(unit, None, () if "destroyed" in words else None))
        else:
            self.after.append(_arrived(unit, order.to) if isinstance(order, Move) and not words else unit)

    def _open_retreats(self, found: re.Match[str]) -> None:
        province = province_code(read_unit(re.sub(r" in (the )?", " ", found["unit"])).location)
        names = _LIST.split(found["to"] or "")
        places = tuple(sorted(read_location(each.removeprefix("the ")) for each in names if each))
        self.forced_out = [
            entry._replace(retreats=places) if province_code(entry.unit.location) == province else entry
            for entry in self.forced_out
        ]

    def _retreat(self, power: str, text: str, remark: str | None) -> None:
        if _NO_ORDER.search(text):  # It disbands.
            return
        order = read_order(text, "retreat").order
        if not isinstance(order, (Retreat, Disband)):
            raise ArchiveError(f"{text!r} is no retreat")
        self.orders.append((power, text))
        if isinstance(order, Retreat) and not remark:
            province = province_code(order.unit.location)
            units = [entry.unit for entry in self.dislodged if province_code(entry.unit.location) == province]
            if not units:
                raise ArchiveError(f"no unit was dislodged that could go: {text!r}")
            self.after.append(_arrived(units[0], order.to))

    def _adjustment(self, power: str, text: str, _remark: str | None) -> None:
        if found := _BUILD.fullmatch(text):
            written = f"Build {found['type']} {found['where']}"
            order = read_order(written, "adjustment").order
            if isinstance(order, Build) and order.unit.type is not None:
                self.orders.append((power, written))
                self.after.append(Unit(power, order.unit.type, order.unit.location))
        elif found := _REMOVAL.fullmatch(text):
            written = f"Remove {found['type']} {found['where']}"
            order = read_order(written, "adjustment").order
            if not isinstance(order, Remove):
                raise ArchiveError(f"{text!r} is no removal")
            if not found["default"]:
                self.orders.append((power, written))
            gone = province_code(order.unit.location)
            self.after = [unit for unit in self.after if province_code(unit.location) != gone]


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


def _named(line: str) -> tuple[str, re.Match[str]] | None:
    """Return the power that a line begins with, and what the line says of it."""
    order = _ORDER.fullmatch(line)
    powers = {power.name: power.code for power in standard_board().powers.values()}
    return (powers[order["power"]], order) if order and order["power"] in powers else None


def _arrived(unit: Unit, to: str) -> Unit:
    """Put a unit where it went; a fleet on the only coast that it can reach, where none is named."""
    board = standard_board()
    if unit.type == "A":
        return unit._replace(location=province_code(to))
    if board.can_stand("F", to):
        return unit._replace(location=to)
    coasts: Sequence[str] = [each for each in board.destinations(unit) if province_code(each) == province_code(to)]
    return unit._replace(location=coasts[0] if len(coasts) == 1 else to)


_TITLE = re.compile(rb"\s*(?P<id>\S+?)\.?\s+TEST CASE\b", re.IGNORECASE)
_TEXT = re.compile(rb"[^\x00-\x08\x0e-\x1a\x1c-\x1f]*")


@final
class OrderTexts(ArchiveFormat):
    """Orders as people write them: positions with the units that are named, and the retreats; without results."""

    def recognises(self, start: bytes) -> bool:
        return _TEXT.fullmatch(start) is not None and has_orders(start.decode(errors="replace"))

    def blocks(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
        blank = b""
        for number, content in cut(lines, _TITLE.match, "the position in line {}"):
            if content.strip():
                yield 1 if blank else number, blank + content
            blank = b"" if content.strip() else content  # Above the first heading.

    def phases(self, content: bytes) -> Iterable[RecordedPhase]:
        heading = _TITLE.match(content)
        body = content.partition(b"\n")[2] if heading else content
        name = heading["id"].decode(errors="replace") if heading else "text"
        pasted = read_pasted(body.decode(), "below the heading" if heading else "in the text")
        for phase in pasted.phases:
            position = phase.position
            if position is None and phase.phase != "retreat":
                continue  # It needs the centers after the phases before it.
            date = f"{pasted.season[0]}{pasted.year}{phase.phase[0]}".upper()
            units, dislodged = (position.units, position.dislodged) if position is not None else ((), ())
            orders = tuple((given.power, order_text(given)) for given in phase.orders)
            recorded = RecordedPhase(name, date, phase.phase, units, orders, phase.centers, dislodged)
            yield recorded._replace(notes=pasted.notes) if phase is pasted.phases[0] else recorded
