"""The maps: where their provinces are drawn, where the units of a scene are on it, and which part of it a scene needs.

`tools/map` in the repository makes the data of the standard one, `standard.json`; `ground.py` draws any other. Only
what the board has is anywhere, so no string from outside becomes a coordinate.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast, final

from ...reference_engine import Board, Build, province_code, standard_board
from .geometry import Point, number
from .ground import draw_ground
from .mapdata import WIDTHS, Area, Geography, Link, Province
from .scenes import DrawnDislodged, DrawnUnit, Scene

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def standard_geography() -> Geography:
    """The map of the standard board."""
    data = _with_tuples(json.loads(Path(__file__).with_name("standard.json").read_bytes()))
    return Geography(
        data["viewBox"],
        {code: Province(**province) for code, province in data["provinces"].items()},
        tuple(Area(**area) for area in data["impassable"]),
        tuple(Link(**link) for link in data["links"]),
        data["coastline"],
    )


def _with_tuples(value: Any) -> Any:  # noqa: ANN401 - whatever is in the file
    """Turn the lists of the map's data into tuples, those of two numbers into points."""
    if isinstance(value, dict):
        return {name: _with_tuples(each) for name, each in cast("dict[str, object]", value).items()}
    if not isinstance(value, list):
        return value
    values = tuple(map(_with_tuples, cast("list[object]", value)))
    return Point(*values) if len(values) == 2 and all(isinstance(each, (int, float)) for each in values) else values


@lru_cache(maxsize=64)
def geography_of(board: Board) -> Geography:
    """The map of a board: without any province where it has no places, and the library is missing that lays it out."""
    if board is standard_board():
        return standard_geography()
    return draw_ground(board, standard_geography())


@lru_cache(maxsize=64)
def map_ground(board: Board, prefix: str, *, titled: bool = True) -> str:
    """The map alone, as a `<g>` without a style, for what draws on it.

    `prefix` is that of the ids in it; with `titled` a pointer on a province shows its name.
    """
    template = make_environment().get_template("boardmap.svg")
    return template.render(geography=geography_of(board), board=board, prefix=prefix, titled=titled).rstrip("\n")


def make_environment() -> Environment:
    """Make an environment for the templates of maps and pages: it escapes every value."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("datc.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


APART = 24.0
"""How far from each other two symbols are put that belong to the same place."""
BESIDE = 25.0
"""How far from the unit that came in its place a dislodged unit is."""
MARGIN = 44.0
"""What is to be seen around everything that is drawn."""
FEW_CENTERS = 6
LOWEST, HIGHEST = 0.66, 1.2
"""How high a part of the map is at least and at most, of its width."""


@final
class Places:
    """The spots of a scene's units, those dislodged beside them, and those of any location."""

    def __init__(self, scene: Scene) -> None:
        self._provinces = geography_of(scene.board).provinces
        self._taken: Counter[Point] = Counter()
        self._standing: dict[str, Point] = {}
        self._beside: dict[str, Point] = {}
        self.units: list[tuple[DrawnUnit, Point]] = []
        """The units that can be drawn, and where."""
        self.dislodged: list[tuple[DrawnDislodged, Point]] = []
        """The dislodged units that can be drawn, and where."""
        for unit in scene.units:
            spot = self.spot(unit.location)
            if spot is not None:
                self.units.append((unit, self.free(spot)))
                _ = self._standing.setdefault(province_code(unit.location), self.units[-1][1])
        for entry in scene.dislodged:
            code = province_code(entry.unit.location)
            province = self._provinces.get(code)
            if province is not None:
                # On the far side of the unit, so far away that both symbols can be seen.
                away = max(BESIDE, province.unit.distance(province.beside))
                spot = province.unit.beside(province.unit.direction(province.beside), away)
                self.dislodged.append((entry, self.free(spot)))
                _ = self._beside.setdefault(code, self.dislodged[-1][1])

    @property
    def spots(self) -> list[Point]:
        """The spots of all units, those dislodged last."""
        return [spot for _, spot in (*self.units, *self.dislodged)]

    def spot(self, location: str) -> Point | None:
        """The spot of a location, occupied or not; that of its province for an unknown coast."""
        code, _, coast = location.partition("/")
        province = self._provinces.get(code)
        return None if province is None else province.coasts.get(coast, province.unit)

    def unit(self, location: str) -> Point | None:
        """The spot of the unit in a province, or that of the location where none stands there."""
        return self._standing.get(province_code(location)) or self.spot(location)

    def target(self, location: str) -> Point | None:
        """Where an order to a location leads: to the coast that it names, or to the unit in the province."""
        code, _, coast = location.partition("/")
        names_coast = code in self._provinces and coast in self._provinces[code].coasts
        return self.spot(location) if names_coast else self.unit(location)

    def dislodged_unit(self, location: str) -> Point | None:
        """The spot of the dislodged unit of a province, or that of the unit where none is dislodged."""
        return self._beside.get(province_code(location)) or self.unit(location)

    def is_occupied(self, location: str) -> bool:
        """Whether a unit stands where an order to a location leads."""
        standing = self._standing.get(province_code(location))
        return standing is not None and standing == self.target(location)

    def free(self, spot: Point) -> Point:
        """Take a spot for a symbol, or one near it if it is taken."""
        before = self._taken[spot]
        self._taken[spot] += 1
        return Point(spot.x + APART * before, spot.y) if before else spot


class Window(NamedTuple):
    """A part of the map."""

    x: float
    y: float
    width: float
    height: float

    @property
    def view_box(self) -> str:
        return " ".join(map(number, self))


def whole_map(board: Board) -> Window:
    """All of the map of a board."""
    return Window(*geography_of(board).view_box)


def window_around(*scenes: Scene) -> Window:
    """The part of the map where scenes of one board happen, as small as one of the usual widths allows."""
    whole = whole_map(scenes[0].board)
    spots: list[Point] = []
    for scene in scenes:
        places = Places(scene)
        targets = [to for entry in scene.dislodged for to in entry.retreats]
        # Few owned centers belong to the question, as in a civil disorder; many are the game that it is taken from.
        targets += scene.owners if len(scene.owners) <= FEW_CENTERS else ()
        for given in scene.orders:
            to = given.order.unit.location if isinstance(given.order, Build) else given.target
            targets += [to] if to is not None else []
        spots += [*places.spots, *filter(None, map(places.target, targets))]
    if not spots:
        return whole
    left, right = min(spot.x for spot in spots) - MARGIN, max(spot.x for spot in spots) + MARGIN
    top, bottom = min(spot.y for spot in spots) - MARGIN, max(spot.y for spot in spots) + MARGIN
    widths = (width for width in WIDTHS if width < whole.width)
    width = next((width for width in widths if width >= right - left and width * HIGHEST >= bottom - top), None)
    if width is None:
        return whole
    height = min(max(bottom - top, width * LOWEST), whole.height)
    x = min(max(0.0, (left + right - width) / 2), whole.width - width)
    y = min(max(0.0, (top + bottom - height) / 2), whole.height - height)
    return Window(round(x), round(y), width, round(height))
