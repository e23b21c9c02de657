"""One investigation for hunts and replays: from a disagreement to a finding.

A source asks its questions and gives each answer that is not as expected. Each disagreement is explained; one of
each kind is made smaller; the others are counted.
"""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, final

from msgspec.structs import replace

from ...adapters import EngineClosedError, EngineGaveOutError
from ...reference_engine import Phase
from ..bugs.shrink import Shrinker
from ..play.differential import Played, find_facts
from ..play.positions import OrderedPosition
from ..play.report_data import fact_data
from .disagreement import Cause, Disagreement, explain_difference, same_kind
from .findings import ChunkResult, Finding, ReadCounts, Seconds, merge_findings, said_data, store_position
from .patterns import Shape, shows_in
from .relations import RELATIONS

STOPPED = "it was stopped before its end"
TELL_INTERVAL = 0.05
"""Seconds between two reports of progress that differ by positions alone: many are asked in that time."""
MOST_QUESTIONS = 400
MOST_SILENT_CRASHES, MOST_HANGS = 4, 2
"""So many failures are shrunk in a chunk of which the engine says nothing: only what it was asked tells them apart."""
_SILENT = re.compile(r"gave no answer within \S+ s|ended (with exit code -?\d+|by signal \w+)|closed the connection .*")
_OF_SINGLE_UNITS = frozenset({"hold", "move", "retreat", "disbandment", "build", "removal"})
"""An engine that crashes wherever a province is named does so in a hold, a move and a build: that is one bug."""


class Progress(NamedTuple):
    """How far a chunk is."""

    positions: int
    findings: int
    shrinking: bool = False


class Question(NamedTuple):
    """Where a disagreement was met, and how it was asked."""

    number: int
    source: str
    engine: int = 0
    """Whose answer it is, from 0."""
    relation: str = ""
    """What should make no difference; empty where the answer is compared with that of others."""
    salt: int = 0
    phase: Phase | None = None
    """Of a recorded game: the phase that differs."""
    game: int | None = None
    """The game, as a hash of its name."""


class Source(ABC):
    """Where questions come from: positions that are drawn, or recorded games."""

    is_recorded: bool = False
    """Whether nothing draws its positions again: each finding keeps its own, and is one with those explained alike."""
    asking: float = 0.0
    """Seconds that the engines took for what was not asked in order to explain or shrink."""

    def __init__(self, stop: Callable[[], bool] = lambda: False) -> None:
        """`stop` says to end it early; where it shrinks a position just then, the smallest one until then is kept."""
        self.stop: Callable[[], bool] = stop
        self.asked: Counter[str] = Counter()
        """How many positions of each source were asked."""
        self.answered: Sequence[int] = ()
        """How many of them each engine has answered."""
        self.unsupported: int = 0
        self.read: ReadCounts | None = None

    @abstractmethod
    def ask(self) -> Iterator[Iterable[tuple[Question, Disagreement]]]:
        """Give for each position the answers that are not as expected; the engines are asked when these are taken.

        Raises `EngineGaveOutError` and `EngineClosedError`.
        """

    @abstractmethod
    def find(self, question: Question, found: Disagreement, ordered: OrderedPosition) -> Disagreement | None:
        """Look for the same disagreement on another position. Raises the same."""

    @abstractmethod
    def said(self, question: Question, found: Disagreement) -> Sequence[tuple[str, Played]]:
        """Return what all answer to a position, the one that differs first and the reference last."""

    def explain(self, found: Disagreement) -> Cause:
        """Find what explains a disagreement."""
        return explain_difference(found)

    def most_shrunk(self, cause: Cause) -> int:
        """Return how many disagreements of a chunk with such a cause, and alike, are made smaller."""
        return 4 if cause.kind == "bug" else 1

    def shrink(self, question: Question, shrinker: Shrinker, found: Disagreement) -> OrderedPosition:
        """Return the smallest position that the shrinker keeps."""
        del question
        return shrinker.shrink(found.ordered)

    def smallest(
        self, question: Question, found: Disagreement, keeps: Callable[[Disagreement], bool], tell: Callable[[], None]
    ) -> Disagreement:
        """Return the smallest disagreement like another one that is found until it has to stop. Raises as `find`."""
        kept = [found]

        def find(ordered: OrderedPosition) -> Disagreement | None:
            try:
                small = None if self.stop() else self.find(question, found, ordered)
            except EngineClosedError:
                if not self.stop():
                    raise
                return None
            return small if small is not None and keeps(small) else None

        def interesting(ordered: OrderedPosition) -> bool:
            if found.ordered.owns_where_it_stands and not ordered.owns_where_it_stands:
                return False
            tell()
            if (small := find(ordered)) is not None:
                kept.append(small)
            return small is not None

        usual = found.ordered.in_turn(found.ordered.position.board.first_year, autumn=False)
        if usual != found.ordered and interesting(usual):  # The season and the year do not matter.
            found = kept[-1]
        small = find(self.shrink(question, Shrinker(interesting, MOST_QUESTIONS, self.stop), found))
        if self.stop():
            return kept[-1]
        return small or found  # A flaky engine answers otherwise now.


