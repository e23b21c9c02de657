"""What is recorded: phases with their orders and results, turns of them, and how a format gives them.

Files, plain or compressed, are cut into blocks, and blocks gathered to chunks that one process works on.
"""

from __future__ import annotations

import bz2
import codecs
import dataclasses
import gzip
import hashlib
import io
import itertools
import lzma
import re
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias, final

import msgspec

from ....adapters.engine import UNREADABLE
from ....reference_engine import DatcCheckError, Dislodged, NotationError, Position, Reason, Unit, read_order
from ....reference_engine.board import Board
from ....reference_engine.maps import STANDARD, load_board
from ....reference_engine.orders import PHASES, GivenOrder, Move, Order, Phase
from ...errors import HarnessError
from ...play.answer import Answer, OrderOutcome, PhaseInput
from ...play.positions import OrderedPosition

_NAME = re.compile(r"(?P<season>[SFW])(?P<year>\d{1,4})[MRA]")
_SEASONS = {"S": "spring", "F": "autumn", "W": "winter"}
PHASE_NAMES: Mapping[str, Phase] = {phase: phase for phase in PHASES}


class ArchiveError(HarnessError):
    """A file or a part of it cannot be read as recorded games."""

    def __init__(self, message: str) -> None:
        """Keep the first line of a message: the others show the text, which is shown nowhere here."""
        super().__init__(message.partition("\n")[0])


class RecordedPhase(NamedTuple):
    """A phase of a game as it was recorded."""

    game: str
    name: str
    """The name of the phase: `S1901M` where the archive has such names."""
    phase: Phase
    units: tuple[Unit, ...]
    """What stood on the board before it."""
    orders: tuple[tuple[str, str], ...]
    """Who gave each order, and its text."""
    centers: Mapping[str, Sequence[str]] = {}
    """The supply centers that each power owned before it."""
    dislodged: tuple[Dislodged, ...] = ()
    """Before a retreat phase: the units that have yet to retreat. Their `retreats` are `None` where not recorded."""
    answer: Answer | None = None
    """What the phase made of it; `None` where no result is recorded."""
    line: int = 0
    notes: tuple[str, ...] = ()
    """What was guessed or skipped to read it, in words."""
    lost: tuple[str, ...] = ()
    """What of it cannot be read, and why: then it is not compared."""
    map: str = STANDARD
    """The map of the game."""

    @property
    def season(self) -> str:
        """Its season, as its name has it; spring, or winter for adjustments, if it has none."""
        named = _NAME.fullmatch(self.name)
        return "winter" if self.phase == "adjustment" else _SEASONS[named["season"]] if named else "spring"

    @property
    def board(self) -> Board:
        """The board of the map in the season of the phase."""
        return load_board(self.map).in_season(self.season)

    @property
    def id(self) -> str:
        """Name the phase with its game."""
        return f"{self.game}/{self.name}" if self.game else self.name

    @property
    def digest(self) -> bytes:
        """Identify what is recorded, wherever it stands in a file: equal answers list their units in any order."""
        answer = self.answer and dataclasses.replace(self.answer, standing=self.answer.units)
        return hashlib.blake2b(msgspec.msgpack.encode(self._replace(line=0, answer=answer)), digest_size=8).digest()

    def bounded(self) -> RecordedPhase:
        """Return the phase, as lost without its orders where these are too many: each look-up would take long."""
        if len(self.orders) <= MOST_ORDERS:
            return self
        return self._replace(orders=(), lost=(*self.lost, f"{self.id} has more than {MOST_ORDERS} orders"))

    @property
    def given_orders(self) -> tuple[GivenOrder, ...]:
        """Return the orders; one that cannot be read is there, too, since its unit has no other."""
        return tuple(map(_read, self.orders, itertools.repeat(self.phase), itertools.repeat(self.board)))

    def asked(self, *, follows: bool = False) -> PhaseInput:
        """Return the phase as it is asked, with its orders as they were written. Raises `PositionError`."""
        centers: Mapping[str, Sequence[str]] = self.centers if self.phase == "adjustment" else {}
        position, board = None, self.board
        if not follows:
            position = Position(self.units, phase=self.phase, dislodged=self.dislodged, centers=centers, board=board)
        named = _NAME.fullmatch(self.name)
        return PhaseInput(
            self.phase,
            self.given_orders,
            self.units,
            self.dislodged,
            [text for _, text in self.orders],
            self.season,
            int(named["year"]) if named else 1901,
            centers,
            follows=follows,
            prepared=position,
            board=None if self.map == STANDARD else board,
        )


