"""The standard board as data, for authors of engines in any language."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ..reference_engine import Unit, UnitType, standard_board

_KINDS = {"inland": "land", "sea": "sea", "coastal": "coast"}


class ProvinceData(msgspec.Struct, frozen=True, kw_only=True):
    """A province."""

    code: str
    name: str
    kind: str
    """`land`, `sea` or `coast`."""
    coasts: list[str]
    """The locations of a fleet, where there are two: `BUL/EC`, `BUL/SC`."""
    center: bool
    """Whether it is a supply center."""
    home: str | None
    """The power whose home center it is."""
    army: list[str]
    """The provinces that an army can move to by itself."""
    fleet: dict[str, list[str]]
    """For each location that a fleet can be at, the locations that it can move to."""


class BoardData(msgspec.Struct, frozen=True, kw_only=True):
    """The board: its powers by their codes, and its provinces."""

    map: str
    powers: dict[str, str]
    provinces: list[ProvinceData]


def board_data() -> BoardData:
    """Return the standard board."""
    board = standard_board()
    homes: Mapping[str, str] = {center: power.code for power in board.powers.values() for center in power.home_centers}
    provinces: list[ProvinceData] = []
    for province in board.provinces:
        coasts = [f"{province.code}/{coast}" for coast in province.coasts]
        locations = (coasts or [province.code]) if province.terrain != "inland" else []
        provinces.append(
            ProvinceData(
                code=province.code,
                name=province.name,
                kind=_KINDS[province.terrain],
                coasts=coasts,
                center=province.code in board.supply_centers,
                home=homes.get(province.code),
                army=_destinations("A", province.code) if province.terrain != "sea" else [],
                fleet={location: _destinations("F", location) for location in locations},
            )
        )
    powers = {power.code: power.name for power in board.powers.values()}
    return BoardData(map="standard", powers=powers, provinces=provinces)


def _destinations(unit_type: UnitType, location: str) -> list[str]:
    return list(standard_board().destinations(Unit("", unit_type, location)))