@final
class Investigation:
    """The disagreements of one chunk: what is found depends on its source alone, unless it is stopped."""

    def __init__(self, source: Source, tell: Callable[[Progress], None] = lambda _: None) -> None:
        """`tell` gets the progress several times a second, and at once where something is found or shrinking begins."""
        self._source, self._tell = source, tell
        self._shrunk = Counter[tuple[int, str, str]]()
        self._patterns: dict[str, tuple[int, Shape]] = {}
        """The bugs that were shrunk, by their patterns: of which engine, and what they look like."""
        self._failures: list[tuple[int, str, frozenset[str]]] = []
        """The failures that were shrunk of which the engine says nothing: whose, which, at which kinds of orders."""
        self._findings: list[Finding] = []
        self._positions = 0
        self._told: Progress | None = None
        self._tell_next = 0.0
        """When to report progress again, by `time.perf_counter`, if only positions were asked until then."""

    def run(self, chunk: int = 0) -> ChunkResult:
        """Ask everything that the source has."""
        began = started = time.perf_counter()
        generating, trouble = 0.0, ""
        try:
            for asked in self._source.ask():
                generating += time.perf_counter() - started
                self._report()
                if self._source.stop():
                    trouble = STOPPED
                    break
                for question, found in asked:
                    self._findings.append(self._note(question, found))
                self._positions += 1
                started = time.perf_counter()
        except (EngineGaveOutError, EngineClosedError) as error:
            trouble = STOPPED if self._source.stop() else str(error)
        except KeyboardInterrupt:
            trouble = STOPPED
        asking, findings = self._source.asking, self._findings
        rest = time.perf_counter() - began - generating - asking
        if self._source.is_recorded:
            merged: dict[tuple[object, ...], Finding] = {}
            merge_findings(merged, findings)
            findings = list(merged.values())
        return ChunkResult(
            chunk=chunk,
            findings=findings,
            seconds=Seconds(round(generating, 6), round(asking, 6), round(rest, 6)),
            trouble=trouble,
            asked=dict(self._source.asked),
            answered=list(self._source.answered),
            unsupported=self._source.unsupported,
            read=self._source.read,
        )

    def _report(self, *, shrinking: bool = False) -> None:
        """Report progress: a change that is left out would stay unseen for as long as the next question takes."""
        now, told = time.perf_counter(), self._told
        is_news = told is None or (told.findings, told.shrinking) != (len(self._findings), shrinking)
        if is_news or now >= self._tell_next:
            self._tell_next = now + TELL_INTERVAL
            self._told = Progress(self._positions, len(self._findings), shrinking)
            self._tell(self._told)

    def _note(self, question: Question, found: Disagreement) -> Finding:
        """Explain a disagreement; shrink it unless there are enough like it, and explain that."""
        cause = self._source.explain(found)
        if cause.unexplained:
            here = found.shape
            mine = ((label, small) for label, (engine, small) in self._patterns.items() if engine == question.engine)
            bugs = (Cause(kind="bug", label=label, unexplained=True) for label, small in mine if shows_in(small, here))
            cause = next(bugs, cause)
        if cause.label in self._patterns:
            return self._finding(question, cause, found, is_small=False)
        known, silent = self._known_failure(question, cause, found), _most_silent(found)
        likeness = found.what_differs if cause.unexplained else cause.label or " ".join(cause.mutants)
        if cause.kind == "deviation":
            likeness = " ".join(sorted({issue for changes in cause.changes for issue in changes}))
        kind = (question.engine, cause.kind, likeness)
        self._shrunk[kind] += 1
        if self._shrunk[kind] <= (silent or self._source.most_shrunk(cause)) or (silent and known is None):
            return self._shrunken(question, cause, found)
        counted = replace(cause, label="") if cause.unexplained else known or cause
        return self._finding(question, counted, found, is_small=False)

    def _known_failure(self, question: Question, cause: Cause, found: Disagreement) -> Cause | None:
        """Find a failure that was shrunk before in this chunk, and of whose kinds of orders all are here, too."""
        if cause.kind != "failure":
            return None
        same = [kinds for engine, label, kinds in self._failures if (engine, label) == (question.engine, cause.label)]
        known = [kinds for kinds in same if kinds <= found.order_kinds]
        return _silent_failure(cause.label, max(known, key=len)) if known else None

    def _shrunken(self, question: Question, cause: Cause, found: Disagreement) -> Finding:
        keeps = same_kind(cause, found)
        small = self._source.smallest(question, found, keeps, lambda: self._report(shrinking=True))
        now = cause if small.is_about_words else self._source.explain(small)
        if now.unexplained and not now.label:
            now = Cause(kind="bug", label=f"with {len(small.ordered.units)} units", unexplained=True)
        elif now.unexplained:
            _ = self._patterns.setdefault(now.label, (question.engine, small.shape))
        if _most_silent(small) and not self._source.stop():
            kinds = small.order_kinds - _OF_SINGLE_UNITS
            self._failures.append((question.engine, now.label, kinds))
            now = _silent_failure(now.label, kinds)
        kept = self._finding(question, now, small)
        return replace(kept, found_units=len(found.ordered.units), found_mutants=cause.mutants)

    def _finding(self, question: Question, cause: Cause, found: Disagreement, *, is_small: bool = True) -> Finding:
        """Return a finding; without its position where it is one more of its kind, and can be drawn again."""
        finding = new_finding(question, cause, found)
        if not is_small and not self._source.is_recorded:
            return finding
        return with_position(finding, found, self._source.said(question, found))


