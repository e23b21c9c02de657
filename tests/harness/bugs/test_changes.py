"""The search for the fewest changes of choices that explain an engine's answers."""

import itertools
from dataclasses import replace
from random import Random

import pytest

from datc.cases import load_suite
from datc.harness.bugs.changes import find_changes, is_one_clear_set, issues_of, unraised_issues
from datc.harness.bugs.generate import (
    random_adjustments,
    random_movements,
    random_paradox,
    random_position,
    with_retreats,
)
from datc.harness.bugs.terrain import PROFILES
from datc.harness.play.answer import Answer, PhaseInput
from datc.harness.play.session import ReferenceAdjudicator, case_inputs, find_impossible, play
from datc.reference_engine import DATC_3_1, DATC_3_2, ISSUES, GivenOrder, OrderedUnit, Retreat, Submission

from ..search.adjudicators import position_of

CASES = {case.id: case for case in load_suite("datc-3.1").cases}
PARADOX = "France: A Bre - Lon, F Eng C A Bre - Lon\nEngland: F Lon S F Wal - Eng, F Wal - Eng\n"
NO_COAST, WRONG_COAST = "Italy: F Por - Spa\n", "Turkey: F Gre - Bul(ec)\n"
ALL_HOLD, DEFAULT_COAST = {"4.A.2": "all-hold"}, {"4.B.1": "default-coast"}
IGNORE_COAST = {"4.B.3": "ignore-coast"}


def position(text):
    return position_of(text).phases()[0]


def played_with(changes, *phases):
    return list(play(ReferenceAdjudicator(DATC_3_1.with_choices(changes)), phases))


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        (PARADOX, ALL_HOLD),
        (PARADOX + NO_COAST, {**ALL_HOLD, **DEFAULT_COAST}),
        (PARADOX + NO_COAST + WRONG_COAST, {**ALL_HOLD, **DEFAULT_COAST, **IGNORE_COAST}),
    ],
)
def test_the_fewest_changes_are_found_however_few_are_tried_of_a_size(text, changes):
    answered = played_with(changes, position(text))
    found = find_changes(answered, DATC_3_1).changes
    assert changes in found
    assert all(len(change) == len(changes) for change in found)
    assert changes in find_changes(answered, DATC_3_1, most_tried=100).changes
    assert find_changes(answered, DATC_3_1, most_changes=len(changes) - 1).changes == ()


def test_some_answers_need_no_change_and_some_are_given_by_none():
    asked = position("France: A Par - Bur\nGermany: A Mun H")
    (one,) = played_with({}, asked)
    assert find_changes([one], DATC_3_1).changes == ({},)
    assert isinstance(one.answer, Answer)
    assert find_changes([one._replace(answer=replace(one.answer, standing=asked.units))], DATC_3_1).changes == ()


def test_only_possible_choices_are_tried():
    answered = played_with({**ALL_HOLD, **DEFAULT_COAST}, position(PARADOX + NO_COAST))
    possible = frozenset({**ALL_HOLD, **DEFAULT_COAST}.items())
    assert find_changes(answered, DATC_3_1, possible=possible).changes == ({**ALL_HOLD, **DEFAULT_COAST},)
    assert find_changes(answered, DATC_3_1, possible=frozenset(ALL_HOLD.items())).changes == ()


def test_an_impossible_answer_fits_no_choice():
    (one,) = played_with(ALL_HOLD, position(PARADOX))
    assert isinstance(one.answer, Answer)
    twice = replace(one.answer, standing=(*one.answer.units, one.answer.units[0]))
    impossible = find_impossible(one.asked, twice)
    assert impossible
    assert find_changes([one._replace(answer=twice, impossible=impossible)], DATC_3_1).changes == ()


