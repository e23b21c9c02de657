"""`datc-check baseline`: the verdicts that later runs are held to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from ....cases.suite import short_key
from ....reference_engine.errors import printable
from ....reports import VERDICTS, Report
from ....reports.files import write_whole
from ....reports.findings import wrapped
from ....reports.gate import Baseline
from ....reports.report import counted
from ....reports.text import indented_json, printable_struct
from ...config.config import read_config
from ..command import EXIT_ENGINE, CommandGroup, echo, say, writing
from ..options import RunOptions, prepare_run, quiet_option, run_options
from ..reporting import check_place
from .report import read_stored, read_stored_baseline

if TYPE_CHECKING:
    from typing_extensions import Unpack

_FILE = "datc-baseline.json"


@click.group("baseline", cls=CommandGroup)
def command() -> None:
    r"""Write a baseline: the verdict of each case, for a gate that fails on what got worse alone.

    \b
    datc-check baseline update mine
    datc-check run mine --baseline datc-baseline.json
    """


@command.command("update")
@click.argument("engine", required=False)
@click.option(
    "--baseline",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=f"Where it is. [the config's, or {_FILE}]",
)
@click.option("--run", "stored", type=click.File("rb"), metavar="RUN.json", help="Ask no engine: take a stored run.")
@quiet_option
@run_options
@click.pass_context
def update(
    ctx: click.Context,
    engine: str | None,
    file: Path | None,
    stored: BinaryIO | None,
    *,
    quiet: bool,
    **options: Unpack[RunOptions],
) -> None:
    r"""Ask ENGINE the cases, and write the verdict of each into FILE.

    Cases that are in FILE and are not asked now keep their verdict, if FILE is of the same engine and rules. Exit
    codes: 0 it is written, 3 the engine could not be asked to the end, and nothing is written.

    \b
    datc-check baseline update
    datc-check baseline update mine --baseline ci/baseline.json
    datc-check baseline update --run run.json
    """
    if engine is not None and stored is not None:
        raise click.UsageError("name an ENGINE, or a run with --run, not both", ctx)
    file = file or Path(read_config(options["config_file"])[0].run.baseline or _FILE)
    check_place(f"--baseline {file}", file)
    before = _read(file)
    report = read_stored(stored) if stored is not None else prepare_run(engine, options)[0].to_the_end()
    if not report.complete:
        echo(f"Error: {file} is not written: {report.incomplete_reason}", err=True)
        ctx.exit(EXIT_ENGINE)
    after = Baseline.of_run(report) if before is None else before.updated(report)
    with writing("the baseline"):
        write_whole(file, indented_json(printable_struct(after)))
    say("\n".join(_lines(file, before, after, report)), "", quiet=quiet)


def _read(file: Path) -> Baseline | None:
    """Read the baseline; `None` where the file does not exist. Raises `StoredRunError`."""
    if not file.exists():
        return None
    with writing("the baseline"), file.open("rb") as opened:
        return read_stored_baseline(opened)


def _lines(file: Path, before: Baseline | None, after: Baseline, report: Report) -> Iterator[str]:
    verdicts = [*after.cases.values()]
    counts = [f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS if verdict in verdicts]
    what = f"{counted(len(verdicts), 'case')} of {after.engine}, ruleset {after.ruleset.name}: {', '.join(counts)}"
    yield from wrapped(printable(f"Wrote {file}: {what}"), hanging=2)
    if before is None:
        return
    for sentence in before.misfits(report):
        yield from wrapped(printable(f"{sentence} It is replaced."), hanging=2)
    for key, verdict in after.cases.items():
        if before.cases.get(key, verdict) != verdict:
            yield from wrapped(printable(f"{short_key(key)}: {before.cases[key]} → {verdict}"), indent=2, hanging=4)
