"""What the wrong answers of a run look like, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .report import CaseName, FaultData, Report

_SHOWN = 8
"""Of the cases that show a fault, so many are named."""


def looks_like(report: Report, quote: Callable[[str], str] = str) -> Iterator[str]:
    """Say of each fault what it is and where it was seen; `quote` makes fit what a stored run may hold."""
    for fault in report.looks_like:
        what = f"{quote(fault.sentence)} ({quote(fault.name)})"
        yield f"Looks like an engine that {what}, {_seen(fault, report, quote)}."


def _seen(fault: FaultData, report: Report, quote: Callable[[str], str]) -> str:
    seen = f"seen in {_listed(fault.cases, report, quote)}"
    return f"{seen}, though not in {_listed(fault.against, report, quote)}" if fault.against else seen


def _listed(cases: Sequence[CaseName], report: Report, quote: Callable[[str], str]) -> str:
    one_suite = len({case.suite for case in report.cases}) < 2
    shown = [quote(case.id if one_suite else f"{case.suite}/{case.id}") for case in cases[:_SHOWN]]
    more = f" and {len(cases) - _SHOWN} more" if len(cases) > _SHOWN else ""
    return ", ".join(shown) + more
