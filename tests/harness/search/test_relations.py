"""What should make no difference to an answer is asked first, and explains what comes of it."""

import itertools
import shlex
from dataclasses import replace
from random import Random

import pytest

from datc.harness.bugs.generate import random_adjustments
from datc.harness.play.answer import Answer
from datc.harness.play.differential import ask
from datc.harness.play.session import ReferenceAdjudicator
from datc.harness.search.disagreement import (
    UNEXPLAINED,
    explain_difference,
    find_disagreement,
    unexplained_cause,
)
from datc.harness.search.drawn import draw
from datc.harness.search.folding import fold
from datc.harness.search.groups import group_findings
from datc.harness.search.investigation import Question, new_finding, with_position
from datc.harness.search.relations import RELATIONS, find_change, first_positions, moves_everywhere
from datc.harness.search.text import how_tested
from datc.harness.search.workers import open_adjudicators
from datc.reference_engine import DATC_3_1, Hold, Move, SupportHold, SupportMove, Waive, province_code, standard_board
from datc.reports.statements import Evidence

from ..cli.running import invoke, words
from .adjudicators import (
    REFERENCE,
    Altered,
    Answering,
    buggy_spec,
    contradiction,
    first_come,
    hunt_with,
    lost_border,
    plan_for,
    position_of,
)


def hunted_and_tested(bug, positions=20):
    plan = plan_for(positions, ("random", "metamorphic"), spec=buggy_spec(bug))
    with open_adjudicators(plan) as adjudicators:
        hunt = hunt_with(plan, *adjudicators)
        hunt.test_causes(adjudicators)
    return hunt


@pytest.mark.parametrize(
    ("bug", "sentence"),
    [
        ("flaky", "the same question, asked again, has another answer"),
        ("mixed-up", "two games that are asked by turns get mixed up"),
        ("first-come", "the answer depends on the order in which orders are given"),
        ("autumn", "the season changes the answer"),
        ("late-builds", "the year changes the answer"),
        ("tyrolia", "the way in which orders are written changes the answer"),
        ("crowded", "units that have nothing to do with it change the answer, where there are many"),
        ("listed", "the answer depends on the order in which units are listed"),
    ],
)
def test_what_breaks_a_relation_is_said_first(bug, sentence):
    hunt = hunted_and_tested(bug)
    assert hunt.groups[0].label == sentence
    assert hunt.positions == 20  # What is asked first does not count.


def test_nothing_is_confirmed_of_an_engine_whose_answers_change():
    groups = hunted_and_tested("state").groups
    assert groups[0].label == "answers change from the 50th request on"
    assert groups[0].folded
    assert [each.label for each in groups[1:]] == []
    assert {each.evidence.strength for each in groups} == {"untested"}


def test_what_a_relation_explains_is_folded_into_it():
    """That no army sails in autumn is found by comparison, too, and is right in spring."""
    groups = hunted_and_tested("autumn", 60).groups
    assert len(groups) == 1
    assert any("but only when" in sentence and sentence.endswith("it is autumn") for sentence in groups[0].folded)
    assert groups[0].example.relation == "season"


def test_a_rule_that_a_bridge_may_make_by_dropping_an_order_is_said_with_that():
    def drop(phase):
        return replace(REFERENCE.ask(phase._replace(orders=tuple(without_waives(phase.orders)))), outcomes=None)

    engine, drawn = Answering(drop), (random_adjustments(Random(seed)) for seed in range(600))
    found = next(each for ordered in drawn if (each := find_disagreement(engine, REFERENCE, ordered, words=False)))
    (group,) = fold(plan_for(), engine, group_findings([finding_of(found)]), lambda: False)
    assert "or the bridge drops `waive`: `datc-check engines check` asks for that" in how_tested(group)


@pytest.mark.parametrize(("choice", "is_hinted"), [("2000-fallback-unordered", False), ("1982-totality", True)])
def test_a_bridge_whose_engine_tells_via_convoy_is_not_said_to_drop_it(choice, is_hinted):
    engine = ReferenceAdjudicator(DATC_3_1.with_choices({"4.A.3": choice}))
    found = find_disagreement(engine, REFERENCE, position_of("England: A Lon - Yor via convoy"), words=False)
    assert found is not None
    (group,) = fold(plan_for(), engine, group_findings([finding_of(found)]), lambda: False)
    assert bool(group.dropped) == is_hinted


