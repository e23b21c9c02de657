"""`datc-check explain`: why a position has the result that it has, and why an engine gives another one."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

import click

from ..command import (
    Command,
    EngineOptions,
    echo,
    echo_json,
    engine_options,
    json_option,
    open_named_engine,
    suite_of_case_option,
)
from ..ending import EXIT_ENGINE
from ..reporting import FindingsOutputs, findings_option

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from typing_extensions import Unpack

    from ....cases import Case
    from ....reference_engine import Ruleset
    from ...explain.case import CaseExplanation
    from ...session import EngineAdjudicator
    from ...verdict import Rules

EXIT_ALIKE, EXIT_DIFFERENT = 0, 1


@click.command("explain", cls=Command, short_help="Explain the result of a position.")
@click.argument("what", metavar="CASE|FILE")
@click.argument("engines", nargs=-1, metavar="[ENGINE]...")
@suite_of_case_option
@click.option("--all-rulesets", is_flag=True, help="The outcome under every ruleset, and of every ENGINE, as a table.")
@engine_options
@json_option
@findings_option
@click.pass_context
def command(
    ctx: click.Context,
    what: str,
    engines: Sequence[str],
    suite_name: str | None,
    *,
    all_rulesets: bool,
    as_json: bool,
    reports: Sequence[str],
    **options: Unpack[EngineOptions],
) -> None:
    r"""Explain how the reference engine adjudicates a case, or a position from a file (`-`: standard input).

    For every order: its strengths, which supports count, and why it fails; then the decisions in the order in which
    they became certain, and what settles a circle of them. With ENGINE: the first order on which it differs, and the
    fewest other choices of rules that would give its answer. If none that it tries does, the answer is probably a bug.

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
    from ...explain.text import explanation_lines
    from ...settings.preparing import find_case_or_positions

    outputs = FindingsOutputs(reports, _renderers(), "an explanation")
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
    outputs.write(Explained(cases, found, rules.ruleset))
    if as_json:
        import msgspec

        echo_json(msgspec.to_builtins(found))
    elif not outputs.stdout_is_taken:
        echo("\n".join(line for each in found for line in explanation_lines(each)))
    ctx.exit(_exit_code(found))


class Explained(NamedTuple):
    """What a report is made of."""

    cases: Sequence[Case]
    explanations: Sequence[CaseExplanation]
    ruleset: Ruleset


def _renderers() -> Mapping[str, Callable[[Explained], bytes]]:
    from ...explain.rendering import render_html, render_json, render_markdown

    return {
        "html": lambda explained: render_html(explained.explanations, _boards(explained)),
        "markdown": lambda explained: render_markdown(explained.explanations),
        "json": lambda explained: render_json(explained.explanations),
    }


def _boards(explained: Explained) -> Sequence[Sequence[str]]:
    """Draw the orders of every phase that is explained, as SVG."""
    from ....reports.boardmap import draw_board, window_around
    from .draw import case_scene

    drawn: list[list[str]] = []
    for case, each in zip(explained.cases, explained.explanations, strict=True):
        scenes = [case_scene(case, explained.ruleset, number, after=False) for number, _ in enumerate(each.phases, 1)]
        drawn.append([draw_board(scene, title=title, window=window_around(scene)) for title, scene in scenes])
    return drawn


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
