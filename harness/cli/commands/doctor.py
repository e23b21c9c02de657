"""`datc-check doctor`: which mutants the failures of an engine look like, and which mutants the suites notice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...bugs.diagnosis import coverage_findings, doctor_findings, mutant_coverage
from ...config.preparing import find_cases, make_ruleset, split_choices
from ..command import EXIT_ENGINE, EXIT_NOT_PASSED, EXIT_PASSED, Command, echo
from ..options import (
    RunOptions,
    all_suites_option,
    engine_options,
    jobs_option,
    json_option,
    no_experiments_option,
    prepare_run,
    quiet_option,
    seed_option,
    select_option,
)
from ..reporting import show

if TYPE_CHECKING:
    from typing_extensions import Unpack


@click.command("doctor", cls=Command)
@click.argument("engine", required=False)
@all_suites_option
@select_option
@engine_options
@jobs_option
@click.option(
    "--suites", "measure", is_flag=True, help="Ask no engine: list the known bugs, and the cases that notice each."
)
@no_experiments_option
@seed_option(0)
@quiet_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    engine: str | None,
    seed: int,
    *,
    measure: bool,
    untested: bool,
    quiet: bool,
    as_json: bool,
    **options: Unpack[RunOptions],
) -> None:
    r"""Ask ENGINE the cases and say which known bugs its wrong answers look like.

    Each is a mutant that the reference engine can be given (`datc-check engine --mutant NAME`): with it, it gives the
    same wrong answers. Failures that no mutant explains are listed, too. Exit codes: 0 no case failed, 1 one did, or
    [run.skip] in datc.toml skips all cases; with --suites 0 every mutant is noticed by some case, 1 one is not.

    \b
    datc-check doctor mine
    datc-check doctor "exec:datc-check engine --mutant swap-by-land"
    datc-check doctor --suites
    """
    if measure and engine is not None:
        raise click.UsageError("--suites asks no engine: leave it out", ctx)
    options = {**options, "suites": options["suites"] or ["all"]}
    if measure:
        ruleset = make_ruleset(options["ruleset_name"], split_choices(options["choices"]))
        noticed = mutant_coverage(find_cases(options["suites"], options["selections"]), ruleset)
        show(coverage_findings(noticed), as_json=as_json)
        ctx.exit(EXIT_PASSED if all(noticed.values()) else EXIT_NOT_PASSED)
    run, _ = prepare_run(engine, options)
    run.diagnoses, run.experiments, run.seed = True, not untested, seed
    report = run.to_the_end()
    if not report.complete:
        echo(f"Error: {report.incomplete_reason}", err=True)
        ctx.exit(EXIT_ENGINE)
    findings = doctor_findings(report, engine)
    show(findings, quiet=quiet, as_json=as_json)
    all_skipped = all(case.skipped for case in report.cases)
    ctx.exit(EXIT_NOT_PASSED if findings.data["failed"] or all_skipped else EXIT_PASSED)
