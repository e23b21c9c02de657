"""Experiments tell a hypothesis from the rules, and are weighed; conditions are learned from them, and tested."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from datc.adapters import EngineFailure
from datc.harness.bugs.experiment import (
    ENOUGH,
    AskedOnce,
    Claim,
    confirm,
    find_experiments,
    key_of,
    positions_of_suites,
    vary,
    weigh,
)
from datc.harness.bugs.learned_condition import find_condition
from datc.harness.bugs.mutants import MUTANTS
from datc.harness.bugs.position_features import LITERALS, PositionFeatures, is_so
from datc.harness.paste.reader import read_position_text
from datc.harness.play.answer import Answer
from datc.harness.play.differential import agree, ask
from datc.harness.play.session import Adjudicator, ReferenceAdjudicator
from datc.reference_engine import DATC_3_2
from datc.reports.statements import UNTESTED

RULES = ReferenceAdjudicator(DATC_3_2)
SAMPLE = list(MUTANTS)[::9]
WORDS = "support-of-impossible-move-succeeds"
SEED, _ = read_position_text(
    "England: A Lon - Bre\nFrance: F Eng C A Lon - Bre\nGermany: F Bre S F Naf - Mao\n"
    + "Italy: F Naf - Mao\nAustria: F Mao H",
    "test",
)


def mutant(name: str) -> ReferenceAdjudicator:
    return ReferenceAdjudicator(DATC_3_2, MUTANTS[name].procedure, name)


CONVOYED = mutant("convoyed-attack-does-not-cut")
CLAIM = Claim(CONVOYED, RULES)


class Between(Adjudicator):
    """Answers as one adjudicator now and as another one then."""

    def __init__(self, one: Adjudicator, other: Adjudicator, every: int) -> None:
        self.name = "between"
        self._both = one, other
        self._every = every
        self._asked = 0

    def ask(self, asked):
        self._asked += 1
        return self._both[self._asked % self._every == 0].ask(asked)


class Silent(Adjudicator):
    """Says nothing of orders."""

    name = "silent"

    def ask(self, asked):
        return replace(RULES.ask(asked), outcomes=None)


class Broken(Adjudicator):
    name = "broken"

    def __init__(self) -> None:
        self.asked = 0

    def ask(self, asked):
        self.asked += bool(asked.units)
        raise EngineFailure("gave no answer")


@pytest.mark.parametrize("name", SAMPLE)
def test_a_mutant_has_enough_of_them_and_each_shows_it(name):
    found = find_experiments(Claim(mutant(name), RULES))
    assert ENOUGH / 2 < len(found) <= ENOUGH
    for experiment in found:
        assert experiment.is_as(experiment.predicted, ask(mutant(name), experiment.ordered))
        assert not experiment.is_as(experiment.predicted, experiment.by_rules)
    assert len({key_of(experiment.ordered) for experiment in found}) == len(found)


def test_a_choice_has_them_too_and_they_differ_in_size_and_place():
    other = ReferenceAdjudicator(DATC_3_2.with_choices({"4.A.2": "all-hold"}))
    found = find_experiments(Claim(other, RULES))
    assert len({len(experiment.ordered.units) for experiment in found}) > 3
    assert len({unit.location for experiment in found for unit in experiment.ordered.units}) > 20


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


def test_what_is_true_is_confirmed_and_what_is_not_is_refuted():
    found = find_experiments(CLAIM)
    true, false = weigh(AskedOnce(CONVOYED), found), weigh(AskedOnce(RULES), found)
    assert (true.strength, true.agreed, true.asked) == ("confirmed", ENOUGH, ENOUGH)
    assert (false.strength, false.agreed, false.as_rules) == ("refuted", 0, ENOUGH)
    more = find_experiments(CLAIM, seed=1, asked=[one.ordered for one in found])
    assert confirm(AskedOnce(CONVOYED), true, more).agreed == 2 * ENOUGH
    assert confirm(AskedOnce(RULES), true, more).strength == "sometimes"


def test_what_changes_when_it_is_asked_again_is_flaky():
    found = weigh(AskedOnce(Between(CONVOYED, RULES, 3)), find_experiments(CLAIM))
    assert (found.strength, found.flaky) == ("sometimes", True)


def test_an_engine_that_gives_no_answers_is_not_asked_on():
    broken = Broken()
    assert weigh(AskedOnce(broken), find_experiments(Claim(mutant("swap-by-land"), RULES))) == UNTESTED
    assert broken.asked < 5


def test_what_shows_in_words_alone_is_tested_by_words():
    found = find_experiments(Claim(mutant(WORDS), RULES))
    assert all(experiment.is_about_words for experiment in found)
    assert weigh(AskedOnce(mutant(WORDS)), found).strength == "confirmed"
    assert weigh(AskedOnce(Silent()), found).agreed == 0, "who says nothing of orders does not agree"


def test_a_variation_is_another_question_of_the_same_phase():
    rng = Random(1)
    for ordered in positions_of_suites()[::20]:
        varied = [vary(rng, ordered) for _ in range(10)]
        assert {one.phase for one in varied} == {ordered.phase}
        assert any(key_of(one) != key_of(ordered) for one in varied) or len(ordered.units) < 2


def features_of(text: str) -> PositionFeatures:
    ordered, _ = read_position_text(text, "test")
    answer = ask(RULES, ordered)[0].answer
    assert isinstance(answer, Answer)
    return PositionFeatures(ordered, answer)


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


def test_of_an_engine_that_does_something_else_no_condition_is_said():
    engine = mutant("army-needs-no-convoy")
    assert condition_of(engine, mutant("one-support-at-most")) is None


def test_what_an_engine_always_does_needs_no_condition():
    engine = mutant("one-support-at-most")
    assert condition_of(engine, engine) is None


CIRCLE = "Turkey: F Ank - Con; A Con - Smy; A Smy - Ank"
BY_CONVOY = "England: A Lon - Bel; F Nth C A Lon - Bel\nFrance: F Eng - Nth; F Pic S F Eng - Bel"
TWO_ROUTES = "England: A Lon - Bel; F Nth C A Lon - Bel; F Eng C A Lon - Bel"
SUPPORT = "Germany: A Mun - Bur; A Ruh S A Mun - Bur\nFrance: A Bur - Ruh"


@pytest.mark.parametrize(
    ("text", "holds", "does_not_hold"),
    [
        (CIRCLE, "three units or more go round in a circle", "two units go to each other's province"),
        (BY_CONVOY, "a convoying fleet is attacked", "a convoying fleet is dislodged"),
        (BY_CONVOY, "a support or a convoy has no matching order", "a convoy has several routes"),
        (TWO_ROUTES, "a convoy has several routes", "a convoyed army goes to a neighbouring province"),
        (SUPPORT, "a supporting unit is attacked from where its support is for", "a unit has several supports"),
    ],
)
def test_what_is_said_of_a_position_is_so(text: str, holds: str, does_not_hold: str):
    seen = features_of(text)
    assert is_so(holds, seen)
    assert not is_so(does_not_hold, seen)


def test_every_condition_has_a_text_of_its_own_and_tells_positions_of_the_suites_apart():
    assert len(LITERALS) == 2 * len({test for test, _ in LITERALS.values()})
    played = [(ordered, ask(RULES, ordered)[0].answer) for ordered in positions_of_suites()]
    features = [PositionFeatures(ordered, answer) for ordered, answer in played if isinstance(answer, Answer)]
    for literal in LITERALS:
        assert 0 < sum(is_so(literal, seen) for seen in features) < len(features), literal
