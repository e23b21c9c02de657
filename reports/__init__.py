"""What was found, as data, and one renderer for each format.

Each public name is imported when it is first used (PEP 562): the map is drawn where there is no msgspec, and commands
start faster.
"""

from __future__ import annotations

TYPE_CHECKING = False  # Checkers of types take it for true by its name.

if TYPE_CHECKING:
    from .errors import StoredRunError
    from .files import append_whole, write_whole
    from .formats import FORMATS, Format, Rendered, Streamed, comparing, inferring, open_output, write_report
    from .jsonl import read_run
    from .report import (
        ACCEPTED,
        VERDICTS,
        BoardData,
        CaseData,
        CaseFinished,
        CaseName,
        DislodgedData,
        EngineData,
        Event,
        Evidence,
        ExpectedData,
        FactData,
        FailingData,
        GateData,
        Handler,
        HarnessData,
        InferenceReport,
        MutantData,
        NearestData,
        OrderData,
        PhaseData,
        Report,
        RestartData,
        RulesetData,
        RunFinished,
        RunStarted,
        SearchData,
        Strength,
        TestedChoices,
        UnitData,
        Verdict,
        counted,
        has_right_board,
        is_compliant,
        statement,
        summarize,
        summarize_boards,
    )

_MODULES = {
    "ACCEPTED": "report",
    "BoardData": "report",
    "CaseData": "report",
    "CaseFinished": "report",
    "CaseName": "report",
    "DislodgedData": "report",
    "EngineData": "report",
    "Event": "report",
    "Evidence": "report",
    "ExpectedData": "report",
    "FORMATS": "formats",
    "FactData": "report",
    "FailingData": "report",
    "Format": "formats",
    "GateData": "report",
    "Handler": "report",
    "HarnessData": "report",
    "InferenceReport": "report",
    "MutantData": "report",
    "NearestData": "report",
    "OrderData": "report",
    "PhaseData": "report",
    "Rendered": "formats",
    "Report": "report",
    "RestartData": "report",
    "RulesetData": "report",
    "RunFinished": "report",
    "RunStarted": "report",
    "SearchData": "report",
    "StoredRunError": "errors",
    "Streamed": "formats",
    "Strength": "report",
    "TestedChoices": "report",
    "UnitData": "report",
    "VERDICTS": "report",
    "Verdict": "report",
    "append_whole": "files",
    "comparing": "formats",
    "counted": "report",
    "has_right_board": "report",
    "inferring": "formats",
    "is_compliant": "report",
    "open_output": "formats",
    "read_run": "jsonl",
    "statement": "report",
    "summarize": "report",
    "summarize_boards": "report",
    "write_report": "formats",
    "write_whole": "files",
}

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
    "Evidence",
    "ExpectedData",
    "FactData",
    "FailingData",
    "Format",
    "GateData",
    "Handler",
    "HarnessData",
    "InferenceReport",
    "MutantData",
    "NearestData",
    "OrderData",
    "PhaseData",
    "Rendered",
    "Report",
    "RestartData",
    "RulesetData",
    "RunFinished",
    "RunStarted",
    "SearchData",
    "StoredRunError",
    "Streamed",
    "Strength",
    "TestedChoices",
    "UnitData",
    "Verdict",
    "append_whole",
    "comparing",
    "counted",
    "has_right_board",
    "inferring",
    "is_compliant",
    "open_output",
    "read_run",
    "statement",
    "summarize",
    "summarize_boards",
    "write_report",
    "write_whole",
]


def __getattr__(name: str) -> object:
    from ..reference_engine.lazy import public_value

    return public_value(__name__, _MODULES, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
