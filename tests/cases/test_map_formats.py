"""One map in the files of four programs is one map; any other file is refused by name, never a traceback."""

import json
from pathlib import Path

import msgspec
import pytest

from datc.cases.errors import SuiteError
from datc.cases.map_diff import compare_maps
from datc.cases.map_formats import map_toml, read_any_map
from datc.cases.map_formats.draft import MOST_BYTES
from datc.cases.maps import MOST_PROVINCES
from datc.reference_engine.maps import MapTable, own_map_names

TOML = """
title = "Two islands"
neutral_centers = "EAST"

[powers]
NEW-ALBION = { name = "New Albion", home = "NORD SUD", owns = "SUD", start = ["A NORD", "F SUD"] }

[provinces]
NORD = { name = "Nordland", armies = "SUD WALL", fleets = "SEA" }
SUD  = { name = "Sudland", also = ["South"], armies = "NORD", fleets = "ISLE SEA" }
WALL = { name = "The Wall", armies = "NORD" }
EAST = { name = "Eastland", armies = "", fleets = { NC = "SEA", SC = "SEA" } }
ISLE = { name = "The Isle", armies = "", fleets = "SEA SUD" }
SEA  = { name = "The Sea", fleets = "EAST/NC EAST/SC ISLE NORD SUD" }
"""
DPJUDGE = """# armies alone pass from nord to sud, fleets alone to the isle
MAP sea.map
BEGIN SPRING 1700 MOVEMENT
NEW-ALBION (ALBIAN:N) NORD SUD
OWNS SUD
A NORD
F SUD
A ISLE
A SUD
UNITS
A NORD
F SUD
UNOWNED EAST
GONE LAND
UNPLAYED GONE
Nordland = NORD n+land nord/nc
Sudland = sud South the?
The Wall = WALL
Eastland (north coast) = EAST/NC
Eastland = EAST
The Isle = ISLE
Atlantis = ATL
Rock = ROCK
COAST NORD ABUTS SEA WALL
AMEND NORD ABUTS sud ATL -atl
COAST SUD ABUTS SEA nord Isle
LAND WALL ABUTS NORD ROCK
SHUT ROCK ABUTS WALL
COAST EAST/NC ABUTS SEA
COAST EAST/SC ABUTS SEA
COAST east ABUTS SEA
COAST ISLE ABUTS SEA Sud
WATER ATL ABUTS SEA
DROP ATL
"""
JDIP = """<?xml version="1.0"?>
<VARIANTS><VARIANT name="Other"/><VARIANT name="Two islands"><MAP adjacencyURI="borders.xml"/>
<STARTINGTIME turn="Spring, 1700, Movement"/>
<POWER name="New Albion" adjective="Albian" altnames=""/>
<SUPPLYCENTER province="nord" homepower="new albion"/><SUPPLYCENTER province="south" homepower="albian" owner="albian"/>
<SUPPLYCENTER province="east" homepower="none"/>
<INITIALSTATE province="nord" power="new albion" unit="army"/>
<INITIALSTATE province="sud" power="new albion" unit="fleet"/></VARIANT></VARIANTS>
"""
BORDERS = """<PROVINCES><PROVINCE shortname="rock" fullname="Rock"><ADJACENCY type="mv" refs="rock"/></PROVINCE>
<PROVINCE shortname="nord" fullname="Nordland">
<ADJACENCY type="mv" refs="south, wall"/><ADJACENCY type="xc" refs="sea"/></PROVINCE>
<PROVINCE shortname="sud" fullname="Sudland"><UNIQUENAME name="south"/>
<ADJACENCY type="mv" refs="nord"/><ADJACENCY type="xc" refs="sea isle"/></PROVINCE>
<PROVINCE shortname="wall" fullname="The Wall"><ADJACENCY type="mv" refs="nord"/></PROVINCE>
<PROVINCE shortname="east" fullname="Eastland">
<ADJACENCY type="mv" refs=""/><ADJACENCY type="nc" refs="sea"/><ADJACENCY type="sc" refs="sea"/></PROVINCE>
<PROVINCE shortname="isle" fullname="The Isle">
<ADJACENCY type="mv" refs=""/><ADJACENCY type="xc" refs="sea sud"/></PROVINCE>
<PROVINCE shortname="sea" fullname="The Sea"><ADJACENCY type="xc" refs="east-nc east/sc isle nord sud"/></PROVINCE>
</PROVINCES>"""


