"""Where two descriptions of one map differ: provinces, names, terrain, coasts, borders by unit, centers and starts.

A map is its table, so that one can be compared whose borders have one side. Everything is said in the codes of the
first map: its names, codes and spellings say which province of the other is the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias, TypeVar, cast

import msgspec

from ..reference_engine import UnitType, province_code
from ..reference_engine.maps import MapTable, PowerTable, ProvinceTable, landings

_EntryT = TypeVar("_EntryT", ProvinceTable, PowerTable)


class SingleMove(NamedTuple):
    """A unit and where it is ordered to."""

    type: UnitType
    origin: str
    to: str

    def __str__(self) -> str:
        return f"{self.type} {self.origin} - {self.to}"


class Border(msgspec.Struct, frozen=True, kw_only=True):
    """A border that is missing, or one too many."""

    one: str
    other: str
    by: Literal["land", "sea"]
    moves: list[str]
    """The moves that showed it: both directions, or one."""

    def __str__(self) -> str:
        """Name it, with a dash between what both directions of it showed."""
        if len(self.moves) == 2:
            return f"{self.one} \N{EN DASH} {self.other} by {self.by}"
        return f"{self.one} - {self.other} by {self.by}, in this direction only"


def borders_of(moves: Iterable[SingleMove]) -> list[Border]:
    """Put both directions of each border together."""
    left = set(moves)
    borders: list[Border] = []
    for move in sorted(left):
        if move in left:
            both = [one for one in (move, SingleMove(move.type, move.to, move.origin)) if one in left]
            left -= set(both)
            by = "land" if move.type == "A" else "sea"
            borders.append(Border(one=move.origin, other=move.to, by=by, moves=[str(one) for one in both]))
    return borders


def single_moves(table: MapTable) -> set[SingleMove]:
    """Return the moves over each border of a map, in each direction that it names, by each unit and to each coast."""
    provinces = table.get("provinces", {})
    moves = {
        SingleMove("A", code, neighbour)
        for code, entry in provinces.items()
        for neighbour in entry.get("armies", "").split()
        if neighbour in provinces
    }
    for code, entry in provinces.items():
        for place, neighbours in fleet_places(code, entry).items():
            known = [each for each in neighbours.split() if province_code(each) in provinces]
            moves |= {SingleMove("F", place, landing) for each in known for landing in landings(each, code, provinces)}
    return moves


def fleet_places(code: str, entry: ProvinceTable) -> Mapping[str, str]:
    """Return where in a province a fleet can be, with its neighbours there: nowhere in an inland one."""
    fleets = entry.get("fleets", "")
    if isinstance(fleets, dict):
        return {f"{code}/{coast}": neighbours for coast, neighbours in fleets.items()}
    return {code: fleets} if fleets or "armies" not in entry else {}


Aspect: TypeAlias = Literal["provinces", "names", "powers", "terrain", "coasts", "centers", "homes", "start", "special"]


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """What one map says of a province or power and the other does not, or says otherwise."""

    aspect: Aspect
    what: str
    """A province by its code, a power, or a field of the map."""
    left: str
    right: str
    """What each map has there; empty where it has nothing."""

    def text(self, left: str, right: str) -> str:
        """Say it in a line; the maps are called as given."""
        if self.aspect in ("provinces", "powers", "centers"):
            kind, name = self.aspect.removesuffix("s"), self.left or self.right
            named = f"{kind} {self.what}" + (f", {name}" if self.aspect != "centers" else "")
            return f"{named}: only {left if self.left else right} has it"
        what = {"names": "name of ", "homes": "home of ", "special": ""}.get(self.aspect, f"{self.aspect} of ")
        return f"{what}{self.what}: {left} has {self.left or 'none'}, {right} {self.right or 'none'}"


class MapDifferences(msgspec.Struct, frozen=True, kw_only=True):
    """Where a map differs from another, in the codes of the first."""

    codes: dict[str, str]
    """The code in the second map of each province that has another one there."""
    differences: list[Difference]
    missing: list[Border]
    """The borders that the second map lacks."""
    too_many: list[Border]
    """The borders that it alone has."""

    def texts(self, left: str, right: str, *, names: bool = True) -> list[str]:
        """Say each difference in a line, or each that is not in names alone; the maps are called as given."""
        texts = [each.text(left, right) for each in self.differences if names or each.aspect != "names"]
        sides = ((left, self.missing), (right, self.too_many))
        return texts + [f"border {border}: only {side} has it" for side, borders in sides for border in borders]

    @property
    def in_play(self) -> bool:
        """Whether a game is played otherwise on them: names alone make no difference."""
        return bool(self.missing or self.too_many) or any(each.aspect != "names" for each in self.differences)


def compare_maps(left: MapTable, right: MapTable) -> MapDifferences:
    """Compare two maps of which all fields have the right types."""
    pairs = _matched_provinces(left.get("provinces", {}), right.get("provinces", {}))
    right = _in_codes(right, {pair: code for code, pair in pairs.items()})
    one, other = left.get("provinces", {}), right.get("provinces", {})
    recoasted = {code for code in pairs if _coasts(one[code]) != _coasts(other[code])}
    moves, others = ({_without_coasts(move, recoasted) for move in single_moves(each)} for each in (left, right))

    def of_both(moves: set[SingleMove]) -> list[Border]:
        return borders_of(each for each in moves if pairs.keys() >= {*map(province_code, (each.origin, each.to))})

    return MapDifferences(
        codes={code: pair for code, pair in sorted(pairs.items()) if code != pair},
        differences=[*_of_provinces(left, right), *_of_powers(left, right), *_of_rules(left, right, _USUAL_OF_MAP)],
        missing=of_both(moves - others),
        too_many=of_both(others - moves),
    )


def _without_coasts(move: SingleMove, provinces: set[str]) -> SingleMove:
    """Return a move without the coasts of the provinces whose coasts differ, which is a difference of its own."""
    places = [code if (code := province_code(place)) in provinces else place for place in (move.origin, move.to)]
    return SingleMove(move.type, *places)


def _plain(name: str) -> str:
    """Return a name in small letters and digits alone, without accents: names are compared so."""
    bare = unicodedata.normalize("NFKD", name)
    return re.sub(r"[\W_]+", "", "".join(each for each in bare if not unicodedata.combining(each))).lower()


def _name(code: str, entry: ProvinceTable | PowerTable) -> str:
    return _plain(entry.get("name", code))


def _spellings(code: str, entry: ProvinceTable) -> set[str]:
    return {*map(_plain, (code, entry.get("name", code), *entry.get("also", ())))}


def _matched_provinces(one: Mapping[str, ProvinceTable], other: Mapping[str, ProvinceTable]) -> dict[str, str]:
    """Match the provinces of two maps by their names, then by their codes, then by any spelling of theirs."""
    return _matched(
        one,
        other,
        lambda code, entry: {_name(code, entry)},
        lambda code, _: {_plain(code)},
        _spellings,
    )


def _matched(
    one: Mapping[str, _EntryT], other: Mapping[str, _EntryT], *keys: Callable[[str, _EntryT], set[str]]
) -> dict[str, str]:
    """Match the entries of two tables by one key after the other, each as far as it is unique."""
    pairs: dict[str, str] = {}
    for key in keys:
        taken = {*pairs.values()}
        free = {code: key(code, entry) for code, entry in other.items() if code not in taken}
        for code, entry in one.items():
            mine = key(code, entry) if code not in pairs else set[str]()
            found = [pair for pair, theirs in free.items() if mine & theirs]
            if len(found) == 1:
                pairs[code] = found[0]
                del free[found[0]]
    return pairs


def _in_codes(table: MapTable, codes: Mapping[str, str]) -> MapTable:
    """Return a map in other codes; a province without one has its own in small letters, which no other has."""
    new = {code: codes.get(code, code.lower()) for code in table.get("provinces", {})}

    def renamed(value: object) -> object:
        if isinstance(value, str):
            return " ".join(map(word_renamed, value.split()))
        if isinstance(value, list):
            return [*map(renamed, cast("list[object]", value))]
        if isinstance(value, dict):
            entries = cast("dict[str, object]", value).items()
            return {new.get(key, key): each if key in _TEXTS else renamed(each) for key, each in entries}
        return value

    def word_renamed(word: str) -> str:  # A location such as `SPA/NC`, a passage such as `NAP-SIC`, or neither.
        parts = [each.partition("/") for each in word.split("-")]
        if any(code not in new for code, _, _ in parts):
            return word
        return "-".join(new[code] + slash + coast for code, slash, coast in parts)

    return cast("MapTable", renamed(table))


_TEXTS = frozenset({"title", "source", "name", "also", "adjectives", "impassable"})
"""The fields that have no codes in them."""
_USUAL_OF_MAP = frozenset(
    {"title", "source", "base", "impassable", "neutral_centers", "places", "powers", "provinces"}
    | {"first_year", "seasons"}
)
_USUAL_OF_POWER = frozenset({"name", "adjectives", "country", "home", "start"})
"""The fields that are compared one by one, or that make no difference in play; what others there are is special."""


def _alone(
    aspect: Aspect, left: Mapping[str, _EntryT], right: Mapping[str, _EntryT], pairs: Mapping[str, str]
) -> Iterator[Difference]:
    for code in sorted(left.keys() - pairs.keys()):
        yield Difference(aspect=aspect, what=code, left=left[code].get("name", code), right="")
    for code in sorted(right.keys() - {*pairs.values()}):
        yield Difference(aspect=aspect, what=code, left="", right=right[code].get("name", code))


def _of_provinces(left: MapTable, right: MapTable) -> Iterator[Difference]:
    """Compare provinces of the same codes."""
    one, other = left.get("provinces", {}), right.get("provinces", {})
    both = sorted(one.keys() & other.keys())
    yield from _alone("provinces", one, other, dict(zip(both, both, strict=True)))
    centers = [{*_centers(table)} for table in (left, right)]
    for code in both:
        mine, theirs = one[code], other[code]
        if _name(code, mine) not in _spellings(code, theirs) and _name(code, theirs) not in _spellings(code, mine):
            names = mine.get("name", code), theirs.get("name", code)
            yield Difference(aspect="names", what=code, left=names[0], right=names[1])
        if _terrain(mine) != _terrain(theirs):
            yield Difference(aspect="terrain", what=code, left=_terrain(mine), right=_terrain(theirs))
        if _coasts(mine) != _coasts(theirs):
            yield Difference(aspect="coasts", what=code, left=_coasts(mine), right=_coasts(theirs))
        has = ["center" if code in each else "" for each in centers]
        if has[0] != has[1]:
            yield Difference(aspect="centers", what=code, left=has[0], right=has[1])


def _of_powers(left: MapTable, right: MapTable) -> Iterator[Difference]:
    """Compare powers of one name, one code, one adjective, or the same home."""
    one, other = left.get("powers", {}), right.get("powers", {})
    pairs = _matched(
        one,
        other,
        lambda code, entry: {_name(code, entry)},
        lambda code, _: {_plain(code)},
        lambda _, entry: {*map(_plain, entry.get("adjectives", ()))},
        lambda _, entry: {" ".join(sorted((entry.get("home") or _owned(entry)).split()))} - {""},
    )
    yield from _alone("powers", one, other, pairs)
    # A home that is no place to build in says nothing.
    builds_anywhere = left.get("builds") == right.get("builds") == "owned-centers"
    for code, pair in sorted(pairs.items()):
        mine, theirs = one[code], other[pair]
        lists: list[tuple[Aspect, list[str], list[str]]] = [("start", mine.get("start", []), theirs.get("start", []))]
        if not builds_anywhere:
            lists.append(("homes", mine.get("home", "").split(), theirs.get("home", "").split()))
        for aspect, some, others in lists:
            if {*some} != {*others}:
                only = (", ".join(sorted({*each} - {*rest})) for each, rest in ((some, others), (others, some)))
                yield Difference(aspect=aspect, what=code, left=next(only), right=next(only))
        owned = "owns" in mine or "owns" in theirs or builds_anywhere
        tables = ({**each, **({"owns": _owned(each)} if owned else {})} for each in (mine, theirs))
        yield from _of_rules(next(tables), next(tables), _USUAL_OF_POWER, f"{code}, ")


def _of_rules(
    left: Mapping[str, object], right: Mapping[str, object], usual: frozenset[str], place: str = ""
) -> Iterator[Difference]:
    """Compare the fields that most maps or powers do not have, whatever is in them."""
    for field in sorted((left.keys() | right.keys()) - usual):
        mine, theirs = ({*_words(each.get(field))} - {"home-centers"} for each in (left, right))
        if mine != theirs:
            sides = (", ".join(sorted(each)) for each in (mine - theirs, theirs - mine))
            yield Difference(aspect="special", what=f"{place}{field}", left=next(sides), right=next(sides))


def _words(value: object, before: str = "") -> Iterator[str]:
    """Break what a field has into words, each with the keys before it; a passage has the same word both ways."""
    if isinstance(value, dict):
        for key, each in cast("dict[str, object]", value).items():
            yield from _words(each, f"{before}{key} ")
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _words(each, before)
    elif value is not None:
        yield from (
            before + "-".join(sorted(word.split("-")) if word.isupper() else [word]) for word in str(value).split()
        )


def _terrain(entry: ProvinceTable) -> str:
    return "sea" if "armies" not in entry else "coastal" if entry.get("fleets") else "inland"


def _coasts(entry: ProvinceTable) -> str:
    fleets = entry.get("fleets", "")
    return " ".join(sorted(fleets)) if isinstance(fleets, dict) else ""


def _owned(entry: PowerTable) -> str:
    return entry.get("owns", entry.get("home", ""))


def _centers(table: MapTable) -> Iterator[str]:
    yield from table.get("neutral_centers", "").split()
    for entry in table.get("powers", {}).values():
        yield from f"{entry.get('home', '')} {entry.get('owns', '')}".split()
