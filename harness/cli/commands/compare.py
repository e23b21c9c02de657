"""`datc-check compare`: where engines differ."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...wording import wrapped
from ..changes import show_changes
from ..command import (
    Command,
    RunOptions,
    json_option,
    prepare_run,
    quiet_option,
    run_options,
    say,
    trace_option,
)
from ..ending import EXIT_ENGINE, EXIT_NOT_PASSED, EXIT_PASSED
from ..reporting import FindingsOutputs, findings_option

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from typing_extensions import Unpack

    from ....cases import Case
    from ....reports import Report
    from ....reports.comparison import CaseComparison, Comparison, InferredChoice


@click.command("compare", cls=Command, short_help="Find out where engines differ, or what changed.")
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
    from ....reports import comparing
    from ....reports.json_report import render_comparison_json
    from ...inference.comparing import compare

    if all_bridges:
        engines = list(dict.fromkeys([*engines, *_ready_bridges()]))
    if len(engines) < 2:
        raise click.UsageError("name two engines or stored runs at least", ctx)
    outputs = FindingsOutputs(reports, comparing(), "several runs")
    stored = [_is_stored(text) for text in engines]
    if all(stored):
        _refuse_run_options(ctx)
    finished, cases = _finish(engines, stored, options, trace_folder)
    comparison = compare(finished, cases)
    if all(stored) and len(finished) == 2:
        code = show_changes(finished[0], finished[1], quiet=quiet, as_json=as_json, err=outputs.stdout_is_taken)
    else:
        said = render_comparison_json(comparison).decode().rstrip() if as_json else "\n".join(_lines(comparison))
        say(said, _difference(comparison), quiet=quiet, as_json=as_json, err=outputs.stdout_is_taken)
        alike = EXIT_PASSED if comparison.alike else EXIT_NOT_PASSED
        code = alike if all(report.complete for report in finished) else EXIT_ENGINE
    outputs.write(comparison)
    ctx.exit(code)


def _ready_bridges() -> Iterator[str]:
    """Name the bridges that are set up, with those to other releases and to checkouts."""
    from ....adapters import bridge_names
    from ....adapters.bridges import set_up_bridges

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
    from ...concurrency import map_ordered
    from ...runner import Run
    from ...tracing import TraceFolder
    from .report import read_stored

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
            runs[place].traces = TraceFolder(trace_folder / str(place + 1))

    def give_up() -> None:
        for run in runs.values():
            run.engine.close()

    asked = map_ordered(Run.to_the_end, [*runs.values()], os.cpu_count() or 1, give_up)
    finished.update(zip(runs, asked, strict=True))
    return [finished[place] for place in range(len(engines))], next((run.cases for run in runs.values()), None)


def _lines(comparison: Comparison) -> list[str]:
    from ....reports.report import engine_name
    from ....reports.wording import restart_lines

    reports = comparison.reports
    names = [engine_name(report.engine) for report in reports]
    lines = [f"{number}  {name}" for number, name in enumerate(names, 1)]
    for report, name in zip(reports, names, strict=True):
        if not report.complete:
            lines += wrapped(f"{name} was not asked to the end: {report.incomplete_reason}", hanging=6)
    for number, report in enumerate(reports, 1):
        lines += [part for line in restart_lines(report.restarts) for part in wrapped(f"{number}  {line}", hanging=6)]
    lines += ["", "Cases answered alike, of those that both answered"]
    lines += [
        f"  {one + 1} and {other + 1}  {found.alike} of {found.both}"
        for (one, other), found in comparison.agreements.items()
    ]
    alike = [group for group in comparison.groups if len(group) > 1]
    lines += [f"  {_numbers(group)} answer every case alike" for group in alike]
    lines += [
        f"  {place + 1} answered {comparison.answered(place)} of {len(comparison.cases)}"
        for place in range(len(names))
        if comparison.answered(place) < len(comparison.cases)
    ]
    lines += _alone(names, comparison)
    lines += _issue_lines(comparison)
    lines += _case_lines(comparison)
    return lines


def _alone(names: Sequence[str], comparison: Comparison) -> list[str]:
    from ....cases import short_key

    lines: list[str] = []
    for place in range(len(names)):
        cases = [case.key for case in comparison.alone(place)]
        if cases:
            lines += wrapped(f"  {place + 1} is alone in {len(cases)}: {', '.join(map(short_key, cases))}", hanging=6)
    return lines


def _issue_lines(comparison: Comparison) -> list[str]:
    from ....reference_engine import ISSUES

    lines: list[str] = []
    for each in comparison.issues:
        lines += ["", *wrapped(f"{each.issue} {ISSUES[each.issue].title}", hanging=6)]
        lines += [
            line
            for number, inferred in enumerate(each.inferred, 1)
            for line in wrapped(f"  {number}  {_choices(inferred)}", hanging=6)
        ]
    return lines


def _choices(inferred: InferredChoice | None) -> str:
    return " or ".join(inferred.choices) if inferred is not None else "not seen"


def _case_lines(comparison: Comparison) -> list[str]:
    from ....cases import short_key

    lines: list[str] = []
    if words := [case.key for case in comparison.of_kind("words")]:
        text = f"The boards agree, and only the outcome of an order differs, in {', '.join(map(short_key, words))}"
        lines += ["", *wrapped(text, hanging=2)]
    if not comparison.differing:
        return lines or ["", _difference(comparison) or "They answer alike."]
    lines += ["", f"{_difference(comparison).removesuffix('.')}:"]
    for case in comparison.differing:
        groups = " | ".join(f"{_numbers(group)} {_verdicts(case, group)}" for group in case.groups)
        lines += wrapped(f"  {short_key(case.key):7} {groups}", hanging=6)
    return lines


def _difference(comparison: Comparison) -> str:
    """Say in a sentence that they differ; nothing where they answer alike."""
    if comparison.differing:
        return f"They differ in {len(comparison.differing)} of {len(comparison.cases)} cases."
    return "" if comparison.alike else "Some did not answer a case that another answered."


def _verdicts(case: CaseComparison, group: Sequence[int]) -> str:
    return "/".join(dict.fromkeys(filter(None, (case.verdicts[place] for place in group))))


def _numbers(places: Sequence[int]) -> str:
    return " ".join(str(place + 1) for place in places)
