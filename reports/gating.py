"""Which cases fail a run, as its gate has it, and which file of the author to point at: every format says the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..cases import suite_names
from .report import ACCEPTED, VERDICTS, CaseData, GateData, Report, counted
from .text import id_ranges


def failing_cases(report: Report) -> Mapping[str, str]:
    """Return the keys of the cases that fail a run, and why, in its order.

    Args:
        report: The run. Without a gate, every case fails it that did not pass and is not declared or skipped.
    """
    if report.gate is not None:
        return {each.case.key: each.why for each in report.gate.failing}
    return {case.key: case.verdict for case in report.cases if case.verdict not in ACCEPTED and not case.skipped}


def is_success(report: Report) -> bool:
    """Whether a run exits with 0: everything was asked, and nothing fails it."""
    return report.compliant if report.gate is None else report.gate.passed


def gate_sentence(gate: GateData) -> str:
    """Say what was to fail a run, and how much of that there is: `"What fails the run (failed): 2 cases"`."""
    terms = [", ".join(gate.fail_on)]
    terms += ["only where worse than the baseline"] if gate.baseline else []
    terms += ["a declared deviation that passes"] if gate.strict else []
    found = counted(len(gate.failing), "case") if gate.failing else "nothing"
    return f"What fails the run ({'; '.join(terms)}): {found}"


def skip_sentences(report: Report) -> list[str]:
    """Say how many cases the config skips, so that no run passes in silence because of that."""
    skipped = [case for case in report.cases if case.skipped]
    if not skipped:
        return []
    which = "case was" if len(skipped) == 1 else "cases were"
    return [f"{len(skipped)} {which} skipped by the config, and not asked: {id_ranges([case.id for case in skipped])}"]


def gate_sentences(report: Report, quote: Callable[[str], str] = str) -> list[str]:
    """Say what the gate of a run makes of it, where that is another thing than being compliant, and its warnings."""
    gate = report.gate
    if gate is None:
        return []
    is_usual = not gate.baseline and not gate.strict and {*gate.fail_on} == {*VERDICTS} - ACCEPTED
    skipped, judged = map(quote, skip_sentences(report)), [] if is_usual else [gate_sentence(gate)]
    return [*judged, *skipped, *map(quote, gate.warnings)]


def place_of(report: Report, case: CaseData) -> tuple[str, int] | None:
    """Return the file and the line that the author can look at: the case file of an own suite, or the config."""
    if case.file and case.suite not in suite_names():
        return case.file, case.line
    return (report.config, 1) if report.config else None