def new_finding(question: Question, cause: Cause, found: Disagreement) -> Finding:
    """Make the finding of a disagreement, without its position."""
    number, source, engine, relation, salt, phase, game = question
    finding = Finding(number, source, engine, cause, len(found.ordered.units), salt=salt, phase=phase)
    if found.contradicts_another_answer:
        names = (name for name, each in RELATIONS.items() if each.sentence == found.relation)
        finding = replace(finding, relation=next(names, relation))
    return finding if game is None else replace(finding, places=[source], games=[game])


def with_position(finding: Finding, found: Disagreement, said: Sequence[tuple[str, Played]]) -> Finding:
    """Return a finding with the position of a disagreement, and what all answer to it."""
    expected = found.expected if found.contradicts_another_answer else said[-1][1]
    number, facts = find_facts(expected, found.said)
    return replace(
        finding,
        position=store_position(found.ordered),
        said=[said_data(*each) for each in said],
        facts=list(map(fact_data, facts)),
        of_retreats=number > 0,
    )


def _most_silent(found: Disagreement) -> int:
    """Return how many like it are shrunk, where it is a failure of which the engine says nothing; otherwise 0."""
    reason = "" if found.failure is None else found.failure.reason
    if not _SILENT.fullmatch(reason):
        return 0
    return MOST_HANGS if reason.startswith("gave no answer within") else MOST_SILENT_CRASHES


def _silent_failure(kind: str, kinds: frozenset[str]) -> Cause:
    """Return what failures share of which the engine says nothing, from the kinds of orders that it was asked."""
    return Cause(kind="failure", label=f"{kind}: {', '.join(sorted(kinds)) or 'orders for single units'}")
