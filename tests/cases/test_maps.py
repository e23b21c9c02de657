"""Maps of authors: those of the project have nothing wrong, and what is wrong is named with file and province."""

import json
from pathlib import Path

import jsonschema
import pytest

from datc.cases import load_suite, read_suite
from datc.cases.errors import SuiteError
from datc.cases.maps import check_map, map_file_schema, read_map
from datc.reference_engine import DATC_3_2, Unit
from datc.reference_engine.maps import MAPS, load_board, own_map_names
from datc.reference_engine.notation import read_unit
from datc.reference_engine.toml import loads

from ..builtin import ask_builtin
from ..conftest import ROOT

GOOD = """
title = "Two islands"
source = "made for this test"
neutral_centers = "EAST"

[powers]
ALBION = { name = "Albion", home = "NORD", start = ["A NORD", "F SUD"] }

[provinces]
NORD = { name = "Nordland", armies = "SUD", fleets = "SUD SEA" }
SUD  = { name = "Sudland", armies = "NORD", fleets = "NORD SEA" }
EAST = { name = "Eastland", armies = "", fleets = { NC = "SEA", SC = "SEA" } }
SEA  = { name = "The Sea", fleets = "EAST/NC EAST/SC NORD SUD" }
"""

CANAL = '[canal]\nseas = "SEA LAKE"\nkeeper = "NORD"\npermits = "unit"\nstays = "turn"\n'
RAILWAY = '[railway]\nname = "TSR"\nline = "NORD SUD"\npower = "ALBION"\nopens = "any-move"\n'
LAKE = ('fleets = "SUD SEA" }', 'fleets = "SUD SEA LAKE" }\nLAKE = { fleets = "NORD" }')


@pytest.mark.parametrize("name", own_map_names())
def test_a_map_of_the_project_is_right_and_fits_the_schema(name):
    assert check_map(name).provinces
    table = loads((MAPS / f"{name}.toml").read_text("utf-8"))
    assert table["source"]
    jsonschema.Draft202012Validator(map_file_schema()).validate(table)


def test_a_suite_of_an_author_has_a_map_of_its_own(tmp_path):
    (tmp_path / "maps").mkdir()
    _ = (tmp_path / "maps" / "islands.toml").write_text(GOOD)
    _ = (tmp_path / "suite.toml").write_text('name = "mine"\ntitle = "Mine"\n')
    _ = (tmp_path / "1.toml").write_text(
        'section = "1"\ntitle = "One"\nmap = "maps/islands.toml"\n[[case]]\nid = "1.A"\ntitle = "By sea"\n'
        "[case.orders]\n"
        'Albion = ["F The Sea - Eastland(nc)"]\n[[case.expect]]\nmoved = ["F The Sea"]\n'
    )
    (case,) = load_suite(str(tmp_path)).cases
    assert ask_builtin(case, DATC_3_2).verdict == "passed"
    (tmp_path / "maps" / "islands.toml").rename(tmp_path / "maps" / "loeb9.toml")
    text = (tmp_path / "1.toml").read_text().replace("islands", "loeb9")
    _ = (tmp_path / "1.toml").write_text(text)
    with pytest.raises(SuiteError, match=r"1.toml, 1.A, map: the map loeb9 is one of the project"):
        _ = read_suite(tmp_path)


DATA = ROOT.parent / "shared" / "data"


@pytest.mark.skipif(not DATA.is_dir(), reason="the facts of the variants are not part of the repository")
def test_the_variant_cases_have_the_orders_and_boards_of_their_source():
    """Those of jDip's public test data, but for the two cases that were completed and the two that are jDip's own."""
    source = {case["id"]: case for case in json.loads((DATA / "datc-2.4-variants.json").read_text("utf-8"))["cases"]}
    cases = {case.id: case for case in load_suite("datc-2.4-variants").cases}
    assert {name for name in source if "TEST" not in name} - cases.keys() == {"10.G2"}
    assert cases.keys() <= source.keys()
    for name in cases.keys() - {"8.D", "10.K"}:
        (phase,), stated = cases[name].phases, source[name]
        after = stated["units"] if stated["after"] == "same" else stated["after"]
        board, position, expected = phase.board, phase.position, phase.expected(phase.preferred)
        assert position is not None
        assert expected is not None
        assert sorted(f"{board.power_name(order.power)}: {order.text}" for order in phase.orders) == sorted(
            stated["orders"]
        )
        found = {
            (unit.power, unit.type, unit.location) for unit in expected.board_after(position.units, (), phase.phase)
        }
        texts = [text.split(": ") for text in after]
        units = [(power.upper(), read_unit(unit, board=board)) for power, unit in texts]
        assert found == {(power, unit.type, unit.location) for power, unit in units}, name


