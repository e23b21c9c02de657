"""`datc-check report`: runs that were stored, in any format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import BinaryIO, TypeVar

import click

from ....cases.suite import short_key
from ....reference_engine.errors import printable
from ....reports import Report, RunFinished, StoredRunError, read_run, renderers, statement
from ....reports.gate import Baseline, read_baseline
from ....reports.report import counted
from ...play.case_verdicts import WITHOUT_ANSWER, verify_run
from ...rules.compare import compare
from ..command import EXIT_NOT_PASSED, EXIT_PASSED, Command, echo, writing
from ..options import json_option, verbose_option
from ..reporting import (
    JSON_REPORT,
    FindingsOutputs,
    confirm,
    exit_code,
    open_files,
    report_option,
    report_targets,
    terminal,
)

_ReadT = TypeVar("_ReadT")


@click.command("report", cls=Command)
@click.argument("files", nargs=-1, required=True, type=click.File("rb"), metavar="FILE…")
@report_option
@json_option
@verbose_option
@click.option("--verify", is_flag=True, help="Only check that the verdicts follow from the answers that FILEs hold.")
@click.pass_context
def command(
    ctx: click.Context, files: Sequence[BinaryIO], reports: Sequence[str], *, as_json: bool, verbose: bool, verify: bool
) -> None:
    r"""Report the runs that FILEs hold, as `--report json:FILE` and `--report jsonl:FILE` stored them.

    A FILE of JSON lines may be of a run that was killed: it is reported as far as it got. Without --report the report
    is on the terminal. Several runs are compared: html, markdown and json can show that. The exit code is that of the
    run; of several runs, the highest.

    With --verify nothing is reported: every verdict is worked out again from the answers, and no engine is asked. The
    exit code is 0 if all verdicts follow from the answers, whether the cases passed or not, and 1 if some do not.

    \b
    datc-check report run.json
    datc-check report run.jsonl --report html:run.html --report badge:run.svg
    datc-check report mine.json theirs.json --report html:both.html
    datc-check report --verify theirs.json
    """
    reports = [*reports, *([JSON_REPORT] if as_json else [])]
    if verify and reports:
        raise click.UsageError("--verify writes no report: leave --report and --json out")
    _ = report_targets(reports)  # What is wrong with it is said first.
    runs = [read_stored(file) for file in files]
    if verify:
        ctx.exit(max([_verify(file.name, run) for file, run in zip(files, runs, strict=True)]))
    with writing("a report"):
        _report(runs, reports, verbose=verbose)
    if reports:
        _say_why(runs)
    ctx.exit(max(map(exit_code, runs)))


def _verify(name: str, run: Report) -> int:
    """Say which verdicts of a run do not follow from its answers; return the exit code."""
    found = verify_run(run)
    for each in found:
        echo(printable(f"{name}: {f'{short_key(each.case)}: ' if each.case else ''}{each.reason}"))
    if found:
        return EXIT_NOT_PASSED
    without = sum(case.verdict in WITHOUT_ANSWER for case in run.cases)
    rest = f"; {counted(without, 'case')} without an answer" if without else ""
    verdicts = counted(len(run.cases) - without, "verdict")
    echo(printable(f"{name}: {verdicts}, and all follow from the answers{rest}"))
    return EXIT_PASSED


def _say_why(runs: Sequence[Report]) -> None:
    """Say of each run that does not pass why; on the terminal the report would."""
    for run in runs:
        if exit_code(run) != EXIT_PASSED:
            echo(printable(f"{run.engine.name}: {statement(run)}"), err=True)


def read_stored(file: BinaryIO) -> Report:
    """Read a stored run. Raises `StoredRunError` with the name of the file."""
    return _read(file, _run)


def read_stored_baseline(file: BinaryIO) -> Baseline:
    """Read a baseline, or a stored run as one. Raises `StoredRunError` with the name of the file."""
    return _read(file, lambda content: read_baseline(content) or Baseline.of_run(_run(content)))


def _run(content: bytes) -> Report:
    return read_run(content)


def _read(file: BinaryIO, read: Callable[[bytes], _ReadT]) -> _ReadT:
    try:
        return read(file.read())
    except StoredRunError as error:
        raise StoredRunError(f"{file.name}: {error}") from error


def _report(runs: Sequence[Report], texts: Sequence[str], *, verbose: bool) -> None:
    if len(runs) > 1 and texts:
        outputs = FindingsOutputs(texts, renderers("comparison"), "several runs")
        outputs.write(compare(runs))
        return
    targets = report_targets(texts)
    handlers = open_files(targets) or [terminal(verbose=verbose)]
    for number, run in enumerate(runs):
        if number:
            click.echo()
        for handler in handlers:
            handler.handle(RunFinished(run))
    confirm(target.path for target in targets)
