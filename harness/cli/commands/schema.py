"""`datc-check schema`: the JSON Schemas of what the project reads and writes."""

from __future__ import annotations

import click

from ..command import echo_json

_KINDS = ("report", "protocol", "case")


@click.command("schema", short_help="Print the JSON Schema of a report, the protocol or a case file.")
@click.argument("kind", type=click.Choice(_KINDS))
def command(kind: str) -> None:
    r"""Print a JSON Schema, for editors, authors of engines, and programs that read reports.

    Its $id has the number of the contract: what fits it fits it in every later version with that number.

    \b
    datc-check schema report
    datc-check schema protocol
    datc-check schema case > case.schema.json
    """
    from ....adapters import protocol_schema
    from ....cases import case_file_schema
    from ....reports.json_report import report_schema

    makers = {"report": report_schema, "protocol": protocol_schema, "case": case_file_schema}
    echo_json(makers[kind]())
