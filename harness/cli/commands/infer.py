"""`datc-check infer`: which rules an engine plays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ....reference_engine import ISSUES
from ....reference_engine.installation import package_version
from ....reports import InferenceReport, renderers
from ....reports.findings import Findings, Line, Part
from ....reports.report import HarnessData, counted, engine_name, settled_issues
from ....reports.text import listed
from ....reports.wording import restart_lines
from ...bugs.confirm import confirm_choices
from ...config.preparing import find_cases
from ...play.engine import EngineAdjudicator
from ...rules.infer import infer, inference_report
from ...run.runner import engine_data, restart_data
from ..command import EXIT_NOT_PASSED, EXIT_PASSED, Command
from ..options import (
    EngineOptions,
    all_suites_option,
    engine_options,
    json_option,
    no_experiments_option,
    open_named_engine,
    quiet_option,
    seed_option,
    select_option,
)
from ..reporting import FindingsOutputs, findings_option, show

if TYPE_CHECKING:
    from typing_extensions import Unpack

_SHOWN = 6
"""Of the cases that prove something, so many are named."""
_TOLD = ("engine", "choices", "contradictions", "proof", "open", "evidence", "bugs", "unsupported", "asked", "restarts")
"""What `--json` has of the report."""


@click.command("infer", cls=Command)
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
    outputs = FindingsOutputs(reports, renderers("inference"), "which rules an engine plays")
    report = infer_choices(
        engine, options, suites, selections, every_case=every_case, experiments=not untested, seed=seed
    )
    findings = _toml(report) if as_toml and not as_json else _findings(report)
    show(findings, quiet=quiet and not as_toml, as_json=as_json, err=outputs.stdout_is_taken)
    outputs.write(report)
    ctx.exit(EXIT_NOT_PASSED if findings.why else EXIT_PASSED)


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
                evidence=confirm_choices(engine_asked, inferred.conclusion, prepared.rules.ruleset, seed)
            )
    harness = HarnessData(name="datc-check", version=package_version())
    identity = engine_data(prepared.spec, started.engine)
    restarts = restart_data(prepared.engine)
    return inference_report(inferred, harness, identity, prepared.rules, restarts, every_case=every_case)


def _findings(report: InferenceReport) -> Findings[object]:
    """Build what is said of the rules of an engine; `--json` has all but the cases with their boards."""
    width = max(map(len, report.choices), default=0) + 2

    def row(issue: str, text: str) -> Line:
        return Line(f"{issue:{width}}{text}", hanging=9)

    def left(issue: str) -> str:
        choices = report.choices[issue]
        return "any choice" if len(choices) == len(ISSUES[issue].choices) else " or ".join(choices)

    doubts = [row(issue, doubt) for issue in report.choices if (doubt := report.statement(issue).doubt)]
    opened = [row(issue, f"{left(issue)}: {why}") for issue, why in report.open.items()]
    settled = settled_issues(report)
    unexplained, restarts = _unexplained(report), restart_lines(report.restarts)
    parts = [
        Part([f"{engine_name(report.engine)}: {counted(report.asked, 'case')} asked"]),
        Part([row(issue, f"{report.choices[issue][0]}  {listed(report.proof[issue], _SHOWN)}") for issue in settled]),
        Part(["Not as the cases have it:", *doubts] if doubts else []),
        Part(["Open:", *opened] if opened else []),
        *(Part([Line(line, hanging=9)]) for line in unexplained),
        Part([Line(line, hanging=9) for line in restarts]),
    ]
    return Findings({name: getattr(report, name) for name in _TOLD}, parts, "\n".join(unexplained))


def _unexplained(report: InferenceReport) -> list[str]:
    """Say what no rules explain."""
    contradictions = [f"Its answers to {' and '.join(cases)} contradict each other." for cases in report.contradictions]
    bugs = [f"Wrong under every ruleset: {', '.join(report.bugs)}."] if report.bugs else []
    return [*contradictions, *bugs]


def _toml(report: InferenceReport) -> Findings[object]:
    """Build the table of choices for a `datc.toml`."""
    lines = ["[choices]"]
    for issue, choices in report.choices.items():
        if len(choices) > 1:
            lines.append(f"# {issue} is open: {' or '.join(choices)}")
        elif doubt := report.statement(issue).doubt:
            lines.append(f"# {issue}: {doubt}")
        else:
            lines.append(f'"{issue}" = "{choices[0]}"')
    unexplained = _unexplained(report)
    lines += [f"# {line}" for line in unexplained]
    return Findings(None, [Part([Line(line, unbroken=True) for line in lines])], "\n".join(unexplained))
