"""What happens in a run, in order. A run yields these, and each output is a handler of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from .report import CaseData, EngineData, HarnessData, Report, RulesetData


@dataclass(frozen=True)
class RunStarted:
    """The engine answered to `initialize`, and the cases are about to be asked."""

    harness: HarnessData
    engine: EngineData
    ruleset: RulesetData
    cases: int


@dataclass(frozen=True)
class CaseFinished:
    """A case has its verdict. Cases finish in the order of their suites."""

    case: CaseData


@dataclass(frozen=True)
class RunFinished:
    """Nothing more will be asked, whether or not all was."""

    report: Report


Event: TypeAlias = RunStarted | CaseFinished | RunFinished
"""What a run yields."""


class Handler(Protocol):
    """An output of a run."""

    def handle(self, event: Event) -> None:
        """Take note of an event."""
        ...
