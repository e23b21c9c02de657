"""The options that several commands have, so that each is the same wherever it stands."""

from __future__ import annotations

import math
from pathlib import Path

import click


def a_time(_ctx: click.Context, _param: click.Parameter, seconds: float | None) -> float | None:
    """Check an option that is a time: Python reads "nan" as a number, too. Raises `BadParameter`."""
    if seconds is not None and math.isnan(seconds):
        raise click.BadParameter("'nan' is not a number of seconds.")
    return seconds


suites_option = click.option(
    "--suite", "suites", multiple=True, metavar="NAME", help="A suite, a folder with one, or all. [datc-3.1]"
)
"""The suites that are asked, as `suites`: datc-3.1 unless said."""
all_suites_option = click.option(
    "--suite", "suites", multiple=True, metavar="NAME", help="A suite, a folder with one, or all. [all]"
)
"""The suites that are asked, as `suites`: all of them unless said."""
suite_of_case_option = click.option(
    "--suite", "suite_name", default="datc-3.1", show_default=True, metavar="NAME", help="Where the case is."
)
"""The suite that a case is looked for in, as `suite_name`."""
select_option = click.option(
    "--select", "selections", multiple=True, metavar="6.F", help="A case, a section, or an issue (4.A.1)."
)
"""The cases that are asked, as `selections`."""
held_to_option = click.option(
    "--ruleset", "ruleset_name", metavar="NAME", help="The rules that the engine is held to. [datc-3.1]"
)
"""The ruleset that answers are judged by, as `ruleset_name`."""
choice_option = click.option(
    "--choice", "choices", multiple=True, metavar="ISSUE=CHOICE", help="Another choice for an issue."
)
"""Choices that replace those of the ruleset, as `choices`."""
jobs_option = click.option("--jobs", type=click.IntRange(1, 64), metavar="N", help="Cases asked at once. [1]")
"""How many requests are in flight at once, as `jobs`."""
timeout_option = click.option(
    "--timeout",
    type=click.FloatRange(0.001, 3600),
    callback=a_time,
    metavar="S",
    help="Seconds for each answer. [10]",
)
"""How long an engine may take for an answer, in seconds, as `timeout`."""
config_option = click.option(
    "--config", "config_file", type=click.Path(path_type=Path), metavar="FILE", help="[datc.toml, if there]"
)
"""The config, as `config_file`."""
json_option = click.option("--json", "as_json", is_flag=True, help="As JSON.")
"""Whether the output is JSON, as `as_json`."""
