"""Asks an engine for every border of the board, and for every pair without one, with single moves.

Many moves go into one request, their origins and destinations all in different provinces, so that none has to do with
another. Whatever comes unexpected is asked once more alone before it counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from ...adapters import Engine
from ...adapters.conversion import Notation
from ...adapters.protocol import Capabilities
from ...reference_engine import DATC_3_2, GivenOrder, Move, OrderedUnit, Unit, UnitType, province_code, standard_board
from ...reference_engine.board import UNIT_TYPES
from ..play.answer import Answer, Failure, PhaseInput
from ..play.engine import EngineAdjudicator
from ..play.positions import order_texts
from ..play.session import play
from .runner import map_ordered

POWER = "FRANCE"
"""The power that owns the moving units."""
_DASH = "\N{EN DASH}"

Way: TypeAlias = Literal["land", "sea"]


class SingleMove(NamedTuple):
    """A unit and where it is ordered to."""

    type: UnitType
    origin: str
    to: str

    def __str__(self) -> str:
        """Write it as an order."""
        return f"{self.type} {self.origin} - {self.to}"


class Border(msgspec.Struct, frozen=True, kw_only=True):
    """A border that is missing, or one too many."""

    one: str
    other: str
    by: Way
    moves: list[str]
    """The moves that showed it: both directions, or one."""

    def __str__(self) -> str:
        """Name it, with a dash between what both directions of it showed."""
        if len(self.moves) == 2:
            return f"{self.one} {_DASH} {self.other} by {self.by}"
        return f"{self.one} - {self.other} by {self.by}, in this direction only"


class MapCheck(msgspec.Struct, frozen=True, kw_only=True):
    """What the engine's map has less and more than the standard one."""

    borders: int
    """The moves over a border, each direction for itself."""
    others: int
    """The moves where there is no border; 0 where they were not asked."""
    requests: int
    seconds: float
    missing: list[Border]
    too_many: list[Border]
    elsewhere: dict[str, str]
    """Moves that ended at neither place, and where."""
    unanswered: dict[str, str]
    """Moves that the engine did not answer, and why."""

    @property
    def is_right(self) -> bool:
        """Whether the map is the standard one."""
        return not (self.missing or self.too_many or self.elsewhere or self.unanswered)


@dataclass(frozen=True)
class _Outcome:
    """Where a unit was after its move; nowhere where the engine did not answer, for a reason."""

    places: tuple[str, ...] = ()
    trouble: str = ""


@cache
def border_moves() -> Mapping[SingleMove, None]:
    """Return the moves over each border of the board, by each kind of unit and to each coast, in order."""
    board = standard_board()
    return dict.fromkeys(
        SingleMove(unit_type, origin, to)
        for unit_type in UNIT_TYPES
        for origin in board.locations
        if board.can_stand(unit_type, origin)
        for to in board.destinations(Unit(POWER, unit_type, origin))
    )


def other_moves() -> list[SingleMove]:
    """Give the moves between all places where such a unit can be that no border joins."""
    board = standard_board()
    borders = border_moves()
    pairs = (
        SingleMove(unit_type, origin, to)
        for unit_type in UNIT_TYPES
        for origin in board.locations
        if board.can_stand(unit_type, origin)
        for to in board.locations
        if board.can_stand(unit_type, to) and province_code(to) != province_code(origin)
    )
    return [move for move in pairs if move not in borders]


def pack(moves: Iterable[SingleMove]) -> list[list[SingleMove]]:
    """Put moves together so that no province has to do with two of one pack."""
    packs: list[tuple[set[str], list[SingleMove]]] = []
    for move in moves:
        provinces = {province_code(move.origin), province_code(move.to)}
        for used, together in packs:
            if used.isdisjoint(provinces):
                used.update(provinces)
                together.append(move)
                break
        else:
            packs.append((provinces, [move]))
    return [together for _, together in packs]


