"""`datc-check run`: ask an engine the cases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from ..options import (
    choice_option,
    config_option,
    held_to_option,
    jobs_option,
    select_option,
    suites_option,
    timeout_option,
)
from ..reporting import EXIT_ENGINE, EXIT_INTERRUPTED, EXIT_NOT_PASSED, EXIT_PASSED, open_outputs, report_option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ....reports import Handler, Report
    from ...gate import Gate
    from ...runner.run import Run
    from ...settings.config import RunTable


@click.command("run", short_help="Ask an engine the cases.")
@click.argument("engine", required=False)
@suites_option
@select_option
@held_to_option
@choice_option
@report_option
@jobs_option
@timeout_option
@click.option("--fail-on", multiple=True, metavar="VERDICT,…", help="What fails the run. [all not declared]")
@click.option("--strict/--no-strict", default=None, help="A declared deviation that passes fails it, too.")
@click.option("--baseline", type=click.File("rb"), metavar="RUN.json", help="Only what is worse than there fails it.")
@config_option
@click.option("--quiet", "-q", is_flag=True, help="Nothing on the terminal but what is wrong with the command.")
@click.pass_context
def command(
    ctx: click.Context,
    engine: str | None = None,
    suites: Sequence[str] = (),
    selections: Sequence[str] = (),
    ruleset_name: str | None = None,
    choices: Sequence[str] = (),
    reports: Sequence[str] = (),
    jobs: int | None = None,
    timeout: float | None = None,
    fail_on: Sequence[str] = (),
    baseline: BinaryIO | None = None,
    config_file: Path | None = None,
    *,
    strict: bool | None = None,
    quiet: bool = False,
    no_config: bool = False,
) -> None:
    r"""Ask ENGINE the cases and say which it passes.

    ENGINE is `builtin`, `exec:COMMAND LINE`, `http://…`, a name from datc.toml, or a bridge that is set up
    (`datc-check engines`); without one it is the engine of datc.toml.

    \b
    datc-check run builtin --select 6.F
    datc-check run "exec:./my-engine --json-rpc" --report html:report.html
    datc-check run mine --choice 4.A.3=alexander --report junit:report.xml
    datc-check run mine --fail-on failed,error --strict
    datc-check run mine --baseline last.json --report json:now.json
    """
    from ....adapters import AdapterError
    from ....cases import CasesError
    from ....reference_engine import ReferenceEngineError
    from ....reports import StoredRunError
    from ...errors import HarnessError

    try:
        run = prepare(
            engine, suites, selections, ruleset_name, choices, jobs, timeout, config_file, no_config=no_config
        )
        run.diagnoses = True
        gate = _gate(fail_on, baseline, strict, run.table)
        handlers = open_outputs(reports, quiet=quiet)
    except (AdapterError, CasesError, HarnessError, ReferenceEngineError, StoredRunError) as error:
        raise click.UsageError(str(error), ctx) from error
    report = _play(run, handlers)
    ctx.exit(EXIT_INTERRUPTED if report is None else _judge(report, gate, run.rules.declared, quiet=quiet))


def _gate(fail_on: Sequence[str], baseline: BinaryIO | None, strict: bool | None, table: RunTable) -> Gate:
    """Put the gate together from the options and the config. Raises `HarnessError` and `StoredRunError`."""
    from ...gate import FAILING, Gate, split_verdicts
    from .report import read_stored

    return Gate(
        fail_on=split_verdicts(fail_on) if fail_on else frozenset(table.fail_on or FAILING),
        strict=table.strict if strict is None else strict,
        baseline=None if baseline is None else read_stored(baseline),
    )


def _judge(report: Report, gate: Gate, declared: Mapping[str, str], *, quiet: bool) -> int:
    """Say what fails the run, where that is another thing than not being compliant; give the exit code."""
    from ...gate import Gate, gate_lines

    if not report.complete:
        return EXIT_ENGINE
    objections = gate.objections(report, declared)
    if gate != Gate() and not quiet:
        click.echo("\n".join(gate_lines(gate, objections)), err=True)
    return EXIT_NOT_PASSED if objections or not report.cases else EXIT_PASSED


def _play(run: Run, handlers: Sequence[Handler]) -> Report | None:
    """Run to the end and give the report, or none after Ctrl-C."""
    from ....reports import RunFinished

    report = None
    interrupted = False
    try:
        for event in run.events():
            for handler in handlers:
                handler.handle(event)
            if isinstance(event, RunFinished):
                report = event.report
    except KeyboardInterrupt:
        interrupted = True
    except BrokenPipeError:
        raise  # Whoever read the output has seen enough.
    except OSError as error:
        raise click.ClickException(f"a report cannot be written: {error}") from error
    finally:
        run.engine.close()
    if interrupted:
        finished = run.finish("interrupted")
        for handler in handlers:
            handler.handle(finished)
        return None
    return report


def prepare(
    engine: str | None,
    suites: Sequence[str],
    selections: Sequence[str],
    ruleset_name: str | None,
    choices: Sequence[str],
    jobs: int | None,
    timeout: float | None,
    config_file: Path | None,
    *,
    no_config: bool = False,
) -> Run:
    """Put a run together from the options and the config; the options win."""
    from ....adapters.builtin import package_version
    from ...runner.run import Run
    from ...settings.preparing import check_deviations, find_cases, open_config_engine, split_choices

    prepared = open_config_engine(
        engine, config_file, timeout, ruleset_name, split_choices(choices), no_config=no_config
    )
    cases = find_cases(suites, selections)
    check_deviations(prepared.config.deviations, suites)
    return Run(
        prepared.engine,
        prepared.spec,
        cases,
        prepared.rules,
        package_version(),
        jobs or prepared.config.run.jobs or 1,
        table=prepared.config.run,
    )
