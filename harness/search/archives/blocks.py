"""Files, plain or compressed, cut into blocks, and blocks gathered to chunks that one process works on."""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple, final

from .records import MOST_BYTES, ArchiveError, ArchiveFormat

_CHUNK_BYTES = 512 << 10
"""A chunk ends behind the game in which it has so many bytes."""
_LARGEST_CHUNK = 4 << 20
_START_BYTES = 64 << 10
_PACKED_BYTES = 512
"""So little is unpacked at once that it is some MiB even where each byte stands for thousands."""


class Block(NamedTuple):
    """A part of a file that can be read alone."""

    line: int
    """The number of its first line."""
    content: bytes
    problem: str = ""
    """Why it could not be cut out of the file; then there is no content."""


class Chunk(NamedTuple):
    """Blocks of one file that follow each other, whole games as far as these are not too large."""

    number: int
    file: str
    format: str
    blocks: tuple[Block, ...]
    end: int = 0
    """How many bytes of its file were read when it was full, as they are on the disk."""

    @property
    def digest(self) -> str:
        """Identify the content."""
        digest = hashlib.blake2b(digest_size=16)
        for block in self.blocks:
            digest.update(f"{block.line} {len(block.content)} {block.problem}\n".encode())
            digest.update(block.content)
        return digest.hexdigest()


@final
class Archive:
    """A file with recorded games, and how far it was read."""

    def __init__(self, path: Path) -> None:
        """Raise `ArchiveError` for what is no file that can be read."""
        self.path = path
        self.position: int = 0
        """How many bytes of the file were read, as it is on the disk."""
        try:
            self.bytes: int = path.stat().st_size
            if path.is_file():
                path.open("rb").close()
        except OSError as error:
            raise ArchiveError(f"{path}: cannot be read: {error.strerror}") from error
        if not path.is_file():  # A pipe can be read once only, and a device may have no end.
            raise ArchiveError(f"{path}: cannot be read: it is no regular file")

    def start(self) -> bytes:
        """Return the beginning of its content. Raises `ArchiveError`."""
        try:
            with self._opened() as (_, stream):
                return stream.read(_START_BYTES)
        except _damages() as error:
            raise ArchiveError(f"{self.path}: cannot be read: {_reason(error)}") from error

    def blocks(self, archive_format: ArchiveFormat) -> Iterator[Block]:
        """Cut it into blocks. What cannot be read has a problem, and nothing comes behind it where it is the end."""
        problems: list[Block] = []
        try:
            for number, content in archive_format.blocks(self._lines(problems)):
                yield from problems
                problems.clear()
                yield Block(number, content)
        except ArchiveError as error:
            problems.append(Block(1, b"", str(error)))
        yield from problems

    def _lines(self, problems: list[Block]) -> Iterator[tuple[int, bytes]]:
        number = 0
        try:
            with self._opened() as (file, stream):
                while line := stream.readline(MOST_BYTES):
                    number += 1
                    self.position = file.tell()
                    if len(line) == MOST_BYTES and not line.endswith(b"\n"):
                        _skip_line(stream)
                        problems.append(Block(number, b"", f"the line has more than {MOST_BYTES >> 20} MiB"))
                        continue
                    yield number, line
        except _damages() as error:
            problems.append(Block(number + 1, b"", f"the file is damaged or cut off from here on: {_reason(error)}"))
        self.position = self.bytes

    @contextmanager
    def _opened(self) -> Generator[tuple[BinaryIO, IO[bytes]]]:
        """Open the file, and the stream of its content."""
        with self.path.open("rb") as file:
            if self.path.suffix == ".gz":
                with gzip.GzipFile(fileobj=file) as stream:
                    yield file, stream  # pyright: ignore[reportReturnType]: it reads like any stream of bytes
            elif self.path.suffix == ".zst":
                with io.BufferedReader(_Zstandard(file)) as stream:
                    yield file, stream
            else:
                yield file, file


def _skip_line(stream: IO[bytes]) -> None:
    while (more := stream.readline(MOST_BYTES)) and not more.endswith(b"\n"):
        pass


@final
class _Zstandard(io.RawIOBase):
    """The content of a Zstandard file, all its frames: the library's reader takes a file that is cut off for whole."""

    def __init__(self, file: BinaryIO) -> None:
        try:
            import zstandard
        except ImportError as error:
            raise ArchiveError("a .zst file needs the extra: pip install 'datc-check[zst]'") from error
        self._file = file
        self._decompressor = zstandard.ZstdDecompressor()
        self._frame: Any = None
        """The frame that is being read, an object without types."""
        self._ready: bytes = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401 - Python has no type for it before 3.12
        while not self._ready:
            unused: bytes = self._frame.unused_data if self._frame is not None and self._frame.eof else b""
            packed = unused or self._file.read(_PACKED_BYTES)
            if not packed:
                if self._frame is not None and not self._frame.eof:
                    raise EOFError("it ends in the middle of a frame")
                return 0
            if self._frame is None or self._frame.eof:
                self._frame = self._decompressor.decompressobj()
            self._ready = self._frame.decompress(packed)
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count


def _damages() -> tuple[type[Exception], ...]:
    """Return what a damaged file raises."""
    try:
        import zstandard
    except ImportError:
        return (OSError, EOFError, zlib.error)
    return (OSError, EOFError, zlib.error, zstandard.ZstdError)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def chunks_of(archives: Iterable[tuple[Archive, str, ArchiveFormat]]) -> Iterator[Chunk]:
    """Gather the blocks of archives, each with the name of its format, to chunks, in their order."""
    number = 0
    for archive, name, archive_format in archives:
        blocks: list[Block] = []
        size, last = 0, ""
        for block in archive.blocks(archive_format):
            if size >= _CHUNK_BYTES:
                game = archive_format.game_of(block.content)
                last = last or archive_format.game_of(blocks[-1].content)
                if game != last or not game or size >= _LARGEST_CHUNK:
                    yield Chunk(number, str(archive.path), name, tuple(blocks), archive.position)
                    blocks, size, last, number = [], 0, "", number + 1
            blocks.append(block)
            size += len(block.content)
        if blocks:
            yield Chunk(number, str(archive.path), name, tuple(blocks), archive.position)
            number += 1