def test_a_relation_explains_nothing_that_is_wrong_in_each_form():
    """Of the moves to a province only the first counts, and no army goes from Galicia to Silesia."""
    engine = Altered(lambda ordered: first_come(lost_border(ordered)))
    ordered = position_of("England: A Hol - Bel", "France: A Pic - Bel")
    broken = next(found for salt in range(9) if (found := contradiction(engine, ordered, "shuffled", salt)))
    lines = ("Austria: A Gal - Sil",), ("Austria: A Gal - Sil", "Russia: F Bla H"), ("Italy: A Rom - Ven, A Tyr - Ven",)
    findings = [finding_of(broken, -1)]
    findings += [finding_of(wrong_in(engine, *each), number, UNEXPLAINED) for number, each in enumerate(lines)]
    groups = fold(plan_for(), engine, [group_of(each) for each in findings], lambda: False)
    (first,) = (group for group in groups if group.relation)
    assert [each.number for each in first.findings] == [-1, 2]


def test_what_is_wrong_in_one_province_alone_is_one_bug_whichever_rule_it_breaks():
    """The last position fits nowhere else: no other province has six neighbours whose armies can attack it alike."""
    lines = (
        ("Germany: A Ber - Mun",),
        ("France: A Bur - Mun", "Germany: A Ber - Mun, A Kie S A Ber - Mun"),
        ("Germany: A Ber - Mun, A Kie S A Ber - Mun, A Sil S A Ber - Mun", "Italy: A Tyr - Mun, A Boh S A Tyr - Mun"),
    )
    for engine, count in ((staying({"MUN"}), 1), (staying(set(standard_board().locations)), 3)):
        found = [finding_of(wrong_in(engine, *each), number, UNEXPLAINED) for number, each in enumerate(lines)]
        assert len(fold(plan_for(), engine, [group_of(each) for each in found], lambda: False)) == count


def test_what_is_wrong_only_after_another_question_is_explained_by_that():
    """Supports do not count right after a question with moves: the second position of a group is wrong again."""
    plan = plan_for(spec=buggy_spec("after-moves"))
    asked = [
        position_of("France: A Gas - Spa, A Mar S A Gas - Spa", "Italy: F Wes - Spa/sc"),
        position_of("France: A Par - Bur", "Germany: A Ruh - Bur, A Mun S A Ruh - Bur"),
    ]
    with open_adjudicators(plan) as (engine,):
        again = contradiction(engine, asked[0], "again")
        wrong = [find_disagreement(engine, REFERENCE, each, words=False) for each in asked]
        assert again is not None
        findings = [finding_of(each, number, UNEXPLAINED) for number, each in enumerate(wrong) if each is not None]
        groups = [*group_findings(findings), group_of(finding_of(again, 2, asked="again"))]
        (group,) = fold(plan, engine, groups, lambda: False)
    assert (group.relation, len(group.findings)) == ("again", 3)


def test_a_bug_that_explains_little_is_joined_with_a_much_larger_one_whose_rule_it_breaks():
    """No support counts, and where a unit has three, that looks like a bug with a name."""
    wrong = wrong_in(
        Altered(lambda ordered: ordered._replace(orders=tuple(filter(is_no_support, ordered.orders)))),
        "Germany: A Ruh - Bur, A Mun S A Ruh - Bur, A Bel S A Ruh - Bur, A Pic S A Ruh - Bur",
        "France: A Bur H, A Gas S A Bur, A Mar S A Bur",
    )
    named = group_of(finding_of(wrong))._replace(evidence=Evidence(strength="confirmed", asked=40, agreed=40), rules=())
    for count, left in ((19, 2), (20, 1)):
        findings = tuple(finding_of(wrong, number + 1, unexplained_cause(wrong)) for number in range(count))
        groups = [named, *group_findings(findings)]
        assert len(fold(plan_for(), REFERENCE, groups, lambda: False)) == left


def is_no_support(given):
    return not isinstance(given.order, (SupportHold, SupportMove))


def staying(places, fewest=0):
    """An engine in which no unit moves to some places, where so many units are on the board."""

    def stay(given):
        is_stopped = isinstance(given.order, Move) and given.order.to in places
        return given._replace(order=Hold(given.order.unit)) if is_stopped else given

    def alter(ordered):
        return ordered._replace(orders=tuple(map(stay, ordered.orders))) if len(ordered.units) >= fewest else ordered

    return Altered(alter)


def test_a_crowd_that_a_position_has_is_left_out():
    """Where many units are the reason, a position that shows it has as many."""
    ordered = position_of("Russia: A War - Gal, A Sil H", "France: A Por H, A Spa H, A Naf H, A Tun H, A Mar H")
    found = contradiction(staying({"GAL"}, fewest=7), ordered, "crowd", salt=1)
    assert found is not None
    assert found.relation == RELATIONS["crowd"].sentence


def wrong_in(engine, *lines):
    found = find_disagreement(engine, REFERENCE, position_of(*lines), words=False)
    assert found is not None
    return found


