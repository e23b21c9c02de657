"""The reference engine against the suite, under the document's preferences and under every choice that it plays."""

import itertools

import pytest

from datc.cases import load_ruleset, load_suite, ruleset_names, suite_names
from datc.cases.loading import variant_suites
from datc.harness.play.case_verdicts import ask_case
from datc.harness.play.session import ReferenceAdjudicator
from datc.harness.play.verdict import WRONG_WHERE_ANSWERED, Rules
from datc.reference_engine import DATC_3_1, EVERY_ISSUE

from ...builtin import answered, ask_builtin

DATC_3_2 = load_ruleset("datc-3.2").ruleset()
ALL_CASES = [case for name in suite_names() for case in load_suite(name).cases]
VARIANTS = [case for name in variant_suites() for case in load_suite(name).cases]


@pytest.mark.parametrize("suite", ["datc-3.1", "datc-3.2"])
def test_it_passes_the_cases_in_the_words_of_the_document(suite):
    ruleset = load_ruleset(suite).ruleset()
    for case in load_suite(suite).cases:
        found = ask_builtin(case, ruleset)
        told = found.verdict, found.notes, [missing for phase in found.phases for missing in phase.not_given]
        assert told == ("passed", [], []), (case.id, found.reason)


def each_answer(case, ruleset, issues):
    """One ruleset for each answer that the choices of some issues lead to, with that answer."""
    answers = {}
    for choices in itertools.product(*(EVERY_ISSUE[issue].choices for issue in issues)):
        changed = ruleset.with_choices(dict(zip(issues, choices, strict=True)))
        _ = answers.setdefault(answered(case, changed), changed)
    return answers


@pytest.mark.slow
def test_it_plays_each_choice_as_the_case_expects():
    for case in (*ALL_CASES, *VARIANTS):
        rulesets = each_answer(case, DATC_3_1, case.deciding_issues).values()
        found = [ask_builtin(case, ruleset) for ruleset in rulesets]
        verdicts = {each.verdict for each in found}
        assert {"passed"} <= verdicts <= {"passed", "not-run"}, (case.key, [each.reason for each in found])
        assert not any(each.notes for each in found), case.key


def test_what_two_choices_together_make_right_is_no_failure():
    """Also where they change nothing but the outcome of an order, whose word the document has for its own rules."""
    for case in load_suite("datc-3.2").cases:
        seen = {}
        for issues in itertools.combinations(case.deciding_issues, 2):
            for (board, _), ruleset in each_answer(case, DATC_3_2, issues).items():
                _ = seen.setdefault(board, ruleset)
        for ruleset in seen.values():
            found = ask_case(ReferenceAdjudicator(ruleset), case, Rules(DATC_3_2))
            assert found.verdict != "failed" or WRONG_WHERE_ANSWERED in found.reason, (case.id, ruleset, found.reason)


@pytest.mark.parametrize(
    ("case_id", "issue", "on_the_map", "other"),
    [
        ("S.army-permits", "canal.permits", "fleet", "unit"),
        ("S.keeper-leaves", "canal.stays", "turn", "beginning"),
        ("R.same-direction-blocks", "railway.opens", "move-off-the-line", "any-move"),
    ],
)
def test_an_issue_of_a_map_is_as_on_the_map_unless_another_choice_is_in_force(case_id, issue, on_the_map, other):
    case = next(case for case in VARIANTS if case.id == case_id)
    changed = DATC_3_2.with_choices({issue: other})
    assert ask_builtin(case, changed).verdict == "passed"
    found = ask_case(ReferenceAdjudicator(changed), case, Rules(DATC_3_2))
    assert (found.verdict, found.deviations) == ("deviated", {issue: [other]})
    assert f"in force is {issue} = {on_the_map}" in found.reason
    assert ask_case(ReferenceAdjudicator(DATC_3_2), case, Rules(changed)).deviations == {issue: [on_the_map]}


@pytest.mark.parametrize("name", ruleset_names())
def test_it_passes_every_case_of_every_suite_under_each_ruleset(name):
    ruleset = load_ruleset(name).ruleset()
    verdicts = {(case.suite, case.id): ask_builtin(case, ruleset).verdict for case in (*ALL_CASES, *VARIANTS)}
    assert {case: verdict for case, verdict in verdicts.items() if verdict != "passed"} == {}


OTHER_WORDS = {("decisions", "datc-3.2", f"6.F.{number}") for number in (16, 17, 18, 23, 24, 27)}
"""Paradoxes in which 3.2 calls a convoy disrupted whose fleet stands: 2.4 lets the move of the army fail instead."""


@pytest.mark.parametrize(("procedure", "ruleset"), [("guess", "datc-3.1"), ("decisions", "datc-2.4")])
def test_it_passes_every_case_under_the_ruleset_of_its_document(procedure, ruleset):
    rules = load_ruleset(ruleset).ruleset()
    for case in ALL_CASES:
        found = ask_builtin(case, rules, procedure)
        told = found.board_verdict if (procedure, case.suite, case.id) in OTHER_WORDS else found.verdict
        assert told == "passed", (case.suite, case.id, found.reason, found.phases)
