# pyright: basic, reportMissingTypeStubs=false
# Shapely brings no types.
"""Draws the map: `python tools/map/make_map.py countries-50m.json reports/boardmap/standard.json`.

The first argument is Natural Earth as the npm package `world-atlas` brings it. The coastlines and some borders come
from there, everything else from `drawing.toml`. See the README beside this file.
"""

from __future__ import annotations

import itertools
import json
import math
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import shapely
from labels import place_labels
from marks import place_marks
from projection import XY, Projection
from shapely import LineString, Point, Polygon, STRtree, box
from shapely.geometry.base import BaseGeometry

from datc.reference_engine import standard_board
from datc.reference_engine.toml import loads

HERE = Path(__file__).parent
REGION = box(-45.0, 22.0, 100.0, 82.0)
"""What is read of the globe: a country reaches beyond the map on all sides."""
MARGIN = 250
SMALLEST_ISLAND = 7.0
SMALLEST_LAKE = 150.0
SMALLEST_FACE = 5.0
TOLERANCE = 0.75
GRID = 0.1
"""All points are multiples of it, so that nothing moves when the map is written."""

Piece: TypeAlias = tuple[str, bool]
"""A province or another area, and whether it is its land."""


class Face(NamedTuple):
    """A piece of the map that no line cuts."""

    shape: Polygon
    owner: str
    land: bool


def main(source: Path, target: Path) -> None:
    """Draw the map from the countries of a TopoJSON file, and write it."""
    drawing = loads((HERE / "drawing.toml").read_text(encoding="utf-8"))
    to_map = Projection(drawing["view"], drawing["lenses"])
    countries, borders = read_countries(source)
    pieces = dissolve(draw_faces(countries, borders, drawing, to_map))
    text = json.dumps(describe(pieces, drawing, to_map), ensure_ascii=False, separators=(",", ":"))
    target.write_text(text.replace('},"', '},\n"') + "\n", encoding="utf-8")


def read_countries(path: Path) -> tuple[dict[str, list[Polygon]], list[LineString]]:
    """The countries of a TopoJSON file, each as polygons in longitude and latitude, and the borders between them."""
    topology = json.loads(path.read_text(encoding="utf-8"))
    scale, start = topology["transform"]["scale"], topology["transform"]["translate"]
    arcs = [(np.cumsum(arc, axis=0) * scale + start).tolist() for arc in topology["arcs"]]
    countries: dict[str, list[Polygon]] = {}
    uses: Counter[int] = Counter()
    for country in topology["objects"]["countries"]["geometries"]:
        shapes = country.get("arcs", [])
        shapes = [shapes] if country["type"] == "Polygon" else shapes
        uses.update(number if number >= 0 else ~number for shape in shapes for ring in shape for number in ring)
        rings = [[ring for numbers in shape if len(ring := _ring(arcs, numbers)) > 3] for shape in shapes]
        polygons = [shapely.make_valid(Polygon(shape[0], shape[1:])) for shape in rings if shape]
        countries[country["properties"]["name"]] = _polygons(p.intersection(REGION) for p in polygons)
    borders = [LineString(arcs[number]) for number, count in sorted(uses.items()) if count > 1]
    return countries, [border for border in borders if border.intersects(REGION)]


def _ring(arcs: Sequence[list[list[float]]], numbers: Iterable[int]) -> list[list[float]]:
    """Arcs joined to a ring, which goes on beyond longitude 180."""
    ring: list[list[float]] = []
    for number in numbers:
        ring += arcs[number][1:] if number >= 0 else arcs[~number][-2::-1]
    for index in range(1, len(ring)):
        jump = ring[index][0] - ring[index - 1][0]
        if abs(jump) > 180:
            ring[index] = [ring[index][0] - math.copysign(360, jump), ring[index][1]]
    return ring


def draw_faces(
    countries: Mapping[str, Sequence[Polygon]],
    borders: Iterable[LineString],
    drawing: Mapping[str, Any],
    to_map: Projection,
) -> list[Face]:
    """Cut the window into faces and say whose each is."""
    window = box(0, 0, to_map.width, to_map.height)
    names, shapes = _project(countries, to_map)
    land = _land(shapes, drawing, to_map)
    lines = [_longer(to_map.line(border.coords)) for border in borders]
    lines += [LineString(roughen(smooth(to_map.line(line), 24.0))) for line in drawing["land"].values()]
    seaways = [LineString(smooth(to_map.line(line), 4.0)) for line in drawing["sea"].values()]
    on_land = shapely.union_all(lines).intersection(land)
    at_sea = shapely.union_all(seaways).difference(land)
    network = shapely.union_all([window.exterior, land.boundary, on_land, at_sea], grid_size=GRID).intersection(window)
    seeds = [(Point(to_map(*place)), owner) for owner, places in drawing["seeds"].items() for place in places]
    seed_tree, country_tree = STRtree([seed for seed, _ in seeds]), STRtree(shapes)
    shapely.prepare(land)
    faces: list[Face] = []
    for shape in _polygons([shapely.polygonize([network])]):
        middle = shape.representative_point()
        dry = bool(land.contains(middle))
        owners = sorted({seeds[number][1] for number in seed_tree.query(shape, predicate="contains")})
        if len(owners) > 1:
            print(f"A line is open: {' and '.join(owners)} lie in one face.", file=sys.stderr)
        inside = sorted(int(number) for number in country_tree.query(middle, predicate="within")) if dry else []
        default = drawing["countries"].get(names[inside[0]], "") if inside else ""
        faces.append(Face(shape, owners[0] if owners else default, dry))
    return _adopt(faces)


