"""What was found, as data, and one renderer for each format."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .errors import StoredRunError
    from .formats import FORMATS, open_output, renderers, write_report
    from .inference import InferenceReport
    from .json_report import read_run
    from .report import (
        VERDICTS,
        BoardData,
        CaseData,
        CaseFinished,
        DislodgedData,
        EngineData,
        Event,
        FactData,
        GateData,
        Handler,
        OrderData,
        PhaseData,
        Report,
        RulesetData,
        RunFinished,
        RunStarted,
        UnitData,
        Verdict,
        summarize,
    )
    from .wording import statement

__all__ = [
    "FORMATS",
    "VERDICTS",
    "BoardData",
    "CaseData",
    "CaseFinished",
    "DislodgedData",
    "EngineData",
    "Event",
    "FactData",
    "GateData",
    "Handler",
    "InferenceReport",
    "OrderData",
    "PhaseData",
    "Report",
    "RulesetData",
    "RunFinished",
    "RunStarted",
    "StoredRunError",
    "UnitData",
    "Verdict",
    "open_output",
    "read_run",
    "renderers",
    "statement",
    "summarize",
    "write_report",
]

if not TYPE_CHECKING:
    from ..reference_engine.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(__name__, __all__, "errors report formats wording inference json_report")
