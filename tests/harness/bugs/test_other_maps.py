"""What is said of an engine is as true on another map: cases are carried there, and new positions are drawn on it."""

import functools
import json

import pytest

from datc.adapters import EngineSpec
from datc.adapters.builtin import BuiltinEngine, Reference
from datc.cases import load_suite
from datc.harness.bugs.diagnosis import infer_by_experiments
from datc.harness.bugs.experiment import Claim, board_of, find_experiments, positions_of_suites
from datc.harness.bugs.mutants import find_mutant
from datc.harness.bugs.mutants.mutant import MutantReference
from datc.harness.bugs.small import small_experiments
from datc.harness.play.carry import carried_cases
from datc.harness.play.engine import EngineAdjudicator
from datc.harness.play.session import ReferenceAdjudicator
from datc.harness.play.verdict import Rules
from datc.harness.rules.infer import infer
from datc.harness.run.runner import Run
from datc.reference_engine import DATC_3_2
from datc.reference_engine.maps import load_board

from ..cli.running import COMMAND, invoke
from ..search.adjudicators import mutant

MAPS = ("ancient-mediterranean", "loeb9")
RULES = ReferenceAdjudicator(DATC_3_2)


@functools.cache
def carried_to(name):
    return carried_cases(load_suite("datc-3.2").cases, name, 1, 0, DATC_3_2)


def report_of(reference, map_name):
    cases = carried_to(map_name).cases
    return Run(BuiltinEngine(reference), EngineSpec("e"), cases, Rules(DATC_3_2), diagnoses=True).to_the_end()


@pytest.mark.parametrize(
    ("name", "map_name"),
    [
        ("swap-by-land", "ancient-mediterranean"),
        ("foreign-support-ignored", "loeb9"),
        ("removed-by-alphabet", "ancient-mediterranean"),
    ],
)
def test_a_mutant_is_named_and_no_choice(name, map_name):
    report = report_of(MutantReference(mutant=find_mutant(name)), map_name)
    (found,) = report.looks_like
    assert found.evidence
    assert (found.name, found.evidence.strength, found.evidence.agreed) == (name, "confirmed", 40)
    assert {each.evidence.strength for each in report.tested_choices} <= {"refuted"}
    assert report.summary["deviated"] == 0


@pytest.mark.parametrize(
    ("issue", "choice", "map_name"),
    [("4.A.2", "1982", "ancient-mediterranean"), ("4.A.3", "1982-totality", "loeb9")],
)
def test_a_choice_is_found_by_both_commands_and_is_no_bug(issue, choice, map_name):
    reference, carried = Reference(DATC_3_2.with_choices({issue: choice}), fixed=True), carried_to(map_name)
    report = report_of(reference, map_name)
    assert report.looks_like == []
    assert [(each.choices, each.evidence.strength) for each in report.tested_choices] == [
        ({issue: choice}, "confirmed")
    ]
    engine = BuiltinEngine(reference)
    can, missing = engine.start().capabilities, [each.case for each in carried.not_carried]
    inferred = infer(engine, can, carried.cases, Rules(DATC_3_2), every_if_wrong=True, not_carried=missing)
    asked = EngineAdjudicator(engine, can, DATC_3_2)
    inferred = infer_by_experiments(inferred, carried.cases, Rules(DATC_3_2), asked)
    assert choice in inferred.conclusion.findings[issue].choices
    assert [each for each in inferred.evidence.values() if not each.stands] == []


@pytest.mark.parametrize("map_name", MAPS)
def test_experiments_are_on_the_map_of_their_claim(map_name):
    board = load_board(map_name)
    claim = Claim(mutant("swap-by-land", ruleset=DATC_3_2), RULES, board=board)
    found = [*find_experiments(claim, count=5), *small_experiments(claim, (), "movement", 0, 5)]
    assert len(found) == 10
    drawn = [one.ordered for one in found] + [*positions_of_suites(board)]
    assert {(ordered.position.board, ordered.year) for ordered in drawn} == {(board, board.first_year)}


def test_the_map_of_cases_is_theirs_in_any_season_and_the_standard_one_where_they_have_several():
    cases = load_suite("datc-2.4-variants").cases
    loeb9 = [case for case in cases if {phase.board.name for phase in case.phases} == {"loeb9"}]
    assert all(phase.board.ice and phase.season == "autumn" for case in loeb9 for phase in case.phases)
    assert board_of(loeb9) is load_board("loeb9")
    assert board_of(cases) is load_board("standard")


def test_what_the_map_cannot_hold_is_said():
    done = invoke("infer", "builtin", "--map", "loeb9", "--suite", "datc-3.2", "--no-experiments", "--json")
    found = json.loads(done.stdout)
    assert found["open"]["4.B.4"] == "the map does not hold what would decide this: 6.B.7, 6.B.8, 6.B.9 and 1 more"
    assert {"suite": "datc-3.2", "id": "6.B.7"} in [each["case"] for each in found["carried"]["not_carried"]]
    doctor = invoke("doctor", "builtin", "--map", "loeb9", "--select", "6.B.1,6.B.7")
    assert doctor.exit_code == 0
    assert "cases are not carried to the map loeb9: 6.B.7" in " ".join(doctor.stdout.split())


def test_the_doctor_says_how_to_follow_a_case_on_the_map():
    engine = f"exec:{COMMAND} engine --mutant swap-by-land"
    done = invoke("doctor", engine, "--map", "loeb9", "--select", "datc-3.2/6.E.1", "--no-experiments")
    assert f"datc-check explain 6.E.1 '{engine}' --map loeb9 --carry-over 1 --seed 0" in done.stdout
