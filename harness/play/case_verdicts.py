"""Asks an adjudicator one case."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

import msgspec

from ...adapters.engine import ASKED_FOR
from ...cases import Case
from ...reports import CaseData, Verdict
from .report_data import case_data
from .session import Adjudicator, PlayedPhase, case_inputs, play
from .verdict import Rules, expected_under, fitting_alternatives, judge


def ask_case(adjudicator: Adjudicator, case: Case, rules: Rules) -> CaseData:
    """Ask the phases of a case in turn and give the case its verdict.

    Raises `EngineGaveOutError` and `EngineClosedError`: then there is no verdict on the case.
    """
    began = time.perf_counter()
    played = play_case(adjudicator, case, phases_with_answer(case, rules))
    found = judge(case, played, rules)
    return msgspec.structs.replace(case_data(case, played, rules, found), seconds=round(time.perf_counter() - began, 6))


def phases_with_answer(case: Case, rules: Rules) -> int:
    """Return how many phases there are before the first to which the rules in force give no answer."""
    expected = [expected_under(phase, rules.ruleset) for phase in case.phases]
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


_BADNESS: Sequence[Verdict] = ("passed", "declared", "unsupported", "deviated", "failed", "error", "not-run")
"""Of two verdicts, the later one is the worse."""


def worst_of(found: Sequence[CaseData]) -> CaseData:
    """Return the worst of what was found of a case each time, which says if the others are not like it."""
    if len(found) == 1:
        return found[0]
    worst = max(found, key=lambda case: _BADNESS.index(case.verdict))
    counts = Counter(case.verdict for case in found)
    seconds = round(sum(case.seconds for case in found), 6)
    if len(counts) > 1:
        said = ", ".join(f"{counts[verdict]} {verdict}" for verdict in _BADNESS if counts[verdict])
        return msgspec.structs.replace(
            worst, reason=f"flaky, asked {len(found)} times: {said}; {worst.reason}", seconds=seconds
        )
    notes = worst.notes
    if len({msgspec.json.encode((case.phases, case.reason)) for case in found}) > 1:
        notes = [*notes, f"flaky: asked {len(found)} times, it gives different answers, all {worst.verdict}"]
    return msgspec.structs.replace(worst, notes=notes, seconds=seconds)
