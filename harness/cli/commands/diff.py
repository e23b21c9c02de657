"""`datc-check diff`: what changed between two runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

import click

from ...wording import wrapped
from ..command import EXIT_NOT_PASSED, EXIT_PASSED, Command, echo, echo_json, json_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...gate import Change, RunDiff


@click.command("diff", cls=Command, short_help="Say what changed between two stored runs.")
@click.argument("before", type=click.File("rb"))
@click.argument("after", type=click.File("rb"))
@json_option
@click.pass_context
def command(ctx: click.Context, before: BinaryIO, after: BinaryIO, *, as_json: bool) -> None:
    r"""Say which cases pass or fail newly from the run BEFORE to the run AFTER, and which answers changed.

    Both are stored runs (`--report json:FILE`). A case that was not run in AFTER, because the engine broke down, is not
    failing. Exit codes: 0 nothing got worse, 1 a case does not pass any more, or is not asked any more.

    \b
    datc-check run mine --report json:now.json; datc-check diff last.json now.json
    """
    from ...gate import diff_runs
    from .report import read_stored

    found = diff_runs(read_stored(before), read_stored(after))
    if as_json:
        echo_json(_data(found))
    else:
        echo("\n".join(_lines(found)))
    ctx.exit(EXIT_NOT_PASSED if found.is_worse else EXIT_PASSED)


def _data(found: RunDiff) -> dict[str, object]:
    import dataclasses

    def data(value: Sequence[Change] | Sequence[str] | str) -> list[object] | str:
        if isinstance(value, str):
            return value
        return [item if isinstance(item, str) else item._asdict() for item in value]

    fields = {field.name: data(getattr(found, field.name)) for field in dataclasses.fields(found)}
    return {"worse": found.is_worse, **fields}


def _lines(found: RunDiff) -> list[str]:
    lines = [
        *_changes("Newly failing", found.newly_failing),
        *_keys("Not run now", [change.key for change in found.not_run], found.unfinished),
        *_changes("Newly passing", found.newly_passing),
        *_changes("Another verdict", found.other_verdict),
        *_changes("Another answer", found.other_answer),
        *_keys("Not asked any more", found.only_before),
        *_keys("Asked for the first time", found.only_after),
    ]
    return lines or ["Nothing changed."]


def _changes(title: str, changes: Sequence[Change]) -> list[str]:
    from ....cases import short_key
    from ....reference_engine import printable

    if not changes:
        return []
    lines = [f"{title}: {len(changes)}"]
    for change in changes:
        verdicts = change.after if change.before == change.after else f"{change.before} → {change.after}"
        lines += wrapped(printable(f"{short_key(change.key)} {change.title}: {verdicts}"), indent=2, hanging=6)
    return lines


def _keys(title: str, keys: Sequence[str], why: str = "") -> list[str]:
    from ....cases import short_key
    from ....reference_engine import printable

    if not keys:
        return []
    head = f"{title}: {len(keys)}" + (f" ({why})" if why else "")
    return [
        *wrapped(printable(head), hanging=2),
        *wrapped(printable(", ".join(map(short_key, keys))), indent=2, hanging=6),
    ]
