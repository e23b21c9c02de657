"""Hunts through one chunk of positions: draws, asks, compares, explains, shrinks."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import final

import msgspec

from ...adapters import EngineClosedError, EngineGaveOutError
from .answers import Answer, Failure
from .causes import (
    Cause,
    Disagreement,
    agree,
    explain_difference,
    explaining_faults,
    first_difference,
    single_explanations,
)
from .embedding import Shape, shape, shows_in
from .findings import ChunkResult, Finding, Seconds, said_data
from .metamorphic import contradiction, own_contradiction
from .parties import Party, ReferenceParty, Statement
from .plan import Drawn, Plan, draw
from .shrink import Shrinker
from .situation import Situation, situation_data

STOPPED = "it was stopped before its end"
MOST_QUESTIONS = 400
"""Of shrinking one position."""
MOST_OF_A_KIND = {"deviation": 1, "failure": 1, "bug": 4}
"""So many findings of a kind and label are shrunk in a chunk; the rest are counted."""


def hunt_chunk(plan: Plan, parties: Sequence[Party], chunk: int, stop: Callable[[], bool]) -> ChunkResult:
    """Ask the engines the positions of a chunk, unless `stop` says to stop before.

    What is found depends on the plan and the engines alone.
    """
    return _Chunk(plan, parties, chunk).hunt(stop)


@final
@dataclass
class _Chunk:
    """A chunk as far as it was asked."""

    plan: Plan
    parties: Sequence[Party]
    chunk: int
    _asked: Counter[str] = field(default_factory=Counter[str])
    _shrunk: Counter[tuple[int, str, str]] = field(default_factory=Counter[tuple[int, str, str]])
    _patterns: dict[str, tuple[int, Shape]] = field(default_factory=dict[str, tuple[int, Shape]])
    """The bugs that were made small, by their patterns: whose, and what they look like."""
    _findings: list[Finding] = field(default_factory=list[Finding])
    _unsupported: int = 0
    _generating: float = 0.0
    _asking: float = 0.0

    @cached_property
    def _reference(self) -> ReferenceParty:
        return ReferenceParty(self.plan.ruleset)

    def hunt(self, stop: Callable[[], bool]) -> ChunkResult:
        began = time.perf_counter()
        trouble = ""
        for number in self.plan.numbers(self.chunk):
            if stop():
                trouble = STOPPED
                break
            started = time.perf_counter()
            drawn = draw(self.plan, number)
            self._generating += time.perf_counter() - started
            try:
                self._ask(drawn)
            except (EngineGaveOutError, EngineClosedError) as error:
                trouble = str(error)
                break
            except KeyboardInterrupt:
                trouble = STOPPED
                break
            self._asked[drawn.source] += 1
        whole = time.perf_counter() - began
        return ChunkResult(
            chunk=self.chunk,
            asked=dict(self._asked),
            unsupported=self._unsupported,
            findings=self._findings,
            seconds=Seconds(
                generator=round(self._generating, 6),
                engines=round(self._asking, 6),
                comparison=round(whole - self._generating - self._asking, 6),
            ),
            trouble=trouble,
        )

    def _ask(self, drawn: Drawn) -> None:
        if drawn.relation:
            for engine, party in enumerate(self.parties):
                self._ask_twice(drawn, engine, party)
        else:
            self._compare(drawn)

    def _compare(self, drawn: Drawn) -> None:
        """Ask all engines, and the reference where there is but one; find those that differ from the reference."""
        started = time.perf_counter()
        statements = [party.ask(drawn.situation) for party in self.parties]
        self._asking += time.perf_counter() - started
        self._unsupported += statements.count(None)
        said = [one for one in statements if one is not None]
        failed = any(isinstance(one.last, Failure) for one in said)
        if not failed and len(self.parties) > 1 and all(agree(said[0], other) for other in said[1:]):
            return
        expected = self._reference.ask(drawn.situation)
        if expected is None:
            return
        for engine, statement in enumerate(statements):
            if statement is not None and not agree(expected, statement):
                disagreement = self._made(engine, drawn.situation, statement, expected)
                self._note(drawn, engine, _with_own_contradiction(disagreement))

    def _ask_twice(self, drawn: Drawn, engine: int, party: Party) -> None:
        started = time.perf_counter()
        found = contradiction(party, drawn.situation, drawn.relation, drawn.salt, agree)
        self._asking += time.perf_counter() - started
        if found is not None:
            disagreement = self._made(engine, drawn.situation, found.said, found.expected, found.sentence)
            self._note(drawn, engine, disagreement)

    def _made(
        self, engine: int, situation: Situation, said: Statement, expected: Statement, relation: str = ""
    ) -> Disagreement:
        possible = self.plan.engines[engine].possible
        return Disagreement(situation, said, expected, self.plan.ruleset, relation, possible)

    def _note(self, drawn: Drawn, engine: int, disagreement: Disagreement) -> None:
        """Explain a disagreement, make it small unless there are enough like it, and explain that."""
        cause = explain_difference(disagreement)
        if cause.unexplained:
            cause = self._known_cause(engine, disagreement) or cause
        kind = (engine, cause.kind, _likeness(cause, disagreement))
        finding = Finding(
            number=drawn.number,
            source=drawn.source,
            engine=engine,
            cause=cause,
            found_units=len(drawn.situation.units),
            relation=drawn.relation,
            salt=drawn.salt,
        )
        if cause.label in self._patterns:
            self._findings.append(finding)
            return
        self._shrunk[kind] += 1
        if self._shrunk[kind] <= MOST_OF_A_KIND[cause.kind]:
            finding = self._made_small(drawn, finding, disagreement)
        elif cause.unexplained:
            finding = _replace(finding, cause=Cause(kind="bug", label="", unexplained=True))
        self._findings.append(finding)

    def _known_cause(self, engine: int, disagreement: Disagreement) -> Cause | None:
        """Find a bug that was made small before in this chunk, and shows here too."""
        here = shape(disagreement.situation, disagreement.expected, disagreement.said)
        for label, (owner, small) in self._patterns.items():
            if owner == engine and shows_in(small, here):
                return Cause(kind="bug", label=label, unexplained=True)
        return None

    def _made_small(self, drawn: Drawn, finding: Finding, disagreement: Disagreement) -> Finding:
        party = self.parties[finding.engine]
        keeps = _same_kind(finding.cause, disagreement)

        def seen(situation: Situation) -> Disagreement | None:
            return self._disagreement(finding.engine, situation, drawn)

        def interesting(situation: Situation) -> bool:
            if disagreement.situation.owns_where_it_stands and not situation.owns_where_it_stands:
                return False
            found = seen(situation)
            return found is not None and keeps(found)

        small = Shrinker(interesting, MOST_QUESTIONS).shrink(disagreement.situation)
        found = seen(small)
        if found is None or not keeps(found):  # An engine that answers now this, now that.
            small, found = disagreement.situation, disagreement
        cause = explain_difference(found)
        if cause.unexplained and not cause.label:
            cause = Cause(kind="bug", label=f"with {len(small.units)} units", unexplained=True)
        elif cause.unexplained:
            _ = self._patterns.setdefault(cause.label, (finding.engine, shape(small, found.expected, found.said)))
        others = [one for one in self.parties if one is not party]
        said = [(party.name, found.said)]
        if drawn.relation:
            said.append(("expected after its answer to the same in another form", found.expected))
        said += [(other.name, answer) for other in others if (answer := other.ask(small)) is not None]
        if (answer := self._reference.ask(small)) is not None:
            said.append((self._reference.name, answer))
        return _replace(
            finding,
            cause=cause,
            found_faults=finding.cause.faults,
            position=situation_data(small),
            said=[said_data(name, statement) for name, statement in said],
        )

    def _disagreement(self, engine: int, situation: Situation, drawn: Drawn) -> Disagreement | None:
        """Look for a disagreement on another situation, as it was looked for on the one that was drawn."""
        party = self.parties[engine]
        if drawn.relation:
            found = contradiction(party, situation, drawn.relation, drawn.salt, agree)
            if found is None:
                return None
            return self._made(engine, situation, found.said, found.expected, found.sentence)
        said, expected = party.ask(situation), self._reference.ask(situation)
        if said is None or expected is None or agree(expected, said):
            return None
        return _with_own_contradiction(self._made(engine, situation, said, expected))


def _with_own_contradiction(disagreement: Disagreement) -> Disagreement:
    """Say so where the answer contradicts itself: that is found whatever is expected."""
    return disagreement._replace(relation=own_contradiction(disagreement.situation, disagreement.said))


def _replace(finding: Finding, **fields: object) -> Finding:
    return msgspec.structs.replace(finding, **fields)


def _likeness(cause: Cause, disagreement: Disagreement) -> str:
    """What findings have in common before they are made small."""
    if cause.kind == "deviation":
        return " ".join(sorted({issue for changes in cause.changes for issue in changes}))
    return _what_differs(disagreement) if cause.unexplained else cause.label or " ".join(cause.faults)


def _what_differs(disagreement: Disagreement) -> str:
    """In which phase, and whether on the board or in where units may retreat to."""
    difference = first_difference(disagreement.expected, disagreement.said)
    if difference is None:
        return ""
    mine, theirs = difference
    first = mine is disagreement.expected.said[0]
    phase = disagreement.situation.position.phase if first else "retreat"
    if isinstance(mine, Answer) and isinstance(theirs, Answer):
        return f"{phase} {'board' if mine.units != theirs.units else 'retreats'}"
    return phase


def _phase(disagreement: Disagreement) -> tuple[str, int]:
    """Which phase was answered last."""
    return disagreement.situation.position.phase, len(disagreement.said.said)


def _same_kind(cause: Cause, first: Disagreement) -> Callable[[Disagreement], bool]:
    """Tell whether another disagreement is of the same kind: by what explains it, or by what differs."""
    differs, phase = _what_differs(first), _phase(first)

    def keeps(found: Disagreement) -> bool:
        if cause.kind == "failure":
            return (
                isinstance(found.said.last, Failure) and found.said.last.kind == cause.label and _phase(found) == phase
            )
        if isinstance(found.said.last, Failure) or found.relation != first.relation:
            return False
        if first.relation:
            return True
        if _what_differs(found) != differs:
            return False
        singles = single_explanations(found)
        if cause.faults:
            return not singles and not set(cause.faults).isdisjoint(explaining_faults(found))
        if cause.kind == "bug":
            return not singles
        return any(changes.items() <= wanted.items() for changes in singles for wanted in cause.changes)

    return keeps
