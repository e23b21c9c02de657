"""Which known faults the wrong answers of an engine look like: the reference engine gives the same with the fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from ...cases import Case
from ...reference_engine import EQUATIONS, Procedure, Ruleset
from ...reports import CaseData, CaseName, FaultData, PhaseData
from ..answers import BOARD_KINDS, IMPOSSIBLE_KINDS, Failure, diff_answers, expect_answer, same_answer
from ..inference.conclusions import constraint_of, is_contradicted
from ..session import PlayedPhase, ReferenceAdjudicator
from ..verdict import Rules, answered_phases, ask_case
from .mutants import FAULTS, Fault

Key: TypeAlias = tuple[str, str]
"""The suite of a case and its id."""

_WRONG = ("failed", "deviated")
_KNOWN = "datc-3.1"


class _Likeness(NamedTuple):
    """How a fault fares against the answers of an engine."""

    fault: Fault
    cases: tuple[CaseData, ...]
    """Those that are to be explained and have the answer of the fault, and others in which they deviate alike."""
    failed: frozenset[Key]
    """Of these, those that are to be explained."""
    against: tuple[CaseData, ...]
    """Those that the fault would fail and the engine does not."""


def diagnose(found: Sequence[CaseData], cases: Sequence[Case], ruleset: Ruleset) -> list[FaultData]:
    """Find the faults whose answers are those that an engine fails with, the likeliest first.

    Deviations are to be explained, too, where the choices that they are right under contradict other answers. A fault
    has to explain more cases than speak against it. The fewest faults that explain what can be explained are named, and
    those that explain just as well. `cases` are those that were `found`; `ruleset` is in force.
    """
    by_key = {(case.suite, case.id): case for case in cases}
    wrong = [*(case for case in found if case.verdict == "failed"), *_contradicted(found, by_key)]
    failed = [case for case in wrong if _is_passed(by_key[_key(case)], ruleset)]
    if not failed:
        return []
    rulesets = (ruleset, *_as_it_deviates(ruleset, found))
    likely = [
        likeness
        for fault in FAULTS.values()
        if (likeness := _likeness(_Player(fault, by_key, rulesets), found, failed)) is not None
    ]
    return [
        FaultData(
            name=likeness.fault.name,
            sentence=likeness.fault.sentence,
            cases=_names(likeness.cases),
            against=_names(likeness.against),
        )
        for likeness in _fewest(likely, {_key(case) for case in failed})
    ]


def _is_passed(case: Case, ruleset: Ruleset) -> bool:
    """Whether the reference engine passes a case: in one that it fails, a fault may have changed nothing."""
    return play(EQUATIONS, case, ruleset).verdict == "passed"


class _Player:
    """Plays a fault in single cases, under each of some rulesets."""

    def __init__(self, fault: Fault, cases: Mapping[Key, Case], rulesets: Sequence[Ruleset]) -> None:
        self.fault: Fault = fault
        self._cases: Mapping[Key, Case] = cases
        self._rulesets: Sequence[Ruleset] = rulesets

    def answers(self, case: CaseData) -> Iterable[CaseData]:
        """What comes of the case with this fault, under one ruleset after the other."""
        for ruleset in self._rulesets:
            yield play(self.fault.procedure, self._cases[_key(case)], ruleset)

    def agrees(self, case: CaseData) -> bool:
        """Whether the fault gives the wrong answer that an engine gave."""
        return any(answer.verdict in _WRONG and answers_alike(case, answer) for answer in self.answers(case))

    def contradicts(self, case: CaseData) -> bool:
        """Whether the fault gives a wrong answer that an engine did not give."""
        return all(answer.verdict in _WRONG and not answers_alike(case, answer) for answer in self.answers(case))


def play(procedure: Procedure, case: Case, ruleset: Ruleset) -> CaseData:
    """Ask the reference engine, or a mutant of it, a case."""
    return ask_case(ReferenceAdjudicator(ruleset, procedure), case, Rules(ruleset))


def _likeness(player: _Player, found: Sequence[CaseData], failed: Sequence[CaseData]) -> _Likeness | None:
    """Compare a fault with an engine; nothing where as much speaks against it as for it."""
    explained = [case for case in failed if player.agrees(case)]
    against: list[CaseData] = []
    for case in found:
        if len(against) >= len(explained):
            return None
        if case.verdict in ("passed", "deviated") and player.contradicts(case):
            against.append(case)
    keys = frozenset(map(_key, explained))
    also = [case for case in found if case.verdict == "deviated" and _key(case) not in keys and player.agrees(case)]
    return _Likeness(player.fault, (*explained, *also), keys, tuple(against))


def _fewest(likely: Sequence[_Likeness], failed: set[Key]) -> Iterable[_Likeness]:
    """The likeliest fault, then the likeliest for what it leaves unexplained; with each those that do as well."""

    def rank(likeness: _Likeness) -> tuple[int, int, int]:
        return len(likeness.failed & left) - len(likeness.against), -len(likeness.against), len(likeness.cases)

    left = set(failed)
    while candidates := [likeness for likeness in likely if rank(likeness)[0] > 0]:
        best = max(candidates, key=rank)
        yield best
        for likeness in candidates:
            if likeness is not best and likeness.failed == best.failed and rank(likeness) == rank(best):
                yield likeness
        left -= best.failed


def answers_alike(one: CaseData, other: CaseData) -> bool:
    """Whether two adjudicators answered the same to a case, as far as both said it.

    Where the board is wrong, it is what counts: the words for its orders are each engine's own.
    """
    mine, theirs = answered_phases(one), answered_phases(other)
    if len(mine) != len(one.phases) or len(one.phases) != len(other.phases) != len(theirs):
        return False
    return all(map(_phases_alike, one.phases, mine, theirs))


def _phases_alike(data: PhaseData, one: PlayedPhase, other: PlayedPhase) -> bool:
    if not same_answer(other.answer, one.answer):
        return False
    if any(fact.kind in BOARD_KINDS | IMPOSSIBLE_KINDS for fact in data.facts):
        return True
    judged = [index for index, order in enumerate(data.orders) if order.expected]
    if isinstance(one.answer, Failure) or isinstance(other.answer, Failure):
        return False
    return not diff_answers(expect_answer(other.answer, judged)._replace(dislodged=None), one.answer)


def _contradicted(found: Sequence[CaseData], cases: Mapping[Key, Case]) -> Iterable[CaseData]:
    """The deviations that are right under no choices that another answer does not rule out."""
    if not any(case.verdict == "deviated" for case in found):
        return
    right = [case for case in found if case.verdict in ("passed", "deviated")]
    constraints = [constraint_of(case := cases[_key(data)], answered_phases(data, case)) for data in right]
    others = [constraint for constraint in constraints if constraint is not None]
    for data, constraint in zip(right, constraints, strict=True):
        if data.verdict == "deviated" and constraint is not None and is_contradicted(constraint, others):
            yield data


def _as_it_deviates(ruleset: Ruleset, found: Sequence[CaseData]) -> Iterable[Ruleset]:
    """The ruleset with the choices that the deviations of an engine show, where no answer of it speaks against them."""
    deviated: list[CaseData] = [case for case in found if case.verdict == "deviated"]
    right = [case for case in found if case.verdict in ("passed", "deviated")]
    choices: dict[str, str] = {}
    while deviated:
        shown: Counter[tuple[str, str]] = Counter(
            (issue, choice)
            for case in deviated
            for issue, fitting in case.deviations.items()
            for choice in fitting
            if issue not in choices and all(choice in other.choices.get(issue, [choice]) for other in right)
        )
        if not shown:
            break
        issue, choice = max(shown, key=lambda pair: shown[pair])
        choices[issue] = choice
        deviated = [case for case in deviated if choice not in case.deviations.get(issue, [])]
    if choices:
        yield ruleset.with_choices(choices)


def _key(case: CaseData) -> Key:
    return case.suite, case.id


def _names(cases: Sequence[CaseData]) -> list[CaseName]:
    """Name cases, those of the DATC first: its author has them at hand."""
    known_first = sorted(cases, key=lambda case: case.suite != _KNOWN)
    return [CaseName(suite=case.suite, id=case.id) for case in known_first]
