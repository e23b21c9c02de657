"""Which choices the cases distinguish: every pair of choices of an issue should be, by at least one case."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

from ..reference_engine import ISSUES
from .suite import Alternative, Case


def coverage(cases: Iterable[Case]) -> Mapping[str, Mapping[tuple[str, str], list[str]]]:
    """Return for each issue and pair of its choices the ids of the cases that distinguish them; it may be none.

    A case does where only the choice of this issue changes what it expects.
    """
    found: dict[str, dict[tuple[str, str], list[str]]] = {
        issue.id: {pair: [] for pair in itertools.combinations(issue.choices, 2)} for issue in ISSUES.values()
    }
    for case in cases:
        for issue in case.deciding_issues:
            for pair in _distinguished_pairs(case, issue):
                found[issue][pair].append(case.id)
    return found


def cases_that_show(cases: Iterable[Case], choices: Mapping[str, str], issue: str) -> tuple[Case, ...]:
    """Find the cases with another outcome if only the choice for one issue were another one."""
    return tuple(case for case in cases if issue in case.deciding_issues and _is_shown_by(case, choices, issue))


def _is_shown_by(case: Case, choices: Mapping[str, str], issue: str) -> bool:
    here = case.alternative(choices)
    others = (case.alternative({**choices, issue: other}) for other in ISSUES[issue].choices)
    return any(_differ(here, other) for other in others)


def _distinguished_pairs(case: Case, issue: str) -> set[tuple[str, str]]:
    """The pairs of choices of an issue with different outcomes, under some choices of the case's other issues."""
    found: set[tuple[str, str]] = set()
    alike_elsewhere: dict[tuple[tuple[str, ...], ...], list[Alternative]] = {}
    for alternative in case.alternatives:
        elsewhere = tuple(choices for other, choices in alternative.choices.items() if other != issue)
        alike_elsewhere.setdefault(elsewhere, []).append(alternative)
    place = ISSUES[issue].choices.index
    for alternatives in alike_elsewhere.values():
        for one, other in itertools.combinations(alternatives, 2):
            if _differ(one, other):
                pairs = itertools.product(one.choices[issue], other.choices[issue])
                found.update((a, b) if place(a) < place(b) else (b, a) for a, b in pairs)
    return found


def _differ(one: Alternative, other: Alternative) -> bool:
    """Whether some phase has another answer: none at all is no other one."""
    return any(
        left is not None
        and right is not None
        and not left.no_answer
        and not right.no_answer
        and not left.same_outcome(right)
        for left, right in zip(one.expected, other.expected, strict=True)
    )
