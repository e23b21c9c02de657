"""Positions of real games, as they were and with one order changed.

A file holds JSON Lines: a phase each (`units`, `orders`, `centers`, `phase` and `id`), what an engine was asked
(`params`, as in the protocol; so does the store of a shadow), or a saved game of the Python package `diplomacy` each
(`phases`); or it is one such game. A name that ends in `.gz` is compressed.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import TypeAlias, final

import msgspec

from ...adapters import AdjudicateParams
from ...reference_engine import (
    GivenOrder,
    NotationError,
    Phase,
    Position,
    PositionError,
    Unit,
    UnitType,
    province_code,
    read_order,
)
from ..errors import HarnessError
from ..generating.generate import another_order
from ..positions import OrderedPosition, order_text, ordered_unit, read_orders

_PHASES: dict[str, Phase] = {"M": "movement", "R": "retreat", "A": "adjustment"}


class GameFileError(HarnessError):
    """A file holds no games, or not in a form that is known."""


class _PhaseLine(msgspec.Struct, frozen=True):
    """A phase on a line of its own."""

    id: str
    phase: Phase
    units: list[tuple[str, UnitType, str]]
    orders: list[tuple[str, str]]
    centers: dict[str, list[str]] = {}


class _SavedState(msgspec.Struct, frozen=True):
    units: dict[str, list[str]]
    centers: dict[str, list[str]] = {}


class _SavedPhase(msgspec.Struct, frozen=True):
    name: str
    state: _SavedState
    orders: dict[str, list[str] | None] = {}


class _SavedGame(msgspec.Struct, frozen=True):
    """A saved game of the package `diplomacy`."""

    phases: list[_SavedPhase]
    id: str = ""


class _Asked(msgspec.Struct, frozen=True):
    """What an engine was asked, in a request or in the store of a shadow."""

    params: AdjudicateParams
    number: int = 0


_Line: TypeAlias = _PhaseLine | _Asked | _SavedGame


@final
class Games:
    """The phases of some games; each is made a position when it is wanted."""

    def __init__(self, phases: Iterable[_PhaseLine]) -> None:
        """Take phases; retreats go with the movements before them."""
        every = list(phases)
        self._retreats = {phase.id[:-1]: phase for phase in every if phase.phase == "retreat"}
        self._phases = [phase for phase in every if phase.phase != "retreat"]

    def __len__(self) -> int:
        """How many phases of movement and of adjustment there are."""
        return len(self._phases)

    def ordered(self, index: int) -> OrderedPosition | None:
        """Make a position of a phase; `None` where it is no position on the board."""
        phase = self._phases[index]
        centers = phase.centers if phase.phase == "adjustment" else {}
        try:
            position = Position([Unit(*unit) for unit in phase.units], phase=phase.phase, centers=centers)
        except PositionError:
            return None
        after = self._retreats.get(phase.id[:-1]) if phase.phase == "movement" else None
        return OrderedPosition(position, _orders(phase), _orders(after) if after else None)


@lru_cache(maxsize=4)
def read_games(path: Path) -> Games:
    """Read the games of a file. Raises `GameFileError` where it has no game or no position."""
    try:
        content = path.read_bytes()
        text = gzip.decompress(content) if path.suffix == ".gz" else content
    except (OSError, EOFError) as error:
        raise GameFileError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    phases = (phase for number, line in enumerate(_lines(text), 1) for phase in _phases(line, f"{path}, line {number}"))
    games = Games(phases)
    if all(games.ordered(index) is None for index in range(len(games))):
        raise GameFileError(f"{path}: there is no position in it")
    return games


def _lines(text: bytes) -> Iterable[bytes]:
    """The lines; a file that is one JSON object over many lines is one."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines if lines and lines[0].rstrip().endswith(b"}") else [text]


def _phases(line: bytes, where: str) -> Iterable[_PhaseLine]:
    problem = ""
    for kind in (_PhaseLine, _Asked, _SavedGame):
        try:
            read: _Line = msgspec.json.decode(line, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            problem = problem or str(error)
            continue
        if isinstance(read, _SavedGame):
            try:
                return list(_saved_phases(read))
            except msgspec.ValidationError as error:
                raise GameFileError(f"{where}: a unit of the game cannot be read: {error}") from error
        return [read if isinstance(read, _PhaseLine) else _asked_phase(read)]
    raise GameFileError(f"{where}: neither a phase, nor a request, nor a saved game: {problem}")


def _asked_phase(asked: _Asked) -> _PhaseLine:
    params = asked.params
    return _PhaseLine(
        id=f"asked/{asked.number}/{params.phase}",
        phase=params.phase,
        units=[(unit.power, unit.type, unit.location) for unit in params.units],
        orders=[(given.power, given.text or order_text(read_orders([given])[0])) for given in params.orders],
        centers=params.centers,
    )


def _saved_phases(game: _SavedGame) -> Iterable[_PhaseLine]:
    for phase in game.phases:
        kind = _PHASES.get(phase.name[-1:])
        if kind is None:
            continue
        units = [
            (power, unit[:1], unit[2:])
            for power, several in phase.state.units.items()
            for unit in several
            if not unit.startswith("*")
        ]
        yield _PhaseLine(
            id=f"{game.id}/{phase.name}",
            phase=kind,
            units=msgspec.convert(units, list[tuple[str, UnitType, str]]),
            orders=[(power, text) for power, texts in phase.orders.items() for text in texts or ()],
            centers=phase.state.centers,
        )


def _orders(phase: _PhaseLine) -> tuple[GivenOrder, ...]:
    """The orders that can be read."""
    found: list[GivenOrder] = []
    for power, text in phase.orders:
        try:
            found.append(GivenOrder(power, read_order(text, phase.phase).order))
        except NotationError:
            continue
    return tuple(found)


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