def finding_of(found, number=0, cause=None, asked="shuffled"):
    said = [("the engine", found.said), ("the reference", found.expected)]
    relation = asked if found.relation else ""
    question = Question(number, "random", relation=relation)
    return with_position(new_finding(question, cause or explain_difference(found), found), found, said)


def group_of(finding):
    (group,) = group_findings([finding])
    return group


def without_waives(orders):
    return [each for each in orders if not isinstance(each.order, Waive)]


def test_the_doctor_confirms_nothing_of_an_engine_whose_answers_change():
    engine = buggy_spec("state").command
    assert engine
    done = invoke("doctor", f"exec:{shlex.join(engine)}", "--suite", "datc-3.2")
    said = words(done.output)
    assert done.exit_code == 1
    assert "(not tested: its answers change when it is asked again)" in said
    assert "new positions agree" not in said
    assert "Plays" not in said


def forgetting(when):
    """Forgets supports at the requests of which this is true."""
    asked = []

    def answer(phase):
        asked.append(phase)
        orders = [each for each in phase.orders if not isinstance(each.order, (SupportHold, SupportMove))]
        forgot = phase._replace(orders=tuple(orders)) if when(len(asked)) else phase
        return replace(REFERENCE.ask(forgot), outcomes=None)

    return Answering(answer)


@pytest.mark.parametrize(
    ("when", "sentence"),
    [
        (lambda count: count >= 50, "answers change from the 50th request on"),
        (lambda count: count >= 103, "answers change from the 103rd request on"),
        (lambda count: count == 50, "the same question, asked again, has another answer"),
        (lambda _: True, None),
    ],
)
def test_from_which_request_on_answers_change_is_found(when, sentence):
    found = find_change(forgetting(when), first_positions()[0]._replace(retreats=None))
    assert (found and found.sentence) == sentence


TURNS = itertools.count()


class Restartable(Answering):
    """Forgets supports where this is true of the number of its start."""

    starts = 1

    def __init__(self, when):
        super().__init__(lambda phase: forgetting(lambda _: when(self.starts)).ask(phase))

    def restart(self):
        self.starts += 1
        return True


@pytest.mark.parametrize(
    ("when", "is_found"),
    [
        (lambda start: start == 2, True),
        (lambda _: True, False),
        (lambda _: next(TURNS) % 3 == 0, False),
    ],
    ids=["otherwise", "alike", "at-random"],
)
def test_an_engine_that_answers_otherwise_after_a_restart_is_found(when, is_found):
    found = contradiction(Restartable(when), first_positions()[0], "restart")
    assert (found and found.relation) == (RELATIONS["restart"].sentence if is_found else None)


def test_what_was_asked_before_is_no_change_in_time():
    """What an engine answers first, it may answer because of what it was asked before: it starts again."""
    first, asked = first_positions()[0]._replace(retreats=None), itertools.count()
    assert find_change(forgetting(lambda count: count < 10), first) is not None
    assert find_change(Restartable(lambda start: start == 1 and next(asked) < 10), first) is None


def test_answers_that_change_are_one_cause_however_that_was_found():
    first = first_positions()[0]
    found = {
        "later": contradiction(forgetting(lambda count: count >= 50), first._replace(retreats=None), "later"),
        "again": contradiction(forgetting(lambda count: count == 3), first, "again"),
    }
    groups = [group_of(finding_of(each, number, asked=name)) for number, (name, each) in enumerate(found.items())]
    assert {group.relation for group in groups} == {*found}
    (group,) = fold(plan_for(), REFERENCE, groups, lambda: False)
    assert len(group.folded) == 1


def test_seasons_and_years_come_from_the_numbers_alone():
    """A seed draws the same positions as without them."""
    drawn = [draw(plan_for(), number)[1] for number in range(60)]
    assert {each.season for each in drawn} == {"spring", "autumn", "winter"}
    assert {min(each.year for each in drawn), max(each.year for each in drawn)} == {1901, 1920}
    assert [(phase.season, phase.year) for phase in drawn[0].phases()] == [(drawn[0].season, drawn[0].year)]


def test_each_place_is_named_in_what_is_asked_first_and_shows():
    board = first_positions()[0].position.board
    moved_to: list[str] = []
    for ordered in moves_everywhere():
        ((_, answer, _),) = ask(REFERENCE, ordered)
        assert isinstance(answer, Answer)
        goals = [given.order.to for given in ordered.orders if isinstance(given.order, Move)]
        assert {unit.location for unit in answer.units} == {*goals}
        moved_to += goals
        assert len({province_code(unit.location) for unit in ordered.units}) == len(ordered.units)
    assert sorted(moved_to) == sorted(board.locations)
