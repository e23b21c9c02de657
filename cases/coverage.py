"""Which choices the cases tell apart: every pair of choices of an issue should be, by one case at least."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ..reference_engine import DATC_3_1, ISSUES
from .suite import Case


class Gap(NamedTuple):
    """Two choices of an issue that no case tells apart."""

    issue: str
    one: str
    other: str


class Coverage(NamedTuple):
    """What a set of cases tells apart."""

    told_apart: Mapping[str, Mapping[tuple[str, str], tuple[str, ...]]]
    """For each issue and pair of its choices, the ids of the cases that tell them apart."""
    gaps: tuple[Gap, ...]


def coverage(cases: Iterable[Case]) -> Coverage:
    """Work out which pairs of choices have another outcome in some case, the other choices being equal."""
    told_apart: dict[str, dict[tuple[str, str], list[str]]] = {
        issue.id: {pair: [] for pair in itertools.combinations(issue.choices, 2)} for issue in ISSUES.values()
    }
    for case in cases:
        for issue in case.deciding_issues:
            for pair in _pairs_told_apart(case, issue):
                told_apart[issue][pair].append(case.id)
    gaps = [Gap(issue, *pair) for issue, pairs in told_apart.items() for pair, found in pairs.items() if not found]
    frozen = {issue: {pair: tuple(found) for pair, found in pairs.items()} for issue, pairs in told_apart.items()}
    return Coverage(frozen, tuple(gaps))


def _pairs_told_apart(case: Case, issue: str) -> set[tuple[str, str]]:
    """The pairs of choices of an issue with different outcomes, under some choices of the case's other issues."""
    found: set[tuple[str, str]] = set()
    others = [other for other in case.deciding_issues if other != issue]
    for combination in itertools.product(*(ISSUES[other].choices for other in others)):
        fixed = {**DATC_3_1.choices, **dict(zip(others, combination, strict=True))}
        for one, other in itertools.combinations(ISSUES[issue].choices, 2):
            if (one, other) not in found and any(_differ(case, {**fixed, issue: one}, {**fixed, issue: other})):
                found.add((one, other))
    return found


def _differ(case: Case, one: Mapping[str, str], other: Mapping[str, str]) -> Iterator[bool]:
    for phase in case.phases:
        left, right = phase.expected(one), phase.expected(other)
        yield (
            left is not None
            and right is not None
            and not left.no_answer
            and not right.no_answer
            and not left.same_outcome(right)
        )
