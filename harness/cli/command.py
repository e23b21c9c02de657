"""What commands share: their errors, their exit codes, and the options that several have."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, TypeVar

import click

from .ending import error_code

if TYPE_CHECKING:
    from ..runner import Run
    from ..settings.config import RunTable
    from ..settings.preparing import Prepared

USUAL_EDITION = "datc-3.2"
"""`cases.USUAL_EDITION`, which the help shows without loading what reads cases."""


class Command(click.Command):
    """A command whose errors end it with one message and an exit code."""

    def invoke(self, ctx: click.Context) -> object:
        with _exit_codes(ctx):
            return super().invoke(ctx)


class CommandGroup(click.Group):
    """A group of such commands."""

    command_class: type[click.Command] | None = Command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not (ctx.resilient_parsing or name.startswith("-")) and self.get_command(ctx, name) is None:
            near = get_close_matches(name, self.list_commands(ctx), n=1)
            ctx.fail(f"No such command {name!r}." + (f" Did you mean {near[0]!r}?" if near else ""))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        with _exit_codes(ctx):
            return super().invoke(ctx)


@contextmanager
def _exit_codes(ctx: click.Context) -> Generator[None]:
    """Exit with 3 where the engine cannot be asked, and with 2 where anything else is wrong with the command."""
    try:
        yield
    except Exception as error:
        code = error_code(error)
        if code is None:
            raise
        echo(f"Error: {error}", err=True)
        ctx.exit(code)


def echo(text: str, *, as_json: bool = False, err: bool = False) -> None:
    """Print what an engine may have said, a text or JSON, so that no CI service finds a command in it."""
    from ...reports.inert import inert, inert_json

    click.echo(inert_json(text) if as_json else inert(text), err=err)


def say(text: str, why: str, *, quiet: bool, as_json: bool = False, err: bool = False) -> None:
    """Print what was found; where `quiet`, print only `why` the command fails, if it does. JSON is always printed."""
    if as_json or not quiet:
        echo(text, as_json=as_json, err=err)
    elif why:
        echo(why, err=True)


def echo_json(data: object, *, err: bool = False) -> None:
    """Print data as indented JSON."""
    import json

    echo(json.dumps(data, indent=2), as_json=True, err=err)


@contextmanager
def writing(what: str) -> Generator[None]:
    """Say what cannot be written; a reader that has seen enough is no error. Raises `ClickException`."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise click.ClickException(f"{what} cannot be written: {error}") from error


_CommandT = TypeVar("_CommandT", bound="Callable[..., object] | click.Command")


def a_time(_ctx: click.Context, _param: click.Parameter, seconds: float | None) -> float | None:
    """Check an option that is a time: Python reads "nan" as a number, too. Raises `BadParameter`."""
    if seconds is not None and math.isnan(seconds):
        raise click.BadParameter("'nan' is not a number of seconds.")
    return seconds


suites_option = click.option(
    "--suite", "suites", multiple=True, metavar="NAME", help=f"A suite, a folder with one, or all. [{USUAL_EDITION}]"
)
"""The suites that are asked, as `suites`: the usual edition unless said."""
all_suites_option = click.option(
    "--suite", "suites", multiple=True, metavar="NAME", help="A suite, a folder with one, or all. [all]"
)
"""The suites that are asked, as `suites`: all of them unless said."""
suite_of_case_option = click.option(
    "--suite", "suite_name", metavar="NAME", help=f"A suite, a folder with one, or all. [{USUAL_EDITION}, then all]"
)
"""The suite that a case is looked for in, as `suite_name`."""
select_option = click.option(
    "--select", "selections", multiple=True, metavar="6.F,…", help="Cases (or SUITE/ID), sections, or issues (4.A.1)."
)
"""The cases that are asked, as `selections`."""
ruleset_option = click.option(
    "--ruleset", "ruleset_name", metavar="NAME", help="The rules in force. [the config's, or the suite's]"
)
"""The ruleset that answers are judged by, and that requests ask for, as `ruleset_name`."""
choice_option = click.option(
    "--choice", "choices", multiple=True, metavar="ISSUE=CHOICE", help="Another choice for an issue."
)
"""Choices that replace those of the ruleset, as `choices`."""
jobs_option = click.option("--jobs", type=click.IntRange(1, 64), metavar="N", help="Requests in flight at once. [1]")
"""How many requests are in flight at once, as `jobs`."""
timeout_option = click.option(
    "--timeout",
    type=click.FloatRange(0.001, 3600),
    callback=a_time,
    metavar="S",
    help="Seconds for each answer. [10]",
)
"""How long an engine may take for an answer, in seconds, as `timeout`."""
ca_file_option = click.option(
    "--ca-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Authorities to trust for HTTPS. [the system's]",
)
"""The authorities whose certificates are trusted, a PEM file, as `ca_file`."""
config_option = click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The config. [datc.toml here or in a folder above]",
)
"""The config, as `config_file`."""
trace_option = click.option(
    "--trace",
    "trace_folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write requests and answers there, a file a case (`datc-check ask`).",
)
"""The folder for traces, as `trace_folder`."""
no_experiments_option = click.option(
    "--no-experiments", "untested", is_flag=True, help="Do not test statements on new positions."
)
"""Whether statements about an engine stay untested, as `untested`."""
quiet_option = click.option(
    "--quiet", "-q", is_flag=True, help="Nothing on the terminal but why it does not pass, and warnings."
)
"""Whether only what is wrong is said, as `quiet`."""
verbose_option = click.option(
    "--verbose", "-v", is_flag=True, help="Every case that did not pass in full, not only the first 20."
)
"""Whether the terminal shows all cases that did not pass, as `verbose`."""
json_option = click.option("--json", "as_json", is_flag=True, help="As JSON.")
"""Whether the output is JSON, as `as_json`."""


