"""What can be wrong with a suite, always with the file, the case and the field."""

from __future__ import annotations

from typing import NamedTuple

from ..reference_engine import DatcCheckError


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
    """A suite cannot be used: `problems` has all that is wrong with it."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__(problems)
        self.problems: tuple[Problem, ...] = problems

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))
