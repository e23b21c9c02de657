"""Tests what explains the findings of a hunt by new questions, and groups them by what stood its test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, final

import msgspec

from ...reference_engine import Ruleset
from ..asking import Played, agree, ask
from ..diagnosis.mutants import MUTANTS
from ..experiments.trials import UNTESTED, Evidence, Experimenter
from ..positions import OrderedPosition
from ..session import Adjudicator, ReferenceAdjudicator
from .causes import Cause, Disagreement, explaining_mutants
from .findings import Finding, read_said, read_stored_position
from .grouping import Group, Refuted, group_by_pattern, sort_groups
from .patterns import pattern
from .plan import Plan, draw

Change: TypeAlias = tuple[tuple[str, str], ...]
"""Choices of some issues, other than those of the rules."""
Named: TypeAlias = Change | str
"""A cause: choices, or the name of a mutant."""

MOST_TESTED = 15
"""Statements about one engine that are tested at most, the likeliest first: some 300 questions."""
_MOST_OTHERS = 5
_MOST_SEEDS = 8
_MOST_ASKED_AGAIN = 100
_PATTERNED = 14
"""A larger position is not told as a pattern."""


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


def test_causes(
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
    return _Tests(plan, engine, adjudicator, [_found(finding) for finding in findings], stop).run()


def _found(finding: Finding) -> _Found:
    if finding.position is None:
        return _Found(finding)
    ordered = read_stored_position(finding.position)
    return _Found(finding, ordered, read_said(finding.said[0], ordered), read_said(finding.expected, ordered))


@final
@dataclass
class _Tests:
    """The tests of one engine, and what they showed so far."""

    plan: Plan
    engine: int
    adjudicator: Adjudicator
    left: list[_Found]
    stop: Callable[[], bool]
    _groups: list[Group] = field(default_factory=list[Group])
    _causes: list[Named] = field(default_factory=list[Named])
    """The causes of these groups, in their order."""
    _believed: dict[str, str] = field(default_factory=dict[str, str])
    """The confirmed choices: the rules are taken to be these in what follows."""
    _refuted: dict[int, list[Refuted]] = field(default_factory=dict[int, list[Refuted]])
    """For each finding, by its number, what looked like its cause."""
    _explaining: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    """For each finding the mutants that explain it under the rules believed."""

    def run(self) -> Sequence[Group]:
        self._test_causes()
        self._ask_those_not_shrunk()
        self._join_contradictions()
        rest = group_by_pattern(self.engine, [self._without_cause(one) for one in self.left])
        return sort_groups([*self._groups, *(self._with_refuted(group) for group in rest)])

    @property
    def _rules(self) -> Ruleset:
        return self.plan.ruleset.with_choices(self._believed) if self._believed else self.plan.ruleset

    def _test_causes(self) -> None:
        """Test the causes that explain findings, those first that explain most; then name what shows sometimes."""
        sometimes: dict[str, Evidence] = {}
        tried: set[Named] = set()
        for _ in range(MOST_TESTED):
            votes = Counter(cause for one in self.left for cause in self._causes_of(one) if cause not in tried)
            if not votes or self.stop():
                break
            # A choice of the rules rather than a bug, and one choice rather than several.
            cause = max(votes, key=lambda each: (votes[each], not isinstance(each, str), -len(each)))
            mine = [one for one in self.left if cause in self._causes_of(one)]
            evidence = self._test(cause, mine, [each for each, _ in votes.most_common() if each != cause])
            tried.add(cause)
            if evidence.strength == "confirmed" and not isinstance(cause, str):
                self._believe(cause, mine, evidence)
                tried = {each for each in tried if isinstance(each, str)} if self.left else tried
            elif evidence.strength == "confirmed":
                self._give(cause, mine, evidence)
            elif evidence.strength == "sometimes" and isinstance(cause, str):
                sometimes[cause] = evidence
            else:
                self._note_refuted(mine, cause, evidence)
        for name, evidence in sorted(sometimes.items(), key=lambda pair: -pair[1].agreed):
            self._give(name, [one for one in self.left if name in self._causes_of(one)], evidence)

    def _believe(self, change: Change, mine: Sequence[_Found], evidence: Evidence) -> None:
        """Take choices for those of the engine: they explain all that they explain."""
        self._believed.update(change)
        self._explaining.clear()
        reference = ReferenceAdjudicator(self._rules)
        also = [one for one in self.left if one.can_be_explained and _answers_as(reference, one)]
        self._give(change, [one for one in self.left if one in mine or one in also], evidence)

    def _ask_those_not_shrunk(self) -> None:
        """Give the findings that were counted alone to what explains their positions as they were drawn."""
        asked = [one for one in self.left if one.ordered is None and one.finding.cause.kind != "failure"]
        for one in asked[:_MOST_ASKED_AGAIN]:
            drawn = draw(self.plan, one.finding.number)
            if drawn.relation or self.stop():
                continue
            again = one._replace(ordered=drawn.ordered, said=ask(self.adjudicator, drawn.ordered))
            number = next((n for n, cause in enumerate(self._causes) if _answers_as(self._system(cause), again)), None)
            if number is not None:
                group = self._groups[number]
                self._groups[number] = group._replace(findings=(*group.findings, one.finding))
                self.left.remove(one)

    def _test(self, cause: Named, mine: Sequence[_Found], others: Sequence[Named]) -> Evidence:
        seeds = [one.ordered for one in mine if one.ordered is not None]
        experimenter = Experimenter(self.adjudicator, ReferenceAdjudicator(self._rules), self.plan.seed)
        return experimenter.test(
            self._system(cause), seeds[:_MOST_SEEDS], [self._system(each) for each in others[:_MOST_OTHERS]]
        )

    def _give(self, cause: Named, mine: Sequence[_Found], evidence: Evidence) -> None:
        """Make a group of findings that have a cause now."""
        if not mine:
            return
        numbers = {one.finding.number for one in mine}
        self.left = [one for one in self.left if one.finding.number not in numbers]
        findings = tuple(one.finding for one in mine)
        self._causes.append(cause)
        if isinstance(cause, str):
            group = Group(self.engine, "bug", MUTANTS[cause].sentence, {}, findings, evidence)
        else:
            changes = {issue: [choice] for issue, choice in cause}
            group = Group(self.engine, "deviation", "", changes, findings, evidence)
        self._groups.append(group)

    def _join_contradictions(self) -> None:
        """Give to a cause the contradictions between answers of which one is what it predicts."""
        for number, cause in enumerate(self._causes):
            system = self._system(cause)
            joined = [one for one in self.left if one.finding.relation and one.ordered and _answers_as(system, one)]
            if joined and isinstance(cause, str):
                group = self._groups[number]
                self._groups[number] = group._replace(findings=(*group.findings, *(one.finding for one in joined)))
                self.left = [one for one in self.left if one not in joined]

    def _note_refuted(self, mine: Iterable[_Found], cause: Named, evidence: Evidence) -> None:
        sentence = f"an engine that {MUTANTS[cause].sentence}" if isinstance(cause, str) else _text_of(cause)
        for one in mine:
            self._refuted.setdefault(one.finding.number, []).append(Refuted(sentence, evidence))

    def _with_refuted(self, group: Group) -> Group:
        smallest = group.smallest
        refuted = () if smallest is None else tuple(self._refuted.get(smallest.number, ()))
        return group._replace(evidence=UNTESTED, refuted=refuted)

    def _without_cause(self, one: _Found) -> Finding:
        """Take away a cause that did not stand its test."""
        finding = one.finding
        if not finding.cause.changes and not finding.cause.mutants:
            return finding
        small = one.ordered is not None and len(one.ordered.units) <= _PATTERNED
        label = pattern(one.ordered, one.expected, one.said) if small and one.ordered is not None else ""
        return msgspec.structs.replace(finding, cause=Cause(kind="bug", label=label, unexplained=True))

    def _causes_of(self, one: _Found) -> Sequence[Named]:
        """The changes to the rules believed, and the mutants, that explain a finding."""
        rules = self._rules.choices
        every = (
            tuple(sorted((issue, choice) for issue, choice in change.items() if rules[issue] != choice))
            for change in one.finding.cause.changes
        )
        return [*dict.fromkeys(change for change in every if change), *self._mutants_of(one)]

    def _mutants_of(self, one: _Found) -> Sequence[str]:
        """The mutants that explain a finding under the rules believed."""
        number = one.finding.number
        if one.ordered is None or not one.can_be_explained:
            return one.finding.cause.mutants
        if number not in self._explaining:
            found = Disagreement(one.ordered, one.said, one.expected, self._rules)
            self._explaining[number] = [] if found.is_about_words else explaining_mutants(found)
        return self._explaining[number]

    def _system(self, cause: Named) -> Adjudicator:
        """The reference with a cause, under the rules believed."""
        if isinstance(cause, str):
            return ReferenceAdjudicator(self._rules, MUTANTS[cause].procedure, cause)
        return ReferenceAdjudicator(self._rules.with_choices(dict(cause)), called=_text_of(cause))


def _text_of(change: Change) -> str:
    return " and ".join(f"{issue} = {choice}" for issue, choice in change)


def _answers_as(system: Adjudicator, one: _Found) -> bool:
    assert one.ordered is not None  # noqa: S101 - asked of findings that were shrunk
    answer = ask(system, one.ordered)
    return bool(answer) and agree(answer, one.said)