class WorkOptions(TypedDict):
    """What `work_options` gives a command."""

    processes: int
    cluster: str | None
    folder: Path | None
    resume: bool


class EngineOptions(TypedDict):
    """What `engine_options` gives a command."""

    ruleset_name: str | None
    choices: Sequence[str]
    timeout: float | None
    ca_file: Path | None
    config_file: Path | None


class RunOptions(EngineOptions):
    """What `run_options` gives a command."""

    suites: Sequence[str]
    selections: Sequence[str]
    jobs: int | None


def seed_option(usual: int) -> Callable[[_CommandT], _CommandT]:
    """Give a command the number that its new positions follow from, as `seed`."""
    return click.option(
        "--seed",
        type=click.IntRange(0),
        default=usual,
        metavar="N",
        help=f"Another number gives other positions. [{usual}]",
    )


def engine_options(command: _CommandT) -> _CommandT:
    """Give a command the options that say how an engine is asked, and which rules are in force."""
    return with_options(command, ruleset_option, choice_option, timeout_option, ca_file_option, config_option)


def run_options(command: _CommandT) -> _CommandT:
    """Give a command the options of a run."""
    return with_options(engine_options(jobs_option(command)), suites_option, select_option)


def work_options(command: _CommandT) -> _CommandT:
    """Give a command the options of long work: who does it, and where it is kept, so that it can be continued."""
    return with_options(
        command,
        click.option(
            "--processes", type=click.IntRange(1, 64), default=1, metavar="N", help="Work in N processes. [1]"
        ),
        click.option("--dask", "cluster", metavar="ADDRESS", help="Work on the workers of a Dask cluster."),
        click.option(
            "--store",
            "folder",
            type=click.Path(path_type=Path),
            is_eager=True,  # It is known when --resume is checked, wherever that stands.
            metavar="DIR",
            help="Keep the results there.",
        ),
        click.option("--resume", is_flag=True, callback=_with_store, help="Continue what is in --store."),
    )


def _with_store(ctx: click.Context, _param: click.Parameter, resume: bool) -> bool:
    """Check that there is something to continue. Raises `UsageError`."""
    if resume and ctx.params.get("folder") is None:
        raise click.UsageError("--resume continues what is in --store DIR: name it", ctx)
    return resume


def with_options(command: _CommandT, *options: Callable[[_CommandT], _CommandT]) -> _CommandT:
    """Give a command some options, which its help lists in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def open_named_engine(engine: str | None, options: EngineOptions, suites: Sequence[str] = ()) -> Prepared:
    """Open an engine, or that of the config, as the options say, to be asked some suites. Raises `DatcCheckError`."""
    from ..settings.preparing import open_config_engine, split_choices

    choices = split_choices(options["choices"])
    return open_config_engine(
        engine,
        options["config_file"],
        options["timeout"],
        options["ruleset_name"],
        choices,
        suites,
        ca_file=options["ca_file"],
    )


def prepare_run(engine: str | None, options: RunOptions) -> tuple[Run, RunTable]:
    """Prepare a run as the options and the config say, options first; also return `[run]` of the config.

    Raises `DatcCheckError`.
    """
    from ...reference_engine.version import package_version
    from ..runner import Run
    from ..settings.config import place_in_repository
    from ..settings.preparing import check_case_names
    from ..settings.selecting import find_cases

    prepared = open_named_engine(engine, options, options["suites"])
    cases = find_cases(options["suites"], options["selections"])
    check_case_names(prepared.config, options["suites"])
    table = prepared.config.run
    jobs = options["jobs"] or table.jobs or 1
    run = Run(prepared.engine, prepared.spec, cases, prepared.run_rules, package_version(), jobs)
    run.config = "" if prepared.config_file is None else place_in_repository(prepared.config_file)
    return run, table
