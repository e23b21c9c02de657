"""`datc-check explain`: why a position has the result that it has, and why an engine gives another one."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from ...wording import wrapped
from ..command import (
    EXIT_ENGINE,
    Command,
    EngineOptions,
    echo,
    echo_json,
    engine_options,
    json_option,
    open_named_engine,
    suite_of_case_option,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from typing_extensions import Unpack

    from ...experiments.changes import Change
    from ...explain.all_rulesets import OutcomeTable
    from ...explain.case import CaseExplanation
    from ...explain.cycles import CycleExplanation, Resolution
    from ...explain.movement import OrderExplanation
    from ...explain.phase import EngineComparison, PhaseExplanation
    from ...session import EngineAdjudicator
    from ...verdict import Rules

EXIT_ALIKE, EXIT_DIFFERENT = 0, 1
_SHOWN = 8
"""How many changes of rules that give an engine's answer are shown."""


@click.command("explain", cls=Command, short_help="Explain the result of a position.")
@click.argument("what", metavar="CASE|FILE")
@click.argument("engines", nargs=-1, metavar="[ENGINE]...")
@suite_of_case_option
@click.option("--all-rulesets", is_flag=True, help="The outcome under every ruleset, and of every ENGINE, as a table.")
@engine_options
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    what: str,
    engines: Sequence[str],
    suite_name: str | None,
    *,
    all_rulesets: bool,
    as_json: bool,
    **options: Unpack[EngineOptions],
) -> None:
    r"""Explain how the reference engine adjudicates a case, or a position from a file (`-`: standard input).

    For every order: its strengths, which supports count, and why it fails; then the decisions in the order in which
    they became certain, and what settles a circle of them. With ENGINE: the first order on which it differs, and the
    fewest other choices of rules that would give its answer. If no choices give it, the answer is a bug.

    A position is TOML as in a case file, JSON as in the protocol, or orders as people write them. Of a position, the
    outcomes under all rulesets come first, unless a ruleset, a choice or an ENGINE is named; so they do of several
    ENGINEs. Exit codes: 0 there is an answer and ENGINE, if named, gives it; 1 ENGINE differs; 3 ENGINE gave none.

    \b
    datc-check explain 6.F.14
    datc-check explain 6.G.8 diplomacy_pypi
    datc-check explain FIELD.adjacent.clyde --suite field --all-rulesets
    echo "Austria A Ser-Bud; Russia A Rum-Bud" | datc-check explain -
    """
    from ...explain.case import explain_whole_case
    from ...settings.preparing import find_case_or_positions

    cases = find_case_or_positions(what, suite_name)
    with ExitStack() as stack:
        rules, tested = _open(stack, engines, options)
        is_all_asked = all_rulesets or len(engines) > 1
        nothing_else = not (engines or options["ruleset_name"] or options["choices"])
        found = [
            explain_whole_case(
                case, rules.ruleset, tested, all_rulesets=is_all_asked or (nothing_else and not case.suite)
            )
            for case in cases
        ]
    if as_json:
        import msgspec

        echo_json(msgspec.to_builtins(found))
    else:
        echo("\n".join(line for each in found for line in _lines(each)))
    ctx.exit(_exit_code(found))


def _open(
    stack: ExitStack, engines: Sequence[str], options: EngineOptions
) -> tuple[Rules, Mapping[str, EngineAdjudicator]]:
    """Open the engines until the stack ends; return the rules in force too. Raises `DatcCheckError`."""
    from ...session import EngineAdjudicator

    rules = open_named_engine("builtin", options).rules
    tested: dict[str, EngineAdjudicator] = {}
    for name in engines:
        prepared = open_named_engine(name, options)
        opened = stack.enter_context(prepared.engine)
        started = opened.start()
        tested[name] = EngineAdjudicator(opened, started.capabilities, rules.ruleset, prepared.rules.notation)
    return rules, tested


def _exit_code(found: Sequence[CaseExplanation]) -> int:
    compared = [phase.engine for each in found for phase in each.phases if phase.engine is not None]
    tables = [each.rulesets for each in found if each.rulesets is not None]
    names = {name for table in tables for row in table.rows for name in row.rulesets}
    if any(account.error for account in compared) or any(set(table.unanswered) - names for table in tables):
        return EXIT_ENGINE
    is_different = any(row.engines and not row.is_in_force for table in tables for row in table.rows)
    return EXIT_DIFFERENT if is_different or any(account.differences for account in compared) else EXIT_ALIKE


def _lines(explained: CaseExplanation) -> Iterable[str]:
    from ....reference_engine import printable

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
        yield f"{phase.season} {phase.year}, {phase.phase}, by {explained.ruleset}"
        yield from wrapped(printable(phase.summary), indent=2, hanging=2)
        yield ""
        if phase.remark:
            yield from wrapped(phase.remark, indent=2, hanging=2)
        for order in phase.orders:
            yield from _order_lines(order)
        yield from _decision_lines(phase)
        for number, cycle in enumerate(phase.cycles, 1):
            yield from _cycle_lines(number, cycle)
        if phase.engine is not None:
            yield from _engine_lines(phase.engine)
    yield ""


def _table_lines(table: OutcomeTable) -> Iterable[str]:
    from ....reference_engine import printable

    yield from wrapped(printable(table.sentence), hanging=2)
    for row in table.rows:
        names = [*row.rulesets, *row.engines]
        yield from wrapped(printable(f"{', '.join(names)}: {'; then '.join(row.phases)}"), indent=2, hanging=6)
        if row.changes:
            yield from wrapped(f"as {table.in_force} with {' or '.join(_merged(row.changes))}", indent=6, hanging=8)
        elif not row.is_in_force:
            yield from wrapped(f"no other choices for {table.in_force} were found that give it", indent=6, hanging=8)
    for name, reason in table.unanswered.items():
        yield from wrapped(printable(f"{name}: no answer: {reason}"), indent=2, hanging=6)


def _order_lines(order: OrderExplanation) -> Iterable[str]:
    from ....reference_engine import printable, standard_board

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
    from ....reference_engine import printable

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
        yield from wrapped("No choice of rules gives its answer, nor do two or three together: a bug.", hanging=2)
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
