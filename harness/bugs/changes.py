"""Experiments with the reference engine: the rule choices under which it answers as an engine did."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, final

from ...reference_engine import (
    EVERY_ISSUE,
    ISSUES,
    GivenOrder,
    OrderedUnit,
    Phase,
    Ruleset,
    Submission,
    province_code,
    standard_board,
)
from ...reference_engine.orders import Convoy, Move, Remove, Waive
from ..play.answer import Answer, PhaseInput
from ..play.differences import diff_answers, expect_answer
from ..play.positions import helped_unit
from ..play.session import PlayedPhase, ReferenceAdjudicator, play

if TYPE_CHECKING:
    from ...cases.suite import CasePhase

Change: TypeAlias = Mapping[str, str]
"""Other choices for some issues."""
Possible: TypeAlias = Collection[tuple[str, str]]
"""The choices, each behind its issue, that a search may use."""
HashableChange: TypeAlias = tuple[tuple[str, str], ...]
"""A change as something that can be hashed, in the order of the issues."""

MOST_CHANGES = 3
MOST_TRIED = 5_000
"""More than all pairs of changes that there are."""

_OF_ADJUSTMENTS = frozenset({"4.B.7", "4.C.3", "4.C.4", "4.D.4", "4.D.5", "4.D.6", "4.D.7", "4.D.8", "X.17"})
_OF_ANY_PHASE = frozenset({"4.B.5", "4.B.6", "4.C.1", "4.C.2", "4.D.3"})
_OF_SUBMISSIONS = frozenset({"4.D.1", "4.D.2", "4.E.2", "4.E.3", "4.E.4", "4.E.5", "4.E.6"})
_OF_CONVOYS = frozenset({"4.A.1", "4.A.2", "4.A.4", "4.A.5", "4.A.7", "v3.2-4.A.4"}) | {
    f"X.{number}" for number in (1, 2, 3, 6, 7, 8, 9, 10, 22)
}
_OF_SUPPORTS = frozenset({"4.C.5", "4.D.9", "X.4", "X.5", "X.11"})
_OF_NAMES = frozenset({"4.B.5", "4.B.6", "4.C.1", "4.C.2", "4.C.6"})
_OF_COASTS = frozenset({"4.B.1", "4.B.2", "4.B.3", "4.B.4", "4.B.6"})
_OF_PARADOXES = frozenset({"4.A.2", "X.6", "X.22"})
_BY_WRITING = _OF_CONVOYS | _OF_SUPPORTS | _OF_NAMES | _OF_COASTS | {"4.A.3", "4.A.6"}
_OF_REMOVALS = frozenset({"4.D.6", "4.D.8", "X.17"})
_NOT_OF_ADJUSTMENTS = frozenset(ISSUES) - _OF_ADJUSTMENTS - _OF_ANY_PHASE - _OF_SUBMISSIONS
_NUMBER: Mapping[tuple[str, str], int] = {
    pair: number
    for number, pair in enumerate((issue, choice) for issue, each in EVERY_ISSUE.items() for choice in each.choices)
}


def issues_of(phase: Phase, *, one_clear_set: bool) -> Sequence[str]:
    """Return the issues that can matter in a phase; if its orders are one clear set, none about submissions."""
    left_out = frozenset[str]() if not one_clear_set else _OF_SUBMISSIONS - {"4.E.3"}
    if phase == "movement":
        return [issue for issue in ISSUES if issue not in _OF_ADJUSTMENTS | left_out]
    if phase == "retreat":
        return [issue for issue in ISSUES if issue[:3] in ("4.B", "4.C", "4.D", "4.E") and issue not in left_out]
    return [issue for issue in ISSUES if issue in _OF_ADJUSTMENTS | _OF_ANY_PHASE | (_OF_SUBMISSIONS - left_out)]


def unraised_issues(phases: Iterable[PhaseInput]) -> frozenset[str]:
    """Return issues of which all choices have the same answer to some phases, under any choices of the others.

    Which ones do can be seen in a phase and its orders, which takes less time than to adjudicate it: without a convoy
    order, those about convoys. Not all such issues are found, and none where orders have to be settled first.
    """
    return frozenset[str].intersection(*map(_unraised_in, phases))


def _unraised_in(asked: PhaseInput) -> frozenset[str]:
    given = asked.orders.as_one_clear_set() if isinstance(asked.orders, Submission) else asked.orders
    if given is None or asked.flying_dutchmen or (asked.follows and asked.phase == "adjustment"):
        return frozenset()
    if asked.phase == "adjustment":
        return _NOT_OF_ADJUSTMENTS | _unraised_by_removals(asked, given)
    board = asked.board or standard_board()
    named = asked.prepared.named if asked.prepared is not None and asked.phase == "movement" else ()
    raised, convoyed_to, helping = set[str](), set[str](), set[str]()
    for order in [order for _, order in given if order is not None and not isinstance(order, Waive)]:
        helped, to = helped_unit(order), getattr(order, "to", "")
        if order.unit not in named or (helped and helped not in named):
            raised |= _OF_NAMES
        if "/" in to or to in board.with_coasts:
            raised |= _OF_COASTS
        if helped:
            raised |= _OF_SUPPORTS
            helping.add(province_code(order.unit.location))
        if isinstance(order, Convoy):
            raised |= _OF_CONVOYS
            convoyed_to.add(province_code(to))
        if isinstance(order, Convoy) or (isinstance(order, Move) and (order.via_convoy or order.path)):
            raised.add("4.A.6")
            army = board.places.get(("A", province_code((helped or order.unit).location)))
            if army and province_code(to) in board.number and board.number[province_code(to)] in army.reach:
                raised.add("4.A.3")
    # In a paradox, a support turns on whether a convoyed army arrives, or on some maps the convoy of a fleet at a coast
    if convoyed_to.isdisjoint(helping):
        raised -= _OF_PARADOXES
    return _OF_ADJUSTMENTS | (_BY_WRITING - raised)


def _unraised_by_removals(asked: PhaseInput, given: Sequence[GivenOrder]) -> frozenset[str]:
    """Return the issues about removals where each power removes exactly those units that it has to."""
    position = asked.position()
    for power in position.board.powers:
        own = [OrderedUnit(unit.location, unit.type) for unit in position.units if unit.power == power]
        removed = [order.unit for by, order in given if by == power and isinstance(order, Remove)]
        due = len(own) - len(position.counted(power))
        if due > 0 and not len(removed) == len({*own}.intersection(removed)) == due:
            return frozenset()
    return _OF_REMOVALS


def is_one_clear_set(asked: PhaseInput) -> bool:
    """Whether nothing has to be settled about the orders of a phase before they can be followed."""
    return not asked.flying_dutchmen and asked.submission.as_one_clear_set() is not None


def judged_orders(phase: CasePhase, ruleset: Ruleset) -> Sequence[int] | None:
    """Return the orders of whose outcome a case says something; `None` where it has no answer under a ruleset."""
    expected = phase.expected(ruleset.choices)
    if expected is None:
        return ()
    return None if expected.no_answer else sorted(expected.orders)


class FoundChanges(NamedTuple):
    """What a search for changes found, and how many it tried."""

    changes: tuple[Change, ...]
    tried: int


def find_changes(
    played: Sequence[PlayedPhase],
    ruleset: Ruleset,
    *,
    case_phases: Sequence[CasePhase] = (),
    possible: Possible | None = None,
    most_changes: int = MOST_CHANGES,
    most_tried: int = MOST_TRIED,
) -> FoundChanges:
    """Find the fewest changes to a ruleset under which the reference engine gives the answers of an engine.

    With the same phases of a case, the outcomes that it expects count, too, and rules under which it has no answer
    explain nothing; else the boards alone are compared. Of the `possible` choices, or all, so many are changed together
    at most. Of one size so many are tried at most, those first that extend the change with the fewest facts left: a low
    limit makes it a search step by step. Single changes and pairs are tried with all issues, larger ones with the
    issues that mattered in those.

    Returns all the changes of the smallest size that explain the answers; an empty one where nothing has to be changed,
    none where none does, and where an answer is impossible or missing.
    """
    if any(one.impossible or not isinstance(one.answer, Answer) for one in played):
        return FoundChanges((), 0)
    search = _Search(played, ruleset, case_phases)
    own = search.attempt(())
    if own is None or not any(own.facts):
        return FoundChanges(() if own is None else ({},), 0)
    first, trials = played[0].asked, [own]
    of_map: Mapping[str, str] = first.board.choices if first.board and first.phase == "movement" else {}
    in_force = {**of_map, **ruleset.choices}
    unraised = unraised_issues(one.asked for one in played)
    candidates = [
        (issue, choice)
        for issue in (*issues_of(first.phase, one_clear_set=is_one_clear_set(first)), *of_map)
        if case_phases or issue not in unraised
        for choice in EVERY_ISSUE[issue].choices
        if choice != in_force[issue] and (possible is None or (issue, choice) in possible)
    ]
    for size in range(1, most_changes + 1):
        if size > 2:
            candidates = [pair for pair in candidates if pair[0] in search.mattering]
        trials = list(itertools.islice(search.extend(trials, candidates), most_tried))
        if found := [trial.change for trial in trials if not any(trial.facts)]:
            found.sort(key=lambda change: [_NUMBER[pair] for pair in change])
            return FoundChanges(tuple(map(dict, found)), search.tried)
        trials.sort(key=lambda trial: (trial.facts, trial.answers == own.answers))
    return FoundChanges((), search.tried)


class _Trial(NamedTuple):
    """What the reference engine answers with some choices changed."""

    change: HashableChange
    answers: tuple[Answer, ...]
    facts: tuple[float, ...]
    """How many facts differ, phase by phase."""


@final
@dataclass
class _Search:
    """A search for changes that explain some answers."""

    played: Sequence[PlayedPhase]
    ruleset: Ruleset
    case_phases: Sequence[CasePhase]
    mattering: set[str] = field(default_factory=set[str])
    tried: int = 0

    def extend(self, bases: Iterable[_Trial], candidates: Sequence[tuple[str, str]]) -> Iterator[_Trial]:
        """Try each of these changes with one more choice changed."""
        seen: set[HashableChange] = set()
        issues = {issue for issue, _ in candidates}
        for base in bases:
            changed = {issue for issue, _ in base.change}
            for pair in candidates if changed <= issues else ():
                change = tuple(sorted((*base.change, pair), key=_NUMBER.__getitem__))
                if pair[0] in changed or change in seen:
                    continue
                seen.add(change)
                trial = self.attempt(change)
                if trial is not None:
                    self.tried += 1
                    if trial.answers != base.answers:
                        self.mattering.add(pair[0])
                    yield trial

    def attempt(self, change: HashableChange) -> _Trial | None:
        """Play the phases with some choices changed; `None` where the reference engine cannot."""
        ruleset, reference = _changed(self.ruleset, change)
        played = play(reference, [one.asked for one in self.played])
        answers = tuple(one.answer for one in played if isinstance(one.answer, Answer))
        if len(answers) < len(self.played):
            return None
        judged = [judged_orders(phase, ruleset) for phase in self.case_phases]
        if None in judged:
            return _Trial(change, answers, (math.inf,))
        outcomes = itertools.chain((orders or () for orders in judged), itertools.repeat(()))
        wanted_answers = (one.answer for one in self.played if isinstance(one.answer, Answer))
        compared = zip(answers, wanted_answers, outcomes, strict=False)
        facts = (len(diff_answers(expect_answer(answer, orders), wanted)) for answer, wanted, orders in compared)
        return _Trial(change, answers, tuple(facts))


@lru_cache(maxsize=4096)
def _changed(ruleset: Ruleset, change: HashableChange) -> tuple[Ruleset, ReferenceAdjudicator]:
    changed = ruleset.with_choices(dict(change)) if change else ruleset
    return changed, ReferenceAdjudicator(changed)
