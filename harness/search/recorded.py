"""The phases of recorded games: what was recorded against the reference, or an engine against one of the two."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, final

from ...reference_engine import (
    Build,
    Convoy,
    Dislodged,
    GivenOrder,
    Move,
    Phase,
    PositionError,
    Retreat,
    Ruleset,
    SupportMove,
    Unit,
    province_code,
)
from ..bugs.changes import HashableChange
from ..bugs.mutants import MUTANTS
from ..bugs.shrink import Shrinker
from ..play.answer import Answer, AnswerOrFailure, Failure, PhaseInput
from ..play.differences import same_answer, same_words
from ..play.differential import Played, agree, ask, find_facts
from ..play.positions import OrderedPosition, helped_unit, ordered_unit, without_units
from ..play.session import Adjudicator, PlayedPhase, ReferenceAdjudicator, check_answer, play
from .archives import ArchiveError, Chunk, RecordedPhase, Turn, turns_of
from .archives.formats import format_named
from .disagreement import Cause, Disagreement, explain_difference, find_disagreement
from .findings import MOST_PLACES, MOST_PROBLEMS, ChunkResult, Finding, ReadCounts, Weighed, merge_findings
from .investigation import Question, Source
from .plan import Plan
from .relations import own_contradiction

NamedCause: TypeAlias = "HashableChange | str"
"""Choices, or the name of a mutant."""

_MOST_SEARCHED = 20
"""For so many differences of a chunk several choices at once are tried; for the rest single ones and mutants."""
_MOST_SHRUNK = 20
"""So many differences of a chunk that nothing explains, and that are alike, are shrunk."""
NO_RESULT = "no result is recorded"
NO_POSITION = "it is no position on the board"
NO_RETREATS = "its retreats are not recorded, and neither are the movements before it"
BROKEN = "it begins with another board than the movements before it ended with"
FAILED = "there is no answer"
NO_CHUNK = Chunk(0, "", "", ())


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
class Reader:
    """Reads the turns of a chunk, and counts what it leaves out."""

    def __init__(self, chunk: Chunk) -> None:
        """Nothing is read yet."""
        self.chunk = chunk
        self.read = ReadCounts()
        self._games = set[str]()

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
                phases = [] if block.problem else list(archive_format.phases(block.content))
                problem = block.problem
            except ArchiveError as error:
                phases, problem = [], str(error)
            if problem:
                self.read.unreadable += 1
                self._name_problem(f"{self.chunk.file}, line {block.line}: {problem}")
            for read in phases:
                phase = read._replace(line=block.line)
                self.read.add_phase(phase.phase, "read")
                self._games.add(phase.game)
                self.read.games = len(self._games)
                # Blocks without a game are alone, even if they have the same name.
                follows = last is not None and (last.line == block.line or bool(archive_format.game_of(block.content)))
                if last is not None and follows and _begins_elsewhere(last, phase):
                    self.read.break_count += 1
                    self.read.breaks = [*self.read.breaks, self.place(phase)][:MOST_PLACES]
                last = phase
                yield phase

    def place(self, phase: RecordedPhase) -> str:
        """Name a phase, and where it stands."""
        return f"{phase.id} ({Path(self.chunk.file).name}:{phase.line})"

    def skip(self, phase: RecordedPhase, reason: str) -> None:
        """Count a phase that cannot be compared."""
        self.read.add_phase(phase.phase, "skipped")
        self.read.reasons[reason] = self.read.reasons.get(reason, 0) + 1

    def _name_problem(self, problem: str) -> None:
        if len(self.read.problems) < MOST_PROBLEMS:
            self.read.problems.append(problem)


def _begins_elsewhere(last: RecordedPhase, phase: RecordedPhase) -> bool:
    """Whether a phase of the same game begins with another board than the one before it ended with."""
    if last.answer is None or last.game != phase.game or not phase.game:
        return False
    return not last.answer.has_units(phase.units)


@final
class RecordedGames(Source[TurnInput]):
    """The phases of a chunk of an archive: what was recorded against the reference, or an engine against one of both.

    Of a finding, `engine` 0 is what was recorded, and 1 the engine.
    """

    keeps_positions = True

    def __init__(self, plan: Plan, engine: Adjudicator | None, chunk: Chunk = NO_CHUNK) -> None:
        """Nothing is read yet; without a chunk, parts of positions can be looked at alone."""
        self._plan, self._engine = plan, engine
        self._reader = Reader(chunk)
        self._reference = ReferenceAdjudicator(plan.ruleset)
        self._turns = self._searched = 0

    def items(self) -> Iterator[TurnInput]:
        return self._reader.turns()

    def ask(self, item: TurnInput) -> Iterator[tuple[Question, Disagreement]]:
        """Compare the phases of a turn in their order, until one differs."""
        reader, phases = self._reader, item.turn.phases
        self._turns += 1
        expected = tuple(play(self._reference, item.inputs))
        if self._engine is None and len(phases) == 1 and _is_recorded(phases[0], expected[0].answer):
            reader.read.add_phase(phases[0].phase, "agrees")
            return
        recorded = recorded_answers(item.turn, item.inputs, expected)
        said = tuple(play(self._engine, item.inputs)) if self._engine is not None else None
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
            reader.read.add_phase(phase.phase, "differs" if differing else "agrees")
            if differing:
                for later in phases[at + 1 :]:
                    reader.read.add_phase(later.phase, "follows")
                ordered = item.ordered(at + 1)
                for engine, played in differing:
                    yield self._question(phase, engine), self._disagreement(ordered, played, expected[: at + 1])
                return

    def _question(self, phase: RecordedPhase, engine: int) -> Question:
        chunk = self._reader.chunk
        return Question(
            chunk.number * 1_000_000 + self._turns,
            self._reader.place(phase),
            engine,
            phase=phase.phase,
            game=zlib.crc32(f"{chunk.file} {phase.game}".encode()),
        )

    def _why_not(self, recorded: Sequence[PlayedPhase | None], expected: Played, said: Played | None, at: int) -> str:
        """Say why a phase cannot be compared; empty where it can."""
        if len(expected) <= at or isinstance(expected[at].answer, Failure):
            return f"{FAILED} of the reference"
        if recorded[at] is None and self._plan.against == "archive":
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
        if self._plan.against == "reference" or archived is None:
            return [] if _same(expected[at], said[at]) else [(1, mine)]
        by_reference = _same(expected[at], archived)
        if _same(expected[at] if by_reference else archived, said[at]):
            return []
        both = [] if by_reference else [(0, so_far)]
        return [*both, *([] if both and _same(expected[at], said[at]) else [(1, mine)])]

    def _disagreement(self, ordered: OrderedPosition, said: Played, expected: Played) -> Disagreement:
        return Disagreement(ordered, said, expected, self._plan.ruleset, own_contradiction(ordered, said))

    def find(self, question: Question, found: Disagreement, ordered: OrderedPosition) -> Disagreement | None:
        """Ask the engine; or take what was recorded for the part of a position of which the rest is independent."""
        if question.engine and self._engine is not None:
            return find_disagreement(self._engine, self._reference, ordered, self._plan.ruleset)
        part = part_of(found, ordered, self._reference)
        return part and self._disagreement(ordered, *part)

    def shrink(self, question: Question, shrinker: Shrinker, found: Disagreement) -> OrderedPosition:
        return shrinker.shrink(found.ordered) if question.engine else shrink_part(shrinker, found)

    def said(self, question: Question, found: Disagreement) -> Sequence[tuple[str, Played]]:
        name = self._engine.name if question.engine and self._engine is not None else NAME
        return [(name, found.said), (self._reference.name, found.expected)]

    def explain(self, found: Disagreement) -> Cause:
        is_plain = not (found.failure or found.impossible or found.relation or found.is_about_words)
        only_single = is_plain and self._searched >= _MOST_SEARCHED
        cause = explain_difference(found, only_single=only_single)
        self._searched += cause.kind == "bug" or all(len(changes) > 1 for changes in cause.changes)
        return cause

    def most_shrunk(self, cause: Cause) -> int:
        """What choices or a mutant explain is shrunk once, when it is known which of them is the cause."""
        return 0 if cause.is_known else _MOST_SHRUNK if cause.unexplained else 1

    def counts(self) -> dict[str, Any]:
        return {"read": self._reader.read}

    def merged(self, findings: list[Finding]) -> list[Finding]:
        merged: dict[tuple[object, ...], Finding] = {}
        merge_findings(merged, findings)
        return list(merged.values())


def weigh_causes(plan: Plan, causes: Sequence[tuple[Phase, NamedCause]], chunk: Chunk) -> ChunkResult:
    """Count on how many phases each cause predicts what was recorded; each is for phases of one kind."""
    reader = Reader(chunk)
    reference = ReferenceAdjudicator(plan.ruleset)
    systems = [(phase, _system(plan.ruleset, cause)) for phase, cause in causes]
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
    weighed = [Weighed(*each) for each in zip(asked, agreed, as_rules, strict=True)]
    return ChunkResult(chunk=chunk.number, weighed=weighed)


@lru_cache(maxsize=64)
def _system(ruleset: Ruleset, cause: NamedCause) -> ReferenceAdjudicator:
    if isinstance(cause, str):
        return ReferenceAdjudicator(ruleset, MUTANTS[cause].procedure, cause)
    return ReferenceAdjudicator(ruleset.with_choices(dict(cause)))


def _same(expected: PlayedPhase, said: PlayedPhase) -> bool:
    """Whether board and outcomes of a phase are the same, as far as both say them."""
    return agree((expected,), (said,), words=True)


def _is_recorded(phase: RecordedPhase, expected: AnswerOrFailure) -> bool:
    """Whether this answer of the reference was recorded, too: a fast check of the usual case."""
    recorded = phase.answer
    if recorded is None or isinstance(expected, Failure):
        return False
    return same_answer(expected, recorded) and same_words(expected, recorded)


NAME = "the archive"
"""What it is called beside engines."""


class Recorded(NamedTuple):
    """The recorded answers to the phases of a turn."""

    played: tuple[PlayedPhase | None, ...]
    """For each phase its answer; `None` where no result is recorded."""
    breaks: bool = False
    """Whether the retreats begin with another board than the movements ended with."""


def recorded_answers(turn: Turn, inputs: Sequence[PhaseInput], expected: Played) -> Recorded:
    """Return what was recorded of a turn, which is asked with these inputs, and what the reference answers to it.

    The board after the movements is that before the retreats where it is not recorded itself; so are the retreats.
    """
    answer = turn.first.answer
    if turn.retreat is None:
        return Recorded((answer and _checked(inputs[0], answer, expected[:1]),))
    before = turn.retreat
    if answer is None:
        answer = Answer(before.units, before.dislodged)
    elif answer.dislodged is None:
        answer = replace(answer, dislodged=before.dislodged)
    known = {entry.unit: entry for entry in before.dislodged}
    dislodged = tuple(
        known[each.unit] if each.retreats is None and each.unit in known else each for each in _of(answer)
    )
    answer = replace(answer, dislodged=dislodged)
    breaks = not answer.has_units(before.units)
    breaks = breaks or not known.keys() <= {entry.unit for entry in dislodged}
    after = before.answer and _checked(inputs[1].after(answer), before.answer, expected[1:])
    return Recorded((_checked(inputs[0], answer, expected[:1]), after), breaks)


def _checked(asked: PhaseInput, answer: Answer, expected: Played) -> PlayedPhase:
    """Check that the board of an answer can exist. One that the reference has, too, can: most are."""
    same = expected[0].answer if expected else None
    if isinstance(same, Answer) and same.has_units(answer.standing) and _are_among(answer.dislodged, same.dislodged):
        return PlayedPhase(asked, answer)
    return check_answer(asked, answer)


def _are_among(dislodged: Sequence[Dislodged] | None, others: Sequence[Dislodged] | None) -> bool:
    """Whether these units are the same as the others; true, too, without any."""
    return not dislodged or [entry.unit for entry in dislodged] == [entry.unit for entry in others or ()]


def _of(answer: Answer) -> tuple[Dislodged, ...]:
    return answer.dislodged or ()


def restricted(
    played: Played, whole: OrderedPosition, part: OrderedPosition, expected: Played
) -> tuple[PlayedPhase, ...] | None:
    """Return the answers to a position as far as they are about a part of it, which lacks units and orders.

    `expected` is what the reference answers to the whole. `None` where it is no such part.
    """
    gone = [unit for unit in whole.units if unit not in part.units]
    if len(gone) + len(part.units) != len(whole.units):
        return None
    asked = part.phases()
    if len(asked) < len(played) or len(expected) < len(played):
        return None
    found: list[PlayedPhase] = []
    for at, one in enumerate(played):
        answer, by_reference = one.answer, expected[at].answer
        if not isinstance(answer, Answer) or not isinstance(by_reference, Answer):
            return None
        orders, kept = (whole.retreats or (), part.retreats or ()) if at else (whole.orders, part.orders)
        lost = _lost_orders(orders, kept)
        if lost is None:
            return None
        places = [_place(unit, answer, orders, by_reference) for unit in gone]
        left = _without(answer, places, asked[at], [orders[index] for index in lost], whole.units)
        if left.outcomes is not None:
            left = replace(left, outcomes=tuple(each for index, each in enumerate(left.outcomes) if index not in lost))
        before = found[-1].answer if found else None
        found.append(check_answer(asked[at].after(before) if isinstance(before, Answer) else asked[at], left))
        gone = places
    return tuple(found)


def _lost_orders(whole: Sequence[GivenOrder], part: Sequence[GivenOrder]) -> Collection[int] | None:
    """Return the indices of the orders that are not in a part; `None` where it has others, or in another order."""
    left = list(part)
    lost: set[int] = set()
    for index, given in enumerate(whole):
        if left and left[0] == given:
            _ = left.pop(0)
        else:
            lost.add(index)
    return None if left else lost


def _without(
    answer: Answer, places: Sequence[Unit], phase: PhaseInput, lost: Sequence[GivenOrder], before: Sequence[Unit]
) -> Answer:
    """Take units out of an answer, each where it is in it, and what lost orders built."""
    units = [unit for unit in answer.units if unit not in places]
    if phase.phase == "adjustment":
        built = {province_code(each.order.unit.location) for each in lost if isinstance(each.order, Build)}
        units = [unit for unit in units if unit in before or province_code(unit.location) not in built]
    left = replace(answer, standing=tuple(units))
    if answer.dislodged is None:
        return left
    return replace(left, dislodged=tuple(entry for entry in answer.dislodged if entry.unit not in places))


def _place(unit: Unit, answer: Answer, orders: Sequence[GivenOrder], by_reference: Answer) -> Unit:
    """Find where a unit is in an answer: where the reference has it go, or else where it stood or was ordered to."""
    goes, tries = _goals(unit, orders, by_reference)
    alike = [other for other in answer.units if other[:2] == unit[:2]]
    arrived = next((other for other in alike if province_code(other.location) in goes), None)
    if arrived is not None:
        return arrived
    if unit in alike or any(entry.unit == unit for entry in _of(answer)):
        return unit
    return next((other for other in alike if province_code(other.location) in tries), unit)


def _goals(unit: Unit, orders: Sequence[GivenOrder], by_reference: Answer) -> tuple[set[str], set[str]]:
    """Return the provinces where a unit goes as the reference answers, and all that it is ordered to."""
    outcomes = by_reference.outcomes or [None] * len(orders)
    goes, tries = set[str](), set[str]()
    for given, outcome in zip(orders, outcomes, strict=True):
        order = given.order
        if not isinstance(order, (Move, Retreat)) or province_code(order.unit.location) != province_code(unit.location):
            continue
        tries.add(province_code(order.to))
        if outcome is not None and outcome.outcome == "succeeds":
            goes.add(province_code(order.to))
    return goes, tries


def part_of(found: Disagreement, part: OrderedPosition, reference: Adjudicator) -> tuple[Played, Played] | None:
    """Return what was recorded of a part of a position, and what the reference answers to it.

    `None` where that is the same, or where the rest of the position makes a difference to the reference.
    """
    said = restricted(found.said, found.ordered, part, found.expected)
    wanted = said and restricted(found.expected, found.ordered, part, found.expected)
    if not said or not wanted:
        return None
    expected = ask(reference, part)
    if len(expected) != len(wanted) or not agree(wanted, expected, words=True) or agree(expected, said, words=True):
        return None
    return said, expected


def shrink_part(shrinker: Shrinker, found: Disagreement) -> OrderedPosition:
    """Return the smallest part of a recorded position that a shrinker keeps."""
    if found.ordered.phase == "adjustment":
        part = _of_powers_that_differ(found)
        return part if shrinker.keeps(part) else found.ordered  # With fewer units a power has other builds to make.
    start = next((part for part in _neighbourhoods(found) if shrinker.keeps(part)), found.ordered)
    return shrinker.shrink_in_place(start)


def _neighbourhoods(found: Disagreement) -> Iterator[OrderedPosition]:
    """Give the units that have to do with what differs, then those too that have to do with these, and so on."""
    ordered = found.ordered
    touched = {unit: _touched(unit, ordered) for unit in ordered.units}
    facts = find_facts(found.expected, found.said)[1]
    places = {province_code(fact.unit.location) for fact in facts if fact.unit}
    before: set[Unit] = set()
    while True:
        near = {unit for unit, provinces in touched.items() if not provinces.isdisjoint(places)}
        if near == before:
            return
        yield without_units(ordered, {province_code(unit.location) for unit in ordered.units if unit not in near})
        before = near
        places.update(*(touched[unit] for unit in near))


def _touched(unit: Unit, ordered: OrderedPosition) -> set[str]:
    """Return the provinces that a unit stands in, goes to, or helps a unit in or to."""
    home = province_code(unit.location)
    provinces = {home}
    for given in (*ordered.orders, *(ordered.retreats or ())):
        named = ordered_unit(given)
        if named is None or province_code(named.location) != home:
            continue
        helped = helped_unit(given.order)
        provinces |= {province_code(helped.location)} if helped else set()
        if isinstance(given.order, (Move, SupportMove, Convoy, Retreat)):
            provinces.add(province_code(given.order.to))
    return provinces


def _of_powers_that_differ(found: Disagreement) -> OrderedPosition:
    """Leave out of an adjustment phase the powers of which nothing differs: each one builds and removes for itself."""
    ordered = found.ordered
    powers = {fact.unit.power for fact in find_facts(found.expected, found.said)[1] if fact.unit}
    if ordered.phase != "adjustment" or not powers:
        return ordered
    position = ordered.position
    return OrderedPosition(
        type(position)(
            [unit for unit in position.units if unit.power in powers],
            phase="adjustment",
            centers={power: owned for power, owned in position.centers.items() if power in powers},
        ),
        tuple(given for given in ordered.orders if given.power in powers),
    )
