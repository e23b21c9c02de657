"""`datc-check infer`: which rules an engine plays."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..wording import case_key, short_key, wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...adapters import EngineIdentity
    from ...cases import Case
    from ..inference import Conclusion

EXIT_CLEAR, EXIT_CONTRADICTED, EXIT_ENGINE = 0, 1, 3
_SHOWN = 6
"""Of the cases that prove something, so many are named."""


@click.command("infer", short_help="Find out which rules an engine plays.")
@click.argument("engine", required=False)
@click.option("--suite", "suites", multiple=True, metavar="NAME", help="A suite, a folder with one, or all. [all]")
@click.option("--ruleset", "ruleset_name", metavar="NAME", help="The rules that the requests ask for. [datc-3.1]")
@click.option("--choice", "choices", multiple=True, metavar="ISSUE=CHOICE", help="Another choice for an issue.")
@click.option("--timeout", type=click.FloatRange(0.001, 3600), metavar="S", help="Seconds for each answer. [10]")
@click.option("--config", "config_file", type=click.Path(path_type=Path), metavar="FILE", help="[datc.toml, if there]")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--toml", "as_toml", is_flag=True, help="As the [choices] of a datc.toml.")
@click.pass_context
def command(
    ctx: click.Context,
    engine: str | None,
    suites: Sequence[str],
    ruleset_name: str | None,
    choices: Sequence[str],
    timeout: float | None,
    config_file: Path | None,
    *,
    as_json: bool,
    as_toml: bool,
) -> None:
    r"""Ask ENGINE the cases that tell rules apart, and say for every issue which choice it makes.

    An engine that plays what a request asks for plays --ruleset; any other plays its own.

    \b
    datc-check infer mine
    datc-check infer "exec:./my-engine --json-rpc" --toml
    datc-check infer "exec:datc-check engine --ruleset 1982 --fixed" --json
    """
    from ...adapters import AdapterError, EngineClosedError, EngineGaveOutError, EngineStartError
    from ...cases import CasesError
    from ...reference_engine import ReferenceEngineError
    from ..errors import HarnessError
    from ..inference import infer
    from ..preparing import find_cases, open_config_engine, split_choices

    try:
        prepared = open_config_engine(engine, config_file, timeout, ruleset_name, split_choices(choices))
        cases = find_cases(suites or ["all"], ())
    except (AdapterError, CasesError, HarnessError, ReferenceEngineError) as error:
        raise click.UsageError(str(error), ctx) from error
    try:
        with prepared.engine as opened:
            started = opened.start()
            conclusion = infer(opened, started.capabilities, cases, prepared.rules)
    except (EngineStartError, EngineGaveOutError, EngineClosedError) as error:
        click.echo(f"Error: {error}", err=True)
        ctx.exit(EXIT_ENGINE)
    if as_json:
        click.echo(_json(conclusion))
    elif as_toml:
        click.echo(_toml(conclusion))
    else:
        click.echo("\n".join(_lines(started.engine, conclusion)))
    ctx.exit(EXIT_CONTRADICTED if conclusion.contradictions or conclusion.bugs else EXIT_CLEAR)


def _json(conclusion: Conclusion) -> str:
    import json

    return json.dumps(
        {
            "choices": {issue: list(finding.choices) for issue, finding in conclusion.findings.items()},
            "contradictions": [[_key(case) for case in cases] for cases in conclusion.contradictions],
            "proof": {issue: [_key(case) for case in found.proof] for issue, found in conclusion.findings.items()},
            "open": {issue: found.why_open for issue, found in conclusion.findings.items() if found.why_open},
            "bugs": [_key(case) for case in conclusion.bugs],
            "unsupported": [_key(case) for case in conclusion.unsupported],
            "asked": conclusion.asked,
        },
        indent=2,
    )


def _toml(conclusion: Conclusion) -> str:
    lines = ["[choices]"]
    for issue, finding in conclusion.findings.items():
        if len(finding.choices) == 1:
            lines.append(f'"{issue}" = "{finding.choices[0]}"')
        else:
            lines.append(f"# {issue} is open: {' or '.join(finding.choices)}")
    return "\n".join(lines)


def _lines(engine: EngineIdentity, conclusion: Conclusion) -> list[str]:
    from ...reference_engine import ISSUES, printable

    lines = [f"{printable(f'{engine.name} {engine.version}'.strip())}: {conclusion.asked} cases asked", ""]
    for issue, finding in conclusion.findings.items():
        if len(finding.choices) == 1:
            lines += wrapped(f"{issue:7}{finding.choices[0]}  {_named(finding.proof)}", hanging=9)
    several = {issue: finding for issue, finding in conclusion.findings.items() if finding.why_open}
    if several:
        lines += ["", "Open:"]
    for issue, finding in several.items():
        everything = len(finding.choices) == len(ISSUES[issue].choices)
        what = "any choice" if everything else " or ".join(finding.choices)
        lines += wrapped(f"{issue:7}{what}: {finding.why_open}", hanging=9)
    for cases in conclusion.contradictions:
        named = " and ".join(map(_key, cases))
        lines += ["", *wrapped(f"No one ruleset gives its answers to {named}.", hanging=9)]
    if conclusion.bugs:
        lines += ["", *wrapped(f"Right under no ruleset: {', '.join(map(_key, conclusion.bugs))}.", hanging=9)]
    return lines


def _named(cases: Sequence[Case]) -> str:
    more = f" and {len(cases) - _SHOWN} more" if len(cases) > _SHOWN else ""
    return ", ".join(_key(case) for case in cases[:_SHOWN]) + more


def _key(case: Case) -> str:
    return short_key(case_key(case.suite, case.id))
