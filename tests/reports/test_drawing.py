"""Boards as pictures: whole, safe and small, and every order to be seen."""

import itertools
import math
import re
import xml.etree.ElementTree as ET
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datc.cases import load_suite
from datc.harness.paste.reader import read_position_text
from datc.reference_engine import GivenOrder, Position, adjudicate, read_order, standard_board, start_position
from datc.reports.boardmap import scenes
from datc.reports.boardmap.drawing import board_style, draw_board, draw_legend, draw_picture, page_style, shared_map
from datc.reports.boardmap.geography import standard_geography, whole_map, window_around
from datc.reports.boardmap.scenes import Scene
from datc.reports.boardmap.style import PALETTE, contrast, power_class

from .. import strategies
from . import samples

SVG = "{http://www.w3.org/2000/svg}"
CASES = {case.id: case for case in load_suite("datc-3.2").cases}
OPENING = """
England: F Lon - Eng, F Edi - Nth, A Lvp - Yor
France: F Bre - Eng, A Par - Bur, A Mar S A Par - Bur
Germany: F Kie - Den, A Ber - Kie, A Mun - Bur
Italy: A Ven - Tyr, A Rom - Ven, F Nap - Ion
Austria: A Vie - Gal, A Bud - Ser, F Tri - Alb
Russia: A War - Gal, A Mos - Ukr, F Sev - Bla, F Stp/sc - Bot
Turkey: F Ank - Bla, A Con - Bul, A Smy H
"""
HOSTILE = "<script>alert(1)</script>\"'><image href=x onerror=y>&amp;]]>\x00\x1b[31m\ud800\u202e"
situations = st.one_of(strategies.situations(), strategies.adjustment_situations())


def scene(text):
    (position, orders, *_), texts = read_position_text(text, "test")
    return scenes.scene_of_orders(position, orders, adjudicate(position, orders), texts)


def scene_of(case):
    return scenes_of(case.phases[0])[0]


def scenes_of(phase):
    """The board with its orders, and the one after it."""
    orders = [GivenOrder(order.power, order.order) for order in phase.orders]
    adjudication = adjudicate(phase.position, orders)
    return scenes.scene_of_orders(phase.position, orders, adjudication), scenes.scene_after(
        phase.position, adjudication
    )


def on_page(board):
    return draw_board(board, title="", base="reference")


def root(svg):
    return ET.fromstring(svg)


POWERS = {power_class(code) for code in standard_board().powers}


def overlay(svg, *kinds):
    """The orders (`o`) and the units (`u`) that are drawn on a board."""
    groups = root(svg).findall(f"{SVG}g")
    return [group for group in groups if group.get("class", "").partition(" ")[0] in (kinds or ("o", "u"))]


def classes(svg):
    """How often each class is there; of orders without the power."""
    names = [element.get("class", "").split() for element in overlay(svg)]
    return Counter(" ".join(name for name in each if each[0] == "u" or name not in POWERS) for each in names)


def words_of(svg):
    """The title and the description."""
    return root(svg).findtext(f"{SVG}title") or "", root(svg).findtext(f"{SVG}desc") or ""


def lines_of(group):
    return [path.get("d", "") for path in group.findall(f"{SVG}path")]


def ids(svg):
    return [element.get("id", "") for element in root(svg).iter() if element.get("id")]


def numbers_of(path):
    assert re.fullmatch(r"[MLHQCTVZahmqtvlz\d\s.,-]*", path), path
    return [float(number) for number in re.findall(r"-?\d*\.?\d+", path)]


