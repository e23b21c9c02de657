"""The borders of the board as `data/standard.toml` has them, and distances counted apart from the engine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path

import datc.reference_engine
from datc.reference_engine.toml import loads

TABLE = loads((Path(datc.reference_engine.__file__).parent / "data" / "standard.toml").read_text("utf-8"))
PROVINCES: dict[str, dict] = TABLE["provinces"]
POWERS: dict[str, dict] = TABLE["powers"]
HOMES = {home for power in POWERS.values() for home in power["home"].split()}
CENTERS = HOMES | {*TABLE["board"]["neutral_centers"].split()}
SEAS = {code for code, entry in PROVINCES.items() if "armies" not in entry}


def walks(province: str) -> set[str]:
    """The provinces that an army can move to over land."""
    return {*PROVINCES[province].get("armies", "").split()}


def sails(location: str) -> set[str]:
    """The locations that a fleet can move to."""
    province, _, coast = location.partition("/")
    fleets = PROVINCES[province].get("fleets", "")
    near = (fleets[coast] if isinstance(fleets, dict) else fleets).split()
    return {landing for to in near for landing in _landings(to, province)}


def _landings(to: str, origin: str) -> Iterable[str]:
    fleets = PROVINCES[to[:3]].get("fleets", "")
    if "/" in to or not isinstance(fleets, dict):
        return [to]
    return [f"{to}/{coast}" for coast, near in fleets.items() if origin in {each[:3] for each in near.split()}]


def locations(province: str) -> list[str]:
    """The locations of a province in which a fleet can stand."""
    fleets = PROVINCES[province].get("fleets", "")
    return [f"{province}/{coast}" for coast in fleets] if isinstance(fleets, dict) else [province]


def touches(province: str) -> set[str]:
    """The provinces that border a province for either kind of unit."""
    by_sea = set()
    if "fleets" in PROVINCES[province]:
        by_sea = {to[:3] for location in locations(province) for to in sails(location)}
    return walks(province) | by_sea


def convoys(fleets: Collection[str]) -> Callable[[str], set[str]]:
    """The provinces that an army can move to where these seas convoy it: by land, or across any of their chains."""

    def moves(province: str) -> set[str]:
        reached, frontier = set[str](), [sea for sea in touches(province) if sea in fleets]
        while frontier:
            sea = frontier.pop()
            if sea not in reached:
                reached.add(sea)
                frontier += [other for other in touches(sea) if other in fleets]
        return walks(province) | {coast for sea in reached for coast in touches(sea) if coast not in SEAS} - {province}

    return moves


def distance(start: str, goals: Collection[str], moves: Callable[[str], set[str]]) -> int | None:
    """How many moves it takes from a location to the province of a goal; `None` where there is no way."""
    layer, seen, steps = {start}, {start}, 0
    while layer:
        if any(location[:3] in goals for location in layer):
            return steps
        layer = {to for location in layer for to in moves(location)} - seen
        seen |= layer
        steps += 1
    return None
