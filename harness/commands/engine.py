"""`datc-check engine`: the reference engine as a server of the protocol."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence


@click.command("engine", short_help="Be the reference engine, on standard input and output.")
@click.option("--ruleset", "ruleset_name", metavar="NAME", help="The rules of requests that name none. [datc-3.1]")
@click.option("--choice", "choices", multiple=True, metavar="ISSUE=CHOICE", help="Another choice for an issue.")
@click.option("--fixed", is_flag=True, help="Play these rules whatever a request asks for, as most engines do.")
@click.option("--procedure", metavar="NAME", help="Adjudicate as another document does, as builtin:NAME does.")
@click.pass_context
def command(
    ctx: click.Context, ruleset_name: str | None, choices: Sequence[str], procedure: str | None, *, fixed: bool
) -> None:
    r"""Be the reference engine: answer JSON-RPC requests, one a line, until the input ends.

    \b
    datc-check run "exec:datc-check engine"
    datc-check infer "exec:datc-check engine --ruleset 1982 --fixed"
    """
    from ...adapters.builtin import Reference
    from ...adapters.server import serve
    from ...cases import CasesError
    from ...reference_engine import RulesetError, UnknownProcedureError, find_procedure
    from ..errors import HarnessError
    from ..preparing import make_ruleset, split_choices

    try:
        ruleset = make_ruleset(ruleset_name, split_choices(choices))
        if procedure is not None:
            _ = find_procedure(procedure)
    except (CasesError, HarnessError, RulesetError, UnknownProcedureError) as error:
        raise click.UsageError(str(error), ctx) from error
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer, Reference(ruleset, fixed, procedure))
    except KeyboardInterrupt:
        sys.exit(130)
