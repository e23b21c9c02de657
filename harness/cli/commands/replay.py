"""`datc-check replay`: every phase of recorded games once, compared with the rules or with an engine."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ....cases.tables import USUAL_EDITION
from ....reports import RunFinished
from ...config.config import read_config
from ...config.preparing import ruleset_in_force, split_choices
from ...search.drawn import make_plan
from ...search.plan import Against, Plan
from ...search.replay import Replay, open_archives
from ...search.report import replay_findings, replay_report
from ...search.store import Store
from ..command import EXIT_ENGINE, EXIT_INTERRUPTED, EXIT_NOT_PASSED, EXIT_PASSED, EXIT_USAGE, Command, writing
from ..options import (
    EngineOptions,
    ca_file_option,
    choice_option,
    config_option,
    json_option,
    no_experiments_option,
    open_named_engine,
    quiet_option,
    timeout_option,
    work_options,
)
from ..progress import SearchBar
from ..reporting import confirm, open_outputs, report_option, report_targets, show

if TYPE_CHECKING:
    from typing_extensions import Unpack


@click.command("replay", cls=Command)
@click.argument("paths", nargs=-1, required=True, metavar="ARCHIVE…", type=click.Path(path_type=Path))
@click.option("--engine", metavar="ENGINE", help="Ask this engine, and compare its answers with what was recorded.")
@click.option(
    "--against",
    type=click.Choice(["archive", "reference"]),
    default="archive",
    show_default=True,
    help="What the engine is compared with.",
)
@click.option("--format", "format_name", metavar="NAME", help="How the archives are written. [recognised]")
@click.option("--infer", is_flag=True, help="Find the choices under which the archives agree best.")
@click.option("--strict", is_flag=True, help="Stop at a line that cannot be read.")
@work_options
@no_experiments_option
@click.option("--ruleset", "ruleset_name", metavar="NAME", help=f"The rules in force. [{USUAL_EDITION}]")
@choice_option
@timeout_option
@ca_file_option
@config_option
@quiet_option
@json_option
@report_option
@click.pass_context
def command(
    ctx: click.Context,
    paths: Sequence[Path],
    engine: str | None,
    against: Against,
    format_name: str | None,
    processes: int,
    cluster: str | None,
    folder: Path | None,
    reports: Sequence[str],
    *,
    infer: bool,
    strict: bool,
    resume: bool,
    untested: bool,
    quiet: bool,
    as_json: bool,
    **options: Unpack[EngineOptions],
) -> None:
    r"""Take every phase of recorded games once, in the order of the ARCHIVEs, and compare its result.

    Without --engine the recorded results are compared with those of the reference engine. With it, the answers of the
    engine are compared with the recorded results, or with the reference (--against). Compared are the board, dislodged
    units, retreats, and the outcomes of orders, as far as they are recorded. A phase that goes on from one that differs
    is counted apart. An ARCHIVE has phases as JSON Lines, saved games of the package `diplomacy`, cases of jDip,
    results of an njudge, or orders as text. .gz and .zst are unpacked. Exit codes: 0 all compared phases agree, 1 some
    differ, 2 no phase could be compared, 3 the engine could not be asked to the end.

    \b
    datc-check replay games.jsonl.gz --processes 2
    datc-check replay games.jsonl.gz --infer --report html:replay.html
    datc-check replay games.jsonl.gz --engine mine --store done
    """
    if engine is None and against == "reference" and _is_given(ctx, "against"):
        raise click.UsageError("--against is about an engine: name it by --engine", ctx)
    if infer and engine is not None:
        raise click.UsageError("--infer is about what was recorded: leave out --engine", ctx)
    with writing("what was found"):
        handlers = open_outputs(reports, quiet=True)
        plan = _plan(engine, against if engine else "archive", options)
        store = Store(folder, "replay") if folder else None
        archives = open_archives(paths, format_name)
        replay = Replay(plan, store=store, archives=archives, is_strict=strict, tests=not untested, infers=infer)
        with store.locked(new=not resume) if store else nullcontext(), SearchBar(replay.bytes, "phases") as bar:
            replay.tell = bar.show_replay
            if store is not None and resume:
                replay.plan = store.resume(plan)
            elif store is not None:
                store.begin(plan)
            replay.run(processes, cluster)
        for handler in handlers:
            handler.handle(RunFinished(replay_report(replay)))
        show(replay_findings(replay), quiet=quiet and not as_json, as_json=as_json)
    confirm([*(target.path for target in report_targets(reports)), *([str(folder)] if folder else [])])
    ctx.exit(_exit_code(replay))


def _is_given(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def _plan(engine: str | None, against: Against, options: EngineOptions) -> Plan:
    """Prepare what is compared with what. Raises `DatcCheckError`."""
    if engine is None:
        config, _ = read_config(options["config_file"])
        rules = ruleset_in_force(config, options["ruleset_name"], split_choices(options["choices"]))
        return Plan((), rules, against=against)
    prepared = open_named_engine(engine, options)
    return replace(make_plan([(prepared.spec, prepared.limits)], prepared.rules.ruleset), against=against)


def _exit_code(replay: Replay) -> int:
    if replay.interrupted:
        return EXIT_INTERRUPTED
    if replay.trouble:
        return EXIT_ENGINE
    if replay.groups:
        return EXIT_NOT_PASSED
    return EXIT_PASSED if replay.totals.read.compared else EXIT_USAGE
