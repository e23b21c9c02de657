"""`datc-check serve`: the reference engine as an HTTP server of the protocol; how commands serve until a signal."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from ipaddress import ip_address
from typing import TYPE_CHECKING, NoReturn, TypeVar

import click

from ..command import Command, with_options

if TYPE_CHECKING:
    from types import FrameType

    from ....adapters.web import Application

_BACKLOG = 1024
_CommandT = TypeVar("_CommandT", bound="Callable[..., object] | click.Command")


def server_options(port: int) -> Callable[[_CommandT], _CommandT]:
    """Give a command the options `--host`, `--port` and `--threads`."""
    options = (
        click.option("--host", default="127.0.0.1", metavar="HOST", help="The address to serve at. [127.0.0.1]"),
        click.option(
            "--port", default=port, type=click.IntRange(0, 65535), metavar="N", help=f"0 takes a free one. [{port}]"
        ),
        click.option(
            "--threads", default=4, type=click.IntRange(1, 64), metavar="N", help="Requests answered at once. [4]"
        ),
    )
    return lambda command: with_options(command, *options)


@click.command("serve", cls=Command, short_help="Run the reference engine over HTTP.")
@server_options(8421)
@click.pass_context
def command(ctx: click.Context, host: str, port: int, threads: int) -> None:
    r"""Run the reference engine over HTTP: answer JSON-RPC requests, one a POST, until Ctrl-C or SIGTERM.

    The URL is printed once it can be asked. GET /health says that it is up, GET /openapi.json describes it. There is
    no password: other machines reach it only if --host says so. It needs `pip install
    "datc-check[serve]"`.

    \b
    datc-check serve --port 8421
    datc-check run http://127.0.0.1:8421
    """
    from ....adapters.web import application

    with listen(host, port, ctx) as listening:
        ctx.exit(serve_until_signal(listening, threads, application, ctx))


def listen(host: str, port: int, ctx: click.Context) -> socket.socket:
    """Open a port; names are looked up as IPv4. Raises `UsageError`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "is no address"
        raise click.UsageError(f"cannot serve at {host}, port {port}: {reason}", ctx) from error


def serve_until_signal(listening: socket.socket, threads: int, application: Application, ctx: click.Context) -> int:
    """Serve until a signal comes; return the exit code for that signal, as a shell would.

    SIGTERM stays a `SystemExit` afterwards. Raises `UsageError` where there is nothing to serve with.
    """
    import logging

    try:
        from waitress.server import create_server
    except ImportError as error:
        raise click.UsageError("it needs waitress: pip install 'datc-check[serve]'", ctx) from error
    from ....adapters.web import MAX_BODY

    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # That requests wait for a thread is no trouble.
    stopped = signal.SIGINT

    def stop(number: int, _frame: FrameType | None) -> NoReturn:
        nonlocal stopped
        stopped = signal.Signals(number)
        raise SystemExit(128 + number)  # waitress takes it as it takes Ctrl-C: it answers what it was asked and ends.

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
        click.echo(f"Other machines can reach {host}, without a password.", err=True)
    click.echo(f"http://{f'[{host}]' if ':' in host else host}:{port}")
