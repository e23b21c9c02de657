"""Experiments tell a hypothesis from the rules: bugs, choices and conditions are asked before they are said."""

import functools
import io
import itertools
import re
from dataclasses import replace
from random import Random

import msgspec
import pytest

from datc.adapters import EngineFailure, EngineSpec
from datc.adapters.builtin import BuiltinEngine, Reference
from datc.cases import load_ruleset, load_suite, ruleset_names, suite_names
from datc.harness.bugs import confirm, experiment
from datc.harness.bugs.diagnosis import diagnose, diagnose_by_experiments
from datc.harness.bugs.evidence import AskedOnce, try_statement, weigh
from datc.harness.bugs.experiment import ENOUGH, AskedPosition, Claim, find_experiments, key_of
from datc.harness.bugs.learned_condition import find_condition
from datc.harness.bugs.mutants import MUTANTS, find_mutant
from datc.harness.bugs.mutants.mutant import MutantReference, OnAnotherBoard
from datc.harness.bugs.position_features import TESTS, features
from datc.harness.play.answer import Answer
from datc.harness.play.case_verdicts import ask_case, verify_run
from datc.harness.play.differential import agree, ask
from datc.harness.play.engine import EngineAdjudicator
from datc.harness.play.session import Adjudicator, ReferenceAdjudicator
from datc.harness.play.verdict import Rules
from datc.harness.run.runner import Run
from datc.reference_engine import DATC_3_2
from datc.reference_engine.maps import load_board
from datc.reports import RunFinished, read_run
from datc.reports.json_report import JsonLinesOutput
from datc.reports.statements import UNTESTED, Evidence, Statement
from datc.reports.wording import statement_sentences

from ..search import adjudicators
from ..search.adjudicators import Answering, position_of

mutant = functools.partial(adjudicators.mutant, ruleset=DATC_3_2)
RULES = ReferenceAdjudicator(DATC_3_2)
SAMPLE = list(MUTANTS)[::9]
WORDS = "support-of-impossible-move-succeeds"
SEED = position_of(
    "England: A Lon - Bre",
    "France: F Eng C A Lon - Bre",
    "Germany: F Bre S F Naf - Mao",
    "Italy: F Naf - Mao",
    "Austria: F Mao H",
)


CONVOYED = mutant("convoyed-attack-does-not-cut")
CLAIM = Claim(CONVOYED, RULES)


@pytest.mark.parametrize("name", SAMPLE)
def test_a_mutant_has_enough_of_them_and_each_shows_it(name):
    found = find_experiments(Claim(mutant(name), RULES))
    assert ENOUGH / 2 < len(found) <= ENOUGH
    for one in found:
        assert one.is_as(one.predicted, ask(mutant(name), one.ordered))
        assert not one.is_as(one.predicted, one.by_rules)
    assert len({key_of(one.ordered) for one in found}) == len(found)


def test_a_choice_has_them_too_and_they_differ_in_size_and_place():
    other = ReferenceAdjudicator(DATC_3_2.with_choices({"4.A.2": "all-hold"}))
    found = find_experiments(Claim(other, RULES))
    assert len({len(one.ordered.units) for one in found}) > 3
    assert len({unit.location for one in found for unit in one.ordered.units}) > 20


def test_they_are_the_same_for_a_seed_and_none_was_asked_before():
    first = find_experiments(CLAIM, [SEED], seed=3)
    again = find_experiments(CLAIM, [SEED], seed=3)
    assert [key_of(one.ordered) for one in first] == [key_of(one.ordered) for one in again]
    asked = {key_of(one.ordered) for one in first}
    assert key_of(SEED) not in asked
    more = find_experiments(CLAIM, [SEED], seed=3, asked=[one.ordered for one in first])
    assert asked.isdisjoint(key_of(one.ordered) for one in more)


def test_where_what_is_known_has_the_same_answer_nothing_is_asked():
    assert find_experiments(Claim(CONVOYED, RULES, [CONVOYED])) == []
    apart = find_experiments(CLAIM, others=[mutant("foreign-support-ignored")])
    assert all(agree(one.by_rules, ask(mutant("foreign-support-ignored"), one.ordered)) for one in apart)


def test_nothing_is_said_of_a_choice_that_shows_only_where_a_known_bug_does():
    choice, bug = confirm.system((("4.A.7", "never-effect"),), DATC_3_2), mutant("swap-by-convoy-refused")
    assert find_experiments(Claim(choice, RULES, [bug])) == []


