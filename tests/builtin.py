"""The built-in engine, asked a case over the protocol's messages."""

from datc.adapters.builtin import BuiltinEngine, Reference
from datc.cases import Case
from datc.harness.play.case_verdicts import ask_case
from datc.harness.play.engine import EngineAdjudicator
from datc.harness.play.verdict import Rules
from datc.reference_engine import Ruleset
from datc.reports import CaseData


def ask_builtin(case: Case, ruleset: Ruleset, procedure: str | None = None) -> CaseData:
    """Ask it a case under a ruleset, by a procedure if one is named."""
    reference = Reference(procedure=procedure)
    capabilities = reference.identity().capabilities
    return ask_case(EngineAdjudicator(BuiltinEngine(reference), capabilities, ruleset), case, Rules(ruleset))