def test_a_file_is_complete_and_loads_nothing():
    svg = draw_board(scene(OPENING), title="Spring 1901")
    top = root(svg)
    assert top.tag == f"{SVG}svg"
    assert top.get("role") == "img"
    assert top.get("aria-labelledby", "").split() == ["board-t", "board-d"]
    title, words = words_of(svg)
    assert title == "Spring 1901"
    assert "England: F London moves to English Channel (fails: bounced)" in words
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|url\((?!#)|@import|href=|<script|<image|style=", svg)
    assert "(prefers-color-scheme:dark)" in svg
    assert 'class="board-map dm w1200"' in svg
    assert 'class="board-map dm w1200 dark"' in draw_board(Scene(()), title="", theme="dark")
    assert "[data-theme=dark] .dm" in board_style()


def test_boards_of_a_page_share_one_map_and_no_other_id():
    boards = [draw_board(scene(OPENING), title="", prefix=f"6.A.{n}", base="reference") for n in range(3)]
    found = [one for part in (shared_map(), *boards) for one in ids(part)]
    assert len(found) == len(set(found))
    assert all(re.fullmatch(r"[A-Za-z][\w-]*", one) for one in found)
    for board in boards:
        assert 'fill="url(#dm-map)"' in board
        assert "href" not in board
        assert "<style" not in board
    assert "dm-map" in ids(shared_map())
    assert "<style" not in shared_map()


def test_a_window_is_as_small_as_the_position_allows():
    board = scene("England: A Lon - Bel\nEngland: F Nth C A Lon - Bel")
    window = window_around(board)
    whole = whole_map(standard_board())
    assert window.width == 320
    for place in (spot("LON"), spot("BEL"), spot("NTH")):
        assert window.x + 30 < place[0] < window.x + window.width - 30
        assert window.y + 30 < place[1] < window.y + window.height - 30
    assert window.x >= 0
    assert window.x + window.width <= whole.width
    assert window_around(Scene(())) == whole
    assert window_around(scene(OPENING)).width > whole.width * 0.8
    svg = draw_board(board, title="", window=window)
    assert f'viewBox="{window.view_box}"' in svg
    assert f".dm.w320{{min-width:{320 * 0.92:.0f}px" in page_style()


@pytest.mark.parametrize(
    ("orders", "expected"),
    [
        ("Germany: A Mun - Ber", {"o move": 1}),
        ("Germany: A Mun - Lon", {"o move void": 1}),
        ("Germany: A Mun - Mun", {"o move void": 1}),
        ("Germany: A Mun - Ber\nRussia: A Pru - Ber", {"o move no": 2}),
        ("Germany: A Mun H", {"o hold": 1}),
        ("Germany: A Mun S A Ber\nGermany: A Ber S A Mun", {"o sup": 2}),
        ("Germany: A Mun - Sil\nGermany: A Ber S A Mun - Sil", {"o move": 1, "o sup": 1}),
        ("Germany: A Mun - Sil\nGermany: A Ber S A Mun - Sil\nRussia: A Pru - Ber", {"o sup no": 1, "o move no": 1}),
        ("Germany: A Mun H\nGermany: A Ber S A Mun - Sil", {"o hold": 1, "o sup void": 1}),
        ("England: A Lon - Bel\nEngland: F Nth C A Lon - Bel", {"o move": 1, "o con": 1}),
        ("England: A Lon H\nEngland: F Nth C A Lon - Bel", {"o hold": 1, "o con void": 1}),
    ],
)
def test_every_order_of_a_movement_phase_is_drawn(orders, expected):
    found = classes(on_page(scene(orders)))
    assert {name: found[name] for name in expected} == expected


def test_a_unit_that_is_dislodged_is_marked_and_then_stands_beside_its_attacker():
    (position, orders, *_), _ = read_position_text(
        "Germany: A Mun - Ber\nGermany: A Kie S A Mun - Ber\nRussia: A Ber H", "x"
    )
    adjudication = adjudicate(position, orders)
    before = classes(on_page(scenes.scene_of_orders(position, orders, adjudication)))
    assert before["u rus dislodged"] == 1
    assert before["o hold no"] == 1
    svg = on_page(scenes.scene_after(position, adjudication))
    after = classes(svg)
    assert after["u rus dislodged"] == 1
    assert after["o may"] == len(adjudication.dislodged[0].retreats or ()) > 0
    assert "A Berlin of Russia is dislodged by the unit from Munich and may retreat to" in svg


def test_retreats_disbands_builds_and_removals_are_drawn():
    found: set[str] = set()
    for phase in (phase for case in CASES.values() for phase in case.phases):
        if phase.position is not None and phase.phase != "movement":
            found.update(classes(on_page(scenes_of(phase)[0])))
    assert found > {"o build", "o build void", "o out"}
    entry = scenes.DrawnDislodged(scenes.DrawnUnit("RUSSIA", "A", "BER"), "MUN", ("PRU", "SIL"))
    orders = (
        scenes.DrawnOrder("RUSSIA", read_order("A Ber - Pru", "retreat").order, "", "fails", "bounced"),
        scenes.DrawnOrder("RUSSIA", read_order("A Ber D", "retreat").order, ""),
    )
    retreats = classes(on_page(Scene((), (entry,), orders)))
    assert retreats == {"u rus dislodged": 1, "o ret no": 1, "o may": 1, "o out": 1}


def test_a_convoyed_army_goes_by_its_fleets_but_for_those_that_are_dislodged():
    ways = [move for move in overlay(on_page(scene_of(CASES["6.G.12"]))) if "move" in move.get("class", "").split()]
    assert sorted(lines_of(way)[1].count("C") for way in ways) == [3, 4]
    svg = on_page(scene_of(CASES["6.F.9"]))
    convoyed = next(move for move in overlay(svg) if "A London moves" in (move.findtext(f"{SVG}title") or ""))
    numbers = numbers_of(lines_of(convoyed)[1])
    points = list(zip(numbers[::2], numbers[1::2], strict=True))
    assert spot("NTH") in points
    assert spot("ENG") not in points
    assert classes(svg)["o con no"] == 2, "the broken route, and the fleet that broke it"
    words = words_of(svg)[1]
    assert "A London moves to Belgium, convoyed by F North Sea, not by way of F English Channel;" in words


def test_a_move_to_a_coast_ends_at_that_coast_whatever_stands_on_the_other():
    orders = "France: F Por - Spa/nc\nFrance: F Spa/sc H"
    (move,) = [one for one in overlay(on_page(scene(orders))) if "move" in one.get("class", "").split()]
    tip = numbers_of(lines_of(move)[-2 if "no" in move.get("class", "") else -1])[:2]
    assert math.dist(tip, spot("SPA/NC")) < math.dist(tip, spot("SPA/SC"))


def spot(location):
    code, _, coast = location.partition("/")
    province = standard_geography().provinces[code]
    return province.coasts[coast] if coast else province.unit


def test_nothing_from_outside_is_more_than_text():
    unit = scenes.DrawnUnit(HOSTILE, HOSTILE, HOSTILE)
    board = Scene(
        (unit, scenes.DrawnUnit(HOSTILE, "A", "LON", "unexpected")),
        (scenes.DrawnDislodged(scenes.DrawnUnit(HOSTILE, HOSTILE, "BER"), HOSTILE, (HOSTILE, "PRU")),),
        (
            scenes.DrawnOrder(HOSTILE, None, HOSTILE, "fails", HOSTILE),
            scenes.DrawnOrder(HOSTILE, read_order("A Lon - Bel").order, HOSTILE, "fails", HOSTILE),
        ),
        {HOSTILE: HOSTILE, "LON": HOSTILE},
    )
    for base in ("inline", "reference"):
        svg = draw_board(board, title=HOSTILE, prefix=HOSTILE, base=base)
        top = root(svg)
        assert not {element.tag.removeprefix(SVG) for element in top.iter()} & {"script", "image", "foreignObject"}
        assert not [name for element in top.iter() for name in element.attrib if name.startswith("on")]
        title, words = words_of(svg)
        assert title.startswith("<script>alert(1)</script>")
        assert "Not on the map: <script>" in words
        assert svg.encode()


@given(situations, st.booleans())
def test_any_situation_can_be_drawn(situation, adjudicated):
    position, orders = situation
    adjudication = adjudicate(position, orders)
    after = scenes.scene_after(position, adjudication)
    for board in (scenes.scene_of_orders(position, orders, adjudication if adjudicated else None), after):
        svg = on_page(board)
        check_geometry(svg)
        assert len(overlay(svg, "u")) >= len(board.units) + len(board.dislodged)


def check_geometry(svg):
    """Everything is finite and on the map, give or take the bend of a curve."""
    _, _, width, height = whole_map(standard_board())
    for element in root(svg).iter():
        if element.tag == f"{SVG}path":
            numbers = numbers_of(element.get("d", ""))
            assert all(abs(number) < 2 * width for number in numbers)
            x, y = numbers[:2]
            if not element.get("d", "").startswith("M-"):
                assert -60 < x < width + 60
                assert -60 < y < height + 60
        if element.get("transform"):
            x, y = numbers_of(element.get("transform", "")[len("translate(") :].partition(")")[0])
            assert 0 < x < width + 30
            assert 0 < y < height


def test_boards_are_small():
    assert len(on_page(scene(OPENING))) < 14_000
    everyone = [f"Germany: A {province.code} H" for province in standard_board().provinces if province.terrain != "sea"]
    assert len(on_page(scene("\n".join(everyone[:34])))) < 18_000
    phases = [phase for case in CASES.values() for phase in case.phases if phase.position is not None]
    boards = [
        draw_board(one, title="", base="reference", window=window_around(one))
        for phase in phases
        for one in scenes_of(phase)
    ]
    assert len(shared_map()) + sum(map(len, boards)) < 2_500_000


def test_the_words_for_a_board():
    assert scenes.describe_scene(scene_of(CASES["6.F.14"])) == (
        "England: F London supports F Wales to English Channel; F Wales moves to English Channel. "
        "France: A Brest moves to London, convoyed by F English Channel (fails: disrupted); "
        "F English Channel convoys A Brest to London (fails: dislodged); F English Channel, dislodged."
    )
    words = scenes.describe_scene(scenes.scene_of_orders(start_position(), []))
    assert words.startswith("Austria: A Budapest; F Trieste; A Vienna. England: F Edinburgh; F London; A Liverpool.")
    assert scenes.describe_scene(Scene(())) == "An empty board."
    assert len(scenes.describe_scene(Scene((), orders=(scenes.DrawnOrder("ENGLAND", None, "x" * 10_000),)))) < 200


def test_the_boards_of_a_report():
    phase = samples.case(3, "failed").phases[0]
    before, expected, answer = scenes.phase_scenes(phase)
    assert [order.outcome for order in before.orders] == ["succeeds", None, None]
    assert [order.outcome for order in scenes.phase_scenes(phase, "answer").before.orders] == ["fails", None, None]
    assert [order.outcome for order in scenes.phase_scenes(phase, "none").before.orders] == [None] * 3
    assert expected is not None
    assert answer is not None
    assert {unit.location: unit.mark for unit in expected.units} == {"BEL": "missing", "NTH": ""}
    assert {unit.location: unit.mark for unit in answer.units} == {"LON": "unexpected", "NTH": ""}
    assert answer.dislodged[0].retreats == ("IRI", "WAL")
    for board in (before, expected, answer):
        check_geometry(on_page(board))


def test_the_legend_has_every_sign():
    legend = ET.fromstring(draw_legend().replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" '))
    signs = Counter(element.get("class") for element in legend.iter() if element.get("class"))
    for sign in ("move", "move no", "move void", "sup", "sup no", "con", "hold", "may", "build", "out"):
        assert signs[f"o {sign}"] == 1
    for power in ("aus", "eng", "fra", "ger", "ita", "rus", "tur"):
        assert signs[f"u {power}"] >= 2


def test_a_picture_has_its_title_and_the_signs_that_it_shows():
    window = window_around(scene("Germany: A Mun - Ber"))
    svg = draw_picture(scene("Germany: A Mun - Ber"), title="A <move>", window=window)
    words = [element.text for element in root(svg).iter(f"{SVG}text") if element.get("class") in ("caption", "key")]
    assert words == ["A <move>", "Germany", "moves, or is meant to"]
    _, top, width, height = map(float, root(svg).get("viewBox", "").split())
    assert top < window.y
    assert width == window.width
    assert top + height > window.y + window.height
    long = draw_picture(scene("Germany: A Mun - Ber"), title="w" * 5000, window=window)
    assert len(next(e.text for e in root(long).iter(f"{SVG}text") if e.get("class") == "caption") or "") < 60


def test_a_removal_in_civil_disorder_looks_unlike_an_ordered_one():
    scene = scene_of(CASES["6.J.2"])
    assert {unit.location: unit.mark for unit in scene.units} == {"PAR": "", "NTH": "", "ENG": "gone"}
    ordered = [element for element in overlay(draw_board(scene, title="")) if "o out" in element.get("class", "")]
    assert {element.get("data-p") for element in ordered} == {"NTH"}


def test_a_missing_unit_keeps_its_letter_and_the_colour_of_its_power():
    (unit,) = overlay(on_page(Scene((scenes.DrawnUnit("GERMANY", "A", "MUN", "missing"),))))
    assert unit.findtext(f"{SVG}text") == "A"
    for colors in PALETTE.values():
        ghost = f":is(.missing,.gone).ger{{fill:{colors.halo};stroke:{colors.powers['GERMANY']}}}"
        assert ghost in board_style()
        assert contrast(colors.halo, colors.powers["GERMANY"]) > 4.5


def test_an_order_has_the_colour_of_its_power_and_says_whom_it_helps():
    svg = on_page(scene("France: A Mar S A Par - Bur\nFrance: A Par - Bur"))
    support = next(element for element in overlay(svg) if "sup" in element.get("class", "").split())
    assert (support.get("class"), support.get("data-p"), support.get("data-h")) == ("o sup fra", "MAR", "PAR")
    assert [path.get("class") for path in support.findall(f"{SVG}path")] == ["h", None, "j"]


def test_units_arrows_and_the_ends_of_supports_in_one_place_keep_apart():
    board = Scene((scenes.DrawnUnit("ENGLAND", "A", "LON"), scenes.DrawnUnit("FRANCE", "A", "LON")))
    first, second = (unit.get("transform") for unit in overlay(on_page(board)))
    assert first != second
    arrows = overlay(on_page(scene("Germany: A Mun - Ber\nRussia: A Ber - Mun")), "o")
    assert ["Q" in lines_of(move)[1] for move in arrows] == [True, True], "bent"
    rings = [
        numbers_of(path.get("d", ""))[:2]
        for element in overlay(on_page(scene_of(CASES["6.E.15"])))
        for path in element.findall(f"{SVG}path")
        if path.get("class") == "j"
    ]
    assert len(rings) == 6
    assert min(math.dist(one, other) for one, other in itertools.combinations(rings, 2)) > 7


def test_centers_show_their_owner():
    position = Position((), phase="adjustment", centers={"ENGLAND": ["LON", "EDI"]})
    svg = on_page(scenes.scene_of_orders(position, []))
    assert svg.count('class="own eng"') == 2
    assert "England owns Edinburgh, London." in svg
