"""Asks an engine the positions of a stored hunt again: which causes are gone, which remain, which are others now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias, final

from ...adapters import EngineClosedError, EngineGaveOutError
from ...reference_engine import DatcCheckError
from ..errors import HarnessError
from ..play.answer import Failure
from ..play.differential import Played, ask
from ..play.positions import OrderedPosition
from ..play.session import Adjudicator
from .confirm import group_by_experiments
from .disagreement import Cause, Disagreement, explain_difference, unexplained_cause
from .drawn import DrawnPositions, draw
from .findings import Finding
from .groups import Group
from .investigation import STOPPED, Investigation, Question, Source
from .plan import Plan, PlannedEngine
from .store import Store

Status: TypeAlias = Literal["gone", "remains", "changed", "not-asked"]
"""What is left of a cause: nothing; the same; other wrong answers to its positions; or nothing is known."""

_MOST_POSITIONS = 10
"""So many minimal positions of a cause are asked, and so many of those that they were shrunk from."""


class _Again(NamedTuple):
    """A position that is asked again."""

    finding: Finding
    ordered: OrderedPosition
    relation: str
    salt: int
    is_small: bool


@final
class StoredFindings(Source[_Again]):
    """The minimal positions of a cause, and some that they were shrunk from, if these can be drawn."""

    shrinks = False

    def __init__(self, plan: Plan, group: Group, adjudicator: Adjudicator) -> None:
        """`plan` has the engine that is asked as its only one."""
        self._plan, self._group, self._adjudicator = plan, group, adjudicator
        self._positions = DrawnPositions(plan, [adjudicator])
        self._asked = 0
        self._hangs = False
        self.met: list[_Again] = []
        """What is still answered wrong, in the order of the findings."""

    def items(self) -> Iterator[_Again]:
        small = sorted(
            (each for each in self._group.findings if each.position is not None), key=lambda each: each.units
        )
        for finding in small[:_MOST_POSITIONS]:
            # An engine that contradicted its own results did so in an answer to one form.
            relation = finding.relation or ("again" if finding.source == "metamorphic" else "")
            yield _Again(finding, finding.ordered(), relation, finding.salt, is_small=True)
        for finding in self._group.findings[:_MOST_POSITIONS]:
            try:
                drawn = draw(self._plan, finding.number)
            except DatcCheckError:  # A file of games is somewhere else now.
                return
            # Another version may draw other positions.
            if (drawn.source, len(drawn.ordered.units)) == (finding.source, finding.found_units):
                yield _Again(finding, drawn.ordered, drawn.relation, drawn.salt, is_small=False)

    def ask(self, item: _Again) -> Iterator[tuple[Question, Disagreement]]:
        if self._hangs or not ask(self._adjudicator, item.ordered):
            return  # It says that it cannot do this.
        self._asked += 1
        question = Question(item.finding.number, item.finding.source, relation=item.relation, salt=item.salt)
        found = self.find(question, None, item.ordered)
        if found is not None:
            self.met.append(item)
            # Each further question may take as long as the engine is waited for.
            self._hangs = self._group.kind == "failure" and found.failure is not None
            yield question, found

    def explain(self, found: Disagreement) -> Cause:
        cause = explain_difference(found)
        # What the hunt has tested and refuted is no explanation now.
        return unexplained_cause(found) if cause.is_known and self._group.refuted else cause

    def find(self, question: Question, found: Disagreement | None, ordered: OrderedPosition) -> Disagreement | None:
        return self._positions.find(question, found, ordered)

    def said(self, question: Question, found: Disagreement) -> Sequence[tuple[str, Played]]:
        return self._positions.said(question, found)

    def counts(self) -> dict[str, Any]:
        return {"asked": {"again": self._asked}}


class CauseAgain(NamedTuple):
    """A cause of a stored hunt, and what is left of it."""

    group: Group
    status: Status
    asked: int
    """How many of its positions were asked."""
    wrong: int
    """How many of these the engine still answers differently from what is expected."""
    example: Finding | None
    """One of them, with what is answered now."""
    now: Group | None = None
    """Where it has changed: the cause of the example, which was tested as that of the hunt."""


@dataclass
class Again:
    """A stored hunt that is asked again."""

    plan: Plan
    """The plan of the hunt, with the engine that is asked now as its only one."""
    groups: Sequence[Group]
    """The causes that it found."""
    causes: list[CauseAgain] = field(default_factory=list[CauseAgain])
    trouble: str = ""
    """Why not everything was asked; empty where it was."""

    def count(self, status: Status) -> int:
        """Return how many causes have a status."""
        return sum(cause.status == status for cause in self.causes)

    def ask(self, adjudicator: Adjudicator, stop: Callable[[], bool] = lambda: False) -> None:
        """Ask the engine cause by cause what is left of each."""
        for group in self.groups:
            cause = CauseAgain(group, "not-asked", 0, 0, None)
            self.causes.append(cause if self.trouble else self._ask_cause(group, adjudicator))
        if not self.trouble:
            try:
                self._explain_changes(adjudicator, stop)
            except (EngineGaveOutError, EngineClosedError) as error:
                self.trouble = str(error)

    def _ask_cause(self, group: Group, adjudicator: Adjudicator) -> CauseAgain:
        source = StoredFindings(self.plan, group, adjudicator)
        result = Investigation(source).run()
        if result.trouble == STOPPED:
            raise KeyboardInterrupt
        if result.trouble:
            self.trouble = result.trouble
            return CauseAgain(group, "not-asked", 0, 0, None)
        same, other = list[Finding](), list[Finding]()
        for one, finding in zip(source.met, result.findings, strict=True):
            (same if _is_same(one, finding.cause) else other).append(finding)
        status: Status = "remains" if same else "changed" if other else "gone" if result.positions else "not-asked"
        example = next(iter((*same, *other)), None)
        return CauseAgain(group, status, result.asked["again"], len(same) + len(other), example)

    def _explain_changes(self, adjudicator: Adjudicator, stop: Callable[[], bool]) -> None:
        """Test what explains the answers that are wrong in another way now."""
        changed = {
            cause.example.number: cause.example
            for cause in self.causes
            if cause.status == "changed" and cause.example is not None
        }
        if not changed:
            return
        groups = group_by_experiments(self.plan, 0, adjudicator, list(changed.values()), stop)
        now = {finding.number: group for group in groups for finding in group.findings}
        self.causes = [
            cause._replace(now=now.get(cause.example.number))
            if cause.status == "changed" and cause.example is not None
            else cause
            for cause in self.causes
        ]


def _is_same(one: _Again, cause: Cause) -> bool:
    """Whether a position is wrong for the cause that it was found with."""
    before = one.finding.cause
    if before.kind != cause.kind:
        return False
    if cause.kind == "failure":
        said = one.finding.said
        return before.label.partition(":")[0] == cause.label or (
            bool(said) and Failure(said[0].failure).kind == cause.label
        )
    if before.is_known:
        return any(changes in before.changes for changes in cause.changes) or not set(before.mutants).isdisjoint(
            cause.mutants
        )
    if cause.is_known:
        return False
    # The pattern of a position that was not shrunk is not that of the one that it was shrunk to.
    return before.label == cause.label or (not one.is_small and before.unexplained and cause.unexplained)


def open_again(store: Store, engine: PlannedEngine) -> Again:
    """Read a stored hunt, to ask it of an engine again.

    A hunt of several engines is asked of the one that the engine is named as. Raises `StoreError`, and `HarnessError`
    where it is named as none of them.
    """
    plan = store.plan()
    names = [each.spec.text for each in plan.engines]
    number = 0
    if len(names) > 1:
        if engine.spec.text not in names:
            raise HarnessError(f"--again: the hunt was of several engines: name one of {', '.join(names)}")
        number = names.index(engine.spec.text)
    groups = [group for group in store.groups() if group.engine == number]
    return Again(plan.with_engine(engine._replace(possible=plan.engines[number].possible)), groups)
