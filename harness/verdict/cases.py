"""Asks an adjudicator one case."""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec

from ...adapters.engine import ASKED_FOR
from ...cases import Case
from ...reports import CaseData
from ..session import Adjudicator, PlayedPhase, case_inputs, play
from .report_data import case_data, unasked
from .verdict import Rules, fitting_alternatives, has_answer, judge


def ask_case(adjudicator: Adjudicator, case: Case, rules: Rules, *, brief: bool = False) -> CaseData:
    """Ask the phases of a case in turn and give the case its verdict; if `brief`, without more of one that passes.

    Raises `EngineGaveOutError` and `EngineClosedError`: then there is no verdict on the case.
    """
    began = time.perf_counter()
    played = play_case(adjudicator, case, phases_with_answer(case, rules))
    found = judge(case, played, rules, brief=brief)
    if brief and found.verdict == "passed":
        return msgspec.structs.replace(unasked(case, ""), verdict="passed", notes=list(found.notes))
    return msgspec.structs.replace(case_data(case, played, rules, found), seconds=round(time.perf_counter() - began, 6))


def phases_with_answer(case: Case, rules: Rules) -> int:
    """Return how many phases there are before the first to which the rules in force give no answer."""
    expected = [has_answer(phase, rules.ruleset) for phase in case.phases]
    return expected.index(None) if None in expected else len(expected)


def play_case(adjudicator: Adjudicator, case: Case, phases: int) -> list[PlayedPhase]:
    """Ask so many phases of a case, as long as the answers are right under some choices. Raises as `ask_case` does."""
    played: list[PlayedPhase] = []
    token = ASKED_FOR.set(case.key)
    try:
        for one in play(adjudicator, case_inputs(case)[:phases]):
            played.append(one)
            if len(played) < phases and not any(fitting_alternatives(case, played)):
                break
    finally:
        ASKED_FOR.reset(token)
    return played


def judged_case(case: Case, played: Sequence[PlayedPhase], rules: Rules) -> CaseData:
    """Give a case that was played its verdict."""
    return case_data(case, played, rules, judge(case, played, rules))
