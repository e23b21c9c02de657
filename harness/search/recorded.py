"""The phases of recorded games: what was recorded against the reference, or an engine against one of the two."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import final

from ...reference_engine import GivenOrder, Phase, PositionError, Unit, province_code
from ...reference_engine.orders import PHASES, Build, Move, Retreat
from ..bugs.changes import unraised_issues
from ..bugs.confirm import Hypothesis, system
from ..bugs.shrink import Shrinker
from ..play.answer import Answer, Failure, PhaseInput
from ..play.differences import same_answer, same_words
from ..play.differential import Played, agree, ask, find_facts
from ..play.positions import OrderedPosition, ordered_province, without_units
from ..play.session import Adjudicator, PlayedPhase, ReferenceAdjudicator, check_answer, play
from .archives import ArchiveFormat, format_named
from .archives.records import ArchiveError, Block, Chunk, RecordedPhase, Turn, turns_of
from .disagreement import Cause, Disagreement, explain_difference, find_disagreement
from .findings import MOST_PLACES, MOST_PROBLEMS, ChunkResult, ReadCounts, Weighed
from .investigation import Question, Source
from .patterns import named_provinces
from .plan import Plan
from .relations import own_contradiction

_MOST_SEARCHED = 20
"""For so many differences of a chunk several choices at once are tried; for the rest single ones and mutants."""
_MOST_SHRUNK = 20
"""So many differences of a chunk that nothing explains, and that are alike, are shrunk."""
NO_RESULT = "no result is recorded"
TWICE = "it is recorded twice"
NO_CHUNK = Chunk(0, "", "", ())
NAME = "the archive"
"""What it is called beside engines."""


@final
class RecordedGames(Source):
    """The phases of a chunk of an archive. Of a finding, `engine` 0 is what was recorded, and 1 the engine."""

    is_recorded = True

    def __init__(self, plan: Plan, engine: Adjudicator | None = None, chunk: Chunk = NO_CHUNK) -> None:
        """Nothing is read yet; without a chunk, parts of positions can be looked at alone."""
        super().__init__()
        self._plan, self._engine, self._chunk = plan, engine, chunk
        self.reference = ReferenceAdjudicator(plan.ruleset)
        self.read = self._read = ReadCounts()
        self._turns = self._searched = 0

    def turns(self, first: Collection[Phase] = PHASES) -> Iterator[tuple[Turn, Sequence[PhaseInput]]]:
        """Give each turn of which each phase is on the board, and what is asked of it: those that begin so."""
        for turn in turns_of(self._phases()):
            if turn.first.phase not in first:
                continue
            if any(entry.retreats is None for entry in turn.first.dislodged):
                self._skip(turn.first, "its retreats are not recorded, and neither are the movements before it")
                continue
            try:
                inputs = [turn.first.asked(), *([turn.retreat.asked(follows=True)] if turn.retreat else [])]
            except PositionError as error:
                self._name_problem(f"{self._place(turn.first)}: {error}")
                for phase in turn.phases:
                    self._skip(phase, "it is no position on the board")
                continue
            yield turn, inputs

    def _phases(self) -> Iterator[RecordedPhase]:
        archive_format, read, games = format_named(self._chunk.format), self._read, set[str]()
        seen: dict[str, bytes] = {}
        last: RecordedPhase | None = None
        for block in self._chunk.blocks:
            for phase in self._read_block(block, archive_format):
                read.add_phase(phase.phase, "read")
                if phase.game:
                    digest = phase.digest
                    if seen.get(phase.id) == digest:
                        self._skip(phase, TWICE)
                        read.repeats = [*read.repeats, self._place(phase)][:MOST_PLACES]
                        continue
                    _ = seen.setdefault(phase.id, digest)
                games.add(phase.game)
                read.games = len(games)
                if last is not None and last.answer is not None and phase.game and phase.game == last.game:
                    ends_elsewhere = not last.answer.has_units(phase.units)
                    # Blocks without a game are alone, even if they have the same name.
                    if ends_elsewhere and (last.line == block.line or archive_format.game_of(block.content)):
                        read.break_count += 1
                        read.breaks = [*read.breaks, self._place(phase)][:MOST_PLACES]
                if phase.lost:
                    last = None
                    self._skip(phase, "a part of it cannot be read")
                    continue
                last = phase
                yield phase

    def _read_block(self, block: Block, archive_format: ArchiveFormat) -> Iterator[RecordedPhase]:
        """Read the phases of a block, and name what of it cannot be read."""
        problems: list[str] = []
        try:
            for phase in block.phases(archive_format):
                problems += phase.lost
                yield phase
        except ArchiveError as error:
            problems.append(str(error))
        self._read.unreadable += len(problems)
        for problem in problems:
            self._name_problem(f"{self._chunk.file}, line {block.line}: {problem}")

    def _place(self, phase: RecordedPhase) -> str:
        return f"{phase.id} ({Path(self._chunk.file).name}:{phase.line})"

    def _skip(self, phase: RecordedPhase, reason: str) -> None:
        self._read.add_phase(phase.phase, "skipped")
        self._read.reasons[reason] = self._read.reasons.get(reason, 0) + 1

    def _name_problem(self, problem: str) -> None:
        if len(self._read.problems) < MOST_PROBLEMS:
            self._read.problems.append(problem)

    def ask(self) -> Iterator[Iterator[tuple[Question, Disagreement]]]:
        return itertools.starmap(self._compare, self.turns())

    def _compare(self, turn: Turn, inputs: Sequence[PhaseInput]) -> Iterator[tuple[Question, Disagreement]]:
        """Compare the phases of a turn in their order, until one differs."""
        read, phases = self._read, turn.phases
        self._turns += 1
        expected = tuple(play(self.reference, inputs))
        if self._engine is None and len(phases) == 1 and _is_recorded(phases[0], expected[0]):
            read.add_phase(phases[0].phase, "agrees")
            return
        recorded, breaks = recorded_answers(turn, inputs, expected)
        said = tuple(play(self._engine, inputs)) if self._engine is not None else None
        for at, phase in enumerate(phases):
            if at and breaks:
                self._skip(phase, "it begins with another board than the movements before it ended with")
                return
            if reason := self._why_not(recorded[at], expected, said, at):
                self._skip(phase, reason)
                for later in phases[at + 1 :]:
                    self._skip(later, reason if reason != NO_RESULT else "it follows a phase that was skipped")
                return
            differing = self._differing(recorded, expected, said, at, words=self._plan.words)
            only_words = not (
                differing or self._plan.words or not self._differing(recorded, expected, said, at, words=True)
            )
            read.add_phase(phase.phase, "differs" if differing else "words" if only_words else "agrees")
            if differing:
                for later in phases[at + 1 :]:
                    read.add_phase(later.phase, "follows")
                number = self._chunk.number * 1_000_000 + self._turns
                game = zlib.crc32(f"{self._chunk.file} {phase.game}".encode())
                for engine, played in differing:
                    question = Question(number, self._place(phase), engine, phase=phase.phase, game=game)
                    yield question, self._disagreement(turn.ordered(at + 1), played, expected[: at + 1])
                return

    def _why_not(self, recorded: PlayedPhase | None, expected: Played, said: Played | None, at: int) -> str:
        if len(expected) <= at or isinstance(expected[at].answer, Failure):
            return "there is no answer of the reference"
        if recorded is None and self._plan.against == "archive":
            return NO_RESULT
        if said is not None:
            if len(said) <= at:
                return "there is no answer of the engine to the phase before"
            answer = said[at].answer
            if isinstance(answer, Failure) and answer.unsupported:
                return f"the engine: {answer.reason}"
        return ""

    def _differing(
        self, recorded: Sequence[PlayedPhase | None], expected: Played, said: Played | None, at: int, *, words: bool
    ) -> Sequence[tuple[int, Played]]:
        found: list[tuple[int, Played]] = []
        archived = recorded[at] if self._plan.against == "archive" else None
        if archived is not None and not agree(expected[at : at + 1], (archived,), words=words):
            if said is not None and agree((archived,), said[at : at + 1], words=words):
                return []
            found.append((0, tuple(one for one in recorded[: at + 1] if one is not None)))
        if said is not None and not agree(expected[at : at + 1], said[at : at + 1], words=words):
            found.append((1, said[: at + 1]))
        return found

    def _disagreement(self, ordered: OrderedPosition, said: Played, expected: Played) -> Disagreement:
        return Disagreement(ordered, said, expected, self._plan.ruleset, own_contradiction(ordered, said))

    def find(self, question: Question, found: Disagreement, ordered: OrderedPosition) -> Disagreement | None:
        """Ask the engine; or take what was recorded for the part of a position of which the rest is independent."""
        if question.engine and self._engine is not None:
            return find_disagreement(self._engine, self.reference, ordered)
        said = restricted(found.said, found, ordered)
        wanted = said and restricted(found.expected, found, ordered)
        expected = ask(self.reference, ordered) if wanted else ()
        if not said or not wanted or len(expected) != len(wanted) or not agree(wanted, expected, words=True):
            return None  # The rest of the position matters.
        return None if agree(expected, said, words=self._plan.words) else self._disagreement(ordered, said, expected)

    def shrink(self, question: Question, shrinker: Shrinker, found: Disagreement) -> OrderedPosition:
        return shrinker.shrink(found.ordered) if question.engine else shrink_part(shrinker, found)

    def said(self, question: Question, found: Disagreement) -> Sequence[tuple[str, Played]]:
        name = self._engine.name if question.engine and self._engine is not None else NAME
        return [(name, found.said), (self.reference.name, found.expected)]

    def explain(self, found: Disagreement) -> Cause:
        is_plain = not (found.failure or found.impossible or found.relation or found.is_about_words)
        only_single = is_plain and self._searched >= _MOST_SEARCHED
        cause = explain_difference(found, only_single=only_single)
        self._searched += cause.kind == "bug" or all(len(changes) > 1 for changes in cause.changes)
        return cause

    def most_shrunk(self, cause: Cause) -> int:
        """What choices or a mutant explain is shrunk once, when it is known which of them is the cause."""
        return 0 if cause.is_known else _MOST_SHRUNK if cause.unexplained else 1


def weigh_causes(plan: Plan, causes: Sequence[tuple[Phase, Hypothesis]], chunk: Chunk) -> ChunkResult:
    """Count on how many phases each cause predicts what was recorded; each is for phases of one kind."""
    games = RecordedGames(plan, chunk=chunk)
    systems = [(phase, cause, system(cause, plan.ruleset)) for phase, cause in causes]
    weighed = [Weighed()] * len(causes)
    for turn, inputs in games.turns({phase for phase, _ in causes}):
        unraised = unraised_issues(inputs[:1])
        by_rules: Played = ()
        for index, (phase, cause, supposed) in enumerate(systems):
            is_open = isinstance(cause, str) or any(issue not in unraised for issue, _ in cause)
            if phase != turn.first.phase or not is_open:
                continue
            by_rules = by_rules or tuple(play(games.reference, inputs[:1]))
            if agree(by_rules, predicted := tuple(play(supposed, inputs[:1]))):
                continue
            first = recorded_answers(turn, inputs, by_rules)[0][0]
            if first is not None:
                agreed, as_rules = agree(predicted, (first,)), agree(by_rules, (first,))
                # Where both agree, what tells the two apart is not recorded.
                weighed[index] += Weighed() if agreed and as_rules else Weighed(1, agreed, as_rules)
    return ChunkResult(chunk=chunk.number, weighed=weighed)


def _is_recorded(phase: RecordedPhase, expected: PlayedPhase) -> bool:
    """Whether this answer of the reference was recorded, too: a fast check of the usual case."""
    recorded, answer = phase.answer, expected.answer
    if recorded is None or isinstance(answer, Failure):
        return False
    return same_answer(answer, recorded) and same_words(answer, recorded)


def recorded_answers(
    turn: Turn, inputs: Sequence[PhaseInput], expected: Played
) -> tuple[Sequence[PlayedPhase | None], bool]:
    """Return what was recorded of each phase of a turn, which is asked with these inputs; `None` where no result is.

    The board after the movements is that before the retreats where it is not recorded itself; so are the retreats.
    It says also whether the retreats begin with another board than the movements ended with.
    """
    answer, before = turn.first.answer, turn.retreat
    if before is None:
        return [answer and _checked(inputs[0], answer, expected[:1])], False
    if answer is None:
        answer = Answer(before.units, before.dislodged)
    known = {entry.unit: entry for entry in before.dislodged}
    dislodged = tuple(
        known.get(each.unit, each) if each.retreats is None else each
        for each in (before.dislodged if answer.dislodged is None else answer.dislodged)
    )
    answer = replace(answer, dislodged=dislodged)
    breaks = not answer.has_units(before.units) or not known.keys() <= {entry.unit for entry in dislodged}
    after = before.answer and _checked(inputs[1].after(answer), before.answer, expected[1:])
    return [_checked(inputs[0], answer, expected[:1]), after], breaks


def _checked(asked: PhaseInput, answer: Answer, expected: Played) -> PlayedPhase:
    """Check that the board of an answer can exist. One that the reference has, too, can: most are."""
    same = expected[0].answer if expected else None
    if isinstance(same, Answer) and same.has_units(answer.standing):
        dislodged = [entry.unit for entry in answer.dislodged or ()]
        if not dislodged or dislodged == [entry.unit for entry in same.dislodged or ()]:
            return PlayedPhase(asked, answer)
    return check_answer(asked, answer)


def restricted(played: Played, found: Disagreement, part: OrderedPosition) -> Played | None:
    """Return the answers to a position as far as they are about a part of it; `None` where it is no such part."""
    whole, expected = found.ordered, found.expected
    gone = [unit for unit in whole.units if unit not in part.units]
    asked = part.phases()
    if len(gone) + len(part.units) != len(whole.units) or min(len(asked), len(expected)) < len(played):
        return None
    phases: list[PlayedPhase] = []
    left: Answer | None = None
    for at, one in enumerate(played):
        answer, by_reference = one.answer, expected[at].answer
        orders, kept = (whole.retreats or (), part.retreats or ()) if at else (whole.orders, part.orders)
        lost = _lost_orders(orders, kept)
        if lost is None or not isinstance(answer, Answer) or not isinstance(by_reference, Answer):
            return None
        phase = asked[at] if left is None else asked[at].after(left)
        gone = [_place(unit, answer, orders, by_reference) for unit in gone]
        units = [unit for unit in answer.units if unit not in gone]
        if phase.phase == "adjustment":
            gone_orders = [orders[index].order for index in lost]
            built = {province_code(order.unit.location) for order in gone_orders if isinstance(order, Build)}
            units = [unit for unit in units if unit in whole.units or province_code(unit.location) not in built]
        dislodged, outcomes = answer.dislodged, answer.outcomes
        left = replace(
            answer,
            standing=tuple(units),
            dislodged=dislodged and tuple(entry for entry in dislodged if entry.unit not in gone),
            outcomes=outcomes and tuple(each for index, each in enumerate(outcomes) if index not in lost),
        )
        phases.append(check_answer(phase, left))
    return tuple(phases)


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


def _place(unit: Unit, answer: Answer, orders: Sequence[GivenOrder], by_reference: Answer) -> Unit:
    """Find where a unit is in an answer: where the reference has it go, or else where it stood or was ordered to."""
    goes, tries = set[str](), set[str]()
    home = province_code(unit.location)
    for given, outcome in zip(orders, by_reference.outcomes or [None] * len(orders), strict=True):
        order = given.order
        if isinstance(order, (Move, Retreat)) and ordered_province(given.order) == home:
            tries.add(province_code(order.to))
            if outcome is not None and outcome.outcome == "succeeds":
                goes.add(province_code(order.to))
    alike = [other for other in answer.units if other[:2] == unit[:2]]
    arrived = next((other for other in alike if province_code(other.location) in goes), None)
    if arrived is not None:
        return arrived
    if unit in alike or any(entry.unit == unit for entry in answer.dislodged or ()):
        return unit
    return next((other for other in alike if province_code(other.location) in tries), unit)


def shrink_part(shrinker: Shrinker, found: Disagreement) -> OrderedPosition:
    """Return the smallest part of a recorded position that a shrinker keeps."""
    ordered, facts = found.ordered, find_facts(found.expected, found.said)[1]
    wrong = [fact.unit for fact in facts if fact.unit]
    if ordered.phase != "adjustment":
        places = {province_code(unit.location) for unit in wrong}
        start = next((part for part in _neighbourhoods(ordered, places) if shrinker.keeps(part)), ordered)
        return shrinker.shrink_in_place(start)
    # Each power builds and removes for itself. With fewer units it would have other builds to make.
    powers, centers = {unit.power for unit in wrong}, ordered.position.centers
    part = ordered.with_units(
        [unit for unit in ordered.units if unit.power in powers],
        {power: owned for power, owned in centers.items() if power in powers},
    )._replace(orders=tuple(given for given in ordered.orders if given.power in powers))
    return part if powers and shrinker.keeps(part) else ordered


def _neighbourhoods(ordered: OrderedPosition, places: set[str]) -> Iterator[OrderedPosition]:
    """Give the units that have to do with some provinces, then those too that have to do with these, and so on."""
    touched = {province_code(unit.location): {province_code(unit.location)} for unit in ordered.units}
    for given in (*ordered.orders, *(ordered.retreats or ())):
        provinces = touched.get(ordered_province(given.order), set[str]())
        provinces.update(named_provinces(given.order))
        if isinstance(given.order, Retreat):
            provinces.add(province_code(given.order.to))
    before: set[str] = set()
    while (near := {home for home, provinces in touched.items() if provinces & places}) != before:
        yield without_units(ordered, touched.keys() - near)
        before, places = near, places.union(*(touched[home] for home in near))
