"""Groups the findings of a hunt by the causes that stood a test by new questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, final

import msgspec

from ...reference_engine import Ruleset
from ..asking import Played, agree, ask
from ..diagnosis.mutants import MUTANTS
from ..diagnosis.testing import Cause as Named
from ..diagnosis.testing import CauseTests, Tested, changes_from, refuted_text, text_of
from ..positions import OrderedPosition
from ..session import Adjudicator, ReferenceAdjudicator
from .causes import Cause, Disagreement, explaining_mutants, unexplained_cause
from .findings import Finding, read_said, read_stored_position
from .grouping import Group, Refuted, group_by_pattern, sort_groups
from .patterns import shape
from .plan import Plan, draw

_MOST_TESTED = 40
_MOST_ASKED_AGAIN = 100
"""Findings that were not shrunk, and are asked again to see what explains them."""


class _Found(NamedTuple):
    """A finding, with its smallest position if it was shrunk."""

    finding: Finding
    ordered: OrderedPosition | None = None
    said: Played = ()
    expected: Played = ()

    @property
    def can_be_explained(self) -> bool:
        """Whether it is a wrong board, and no contradiction with another answer of the engine."""
        return self.ordered is not None and self.finding.cause.kind != "failure" and not self.finding.relation


_Named: TypeAlias = tuple[Tested[_Found], list[_Found]]
"""A cause, and the findings that it is given."""


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
    return _Grouping(plan, engine, adjudicator, list(map(_found, findings)), stop).groups()


def _found(finding: Finding) -> _Found:
    if finding.position is None:
        return _Found(finding)
    ordered = read_stored_position(finding.position)
    return _Found(finding, ordered, read_said(finding.said[0], ordered), read_said(finding.expected, ordered))


@final
@dataclass
class _Grouping:
    """The findings of one engine, while their causes are tested."""

    plan: Plan
    engine: int
    adjudicator: Adjudicator
    found: list[_Found]
    stop: Callable[[], bool]
    _explaining: dict[tuple[int, Ruleset], Sequence[str]] = field(default_factory=dict)
    """For each finding the mutants that explain it under some rules."""

    def groups(self) -> Sequence[Group]:
        tests = CauseTests(
            self.adjudicator,
            self.plan.ruleset,
            self.found,
            self._causes_of,
            lambda one: one.ordered,
            seed=self.plan.seed,
            stop=self.stop,
            most=_MOST_TESTED,
        )
        tests.run()
        named = [(each, list(each.explained)) for each in tests.named]
        left = [one for one in self._asked_again(tests.left) if not self._join(one, tests, named)]
        groups = [self._group(each, members) for each, members in named]
        counted = {
            one.finding.number: shape(one.ordered, one.expected, one.said)
            for one in left
            if one.finding.position is None and one.ordered is not None and one.said and one.expected
        }
        rest = group_by_pattern(self.engine, map(self._without_cause, left), counted)
        return sort_groups([*groups, *(self._with_refuted(group, tests.refuted) for group in rest)])

    def _asked_again(self, left: Sequence[_Found]) -> Iterator[_Found]:
        """Ask the first of those that were counted alone again, each its position as it was drawn."""
        asked = 0
        for one in left:
            if one.ordered is not None or one.finding.cause.kind == "failure" or asked >= _MOST_ASKED_AGAIN:
                yield one
                continue
            drawn = draw(self.plan, one.finding.number)
            if drawn.relation or self.stop():
                yield one
                continue
            asked += 1
            expected = ask(ReferenceAdjudicator(self.plan.ruleset), drawn.ordered)
            yield one._replace(ordered=drawn.ordered, said=ask(self.adjudicator, drawn.ordered), expected=expected)

    def _join(self, one: _Found, tests: CauseTests[_Found], named: Sequence[_Named]) -> bool:
        """Give a finding that has no cause of its own to the cause that predicts what was answered, if one does."""
        finding = one.finding
        if one.ordered is None or finding.cause.kind == "failure" or self.stop():
            return False
        believed = ReferenceAdjudicator(tests.rules)
        for each, members in named:
            is_bug = isinstance(each.cause, str)
            if _answers_as(tests.system(each.cause) if is_bug else believed, one) and (is_bug or not finding.relation):
                members.append(one)
                return True
        return False

    def _group(self, tested: Tested[_Found], members: Sequence[_Found]) -> Group:
        findings = tuple(one.finding for one in members)
        if isinstance(tested.cause, str):
            return Group(self.engine, "bug", MUTANTS[tested.cause].sentence, {}, findings, tested.evidence)
        if tested.evidence.strength != "confirmed":  # It is no rule that the engine plays, or not always.
            label = f"answers as under {text_of(tested.cause)}"
            return Group(self.engine, "bug", label, {}, findings, tested.evidence)
        changes = {issue: [choice] for issue, choice in tested.cause}
        return Group(self.engine, "deviation", "", changes, findings, tested.evidence)

    def _with_refuted(self, group: Group, refuted: Sequence[Tested[_Found]]) -> Group:
        smallest = group.smallest
        sentences = {
            refuted_text(each.cause): each.evidence
            for each in refuted
            if smallest is not None and any(one.finding.number == smallest.number for one in each.explained)
        }
        return group._replace(refuted=tuple(Refuted(*each) for each in sentences.items()))

    def _without_cause(self, one: _Found) -> Finding:
        """Take away a cause that did not stand its test."""
        finding = one.finding
        if not finding.cause.changes and not finding.cause.mutants:
            return finding
        if one.ordered is None or finding.position is None:
            cause = Cause(kind="bug", label="", unexplained=True)
        else:
            cause = unexplained_cause(one.ordered, one.expected, one.said)
        return msgspec.structs.replace(finding, cause=cause)

    def _causes_of(self, one: _Found, rules: Ruleset) -> Sequence[Named]:
        """The changes to some rules, and the mutants under them, that explain a finding."""
        return [*changes_from(rules, one.finding.cause.changes), *self._mutants_of(one, rules)]

    def _mutants_of(self, one: _Found, rules: Ruleset) -> Sequence[str]:
        if one.ordered is None or not one.can_be_explained:
            return one.finding.cause.mutants
        key = one.finding.number, rules
        if key not in self._explaining:
            found = Disagreement(one.ordered, one.said, one.expected, rules)
            self._explaining[key] = [] if found.is_about_words else explaining_mutants(found)
        return self._explaining[key]


def _answers_as(system: Adjudicator, one: _Found) -> bool:
    assert one.ordered is not None  # noqa: S101 - asked of findings with a position
    answer = ask(system, one.ordered)
    return bool(answer) and bool(one.said) and agree(answer, one.said)
