"""The store of a search: a header, and a line of JSON a chunk under its key, added at the end and never changed.

A chunk that was stopped has a line with its `trouble`; the line of a later run that finishes it counts instead.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, cast, final

import msgspec
from filelock import FileLock, Timeout
from msgspec import structs

from ...adapters.engine import UNREADABLE
from ...reference_engine import RulesetError
from ...reports.files import append_whole, write_whole
from ...reports.statements import Evidence
from ..errors import HarnessError
from .disagreement import Cause, CauseKind, Possible
from .findings import ChunkResult
from .groups import Group, Refuted, group_findings, sort_groups
from .plan import Plan, Signature


class StoreError(HarnessError):
    """A store cannot be used: it is of another search, or no store."""


class _Header(msgspec.Struct, frozen=True, kw_only=True):
    format: int = 2
    signature: Signature
    ruleset: str
    """The name of the ruleset, whose choices are in the signature."""
    possible: list[Possible | None]
    """For each engine, the choices that it may make, as they were found when the search began."""


class _StoredGroup(msgspec.Struct, frozen=True, kw_only=True):
    """A cause that was tested, with the findings that it was given: each by its number, with its own cause."""

    engine: int
    kind: CauseKind
    label: str
    changes: dict[str, list[str]]
    findings: list[tuple[int, Cause]]
    evidence: Evidence
    refuted: tuple[Refuted, ...]
    rules: tuple[str, ...] = ()
    dropped: str = ""
    folded: tuple[str, ...] = ()


class _Line(msgspec.Struct, frozen=True, omit_defaults=True):
    key: str
    """Which chunk it is of, and of which pass; empty for the causes."""
    result: ChunkResult | None = None
    groups: list[_StoredGroup] = []


class _Summary(msgspec.Struct, frozen=True):
    """What of a result says whether it is better than another one of the same chunk."""

    asked: dict[str, int] = {}
    trouble: str = ""


class _Head(msgspec.Struct, frozen=True):
    key: str
    result: _Summary | None = None


@contextmanager
def locked_folder(folder: Path, what: str, *, new: bool) -> Generator[None]:
    """Lock a folder that stores `what`, until the process ends; `new` makes it. Raises `StoreError`."""
    if not new and not folder.is_dir():
        yield  # There is nothing in it to go on with, as its reader will say.
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / f"{what}.lock", blocking=False)
        # filelock types this with typing.Self, which Python 3.10 does not have.
        held = cast("Callable[[], AbstractContextManager[object]]", lock.acquire)()
    except FileExistsError as error:
        raise StoreError(f"{folder} is a file: name a folder") from error
    except Timeout as error:
        raise StoreError(f"{folder} is in use by another {what}: wait for its end, or name another") from error
    except (OSError, NotImplementedError) as error:  # It is read-only, or of a file system that has no locks.
        raise StoreError(f"nothing can be stored in {folder}: {error}") from error
    with held:
        yield


@final
class Store:
    """A folder that keeps a hunt or a replay, so that it can go on later."""

    def __init__(self, folder: Path, what: Literal["hunt", "replay"] = "hunt") -> None:
        """Nothing is read or written yet."""
        self._folder, self._what = folder, what
        self._header, self._results = folder / f"{what}.json", folder / "chunks.jsonl"

    def locked(self, *, new: bool) -> AbstractContextManager[None]:
        """Keep it from others: see `locked_folder`."""
        return locked_folder(self._folder, self._what, new=new)

    def begin(self, plan: Plan) -> None:
        """Begin a new search. Raises `StoreError` where one is stored already, and `OSError`."""
        # An empty header is what a full disk leaves behind.
        if any(file.exists() and file.stat().st_size for file in (self._header, self._results)):
            raise StoreError(
                f"{self._folder} holds a {self._what} already: go on with it by --resume, or name another folder"
            )
        self._folder.mkdir(parents=True, exist_ok=True)
        self._results.touch()
        possible = [each.possible for each in plan.engines]
        header = _Header(signature=plan.signature, ruleset=plan.ruleset.name, possible=possible)
        write_whole(self._header, msgspec.json.encode(header, order="deterministic"))

    def resume(self, plan: Plan) -> Plan:
        """Return the plan with what was found of the engines when it began. Raises `StoreError` for another search."""
        header, ours = self._read_header(), plan.signature
        names = [name for name in ours.__struct_fields__ if getattr(ours, name) != getattr(header.signature, name)]
        if names:
            other = " and ".join(name.replace("_", " ") for name in names)
            raise StoreError(f"{self._folder} holds a {self._what} with other {other}: name another folder")
        return self._with_possible(plan, header)

    def plan(self) -> Plan:
        """Return the plan of what is stored, with engines that are known by their names only. Raises `StoreError`."""
        header = self._read_header()
        try:
            plan = header.signature.plan(header.ruleset)
        except RulesetError as error:
            raise self._unusable(error) from error
        return self._with_possible(plan, header)

    def _with_possible(self, plan: Plan, header: _Header) -> Plan:
        if len(header.possible) != len(header.signature.engines):
            raise self._unusable("its header has choices of another number of engines")
        engines = zip(plan.engines, header.possible, strict=True)
        return dataclasses.replace(plan, engines=tuple(engine._replace(possible=each) for engine, each in engines))

    def _read_header(self) -> _Header:
        try:
            content = self._header.read_bytes()
            if not content:
                raise StoreError(
                    f"{self._folder} holds no {self._what} yet, for {self._header.name} is empty: leave out --resume"
                )
            return msgspec.json.decode(content, type=_Header)
        except (OSError, *UNREADABLE) as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception | str) -> StoreError:
        reason = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error)
        return StoreError(f"{self._folder} holds no {self._what} to go on with: {reason}")

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        offset = 0
        try:
            with self._results.open("rb") as file:
                for line in file:
                    yield offset, line
                    offset += len(line)
        except OSError as error:
            raise self._unusable(error) from error

    def index(self) -> Mapping[str, int]:
        """Return where the best line of each chunk is: that with more positions, then one that was finished.

        One that was cut off counts for nothing. Raises `StoreError`.
        """
        best: dict[str, tuple[int, bool, int]] = {}
        for offset, line in self._lines():
            with suppress(*UNREADABLE):
                head = msgspec.json.decode(line, type=_Head)
                if head.result is not None:
                    rank = sum(head.result.asked.values()), not head.result.trouble
                    if rank > best.get(head.key, (-1, False))[:2]:
                        best[head.key] = (*rank, offset)
        return {key: offset for key, (_, _, offset) in best.items()}

    def read(self, offset: int) -> ChunkResult | None:
        """Return the result that stands there; `None` where none can be read. Raises `OSError`."""
        with self._results.open("rb") as file:
            _ = file.seek(offset)
            line = file.readline()
        with suppress(*UNREADABLE):
            return msgspec.json.decode(line, type=_Line).result
        return None

    def results(self) -> Sequence[ChunkResult]:
        """Return what is stored of every chunk, those included that were not finished. Raises `StoreError`."""
        found = map(self.read, self.index().values())
        return sorted((each for each in found if each is not None), key=lambda each: each.chunk)

    def add(self, key: str, result: ChunkResult) -> None:
        """Keep the result of a chunk, also of one that was not finished and is asked again. Raises `OSError`."""
        self._append(_Line(key, result))

    def groups(self) -> Sequence[Group]:
        """Return what was found by its causes, as tested last, and as they fit what came later. Raises `StoreError`."""
        stored: Sequence[_StoredGroup] = ()
        for _, line in self._lines():
            with suppress(*UNREADABLE):
                stored = msgspec.json.decode(line, type=_Line).groups or stored
        findings = {(each.engine, each.number): each for result in self.results() for each in result.findings}
        groups: list[Group] = []
        for each in stored:
            mine = [
                structs.replace(finding, cause=cause)
                for number, cause in each.findings
                if (finding := findings.pop((each.engine, number), None)) is not None
            ]
            if mine:
                fields: dict[str, Any] = {**structs.asdict(each), "findings": tuple(mine)}
                groups.append(Group(**fields))
        return sort_groups([*groups, *group_findings(list(findings.values()))])

    def add_groups(self, groups: Sequence[Group]) -> None:
        """Keep the causes that were tested. Raises `OSError`."""
        stored: list[_StoredGroup] = []
        for each in groups:
            causes = [(finding.number, finding.cause) for finding in each.findings]
            fields: dict[str, Any] = {**each._asdict(), "findings": causes}
            stored.append(_StoredGroup(**fields))
        self._append(_Line("", groups=stored))

    def _append(self, line: _Line) -> None:
        # A line before it may have been cut off: what is added stands on a line of its own.
        append_whole(self._results, b"\n" + msgspec.json.encode(line) + b"\n")
