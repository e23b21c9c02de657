"""The comparison of answers: each fact, each impossible board, what is left out, and grouping."""

from dataclasses import replace
from random import Random
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datc.harness.bugs.generate import random_paradox, random_position, with_retreats
from datc.harness.bugs.terrain import PROFILES
from datc.harness.play import differences
from datc.harness.play.answer import Answer, Failure, OrderOutcome, PhaseInput
from datc.harness.play.differences import Fact, diff_answers, expect_answer, not_given
from datc.harness.play.session import ReferenceAdjudicator, find_impossible, play
from datc.reference_engine import DATC_3_1, ISSUES, Build, Dislodged, GivenOrder, OrderedUnit, Unit
from datc.reports.vocabulary import fact_text

PARIS = Unit("FRANCE", "A", "PAR")
BREST = Unit("FRANCE", "F", "BRE")
BURGUNDY = Unit("GERMANY", "A", "BUR")
DISLODGED = Dislodged(BURGUNDY, "PAR", ("BEL", "MUN"))
SUCCEEDS, FAILS, CUT = OrderOutcome("succeeds"), OrderOutcome("fails"), OrderOutcome("fails", "cut")
ROME = Unit("ITALY", "A", "ROM")
ANSWER = Answer((PARIS, BREST), (DISLODGED,), (SUCCEEDS, FAILS), lists_lost_units=True)
EXPECTED = expect_answer(ANSWER, attackers=True)
BOARD_KINDS = {*get_args(differences.BoardKind)}


def dislodging(*others, **changes):
    """The answer with the dislodged unit changed, and with others."""
    return replace(ANSWER, dislodged=(DISLODGED._replace(**changes), *others))


DIFFERENCES = [
    (replace(ANSWER, standing=(PARIS,)), Fact("unit-missing", BREST, "on the board", "not")),
    (replace(ANSWER, standing=(PARIS, BREST, ROME)), Fact("unit-unexpected", ROME, "not", "on the board")),
    (replace(ANSWER, dislodged=()), Fact("dislodgement-missing", BURGUNDY, "dislodged", "not")),
    (dislodging(Dislodged(ROME, "NAP", ())), Fact("dislodgement-unexpected", ROME, "not", "dislodged")),
    (dislodging(retreats=("BEL",)), Fact("retreat-missing", BURGUNDY, "MUN")),
    (dislodging(retreats=("BEL", "MUN", "RUH")), Fact("retreat-unexpected", BURGUNDY, "", "RUH")),
    (dislodging(attacked_from="SPA/SC"), Fact("attacked-from", BURGUNDY, "PAR", "SPA")),
    (replace(ANSWER, outcomes=(SUCCEEDS, SUCCEEDS)), Fact("outcome", None, "fails", "succeeds", 1)),
]


@pytest.mark.parametrize(("actual", "fact"), DIFFERENCES, ids=lambda each: getattr(each, "kind", ""))
def test_a_difference_of_each_kind_is_one_fact(actual, fact):
    assert diff_answers(EXPECTED, actual) == (fact,)
    assert bool(differences.board_facts([fact])) is fact.on_board is (fact.kind in BOARD_KINDS)
    assert fact_text(fact, ["A Paris - Burgundy", "F Brest Holds"])


def test_there_is_a_difference_of_each_kind():
    assert {fact.kind for _, fact in DIFFERENCES} == BOARD_KINDS | differences.WORD_KINDS


ASKED = PhaseInput("movement", (), (PARIS, BREST, BURGUNDY))
IMPOSSIBLE = {
    "impossible-place": (Unit("FRANCE", "A", "MAO"), BREST),
    "unit-twice": (PARIS, PARIS),
    "province-twice": (PARIS, Unit("GERMANY", "A", "PAR")),
    "unit-from-nowhere": (PARIS, Unit("FRANCE", "A", "GAS")),
}


@pytest.mark.parametrize("kind", sorted(IMPOSSIBLE))
def test_each_kind_of_impossible_board_is_found(kind):
    facts = find_impossible(ASKED, Answer(IMPOSSIBLE[kind]))
    assert kind in {fact.kind for fact in facts} <= differences.IMPOSSIBLE_KINDS
    assert all(fact_text(fact, ()).startswith("impossible board: ") for fact in facts)


def test_impossible_dislodgements_are_found():
    for entry, kind in ((DISLODGED, "standing-and-dislodged"), (Dislodged(ROME, "NAP", ()), "dislodged-from-nowhere")):
        (fact,) = find_impossible(ASKED, Answer((PARIS, BREST, BURGUNDY), (entry,)))
        assert fact.kind == kind


