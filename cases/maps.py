"""Reads the map of an author, and says all that is wrong with it: each time the file, the province and the field."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, cast, get_args

import msgspec

from ..reference_engine import Board, PositionError
from ..reference_engine.board import Season, normal, province_code
from ..reference_engine.errors import printable
from ..reference_engine.maps import (
    MAPS,
    CanalTable,
    MapTable,
    PowerTable,
    ProvinceTable,
    RailwayTable,
    add_board,
    build_board,
    landings,
    load_board,
    own_map_names,
    passage,
    with_base,
)
from ..reference_engine.toml import TOMLDecodeError, loads
from .errors import Problem, SuiteError
from .tables import json_schema

MAP_FORMAT = 1
"""The number of the format of map files: another one where a file that was right would not be any more."""
MOST_PROVINCES = 1000
MOST_POWERS = 100
MOST_PROBLEMS = 1000
FARTHEST = 100_000
"""How far from 0 a place of a drawing may be."""
LAST_YEAR = 9999
"""The last year in which a game can begin."""
LONGEST_FIELD = 20_000
"""The characters of a field of a map, a province or a power, such as all neutral centers."""
COASTS = frozenset({"NC", "EC", "SC", "WC"})
"""The coasts that the notation of orders can name."""
_CODE = "capital letters and digits, a letter first, 2 to 8 of them"


class MapData(NamedTuple):
    """A map as data, with what it takes from its base."""

    name: str
    table: MapTable
    problems: tuple[Problem, ...]
    """What is wrong with it: without any, it has a board."""


def map_file_schema() -> dict[str, object]:
    """Make the JSON Schema of a map file, for editors."""
    schema = json_schema(MapTable, "map", MAP_FORMAT, "map file")
    for table in cast("Mapping[str, dict[str, object]]", schema["$defs"]).values():
        table["additionalProperties"] = False
    return schema


def find_map(name: str, folder: Path) -> Board:
    """Return the board of a map of the project, or of the author's own, a file that is named from `folder`.

    Raises `SuiteError` with all that is wrong with the file, and `PositionError` where there is no such map.
    """
    if not name.endswith(".toml"):
        return load_board(name)
    board = read_map(folder / name)
    if board.name in own_map_names():
        raise PositionError(f"the map {board.name} is one of the project: give the file another name")
    add_board(board)
    return board


def read_map(file: Path) -> Board:
    """Read the map of an author. Raises `SuiteError` with all that is wrong with it."""
    found = read_map_file(file)
    if found.problems:
        raise SuiteError(found.problems)
    return build_board(file.stem, found.table)


def read_map_file(file: Path) -> MapData:
    """Read a map file as data. Raises `SuiteError` where it cannot be read as one."""
    text = ""
    try:
        text = file.read_text(encoding="utf-8")
        content = loads(text)
    except TOMLDecodeError as error:
        line = str(error).partition("line ")[2].partition(",")[0]
        near = text.split("\n")[int(line) - 1].partition("=")[0].strip() if line.isdecimal() else ""
        raise SuiteError((Problem(file.name, printable(near[:40]), "", f"is not TOML: {error}"),)) from error
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise SuiteError((Problem(file.name, "", "", f"cannot be read: {said}"),)) from error
    return read_map_table(file.name, content, file.stem)


def read_map_table(file: str, content: Mapping[str, Any], name: str) -> MapData:
    """Read a map from the tables of its file, or from the same as JSON. Raises as `read_map_file`."""
    problems = [*_unknown_fields(file, content)]
    try:
        table = with_base(msgspec.convert(content, MapTable))
    except (msgspec.ValidationError, PositionError) as error:
        raise SuiteError((*problems, Problem(file, "", "", f"cannot be read: {error}"))) from error
    return checked_map(file, name, table, problems)


def checked_map(file: str, name: str, table: MapTable, problems: Sequence[Problem] = ()) -> MapData:
    """Check a map that has all its fields in the right types; `problems` are known already.

    Raises `SuiteError` where it is too large.
    """
    checks = _Checks(file, table, table.get("provinces", {}), table.get("powers", {}))
    checks.sizes()
    if checks.found:
        raise SuiteError(tuple(checks.found))
    return MapData(name, table, tuple(problems or checks.problems()))


def check_map(name: str) -> Board:
    """Check a map of the project by its name, or an author's file. Raises `SuiteError`, and `PositionError`."""
    return read_map(MAPS / f"{name}.toml" if name in own_map_names() else Path(name))


