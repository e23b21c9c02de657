"""The store of a replay: a line of JSON for each chunk that is done, so that it can go on where it stopped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import final

import msgspec

from ...adapters.engine import UNREADABLE
from ...reports import append_whole, write_whole
from ..fuzzing.findings import StoreError, locked_folder
from .results import ChunkResult

_HEADER, _RESULTS = "replay.json", "chunks.jsonl"


class _Line(msgspec.Struct, frozen=True):
    task: str
    """Which pass over the archive it is of: comparing or testing, under which rules."""
    digest: str
    """What identifies the content of the chunk."""
    result: ChunkResult


class _LineHead(msgspec.Struct, frozen=True):
    task: str
    digest: str
    result: _ResultHead


class _ResultHead(msgspec.Struct, frozen=True):
    chunk: int


@final
class ReplayStore:
    """A folder that keeps a replay."""

    def __init__(self, folder: Path) -> None:
        """Nothing is read or written yet."""
        self._folder = folder
        self._places: dict[tuple[str, int, str], tuple[int, int]] = {}
        """Where the line of each chunk is: the task, the number and the digest; its offset and its length."""

    def locked(self, *, new: bool) -> AbstractContextManager[None]:
        """Keep it from other replays. Raises `StoreError`, and `OSError`."""
        return locked_folder(self._folder, "replay", new=new)

    def begin(self, signature: Mapping[str, object]) -> None:
        """Begin a new replay. Raises `StoreError` where one is stored already, and `OSError`."""
        if any((self._folder / name).exists() for name in (_HEADER, _RESULTS)):
            raise StoreError(f"{self._folder} holds something already: go on with it by --resume, or name another")
        (self._folder / _RESULTS).touch()
        write_whole(self._folder / _HEADER, msgspec.json.encode(signature))

    def resume(self, signature: Mapping[str, object]) -> None:
        """Go on with what is stored. Raises `StoreError` where that is another replay, or nothing."""
        try:
            stored = msgspec.json.decode((self._folder / _HEADER).read_bytes(), type=dict[str, object])
        except (OSError, *UNREADABLE) as error:
            raise StoreError(f"{self._folder} holds no replay to go on with: {error}") from error
        ours: dict[str, object] = msgspec.json.decode(msgspec.json.encode(signature))
        if other := [name for name, value in ours.items() if stored.get(name) != value]:
            raise StoreError(f"{self._folder} holds a replay with other {' and '.join(other)}: name another folder")
        self._places = {(head.task, head.result.chunk, head.digest): place for head, place in self._stored_heads()}

    def _stored_heads(self) -> Iterator[tuple[_LineHead, tuple[int, int]]]:
        """Read the beginnings of all lines that were written to their end."""
        offset = 0
        try:
            with (self._folder / _RESULTS).open("rb") as file:
                for line in file:
                    with suppress(*UNREADABLE):
                        yield msgspec.json.decode(line, type=_LineHead), (offset, len(line))
                    offset += len(line)
        except OSError as error:
            raise StoreError(f"{self._folder} holds no replay to go on with: {error}") from error

    def result(self, task: str, chunk: int, digest: str) -> ChunkResult | None:
        """Return the stored result of a chunk; `None` where it has no result, or another content now."""
        place = self._places.get((task, chunk, digest))
        if place is None:
            return None
        with (self._folder / _RESULTS).open("rb") as file:
            _ = file.seek(place[0])
            line = file.read(place[1])
        try:
            return msgspec.json.decode(line, type=_Line).result
        except UNREADABLE:
            return None

    def add(self, task: str, digest: str, result: ChunkResult) -> None:
        """Keep the result of a chunk with this content. Raises `OSError`."""
        append_whole(self._folder / _RESULTS, b"\n" + msgspec.json.encode(_Line(task, digest, result)) + b"\n")