def check_map(engine: Engine, notation: Notation, jobs: int, *, borders_only: bool = False) -> MapCheck:
    """Ask an engine for every border and, unless it answers no illegal orders, for every pair without one.

    Raises `EngineGaveOutError` and `EngineClosedError`.
    """
    began = time.perf_counter()
    asker = _Asker(engine, notation, jobs)
    borders, others = [*border_moves()], [] if borders_only else other_moves()
    wrong = asker.unexpected(borders, expected=True)
    wrong_others = asker.unexpected(others, expected=False)
    unanswered = {move: outcome for move, outcome in {**wrong, **wrong_others}.items() if outcome.trouble}
    missing = {move for move, outcome in wrong.items() if outcome.places == (move.origin,)}
    too_many = {move for move, outcome in wrong_others.items() if outcome.places == (move.to,)}
    return MapCheck(
        borders=len(borders),
        others=len(others),
        requests=asker.requests,
        seconds=round(time.perf_counter() - began, 3),
        missing=_group(missing),
        too_many=_group(too_many),
        elsewhere={
            str(move): " and ".join(outcome.places) or "nowhere"
            for move, outcome in {**wrong, **wrong_others}.items()
            if not outcome.trouble and move not in missing and move not in too_many
        },
        unanswered={str(move): outcome.trouble for move, outcome in unanswered.items()},
    )


class _Asker:
    """Puts moves to an engine, many in one request."""

    def __init__(self, engine: Engine, notation: Notation, jobs: int) -> None:
        self._adjudicator: EngineAdjudicator = EngineAdjudicator(engine, Capabilities(), DATC_3_2, notation)
        self._close: Callable[[], None] = engine.close
        self._jobs: int = jobs
        self.requests: int = 0

    def unexpected(self, moves: Sequence[SingleMove], *, expected: bool) -> Mapping[SingleMove, _Outcome]:
        """Return the moves whose result is not the expected one, also when each is asked alone."""
        together = self._ask(pack(moves))
        suspects = [move for move, outcome in together.items() if not _is_expected(move, outcome, arrives=expected)]
        alone = self._ask([[move] for move in suspects])
        return {move: outcome for move, outcome in alone.items() if not _is_expected(move, outcome, arrives=expected)}

    def _ask(self, packs: Sequence[Sequence[SingleMove]]) -> dict[SingleMove, _Outcome]:
        self.requests += len(packs)
        outcomes: dict[SingleMove, _Outcome] = {}
        answers = map_ordered(self._outcomes, packs, self._jobs, self._close)
        for together, answered in zip(packs, answers, strict=True):
            outcomes.update(zip(together, answered, strict=True))
        return outcomes

    def _outcomes(self, moves: Sequence[SingleMove]) -> list[_Outcome]:
        units = tuple(Unit(POWER, move.type, move.origin) for move in moves)
        orders = [GivenOrder(POWER, Move(OrderedUnit(move.origin, move.type), move.to)) for move in moves]
        asked = PhaseInput("movement", orders, units, texts=order_texts(orders, "names"))
        ((_, answer, _),) = play(self._adjudicator, [asked])
        if isinstance(answer, Failure):
            return [_Outcome(trouble=answer.reason)] * len(moves)
        return [_Outcome(_places(answer, move)) for move in moves]


def _places(answer: Answer, move: SingleMove) -> tuple[str, ...]:
    """Find where the unit of a move is afterwards."""
    provinces = (province_code(move.origin), province_code(move.to))
    return tuple(
        unit.location for unit in answer.units if unit.type == move.type and province_code(unit.location) in provinces
    )


def _is_expected(move: SingleMove, outcome: _Outcome, *, arrives: bool) -> bool:
    if arrives:
        return outcome.places == (move.to,)
    if outcome.places == (move.origin,):
        return True
    # A fleet ordered to the wrong coast may go to the right one (issue 4.B.3).
    others = [place for place in outcome.places if place != move.to]
    return len(outcome.places) == len(others) == 1 and SingleMove(move.type, move.origin, others[0]) in border_moves()


def _group(moves: Iterable[SingleMove]) -> list[Border]:
    """Put both directions of a border together."""
    left = set(moves)
    borders: list[Border] = []
    for move in sorted(left, key=lambda move: (move.type, move.origin, move.to)):
        if move not in left:
            continue
        back = SingleMove(move.type, move.to, move.origin)
        both = [one for one in (move, back) if one in left]
        left -= set(both)
        by: Way = "land" if move.type == "A" else "sea"
        borders.append(Border(one=move.origin, other=move.to, by=by, moves=[str(one) for one in both]))
    return borders