class Turn(NamedTuple):
    """A phase that has a position of its own, and the retreats that follow it."""

    first: RecordedPhase
    retreat: RecordedPhase | None = None

    @property
    def phases(self) -> Sequence[RecordedPhase]:
        """Return the phases."""
        return [self.first] if self.retreat is None else [self.first, self.retreat]

    def ordered(self, phases: int = 2) -> OrderedPosition:
        """Return the position with the orders of so many phases. Raises `PositionError`."""
        retreats = self.retreat.given_orders if self.retreat is not None and phases > 1 else None
        return OrderedPosition(self.first.asked().position(), self.first.given_orders, retreats)


def turns_of(phases: Iterable[RecordedPhase]) -> Iterator[Turn]:
    """Put each movement phase together with the retreats that come next in its game."""
    waiting: RecordedPhase | None = None
    for phase in phases:
        before, waiting = waiting, None
        if before is not None:
            if phase.phase == "retreat" and (phase.game, phase.name[:-1]) == (before.game, before.name[:-1]):
                yield Turn(before, phase)
                continue
            yield Turn(before)
        if phase.phase == "movement":
            waiting = phase
        else:
            yield Turn(phase)
    if waiting is not None:
        yield Turn(waiting)


@lru_cache(maxsize=1 << 15)
def _read(order: tuple[str, str], phase: Phase, board: Board) -> GivenOrder:
    """Read who gave an order, and its text; there is no order where it cannot be read. Games repeat them."""
    power, text = order
    try:
        return GivenOrder(power, read_order(text, phase, board=board).order)
    except NotationError:
        return GivenOrder(power, None)


MOST_ORDERS = 500
"""A phase with more is not compared: a game has at most 34 units, and people write an order a few times at most."""
MOST_BYTES = 64 << 20
"""A longer line, and a longer file that is one block, is no phase and no game."""


def cut(
    lines: Iterable[tuple[int, bytes]], begins: Callable[[bytes], object], what: str
) -> Iterator[tuple[int, bytes]]:
    """Cut a file before each line that begins a block. Raises `ArchiveError` where `what` (with `{}`) is too long."""
    first, block = 1, io.BytesIO()  # A list of lines takes several times the memory of what they say.
    for number, line in lines:
        if block.tell() and begins(line):
            yield first, block.getvalue()
            block = io.BytesIO()
        first = first if block.tell() else number
        _ = block.write(line)
        if block.tell() > MOST_BYTES:
            raise ArchiveError(f"{what.format(first)} has more than {MOST_BYTES >> 20} MiB")
    if block.tell():
        yield first, block.getvalue()