def test_a_unit_that_one_like_it_dislodged_is_wrong_but_possible():
    picardy = PARIS._replace(location="PIC")
    asked = ASKED._replace(units=(*ASKED.units, picardy))
    own = Dislodged(PARIS, "PIC", ())
    assert find_impossible(asked, Answer((PARIS, BREST, BURGUNDY), (own,))) == ()
    (fact,) = find_impossible(asked, Answer((PARIS, BREST, BURGUNDY, picardy), (own,)))
    assert fact.kind == "standing-and-dislodged"


def test_a_lost_unit_is_possible_but_a_build_needs_an_order():
    assert find_impossible(ASKED, Answer((PARIS, BREST))) == ()
    built = Unit("FRANCE", "F", "MAR")
    before = PhaseInput("adjustment", (), (PARIS, BREST))
    after = Answer((PARIS, BREST, built))
    assert [fact.kind for fact in find_impossible(before, after)] == ["unit-from-nowhere"]
    order = GivenOrder("FRANCE", Build(OrderedUnit("MAR", "F")))
    assert find_impossible(before._replace(orders=(order,)), after) == ()


def test_a_unit_without_a_retreat_may_be_dislodged_or_off_the_board_at_once():
    lost = dislodging(retreats=())
    at_once = Answer((PARIS, BREST), ())
    assert diff_answers(expect_answer(lost), at_once) == ()
    assert diff_answers(expect_answer(at_once), lost) == ()
    assert [fact.kind for fact in diff_answers(expect_answer(at_once), ANSWER)] == ["dislodgement-unexpected"]


def test_what_is_left_out_does_not_differ_but_is_listed():
    silent = Answer((PARIS, BREST))
    assert diff_answers(EXPECTED, silent) == ()
    assert [(fact.kind, fact.order) for fact in not_given(EXPECTED, silent)] == [
        ("dislodgement-missing", None),
        ("outcome", 0),
        ("outcome", 1),
    ]
    no_retreats = replace(ANSWER, dislodged=(Dislodged(BURGUNDY, None, None),), outcomes=(SUCCEEDS, None))
    assert diff_answers(EXPECTED, no_retreats) == ()
    assert [(fact.kind, fact.expected) for fact in not_given(EXPECTED, no_retreats)] == [
        ("retreat-missing", "BEL"),
        ("retreat-missing", "MUN"),
        ("attacked-from", "PAR"),
        ("outcome", "fails"),
    ]
    assert not_given(EXPECTED, ANSWER) == ()


def test_engines_are_grouped_by_their_boards_and_one_that_leaves_things_out_joins_the_first_group_like_it():
    other = dislodging(retreats=("BEL",))
    silent = replace(ANSWER, dislodged=None)
    assert differences.group_alike([[ANSWER], [other], [ANSWER], None, [silent]]) == ((0, 2, 4), (1,))
    assert differences.group_alike([[silent], [ANSWER], [other]]) == ((0, 1), (2,))
    assert differences.group_alike([[ANSWER], [ANSWER, ANSWER]]) == ((0,), (1,))


def test_the_same_answer_is_the_same_board_and_failures_are_the_same_by_kind():
    assert differences.same_answer(ANSWER, replace(ANSWER, outcomes=None))
    assert not differences.same_answer(ANSWER, replace(ANSWER, standing=(PARIS,)))
    assert not differences.same_answer(ANSWER, Failure("crashed"))
    assert differences.same_answer(Failure("no rule for Paris in 1901"), Failure("no rule for Brest in 1902"))
    assert not differences.same_answer(Failure("crashed"), Failure("answered late"))


def test_the_same_words_are_the_same_outcomes_whatever_the_reasons():
    assert differences.same_words(ANSWER, replace(ANSWER, outcomes=(None, CUT)))
    assert differences.same_words(ANSWER, replace(ANSWER, outcomes=None))
    assert not differences.same_words(ANSWER, replace(ANSWER, outcomes=(FAILS, FAILS)))


RULESETS = st.fixed_dictionaries({issue.id: st.sampled_from(issue.choices) for issue in ISSUES.values()})


@settings(max_examples=150)
@given(st.integers(0, 2**32), st.sampled_from([*PROFILES, "paradoxes"]), RULESETS)
def test_the_reference_engine_answers_as_expected_of_it_and_nothing_impossible(seed, source, choices):
    rng = Random(seed)
    ordered = random_paradox(rng) if source == "paradoxes" else random_position(rng, PROFILES[source])
    reference = ReferenceAdjudicator(DATC_3_1.with_choices(choices))
    for asked, answer, _ in play(reference, with_retreats(rng, ordered).phases()):
        if isinstance(answer, Answer):
            assert find_impossible(asked, answer) == ()
            expected = expect_answer(answer, attackers=True)
            assert diff_answers(expected, answer) == not_given(expected, answer) == ()
