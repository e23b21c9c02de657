"""What a search finds, as data: findings with their positions and answers, and the result of a chunk."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

import msgspec

from ...adapters import AdjudicateParams, DislodgedMessage, UnitMessage
from ...adapters.conversion import center_messages, dislodged_messages, read_position, unit_messages, unit_of
from ...adapters.protocol import GivenOrderMessage
from ...reference_engine import Dislodged, Phase, Submitted, province_code
from ...reference_engine.maps import STANDARD
from ...reference_engine.notation import Style
from ...reports import FactData
from ..play.answer import Answer, Failure
from ..play.differences import Fact
from ..play.differential import Played
from ..play.engine import order_messages, read_orders
from ..play.positions import USUAL_YEAR, OrderedPosition
from ..play.report_data import read_fact
from ..play.session import PlayedPhase, find_impossible
from .disagreement import UNEXPLAINED, Cause

Status: TypeAlias = Literal["read", "agrees", "words", "differs", "follows", "skipped"]
"""What is said of a recorded phase. Each phase that was read has one of the others: `words` where the board agrees and
only an outcome of an order differs, `follows` where it goes on from one that differs, `skipped` where it could not be
compared."""
STATUSES: tuple[Status, ...] = Status.__args__

MOST_PLACES, MOST_GAMES, MOST_PROBLEMS = 20, 1000, 20
"""So many phases, and games, with one cause are kept, and so many lines that cannot be read."""
_MOST_KINDS = 300
"""Kinds of differences that are kept apart; what comes later has only its phase and what differs."""


class StoredPosition(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A position with its orders as it is stored: the objects of the engine protocol."""

    phase: Phase = "movement"
    units: list[UnitMessage]
    centers: dict[str, list[str]] = {}
    dislodged: list[DislodgedMessage] = []
    """Before a retreat phase that stands alone."""
    orders: list[GivenOrderMessage]
    retreats: list[GivenOrderMessage] | None = None
    year: int = USUAL_YEAR
    autumn: bool = False
    map: str = STANDARD


class StoredAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an adjudicator answered to a position."""

    party: str
    units: list[UnitMessage] | None = None
    """The board after the last phase; `None` where it failed."""
    dislodged: dict[str, list[str] | None] | None = None
    """After movements: each dislodged unit by its province, with its retreats; `None` where nothing is said."""
    dislodged_units: list[UnitMessage] = []
    """The same units, where they are not those that stood in these provinces."""
    failure: str = ""
    moved: list[UnitMessage] | None = None
    """The board after the movements, where retreats came after them."""


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """A position on which an engine differs, or several with the same explanation and one of them as their example."""

    number: int
    source: str
    engine: int
    """Whose answer differs: the number of the engine. Of a recorded game, 0 is what was recorded; of a shadow, 0 is
    the engine in use."""
    cause: Cause
    found_units: int
    found_mutants: list[str] = []
    """The mutants that explained it then, where it was shrunk: fewer, since it showed more."""
    position: StoredPosition | None = None
    """The minimal position; `None` where enough like it were shrunk already: its number makes it again."""
    relation: str = ""
    """For an engine that contradicts itself: the name of what should have made no difference."""
    salt: int = 0
    said: list[StoredAnswer] = []
    """What all answered to it, the engine first and the reference last."""
    facts: list[FactData] = []
    of_retreats: bool = False
    """The facts are about the retreats after the movements."""
    times: int = 1
    """How many positions it stands for, which have the same explanation."""
    phase: Phase | None = None
    """Of a recorded game: the phase that differs."""
    games: list[int] = []
    """The games that it was recorded in, by a hash of their names: the first so many."""
    places: list[str] = []
    """The first of the recorded phases: `GAME/PHASE`, with the file and the line."""

    @property
    def units(self) -> int:
        """How many units the position has."""
        return self.found_units if self.position is None else len(self.position.units)

    @property
    def length(self) -> int:
        """How many characters the orders of the position have."""
        return 0 if self.position is None else sum(len(order.text) for order in self.position.orders)

    @property
    def expected(self) -> StoredAnswer:
        """What is expected of the engine: what it answered to the same in another form, or else the reference."""
        return self.said[1] if self.relation else self.said[-1]

    @property
    def wrong(self) -> tuple[int, tuple[Fact, ...]]:
        """Return the number of the phase that is wrong, and what is wrong with it."""
        return int(self.of_retreats), tuple(map(read_fact, self.facts))

    def ordered(self) -> OrderedPosition:
        """Return its position, which it has to have. Raises `PositionError`."""
        assert self.position is not None  # noqa: S101 - the caller has seen it
        return read_stored_position(self.position)

    def played(self, style: Style = "codes") -> tuple[OrderedPosition, Played, Played]:
        """Return its position, what the engine answered to it, and what is expected. Raises `PositionError`."""
        ordered = self.ordered()
        return ordered, read_said(self.said[0], ordered, style), read_said(self.expected, ordered, style)

    @property
    def key(self) -> tuple[object, ...]:
        """Return what recorded phases with the same explanation have in common."""
        cause = self.cause
        changes = tuple(tuple(sorted(each.items())) for each in cause.changes)
        return self.engine, self.phase, cause.kind, cause.label, changes, tuple(cause.mutants)


class Seconds(msgspec.Struct, frozen=True):
    """Where the time went: drawing or reading, in engines, and comparing with all that follows from it."""

    generator: float = 0.0
    engines: float = 0.0
    comparison: float = 0.0


class ReadCounts(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What was read of archives, and what could not be compared."""

    phases: dict[Phase, dict[Status, int]] = {}
    reasons: dict[str, int] = {}
    unreadable: int = 0
    """Lines, or blocks of lines, that cannot be read."""
    problems: list[str] = []
    breaks: list[str] = []
    """The first phases that begin with another board than the phase before ended with."""
    repeats: list[str] = []
    """The first phases that are recorded twice, and counted once."""
    break_count: int = 0
    games: int = 0

    def add_phase(self, phase: Phase, status: Status, times: int = 1) -> None:
        """Count a phase."""
        counts = self.phases.setdefault(phase, {})
        counts[status] = counts.get(status, 0) + times

    def add(self, other: ReadCounts) -> None:
        """Add the counts of the next chunk."""
        for phase, counts in other.phases.items():
            for status, times in counts.items():
                self.add_phase(phase, status, times)
        self.reasons = dict(Counter(self.reasons) + Counter(other.reasons))
        self.unreadable += other.unreadable
        self.problems = [*self.problems, *other.problems][:MOST_PROBLEMS]
        self.break_count += other.break_count
        self.breaks = [*self.breaks, *other.breaks][:MOST_PLACES]
        self.repeats = [*self.repeats, *other.repeats][:MOST_PLACES]
        self.games += other.games

    def drop_unasked(self) -> None:
        """Leave out the phases that were read, and not asked before it was stopped."""
        for counts in self.phases.values():
            counts["read"] = sum(counts.values()) - counts["read"]

    def of_phase(self, phase: Phase) -> Mapping[Status, int]:
        """Return how many phases of a kind have each status."""
        counts = self.phases.get(phase, {})
        return {status: counts.get(status, 0) for status in STATUSES}

    def count(self, status: Status) -> int:
        """Return how many phases have a status."""
        return sum(counts.get(status, 0) for counts in self.phases.values())

    @property
    def compared(self) -> int:
        """How many phases were compared."""
        return self.count("agrees") + self.count("words") + self.count("differs")


class Weighed(msgspec.Struct, frozen=True):
    """How a cause fares on recorded phases that tell what it predicts from what the rules in force predict."""

    asked: int = 0
    agreed: int = 0
    """Those that are recorded as it predicts."""
    as_rules: int = 0
    """Those that are recorded as the rules have it."""

    @property
    def gain(self) -> int:
        """How many phases more agree than under the rules in force."""
        return self.agreed - self.as_rules

    def __add__(self, other: Weighed) -> Weighed:
        """Return both together."""
        return Weighed(self.asked + other.asked, self.agreed + other.agreed, self.as_rules + other.as_rules)


class ChunkResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was found in one chunk of a hunt or an archive."""

    chunk: int
    asked: dict[str, int] = {}
    answered: list[int] = []
    """How many positions each engine has answered; of an archive nothing."""
    unsupported: int = 0
    """Positions that an engine said it cannot do: they are no findings."""
    findings: list[Finding] = []
    seconds: Seconds = Seconds()
    trouble: str = ""
    """Why it was not finished: an engine stopped responding, or time was up."""
    read: ReadCounts | None = None
    weighed: list[Weighed] = []
    """Where causes were tested on an archive: for each of them, in their order."""

    @property
    def positions(self) -> int:
        """How many positions were asked."""
        return sum(self.asked.values())

    def __add__(self, other: ChunkResult) -> ChunkResult:
        """Return what both have counted of a hunt, without their findings and what stopped them."""
        asked, unsupported = dict(Counter(self.asked) + Counter(other.asked)), self.unsupported + other.unsupported
        answered = [*map(sum, itertools.zip_longest(self.answered, other.answered, fillvalue=0))]
        spent = map(sum, zip(*map(msgspec.structs.astuple, (self.seconds, other.seconds)), strict=True))
        return ChunkResult(
            chunk=self.chunk, asked=asked, answered=answered, unsupported=unsupported, seconds=Seconds(*spent)
        )


def store_position(ordered: OrderedPosition) -> StoredPosition:
    """Put a position into a store."""
    position, orders, retreats, year, autumn = ordered
    return StoredPosition(
        phase=position.phase,
        units=unit_messages(position.units),
        centers=center_messages(position.centers),
        dislodged=dislodged_messages(position.dislodged),
        orders=order_messages([Submitted(*given) for given in orders]),
        retreats=None if retreats is None else order_messages([Submitted(*given) for given in retreats]),
        year=year,
        autumn=autumn,
        map=position.board.name,
    )


def read_stored_position(data: StoredPosition) -> OrderedPosition:
    """Take a position from a store. Raises `PositionError`."""
    season = "winter" if data.phase == "adjustment" else "autumn" if data.autumn else "spring"
    position = read_position(
        AdjudicateParams(
            phase=data.phase,
            units=data.units,
            centers=data.centers,
            dislodged=data.dislodged,
            map=data.map,
            season=season,
        )
    )
    retreats = None if data.retreats is None else read_orders(data.retreats)
    return OrderedPosition(position, read_orders(data.orders), retreats, data.year, data.autumn)


def said_data(name: str, played: Played) -> StoredAnswer:
    """Put what an adjudicator answered into a store."""
    first, last = played[0], played[-1]
    if isinstance(last.answer, Failure):
        return StoredAnswer(party=name, failure=last.answer.reason)
    entries = last.answer.dislodged or ()
    retreats = {province_code(unit.location): None if to is None else list(to) for unit, _, to in entries}
    units = [entry.unit for entry in entries]
    moved = first.answer if last is not first else None
    return StoredAnswer(
        party=name,
        units=unit_messages(last.answer.units),
        dislodged=None if last.answer.dislodged is None else dict(sorted(retreats.items())),
        dislodged_units=[] if set(last.asked.units).issuperset(units) else unit_messages(units),
        moved=unit_messages(moved.units) if isinstance(moved, Answer) else None,
    )


def read_said(said: StoredAnswer, ordered: OrderedPosition, style: Style = "codes") -> Played:
    """Take what an adjudicator answered to a position from a store; of a failure the first phase alone."""
    asked, *later = ordered.phases(style)
    if said.units is None:
        return (PlayedPhase(asked, Failure(said.failure)),)
    dislodged = None
    if said.dislodged is not None:
        # Those that it does not list are the ones that stood there before.
        stood = [unit for unit in asked.units if province_code(unit.location) in said.dislodged]
        retreats = {place: None if to is None else tuple(to) for place, to in said.dislodged.items()}
        units = sorted(map(unit_of, said.dislodged_units)) or sorted(stood)
        dislodged = tuple(Dislodged(unit, None, retreats.get(province_code(unit.location))) for unit in units)
    first = Answer(tuple(map(unit_of, said.units if said.moved is None else said.moved)), dislodged)
    played = (PlayedPhase(asked, first, find_impossible(asked, first)),)
    if said.moved is None or not later:
        return played
    asked, last = later[0].after(first), Answer(tuple(map(unit_of, said.units)))
    return (*played, PlayedPhase(asked, last, find_impossible(asked, last)))


def merge_findings(merged: dict[tuple[object, ...], Finding], findings: Iterable[Finding]) -> None:
    """Add recorded findings to those with the same explanation; the example with the fewest units stays."""
    for new in findings:
        finding = new
        if finding.key not in merged and len(merged) >= _MOST_KINDS:
            cause = UNEXPLAINED if new.cause.unexplained else Cause(kind=new.cause.kind, label="")
            finding = msgspec.structs.replace(new, cause=cause, position=None, said=[], facts=[])
        known = merged.get(finding.key)
        if known is None:
            merged[finding.key] = finding
            continue
        best = min(known, finding, key=lambda each: (each.position is None, each.units, each.number))
        merged[finding.key] = msgspec.structs.replace(
            best,
            times=known.times + finding.times,
            games=list(dict.fromkeys([*known.games, *finding.games]))[:MOST_GAMES],
            places=[*known.places, *finding.places][:MOST_PLACES],
        )
