"""From what was answered and what is expected to a verdict: for `run`, `infer` and the pytest plugin alike."""

from .cases import ask_case, judged_case, phases_with_answer, play_case
from .report_data import (
    answered_phases,
    case_data,
    dislodged_data,
    fact_data,
    phase_data,
    read_fact,
    unasked,
    unit_data,
    with_facts,
)
from .verdict import Fit, Judgement, Nearest, Rules, expected_answer, fitting_alternatives, has_answer, is_wrong, judge
from .verifying import Contradiction, stored_answers, verify_run

__all__ = [
    "Contradiction",
    "Fit",
    "Judgement",
    "Nearest",
    "Rules",
    "answered_phases",
    "ask_case",
    "case_data",
    "dislodged_data",
    "expected_answer",
    "fact_data",
    "fitting_alternatives",
    "has_answer",
    "is_wrong",
    "judge",
    "judged_case",
    "phase_data",
    "phases_with_answer",
    "play_case",
    "read_fact",
    "stored_answers",
    "unasked",
    "unit_data",
    "verify_run",
    "with_facts",
]
