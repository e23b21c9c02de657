"""What was found, as data, and one renderer for each format."""

import sys

if sys.platform != "emscripten":  # A browser draws boards without msgspec.
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
