"""From longitude and latitude to the units of the map."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias, TypedDict

XY: TypeAlias = tuple[float, float]


class View(TypedDict):
    """How the globe is seen: `[view]` in `drawing.toml`."""

    center: list[float]
    rim: float
    bend: float
    arctic: float
    squeeze: float
    width: int
    left: list[float]
    right: list[float]
    top: list[float]
    bottom: list[float]


class Lens(TypedDict):
    """A magnifying glass: one of `[[lenses]]` in `drawing.toml`."""

    name: str
    at: list[float]
    radius: float
    strength: float


class Projection:
    """An azimuthal projection whose scale falls off toward the rim, flattened a little, with lenses on it."""

    def __init__(self, view: View, lenses: Iterable[Lens]) -> None:
        self._view: View = view
        self._center: XY = (math.radians(view["center"][0]), math.radians(view["center"][1]))
        self._left: float = self._globe(*view["left"])[0]
        self._top: float = self._globe(*view["top"])[1]
        self.width: int = view["width"]
        self._scale: float = self.width / (self._globe(*view["right"])[0] - self._left)
        self.height: int = math.ceil((self._globe(*view["bottom"])[1] - self._top) * self._scale)
        self._lenses: list[tuple[XY, float, float]] = [
            (self._flat(*lens["at"]), lens["radius"], lens["strength"]) for lens in lenses
        ]

    def __call__(self, longitude: float, latitude: float) -> XY:
        """Where a place is on the map."""
        x, y = self._flat(longitude, latitude)
        for (cx, cy), radius, strength in self._lenses:
            if (distance := math.hypot(x - cx, y - cy)) < radius:
                factor = 1 + strength * (1 - (distance / radius) ** 2) ** 2
                x, y = cx + (x - cx) * factor, cy + (y - cy) * factor
        return x, y

    def line(self, places: Iterable[Sequence[float]]) -> list[XY]:
        """The points of a line."""
        return [self(place[0], place[1]) for place in places]

    def _flat(self, longitude: float, latitude: float) -> XY:
        x, y = self._globe(longitude, latitude)
        return (x - self._left) * self._scale, (y - self._top) * self._scale

    def _globe(self, longitude: float, latitude: float) -> XY:
        """The globe as the view sees it, in radians from its center, east and south."""
        view, (center, middle) = self._view, self._center
        turn, phi = math.radians(longitude) - center, math.radians(latitude)
        east = math.cos(phi) * math.sin(turn)
        north = math.cos(middle) * math.sin(phi) - math.sin(middle) * math.cos(phi) * math.cos(turn)
        toward = math.sin(middle) * math.sin(phi) + math.cos(middle) * math.cos(phi) * math.cos(turn)
        angle = max(math.acos(max(-1.0, min(1.0, toward))), 1e-9)
        radius = math.sin(min(angle * view["rim"], math.pi / 2)) / view["rim"] / math.sin(angle)
        x, y = east * radius, -north * radius
        y -= view["bend"] * x * x
        return x, y + view["squeeze"] * min(0.0, y - view["arctic"]) ** 2
