"""What explains the differences of a replay: grouped, tested on the whole archive or by new questions, and shrunk."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec

from ...reference_engine import Phase
from ...reports import Evidence
from ..asking import ask, find_facts
from ..diagnosis.mutants import MUTANTS
from ..diagnosis.testing import text_of
from ..experiments.changes import HashableChange
from ..experiments.trials import strength_of
from ..fuzzing.causes import Cause, Disagreement, unexplained_cause
from ..fuzzing.chunk import same_kind, what_differs
from ..fuzzing.findings import Finding, read_said, read_stored_position, said_data, store_position
from ..fuzzing.grouping import Group, Refuted, group_by_pattern, group_findings, sort_groups
from ..fuzzing.metamorphic import own_contradiction
from ..fuzzing.tested import group_by_experiments
from ..session import Adjudicator, ReferenceAdjudicator
from ..verdict import fact_data
from .chunk import NamedCause, ReplayPlan
from .results import ReplayFinding, Tested, Totals
from .shrinking import shrink

CauseKey: TypeAlias = tuple[Phase, NamedCause]
"""The kind of phases that a cause explains, and the cause."""

_MOST_TESTED = 16
_MOST_OF_A_GROUP = 8
_MOST_SHRUNK = 30
"""So many examples are made smaller."""


def groups_of(totals: Totals) -> Sequence[Group]:
    """Group what differs by the causes that explain most of it."""
    return group_findings(totals.findings)


def phases_of(group: Group) -> Sequence[Phase]:
    """Return the kinds of the phases that a group is about."""
    found: list[Phase] = [finding.phase for finding in group.findings if isinstance(finding, ReplayFinding)]
    return list(dict.fromkeys(found))


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
    return list(dict.fromkeys(causes))[:_MOST_TESTED]


def _causes_of(group: Group) -> Sequence[NamedCause]:
    """Return the choices, or the mutants, that may be the cause of a group."""
    if group.changes:
        pairs = [[(issue, choice) for choice in choices] for issue, choices in group.changes.items()]
        return list(itertools.islice(itertools.product(*pairs), _MOST_OF_A_GROUP))
    every = [name for name in MUTANTS if group.findings and all(name in each.cause.mutants for each in group.findings)]
    return every[:_MOST_OF_A_GROUP]


def _best(group: Group, tested: Mapping[CauseKey, Tested]) -> tuple[Sequence[NamedCause], Tested | None]:
    """Return the causes of a group that agree with most phases of the archive, and how they fare."""
    found: dict[NamedCause, Tested] = {}
    for cause in _causes_of(group):
        each = [tested[phase, cause] for phase in phases_of(group) if (phase, cause) in tested]
        if each:
            found[cause] = Tested(*(sum(counts) for counts in zip(*map(msgspec.structs.astuple, each), strict=True)))
    if not found:
        return (), None
    most = max(_gain(each) for each in found.values())
    best = [cause for cause, each in found.items() if _gain(each) == most]
    return best, found[best[0]]


def _gain(tested: Tested) -> int:
    """How many phases more agree than under the rules in force."""
    return tested.agreed - tested.as_rules


def best_changes(groups: Sequence[Group], tested: Mapping[CauseKey, Tested]) -> dict[str, list[str]]:
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
    replay: ReplayPlan,
    groups: Sequence[Group],
    tested: Mapping[CauseKey, Tested],
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
    left += [_without_cause(replay, finding) for group in refuted for finding in group.findings]
    found += [_with_refuted(group, refuted) for group in group_by_pattern(0, left)]
    mine = [finding for group in groups if group.engine == 1 for finding in group.findings]
    known = sorted((each for each in mine if each.position is not None), key=lambda each: each.number)
    rest = [each for each in mine if each.position is None]
    if known:
        found += group_by_experiments(replay.plan, 1, adjudicators[0], known, lambda: False)
    return sort_groups([*found, *group_findings(rest)])


def _with_refuted(group: Group, refuted: Sequence[Group]) -> Group:
    """Say what seemed to be the cause of some of a group, and the archive speaks against."""
    numbers = {finding.number for finding in group.findings}
    found = [each for each in refuted if any(finding.number in numbers for finding in each.findings)]
    return group._replace(refuted=tuple(Refuted(_likeness(each), each.evidence) for each in found))


def _likeness(group: Group) -> str:
    """Say what a refuted cause is: choices, or mutants, which the label of their group names."""
    return f"like an engine that {group.label}" if any(each.cause.mutants for each in group.findings) else group.label


def _without_cause(replay: ReplayPlan, finding: Finding) -> Finding:
    """Take away a cause that the archive speaks against: the pattern of its smallest part is left."""
    if finding.position is None:
        return msgspec.structs.replace(finding, cause=Cause(kind="bug", label="", unexplained=True))
    found = _disagreement(replay, finding)
    differs = what_differs(found)
    small = shrink(found, lambda smaller: what_differs(smaller) == differs, None, ReferenceAdjudicator(replay.ruleset))
    cause = unexplained_cause(small.ordered, small.expected, small.said)
    return _as_small(replay, msgspec.structs.replace(finding, cause=cause), small)


def _tested(group: Group, tested: Mapping[CauseKey, Tested]) -> Group:
    causes, how = _best(group, tested)
    if how is None:
        return group
    strength = strength_of(how.asked, how.agreed)
    evidence = Evidence(strength=strength, asked=how.asked, agreed=how.agreed, as_rules=how.as_rules)
    if isinstance(causes[0], str):
        label = ", or ".join(MUTANTS[name].sentence for name in causes if isinstance(name, str))
        return group._replace(label=label, evidence=evidence)
    changes: list[HashableChange] = [each for each in causes if not isinstance(each, str)]
    if strength in ("sometimes", "refuted"):
        label = f"as under {text_of(changes[0])}"
        return group._replace(kind="bug", label=label, changes={}, evidence=evidence)
    return group._replace(changes=_choices(changes), evidence=evidence)


def with_small_examples(
    replay: ReplayPlan, groups: Sequence[Group], adjudicators: Sequence[Adjudicator]
) -> Sequence[Group]:
    """Make the example of each group minimal, as far as that was not done when it was found."""
    return [_with_small_example(replay, group, adjudicators) for group in groups[:_MOST_SHRUNK]] + list(
        groups[_MOST_SHRUNK:]
    )


def _with_small_example(replay: ReplayPlan, group: Group, adjudicators: Sequence[Adjudicator]) -> Group:
    example = group.smallest
    if example is None or not (example.cause.changes or example.cause.mutants):
        return group
    small = _small(replay, group, example, adjudicators)
    return group._replace(findings=tuple(small if each is example else each for each in group.findings))


def _small(replay: ReplayPlan, group: Group, example: Finding, adjudicators: Sequence[Adjudicator]) -> Finding:
    found = _disagreement(replay, example)
    cause = example.cause
    if group.changes:
        changes = [dict(each) for each in _causes_of(group) if not isinstance(each, str)]
        cause = Cause(kind="deviation", label="", changes=changes)
    engine = adjudicators[0] if example.engine else None
    small = shrink(found, same_kind(cause, found), engine, ReferenceAdjudicator(replay.ruleset))
    return _as_small(replay, example, small)


def _disagreement(replay: ReplayPlan, finding: Finding) -> Disagreement:
    """Take what differs from a finding that has a position."""
    assert finding.position is not None  # noqa: S101 - as the caller has seen
    ordered = read_stored_position(finding.position)
    said, expected = read_said(finding.said[0], ordered), ask(ReferenceAdjudicator(replay.ruleset), ordered)
    return Disagreement(ordered, said, expected, replay.ruleset, own_contradiction(ordered, said))


def _as_small(replay: ReplayPlan, finding: Finding, small: Disagreement) -> Finding:
    number, facts = find_facts(small.expected, small.said)
    reference = ReferenceAdjudicator(replay.ruleset).name
    return msgspec.structs.replace(
        finding,
        position=store_position(small.ordered),
        said=[said_data(finding.said[0].party, small.said), said_data(reference, small.expected)],
        facts=list(map(fact_data, facts)),
        of_retreats=number > 0,
    )
