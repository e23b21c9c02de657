"""Maps of authors: those of the project have nothing wrong, and what is wrong is named with file and province."""

import json
from pathlib import Path

import jsonschema
import pytest

from datc.cases.errors import SuiteError
from datc.cases.maps import check_map, map_file_schema, read_map
from datc.reference_engine.maps import MAPS, map_names
from datc.reference_engine.toml import loads

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


@pytest.mark.parametrize("name", map_names())
def test_a_map_of_the_project_is_right_and_fits_the_schema(name):
    assert check_map(name).provinces
    table = loads((MAPS / f"{name}.toml").read_text("utf-8"))
    assert table["source"]
    jsonschema.Draft202012Validator(map_file_schema()).validate(table)


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