def test_a_bug_about_coasts_is_asked_of_more_than_one_province():
    """An engine in which nothing leaves Bulgaria, for example, does not get another name by chance."""
    found = find_experiments(Claim(mutant("support-cut-from-coast-of-target"), RULES))
    assert frozenset.intersection(*(one.concerned for one in found)) == frozenset()


def test_what_is_true_is_confirmed_and_what_is_not_is_refuted():
    found = find_experiments(CLAIM)
    true, false = weigh(AskedOnce(CONVOYED), found), weigh(AskedOnce(RULES), found)
    assert (true.strength, true.agreed, true.asked) == ("confirmed", ENOUGH, ENOUGH)
    assert (false.strength, false.agreed, false.as_rules) == ("refuted", 0, ENOUGH)
    assert try_statement(AskedOnce(CONVOYED), CLAIM).agreed == 2 * ENOUGH
    near = {frozenset(one.ordered.units) for one in found}
    only_near = Answering(lambda asked: (CONVOYED if frozenset(asked.units) in near else RULES).ask(asked))
    assert try_statement(AskedOnce(only_near), CLAIM).strength == "sometimes"


def test_what_changes_when_it_is_asked_again_is_flaky():
    turns = itertools.cycle([CONVOYED, CONVOYED, RULES])
    found = weigh(AskedOnce(Answering(lambda asked: next(turns).ask(asked))), find_experiments(CLAIM))
    assert (found.strength, found.flaky) == ("sometimes", True)


def test_an_engine_that_gives_no_answers_is_not_asked_on():
    questions = []

    def fail(asked):
        questions.extend([asked] * bool(asked.units))
        raise EngineFailure("gave no answer")

    assert weigh(AskedOnce(Answering(fail)), find_experiments(Claim(mutant("swap-by-land"), RULES))) == UNTESTED
    assert len(questions) < 5


def test_what_shows_in_words_alone_is_tested_by_words():
    found = find_experiments(Claim(mutant(WORDS), RULES))
    assert all(one.is_about_words for one in found)
    assert weigh(AskedOnce(mutant(WORDS)), found).strength == "confirmed"
    silent = Answering(lambda asked: replace(RULES.ask(asked), outcomes=None))
    assert weigh(AskedOnce(silent), found) == UNTESTED, "who says nothing of orders speaks for neither"


def test_a_variation_is_another_question_of_the_same_phase():
    rng = Random(1)
    for ordered in experiment.positions_of_suites()[::20]:
        varied = [experiment.vary(rng, ordered) for _ in range(10)]
        assert {one.phase for one in varied} == {ordered.phase}
        assert any(key_of(one) != key_of(ordered) for one in varied) or len(ordered.units) < 2


@pytest.mark.parametrize("name", ["standard", "modern"])
def test_a_mutant_of_the_board_shares_the_answer_of_the_rules_only_where_it_has_the_same(name):
    rng, shared, rulesets = Random(name), 0, itertools.cycle(map(load_ruleset, ruleset_names()))
    drawn = experiment.drawn_at_random(rng, board=load_board(name))
    adjustments = experiment.drawn_at_random(rng, ["adjustment"], load_board(name))  # Removals depend on distances.
    for ordered in (*itertools.islice(drawn, 60), *itertools.islice(adjustments, 300)):
        position, ruleset = AskedPosition.of(experiment.vary(rng, ordered)), next(rulesets).ruleset()
        reference = ReferenceAdjudicator(ruleset)
        for each in MUTANTS.values():
            other = ReferenceAdjudicator(ruleset, each.procedure, each.name)
            if isinstance(each.procedure["movement"], OnAnotherBoard) and (
                position.decided_by(other) == position.decided_by(reference)
            ):
                shared += 1
                said, by_rules = ask(other, position), position.answer(reference)
                assert [one.answer for one in said] == [one.answer for one in by_rules], each.name
    assert shared > 200


def features_of(ordered, about=None):
    answer = ask(RULES, ordered)[0].answer
    return features(ordered, answer, about) if isinstance(answer, Answer) else frozenset()


def condition_of(engine: Adjudicator, hypothesis: Adjudicator):
    seeds = [one.ordered for one in find_experiments(Claim(engine, RULES), count=5, seed=5)]
    return find_condition(AskedOnce(engine), Claim(hypothesis, RULES), seeds)


