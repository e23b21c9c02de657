"""`datc-check history`: what each release or commit of an engine passes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

import click

from ....reference_engine.errors import nearest
from ...config.config import find_config, read_config
from ...config.preparing import check_case_names, engine_of, find_cases, ruleset_in_force, split_choices
from ...errors import HarnessError
from ...history import history as releases
from ...history.snapshots import Snapshot, commits_between, named_releases
from ...play.report_data import harness_data, ruleset_data
from ...search.store import locked_folder
from .. import options as shared
from ..command import Command, Exit, Options, echo
from ..reporting import Reports, show


@click.command("history", cls=Command)
@click.argument("engine", required=False)
@shared.option("--versions", "versions", "V,…", "Releases in the registry, or all. ENGINE is a bridge.")
@shared.option("--commits", "commits", "A..B", "Commits of your repository. ENGINE is of datc.toml.")
@click.option("--tags", "tagged", is_flag=True, help="Only the commits with a tag.")
@shared.option("--bisect", "case_id", "CASE", "Find the one that changed CASE, by halving.")
@shared.option("--store", "folder", "DIR", "Keep the runs there.", shared.PATH)
@shared.suites_option
@shared.select_option
@shared.ruleset_option
@shared.choice_option
@shared.timeout_option
@shared.config_option
@shared.jobs_option
@shared.findings_option
@shared.json_option
def history_command(options: Options) -> int:
    r"""Ask each release or commit of ENGINE the cases, and say what each changed.

    With --versions what is missing is set up first, as `datc-check engines setup ENGINE --version V` does it. With
    --commits each commit from A to B, both included, is checked out into a temporary folder; the `setup` of ENGINE in
    datc.toml runs there. Your working tree stays as it is. With --store the same command goes on where it was
    interrupted. Exit codes: 0 all were asked, 2 the command is wrong or CASE did not change, 3 some could not be set up
    or asked to the end.

    \b
    datc-check history diplomacy_pypi --versions all --report html:history.html
    datc-check history mine --commits v1.0..HEAD --tags --store runs
    datc-check history mine --commits v1.0..HEAD --bisect 6.F.14
    """
    if (options.versions is None) == (options.commits is None):
        raise click.UsageError("name either --versions V,… or --commits A..B")
    if options.tagged and options.commits is None:
        raise click.UsageError("--tags chooses from --commits A..B: name them")
    if options.case_id is not None and options.reports:
        raise click.UsageError("--bisect finds one version or commit: it writes no --report")
    reports = Reports(options.reports, releases.RENDERERS, "a history")
    named, history = _prepare(options)
    with locked_folder(options.folder, "history", new=True) if options.folder else nullcontext():
        if options.case_id is not None:
            return _bisect(history, options.case_id, options)
        versions: list[releases.VersionData] = []
        interrupted = False
        try:
            versions.extend(history.versions())
        except KeyboardInterrupt:
            interrupted = True
    found = releases.HistoryData(
        harness=harness_data(),
        engine=named,
        ruleset=ruleset_data(history.ruleset),
        cases=len(history.cases),
        versions=versions,
    )
    show(releases.history_findings(found), as_json=options.as_json, err=reports.stdout_is_taken)
    reports.write(found)
    if interrupted:
        advice = "the same command goes on" if options.folder else "with --store DIR it would go on"
        echo(f"Interrupted after {len(found.versions)} of {len(history.snapshots)}: {advice}", err=True)
        return Exit.INTERRUPTED
    return Exit.ENGINE if any(version.trouble for version in found.versions) else Exit.PASSED


def _prepare(options: Options) -> tuple[str, releases.History]:
    config_file = options.config_file or find_config()
    config, folder = read_config(config_file)
    name = options.engine if options.engine is not None else engine_of(config, config_file)
    check_case_names(config, options.suites)
    snapshots: Sequence[Snapshot]
    if options.versions is not None:
        snapshots = named_releases(name, options.versions)
    else:
        engines = config.engines(folder)
        if name not in engines:
            near = nearest(name, [*engines])
            raise HarnessError(f"--commits is for an engine of datc.toml, which has no {name!r}{near}")
        snapshots = commits_between(engines[name], options.commits or "", tagged=options.tagged)
    total = len(snapshots)
    places = {snapshot.label: place for place, snapshot in enumerate(snapshots, 1)}

    def tell(snapshot: Snapshot, text: str) -> None:
        echo(
            f"{places[snapshot.label]} of {total}: {releases.version_name(snapshot)}{f': {text}' if text else ''}",
            err=True,
        )

    return name, releases.History(
        snapshots,
        find_cases(options.suites, options.selections),
        ruleset_in_force(config, options.ruleset_name, split_choices(options.choices), options.suites),
        dict(config.deviations),
        options.jobs or config.run.jobs or 1,
        options.timeout or config.run.timeout,
        store=options.folder,
        tell=tell,
    )


def _bisect(history: releases.History, case_id: str, options: Options) -> int:
    cases = find_cases(options.suites, [case_id])
    if len(cases) > 1:
        raise click.UsageError(f"--bisect {case_id} names {len(cases)} cases: name one")
    try:
        found = history.bisect(cases[0])
    except releases.HistoryError:
        raise
    except HarnessError as error:  # The first or the last could not be set up or asked.
        echo(f"Error: {error}", err=True)
        return Exit.ENGINE
    show(releases.bisection_findings(found, len(history.snapshots)), as_json=options.as_json)
    return Exit.PASSED
