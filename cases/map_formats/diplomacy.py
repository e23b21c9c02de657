"""Reads the `.map` files of the `diplomacy` package, the format of the DPjudge.

A line has a province and its neighbours: `COAST BUL/EC ABUTS BLA CON RUM`. The line of `bul`, in small letters, has the
neighbours of an army in a province whose coasts have lines of their own. A neighbour in small letters can be reached by
armies alone, one such as `Tar` by fleets alone. Borders may have one side. Source: `diplomacy/engine/map.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

from .draft import MapDraft, Nation, Space, read_bytes, refused

_MOST_FILES = 10
_MOST_NEIGHBOURS = 300
_MOST_DROPS = 100
_UNOWNED = frozenset({"UNOWNED", "NEUTRAL", "CENTERS"})


def read_dpjudge_map(file: Path) -> MapDraft:
    """Read a `.map` file, with those in its folder that it takes from. Raises `SuiteError`."""
    reader = _Reader(file)
    reader.read(file)
    return reader.draft()


@final
@dataclass
class _Reader:
    """What is read so far of a file and those that it takes from; `_LINES` says what reads which line."""

    main: Path
    files: list[str] = field(default_factory=list[str])
    names: dict[str, tuple[str, list[str]]] = field(default_factory=dict[str, tuple[str, list[str]]])
    """The name and further spellings of each province."""
    kinds: dict[str, str] = field(default_factory=dict[str, str])
    """The terrain of each location, as its line writes it: `BUL/EC`, `bul`."""
    abuts: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    nations: dict[str, Nation] = field(default_factory=dict[str, Nation])
    unowned: list[str] = field(default_factory=list[str])
    nation: Nation | None = None
    """The power that the lines are about."""
    drops: int = 0
    rules: set[str] = field(default_factory=set[str])
    begins: str = ""
    """The line of the first phase."""

    def read(self, file: Path) -> None:
        """Read the lines of a file."""
        if file.name in self.files or len(self.files) >= _MOST_FILES:
            raise refused(file.name, f"is taken in twice, or as one of more than {_MOST_FILES} files")
        self.files.append(file.name)
        for number, line in enumerate(read_bytes(file).decode("utf-8", "replace").splitlines(), 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if "=" in line:
                self._read_name(line)
            elif read := _LINES.get(words[0].upper()):
                try:
                    read(self, words)
                except (IndexError, KeyError) as error:
                    raise refused(file.name, f"line {number} cannot be read: {line.strip()!r}") from error
            else:
                self.read_power(words)

    def _read_name(self, line: str) -> None:
        name, _, codes = line.rpartition("->")[2].partition("=")
        code, *aliases = codes.split() or [""]
        if code and "/" not in code:
            clear = [each for each in aliases if not set("/(?").intersection(each)]
            self.names[code.upper()] = name.strip(), [each.replace("+", " ") for each in clear]

    def read_power(self, words: list[str]) -> None:
        """Read a power and its home centers, or centers of nobody."""
        name, homes = words[0].upper(), words[1:]
        if name in _UNOWNED:
            self.nation = None
            self.unowned += map(str.upper, homes)
            return
        usual = Nation(name.replace("-", " ").replace("+", " ").title())
        self.nation = self.nations.setdefault(name, usual)
        if homes and homes[0].startswith("("):
            adjective = homes.pop(0).strip("()").partition(":")[0]
            self.nation.adjectives = [adjective.replace("+", " ").title()] if adjective else []
        self.nation.home += map(str.upper, homes)

    def read_base(self, words: list[str]) -> None:
        """Read the files that a file takes from."""
        for name in words[1:]:
            if Path(name).name != name:
                raise refused(self.main.name, f"takes from {name!r}: only a file in its own folder is read")
            self.read(self.main.with_name(name if "." in name else f"{name}.map"))

    def read_place(self, words: list[str]) -> None:
        """Read a province and its neighbours, or what changes of one."""
        kind, place, neighbours = words[0].upper(), words[1], words[3:]
        other = place.swapcase()
        if kind == "AMEND":
            self.kinds[place] = self.kinds.pop(other, "") or self.kinds[place]
            self.abuts[place] = self.abuts.pop(other, []) or self.abuts[place]
        else:
            _ = self.kinds.pop(other, None)
            _ = self.abuts.pop(other, None)
            self.kinds[place] = kind
            self.abuts[place] = []
        for each in neighbours:
            if each.startswith("-"):
                self.abuts[place] = [old for old in self.abuts[place] if not old.upper().startswith(each[1:].upper())]
            else:
                self.abuts[place].append(each)
        if len(self.abuts[place]) > _MOST_NEIGHBOURS:
            raise refused(self.main.name, f"has more than {_MOST_NEIGHBOURS} neighbours", place)

    def drop(self, words: list[str]) -> None:
        """Leave out provinces."""
        gone = tuple(map(str.upper, words[1:]))
        self.drops += 1
        if self.drops > _MOST_DROPS:
            raise refused(self.main.name, f"has more than {_MOST_DROPS} lines with DROP")
        self.kinds = {place: kind for place, kind in self.kinds.items() if not place.upper().startswith(gone)}
        self.abuts = {
            place: [each for each in neighbours if not each.upper().startswith(gone)]
            for place, neighbours in self.abuts.items()
            if place in self.kinds
        }
        self.unowned = [each for each in self.unowned if each not in gone]

    def read_unit(self, words: list[str]) -> None:
        """Read a unit of the power."""
        if self.nation is not None:
            self.nation.start.append((words[0].upper(), words[1].upper()))

    def read_owned(self, words: list[str]) -> None:
        """Read centers at the start of the power, or of nobody."""
        if self.nation is None:
            self.read_power(words)
        else:
            owned = [] if words[0].upper() == "CENTERS" else self.nation.owns
            self.nation.owns = [*owned, *map(str.upper, words[1:])]

    def read_homes(self, words: list[str]) -> None:
        """Read home centers of the power."""
        if self.nation is not None:
            kept = self.nation.home if words[0].upper() == "INHABITS" else []
            self.nation.home = [*kept, *map(str.upper, words[1:])]

    def clear_units(self, _words: list[str]) -> None:
        """Forget the units of the power."""
        if self.nation is not None:
            self.nation.start = []

    def unplayed(self, words: list[str]) -> None:
        """Leave out powers."""
        named = [word.upper().strip(",") for word in words[1:]]
        if named[:1] == ["ALL"]:
            self.nations = {name: each for name, each in self.nations.items() if name in named[2:]}
        for name in named or [name for name, each in self.nations.items() if each is self.nation]:
            _ = self.nations.pop(name, None)
        self.nation = None

    def read_rules(self, words: list[str]) -> None:
        """Read the names of rules."""
        self.rules.update(map(str.upper, words[1:]))

    def read_begin(self, words: list[str]) -> None:
        """Read the first phase."""
        self.begins = " ".join(words)

    def skip(self, _words: list[str]) -> None:
        """Victory and dummies make no difference to a map."""

    def draft(self) -> MapDraft:
        """Make the map of what was read."""
        kinds = {place.upper(): kind for place, kind in self.kinds.items()}
        draft = MapDraft(self.main.name, self.main.stem, f"the file {self.main.name} of the diplomacy package")
        for place in self.kinds:
            code, _, coast = place.upper().partition("/")
            name, also = self.names.get(code, (code, []))
            if kinds[place.upper()] == "SHUT":
                draft.impassable.append(name)
                continue
            space = draft.spaces.setdefault(code, Space(name, also))
            neighbours = self.abuts[place]
            if kinds[place.upper()] != "WATER" and not coast:
                space.armies = self._by_armies(neighbours, kinds)
            if place.isupper() and kinds[place] != "LAND":
                space.fleets[coast] = self._by_fleets(neighbours, kinds)
            if kinds[place.upper()] == "PORT":
                draft.convoying.append(code)
        draft.nations = self.nations
        homes = [code for nation in self.nations.values() for code in nation.home]
        draft.centers = [*self.unowned, *homes]
        draft.builds_anywhere = "BUILD_ANY" in self.rules
        draft.begins = self.begins
        return draft

    def _by_armies(self, neighbours: Sequence[str], kinds: Mapping[str, str]) -> list[str]:
        codes = [each.upper().partition("/")[0] for each in neighbours if each != each.title()]
        return [each for each in codes if kinds.get(each) not in ("WATER", "SHUT")]

    def _by_fleets(self, neighbours: Sequence[str], kinds: Mapping[str, str]) -> list[str]:
        """Name where a fleet can go: a province whose coasts have lines of their own only to one of these."""
        places = [each.upper() for each in neighbours if each[0].isupper()]
        return [each for each in places if kinds.get(each) not in ("LAND", "SHUT") and each.lower() not in self.kinds]


_LINES: Mapping[str, Callable[[_Reader, list[str]], None]] = {
    **dict.fromkeys(("MAP", "USE", "USES"), _Reader.read_base),
    **dict.fromkeys(("COAST", "LAND", "WATER", "PORT", "SHUT", "AMEND"), _Reader.read_place),
    **dict.fromkeys(("A", "F"), _Reader.read_unit),
    **dict.fromkeys(("OWNS", "CENTERS"), _Reader.read_owned),
    **dict.fromkeys(("HOME", "HOMES", "INHABITS"), _Reader.read_homes),
    **dict.fromkeys(("RULE", "RULES"), _Reader.read_rules),
    **dict.fromkeys(("VICTORY", "DUMMY", "DUMMIES"), _Reader.skip),
    "BEGIN": _Reader.read_begin,
    "UNITS": _Reader.clear_units,
    "UNPLAYED": _Reader.unplayed,
    "DROP": _Reader.drop,
}
"""What reads a line with this first word; any other is a power."""
