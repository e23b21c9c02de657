"""What a replay finds, as data that is merged chunk by chunk and does not grow with the archive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, final

import msgspec

from ...reference_engine import PHASES, Phase
from ..fuzzing.causes import Cause
from ..fuzzing.findings import Finding

Status: TypeAlias = Literal["read", "agrees", "differs", "follows", "skipped"]
"""What is said of a phase. Each phase that was read has one of the others: `follows` where it goes on from one that
differs, `skipped` where it could not be compared."""
STATUSES: tuple[Status, ...] = ("read", "agrees", "differs", "follows", "skipped")

MOST_PLACES = 20
"""Of the phases with one cause so many are named."""
MOST_GAMES = 1000
"""Of the games with one kind of difference so many are counted."""
MOST_PROBLEMS = 20
"""Of the lines that cannot be read so many are named."""
_MOST_KINDS = 300
"""Kinds of differences that are kept apart; what comes later has only its phase and what differs."""


class ReplayFinding(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """Differing phases that have the same explanation, with one of them as their example.

    `engine` is 0 for what was recorded, and 1 for the engine; `times` says how many phases they are.
    """

    phase: Phase
    games: list[int] = msgspec.field(default_factory=list[int])
    """The games that they are in, by a hash of their names: the first so many."""
    places: list[str] = msgspec.field(default_factory=list[str])
    """The first of these phases: `GAME/PHASE`, with the file and the line."""

    @property
    def key(self) -> tuple[object, ...]:
        """Return what they have in common."""
        cause = self.cause
        changes = tuple(tuple(sorted(each.items())) for each in cause.changes)
        return self.engine, self.phase, cause.kind, cause.label, changes, tuple(cause.mutants)


class Tested(msgspec.Struct, frozen=True):
    """How a cause fares on the phases of a chunk on which it predicts another result than the rules in force."""

    asked: int = 0
    agreed: int = 0
    """Those that are recorded as it predicts."""
    as_rules: int = 0
    """Those that are recorded as the rules have it."""


class ChunkResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was found in one chunk."""

    chunk: int
    counts: dict[Phase, dict[Status, int]] = {}
    reasons: dict[str, int] = {}
    """Why phases were skipped."""
    unreadable: int = 0
    """Lines, or blocks of lines, that cannot be read."""
    problems: list[str] = []
    breaks: list[str] = []
    """The first phases that begin with another board than the phase before ended with."""
    break_count: int = 0
    games: int = 0
    findings: list[ReplayFinding] = []
    tested: list[Tested] = []
    """Where causes were tested: for each of them, in their order."""
    trouble: str = ""
    """Why it was not finished."""


@final
@dataclass
class Totals:
    """The sum of the results of chunks."""

    counts: dict[Phase, Counter[Status]] = field(default_factory=lambda: {phase: Counter[Status]() for phase in PHASES})
    reasons: Counter[str] = field(default_factory=Counter[str])
    unreadable: int = 0
    problems: list[str] = field(default_factory=list[str])
    breaks: list[str] = field(default_factory=list[str])
    break_count: int = 0
    games: int = 0
    chunks: int = 0
    merged: dict[tuple[object, ...], ReplayFinding] = field(default_factory=dict[tuple[object, ...], ReplayFinding])

    def add(self, result: ChunkResult) -> None:
        """Add the result of the next chunk."""
        for phase, counts in result.counts.items():
            self.counts[phase].update(counts)
        self.reasons.update(result.reasons)
        self.unreadable += result.unreadable
        self.problems = [*self.problems, *result.problems][:MOST_PROBLEMS]
        self.break_count += result.break_count
        self.breaks = [*self.breaks, *result.breaks][:MOST_PLACES]
        self.games += result.games
        self.chunks += 1
        merge_findings(self.merged, result.findings)

    def count(self, status: Status) -> int:
        """Return how many phases have a status."""
        return sum(counts[status] for counts in self.counts.values())

    @property
    def compared(self) -> int:
        """How many phases were compared."""
        return self.count("agrees") + self.count("differs")

    @property
    def findings(self) -> Sequence[ReplayFinding]:
        """Return what differs."""
        return list(self.merged.values())

    def data(self) -> Mapping[Phase, Mapping[str, int]]:
        """Return the counts of each kind of phase."""
        return {phase: {status: counts[status] for status in STATUSES} for phase, counts in self.counts.items()}


def merge_findings(merged: dict[tuple[object, ...], ReplayFinding], findings: Iterable[ReplayFinding]) -> None:
    """Add findings to those with the same explanation; the example with the fewest units stays."""
    for new in findings:
        finding = new
        if finding.key not in merged and len(merged) >= _MOST_KINDS:
            cause = Cause(kind=new.cause.kind, label="", unexplained=new.cause.unexplained)
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