def test_the_part_of_a_mutant_that_an_engine_has_is_said_with_its_condition():
    engine = mutant("adjacent-convoy-does-not-cut")
    found = condition_of(engine, CONVOYED)
    assert found is not None
    assert found.strength == "only-when"
    assert found.only_when == ("a convoyed army goes to a neighbouring province",)
    assert found.agreed >= 0.9 * found.asked > 0
    assert found.elsewhere_agreed <= 0.1 * found.elsewhere_asked
    assert found.elsewhere_asked > 0


def test_bugs_that_show_under_one_condition_are_one_statement():
    when = Evidence(strength="only-when", asked=20, agreed=20, only_when=("a unit in question acts on Munich",))
    names = ["hold-support-not-cut", "one-fleet-convoys", "nobody-follows"]
    every = [when, when, msgspec.structs.replace(when, only_when=("a fleet moves",))]
    named = [confirm.Verified(name, (name,), evidence) for name, evidence in zip(names, every, strict=True)]
    tests = confirm.HypothesisTests(
        AskedOnce(ReferenceAdjudicator(DATC_3_2)), DATC_3_2, [], lambda *_: (), lambda _: None, named=named
    )
    tests.run()
    first, second = tests.named
    assert (first.explained, second.explained) == (tuple(names[:2]), tuple(names[2:]))
    one, other = (MUTANTS[name].sentence for name in names[:2])
    assert first.statement.predicate() == f"{one}, or {other}, but only when a unit in question acts on Munich"


def test_what_more_tests_refute_is_not_named_though_it_showed_sometimes():
    found = [Evidence(strength="sometimes", asked=20, agreed=14), Evidence(strength="refuted", asked=60, agreed=27)]

    class Tested(confirm.HypothesisTests[str]):
        """The first test finds it sometimes, the second one, beside all other bugs, refutes it."""

        def test(self, *_, **__):
            return found.pop(0)

    once = AskedOnce(ReferenceAdjudicator(DATC_3_2))
    tests = Tested(once, DATC_3_2, ["a"], lambda *_: ["hold-support-not-cut"], lambda _: None)
    tests.run()
    assert (tests.named, [each.evidence.agreed for each in tests.refuted]) == ([], [27])


def test_of_two_choices_of_an_issue_the_one_that_was_tested_apart_from_the_other_is_said():
    one, other = (("4.A.2", "1982"),), (("4.A.2", "2000"),)
    found = {
        one: Evidence(strength="confirmed", asked=20, agreed=20, alike=("2000",)),
        other: Evidence(strength="confirmed", asked=40, agreed=40),
    }

    class Tested(confirm.HypothesisTests[str]):
        def test(self, hypothesis, *_, **__):
            return found[hypothesis]

    def explain(wrong, rules):
        if wrong == "both":
            return [one, other]
        return [other] if rules.choices["4.A.2"] == "1982" else []

    once = AskedOnce(ReferenceAdjudicator(DATC_3_2))
    tests = Tested(once, DATC_3_2, ["both", "the other"], explain, lambda _: None)
    tests.run()
    assert [(each.hypothesis, each.explained) for each in tests.named] == [(other, ("both", "the other"))]
    assert tests.believed == dict(other)


def test_a_bug_from_a_number_of_units_on_is_said_with_that_number():
    wrong = mutant("foreign-support-ignored")
    found = condition_of(Answering(lambda asked: (wrong if len(asked.units) > 11 else RULES).ask(asked)), wrong)
    assert found is not None
    assert found.only_when == ("at least 12 units are on the board",)
    assert found.asked >= ENOUGH <= found.elsewhere_asked


def test_that_a_whole_part_is_missing_is_said_plainly_or_not_at_all():
    """Half of the circles have a support: this engine lets these turn, and no others."""
    engine = mutant("circle-refused")
    wrong = find_experiments(Claim(engine, RULES), count=5, seed=5)
    tests = confirm.HypothesisTests(
        AskedOnce(engine), DATC_3_2, [*wrong], lambda *_: ["circles-missing"], lambda one: one.ordered
    )
    tests.run()
    assert (tests.named, len(tests.left)) == ([], len(wrong))


@pytest.mark.parametrize("name", ["army-needs-no-convoy", "one-support-at-most"])
def test_no_condition_is_said_of_what_an_engine_always_does_or_does_not_do(name):
    assert condition_of(mutant(name), mutant("one-support-at-most")) is None


def test_where_nothing_near_the_seeds_tells_a_condition_no_other_positions_are_asked():
    """An engine that has a bug by chance."""
    wrong, chance, asked = mutant("one-support-at-most"), Random(2), list[int]()

    def answer(phase):
        asked.append(1)
        return (wrong if chance.random() < 0.5 else RULES).ask(phase)

    seeds = [one.ordered for one in find_experiments(Claim(wrong, RULES), count=5, seed=5)]
    assert find_condition(AskedOnce(Answering(answer)), Claim(wrong, RULES), seeds) is None
    assert len(asked) == 60


