"""Lays a map out: places of its provinces, so that borders are short and do not cross where the map allows that.

The border graph is embedded in the plane by networkx (the extra `layout`), drawn without crossings by Tutte's method
(each place in the middle of its neighbours), and evened out by moves that turn no triangle over.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from ...reference_engine import Board, PositionError
from .geometry import turn

Places: TypeAlias = Mapping[str, tuple[float, float]]
"""The place of each province, x to the right and y down, in any unit."""

SIDE = 100
"""The side of the square that a province takes on average, in a layout."""
SWEEPS = 60
_BARYCENTRIC_SWEEPS = 1500
_STEPS = tuple((math.cos(turn * math.pi / 4), math.sin(turn * math.pi / 4)) for turn in range(8))
_SHARES = (1.0, 0.2, 0.04)
_OUTSIDE = "outside"
"""A node beside the provinces, whose codes are upper case: what is around the map."""


def has_layout() -> bool:
    """Whether the library is there that `lay_out` needs."""
    return _networkx() is not None


def _networkx() -> Any | None:  # noqa: ANN401 - networkx has no types
    try:
        return importlib.import_module("networkx.algorithms.planar_drawing").nx
    except ImportError:
        return None


def borders(board: Board) -> list[tuple[str, str]]:
    """Return the pairs of provinces between which any unit moves by itself, each once and in alphabetical order."""
    codes = [province.code for province in board.provinces]
    touching = enumerate(board.distances[: len(codes)])
    return [(codes[one], codes[to]) for one, row in touching for to in range(one + 1, len(codes)) if row[to] == 1]


def lay_out(board: Board) -> dict[str, tuple[float, float]]:
    """Return a place for each province; the same for the same map.

    Raises `PositionError` where networkx is not installed.
    """
    library = _networkx()
    if library is None:
        raise PositionError("a map without places is laid out by networkx: install the extra, datc-check[layout]")
    codes = [province.code for province in board.provinces]
    if len(codes) < 4:
        return {code: (SIDE * index, SIDE * (index % 2)) for index, code in enumerate(codes)}
    triangles, rim, kept = _triangulated(library, codes, borders(board))
    drawing = _Drawing(triangles, rim, kept, _barycentric(triangles, rim))
    for sweep in range(SWEEPS):
        drawing.improve(SIDE * 0.5 * (1 - sweep / SWEEPS) + 1)
    left, top = (min(spot[axis] for spot in drawing.spots.values()) for axis in (0, 1))
    return {code: (round(drawing.spots[code][0] - left), round(drawing.spots[code][1] - top)) for code in codes}


def crossings(places: Places, edges: Sequence[tuple[str, str]]) -> dict[tuple[str, str], set[tuple[str, str]]]:
    """For each edge the others whose line it crosses, or touches anywhere but at a common end."""
    crossed: dict[tuple[str, str], set[tuple[str, str]]] = {each: set() for each in edges}
    lines = sorted(edges, key=lambda each: min(places[each[0]][0], places[each[1]][0]))
    for index, one in enumerate(lines):
        right = max(places[one[0]][0], places[one[1]][0])
        for other in lines[index + 1 :]:
            if min(places[other[0]][0], places[other[1]][0]) > right:
                break
            a, b, c, d = (places[code] for code in (*one, *other))
            if not set(one) & set(other) and turn(a, b, c) * turn(a, b, d) <= 0 >= turn(c, d, a) * turn(c, d, b):
                crossed[one].add(other)
                crossed[other].add(one)
    return crossed


def without_crossings(
    places: Places, edges: Sequence[tuple[str, str]]
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Leave out edges until no line crosses another, those that cross most first; return the others, and these."""
    crossed, out = crossings(places, edges), list[tuple[str, str]]()
    while any(crossed.values()):
        worst = max(crossed, key=lambda each: (len(crossed[each]), math.dist(places[each[0]], places[each[1]]), each))
        for other in crossed.pop(worst):
            crossed[other].discard(worst)
        out.append(worst)
    return [*crossed], sorted(out)


_Triangle: TypeAlias = tuple[str, str, str]


def _triangulated(
    library: Any,  # noqa: ANN401 - networkx has no types
    codes: Sequence[str],
    edges: Sequence[tuple[str, str]],
) -> tuple[list[_Triangle], list[str], list[tuple[str, str]]]:
    """Embed what is planar of the borders: triangles, the rim around them, and the borders."""
    graph = library.Graph()
    graph.add_nodes_from(codes)
    kept = _added(library, graph, edges)
    _ = _added(library, graph, [(_OUTSIDE, code) for code in _longest_face(library, graph)])
    _, embedding = library.check_planarity(graph)
    embedding = library.algorithms.planar_drawing.triangulate_embedding(embedding)[0]
    rim = [str(code) for code in embedding.neighbors_cw_order(_OUTSIDE)]
    triangles: list[_Triangle] = []
    for one in codes:
        for other in embedding.neighbors_cw_order(one):
            face = tuple(map(str, embedding.traverse_face(one, other)))
            if _OUTSIDE not in face and face[0] == min(face):
                triangles.append(cast("_Triangle", face))
    return triangles, rim, kept


