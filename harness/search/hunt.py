"""A hunt from its beginning to its end, and its workers: in this process, in others, or on a cluster."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ...adapters import EngineClosedError, EngineGaveOutError, EngineStartError
from ..play.session import Adjudicator
from .confirm import group_by_experiments
from .drawn import DrawnPositions
from .findings import ChunkResult, Finding, Seconds
from .groups import Group, group_findings, sort_groups
from .investigation import STOPPED, Investigation, Progress
from .plan import Plan
from .store import Store
from .workers import WORKER, Workers, is_past, open_workers, run_all


def hunt_chunk(
    plan: Plan,
    adjudicators: Sequence[Adjudicator],
    chunk: int,
    stop: Callable[[], bool] = lambda: False,
    tell: Callable[[Progress], None] = lambda _: None,
) -> ChunkResult:
    """Ask the engines the positions of a chunk, unless `stop` says to stop before; `tell` gets the progress."""
    return Investigation(DrawnPositions(plan, adjudicators, chunk, stop), stop, tell).run(chunk)


def work(plan: Plan, chunk: int, stop_at: float | None) -> ChunkResult:
    """Hunt through a chunk in a worker process; `stop_at` is a time of `time.monotonic`, the same for all processes."""
    try:
        adjudicators = WORKER.adjudicators(plan)
    except EngineStartError as error:
        return ChunkResult(chunk=chunk, asked={}, trouble=str(error))
    except EngineClosedError:  # The time was up before they had started.
        return ChunkResult(chunk=chunk, asked={}, trouble=STOPPED)
    has_to_stop = WORKER.has_to_stop
    return hunt_chunk(plan, adjudicators, chunk, lambda: has_to_stop.value or is_past(stop_at))


def work_elsewhere(plan: Plan, chunk: int, stop_at: float | None) -> ChunkResult:
    """Hunt through a chunk on another machine, whose `time.monotonic` is its own: `stop_at` is one of `time.time`."""
    here = None if stop_at is None else _on_this_machine(stop_at)
    return work(plan.until(here), chunk, here)


@lru_cache(maxsize=1)
def _on_this_machine(until: float) -> float:
    """Turn a time of `time.time` into one of `time.monotonic`, once in a hunt: a clock that is set changes nothing."""
    return time.monotonic() + until - time.time()


def all_chunks(workers: Workers, plan: Plan, chunks: Sequence[int], stop_at: float | None) -> Iterator[ChunkResult]:
    """Let the workers hunt through chunks, and give each result as it comes. Raises `WorkerError`."""
    task: Callable[[Plan, int, float | None], ChunkResult] = work
    until = stop_at
    if workers.elsewhere:
        plan, task = plan.until(None), work_elsewhere
        until = None if stop_at is None else time.time() + stop_at - time.monotonic()
    calls = ((plan, chunk, until) for chunk in itertools.takewhile(lambda _: not is_past(stop_at), chunks))
    return run_all(workers, task, calls)


@dataclass
class Hunt:
    """A hunt, and what it found so far."""

    plan: Plan
    names: Sequence[str]
    """What the engines call themselves."""
    store: Store | None = None
    done: dict[int, ChunkResult] = field(default_factory=dict[int, ChunkResult])
    """The results of the chunks, those of an earlier run of the same hunt included."""
    tested: Sequence[Group] | None = None
    """The findings by the causes that were tested; `None` where they were not."""
    interrupted: bool = False
    seconds: float = 0.0
    """How long this run of it took."""
    asked_now: int = 0
    """How many positions this run of it asked."""
    tell: Callable[[Progress], None] = lambda _: None
    """Gets how far the whole hunt is, several times a second, where the positions are asked in this process."""

    def resume(self) -> None:
        """Take from the store what was done. The last chunk of a shorter hunt is asked again. Raises `StoreError`."""
        for result in self.store.results() if self.store is not None else ():
            if not result.trouble and result.positions >= len(self.plan.numbers(result.chunk)):
                self.done[result.chunk] = result

    def go_on(
        self, adjudicators: Sequence[Adjudicator], jobs: int, stop_at: float | None, cluster: str | None
    ) -> Iterator[ChunkResult]:
        """Hunt through the chunks that are left, until `stop_at` (a time of `time.monotonic`) or a Ctrl-C.

        Raises `WorkerError`, and `OSError` where the store cannot be written.
        """
        began = time.perf_counter()
        try:
            for result in self._results(adjudicators, jobs, stop_at, cluster):
                self._take(result)
                yield result
                if result.trouble and result.trouble != STOPPED:
                    break
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            self.seconds = time.perf_counter() - began

    def _results(
        self, adjudicators: Sequence[Adjudicator], jobs: int, stop_at: float | None, cluster: str | None
    ) -> Iterator[ChunkResult]:
        left = [chunk for chunk in range(self.plan.chunks) if chunk not in self.done]
        with open_workers(jobs, cluster) as workers:
            if workers is None:
                yield from self._here(adjudicators, left, stop_at)
            else:
                yield from all_chunks(workers, self.plan, left, stop_at)

    def _here(
        self, adjudicators: Sequence[Adjudicator], chunks: Sequence[int], stop_at: float | None
    ) -> Iterator[ChunkResult]:
        for chunk in chunks:
            if is_past(stop_at):
                return
            result = hunt_chunk(self.plan, adjudicators, chunk, lambda: is_past(stop_at), self._tell_of_chunk())
            yield result
            if result.trouble == STOPPED and not is_past(stop_at):
                self.interrupted = True
                return

    def _tell_of_chunk(self) -> Callable[[Progress], None]:
        """Return what adds the progress of a chunk to what was done before it."""
        positions, findings = self.positions, len(self.findings)
        return lambda chunk: self.tell(
            Progress(positions + chunk.positions, findings + chunk.findings, chunk.shrinking)
        )

    def _take(self, result: ChunkResult) -> None:
        """Count a chunk once, even if two workers did it."""
        if result.chunk in self.done:
            return
        self.done[result.chunk] = result
        self.asked_now += result.positions
        if self.store is not None and (result.findings or not result.trouble):
            self.store.add(str(result.chunk), result)

    @property
    def trouble(self) -> str:
        """Why it could not go on; empty where it could."""
        return next((each.trouble for each in self.results if each.trouble not in ("", STOPPED)), "")

    @property
    def complete(self) -> bool:
        """Whether all positions were asked."""
        every_chunk = self.done.keys() >= set(range(self.plan.chunks))
        return every_chunk and not any(each.trouble for each in self.results)

    @property
    def results(self) -> Sequence[ChunkResult]:
        """Return the results of the chunks, in their order."""
        return [self.done[chunk] for chunk in sorted(self.done)]

    @property
    def findings(self) -> Sequence[Finding]:
        """All findings, in the order of their positions."""
        return [finding for result in self.results for finding in result.findings]

    @property
    def groups(self) -> Sequence[Group]:
        """The findings by their causes: those that were tested, or else those that fit."""
        return group_findings(self.findings) if self.tested is None else self.tested

    def test_causes(self, adjudicators: Sequence[Adjudicator], stop_at: float | None = None) -> None:
        """Test by new questions what explains the findings, until `stop_at`, and keep it. What is left stays untested.

        Raises `OSError` where the store cannot be written.
        """
        groups: list[Group] = []
        for engine, adjudicator in enumerate(adjudicators):
            own = sorted((each for each in self.findings if each.engine == engine), key=lambda each: each.number)
            try:
                groups += group_by_experiments(self.plan, engine, adjudicator, own, lambda: is_past(stop_at))
            except (EngineGaveOutError, EngineClosedError):
                return
            except KeyboardInterrupt:
                self.interrupted = True
                return
        self.tested = sort_groups(groups)
        if self.store is not None:
            self.store.add_groups(self.tested)

    @property
    def asked(self) -> Mapping[str, int]:
        """How many positions of each source were asked."""
        return sum((Counter(result.asked) for result in self.results), Counter[str]())

    @property
    def positions(self) -> int:
        """How many positions were asked."""
        return sum(result.positions for result in self.results)

    @property
    def unsupported(self) -> int:
        """How many answers were refused as unsupported."""
        return sum(result.unsupported for result in self.results)

    @property
    def spent(self) -> Mapping[str, float]:
        """Where the time of all workers went, in seconds."""
        return {
            name: sum((getattr(each.seconds, name) for each in self.results), 0.0) for name in Seconds.__struct_fields__
        }
