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
    from ..reference_engine.lazy import lazy_names  # Here, since the help imports nothing.

    modules = "errors play.answer play.session play.verdict play.case_verdicts play.engine run.runner rules.infer"
    more = "rules.compare explain.case search.shadowing search.observed"
    return lazy_names(__name__, __all__, f"{modules} {more}")[0](name)


def __dir__() -> list[str]:
    return __all__
