"""`datc-check schema`: the JSON Schemas of what the project reads and writes."""

from __future__ import annotations

import click


@click.command("schema", short_help="Print the JSON Schema of the protocol or of a case file.")
@click.argument("kind", type=click.Choice(["protocol", "case"]))
def command(kind: str) -> None:
    r"""Print a JSON Schema, for editors and for authors of engines.

    \b
    datc-check schema protocol
    datc-check schema case > case.schema.json
    """
    import json

    from ...adapters import protocol_schema
    from ...cases import case_file_schema

    click.echo(json.dumps(protocol_schema() if kind == "protocol" else case_file_schema(), indent=2))
