"""A hunt from its beginning to its end: chunk by chunk, kept in a store, and gone on with later."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..session import Adjudicator
from .chunk import STOPPED, hunt_chunk
from .findings import ChunkResult, Finding, Seconds, Store
from .grouping import Group, group_findings
from .plan import Plan
from .working import all_chunks, in_processes, is_past, on_cluster


@dataclass
class Hunt:
    """A hunt, and what it found so far."""

    plan: Plan
    names: Sequence[str]
    """What the engines call themselves."""
    store: Store | None = None
    done: dict[int, ChunkResult] = field(default_factory=dict[int, ChunkResult])
    """The results of the chunks, those of an earlier run of the same hunt included."""
    interrupted: bool = False
    seconds: float = 0.0
    """How long this run of it took."""
    asked_now: int = 0
    """How many positions this run of it asked."""

    def go_on(
        self, adjudicators: Sequence[Adjudicator], jobs: int, stop_at: float | None, cluster: str | None
    ) -> Iterator[ChunkResult]:
        """Hunt through the chunks that are left, until `stop_at` (a time of `time.time`) or a Ctrl-C.

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
        if cluster is None and jobs <= 1:
            yield from self._here(adjudicators, left, stop_at)
            return
        with on_cluster(cluster) if cluster is not None else in_processes(jobs) as workers:
            running = all_chunks(workers, self.plan, left, stop_at)
            try:
                yield from running
            except KeyboardInterrupt:
                # Those that are at work say what they have found so far.
                self.interrupted = True
                workers.stop()
                with contextlib.suppress(KeyboardInterrupt):
                    yield from running

    def _here(
        self, adjudicators: Sequence[Adjudicator], chunks: Sequence[int], stop_at: float | None
    ) -> Iterator[ChunkResult]:
        for chunk in chunks:
            if is_past(stop_at):
                return
            result = hunt_chunk(self.plan, adjudicators, chunk, lambda: is_past(stop_at))
            yield result
            if result.trouble == STOPPED and not is_past(stop_at):
                self.interrupted = True
                return

    def _take(self, result: ChunkResult) -> None:
        """Count a chunk once, even if two workers did it."""
        if result.chunk in self.done:
            return
        self.done[result.chunk] = result
        self.asked_now += result.positions
        if self.store is not None and not result.trouble:
            self.store.add(result)

    @property
    def trouble(self) -> str:
        """Why it could not go on; empty where it could."""
        return next((each.trouble for each in self.results if each.trouble not in ("", STOPPED)), "")

    @property
    def complete(self) -> bool:
        """Whether all positions were asked."""
        return len(self.done) == self.plan.chunks and not any(each.trouble for each in self.results)

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
        """The findings by their causes."""
        return group_findings(self.findings)

    @property
    def asked(self) -> Mapping[str, int]:
        """How many positions of each source were asked."""
        counted = Counter[str]()
        for result in self.results:
            counted.update(result.asked)
        return counted

    @property
    def positions(self) -> int:
        """How many positions were asked."""
        return sum(result.positions for result in self.results)

    @property
    def unsupported(self) -> int:
        """How many answers were refused as unsupported."""
        return sum(result.unsupported for result in self.results)

    @property
    def spent(self) -> Seconds:
        """Where the time of all workers went."""
        every = [result.seconds for result in self.results]
        return Seconds(
            generator=sum(each.generator for each in every),
            engines=sum(each.engines for each in every),
            comparison=sum(each.comparison for each in every),
        )
