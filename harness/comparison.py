"""Where engines differ: case by case, in pairs, and by the issues that they settle otherwise."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from ..reports import CaseData, Report, Verdict
from ..reports.issue_rows import issue_rows
from .wording import case_key

Answer: TypeAlias = tuple[frozenset[tuple[str, str, str]], ...]
"""The units on the board after each phase of a case. Who is not there was dislodged."""


class Agreement(NamedTuple):
    """How often two engines answer alike."""

    alike: int
    both: int
    """The cases that both answered: where one said nothing there is no agreement, and no disagreement."""


@dataclass(frozen=True)
class CaseComparison:
    """What the engines, by their place, make of a case."""

    key: str
    title: str
    verdicts: tuple[Verdict, ...]
    groups: tuple[tuple[int, ...], ...]
    """The engines that answer alike, the largest group first; who said nothing is in none."""

    @property
    def odd_one_out(self) -> int | None:
        """The engine that differs from all the others, who agree and are two at least."""
        if len(self.groups) == 2 and len(self.groups[1]) == 1 < len(self.groups[0]):
            return self.groups[1][0]
        return None


@dataclass(frozen=True)
class IssueComparison:
    """An issue that the engines settle differently."""

    issue: str
    choices: tuple[tuple[str, ...], ...]
    """For each engine the choices that its answers fit; none where no case shows one, or no one choice fits them."""


@dataclass(frozen=True)
class Comparison:
    """What several runs of the same cases show of their engines."""

    cases: tuple[CaseComparison, ...]
    agreements: Mapping[tuple[int, int], Agreement]
    issues: tuple[IssueComparison, ...]
    groups: tuple[tuple[int, ...], ...]
    """The engines that answer every case alike."""

    @property
    def alike(self) -> bool:
        """Whether all engines answer every case alike."""
        return len(self.groups) == 1

    @property
    def differing(self) -> tuple[CaseComparison, ...]:
        """The cases that not all who answered answer alike."""
        return tuple(case for case in self.cases if len(case.groups) > 1)


def compare_runs(reports: Sequence[Report]) -> Comparison:
    """Compare runs of the same cases under the same rules."""
    places = range(len(reports))
    answers = [[answer_to(case) for case in report.cases] for report in reports]
    cases = tuple(
        CaseComparison(
            key=case_key(of_all[0].suite, of_all[0].id),
            title=of_all[0].title,
            verdicts=tuple(case.verdict for case in of_all),
            groups=_groups([answers[place][number] for place in places]),
        )
        for number, of_all in enumerate(zip(*(report.cases for report in reports), strict=True))
    )
    return Comparison(
        cases=cases,
        agreements={pair: _agreement(cases, *pair) for pair in itertools.combinations(places, 2)},
        issues=tuple(_issues(reports)),
        # Who left a case out agrees with nobody on all of them.
        groups=_groups([place if None in of_one else tuple(of_one) for place, of_one in enumerate(answers)]),
    )


def answer_to(case: CaseData) -> Answer | None:
    """What an engine answered to a case; `None` where it did not answer every phase that it was asked."""
    boards = [phase.answer for phase in case.phases if phase.answer is not None]
    if not boards or len(boards) < len(case.phases):
        return None
    return tuple(frozenset((unit.power, unit.type, unit.location) for unit in board.units) for board in boards)


def _groups(answers: Sequence[object]) -> tuple[tuple[int, ...], ...]:
    """The places of equal answers, the largest group first."""
    places: dict[object, list[int]] = {}
    for place, answer in enumerate(answers):
        if answer is not None:
            places.setdefault(answer, []).append(place)
    return tuple(sorted(map(tuple, places.values()), key=lambda group: (-len(group), group)))


def _agreement(cases: Sequence[CaseComparison], one: int, other: int) -> Agreement:
    together = [
        any(one in group and other in group for group in case.groups)
        for case in cases
        if {one, other} <= {place for group in case.groups for place in group}
    ]
    return Agreement(sum(together), len(together))


def _issues(reports: Sequence[Report]) -> list[IssueComparison]:
    """The issues for which no choice fits all engines of which one is known."""
    seen: dict[str, list[tuple[str, ...]]] = {}
    for report in reports:
        for row in issue_rows(report):
            seen.setdefault(row.id, []).append(tuple(row.fitting))
    found: list[IssueComparison] = []
    for issue, choices in seen.items():
        known = [of_one for of_one in choices if of_one]
        if known and not any(all(choice in of_one for of_one in known) for choice in known[0]):
            found.append(IssueComparison(issue, tuple(choices)))
    return found
