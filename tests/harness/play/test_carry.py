"""Cases at other places: what takes the place of what, that an engine cannot be fitted to them, and what is said."""

import itertools
import json
import re
import sys
from pathlib import Path

import pytest

from datc.adapters import EngineSpec
from datc.adapters.builtin import BuiltinEngine
from datc.cases import load_ruleset, load_suite, ruleset_names
from datc.harness.bugs.mutants import find_mutant
from datc.harness.bugs.mutants.mutant import MutantReference
from datc.harness.paste.reader import read_pasted
from datc.harness.paste.writing import position_text
from datc.harness.play.carry import carried_cases
from datc.harness.play.session import case_inputs
from datc.harness.play.verdict import Rules
from datc.harness.run.runner import Run
from datc.reference_engine import DATC_3_2, GivenOrder, standard_board
from datc.reference_engine.board import UNIT_TYPES
from datc.reference_engine.maps import load_board
from datc.reports.boardmap.style import power_class
from datc.reports.mistakes import mistake_sentence

from ...builtin import ask_builtin
from ..cli.running import call
from ..cli.running import invoke as run

CASES = load_suite("datc-3.2").cases
ENGINES = Path(__file__).parents[2] / "engines"
BUGGY = f"exec:{sys.executable} {ENGINES / 'buggy.py'}"
MAPS = ("standard", "loeb9")


@pytest.fixture(scope="module", params=MAPS)
def carried(request):
    return carried_cases(CASES, request.param, 1, 0, DATC_3_2)


def _relations(board, locations):
    """For each location and type of unit, which of the locations it reaches; and what each is."""
    pairs = itertools.product(locations, UNIT_TYPES, locations)
    reach = [end in board.places[kind, start].moves for start, kind, end in pairs if (kind, start) in board.places]
    provinces = [board.provinces[board.province_of[board.number[each]]] for each in locations]
    return reach, [(each.terrain, len(each.coasts)) for each in provinces]


def test_the_places_of_a_case_stand_to_one_another_as_before_and_are_others(carried):
    own, other = standard_board(), load_board(carried.map)
    for case in carried.cases:
        before, after = zip(*case.placement.locations.items(), strict=True)
        assert _relations(own, before) == _relations(other, after), case.id
        assert len({*after}) == len(after)
        assert carried.map != "standard" or before != after
        powers = case.placement.powers
        assert len({*powers.values()}) == len(powers)


def test_homes_and_centers_of_an_adjustment_are_those_of_the_power_that_takes_the_place(carried):
    own, other = standard_board(), load_board(carried.map)
    adjustments = [case for case in carried.cases if case.phases[0].phase == "adjustment"]
    assert len(adjustments) > 15
    for case in adjustments:
        for (before, after), (power, taker) in itertools.product(
            case.placement.locations.items(), case.placement.powers.items()
        ):
            assert (before in own.powers[power].home_centers) == (after in other.powers[taker].home_centers), case.id
            if "/" not in before:
                assert (before in own.supply_centers) == (after in other.supply_centers), case.id


def test_the_reference_engine_passes_them_in_the_words_of_the_document(carried):
    for case in carried.cases:
        found = ask_builtin(case, load_ruleset("datc-3.2").ruleset())
        assert (found.verdict, found.notes) == ("passed", []), (case.id, found.reason)
        assert [missing for phase in found.phases for missing in phase.not_given] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ruleset_names())
def test_it_passes_them_under_each_ruleset(carried, name):
    ruleset = load_ruleset(name).ruleset()
    verdicts = {case.id: ask_builtin(case, ruleset).verdict for case in carried.cases}
    assert {case: verdict for case, verdict in verdicts.items() if verdict != "passed"} == {}


def test_each_case_is_carried_or_named_and_a_case_alone_as_with_all(carried):
    left = [each.case.id for each in carried.not_carried]
    assert sorted([*left, *(case.id for case in carried.cases)]) == sorted(case.id for case in CASES)
    one = next(case for case in CASES if case.id == "6.F.14")
    again = carried_cases([one], carried.map, 3, 0, DATC_3_2).cases
    assert next(case for case in carried.cases if case.id == "6.F.14").placement == again[0].placement
    assert [case.suite for case in again] == [f"datc-3.2@{carried.map}{number}" for number in ("", ".2", ".3")]
    assert len({str(case.placement.locations) for case in again if case.placement}) == 3
    (other,) = carried_cases([one], carried.map, 1, 1, DATC_3_2).cases
    assert other.placement != again[0].placement


def test_an_engine_that_is_fitted_to_the_places_of_the_datc_fails_at_others():
    as_written = run("run", f"{BUGGY} fitted", "--select", "6.D", "-q", "--no-experiments")
    assert (as_written.exit_code, as_written.stdout) == (0, "")
    carried_over = run("run", f"{BUGGY} fitted", "--select", "6.D", "--carry-over", "1", "--no-experiments")
    assert carried_over.exit_code == 1
    assert " at other places: " in carried_over.stdout