def _unknown_fields(file: str, content: Mapping[str, Any]) -> Iterator[Problem]:
    """Name the fields that no map has: most are misspelt."""
    tables = [("", content, MapTable)]
    for name, kind in (("powers", PowerTable), ("provinces", ProvinceTable)):
        entries = content.get(name)
        if isinstance(entries, dict):
            tables += [(code, each, kind) for code, each in cast("dict[str, Any]", entries).items()]
    for code, table, kind in tables:
        names = cast("dict[str, Any]", table).keys() if isinstance(table, dict) else ()
        for name in sorted(set(names) - kind.__annotations__.keys()):
            known = ", ".join(kind.__annotations__)
            yield Problem(file, printable(code), printable(name), f"there is no such field: it is one of {known}")


def _names(code: str, entry: Mapping[str, Any]) -> list[str]:
    return [code, entry.get("name", code), *entry.get("also", ()), *entry.get("adjectives", ())]


@dataclass
class _Checks:
    """Checks a map that has all its fields in the right types."""

    file: str
    table: MapTable
    provinces: Mapping[str, ProvinceTable]
    powers: Mapping[str, PowerTable]
    found: list[Problem] = field(default_factory=list[Problem])

    def problems(self) -> list[Problem]:
        """Find all that is wrong; the later checks need what the earlier ones hold."""
        for check in (self._codes, self._borders, self._powers, self._special, self._spellings):
            if not self.found:
                check()
        if not self.found:
            self._reach()
        return self.found

    def _problem(self, place: str, field: str, message: str) -> None:
        if len(self.found) < MOST_PROBLEMS:
            self.found.append(Problem(self.file, printable(place[:40]), field, printable(message[:300])))

    def sizes(self) -> None:
        """Find what is too large to be looked at."""
        for name, count, most in (
            ("provinces", len(self.provinces), MOST_PROVINCES),
            ("powers", len(self.powers), MOST_POWERS),
        ):
            if not 0 < count <= most:
                self._problem("", name, f"there are {count:,}: a map has 1 to {most:,}")
        fields = {name: value for name, value in self.table.items() if name not in ("provinces", "powers", "places")}
        tables: list[tuple[str, Mapping[str, object]]] = [("", fields), *self.provinces.items(), *self.powers.items()]
        for code, entry in tables:
            for name, value in entry.items():
                if (length := len(str(value))) > LONGEST_FIELD:
                    self._problem(code, name, f"has {length:,} characters: at most {LONGEST_FIELD:,} are read")

    def _codes(self) -> None:
        tables: Mapping[str, Mapping[str, Mapping[str, Any]]] = {"provinces": self.provinces, "powers": self.powers}
        for kind, entries in tables.items():
            for code, entry in entries.items():
                plain = code if kind == "provinces" else code.replace("-", "").replace("_", "")
                is_code = plain.isascii() and plain.isalnum() and plain.isupper() and plain[0].isalpha()
                if not is_code or len(code) < 2 or (kind == "provinces" and len(code) > 8):
                    self._problem(code[:40], kind, f"is no code of a {kind[:-1]}: {_CODE}")
                if any(not name.strip() or not name.isprintable() or len(name) > 60 for name in _names(code, entry)):
                    self._problem(code[:40], "name", "a name has 1 to 60 characters that can be printed")
        for code, entry in self.provinces.items():
            fleets = entry.get("fleets", "")
            if isinstance(fleets, dict) and (len(fleets) < 2 or not COASTS.issuperset(fleets)):
                self._problem(code, "fleets", f"names the coasts {', '.join(fleets)}: two or more of NC, EC, SC, WC")

    def _borders(self) -> None:
        """Hold every border to both its sides."""
        table = self.provinces
        walks = {code: entry.get("armies", "").split() for code, entry in table.items()}
        coasts = {code: entry.get("fleets", "") for code, entry in table.items()}
        sails = {
            f"{code}/{coast}" if coast else code: each.split()
            for code, fleets in coasts.items()
            for coast, each in (fleets.items() if isinstance(fleets, dict) else [("", fleets)])
        }
        for kind, lists in (("armies", walks), ("fleets", sails)):
            for origin, neighbours in lists.items():
                for neighbour, count in Counter(neighbours).items():
                    home = province_code(origin)
                    if count > 1:
                        self._problem(home, kind, f"names {neighbour} twice")
                    if neighbour not in table and neighbour not in sails:
                        self._problem(home, kind, f"names {neighbour!r}, which is no province or coast of this map")
                        continue
                    ends = [neighbour] if kind == "armies" else landings(neighbour, home, table)
                    if province_code(neighbour) == home:
                        self._problem(home, kind, "names itself")
                    elif not ends or any(not {origin, home} & {*lists.get(end, ())} for end in ends):
                        self._problem(home, kind, f"names {neighbour}, which does not name it: a border has two sides")
        for origin, neighbours in sails.items():
            if not neighbours and ("/" in origin or "armies" not in table[origin]):
                self._problem(province_code(origin), "fleets", f"a fleet at {origin} cannot leave")

    def _powers(self) -> None:
        neutral = self._known("", "neutral_centers", self.table.get("neutral_centers", ""))
        owner = dict.fromkeys(neutral, "neutral_centers")
        place_of: dict[str, str] = {}
        for code, entry in self.powers.items():
            homes = self._known(code, "home", entry.get("home", ""))
            if not homes and self.table.get("builds") != "owned-centers":
                self._problem(code, "home", "has no home center")
            for center in homes:
                if (other := owner.setdefault(center, code)) != code:
                    self._problem(code, "home", f"has {center}, as {other} has")
            if missing := set(homes) - {*self._known(code, "country", entry.get("country", " ".join(homes)))}:
                self._problem(code, "country", f"lacks its home center {', '.join(sorted(missing))}")
            _ = self._known(code, "owns", entry.get("owns", ""))
            _ = self._known(code, "not_counted", entry.get("not_counted", ""))
            for unit in entry.get("start", ()):
                kind, _, location = unit.partition(" ")
                if kind not in ("A", "F") or not self._can_stand(kind, location):
                    self._problem(code, "start", f"{unit!r} is no unit that can stand there: write 'A LON', 'F SPA/NC'")
                elif (other := place_of.setdefault(province_code(location), code + unit)) != code + unit:
                    self._problem(code, "start", f"{unit!r} is where another unit starts")

    def _can_stand(self, kind: str, location: str) -> bool:
        code, _, coast = location.partition("/")
        entry: ProvinceTable = self.provinces.get(code, {})
        fleets = entry.get("fleets", "")
        if kind == "A":
            return "armies" in entry and not coast
        return coast in fleets if isinstance(fleets, dict) else bool(fleets) and not coast

    def _known(self, place: str, field: str, text: str) -> list[str]:
        """The codes in a text, of which those that are no province are noted."""
        codes = text.split()
        for code in codes:
            if code not in self.provinces:
                self._problem(place, field, f"names {code!r}, which is no province of this map")
        return [code for code in codes if code in self.provinces]

    def _special(self) -> None:
        table = self.table
        for code in self._known("", "ice", " ".join(table.get("ice", {}))):
            if not table.get("ice", {})[code]:
                self._problem(code, "ice", f"in which season is it ice: {', '.join(get_args(Season))}")
        for code in self._known("", "convoying", table.get("convoying", "")):
            entry = self.provinces[code]
            if "armies" not in entry or not isinstance(entry.get("fleets"), str):
                self._problem(code, "convoying", "is not a coastal province with one coast")
        if "canal" in table:
            self._canal(table["canal"])
        if "railway" in table:
            self._railway(table["railway"])
        self._places(table.get("places", {}))
        if not 0 < table.get("first_year", 1) <= LAST_YEAR:
            self._problem(
                "", "first_year", f"is {table.get('first_year')}: a game begins in a year from 1 to {LAST_YEAR}"
            )
        for season, name in table.get("seasons", {}).items():
            if not name.strip() or not name.isprintable() or len(name) > 60:
                self._problem("", f"seasons.{season}", "a name has 1 to 60 characters that can be printed")
        for kind, passages in table.get("difficult", {}).items():
            for text in passages:
                one, other = passage(text)
                entry = self.provinces.get(one, {})
                lists = entry.get(kind, "")
                borders = lists if isinstance(lists, str) else " ".join(lists.values())
                if other not in map(province_code, borders.split()):
                    self._problem(one, f"difficult.{kind}", f"{text!r} is no border for {kind}: write it as 'NAP-SIC'")

    def _places(self, places: Mapping[str, Sequence[float]]) -> None:
        """Check where a drawing has the provinces: all of them or none, and no two at one place."""
        known = {*self.provinces, *self.table.get("impassable", ())}
        at: dict[tuple[float, ...], str] = {}
        for code, spot in places.items():
            if code not in known:
                self._problem(code, "places", "is no province of this map, and no impassable space")
            if not all(abs(each) <= FARTHEST for each in spot):
                self._problem(code, "places", f"is beyond {FARTHEST:,}")
            if (other := at.setdefault(tuple(spot), code)) != code:
                self._problem(code, "places", f"is where {other} is")
        for code in self.provinces if places else ():
            if code not in places:
                self._problem(code, "places", "has no place, though other provinces have one")

    def _canal(self, canal: CanalTable) -> None:
        seas = canal["seas"].split()
        if len(set(seas)) != 2 or any(self.provinces.get(sea, {"armies": ""}).keys() & {"armies"} for sea in seas):
            self._problem("", "canal", f"goes from {canal['seas']!r}: these are two seas of the map, as in 'MED RED'")
        elif self._known("", "canal", canal["keeper"]) and "armies" not in self.provinces[canal["keeper"]]:
            self._problem("", "canal", f"is kept from {canal['keeper']}, which is a sea: that is a province on land")

    def _railway(self, railway: RailwayTable) -> None:
        name, line = railway["name"], self._known("", "railway", railway["line"])
        if not (name.isascii() and name.isalnum() and name.isupper() and len(name) <= 8):
            self._problem("", "railway", f"has the name {name!r}: write capital letters, as in 'TSR'")
        if len(set(line)) < max(2, len(line)):
            self._problem("", "railway", f"leads along {railway['line']!r}: name two provinces or more, each once")
        for one, other in pairwise(line):
            if other not in self.provinces[one].get("armies", "").split():
                self._problem(one, "railway", f"leads to {other}, to which no army goes from here")
        if railway["power"] not in self.powers:
            self._problem("", "railway", f"is of {railway['power']!r}, which is no power of this map")

    def _spellings(self) -> None:
        tables: Mapping[str, Mapping[str, Mapping[str, Any]]] = {"provinces": self.provinces, "powers": self.powers}
        railway = self.table["railway"]["name"] if "railway" in self.table else ""
        for kind, entries in tables.items():
            spelled = {normal(railway): "the railway"}
            for code, entry in entries.items():
                for spelling in {normal(name) for name in _names(code, entry)}:
                    if (other := spelled.setdefault(spelling, code)) != code:
                        self._problem(code, kind, f"is spelled {spelling!r}, as {other} is")

    def _reach(self) -> None:
        """Note the provinces that no unit can come to from the first one that a unit starts on."""
        board = build_board("", self.table)
        distances = board.distances[0]
        apart = [board.provinces[number].code for number, steps in enumerate(distances) if steps < 0]
        for code in apart:
            self._problem(code, "provinces", f"no unit comes there from {board.provinces[0].code}")
