"""The suites: what the documents say, as data."""

from .errors import CasesError, Problem, SuiteError, UnknownCaseError, UnknownRulesetError, UnknownSuiteError
from .loading import load_suite, suite_names
from .reading import read_loose_cases, read_suite
from .rulesets import Cell, ChoiceText, IssueText, RulesetText, load_issues, load_ruleset, ruleset_names
from .suite import (
    ORDER_LABELS,
    SUCCESSES,
    Alternative,
    Case,
    CaseOrder,
    CasePhase,
    CasePlace,
    Expectation,
    OrderLabel,
    RetreatClaim,
    Section,
    Suite,
    select_cases,
    short_key,
)
from .tables import USUAL_EDITION, Season, case_file_schema
from .told_apart import Coverage, Gap, cases_that_show, coverage

__all__ = [
    "ORDER_LABELS",
    "SUCCESSES",
    "USUAL_EDITION",
    "Alternative",
    "Case",
    "CaseOrder",
    "CasePhase",
    "CasePlace",
    "CasesError",
    "Cell",
    "ChoiceText",
    "Coverage",
    "Expectation",
    "Gap",
    "IssueText",
    "OrderLabel",
    "Problem",
    "RetreatClaim",
    "RulesetText",
    "Season",
    "Section",
    "Suite",
    "SuiteError",
    "UnknownCaseError",
    "UnknownRulesetError",
    "UnknownSuiteError",
    "case_file_schema",
    "cases_that_show",
    "coverage",
    "load_issues",
    "load_ruleset",
    "load_suite",
    "read_loose_cases",
    "read_suite",
    "ruleset_names",
    "select_cases",
    "short_key",
    "suite_names",
]
