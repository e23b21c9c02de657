"""`datc-check compare`: where engines differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...wording import wrapped
from ..command import (
    EXIT_ENGINE,
    EXIT_NOT_PASSED,
    EXIT_PASSED,
    Command,
    RunOptions,
    echo,
    json_option,
    prepare_run,
    run_options,
    trace_option,
)
from ..reporting import FindingsOutputs, findings_option

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from typing_extensions import Unpack

    from ....reports.comparison import CaseComparison, Comparison, InferredChoice


@click.command("compare", cls=Command, short_help="Find out where engines differ.")
@click.argument("engines", nargs=-1, required=True, metavar="ENGINE ENGINE…")
@run_options
@trace_option
@json_option
@findings_option
@click.pass_context
def command(
    ctx: click.Context,
    engines: Sequence[str],
    reports: Sequence[str],
    trace_folder: Path | None,
    *,
    as_json: bool,
    **options: Unpack[RunOptions],
) -> None:
    r"""Ask ENGINEs the same cases, and say how often they agree, who is alone, and which issues separate them.

    What is compared is the board after each phase. A case that an engine did not answer counts for no agreement. Exit
    codes: 0 all answer every case alike, 1 they do not, 3 one of them could not be asked to the end. The DIR of --trace
    gets a folder for each engine, named by its number.

    \b
    datc-check compare mine diplomacy_pypi js_diplomacy
    datc-check compare mine theirs --report html:both.html
    """
    from ....reports import comparing
    from ....reports.json_report import render_comparison_json
    from ...inference.comparing import compare
    from ...tracing import TraceFolder

    if len(engines) < 2:
        raise click.UsageError("name two engines at least", ctx)
    outputs = FindingsOutputs(reports, comparing(), "several runs")
    runs = [prepare_run(engine, options)[0] for engine in engines]
    if trace_folder is not None:
        for number, run in enumerate(runs, 1):
            run.traces = TraceFolder(trace_folder / str(number))
    finished = [run.to_the_end() for run in runs]
    comparison = compare(finished, runs[0].cases)
    said = render_comparison_json(comparison).decode().rstrip() if as_json else "\n".join(_lines(comparison))
    echo(said, as_json=as_json, err=outputs.stdout_is_taken)
    outputs.write(comparison)
    if not all(report.complete for report in finished):
        ctx.exit(EXIT_ENGINE)
    ctx.exit(EXIT_PASSED if comparison.alike else EXIT_NOT_PASSED)


def _lines(comparison: Comparison) -> list[str]:
    from ....reports.wording import engine_name, restart_lines

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
        alike = "They answer alike." if comparison.alike else "Some did not answer a case that another answered."
        return lines or ["", alike]
    lines += ["", f"They differ in {len(comparison.differing)} of {len(comparison.cases)} cases:"]
    for case in comparison.differing:
        groups = " | ".join(f"{_numbers(group)} {_verdicts(case, group)}" for group in case.groups)
        lines += wrapped(f"  {short_key(case.key):7} {groups}", hanging=6)
    return lines


def _verdicts(case: CaseComparison, group: Sequence[int]) -> str:
    return "/".join(dict.fromkeys(filter(None, (case.verdicts[place] for place in group))))


def _numbers(places: Sequence[int]) -> str:
    return " ".join(str(place + 1) for place in places)
