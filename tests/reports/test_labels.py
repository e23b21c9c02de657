"""The lettering of the boards, measured from what is drawn: nothing lies under a unit, an arrow or other lettering."""

import cmath
import itertools
import math
import re
import xml.etree.ElementTree as ET
from functools import cache

import pytest

from datc.cases import load_ruleset, load_suite, suite_names
from datc.harness.cli.commands.explain import case_scene
from datc.reference_engine import province_code, standard_board
from datc.reports.boardmap.drawing import board_style, draw_board
from datc.reports.boardmap.geography import whole_map, window_around
from datc.reports.boardmap.mapdata import FACES, half_size, split_name
from datc.reports.boardmap.scenes import DrawnUnit, Scene
from datc.reports.boardmap.style import LEAST_SCALE

from .test_boardmap import to_edge

SVG = "{http://www.w3.org/2000/svg}"
SHAPE = {"unit": 14.5, "dislodged": 18.5}
"""How far a symbol reaches from its middle; a sail reaches further up."""


@cache
def boards():
    """Each phase of each case of each suite, before and after it: title, scene and drawing; what is alike once."""
    scenes = {}
    for suite in map(load_suite, suite_names()):
        rules = load_ruleset(suite.ruleset).ruleset()
        for case, after in itertools.product(suite.cases, (False, True)):
            for number in range(1, len(case.phases) + 1):
                title, scene = case_scene(case, rules, number, after=after)
                scenes[repr((scene.units, scene.dislodged, scene.orders, scene.owners))] = title, scene
    return [(title, scene, drawn(scene, window_around(scene))) for title, scene in scenes.values()]


def drawn(scene, window=None):
    return ET.fromstring(draw_board(scene, title="", base="reference", window=window))


def numbers(text):
    return [float(number) for number in re.findall(r"-?\d+\.?\d*|-?\.\d+", text)]


def lettering(svg):
    """Each text with the four corners of the box around it."""
    for group in svg.findall(f"{SVG}g"):
        if (group.get("class") or "").startswith("names"):
            style = group.get("class").split()[1]
            for text in group:
                yield "".join(text.itertext()), corners_of(text, style)


def corners_of(text, style):
    spans = text.findall(f"{SVG}tspan")
    lines = tuple(span.text for span in spans) or (text.text,)
    half_width, half_height = half_size(lines, style)
    first, last = (spans[0], spans[-1]) if spans else (text, text)
    x = float(first.get("x"))
    y = (float(first.get("y")) + float(last.get("y"))) / 2 - FACES[style].size * 0.35
    left, top, right, bottom = x - half_width, y - half_height, x + half_width, y + half_height
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    if not text.get("transform"):
        return corners
    turn, *middle = numbers(text.get("transform"))
    turned = [(complex(*corner) - complex(*middle)) * cmath.rect(1, math.radians(turn)) for corner in corners]
    return [(middle[0] + each.real, middle[1] + each.imag) for each in turned]


def symbols(svg):
    """Each unit with its middle and how far it reaches."""
    for group in svg.findall(f"{SVG}g"):
        classes = (group.get("class") or "").split()
        if classes[:1] == ["u"]:
            transform = group.get("transform")
            reach = SHAPE["dislodged" if "z" in [path.get("class") for path in group] else "unit"]
            yield group.get("data-p"), numbers(transform)[:2], reach * (0.86 if "scale" in transform else 1)


def edges_of(box):
    return list(zip(box, (*box[1:], box[0]), strict=True))


def away(point, box):
    """How far a point is from a box; negative inside it."""
    outside = max(side(point, *edge) for edge in edges_of(box))
    return outside if outside <= 0 else min(to_edge(point, *edge) for edge in edges_of(box))


def side(point, a, b):
    """How far a point is to the left of a line; a box has its inside to the right of its edges."""
    return ((point[0] - a[0]) * (b[1] - a[1]) - (point[1] - a[1]) * (b[0] - a[0])) / math.dist(a, b)


def overlap(one, other):
    """Whether two boxes overlap: no line along an edge of either keeps them apart."""
    lines = [(*edge, other) for edge in edges_of(one)] + [(*edge, one) for edge in edges_of(other)]
    return all(min(side(point, a, b) for point in against) < 0 for a, b, against in lines)


def test_no_lettering_lies_under_a_unit_or_on_other_lettering_in_any_case():
    found = []
    for title, _, svg in boards():
        texts, units = list(lettering(svg)), list(symbols(svg))
        for index, (text, box) in enumerate(texts):
            found += [(title, text, province) for province, spot, reach in units if away(spot, box) < reach]
            found += [(title, text, other) for other, against in texts[:index] if overlap(box, against)]
    assert found == []


def test_every_province_with_a_unit_is_named_once_and_inside_the_picture():
    names = {
        "".join(split_name(province.name, count)): province.code
        for province in standard_board().provinces
        for count in (1, 2, 3)
    }
    for title, scene, svg in boards():
        window = window_around(scene)
        found = {}
        for text, box in lettering(svg):
            assert all(window.x <= x <= window.x + window.width for x, _ in box), (title, text)
            assert all(window.y <= y <= window.y + window.height for _, y in box), (title, text)
            found.setdefault(names.get(text, text), []).append(text)
        here = {province_code(unit.location) for unit in scene.units}
        assert here - found.keys() == set(), title
        assert all(len(texts) == 1 for code, texts in found.items() if not code.startswith("(")), title


def test_few_names_are_crossed_by_a_line():
    crossed = total = 0
    for _, _, svg in boards():
        points = [
            point
            for group in svg.findall(f"{SVG}g")
            if (group.get("class") or "").startswith("o ")
            for path in group.findall(f"{SVG}path")
            if path.get("class") == "h"
            for point in ends_of(path.get("d"))
        ]
        for _, box in lettering(svg):
            total += 1
            (left, *_, right), (top, *_, bottom) = (sorted(side) for side in zip(*box, strict=True))
            near = [(x, y) for x, y in points if left < x < right and top < y < bottom]
            crossed += any(away(point, box) < -1 for point in near)
    assert crossed <= total / 500, (crossed, total)


def ends_of(data):
    """Points along a path: those where its pieces meet, and between them where they are straight."""
    values = numbers(data)
    points = list(zip(values[::2], values[1::2], strict=True))
    if "Q" in data or "C" in data:
        return [points[0], points[-1]]
    (ax, ay), (bx, by) = points[0], points[-1]
    return [(ax + (bx - ax) * step / 40, ay + (by - ay) * step / 40) for step in range(41)]


@pytest.mark.parametrize("style", FACES)
def test_letters_are_at_least_eleven_pixels_high(style):
    assert FACES[style].size * LEAST_SCALE >= 11
    for size in re.findall(r"font:[^;}]*?(\d+)px", board_style()):
        assert int(size) * LEAST_SCALE >= 11


def test_an_empty_map_and_one_with_a_unit_in_every_province_name_them_all():
    names = [text for text, _ in lettering(drawn(Scene(()))) if not text.startswith("(")]
    assert len(names) == 75
    assert sum(len(text) > 3 for text in names) > 55, "most by their full name"
    kinds = {province.code: "F" if province.terrain == "sea" else "A" for province in standard_board().provinces}
    svg = drawn(
        Scene(tuple(DrawnUnit("FRANCE", kind, code) for code, kind in kinds.items())), whole_map(standard_board())
    )
    texts = list(lettering(svg))
    assert sum(not text.startswith("(") for text, _ in texts) >= 73
    assert [text for text, box in texts for _, spot, reach in symbols(svg) if away(spot, box) < reach] == []
