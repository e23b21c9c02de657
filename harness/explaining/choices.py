"""Which choices would make the reference answer as an engine did."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeVar

from ...reference_engine import ISSUES, Ruleset, UnplayedChoiceError

_Answer = TypeVar("_Answer")

Change: TypeAlias = Mapping[str, str]
"""Other choices for some issues."""

MOST_CHANGES = 3
_MOST_TRIED = 20_000
"""Of changes of one size, more are not tried."""


def explaining_choices(
    ruleset: Ruleset, answers: Callable[[Ruleset], _Answer], is_wanted: Callable[[_Answer], bool]
) -> Sequence[Change]:
    """Find the fewest changes to a ruleset that give an answer that is wanted; none where no such change does.

    `answers` raises `UnplayedChoiceError` for a ruleset that is not played. All single changes and pairs are tried,
    then three at once among the issues that mattered so far.
    """
    own = answers(ruleset)
    issues: Sequence[str] = list(ISSUES)
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