CIRCLE = "Turkey: F Ank - Con; A Con - Smy; A Smy - Ank"
BY_CONVOY = "England: A Lon - Bel; F Nth C A Lon - Bel\nFrance: F Eng - Nth; F Pic S F Eng - Bel"
TWO_ROUTES = "England: A Lon - Bel; F Nth C A Lon - Bel; F Eng C A Lon - Bel"
SUPPORT = "Germany: A Mun - Bur; A Ruh S A Mun - Bur\nFrance: A Bur - Ruh"


@pytest.mark.parametrize(
    ("text", "holds", "does_not_hold"),
    [
        (CIRCLE, "three units or more go round in a circle", "two units go to each other's province"),
        (BY_CONVOY, "a convoying fleet is attacked", "a convoying fleet is dislodged"),
        (BY_CONVOY, "a support or a convoy has no matching order", "a convoy has at least 2 routes"),
        (TWO_ROUTES, "a convoy has at least 2 routes", "a convoyed army goes to a neighbouring province"),
        (
            SUPPORT,
            "a supporting unit is attacked from where its support is for",
            "at least 2 supports are for one unit",
        ),
    ],
)
def test_what_is_said_of_a_position_is_so(text, holds, does_not_hold):
    seen = features_of(position_of(text))
    assert holds in seen
    assert does_not_hold not in seen


def test_an_unrelated_order_changes_no_condition_but_the_number_of_units():
    about = {"RUH", "MUN", "BUR"}
    alone, with_circle = (features_of(position_of(text), about) for text in (SUPPORT, f"{SUPPORT}\n{CIRCLE}"))
    assert {text for text in alone ^ with_circle if "on the board" not in text} == set()
    assert "three units or more go round in a circle" in features_of(position_of(CIRCLE))


def test_every_condition_has_a_text_of_its_own_and_tells_positions_of_the_suites_apart():
    seen = [features_of(ordered) for ordered in experiment.positions_of_suites()]
    for about, (opposite, _) in TESTS.items():
        assert any(about in each for each in seen)
        assert any(opposite in each for each in seen)


CASES = [case for name in suite_names() for case in load_suite(name).cases]


def diagnosis_of(reference: Reference, left_out=(), cases=CASES):
    engine = BuiltinEngine(reference)
    adjudicator = EngineAdjudicator(engine, engine.start().capabilities, DATC_3_2)
    found = [ask_case(adjudicator, case, Rules(DATC_3_2)) for case in cases]
    return found, diagnose_by_experiments(found, cases, DATC_3_2, adjudicator, left_out=left_out)


def strengths(named):
    return {one.evidence.strength for one in named if one.evidence is not None}


@pytest.fixture(scope="module")
def tested():
    """A run of an engine with a bug that looks like several choices, as a report and as its lines."""
    engine = BuiltinEngine(MutantReference(mutant=find_mutant("convoyed-attack-does-not-cut")))
    run = Run(engine, EngineSpec("mutant"), CASES, Rules(DATC_3_2), diagnoses=True)
    file = io.BytesIO()
    output = JsonLinesOutput(file)
    events = [*run.events()]
    for event in events:
        output.handle(event)
    assert isinstance(events[-1], RunFinished)
    return events[-1].report, file.getvalue()


def test_a_bug_is_named_and_the_choices_that_it_looks_like_are_not(tested):
    """It fits 4.A.6 = required in every case of the DATC."""
    report, _ = tested
    assert [mutant.name for mutant in report.looks_like] == ["convoyed-attack-does-not-cut"]
    assert strengths(report.looks_like) == {"confirmed"}
    assert "confirmed" not in strengths(report.tested_choices)


def test_a_deviation_of_which_all_choices_are_refuted_failed(tested):
    report, lines = tested
    deviated = {case.name for case in report.cases if case.verdict == "deviated"}
    played = {name for each in report.tested_choices if each.evidence.strength != "refuted" for name in each.cases}
    assert deviated <= played
    failed = [case for case in report.cases if case.verdict == "failed" and case.deviations]
    assert len(failed) >= 4
    alone = re.compile(r"right only under 4\.A\.6 = required \(0 of 8\), which this engine does not play")
    assert any(alone.fullmatch(case.reason) for case in failed)
    for case in failed:
        assert case.reason.endswith("which this engine does not play")
        for issue, choices in case.deviations.items():
            assert all(f"{issue} = {choice}" in case.reason for choice in choices), case.reason
    assert not any(sentence.startswith("Does not play") for sentence in statement_sentences(report))
    assert read_run(lines).cases == report.cases


