"""What was found, as data, and one renderer for each format."""

from .errors import StoredRunError
from .events import CaseFinished, Event, Handler, RunFinished, RunStarted
from .formats import FORMATS, Format, Rendered, Streamed, comparing, inferring
from .inference import InferenceReport
from .outputs import open_output, write_report
from .report import (
    ACCEPTED,
    VERDICTS,
    BoardData,
    CaseData,
    CaseName,
    DislodgedData,
    EngineData,
    ExpectedData,
    FaultData,
    HarnessData,
    OrderData,
    PhaseData,
    Report,
    RulesetData,
    UnitData,
    Verdict,
    counted,
    is_compliant,
    statement,
    summarize,
)
from .stored import read_run

__all__ = [
    "ACCEPTED",
    "FORMATS",
    "VERDICTS",
    "BoardData",
    "CaseData",
    "CaseFinished",
    "CaseName",
    "DislodgedData",
    "EngineData",
    "Event",
    "ExpectedData",
    "FaultData",
    "Format",
    "Handler",
    "HarnessData",
    "InferenceReport",
    "OrderData",
    "PhaseData",
    "Rendered",
    "Report",
    "RulesetData",
    "RunFinished",
    "RunStarted",
    "StoredRunError",
    "Streamed",
    "UnitData",
    "Verdict",
    "comparing",
    "counted",
    "inferring",
    "is_compliant",
    "open_output",
    "read_run",
    "statement",
    "summarize",
    "write_report",
]
