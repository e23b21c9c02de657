"""Which choices would make the reference answer as an engine did."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeVar

from ...reference_engine import ISSUES, Phase, Ruleset, UnplayedChoiceError

_Answer = TypeVar("_Answer")

Change: TypeAlias = Mapping[str, str]
"""Other choices for some issues."""

MOST_CHANGES = 3
_MOST_TRIED = 5_000
"""Of changes of one size, more are not tried."""

_OF_ADJUSTMENTS = frozenset({"4.B.7", "4.C.3", "4.C.4", "4.D.4", "4.D.5", "4.D.6", "4.D.7", "4.D.8", "X.17"})
_OF_ANY_PHASE = frozenset({"4.B.5", "4.B.6", "4.C.1", "4.C.2", "4.D.3"})
_OF_SUBMISSIONS = frozenset({"4.D.1", "4.D.2", "4.E.2", "4.E.3", "4.E.4", "4.E.5", "4.E.6"})


def issues_of(phase: Phase, *, one_clear_set: bool) -> Sequence[str]:
    """The issues that can matter in a phase; those about what was handed in only where that is not clear already."""
    left_out = frozenset[str]() if not one_clear_set else _OF_SUBMISSIONS - {"4.E.3"}
    if phase == "movement":
        return [issue for issue in ISSUES if issue not in _OF_ADJUSTMENTS | left_out]
    if phase == "retreat":
        return [issue for issue in ISSUES if issue[:3] in ("4.B", "4.C", "4.D", "4.E") and issue not in left_out]
    return [issue for issue in ISSUES if issue in _OF_ADJUSTMENTS | _OF_ANY_PHASE | (_OF_SUBMISSIONS - left_out)]


def explaining_choices(
    ruleset: Ruleset,
    issues: Sequence[str],
    answers: Callable[[Ruleset], _Answer],
    is_wanted: Callable[[_Answer], bool],
) -> Sequence[Change]:
    """Find the fewest changes of choices for some issues that give an answer that is wanted; none where none does.

    `answers` raises `UnplayedChoiceError` for a ruleset that is not played. All single changes and pairs are tried,
    then three at once among the issues that mattered so far.
    """
    own = answers(ruleset)
    for size in range(1, MOST_CHANGES + 1):
        found: list[Change] = []
        matters: set[str] = set()
        for change in itertools.islice(_changes(ruleset, issues, size), _MOST_TRIED):
            try:
                answer = answers(ruleset.with_choices(change))
            except UnplayedChoiceError:
                continue
            if answer != own:
                matters.update(change)
                if is_wanted(answer):
                    found.append(change)
        if found:
            return found
        if size > 1:
            issues = [issue for issue in issues if issue in matters]
    return ()


def _changes(ruleset: Ruleset, issues: Sequence[str], size: int) -> Iterator[Change]:
    """All ways to choose otherwise for so many of these issues."""
    for changed in itertools.combinations(issues, size):
        others: Iterable[Iterable[str]] = (
            [choice for choice in ISSUES[issue].choices if choice != ruleset.choices[issue]] for issue in changed
        )
        for choices in itertools.product(*others):
            yield dict(zip(changed, choices, strict=True))
