"""What a hunt finds, impossible boards and outcomes of orders too, is grouped by its causes, which are tested."""

import json
import re
import zlib
from dataclasses import replace

import pytest
from msgspec import structs

from datc.adapters import EngineClosedError
from datc.harness.bugs.changes import FoundChanges
from datc.harness.bugs.mutants import find_mutant
from datc.harness.play.session import ReferenceAdjudicator
from datc.harness.search import disagreement
from datc.harness.search.disagreement import Cause
from datc.harness.search.findings import Finding
from datc.harness.search.groups import group_by_experiments, group_findings
from datc.harness.search.hunt import Again, CauseAgain
from datc.harness.search.report import hunt_report
from datc.harness.search.suite import case_file
from datc.harness.search.text import cause_text, difference_lines, how_tested, rule_text
from datc.reference_engine import DATC_3_1, Retreat, province_code, standard_board

from ..cli.running import COMMAND, invoke
from . import adjudicators
from .adjudicators import DENSE, REFERENCE, Altered, Answering, failing, hunt_with, lost_border, mutant, plan_for

MUTANT = "convoyed-attack-does-not-cut"
PLAN = plan_for(250, ("random", "paradoxes"), ("dense", "convoy-knots"), spec=adjudicators.buggy_spec("none"))
UNMATCHED_SUPPORT = "unmatched-support-succeeds"
SUPPORT = "the same board, another outcome of a support: succeeds where it should fail"


CHOICES = {"4.A.2": "all-hold", "X.8": "beleaguered-disrupts"}
DEVIATING = ReferenceAdjudicator(DATC_3_1.with_choices(CHOICES))


@pytest.fixture(scope="module")
def of_mutant():
    """A hunt whose causes are not tested; a test changes a copy."""
    return hunt_with(PLAN, mutant(MUTANT))


@pytest.fixture(scope="module")
def of_choices():
    """The same with choices."""
    return hunt_with(PLAN, DEVIATING)


def strengths(hunt):
    return {group.evidence.strength for group in hunt.groups}


def hunt_and_test(plan, adjudicator):
    hunt = hunt_with(plan, adjudicator)
    hunt.test_causes([adjudicator])
    assert hunt.findings
    return hunt


def test_a_bug_that_fits_a_choice_is_named_when_it_was_tested(of_mutant):
    """In each position an engine that needs the route in the order would answer alike."""
    engine, hunt = mutant(MUTANT), replace(of_mutant)
    assert "deviation" in {group.kind for group in hunt.groups}, "it fits, and is not tested"
    hunt.test_causes([failing(lambda _: EngineClosedError("closed"))])
    assert {(group.kind, group.has_cause) for group in hunt.groups} == {("bug", False)}, (
        "what is not tested has no name"
    )
    assert sum(len(group.findings) for group in hunt.groups) == len(hunt.findings)
    hunt.test_causes([engine])
    (group,) = hunt.groups
    assert (group.kind, cause_text(group)) == ("bug", find_mutant(MUTANT).sentence)
    assert len(group.findings) == len(hunt.findings)
    assert group.evidence.strength == "confirmed"
    (text,) = how_tested(group)
    assert text == f"tested: {group.evidence.agreed} of {group.evidence.asked} new positions agree"
    assert text in hunt_report(hunt).cases[0].notes


def test_what_was_confirmed_before_the_time_was_up_keeps_its_name_and_the_rest_has_none(of_choices):
    asked = 0

    def answer(question):
        nonlocal asked
        asked += 1
        if asked > 140:
            raise EngineClosedError("the time is up")
        return DEVIATING.ask(question)

    groups = group_by_experiments(PLAN, 0, Answering(answer), of_choices.findings, lambda: asked > 140)
    named = [group for group in groups if group.has_cause]
    assert {group.evidence.strength for group in named} == {"confirmed"}
    assert len(named) < len(groups)


