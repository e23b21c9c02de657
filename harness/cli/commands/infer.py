"""`datc-check infer`: which rules an engine plays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...wording import wrapped
from ..command import (
    Command,
    EngineOptions,
    all_suites_option,
    engine_options,
    json_option,
    no_experiments_option,
    open_named_engine,
    quiet_option,
    say,
    seed_option,
    select_option,
)
from ..ending import EXIT_NOT_PASSED, EXIT_PASSED
from ..reporting import FindingsOutputs, findings_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Unpack

    from ....reports import InferenceReport

_SHOWN = 6
"""Of the cases that prove something, so many are named."""
_TOLD = ("engine", "choices", "contradictions", "proof", "open", "evidence", "bugs", "unsupported", "asked", "restarts")
"""What `--json` has of the report."""


@click.command("infer", cls=Command, short_help="Find out which rules an engine plays.")
@click.argument("engine", required=False)
@all_suites_option
@select_option
@engine_options
@click.option("--all", "every_case", is_flag=True, help="Ask every case, also those that add nothing.")
@no_experiments_option
@seed_option(0)
@quiet_option
@json_option
@click.option("--toml", "as_toml", is_flag=True, help="As the [choices] of a datc.toml.")
@findings_option
@click.pass_context
def command(
    ctx: click.Context,
    engine: str | None,
    suites: Sequence[str],
    selections: Sequence[str],
    reports: Sequence[str],
    seed: int,
    *,
    every_case: bool,
    untested: bool,
    quiet: bool,
    as_json: bool,
    as_toml: bool,
    **options: Unpack[EngineOptions],
) -> None:
    r"""Ask ENGINE the cases that distinguish rules, and say for every issue which choice it makes.

    An engine that plays what a request asks for plays --ruleset; any other plays its own. With --all it is asked every
    case: slower, but what contradicts its other answers shows, and every bug of a case.

    \b
    datc-check infer mine
    datc-check infer mine --all --report html:rules.html
    datc-check infer "exec:./my-engine --json-rpc" --toml
    datc-check infer "exec:datc-check engine --ruleset 1982 --fixed" --json
    """
    from ....reports import inferring

    outputs = FindingsOutputs(reports, inferring(), "which rules an engine plays")
    report = infer_choices(
        engine, options, suites, selections, every_case=every_case, experiments=not untested, seed=seed
    )
    if as_json:
        said = _json(report)
    elif as_toml:
        said = _toml(report)
    else:
        said = "\n".join(_lines(report))
    why = "\n".join(_failure_lines(report))
    say(said, why, quiet=quiet and not as_toml, as_json=as_json, err=outputs.stdout_is_taken)
    outputs.write(report)
    ctx.exit(EXIT_NOT_PASSED if why else EXIT_PASSED)


def infer_choices(
    engine: str | None,
    options: EngineOptions,
    suites: Sequence[str] = (),
    selections: Sequence[str] = (),
    *,
    every_case: bool = False,
    experiments: bool = True,
    seed: int = 0,
) -> InferenceReport:
    """Ask an engine the cases that distinguish rules, and return what its answers show. Raises `DatcCheckError`."""
    from ....reference_engine.version import package_version
    from ....reports import HarnessData
    from ...inference.infer import infer, inference_report
    from ...inference.testing import choices_by_experiments
    from ...runner import engine_data, restart_data
    from ...session import EngineAdjudicator
    from ...settings.selecting import find_cases

    prepared = open_named_engine(engine, options, suites)
    cases = find_cases(suites or ["all"], selections)
    with prepared.engine as opened:
        started = opened.start()
        inferred = infer(opened, started.capabilities, cases, prepared.rules, every_case=every_case)
        if experiments:
            engine_asked = EngineAdjudicator(
                opened, started.capabilities, prepared.rules.ruleset, prepared.rules.notation
            )
            inferred = inferred._replace(
                evidence=choices_by_experiments(engine_asked, inferred.conclusion, prepared.rules.ruleset, seed)
            )
    harness = HarnessData(name="datc-check", version=package_version())
    identity = engine_data(prepared.spec, started.engine)
    restarts = restart_data(prepared.engine)
    return inference_report(inferred, harness, identity, prepared.rules, restarts, every_case=every_case)


def _json(report: InferenceReport) -> str:
    """Everything but the cases with their boards, which `--report json` has."""
    import msgspec

    from ....reports.text import indented_json

    data = msgspec.to_builtins(report)
    return indented_json({key: data[key] for key in _TOLD}).decode().rstrip()


def _failure_lines(report: InferenceReport) -> list[str]:
    """Say what no rules explain."""
    contradictions = [f"Its answers to {' and '.join(cases)} contradict each other." for cases in report.contradictions]
    bugs = [f"Wrong under every ruleset: {', '.join(report.bugs)}."] if report.bugs else []
    return [*contradictions, *bugs]


def _toml(report: InferenceReport) -> str:
    from ....reports.wording import doubt_text

    lines = ["[choices]"]
    for issue, choices in report.choices.items():
        if len(choices) > 1:
            lines.append(f"# {issue} is open: {' or '.join(choices)}")
        elif doubt := doubt_text(report, issue):
            lines.append(f"# {issue}: {doubt}")
        else:
            lines.append(f'"{issue}" = "{choices[0]}"')
    lines += [f"# {line}" for line in _failure_lines(report)]
    return "\n".join(lines)


def _lines(report: InferenceReport) -> list[str]:
    from ....reference_engine import ISSUES, printable
    from ....reports import counted
    from ....reports.report import engine_name, settled_issues
    from ....reports.text import listed
    from ....reports.wording import doubt_text, restart_lines

    name = printable(engine_name(report.engine))
    lines = [f"{name}: {counted(report.asked, 'case')} asked", ""]
    width = max(map(len, report.choices), default=0) + 2
    settled = settled_issues(report)
    for issue, choices in report.choices.items():
        if issue in settled:
            lines += wrapped(f"{issue:{width}}{choices[0]}  {listed(report.proof[issue], _SHOWN)}", hanging=9)
    doubts = {issue: doubt for issue in report.choices if (doubt := doubt_text(report, issue))}
    if doubts:
        lines += ["", "Not as the cases have it:"]
    for issue, doubt in doubts.items():
        lines += wrapped(f"{issue:{width}}{doubt}", hanging=9)
    if report.open:
        lines += ["", "Open:"]
    for issue, why in report.open.items():
        everything = len(report.choices[issue]) == len(ISSUES[issue].choices)
        what = "any choice" if everything else " or ".join(report.choices[issue])
        lines += wrapped(f"{issue:{width}}{what}: {why}", hanging=9)
    for line in _failure_lines(report):
        lines += ["", *wrapped(line, hanging=9)]
    if report.restarts:
        lines += [
            "",
            *(part for line in restart_lines(report.restarts, printable) for part in wrapped(line, hanging=9)),
        ]
    return lines
