"""`datc-check serve`: the reference engine as an HTTP server of the protocol."""

from __future__ import annotations

import signal
import socket
from ipaddress import ip_address
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from types import FrameType

_BACKLOG = 1024


@click.command("serve", short_help="Be the reference engine, behind HTTP.")
@click.option("--host", default="127.0.0.1", metavar="HOST", help="The address to serve at. [127.0.0.1]")
@click.option("--port", default=8421, type=click.IntRange(0, 65535), metavar="N", help="0 takes a free one. [8421]")
@click.option("--threads", default=4, type=click.IntRange(1, 64), metavar="N", help="Requests answered at once. [4]")
@click.pass_context
def command(ctx: click.Context, host: str, port: int, threads: int) -> None:
    r"""Be the reference engine: answer JSON-RPC requests, one a POST, until Ctrl-C or SIGTERM.

    The URL is printed once it can be asked. GET /health says that it is up, GET /openapi.json describes it. Nobody has
    to say who they are: other machines reach it only if another --host says so. It needs `pip install
    "datc-check[serve]"`.

    \b
    datc-check serve --port 8421
    datc-check run http://127.0.0.1:8421
    """
    try:
        listening = _listen(host, port)
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "is no address"
        raise click.UsageError(f"cannot serve at {host}, port {port}: {reason}", ctx) from error
    with listening:
        ctx.exit(_serve(listening, threads, ctx))


def _listen(host: str, port: int) -> socket.socket:
    """Open the port; names are looked up as IPv4. Raises `OSError`, and `UnicodeError` for what is no name."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=_BACKLOG)


def _serve(listening: socket.socket, threads: int, ctx: click.Context) -> int:
    """Serve until a signal comes; give the exit code that tells which, as a shell would."""
    import logging

    try:
        from waitress.server import create_server
    except ImportError as error:
        raise click.UsageError("it needs waitress: pip install 'datc-check[serve]'", ctx) from error
    from ...adapters.web import MAX_BODY, application

    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # That requests wait for a thread is no trouble.
    stopped = signal.SIGINT

    def stop(number: int, _frame: FrameType | None) -> NoReturn:
        nonlocal stopped
        stopped = signal.Signals(number)
        raise SystemExit  # Which waitress takes as it takes Ctrl-C: it answers what it was asked and ends.

    _ = signal.signal(signal.SIGTERM, stop)
    try:
        # Its own limit comes before the application can say anything, so it is a wider one.
        server = create_server(
            application, sockets=[listening], threads=threads, ident=None, max_request_body_size=2 * MAX_BODY
        )
        _announce(listening)
        server.run()
        _ = server.close()
    except (KeyboardInterrupt, SystemExit):
        pass
    return 128 + stopped


def _announce(listening: socket.socket) -> None:
    """Print the URL; say so where others than this machine reach it."""
    host, port = listening.getsockname()[:2]
    if not ip_address(host.partition("%")[0]).is_loopback:
        click.echo(f"Other machines can reach {host}, and nobody has to say who they are.", err=True)
    click.echo(f"http://{f'[{host}]' if ':' in host else host}:{port}")