def _added(library: Any, graph: Any, edges: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:  # noqa: ANN401
    """Add those edges, in their order, with which the graph stays planar, and return them."""
    graph.add_edges_from(edges)
    if library.check_planarity(graph)[0]:
        return [*edges]
    graph.remove_edges_from(edges)
    half = len(edges) // 2
    return [*_added(library, graph, edges[:half]), *_added(library, graph, edges[half:])] if half else []


def _longest_face(library: Any, graph: Any) -> list[str]:  # noqa: ANN401
    """The provinces around the longest face, which is taken for the edge of the map."""
    _, embedding = library.check_planarity(graph)
    seen: set[tuple[str, str]] = set()
    faces = [embedding.traverse_face(one, other, seen) for one, other in embedding.edges if (one, other) not in seen]
    return max(faces, key=len)


def _barycentric(triangles: Sequence[_Triangle], rim: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Draw a triangulation as Tutte does: its rim on a circle, and each other place in the middle of its neighbours."""
    around: dict[str, set[str]] = {}
    for triangle in triangles:
        for code in triangle:
            around.setdefault(code, set()).update(triangle)
    radius = SIDE * math.sqrt(len(around) / math.pi)
    turns = [2 * math.pi * index / len(rim) for index in range(len(rim))]
    spots = dict.fromkeys(sorted(around), (0.0, 0.0))
    spots |= {code: (radius * math.cos(t), radius * math.sin(t)) for code, t in zip(rim, turns, strict=True)}
    inner = [(code, [*sorted(around[code] - {code})]) for code in spots if code not in set(rim)]
    for _ in range(_BARYCENTRIC_SWEEPS):
        moved = 0.0
        for code, near in inner:
            x = sum(spots[each][0] for each in near) / len(near)
            y = sum(spots[each][1] for each in near) / len(near)
            moved = max(moved, abs(spots[code][0] - x), abs(spots[code][1] - y))
            spots[code] = x, y
        if moved < 1e-7:
            break
    return spots


class _Drawing:
    """A drawing without crossings that is evened out, place by place."""

    def __init__(
        self,
        triangles: Sequence[_Triangle],
        rim: Sequence[str],
        kept: Iterable[tuple[str, str]],
        spots: dict[str, tuple[float, float]],
    ) -> None:
        self.spots: dict[str, tuple[float, float]] = spots
        if sum(turn(*(self.spots[code] for code in each)) for each in triangles) < 0:
            triangles = [(one, third, other) for one, other, third in triangles]
        # Around each place its triangles: the two other corners, in the direction of the clock.
        self._corners: dict[str, list[tuple[str, str]]] = {code: [] for code in spots}
        for one, other, third in triangles:
            self._corners[one].append((other, third))
            self._corners[other].append((third, one))
            self._corners[third].append((one, other))
        self._near: dict[str, list[str]] = {code: [] for code in spots}
        for one, other in kept:
            self._near[one].append(other)
            self._near[other].append(one)
        self._beside: dict[str, tuple[str, str]] = {}
        for before, code, after in zip((rim[-1], *rim), rim, (*rim[1:], rim[0]), strict=False):
            middle, one = (0.0, 0.0), self.spots[before]
            self._beside[code] = (before, after) if turn(middle, one, self.spots[code]) > 0 else (after, before)

    def improve(self, step: float) -> None:
        """Move each place by a step in the direction that makes the drawing most even, if there is one."""
        for code, (x, y) in [*self.spots.items()]:
            here = self._cost(code, (x, y))
            for share in _SHARES:
                spots = [(x + share * step * dx, y + share * step * dy) for dx, dy in _STEPS]
                cost, best = min((self._cost(code, spot), spot) for spot in spots)
                if cost < here:
                    self.spots[code] = best
                    break

    def _cost(self, code: str, spot: tuple[float, float]) -> float:
        """How uneven the drawing is around a place; infinite where it would turn a triangle over."""
        cost, spots = 0.0, self.spots
        for one, other in self._corners[code]:
            area = turn(spot, spots[one], spots[other])
            if area <= 0:
                return math.inf
            cost += 1.4 * max(0.0, math.log(SIDE * SIDE / area))
        if code in self._beside:
            before, after = self._beside[code]
            if turn((0.0, 0.0), spots[before], spot) <= 0 or turn((0.0, 0.0), spot, spots[after]) <= 0:
                return math.inf
        for near in self._near[code]:
            cost += (math.dist(spot, spots[near]) / SIDE / 1.1 - 1) ** 2
        return cost
