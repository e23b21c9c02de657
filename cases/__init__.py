"""The suites: what the documents say, as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .errors import CasesError, SuiteError
    from .loading import load_suite, suite_names
    from .reading import read_suite
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

if not TYPE_CHECKING:
    from ..reference_engine.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, __all__, "errors suite rulesets loading reading tables")