def _project(countries: Mapping[str, Sequence[Polygon]], to_map: Projection) -> tuple[list[str], list[Polygon]]:
    """All polygons of all countries on the map, with their countries' names."""
    nearby = box(-MARGIN, -MARGIN, to_map.width + MARGIN, to_map.height + MARGIN)
    names: list[str] = []
    shapes: list[Polygon] = []
    for name, polygons in countries.items():
        for polygon in polygons:
            flat = shapely.transform(polygon, lambda points: np.round([to_map(x, y) for x, y in points], 2))
            near = _polygons([shapely.make_valid(flat).intersection(nearby)])
            near = [shape for shape in near if shape.area > 1]
            names += [name] * len(near)
            shapes += near
    return names, shapes


def _land(shapes: Sequence[Polygon], drawing: Mapping[str, Any], to_map: Projection) -> BaseGeometry:
    """All land: channels cut, the coasts smoothed, without small islands and lakes."""
    channels = [LineString(smooth(to_map.line(c["line"]), 4.0)).buffer(c["width"] / 2) for c in drawing["channels"]]
    land = shapely.union_all(shapes, grid_size=0.01).difference(shapely.union_all(channels))
    land = land.buffer(0.7).buffer(-1.1).buffer(0.4)
    islands = [island for island in _polygons([land]) if island.area >= SMALLEST_ISLAND]
    lakes = [[lake for lake in island.interiors if Polygon(lake).area >= SMALLEST_LAKE] for island in islands]
    return shapely.union_all([Polygon(i.exterior, inner) for i, inner in zip(islands, lakes, strict=True)])


def _longer(points: list[XY]) -> LineString:
    """A border that runs a little past its ends, to a coast that has been smoothed away from it."""
    return LineString([_beyond(points), *points, _beyond(points[::-1])])


def _beyond(points: Sequence[XY], step: float = 8.0) -> XY:
    """A place before a line's first point, the way that the line's beginning goes."""
    (x, y), toward = points[0], next((p for p in points if math.dist(p, points[0]) > 5), points[-1])
    factor = step / max(math.dist((x, y), toward), 0.01)
    return x + (x - toward[0]) * factor, y + (y - toward[1]) * factor


def smooth(points: list[XY], spacing: float) -> list[XY]:
    """A curve through all the points (Catmull and Rom's)."""
    padded = [points[0], *points, points[-1]]
    result = [points[0]]
    for p0, p1, p2, p3 in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        steps = max(1, round(math.dist(p1, p2) / spacing))
        for step in range(1, steps + 1):
            t = step / steps
            result.append((_spline(p0[0], p1[0], p2[0], p3[0], t), _spline(p0[1], p1[1], p2[1], p3[1], t)))
    return result


def _spline(a: float, b: float, c: float, d: float, t: float) -> float:
    return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)


def roughen(points: list[XY], depth: int = 3) -> list[XY]:
    """The line as rivers and ridges run: each middle moved aside a little, always the same."""
    if depth == 0:
        return points
    result = [points[0]]
    for (ax, ay), (bx, by) in itertools.pairwise(points):
        aside = 0.35 * (zlib.crc32(f"{ax:.2f} {ay:.2f} {bx:.2f} {by:.2f}".encode()) / 2**32 - 0.5)
        result += [((ax + bx) / 2 + (by - ay) * aside, (ay + by) / 2 - (bx - ax) * aside), (bx, by)]
    return roughen(result, depth - 1)


def _adopt(faces: list[Face]) -> list[Face]:
    """Give faces without an owner, and tiny ones, to the neighbour with the longest common border, or the nearest."""
    settled = [face for face in faces if face.owner and face.shape.area >= SMALLEST_FACE]
    waiting = [face for face in faces if not (face.owner and face.shape.area >= SMALLEST_FACE)]
    while waiting:
        rest: list[Face] = []
        tree = STRtree([face.shape for face in settled])
        found: list[Face] = []
        for face in waiting:
            lengths: dict[str, float] = defaultdict(float)
            for number in tree.query(face.shape, predicate="intersects"):
                if settled[number].land == face.land:
                    lengths[settled[number].owner] += settled[number].shape.intersection(face.shape).length
            best = max(lengths, key=lambda owner: (lengths[owner], owner), default="")
            (found if best and lengths[best] else rest).append(face._replace(owner=best or face.owner))
        settled += found
        if not found:
            settled += [face._replace(owner=_nearest(face, settled)) for face in rest]
            break
        waiting = rest
    return settled


