"""A replay from its beginning to its end: archives chunk by chunk, here, in other processes, or on a cluster."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from ...adapters import EngineClosedError, EngineGaveOutError, EngineStartError
from ...reference_engine import Phase
from ..archives import Archive, ArchiveError, ArchiveFormat, Chunk, chunks_of, find_format
from ..fuzzing.grouping import Group
from ..fuzzing.workers import WORKER, Workers, in_processes, on_cluster, open_adjudicators, run_all
from ..session import Adjudicator
from .causes import CauseKey, best_changes, causes_to_test, groups_of, tested_groups, with_small_examples
from .chunk import NamedCause, ReplayPlan, replay_chunk, weigh_causes
from .recorded import NAME
from .results import ChunkResult, Tested, Totals
from .store import ReplayStore

_MOST_ROUNDS = 3
"""So often other choices are looked for under which an archive agrees better."""


class Progress(NamedTuple):
    """How far a replay is."""

    doing: str
    done: int
    """Bytes of the archives, as they are on the disk."""
    phases: int
    differing: int


_Archives: TypeAlias = Sequence[tuple[Archive, str, ArchiveFormat]]


def open_archives(paths: Iterable[Path], format_name: str | None = None) -> _Archives:
    """Find the format of each archive. Raises `ArchiveError`."""
    return [(archive, *find_format(archive, format_name)) for archive in map(Archive, paths)]


def compare_elsewhere(replay: ReplayPlan, chunk: Chunk) -> ChunkResult:
    """Compare a chunk in a worker process."""
    try:
        return replay_chunk(replay, WORKER.adjudicators(replay.plan), chunk)
    except (EngineStartError, EngineClosedError) as error:
        return ChunkResult(chunk=chunk.number, trouble=str(error))


def weigh_elsewhere(replay: ReplayPlan, causes: Sequence[tuple[Phase, NamedCause]], chunk: Chunk) -> ChunkResult:
    """Test causes on a chunk in a worker process."""
    return weigh_causes(replay, causes, chunk)


@dataclass
class Replay:
    """A replay, and what it found so far."""

    plan: ReplayPlan
    archives: _Archives
    store: ReplayStore | None = None
    is_strict: bool = False
    """Whether it stops at the first line that cannot be read."""
    tests: bool = True
    infers: bool = False
    """Whether it looks for the choices under which the archives agree best."""
    tell: Callable[[Progress], None] = lambda _: None
    totals: Totals = field(default_factory=Totals)
    groups: Sequence[Group] = ()
    inferred: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The choices under which more phases agree than under those asked for: that in force, and those as good."""
    before: Totals | None = None
    """What was found under the choices that were asked for, where others were inferred."""
    names: Sequence[str] = (NAME,)
    interrupted: bool = False
    trouble: str = ""
    """Why it could not go on."""
    seconds: float = 0.0
    phases_now: int = 0
    """How many phases this run of it compared itself."""

    @property
    def bytes(self) -> int:
        """How many bytes there are to read."""
        return sum(archive.bytes for archive, _, _ in self.archives)

    @property
    def complete(self) -> bool:
        """Whether every phase was read and compared as far as it can be."""
        return not (self.interrupted or self.trouble)

    def run(self, processes: int, cluster: str | None) -> None:
        """Replay the archives, and find what explains the differences, until a Ctrl-C.

        Raises `ArchiveError` for a line that cannot be read where it is strict, `EngineStartError`, `WorkerError`, and
        `OSError` where the store cannot be written.
        """
        with contextlib.ExitStack() as stack:
            adjudicators = stack.enter_context(open_adjudicators(self.plan.plan))
            self.names = [NAME, *(each.name for each in adjudicators)]
            workers: Workers | None = None
            if cluster is not None:
                workers = stack.enter_context(on_cluster(cluster))
            elif processes > 1:
                workers = stack.enter_context(in_processes(processes))
            try:
                self._run(adjudicators, workers)
            except KeyboardInterrupt:
                self.interrupted = True
                self.groups = groups_of(self.totals)
            except (EngineGaveOutError, EngineClosedError) as error:
                self.trouble = str(error)
                self.groups = groups_of(self.totals)

    def _run(self, adjudicators: Sequence[Adjudicator], workers: Workers | None) -> None:
        for _ in range(_MOST_ROUNDS if self.infers else 1):
            self.totals = Totals()
            self._compare(adjudicators, workers)
            self.groups = groups_of(self.totals)
            if self.trouble or not self.groups:
                return
            tested = self._test(workers) if self.tests or self.infers else {}
            found = best_changes(self.groups, tested) if self.infers else {}
            if not found:
                break
            self.before = self.before or self.totals
            self.inferred.update(found)
            rules = self.plan.ruleset.with_choices({issue: choices[0] for issue, choices in found.items()})
            self.plan = replace(self.plan, plan=replace(self.plan.plan, ruleset=rules))
        else:
            tested = {}
        self.tell(Progress("testing causes", self.bytes, self.totals.count("read"), self.totals.count("differs")))
        if self.tests:
            self.groups = tested_groups(self.plan, self.groups, tested, adjudicators)
        self.groups = with_small_examples(self.plan, self.groups, adjudicators)

    def _compare(self, adjudicators: Sequence[Adjudicator], workers: Workers | None) -> None:
        began = time.perf_counter()
        results = self._pass(
            "comparing",
            self._task("compare"),
            lambda chunk: replay_chunk(self.plan, adjudicators, chunk),
            workers,
            compare_elsewhere,
            (self.plan,),
        )
        try:
            with contextlib.closing(results):
                for result in results:
                    self.totals.add(result)
                    if result.trouble:
                        self.trouble = result.trouble
                        break
        finally:
            self.seconds += time.perf_counter() - began
        if self.totals.unreadable and self.is_strict:
            raise ArchiveError(self.totals.problems[0])

    def _test(self, workers: Workers | None) -> dict[CauseKey, Tested]:
        """Count, in another pass over the archives, how the causes fare on all phases."""
        causes = causes_to_test(self.groups)
        if not causes:
            return {}
        found = [Tested()] * len(causes)
        task = self._task("test " + repr(causes))
        results = self._pass(
            "testing causes",
            task,
            lambda chunk: weigh_causes(self.plan, causes, chunk),
            workers,
            weigh_elsewhere,
            (self.plan, causes),
        )
        with contextlib.closing(results):
            for result in results:
                found = [
                    Tested(one.asked + two.asked, one.agreed + two.agreed, one.as_rules + two.as_rules)
                    for one, two in zip(found, result.tested, strict=True)
                ]
        return dict(zip(causes, found, strict=True))

    def _task(self, what: str) -> str:
        """Name a pass over the archives, so that its results are known again."""
        signature = msgspec.json.encode(self.plan.signature()) + what.encode()
        return hashlib.blake2b(signature, digest_size=8).hexdigest()

    def _pass(
        self,
        doing: str,
        task: str,
        here: Callable[[Chunk], ChunkResult],
        workers: Workers | None,
        elsewhere: Callable[..., ChunkResult],
        arguments: tuple[object, ...],
    ) -> Generator[ChunkResult]:
        """Work on all chunks, and give the results in the order of the chunks, stored ones included."""
        ends: dict[int, int] = {}
        digests: dict[int, str] = {}
        ready: dict[int, ChunkResult] = {}

        def left() -> Iterator[tuple[object, ...]]:
            for chunk in self._chunks(ends):
                stored = None
                if self.store is not None:
                    digests[chunk.number] = chunk.digest
                    stored = self.store.result(task, chunk.number, digests[chunk.number])
                if stored is None:
                    yield (*arguments, chunk)
                else:
                    del digests[chunk.number]
                    ready[chunk.number] = stored

        def done() -> Iterator[ChunkResult]:
            if workers is not None:
                yield from run_all(workers, elsewhere, left())
                return
            for call in left():
                chunk = call[-1]
                assert isinstance(chunk, Chunk)  # noqa: S101 - the last argument
                yield here(chunk)

        following = 0
        phases = differing = 0
        for result in done():
            ready[result.chunk] = result
            if self.store is not None and not result.trouble:
                self.store.add(task, digests.pop(result.chunk), result)
            self.phases_now += sum(counts.get("read", 0) for counts in result.counts.values())
            while following in ready:
                given = ready.pop(following)
                phases += sum(counts.get("read", 0) for counts in given.counts.values())
                differing += sum(counts.get("differs", 0) for counts in given.counts.values())
                self.tell(Progress(doing, ends.pop(following, 0), phases, differing))
                yield given
                following += 1
        yield from (ready[number] for number in sorted(ready))

    def _chunks(self, ends: dict[int, int]) -> Iterator[Chunk]:
        """Cut the archives into chunks, and note how many bytes were read before the end of each."""
        before = {str(archive.path): 0 for archive, _, _ in self.archives}
        total = 0
        for archive, _, _ in self.archives:
            before[str(archive.path)] = total
            total += archive.bytes
        for chunk in chunks_of(self.archives):
            ends[chunk.number] = before[chunk.file] + chunk.end
            yield chunk
