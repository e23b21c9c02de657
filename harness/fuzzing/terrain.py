"""What positions are generated from: the board in lists, each in an order that is the same in every process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    by_sea = _reach_by_sea(reach)
    areas = [[_within(near, steps, codes, seas) for steps in (2, 3)] for near in board.distances[: len(codes)]]
    return Terrain(
        places={code: tuple(stand for stand in stands if province_code(stand[1]) == code) for code in codes},
        moves=moves,
        reach=reach,
        seas=seas,
        shores={sea: tuple(sorted(by_sea[sea].difference(seas))) for sea in seas},
        waters={code: tuple(sorted(by_sea[code].intersection(seas))) for code in codes},
        everywhere=_within(board.distances[0], len(codes), codes, seas),
        around={code: (near, far) for code, (near, far) in zip(codes, areas, strict=True)},
        named={(kind, place): OrderedUnit(place, kind) for kind, place in stands},
        homes={code: power.home_centers for code, power in board.powers.items()},
        powers=tuple(board.powers),
        codes=tuple(codes),
    )


def _reach_by_sea(reach: Mapping[tuple[UnitType, str], Iterable[str]]) -> Mapping[str, set[str]]:
    """Return for each province those that a fleet can move to from there, from any of its coasts."""
    found: dict[str, set[str]] = {}
    for (kind, place), provinces in reach.items():
        found.setdefault(province_code(place), set()).update(provinces if kind == "F" else ())
    return found


def _within(distances: Sequence[int], steps: int, codes: Sequence[str], seas: Sequence[str]) -> Area:
    near = [code for code, distance in zip(codes, distances, strict=True) if distance <= steps]
    return Area(tuple(code for code in near if code in seas), tuple(code for code in near if code not in seas))


class Profile(NamedTuple):
    """What random positions are made of. Shares are between 0 and 1."""

    purpose: str
    fewest: int
    most: int
    """Units on the board."""
    crowded: float
    """How often all units stand within two or three steps of one province."""
    at_sea: float
    """How many of the units are put on seas."""
    fleets: float
    """How many of the units on coasts are fleets."""
    convoyed: float
    """How many of the armies on coasts go by convoy where they can."""
    moving: float
    """How many of the other units move."""


PROFILES: Mapping[str, Profile] = {
    "opening": Profile("the units of 1901, some of them a few moves on", 22, 22, 0.0, 0.0, 0.0, 0.3, 0.5),
    "dense": Profile("up to 34 units, with a bit of everything", 4, 34, 0.6, 0.3, 0.35, 0.35, 0.4),
    "sea-war": Profile("fleets against fleets, on coasts that matter", 3, 24, 0.7, 0.55, 0.8, 0.3, 0.45),
    "convoy-knots": Profile("convoys that cross, miss fleets and are attacked", 4, 26, 0.8, 0.55, 0.3, 0.9, 0.4),
}
