"""`datc-check infer`: which rules an engine plays."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...wording import wrapped
from ..options import all_suites_option, choice_option, config_option, json_option, timeout_option
from ..reporting import FindingsOutputs, findings_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....reports import InferenceReport

EXIT_CLEAR, EXIT_CONTRADICTED, EXIT_ENGINE = 0, 1, 3
_SHOWN = 6
"""Of the cases that prove something, so many are named."""
_TOLD = ("choices", "contradictions", "proof", "open", "bugs", "unsupported", "asked")
"""What `--json` has of the report."""


@click.command("infer", short_help="Find out which rules an engine plays.")
@click.argument("engine", required=False)
@all_suites_option
@click.option("--ruleset", "ruleset_name", metavar="NAME", help="The rules that the requests ask for. [datc-3.1]")
@choice_option
@timeout_option
@config_option
@click.option("--all", "every_case", is_flag=True, help="Ask every case, not only those that still tell something.")
@json_option
@click.option("--toml", "as_toml", is_flag=True, help="As the [choices] of a datc.toml.")
@findings_option
@click.pass_context
def command(
    ctx: click.Context,
    engine: str | None,
    suites: Sequence[str],
    ruleset_name: str | None,
    choices: Sequence[str],
    timeout: float | None,
    config_file: Path | None,
    reports: Sequence[str],
    *,
    every_case: bool,
    as_json: bool,
    as_toml: bool,
) -> None:
    r"""Ask ENGINE the cases that tell rules apart, and say for every issue which choice it makes.

    An engine that plays what a request asks for plays --ruleset; any other plays its own. With --all it is asked every
    case: slower, but what contradicts its other answers shows, and every bug of a case.

    \b
    datc-check infer mine
    datc-check infer mine --all --report html:rules.html
    datc-check infer "exec:./my-engine --json-rpc" --toml
    datc-check infer "exec:datc-check engine --ruleset 1982 --fixed" --json
    """
    from ....adapters import AdapterError, EngineClosedError, EngineGaveOutError, EngineStartError
    from ....adapters.builtin import package_version
    from ....cases import CasesError
    from ....reference_engine import ReferenceEngineError
    from ....reports import HarnessData, inferring
    from ...errors import HarnessError
    from ...inference.infer import infer, inference_report
    from ...runner.run import engine_data
    from ...settings.preparing import find_cases, open_config_engine, split_choices

    try:
        outputs = FindingsOutputs(reports, inferring(), "which rules an engine plays")
        prepared = open_config_engine(engine, config_file, timeout, ruleset_name, split_choices(choices))
        cases = find_cases(suites or ["all"], ())
    except (AdapterError, CasesError, HarnessError, ReferenceEngineError) as error:
        raise click.UsageError(str(error), ctx) from error
    try:
        with prepared.engine as opened:
            started = opened.start()
            inferred = infer(opened, started.capabilities, cases, prepared.rules, every_case=every_case)
    except (EngineStartError, EngineGaveOutError, EngineClosedError) as error:
        click.echo(f"Error: {error}", err=True)
        ctx.exit(EXIT_ENGINE)
    report = inference_report(
        inferred,
        HarnessData(name="datc-check", version=package_version()),
        engine_data(prepared.spec, started.engine),
        prepared.rules,
        every_case=every_case,
    )
    if as_json:
        said = _json(report)
    elif as_toml:
        said = _toml(report)
    else:
        said = "\n".join(_lines(report))
    click.echo(said, err=outputs.stdout_is_taken)
    outputs.write(report)
    ctx.exit(EXIT_CONTRADICTED if report.contradictions or report.bugs else EXIT_CLEAR)


def _json(report: InferenceReport) -> str:
    """Everything but the cases with their boards, which `--report json` has."""
    import msgspec

    data = msgspec.to_builtins(report)
    return msgspec.json.format(msgspec.json.encode({key: data[key] for key in _TOLD}), indent=2).decode()


def _toml(report: InferenceReport) -> str:
    lines = ["[choices]"]
    for issue, choices in report.choices.items():
        if len(choices) == 1:
            lines.append(f'"{issue}" = "{choices[0]}"')
        else:
            lines.append(f"# {issue} is open: {' or '.join(choices)}")
    return "\n".join(lines)


def _lines(report: InferenceReport) -> list[str]:
    from ....reference_engine import ISSUES, printable
    from ....reports import counted

    name = printable(f"{report.engine.name} {report.engine.version}".strip())
    lines = [f"{name}: {counted(report.asked, 'case')} asked", ""]
    for issue, choices in report.choices.items():
        if len(choices) == 1:
            lines += wrapped(f"{issue:7}{choices[0]}  {_named(report.proof[issue])}", hanging=9)
    if report.open:
        lines += ["", "Open:"]
    for issue, why in report.open.items():
        everything = len(report.choices[issue]) == len(ISSUES[issue].choices)
        what = "any choice" if everything else " or ".join(report.choices[issue])
        lines += wrapped(f"{issue:7}{what}: {why}", hanging=9)
    for cases in report.contradictions:
        lines += ["", *wrapped(f"No one ruleset gives its answers to {' and '.join(cases)}.", hanging=9)]
    if report.bugs:
        lines += ["", *wrapped(f"Right under no ruleset: {', '.join(report.bugs)}.", hanging=9)]
    return lines


def _named(cases: Sequence[str]) -> str:
    more = f" and {len(cases) - _SHOWN} more" if len(cases) > _SHOWN else ""
    return ", ".join(cases[:_SHOWN]) + more