def test_what_had_no_name_remains_without_one_when_it_is_asked_again(of_mutant):
    """Choices that the hunt could not test explain each of its positions."""
    hunt = replace(of_mutant)
    hunt.test_causes(())
    again = Again(PLAN, [CauseAgain(group) for group in hunt.groups])
    again.ask(mutant(MUTANT), lambda: True)
    assert {cause.status for cause in again.causes} == {"remains"}
    assert not any(cause.example and cause.example.cause.is_known for cause in again.causes)


def test_an_engine_that_ends_before_the_tests_leaves_what_changed_without_a_name(of_mutant):
    group = of_mutant.groups[0]
    other = Cause(kind="bug", label="another one", unexplained=True)
    found = tuple(structs.replace(each, cause=other) for each in group.findings)
    again = Again(PLAN, [CauseAgain(group._replace(findings=found))])

    def end(*_):
        raise EngineClosedError("it has ended")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("datc.harness.search.hunt.group_by_experiments", end)
        again.ask(mutant(MUTANT))
    (cause,) = again.causes
    assert (again.trouble, cause.status, cause.now and cause.now.has_cause) == ("it has ended", "changed", False)
    assert cause.example is not None
    assert not cause.example.cause.is_known


@pytest.mark.parametrize("name", ["own-unit-dislodged-with-help", "support-does-not-prevent"])
def test_a_bug_is_named_by_what_explains_the_positions_as_they_were_found(name):
    """The small ones alone fit other mistakes as well, and a board with two units in a place says less than why."""
    hunt = hunt_with(plan_for(1000), mutant(name))
    assert [group.label for group in hunt.groups if group.kind == "bug"] == [find_mutant(name).sentence]


def test_of_mutants_that_explain_as_much_all_are_named():
    names = ["own-unit-dislodged", "own-mover-dislodged"]
    cause = Cause(kind="bug", label="", mutants=names)
    (group,) = group_findings([Finding(number=1, source="random", engine=0, cause=cause, found_units=3)])
    assert group.label == ", or ".join(find_mutant(name).sentence for name in names)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_bug_without_a_name_is_one_group_whatever_the_seed(seed, monkeypatch):
    """Its smallest positions are of many patterns, and most of what shows it is counted alone."""
    monkeypatch.setattr(disagreement, "MUTANTS", {})
    monkeypatch.setattr(disagreement, "find_changes", lambda *_, **__: FoundChanges((), 0))
    engine = mutant("nobody-follows")
    hunt = hunt_with(replace(PLAN, seed=seed, chunk=250), engine)
    assert len({each.cause.label for each in hunt.findings}) > 2
    hunt.test_causes([engine])
    (group,) = hunt.groups
    assert cause_text(group) == "lets a move fail that is stronger than what holds there (DATC 5.B.5)"
    assert group.rules == ("hold-",)
    assert re.fullmatch(
        r"it lets '[AF] .* - .*' fail with strength (\d) against (\d) of '.*' \(DATC 5.B.5\)", rule_text(group)
    )
    assert [case.id for case in hunt_report(hunt).cases] == [f"hunt.{group.id}"]
    assert group.id == "e74d4285", "it follows from the cause, so that two hunts can be laid side by side"


def test_what_has_no_small_position_is_of_the_rule_that_some_of_it_breaks():
    """That no unit retreats is so sometimes, and is not said: a missing part is stated plainly or not at all."""
    centers = standard_board().supply_centers

    def is_left(given):
        return not isinstance(given.order, Retreat) or province_code(given.order.to) not in centers

    engine = Altered(lambda ordered: ordered._replace(orders=tuple(filter(is_left, ordered.orders))))
    (group,) = hunt_and_test(replace(plan_for(160, ("battles",)), chunk=160), engine).groups
    assert cause_text(group) == "disbands a unit that retreats (DATC 6.H)"


def test_choices_that_an_engine_plays_are_confirmed_each(of_choices):
    hunt = replace(of_choices)
    hunt.test_causes([DEVIATING])
    assert {group.kind for group in hunt.groups} == {"deviation"}
    confirmed = [group.changes for group in hunt.groups if group.evidence.strength == "confirmed"]
    assert {issue: choices for changes in confirmed for issue, (choices,) in changes.items()} == CHOICES