def test_a_stored_run_that_tests_made_fail_follows_and_without_its_tests_does_not(tested):
    report, _ = tested
    assert verify_run(report) == []
    by_tests = {case.key for case in report.cases if case.reason.startswith("right only under")}
    assert {one.case for one in verify_run(msgspec.structs.replace(report, tested_choices=[]))} == by_tests


def test_what_no_test_showed_is_said_to_be_fitted():
    engine = BuiltinEngine(Reference(DATC_3_2.with_choices({"4.B.4": "ignored"}), fixed=True))
    run = Run(engine, EngineSpec("other"), CASES, Rules(DATC_3_2), diagnoses=True, experiments=False)
    (sentence,) = statement_sentences(run.to_the_end())
    assert sentence.startswith("May play 4.B.4 = ignored, under which it is right in 6.B.9, ")
    assert sentence.endswith("(fitted, not tested).")


def test_choices_are_confirmed_one_by_one_and_no_bug_is_named():
    other = {"4.A.2": "all-hold", "4.B.4": "ignored", "4.D.8": "dptg"}
    _, diagnosis = diagnosis_of(Reference(DATC_3_2.with_choices(other), fixed=True))
    assert diagnosis.mutants == []
    confirmed = [one.choices for one in diagnosis.choices if one.evidence.strength == "confirmed"]
    assert {issue: choice for choices in confirmed for issue, choice in choices.items()} == other


def test_a_bug_is_seen_through_other_rules():
    rules = DATC_3_2.with_choices({"4.A.2": "2000", "4.B.4": "ignored"})
    _, diagnosis = diagnosis_of(MutantReference(rules, fixed=True, mutant=find_mutant("own-support-dislodges")))
    confirmed = [one.name for one in diagnosis.mutants if one.evidence and one.evidence.strength == "confirmed"]
    assert "own-support-dislodges" in confirmed


@pytest.mark.parametrize("name", ["no-border-gal-sil", "build-abroad"])
def test_a_bug_that_no_mutant_has_gets_no_false_name(name):
    found, diagnosis = diagnosis_of(MutantReference(mutant=find_mutant(name)), left_out=[name])
    assert name in [mutant.name for mutant in diagnose(found, CASES, DATC_3_2)]
    assert name not in [mutant.name for mutant in diagnosis.mutants]
    assert "confirmed" not in strengths(diagnosis.mutants) | strengths(diagnosis.choices)


@pytest.mark.parametrize(
    ("case", "issue", "choice"), [("6.F.17", "4.A.2", "1982"), ("4.D.8-foreign-fleet", "4.D.8", "alexander")]
)
def test_a_choice_is_told_from_its_siblings_even_if_one_case_shows_it(case, issue, choice):
    cases = [each for each in CASES if each.id == case]
    _, diagnosis = diagnosis_of(Reference(DATC_3_2.with_choices({issue: choice}), fixed=True), cases=cases)
    confirmed = [one for one in diagnosis.choices if one.evidence.strength == "confirmed"]
    assert [(one.choices, one.evidence.alike) for one in confirmed] == [({issue: choice}, ())]


def test_choices_that_nothing_that_is_asked_tells_apart_are_named_together():
    claim = Claim(confirm.system((("4.A.2", "1982"),), DATC_3_2), RULES)
    found = try_statement(AskedOnce(claim.hypothesis), claim, rivals={"twin": claim.hypothesis})
    assert Statement(choices={"4.A.2": "1982"}, evidence=found).claim() == "Plays 4.A.2 = 1982 or twin"


def test_a_choice_does_not_show_sometimes_where_a_sibling_is_played():
    said, played = (confirm.system((("4.A.3", one),), DATC_3_2) for one in ("1982-totality", "1971-opposite"))
    found = [try_statement(AskedOnce(played), Claim(said, RULES), rivals=each) for each in ({}, {"": played})]
    assert [each.strength for each in found] == ["sometimes", "refuted"]


def test_a_choice_that_other_cases_rule_out_is_not_confirmed():
    found = [{"X.1": left} for left in (["a"], ["a", "b"], ["b"])]
    assert confirm.is_ruled_out(found, "X.1", "a")
    assert not confirm.is_ruled_out(found[:2], "X.1", "a")
