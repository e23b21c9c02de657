"""The options that several commands have, and what they prepare: an engine, a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypedDict, TypeVar

import click

from ...cases.tables import USUAL_EDITION
from ...reference_engine.installation import package_version
from ..config.config import RunTable, place_in_repository
from ..config.preparing import Prepared, check_case_names, find_cases, open_config_engine, split_choices
from ..run.runner import Run

_CommandT = TypeVar("_CommandT", bound="Callable[..., object] | click.Command")


def a_time(_ctx: click.Context, _param: click.Parameter, seconds: float | None) -> float | None:
    """Check an option that is a time: Python reads "nan" as a number, too. Raises `BadParameter`."""
    if seconds is not None and math.isnan(seconds):
        raise click.BadParameter("'nan' is not a number of seconds.")
    return seconds


suites_option = click.option(
    "--suite", "suites", multiple=True, metavar="NAME", help=f"A suite, a folder with one, or all. [{USUAL_EDITION}]"
)


all_suites_option = click.option(
    "--suite", "suites", multiple=True, metavar="NAME", help="A suite, a folder with one, or all. [all]"
)


suite_of_case_option = click.option(
    "--suite", "suite_name", metavar="NAME", help=f"A suite, a folder with one, or all. [{USUAL_EDITION}, then all]"
)


select_option = click.option(
    "--select", "selections", multiple=True, metavar="6.F,…", help="Cases (or SUITE/ID), sections, or issues (4.A.1)."
)


ruleset_option = click.option(
    "--ruleset", "ruleset_name", metavar="NAME", help="The rules in force. [the config's, or the suite's]"
)


choice_option = click.option(
    "--choice", "choices", multiple=True, metavar="ISSUE=CHOICE", help="Another choice for an issue."
)


jobs_option = click.option("--jobs", type=click.IntRange(1, 64), metavar="N", help="Requests in flight at once. [1]")


timeout_option = click.option(
    "--timeout",
    type=click.FloatRange(0.001, 3600),
    callback=a_time,
    metavar="S",
    help="Seconds for each answer. [10]",
)


ca_file_option = click.option(
    "--ca-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Authorities to trust for HTTPS. [the system's]",
)


config_option = click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The config. [datc.toml here or in a folder above]",
)


trace_option = click.option(
    "--trace",
    "trace_folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write requests and answers there, a file a case (`datc-check ask`).",
)


no_experiments_option = click.option(
    "--no-experiments", "untested", is_flag=True, help="Do not test statements on new positions."
)


quiet_option = click.option("--quiet", "-q", is_flag=True, help="Print only why it does not pass, and warnings.")


verbose_option = click.option(
    "--verbose", "-v", is_flag=True, help="Every case that did not pass in full, not only the first 20."
)


json_option = click.option("--json", "as_json", is_flag=True, help="As JSON.")


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
    prepared = open_named_engine(engine, options, options["suites"])
    cases = find_cases(options["suites"], options["selections"])
    check_case_names(prepared.config, options["suites"])
    table = prepared.config.run
    jobs = options["jobs"] or table.jobs or 1
    run = Run(prepared.engine, prepared.spec, cases, prepared.run_rules, package_version(), jobs)
    run.config = "" if prepared.config_file is None else place_in_repository(prepared.config_file)
    return run, table
