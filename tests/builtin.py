"""The built-in engine, asked a case over the protocol's messages, and the rulesets that it plays."""

from contextlib import suppress
from random import Random

from datc.adapters import AdjudicateParams, UnsupportedError
from datc.adapters.builtin import BuiltinEngine, Reference
from datc.cases import Case
from datc.harness.play.answer import AnswerOrFailure
from datc.harness.play.case_verdicts import ask_case, phases_with_answer
from datc.harness.play.engine import EngineAdjudicator
from datc.harness.play.session import ReferenceAdjudicator, case_inputs, play
from datc.harness.play.verdict import Rules, expected_under
from datc.reference_engine import DATC_3_1, ISSUES, Procedure, Ruleset, RulesetError
from datc.reference_engine.procedures import EQUATIONS
from datc.reports import CaseData


def ask_builtin(case: Case, ruleset: Ruleset, procedure: str | None = None) -> CaseData:
    """Ask it a case under a ruleset, by a procedure if one is named."""
    reference = Reference(procedure=procedure)
    capabilities = reference.identity().capabilities
    return ask_case(EngineAdjudicator(BuiltinEngine(reference), capabilities, ruleset), case, Rules(ruleset))


def answered(
    case: Case, ruleset: Ruleset, procedure: Procedure = EQUATIONS
) -> tuple[tuple[AnswerOrFailure, ...], tuple[int, ...]]:
    """Ask the reference engine itself; return its answers, and which expectations hold: the verdict follows from both.

    To compare them takes much less time than to ask for the same verdict again.
    """
    expected = tuple(id(expected_under(phase, ruleset)) for phase in case.phases)
    phases = case_inputs(case)[: phases_with_answer(case, Rules(ruleset))]
    return tuple(one.answer for one in play(ReferenceAdjudicator(ruleset, procedure), phases)), expected


def random_ruleset(rng: Random) -> Ruleset:
    """Draw a choice for each issue until the engine plays them all together.

    Brannan's rule has never been played: DATC 3.2 tells its five situations, each alone, and no document more.
    """
    while True:
        drawn = {issue.id: rng.choice(issue.choices) for issue in ISSUES.values() if issue.id != "v3.2-4.A.4"}
        ruleset = DATC_3_1.with_choices(drawn)
        with suppress(UnsupportedError, RulesetError):
            _ = Reference(ruleset, fixed=True).adjudicate(AdjudicateParams(phase="movement", units=[]))
            return ruleset
