"""The part of the map that a scene is on, so that a case of few units can be seen on a small screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...reference_engine import Build, Convoy, Move, Retreat, SupportMove
from .geography import Geography, standard_geography
from .geometry import Point, number
from .places import Places
from .scene import Scene

MARGIN = 75.0
"""What is to be seen around everything that is drawn."""
LEAST = 0.45
"""The least part of the map's width that is shown: less would be a place that nobody knows."""


class Window(NamedTuple):
    """A part of the map."""

    x: float
    y: float
    width: float
    height: float

    @property
    def view_box(self) -> str:
        """It in the words of SVG."""
        return " ".join(map(number, self))


def whole_map() -> Window:
    """All of the map."""
    return Window(*standard_geography().view_box)


def window_around(*scenes: Scene) -> Window:
    """The part of the map where scenes happen, in the shape of the whole, so that boards of it are alike in size."""
    geography = standard_geography()
    whole = whole_map()
    spots = [spot for scene in scenes for spot in _spots(geography, scene)]
    if not spots:
        return whole
    left, right = min(spot.x for spot in spots) - MARGIN, max(spot.x for spot in spots) + MARGIN
    top, bottom = min(spot.y for spot in spots) - MARGIN, max(spot.y for spot in spots) + MARGIN
    share = max(LEAST, (right - left) / whole.width, (bottom - top) / whole.height)
    if share >= 1:
        return whole
    width, height = whole.width * share, whole.height * share
    x = min(max(0.0, (left + right - width) / 2), whole.width - width)
    y = min(max(0.0, (top + bottom - height) / 2), whole.height - height)
    return Window(x, y, width, height)


def _spots(geography: Geography, scene: Scene) -> Iterator[Point]:
    places = Places(geography, scene)
    yield from (spot for _, spot in places.units)
    yield from (spot for _, spot in places.dislodged)
    targets = [to for entry in scene.dislodged for to in entry.retreats]
    for given in scene.orders:
        if isinstance(given.order, (Move, SupportMove, Convoy, Retreat)):
            targets.append(given.order.to)
        elif isinstance(given.order, Build):
            targets.append(given.order.unit.location)
    yield from (spot for target in targets if (spot := places.unit(target)) is not None)
