"""A hunt from its beginning to its end, in this process, in others, or on a cluster; and its findings asked again."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias, final

from msgspec import structs

from ...adapters import EngineClosedError, EngineGaveOutError, EngineStartError
from ...reference_engine import DatcCheckError
from ..errors import HarnessError
from ..play.answer import Failure
from ..play.differential import ask
from ..play.positions import OrderedPosition
from ..play.session import Adjudicator
from .disagreement import Cause, explain_difference, unexplained_cause
from .drawn import DrawnPositions, draw
from .findings import ChunkResult, Finding
from .folding import fold
from .groups import Group, by_number, group_by_experiments, group_by_symptoms, group_findings, sort_groups
from .investigation import STOPPED, Investigation, Progress, Question, new_finding, with_position
from .plan import FIRST_CHUNK, RESTARTS, Plan, PlannedEngine
from .relations import UNSTABLE
from .store import Store
from .workers import WORKER, LostWorkersError, Workers, is_past, open_workers, run_all

Status: TypeAlias = Literal["gone", "remains", "changed", "not-asked"]
"""What is left of a cause: nothing; the same; other wrong answers to its positions; or nothing is known."""

_MOST_POSITIONS = 10
"""So many minimal positions of a cause are asked again, and so many of those that they were shrunk from."""


def hunt_chunk(
    plan: Plan,
    adjudicators: Sequence[Adjudicator],
    chunk: int,
    stop: Callable[[], bool] = lambda: False,
    tell: Callable[[Progress], None] = lambda _: None,
) -> ChunkResult:
    """Ask the engines the positions of a chunk, unless `stop` says to stop before; `tell` gets the progress."""
    return Investigation(DrawnPositions(plan, adjudicators, chunk, stop), tell).run(chunk)


def in_worker(plan: Plan, chunk: int, search: Callable[[Sequence[Adjudicator]], ChunkResult]) -> ChunkResult:
    """Search a chunk in a worker process, with the engines that it has started."""
    try:
        return search(WORKER.adjudicators(plan))
    except EngineStartError as error:
        return ChunkResult(chunk=chunk, trouble=str(error))
    except EngineClosedError:  # It had to stop before they had started.
        return ChunkResult(chunk=chunk, trouble=STOPPED)


def work(plan: Plan, chunk: int, stop_at: float | None) -> ChunkResult:
    """Hunt through a chunk in a worker process; `stop_at` is a time of `time.monotonic`, the same for all processes."""
    has_to_stop = WORKER.has_to_stop
    return in_worker(
        plan, chunk, lambda engines: hunt_chunk(plan, engines, chunk, lambda: has_to_stop.value or is_past(stop_at))
    )


def work_elsewhere(plan: Plan, chunk: int, stop_at: float | None) -> ChunkResult:
    """Hunt through a chunk on another machine, whose `time.monotonic` is its own: `stop_at` is one of `time.time`."""
    here = None if stop_at is None else _on_this_machine(stop_at)
    return work(plan.until(here), chunk, here)


@lru_cache(maxsize=1)
def _on_this_machine(until: float) -> float:
    """Turn a time of `time.time` into one of `time.monotonic`, once in a hunt: a clock that is set changes nothing."""
    return time.monotonic() + until - time.time()


@dataclass
class Search:
    """What a hunt and a replay have in common."""

    plan: Plan
    names: Sequence[str]
    """What the engines, and of a replay first the archive, are called."""
    store: Store | None = None
    interrupted: bool = False
    seconds: float = 0.0
    asked_now: int = 0


@final
@dataclass
class Hunt(Search):
    """A hunt, and what it found so far."""

    done: set[int] = field(default_factory=set[int])
    """The chunks that were asked, those of an earlier run of the same hunt included."""
    counts: ChunkResult = field(default_factory=lambda: ChunkResult(chunk=FIRST_CHUNK))
    """What they have counted, all together, without what they have found."""
    kept: dict[int, ChunkResult] = field(default_factory=dict[int, ChunkResult])
    """The results of those that found something, or were not finished: the others would fill the memory."""
    tested: Sequence[Group] | None = None
    """The findings by the causes that were tested; `None` where they were not."""
    lost: str = ""
    """Why the workers could not go on."""
    tell: Callable[[Progress], None] = lambda _: None
    """Gets how far the whole hunt is, several times a second, where the positions are asked in this process."""

    def resume(self) -> None:
        """Take from the store what was done. The last chunk of a shorter hunt is asked again. Raises `StoreError`."""
        for result in self.store.results() if self.store is not None else ():
            if not result.trouble and result.positions >= len(self.plan.numbers(result.chunk)):
                self._count(result)

    def go_on(
        self, adjudicators: Sequence[Adjudicator], jobs: int, stop_at: float | None, cluster: str | None
    ) -> Iterator[ChunkResult]:
        """Hunt through what is left until `stop_at` (`time.monotonic`) or a Ctrl-C. Raises `WorkerError`, `OSError`."""
        began = time.perf_counter()
        # Whether the time is up is looked at before each chunk.
        every = itertools.takewhile(lambda _: not is_past(stop_at), range(FIRST_CHUNK, self.plan.chunks))
        left = (each for each in every if each not in self.done)
        try:
            with open_workers(jobs, cluster) as workers:
                if workers is None:
                    results = (self._hunt_here(adjudicators, chunk, stop_at) for chunk in left)
                else:
                    results = self._hunt_elsewhere(workers, left, stop_at)
                for result in results:
                    self._take(result)
                    yield result
                    if self.interrupted or result.trouble not in ("", STOPPED):
                        break
        except KeyboardInterrupt:
            self.interrupted = True
        except LostWorkersError as error:
            self.lost = str(error)
        finally:
            self.seconds = time.perf_counter() - began

    def _hunt_here(self, adjudicators: Sequence[Adjudicator], chunk: int, stop_at: float | None) -> ChunkResult:
        positions, findings = self.positions, len(self.findings)

        def tell(now: Progress) -> None:
            self.tell(Progress(positions + now.positions, findings + now.findings, now.shrinking))

        result = hunt_chunk(self.plan, adjudicators, chunk, lambda: is_past(stop_at), tell)
        self.interrupted = result.trouble == STOPPED and not is_past(stop_at)
        return result

    def _hunt_elsewhere(self, workers: Workers, chunks: Iterator[int], stop_at: float | None) -> Iterator[ChunkResult]:
        if not workers.elsewhere:
            return run_all(workers, work, ((self.plan, chunk, stop_at) for chunk in chunks))
        until = None if stop_at is None else time.time() + stop_at - time.monotonic()
        return run_all(workers, work_elsewhere, ((self.plan.until(None), chunk, until) for chunk in chunks))

    def _take(self, result: ChunkResult) -> None:
        """Count a chunk once, even if two workers did it."""
        if result.chunk in self.done:
            return
        self._count(result)
        self.asked_now += result.positions
        if self.store is not None and (result.findings or not result.trouble):
            self.store.add(str(result.chunk), result)

    def _count(self, result: ChunkResult) -> None:
        self.done.add(result.chunk)
        self.counts += result
        if result.findings or result.trouble:
            self.kept[result.chunk] = result

    def test_causes(self, adjudicators: Sequence[Adjudicator], stop_at: float | None = None) -> None:
        """Test what explains the findings until `stop_at`, and keep it; the rest has no name. Raises `OSError`.

        Without adjudicators nothing is tested.
        """
        groups: list[Group] = []
        for engine in range(len(self.names)):
            own = by_number(each for each in self.findings if each.engine == engine)
            tested: Iterable[Group] | None = None
            try:
                if adjudicators and not self.interrupted:
                    of_engine = adjudicators[engine]
                    if UNSTABLE.isdisjoint(each.relation for each in own):
                        found = group_by_experiments(self.plan, engine, of_engine, own, lambda: is_past(stop_at))
                    else:  # What it answers to new questions confirms nothing.
                        found = group_by_symptoms(self.plan, engine, own)
                    tested = fold(self.plan, of_engine, found, lambda: is_past(stop_at))
            except (EngineGaveOutError, EngineClosedError):
                pass
            except KeyboardInterrupt:
                self.interrupted = True
            groups += group_by_symptoms(self.plan, engine, own) if tested is None else tested
        self.tested = sort_groups(groups)
        if self.store is not None:
            self.store.add_groups(self.tested)

    @property
    def trouble(self) -> str:
        """Why it could not go on; empty where it could."""
        return self.lost or next((each.trouble for each in self.results if each.trouble not in ("", STOPPED)), "")

    @property
    def complete(self) -> bool:
        """Whether all positions were asked."""
        return not any(each.trouble for each in self.results) and self.done.issuperset(range(self.plan.chunks))

    @property
    def results(self) -> Sequence[ChunkResult]:
        """Return the results that are kept, in the order of their chunks."""
        return [self.kept[chunk] for chunk in sorted(self.kept)]

    @property
    def findings(self) -> Sequence[Finding]:
        """All findings, in the order of their positions."""
        return [finding for result in self.results for finding in result.findings]

    @property
    def groups(self) -> Sequence[Group]:
        """The findings by their causes: those that were tested, or else those that fit."""
        return group_findings(self.findings) if self.tested is None else self.tested

    @property
    def positions(self) -> int:
        """How many positions were asked."""
        return self.counts.positions

    @property
    def answered(self) -> Sequence[int]:
        """How many of these each engine has answered."""
        return self.counts.answered


class CauseAgain(NamedTuple):
    """A cause of a stored hunt, and what is left of it."""

    group: Group
    status: Status = "not-asked"
    asked: int = 0
    wrong: int = 0
    """How many of these the engine still answers differently from what is expected."""
    example: Finding | None = None
    """One of them, with what is answered now."""
    now: Group | None = None
    """Where it has changed: the cause of the example, which was tested as that of the hunt."""


@dataclass
class Again:
    """A stored hunt that is asked again."""

    plan: Plan
    """The plan of the hunt, with the engine that is asked now as its only one."""
    causes: list[CauseAgain]
    trouble: str = ""
    """Why not everything was asked; empty where it was."""

    def count(self, status: Status) -> int:
        """Return how many causes have a status."""
        return sum(cause.status == status for cause in self.causes)

    def ask(self, adjudicator: Adjudicator, stop: Callable[[], bool] = lambda: False) -> None:
        """Ask the engine cause by cause what is left of each, and test what explains answers that are wrong otherwise.

        The answers are explained until `stop` says to stop.
        """
        try:
            for index, (group, *_) in enumerate(self.causes):
                self.causes[index] = self._ask_cause(group, adjudicator)
            groups = group_by_experiments(self.plan, 0, adjudicator, self._changed(), stop)
        except (EngineGaveOutError, EngineClosedError) as error:
            self.trouble = str(error)
            groups = group_by_symptoms(self.plan, 0, self._changed())  # What was not tested has no name.
        now = {finding.number: (group, finding) for group in groups for finding in group.findings}
        for index, cause in enumerate(self.causes):
            if cause.status == "changed" and cause.example is not None:
                group, example = now[cause.example.number]
                self.causes[index] = cause._replace(now=group, example=example)

    def _changed(self) -> list[Finding]:
        """Return an example of each cause that has changed, once."""
        examples = [cause.example for cause in self.causes if cause.status == "changed"]
        return list({each.number: each for each in examples if each is not None}.values())

    def _ask_cause(self, group: Group, adjudicator: Adjudicator) -> CauseAgain:
        positions, same, others = DrawnPositions(self.plan, [adjudicator]), list[Finding](), list[Finding]()
        asked = 0
        for question, ordered, finding, is_small in self._questions(group):
            if not ask(adjudicator, ordered):
                continue  # It says that it cannot do this.
            asked += 1
            found = positions.find(question, None, ordered)
            if found is None:
                continue
            cause = explain_difference(found)
            unnamed = unexplained_cause(found)
            # What the hunt has refuted, or could not test, is no explanation now of what is wrong as it was.
            is_as_found = finding.cause.unexplained and unnamed.label == finding.cause.label
            if cause.is_known and (group.refuted or is_as_found):
                cause = unnamed
            now = with_position(new_finding(question, cause, found), found, positions.said(question, found))
            is_still = now.relation or _is_still(finding, cause, is_small=is_small)
            (same if is_still and now.relation == finding.relation else others).append(now)
            if group.kind == "failure" and found.failure is not None:
                break  # Each further question may take as long as the engine is waited for.
        wrong = same or others
        if not wrong:
            return CauseAgain(group, "gone" if asked else "not-asked", asked)
        return CauseAgain(group, "remains" if same else "changed", asked, len(same) + len(others), wrong[0])

    def _questions(self, group: Group) -> Iterator[tuple[Question, OrderedPosition, Finding, bool]]:
        """Give the minimal positions of a cause, and some that they were shrunk from, if these can be drawn."""
        small = [each for each in group.findings if each.position is not None]
        for finding in sorted(small, key=lambda each: each.units)[:_MOST_POSITIONS]:
            # An engine that contradicted its own results did so in an answer to one form.
            relation = finding.relation or ("again" if finding.source == "metamorphic" else "")
            question = Question(finding.number, finding.source, relation=relation, salt=finding.salt)
            yield question, finding.ordered(), finding, True
        for finding in group.findings[:_MOST_POSITIONS]:
            try:
                question, ordered = draw(self.plan, finding.number)
            except DatcCheckError:  # A file of games is somewhere else now.
                return
            # Another version may draw other positions.
            if (question.source, len(ordered.units)) == (finding.source, finding.found_units):
                yield question, ordered, finding, False


def _is_still(finding: Finding, cause: Cause, *, is_small: bool) -> bool:
    """Whether a position is wrong for the cause that it was found with."""
    before = finding.cause
    if before.kind != cause.kind:
        return False
    if cause.kind == "failure":
        reasons = [Failure(said.failure).kind for said in finding.said[:1]]
        return cause.label in (before.label.partition(":")[0], *reasons)
    if before.is_known or cause.is_known:
        changes = any(each in before.changes for each in cause.changes)
        return changes or not set(before.mutants).isdisjoint(cause.mutants)
    # The pattern of a position that was not shrunk is not that of the one that it was shrunk to.
    return before.label == cause.label or (not is_small and before.unexplained and cause.unexplained)


def open_again(store: Store, engine: PlannedEngine) -> Again:
    """Read a hunt, to ask it of an engine again: of several, the one so named. Raises `StoreError`, `HarnessError`."""
    plan = store.plan()
    names = [each.spec.text for each in plan.engines]
    if len(names) > 1 and engine.spec.text not in names:
        raise HarnessError(f"--again: the hunt was of several engines: name one of {', '.join(names)}")
    number = names.index(engine.spec.text) if len(names) > 1 else 0
    causes = [CauseAgain(group) for group in store.groups() if group.engine == number]
    limits = structs.replace(engine.limits, restarts=RESTARTS)
    only = engine._replace(limits=limits, possible=plan.engines[number].possible)
    return Again(replace(plan, engines=(only,)), causes)