@pytest.mark.skipif(not DATA.is_dir(), reason="the facts of the variants are not part of the repository")
def test_loeb9_has_the_borders_of_its_source():
    board = load_board("loeb9")
    for province in json.loads((DATA / "maps" / "loeb9.json").read_text("utf-8"))["provinces"]:
        for field, neighbours in province.items():
            kind, _, coast = field.partition("/")
            if kind not in ("army", "fleet"):
                continue
            where = province["code"].replace("NOR", "NWY") + (f"/{coast.upper()}" if coast else "")
            borders = board.destinations(Unit("ITALY", "A" if kind == "army" else "F", where))
            assert {*borders} == {to.replace("NOR", "NWY").replace("-", "/") for to in neighbours}, where


def wrong(tmp_path: Path, *changes: tuple[str, str]) -> list[tuple[str, str, str]]:
    """What is said of the map above with some changes: the province, the field and the message."""
    text = GOOD
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    file = tmp_path / "islands.toml"
    _ = file.write_text(text, "utf-8")
    with pytest.raises(SuiteError) as caught:
        _ = read_map(file)
    assert {problem.file for problem in caught.value.problems} == {"islands.toml"}
    assert str(caught.value).replace("\n", "").isprintable()
    return [problem[1:] for problem in caught.value.problems]


def test_a_map_in_a_file(tmp_path):
    file = tmp_path / "islands.toml"
    _ = file.write_text(GOOD)
    board = read_map(file)
    assert (board.name, board.locations) == ("islands", ("EAST", "NORD", "SEA", "SUD", "EAST/NC", "EAST/SC"))
    assert [province.terrain for province in board.provinces] == ["coastal", "coastal", "sea", "coastal"]


def test_the_year_in_which_a_map_begins_is_that_of_its_cases_and_its_seasons_have_their_names(tmp_path):
    begins = {name: load_board(name).first_year for name in own_map_names()}
    assert {name for name, year in begins.items() if year == 1898} == {"1898"}
    assert (begins["standard"], begins["colonial-vdiplomacy"], begins["ancient-mediterranean"]) == (1901, 1870, 1)
    cases = {case.id: case for case in load_suite("datc-2.4-variants").cases}
    assert {phase.year for case in cases.values() for phase in case.phases if phase.board.name == "1898"} == {1898}
    text = GOOD.replace("neutral", 'first_year = 1700\nseasons = { spring = "thaw", autumn = "fall" }\nneutral')
    _ = (tmp_path / "islands.toml").write_text(text)
    board = read_map(tmp_path / "islands.toml")
    assert [board.turn_name(season, 1700) for season in ("spring", "autumn", "winter")] == [
        "thaw 1700",
        "fall 1700",
        "winter 1700",
    ]


