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
    from .errors import HarnessError
    from .explain.case import explain_case
    from .play.answer import Answer, Failure, PhaseInput
    from .play.case_verdicts import ask_case
    from .play.engine import EngineAdjudicator
    from .play.session import Adjudicator, ReferenceAdjudicator
    from .play.verdict import Rules
    from .rules.compare import compare
    from .rules.infer import infer
    from .run.runner import Run
    from .search.observed import FindingStore
    from .search.shadowing import Shadow

_MODULES = (
    "errors",
    "play.answer",
    "play.session",
    "play.verdict",
    "play.case_verdicts",
    "run.runner",
    "rules.infer",
    "rules.compare",
    "explain.case",
    "search.shadowing",
    "search.observed",
)
"""The modules that have the names, the light ones first."""

__all__ = [
    "Adjudicator",
    "Answer",
    "EngineAdjudicator",
    "Failure",
    "FindingStore",
    "HarnessError",
    "PhaseInput",
    "ReferenceAdjudicator",
    "Rules",
    "Run",
    "Shadow",
    "ask_case",
    "compare",
    "explain_case",
    "infer",
]


def __getattr__(name: str) -> object:
    from importlib import import_module  # Here, since the help imports nothing.

    for module in _MODULES if name in __all__ else ():
        found = vars(import_module(f".{module}", __name__))
        if name in found:
            return globals().setdefault(name, found[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
