"""`datc-check hunt ENGINE --again STORE`: what is left of what a hunt found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..wording import wrapped
from .command import echo
from .ending import EXIT_ENGINE, EXIT_NOT_PASSED, EXIT_PASSED

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ..fuzzing.again import Again, CauseAgain, Status
    from ..settings.preparing import Prepared

_ALLOWED = frozenset({"engines", "store_again", "seconds", "timeout", "ca_file", "config_file", "as_json"})
"""The parameters of `hunt` that mean something with `--again`."""
_COUNTED: tuple[tuple[Status, str], ...] = (
    ("gone", "gone"),
    ("remains", "remaining"),
    ("changed", "changed"),
    ("not-asked", "not asked"),
)


def hunt_again(ctx: click.Context, prepared: Prepared, folder: Path, stop_at: float | None, *, as_json: bool) -> None:
    """Ask the positions of a stored hunt again, say what is left of each cause, and exit.

    Raises `DatcCheckError` for a store that cannot be read, and an engine that cannot be started.
    """
    from ..fuzzing.again import open_again
    from ..fuzzing.findings import Store
    from ..fuzzing.plan import PlannedEngine
    from ..fuzzing.workers import open_adjudicators

    again = open_again(Store(folder), PlannedEngine(prepared.spec, prepared.limits))
    with open_adjudicators(again.plan.until(stop_at)) as (adjudicator,):
        for _ in again.ask(adjudicator):
            pass
        name = adjudicator.name
    echo(_json(again, name, folder) if as_json else "\n".join(_lines(again, name, folder)), as_json=as_json)
    ctx.exit(_exit_code(again))


def refuse_other_options(ctx: click.Context) -> None:
    """Refuse the options that a stored hunt has settled already, or that are about new positions."""
    given = [
        parameter.opts[0]
        for parameter in ctx.command.params
        if (parameter.name or "") not in _ALLOWED
        and ctx.get_parameter_source(parameter.name or "") is click.core.ParameterSource.COMMANDLINE
    ]
    if given:
        raise click.UsageError(
            f"--again asks what the stored hunt found, under its rules: leave out {' and '.join(given)}", ctx
        )


def _exit_code(again: Again) -> int:
    if again.trouble:
        return EXIT_ENGINE
    return EXIT_PASSED if again.count("gone") == len(again.causes) else EXIT_NOT_PASSED


def _json(again: Again, name: str, folder: Path) -> str:
    from ...reports.text import indented_json
    from ..fuzzing.texts import cause_text, difference_lines, question_lines

    data = {
        "engine": name,
        "store": str(folder),
        "ruleset": again.plan.ruleset.name,
        "complete": not again.trouble,
        "trouble": again.trouble,
        "gone": again.count("gone"),
        "remaining": again.count("remains"),
        "changed": again.count("changed"),
        "not_asked": again.count("not-asked"),
        "causes": [
            {
                "kind": cause.group.kind,
                "cause": cause_text(cause.group),
                "choices": cause.group.changes,
                "status": cause.status,
                "asked": cause.asked,
                "wrong": cause.wrong,
                "now": cause_text(cause.now) if cause.now else "",
                "example": cause.example,
                "question": question_lines(cause.example) if cause.example else [],
                "differences": difference_lines(cause.example) if cause.example else [],
            }
            for cause in again.causes
        ],
    }
    return indented_json(data).decode().rstrip()


def _lines(again: Again, name: str, folder: Path) -> list[str]:
    from ...reference_engine import printable
    from ...reports import counted

    rules = f", ruleset {again.plan.ruleset.name}" if again.plan.ruleset.name else ""
    lines = wrapped(printable(f"{name}, asked again what {folder} found{rules}"), hanging=2)
    if again.trouble:
        lines += ["", *wrapped(f"Not finished: {again.trouble}", hanging=2)]
    if not again.causes:
        return [*lines, "", "The hunt had found nothing."]
    for number, cause in enumerate(again.causes, 1):
        lines += ["", *_cause_lines(number, cause)]
    counts = [f"{again.count(status)} {word}" for status, word in _COUNTED if again.count(status)]
    return [*lines, "", f"{counted(len(again.causes), 'cause')}: {', '.join(counts)}"]


def _cause_lines(number: int, cause: CauseAgain) -> Iterable[str]:
    from ...reports import counted
    from ..fuzzing.texts import cause_text, difference_lines, position_lines, question_lines

    status = "not asked" if cause.status == "not-asked" else cause.status
    asked = counted(cause.asked, "position")
    count = f"{asked} asked" if not cause.wrong else f"{cause.wrong} of {asked} still wrong"
    yield from wrapped(f"{number:3}  {status}: {cause_text(cause.group)} ({cause.group.kind}, {count})", hanging=5)
    if cause.example is None or cause.now is None:
        return
    if cause.status == "changed":
        yield from wrapped(f"now: {cause_text(cause.now)} ({cause.now.kind})", indent=7, hanging=9)
    small = cause.example
    for line in (*position_lines(small), *question_lines(small), *difference_lines(small)):
        yield from wrapped(line, indent=7, hanging=9)
