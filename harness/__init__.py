"""The commands, runs, verdicts, and comparisons of answers.

What a program may use is in `__all__`. Each name is imported when it is first used, so that the help of the command
line starts fast (PEP 562).

>>> from datc.harness import ReferenceAdjudicator, Rules, ask_case
>>> from datc.cases import load_suite
>>> from datc.reference_engine import DATC_3_2
>>> case = load_suite("datc-3.2").cases[0]
>>> ask_case(ReferenceAdjudicator(DATC_3_2), case, Rules(DATC_3_2)).verdict
'passed'
"""

from __future__ import annotations

TYPE_CHECKING = False  # Checkers of types take it for true by its name, and importing `typing` takes time.

if TYPE_CHECKING:
    from .answers import (
        Answer,
        ExpectedAnswer,
        Fact,
        Failure,
        PhaseInput,
        diff_answers,
        expect_answer,
        fact_text,
        find_impossible,
    )
    from .errors import HarnessError
    from .explain.explain import explain_case
    from .inference.comparing import compare
    from .inference.infer import infer
    from .runner import Run
    from .session import Adjudicator, EngineAdjudicator, PlayedPhase, ReferenceAdjudicator, case_inputs, play
    from .shadow.findings import FindingStore
    from .shadow.shadowing import Difference, Shadow
    from .verdict import Rules, ask_case

_MODULES = {
    "Adjudicator": "session",
    "Answer": "answers",
    "Difference": "shadow.shadowing",
    "EngineAdjudicator": "session",
    "ExpectedAnswer": "answers",
    "Fact": "answers",
    "Failure": "answers",
    "FindingStore": "shadow.findings",
    "HarnessError": "errors",
    "PhaseInput": "answers",
    "PlayedPhase": "session",
    "ReferenceAdjudicator": "session",
    "Rules": "verdict",
    "Run": "runner",
    "Shadow": "shadow.shadowing",
    "ask_case": "verdict",
    "case_inputs": "session",
    "compare": "inference.comparing",
    "diff_answers": "answers",
    "expect_answer": "answers",
    "explain_case": "explain.explain",
    "fact_text": "answers",
    "find_impossible": "answers",
    "infer": "inference.infer",
    "play": "session",
}

__all__ = [
    "Adjudicator",
    "Answer",
    "Difference",
    "EngineAdjudicator",
    "ExpectedAnswer",
    "Fact",
    "Failure",
    "FindingStore",
    "HarnessError",
    "PhaseInput",
    "PlayedPhase",
    "ReferenceAdjudicator",
    "Rules",
    "Run",
    "Shadow",
    "ask_case",
    "case_inputs",
    "compare",
    "diff_answers",
    "expect_answer",
    "explain_case",
    "fact_text",
    "find_impossible",
    "infer",
    "play",
]


def __getattr__(name: str) -> object:
    from ..reference_engine.lazy import public_value

    return public_value(__name__, _MODULES, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