@pytest.mark.parametrize(
    ("changes", "place", "said"),
    [
        ([('armies = "SUD"', 'armies = ""')], "SUD", "names NORD, which does not name it"),
        ([('"EAST/NC EAST/SC NORD SUD"', '"EAST/NC NORD SUD"')], "EAST", "names SEA, which does not name it"),
        ([('SC = "SEA"', 'SC = ""')], "SEA", "names EAST/SC, which does not name it"),
        ([('SC = "SEA"', 'SC = ""'), (" EAST/SC", "")], "EAST", "a fleet at EAST/SC cannot leave"),
        ([('NC = "SEA"', 'XX = "SEA"')], "EAST", "names the coasts XX, SC"),
        ([('"SUD SEA"', '"SUD SEA SEA"')], "NORD", "names SEA twice"),
        ([('"SUD SEA"', '"SUD OZ"')], "NORD", "names 'OZ', which is no province or coast"),
        ([("EAST/NC EAST/SC ", ""), ('NC = "SEA", SC = "SEA"', 'NC = "", SC = ""')], "EAST", "cannot leave"),
        ([("SUD  =", "NORD ="), ('armies = "NORD"', 'armies = "SUD"')], "NORD", "is not TOML"),
        ([('home = "NORD", ', "")], "ALBION", "has no home center"),
        ([('neutral_centers = "EAST"', 'neutral_centers = "NORD"')], "ALBION", "has NORD, as neutral_centers has"),
        ([('"F SUD"', '"F EAST"')], "ALBION", "'F EAST' is no unit that can stand there"),
        ([('"F SUD"', '"F NORD"')], "ALBION", "'F NORD' is where another unit starts"),
        ([('"Sudland"', '"Sud\\u001b[2Jland"')], "SUD", "characters that can be printed"),
        ([("SUD  =", '"S\\u0007D" =')], "S\N{REPLACEMENT CHARACTER}D", "is no code of a province"),
        ([('"Sudland"', '"nordland"')], "SUD", "is spelled 'nordland', as NORD is"),
        ([('armies = "SUD", fleets = "SUD SEA"', 'armies = "SUD", fleet = "SUD SEA"')], "NORD", "no such field"),
        ([('armies = "SUD"', "armies = 3")], "", "Expected `str`, got `int`"),
        ([('title = "Two islands"', 'base = "oz"')], "", "there is no map 'oz'"),
        ([("[powers]", "[ice]\nEAST = []\n[powers]")], "EAST", "in which season is it ice"),
        ([("neutral", 'convoying = "EAST"\nneutral')], "EAST", "is not a coastal province with one coast"),
        ([("[powers]", '[difficult]\narmies = ["NORD-EAST"]\n[powers]')], "NORD", "'NORD-EAST' is no border for"),
        ([("[powers]", CANAL.replace("SEA LAKE", "SEA SUD") + "[powers]")], "", "these are two seas of the map"),
        ([("[powers]", CANAL.replace("SEA LAKE", "SEA") + "[powers]")], "", "these are two seas of the map"),
        ([("[powers]", CANAL.replace("NORD", "OZ") + "[powers]"), LAKE], "", "names 'OZ', which is no province"),
        ([("[powers]", CANAL.replace("NORD", "LAKE") + "[powers]"), LAKE], "", "is kept from LAKE, which is a sea"),
        ([("[powers]", RAILWAY.replace("NORD SUD", "NORD OZ") + "[powers]")], "", "names 'OZ', which is no province"),
        ([("[powers]", RAILWAY.replace("NORD SUD", "NORD") + "[powers]")], "", "name two provinces or more, each once"),
        ([("[powers]", RAILWAY.replace("SUD", "EAST") + "[powers]")], "NORD", "leads to EAST, to which no army goes"),
        ([("[powers]", RAILWAY.replace("ALBION", "OZ") + "[powers]")], "", "is of 'OZ', which is no power of this map"),
        ([("[powers]", RAILWAY.replace("TSR", "a b") + "[powers]")], "", "has the name 'a b': write capital letters"),
        ([("[powers]", RAILWAY.replace("TSR", "SEA") + "[powers]")], "SEA", "is spelled 'sea', as the railway is"),
        ([('home = "NORD"', 'home = "NORD", not_counted = "OZ"')], "ALBION", "names 'OZ', which is no province"),
        ([("neutral", "first_year = 0\nneutral")], "", "is 0: a game begins in a year from 1 to 9999"),
        ([("neutral", 'seasons = { autumn = "" }\nneutral')], "", "a name has 1 to 60 characters that can be printed"),
    ],
)
def test_what_is_wrong_is_said_of_its_province(tmp_path, changes, place, said):
    found = wrong(tmp_path, *changes)
    assert any(where == place and said in message for where, _, message in found), found


def test_provinces_that_nobody_reaches(tmp_path):
    more = 'WEST = { armies = "FAR" }\nFAR = { armies = "WEST" }\nSEA  ='
    assert [where for where, _, said in wrong(tmp_path, ("SEA  =", more)) if "no unit comes there" in said] == [
        "FAR",
        "WEST",
    ]


def test_maps_of_any_size_are_refused_at_once(tmp_path):
    many = "\n".join(f'P{number} = {{ armies = "NORD" }}' for number in range(10_000))
    found = wrong(tmp_path, ("SEA  =", f"{many}\nSEA  ="))
    assert found == [("", "provinces", "there are 10,004: a map has 1 to 1,000")]
    file = tmp_path / "empty.toml"
    _ = file.write_text('title = "x"\nsource = "y"\n')
    with pytest.raises(SuiteError, match=r"empty.toml, provinces: there are 0: a map has 1 to 1,000"):
        _ = read_map(file)
    with pytest.raises(SuiteError, match=r"none.toml: cannot be read: No such file"):
        _ = read_map(tmp_path / "none.toml")
    assert json.dumps(map_file_schema())
