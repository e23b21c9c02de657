"""What changed between two runs of an engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..reports import ACCEPTED, CaseData, Report, Verdict
from .inference.comparing import answered_alike
from .wording import case_key


class Change(NamedTuple):
    """A case of which two runs say something else."""

    key: str
    """The suite and the id of the case."""
    title: str
    before: Verdict
    after: Verdict


@dataclass(frozen=True)
class RunDiff:
    """What changed, each case in one of these, in the order of the runs."""

    newly_failing: tuple[Change, ...]
    """Passed or declared before, and not now."""
    newly_passing: tuple[Change, ...]
    other_verdict: tuple[Change, ...]
    """Another verdict, but no better and no worse."""
    other_answer: tuple[Change, ...]
    """The same verdict on another answer."""
    only_before: tuple[str, ...]
    """The cases that only the first run has."""
    only_after: tuple[str, ...]

    @property
    def is_worse(self) -> bool:
        """Whether something does not pass any more, or is not asked any more."""
        return bool(self.newly_failing or self.only_before)


def diff_runs(before: Report, after: Report) -> RunDiff:
    """Say what changed from one run to another."""
    old, new = _by_key(before.cases), _by_key(after.cases)
    changes = [
        (Change(key, new[key].title, old[key].verdict, new[key].verdict), not answered_alike(old[key], new[key]))
        for key in new
        if key in old
    ]
    return RunDiff(
        newly_failing=tuple(c for c, _ in changes if c.before in ACCEPTED and c.after not in ACCEPTED),
        newly_passing=tuple(c for c, _ in changes if c.before not in ACCEPTED and c.after in ACCEPTED),
        other_verdict=tuple(
            c for c, _ in changes if c.before != c.after and (c.before in ACCEPTED) == (c.after in ACCEPTED)
        ),
        other_answer=tuple(c for c, changed in changes if changed and c.before == c.after),
        only_before=tuple(key for key in old if key not in new),
        only_after=tuple(key for key in new if key not in old),
    )


def _by_key(cases: Sequence[CaseData]) -> dict[str, CaseData]:
    return {case_key(case.suite, case.id): case for case in cases}
