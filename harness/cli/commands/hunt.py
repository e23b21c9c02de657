"""`datc-check hunt`: generated positions on which engines differ."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import NoReturn

import click

from ....adapters import EngineClosedError, EngineStartError
from ....cases.tables import USUAL_EDITION
from ....reports import Handler, RunFinished
from ....reports.files import write_whole
from ...config.preparing import open_config_engine, split_choices
from ...search.drawn import make_plan
from ...search.hunt import Hunt, open_again
from ...search.investigation import Progress
from ...search.plan import Plan, PlannedEngine, with_inferred_rules
from ...search.report import again_findings, hunt_findings, hunt_heading, hunt_report
from ...search.store import Store
from ...search.suite import case_file, write_suite
from ...search.workers import is_past, open_adjudicators
from ..command import EXIT_ENGINE, EXIT_INTERRUPTED, EXIT_NOT_PASSED, EXIT_PASSED, Command, writing
from ..options import (
    a_time,
    ca_file_option,
    choice_option,
    config_option,
    json_option,
    no_experiments_option,
    quiet_option,
    seed_option,
    timeout_option,
    work_options,
)
from ..progress import SearchBar
from ..reporting import check_place, confirm, open_outputs, report_option, report_targets, show

_PROFILES = "opening, dense, sea-war or convoy-knots"
"""The names of `PROFILES`, which the help shows."""
_HUNTING = 0.8
"""The share of `--time` for hunting; the rest is for testing what explains the findings."""
_OF_AGAIN = frozenset({"engines", "store_again", "seconds", "timeout", "ca_file", "config_file", "as_json"})
"""The parameters that mean something with `--again`."""


@click.command("hunt", cls=Command)
@click.argument("engines", nargs=-1, required=True, metavar="ENGINE [ENGINE…]")
@click.option(
    "--source",
    "sources",
    multiple=True,
    metavar="SOURCE",
    help="Where positions come from. [random, paradoxes, metamorphic]",
)
@click.option("--profile", "profiles", multiple=True, metavar="NAME", help=f"Random positions: {_PROFILES}. [all]")
@seed_option(1)
@click.option("--positions", type=click.IntRange(1), default=2000, metavar="N", help="How many at most. [2000]")
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(0.1),
    callback=a_time,
    metavar="S",
    help="Stop after S seconds, even if an engine hangs.",
)
@work_options
@click.option(
    "--again",
    "store_again",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Ask only what the hunt in DIR found, and say what is gone.",
)
@click.option(
    "--cases", "case_path", type=click.Path(path_type=Path), metavar="FILE", help="Write the findings as cases."
)
@click.option("--words", is_flag=True, help="Also report equal boards with other outcomes of orders.")
@no_experiments_option
@click.option("--infer", "by_inferred_rules", is_flag=True, help="Compare with the rules that the engine plays.")
@click.option("--ruleset", "ruleset_name", metavar="NAME", help=f"The rules to ask for. [{USUAL_EDITION}]")
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
    engines: Sequence[str],
    sources: Sequence[str],
    profiles: Sequence[str],
    seed: int,
    positions: int,
    seconds: float | None,
    processes: int,
    cluster: str | None,
    folder: Path | None,
    store_again: Path | None,
    case_path: Path | None,
    ruleset_name: str | None,
    choices: Sequence[str],
    timeout: float | None,
    ca_file: Path | None,
    config_file: Path | None,
    reports: Sequence[str],
    *,
    resume: bool,
    words: bool,
    untested: bool,
    by_inferred_rules: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    r"""Ask ENGINEs generated positions; shrink each disagreement, and say what explains it.

    One ENGINE is compared with the reference, several with each other. SOURCE is random, paradoxes, metamorphic (what
    should make no difference), or real:FILE (positions of recorded games, or a pasted one, drawn at random, half of
    them with one order changed; `datc-check replay` takes each as it was).
    The DIR of --store is a suite: `datc-check run ENGINE --suite DIR` asks the smallest position of each cause. With
    --again one ENGINE is asked only what a stored hunt found. Exit codes: 0 they agree, or with --again every cause is
    gone; 1 they do not; 3 an engine could not be asked to the end.

    \b
    datc-check hunt mine
    datc-check hunt mine theirs --positions 20000 --processes 2 --store found
    datc-check hunt mine --again found
    datc-check hunt mine --source real:games.jsonl --infer --report html:hunt.html
    """
    stop_at = None if seconds is None else time.monotonic() + seconds
    if store_again is not None:
        _refuse_other_options(ctx, engines)
        one = open_config_engine(engines[0], config_file, timeout, None, {}, ca_file=ca_file)
        _ask_again(ctx, PlannedEngine(one.spec, one.limits), store_again, stop_at, as_json=as_json)
    with writing("what was found"):
        handlers = open_outputs(reports, quiet=True)
        if case_path is not None:
            check_place(f"--cases {case_path}", case_path)
        prepared = [
            open_config_engine(text, config_file, timeout, ruleset_name, split_choices(choices), ca_file=ca_file)
            for text in engines
        ]
        plan = make_plan(
            [(each.spec, each.limits) for each in prepared],
            prepared[0].rules.ruleset,
            sources,
            profiles,
            seed=seed,
            positions=positions,
            words=words,
        )
        store = Store(folder) if folder else None
        with store.locked(new=not resume) if store else nullcontext(), SearchBar(plan.positions) as bar:
            if store is not None and resume:
                plan = store.resume(plan)
            else:  # That takes half of the time of the hunt at most.
                half = None if seconds is None else time.monotonic() + seconds / 2
                plan = with_inferred_rules(plan, by_inferred_rules=by_inferred_rules, stop_at=half)
                if store is not None:
                    store.begin(plan)
            hunt = _hunt(plan, store, processes, stop_at, cluster, bar, resume=resume, tests=not untested)
            _write_files(hunt, handlers, case_path, folder)
    show(hunt_findings(hunt), quiet=quiet, as_json=as_json)
    files = [*([case_path] if case_path else []), *([folder] if folder else [])]
    confirm([*(target.path for target in report_targets(reports)), *map(str, files)])
    found = EXIT_NOT_PASSED if hunt.findings else EXIT_PASSED
    ctx.exit(EXIT_INTERRUPTED if hunt.interrupted else EXIT_ENGINE if hunt.trouble else found)


def _hunt(
    plan: Plan,
    store: Store | None,
    processes: int,
    stop_at: float | None,
    cluster: str | None,
    bar: SearchBar,
    *,
    resume: bool,
    tests: bool,
) -> Hunt:
    now = time.monotonic()
    hunting_until = now + (stop_at - now) * _HUNTING if stop_at is not None and tests else stop_at
    try:
        with open_adjudicators(plan.until(stop_at)) as adjudicators:
            hunt = Hunt(plan.until(stop_at), [each.name for each in adjudicators], store, tell=bar.show_hunt)
            if resume:
                hunt.resume()
            bar.show_hunt(Progress(hunt.positions, len(hunt.findings)))
            for _ in hunt.go_on(adjudicators, processes, hunting_until, cluster):
                bar.show_hunt(Progress(hunt.positions, len(hunt.findings)))
            if tests and not hunt.trouble and not hunt.interrupted:
                bar.show("testing causes")
                hunt.test_causes(adjudicators, stop_at)
    except EngineClosedError as error:
        raise EngineStartError("--time: it was over before the engine had started") from error
    return hunt


def _write_files(hunt: Hunt, handlers: Sequence[Handler], case_path: Path | None, folder: Path | None) -> None:
    """Write the reports, the cases and the suite that were asked for. Raises `OSError`."""
    heading = "\n".join(hunt_heading(hunt))
    for handler in handlers:
        handler.handle(RunFinished(hunt_report(hunt)))
    if case_path is not None:
        write_whole(case_path, case_file(hunt.groups, heading).encode())
    if folder is not None:
        write_suite(folder, hunt.groups, heading, hunt.plan.ruleset)


def _refuse_other_options(ctx: click.Context, engines: Sequence[str]) -> None:
    """Refuse the options that a stored hunt has settled already, or that are about new positions."""
    if len(engines) > 1:
        raise click.UsageError("--again asks one engine: name one", ctx)
    given = [
        parameter.opts[0]
        for parameter in ctx.command.params
        if (parameter.name or "") not in _OF_AGAIN
        and ctx.get_parameter_source(parameter.name or "") is click.core.ParameterSource.COMMANDLINE
    ]
    if given:
        raise click.UsageError(
            f"--again asks what the stored hunt found, under its rules: leave out {' and '.join(given)}", ctx
        )


def _ask_again(
    ctx: click.Context, engine: PlannedEngine, folder: Path, stop_at: float | None, *, as_json: bool
) -> NoReturn:
    """Ask the positions of a stored hunt again, say what is left of each cause, and exit."""
    again = open_again(Store(folder), engine)
    with open_adjudicators(again.plan.until(stop_at)) as (adjudicator,):
        again.ask(adjudicator, lambda: is_past(stop_at))
        name = adjudicator.name
    show(again_findings(again, name, folder), as_json=as_json)
    is_gone = again.count("gone") == len(again.causes)
    ctx.exit(EXIT_ENGINE if again.trouble else EXIT_PASSED if is_gone else EXIT_NOT_PASSED)
