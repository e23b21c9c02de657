"""A replay from its beginning to its end: archives chunk by chunk, here, in other processes, or on a cluster.

What explains the differences is tested on all phases of the archives: a cause has to predict what was recorded.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import itertools
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias, final

import msgspec
from msgspec.structs import asdict, replace

from ...adapters import EngineClosedError, EngineGaveOutError
from ...reference_engine import Phase
from ...reports.statements import Evidence, choices_text
from ..bugs.confirm import Hypothesis
from ..bugs.evidence import strength_of
from ..bugs.mutants import MUTANTS
from ..play.differential import ask
from ..play.session import Adjudicator, ReferenceAdjudicator
from .archives import find_format
from .archives.records import Archive, ArchiveError, ArchiveFormat, Chunk, chunks_of
from .disagreement import UNEXPLAINED, Cause, Disagreement, same_kind, unexplained_cause
from .findings import MOST_PROBLEMS, ChunkResult, Finding, ReadCounts, Weighed, merge_findings
from .groups import Group, Refuted, by_number, group_by_experiments, group_by_pattern, group_findings, sort_groups
from .hunt import Search, in_worker
from .investigation import STOPPED, Investigation, Question, with_position
from .plan import Plan
from .recorded import NAME, RecordedGames, weigh_causes
from .relations import own_contradiction
from .workers import WORKER, LostWorkersError, Workers, open_adjudicators, open_workers, run_all

_MOST_ROUNDS = 3
"""So often other choices are looked for under which an archive agrees better."""
_MOST_WEIGHED = 16
_MOST_OF_A_GROUP = 8
_MOST_SHRUNK = 30


class Progress(NamedTuple):
    """How far a replay is."""

    doing: str
    done: int
    """Bytes of the archives, as they are on the disk."""
    phases: int
    differing: int


_Archives: TypeAlias = Sequence[tuple[Archive, str, ArchiveFormat]]
_CauseKey: TypeAlias = tuple[Phase, Hypothesis]
"""The kind of phases that a cause explains, and the cause."""


def open_archives(paths: Iterable[Path], format_name: str | None = None) -> tuple[_Archives, Sequence[str]]:
    """Find the format of each archive, or file of a folder, and why others cannot be read: all, an `ArchiveError`."""
    opened: list[tuple[Archive, str, ArchiveFormat]] = []
    problems: list[str] = []
    for file in (each for path in paths for each in sorted(path.glob("[!.]*")) or [path]):
        try:
            archive = Archive(file)
            opened.append((archive, *find_format(archive, format_name)))
        except ArchiveError as error:
            problems.append(str(error))
    if not opened:
        raise ArchiveError(problems[0])
    return opened, problems


def replay_chunk(plan: Plan, adjudicators: Sequence[Adjudicator], chunk: Chunk) -> ChunkResult:
    """Compare the phases of a chunk: what was recorded with the reference, or an engine with one of the two."""
    games = RecordedGames(plan, adjudicators[0] if adjudicators else None, chunk)
    games.stop = lambda: WORKER.has_to_stop.value  # In this process a Ctrl-C ends it.
    return Investigation(games).run(chunk.number)


def compare_elsewhere(plan: Plan, chunk: Chunk) -> ChunkResult:
    """Compare a chunk in a worker process."""
    return in_worker(plan, chunk.number, lambda engines: replay_chunk(plan, engines, chunk))


@final
@dataclass
class Replay(Search):
    """A replay, and what it found so far."""

    names: Sequence[str] = (NAME,)
    archives: _Archives = ()
    lost: Sequence[str] = ()
    """Why others cannot be read."""
    tests: bool = True
    infers: bool = False
    """Whether it looks for the choices under which the archives agree best."""
    tell: Callable[[Progress], None] = lambda _: None
    read: ReadCounts = field(default_factory=ReadCounts)
    merged: dict[tuple[object, ...], Finding] = field(default_factory=dict[tuple[object, ...], Finding])
    """The findings, those with the same explanation as one. Neither grows with the archive."""
    groups: Sequence[Group] = ()
    inferred: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The choices under which more phases agree than under those asked for: that in force, and those as good."""
    before: ReadCounts | None = None
    """What was read under the choices that were asked for, where others were inferred."""
    trouble: str = ""
    """Why it could not go on."""

    @property
    def bytes(self) -> int:
        """How many bytes there are to read."""
        return sum(archive.bytes for archive, _, _ in self.archives)

    @property
    def complete(self) -> bool:
        """Whether every phase was read and compared as far as it can be."""
        return not (self.interrupted or self.why_incomplete)

    @property
    def why_incomplete(self) -> str:
        """Say why it could not go on, or what of the archives is lost."""
        problems = self.read.problems
        return self.trouble or (f"not everything could be read: {problems[0]}" if problems else "")

    def run(self, processes: int, cluster: str | None) -> None:
        """Replay the archives, and find what explains the differences, until a Ctrl-C.

        Raises `EngineStartError`, `WorkerError`, and `OSError` where the store cannot be written.
        """
        with open_adjudicators(self.plan) as adjudicators, open_workers(processes, cluster) as workers:
            self.names = [NAME, *(each.name for each in adjudicators)]
            try:
                self._run(adjudicators, workers)
            except KeyboardInterrupt:
                self.interrupted = True
            except (EngineGaveOutError, EngineClosedError, LostWorkersError) as error:
                self.trouble = str(error)
            else:
                return
            self.groups = group_findings(list(self.merged.values()))

    def _run(self, adjudicators: Sequence[Adjudicator], workers: Workers | None) -> None:
        tested: Mapping[_CauseKey, Weighed] = {}
        for _ in range(_MOST_ROUNDS if self.infers else 1):
            self.read, self.merged = ReadCounts(problems=list(self.lost[:MOST_PROBLEMS])), {}
            self._compare(adjudicators, workers)
            self.groups = group_findings(list(self.merged.values()))
            if self.trouble or not self.groups:
                return
            tested = self._test(workers) if self.tests or self.infers else {}
            found = _best_changes(self.groups, tested) if self.infers else {}
            if not found:
                break
            self.before = self.before or self.read
            self.inferred.update(found)
            rules = self.plan.ruleset.with_choices({issue: choices[0] for issue, choices in found.items()})
            self.plan = dataclasses.replace(self.plan, ruleset=rules)
        else:
            tested = {}
        read = self.read
        self.tell(Progress("testing causes", self.bytes, read.count("read"), read.count("differs")))
        if self.tests:
            self.groups = _tested_groups(self.plan, self.groups, tested, adjudicators)
        self.groups = [
            _with_small_example(self.plan, group, adjudicators) if at < _MOST_SHRUNK else group
            for at, group in enumerate(self.groups)
        ]

    def _compare(self, adjudicators: Sequence[Adjudicator], workers: Workers | None) -> None:
        here, elsewhere = partial(replay_chunk, self.plan, adjudicators), partial(compare_elsewhere, self.plan)
        began = time.perf_counter()
        try:
            with contextlib.closing(self._pass("comparing", "compare", workers, here, elsewhere)) as results:
                for result in results:
                    read = result.read or ReadCounts()
                    if result.trouble == STOPPED:
                        read.drop_unasked()
                    self.read.add(read)
                    merge_findings(self.merged, result.findings)
                    if result.trouble == STOPPED and workers is None:
                        raise KeyboardInterrupt
                    if result.trouble not in ("", STOPPED):  # Other workers still give what they have.
                        self.trouble = result.trouble
                        break
        finally:
            self.seconds += time.perf_counter() - began

    def _test(self, workers: Workers | None) -> Mapping[_CauseKey, Weighed]:
        """Count, in another pass over the archives, how the causes fare on all phases."""
        # The causes of what was recorded, those of the largest groups first.
        every: list[_CauseKey] = [
            (phase, cause)
            for group in sorted(self.groups, key=lambda each: -each.positions)
            for phase in group.times
            if group.engine == 0 and phase != "retreat"
            for cause in _causes_of(group)
        ]
        causes = list(dict.fromkeys(every))[:_MOST_WEIGHED]
        if not causes:
            return {}
        found, weigh = [Weighed()] * len(causes), partial(weigh_causes, self.plan, causes)
        with contextlib.closing(self._pass("testing causes", f"test {causes!r}", workers, weigh, weigh)) as results:
            for result in results:
                found = [one + two for one, two in zip(found, result.weighed, strict=True)]
        return dict(zip(causes, found, strict=True))

    def _pass(
        self,
        doing: str,
        task: str,
        workers: Workers | None,
        here: Callable[[Chunk], ChunkResult],
        elsewhere: Callable[[Chunk], ChunkResult],
    ) -> Generator[ChunkResult]:
        """Work on all chunks, and give the results in the order of the chunks, stored ones included."""
        content = msgspec.json.encode(self.plan.signature) + task.encode()
        name = hashlib.blake2b(content, digest_size=8).hexdigest()
        stored: Mapping[str, int] = {} if self.store is None else self.store.index()
        known: dict[int, tuple[str, int]] = {}
        """Under which key each chunk is stored, and how many bytes were read before its end."""
        ready: dict[int, ChunkResult] = {}

        def left() -> Iterator[Chunk]:
            sizes = itertools.accumulate((archive.bytes for archive, _, _ in self.archives), initial=0)
            before = {str(archive.path): size for (archive, _, _), size in zip(self.archives, sizes, strict=False)}
            for chunk in chunks_of(self.archives):
                key = "" if self.store is None else f"{name} {chunk.number} {chunk.digest}"
                known[chunk.number] = key, before[chunk.file] + chunk.end
                offset = stored.get(key)
                result = None if self.store is None or offset is None else self.store.read(offset)
                if result is None:
                    yield chunk
                else:
                    ready[chunk.number] = result

        following = phases = differing = 0
        calls = ((chunk,) for chunk in left())
        done = itertools.starmap(here, calls) if workers is None else run_all(workers, elsewhere, calls)
        for result in done:
            ready[result.chunk] = result
            if self.store is not None and not result.trouble:
                self.store.add(known[result.chunk][0], result)
            self.asked_now += result.read.count("read") if result.read else 0
            while following in ready:
                given = ready.pop(following)
                _, end = known.pop(following)
                phases += given.read.count("read") if given.read else 0
                differing += given.read.count("differs") if given.read else 0
                self.tell(Progress(doing, end, phases, differing))
                yield given
                following += 1
        yield from (ready[number] for number in sorted(ready))


