"""Conditions are learned from answers, and tested on other positions before they are said."""

from __future__ import annotations

import pytest

from datc.harness.bugs.experiment import AskedOnce, find_experiments
from datc.harness.bugs.learned_condition import ConditionSearch, clause_of
from datc.harness.bugs.mutants import MUTANTS
from datc.harness.bugs.position_features import CONDITIONS, PositionFeatures
from datc.harness.bugs.variations import positions_of_suites
from datc.harness.paste.reader import read_position_text
from datc.harness.play.answer import Answer
from datc.harness.play.differential import ask
from datc.harness.play.session import Adjudicator, ReferenceAdjudicator
from datc.reference_engine import DATC_3_2

RULES = ReferenceAdjudicator(DATC_3_2)


def mutant(name: str) -> ReferenceAdjudicator:
    return ReferenceAdjudicator(DATC_3_2, MUTANTS[name].procedure, name)


def features_of(text: str) -> PositionFeatures:
    ordered, _ = read_position_text(text, "test")
    answer = ask(RULES, ordered)[0].answer
    assert isinstance(answer, Answer)
    return PositionFeatures(ordered, answer)


def condition_of(engine: Adjudicator, hypothesis: Adjudicator):
    seeds = [one.ordered for one in find_experiments(engine, RULES, count=5, seed=5)]
    return ConditionSearch(AskedOnce(engine), hypothesis, RULES, (), 0).run(seeds)


def test_the_part_of_a_mutant_that_an_engine_has_is_said_with_its_condition():
    engine = mutant("adjacent-convoy-does-not-cut")
    found = condition_of(engine, mutant("convoyed-attack-does-not-cut"))
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
    condition, other = clause_of([holds, does_not_hold])
    assert condition.holds(seen)
    assert not other.holds(seen)


def test_every_condition_has_a_text_of_its_own_and_tells_positions_of_the_suites_apart():
    texts = [text for condition in CONDITIONS for text in (condition.text, condition.negated().text)]
    assert len(set(texts)) == len(texts)
    played = [(ordered, ask(RULES, ordered)[0].answer) for ordered in positions_of_suites()]
    features = [PositionFeatures(ordered, answer) for ordered, answer in played if isinstance(answer, Answer)]
    for condition in CONDITIONS:
        assert 0 < sum(condition.holds(seen) for seen in features) < len(features), condition.text
