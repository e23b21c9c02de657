"""Writes an explanation out, line by line, for a terminal and for the details of the other formats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ...reference_engine import printable, standard_board
from ..experiments.changes import Change
from ..wording import wrapped
from .all_rulesets import OutcomeRow, OutcomeTable
from .cycles import CycleExplanation, Resolution
from .movement import OrderExplanation
from .phase import PhaseExplanation

if TYPE_CHECKING:  # The page that plays positions in a browser has no msgspec.
    from .case import CaseExplanation
    from .comparison import ComparedPhase, EngineComparison

_SHOWN = 8
"""How many changes of rules that give an engine's answer are shown."""


def explanation_lines(explained: CaseExplanation) -> Iterable[str]:
    """Write an explanation out for a terminal."""
    yield printable(f"{explained.case} {explained.title}" if explained.suite else explained.title)
    if explained.notes:
        yield "Guessed or skipped to read it:"
    for note in explained.notes:
        yield from wrapped(printable(note), indent=2, hanging=4)
    if explained.rulesets is not None:
        yield ""
        yield from _table_lines(explained.rulesets)
    for phase in explained.phases:
        yield ""
        yield phase_title(explained, phase)
        yield from wrapped(printable(phase.summary), indent=2, hanging=2)
        yield ""
        yield from compared_lines(phase)
    yield ""


def phase_title(explained: CaseExplanation, phase: ComparedPhase) -> str:
    """Name a phase and the ruleset in force: `"spring 1901, movement, by datc-3.2"`."""
    return f"{phase.season} {phase.year}, {phase.phase}, by {explained.ruleset}"


def phase_lines(phase: PhaseExplanation) -> Iterable[str]:
    """Write the details of a phase, below its summary."""
    if phase.remark:
        yield from wrapped(phase.remark, indent=2, hanging=2)
    for order in phase.orders:
        yield from _order_lines(order)
    yield from _decision_lines(phase)
    for number, cycle in enumerate(phase.cycles, 1):
        yield from _cycle_lines(number, cycle)


def compared_lines(phase: ComparedPhase) -> Iterable[str]:
    """Write the details of a phase, and how an engine differs."""
    yield from phase_lines(phase)
    if phase.engine is not None:
        yield from _engine_lines(phase.engine)


def _table_lines(table: OutcomeTable) -> Iterable[str]:
    yield from wrapped(printable(table.sentence), hanging=2)
    for row in table.rows:
        names = [*row.rulesets, *row.engines]
        yield from wrapped(printable(f"{', '.join(names)}: {'; then '.join(row.phases)}"), indent=2, hanging=6)
        if remark := row_remark(table, row):
            yield from wrapped(remark, indent=6, hanging=8)
    for name, reason in table.unanswered.items():
        yield from wrapped(printable(f"{name}: no answer: {reason}"), indent=2, hanging=6)


def row_remark(table: OutcomeTable, row: OutcomeRow) -> str:
    """Say which other choices for the ruleset in force give an outcome; nothing for its own."""
    if row.is_in_force:
        return ""
    if row.changes:
        return f"as {table.in_force} with {' or '.join(_merged(row.changes))}"
    return f"no other choices for {table.in_force} were found that give it"


def _order_lines(order: OrderExplanation) -> Iterable[str]:
    outcome = f"{order.outcome}, {order.reason}" if order.reason else order.outcome
    power = standard_board().power_name(order.power)
    text = printable(f"{power}: {order.order.removeprefix(power).strip()}")
    yield from wrapped(f"  {text}: {outcome}", hanging=6)
    if order.strengths:
        yield f"      {', '.join(f'{name} {strength}' for name, strength in order.strengths.items())}"
    for sentence in order.sentences:
        yield from wrapped(sentence, indent=6, hanging=8)


def _decision_lines(phase: PhaseExplanation) -> Iterable[str]:
    if not phase.decisions:
        return
    yield ""
    yield "Decided in this order:"
    for number, decision in enumerate(phase.decisions, 1):
        settled = f", by the rule for circle {decision.cycle + 1}" if decision.cycle >= 0 else ""
        outcome = "succeeds" if decision.succeeds else "fails"
        yield from wrapped(f"{number:4}. {decision.order}: {outcome}{settled}", hanging=6)


def _cycle_lines(number: int, cycle: CycleExplanation) -> Iterable[str]:
    kind = "a paradox of convoys" if cycle.paradox else "a circular movement"
    yield ""
    yield from wrapped(f"Circle {number}, {kind}: each of these orders depends on another.", hanging=2)
    if not cycle.complete:
        yield "  It is too large to try all its resolutions."
    consistent = [each for each in cycle.resolutions if each.consistent]
    if cycle.complete and not consistent:
        yield "  No resolution satisfies the equations."
    for resolution in (*consistent, *(each for each in cycle.resolutions if not each.consistent)):
        yield from _resolution_lines(cycle, resolution)


def _resolution_lines(cycle: CycleExplanation, resolution: Resolution) -> Iterable[str]:
    if cycle.paradox:
        by = f"4.A.2 = {' or '.join(resolution.picked_by)}" if resolution.picked_by else "no choice of 4.A.2"
    else:
        by = "the rule: circular movement succeeds" if all(resolution.outcomes.values()) else "no rule"
    what = "Satisfies the equations" if resolution.consistent else "Breaks them"
    yield from wrapped(f"{what}; picked by {by}:", indent=2, hanging=4)
    for order, succeeds in resolution.outcomes.items():
        yield from wrapped(f"{order}: {'succeeds' if succeeds else 'fails'}", indent=6, hanging=8)


def _engine_lines(engine: EngineComparison) -> Iterable[str]:
    yield ""
    if engine.error:
        yield from wrapped(f"The engine gives no answer: {printable(engine.error)}", hanging=2)
        return
    if not engine.differences:
        yield "The engine agrees."
        return
    yield "The engine differs:"
    for difference in engine.differences:
        yield from wrapped(printable(difference), indent=2, hanging=4)
    if engine.is_impossible:
        yield "This board cannot exist under any rules: a bug."
        return
    if engine.first:
        yield from wrapped(f"First, in the order of the decisions: {engine.first}.", hanging=2)
    if not engine.choices:
        tried = f"None of the {engine.tried:,} other choices of rules that were tried, single and together,"
        yield from wrapped(f"{tried} gives its answer: it is probably a bug.", hanging=2)
        return
    yield "Its answer is right under"
    for change in _merged(engine.choices):
        yield from wrapped(change, indent=2, hanging=4)


def _merged(changes: Sequence[Change]) -> Sequence[str]:
    """Join changes that differ only in the choice of one issue."""
    if any(len(change) > 1 for change in changes):
        more = [f"{len(changes) - _SHOWN} more such changes"] if len(changes) > _SHOWN else []
        words = [" with ".join(f"{issue} = {choice}" for issue, choice in change.items()) for change in changes]
        return [*words[:_SHOWN], *more]
    choices: dict[str, list[str]] = {}
    for change in changes:
        for issue, choice in change.items():
            choices.setdefault(issue, []).append(choice)
    return [f"{issue} = {' or '.join(found)}" for issue, found in choices.items()]
