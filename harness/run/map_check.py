"""Asks an engine for every border of the board, and for every pair without one, with single moves, or for its map.

Many moves go into one request, their origins and destinations all in different provinces, so that none has to do with
another. Whatever comes unexpected is asked once more alone before it counts.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TypeAlias

import msgspec

from ...adapters import Engine, EngineFailure, UnsupportedError
from ...adapters.conversion import Notation
from ...adapters.engine import read_map_result
from ...adapters.protocol import Capabilities, MapParams
from ...cases.errors import SuiteError
from ...cases.map_diff import Border, MapDifferences, SingleMove, borders_of, compare_maps
from ...cases.maps import MapData, read_map_table
from ...reference_engine import DATC_3_2, Board, GivenOrder, Move, OrderedUnit, Unit, UnitType, province_code
from ...reference_engine.board import UNIT_TYPES
from ...reference_engine.maps import map_table, own_map_names
from ..play.answer import Failure, PhaseInput
from ..play.engine import EngineAdjudicator
from ..play.positions import order_texts
from ..play.session import play
from .runner import map_ordered


class MapCheck(msgspec.Struct, frozen=True, kw_only=True):
    """What the engine's map has less and more than ours."""

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


_Outcome: TypeAlias = tuple[str, ...] | Failure
"""Where a unit was after its move, or why the engine did not answer."""


def _places(board: Board, unit_type: UnitType) -> list[str]:
    return [location for location in board.locations if board.can_stand(unit_type, location)]


def _power(board: Board) -> str:
    """Return the power that owns the moving units."""
    return next(iter(board.powers))


@cache
def border_moves(board: Board) -> Mapping[SingleMove, None]:
    """Return the moves over each border of a board, by each kind of unit and to each coast, in order."""
    return dict.fromkeys(
        SingleMove(unit_type, origin, to)
        for unit_type in UNIT_TYPES
        for origin in _places(board, unit_type)
        for to in board.destinations(Unit(_power(board), unit_type, origin))
    )


def other_moves(board: Board) -> list[SingleMove]:
    """Give the moves between all places where such a unit can be that no border joins."""
    return [
        move
        for unit_type in UNIT_TYPES
        for origin, to in itertools.product(_places(board, unit_type), repeat=2)
        if province_code(to) != province_code(origin)
        and (move := SingleMove(unit_type, origin, to)) not in border_moves(board)
    ]


def given_map(engine: Engine, name: str) -> MapData | None:
    """Ask an engine for its own map of this name, or `None` where it says that it gives none.

    Raises `SuiteError` where it gives no map, and what `Engine.call` raises.
    """
    try:
        content = read_map_result(engine.call("map", MapParams(map=name)))
    except UnsupportedError:
        return None
    return read_map_table(name, content, name)


class GivenMaps(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with the maps that an engine gives."""

    differences: dict[str, MapDifferences]
    """Of each that differs from the map of that name here."""
    problems: dict[str, list[str]]
    """Of each of which something is wrong, whether there is such a map here or not."""
    given: list[str]
    """The names of all that it gives."""


def check_given_maps(engine: Engine, names: Iterable[str]) -> GivenMaps | None:
    """Ask an engine for maps, and compare them with those here; `None` where it gives none.

    Raises as `smoke_checks` does.
    """
    found = GivenMaps(differences={}, problems={}, given=[])
    for name in names:
        try:
            given = given_map(engine, name)
        except (SuiteError, EngineFailure) as error:
            found.problems[name] = str(error).splitlines()
            continue
        if given is None:
            continue
        found.given.append(name)
        if given.problems:
            found.problems[name] = [*map(str, given.problems)]
        if name in own_map_names():
            differs = compare_maps(map_table(name), given.table)
            if differs.texts("", ""):
                found.differences[name] = differs
    return found if found.given or found.problems else None


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


def check_map(engine: Engine, board: Board, notation: Notation, jobs: int, *, borders_only: bool = False) -> MapCheck:
    """Ask for every border and, unless `borders_only`, every pair without one. Raises as `smoke_checks` does."""
    began, requests = time.perf_counter(), 0
    adjudicator = EngineAdjudicator(engine, Capabilities(maps=[board.name]), DATC_3_2, notation)

    borders, others = [*border_moves(board)], [] if borders_only else other_moves(board)
    found: list[dict[SingleMove, _Outcome]] = []
    for moves, arrives in ((borders, True), (others, False)):
        packs, unexpected = pack(moves), dict[SingleMove, _Outcome]()
        for _ in range(2):  # What comes unexpected is asked once more alone before it counts.
            requests += len(packs)
            answers = map_ordered(lambda each: _ask(adjudicator, board, each), packs, jobs, engine.close)
            pairs = zip(itertools.chain(*packs), itertools.chain.from_iterable(answers), strict=True)
            unexpected = {
                move: outcome for move, outcome in pairs if not _is_expected(board, move, outcome, arrives=arrives)
            }
            packs = [[move] for move in unexpected]
        found.append(unexpected)
    wrong, wrong_others = found
    missing = {move for move, outcome in wrong.items() if outcome == (move.origin,)}
    too_many = {move for move, outcome in wrong_others.items() if outcome == (move.to,)}
    every = {str(move): outcome for move, outcome in (wrong | wrong_others).items() if move not in missing | too_many}
    unanswered = {move: outcome.reason for move, outcome in every.items() if isinstance(outcome, Failure)}
    elsewhere = {move: outcome for move, outcome in every.items() if not isinstance(outcome, Failure)}
    return MapCheck(
        borders=len(borders),
        others=len(others),
        requests=requests,
        seconds=round(time.perf_counter() - began, 3),
        missing=borders_of(missing),
        too_many=borders_of(too_many),
        elsewhere={move: " and ".join(places) or "nowhere" for move, places in elsewhere.items()},
        unanswered=unanswered,
    )


def _ask(adjudicator: EngineAdjudicator, board: Board, moves: Sequence[SingleMove]) -> list[_Outcome]:
    """Order moves together, and find where the unit of each is afterwards."""
    units = tuple(Unit(_power(board), move.type, move.origin) for move in moves)
    orders = [GivenOrder(_power(board), Move(OrderedUnit(move.origin, move.type), move.to)) for move in moves]
    asked = PhaseInput("movement", orders, units, texts=order_texts(orders, "names", board), board=board)
    ((_, answer, _),) = play(adjudicator, [asked])
    if isinstance(answer, Failure):
        return [answer] * len(moves)
    standing = [(unit.type, province_code(unit.location), unit.location) for unit in answer.units]
    provinces = [(province_code(move.origin), province_code(move.to)) for move in moves]
    return [
        tuple(location for kind, province, location in standing if kind == move.type and province in both)
        for move, both in zip(moves, provinces, strict=True)
    ]


def _is_expected(board: Board, move: SingleMove, outcome: _Outcome, *, arrives: bool) -> bool:
    if isinstance(outcome, Failure) or arrives:
        return outcome == (move.to,)
    if outcome == (move.origin,):
        return True
    # A fleet ordered to the wrong coast may go to the right one (issue 4.B.3).
    is_elsewhere = len(outcome) == 1 and outcome != (move.to,)
    return is_elsewhere and SingleMove(move.type, move.origin, outcome[0]) in border_moves(board)
