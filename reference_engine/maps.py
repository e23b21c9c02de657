"""Maps as data: one TOML file a map, and the board that it describes.

A province lists the neighbours of its armies and of its fleets, a province with two coasts those of the fleets on each:
so a border says what passes it, and two coasts that only armies cross can be written down. One without `armies` is a
sea, one without `fleets` is inland. Lists of codes are texts with spaces between.

A file may name a `base` and give only what differs: its other fields replace those of that map, and so do the fields of
each province and power. If it names powers, there are no others. `cases/maps.py` checks the map of an author.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, TypedDict, cast, get_args

from .board import Board, Canal, Power, Province, Railway, Season, Terrain, Unit, UnitType, province_code
from .errors import PositionError, nearest
from .routes import set_of
from .toml import loads

_SEASONS: tuple[Season, ...] = get_args(Season)
STANDARD = "standard"
MAPS = Path(__file__).with_name("data")
"""The folder of the maps that come with the project."""


class ProvinceTable(TypedDict, total=False):
    """A line of `[provinces]`."""

    name: str
    also: list[str]
    armies: str
    fleets: str | dict[str, str]


class PowerTable(TypedDict, total=False):
    """A line of `[powers]`."""

    name: str
    adjectives: list[str]
    home: str
    country: str
    start: list[str]
    owns: str
    not_counted: str


class CanalTable(TypedDict):
    """`canal`: its two seas, the province of the unit that lets fleets pass, and two corners in which rules differ."""

    seas: str
    keeper: str
    permits: Literal["unit", "fleet"]
    stays: Literal["turn", "beginning"]


class RailwayTable(TypedDict):
    """`railway`: its provinces from end to end, whose armies use it, and a corner in which rules differ."""

    name: str
    line: str
    power: str
    opens: Literal["any-move", "move-off-the-line"]


class MapTable(TypedDict, total=False):
    """A map. Its fields from `ice` to `railway` say what is special about it: the standard map has none of these.

    `places` says where a drawing has each province, and spaces that no unit enters: x to the right, y down. A game
    begins in `first_year`, by default 1901, and `seasons` has other names for the seasons.
    """

    title: str
    source: str
    base: str
    impassable: list[str]
    neutral_centers: str
    powers: dict[str, PowerTable]
    provinces: dict[str, ProvinceTable]
    ice: dict[str, list[Season]]
    convoying: str
    difficult: dict[Literal["armies", "fleets"], list[str]]
    builds: Literal["home-centers", "owned-centers"]
    canal: CanalTable
    railway: RailwayTable
    places: dict[str, tuple[float, float]]
    first_year: int
    seasons: dict[Season, str]


_ADDED: dict[str, Board] = {}


@cache
def own_map_names() -> tuple[str, ...]:
    """Name the maps that come with the project."""
    return tuple(sorted(file.stem for file in MAPS.glob("*.toml")))


def map_names() -> tuple[str, ...]:
    """Name the maps that a board can be loaded of: those of the project, and those of authors that were added."""
    return *own_map_names(), *_ADDED


def add_board(board: Board) -> None:
    """Let `load_board` find the board of an author by its name, another one than those of the project."""
    _ADDED[board.name] = board


@cache
def map_table(name: str) -> MapTable:
    """Return the table of a map of the project, with what it takes from its base. Raises `PositionError`."""
    if name not in own_map_names():
        raise PositionError(f"there is no map {name!r}{nearest(name, map_names())}")
    text = MAPS.joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return with_base(cast("MapTable", cast("object", loads(text))))


def with_base(table: MapTable) -> MapTable:
    """Fill a map with what it takes from its base. Raises `PositionError` where there is no such map."""
    if "base" not in table:
        return table
    base = map_table(table["base"])
    changed, powers = table.get("provinces", {}), base.get("powers", {})
    taken = {code: {**entry, **changed.get(code, {})} for code, entry in base.get("provinces", {}).items()}
    named = {code: {**powers.get(code, {}), **entry} for code, entry in table.get("powers", powers).items()}
    return cast("MapTable", cast("object", {**base, **table, "provinces": {**changed, **taken}, "powers": named}))


def standard_board() -> Board:
    """The board of the game."""
    return load_board(STANDARD)


def load_board(name: str) -> Board:
    """Return the board of a map of the project, or of one that was added. Raises `PositionError` for any other name."""
    return _ADDED.get(name) or _own_board(name)


@cache
def _own_board(name: str) -> Board:
    board = build_board(name, map_table(name))
    vars(board)["origin"] = load_board, (name,)
    return board


def build_board(name: str, data: MapTable) -> Board:
    """Make the board of a map, with what it takes from its base, of which nothing is wrong."""
    table, powers_table, ice = data.get("provinces", {}), data.get("powers", {}), data.get("ice", {})
    codes = sorted(table)
    provinces = tuple(_province(code, table[code]) for code in codes)
    coasts = [f"{province.code}/{coast}" for province in provinces for coast in province.coasts]
    locations = (*codes, *coasts)
    number = {location: index for index, location in enumerate(locations)}
    province_of = tuple(number[province_code(location)] for location in locations)
    fleet_moves = tuple(_fleet_moves(location, table, number, province_of) for location in locations)
    powers = {code: _power(code, entry) for code, entry in powers_table.items()}
    homes = {center for power in powers.values() for center in (*power.home_centers, *power.owned)}
    seas = _of_terrain("sea", provinces)
    return Board(
        name=name,
        provinces=provinces,
        powers=powers,
        supply_centers=frozenset(homes | set(data.get("neutral_centers", "").split())),
        impassable=frozenset(data.get("impassable", ())),
        start=tuple(
            Unit(code, "A" if unit[0] == "A" else "F", unit[2:])
            for code, entry in sorted(powers_table.items())
            for unit in entry.get("start", ())
        ),
        locations=locations,
        number=number,
        province_of=province_of,
        army_borders=tuple(set_of(number[to] for to in table[code].get("armies", "").split()) for code in codes),
        fleet_borders=tuple(map(set_of, fleet_moves)),
        fleet_moves=fleet_moves,
        seas=seas,
        coastal=_of_terrain("coastal", provinces),
        convoying=seas | set_of(number[code] for code in data.get("convoying", "").split()),
        difficult=frozenset(_difficult(data, number)),
        ice={
            season: frozen
            for season in _SEASONS
            if (frozen := set_of(number[code] for code in ice if season in ice[code]))
        },
        builds_anywhere=data.get("builds") == "owned-centers",
        not_counted={
            code: frozenset(entry["not_counted"].split())
            for code, entry in powers_table.items()
            if "not_counted" in entry
        },
        canal=_canal(data["canal"], number) if "canal" in data else None,
        railway=_railway(data["railway"], number) if "railway" in data else None,
        drawn_at={place: (spot[0], spot[1]) for place, spot in data.get("places", {}).items()},
        first_year=data.get("first_year", 1901),
        season_names=data.get("seasons", {}),
    )


def _canal(table: CanalTable, number: Mapping[str, int]) -> Canal:
    one, other = (number[sea] for sea in table["seas"].split())
    return Canal((one, other), number[table["keeper"]], table["permits"], table["stays"])


def _railway(table: RailwayTable, number: Mapping[str, int]) -> Railway:
    line = tuple(number[province] for province in table["line"].split())
    return Railway(table["name"], line, table["power"], table["opens"])


def _of_terrain(terrain: Terrain, provinces: Sequence[Province]) -> int:
    return set_of(number for number, province in enumerate(provinces) if province.terrain == terrain)


def _province(code: str, entry: ProvinceTable) -> Province:
    fleets = entry.get("fleets", "")
    terrain: Terrain = "sea" if "armies" not in entry else "coastal" if fleets else "inland"
    coasts = tuple(sorted(fleets)) if isinstance(fleets, dict) else ()
    return Province(code, entry.get("name", code), terrain, coasts, tuple(entry.get("also", ())))


def _power(code: str, entry: PowerTable) -> Power:
    home = entry.get("home", "")
    return Power(
        code,
        entry.get("name", code),
        tuple(entry.get("adjectives", ())),
        home_centers=tuple(home.split()),
        country=tuple(entry.get("country", home).split()),
        owned=tuple(entry.get("owns", home).split()),
    )


def passage(text: str) -> tuple[str, str]:
    """The two provinces of a passage such as `"NAP-SIC"`."""
    one, _, other = text.partition("-")
    return one, other


def _difficult(data: MapTable, number: Mapping[str, int]) -> set[tuple[UnitType, int, int]]:
    found: set[tuple[UnitType, int, int]] = set()
    for kind, passages in data.get("difficult", {}).items():
        for one, other in map(passage, passages):
            unit_type: UnitType = "A" if kind == "armies" else "F"
            found |= {(unit_type, number[one], number[other]), (unit_type, number[other], number[one])}
    return found


def _fleet_moves(
    location: str, table: Mapping[str, ProvinceTable], number: Mapping[str, int], province_of: tuple[int, ...]
) -> Mapping[int, tuple[int, ...]]:
    code, _, coast = location.partition("/")
    fleets = table[code].get("fleets", "")
    if isinstance(fleets, dict):
        fleets = fleets.get(coast, "")
    moves: dict[int, tuple[int, ...]] = {}
    for neighbour in fleets.split():
        for target in landings(neighbour, code, table):
            province = province_of[number[target]]
            moves[province] = (*moves.get(province, ()), number[target])
    return moves


def landings(neighbour: str, origin: str, table: Mapping[str, ProvinceTable]) -> list[str]:
    """Where a fleet from `origin` lands in a neighbour: on the coasts that name it where the neighbour has two."""
    fleets = table[province_code(neighbour)].get("fleets", "")
    if "/" in neighbour or not isinstance(fleets, dict):
        return [neighbour]
    return [f"{neighbour}/{coast}" for coast in sorted(fleets) if origin in fleets[coast].split()]
