"""What is recorded: phases with their orders and results, turns of them, and how a format gives them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ....reference_engine import (
    Dislodged,
    GivenOrder,
    Move,
    NotationError,
    Order,
    Phase,
    Position,
    Reason,
    Unit,
    read_order,
)
from ....reference_engine.orders import PHASES
from ...errors import HarnessError
from ...play.answer import Answer, OrderOutcome, PhaseInput
from ...play.positions import OrderedPosition

_NAME = re.compile(r"(?P<season>[SFW])(?P<year>\d{1,4})[MRA]")
_SEASONS = {"S": "spring", "F": "autumn", "W": "winter"}


class ArchiveError(HarnessError):
    """A file or a part of it cannot be read as recorded games."""

    def __init__(self, message: str) -> None:
        """Keep the first line of a message: the others show the text, which is shown nowhere here."""
        super().__init__(message.partition("\n")[0])


class RecordedPhase(NamedTuple):
    """A phase of a game as it was recorded."""

    game: str
    """The name of the game, in its archive."""
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
    """The number of the line that it begins in."""
    notes: tuple[str, ...] = ()
    """What was guessed or skipped to read it, in words."""

    @property
    def id(self) -> str:
        """Name the phase with its game."""
        return f"{self.game}/{self.name}" if self.game else self.name

    @property
    def given_orders(self) -> tuple[GivenOrder, ...]:
        """Return the orders; one that cannot be read is there, too, since its unit has no other."""
        return tuple(map(_READ[self.phase].__getitem__, self.orders))

    def asked(self, *, follows: bool = False) -> PhaseInput:
        """Return the phase as an adjudicator is asked it, with the texts of its orders as they were written.

        Raises `PositionError` where it is no position on the board.
        """
        centers: Mapping[str, Sequence[str]] = self.centers if self.phase == "adjustment" else {}
        position = None
        if not follows:
            position = Position(self.units, phase=self.phase, dislodged=self.dislodged, centers=centers)
        named = _NAME.fullmatch(self.name)
        return PhaseInput(
            self.phase,
            self.given_orders,
            self.units,
            self.dislodged,
            [text for _, text in self.orders],
            "winter" if self.phase == "adjustment" else _SEASONS[named["season"]] if named else "spring",
            int(named["year"]) if named else 1901,
            centers,
            follows=follows,
            prepared=position,
        )


class Turn(NamedTuple):
    """A phase that has a position of its own, and the retreats that follow it."""

    first: RecordedPhase
    retreat: RecordedPhase | None = None

    @property
    def phases(self) -> Sequence[RecordedPhase]:
        """Return the phases."""
        return [self.first] if self.retreat is None else [self.first, self.retreat]

    def ordered(self) -> OrderedPosition:
        """Return the position with the orders of both phases. Raises `PositionError`."""
        position = self.first.asked().position()
        return OrderedPosition(position, self.first.given_orders, self.retreat and self.retreat.given_orders)


def turns_of(phases: Iterable[RecordedPhase]) -> Iterator[Turn]:
    """Put each movement phase together with the retreats that come next in its game."""
    waiting: RecordedPhase | None = None
    for phase in phases:
        if waiting is not None:
            is_next = phase.phase == "retreat" and phase.game == waiting.game and phase.name[:-1] == waiting.name[:-1]
            yield Turn(waiting, phase if is_next else None)
            waiting = None
            if is_next:
                continue
        if phase.phase == "movement":
            waiting = phase
        else:
            yield Turn(phase)
    if waiting is not None:
        yield Turn(waiting)


class _ReadOrders(dict[tuple[str, str], GivenOrder]):
    """Orders of one kind of phase that were read, by power and text: games repeat them, and a look-up takes no call."""

    def __init__(self, phase: Phase) -> None:
        super().__init__()
        self._phase: Phase = phase

    def __missing__(self, order: tuple[str, str]) -> GivenOrder:
        """Read who gave an order, and its text; there is no order where it cannot be read."""
        power, text = order
        try:
            given = GivenOrder(power, read_order(text, self._phase).order)
        except NotationError:
            given = GivenOrder(power, None)
        if len(self) >= _MOST_ORDERS:
            self.clear()
        self[order] = given
        return given


_MOST_ORDERS = 1 << 15
"""So many orders of one kind of phase are kept: the board has not many more that players give."""
_READ: Mapping[Phase, _ReadOrders] = {phase: _ReadOrders(phase) for phase in PHASES}

MOST_BYTES = 64 << 20
"""A longer line, and a longer file that is one block, is no phase and no game."""


def whole_file(lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """Take a whole file as one block. Raises `ArchiveError` where it is too long for that."""
    parts: list[bytes] = []
    size = 0
    for _, line in lines:
        size += len(line)
        if size > MOST_BYTES:
            raise ArchiveError(f"the file has to be read whole, and has more than {MOST_BYTES >> 20} MiB")
        parts.append(line)
    if size:
        yield 1, b"".join(parts)


class ArchiveFormat(ABC):
    """How an archive is written: how to cut it into blocks, and what a block holds.

    A block is the smallest part that can be read alone: a line, a case, or the whole file. Blocks of one game follow
    each other, and so do the phases of a game in them.
    """

    purpose: str = ""
    """Which archives are written so, in a few words."""

    @abstractmethod
    def recognises(self, start: bytes) -> bool:
        """Whether a file that begins with these bytes is written so."""

    @abstractmethod
    def phases(self, content: bytes) -> Iterable[RecordedPhase]:
        """Read the phases of a block. Raises `ArchiveError`, which says what is wrong with it."""

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
    """Read the outcome of an order from what is said of its unit: the first word says why it failed.

    `None` where the words do not tell: of a support or a convoy "no convoy" is about the army.
    """
    if not words:
        return OrderOutcome("succeeds")
    reason = _REASONS.get(words[0])
    if reason is None or (reason == "no-path" and not isinstance(order, Move)):
        return None
    return OrderOutcome("fails", reason)
