"""`datc-check run`: ask an engine the cases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...cases import Case
    from ...reference_engine import Ruleset
    from ...reports import Handler
    from ..run import Run

EXIT_PASSED, EXIT_NOT_PASSED, EXIT_USAGE, EXIT_ENGINE, EXIT_INTERRUPTED = 0, 1, 2, 3, 130


@click.command("run", short_help="Ask an engine the cases.")
@click.argument("engine", required=False)
@click.option("--suite", "suites", multiple=True, metavar="NAME", help="A suite, a folder with one, or all. [datc-3.1]")
@click.option("--select", "selections", multiple=True, metavar="6.F", help="A case, a section, or an issue (4.A.1).")
@click.option("--ruleset", "ruleset_name", metavar="NAME", help="The rules that the engine is held to. [datc-3.1]")
@click.option("--choice", "choices", multiple=True, metavar="ISSUE=CHOICE", help="Another choice for an issue.")
@click.option(
    "--report", "reports", multiple=True, metavar="FORMAT:PATH", help="Write json, junit or html; - is stdout."
)
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
        handlers = _handlers(reports, quiet=quiet)
        run = _prepare(
            engine, suites, selections, ruleset_name, choices, jobs, timeout, config_file, no_config=no_config
        )
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
    if not report.complete:
        return EXIT_ENGINE
    return EXIT_PASSED if report.compliant else EXIT_NOT_PASSED


def _prepare(
    engine: str | None,
    suites: Sequence[str],
    selections: Sequence[str],
    ruleset_name: str | None,
    choices: Sequence[str],
    jobs: int | None,
    timeout: float | None,
    config_file: Path | None,
    *,
    no_config: bool,
) -> Run:
    """Put a run together from the options and the config; the options win."""
    from ...adapters import BUILTIN, open_engine, parse_engine_spec
    from ...adapters.builtin import package_version
    from ..asking import Rules
    from ..config import Config, read_config
    from ..run import Run

    config, folder = (Config(), Path()) if no_config else read_config(config_file)
    engine = engine or config.run.engine or BUILTIN
    spec = parse_engine_spec(engine, config.engines(folder))
    cases = _cases(suites, selections)
    _check_deviations(config.deviations, suites)
    ruleset = _ruleset(ruleset_name or config.run.ruleset, {**config.choices, **_split_choices(choices)})
    return Run(
        open_engine(spec, spec.limits(timeout or config.run.timeout)),
        spec,
        cases,
        Rules(ruleset, config.deviations, spec.notation),
        package_version(),
        jobs or config.run.jobs or 1,
    )


def _cases(suites: Sequence[str], selections: Sequence[str]) -> Sequence[Case]:
    from ...cases import UnknownCaseError, load_suite, select_cases

    cases = [case for name in _suite_names(suites) for case in load_suite(name).cases]
    for selection in selections:
        if not select_cases(cases, [selection]):
            raise UnknownCaseError(f"--select {selection}: there is no such case, section or issue in the suite")
    return select_cases(cases, selections)


def _suite_names(suites: Sequence[str]) -> Sequence[str]:
    from ...cases import suite_names

    return suite_names() if "all" in suites else suites or ("datc-3.1",)


def _check_deviations(deviations: dict[str, str], suites: Sequence[str]) -> None:
    from ...cases import load_suite, suite_names
    from ...reference_engine import nearest
    from ..errors import ConfigError

    if not deviations:
        return
    every_suite = dict.fromkeys((*suite_names(), *_suite_names(suites)))
    known = [case.id for name in every_suite for case in load_suite(name).cases]
    for case in deviations:
        if case not in known:
            raise ConfigError(f"[deviations] names the case {case!r}, which is in no suite{nearest(case, known)}")


def _ruleset(name: str | None, choices: dict[str, str]) -> Ruleset:
    from ...cases import load_ruleset

    ruleset = load_ruleset(name or "datc-3.1").ruleset()
    return ruleset.with_choices(choices) if choices else ruleset


def _split_choices(texts: Sequence[str]) -> dict[str, str]:
    from ...reference_engine import check_choice
    from ..errors import HarnessError

    choices: dict[str, str] = {}
    for text in texts:
        issue, separator, choice = text.partition("=")
        if not separator:
            raise HarnessError(f"--choice {text}: write ISSUE=CHOICE, such as 4.A.1=any-route")
        check_choice(issue.strip(), choice.strip())
        choices[issue.strip()] = choice.strip()
    return choices


def _handlers(reports: Sequence[str], *, quiet: bool) -> list[Handler]:
    """Make the outputs that were asked for; the terminal's goes to stderr where a report goes to stdout."""
    from ...reports import FORMATS, FileOutput
    from ..errors import HarnessError

    files: list[Handler] = []
    to_stdout = False
    for text in reports:
        format_name, separator, path = text.partition(":")
        if format_name not in FORMATS or not separator or not path:
            raise HarnessError(f"--report {text}: write FORMAT:PATH, where FORMAT is {', '.join(FORMATS)}")
        if path != "-" and not Path(path).parent.is_dir():
            raise HarnessError(f"--report {text}: there is no folder {str(Path(path).parent)!r}")
        to_stdout = to_stdout or path == "-"
        files.append(FileOutput(format_name, path))
    if quiet:
        return files
    from rich.console import Console

    from ...reports.terminal import TerminalOutput

    return [TerminalOutput(Console(stderr=to_stdout), Console(stderr=True)), *files]
