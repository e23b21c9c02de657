"""Asks an engine the positions of a stored hunt again: which causes are gone, which remain, which are others now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from ...adapters import EngineClosedError, EngineGaveOutError
from ...reference_engine import DatcCheckError
from ..answers import Failure
from ..asking import agree, ask, find_facts
from ..errors import HarnessError
from ..positions import OrderedPosition
from ..session import Adjudicator, ReferenceAdjudicator
from ..verdict import fact_data
from .causes import Cause, Disagreement, explain_difference
from .findings import Finding, Store, read_stored_position, said_data, store_position
from .grouping import Group, group_findings
from .metamorphic import contradiction, own_contradiction
from .plan import Plan, PlannedEngine, draw

Status: TypeAlias = Literal["gone", "remains", "changed", "not-asked"]
"""What is left of a cause: nothing; the same; other wrong answers to its positions; or nothing is known."""

_MOST_POSITIONS = 10
"""So many minimal positions of a cause are asked, and so many of those that they were shrunk from."""


class _Asked(NamedTuple):
    """A position that is asked again."""

    finding: Finding
    ordered: OrderedPosition
    relation: str
    salt: int
    shrunk: bool


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

    @property
    def now(self) -> Group | None:
        """Return the cause of the example."""
        return None if self.example is None else group_findings([self.example])[0]


@dataclass
class Again:
    """A stored hunt that is asked again."""

    plan: Plan
    """The plan of the hunt, with the engine that is asked now as its only one."""
    findings: Sequence[Finding]
    causes: list[CauseAgain] = field(default_factory=list[CauseAgain])
    trouble: str = ""
    """Why not everything was asked; empty where it was."""

    def count(self, status: Status) -> int:
        """Return how many causes have a status."""
        return sum(cause.status == status for cause in self.causes)

    def ask(self, adjudicator: Adjudicator) -> Iterator[CauseAgain]:
        """Ask the engine cause by cause, and give what is left of each."""
        reference = ReferenceAdjudicator(self.plan.ruleset)
        for group in group_findings(self.findings):
            cause = CauseAgain(group, "not-asked", 0, 0, None)
            if not self.trouble:
                try:
                    cause = self._ask_cause(group, adjudicator, reference)
                except (EngineGaveOutError, EngineClosedError) as error:
                    self.trouble = str(error)
            self.causes.append(cause)
            yield cause

    def _ask_cause(self, group: Group, adjudicator: Adjudicator, reference: Adjudicator) -> CauseAgain:
        asked, same, other = 0, list[Finding](), list[Finding]()
        for one in self._positions(group):
            if not ask(adjudicator, one.ordered):
                continue  # It says that it cannot do this.
            asked += 1
            found = self._find(one, adjudicator, reference)
            if found is None:
                continue
            cause = explain_difference(found)
            again = _finding(one, found, cause, adjudicator, reference)
            (same if _is_same(one, cause) else other).append(again)
            if group.kind == "failure" and same:
                break  # Each further question may take as long as the engine is waited for.
        status: Status = "remains" if same else "changed" if other else "gone" if asked else "not-asked"
        return CauseAgain(group, status, asked, len(same) + len(other), next(iter((*same, *other)), None))

    def _positions(self, group: Group) -> Iterator[_Asked]:
        """Return the minimal positions of a cause, and some that they were shrunk from, if these can be drawn."""
        small = sorted((each for each in group.findings if each.position is not None), key=lambda each: each.units)
        for finding in small[:_MOST_POSITIONS]:
            assert finding.position is not None  # noqa: S101 - only those with one are here
            yield _Asked(finding, read_stored_position(finding.position), finding.relation, finding.salt, shrunk=True)
        for finding in group.findings[:_MOST_POSITIONS]:
            try:
                drawn = draw(self.plan, finding.number)
            except DatcCheckError:  # A file of games is somewhere else now.
                return
            # Another version may draw other positions.
            if (drawn.source, len(drawn.ordered.units)) == (finding.source, finding.found_units):
                yield _Asked(finding, drawn.ordered, drawn.relation, drawn.salt, shrunk=False)

    def _find(self, one: _Asked, adjudicator: Adjudicator, reference: Adjudicator) -> Disagreement | None:
        possible, ruleset = self.plan.engines[0].possible, self.plan.ruleset
        if one.relation:
            found = contradiction(adjudicator, one.ordered, one.relation, one.salt)
            if found is None:
                return None
            return Disagreement(one.ordered, found.said, found.expected, ruleset, found.sentence, possible)
        said, expected = ask(adjudicator, one.ordered), ask(reference, one.ordered)
        if not said or not expected:
            return None
        relation = own_contradiction(one.ordered, said)
        if agree(expected, said, words=self.plan.words) and not (relation and one.finding.source == "metamorphic"):
            return None
        return Disagreement(one.ordered, said, expected, ruleset, relation, possible)


def _is_same(one: _Asked, cause: Cause) -> bool:
    """Whether a position is wrong for the cause that it was found with."""
    before = one.finding.cause
    if before.kind != cause.kind:
        return False
    if cause.kind == "failure":
        said = one.finding.said
        return before.label.partition(":")[0] == cause.label or (
            bool(said) and Failure(said[0].failure).kind == cause.label
        )
    if before.changes or before.mutants:
        return any(changes in before.changes for changes in cause.changes) or not set(before.mutants).isdisjoint(
            cause.mutants
        )
    if cause.changes or cause.mutants:
        return False
    # The pattern of a position that was not shrunk is not that of the one that it was shrunk to.
    return before.label == cause.label or (not one.shrunk and before.unexplained and cause.unexplained)


def _finding(
    one: _Asked, found: Disagreement, cause: Cause, adjudicator: Adjudicator, reference: Adjudicator
) -> Finding:
    number, facts = find_facts(found.expected, found.said)
    said = [said_data(adjudicator.name, found.said)]
    if found.contradicts_another_answer:
        said.append(said_data("expected after its answer to the same in another form", found.expected))
    expected = ask(reference, one.ordered)
    said += [said_data(reference.name, expected)] if expected else []
    return Finding(
        number=one.finding.number,
        source=one.finding.source,
        engine=0,
        cause=cause,
        found_units=one.finding.found_units,
        position=store_position(one.ordered),
        relation=one.relation if found.contradicts_another_answer else "",
        salt=one.salt,
        said=said,
        facts=list(map(fact_data, facts)),
        of_retreats=number > 0,
    )


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
    findings = [finding for finding in store.findings() if finding.engine == number]
    return Again(plan.with_engine(engine._replace(possible=plan.engines[number].possible)), findings)
