"""`datc-check explain`: why a position has the result that it has, and why an engine gives another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from ....cases import Case
from ....reference_engine import Ruleset
from ....reports.boardmap import draw_board, window_around
from ....reports.findings import Findings
from ....reports.formats import renderers
from ...config.preparing import find_case_or_positions
from ...explain.case import CaseExplanation, explain_whole_case
from ...explain.findings import explanation_findings
from ...play.engine import EngineAdjudicator
from ...play.session import case_inputs
from ...play.verdict import Rules
from ..command import EXIT_ENGINE, Command
from ..options import EngineOptions, engine_options, json_option, open_named_engine, suite_of_case_option
from ..reporting import FindingsOutputs, findings_option, show
from .draw import case_scene

if TYPE_CHECKING:
    from typing_extensions import Unpack

EXIT_ALIKE, EXIT_DIFFERENT = 0, 1


@click.command("explain", cls=Command)
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

    A position is TOML as in a case file, JSON as in the protocol, or orders as people write them. The outcomes under
    all rulesets come first for several ENGINEs, and for a position without a named ruleset, choice or ENGINE.
    Exit codes: 0 there is an answer and ENGINE, if named, gives it; 1 ENGINE differs; 3 ENGINE gave none.

    \b
    datc-check explain 6.F.14
    datc-check explain 6.G.8 diplomacy_pypi
    datc-check explain FIELD.adjacent.clyde --suite field --all-rulesets
    echo "Austria A Ser-Bud; Russia A Rum-Bud" | datc-check explain -
    """

    def page(_: Findings[object]) -> bytes:
        return renderers("findings")["html"](explanation_findings(found, board, _boards(cases, found, rules.ruleset)))

    outputs = FindingsOutputs(reports, {**renderers("findings"), "html": page}, "an explanation")
    cases = find_case_or_positions(what, suite_name)
    board = case_inputs(cases[0])[0].position().board
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
    findings = explanation_findings(found, board)
    outputs.write(findings)
    if as_json or not outputs.stdout_is_taken:
        show(findings, as_json=as_json)
    ctx.exit(_exit_code(found))


def _boards(
    cases: Sequence[Case], explanations: Sequence[CaseExplanation], ruleset: Ruleset
) -> Sequence[Sequence[str]]:
    """Draw the orders of every phase that is explained, as SVG."""
    drawn: list[list[str]] = []
    for case, each in zip(cases, explanations, strict=True):
        scenes = [case_scene(case, ruleset, number, after=False) for number, _ in enumerate(each.phases, 1)]
        drawn.append([draw_board(scene, title=title, window=window_around(scene)) for title, scene in scenes])
    return drawn


def _open(
    stack: ExitStack, engines: Sequence[str], options: EngineOptions
) -> tuple[Rules, Mapping[str, EngineAdjudicator]]:
    """Open the engines until the stack ends; return the rules in force too. Raises `DatcCheckError`."""
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
