"""The map against the board, from the drawn paths alone: neighbours share the points of their border."""

import importlib.util
import itertools
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from datc.reference_engine import standard_board
from datc.reference_engine.routes import members
from datc.reports.boardmap import geography
from datc.reports.boardmap.geography import map_ground, standard_geography
from datc.reports.boardmap.style import PALETTE, contrast, linear

BOARD = standard_board()
MAP = standard_geography()
DATA = Path(geography.__file__).with_name("standard.json")
CODES = [province.code for province in BOARD.provinces]
SEAS = [province.code for province in BOARD.provinces if province.terrain == "sea"]
UNIT, CENTER = 13, 5

# What is left of a colour in linear light (Machado, Oliveira and Fernandes, 2009, at full severity).
SIGHTS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}
CONES = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
OKLAB = (
    (0.2104542553, 0.793617785, -0.0040720468),
    (1.9779984951, -2.428592205, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.808675766),
)


def rings_of(path):
    """The rings of a path, in tenths."""
    rings = []
    for ring in re.findall(r"M([^z]*)z", path):
        numbers = [round(float(number) * 10) for number in re.findall(r"-?(?:\d*\.\d+|\d+)", ring)]
        steps = zip(numbers[::2], numbers[1::2], strict=True)
        rings.append(list(itertools.accumulate(steps, lambda at, step: (at[0] + step[0], at[1] + step[1]))))
    return rings


RINGS = {code: rings_of(MAP.provinces[code].path) for code in CODES}
EDGES = {
    code: {tuple(sorted(edge)) for ring in rings for edge in zip(ring, ring[1:] + ring[:1], strict=True)}
    for code, rings in RINGS.items()
}
POINTS = {code: {point for edge in EDGES[code] for point in edge} for code in CODES}
PAIRS = list(itertools.combinations(CODES, 2))


def inside(place, rings):
    x, y = place[0] * 10, place[1] * 10
    edges = [edge for ring in rings for edge in zip(ring, ring[1:] + ring[:1], strict=True)]
    return sum((ay > y) != (by > y) and x < ax + (y - ay) * (bx - ax) / (by - ay) for (ax, ay), (bx, by) in edges) % 2


def away_from(place, code):
    """How far a place is from a province's border."""
    return min(to_edge((place[0] * 10, place[1] * 10), *edge) for edge in EDGES[code]) / 10


def to_edge(place, a, b):
    """How far a place is from a line."""
    length = math.dist(a, b) ** 2
    share = ((place[0] - a[0]) * (b[0] - a[0]) + (place[1] - a[1]) * (b[1] - a[1])) / length if length else 0
    share = max(0, min(1, share))
    return math.dist(place, (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])))


def bordering(a, b):
    """Whether the board says that any unit can go from one to the other."""
    return BOARD.number[b] in members(BOARD.army_borders[BOARD.number[a]]) or sails(a, b)


def sails(a, b):
    locations = [number for number, owner in enumerate(BOARD.province_of) if owner == BOARD.number[a]]
    return any(BOARD.number[b] in members(BOARD.fleet_borders[location]) for location in locations)


def boxes():
    """What is drawn in every province, as boxes: left, top, right, bottom."""
    marks = [(f"unit {code}", province.unit, UNIT) for code, province in MAP.provinces.items()]
    marks += [(f"center {code}", one.supply_center, CENTER) for code, one in MAP.provinces.items() if one.supply_center]
    return [(name, (x - size, y - size, x + size, y + size)) for name, (x, y), size in marks]


def oklab(color, sight):
    """A colour as it is seen, in Oklab: black and white are 1 apart."""
    seen = [min(1, max(0, part)) for part in times(SIGHTS[sight], linear(color))]
    return times(OKLAB, [part ** (1 / 3) for part in times(CONES, seen)])


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def test_it_has_the_board_and_nothing_else():
    assert set(MAP.provinces) == set(CODES)
    for province in BOARD.provinces:
        drawn = MAP.provinces[province.code]
        assert drawn.kind == ("sea" if province.terrain == "sea" else "land")
        assert (drawn.supply_center is not None) == (province.code in BOARD.supply_centers)
        assert tuple(sorted(drawn.coasts)) == province.coasts
    assert {"Switzerland", "Ireland"} <= {area.name for area in MAP.impassable}
    assert DATA.stat().st_size < 300_000


