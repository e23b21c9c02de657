"""`datc-check serve`: the reference engine as an HTTP server of the protocol; how commands serve until a signal."""

from __future__ import annotations

import logging
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from ipaddress import ip_address
from types import FrameType
from typing import NoReturn, TypeVar

import click

from ....adapters import Limits
from ....adapters.process import ProcessEngine
from ....adapters.server import EnginePool, relay
from ....adapters.web import Access, Application, create_server, reference_application
from ...errors import HarnessError
from ..command import Command
from ..options import timeout_option, with_options

_ENGINE = (
    sys.executable,
    "-c",
    # Without the current folder, from which Python would import anything.
    "import sys; sys.path = [place for place in sys.path if place];"
    + " from datc.harness.cli.start import main; sys.argv[0] = 'datc-check'; main()",
    "engine",
)
"""Starts the reference engine over stdio as `datc-check engine` does, wherever that is."""
_BACKLOG = 1024
_CommandT = TypeVar("_CommandT", bound="Callable[..., object] | click.Command")


def server_options(port: int) -> Callable[[_CommandT], _CommandT]:
    """Give a command the options `--host`, `--port`, `--threads`, `--allow-host` and `--allow-origin`."""
    options = (
        click.option("--host", default="127.0.0.1", metavar="HOST", help="The address to listen on. [127.0.0.1]"),
        click.option(
            "--port",
            default=port,
            type=click.IntRange(0, 65535),
            metavar="N",
            help=f"The port; 0 takes a free one. [{port}]",
        ),
        click.option(
            "--threads", default=4, type=click.IntRange(1, 64), metavar="N", help="Requests answered at once. [4]"
        ),
        click.option(
            "--allow-host",
            "hosts",
            multiple=True,
            metavar="NAME[:PORT]",
            help="Another name of this server to accept.",
        ),
        click.option(
            "--allow-origin",
            "origins",
            multiple=True,
            metavar="ORIGIN",
            help="Web pages to accept, such as https://example.org.",
        ),
    )
    return lambda command: with_options(command, *options)


@click.command("serve", cls=Command)
@server_options(8421)
@timeout_option
@click.pass_context
def command(
    ctx: click.Context,
    host: str,
    port: int,
    threads: int,
    hosts: Sequence[str],
    origins: Sequence[str],
    timeout: float | None,
) -> None:
    r"""Run the reference engine over HTTP: answer JSON-RPC requests, one a POST, until Ctrl-C or SIGTERM.

    The URL is printed once it can be asked. GET /health says that it is up, GET /openapi.json describes it. There is
    no password: other machines reach it only if --host says so, and web pages only if --allow-origin does. It needs
    `pip install "datc-check[serve]"`.

    \b
    datc-check serve --port 8421
    datc-check run http://127.0.0.1:8421
    """
    with listen(host, port) as listening:
        access = allowed(host, listening, hosts, origins)
        with _reference_engines(threads, timeout) as engines:
            _ = engines.start()
            application = reference_application(lambda body: relay(body, engines), access)
            ctx.exit(serve_until_signal(listening, threads, application))


def _reference_engines(count: int, timeout: float | None) -> EnginePool:
    """Make reference engines, each in a process of its own: one that takes too long for its answer is killed."""
    seconds = timeout or Limits().request
    limits = Limits(request=seconds, first=seconds, restarts=sys.maxsize)
    return EnginePool([ProcessEngine(_ENGINE, limits) for _ in range(count)])


def allowed(host: str, listening: socket.socket, hosts: Sequence[str], origins: Sequence[str]) -> Access:
    """Return who may ask a server that listens for `host`. Raises `AccessError`."""
    address, port = listening.getsockname()[:2]
    return Access(host, address, port, hosts=hosts, origins=origins)


def listen(host: str, port: int) -> socket.socket:
    """Open a port; names are looked up as IPv4. Raises `HarnessError`, too, where there is nothing to serve with."""
    try:
        _ = import_module("waitress")
    except ImportError as error:
        raise HarnessError("it needs waitress: pip install 'datc-check[serve]'") from error
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "is no address"
        raise HarnessError(f"cannot serve at {host}, port {port}: {reason}") from error


def serve_until_signal(listening: socket.socket, threads: int, application: Application) -> int:
    """Serve until a signal comes; return the exit code for that signal, as a shell would.

    SIGTERM stays a `SystemExit` afterwards.
    """
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # That requests wait for a thread is no trouble.
    stopped = signal.SIGINT

    def stop(number: int, _frame: FrameType | None) -> NoReturn:
        nonlocal stopped
        stopped = signal.Signals(number)
        raise SystemExit(128 + number)  # waitress takes it as it takes Ctrl-C: it answers what it was asked and ends.

    _ = signal.signal(signal.SIGTERM, stop)
    try:
        server = create_server(application, listening, threads)
        _announce(listening)
        server.run()
        server.close()
    except (KeyboardInterrupt, SystemExit):
        pass
    return 128 + stopped


def _announce(listening: socket.socket) -> None:
    """Print the URL; say so where others than this machine reach it."""
    host, port = listening.getsockname()[:2]
    if not ip_address(host.partition("%")[0]).is_loopback:
        click.echo(f"Other machines can reach {host}, without a password.", err=True)
    click.echo(f"http://{f'[{host}]' if ':' in host else host}:{port}")
