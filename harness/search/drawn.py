"""The positions of a hunt: drawn by their numbers, always the same ones for a seed, and asked of its engines."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import TypeAlias, final

import msgspec

from ...adapters import EngineClosedError, EngineSpec, Limits
from ...reference_engine import GivenOrder, Phase, PositionError, Ruleset, Unit, province_code
from ...reference_engine.errors import nearest
from ...reference_engine.maps import STANDARD
from ..bugs.battles import random_battles
from ..bugs.experiment import AskedPosition
from ..bugs.generate import another_order, random_paradox, random_position
from ..bugs.shrink import Shrinker
from ..bugs.terrain import PROFILES
from ..errors import HarnessError
from ..play.answer import Failure
from ..play.differential import Played, agree, ask
from ..play.positions import OrderedPosition, ordered_province
from ..play.session import Adjudicator, ReferenceAdjudicator
from .archives import find_format
from .archives.records import Archive, ArchiveError, ArchiveFormat, Chunk, RecordedPhase, Turn, chunks_of, turns_of
from .disagreement import Disagreement, find_contradiction, find_disagreement
from .investigation import Question, Source
from .plan import FIRST_CHUNK, RESTARTS, Plan, PlannedEngine, map_of_plan
from .relations import DRAWN, UNSTABLE, first_questions, own_contradiction

OTHER_FORM = "expected after its answer to the same in another form"
"""Who answers what an engine should have said, for it said that of the same position."""

_ASKED_AGAIN = 5
"""How often both forms of a position are asked again before an engine is said to depend on what differs in them."""

FORMS, _OF_FORMS = "metamorphic", (0.3, 0.5)
"""Positions in two forms, and which shares are paradoxes, and these and battles; the rest is random."""
USUAL_SOURCES = ("random", "paradoxes", FORMS, "battles")
"""Random positions of a profile, the known paradoxes, varied, positions in two forms, and battles everywhere."""


def make_plan(
    engines: Sequence[tuple[EngineSpec, Limits]],
    ruleset: Ruleset,
    sources: Sequence[str] = (),
    profiles: Sequence[str] = (),
    *,
    seed: int = 1,
    positions: int = 0,
    words: bool = False,
    map_name: str = STANDARD,
) -> Plan:
    """Make a plan, with nothing known of the engines yet. Raises `HarnessError`, and `ArchiveError` without games.

    `map_name` is one of the project or an author's file: raises `SuiteError` and `PositionError` as `map_of_plan` does.
    """
    if map_name != STANDARD and any(source.startswith("real:") for source in sources):
        raise HarnessError("--map: recorded games are on their own map: leave out --source real:FILE")
    for source in sources:
        name, _separator, path = source.partition(":")
        if not (path if name == "real" else name in USUAL_SOURCES and not path):
            raise HarnessError(f"--source {source}: it is {', '.join(USUAL_SOURCES)}, or real:FILE")
        if path:
            _ = read_games(Path(path))
    for profile in profiles:
        if profile not in PROFILES:
            raise HarnessError(f"--profile {profile}: there is no such profile{nearest(profile, tuple(PROFILES))}")
    _ = map_of_plan(map_name)
    return Plan(
        engines=tuple(
            PlannedEngine(spec, msgspec.structs.replace(limits, restarts=RESTARTS)) for spec, limits in engines
        ),
        ruleset=ruleset,
        sources=tuple(dict.fromkeys(sources)) or USUAL_SOURCES,
        profiles=tuple(dict.fromkeys(profiles)) or tuple(PROFILES),
        seed=seed,
        positions=positions,
        words=words,
        map=map_name,
    )


HOW_DRAWN = (
    "drawn at random; about half of the movement phases have one order changed; recorded results are not compared"
)
_MOST_CHUNKS = 96
"""Of a larger file so many parts of half a MiB are taken, at random but always the same ones."""
_Texts: TypeAlias = tuple[tuple[str, str], ...]
_decode = msgspec.msgpack.Decoder(tuple[Phase, tuple[Unit, ...], _Texts, dict[str, list[str]], _Texts | None]).decode


@final
class Games:
    """The phases of games, made positions when wanted; kept encoded, since many thousand objects take gigabytes."""

    def __init__(self, turns: Iterable[Turn], *, is_sample: bool = False) -> None:
        """Take turns. Retreats go with the movements before them: alone they have no position of their own."""
        self._turns: list[bytes] = []
        self.notes: list[str] = []
        """What was guessed or skipped to read them, in words."""
        for first, retreat in turns:
            self.notes += first.lost
            if first.map != STANDARD:
                raise ArchiveError(f"{first.id} is on the map {first.map}: positions are drawn of the standard map")
            if first.phase != "retreat" and not first.lost:
                centers = {power: list(owned) for power, owned in first.centers.items()}
                kept = (first.phase, first.units, first.orders, centers, retreat and retreat.orders)
                self._turns.append(msgspec.msgpack.encode(kept))
                self.notes += first.notes
        self.is_sample = is_sample

    def __len__(self) -> int:
        """How many phases of movement and of adjustment there are."""
        return len(self._turns)

    def ordered(self, index: int) -> OrderedPosition:
        """Make a position of a phase, with the orders that can be read. Raises `PositionError`."""
        phase, units, orders, centers, retreats = _decode(self._turns[index])
        after = None if retreats is None else RecordedPhase("", "", "retreat", (), retreats)
        ordered = Turn(RecordedPhase("", "", phase, units, orders, centers), after).ordered()
        return ordered._replace(
            orders=_readable(ordered.orders), retreats=None if after is None else _readable(after.given_orders)
        )


def _readable(orders: Iterable[GivenOrder]) -> tuple[GivenOrder, ...]:
    return tuple(given for given in orders if given.order is not None)


@lru_cache(maxsize=4)
def read_games(path: Path) -> Games:
    """Read the games of a file, a part of a large one. Raises `ArchiveError`, also where there is no position."""
    archive = Archive(path)
    name, archive_format = find_format(archive)
    chunks, count = _some(chunks_of([(archive, name, archive_format)]))
    games = Games(turns_of(_phases(path, archive_format, chunks)), is_sample=count > len(chunks))
    problem = "it has no phase of movement or adjustment"
    for index in range(len(games)):
        try:
            _ = games.ordered(index)
        except PositionError as error:
            problem = str(error)
        else:
            return games
    raise ArchiveError(f"{path}: there is no position in it: {problem}")


def _some(chunks: Iterable[Chunk]) -> tuple[Sequence[Chunk], int]:
    """Take some chunks, each with the same chance, in their order; and count them all."""
    rng = Random(0)  # noqa: S311 - positions, not secrets
    taken: list[Chunk] = []
    count = 0
    for count, chunk in enumerate(chunks, 1):
        if len(taken) < _MOST_CHUNKS:
            taken.append(chunk)
        elif (place := rng.randrange(count)) < _MOST_CHUNKS:
            taken[place] = chunk
    return sorted(taken, key=lambda chunk: chunk.number), count


def _phases(path: Path, archive_format: ArchiveFormat, chunks: Iterable[Chunk]) -> Iterator[RecordedPhase]:
    for chunk in chunks:
        for block in chunk.blocks:
            try:
                yield from block.phases(archive_format)
            except ArchiveError as error:
                what = "cannot be read: " if block.problem else ""
                raise ArchiveError(f"{path}, line {block.line}: {what}{error}") from error


def random_real(rng: Random, games: Games) -> OrderedPosition:
    """Draw a position of a game; half of them with one order changed."""
    ordered = None
    while ordered is None:  # One at least is there, as `read_games` has seen.
        with suppress(PositionError):
            ordered = games.ordered(rng.randrange(len(games)))
    if ordered.phase != "movement" or not ordered.units or rng.random() < 0.5:
        return ordered
    unit = rng.choice(ordered.units)
    kept = [given for given in ordered.orders if ordered_province(given.order) != province_code(unit.location)]
    changed = GivenOrder(unit.power, another_order(rng, unit, ordered))
    return OrderedPosition(ordered.position, (*kept, changed))


def draw(plan: Plan, number: int) -> tuple[Question, OrderedPosition]:
    """Draw the position with this number: always the same one for a seed, in any process.

    Its season and year come from the number alone: half of the movements are in autumn, in the first 20 years.
    """
    if number < 0:
        relation, ordered, salt = first_questions()[number]
        return Question(number, "relations", relation=relation, salt=salt), ordered
    question, ordered = _draw(plan, number)
    when = zlib.crc32(b"%d" % number)
    return question, ordered.in_turn(ordered.position.board.first_year + when // 2 % 20, autumn=bool(when % 2))


def _draw(plan: Plan, number: int) -> tuple[Question, OrderedPosition]:
    rng = Random((plan.seed << 64) + number)  # noqa: S311 - positions, not secrets
    source = plan.sources[number % len(plan.sources)]
    profile = plan.profiles[number // len(plan.sources) % len(plan.profiles)]
    board = plan.board
    if source == FORMS:
        relation = rng.choice(DRAWN)
        kind = rng.random()
        if kind < _OF_FORMS[0]:
            ordered = random_paradox(rng, board)
        elif kind < _OF_FORMS[1]:
            ordered = random_battles(plan.seed, rng.randrange(1 << 16), rng, board)
        else:
            ordered = random_position(rng, PROFILES[profile], board)
        return Question(number, source, relation=relation, salt=rng.randrange(1 << 16)), ordered
    if source == "paradoxes":
        return Question(number, source), random_paradox(rng, board)
    if source == "battles":
        return Question(number, source), random_battles(plan.seed, number // len(plan.sources), rng, board)
    if source.startswith("real:"):
        return Question(number, "real"), random_real(rng, read_games(Path(source.removeprefix("real:"))))
    return Question(number, f"random/{profile}"), random_position(rng, PROFILES[profile], board)


@final
class DrawnPositions(Source):
    """The positions of a chunk of a hunt, asked of its engines."""

    def __init__(
        self, plan: Plan, adjudicators: Sequence[Adjudicator], chunk: int = 0, stop: Callable[[], bool] = lambda: False
    ) -> None:
        """Once `stop` says so, no further engine is asked what it answers to a minimal position."""
        super().__init__(stop)
        self.answered = [0] * len(adjudicators)
        self._plan, self._adjudicators, self._chunk = plan, adjudicators, chunk
        self._reference = ReferenceAdjudicator(plan.ruleset)
        self._settled: set[int] = set()

    def ask(self) -> Iterator[Iterator[tuple[Question, Disagreement]]]:
        if self._chunk == FIRST_CHUNK and all(each.is_trusted for each in self._adjudicators):
            return iter(())
        return (self._ask(*draw(self._plan, number)) for number in self._plan.numbers(self._chunk))

    def _ask(self, question: Question, ordered: OrderedPosition) -> Iterator[tuple[Question, Disagreement]]:
        if question.number < 0:
            yield from self._broken(question, ordered)
            return
        before = [adjudicator.answered for adjudicator in self._adjudicators]
        if not question.relation:
            yield from self._differences(question, ordered)
        for engine in range(len(self._adjudicators)) if question.relation else ():
            started, asked = time.perf_counter(), question._replace(engine=engine)
            found = self.find(asked, None, ordered)
            self.asking += time.perf_counter() - started
            if found is not None:
                yield (asked if found.relation else asked._replace(relation="")), found
        self.asked[question.source] += 1
        pairs = zip(self.answered, self._adjudicators, before, strict=True)
        self.answered = [count + (engine.answered > then) for count, engine, then in pairs]

    def _broken(self, question: Question, ordered: OrderedPosition) -> Iterator[tuple[Question, Disagreement]]:
        """Find which engines break a relation; of one that is unstable, or answers nothing, no more is asked first."""
        for engine in range(len(self._adjudicators)):
            if engine in self._settled:
                continue
            asked = question._replace(engine=engine)
            found = self.find(asked, None, ordered)
            if found is None:
                continue
            if found.failure is not None or question.relation in UNSTABLE:
                self._settled.add(engine)
            if found.contradicts_another_answer:
                yield asked, found

    def shrink(self, question: Question, shrinker: Shrinker, found: Disagreement) -> OrderedPosition:
        if question.relation == "later":  # What changes in time may not change again.
            return found.ordered
        return super().shrink(question, shrinker, found)

    def _differences(self, question: Question, ordered: OrderedPosition) -> Iterator[tuple[Question, Disagreement]]:
        """Ask all engines, and the reference unless all gave one valid answer; find those that differ from it."""
        plan, ordered, started = self._plan, AskedPosition.of(ordered), time.perf_counter()
        every = [ask(adjudicator, ordered) for adjudicator in self._adjudicators]
        self.asking += time.perf_counter() - started
        answered = [played for played in every if played]
        self.unsupported += len(every) - len(answered)
        failed = any(isinstance(played[-1].answer, Failure) or played[-1].impossible for played in answered)
        if len(every) > 1 and not failed and all(agree(answered[0], other, words=plan.words) for other in answered):
            return
        expected = ask(self._reference, ordered)
        for engine, said in enumerate(every):
            if said and expected and not agree(expected, said, words=plan.words):
                relation, possible = own_contradiction(ordered, said), plan.engines[engine].possible
                found = Disagreement(ordered, said, expected, plan.ruleset, relation, possible)
                yield question._replace(engine=engine), found

    def find(self, question: Question, found: Disagreement | None, ordered: OrderedPosition) -> Disagreement | None:
        """Look for a contradiction in two forms, or else, where these are not all that is asked, for a difference."""
        plan, engine = self._plan, self._adjudicators[question.engine]
        if question.relation:
            again = _ASKED_AGAIN if found is None else 1
            broken = find_contradiction(engine, ordered, plan.ruleset, question.relation, question.salt, again)
            if broken is not None or question.number < 0 or plan.sources == (FORMS,):
                return broken
        other = find_disagreement(engine, self._reference, ordered, words=plan.words)
        return other and other._replace(possible=plan.engines[question.engine].possible)

    def said(self, question: Question, found: Disagreement) -> Sequence[tuple[str, Played]]:
        engine = self._adjudicators[question.engine]
        said = [(engine.name, found.said)]
        if found.contradicts_another_answer:
            said.append((OTHER_FORM, found.expected))
        for other in (*(one for one in self._adjudicators if one is not engine), self._reference):
            if other is not self._reference and self.stop():
                continue
            try:
                played = ask(other, found.ordered)
            except EngineClosedError:
                if not self.stop():
                    raise
                continue
            if played:
                said.append((other.name, played))
        return said
