"""Experiments tell a hypothesis from the rules, are fresh and varied, and what an engine answers is weighed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from datc.adapters import EngineFailure
from datc.harness.bugs.experiment import ENOUGH, AskedOnce, confirm, find_experiments, weigh
from datc.harness.bugs.mutants import MUTANTS
from datc.harness.bugs.variations import key_of, positions_of_suites, vary
from datc.harness.paste.reader import read_position_text
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
    found = find_experiments(mutant(name), RULES)
    assert ENOUGH / 2 < len(found) <= ENOUGH
    for experiment in found:
        assert experiment.is_as(experiment.predicted, ask(mutant(name), experiment.ordered))
        assert not experiment.is_as(experiment.predicted, experiment.by_rules)
    assert len({key_of(experiment.ordered) for experiment in found}) == len(found)


def test_a_choice_has_them_too_and_they_differ_in_size_and_place():
    other = ReferenceAdjudicator(DATC_3_2.with_choices({"4.A.2": "all-hold"}))
    found = find_experiments(other, RULES)
    assert len({len(experiment.ordered.units) for experiment in found}) > 3
    assert len({unit.location for experiment in found for unit in experiment.ordered.units}) > 20


def test_they_are_the_same_for_a_seed_and_none_was_asked_before():
    hypothesis = mutant("convoyed-attack-does-not-cut")
    first = find_experiments(hypothesis, RULES, [SEED], seed=3)
    again = find_experiments(hypothesis, RULES, [SEED], seed=3)
    assert [key_of(one.ordered) for one in first] == [key_of(one.ordered) for one in again]
    asked = {key_of(one.ordered) for one in first}
    assert key_of(SEED) not in asked
    more = find_experiments(hypothesis, RULES, [SEED], seed=3, asked=[one.ordered for one in first])
    assert asked.isdisjoint(key_of(one.ordered) for one in more)


def test_where_what_is_known_has_the_same_answer_nothing_is_asked():
    hypothesis = mutant("convoyed-attack-does-not-cut")
    assert find_experiments(hypothesis, RULES, known=[hypothesis]) == []
    apart = find_experiments(hypothesis, RULES, others=[mutant("foreign-support-ignored")])
    assert all(agree(one.by_rules, ask(mutant("foreign-support-ignored"), one.ordered)) for one in apart)


def test_what_is_true_is_confirmed_and_what_is_not_is_refuted():
    hypothesis = mutant("convoyed-attack-does-not-cut")
    found = find_experiments(hypothesis, RULES)
    true, false = weigh(AskedOnce(hypothesis), found), weigh(AskedOnce(RULES), found)
    assert (true.strength, true.agreed, true.asked) == ("confirmed", ENOUGH, ENOUGH)
    assert (false.strength, false.agreed, false.as_rules) == ("refuted", 0, ENOUGH)
    more = find_experiments(hypothesis, RULES, seed=1, asked=[one.ordered for one in found])
    assert confirm(AskedOnce(hypothesis), true, more).agreed == 2 * ENOUGH
    assert confirm(AskedOnce(RULES), true, more).strength == "sometimes"


def test_what_changes_when_it_is_asked_again_is_flaky():
    hypothesis = mutant("convoyed-attack-does-not-cut")
    found = weigh(AskedOnce(Between(hypothesis, RULES, 3)), find_experiments(hypothesis, RULES))
    assert (found.strength, found.flaky) == ("sometimes", True)


def test_an_engine_that_gives_no_answers_is_not_asked_on():
    broken = Broken()
    assert weigh(AskedOnce(broken), find_experiments(mutant("swap-by-land"), RULES)) == UNTESTED
    assert broken.asked < 5


def test_what_shows_in_words_alone_is_tested_by_words():
    found = find_experiments(mutant(WORDS), RULES)
    assert all(experiment.is_about_words for experiment in found)
    assert weigh(AskedOnce(mutant(WORDS)), found).strength == "confirmed"
    assert weigh(AskedOnce(Silent()), found).agreed == 0, "who says nothing of orders does not agree"


def test_a_variation_is_another_question_of_the_same_phase():
    import random

    rng = random.Random(1)
    for ordered in positions_of_suites()[::20]:
        varied = [vary(rng, ordered) for _ in range(10)]
        assert {one.phase for one in varied} == {ordered.phase}
        assert any(key_of(one) != key_of(ordered) for one in varied) or len(ordered.units) < 2