class ArchiveFormat(ABC):
    """How an archive is written: how to cut it into blocks, and what a block holds.

    A block is the smallest part that can be read alone: a line, a case, or the whole file. Blocks of one game follow
    each other, and so do the phases of a game in them.
    """

    @abstractmethod
    def recognises(self, start: bytes) -> bool:
        """Whether a file that begins with these bytes is written so."""

    @abstractmethod
    def phases(self, content: bytes) -> Iterable[RecordedPhase]:
        """Read the phases of a block. Raises `ArchiveError` or another error that says what is wrong with it."""

    def blocks(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
        """Cut a file into blocks, each with the number of its first line. By default each line is one."""
        return ((number, line) for number, line in lines if line.strip())

    def game_of(self, content: bytes) -> str:
        """Name the game of a block, so that blocks of one game stay together; empty: it is alone."""
        _ = content
        return ""


_REASONS: Mapping[str, Reason] = {
    "bounce": "bounced",
    "cut": "cut",
    "dislodged": "dislodged",
    "destroyed": "destroyed",
    "disrupted": "disrupted",
    "no convoy": "no-path",
    "void": "void",
}


def outcome_of(words: Sequence[str], order: Order | None) -> OrderOutcome | None:
    """Read an outcome: the first word about a unit says why; `None` where it does not tell (an army's "no convoy")."""
    if not words:
        return OrderOutcome("succeeds")
    reason = _REASONS.get(words[0])
    if reason is None or (reason == "no-path" and not isinstance(order, Move)):
        return None
    return OrderOutcome("fails", reason)


_CHUNK_BYTES = 512 << 10
"""A chunk ends behind the game in which it has so many bytes."""
_LARGEST_CHUNK = 4 << 20
_START_BYTES = 64 << 10
_PACKED_BYTES = 512
"""So little is unpacked at once that it is some MiB even where each byte stands for thousands."""


class Block(NamedTuple):
    """A part of a file that can be read alone."""

    line: int
    content: bytes
    problem: str = ""
    """Why it could not be cut out of the file; then there is no content."""

    def phases(self, archive_format: ArchiveFormat) -> Iterator[RecordedPhase]:
        """Read its phases, each when it is needed. Raises `ArchiveError`, which says why no more can be read."""
        if self.problem:
            raise ArchiveError(self.problem)
        try:
            for phase in archive_format.phases(self.content):
                yield phase.bounded()._replace(line=self.line)
        except (*UNREADABLE, DatcCheckError) as error:
            is_whole = isinstance(error, (DatcCheckError, msgspec.ValidationError)) or self.content.endswith(b"\n")
            raise ArchiveError(f"{'' if is_whole else 'the file ends in the middle of a line: '}{error}") from error


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
            right = "; write standard input to a file first" * (str(path) == "-")
            raise ArchiveError(f"{path}: cannot be read: {error.strerror}{right}") from error
        if not path.is_file():  # A pipe can be read once only, and a device may have no end.
            raise ArchiveError(f"{path}: cannot be read: it is no regular file")

    def start(self) -> bytes:
        """Return the beginning of its content. Raises `ArchiveError`."""
        start, problems = bytearray(), list[Block]()
        for _, line in self._lines(problems):
            start += line
            if len(start) >= _START_BYTES:
                break
        if problems and not start:
            raise ArchiveError(f"{self.path}: cannot be read: {problems[0].problem}")
        return bytes(start[:_START_BYTES])

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
                        while (more := stream.readline(MOST_BYTES)) and not more.endswith(b"\n"):
                            pass
                        problems.append(Block(number, b"", f"the line has more than {MOST_BYTES >> 20} MiB"))
                        continue
                    yield number, line
        except _DAMAGES as error:
            why = getattr(error, "strerror", None) or str(error) or type(error).__name__
            problems.append(Block(number + 1, b"", f"the file is damaged or cut off from here on: {why}"))
        self.position = self.bytes

    @contextmanager
    def _opened(self) -> Generator[tuple[BinaryIO, _Stream]]:
        """Open the file, and in it the unpacked content, as UTF-8 without a byte order mark."""
        with self.path.open("rb") as file:
            suffix = self.path.suffix.lower()
            stream: _Stream = io.BufferedReader(_Parts(_zstandard(file))) if suffix == ".zst" else file
            stream = _UNPACK[suffix](file) if suffix in _UNPACK else stream
            mark = stream.peek(len(codecs.BOM_UTF8))
            if mark.startswith(codecs.BOM_UTF8):
                _ = stream.read(len(codecs.BOM_UTF8))
            elif mark.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                texts = codecs.iterdecode(iter(partial(stream.read, _PACKED_BYTES), b""), "utf-16")
                stream = io.BufferedReader(_Parts(text.encode() for text in texts))
            yield file, stream


@final
class _Parts(io.RawIOBase):
    """The parts of a content as a stream."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts = parts
        self._ready: bytes = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401 - Python has no type for it before 3.12
        while not self._ready and (part := next(self._parts, None)) is not None:
            self._ready = part
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count


def _zstandard(file: BinaryIO) -> Iterator[bytes]:
    """Unpack a Zstandard file, all its frames: the library's reader takes a file that is cut off for whole."""
    try:
        import zstandard
    except ImportError as error:
        raise ArchiveError("a .zst file needs the extra: pip install 'datc-check[zst]'") from error
    frame: Any = None  # It has no types.
    while packed := (frame.unused_data if frame is not None and frame.eof else b"") or file.read(_PACKED_BYTES):
        if frame is None or frame.eof:
            frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            yield frame.decompress(packed)
        except zstandard.ZstdError as error:
            raise EOFError(str(error)) from error
    if frame is not None and not frame.eof:
        raise EOFError("it ends in the middle of a frame")


_Stream: TypeAlias = "io.BufferedReader | gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile"
_UNPACK: Mapping[str, Callable[[BinaryIO], _Stream]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_DAMAGES = (OSError, EOFError, zlib.error, lzma.LZMAError, UnicodeError)


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