def test_a_phase_that_follows_counts_too_and_the_reference_goes_on_from_its_own_answer():
    (moved,) = case_inputs(CASES["6.H.12"])
    back = GivenOrder("ENGLAND", Retreat(OrderedUnit("LVP", "A"), "EDI"))
    first, second = played_with({"4.A.5": "no-retreat-to-origin"}, moved, PhaseInput("retreat", [back], follows=True))
    assert isinstance(first.answer, Answer)
    assert first.answer.dislodged is not None
    silent = tuple(entry._replace(retreats=None) for entry in first.answer.dislodged)
    first = first._replace(answer=replace(first.answer, dislodged=silent))
    assert find_changes([first], DATC_3_1).changes == ({},)
    assert {"4.A.5": "no-retreat-to-origin"} in find_changes([first, second], DATC_3_1).changes


def test_what_a_case_expects_counts_and_rules_without_an_answer_explain_nothing():
    case = CASES["6.G.17"]
    no_answer = {"4.A.3": "1971-convoy-always", "4.A.6": "required"}
    answered = played_with(no_answer, *case_inputs(case))
    found = find_changes(answered, DATC_3_1, case_phases=case.phases).changes
    assert found
    assert no_answer not in found
    assert no_answer in find_changes(answered, DATC_3_1).changes


def test_every_issue_can_matter_in_some_phase():
    phases = [issues_of(phase, one_clear_set=False) for phase in ("movement", "retreat", "adjustment")]
    assert set().union(*phases) == set(DATC_3_1.choices)
    assert "4.D.8" not in phases[0]
    assert "4.A.1" not in phases[2]


def test_orders_that_have_to_be_settled_first_are_no_clear_set():
    asked = position(PARADOX)
    assert is_one_clear_set(asked)
    twice = Submission([one._replace(order_set=number) for number, one in enumerate(asked.submission.writings, 1)])
    assert not is_one_clear_set(asked._replace(orders=twice))


def drawn(seed):
    """Return a position of each kind, with the words of its orders spoilt: names of units left out or wrong."""
    rng = Random(seed)
    every = [random_adjustments(rng), *(random_movements(rng, profile) for profile in PROFILES.values())]
    every += [with_retreats(rng, each) for each in every[1:]]
    every += [random_position(rng, PROFILES["dense"]), random_paradox(rng)]
    return [each._replace(orders=tuple(spoilt(rng, given) for given in each.orders)) for each in every]


def spoilt(rng, given):
    """Leave out or change a part of an order, now and then."""
    names = [name for name in ("unit", "supported", "convoyed") if hasattr(given.order, name)]
    if not names or rng.random() < 0.9:
        return given
    name = rng.choice(names)
    parts = {"type": (None, "A", "F"), "power": (None, "FRANCE", "ITALY"), "location": ("SPA", "SPA/SC", "PAR/NC")}
    part = rng.choice([*parts])
    changed = getattr(given.order, name)._replace(**{part: rng.choice(parts[part])})
    return given._replace(order=replace(given.order, **{name: changed}))


@pytest.mark.parametrize("seed", range(2))
def test_issues_that_orders_do_not_raise_change_no_answer(seed):
    """Under any choices of the others: here under two rulesets, and with implied orders."""
    every = [*itertools.chain(*map(drawn, range(5 * seed, 5 * seed + 5)))]
    inputs = [each.phases() for each in every] + [case_inputs(case) for case in [*CASES.values()][seed::8]]
    compared = 0
    for rules, phases in itertools.product(
        (DATC_3_2, DATC_3_1.with_choices({"4.E.3": "allowed", "4.A.3": "1971-opposite"})), inputs
    ):
        expected = [one.answer for one in play(ReferenceAdjudicator(rules), phases)]
        for issue in unraised_issues(phases):
            for choice in ISSUES[issue].choices:
                other = ReferenceAdjudicator(rules.with_choices({issue: choice}))
                assert [one.answer for one in play(other, phases)] == expected, (issue, choice, phases)
                compared += 1
    assert compared > 1000
