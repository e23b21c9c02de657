"""Hunts through one chunk of positions: draws, asks, compares, explains, shrinks."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, final

import msgspec

from ...adapters import EngineClosedError, EngineGaveOutError
from ..answers import Answer, Failure
from ..asking import Played, agree, ask, find_facts, first_difference
from ..generating.shrink import Shrinker
from ..positions import OrderedPosition
from ..session import Adjudicator, ReferenceAdjudicator
from ..verdict import fact_data
from .causes import Cause, Disagreement, explain_difference, explaining_mutants, single_explanations, word_labels
from .failures import failure_label, is_hang, is_silent, order_kinds, telling_kinds
from .findings import ChunkResult, Finding, Seconds, said_data, store_position
from .metamorphic import contradiction, own_contradiction
from .patterns import Shape, shape, shows_in
from .plan import Drawn, Plan, draw

STOPPED = "it was stopped before its end"
TELL_INTERVAL = 0.05
"""Seconds between two reports of progress that differ by positions alone: many are asked in that time."""
MOST_QUESTIONS = 400
"""Of shrinking one position."""
MOST_OF_A_KIND = {"deviation": 1, "failure": 1, "bug": 4}
"""So many findings of a kind and label are shrunk in a chunk; the rest are counted."""
MOST_SILENT_CRASHES, MOST_HANGS = 4, 2
"""So many failures are shrunk in a chunk of which the engine says nothing: only what it was asked tells them apart."""


class Progress(NamedTuple):
    """How far a chunk is."""

    positions: int
    """Positions that were asked."""
    findings: int
    shrinking: bool = False


def hunt_chunk(
    plan: Plan,
    adjudicators: Sequence[Adjudicator],
    chunk: int,
    stop: Callable[[], bool],
    tell: Callable[[Progress], None] = lambda _: None,
) -> ChunkResult:
    """Ask the engines the positions of a chunk, unless `stop` says to stop before.

    `tell` gets the progress several times a second, and at once where something is found or shrinking begins or ends.
    What is found depends on the plan and the engines alone. Where it has to stop while it shrinks a position, it keeps
    the smallest one that it has.
    """
    return _Chunk(plan, adjudicators, chunk, stop, tell).hunt()


class _KnownFailure(NamedTuple):
    """A failure that was shrunk, of which the engine says nothing."""

    engine: int
    kind: str
    kinds: frozenset[str]
    """The kinds of orders that it was asked."""

    def shows_in(self, engine: int, kind: str, kinds: frozenset[str]) -> bool:
        return (self.engine, self.kind) == (engine, kind) and self.kinds <= kinds


@final
@dataclass
class _Chunk:
    """A chunk as far as it was asked."""

    plan: Plan
    adjudicators: Sequence[Adjudicator]
    chunk: int
    stop: Callable[[], bool]
    tell: Callable[[Progress], None]
    _asked: Counter[str] = field(default_factory=Counter[str])
    _shrunk: Counter[tuple[int, str, str]] = field(default_factory=Counter[tuple[int, str, str]])
    _patterns: dict[str, tuple[int, Shape]] = field(default_factory=dict[str, tuple[int, Shape]])
    """The bugs that were shrunk, by their patterns: of which engine, and what they look like."""
    _failures: list[_KnownFailure] = field(default_factory=list[_KnownFailure])
    """The failures that were shrunk of which the engine says nothing."""
    _findings: list[Finding] = field(default_factory=list[Finding])
    _unsupported: int = 0
    _told: Progress | None = None
    """The progress that was reported last."""
    _tell_next: float = 0.0
    """When to report progress again, by `time.perf_counter`, if only positions were asked until then."""
    _generating: float = 0.0
    _asking: float = 0.0

    @cached_property
    def _reference(self) -> ReferenceAdjudicator:
        return ReferenceAdjudicator(self.plan.ruleset)

    def hunt(self) -> ChunkResult:
        began = time.perf_counter()
        trouble = ""
        for number in self.plan.numbers(self.chunk):
            self._tell()
            if self.stop():
                trouble = STOPPED
                break
            started = time.perf_counter()
            drawn = draw(self.plan, number)
            self._generating += time.perf_counter() - started
            try:
                self._ask(drawn)
            except (EngineGaveOutError, EngineClosedError) as error:
                trouble = STOPPED if self.stop() else str(error)
                break
            except KeyboardInterrupt:
                trouble = STOPPED
                break
            self._asked[drawn.source] += 1
        whole = time.perf_counter() - began
        return ChunkResult(
            chunk=self.chunk,
            asked=dict(self._asked),
            unsupported=self._unsupported,
            findings=self._findings,
            seconds=Seconds(
                generator=round(self._generating, 6),
                engines=round(self._asking, 6),
                comparison=round(whole - self._generating - self._asking, 6),
            ),
            trouble=trouble,
        )

    def _ask(self, drawn: Drawn) -> None:
        if not drawn.relation:
            self._compare(drawn)
            return
        for engine in range(len(self.adjudicators)):
            started = time.perf_counter()
            found = self._contradiction(engine, drawn.ordered, drawn)
            self._asking += time.perf_counter() - started
            if found is not None:
                self._note(drawn, engine, found)

    def _compare(self, drawn: Drawn) -> None:
        """Ask all engines, and the reference unless they agree; find those that differ from the reference."""
        started = time.perf_counter()
        every = [ask(adjudicator, drawn.ordered) for adjudicator in self.adjudicators]
        self._asking += time.perf_counter() - started
        answered = [played for played in every if played]
        self._unsupported += len(every) - len(answered)
        if len(every) > 1 and self._all_alike(answered):
            return
        expected = ask(self._reference, drawn.ordered)
        for engine, said in enumerate(every):
            if said and expected and not agree(expected, said, words=self.plan.words):
                self._note(drawn, engine, self._disagreement(engine, drawn.ordered, said, expected))

    def _all_alike(self, answered: Sequence[Played]) -> bool:
        """Whether all gave the same valid answer, so that nothing is compared with the reference."""
        if any(isinstance(played[-1].answer, Failure) or played[-1].impossible for played in answered):
            return False
        return all(agree(answered[0], other, words=self.plan.words) for other in answered[1:])

    def _contradiction(self, engine: int, ordered: OrderedPosition, drawn: Drawn) -> Disagreement | None:
        """Look for what an engine contradicts by its answers to two forms of a position."""
        found = contradiction(self.adjudicators[engine], ordered, drawn.relation, drawn.salt)
        if found is None:
            return None
        possible = self.plan.engines[engine].possible
        return Disagreement(ordered, found.said, found.expected, self.plan.ruleset, found.sentence, possible)

    def _disagreement(self, engine: int, ordered: OrderedPosition, said: Played, expected: Played) -> Disagreement:
        relation, possible = own_contradiction(ordered, said), self.plan.engines[engine].possible
        return Disagreement(ordered, said, expected, self.plan.ruleset, relation, possible)

    def _find(self, engine: int, ordered: OrderedPosition, drawn: Drawn) -> Disagreement | None:
        """Look for a disagreement on another position, as it was looked for on the one that was drawn."""
        if drawn.relation:
            return self._contradiction(engine, ordered, drawn)
        said, expected = ask(self.adjudicators[engine], ordered), ask(self._reference, ordered)
        if not said or not expected or agree(expected, said, words=self.plan.words):
            return None
        return self._disagreement(engine, ordered, said, expected)

    def _find_in_time(self, engine: int, ordered: OrderedPosition, drawn: Drawn) -> Disagreement | None:
        """Look for a disagreement on another position, unless it has to stop before the answer."""
        if self.stop():
            return None
        try:
            return self._find(engine, ordered, drawn)
        except EngineClosedError:
            if self.stop():
                return None
            raise

    def _tell(self, *, shrinking: bool = False) -> None:
        """Report progress: a change that is left out would stay unseen for as long as the next question takes."""
        now = time.perf_counter()
        told = self._told
        is_news = told is None or (told.findings, told.shrinking) != (len(self._findings), shrinking)
        if is_news or now >= self._tell_next:
            self._tell_next = now + TELL_INTERVAL
            self._told = Progress(sum(self._asked.values()), len(self._findings), shrinking)
            self.tell(self._told)

    def _note(self, drawn: Drawn, engine: int, disagreement: Disagreement) -> None:
        """Explain a disagreement, shrink it unless there are enough like it, and explain that."""
        cause = explain_difference(disagreement)
        if cause.unexplained:
            cause = self._known_cause(engine, disagreement) or cause
        kind = (engine, cause.kind, _likeness(cause, disagreement))
        finding = Finding(
            number=drawn.number,
            source=drawn.source,
            engine=engine,
            cause=cause,
            found_units=len(drawn.ordered.units),
            relation=_relation(drawn, disagreement),
            salt=drawn.salt,
        )
        if cause.label in self._patterns:
            self._findings.append(finding)
            return
        known = self._known_failure(engine, cause, disagreement)
        most = _most_silent(disagreement) or MOST_OF_A_KIND[cause.kind]
        self._shrunk[kind] += 1
        if self._shrunk[kind] <= most or (known is None and _most_silent(disagreement)):
            finding = self._shrink(drawn, finding, disagreement)
        elif cause.unexplained:
            finding = _replace(finding, cause=Cause(kind="bug", label="", unexplained=True))
        elif known is not None:
            finding = _replace(finding, cause=known)
        self._findings.append(finding)

    def _known_cause(self, engine: int, disagreement: Disagreement) -> Cause | None:
        """Find a bug that was shrunk before in this chunk, and shows here too."""
        here = shape(disagreement.ordered, disagreement.expected, disagreement.said)
        for label, (owner, small) in self._patterns.items():
            if owner == engine and shows_in(small, here):
                return Cause(kind="bug", label=label, unexplained=True)
        return None

    def _known_failure(self, engine: int, cause: Cause, disagreement: Disagreement) -> Cause | None:
        """Find a failure that was shrunk before in this chunk, and of whose kinds of orders all are here, too."""
        kinds = order_kinds(disagreement)
        found = [known for known in self._failures if known.shows_in(engine, cause.label, kinds)]
        if cause.kind != "failure" or not found:
            return None
        most = max(found, key=lambda known: len(known.kinds))
        return Cause(kind="failure", label=failure_label(most.kind, most.kinds))

    def _silent_failure(self, engine: int, cause: Cause, small: Disagreement) -> Cause:
        """Tell a failure of which the engine says nothing from others by what it was asked, once that is minimal."""
        if not _most_silent(small) or self.stop():
            return cause
        known = _KnownFailure(engine, cause.label, telling_kinds(small))
        self._failures.append(known)
        return Cause(kind="failure", label=failure_label(known.kind, known.kinds))

    def _shrink(self, drawn: Drawn, finding: Finding, disagreement: Disagreement) -> Finding:
        keeps = same_kind(finding.cause, disagreement)

        kept = [disagreement]

        def interesting(ordered: OrderedPosition) -> bool:
            if disagreement.ordered.owns_where_it_stands and not ordered.owns_where_it_stands:
                return False
            self._tell(shrinking=True)
            found = self._find_in_time(finding.engine, ordered, drawn)
            if found is None or not keeps(found):
                return False
            kept.append(found)
            return True

        small = Shrinker(interesting, MOST_QUESTIONS, self.stop).shrink(disagreement.ordered)
        found = self._find_in_time(finding.engine, small, drawn)
        if self.stop():
            found = kept[-1]
            small = found.ordered
        elif found is None or not keeps(found):  # The engine is flaky.
            small, found = disagreement.ordered, disagreement
        cause = finding.cause if found.is_about_words else explain_difference(found)
        if cause.unexplained and not cause.label:
            cause = Cause(kind="bug", label=f"with {len(small.units)} units", unexplained=True)
        elif cause.unexplained:
            _ = self._patterns.setdefault(cause.label, (finding.engine, shape(small, found.expected, found.said)))
        cause = self._silent_failure(finding.engine, cause, found)
        number, facts = find_facts(found.expected, found.said)
        return _replace(
            finding,
            cause=cause,
            relation=_relation(drawn, found),
            found_mutants=finding.cause.mutants,
            position=store_position(small),
            said=[said_data(*each) for each in self._everyone(finding, found)],
            facts=list(map(fact_data, facts)),
            of_retreats=number > 0,
        )

    def _everyone(self, finding: Finding, found: Disagreement) -> Sequence[tuple[str, Played]]:
        """Return what all answer to a position, the engine that differs first and the reference last."""
        engine = self.adjudicators[finding.engine]
        said = [(engine.name, found.said)]
        if found.contradicts_another_answer:
            said.append(("expected after its answer to the same in another form", found.expected))
        others = [*(one for one in self.adjudicators if one is not engine and not self.stop()), self._reference]
        for other in others:
            try:
                played = ask(other, found.ordered)
            except EngineClosedError:
                if not self.stop():
                    raise
                continue
            if played:
                said.append((other.name, played))
        return said


def _most_silent(disagreement: Disagreement) -> int:
    """Return how many like it are shrunk, where it is a failure of which the engine says nothing; otherwise 0."""
    last = disagreement.said[-1].answer
    if not isinstance(last, Failure) or not is_silent(last):
        return 0
    return MOST_HANGS if is_hang(last) else MOST_SILENT_CRASHES


def _replace(finding: Finding, **fields: object) -> Finding:
    return msgspec.structs.replace(finding, **fields)


def _relation(drawn: Drawn, disagreement: Disagreement) -> str:
    return drawn.relation if disagreement.contradicts_another_answer else ""


def _likeness(cause: Cause, disagreement: Disagreement) -> str:
    """Return what findings have in common before they are shrunk."""
    if cause.kind == "deviation":
        return " ".join(sorted({issue for changes in cause.changes for issue in changes}))
    return what_differs(disagreement) if cause.unexplained else cause.label or " ".join(cause.mutants)


def what_differs(disagreement: Disagreement) -> str:
    """Say what is wrong: the board of a phase, or where units may retreat to, or the engine contradicts itself."""
    if disagreement.impossible or disagreement.relation:
        return disagreement.impossible or disagreement.relation
    difference = first_difference(disagreement.expected, disagreement.said)
    if difference is None:
        return "words"
    mine, theirs = difference
    if isinstance(mine.answer, Answer) and isinstance(theirs.answer, Answer):
        return f"{mine.asked.phase} {'board' if mine.answer.units != theirs.answer.units else 'retreats'}"
    return mine.asked.phase


def _phase(disagreement: Disagreement) -> tuple[str, int]:
    """Return which phase was answered last."""
    return disagreement.ordered.phase, len(disagreement.said)


def same_kind(cause: Cause, first: Disagreement) -> Callable[[Disagreement], bool]:
    """Tell whether another disagreement is of the same kind: by what explains it, or by what differs."""
    differs, phase = what_differs(first), _phase(first)

    def keeps(found: Disagreement) -> bool:
        last = found.said[-1].answer
        if cause.kind == "failure":
            return isinstance(last, Failure) and last.kind == cause.label and _phase(found) == phase
        if isinstance(last, Failure) or what_differs(found) != differs:
            return False
        if found.impossible or found.relation:
            return True
        if found.is_about_words:
            return cause.label in word_labels(found)
        singles = single_explanations(found)
        if cause.mutants:
            return not singles and not set(cause.mutants).isdisjoint(explaining_mutants(found))
        if cause.kind == "bug":
            return not singles
        return any(changes.items() <= wanted.items() for changes in singles for wanted in cause.changes)

    return keeps