def _nearest(face: Face, settled: Sequence[Face]) -> str:
    candidates = [other for other in settled if other.land == face.land]
    return candidates[int(STRtree([other.shape for other in candidates]).nearest(face.shape))].owner


def dissolve(faces: Iterable[Face]) -> dict[Piece, Any]:
    """Join the faces of each province, its land and its own waters apart, and simplify all borders together."""
    groups: dict[Piece, list[Polygon]] = defaultdict(list)
    for face in faces:
        groups[face.owner, face.land].append(face.shape)
    pieces = sorted(groups)
    joined = [shapely.coverage_union_all(groups[piece]) for piece in pieces]
    return dict(zip(pieces, shapely.coverage_simplify(joined, TOLERANCE, simplify_boundary=False), strict=True))


def describe(pieces: Mapping[Piece, Any], drawing: Mapping[str, Any], to_map: Projection) -> dict[str, Any]:
    """The map as `standard.json` has it."""
    board = standard_board()
    provinces: dict[str, Any] = {}
    impassable: list[dict[str, Any]] = []
    for owner in sorted({owner for owner, _ in pieces}):
        entry: dict[str, Any]
        parts = [pieces[owner, land] for land in (True, False) if (owner, land) in pieces]
        province = board.province(owner)
        if province is None:
            entry = {"name": owner, "path": path_of(pieces[owner, True]) if (owner, True) in pieces else ""}
            impassable.append(entry)
        else:
            whole = shapely.coverage_union_all(parts)
            entry = {"kind": "sea" if province.terrain == "sea" else "land", "path": path_of(whole)}
            provinces[owner] = entry
            body = max(_polygons([whole]), key=lambda part: part.area)
            settled = {name: to_map(*place) for name, place in drawing["marks"].get(owner, {}).items()}
            entry |= place_marks(body, supply_center=owner in board.supply_centers, **settled)
            entry |= place_labels(
                body,
                province.name,
                owner,
                entry["unit"],
                entry.get("supply_center"),
                at_sea=province.terrain == "sea",
            )
            if province.coasts:
                entry["coasts"] = {
                    coast: [round(xy, 1) for xy in to_map(*drawing["coasts"][f"{owner}/{coast}"])]
                    for coast in province.coasts
                }
        if (province is None or province.terrain != "sea") and (owner, False) in pieces:
            entry["waters"] = path_of(pieces[owner, False])
    links = [{"between": link["between"], "path": _straight(to_map.line(link["line"]))} for link in drawing["links"]]
    return {
        "viewBox": [0, 0, to_map.width, to_map.height],
        "provinces": provinces,
        "impassable": impassable,
        "links": links,
        "coastline": _coastline(pieces),
    }


def _coastline(pieces: Mapping[Piece, Any]) -> str:
    """Where land and water meet, without the lines between provinces and between seas."""
    land, water = (
        shapely.coverage_union_all(_polygons(shape for (_, dry), shape in pieces.items() if dry == wanted))
        for wanted in (True, False)
    )
    shores = shapely.line_merge(land.boundary.intersection(water.boundary))
    return "".join(_steps(line.coords) for line in shapely.get_parts(shores) if isinstance(line, LineString))


def path_of(shape: BaseGeometry) -> str:
    """A shape as SVG path data, in whole tenths so that its steps add up exactly."""
    rings = [ring for polygon in _polygons([shape]) for ring in (polygon.exterior, *polygon.interiors)]
    return "".join(f"{_steps(ring.coords[:-1])}z" for ring in rings)


def _steps(line: Iterable[Sequence[float]]) -> str:
    points = [(round(x * 10), round(y * 10)) for x, y in line]
    steps = [f"{_tenths(b[0] - a[0])},{_tenths(b[1] - a[1])}" for a, b in itertools.pairwise(points)]
    text = f"M{_tenths(points[0][0])},{_tenths(points[0][1])}l{' '.join(steps)}"
    return text.replace(" -", "-").replace(",-", "-")


def _straight(points: Iterable[XY]) -> str:
    return "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _tenths(number: int) -> str:
    text = f"{number / 10:.1f}".removesuffix(".0")
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def _polygons(shapes: Iterable[Any]) -> list[Polygon]:
    return list(_each_polygon(shapes))


def _each_polygon(shapes: Iterable[Any]) -> Iterator[Polygon]:
    for shape in shapes:
        if isinstance(shape, Polygon):
            if not shape.is_empty:
                yield shape
        elif hasattr(shape, "geoms"):
            yield from _each_polygon(shape.geoms)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python tools/map/make_map.py countries-50m.json reports/boardmap/standard.json")
    main(Path(sys.argv[1]), Path(sys.argv[2]))
