"""Where engines differ: `datc-check hunt` in generated positions, `replay` in recorded games, `shadow` in use."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

import click
import msgspec

from ....adapters import EngineClosedError, EngineStartError
from ....adapters.builtin import relay
from ....adapters.web import Application
from ....cases.suite import USUAL_EDITION
from ....reference_engine.maps import STANDARD
from ....reports.files import write_whole
from ....reports.findings import wrapped
from ...config.config import read_config
from ...config.preparing import ruleset_in_force, split_choices
from ...search import report
from ...search.drawn import make_plan
from ...search.findings import Finding
from ...search.hunt import Hunt, open_again
from ...search.investigation import Progress
from ...search.observed import FindingStore, explain, read_findings
from ...search.plan import Against, Plan, PlannedEngine, with_inferred_rules
from ...search.replay import Progress as ReplayProgress
from ...search.replay import Replay, open_archives
from ...search.shadowing import Difference, Shadow
from ...search.store import Store
from ...search.suite import case_file, write_suite
from ...search.workers import in_processes, is_past, open_adjudicators
from .. import options as shared
from ..command import Command, Exit, Options, echo, refuse_others, writing
from ..progress import Bar
from ..reporting import Reports, check_place, show
from .serve import allowed, listen, serve_until_signal

_PROFILES = "opening, dense, sea-war or convoy-knots"
"""The names of `PROFILES`, which the help shows."""
_TESTING = 1 / 3
"""The share of `--time` that is kept for testing what explains the findings."""
_OF_AGAIN = frozenset({"engines", "store_again", "seconds", "timeout", "ca_file", "config_file", "as_json"})
"""The parameters that mean something with `--again`."""
_NICE = 10
"""How much less processor time explaining what a shadow found gets than answering, as `nice` has it."""


@click.command("hunt", cls=Command)
@click.argument("engines", nargs=-1, required=True, metavar="ENGINE [ENGINE…]")
@shared.option(
    "--source",
    "sources",
    "SOURCE",
    "Where positions come from. [random, paradoxes, metamorphic, battles]",
    multiple=True,
)
@shared.option("--profile", "profiles", "NAME", f"Random positions: {_PROFILES}. [all]", multiple=True)
@shared.option(
    "--map", "map_name", "NAME", "Draw on this map, or on that of a .toml file. [standard]", default=STANDARD
)
@shared.seed_option(1)
@shared.option("--positions", "positions", "N", "How many at most. [2000]", click.IntRange(1), default=2000)
@shared.option(
    "--time",
    "seconds",
    "S",
    "Stop after S seconds, even if an engine hangs.",
    click.FloatRange(0.1),
    callback=shared.a_time,
)
@shared.work_options
@shared.option(
    "--again", "store_again", "DIR", "Ask only what the hunt in DIR found, and say what is gone.", shared.PATH
)
@shared.option("--cases", "case_path", "FILE", "Write the findings as cases.", shared.PATH)
@click.option("--words", is_flag=True, help="Also report equal boards with other outcomes of orders.")
@shared.no_experiments_option
@click.option("--infer", "infers", is_flag=True, help="Compare with the rules that the engine plays.")
@shared.option("--ruleset", "ruleset_name", "NAME", f"The rules to ask for. [{USUAL_EDITION}]")
@shared.choice_option
@shared.connection_options
@shared.quiet_option
@shared.json_option
@shared.report_option
def hunt_command(options: Options) -> int:
    r"""Ask ENGINEs generated positions; shrink each disagreement, and say what explains it.

    One ENGINE is compared with the reference, several with each other. SOURCE is random, paradoxes, metamorphic (what
    should make no difference), battles (each order decides something, in all provinces), or real:FILE (positions of
    recorded games, or a pasted one, drawn at random, half of them with one order changed; `datc-check replay` takes
    each as it was).
    The DIR of --store is a suite: `datc-check run ENGINE --suite DIR` asks the smallest position of each cause. With
    --again one ENGINE is asked only what a stored hunt found. Exit codes: 0 they agree, or with --again every cause is
    gone; 1 they do not, or one answered nothing; 3 an engine could not be asked to the end.

    \b
    datc-check hunt mine
    datc-check hunt mine theirs --positions 20000 --processes 2 --store found
    datc-check hunt mine --again found
    datc-check hunt mine --source real:games.jsonl --infer --report html:hunt.html
    """
    stop_at = None if options.seconds is None else time.monotonic() + options.seconds
    if options.store_again is not None:
        return _ask_again(options, options.store_again, stop_at)
    folder = options.folder
    with writing("what was found"):
        reports = Reports(options.reports).open()
        if options.case_path is not None:
            check_place(f"--cases {options.case_path}", options.case_path)
        prepared = [shared.open_engine(engine, options) for engine in options.engines]
        plan = make_plan(
            [(each.spec, each.limits) for each in prepared],
            prepared[0].rules.ruleset,
            options.sources,
            options.profiles,
            seed=options.seed,
            positions=options.positions,
            words=options.words,
            map_name=options.map_name,
        )
        store = Store(folder) if folder else None
        locked = store.locked(new=not options.resume) if store else nullcontext()
        with locked:
            with Bar("asking the suites", plan.positions, "found") as bar:
                if store is not None and options.resume:
                    plan = store.resume(plan)
                else:  # That takes half of the time of the hunt at most.
                    half = None if options.seconds is None else time.monotonic() + options.seconds / 2
                    plan = with_inferred_rules(plan, by_inferred_rules=options.infers, stop_at=half)
                    if store is not None:
                        store.begin(plan)
                hunt = _hunt(plan, store, stop_at, bar, options)
            heading = "\n".join(report.hunt_heading(hunt))
            try:
                if options.reports:
                    reports.finish(report.hunt_report(hunt))
                if options.case_path is not None:
                    write_whole(options.case_path, case_file(hunt.groups, heading).encode())
                if folder is not None:
                    write_suite(folder, hunt.groups, heading, hunt.plan.ruleset, hunt.plan.map)
            finally:  # Also on a full disk.
                on_stderr = reports.stdout_is_taken
                show(report.hunt_findings(hunt), quiet=options.quiet, as_json=options.as_json, err=on_stderr)
    reports.confirm(options.case_path, folder)
    if hunt.interrupted:
        return Exit.INTERRUPTED
    if hunt.trouble:
        return Exit.ENGINE
    return Exit.NOT_PASSED if hunt.findings or report.unanswered_sentences(hunt) else Exit.PASSED


def _hunt(plan: Plan, store: Store | None, stop_at: float | None, bar: Bar, options: Options) -> Hunt:
    tests, tell = not options.untested, partial(show_hunt, bar)
    hunting_until = stop_at
    if stop_at is not None and options.seconds is not None and tests:
        hunting_until = stop_at - options.seconds * _TESTING
    try:
        with open_adjudicators(plan.until(stop_at)) as adjudicators:
            hunt = Hunt(plan.until(stop_at), [each.name for each in adjudicators], store, tell=tell)
            if options.resume:
                hunt.resume()
            tell(Progress(hunt.positions, len(hunt.findings)))
            try:
                for _ in hunt.go_on(adjudicators, options.processes, hunting_until, options.cluster):
                    tell(Progress(hunt.positions, len(hunt.findings)))
            except KeyboardInterrupt:  # Between two chunks.
                hunt.interrupted = True
            if tests:
                bar.show("testing causes")
                hunt.test_causes(() if hunt.trouble or hunt.interrupted else adjudicators, stop_at)
    except EngineClosedError as error:
        raise EngineStartError("--time: it was over before the engine had started") from error
    return hunt


def show_hunt(bar: Bar, progress: Progress) -> None:
    """Show how far a hunt is."""
    doing, found = "shrinking" if progress.shrinking else "hunting", f"{progress.findings} disagreements"
    bar.show(doing, completed=progress.positions, found=found)


def _ask_again(options: Options, folder: Path, stop_at: float | None) -> int:
    if len(options.engines) > 1:
        raise click.UsageError("--again asks one engine: name one")
    refuse_others(_OF_AGAIN, "--again asks what the stored hunt found, under its rules")
    one = shared.open_engine(options.engines[0], options)
    again = open_again(Store(folder), PlannedEngine(one.spec, one.limits))
    with open_adjudicators(again.plan.until(stop_at)) as (adjudicator,):
        again.ask(adjudicator, lambda: is_past(stop_at))
    show(report.again_findings(again, adjudicator.name, folder), as_json=options.as_json)
    if again.trouble:
        return Exit.ENGINE
    return Exit.PASSED if again.count("gone") == len(again.causes) else Exit.NOT_PASSED


@click.command("replay", cls=Command)
@click.argument("archives", nargs=-1, required=True, metavar="ARCHIVE…", type=click.Path(path_type=Path))
@shared.option("--engine", "engine", "ENGINE", "Ask this engine, and compare its answers with what was recorded.")
@click.option(
    "--against",
    type=click.Choice(["archive", "reference"]),
    default="archive",
    show_default=True,
    help="What the engine is compared with.",
)
@shared.option("--format", "format_name", "NAME", "How the archives are written. [recognised]")
@click.option("--infer", "infers", is_flag=True, help="Find the choices under which the archives agree best.")
@click.option("--words", is_flag=True, help="Equal boards with other outcomes of orders differ, too.")
@shared.work_options
@shared.no_experiments_option
@shared.option("--ruleset", "ruleset_name", "NAME", f"The rules in force. [{USUAL_EDITION}]")
@shared.choice_option
@shared.connection_options
@shared.quiet_option
@shared.json_option
@shared.report_option
def replay_command(options: Options) -> int:
    r"""Take every phase of recorded games once, in the order of the ARCHIVEs, and compare its result.

    Without --engine the recorded results are compared with those of the reference engine. With it, the answers of the
    engine are compared with the recorded results, or with the reference (--against). Compared are the board, dislodged
    units and retreats, and with --words the outcomes of orders, as far as they are recorded. A phase that goes on from
    one that differs is counted apart. An ARCHIVE has phases as JSON Lines, saved games of the package `diplomacy`,
    cases of jDip, results of an njudge, or orders as text; a folder has several. .gz, .bz2, .xz and .zst are unpacked.
    Exit codes: 0 all phases were read, and those compared agree, 1 some differ, or a part cannot be read, 2 no phase
    could be compared, 3 the engine could not be asked to the end.

    \b
    datc-check replay games.jsonl.gz --processes 2
    datc-check replay games.jsonl.gz --infer --report html:replay.html
    datc-check replay games.jsonl.gz --engine mine --store done
    """
    if options.engine is None and options.against == "reference":
        raise click.UsageError("--against is about an engine: name it by --engine")
    if options.infers and options.engine is not None:
        raise click.UsageError("--infer is about what was recorded: leave out --engine")
    folder = options.folder
    with writing("what was found"):
        reports = Reports(options.reports).open()
        plan = _replay_plan(options)
        store = Store(folder, "replay") if folder else None
        archives, lost = open_archives(options.archives, options.format_name)
        replay = Replay(plan, store=store, archives=archives, lost=lost, infers=options.infers)
        replay.tests = not options.untested
        locked = store.locked(new=not options.resume) if store else nullcontext()
        with locked, Bar("comparing", replay.bytes, "asked", "found", counts=False) as bar:
            replay.tell = partial(_show_replay, bar)
            if store is not None and options.resume:
                replay.plan = store.resume(plan)
            elif store is not None:
                store.begin(plan)
            replay.run(options.processes, options.cluster)
        try:
            if options.reports:
                reports.finish(report.replay_report(replay))
        finally:  # Also on a full disk.
            on_stderr = reports.stdout_is_taken
            show(report.replay_findings(replay), quiet=options.quiet, as_json=options.as_json, err=on_stderr)
    reports.confirm(folder)
    if replay.interrupted:
        return Exit.INTERRUPTED
    if replay.trouble:
        return Exit.ENGINE
    if not replay.read.compared:
        return Exit.USAGE
    return Exit.PASSED if replay.complete and not replay.groups else Exit.NOT_PASSED


def _show_replay(bar: Bar, progress: ReplayProgress) -> None:
    doing, done, phases, differing = progress
    bar.show(doing, completed=done, asked=f"{phases} phases,", found=f"{differing} differ")


def _replay_plan(options: Options) -> Plan:
    if options.engine is None:
        config, _ = read_config(options.config_file)
        rules = ruleset_in_force(config, options.ruleset_name, split_choices(options.choices))
        return Plan((), rules, against="archive", words=options.words)
    prepared = shared.open_engine(options.engine, options)
    plan = make_plan([(prepared.spec, prepared.limits)], prepared.rules.ruleset)
    return replace(plan, against=cast("Against", options.against), words=options.words)


@click.command("shadow", cls=Command)
@click.argument("engines", nargs=-1, metavar="ENGINE SUCCESSOR")
@shared.option("--store", "folder", "FILE", "Where findings go. [shadow.jsonl]", shared.PATH)
@click.option("--words", is_flag=True, help="Also report equal boards with other outcomes of orders.")
@shared.server_options(8422)
@shared.connection_options
@shared.report_option
def shadow_command(options: Options) -> int:
    r"""Pass requests to an engine that people use, and then test its successor with them.

    Requests of the protocol, one a POST, go to ENGINE, and its answers pass through unchanged. SUCCESSOR gets the same
    requests later. If its answer differs or is missing, FILE gets a line of JSON with what explains it, and the .toml
    beside FILE a case. A slow or broken SUCCESSOR does not slow ENGINE down. GET /health has the counts. Ctrl-C or
    SIGTERM ends it; requests that still wait are asked for at most 5 seconds. A report then has what this run found, by
    its causes. It needs `pip install "datc-check[serve]"`.

    \b
    datc-check shadow mine my-next --store found.jsonl
    datc-check shadow mine my-next --report html:shadow.html
    datc-check hunt my-next --source real:found.jsonl
    """
    if len(options.engines) != 2:
        raise click.UsageError("name two engines: the one that answers, and the one that is compared")
    reports = Reports(options.reports).open()
    first, second = (shared.open_engine(engine, options).open_for_serving() for engine in options.engines)
    with in_processes(1) as workers, listen(options) as listening:
        access = allowed(options, listening)
        path = options.folder or Path("shadow.jsonl")
        store = FindingStore(path, lambda found: workers.executor.submit(_explain, found).result())

        def tell(trouble: str) -> None:
            echo(f"Not compared: {trouble}", err=True)

        with Shadow(first, second, store.take, words=options.words, tell=tell) as shadow:
            _ = shadow.start()
            documents = {"/health": lambda: _health(shadow)}
            application = Application({"/": lambda body: relay(body, shadow)}, documents, access)
            code = serve_until_signal(listening, options.threads, application)
    with writing("a report"):
        if options.reports:
            findings = read_findings(path, store.start)
            reports.finish(report.shadow_report(findings, shadow.counts, shadow.names, options.engines[1]))
    counts = shadow.counts
    parts = [f"{counts.different} different", f"{counts.failed} without an answer"]
    rest = {"unsupported": counts.unsupported, "not asked": counts.dropped, "errors": counts.errors}
    parts += [f"{number} {what}" for what, number in rest.items() if number]
    sentence = f"{counts.asked} compared: {', '.join(parts)}"
    echo("\n".join(wrapped(sentence, hanging=2)), err=reports.stdout_is_taken)
    reports.confirm()
    return code


def _explain(difference: Difference) -> Sequence[Finding]:
    """Explain a difference in a process of its own, which takes no time from answering: it is much to compute."""
    if hasattr(os, "setpriority"):
        os.setpriority(os.PRIO_PROCESS, 0, _NICE)
    return explain(difference)


def _health(shadow: Shadow) -> dict[str, object]:
    first, second = shadow.names
    return {"status": "ok", "engine": first, "shadow": {"engine": second, **msgspec.structs.asdict(shadow.counts)}}
