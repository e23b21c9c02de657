"""The suites: what the documents say, as data."""

from .errors import CasesError, Problem, SuiteError, UnknownCaseError, UnknownSuiteError
from .reading import load_suite, read_suite, suite_names
from .suite import (
    ORDER_LABELS,
    Case,
    CaseOrder,
    CasePhase,
    Expectation,
    OrderLabel,
    RetreatClaim,
    Section,
    Suite,
    select_cases,
)
from .tables import case_file_schema

__all__ = [
    "ORDER_LABELS",
    "Case",
    "CaseOrder",
    "CasePhase",
    "CasesError",
    "Expectation",
    "OrderLabel",
    "Problem",
    "RetreatClaim",
    "Section",
    "Suite",
    "SuiteError",
    "UnknownCaseError",
    "UnknownSuiteError",
    "case_file_schema",
    "load_suite",
    "read_suite",
    "select_cases",
    "suite_names",
]
