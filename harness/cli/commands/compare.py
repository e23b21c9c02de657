"""`datc-check compare`: where engines differ, and what changed between two stored runs of one."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ....adapters.bridges import bridge_names, set_up_bridges
from ....cases import Case
from ....cases.suite import short_key
from ....reports import Report, renderers
from ....reports.findings import Findings, Line, Part, terminal_text
from ...play.trace import make_trace_folder
from ...rules.compare import compare, comparison_findings
from ...run.gate import CHANGE_TITLES, WORSE, Change, RunDiff, diff_runs
from ...run.runner import Run, map_ordered
from ..command import EXIT_ENGINE, EXIT_NOT_PASSED, EXIT_PASSED, Command
from ..options import RunOptions, json_option, prepare_run, quiet_option, run_options, trace_option
from ..reporting import FindingsOutputs, findings_option, show
from .report import read_stored

if TYPE_CHECKING:
    from typing_extensions import Unpack


@click.command("compare", cls=Command)
@click.argument("engines", nargs=-1, metavar="ENGINE|RUN.json…")
@click.option("--all-bridges", is_flag=True, help="Also every bridge that is set up (`datc-check engines`).")
@run_options
@trace_option
@quiet_option
@json_option
@findings_option
@click.pass_context
def command(
    ctx: click.Context,
    engines: Sequence[str],
    reports: Sequence[str],
    trace_folder: Path | None,
    *,
    all_bridges: bool,
    quiet: bool,
    as_json: bool,
    **options: Unpack[RunOptions],
) -> None:
    r"""Compare engines or stored runs: how often they agree, who is alone, and which issues separate them.

    Each ENGINE is asked the same cases, several engines at once, and RUN.json is a stored run (`--report json:FILE`).
    What is compared is the board after each phase. A case that an engine did not answer counts for no agreement. Exit
    codes: 0 all answer every case alike, 1 they do not, 3 one of them could not be asked to the end. The DIR of --trace
    gets a folder for each engine, named by its number.

    With two stored runs, of which the first is the older one, it says which cases pass or fail newly and which answers
    changed. Exit codes: 0 nothing got worse, 1 a case does not pass any more, or is not asked any more.

    \b
    datc-check compare mine diplomacy_pypi js_diplomacy
    datc-check compare mine theirs --report html:both.html
    datc-check compare mine --all-bridges
    datc-check compare last.json now.json
    """
    if all_bridges:
        engines = list(dict.fromkeys([*engines, *_ready_bridges()]))
    if len(engines) < 2:
        raise click.UsageError("name two engines or stored runs at least", ctx)
    outputs = FindingsOutputs(reports, renderers("comparison"), "several runs")
    stored = [_is_stored(text) for text in engines]
    if all(stored):
        _refuse_run_options(ctx)
    finished, cases = _finish(engines, stored, options, trace_folder)
    comparison = compare(finished, cases)
    if all(stored) and len(finished) == 2:
        code = show_changes(finished[0], finished[1], quiet=quiet, as_json=as_json, err=outputs.stdout_is_taken)
    else:
        show(comparison_findings(comparison), quiet=quiet, as_json=as_json, err=outputs.stdout_is_taken)
        alike = EXIT_PASSED if comparison.alike else EXIT_NOT_PASSED
        code = alike if all(report.complete for report in finished) else EXIT_ENGINE
    outputs.write(comparison)
    ctx.exit(code)


def _ready_bridges() -> Iterator[str]:
    """Name the bridges that are set up, with those to other releases and to checkouts."""
    for name in bridge_names():
        yield from (bridge.name for bridge in set_up_bridges(name) if bridge.is_ready)


def _is_stored(text: str) -> bool:
    """Whether an argument is a stored run, not an engine."""
    return text.endswith((".json", ".jsonl")) and Path(text).is_file()


def _refuse_run_options(ctx: click.Context) -> None:
    """Refuse options that say how engines are asked where none is asked. Raises `UsageError`."""
    allowed = ("engines", "reports", "quiet", "as_json")
    given = [
        parameter.opts[0]
        for parameter in ctx.command.params
        if parameter.name not in allowed
        and ctx.get_parameter_source(parameter.name or "") is click.core.ParameterSource.COMMANDLINE
    ]
    if given:
        raise click.UsageError(f"stored runs are compared as they are: leave out {' and '.join(given)}", ctx)


def _finish(
    engines: Sequence[str], stored: Sequence[bool], options: RunOptions, trace_folder: Path | None
) -> tuple[list[Report], Sequence[Case] | None]:
    """Return a run of each, stored or asked now, and the cases that were asked; `None` where nothing was.

    As many engines are asked at once as there are processors.
    """
    runs: dict[int, Run] = {}
    finished: dict[int, Report] = {}
    for place, (text, is_stored) in enumerate(zip(engines, stored, strict=True)):
        if is_stored:
            with Path(text).open("rb") as file:
                finished[place] = read_stored(file)
            continue
        runs[place], _ = prepare_run(text, options)
        runs[place].rules = runs[place].rules.asking_all()  # What one engine lacks, others may have.
        if trace_folder is not None:
            runs[place].traces = make_trace_folder(trace_folder / str(place + 1))

    def give_up() -> None:
        for run in runs.values():
            run.engine.close()

    asked = map_ordered(Run.to_the_end, [*runs.values()], os.cpu_count() or 1, give_up)
    finished.update(zip(runs, asked, strict=True))
    return [finished[place] for place in range(len(engines))], next((run.cases for run in runs.values()), None)


def show_changes(before: Report, after: Report, *, as_json: bool, quiet: bool = False, err: bool = False) -> int:
    """Print what changed from one run to another, or only what is worse; return the exit code."""
    found = diff_runs(before, after)
    show(change_findings(found), quiet=quiet, as_json=as_json, err=err)
    return EXIT_NOT_PASSED if found.is_worse else EXIT_PASSED


def change_findings(found: RunDiff) -> Findings[dict[str, object]]:
    """Say what changed between two runs."""
    lines = {
        "newly_failing": _changes("newly_failing", found.newly_failing),
        "not_run": _keys("not_run", [change.key for change in found.not_run], found.unfinished),
        "newly_passing": _changes("newly_passing", found.newly_passing),
        "other_verdict": _changes("other_verdict", found.other_verdict),
        "other_answer": _changes("other_answer", found.other_answer),
        "only_before": _keys("only_before", found.only_before),
        "only_after": _keys("only_after", found.only_after),
    }
    worse = [Part([line for kind in WORSE for line in lines[kind]])]
    shown = [line for several in lines.values() for line in several] or ["Nothing changed."]
    fields = {field.name: _plain(getattr(found, field.name)) for field in dataclasses.fields(found)}
    return Findings({"worse": found.is_worse, **fields}, [Part(shown)], terminal_text(worse))


def _plain(value: Sequence[Change] | Sequence[str] | str) -> object:
    if isinstance(value, str):
        return value
    return [item if isinstance(item, str) else item._asdict() for item in value]


def _changes(kind: str, changes: Sequence[Change]) -> list[str | Line]:
    if not changes:
        return []
    lines: list[str | Line] = [f"{CHANGE_TITLES[kind]}: {len(changes)}"]
    for change in changes:
        verdicts = change.after if change.before == change.after else f"{change.before} → {change.after}"
        lines.append(Line(f"{short_key(change.key)} {change.title}: {verdicts}", 2, 6))
    return lines


def _keys(kind: str, keys: Sequence[str], why: str = "") -> list[str | Line]:
    if not keys:
        return []
    head = f"{CHANGE_TITLES[kind]}: {len(keys)}" + (f" ({why})" if why else "")
    return [head, Line(", ".join(map(short_key, keys)), 2, 6)]
