"""What explains a disagreement: a choice of the rules that gives the engine's answer, or none."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from ...reference_engine import ISSUES, Phase, Ruleset
from ..diagnosis.mutants import FAULTS
from ..experiments import Change, issues_of
from .answers import Answer, Failure, Said, differing_units, same_answer
from .metamorphic import OWN_CONTRADICTIONS
from .parties import ReferenceParty, Statement
from .patterns import pattern
from .situation import Situation

CauseKind: TypeAlias = Literal["deviation", "bug", "failure"]

Possible: TypeAlias = frozenset[tuple[str, str]]
"""The choices, each with its issue, that an engine may make for all that is known of it."""

SMALL = 8
"""A position of so many units is searched for two changes at once, too."""
_PATTERNED = 14
"""A position of so many units is written as a pattern: larger ones have none in common."""
_MOST_AT_ONCE = 3


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """Why an engine's answer is another one."""

    kind: CauseKind
    label: str
    """What findings with the same cause share, where it is no deviation."""
    unexplained: bool = False
    """For a bug: nothing known explains it, and the label is the pattern of its position."""
    faults: list[str] = []
    """For a bug: the deliberate faults of the reference that each give the engine's answer, by their names."""
    changes: list[dict[str, str]] = []
    """For a deviation: each of these, alone, gives the engine's answer."""


class Disagreement(NamedTuple):
    """A situation, and an engine that says of it what the reference does not."""

    situation: Situation
    said: Statement
    expected: Statement
    ruleset: Ruleset
    relation: str = ""
    """Where the engine disagrees with itself: what it should have made no difference to."""
    possible: Possible | None = None
    """The choices that may explain it; `None` for any."""


def explain_difference(disagreement: Disagreement) -> Cause:
    """Find what explains a disagreement: a failure, itself, choices of the rules, a known mistake, or nothing known."""
    last = disagreement.said.last
    if isinstance(last, Failure):
        return Cause(kind="failure", label=last.kind)
    if disagreement.relation:
        faults = explaining_faults(disagreement) if disagreement.relation in OWN_CONTRADICTIONS else []
        return Cause(kind="bug", label="" if faults else disagreement.relation, faults=faults)
    changes = explaining_changes(disagreement)
    if changes:
        return Cause(kind="deviation", label="", changes=[dict(each) for each in changes])
    faults = explaining_faults(disagreement)
    if faults:
        return Cause(kind="bug", label="", faults=faults)
    small = len(disagreement.situation.units) <= _PATTERNED
    label = pattern(disagreement.situation, disagreement.expected, disagreement.said) if small else ""
    return Cause(kind="bug", label=label, unexplained=True)


def explaining_changes(disagreement: Disagreement) -> Sequence[Change]:
    """Find changes of choices under which the reference answers as the engine: single ones, or else a few at once."""
    singles = single_explanations(disagreement)
    if singles:
        return singles
    together = _step_by_step(disagreement)
    if together:
        return [together]
    if len(disagreement.situation.units) <= SMALL:
        return list(_pairs(disagreement))
    return ()


def single_explanations(disagreement: Disagreement) -> Sequence[Change]:
    """Find the single changes of choices under which the reference answers as the engine."""
    return [
        changes
        for changes, party in _changes(disagreement, disagreement.ruleset)
        if (other := party.ask(disagreement.situation)) is not None and agree(other, disagreement.said)
    ]


def explaining_faults(disagreement: Disagreement) -> list[str]:
    """Find the deliberate faults of the reference with which it answers as the engine."""
    return [
        name
        for name, party in _faulty(disagreement.ruleset)
        if (other := party.ask(disagreement.situation)) is not None and agree(other, disagreement.said)
    ]


@lru_cache(maxsize=4)
def _faulty(ruleset: Ruleset) -> Sequence[tuple[str, ReferenceParty]]:
    return [(fault.name, ReferenceParty(ruleset, fault.procedure, fault.name)) for fault in FAULTS.values()]


def agree(one: Statement, other: Statement) -> bool:
    """Whether two say the same in every phase that both answered."""
    return first_difference(one, other) is None


def first_difference(one: Statement, other: Statement) -> tuple[Said, Said] | None:
    """What the two said in the first phase in which they differ."""
    pairs = zip(one.said, other.said, strict=False)
    return next(((mine, theirs) for mine, theirs in pairs if not same_answer(mine, theirs)), None)


def _distance(one: Statement, other: Statement) -> int:
    """How much two differ: in movements more than in retreats, which follow from them."""
    found = 0
    for mine, theirs in zip(one.said, other.said, strict=False):
        if isinstance(mine, Answer) and isinstance(theirs, Answer):
            found = 100 * found + differing_units(mine, theirs)
    return found


def _step_by_step(disagreement: Disagreement) -> Change | None:
    """Make the change that brings the reference nearest to the engine's answer, again and again."""
    situation, said, expected, ruleset, *_ = disagreement
    made: dict[str, str] = {}
    left = _distance(expected, said)
    for _ in range(_MOST_AT_ONCE):
        best: Change = {}
        nearest = left
        for changes, party in _changes(disagreement, ruleset.with_choices(made)):
            other = party.ask(situation)
            if other is not None and (distance := _distance(other, said)) < nearest:
                nearest, best = distance, changes
        if not best:
            return None
        left = nearest
        made.update(best)
        if not left:
            return made
    return None


def _pairs(disagreement: Disagreement) -> Iterable[Change]:
    """Find two changes that explain together what neither does alone, one of which at least has an effect here."""
    situation, said, expected, ruleset, *_ = disagreement
    every = _changes(disagreement, ruleset)
    effective = [
        changes
        for changes, party in every
        if (other := party.ask(situation)) is not None and not agree(other, expected)
    ]
    for one, (other, _) in itertools.product(effective, every):
        if one.keys() != other.keys():
            found = ReferenceParty(ruleset.with_choices({**one, **other})).ask(situation)
            if found is not None and agree(found, said):
                yield {**one, **other}
                return


def _changes(disagreement: Disagreement, ruleset: Ruleset) -> Sequence[tuple[Change, ReferenceParty]]:
    """The single changes of a ruleset that may explain a disagreement, each with who plays it."""
    return _single_changes(ruleset, disagreement.situation.position.phase, disagreement.possible)


@lru_cache(maxsize=64)
def _single_changes(
    ruleset: Ruleset, phase: Phase, possible: Possible | None
) -> Sequence[tuple[Change, ReferenceParty]]:
    return [
        ({issue: choice}, ReferenceParty(ruleset.with_choices({issue: choice})))
        for issue in issues_of(phase, one_clear_set=True)
        for choice in ISSUES[issue].choices
        if choice != ruleset.choices[issue] and (possible is None or (issue, choice) in possible)
    ]
