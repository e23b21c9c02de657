"""What was found, as data, and one renderer for each format."""

from .events import CaseFinished, Event, Handler, RunFinished, RunStarted
from .outputs import FORMATS, FileOutput
from .report import (
    ACCEPTED,
    VERDICTS,
    BoardData,
    CaseData,
    DislodgedData,
    EngineData,
    ExpectedData,
    HarnessData,
    OrderData,
    PhaseData,
    Report,
    RulesetData,
    UnitData,
    Verdict,
    statement,
    summarize,
)

__all__ = [
    "ACCEPTED",
    "FORMATS",
    "VERDICTS",
    "BoardData",
    "CaseData",
    "CaseFinished",
    "DislodgedData",
    "EngineData",
    "Event",
    "ExpectedData",
    "FileOutput",
    "Handler",
    "HarnessData",
    "OrderData",
    "PhaseData",
    "Report",
    "RulesetData",
    "RunFinished",
    "RunStarted",
    "UnitData",
    "Verdict",
    "statement",
    "summarize",
]