def test_provinces_touch_where_the_board_says_that_they_border_and_nowhere_else_not_even_at_a_corner():
    assert [(a, b) for a, b in PAIRS if bordering(a, b) and not EDGES[a] & EDGES[b]] == []
    assert [(a, b) for a, b in PAIRS if not bordering(a, b) and POINTS[a] & POINTS[b]] == []


def test_every_border_is_long_enough_to_see():
    lengths = {(a, b): sum(math.dist(*edge) for edge in EDGES[a] & EDGES[b]) / 10 for a, b in PAIRS if bordering(a, b)}
    assert {pair: length for pair, length in lengths.items() if length < 8} == {}


def test_fleets_go_along_a_coast_where_the_border_ends_at_a_sea():
    coastal = {province.code for province in BOARD.provinces if province.terrain == "coastal"}
    for a, b in PAIRS:
        if a in coastal and b in coastal and bordering(a, b):
            assert any(POINTS[a] & POINTS[b] & POINTS[sea] for sea in SEAS) == sails(a, b), (a, b)


@pytest.mark.parametrize("location", [location for location in BOARD.locations if "/" in location])
def test_a_coast_is_at_its_seas(location):
    code, _, coast = location.partition("/")
    place = MAP.provinces[code].coasts[coast]
    neighbours = [CODES[number] for number in members(BOARD.fleet_borders[BOARD.number[location]])]
    nearest = min((away_from(place, sea), sea) for sea in SEAS if EDGES[sea] & EDGES[code])
    assert nearest[1] in neighbours
    assert nearest[0] < UNIT
    assert inside(place, RINGS[code])


def test_all_marks_lie_in_their_province():
    for code in CODES:
        province = MAP.provinces[code]
        assert away_from(province.unit, code) > 8, code
        assert province.codes, code
        marks = [province.unit, province.beside, *(name[:2] for name in province.names)]
        if province.supply_center:
            marks.append(province.supply_center)
        assert all(inside(mark, RINGS[code]) for mark in marks), code
        assert math.dist(province.beside, province.unit) > UNIT, code


def test_no_marks_collide_and_all_are_in_the_picture():
    assert [
        (name, other)
        for (name, one), (other, two) in itertools.combinations(boxes(), 2)
        if one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]
    ] == []
    _, _, width, height = MAP.view_box
    assert [name for name, box in boxes() if box[0] < 0 or box[1] < 0 or box[2] > width or box[3] > height] == []


def test_a_link_joins_two_bordering_provinces():
    for link in MAP.links:
        ends = [tuple(map(float, end.split(","))) for end in re.findall(r"[\d.]+,[\d.]+", link.path)]
        assert bordering(*link.between)
        assert inside(ends[0], RINGS[link.between[0]])
        assert inside(ends[-1], RINGS[link.between[1]])


@pytest.mark.parametrize("colors", PALETTE.values(), ids=PALETTE)
def test_powers_have_colours_that_everybody_can_tell_apart(colors):
    assert list(colors.powers) == list(BOARD.powers)
    for sight in SIGHTS:
        seen = [oklab(color, sight) for color in colors.powers.values()]
        assert min(math.dist(*pair) for pair in itertools.combinations(seen, 2)) > 0.1, sight


@pytest.mark.parametrize(("grey", "expected"), [("#000000", 21), ("#767676", 4.54), ("#777777", 4.48)])
def test_contrast_is_that_of_the_wcag(grey, expected):
    assert contrast(grey, "#ffffff") == contrast("#ffffff", grey) == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize("colors", PALETTE.values(), ids=PALETTE)
def test_powers_stand_out_from_land_and_sea(colors):
    for color in colors.powers.values():
        assert contrast(color, colors.land) >= 3
        assert contrast(color, colors.sea) >= 3


def test_the_picture_is_xml_and_has_every_province():
    root = ET.fromstring(map_ground(BOARD, "a-"))
    assert {f"a-{code}" for code in CODES} <= {element.get("id") for element in root.iter()}


def test_the_script_draws_the_same_map_again(tmp_path):
    source = os.environ.get("WORLD_ATLAS")
    if source is None:
        pytest.skip("WORLD_ATLAS names no countries-50m.json of npm's world-atlas 2.0.2")
    if importlib.util.find_spec("shapely") is None:
        pytest.skip('the extra "map" is not installed')
    script, made = Path(__file__).parents[2] / "tools" / "map" / "make_map.py", tmp_path / "standard.json"
    _ = subprocess.run([sys.executable, script, source, made], check=True, timeout=120)
    assert made.read_bytes() == DATA.read_bytes()
