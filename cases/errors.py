"""What can be wrong with a suite, always with the file, the case and the field; and what gathers it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..reference_engine import DatcCheckError, NotationError, OrderedUnit, RulesetError, check_choice, read_unit
from .tables import CaseTable


class Problem(NamedTuple):
    """One thing that is wrong in a case file."""

    file: str
    case: str
    """The id of the case; empty where the whole file is meant."""
    field: str
    message: str

    def __str__(self) -> str:
        where = ", ".join(filter(None, (self.file, self.case, self.field)))
        return f"{where}: {self.message}"


class CasesError(DatcCheckError):
    """The root of all errors of the cases."""


class UnknownSuiteError(CasesError):
    """There is no suite of that name."""


class UnknownRulesetError(CasesError):
    """There is no ruleset of that name."""


class UnknownCaseError(CasesError):
    """There is no case of that id."""


class InheritanceError(CasesError):
    """A case cannot take from another what it leaves out."""


class SuiteError(CasesError):
    """A suite cannot be used.

    Args:
        problems: All that is wrong with it.
    """

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__(problems)
        self.problems: tuple[Problem, ...] = problems

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


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

    def accepted(self, field: str, choices: Mapping[str, str | list[str]]) -> Mapping[str, frozenset[str]]:
        """Read for each issue the choices for which something holds, and check each issue."""
        accepted = {issue: frozenset([one] if isinstance(one, str) else one) for issue, one in choices.items()}
        for issue, allowed in accepted.items():
            self._check_issue(field, issue, sorted(allowed))
        return accepted

    def _check_issue(self, field: str, issue: str, choices: Sequence[str]) -> None:
        """Note an issue or choice that does not exist, or that the case does not declare."""
        try:
            for choice in choices:
                check_choice(issue, choice)
        except RulesetError as error:
            self.problem(field, str(error))
        if issue not in self._table.issues:
            self.problem(field, f"issue {issue} is not among the case's `issues`")
