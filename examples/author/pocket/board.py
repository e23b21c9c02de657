"""The standard board: which province borders on which, for armies and for fleets."""

from __future__ import annotations

from pathlib import Path


def province(location: str) -> str:
    """Leave the coast out: `STP/SC` is in `STP`."""
    return location[:3]


def _read() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    armies: dict[str, set[str]] = {}
    fleets: dict[str, set[str]] = {}
    for line in (Path(__file__).parent / "board.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            code, _, borders = line.partition(":")
            by_land, _, by_sea = borders.partition("|")
            armies[code] = set(by_land.split())
            fleets[code] = set(by_sea.split())
    return armies, fleets


ARMIES, FLEETS = _read()
PROVINCES = {province(code) for code in ARMIES}
SEAS = {code for code in PROVINCES if not ARMIES[code]}
COASTAL = {code for code in PROVINCES - SEAS if any(FLEETS[place] for place in FLEETS if province(place) == code)}


def goes(kind: str, origin: str) -> set[str]:
    """Name the locations that a unit reaches in one step."""
    return ARMIES[province(origin)] if kind == "A" else FLEETS.get(origin, set())


def routes(origin: str, to: str, fleets: set[str], through: str | None = None) -> bool:
    """Whether fleets in these seas carry an army over, each of them needed, and one of them `through`."""
    if not {origin, to} <= COASTAL or origin == to:
        return False
    return any(_ferry([sea], origin, to, fleets, through) for sea in fleets if _touches(sea, origin))


def _ferry(seas: list[str], origin: str, to: str, fleets: set[str], through: str | None) -> bool:
    if _touches(seas[-1], to):
        return through is None or through in seas
    further = [sea for sea in fleets & FLEETS[seas[-1]] if not _touches(sea, origin)]
    shortcuts = {sea for earlier in seas[:-1] for sea in FLEETS[earlier]}
    return any(_ferry([*seas, sea], origin, to, fleets, through) for sea in further if sea not in shortcuts)


def _touches(sea: str, coast: str) -> bool:
    return coast in map(province, FLEETS[sea])
