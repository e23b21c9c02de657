"""Writes what `datc-check next` says for a terminal."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator

from ...cases import short_key
from ...reference_engine import printable
from ...reports import VERDICTS, counted
from ...reports.report import engine_name
from ...reports.terminal import case_text
from ..wording import terminal_width, wrapped
from .report import NextCase, NextReport, StageData

_MOST_MISTAKES = 5
"""At most so many of the mistakes that a case shows are named."""


def next_lines(report: NextReport, engine: str) -> Iterator[str]:
    """Say which stage an engine has reached and which case comes next; `engine` is how its author names it."""
    name = printable(engine_name(report.engine))
    reached = next((number for number, stage in enumerate(report.stages, 1) if stage.name == report.stage), None)
    if reached is None or report.next is None:
        stages = f"all {len(report.stages)} stages" if len(report.stages) > 1 else "the one stage"
        yield from wrapped(f"{name}: {stages} done, {_counts(report)}", hanging=2)
    else:
        stage = report.stages[reached - 1]
        yield from wrapped(f"{name}: stage {reached} of {len(report.stages)}, {stage.title}", hanging=2)
    yield ""
    yield from _stage_lines(report)
    if count := report.partly_answered:
        sentence = f"In {counted(count, 'case')} of these the answers leave out the outcomes of orders, or retreats."
        yield from wrapped(f"{sentence} If they had them, the stages would be more exact.", indent=6, hanging=6)
    if reached is None or report.next is None:
        return
    stage = report.stages[reached - 1]
    yield ""
    yield from wrapped(f"{stage.title[0].upper()}{stage.title[1:]}: {stage.rule}", hanging=2)
    yield ""
    yield "Next:"
    yield from case_text(report.next.case, terminal_width()).splitlines()
    yield ""
    yield from _remarks(report.next)
    yield ""
    yield from _commands(shlex.quote(short_key(report.next.case.key)), shlex.quote(printable(engine)))


def _counts(report: NextReport) -> str:
    """Count the cases of all stages, by verdict."""
    counts = Counter(case.verdict for stage in report.stages for case in stage.cases)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])


def _stage_lines(report: NextReport) -> Iterator[str]:
    stages = [(stage.title, stage.settled, len(stage.cases), _notes(stage)) for stage in report.stages]
    width = max(len(title) for title, *_ in stages)
    for number, (title, settled, cases, notes) in enumerate(stages, 1):
        mark = ">" if report.stages[number - 1].name == report.stage else " "
        yield f"{mark}{number:3}  {title:{width}}  {settled:3} of {cases:3}{notes}"
    settled, cases = (sum(column) for column in zip(*(stage[1:3] for stage in stages), strict=True))
    yield f"      {'all cases':{width}}  {settled:3} of {cases:3}"


def _notes(stage: StageData) -> str:
    """Say which of the settled cases did not pass."""
    counts = {verdict: sum(case.verdict == verdict for case in stage.cases) for verdict in ("deviated", "declared")}
    others = [f"{count} {verdict}" for verdict, count in counts.items() if count]
    return f"  ({', '.join(others)})" if others else ""


def _remarks(found: NextCase) -> Iterator[str]:
    """Say what is right already, what happens by the rules, and which mistakes the case shows."""
    phases = found.case.phases
    if found.right_orders:
        yield "Already right:"
        for text in found.right_orders:
            yield from wrapped(printable(text), indent=2, hanging=6)
    elif any(phase.answer is not None for phase in phases):
        yield "None of its orders is right yet."
    if found.explanation and not any(phase.explanation for phase in phases):
        yield "By the rules:"
        yield from wrapped(printable(found.explanation), indent=2, hanging=2)
    if found.mistakes:
        yield "Mistakes that this case shows:"
        for mistake in found.mistakes[:_MOST_MISTAKES]:
            yield from wrapped(f"an engine that {mistake}", indent=2, hanging=6)


def _commands(case: str, engine: str) -> Iterator[str]:
    """Name the commands that help on, each to be pasted."""
    yield "Every decision in order, and the first that differs:"
    yield f"  datc-check explain {case} {engine}"
    yield "Ask it again whenever a file is saved:"
    yield f"  datc-check watch {engine} --select {case}"
