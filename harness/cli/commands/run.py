"""`datc-check run`: ask an engine the cases. `datc-check baseline`: the verdicts that later runs are held to."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import click

from ....adapters.opening import BUILTIN
from ....cases.suite import short_key
from ....reference_engine.errors import printable
from ....reports import VERDICTS, CaseFinished, Event, Handler, Report, RunFinished
from ....reports.files import write_whole
from ....reports.gate import FAILING, Baseline
from ....reports.report import counted
from ....reports.text import indented_json, printable_struct
from ...config.config import NO_CONFIG, RunTable, read_config
from ...config.preparing import find_cases, open_config_engine
from ...play.trace import make_trace_folder
from ...run.gate import Gate, gate_lines, quiet_lines, read_config_baseline, split_verdicts
from ...run.runner import Run
from .. import options as shared
from .. import reporting
from ..command import Command, CommandGroup, Exit, Options, echo, writing

_BASELINE_FILE = "datc-baseline.json"


@click.command("run", cls=Command)
@click.argument("engine", required=False)
@shared.run_options
@shared.report_option
@shared.json_option
@shared.option(
    "--fail-on",
    "fail_on",
    "VERDICT,…",
    "What fails the run, such as failed or failed-board. [all not declared]",
    multiple=True,
)
@click.option("--strict/--no-strict", default=None, help="Declarations that are out of date or too wide fail it, too.")
@shared.option(
    "--baseline", "baseline", "FILE", "Only what is worse than there fails it. [the config's]", click.File("rb")
)
@click.option("-x", "first_alone", is_flag=True, help="End the run at the first case that fails it.")
@shared.option("--max-fail", "max_fail", "N", "End the run after N cases that fail it.", click.IntRange(1))
@shared.option(
    "--repeat", "repeat", "N", "Ask each case N times: the worst counts. [1]", click.IntRange(1, 1000), default=1
)
@shared.carry_options
@click.option("--no-skip", is_flag=True, help="Ask also the cases that the config skips.")
@shared.trace_option
@shared.no_experiments_option
@shared.seed_option(0)
@shared.quiet_option
@shared.verbose_option
def run_command(options: Options) -> int:
    r"""Ask ENGINE the cases and say which it passes.

    ENGINE is `builtin`, `exec:COMMAND LINE`, `http://…`, a name from datc.toml, or a bridge that is set up
    (`datc-check engines`). Without ENGINE it is that of datc.toml: `[run] engine`, or the only one there.

    \b
    datc-check run builtin --select 6.F
    datc-check run "exec:./my-engine --json-rpc" --report html:report.html
    datc-check run mine --choice 4.A.3=alexander --report junit:report.xml
    datc-check run mine --fail-on failed,error --strict
    datc-check run mine --baseline datc-baseline.json
    datc-check run mine --select 6.F --trace traces
    datc-check run mine --map loeb9
    datc-check run mine --carry-over 2 --seed 7
    """
    run, table = shared.prepare_run(options.engine, options)
    run.diagnoses, run.experiments, run.seed, run.repeat = True, not options.untested, options.seed, options.repeat
    if options.no_skip:
        run.rules = run.rules.asking_all()
    gate = _gate(options, table)
    reports = reporting.Reports([*options.reports, reporting.JSON_REPORT] if options.as_json else options.reports)
    handlers = reports.open().handlers
    if not options.quiet:
        handlers = [reporting.terminal(stderr=reports.stdout_is_taken, verbose=options.verbose), *handlers]
    if options.trace_folder is not None:
        run.traces = make_trace_folder(options.trace_folder)
    report = _play(run, gate, handlers)
    if not options.quiet:
        reports.confirm()
    if report is None:
        return Exit.INTERRUPTED
    lines = [*(quiet_lines(report) if options.quiet else gate_lines(report))]
    if lines:
        echo("\n".join(lines), err=True)
    return reporting.exit_code(report)


def _gate(options: Options, table: RunTable) -> Gate:
    named = options.baseline
    return Gate(
        fail_on=split_verdicts(options.fail_on) if options.fail_on else frozenset(table.fail_on or FAILING),
        strict=table.strict if options.strict is None else options.strict,
        baseline=read_config_baseline(table.baseline) if named is None else _read_baseline(named),
        baseline_name=table.baseline if named is None else named.name,
        pins=table.editions,
        max_fail=1 if options.first_alone else options.max_fail or 0,
    )


def _read_baseline(file: BinaryIO) -> Baseline:
    from ....reports.json_report import read_stored_baseline  # Here, since it takes long to import.

    return read_stored_baseline(file)


def _play(run: Run, gate: Gate, handlers: Sequence[Handler]) -> Report | None:
    """Run to the end and return the report with what fails it, or `None` after Ctrl-C."""

    def show(event: Event) -> None:
        for handler in handlers:
            handler.handle(event)

    def end(report: Report, *, stopped: bool = False) -> Report:
        report = gate.applied(report, run.rules.declared, stopped=stopped)
        show(RunFinished(report))
        return report

    failing = 0
    events = run.events()
    try:
        with writing("a report"):
            for event in events:
                if isinstance(event, RunFinished):
                    return end(event.report)
                show(event)
                if isinstance(event, CaseFinished) and gate.why_failing(event.case, run.rules.declared):
                    failing += 1
                    if failing == gate.max_fail:
                        break
            events.close()
            finished = run.finish(f"ended after {counted(failing, 'failing case')} (--max-fail)")
            return end(finished.report, stopped=True)
    except KeyboardInterrupt:
        _ = end(run.interrupted())
    finally:
        run.engine.close()
    return None


_DEMONSTRATION = (
    "A demonstration: the cases of DATC 3.2, asked of the engine that comes with datc-check. `datc-check run ENGINE` "
    "tests yours, and `datc-check init` writes a bridge to it."
)


def demonstrate() -> int:
    """Ask the built-in engine the cases of the usual edition, whatever the config says; return the exit code."""
    from ....reports.findings import wrapped  # Here, since it takes long to import.

    echo("\n".join([*wrapped(_DEMONSTRATION, hanging=0), ""]))
    prepared = open_config_engine(BUILTIN, NO_CONFIG, None, None, {})
    run = Run(prepared.engine, prepared.spec, find_cases((), ()), prepared.rules)
    report = _play(run, Gate(), [reporting.terminal()])
    if report is None:
        raise KeyboardInterrupt
    _ = sys.stdout.flush()  # What cannot be written should show here, not when Python ends.
    return Exit.PASSED if report.compliant else Exit.NOT_PASSED


@click.group("baseline", cls=CommandGroup)
def baseline_command() -> None:
    r"""Write a baseline: the verdict of each case, for a gate that fails on what got worse alone.

    \b
    datc-check baseline update mine
    datc-check run mine --baseline datc-baseline.json
    """


@baseline_command.command("update")
@click.argument("engine", required=False)
@shared.option("--baseline", "baseline_file", "FILE", f"Where it is. [the config's, or {_BASELINE_FILE}]", shared.PATH)
@shared.option("--run", "stored", "RUN.json", "Ask no engine: take a stored run.", click.File("rb"))
@shared.quiet_option
@shared.run_options
def update(options: Options) -> int:
    r"""Ask ENGINE the cases, and write the verdict of each into FILE.

    Cases that are in FILE and are not asked now keep their verdict, if FILE is of the same engine and rules. Exit
    codes: 0 it is written, 3 the engine could not be asked to the end, and nothing is written.

    \b
    datc-check baseline update
    datc-check baseline update mine --baseline ci/baseline.json
    datc-check baseline update --run run.json
    """
    if options.engine is not None and options.stored is not None:
        raise click.UsageError("name an ENGINE, or a run with --run, not both")
    file = options.baseline_file or Path(read_config(options.config_file)[0].run.baseline or _BASELINE_FILE)
    reporting.check_place(f"--baseline {file}", file)
    before = None
    if file.exists():
        with writing("the baseline"), file.open("rb") as opened:
            before = _read_baseline(opened)
    if options.stored is not None:
        report = reporting.read_stored(options.stored)
    else:
        report = shared.prepare_run(options.engine, options)[0].to_the_end()
    if not report.complete:
        echo(f"Error: {file} is not written: {report.incomplete_reason}", err=True)
        return Exit.ENGINE
    after = Baseline.of_run(report) if before is None else before.updated(report)
    with writing("the baseline"):
        write_whole(file, indented_json(printable_struct(after)))
    if not options.quiet:
        echo("\n".join(_baseline_lines(file, before, after, report)))
    return Exit.PASSED


def _baseline_lines(file: Path, before: Baseline | None, after: Baseline, report: Report) -> Iterator[str]:
    from ....reports.findings import wrapped

    verdicts = [*after.cases.values()]
    counts = [f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS if verdict in verdicts]
    what = f"{counted(len(verdicts), 'case')} of {after.engine}, ruleset {after.ruleset.name}: {', '.join(counts)}"
    yield from wrapped(printable(f"Wrote {file}: {what}"), hanging=2)
    if before is None:
        return
    for sentence in before.misfits(report.engine.name, report.ruleset):
        yield from wrapped(printable(f"{sentence} It is replaced."), hanging=2)
    for key, verdict in after.cases.items():
        if before.cases.get(key, verdict) != verdict:
            yield from wrapped(printable(f"{short_key(key)}: {before.cases[key]} → {verdict}"), indent=2, hanging=4)
