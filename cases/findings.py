"""What is found wrong while a case is read."""

from __future__ import annotations

from collections.abc import Sequence

from ..reference_engine import NotationError, OrderedUnit, RulesetError, check_choice, read_unit
from .errors import Problem
from .tables import CaseTable


class Findings:
    """Gathers what is wrong with one case, instead of stopping at the first."""

    def __init__(self, file: str, table: CaseTable) -> None:
        self.problems: list[Problem] = []
        self._file: str = file
        self._table: CaseTable = table

    def problem(self, field: str, message: str) -> None:
        """Note something that is wrong."""
        self.problems.append(Problem(self._file, self._table.id, field, message))

    def unit(self, field: str, text: str) -> OrderedUnit | None:
        """Read a unit, or note why it cannot be read."""
        try:
            return read_unit(text)
        except NotationError as error:
            self.problem(field, str(error))
            return None

    def check_issue(self, field: str, issue: str, choices: Sequence[str]) -> None:
        """Note an issue or choice that does not exist, or that the case does not declare."""
        try:
            for choice in choices:
                check_choice(issue, choice)
        except RulesetError as error:
            self.problem(field, str(error))
        if issue not in self._table.issues:
            self.problem(field, f"issue {issue} is not among the case's `issues`")
