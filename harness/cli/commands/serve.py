"""`datc-check serve`: the reference engine as an HTTP server of the protocol."""

from __future__ import annotations

import click

from ..serving import listen, serve_until_signal, server_options


@click.command("serve", short_help="Run the reference engine over HTTP.")
@server_options(8421)
@click.pass_context
def command(ctx: click.Context, host: str, port: int, threads: int) -> None:
    r"""Run the reference engine over HTTP: answer JSON-RPC requests, one a POST, until Ctrl-C or SIGTERM.

    The URL is printed once it can be asked. GET /health says that it is up, GET /openapi.json describes it. Nobody has
    to say who they are: other machines reach it only if another --host says so. It needs `pip install
    "datc-check[serve]"`.

    \b
    datc-check serve --port 8421
    datc-check run http://127.0.0.1:8421
    """
    from ....adapters.web import application

    with listen(host, port, ctx) as listening:
        ctx.exit(serve_until_signal(listening, threads, application, ctx))
