"""`datc-check engine`: the reference engine as a server of the protocol."""

from __future__ import annotations

import sys

import click


@click.command("engine", short_help="Be the reference engine, on standard input and output.")
def command() -> None:
    r"""Be the reference engine: answer JSON-RPC requests, one a line, until the input ends.

    \b
    datc-check run "exec:datc-check engine"
    """
    from ...adapters.server import serve

    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except KeyboardInterrupt:
        sys.exit(130)
