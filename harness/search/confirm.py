"""Confirms what explains findings: by new questions to an engine, or on all phases of an archive."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, final

from msgspec.structs import replace

from ...reference_engine import Phase, Ruleset
from ...reports.statements import Evidence, choices_text
from ..bugs.changes import HashableChange
from ..bugs.confirm import Hypothesis, HypothesisTests, Verified, changes_from, system
from ..bugs.experiment import AskedOnce, strength_of
from ..bugs.mutants import MUTANTS
from ..play.differential import Played, agree, ask
from ..play.positions import OrderedPosition
from ..play.session import Adjudicator, ReferenceAdjudicator
from .disagreement import UNEXPLAINED, Cause, Disagreement, explaining_mutants, same_kind, unexplained_cause
from .drawn import draw
from .findings import Finding, Weighed, read_said
from .groups import Group, Refuted, group_by_pattern, group_findings, sort_groups
from .investigation import Question, shrunken, with_position
from .patterns import shape
from .plan import Plan
from .recorded import NamedCause, RecordedGames
from .relations import own_contradiction

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


_Named: TypeAlias = tuple[Verified[_Found], list[_Found]]
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
    ordered = finding.ordered()
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
        tests = HypothesisTests(
            AskedOnce(self.adjudicator),
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

    def _join(self, one: _Found, tests: HypothesisTests[_Found], named: Sequence[_Named]) -> bool:
        """Give a finding that has no cause of its own to the cause that predicts what was answered, if one does."""
        finding = one.finding
        if one.ordered is None or finding.cause.kind == "failure" or self.stop():
            return False
        believed = ReferenceAdjudicator(tests.rules)
        for each, members in named:
            is_bug = isinstance(each.hypothesis, str)
            predicting = system(each.hypothesis, tests.rules) if is_bug else believed
            if _answers_as(predicting, one) and (is_bug or not finding.relation):
                members.append(one)
                return True
        return False

    def _group(self, tested: Verified[_Found], members: Sequence[_Found]) -> Group:
        findings = tuple(one.finding for one in members)
        statement = tested.statement
        if statement.bug or not tested.evidence.stands:  # It is no rule that the engine plays, or not always.
            return Group(self.engine, "bug", statement.does(), {}, findings, tested.evidence)
        changes = {issue: [choice] for issue, choice in statement.choices.items()}
        return Group(self.engine, "deviation", "", changes, findings, tested.evidence)

    def _with_refuted(self, group: Group, refuted: Sequence[Verified[_Found]]) -> Group:
        smallest = group.smallest
        sentences = {
            each.statement.refutation: each.evidence
            for each in refuted
            if smallest is not None and any(one.finding.number == smallest.number for one in each.explained)
        }
        return group._replace(refuted=tuple(Refuted(*each) for each in sentences.items()))

    def _without_cause(self, one: _Found) -> Finding:
        """Take away a cause that did not stand its test."""
        finding = one.finding
        if not finding.cause.is_known:
            return finding
        if one.ordered is None or finding.position is None:
            return replace(finding, cause=UNEXPLAINED)
        found = Disagreement(one.ordered, one.said, one.expected, self.plan.ruleset)
        return replace(finding, cause=unexplained_cause(found))

    def _causes_of(self, one: _Found, rules: Ruleset) -> Sequence[Hypothesis]:
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


def _answers_as(predicting: Adjudicator, one: _Found) -> bool:
    assert one.ordered is not None  # noqa: S101 - asked of findings with a position
    answer = ask(predicting, one.ordered)
    return bool(answer) and bool(one.said) and agree(answer, one.said)


CauseKey: TypeAlias = tuple[Phase, NamedCause]
"""The kind of phases that a cause explains, and the cause."""

_MOST_WEIGHED = 16
_MOST_OF_A_GROUP = 8
_MOST_SHRUNK = 30
"""So many examples are made smaller."""


def phases_of(group: Group) -> Sequence[Phase]:
    """Return the kinds of the phases that a group is about."""
    return list(dict.fromkeys(finding.phase for finding in group.findings if finding.phase is not None))


def causes_to_test(groups: Sequence[Group]) -> list[CauseKey]:
    """Choose the causes of what was recorded that are tested, those of the largest groups first."""
    causes: list[CauseKey] = [
        (phase, cause)
        for group in sorted(groups, key=lambda each: -each.positions)
        if group.engine == 0
        for phase in phases_of(group)
        if phase != "retreat"
        for cause in _causes_of(group)
    ]
    return list(dict.fromkeys(causes))[:_MOST_WEIGHED]


def _causes_of(group: Group) -> Sequence[NamedCause]:
    """Return the choices, or the mutants, that may be the cause of a group."""
    if group.changes:
        pairs = [[(issue, choice) for choice in choices] for issue, choices in group.changes.items()]
        return list(itertools.islice(itertools.product(*pairs), _MOST_OF_A_GROUP))
    every = [name for name in MUTANTS if group.findings and all(name in each.cause.mutants for each in group.findings)]
    return every[:_MOST_OF_A_GROUP]


def _best(group: Group, tested: Mapping[CauseKey, Weighed]) -> tuple[Sequence[NamedCause], Weighed | None]:
    """Return the causes of a group that agree with most phases of the archive, and how they fare."""
    found: dict[NamedCause, Weighed] = {}
    for cause in _causes_of(group):
        each = [tested[phase, cause] for phase in phases_of(group) if (phase, cause) in tested]
        if each:
            found[cause] = sum(each, Weighed())
    if not found:
        return (), None
    most = max(_gain(each) for each in found.values())
    best = [cause for cause, each in found.items() if _gain(each) == most]
    return best, found[best[0]]


def _gain(tested: Weighed) -> int:
    """How many phases more agree than under the rules in force."""
    return tested.agreed - tested.as_rules


def best_changes(groups: Sequence[Group], tested: Mapping[CauseKey, Weighed]) -> dict[str, list[str]]:
    """Return the choices under which more phases of the archive agree: for each issue the best ones."""
    found: dict[str, list[str]] = {}
    for group in sorted(groups, key=lambda each: -each.positions):
        causes, how = _best(group, tested)
        if group.kind == "deviation" and how is not None and _gain(how) > 0:
            found = {**_choices(causes), **found}
    return found


def _choices(causes: Sequence[NamedCause]) -> dict[str, list[str]]:
    """Return the choices in some causes, by their issues."""
    kept: dict[str, list[str]] = {}
    for change in causes:
        for issue, choice in () if isinstance(change, str) else change:
            if choice not in kept.setdefault(issue, []):
                kept[issue].append(choice)
    return kept


def tested_groups(
    plan: Plan,
    groups: Sequence[Group],
    tested: Mapping[CauseKey, Weighed],
    adjudicators: Sequence[Adjudicator],
) -> Sequence[Group]:
    """Say of each cause how it stood its test: on the archive, or by new questions to the engine.

    Raises `EngineGaveOutError` and `EngineClosedError`.
    """
    recorded = [_tested(group, tested) for group in groups if group.engine == 0]
    refuted = [group for group in recorded if group.evidence.strength == "refuted"]
    unexplained = [group for group in recorded if not group.has_cause and group.kind == "bug"]
    found = [group for group in recorded if group not in refuted and group not in unexplained]
    left = [finding for group in unexplained for finding in group.findings]
    left += [_without_cause(plan, finding) for group in refuted for finding in group.findings]
    found += [_with_refuted(group, refuted) for group in group_by_pattern(0, left)]
    mine = [finding for group in groups if group.engine == 1 for finding in group.findings]
    known = sorted((each for each in mine if each.position is not None), key=lambda each: each.number)
    rest = [each for each in mine if each.position is None]
    if known:
        found += group_by_experiments(plan, 1, adjudicators[0], known, lambda: False)
    return sort_groups([*found, *group_findings(rest)])


def _with_refuted(group: Group, refuted: Sequence[Group]) -> Group:
    """Say what seemed to be the cause of some of a group, and the archive speaks against."""
    numbers = {finding.number for finding in group.findings}
    found = [each for each in refuted if any(finding.number in numbers for finding in each.findings)]
    return group._replace(refuted=tuple(Refuted(_likeness(each), each.evidence) for each in found))


def _likeness(group: Group) -> str:
    """Say what a refuted cause is: choices, or mutants, which the label of their group names."""
    return f"like an engine that {group.label}" if any(each.cause.mutants for each in group.findings) else group.label


def _without_cause(plan: Plan, finding: Finding) -> Finding:
    """Take away a cause that the archive speaks against: the pattern of its smallest part is left."""
    if finding.position is None:
        return replace(finding, cause=UNEXPLAINED)
    found = _disagreement(plan, finding)
    return _shrunken(plan, finding, found, lambda small: small.what_differs == found.what_differs, None)


def _tested(group: Group, tested: Mapping[CauseKey, Weighed]) -> Group:
    causes, how = _best(group, tested)
    if how is None:
        return group
    strength = strength_of(how.asked, how.agreed)
    evidence = Evidence(strength=strength, asked=how.asked, agreed=how.agreed, as_rules=how.as_rules)
    if isinstance(causes[0], str):
        label = ", or ".join(MUTANTS[name].sentence for name in causes if isinstance(name, str))
        return group._replace(label=label, evidence=evidence)
    changes: list[HashableChange] = [each for each in causes if not isinstance(each, str)]
    if not evidence.stands:
        label = f"as under {choices_text(dict(changes[0]))}"
        return group._replace(kind="bug", label=label, changes={}, evidence=evidence)
    return group._replace(changes=_choices(changes), evidence=evidence)


def with_small_examples(plan: Plan, groups: Sequence[Group], adjudicators: Sequence[Adjudicator]) -> Sequence[Group]:
    """Make the example of each group minimal, as far as that was not done when it was found."""
    return [_with_small_example(plan, group, adjudicators) for group in groups[:_MOST_SHRUNK]] + list(
        groups[_MOST_SHRUNK:]
    )


def _with_small_example(plan: Plan, group: Group, adjudicators: Sequence[Adjudicator]) -> Group:
    example = group.smallest
    if example is None or not (example.cause.changes or example.cause.mutants):
        return group
    small = _small(plan, group, example, adjudicators)
    return group._replace(findings=tuple(small if each is example else each for each in group.findings))


def _small(plan: Plan, group: Group, example: Finding, adjudicators: Sequence[Adjudicator]) -> Finding:
    cause = example.cause
    if group.changes:
        changes = [dict(each) for each in _causes_of(group) if not isinstance(each, str)]
        cause = Cause(kind="deviation", label="", changes=changes)
    found, engine = _disagreement(plan, example), adjudicators[0] if example.engine else None
    return replace(_shrunken(plan, example, found, same_kind(cause, found), engine), cause=example.cause)


def _disagreement(plan: Plan, finding: Finding) -> Disagreement:
    """Take what differs from a recorded finding that has a position."""
    ordered = finding.ordered()
    said, expected = read_said(finding.said[0], ordered), ask(ReferenceAdjudicator(plan.ruleset), ordered)
    return Disagreement(ordered, said, expected, plan.ruleset, own_contradiction(ordered, said))


def _shrunken(
    plan: Plan,
    finding: Finding,
    found: Disagreement,
    keeps: Callable[[Disagreement], bool],
    engine: Adjudicator | None,
) -> Finding:
    """Return a recorded finding with the smallest position that is kept, and the pattern of that as its cause."""
    question = Question(finding.number, finding.source, finding.engine)
    small = shrunken(RecordedGames(plan, engine), question, found, keeps)
    answers = [(finding.said[0].party, small.said), (ReferenceAdjudicator(plan.ruleset).name, small.expected)]
    return with_position(replace(finding, cause=unexplained_cause(small)), small, answers)
