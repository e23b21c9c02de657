"""Replays one chunk of an archive: reads it, asks, compares, explains."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, final

from ...adapters import EngineClosedError, EngineGaveOutError
from ...reference_engine import PHASES, Phase, PositionError, Ruleset
from ..answers import AnswerOrFailure, Failure, PhaseInput, same_answer, same_words
from ..archives import ArchiveError, Chunk, RecordedPhase, Turn, turns_of
from ..archives.formats import format_named
from ..asking import Played, agree, find_facts
from ..diagnosis.mutants import MUTANTS
from ..experiments.changes import HashableChange
from ..fuzzing.causes import (
    Cause,
    Disagreement,
    explain_difference,
    explaining_mutants,
    single_explanations,
    unexplained_cause,
)
from ..fuzzing.chunk import same_kind, what_differs
from ..fuzzing.findings import said_data, store_position
from ..fuzzing.metamorphic import own_contradiction
from ..fuzzing.patterns import Shape, shape, shows_in
from ..fuzzing.plan import Plan
from ..positions import OrderedPosition
from ..session import Adjudicator, PlayedPhase, ReferenceAdjudicator, play
from ..verdict import fact_data
from .recorded import NAME, recorded_answers
from .results import MOST_PLACES, MOST_PROBLEMS, ChunkResult, ReplayFinding, Status, Tested, merge_findings
from .shrinking import shrink

Against: TypeAlias = Literal["archive", "reference"]
"""What an engine is held to."""
NamedCause: TypeAlias = "HashableChange | str"
"""Choices, or the name of a mutant."""

MOST_SEARCHED = 20
"""For so many differences of a chunk several choices at once are tried; for the rest single ones and mutants."""
MOST_SHRUNK = 20
"""So many differences of a chunk that nothing explains are shrunk."""
NO_RESULT = "no result is recorded"
NO_POSITION = "it is no position on the board"
NO_RETREATS = "its retreats are not recorded, and neither are the movements before it"
BROKEN = "it begins with another board than the movements before it ended with"
FAILED = "there is no answer"


@dataclass(frozen=True)
class ReplayPlan:
    """What is held to what. The result of a chunk depends on nothing else."""

    plan: Plan
    """The engine, if there is one, and the ruleset."""
    against: Against = "archive"

    @property
    def ruleset(self) -> Ruleset:
        """Return the rules in force."""
        return self.plan.ruleset

    def signature(self) -> dict[str, object]:
        """Return what two replays share if one goes on where the other stopped."""
        signature = self.plan.signature()
        return {"engines": signature["engines"], "ruleset": signature["ruleset"], "against": self.against}


class TurnInput(NamedTuple):
    """A turn that can be asked."""

    turn: Turn
    inputs: Sequence[PhaseInput]

    def ordered(self, phases: int) -> OrderedPosition:
        """Return the position with the orders of so many phases."""
        retreats = self.turn.retreat if phases > 1 else None
        return OrderedPosition(
            self.inputs[0].position(), self.turn.first.given_orders, retreats and retreats.given_orders
        )


@final
@dataclass
class Reader:
    """Reads the turns of a chunk, and counts what it leaves out."""

    chunk: Chunk
    counts: dict[Phase, Counter[Status]] = field(default_factory=lambda: {phase: Counter[Status]() for phase in PHASES})
    reasons: Counter[str] = field(default_factory=Counter[str])
    unreadable: int = 0
    problems: list[str] = field(default_factory=list[str])
    breaks: list[str] = field(default_factory=list[str])
    break_count: int = 0
    games: set[str] = field(default_factory=set[str])

    def turns(self) -> Iterator[TurnInput]:
        """Give the turns of which each phase is on the board."""
        for turn in turns_of(self._phases()):
            if any(entry.retreats is None for entry in turn.first.dislodged):
                self.skip(turn.first, NO_RETREATS)
                continue
            try:
                inputs = [turn.first.asked(), *([turn.retreat.asked(follows=True)] if turn.retreat else [])]
            except PositionError as error:
                self._name_problem(f"{self.place(turn.first)}: {error}")
                for phase in turn.phases:
                    self.skip(phase, NO_POSITION)
                continue
            yield TurnInput(turn, inputs)

    def _phases(self) -> Iterator[RecordedPhase]:
        archive_format = format_named(self.chunk.format)
        last: RecordedPhase | None = None
        for block in self.chunk.blocks:
            try:
                if block.problem:
                    raise ArchiveError(block.problem)  # noqa: TRY301 - as one that is found when it is read
                phases = list(archive_format.phases(block.content))
            except ArchiveError as error:
                self.unreadable += 1
                self._name_problem(f"{self.chunk.file}, line {block.line}: {error}")
                continue
            for read in phases:
                phase = read._replace(line=block.line)
                self.count(phase, "read")
                self.games.add(phase.game)
                if last is not None and _begins_elsewhere(last, phase):
                    # Blocks without a game are alone, even if they have the same name.
                    is_next = last.line == block.line or bool(archive_format.game_of(block.content))
                    self._name_break(phase, follows=is_next)
                last = phase
                yield phase

    def _name_break(self, phase: RecordedPhase, *, follows: bool) -> None:
        self.break_count += follows
        if follows and len(self.breaks) < MOST_PLACES:
            self.breaks.append(self.place(phase))

    def place(self, phase: RecordedPhase) -> str:
        """Name a phase, and where it stands."""
        return f"{phase.id} ({Path(self.chunk.file).name}:{phase.line})"

    def count(self, phase: RecordedPhase, status: Status) -> None:
        """Count a phase."""
        self.counts[phase.phase][status] += 1

    def skip(self, phase: RecordedPhase, reason: str) -> None:
        """Count a phase that cannot be compared."""
        self.count(phase, "skipped")
        self.reasons[reason] += 1

    def _name_problem(self, problem: str) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem)


def _begins_elsewhere(last: RecordedPhase, phase: RecordedPhase) -> bool:
    """Whether a phase of the same game begins with another board than the one before it ended with."""
    if last.answer is None or last.game != phase.game or not phase.game:
        return False
    return not last.answer.has_units(phase.units)


def replay_chunk(replay: ReplayPlan, adjudicators: Sequence[Adjudicator], chunk: Chunk) -> ChunkResult:
    """Compare the phases of a chunk: what was recorded with the reference, or an engine with one of the two."""
    return _Replay(replay, adjudicators[0] if adjudicators else None, Reader(chunk)).run()


def weigh_causes(replay: ReplayPlan, causes: Sequence[tuple[Phase, NamedCause]], chunk: Chunk) -> ChunkResult:
    """Count on how many phases each cause predicts what was recorded; each is for phases of one kind."""
    reader = Reader(chunk)
    reference = ReferenceAdjudicator(replay.ruleset)
    systems = [(phase, _system(replay.ruleset, cause)) for phase, cause in causes]
    asked, agreed, as_rules = ([0] * len(causes) for _ in range(3))
    for turn, inputs in reader.turns():
        if not any(phase == turn.first.phase for phase, _ in systems):
            continue
        by_rules = tuple(play(reference, inputs[:1]))
        first = recorded_answers(turn, inputs, by_rules).played[0]
        if first is None:
            continue
        recorded = (first,)
        for index, (phase, system) in enumerate(systems):
            if phase != turn.first.phase:
                continue
            predicted = tuple(play(system, inputs[:1]))
            if not agree(by_rules, predicted):
                asked[index] += 1
                agreed[index] += agree(predicted, recorded)
                as_rules[index] += agree(by_rules, recorded)
    tested = [Tested(*each) for each in zip(asked, agreed, as_rules, strict=True)]
    return ChunkResult(chunk=chunk.number, tested=tested)


@lru_cache(maxsize=64)
def _system(ruleset: Ruleset, cause: NamedCause) -> ReferenceAdjudicator:
    if isinstance(cause, str):
        return ReferenceAdjudicator(ruleset, MUTANTS[cause].procedure, cause)
    return ReferenceAdjudicator(ruleset.with_choices(dict(cause)))


@final
@dataclass
class _Replay:
    """A chunk as far as it was replayed."""

    replay: ReplayPlan
    engine: Adjudicator | None
    reader: Reader
    _merged: dict[tuple[object, ...], ReplayFinding] = field(default_factory=dict[tuple[object, ...], ReplayFinding])
    _patterns: dict[str, tuple[int, Shape]] = field(default_factory=dict[str, tuple[int, Shape]])
    """What was shrunk and nothing explains, by its pattern: whose it is, and what it looks like."""
    _searched: int = 0
    _shrunk: int = 0
    _number: int = 0

    @cached_property
    def reference(self) -> ReferenceAdjudicator:
        """The reference under the rules in force."""
        return ReferenceAdjudicator(self.replay.ruleset)

    def run(self) -> ChunkResult:
        trouble = ""
        for turn in self.reader.turns():
            self._number += 1
            try:
                self._take(turn)
            except (EngineGaveOutError, EngineClosedError) as error:
                trouble = str(error)
                break
        reader = self.reader
        return ChunkResult(
            chunk=reader.chunk.number,
            counts={phase: dict(counts) for phase, counts in reader.counts.items() if counts},
            reasons=dict(reader.reasons),
            unreadable=reader.unreadable,
            problems=reader.problems,
            breaks=reader.breaks,
            break_count=reader.break_count,
            games=len(reader.games),
            findings=list(self._merged.values()),
            trouble=trouble,
        )

    def _take(self, turn: TurnInput) -> None:
        """Compare the phases of a turn in their order, until one differs."""
        reader, phases = self.reader, turn.turn.phases
        expected = tuple(play(self.reference, turn.inputs))
        if self.engine is None and len(phases) == 1 and _is_recorded(phases[0], expected[0].answer):
            reader.count(phases[0], "agrees")
            return
        recorded = recorded_answers(turn.turn, turn.inputs, expected)
        said = tuple(play(self.engine, turn.inputs)) if self.engine is not None else None
        for at, phase in enumerate(phases):
            if at and recorded.breaks:
                reader.skip(phase, BROKEN)
                return
            reason = self._why_not(recorded.played, expected, said, at)
            if reason:
                reader.skip(phase, reason)
                for later in phases[at + 1 :]:
                    reader.skip(later, reason if reason != NO_RESULT else "it follows a phase that was skipped")
                return
            differing = self._differing(recorded.played, expected, said, at)
            reader.count(phase, "differs" if differing else "agrees")
            if differing:
                for later in phases[at + 1 :]:
                    reader.count(later, "follows")
                for party, played in differing:
                    self._note(turn, at, party, played, expected[: at + 1])
                return

    def _why_not(self, recorded: Sequence[PlayedPhase | None], expected: Played, said: Played | None, at: int) -> str:
        """Say why a phase cannot be compared; empty where it can."""
        if len(expected) <= at or isinstance(expected[at].answer, Failure):
            return f"{FAILED} of the reference"
        if recorded[at] is None and self.replay.against == "archive":
            return NO_RESULT
        if said is not None:
            if len(said) <= at:
                return f"{FAILED} of the engine to the phase before"
            answer = said[at].answer
            if isinstance(answer, Failure) and answer.unsupported:
                return f"the engine: {answer.reason}"
        return ""

    def _differing(
        self, recorded: Sequence[PlayedPhase | None], expected: Played, said: Played | None, at: int
    ) -> Sequence[tuple[int, Played]]:
        """Return who differs from the reference, with what each said: the archive (0), the engine (1)."""
        archived = recorded[at]
        so_far = tuple(one for one in recorded[: at + 1] if one is not None)
        if said is None:
            assert archived is not None  # noqa: S101 - `_why_not` has seen it
            return [] if _same(expected[at], archived) else [(0, so_far)]
        mine = said[: at + 1]
        if self.replay.against == "reference" or archived is None:
            return [] if _same(expected[at], said[at]) else [(1, mine)]
        by_reference = _same(expected[at], archived)
        if _same(expected[at] if by_reference else archived, said[at]):
            return []
        both = [] if by_reference else [(0, so_far)]
        return [*both, *([] if both and _same(expected[at], said[at]) else [(1, mine)])]

    def _note(self, turn: TurnInput, at: int, party: int, said: Played, expected: Played) -> None:
        """Explain a difference, and add it to those with the same explanation."""
        ordered = turn.ordered(at + 1)
        found = Disagreement(ordered, said, expected, self.replay.ruleset, own_contradiction(ordered, said))
        cause, small = self._explain_and_shrink(party, found, turn.turn.phases[at].phase)
        phase = turn.turn.phases[at]
        finding = self._finding(party, phase, cause, small)
        merge_findings(self._merged, [finding])

    def _explain_and_shrink(self, party: int, found: Disagreement, phase: Phase) -> tuple[Cause, Disagreement]:
        """Find the cause; make the position smaller where no choice and no mutant explains it.

        What these explain is made smaller once, when it is known which of them it is.
        """
        cause = self._explain(found)
        if cause.changes or cause.mutants:
            return cause, found
        if not cause.unexplained:
            is_known = any(key[:4] == (party, phase, cause.kind, cause.label) for key in self._merged)
            return cause, found if is_known else self._shrink(party, found, same_kind(cause, found))
        known = self._known_cause(party, found)
        if known is not None:
            return known, found
        if self._shrunk >= MOST_SHRUNK:
            return Cause(kind="bug", label="", unexplained=True), found
        differs = what_differs(found)
        small = self._shrink(party, found, lambda smaller: what_differs(smaller) == differs)
        cause = unexplained_cause(small.ordered, small.expected, small.said)
        if cause.label:
            _ = self._patterns.setdefault(cause.label, (party, shape(small.ordered, small.expected, small.said)))
        return cause, small

    def _explain(self, found: Disagreement) -> Cause:
        if self._searched < MOST_SEARCHED or not _is_plain(found):
            cause = explain_difference(found)
            self._searched += cause.kind == "bug" or all(len(changes) > 1 for changes in cause.changes)
            return cause
        if singles := single_explanations(found):
            return Cause(kind="deviation", label="", changes=[dict(each) for each in singles])
        if mutants := explaining_mutants(found):
            return Cause(kind="bug", label="", mutants=mutants)
        return Cause(kind="bug", label="", unexplained=True)

    def _known_cause(self, party: int, found: Disagreement) -> Cause | None:
        """Find what was shrunk before in this chunk, and shows here too."""
        here = shape(found.ordered, found.expected, found.said)
        for label, (owner, small) in self._patterns.items():
            if owner == party and shows_in(small, here):
                return Cause(kind="bug", label=label, unexplained=True)
        return None

    def _shrink(self, party: int, found: Disagreement, keeps: Callable[[Disagreement], bool]) -> Disagreement:
        self._shrunk += 1
        return shrink(found, keeps, self.engine if party else None, self.reference)

    def _finding(self, party: int, phase: RecordedPhase, cause: Cause, found: Disagreement) -> ReplayFinding:
        place = self.reader.place(phase)
        number, facts = find_facts(found.expected, found.said)
        name = self.engine.name if party and self.engine is not None else NAME
        return ReplayFinding(
            number=self.reader.chunk.number * 1_000_000 + self._number,
            source=place,
            engine=party,
            phase=phase.phase,
            cause=cause,
            found_units=len(found.ordered.units),
            position=store_position(found.ordered),
            said=[said_data(name, found.said), said_data(self.reference.name, found.expected)],
            facts=list(map(fact_data, facts)),
            of_retreats=number > 0,
            places=[place],
            games=[zlib.crc32(f"{self.reader.chunk.file} {phase.game}".encode())],
        )


def _same(expected: PlayedPhase, said: PlayedPhase) -> bool:
    """Whether board and outcomes of a phase are the same, as far as both say them."""
    return agree((expected,), (said,), words=True)


def _is_recorded(phase: RecordedPhase, expected: AnswerOrFailure) -> bool:
    """Whether this answer of the reference was recorded, too: a fast check of the usual case."""
    recorded = phase.answer
    if recorded is None or isinstance(expected, Failure):
        return False
    return same_answer(expected, recorded) and same_words(expected, recorded)


def _is_plain(found: Disagreement) -> bool:
    """Whether it is a possible board that differs."""
    return not (
        isinstance(found.said[-1].answer, Failure) or found.impossible or found.relation or found.is_about_words
    )
