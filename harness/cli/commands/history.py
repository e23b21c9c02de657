"""`datc-check history`: what each release or commit of an engine passes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import click

from ....adapters import EngineSpec
from ....reference_engine.errors import nearest
from ....reference_engine.installation import package_version
from ....reports import RulesetData
from ....reports.report import HarnessData
from ...config.config import Config, find_config, read_config
from ...config.preparing import check_case_names, engine_of, find_cases, ruleset_in_force, split_choices
from ...errors import HarnessError
from ...history.history import History, HistoryError
from ...history.report import (
    RENDERERS,
    HistoryData,
    VersionData,
    bisection_findings,
    history_findings,
    version_name,
)
from ...history.snapshots import Snapshot, commits_between, named_releases
from ...search.store import locked_folder
from ..command import EXIT_ENGINE, EXIT_INTERRUPTED, EXIT_PASSED, Command, echo
from ..options import (
    choice_option,
    config_option,
    jobs_option,
    json_option,
    ruleset_option,
    select_option,
    suites_option,
    timeout_option,
)
from ..reporting import FindingsOutputs, findings_option, show

if TYPE_CHECKING:
    from typing_extensions import Unpack


class _Options(TypedDict):
    """How the engines are asked, and what."""

    suites: Sequence[str]
    selections: Sequence[str]
    ruleset_name: str | None
    choices: Sequence[str]
    timeout: float | None
    config_file: Path | None
    jobs: int | None


@click.command("history", cls=Command)
@click.argument("engine", required=False)
@click.option("--versions", metavar="V,…", help="Releases in the registry, or all. ENGINE is a bridge.")
@click.option("--commits", metavar="A..B", help="Commits of your repository. ENGINE is of datc.toml.")
@click.option("--tags", "tagged", is_flag=True, help="Only the commits with a tag.")
@click.option("--bisect", "case_id", metavar="CASE", help="Find the one that changed CASE, by halving.")
@click.option("--store", "folder", type=click.Path(path_type=Path), metavar="DIR", help="Keep the runs there.")
@suites_option
@select_option
@ruleset_option
@choice_option
@timeout_option
@config_option
@jobs_option
@findings_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    engine: str | None,
    versions: str | None,
    commits: str | None,
    case_id: str | None,
    folder: Path | None,
    reports: Sequence[str],
    *,
    tagged: bool,
    as_json: bool,
    **options: Unpack[_Options],
) -> None:
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
    if (versions is None) == (commits is None):
        raise click.UsageError("name either --versions V,… or --commits A..B", ctx)
    if tagged and commits is None:
        raise click.UsageError("--tags chooses from --commits A..B: name them", ctx)
    if case_id is not None and reports:
        raise click.UsageError("--bisect finds one version or commit: it writes no --report", ctx)
    outputs = FindingsOutputs(reports, RENDERERS, "a history")
    named, history = _prepare(engine, versions, commits, folder, options, tagged=tagged)
    with locked_folder(folder, "history", new=True) if folder else nullcontext():
        if case_id is not None:
            ctx.exit(_bisect(history, case_id, options["suites"], as_json=as_json))
        found, interrupted = _ask_all(named, history)
    show(history_findings(found), as_json=as_json, err=outputs.stdout_is_taken)
    outputs.write(found)
    if interrupted:
        advice = "the same command goes on" if folder else "with --store DIR it would go on"
        echo(f"Interrupted after {len(found.versions)} of {len(history.snapshots)}: {advice}", err=True)
        ctx.exit(EXIT_INTERRUPTED)
    ctx.exit(EXIT_ENGINE if any(version.trouble for version in found.versions) else EXIT_PASSED)


def _prepare(
    engine: str | None,
    versions: str | None,
    commits: str | None,
    folder: Path | None,
    options: _Options,
    *,
    tagged: bool,
) -> tuple[str, History]:
    """Return what the engine is called and the history to ask. Raises `DatcCheckError`."""
    config_file = options["config_file"] or find_config()
    config, config_folder = read_config(config_file)
    name = engine if engine is not None else engine_of(config, config_file)
    check_case_names(config, options["suites"])
    snapshots: Sequence[Snapshot]
    if versions is not None:
        snapshots = named_releases(name, versions)
    else:
        snapshots = commits_between(_own_engine(name, config, config_folder), commits or "", tagged=tagged)
    total = len(snapshots)
    places = {snapshot.label: place for place, snapshot in enumerate(snapshots, 1)}

    def tell(snapshot: Snapshot, text: str) -> None:
        echo(f"{places[snapshot.label]} of {total}: {version_name(snapshot)}{f': {text}' if text else ''}", err=True)

    return name, History(
        snapshots,
        find_cases(options["suites"], options["selections"]),
        ruleset_in_force(config, options["ruleset_name"], split_choices(options["choices"]), options["suites"]),
        package_version(),
        dict(config.deviations),
        options["jobs"] or config.run.jobs or 1,
        options["timeout"] or config.run.timeout,
        store=folder,
        tell=tell,
    )


def _own_engine(name: str, config: Config, folder: Path) -> EngineSpec:
    """Return an engine of datc.toml. Raises `HarnessError`."""
    engines = config.engines(folder)
    if name not in engines:
        raise HarnessError(f"--commits is for an engine of datc.toml, which has no {name!r}{nearest(name, [*engines])}")
    return engines[name]


def _ask_all(name: str, history: History) -> tuple[HistoryData, bool]:
    """Ask all of them; say whether Ctrl-C ended it before."""
    found: list[VersionData] = []
    interrupted = False
    try:
        found.extend(history.versions())
    except KeyboardInterrupt:
        interrupted = True
    ruleset = history.ruleset
    data = HistoryData(
        harness=HarnessData(name="datc-check", version=history.harness_version),
        engine=name,
        ruleset=RulesetData(name=ruleset.name, choices=dict(ruleset.choices)),
        cases=len(history.cases),
        versions=found,
    )
    return data, interrupted


def _bisect(history: History, case_id: str, suites: Sequence[str], *, as_json: bool) -> int:
    """Find what changed a case, say it, and return the exit code. Raises `DatcCheckError`."""
    cases = find_cases(suites, [case_id])
    if len(cases) > 1:
        raise click.UsageError(f"--bisect {case_id} names {len(cases)} cases: name one")
    try:
        found = history.bisect(cases[0])
    except HistoryError:
        raise
    except HarnessError as error:  # The first or the last could not be set up or asked.
        echo(f"Error: {error}", err=True)
        return EXIT_ENGINE
    show(bisection_findings(found, len(history.snapshots)), as_json=as_json)
    return EXIT_PASSED
