"""A map while it is read from a file of another program: in the codes of that file, which become those of map files."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast, final

from ...reference_engine.board import normal, province_code
from ...reference_engine.errors import printable
from ...reference_engine.maps import MapTable, PowerTable, ProvinceTable
from ..errors import Problem, SuiteError
from ..maps import LAST_YEAR, MOST_POWERS, MOST_PROBLEMS, MOST_PROVINCES

MOST_BYTES = 1024 * 1024
"""A larger file is no map: the largest known, with 269 provinces, has 25 kB."""


@dataclass
class Space:
    """A province as the file has it; neighbours are locations such as `spa/nc`, in the codes of the file."""

    name: str
    also: list[str] = field(default_factory=list[str])
    armies: list[str] | None = None
    """The neighbours of an army; `None` for a sea."""
    fleets: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The neighbours of a fleet by coast, an empty text where there is one coast."""


@dataclass
class Nation:
    """A power as the file has it."""

    name: str
    adjectives: list[str] = field(default_factory=list[str])
    home: list[str] = field(default_factory=list[str])
    owns: list[str] = field(default_factory=list[str])
    """Its centers at the start, if the file names them; otherwise those at home."""
    start: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Its units: `A` or `F`, and the location."""


@dataclass
class MapDraft:
    """A map in the codes of its file."""

    file: str
    title: str = ""
    source: str = ""
    spaces: dict[str, Space] = field(default_factory=dict[str, Space])
    nations: dict[str, Nation] = field(default_factory=dict[str, Nation])
    centers: list[str] = field(default_factory=list[str])
    impassable: list[str] = field(default_factory=list[str])
    ice: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The seasons in which each province is ice."""
    convoying: list[str] = field(default_factory=list[str])
    difficult: dict[str, list[tuple[str, str]]] = field(default_factory=dict[str, list[tuple[str, str]]])
    """The passages that are difficult for `armies` and for `fleets`."""
    builds_anywhere: bool = False
    begins: str = ""
    """Its first phase in words, which name the year: `"Spring, 1901, Movement"`."""
    problems: list[Problem] = field(default_factory=list[Problem])

    def problem(self, place: str, where: str, message: str) -> None:
        """Note what is wrong with a province or power."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(self.file, printable(place[:40]), where, printable(message[:300])))

    def table(self) -> MapTable:
        """Make the map, with codes of capital letters and digits, and with spellings that mean one province each.

        Raises `SuiteError` where there are too many provinces or powers.
        """
        for kind, count, most in (
            ("provinces", len(self.spaces), MOST_PROVINCES),
            ("powers", len(self.nations), MOST_POWERS),
        ):
            if count > most:
                raise refused(self.file, f"has {count:,} {kind}: a map has at most {most:,}")
        codes = _codes(self.spaces)
        place = _Places(self, codes)
        provinces = {codes[raw]: self._province(raw, space, place) for raw, space in self.spaces.items()}
        powers = {_power_code(raw): self._power(raw, nation, place) for raw, nation in self.nations.items()}
        names = [each["name"] for each in provinces.values() if "name" in each]
        for code, entry in provinces.items():
            if "name" in entry and names.count(entry["name"]) > 1:  # The name alone means neither.
                entry["name"] = f"{entry['name']} ({code})"
        _keep_clear_spellings(provinces, "also")
        _keep_clear_spellings(powers, "adjectives")
        homes = {code for power in powers.values() for code in power.get("home", "").split()}
        neutral = {*place.known("", "centers", self.centers)} - homes
        fields: dict[str, object] = {
            "title": _clean(self.title),
            "source": _clean(self.source),
            "impassable": [*map(_clean, self.impassable)],
            "neutral_centers": " ".join(sorted(neutral)),
            "ice": {code: self.ice[raw] for raw in self.ice for code in place.known("", "ice", [raw])},
            "convoying": " ".join(sorted(place.known("", "convoying", self.convoying))),
            "difficult": {kind: _passages(kind, each, place) for kind, each in self.difficult.items()},
            "builds": "owned-centers" if self.builds_anywhere else "",
            "first_year": _other_year(self.begins),
        }
        fields = {name: value for name, value in fields.items() if value}
        return cast(
            "MapTable", cast("object", {**fields, "powers": powers, "provinces": dict(sorted(provinces.items()))})
        )

    def _province(self, raw: str, space: Space, place: _Places) -> ProvinceTable:
        entry: ProvinceTable = {"name": _clean(space.name) or raw}
        if space.also:
            entry["also"] = [*map(_clean, space.also)]
        if space.armies is not None:
            entry["armies"] = " ".join(place.neighbours(raw, "armies", space.armies))
        coasts = {
            coast.upper(): " ".join(place.neighbours(raw, "fleets", each)) for coast, each in space.fleets.items()
        }
        if coasts.keys() - {""}:
            entry["fleets"] = {coast: each for coast, each in coasts.items() if coast}
        elif coasts:
            entry["fleets"] = coasts[""]
        return entry

    def _power(self, raw: str, nation: Nation, place: _Places) -> PowerTable:
        home = place.known(raw, "home", nation.home)
        entry: PowerTable = {"name": _clean(nation.name)}
        if nation.adjectives:
            entry["adjectives"] = [*map(_clean, nation.adjectives)]
        entry["home"] = " ".join(home)
        owns = place.known(raw, "owns", nation.owns)
        if owns and sorted(owns) != sorted(home):
            entry["owns"] = " ".join(owns)
        start = [(kind, place.location(raw, "start", where)) for kind, where in nation.start]
        entry["start"] = [f"{kind} {where}" for kind, where in start if where]
        return entry


@final
class _Places:
    """Turns the codes of a file into those of map files, and notes those that are no province."""

    def __init__(self, draft: MapDraft, codes: Mapping[str, str]) -> None:
        self._draft, self._codes = draft, codes

    def location(self, place: str, field: str, raw: str) -> str:
        """Return a location such as `SPA/NC`; nothing where there is no such province."""
        code, slash, coast = raw.partition("/")
        if code not in self._codes:
            self._draft.problem(place, field, f"names {raw!r}, which is no province of this map")
            return ""
        return self._codes[code] + slash + coast.upper()

    def known(self, place: str, field: str, raws: Iterable[str]) -> list[str]:
        """Return the provinces, each once."""
        found = [province_code(self.location(place, field, raw)) for raw in raws]
        return [*dict.fromkeys(filter(None, found))]

    def neighbours(self, raw: str, field: str, raws: Iterable[str]) -> list[str]:
        """Return the neighbours of a province, in order, without itself."""
        found = {self.location(raw, field, each) for each in raws}
        return sorted(each for each in found if each and province_code(each) != self._codes[raw])


def read_bytes(file: Path) -> bytes:
    """Read a file of another program. Raises `SuiteError` where it cannot be, or is too large for a map."""
    try:
        with file.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise refused(file.name, f"cannot be read: {error.strerror}") from error
    if len(content) > MOST_BYTES:
        raise refused(file.name, f"has more than {MOST_BYTES:,} bytes: it is no map")
    return content


def refused(file: str, message: str, place: str = "") -> SuiteError:
    """Make the error of a file that is no map."""
    return SuiteError((Problem(printable(file), printable(place[:40]), "", printable(message[:300])),))


def _clean(text: str) -> str:
    return " ".join(printable(text).split())


def _codes(raws: Iterable[str]) -> dict[str, str]:
    """Return a code of 2 to 8 capital letters and digits for each code of a file."""
    codes: dict[str, str] = {}
    for raw in raws:
        bare = re.sub(r"[^A-Z0-9]", "", unicodedata.normalize("NFKD", raw).upper())
        wanted = (bare if bare[:1].isalpha() else f"X{bare}")[:8].ljust(2, "X")
        number, code = 1, wanted
        taken = {*codes.values()}
        while code in taken:
            number += 1
            code = f"{wanted[: 8 - len(str(number))]}{number}"
        codes[raw] = code
    return codes


def _power_code(raw: str) -> str:
    bare = unicodedata.normalize("NFKD", raw).upper()
    code = re.sub(r"[^A-Z0-9]+", "-", "".join(each for each in bare if not unicodedata.combining(each))).strip("-")
    return code if code[:1].isalpha() else f"X{code}"


def _other_year(phase: str) -> int:
    """Return the year that a phase names; 0 for the usual one, and where it names none."""
    year = next((int(word) for word in re.findall(r"\d{1,5}", phase, re.ASCII)), 0)
    return year if 0 < year <= LAST_YEAR and year != 1901 else 0


def _passages(kind: str, passages: Iterable[tuple[str, str]], place: _Places) -> list[str]:
    both = [sorted(place.known("", f"difficult.{kind}", each)) for each in passages]
    return sorted({"-".join(each) for each in both if len(each) == 2})


def _keep_clear_spellings(entries: Mapping[str, ProvinceTable] | Mapping[str, PowerTable], field: str) -> None:
    """Leave out the further spellings that say nothing new, or that mean another entry as well."""
    tables = cast("Mapping[str, dict[str, object]]", entries)
    spelled: Callable[[str], str] = normal
    names = Counter(each for code, entry in tables.items() for each in {spelled(code), spelled(str(entry["name"]))})
    more = Counter(
        each for entry in tables.values() for each in {*map(spelled, cast("list[str]", entry.get(field, [])))}
    )
    for entry in tables.values():
        texts = {spelled(each): each for each in cast("list[str]", entry.pop(field, []))}
        if kept := [text for key, text in texts.items() if key and key not in names and more[key] == 1]:
            entry[field] = kept
