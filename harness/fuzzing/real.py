"""Positions of real games for a hunt: as they were, and with one order changed. Recorded results are not used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple, final

import msgspec

from ...reference_engine import GivenOrder, Phase, PositionError, Unit, province_code
from ..archives import (
    Archive,
    ArchiveError,
    ArchiveFormat,
    Chunk,
    RecordedPhase,
    Turn,
    chunks_of,
    find_format,
    turns_of,
)
from ..generating.generate import another_order
from ..positions import OrderedPosition, ordered_unit

HOW_DRAWN = (
    "drawn at random; about half of the movement phases have one order changed; recorded results are not compared"
)
"""What a hunt does with the positions of games."""
_MOST_CHUNKS = 96
"""Of a larger file so many parts of half a MiB are taken, at random but always the same ones."""


class _Kept(NamedTuple):
    """A phase as it is kept: encoded, since the objects of many thousand phases take gigabytes."""

    phase: Phase
    units: tuple[Unit, ...]
    orders: tuple[tuple[str, str], ...]
    centers: dict[str, list[str]]
    retreats: tuple[tuple[str, str], ...] | None

    def turn(self) -> Turn:
        first = RecordedPhase("", "", self.phase, self.units, self.orders, self.centers)
        after = None if self.retreats is None else RecordedPhase("", "", "retreat", (), self.retreats)
        return Turn(first, after)


_decode = msgspec.msgpack.Decoder(_Kept).decode


@final
class Games:
    """The phases of some games; each is made a position when it is wanted."""

    def __init__(self, turns: Iterable[Turn], *, is_sample: bool = False) -> None:
        """Take turns. Retreats go with the movements before them: alone they have no position of their own."""
        self._turns: list[bytes] = []
        self.notes: list[str] = []
        """What was guessed or skipped to read them, in words."""
        for turn in turns:
            if turn.first.phase != "retreat":
                self._turns.append(_encoded(turn))
                self.notes += turn.first.notes
        self.is_sample = is_sample
        """Whether the file has more."""

    def __len__(self) -> int:
        """How many phases of movement and of adjustment there are."""
        return len(self._turns)

    def ordered(self, index: int) -> OrderedPosition | None:
        """Make a position of a phase, with the orders that can be read; `None` where it is no position."""
        try:
            return self._ordered(index)
        except PositionError:
            return None

    def problem(self) -> str:
        """Say why there is no position; empty where there is one."""
        problem = "it has no phase of movement or adjustment"
        for index in range(len(self)):
            try:
                _ = self._ordered(index)
            except PositionError as error:
                problem = str(error)
            else:
                return ""
        return problem

    def _ordered(self, index: int) -> OrderedPosition:
        ordered = _decode(self._turns[index]).turn().ordered()
        retreats = ordered.retreats
        return ordered._replace(
            orders=_readable(ordered.orders), retreats=None if retreats is None else _readable(retreats)
        )


def _readable(orders: Iterable[GivenOrder]) -> tuple[GivenOrder, ...]:
    return tuple(given for given in orders if given.order is not None)


def _encoded(turn: Turn) -> bytes:
    first, retreat = turn
    centers = {power: list(owned) for power, owned in first.centers.items()}
    return msgspec.msgpack.encode(_Kept(first.phase, first.units, first.orders, centers, retreat and retreat.orders))


@lru_cache(maxsize=4)
def read_games(path: Path) -> Games:
    """Read the games of a file; of a large one a part.

    Raises `ArchiveError` where it has no game or no position, and for a line that cannot be read.
    """
    archive = Archive(path)
    name, archive_format = find_format(archive)
    chunks, count = _some(chunks_of([(archive, name, archive_format)]))
    games = Games(turns_of(_phases(path, archive_format, chunks)), is_sample=count > len(chunks))
    if problem := games.problem():
        raise ArchiveError(f"{path}: there is no position in it: {problem}")
    return games


def _some(chunks: Iterable[Chunk]) -> tuple[Sequence[Chunk], int]:
    """Take some chunks, each with the same chance, in their order; and count them all."""
    rng = Random(0)  # noqa: S311 - positions, not secrets
    taken: list[Chunk] = []
    count = 0
    for count, chunk in enumerate(chunks, 1):
        if len(taken) < _MOST_CHUNKS:
            taken.append(chunk)
        elif (place := rng.randrange(count)) < _MOST_CHUNKS:
            taken[place] = chunk
    return sorted(taken, key=lambda chunk: chunk.number), count


def _phases(path: Path, archive_format: ArchiveFormat, chunks: Iterable[Chunk]) -> Iterator[RecordedPhase]:
    for chunk in chunks:
        for block in chunk.blocks:
            if block.problem:
                raise ArchiveError(f"{path}, line {block.line}: cannot be read: {block.problem}")
            try:
                yield from archive_format.phases(block.content)
            except ArchiveError as error:
                raise ArchiveError(f"{path}, line {block.line}: {error}") from error


def random_real(rng: Random, games: Games) -> OrderedPosition:
    """Draw a position of a game; half of them with one order changed."""
    ordered = None
    while ordered is None:  # One at least is there, as `read_games` has seen.
        ordered = games.ordered(rng.randrange(len(games)))
    if ordered.phase != "movement" or not ordered.units or rng.random() < 0.5:
        return ordered
    unit = rng.choice(ordered.units)
    kept = [
        given
        for given in ordered.orders
        if (named := ordered_unit(given)) is None or province_code(named.location) != province_code(unit.location)
    ]
    changed = GivenOrder(unit.power, another_order(rng, unit, ordered))
    return OrderedPosition(ordered.position, (*kept, changed))
