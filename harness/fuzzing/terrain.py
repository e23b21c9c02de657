"""The standard board in lists to draw from, each in an order that is the same in every process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from ...reference_engine import OrderedUnit, Unit, UnitType, province_code, standard_board

UNIT_TYPES: tuple[UnitType, ...] = ("A", "F")


class Area(NamedTuple):
    """A part of the board."""

    seas: tuple[str, ...]
    land: tuple[str, ...]


class Terrain(NamedTuple):
    """The board in lists to pick from, by unit type and location."""

    places: Mapping[str, tuple[tuple[UnitType, str], ...]]
    """For each province, what can stand there."""
    moves: Mapping[tuple[UnitType, str], tuple[str, ...]]
    reach: Mapping[tuple[UnitType, str], tuple[str, ...]]
    """The provinces that a unit could move to, in an order that is the same in every process."""
    seas: tuple[str, ...]
    shores: Mapping[str, tuple[str, ...]]
    """For each sea, the coastal provinces on it."""
    waters: Mapping[str, tuple[str, ...]]
    """For each coastal province or sea, the seas that border it."""
    everywhere: Area
    around: Mapping[str, tuple[Area, Area]]
    """For each province, what is within two steps, and within three."""
    named: Mapping[tuple[UnitType, str], OrderedUnit]
    homes: Mapping[str, tuple[str, ...]]
    powers: tuple[str, ...]
    codes: tuple[str, ...]


@cache
def terrain() -> Terrain:
    """Make the lists of the standard board, once."""
    board = standard_board()
    stands: list[tuple[UnitType, str]] = [
        (kind, place) for place in board.locations for kind in UNIT_TYPES if board.can_stand(kind, place)
    ]
    moves: dict[tuple[UnitType, str], tuple[str, ...]] = {
        (kind, place): board.destinations(Unit("ENGLAND", kind, place)) for kind, place in stands
    }
    reach: dict[tuple[UnitType, str], tuple[str, ...]] = {
        key: tuple(dict.fromkeys(map(province_code, places))) for key, places in moves.items()
    }
    codes = [province.code for province in board.provinces]
    seas = tuple(province.code for province in board.provinces if province.terrain == "sea")
    fleet_reach = {code: set[str]() for code in codes}
    for (kind, place), provinces in reach.items():
        if kind == "F":
            fleet_reach[province_code(place)].update(provinces)
    return Terrain(
        places={code: tuple(stand for stand in stands if province_code(stand[1]) == code) for code in codes},
        moves=moves,
        reach=reach,
        seas=seas,
        shores={sea: tuple(sorted(fleet_reach[sea] - set(seas))) for sea in seas},
        waters={code: tuple(sorted(fleet_reach[code] & set(seas))) for code in codes},
        everywhere=_within(board.distances[0], len(codes), codes, seas),
        around={
            code: (_within(board.distances[index], 2, codes, seas), _within(board.distances[index], 3, codes, seas))
            for index, code in enumerate(codes)
        },
        named={(kind, place): OrderedUnit(place, kind) for kind, place in stands},
        homes={code: power.home_centers for code, power in board.powers.items()},
        powers=tuple(board.powers),
        codes=tuple(codes),
    )


def _within(distances: Sequence[int], steps: int, codes: Sequence[str], seas: Sequence[str]) -> Area:
    near = [code for code, distance in zip(codes, distances, strict=True) if distance <= steps]
    return Area(tuple(code for code in near if code in seas), tuple(code for code in near if code not in seas))
