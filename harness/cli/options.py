"""The options that several commands have, and what they prepare: an engine, a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ...cases import Case
from ...cases.suite import USUAL_EDITION
from ...reference_engine import Ruleset
from ...reference_engine.maps import STANDARD
from ...reports import FORMATS
from ..config import preparing
from ..config.config import RunTable, place_in_repository
from ..run.runner import Run
from .command import Options

if TYPE_CHECKING:
    from ...cases.carrying import CarriedOver

_CommandT = TypeVar("_CommandT", bound="Callable[..., object] | click.Command")


def together(*options: Callable[[_CommandT], _CommandT]) -> Callable[[_CommandT], _CommandT]:
    """Make one decorator of several options, which the help lists in this order."""

    def decorate(command: _CommandT) -> _CommandT:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


PATH = click.Path(path_type=Path)


def option(
    flag: str,
    name: str,
    metavar: str,
    says: str,
    kind: object = None,
    **settings: Any,  # noqa: ANN401 - as click has it
) -> Callable[[_CommandT], _CommandT]:
    """Make an option with a value; its help lists the flag, the metavar and what it says."""
    return click.option(flag, name, metavar=metavar, help=says, type=kind, **settings)


def a_time(_ctx: click.Context, _param: click.Parameter, seconds: float | None) -> float | None:
    """Check an option that is a time: Python reads "nan" as a number, too. Raises `BadParameter`."""
    if seconds is not None and math.isnan(seconds):
        raise click.BadParameter("'nan' is not a number of seconds.")
    return seconds


def seed_option(usual: int) -> Callable[[_CommandT], _CommandT]:
    """Give a command the number that its new positions follow from, as `seed`."""
    says = f"Another number gives other positions. [{usual}]"
    return option("--seed", "seed", "N", says, click.IntRange(0), default=usual)


def server_options(port: int) -> Callable[[_CommandT], _CommandT]:
    """Give a command the options `--host`, `--port`, `--threads`, `--allow-host` and `--allow-origin`."""
    says = f"The port; 0 takes a free one. [{port}]"
    return together(
        option("--host", "host", "HOST", "The address to listen on. [127.0.0.1]", default="127.0.0.1"),
        option("--port", "port", "N", says, click.IntRange(0, 65535), default=port),
        option("--threads", "threads", "N", "Requests answered at once. [4]", click.IntRange(1, 64), default=4),
        option("--allow-host", "hosts", "NAME[:PORT]", "Another name of this server to accept.", multiple=True),
        option(
            "--allow-origin", "origins", "ORIGIN", "Web pages to accept, such as https://example.org.", multiple=True
        ),
    )


def reports_option(formats: str) -> Callable[[_CommandT], _CommandT]:
    """Give a command the option `--report`; its help names the formats."""
    says = f"Write a report; - is stdout. FORMAT is {formats}; FILE.html and the like need none."
    return click.option("--report", "-o", "reports", multiple=True, metavar="[FORMAT:]PATH", help=says)


def _check_resume(ctx: click.Context, _param: click.Parameter, resume: bool) -> bool:
    if resume and ctx.params.get("folder") is None:
        raise click.UsageError("--resume continues what is in --store DIR: name it", ctx)
    return resume


suites_option = option(
    "--suite", "suites", "NAME", f"A suite, a folder with one, or all. [{USUAL_EDITION}]", multiple=True
)
all_suites_option = option("--suite", "suites", "NAME", "A suite, a folder with one, or all. [all]", multiple=True)
suite_of_case_option = option(
    "--suite", "suite_name", "NAME", f"A suite, a folder with one, or all. [{USUAL_EDITION}, then all]"
)
select_option = option(
    "--select", "selections", "6.F,…", "Cases (or SUITE/ID), sections, or issues (4.A.1).", multiple=True
)
ruleset_option = option("--ruleset", "ruleset_name", "NAME", "The rules in force. [the config's, or the suite's]")
choice_option = option("--choice", "choices", "ISSUE=CHOICE", "Another choice for an issue.", multiple=True)
jobs_option = option("--jobs", "jobs", "N", "Requests in flight at once. [1]", click.IntRange(1, 64))
timeout_option = option(
    "--timeout", "timeout", "S", "Seconds for each answer. [10]", click.FloatRange(0.001, 3600), callback=a_time
)
ca_file_option = option("--ca-file", "ca_file", "FILE", "Authorities to trust for HTTPS. [the system's]", PATH)
config_option = option("--config", "config_file", "FILE", "The config. [datc.toml here or in a folder above]", PATH)
carry_options = together(
    option("--map", "map_name", "NAME", "Carry cases to places of this map, or of a map file."),
    option(
        "--carry-over", "placements", "N", "Carry each to N other placements. [1 with --map]", click.IntRange(1, 100)
    ),
)
"""Where cases are carried to."""
trace_option = option(
    "--trace", "trace_folder", "DIR", "Write requests and answers there, a file a case (`datc-check ask`).", PATH
)
no_experiments_option = click.option(
    "--no-experiments", "untested", is_flag=True, help="Do not test statements on new positions."
)
quiet_option = click.option("--quiet", "-q", is_flag=True, help="Print only why it does not pass, and warnings.")
verbose_option = click.option(
    "--verbose", "-v", is_flag=True, help="Every case that did not pass in full, not only the first 20."
)
json_option = click.option("--json", "as_json", is_flag=True, help="As JSON.")
findings_option = reports_option("html, markdown or json")
report_option = reports_option(", ".join(f"{name} ({kind.purpose})" for name, kind in FORMATS.items()))

connection_options = together(timeout_option, ca_file_option, config_option)
"""How an engine is asked."""
engine_options = together(ruleset_option, choice_option, connection_options)
"""How an engine is asked, and which rules are in force."""
run_options = together(suites_option, select_option, engine_options, jobs_option)
work_options = together(
    option("--processes", "processes", "N", "Work in N processes. [1]", click.IntRange(1, 64), default=1),
    option("--dask", "cluster", "ADDRESS", "Work on the workers of a Dask cluster."),
    # It is known when --resume is checked, wherever that stands.
    option("--store", "folder", "DIR", "Keep the results there.", PATH, is_eager=True),
    click.option("--resume", is_flag=True, callback=_check_resume, help="Continue what is in --store."),
)
"""Who does long work, and where it is kept, so that it can be continued."""


def open_engine(engine: str | None, options: Options) -> preparing.Prepared:
    """Open an engine, or that of the config, as the options say. Raises `DatcCheckError`."""
    choices = preparing.split_choices(options.choices)
    return preparing.open_config_engine(
        engine, options.config_file, options.timeout, options.ruleset_name, choices, options.suites, options.ca_file
    )


def carried(cases: Sequence[Case], options: Options, ruleset: Ruleset) -> CarriedOver | None:
    """Carry cases to other places, if options say so. Raises `SuiteError` and `PositionError` for a wrong map."""
    if not options.map_name and not options.placements:
        return None
    from ..play.carry import carried_cases  # Here, since it takes long to import.

    return carried_cases(cases, options.map_name or STANDARD, options.placements or 1, options.seed, ruleset)


def prepare_run(engine: str | None, options: Options) -> tuple[Run, RunTable]:
    """Prepare a run as the options and the config say; also return its `[run]`.

    Its cases are carried where the options say so. Raises `DatcCheckError`.
    """
    prepared = open_engine(engine, options)
    cases = preparing.find_cases(options.suites, options.selections)
    preparing.check_case_names(prepared.config, options.suites)
    table = prepared.config.run
    jobs = options.jobs or table.jobs or 1
    run = Run(prepared.engine, prepared.spec, cases, prepared.rules, jobs)
    if found := carried(cases, options, prepared.rules.ruleset):
        from ..play.carry import carried_data

        run.cases, run.carried = found.cases, carried_data(found)
    run.config = "" if prepared.config_file is None else place_in_repository(prepared.config_file)
    return run, table
