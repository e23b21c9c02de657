"""Several runs side by side, as data: a row a case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .report import CaseData, Report


@dataclass(frozen=True)
class CaseRow:
    """A case, and what each run has of it."""

    first: CaseData
    """That of the first run which has the case: it tells its id and title."""
    cases: tuple[CaseData | None, ...]
    """One a run; `None` where the run does not have it."""

    @property
    def all_passed(self) -> bool:
        """Whether every run has it, and passed it."""
        return all(case is not None and case.verdict == "passed" for case in self.cases)

    @property
    def agreed(self) -> bool:
        """Whether it has the same verdict in all runs."""
        return len({case.verdict if case else None for case in self.cases}) == 1


def case_rows(reports: Sequence[Report]) -> list[CaseRow]:
    """Set the cases of some runs side by side, in the order in which the runs have them."""
    found: dict[tuple[str, str], list[CaseData | None]] = {}
    for number, report in enumerate(reports):
        for case in report.cases:
            found.setdefault((case.suite, case.id), [None] * len(reports))[number] = case
    return [CaseRow(next(case for case in cases if case), tuple(cases)) for cases in found.values()]
