"""Tests the choices that the answers of an engine fit, by new questions on which other choices have other answers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice

from ...cases import load_suite, suite_names
from ...reference_engine import ISSUES, Ruleset
from ...reports import Evidence
from ..experiments.trials import ENOUGH, Experiment, find_experiments, weigh
from ..experiments.variations import key_of, position_of_case
from ..positions import OrderedPosition
from ..session import Adjudicator, ReferenceAdjudicator
from .infer import Conclusion, Finding

_ENOUGH_AS_ASKED = 8
"""Fewer experiments where the choice is the one that the engine was asked to play."""
_MOST_ALTERNATIVES = 4
_MOST_TRIED = 200
"""Positions that are looked at for the experiments of one pair of choices, beside those of the suites."""


def choices_by_experiments(
    engine: Adjudicator, conclusion: Conclusion, in_force: Ruleset, seed: int = 0
) -> Mapping[str, Evidence]:
    """Ask an engine new questions about each choice that it was found to make.

    Args:
        engine: The engine.
        conclusion: What was concluded from its answers to cases.
        in_force: The rules that it was asked to play.
        seed: Another one gives other questions.

    Returns:
        For each issue with one choice left and a proof, what the experiments say: on each of them the choice has
        another answer than some other choice, with all other issues as they were found.

    Raises `EngineGaveOutError` and `EngineClosedError`.
    """
    settled = {
        issue: found.choices[0]
        for issue, found in conclusion.findings.items()
        if len(found.choices) == 1 and found.proof
    }
    rules = in_force.with_choices(settled)
    return {
        issue: weigh(
            engine,
            _experiments(issue, rules, _ENOUGH_AS_ASKED if in_force.choices[issue] == choice else ENOUGH, seed),
            either=True,
        )
        for issue, choice in settled.items()
    }


def _experiments(issue: str, rules: Ruleset, count: int, seed: int) -> Iterator[Experiment]:
    """Find experiments that tell the choice of some rules from the other choices of an issue, each as often."""
    others = [choice for choice in ISSUES[issue].choices if choice != rules.choices[issue]][:_MOST_ALTERNATIVES]
    mine = ReferenceAdjudicator(rules, called=f"{issue} = {rules.choices[issue]}")
    if not _pool(issue):  # It takes sets of orders, for example, which no position has.
        return iter(())
    each = -(-count // len(others))
    found = [
        find_experiments(
            mine,
            ReferenceAdjudicator(rules.with_choices({issue: other})),
            count=each,
            pool=_pool(issue),
            seed=seed,
            most_tried=_MOST_TRIED,
        )
        for other in others
    ]
    distinct = {key_of(one.ordered): one for several in found for one in several}
    return islice(distinct.values(), count)


@cache
def _pool(issue: str) -> Sequence[OrderedPosition]:
    """The positions of the cases that turn on an issue."""
    cases = [case for name in suite_names() for case in load_suite(name).cases if issue in case.deciding_issues]
    return [ordered for case in cases if (ordered := position_of_case(case)) is not None]


def without_findings(conclusion: Conclusion, issues: Collection[str]) -> Conclusion:
    """Take away what was found of some issues: any of their choices may be the engine's."""
    findings = {
        issue: Finding(ISSUES[issue].choices, (), "its choice did not stand its test") if issue in issues else found
        for issue, found in conclusion.findings.items()
    }
    return replace(conclusion, findings=findings)


def not_played(evidence: Mapping[str, Evidence]) -> Collection[str]:
    """The issues whose choice did not stand its test."""
    return [issue for issue, found in evidence.items() if found.strength in ("refuted", "sometimes")]
