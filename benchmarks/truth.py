"""Holds a statement about an engine to fresh positions, and shows how far a benchmark is."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from random import Random
from typing import Literal, TypeAlias, TypeVar

from datc.cases import load_ruleset
from datc.cases.tables import USUAL_EDITION
from datc.harness.bugs.experiment import Claim, find_experiments
from datc.harness.bugs.learned_condition import draw_trials
from datc.harness.play.differential import ask
from datc.harness.play.session import Adjudicator, ReferenceAdjudicator
from datc.reference_engine import ISSUES, Procedure, Ruleset
from datc.reference_engine.procedures import EQUATIONS

_T = TypeVar("_T")
Truth: TypeAlias = Literal["true", "half", "wrong"]
_BEST: Sequence[Truth] = ("true", "half", "wrong")
_MOST_TRIED = 20_000
"""Positions that are looked at for those on which a condition holds."""

RULES = load_ruleset(USUAL_EDITION).ruleset()
"""What every engine is asked to play."""
FRESH = 100
_OF_A_SIBLING = 40


def other_choices() -> Iterator[tuple[str, str]]:
    """Yield each choice of each issue that an engine is not asked to play."""
    for issue in ISSUES.values():
        yield from ((issue.id, choice) for choice in issue.choices if choice != RULES.choices[issue.id])


def truth_of(
    engine: Adjudicator, ruleset: Ruleset, procedure: Procedure, rules: Ruleset, only_when: Sequence[str] = ()
) -> Truth:
    """Hold the statement that an engine plays by a ruleset and a procedure to other positions than those of its test.

    They are those on which that predicts another answer than `rules` and the usual procedure. With a condition, the
    engine has to answer as predicted where it holds, and not where it does not.
    """
    claim = Claim(ReferenceAdjudicator(ruleset, procedure, "said"), ReferenceAdjudicator(rules))
    if not only_when:
        fresh = find_experiments(claim, count=FRESH, seed=99)
        return _truth([one.is_as(one.predicted, ask(engine, one.ordered)) for one in fresh])
    held: list[bool] = []
    elsewhere: list[bool] = []
    for trial in islice(draw_trials(Random("truth"), claim), _MOST_TRIED):
        inside = trial.features.issuperset(only_when)
        if len(held if inside else elsewhere) < FRESH:
            as_predicted = trial.answer_of(engine) is True
            (held if inside else elsewhere).append(as_predicted is inside)
        if min(len(held), len(elsewhere)) >= FRESH:
            break
    found = (_truth(held), _truth(elsewhere))
    return next(each for each in reversed(_BEST) if each in found)


def truth_of_choices(
    engine: Adjudicator, rules: Ruleset, choices: Mapping[str, str], only_when: Sequence[str] = ()
) -> Truth:
    """Hold the statement that an engine plays choices to positions that tell each from the other choices of its issue.

    Each counts in which it answers as the choice or as the other one. They must be true apart from `rules`, too.
    """
    said = rules.with_choices(choices)
    found = [truth_of(engine, said, EQUATIONS, rules, only_when)]
    for issue, choice in choices.items() if not only_when else ():
        for sibling in ISSUES[issue].choices:
            if sibling not in (choice, rules.choices[issue]):
                other = ReferenceAdjudicator(said.with_choices({issue: sibling}))
                claim = Claim(ReferenceAdjudicator(said, called="said"), other)
                fresh = find_experiments(claim, count=_OF_A_SIBLING, seed=99)
                answers = [(one, ask(engine, one.ordered)) for one in fresh]
                mine = [one.is_as(one.predicted, answer) for one, answer in answers]
                theirs = [one.is_as(one.by_rules, answer) for one, answer in answers]
                found.append(_truth([a for a, b in zip(mine, theirs, strict=True) if a != b]))
    return next(each for each in reversed(_BEST) if each in found)


def _truth(right: Sequence[bool]) -> Truth:
    share = sum(right) / len(right) if right else 1.0
    return "true" if share >= 0.9 else "half" if share >= 0.4 else "wrong"


def with_dots(outcomes: Iterable[_T]) -> Iterator[_T]:
    """Yield outcomes as they come, and print a dot for each to standard error."""
    for outcome in outcomes:
        print(".", end="", file=sys.stderr, flush=True)
        yield outcome
