"""Boards of other maps than the standard one: the cells around places, and what is drawn on them."""

import re

import pytest

from datc.reference_engine import standard_board, start_position
from datc.reference_engine.maps import load_board, own_map_names
from datc.reports.boardmap.cells import is_inside, make_cells
from datc.reports.boardmap.drawing import draw_board, draw_picture, map_id, shared_map
from datc.reports.boardmap.geography import geography_of, whole_map
from datc.reports.boardmap.layout import borders, without_crossings
from datc.reports.boardmap.scenes import scene_of_orders

OTHERS = sorted({*own_map_names()} - {"standard"})


@pytest.mark.parametrize("name", OTHERS)
def test_each_map_of_the_project_is_drawn_with_all_its_provinces_units_and_centers(name):
    board = load_board(name)
    geography = geography_of(board)
    assert geography.provinces.keys() == {province.code for province in board.provinces}
    assert {code for code, each in geography.provinces.items() if each.supply_center} == board.supply_centers
    svg = draw_board(scene_of_orders(start_position(board), []), title=name)
    units = re.findall(r'<g class="u [^"]*" data-p="(\w+)"', svg)
    assert sorted(units) == sorted(unit.location.partition("/")[0] for unit in board.start)


@pytest.mark.parametrize("name", ["loeb9", "colonial", "pure"])
def test_every_border_of_a_map_is_a_border_of_two_cells_or_a_line(name):
    board = load_board(name)
    places = {province.code: board.drawn_at[province.code] for province in board.provinces}
    cells = make_cells(places, borders(board), {}, (1200,))
    assert sorted([*cells.borders, *cells.crossing]) == sorted(borders(board))
    for code, spot in cells.spots.items():
        outline = [point for part in cells.outlines[code] for point in part[1:]]
        assert is_inside(spot, outline)
        assert not any(is_inside(other, outline) for at, other in cells.spots.items() if at != code)


def test_lines_that_cross_are_left_out_those_first_that_cross_most():
    places = {"A": (0.0, 0.0), "B": (4.0, 0.0), "C": (1.0, -1.0), "D": (1.0, 1.0), "E": (3.0, -1.0), "F": (3.0, 1.0)}
    edges = [("A", "B"), ("C", "D"), ("E", "F")]
    assert without_crossings(places, edges) == ([("C", "D"), ("E", "F")], [("A", "B")])


def test_special_rules_are_marked_and_explained():
    scene = scene_of_orders(start_position(load_board("loeb9")), [])
    svg = draw_picture(scene, title="Loeb9", window=whole_map(scene.board))
    assert "<title>Difficult passage for armies: Naples and Sicily</title>" in svg
    assert "<title>Arctic Ocean: ice in autumn</title>" in svg
    assert "Switzerland: nobody can go there" in svg
    assert svg.count(">difficult passage</text>") == svg.count(">ice in some seasons</text>") == 1
    assert {mark.kind for mark in geography_of(load_board("colonial")).marks} == {"canal", "railway"}
    assert not geography_of(standard_board()).marks


def test_a_page_shares_the_maps_of_its_boards():
    board = load_board("loeb9")
    page = shared_map(standard_board(), board)
    svg = draw_board(scene_of_orders(start_position(board), []), title="x", base="reference")
    assert f'fill="url(#{map_id(board)})"' in svg
    assert f'<pattern id="{map_id(board)}"' in page
