"""Where on the map things are: only what the board has is anywhere, so no string from outside becomes a coordinate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import final

from ...reference_engine import province_code
from .geography import Geography
from .geometry import Point
from .scene import DrawnDislodged, DrawnUnit, Scene

APART = 24.0
"""How far from each other two symbols are put that belong to the same place."""
BESIDE = 25.0
"""How far from the unit that came in its place a dislodged unit is."""


def _clear_of(unit: Point, beside: Point) -> Point:
    """A spot on the far side of another, so far away that both symbols can be seen."""
    return unit.beside(unit.direction(beside), max(BESIDE, unit.distance(beside)))


@final
class Places:
    """The spots of a scene's units, those dislodged beside them, and those of any location."""

    def __init__(self, geography: Geography, scene: Scene) -> None:
        self._provinces = geography.provinces
        self._taken: Counter[Point] = Counter()
        self._standing: dict[str, Point] = {}
        self._beside: dict[str, Point] = {}
        self.units: Sequence[tuple[DrawnUnit, Point]] = self._place_units(scene.units)
        """The units that can be drawn, and where."""
        self.dislodged: Sequence[tuple[DrawnDislodged, Point]] = self._place_dislodged(scene.dislodged)
        """The dislodged units that can be drawn, and where."""

    def spot(self, location: str) -> Point | None:
        """The spot of a location, occupied or not; that of its province for a coast that is none of it."""
        code, _, coast = location.partition("/")
        province = self._provinces.get(code)
        return None if province is None else Point(*province.coasts.get(coast, province.unit))

    def unit(self, location: str) -> Point | None:
        """The spot of the unit in a province, or that of the location where none stands there."""
        return self._standing.get(province_code(location)) or self.spot(location)

    def dislodged_unit(self, location: str) -> Point | None:
        """The spot of the dislodged unit of a province, or that of the unit where none is dislodged."""
        return self._beside.get(province_code(location)) or self.unit(location)

    def is_occupied(self, location: str) -> bool:
        """Whether a unit stands in the province of a location."""
        return province_code(location) in self._standing

    def free(self, spot: Point) -> Point:
        """Take a spot for a symbol, or one near it if it is taken."""
        before = self._taken[spot]
        self._taken[spot] += 1
        return Point(spot.x + APART * before, spot.y) if before else spot

    def _place_units(self, units: Iterable[DrawnUnit]) -> Sequence[tuple[DrawnUnit, Point]]:
        placed: list[tuple[DrawnUnit, Point]] = []
        for unit in units:
            spot = self.spot(unit.location)
            if spot is not None:
                placed.append((unit, self.free(spot)))
                _ = self._standing.setdefault(province_code(unit.location), placed[-1][1])
        return placed

    def _place_dislodged(self, entries: Iterable[DrawnDislodged]) -> Sequence[tuple[DrawnDislodged, Point]]:
        placed: list[tuple[DrawnDislodged, Point]] = []
        for entry in entries:
            province = self._provinces.get(province_code(entry.unit.location))
            if province is not None:
                spot = self.free(_clear_of(Point(*province.unit), Point(*province.beside)))
                placed.append((entry, spot))
                _ = self._beside.setdefault(province_code(entry.unit.location), placed[-1][1])
        return placed