def province(code, name, kind, *, home=False, center=False, **reached):
    borders = [{"to": to.replace("_", "/"), "pass": by} for to, by in reached.items()]
    owner = {"homeNation": "new-albion"} if home else {}
    return {"id": code, "name": name, "type": kind, "supplyCenter": home or center, **owner, "adjacencies": borders}


DIPLICITY = {
    "schemaVersion": 1,
    "name": "Two islands",
    "nations": [{"id": "new-albion", "name": "New Albion", "color": "#ffffff"}],
    "provinces": [
        province("nord", "Nordland", "coastal", home=True, sud="army", wall="army", sea="fleet"),
        province("sud", "Sudland", "coastal", home=True, nord="army", isle="fleet", sea="fleet"),
        province("wall", "The Wall", "land", nord="army"),
        province("east", "Eastland", "land", center=True, sea="fleet"),
        province("isle", "The Isle", "coastal", sud="fleet", sea="fleet"),
        province(
            "sea",
            "The Sea",
            "sea",
            **dict.fromkeys(("nord", "sud", "isle", "east", "east_nc", "east_sc"), "fleet"),
        ),
    ],
    "namedCoasts": [
        {"id": f"east/{coast}", "parentProvince": "east", "adjacencies": [{"to": "sea", "pass": "fleet"}]}
        for coast in ("nc", "sc")
    ],
    "initialState": {
        "units": [
            {"nation": "new-albion", "type": "Army", "location": "nord"},
            {"nation": "new-albion", "type": "Fleet", "location": "sud"},
        ],
        "supplyCenters": [{"nation": "new-albion", "province": "sud"}],
    },
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "mine.toml": TOML,
        "mine.map": DPJUDGE,
        "sea.map": "The Sea = SEA\nWATER SEA ABUTS NORD SUD EAST/NC EAST/SC ISLE ATL\n",
        "variants.xml": JDIP,
        "borders.xml": BORDERS,
        "mine.json": json.dumps(DIPLICITY),
    }
    for name, text in files.items():
        _ = (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


@pytest.mark.parametrize("source", ["mine.map", "variants.xml#Two islands", "mine.json"])
def test_a_map_is_the_same_in_each_format(folder, source):
    mine, found = (read_any_map(str(folder / name)) for name in ("mine.toml", source))
    assert (mine.problems, found.problems) == ((), ())
    differences = compare_maps(mine.table, found.table)
    assert differences.texts("mine", "theirs") == []
    file = folder / "written.toml"
    _ = file.write_text(map_toml(found.table), "utf-8")
    written = read_any_map(str(file))
    assert (written.table, written.problems) == (found.table, ())
    assert found.table.get("first_year", 0) == (0 if source == "mine.json" else 1700)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('armies = "SUD WALL"', 'armies = "WALL"'),
         "border NORD - SUD by land, in this direction only: only RIGHT has it"),
        (('"EAST/NC EAST/SC', '"EAST/NC'), "border SEA - EAST/SC by sea, in this direction only: only RIGHT has it"),
        (("SUD  = ", "SOD  = "), "codes"),
        (("Eastland", "Westland"), "name of EAST: LEFT has Westland, RIGHT Eastland"),
        (('armies = "", fleets = "SEA SUD"', 'fleets = "SEA SUD"'), "terrain of ISLE: LEFT has sea, RIGHT coastal"),
        (('NC = "SEA", SC', 'EC = "SEA", WC'), "coasts of EAST: LEFT has EC WC, RIGHT NC SC"),
        (('"EAST"', '"ISLE"'), "center EAST: only RIGHT has it"),
        (('"NORD SUD"', '"SUD"'), "home of NEW-ALBION: LEFT has none, RIGHT NORD"),
        (('"F SUD"]', '"A SUD"]'), "start of NEW-ALBION: LEFT has A SUD, RIGHT F SUD"),
        (('owns = "SUD"', 'owns = "NORD"'), "NEW-ALBION, owns: LEFT has NORD, RIGHT SUD"),
        (('title = "Two', 'difficult = { armies = ["SUD-NORD"] }\ntitle = "Two'),
         "difficult: LEFT has armies NORD-SUD, RIGHT none"),
        (("[provinces]", '[provinces]\nROCK = { armies = "WALL" }'), "province ROCK, ROCK: only LEFT has it"),
        (("NEW-ALBION = {", 'OLD = { name = "Old", home = "WALL" }\nNEW-ALBION = {'),
         "power OLD, Old: only LEFT has it"),
    ],
)  # fmt: skip
def test_where_two_maps_differ_is_said(folder, change, said):
    file = folder / "other.toml"
    assert change[0] in TOML
    _ = file.write_text(TOML.replace(*change), "utf-8")
    right = read_any_map(str(folder / "mine.json")).table
    found = compare_maps(read_any_map(str(file)).table, right)
    if said == "codes":
        assert found.codes == {"SOD": "SUD"}
    else:
        assert said in found.texts("LEFT", "RIGHT")
        assert found.in_play is not said.startswith("name of")


