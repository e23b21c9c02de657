"""The suites: what the documents say, as data."""

from .errors import CasesError, SuiteError
from .reading import load_suite, read_suite, suite_names
from .rulesets import load_issues, load_ruleset, ruleset_names
from .suite import Case, Suite, select_cases
from .tables import case_file_schema

__all__ = [
    "Case",
    "CasesError",
    "Suite",
    "SuiteError",
    "case_file_schema",
    "load_issues",
    "load_ruleset",
    "load_suite",
    "read_suite",
    "ruleset_names",
    "select_cases",
    "suite_names",
]
