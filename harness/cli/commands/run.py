"""`datc-check run`: ask an engine the cases."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from ....adapters.opening import BUILTIN
from ....reference_engine.installation import package_version
from ....reports import CaseFinished, Event, Handler, Report, RunFinished
from ....reports.findings import wrapped
from ....reports.gate import FAILING, Baseline
from ....reports.report import counted
from ...config.config import NO_CONFIG, RunTable
from ...config.preparing import find_cases, open_config_engine
from ...errors import HarnessError
from ...play.trace import make_trace_folder
from ...run.gate import Gate, gate_lines, quiet_lines, split_verdicts
from ...run.runner import Run
from ..command import EXIT_INTERRUPTED, EXIT_NOT_PASSED, EXIT_PASSED, Command, echo, writing
from ..options import (
    RunOptions,
    json_option,
    no_experiments_option,
    prepare_run,
    quiet_option,
    run_options,
    seed_option,
    trace_option,
    verbose_option,
)
from ..reporting import JSON_REPORT, exit_code, open_outputs, report_option, terminal
from .report import read_stored_baseline

if TYPE_CHECKING:
    from typing_extensions import Unpack


@click.command("run", cls=Command)
@click.argument("engine", required=False)
@run_options
@report_option
@json_option
@click.option(
    "--fail-on",
    multiple=True,
    metavar="VERDICT,…",
    help="What fails the run, such as failed or failed-board. [all not declared]",
)
@click.option("--strict/--no-strict", default=None, help="A declared deviation that passes fails it, too.")
@click.option(
    "--baseline", type=click.File("rb"), metavar="FILE", help="Only what is worse than there fails it. [the config's]"
)
@click.option("-x", "first_alone", is_flag=True, help="End the run at the first case that fails it.")
@click.option("--max-fail", type=click.IntRange(1), metavar="N", help="End the run after N cases that fail it.")
@click.option(
    "--repeat",
    type=click.IntRange(1, 1000),
    default=1,
    metavar="N",
    help="Ask each case N times: the worst counts. [1]",
)
@click.option("--no-skip", is_flag=True, help="Ask also the cases that the config skips.")
@trace_option
@no_experiments_option
@seed_option(0)
@quiet_option
@verbose_option
@click.pass_context
def command(
    ctx: click.Context,
    engine: str | None,
    reports: Sequence[str],
    fail_on: Sequence[str],
    baseline: BinaryIO | None,
    max_fail: int | None,
    repeat: int,
    trace_folder: Path | None,
    seed: int,
    *,
    as_json: bool,
    first_alone: bool,
    no_skip: bool,
    strict: bool | None,
    untested: bool,
    quiet: bool,
    verbose: bool,
    **options: Unpack[RunOptions],
) -> None:
    r"""Ask ENGINE the cases and say which it passes.

    ENGINE is `builtin`, `exec:COMMAND LINE`, `http://…`, a name from datc.toml, or a bridge that is set up
    (`datc-check engines`). Without ENGINE it is that of datc.toml: `[run] engine`, or the only one there.

    \b
    datc-check run builtin --select 6.F
    datc-check run "exec:./my-engine --json-rpc" --report html:report.html
    datc-check run mine --choice 4.A.3=alexander --report junit:report.xml
    datc-check run mine --fail-on failed,error --strict
    datc-check run mine --baseline datc-baseline.json
    datc-check run mine --select 6.F --trace traces
    """
    run, table = prepare_run(engine, options)
    run.diagnoses, run.experiments, run.seed, run.repeat = True, not untested, seed, repeat
    if no_skip:
        run.rules = run.rules.asking_all()
    gate = replace(_gate(fail_on, baseline, strict, table), max_fail=1 if first_alone else max_fail or 0)
    outputs = open_outputs([*reports, *([JSON_REPORT] if as_json else [])], quiet=quiet, verbose=verbose)
    if trace_folder is not None:
        run.traces = make_trace_folder(trace_folder)
    report = _play(run, gate, outputs)
    ctx.exit(EXIT_INTERRUPTED if report is None else _judge(report, quiet=quiet))


def _gate(fail_on: Sequence[str], baseline: BinaryIO | None, strict: bool | None, table: RunTable) -> Gate:
    """Put the gate together from the options and the config. Raises `HarnessError` and `StoredRunError`."""
    return Gate(
        fail_on=split_verdicts(fail_on) if fail_on else frozenset(table.fail_on or FAILING),
        strict=table.strict if strict is None else strict,
        baseline=_baseline_of_config(table) if baseline is None else _read_baseline(baseline),
        baseline_name=table.baseline if baseline is None else baseline.name,
    )


def _read_baseline(file: BinaryIO) -> Baseline:
    """Read a baseline. Raises `StoredRunError`."""
    return read_stored_baseline(file)


def _baseline_of_config(table: RunTable) -> Baseline | None:
    """Read the baseline that the config names; `None` where it names none. Raises `DatcCheckError`."""
    if not table.baseline:
        return None
    try:
        with Path(table.baseline).open("rb") as file:
            return _read_baseline(file)
    except OSError as error:
        advice = "`datc-check baseline update` writes it"
        raise HarnessError(f"[run] baseline {table.baseline}: {error.strerror}: {advice}") from error


def _judge(report: Report, *, quiet: bool) -> int:
    """Say what fails the run, where nothing else says it; give the exit code."""
    lines = [*(quiet_lines(report) if quiet else gate_lines(report))]
    if lines:
        echo("\n".join(lines), err=True)
    return exit_code(report)


def _play(run: Run, gate: Gate, handlers: Sequence[Handler]) -> Report | None:
    """Run to the end and return the report with what fails it, or `None` after Ctrl-C."""

    def show(event: Event) -> None:
        for handler in handlers:
            handler.handle(event)

    def end(report: Report, *, stopped: bool = False) -> Report:
        report = gate.applied(report, run.rules.declared, stopped=stopped)
        show(RunFinished(report))
        return report

    failing = 0
    events = run.events()
    try:
        with writing("a report"):
            for event in events:
                if isinstance(event, RunFinished):
                    return end(event.report)
                show(event)
                if isinstance(event, CaseFinished) and gate.why_failing(event.case, run.rules.declared):
                    failing += 1
                    if failing == gate.max_fail:
                        break
            events.close()
            finished = run.finish(f"ended after {counted(failing, 'failing case')} (--max-fail)")
            return end(finished.report, stopped=True)
    except KeyboardInterrupt:
        _ = end(run.finish("interrupted").report)
    finally:
        run.engine.close()
    return None


_DEMONSTRATION = (
    "A demonstration: the cases of DATC 3.2, asked of the engine that comes with datc-check. `datc-check run ENGINE` "
    "tests yours, and `datc-check init` writes a bridge to it."
)


def demonstrate() -> int:
    """Ask the built-in engine the cases of the usual edition, whatever the config says; return the exit code."""
    click.echo("\n".join([*wrapped(_DEMONSTRATION, hanging=0), ""]))
    prepared = open_config_engine(BUILTIN, NO_CONFIG, None, None, {})
    run = Run(prepared.engine, prepared.spec, find_cases((), ()), prepared.rules, package_version())
    output = terminal()
    try:
        for event in run.events():
            output.handle(event)
            if isinstance(event, RunFinished):
                _ = sys.stdout.flush()  # What cannot be written should show here, not when Python ends.
                return EXIT_PASSED if event.report.compliant else EXIT_NOT_PASSED
    except KeyboardInterrupt:
        output.handle(run.finish("interrupted"))
        raise
    return EXIT_NOT_PASSED
