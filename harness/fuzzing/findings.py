"""What a hunt finds, as data."""

from __future__ import annotations

import msgspec

from ...adapters import UnitMessage, unit_messages, unit_of
from .answers import Answer, Failure
from .causes import Cause
from .parties import Statement
from .situation import SituationData


class SaidData(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a party said of a position."""

    party: str
    units: list[UnitMessage] | None = None
    """The board after the last phase; `None` where it failed."""
    dislodged: dict[str, list[str] | None] | None = None
    """After movements: each dislodged unit by its province, with its retreats; `None` where nothing is said."""
    failure: str = ""
    moved: list[UnitMessage] | None = None
    """The board after the movements, where retreats came after them."""


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A position on which an engine differs."""

    number: int
    """Which position of the hunt shows it."""
    source: str
    engine: int
    """Which engine it is, from 0."""
    cause: Cause
    found_units: int
    """How many units stood there when it was found."""
    found_faults: list[str] = []
    """The deliberate faults that explained it then, where it was made small: fewer, for it showed more."""
    position: SituationData | None = None
    """Made as small as possible; `None` where there were enough of its like already: its number makes it again."""
    relation: str = ""
    """For an engine that contradicts itself: the name of what should have made no difference."""
    salt: int = 0
    said: list[SaidData] = []
    """What all parties said of it, the engine first and the reference last."""

    @property
    def units(self) -> int:
        """How many units the position has."""
        return self.found_units if self.position is None else len(self.position.units)


class Seconds(msgspec.Struct, frozen=True, kw_only=True):
    """Where the time went."""

    generator: float = 0.0
    engines: float = 0.0
    comparison: float = 0.0
    """Comparing, explaining, and shrinking, with the questions that these ask."""


class ChunkResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of one chunk."""

    chunk: int
    asked: dict[str, int]
    """For each source, the positions that were asked."""
    unsupported: int = 0
    """Positions that an engine said it cannot do: they are no findings."""
    findings: list[Finding] = []
    seconds: Seconds = Seconds()
    trouble: str = ""
    """Why it was not finished: an engine gave out, or time was up."""

    @property
    def positions(self) -> int:
        """How many positions were asked."""
        return sum(self.asked.values())


def said_data(party: str, statement: Statement) -> SaidData:
    """Put what a party said into a store."""
    last = statement.last
    if isinstance(last, Failure):
        return SaidData(party=party, failure=last.reason)
    first = statement.said[0]
    moved = unit_messages(first.units) if len(statement.said) > 1 and isinstance(first, Answer) else None
    return SaidData(party=party, units=unit_messages(last.units), dislodged=_dislodged(last), moved=moved)


def _dislodged(answer: Answer) -> dict[str, list[str] | None] | None:
    if answer.retreats is None:
        return None
    return {where: None if to is None else sorted(to) for where, to in sorted(answer.retreats.items())}


def statement_of(said: SaidData) -> Statement:
    """Take what a party said to movements or adjustments from a store."""
    first = said.units if said.moved is None else said.moved
    if first is None:
        return Statement((Failure(said.failure),), None)
    retreats = None
    if said.dislodged is not None:
        retreats = {where: None if to is None else frozenset(to) for where, to in said.dislodged.items()}
    return Statement((Answer(tuple(sorted(map(unit_of, first))), retreats),), None)
