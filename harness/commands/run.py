"""`datc-check run`: ask an engine the cases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..reporting import EXIT_INTERRUPTED, exit_code, open_outputs, report_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...reports import Handler
    from ..run import Run


@click.command("run", short_help="Ask an engine the cases.")
@click.argument("engine", required=False)
@click.option("--suite", "suites", multiple=True, metavar="NAME", help="A suite, a folder with one, or all. [datc-3.1]")
@click.option("--select", "selections", multiple=True, metavar="6.F", help="A case, a section, or an issue (4.A.1).")
@click.option("--ruleset", "ruleset_name", metavar="NAME", help="The rules that the engine is held to. [datc-3.1]")
@click.option("--choice", "choices", multiple=True, metavar="ISSUE=CHOICE", help="Another choice for an issue.")
@report_option
@click.option("--jobs", type=click.IntRange(1, 64), metavar="N", help="Cases asked at once. [1]")
@click.option("--timeout", type=click.FloatRange(0.001, 3600), metavar="S", help="Seconds for each answer. [10]")
@click.option("--config", "config_file", type=click.Path(path_type=Path), metavar="FILE", help="[datc.toml, if there]")
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
    config_file: Path | None = None,
    *,
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
    """
    from ...adapters import AdapterError
    from ...cases import CasesError
    from ...reference_engine import ReferenceEngineError
    from ..errors import HarnessError

    try:
        run = prepare(
            engine, suites, selections, ruleset_name, choices, jobs, timeout, config_file, no_config=no_config
        )
        run.diagnoses = True
        handlers = open_outputs(reports, quiet=quiet)
    except (AdapterError, CasesError, HarnessError, ReferenceEngineError) as error:
        raise click.UsageError(str(error), ctx) from error
    ctx.exit(_play(run, handlers))


def _play(run: Run, handlers: Sequence[Handler]) -> int:
    """Run to the end, or to Ctrl-C; give the exit code."""
    from ...reports import RunFinished

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
        return EXIT_INTERRUPTED
    assert report is not None  # noqa: S101 - the last event has it
    return exit_code(report)


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
    from ...adapters.builtin import package_version
    from ..preparing import check_deviations, find_cases, open_config_engine, split_choices
    from ..run import Run

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
    )
