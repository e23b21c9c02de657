"""`datc-check doctor`: which mutants the failures of an engine look like, and which mutants the suites notice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...wording import wrapped
from ..command import (
    Command,
    RunOptions,
    all_suites_option,
    echo,
    echo_json,
    engine_options,
    jobs_option,
    json_option,
    no_experiments_option,
    prepare_run,
    quiet_option,
    say,
    seed_option,
    select_option,
)
from ..ending import EXIT_ENGINE, EXIT_NOT_PASSED, EXIT_PASSED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import Unpack

    from ....cases import Case
    from ....reports import Report

_SHOWN = 8
"""Of the cases that notice a mutant, so many are named."""


@click.command("doctor", cls=Command, short_help="Say which known bugs an engine's failures look like.")
@click.argument("engine", required=False)
@all_suites_option
@select_option
@engine_options
@jobs_option
@click.option(
    "--suites", "measure", is_flag=True, help="Ask no engine: list the known bugs, and the cases that notice each."
)
@no_experiments_option
@seed_option(0)
@quiet_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    engine: str | None,
    seed: int,
    *,
    measure: bool,
    untested: bool,
    quiet: bool,
    as_json: bool,
    **options: Unpack[RunOptions],
) -> None:
    r"""Ask ENGINE the cases and say which known bugs its wrong answers look like.

    Each is a mutant that the reference engine can be given (`datc-check engine --mutant NAME`): with it, it gives the
    same wrong answers. Failures that no mutant explains are listed, too. Exit codes: 0 no case failed, 1 one did, or
    [run.skip] in datc.toml skips all cases; with --suites 0 every mutant is noticed by some case, 1 one is not.

    \b
    datc-check doctor mine
    datc-check doctor "exec:datc-check engine --mutant swap-by-land"
    datc-check doctor --suites
    """
    from ....reports import counted
    from ....reports.gating import skip_sentences
    from ...diagnosis.testing import MOST_TESTED_BY_DOCTOR

    if measure and engine is not None:
        raise click.UsageError("--suites asks no engine: leave it out", ctx)
    options = {**options, "suites": options["suites"] or ["all"]}
    if measure:
        ctx.exit(_measure(options, as_json=as_json))
    run, _ = prepare_run(engine, options)
    run.diagnoses, run.most_tested, run.seed = True, 0 if untested else MOST_TESTED_BY_DOCTOR, seed
    report = run.to_the_end()
    if not report.complete:
        echo(f"Error: {report.incomplete_reason}", err=True)
        ctx.exit(EXIT_ENGINE)
    failed = _failed(report)
    if as_json:
        echo_json(_diagnosis_data(report))
    else:
        why = [f"{counted(len(failed), 'case')} failed."] if failed else []
        say("\n".join(_diagnosis(report, engine)), "\n".join([*why, *skip_sentences(report)]), quiet=quiet)
    ctx.exit(EXIT_NOT_PASSED if failed or not _asked(report) else EXIT_PASSED)


def _asked(report: Report) -> int:
    """Count the cases that the config does not skip."""
    return sum(not case.skipped for case in report.cases)


def _failed(report: Report) -> list[str]:
    return [case.key for case in report.cases if case.verdict == "failed"]


def _impossible(report: Report) -> dict[str, str]:
    """Return the failed cases with a board that cannot exist, each with the first sentence of what is impossible."""
    from ...answers import IMPOSSIBLE_KINDS

    found: dict[str, str] = {}
    for case in report.cases:
        phases = [phase for phase in case.phases if any(fact.kind in IMPOSSIBLE_KINDS for fact in phase.facts)]
        if case.verdict == "failed" and phases:
            found[case.key] = next(iter(phases[0].differences), "").removeprefix("impossible board: ")
    return found


def _unexplained(report: Report) -> list[str]:
    explained = {case.key for mutant in report.looks_like for case in mutant.cases}
    return [key for key in _failed(report) if key not in explained]


def _diagnosis_data(report: Report) -> dict[str, object]:
    import msgspec

    looks_like: object = msgspec.to_builtins(report.looks_like)
    return {
        "engine": report.engine.name,
        "failed": _failed(report),
        "looks_like": looks_like,
        "tested_choices": msgspec.to_builtins(report.tested_choices),
        "unexplained": _unexplained(report),
    }


def _diagnosis(report: Report, asked: str | None) -> list[str]:
    """Say what an engine looks like; `asked` names it as on the command line, if it was named there."""
    import shlex

    from ....cases import short_key
    from ....reference_engine import printable
    from ....reports import counted
    from ....reports.gating import skip_sentences
    from ....reports.report import engine_name
    from ....reports.wording import choice_sentences, evidence_text, mutant_text

    engine = printable(engine_name(report.engine))
    failed = _failed(report)
    lines = wrapped(f"{engine}: {counted(_asked(report), 'case')} asked, {len(failed)} failed", hanging=2)
    lines += [line for sentence in skip_sentences(report) for line in wrapped(printable(sentence), hanging=2)]
    for mutant in report.looks_like:
        lines += ["", *wrapped(f"Looks like an engine that {mutant_text(mutant)}:", hanging=2)]
        lines += [f"  {mutant.name}", *_cases("seen in", [case.key for case in mutant.cases])]
        lines += _cases("not in ", [case.key for case in mutant.against])
        lines += wrapped(evidence_text(mutant.evidence), indent=2, hanging=4)
    for sentence in choice_sentences(report, printable):
        lines += ["", *wrapped(sentence, hanging=2)]
    if impossible := _impossible(report):
        lines += ["", "Impossible boards:"]
        for key, sentence in impossible.items():
            lines += wrapped(printable(f"{short_key(key)}: {sentence}"), indent=2, hanging=4)
    if unexplained := [key for key in _unexplained(report) if key not in impossible]:
        lines += ["", "Like no mutant:", *_cases("", unexplained, every=True)]
    if failed:
        command = ["datc-check", "explain", short_key(failed[0]), *([printable(asked)] if asked else [])]
        lines += ["", "To follow one through, order by order:", f"  {shlex.join(command)}"]
    return lines


def _cases(title: str, keys: Sequence[str], *, every: bool = False) -> list[str]:
    from ....cases import short_key
    from ....reference_engine import printable
    from ....reports.text import listed

    if not keys:
        return []
    text = f"{title} {listed([*map(short_key, keys)], len(keys) if every else _SHOWN)}".strip()
    return wrapped(printable(text), indent=2, hanging=4)


def _measure(options: RunOptions, *, as_json: bool) -> int:
    from ...diagnosis.diagnosis import mutant_coverage
    from ...settings.preparing import make_ruleset, split_choices
    from ...settings.selecting import find_cases

    ruleset = make_ruleset(options["ruleset_name"], split_choices(options["choices"]))
    noticed = mutant_coverage(find_cases(options["suites"], options["selections"]), ruleset)
    if as_json:
        echo_json(_coverage_data(noticed))
    else:
        click.echo("\n".join(_coverage(noticed)))
    return EXIT_PASSED if all(noticed.values()) else EXIT_NOT_PASSED


def _coverage_data(noticed: Mapping[str, Sequence[Case]]) -> dict[str, object]:
    from ...diagnosis.mutants import MUTANTS

    mutants = {
        name: {"sentence": MUTANTS[name].sentence, "noticed_by": [case.key for case in cases]}
        for name, cases in noticed.items()
    }
    return {"faults": mutants, "unnoticed": _unnoticed(noticed)}


def _coverage(noticed: Mapping[str, Sequence[Case]]) -> list[str]:
    from ...diagnosis.mutants import MUTANTS

    lines: list[str] = []
    for name, cases in noticed.items():
        lines += [name, *wrapped(MUTANTS[name].sentence, indent=2, hanging=2)]
        lines += _cases("", [case.key for case in cases]) or ["  no case notices it"]
    unnoticed = _unnoticed(noticed)
    lines += ["", f"{len(noticed)} mutants, {len(noticed) - len(unnoticed)} noticed by some case"]
    if unnoticed:
        lines += wrapped(f"Noticed by none: {', '.join(unnoticed)}", hanging=2)
    return lines


def _unnoticed(noticed: Mapping[str, Sequence[Case]]) -> list[str]:
    return [name for name, cases in noticed.items() if not cases]