HOSTILE = {
    "entities.xml": (
        '<!DOCTYPE V [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]><VARIANTS><VARIANT name="&b;"/></VARIANTS>',
        "declares the entity 'a'",
    ),
    "deep.xml": ("<a>" * 50_000, "nested more than 20 deep"),
    "outside.xml": (JDIP.replace("borders.xml", "../secret.xml"), "only a file in its own folder is read"),
    "nowhere.xml": (JDIP.replace("borders.xml", "gone.xml"), "gone.xml: cannot be read"),
    "none.xml": ("<html/>", "has no VARIANT"),
    "no.xml": ("no XML", "is not XML"),
    "coding.xml": ('<?xml version="1.0" encoding="klingon"?><a/>', "is not XML"),
    "large.map": ("# \n" * MOST_BYTES, f"has more than {MOST_BYTES:,} bytes"),
    "many.map": ("".join(f"LAND P{number}\n" for number in range(MOST_PROVINCES + 1)), "a map has at most 1,000"),
    "itself.map": ("USE itself\n", "is taken in twice"),
    "outside.map": ("MAP ../secret.map\n", "only a file in its own folder is read"),
    "short.map": ("COAST\n", "line 1 cannot be read: 'COAST'"),
    "lonely.map": ("X X\nA\n", "line 2 cannot be read: 'A'"),
    "crowded.map": ("COAST A ABUTS " + "B " * 400, "A: has more than 300 neighbours"),
    "deep.json": ("[" * 100_000, "is not JSON"),
    "list.json": ("[1]", "is no variant in the schema of diplicity"),
    "half.json": (json.dumps({**DIPLICITY, "provinces": [{"id": 3}]}), "got `int` - at `$.provinces[0].id`"),
}  # fmt: skip


@pytest.mark.attack
@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_is_no_map_is_refused(folder, name):
    text, said = HOSTILE[name]
    _ = (folder / name).write_text(text, "utf-8")
    with pytest.raises(SuiteError) as caught:
        _ = read_any_map(f"{folder / name}{'#Two islands' if 'VARIANT name' in text else ''}")
    assert said in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("name", "change", "place", "said"),
    [
        ("mine.map", ("WALL ABUTS NORD", "WALL ABUTS NORD OZ"), "WALL", "names 'OZ', which is no province of this map"),
        ("mine.map", ("Isle\nLAND", "isle\nLAND"), "ISLE", "names SUD, which does not name it"),
        ("variants.xml#Two islands", ('"new albion" unit="a', '"old" unit="a'), "nord", "is 'old', which is no power"),
        ("mine.json", ('"east/nc", "parent', '"north/nc", "parent'), "north/nc", "is no coast of 'east'"),
        ("mine.json", ('"to": "wall"', '"to": "\\u001b[31m"'), "nord", "which is no province of this map"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_province(folder, name, change, place, said):
    file = folder / name.partition("#")[0]
    text = file.read_text("utf-8")
    assert change[0] in text
    _ = file.write_text(text.replace(*change, 1), "utf-8")
    problems = read_any_map(str(folder / name)).problems
    assert problems
    assert all(str(problem).isprintable() for problem in problems)
    assert any(problem.case == place and said in problem.message for problem in problems), problems


def test_spellings_of_two_provinces_mean_neither(folder):
    file = folder / "mine.map"
    _ = file.write_text(DPJUDGE.replace("= WALL", "= WALL south").replace("The Isle", "Nordland"), "utf-8")
    found = read_any_map(str(file))
    provinces = found.table.get("provinces", {})
    assert found.problems == ()
    assert "also" not in provinces["SUD"]
    assert [provinces[code].get("name") for code in ("ISLE", "NORD")] == ["Nordland (ISLE)", "Nordland (NORD)"]


@pytest.mark.parametrize("name", own_map_names())
def test_a_map_of_the_project_is_the_same_when_it_is_written_again(tmp_path, name):
    file = tmp_path / "written.toml"
    whole = {field: value for field, value in read_any_map(name).table.items() if field != "base"}
    table = msgspec.convert(whole, MapTable)
    _ = file.write_text(map_toml(table), "utf-8")
    assert read_any_map(str(file)).table == table