def test_what_fits_and_is_refuted_is_no_cause():
    """It loses the orders of Italy now and then: no choice and no mutant does that."""

    def forget(ordered):
        forgets = zlib.crc32(str(sorted(ordered.units)).encode()) % 3 == 0
        kept = [given for given in ordered.orders if not (forgets and given.power == "ITALY")]
        return ordered._replace(orders=tuple(kept))

    assert "confirmed" not in strengths(hunt_and_test(replace(PLAN, positions=60), Altered(forget)))


def twice(answer):
    return replace(answer, standing=(*answer.units, *answer.units[:1]))


def of_another_power(answer):
    owners = {entry: "ITALY" if entry.unit.power == "TURKEY" else "TURKEY" for entry in answer.dislodged or ()}
    entries = [entry._replace(unit=entry.unit._replace(power=power)) for entry, power in owners.items()]
    return replace(answer, dislodged=tuple(sorted(entries, key=lambda entry: entry.unit)))


def standing(answer):
    return replace(answer, standing=(*answer.units, *(entry.unit for entry in answer.dislodged or ())))


@pytest.mark.parametrize(
    ("spoil", "label"),
    [
        (twice, "impossible board: a unit is listed more than once"),
        (of_another_power, "impossible board: a unit is dislodged, but was not on the board"),
        (standing, "impossible board: a unit is on the board and dislodged at once"),
    ],
)
def test_an_impossible_board_is_a_bug_and_no_choice_is_searched_for_it(spoil, label, monkeypatch):
    monkeypatch.setattr(disagreement, "find_changes", None)
    engine = Answering(lambda asked: spoil(REFERENCE.ask(asked)))
    hunt = hunt_with(plan_for(40, ("random", "metamorphic")), engine)
    assert hunt.complete
    assert {finding.source for finding in hunt.findings} == {"random/dense", "metamorphic"}
    assert {(group.kind, group.label[:16], len(group.changes)) for group in hunt.groups} == {
        ("bug", "impossible board", 0)
    }
    group = next(group for group in hunt.groups if cause_text(group) == label)
    small = group.example
    assert small.units <= 3
    assert all(line.startswith("impossible board: ") for line in difference_lines(small))
    assert hunt_report(hunt).cases[hunt.groups.index(group)].phases[0].facts == small.facts != []
    assert "# altered has after it:" in case_file(hunt.groups, "a hunt")


def test_another_outcome_is_found_with_words_alone_and_kept_apart_from_boards():
    assert hunt_with(plan_for(60), mutant(UNMATCHED_SUPPORT)).findings == []
    hunt = hunt_with(plan_for(60, words=True), mutant(UNMATCHED_SUPPORT))
    (group,) = hunt.groups
    assert (group.kind, group.label) == ("bug", SUPPORT)
    small = group.example
    assert small.units <= 3
    (line,) = difference_lines(small)
    assert line.endswith("fails, but the engine says that it succeeds")
    assert sum(finding.position is not None for finding in hunt.findings) < len(hunt.findings)


def test_with_words_a_wrong_board_is_found_as_without():
    plain, with_words = (hunt_with(plan_for(500, words=words), Altered(lost_border)) for words in (False, True))
    assert plain.findings
    assert plain.findings == with_words.findings


def test_the_command_compares_words_if_told_to_and_goes_on_only_with_its_like(tmp_path):
    arguments = ["hunt", f"exec:{COMMAND} engine --mutant {UNMATCHED_SUPPORT}", *DENSE, 20, "--store", tmp_path]
    done = invoke(*arguments, "--words", "--json")
    assert done.exit_code == 1, done.output
    assert [cause["cause"] for cause in json.loads(done.stdout)["causes"]] == [SUPPORT]
    assert invoke(*arguments, "--words", "--resume").exit_code == 1
    other = invoke(*arguments, "--resume")
    assert other.exit_code == 2
    assert "a hunt with other words" in other.output
