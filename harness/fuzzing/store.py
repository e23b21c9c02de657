"""A hunt's store: what it is, and what came of each chunk, a line each, added at the end and never changed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import final

import msgspec

from ..errors import HarnessError
from .causes import Possible
from .findings import ChunkResult
from .plan import Plan

_HEADER, _RESULTS = "hunt.json", "chunks.jsonl"


class StoreError(HarnessError):
    """A store cannot be used: it is of another hunt, or no store."""


class _Header(msgspec.Struct, frozen=True, kw_only=True):
    """What the hunt of a store is."""

    format: int = 1
    signature: dict[str, object]
    possible: list[list[tuple[str, str]] | None]
    """For each engine, the choices that it may make, as they were found when the hunt began."""


@final
class Store:
    """A folder that keeps a hunt, so that it can go on later."""

    def __init__(self, folder: Path) -> None:
        """Nothing is read or written yet."""
        self._folder = folder

    def begin(self, plan: Plan) -> None:
        """Begin a new hunt. Raises `StoreError` where one is stored already, and `OSError`."""
        header = self._folder / _HEADER
        if header.exists():
            raise StoreError(f"{self._folder} holds a hunt already: go on with it by --resume, or name another folder")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError as error:
            raise StoreError(f"{self._folder} is a file: name a folder") from error
        possible = [None if each.possible is None else sorted(each.possible) for each in plan.engines]
        _ = header.write_bytes(msgspec.json.encode(_Header(signature=plan.signature(), possible=possible)))
        self._folder.joinpath(_RESULTS).touch()

    def possible(self, plan: Plan) -> tuple[Possible | None, ...]:
        """What was found of the engines when the hunt began. Raises `StoreError` where it is another hunt."""
        try:
            header = msgspec.json.decode(self._folder.joinpath(_HEADER).read_bytes(), type=_Header)
        except (OSError, msgspec.DecodeError) as error:
            raise self._unusable(error) from error
        ours = msgspec.json.decode(msgspec.json.encode(plan.signature()))
        other = [name for name, value in ours.items() if header.signature.get(name) != value]
        if other:
            raise StoreError(f"{self._folder} holds a hunt with other {' and '.join(other)}: name another folder")
        return tuple(None if each is None else frozenset(each) for each in header.possible)

    def results(self) -> Mapping[int, ChunkResult]:
        """What came of the chunks that were finished. A line that was not written to its end is no result.

        Raises `StoreError` where they cannot be read.
        """
        found: dict[int, ChunkResult] = {}
        try:
            content = self._folder.joinpath(_RESULTS).read_bytes()
        except OSError as error:
            raise self._unusable(error) from error
        for line in content.splitlines():
            try:
                result = msgspec.json.decode(line, type=ChunkResult)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
            if not result.trouble:
                _ = found.setdefault(result.chunk, result)
        return found

    def _unusable(self, error: OSError | msgspec.DecodeError) -> StoreError:
        reason = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error)
        return StoreError(f"{self._folder} holds no hunt to go on with: {reason}")

    def add(self, result: ChunkResult) -> None:
        """Keep what came of a chunk. Raises `OSError`."""
        with self._folder.joinpath(_RESULTS).open("ab") as file:
            # A line before it may have been cut off: what is added stands on a line of its own.
            _ = file.write(b"\n" + msgspec.json.encode(result) + b"\n")
