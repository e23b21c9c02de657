"""A replay from its beginning to its end: archives chunk by chunk, here, in other processes, or on a cluster."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from ...adapters import EngineClosedError, EngineGaveOutError, EngineStartError
from ..play.session import Adjudicator
from .archives import Archive, ArchiveError, ArchiveFormat, Chunk, chunks_of, find_format
from .confirm import CauseKey, best_changes, causes_to_test, tested_groups, with_small_examples
from .findings import ChunkResult, Finding, ReadCounts, Weighed, merge_findings
from .groups import Group, group_findings
from .investigation import STOPPED, Investigation
from .plan import Plan
from .recorded import NAME, RecordedGames, weigh_causes
from .store import Place, Store
from .workers import WORKER, Workers, open_adjudicators, open_workers, run_all

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


def replay_chunk(plan: Plan, adjudicators: Sequence[Adjudicator], chunk: Chunk) -> ChunkResult:
    """Compare the phases of a chunk: what was recorded with the reference, or an engine with one of the two."""
    return Investigation(RecordedGames(plan, adjudicators[0] if adjudicators else None, chunk)).run(chunk.number)


def compare_elsewhere(plan: Plan, chunk: Chunk) -> ChunkResult:
    """Compare a chunk in a worker process."""
    try:
        return replay_chunk(plan, WORKER.adjudicators(plan), chunk)
    except (EngineStartError, EngineClosedError) as error:
        return ChunkResult(chunk=chunk.number, trouble=str(error))


@dataclass
class Totals:
    """The sum of the results of chunks. It does not grow with the archive."""

    read: ReadCounts = field(default_factory=ReadCounts)
    merged: dict[tuple[object, ...], Finding] = field(default_factory=dict[tuple[object, ...], Finding])

    def add(self, result: ChunkResult) -> None:
        """Add the result of the next chunk."""
        if result.read is not None:
            self.read.add(result.read)
        merge_findings(self.merged, result.findings)

    def groups(self) -> Sequence[Group]:
        """Group what differs by the causes that explain most of it."""
        return group_findings(list(self.merged.values()))


@dataclass
class Replay:
    """A replay, and what it found so far."""

    plan: Plan
    archives: _Archives
    store: Store | None = None
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
        with open_adjudicators(self.plan) as adjudicators, open_workers(processes, cluster) as workers:
            self.names = [NAME, *(each.name for each in adjudicators)]
            try:
                self._run(adjudicators, workers)
            except KeyboardInterrupt:
                self.interrupted = True
                self.groups = self.totals.groups()
            except (EngineGaveOutError, EngineClosedError) as error:
                self.trouble = str(error)
                self.groups = self.totals.groups()

    def _run(self, adjudicators: Sequence[Adjudicator], workers: Workers | None) -> None:
        for _ in range(_MOST_ROUNDS if self.infers else 1):
            self.totals = Totals()
            self._compare(adjudicators, workers)
            self.groups = self.totals.groups()
            if not self.complete or not self.groups:
                return
            tested = self._test(workers) if self.tests or self.infers else {}
            found = best_changes(self.groups, tested) if self.infers else {}
            if not found:
                break
            self.before = self.before or self.totals
            self.inferred.update(found)
            rules = self.plan.ruleset.with_choices({issue: choices[0] for issue, choices in found.items()})
            self.plan = replace(self.plan, ruleset=rules)
        else:
            tested = {}
        read = self.totals.read
        self.tell(Progress("testing causes", self.bytes, read.count("read"), read.count("differs")))
        if self.tests:
            self.groups = tested_groups(self.plan, self.groups, tested, adjudicators)
        self.groups = with_small_examples(self.plan, self.groups, adjudicators)

    def _compare(self, adjudicators: Sequence[Adjudicator], workers: Workers | None) -> None:
        def compare(chunk: Chunk) -> ChunkResult:
            return replay_chunk(self.plan, adjudicators, chunk)

        began = time.perf_counter()
        try:
            with contextlib.closing(
                self._pass("compare", compare, workers, compare_elsewhere, (self.plan,))
            ) as results:
                for result in results:
                    if result.trouble == STOPPED:
                        raise KeyboardInterrupt
                    self.totals.add(result)
                    if result.trouble:
                        self.trouble = result.trouble
                        break
        finally:
            self.seconds += time.perf_counter() - began
        if self.totals.read.unreadable and self.is_strict:
            raise ArchiveError(self.totals.read.problems[0])

    def _test(self, workers: Workers | None) -> dict[CauseKey, Weighed]:
        """Count, in another pass over the archives, how the causes fare on all phases."""
        causes = causes_to_test(self.groups)
        if not causes:
            return {}

        def weigh(chunk: Chunk) -> ChunkResult:
            return weigh_causes(self.plan, causes, chunk)

        found = [Weighed()] * len(causes)
        results = self._pass(f"test {causes!r}", weigh, workers, weigh_causes, (self.plan, causes))
        with contextlib.closing(results):
            for result in results:
                found = [one + two for one, two in zip(found, result.weighed, strict=True)]
        return dict(zip(causes, found, strict=True))

    def _pass(
        self,
        what: str,
        here: Callable[[Chunk], ChunkResult],
        workers: Workers | None,
        elsewhere: Callable[..., ChunkResult],
        arguments: tuple[object, ...],
    ) -> Generator[ChunkResult]:
        """Work on all chunks, and give the results in the order of the chunks, stored ones included."""
        doing = "comparing" if what == "compare" else "testing causes"
        task = hashlib.blake2b(msgspec.json.encode(self.plan.signature) + what.encode(), digest_size=8).hexdigest()
        stored: Mapping[str, Place] = {} if self.store is None else self.store.index()
        ends: dict[int, int] = {}
        keys: dict[int, str] = {}
        ready: dict[int, ChunkResult] = {}

        def left() -> Iterator[Chunk]:
            for chunk in self._chunks(ends):
                if self.store is not None:
                    keys[chunk.number] = f"{task} {chunk.number} {chunk.digest}"
                    place = stored.get(keys[chunk.number])
                    if place is not None and (result := self.store.read(place)) is not None:
                        ready[chunk.number] = result
                        continue
                yield chunk

        def done() -> Iterator[ChunkResult]:
            if workers is None:
                return map(here, left())
            return run_all(workers, elsewhere, ((*arguments, chunk) for chunk in left()))

        following = phases = differing = 0
        for result in done():
            ready[result.chunk] = result
            if self.store is not None and not result.trouble:
                self.store.add(keys[result.chunk], result)
            self.phases_now += result.read.count("read") if result.read else 0
            while following in ready:
                given = ready.pop(following)
                if given.read is not None:
                    phases, differing = phases + given.read.count("read"), differing + given.read.count("differs")
                self.tell(Progress(doing, ends.pop(following, 0), phases, differing))
                _ = keys.pop(following, None)
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
