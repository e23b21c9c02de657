"""`datc-check engine`: the reference engine as a server of the protocol."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from ....adapters.builtin import Reference
from ....adapters.server import serve
from ....cases.tables import USUAL_EDITION
from ....reference_engine import Ruleset, find_procedure
from ...bugs.mutants import find_mutant
from ...bugs.mutants.mutant import MutantReference
from ...config.preparing import make_ruleset, split_choices
from ...errors import HarnessError
from ..command import Command
from ..options import choice_option


@click.command("engine", cls=Command)
@click.option(
    "--ruleset", "ruleset_name", metavar="NAME", help=f"The rules for requests without any. [{USUAL_EDITION}]"
)
@choice_option
@click.option("--fixed", is_flag=True, help="Play these rules whatever a request asks for, as most engines do.")
@click.option("--procedure", metavar="NAME", help="Adjudicate as another document does, as builtin:NAME does.")
@click.option(
    "--mutant", "--fault", "mutant_name", metavar="NAME", help="Play with a mutant (`datc-check doctor --suites`)."
)
def command(
    ruleset_name: str | None,
    choices: Sequence[str],
    procedure: str | None,
    mutant_name: str | None,
    *,
    fixed: bool,
) -> None:
    r"""Run the reference engine over stdio: answer JSON-RPC requests, one a line, until the input ends.

    \b
    datc-check run "exec:datc-check engine"
    datc-check infer "exec:datc-check engine --ruleset 1982 --fixed"
    datc-check run "exec:datc-check engine --mutant one-support-at-most"
    """
    ruleset = make_ruleset(ruleset_name, split_choices(choices))
    serve(sys.stdin.buffer, sys.stdout.buffer, _reference(ruleset, procedure, mutant_name, fixed=fixed))


def _reference(ruleset: Ruleset, procedure: str | None, mutant_name: str | None, *, fixed: bool) -> Reference:
    """Make the engine. Raises `HarnessError` and `UnknownProcedureError`."""
    if procedure is not None:
        _ = find_procedure(procedure)
    if mutant_name is None:
        return Reference(ruleset, fixed, procedure)
    if procedure is not None:
        raise HarnessError("--mutant is one of the usual procedure: leave out --procedure")

    return MutantReference(ruleset, fixed, mutant=find_mutant(mutant_name))
