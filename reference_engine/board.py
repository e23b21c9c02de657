"""Boards: provinces, coasts, borders, supply centers, powers, units, and names in any usual spelling.

Every location has a number. The provinces come first, in the order of their codes; the coasts of the provinces that
have two follow. A set of provinces is an integer with a bit for each; so is a convoy route, a set of seas.

A location is written as a province's code, with a coast where it matters: `"LON"`, `"SPA/NC"`. A power is its name in
upper case. This module stays in Python where the engine is compiled: a compiled `NamedTuple` loses the types of its
fields, by which archives are read.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias, cast, get_args

from .resolved_order import MOVE, SUPPORT, OrderEffect
from .routes import ConvoyRoutes, members

UnitType: TypeAlias = Literal["A", "F"]
"""An army or a fleet."""
UNIT_TYPES: tuple[UnitType, ...] = get_args(UnitType)
"""Every `UnitType`."""


class Unit(NamedTuple):
    """A unit on the board."""

    power: str
    type: UnitType
    location: str


class OrderedUnit(NamedTuple):
    """A unit as an order names it: its type and nationality may be missing, and anything may be wrong."""

    location: str
    type: UnitType | None = None
    power: str | None = None


ordered_unit: Final = lru_cache(maxsize=4096)(OrderedUnit)
"""Return one object for equal names of units, given all three fields: a position finds the same object faster."""


Terrain: TypeAlias = Literal["sea", "inland", "coastal"]
Season: TypeAlias = Literal["spring", "autumn", "winter"]
"""The season of a phase; adjustments are in winter."""


class Province(NamedTuple):
    """A space of the board."""

    code: str
    name: str
    terrain: Terrain
    coasts: tuple[str, ...]
    """The codes of its coasts where it has two, such as `("NC", "SC")`."""
    other_names: tuple[str, ...]


class Power(NamedTuple):
    """A great power."""

    code: str
    name: str
    adjectives: tuple[str, ...]
    home_centers: tuple[str, ...]
    country: tuple[str, ...]
    """The provinces of its home country, supply centers or not."""
    owned: tuple[str, ...]
    """The supply centers that it owns at the start of the game."""


class Place(NamedTuple):
    """Where a kind of unit can stand."""

    province: int
    location: int
    """The number of the location."""
    is_fleet: bool
    """Whether the unit is a fleet."""
    reach: frozenset[int]
    """The provinces that such a unit can move to by itself."""
    difficult: frozenset[int]
    """Those of them to which the passage is difficult."""
    helps: frozenset[int]
    """Those to which it is not: where such a unit can support."""
    named: OrderedUnit
    """Such a unit as orders name it, without nationality."""
    moves: dict[str, OrderEffect]
    """For each location that such a unit can go to by itself, in alphabetical order, what a move there means."""
    held: OrderEffect
    """What the support of such a unit that stays means."""
    supported: dict[str, OrderEffect]
    """For each location of `moves`, what the support of such a move means."""


class Standing(NamedTuple):
    """A unit where it can stand on the board, with what is asked for most often."""

    unit: Unit
    power: str
    place: Place
    province: int
    is_fleet: bool
    named: OrderedUnit
    alike: list[Unit]
    """The unit of its type and power at each location."""


class Canal(NamedTuple):
    """A canal through which fleets go from sea to sea, and in no other way act across it (DATC 2.4, 7.C)."""

    seas: tuple[int, int]
    keeper: int
    """The province of the unit that lets fleets pass."""
    permits: str
    """Which of them lets a foreign fleet pass: the choice of the map for the issue `canal.permits`."""
    stays: str
    """How long that unit has to be there: the choice for `canal.stays`."""

    def beyond(self, sea: int) -> int:
        """Return the sea at the other end; -1 where the canal does not begin."""
        return self.seas[1 - self.seas.index(sea)] if sea in self.seas else -1


class Railway(NamedTuple):
    """A railway along which one army of a power goes past any number of provinces (DATC 2.4, 7.B)."""

    name: str
    """What an order writes as the path of the move: `"TSR"`."""
    line: tuple[int, ...]
    """The provinces along it, from end to end."""
    power: str
    """The power whose armies use it."""
    opens: str
    """Which moves of foreign units let the army pass: the choice of the map for the issue `railway.opens`."""

    def way(self, home: int, target: int) -> tuple[int, ...]:
        """Return the provinces from the one behind `home` to `target`; none where the railway does not lead."""
        if home == target or home not in self.line or target not in self.line:
            return ()
        start, end = self.line.index(home), self.line.index(target)
        return self.line[start + 1 : end + 1] if start < end else self.line[end:start][::-1]


@dataclass(frozen=True, eq=False)
class Board:
    """A map with its borders as numbers; see the module for how locations are numbered."""

    name: str
    """The name of the map: `"standard"`."""
    provinces: tuple[Province, ...]
    powers: Mapping[str, Power]
    supply_centers: frozenset[str]
    impassable: frozenset[str]
    """The names of spaces on the map that no unit can enter."""
    start: tuple[Unit, ...]
    """The units at the start of the game."""
    locations: tuple[str, ...]
    """The location with each number: the provinces' codes, then the coasts (`"BUL/EC"`)."""
    number: Mapping[str, int]
    """The number of each location."""
    province_of: tuple[int, ...]
    """The province of each location."""
    army_borders: tuple[int, ...]
    """For each province, the set of provinces that an army can move to."""
    fleet_borders: tuple[int, ...]
    """For each location, the set of provinces that a fleet can move to."""
    fleet_moves: tuple[Mapping[int, tuple[int, ...]], ...]
    """For each location, the locations that a fleet can arrive at, by province."""
    seas: int
    """The set of all sea provinces."""
    coastal: int
    """The set of all coastal provinces."""
    convoying: int
    """The set of all provinces where a fleet can convoy: the seas, and on some maps coastal provinces."""
    difficult: frozenset[tuple[UnitType, int, int]] = frozenset()
    """The difficult passages, in both directions: for which units, and between which provinces (DATC 2.4, 10)."""
    ice: Mapping[Season, int] = field(default_factory=dict["Season", int])
    """For each season the set of provinces that are ice then (DATC 2.4, 8)."""
    builds_anywhere: bool = False
    """Whether a power builds in any center that it owns, and civil disorder counts from these (DATC 2.4, 11)."""
    not_counted: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """For a power the supply centers that do not count for it, though it can own them (DATC 2.4, 7.A)."""
    canal: Canal | None = None
    """The canal that fleets can pass (DATC 2.4, 7.C)."""
    railway: Railway | None = None
    """The railway that armies of one power can use (DATC 2.4, 7.B)."""
    drawn_at: Mapping[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    """Where a drawing has each province and impassable space, in any unit; empty where the map does not say it."""
    first_year: int = 1901
    """The year in which a game begins."""
    season_names: Mapping[Season, str] = field(default_factory=dict["Season", str])
    """What the seasons are called that have another name on the map: `{"autumn": "fall"}`."""

    @cached_property
    def choices(self) -> Mapping[str, str]:
        """The choices of the map for the issues that it has of `MAP_ISSUES`; none on most maps."""
        of_canal = {"canal.permits": self.canal.permits, "canal.stays": self.canal.stays} if self.canal else {}
        return of_canal | ({"railway.opens": self.railway.opens} if self.railway else {})

    def in_force(self, choices: Mapping[str, str]) -> Mapping[str, str]:
        """Return the choices of a ruleset, with those of the map for the issues of maps that it does not settle."""
        return {**self.choices, **choices} if self.choices else choices

    def __reduce__(self) -> tuple[Callable[..., Board], tuple[object, ...]]:
        """Pickle how the board is got, so that it stays the one that a process has, or what it is made of."""
        origin: tuple[Callable[..., Board], tuple[object, ...]] | None = vars(self).get("origin")
        return origin or (Board, tuple(getattr(self, name) for name in self.__match_args__))

    @cached_property
    def routes(self) -> ConvoyRoutes:
        """The convoy routes between all coastal provinces."""
        borders = tuple(self._fleet_borders(province) for province in range(len(self.provinces)))
        return ConvoyRoutes(borders, self.convoying, self.coastal)

    @cached_property
    def distances(self) -> tuple[tuple[int, ...], ...]:
        """Steps between provinces, over land and sea alike (the "absolute adjacent provinces" of the 2023 rulebook)."""
        count = len(self.provinces)
        neighbours = [members(self.borders_of_any_unit(province)) for province in range(count)]
        return tuple(_steps_from(start, neighbours) for start in range(count))

    @cached_property
    def with_coasts(self) -> Collection[str]:
        """The provinces with two coasts, and these, in the order of their numbers."""
        province_of = zip(self.locations, self.province_of, strict=True)
        return {place: None for place, province in province_of if self.provinces[province].coasts}.keys()

    def province(self, location: str) -> Province | None:
        """The province of a location, whatever coast is written behind it; `None` for one that is not on the board."""
        number = self.number.get(province_code(location))
        return None if number is None else self.provinces[number]

    def can_stand(self, unit_type: UnitType, location: str) -> bool:
        """Whether such a unit can be at a location: a fleet in a province with two coasts is on one of them."""
        number = self.number.get(location)
        if number is None:
            return False
        province = self.provinces[self.province_of[number]]
        if unit_type == "A":
            return province.terrain != "sea" and "/" not in location
        return province.terrain != "inland" and bool(province.coasts) == ("/" in location)

    @cached_property
    def places(self) -> Mapping[tuple[str, str], Place]:
        """Where units can stand, by type and location."""
        kinds: tuple[tuple[UnitType, Sequence[int]], ...] = (("A", self.army_borders), ("F", self.fleet_borders))
        return {
            (kind, location): Place(
                home := self.province_of[number],
                number,
                kind == "F",
                reach := frozenset(members(borders[number])),
                hard := frozenset(to for to in reach if (kind, home, to) in self.difficult),
                reach - hard,
                ordered_unit(location, kind, None),
                moves := self._moves(kind, number),
                OrderEffect(SUPPORT, home, -1, home),
                {to: _support_of(home, move) for to, move in moves.items()},
            )
            for location, number in self.number.items()
            for kind, borders in kinds
            if self.can_stand(kind, location)
        }

    @cached_property
    def standing(self) -> dict[Unit, Standing]:
        """Every unit that can stand on the board."""
        found: dict[Unit, Standing] = {}
        for place in self.places.values():
            for power, units in self.units["F" if place.is_fleet else "A"].items():
                unit = units[place.location]
                found[unit] = Standing(unit, power, place, place.province, place.is_fleet, place.named, units)
        return found

    @cached_property
    def names(self) -> Names:
        """All spellings of its provinces and powers."""
        provinces = {
            normal(spelling): province.code
            for province in self.provinces
            for spelling in (province.code, province.name, *province.other_names)
        }
        if self.railway is not None:
            provinces[normal(self.railway.name)] = self.railway.name
        powers = {
            normal(spelling): power.code
            for power in self.powers.values()
            for spelling in (power.code, power.name, *power.adjectives)
        }
        longest_first = sorted(provinces, key=len, reverse=True)
        spellings = "|".join(re.escape(spelling).replace(r"\ ", r"[\s.-]+") for spelling in longest_first)
        return Names(provinces, powers, re.compile(rf"(?:{spellings})(?!(?u:[^\W\d_]))", re.IGNORECASE | re.ASCII))

    @cached_property
    def units(self) -> dict[UnitType, dict[str, list[Unit]]]:
        """The unit of each type and power at each location, also where none can stand: looked up faster than made."""
        return {
            kind: {power: [Unit(power, kind, location) for location in self.locations] for power in self.powers}
            for kind in UNIT_TYPES
        }

    def destinations(self, unit: Unit) -> tuple[str, ...]:
        """The locations that a unit can go to by itself, in alphabetical order: none from where it cannot stand."""
        place = self.places.get((unit.type, unit.location))
        return () if place is None else tuple(place.moves)

    def _moves(self, kind: UnitType, number: int) -> dict[str, OrderEffect]:
        landings = (
            members(self.army_borders[number])
            if kind == "A"
            else itertools.chain.from_iterable(self.fleet_moves[number].values())
        )
        return {
            self.locations[landing]: OrderEffect(MOVE, self.province_of[landing], landing, is_plain=True)
            for landing in sorted(landings, key=self.locations.__getitem__)
        }

    def describe(self, location: str) -> str:
        """A location in the DATC's words: `"Spain(nc)"`."""
        province = self.province(location)
        if province is None:
            return location
        coast = location.partition("/")[2]
        return f"{province.name}({coast.lower()})" if coast else province.name

    def turn_name(self, season: str, year: int) -> str:
        """The name of a season of a year: `"autumn 1907"`."""
        return f"{self.season_names.get(cast('Season', season), season)} {year}"

    def power_name(self, code: str) -> str:
        """The name of a power: `"England"`; an unknown code stays as it is."""
        return self.powers[code].name if code in self.powers else code

    def borders_of_any_unit(self, province: int) -> int:
        """The set of provinces that border a province for either kind of unit, from any coast."""
        return self.army_borders[province] | self._fleet_borders(province)

    def _fleet_borders(self, province: int) -> int:
        borders = 0
        for location, owner in enumerate(self.province_of):
            if owner == province:
                borders |= self.fleet_borders[location]
        return borders

    def in_season(self, season: str) -> Board:
        """The board as it is in a season: no unit passes a border of what is ice then."""
        if not self.ice:
            return self
        all_year: Board = vars(self).get("all_year", self)
        frozen = self.ice.get(cast("Season", season), 0)
        return _without_borders(all_year, frozen) if frozen else all_year


def _support_of(home: int, move: OrderEffect) -> OrderEffect:
    """What the support of a move from a province means: its coast is named where a province has two."""
    return OrderEffect(SUPPORT, move.target, -1 if move.landing == move.target else move.landing, home)


def province_code(location: str) -> str:
    """The code of the province that a location names: `"SPA"` of `"SPA/NC"`.

    Args:
        location: A province, with or without a coast.
    """
    return location.partition("/")[0] if "/" in location else location


@cache
def _without_borders(board: Board, ice: int) -> Board:
    """The board without the borders of some provinces: no unit there, or towards there, moves, supports or convoys."""

    def still_open(sets: Sequence[int]) -> tuple[int, ...]:
        return tuple(0 if ice >> board.province_of[place] & 1 else reach & ~ice for place, reach in enumerate(sets))

    moves = [
        {} if ice >> home & 1 else {to: landings for to, landings in moves.items() if not ice >> to & 1}
        for home, moves in zip(board.province_of, board.fleet_moves, strict=True)
    ]
    found = replace(
        board,
        army_borders=still_open(board.army_borders),
        fleet_borders=still_open(board.fleet_borders),
        fleet_moves=tuple(moves),
        convoying=board.convoying & ~ice,
        coastal=board.coastal & ~ice,
        canal=None if board.canal and any(ice >> sea & 1 for sea in board.canal.seas) else board.canal,
    )
    vars(found).update(all_year=board, origin=(_without_borders, (board, ice)))
    return found


def _steps_from(start: int, neighbours: list[list[int]]) -> tuple[int, ...]:
    steps = [-1] * len(neighbours)
    steps[start] = 0
    queue = [start]
    for province in queue:
        for neighbour in neighbours[province]:
            if steps[neighbour] < 0:
                steps[neighbour] = steps[province] + 1
                queue.append(neighbour)
    return tuple(steps)


_SHORTEST_BEGINNING = 2
_SHORTEST_MISSPELT = 3
_SHORTEST_FOR_A_LETTER_LESS = 4


class Names(NamedTuple):
    """All spellings of a board, in lower case without punctuation (`"st petersburg"`).

    A word is looked up as a code, a name or another spelling; then as the beginning of exactly one name; then as one
    name with a single slip (a letter too many, missing, wrong, or two swapped). The last two are reported.
    """

    provinces: Mapping[str, str]
    """The code of a province by each spelling."""
    powers: Mapping[str, str]
    """The code of a power by its name, its code and its adjectives."""
    pattern: re.Pattern[str]
    """Matches the longest spelling of a province at the start of a text, where a word ends behind it."""


def normal(spelling: str) -> str:
    """A spelling in lower case with single spaces for punctuation."""
    return " ".join(re.split(r"[\s.-]+", spelling.strip(" \t.-").lower()))


def guess_province(word: str, names: Names) -> tuple[str, ...]:
    """Return the provinces that an unknown word can mean: by the beginning of a name, or by one slip."""
    spelling = normal(word)
    if len(spelling) >= _SHORTEST_BEGINNING:
        beginnings = {code for name, code in names.provinces.items() if name.startswith(spelling)}
        if beginnings:
            return tuple(sorted(beginnings))
    if len(spelling) >= _SHORTEST_MISSPELT:
        slips = {code for name, code in names.provinces.items() if _one_slip_apart(spelling, name)}
        return tuple(sorted(slips))
    return ()


def _one_slip_apart(left: str, right: str) -> bool:
    """Whether one insertion, deletion, replacement or swap of neighbours turns one word into the other.

    A code has three letters, too few to be known by two of them or by four.
    """
    if len(left) != len(right) and (
        abs(len(left) - len(right)) > 1 or min(len(left), len(right)) < _SHORTEST_FOR_A_LETTER_LESS
    ):
        return False
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    left, right = left[start:], right[start:]
    while left and right and left[-1] == right[-1]:
        left, right = left[:-1], right[:-1]
    swapped = len(left) == 2 and left == right[::-1]
    return swapped or (len(left) <= 1 and len(right) <= 1)