def _causes_of(group: Group) -> Sequence[Hypothesis]:
    if group.changes:
        pairs = [[(issue, choice) for choice in choices] for issue, choices in group.changes.items()]
        return list(itertools.islice(itertools.product(*pairs), _MOST_OF_A_GROUP))
    every = [name for name in MUTANTS if group.findings and all(name in each.cause.mutants for each in group.findings)]
    return every[:_MOST_OF_A_GROUP]


def _best(group: Group, tested: Mapping[_CauseKey, Weighed]) -> tuple[Sequence[Hypothesis], Weighed]:
    """Return the causes of a group that agree with most phases of the archive, and how they fare."""
    found: dict[Hypothesis, Weighed] = {}
    for cause in _causes_of(group):
        each = [tested[phase, cause] for phase in group.times if (phase, cause) in tested]
        if each:
            found[cause] = sum(each, Weighed())
    most = max((each.gain for each in found.values()), default=0)
    best = [cause for cause, each in found.items() if each.gain == most]
    return best, found[best[0]] if best else Weighed()


def _best_changes(groups: Sequence[Group], tested: Mapping[_CauseKey, Weighed]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for group in sorted(groups, key=lambda each: -each.positions):
        causes, how = _best(group, tested)
        if group.kind == "deviation" and how.gain > 0:
            found = {**_choices(causes), **found}
    return found


def _choices(causes: Sequence[Hypothesis]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for issue, choice in dict.fromkeys(pair for change in causes if not isinstance(change, str) for pair in change):
        found.setdefault(issue, []).append(choice)
    return found


def _tested_groups(
    plan: Plan, groups: Sequence[Group], tested: Mapping[_CauseKey, Weighed], adjudicators: Sequence[Adjudicator]
) -> Sequence[Group]:
    """Say how each cause stood its test: on the archive, or by new questions to the engine, whose errors it raises."""
    found: list[Group] = []
    refuted: list[Group] = []
    left: list[Finding] = []
    """What was recorded and nothing explains."""
    for group in (_tested(group, tested) for group in groups if group.engine == 0):
        if group.evidence.strength == "refuted":
            refuted.append(group)
        elif group.kind == "bug" and not group.has_cause:
            left += group.findings
        else:
            found.append(group)
    for finding in (each for group in refuted for each in group.findings):
        left.append(replace(finding, cause=UNEXPLAINED) if finding.position is None else _shrunken(plan, finding))
    found += [_with_refuted(group, refuted) for group in group_by_pattern(0, left)]
    mine = [finding for group in groups if group.engine == 1 for finding in group.findings]
    known = by_number(finding for finding in mine if finding.position is not None)
    if known:
        found += group_by_experiments(plan, 1, adjudicators[0], known, lambda: False)
    return sort_groups([*found, *group_findings([finding for finding in mine if finding.position is None])])


def _tested(group: Group, tested: Mapping[_CauseKey, Weighed]) -> Group:
    """Say of the causes of what was recorded which is the best, and how it stood its test."""
    causes, how = _best(group, tested)
    if not causes:
        return group
    evidence = Evidence(strength=strength_of(how.asked, how.agreed), **asdict(how))
    changes = [cause for cause in causes if not isinstance(cause, str)]
    if not changes:
        label = ", or ".join(MUTANTS[cause].sentence for cause in causes if isinstance(cause, str))
        return group._replace(label=label, evidence=evidence)
    if not evidence.stands:
        label = f"as under {choices_text(dict(changes[0]))}"
        return group._replace(kind="bug", label=label, changes={}, evidence=evidence)
    return group._replace(changes=_choices(causes), evidence=evidence)


def _with_refuted(group: Group, refuted: Sequence[Group]) -> Group:
    numbers = {finding.number for finding in group.findings}
    found: list[Refuted] = []
    for each in refuted:
        if not numbers.isdisjoint(finding.number for finding in each.findings):
            is_bug = any(finding.cause.mutants for finding in each.findings)
            found.append(Refuted(f"like an engine that {each.label}" if is_bug else each.label, each.evidence))
    return group._replace(refuted=tuple(found))


def _with_small_example(plan: Plan, group: Group, adjudicators: Sequence[Adjudicator]) -> Group:
    """Make the example of a group minimal, as far as that was not done when it was found."""
    example = group.smallest
    if example is None or not example.cause.is_known:
        return group
    cause = example.cause
    if group.changes:
        changes = [dict(each) for each in _causes_of(group) if not isinstance(each, str)]
        cause = Cause(kind="deviation", label="", changes=changes)
    small = _shrunken(plan, example, adjudicators[0] if example.engine else None, cause)
    small = replace(small, cause=example.cause)
    return group._replace(findings=tuple(small if each is example else each for each in group.findings))


def _shrunken(plan: Plan, finding: Finding, engine: Adjudicator | None = None, cause: Cause | None = None) -> Finding:
    """Return a recorded finding made smaller, with its pattern as cause; it stays wrong for a cause, or in as much."""
    reference = ReferenceAdjudicator(plan.ruleset)
    ordered, said, _ = finding.played()
    found = Disagreement(ordered, said, ask(reference, ordered), plan.ruleset, own_contradiction(ordered, said))
    question = Question(finding.number, finding.source, finding.engine)
    small = RecordedGames(plan, engine).smallest(question, found, same_kind(cause, found), lambda: None)
    answers = [(finding.said[0].party, small.said), (reference.name, small.expected)]
    return with_position(replace(finding, cause=unexplained_cause(small)), small, answers)
