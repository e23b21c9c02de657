"""`datc-check engine`: the reference engine as a server of the protocol."""

from __future__ import annotations

import sys

import click

from ....adapters.builtin import Reference, serve
from ....cases.tables import USUAL_EDITION
from ....reference_engine import find_procedure
from ...bugs.mutants import find_mutant
from ...bugs.mutants.mutant import MutantReference
from ...config.preparing import make_ruleset, split_choices
from ...errors import HarnessError
from .. import options as shared
from ..command import Command, Options


@click.command("engine", cls=Command)
@shared.option("--ruleset", "ruleset_name", "NAME", f"The rules for requests without any. [{USUAL_EDITION}]")
@shared.choice_option
@click.option("--fixed", is_flag=True, help="Play these rules whatever a request asks for, as most engines do.")
@shared.option("--procedure", "procedure", "NAME", "Adjudicate as another document does, as builtin:NAME does.")
@click.option(
    "--mutant", "--fault", "mutant_name", metavar="NAME", help="Play with a mutant (`datc-check doctor --suites`)."
)
def engine_command(options: Options) -> None:
    r"""Run the reference engine over stdio: answer JSON-RPC requests, one a line, until the input ends.

    \b
    datc-check run "exec:datc-check engine"
    datc-check infer "exec:datc-check engine --ruleset 1982 --fixed"
    datc-check run "exec:datc-check engine --mutant one-support-at-most"
    """
    ruleset = make_ruleset(options.ruleset_name, split_choices(options.choices))
    if options.procedure is not None:
        _ = find_procedure(options.procedure)
        if options.mutant_name is not None:
            raise HarnessError("--mutant is one of the usual procedure: leave out --procedure")
    reference = Reference(ruleset, options.fixed, options.procedure)
    if options.mutant_name is not None:
        reference = MutantReference(ruleset, options.fixed, mutant=find_mutant(options.mutant_name))
    serve(sys.stdin.buffer, sys.stdout.buffer, reference)