def test_a_report_has_the_placement_and_names_what_is_not_carried_as_neither_passed_nor_failed():
    done = run("run", "builtin", "--select", "6.B", "--map", "loeb9", "--json", "-q")
    found = json.loads(done.stdout)
    assert done.exit_code == 0
    left = {each["case"]["id"]: each["why"] for each in found["carried"]["not_carried"]}
    assert left["6.B.7"] == "no places stand to one another as Mid-Atlantic Ocean and Spain do"
    assert found["summary"]["passed"] == len(found["cases"]) == 19 - len(left)
    assert "8 cases are not carried to the map loeb9: 6.B.4, 6.B.6" in done.stderr
    case = found["cases"][0]
    assert case["placement"]["origin"] == {"suite": "datc-3.2", "id": "6.B.1"}
    explained = run("explain", "6.B.1", "--map", "loeb9")
    assert case["phases"][0]["orders"][0]["text"] in explained.stdout
    nothing = run("run", "builtin", "--select", "6.B.7", "--map", "loeb9", "-q")
    assert nothing.exit_code == 1
    assert "No case was asked" in nothing.stderr


def test_an_engine_that_does_not_play_the_map_is_not_asked(tmp_path):
    crashing = f"exec:{sys.executable} {ENGINES / 'fake.py'} crashes A"
    done = call("run", crashing, "--select", "6.A.11", "--map", "loeb9", "--json", "-q", cwd=tmp_path)
    found = json.loads(done.stdout)
    case = found["cases"][0]
    assert (done.returncode, case["verdict"], found["restarts"]) == (1, "unsupported", [])
    assert "does not say that it plays the map loeb9" in case["reason"]


def test_a_page_has_the_powers_of_the_map_with_their_colours_and_its_first_year(tmp_path):
    page = tmp_path / "page.html"
    _ = run("run", "builtin", "--select", "6.E.1", "--map", "ancient-mediterranean", "-q", "--report", f"html:{page}")
    board = load_board("ancient-mediterranean")
    assert "spring 1, movement" in page.read_text("utf-8").lower()
    dots = re.findall(r'class="dm dot ([a-z0-9]+)"></b> (\w+)', page.read_text("utf-8"))
    assert dots
    assert {*dots} <= {(power_class(power, board), each.name) for power, each in board.powers.items()}


def test_a_post_has_the_names_of_the_map_and_can_be_read_again(carried):
    board = load_board(carried.map)
    for case in carried.cases[::10]:
        (asked, *_) = case_inputs(case)
        if asked.phase != "movement" or any(order.order is None for order in case.phases[0].orders):
            continue
        orders = [GivenOrder(order.power, order.order) for order in case.phases[0].orders]
        text = position_text(asked, orders)
        read = read_pasted(text, case.id, board=board).phases[0]
        assert read.position
        assert sorted(read.position.units) == sorted(asked.units), text
        assert {power for power, _ in read.orders} == {order.power for order in orders}


def test_what_is_wrong_is_said_with_the_names_of_the_map():
    (case,) = carried_cases(
        [each for each in CASES if each.id == "6.E.1"], "ancient-mediterranean", 1, 0, DATC_3_2
    ).cases
    engine = BuiltinEngine(MutantReference(mutant=find_mutant("swap-by-land")))
    (found,) = Run(engine, EngineSpec("e"), [case], Rules(DATC_3_2)).to_the_end().cases
    sentence = mistake_sentence(found.phases[0])
    board, position = load_board("ancient-mediterranean"), case.phases[0].position
    assert position
    assert any(f"{board.power_name(unit.power)}'s {unit.type} " in sentence for unit in position.units)
    places = [board.describe(unit.location) for unit in position.units]
    assert any(place in sentence for place in places), sentence


ISLANDS = """
title = "Two islands"
source = "this test"
[powers]
ONE = { name = "One", home = "NORD", start = ["A NORD"] }
[provinces]
NORD = { name = "Nordland", armies = "SUD", fleets = "SUD SEA" }
SUD  = { name = "Sudland", armies = "NORD", fleets = "NORD SEA" }
SEA  = { name = "The Sea", fleets = "NORD SUD" }
"""


def test_a_map_of_an_author_that_is_too_small_says_of_what_it_has_too_little(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _ = Path("islands.toml").write_text(ISLANDS, encoding="utf-8")
    done = run(
        "run", "builtin", "--select", "6.A.1,6.A.2,6.A.11,6.A.12,6.B.1,6.I.2", "--map", "islands.toml", "--json", "-q"
    )
    found = {each["case"]["id"]: each["why"] for each in json.loads(done.stdout)["carried"]["not_carried"]}
    assert found == {
        "6.A.1": "no places stand to one another as North Sea and Picardy do",
        "6.A.11": "it needs 2 inland provinces, and the map has none",
        "6.A.12": "it needs 3 inland provinces, and the map has none",
        "6.B.1": "it needs 1 coastal province with 2 coasts, and the map has none",
        "6.I.2": "it needs 1 inland supply center, and the map has none",
    }
