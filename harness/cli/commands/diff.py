"""`datc-check diff`: the old name of `compare` with two stored runs."""

from __future__ import annotations

from typing import BinaryIO

import click

from ..changes import show_changes
from ..command import Command, echo, json_option


@click.command("diff", cls=Command, hidden=True, short_help="The old name of compare with two stored runs.")
@click.argument("before", type=click.File("rb"))
@click.argument("after", type=click.File("rb"))
@json_option
@click.pass_context
def command(ctx: click.Context, before: BinaryIO, after: BinaryIO, *, as_json: bool) -> None:
    r"""Say what changed from the run BEFORE to the run AFTER; `datc-check compare` does the same.

    \b
    datc-check compare last.json now.json
    """
    from .report import read_stored

    echo("Note: this is `datc-check compare BEFORE AFTER` now; the name diff goes in the next version.", err=True)
    ctx.exit(show_changes(read_stored(before), read_stored(after), as_json=as_json))
