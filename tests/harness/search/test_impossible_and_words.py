"""Hunts see boards that cannot exist, and with `--words` the outcomes of orders on boards that are right."""

import json
from dataclasses import replace
from random import Random

import pytest

from datc.adapters import EngineSpec
from datc.harness.bugs.generate import random_position, with_retreats
from datc.harness.bugs.mutants import find_mutant
from datc.harness.bugs.terrain import PROFILES
from datc.harness.play.answer import Answer
from datc.harness.play.differential import ask
from datc.harness.play.session import ReferenceAdjudicator, find_impossible
from datc.harness.search import disagreement
from datc.harness.search.report import hunt_report
from datc.harness.search.suite import case_file
from datc.harness.search.text import cause_text, difference_lines
from datc.reference_engine import DATC_3_1, ISSUES

from .adjudicators import DATC_CHECK, Altered, Spoiled, hunt_with, lost_border, plan_for, run_hunt

UNMATCHED_SUPPORT = "unmatched-support-succeeds"
SUPPORT = "the same board, another outcome of a support: succeeds where it should fail"


def hunt_for(adjudicator, **options):
    hunt = hunt_with(plan_for(EngineSpec("spoiled"), **options), [adjudicator])
    assert hunt.complete
    return hunt


def twice(answer):
    return replace(answer, standing=(*answer.units, *answer.units[:1]))


def of_another_power(answer):
    entries = answer.dislodged or ()
    return replace(answer, dislodged=tuple(entry._replace(unit=_renamed(entry.unit)) for entry in entries))


def of_another_type(answer):
    entries = answer.dislodged or ()
    units = [entry.unit._replace(type="A", location=entry.unit.location[:3]) for entry in entries]
    return replace(answer, dislodged=tuple(map(lambda entry, unit: entry._replace(unit=unit), entries, units)))


def standing(answer):
    return replace(answer, standing=(*answer.units, *(entry.unit for entry in answer.dislodged or ())))


def _renamed(unit):
    return unit._replace(power="TURKEY" if unit.power != "TURKEY" else "ITALY")


@pytest.mark.parametrize(
    ("spoil", "label"),
    [
        (twice, "impossible board: a unit is listed more than once"),
        (of_another_power, "impossible board: a unit is dislodged, but was not on the board"),
        (of_another_type, "impossible board: a unit is dislodged, but was not on the board"),
        (standing, "impossible board: a unit is on the board and dislodged at once"),
    ],
)
def test_an_impossible_board_is_a_bug_and_no_choice_is_searched_for_it(spoil, label, monkeypatch):
    monkeypatch.setattr(disagreement, "find_changes", None)
    hunt = hunt_for(Spoiled(spoil), positions=40, sources=("random", "metamorphic"))
    assert {finding.source for finding in hunt.findings} == {"random/dense", "metamorphic"}
    assert {(group.kind, group.label[:16], len(group.changes)) for group in hunt.groups} == {
        ("bug", "impossible board", 0)
    }
    group = next(group for group in hunt.groups if cause_text(group) == label)
    small = group.smallest
    assert small is not None
    assert small.units <= 3
    assert all(line.startswith("impossible board: ") for line in difference_lines(small))
    assert hunt_report(hunt).cases[hunt.groups.index(group)].phases[0].facts == small.facts != []
    assert "# spoiled has after it:" in case_file(hunt.groups, "a hunt")


def test_without_words_what_is_said_of_orders_is_not_compared():
    mutant = find_mutant(UNMATCHED_SUPPORT)
    assert hunt_for(ReferenceAdjudicator(DATC_3_1, mutant.procedure), positions=60).findings == []


def test_with_words_another_outcome_is_found_and_kept_apart_from_boards():
    mutant = find_mutant(UNMATCHED_SUPPORT)
    hunt = hunt_for(ReferenceAdjudicator(DATC_3_1, mutant.procedure), positions=60, words=True)
    (group,) = hunt.groups
    assert (group.kind, group.label) == ("bug", SUPPORT)
    small = group.smallest
    assert small is not None
    assert small.units <= 3
    (line,) = difference_lines(small)
    assert line.endswith("fails, but the engine says that it succeeds")
    assert sum(finding.position is not None for finding in hunt.findings) < len(hunt.findings)


def test_with_words_a_wrong_board_is_found_as_without():
    plain, with_words = (hunt_for(Altered(lost_border), positions=500, words=words) for words in (False, True))
    assert plain.findings
    assert plain.findings == with_words.findings


def test_the_command_compares_words_if_told_to_and_goes_on_only_with_its_like(tmp_path):
    engine = f"exec:{DATC_CHECK} engine --fault {UNMATCHED_SUPPORT}"
    arguments = [engine, "--source", "random", "--profile", "dense", "--positions", "20", "--store", tmp_path]
    done = run_hunt(*arguments, "--words", "--json")
    assert done.exit_code == 1, done.output
    assert [cause["cause"] for cause in json.loads(done.stdout)["causes"]] == [SUPPORT]
    assert run_hunt(*arguments, "--words", "--resume").exit_code == 1
    other = run_hunt(*arguments, "--resume")
    assert other.exit_code == 2
    assert "a hunt with other words" in other.output


def test_the_boards_of_the_reference_engine_are_always_possible():
    """So that they need no check in a hunt."""
    rng = Random(2)
    asked = 0
    for profile in PROFILES.values():
        for _ in range(60):
            choices = {issue: rng.choice(list(ISSUES[issue].choices)) for issue in rng.sample(list(ISSUES), 3)}
            reference = ReferenceAdjudicator(DATC_3_1.with_choices(choices))
            assert reference.is_trusted
            for played in ask(reference, with_retreats(rng, random_position(rng, profile))):
                assert not isinstance(played.answer, Answer) or find_impossible(played.asked, played.answer) == ()
                asked += 1
    assert asked > 240
