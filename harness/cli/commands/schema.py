"""`datc-check schema`: the JSON Schemas of what the project reads and writes, and the board."""

from __future__ import annotations

import click
from msgspec import to_builtins

from ....adapters import protocol_schema
from ....adapters.protocol import board_data
from ....cases import case_file_schema
from ....reports.json_report import report_schema
from ...explain.case import explanation_schema
from ..command import Command, Options, echo_json

_KINDS = {
    "report": report_schema,
    "protocol": protocol_schema,
    "case": case_file_schema,
    "explain": explanation_schema,
    "board": board_data,
}


@click.command("schema", cls=Command)
@click.argument("kind", type=click.Choice([*_KINDS]))
def schema_command(options: Options) -> None:
    r"""Print a JSON Schema, for editors, authors of engines, and programs that read reports.

    Its $id has the number of the contract: what fits it fits it in every later version with that number. `board` is no
    schema: it is the standard board, with the codes, names, coasts, supply centers and borders of the provinces.

    \b
    datc-check schema report
    datc-check schema protocol
    datc-check schema board > board.json
    datc-check schema case > case.schema.json
    datc-check schema explain
    """
    echo_json(to_builtins(_KINDS[options.kind]()))
