"""Tests what explains findings by new questions to an engine, and groups them by what stood its test."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, final

from msgspec.structs import replace

from ...reference_engine import Ruleset
from ..bugs.confirm import Hypothesis, HypothesisTests, Verified, changes_from, system
from ..bugs.experiment import AskedOnce
from ..play.differential import agree, ask
from ..play.session import Adjudicator, ReferenceAdjudicator
from .disagreement import UNEXPLAINED, Disagreement, explaining_mutants, unexplained_cause
from .drawn import draw
from .findings import Finding
from .groups import Group, Refuted, group_by_pattern, sort_groups
from .patterns import shape
from .plan import Plan

_MOST_TESTED = 40
_MOST_ASKED_AGAIN = 100
"""Findings that were not shrunk, and are asked again to see what explains them."""


class _Found(NamedTuple):
    """A finding, and what the engine answered to its smallest position if it was shrunk."""

    finding: Finding
    wrong: Disagreement | None = None


def group_by_experiments(
    plan: Plan, engine: int, adjudicator: Adjudicator, findings: Sequence[Finding], stop: Callable[[], bool]
) -> Sequence[Group]:
    """Group the findings of one engine by the causes that experiments confirm; the rest by what they look like.

    Args:
        plan: The hunt that made the findings.
        engine: The number of the engine in the plan.
        adjudicator: The engine.
        findings: What it answered otherwise.
        stop: Whether it is to be asked no more.

    Raises `EngineGaveOutError` and `EngineClosedError`.
    """
    found = [
        _Found(each, None if each.position is None else Disagreement(*each.played(), plan.ruleset)) for each in findings
    ]
    return _Grouping(plan, engine, adjudicator, found, stop).groups()


@final
@dataclass
class _Grouping:
    plan: Plan
    engine: int
    adjudicator: Adjudicator
    found: list[_Found]
    stop: Callable[[], bool]
    _explaining: dict[tuple[int, Ruleset], Sequence[str]] = field(default_factory=dict)
    """For each finding the mutants that explain it under some rules."""

    def groups(self) -> Sequence[Group]:
        tests = HypothesisTests(
            AskedOnce(self.adjudicator),
            self.plan.ruleset,
            self.found,
            self._causes_of,
            lambda one: one.wrong and one.wrong.ordered,
            seed=self.plan.seed,
            stop=self.stop,
            most=_MOST_TESTED,
        )
        tests.run()
        members = [list(each.explained) for each in tests.named]
        left: list[_Found] = []
        for one in self._asked_again(tests.left):
            home = self._home(one, tests)
            (left if home is None else members[home]).append(one)
        groups: list[Group] = []
        for tested, mine in zip(tests.named, members, strict=True):
            statement, evidence = tested.statement, tested.evidence
            findings = tuple(one.finding for one in mine)
            if statement.bug or not evidence.stands:  # It is no rule that the engine plays, or not always.
                groups.append(Group(self.engine, "bug", statement.does(), {}, findings, evidence))
            else:
                changes = {issue: [choice] for issue, choice in statement.choices.items()}
                groups.append(Group(self.engine, "deviation", "", changes, findings, evidence))
        shapes = {
            finding.number: shape(wrong.ordered, wrong.expected, wrong.said)
            for finding, wrong in left
            if finding.position is None and wrong is not None
        }
        rest = group_by_pattern(self.engine, map(self._without_cause, left), shapes)
        return sort_groups([*groups, *(self._with_refuted(group, tests.refuted) for group in rest)])

    def _causes_of(self, one: _Found, rules: Ruleset) -> Sequence[Hypothesis]:
        finding, wrong = one
        mutants: Sequence[str] = finding.cause.mutants
        if wrong is not None and finding.cause.kind != "failure" and not finding.relation:
            key = finding.number, rules
            if key not in self._explaining:
                found = wrong._replace(ruleset=rules)
                self._explaining[key] = [] if found.is_about_words else explaining_mutants(found)
            mutants = self._explaining[key]
        return [*changes_from(rules, finding.cause.changes), *mutants]

    def _asked_again(self, left: Sequence[_Found]) -> Iterator[_Found]:
        """Ask the first of those that were counted alone again, each its position as it was drawn."""
        asked = 0
        for one in left:
            if one.wrong is not None or one.finding.cause.kind == "failure" or asked >= _MOST_ASKED_AGAIN:
                yield one
                continue
            drawn = draw(self.plan, one.finding.number)
            if drawn.relation or self.stop():
                yield one
                continue
            asked += 1
            expected = ask(ReferenceAdjudicator(self.plan.ruleset), drawn.ordered)
            said = ask(self.adjudicator, drawn.ordered)
            found = Disagreement(drawn.ordered, said, expected, self.plan.ruleset)
            yield one._replace(wrong=found if said and expected else None)

    def _home(self, one: _Found, tests: HypothesisTests[_Found]) -> int | None:
        """Find the cause that predicts what was answered where a finding has none of its own: its index."""
        if one.wrong is None or one.finding.cause.kind == "failure" or self.stop():
            return None
        for index, each in enumerate(tests.named):
            is_bug = isinstance(each.hypothesis, str)
            if is_bug or not one.finding.relation:
                answer = ask(system(each.hypothesis if is_bug else (), tests.rules), one.wrong.ordered)
                if answer and agree(answer, one.wrong.said):
                    return index
        return None

    def _with_refuted(self, group: Group, refuted: Sequence[Verified[_Found]]) -> Group:
        smallest = group.smallest
        sentences = {
            each.statement.refutation: each.evidence
            for each in refuted
            if smallest is not None and any(one.finding.number == smallest.number for one in each.explained)
        }
        return group._replace(refuted=tuple(Refuted(*each) for each in sentences.items()))

    def _without_cause(self, one: _Found) -> Finding:
        finding, wrong = one
        if not finding.cause.is_known:
            return finding
        if wrong is None or finding.position is None:
            return replace(finding, cause=UNEXPLAINED)
        return replace(finding, cause=unexplained_cause(wrong))
