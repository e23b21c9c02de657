"""`datc-check engine`: the reference engine over stdio and HTTP; how commands serve. `ask`: a few requests.

`play`: a board in the browser to try positions on, with engines beside the reference engine.
"""

from __future__ import annotations

import logging
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from ipaddress import ip_address
from queue import SimpleQueue

import click
from msgspec import structs

from ....adapters import AdapterError, Limits, open_engine
from ....adapters.builtin import Reference, relay, serve
from ....adapters.process import ProcessEngine
from ....adapters.web import Access, Application, create_server, reference_application
from ....cases.suite import USUAL_EDITION
from ....reference_engine import DatcCheckError, Ruleset, find_procedure
from ...bugs.mutants import find_mutant
from ...bugs.mutants.mutant import MutantReference
from ...config.config import find_config, read_config
from ...config.preparing import make_ruleset, read_input, read_positions, split_choices
from ...errors import HarnessError
from ...play.session import Adjudicator, MissingAdjudicator
from ...play.verdict import Rules
from ...run.replay_requests import Exchange, position_exchanges, read_exchanges, resend
from .. import options as shared
from ..command import Command, Exit, Options, echo, refuse_others

_ENGINE = (
    sys.executable,
    "-c",
    # Without the current folder, from which Python would import anything.
    "import sys; sys.path = [place for place in sys.path if place];"
    + " from datc.harness.cli.start import main; sys.argv[0] = 'datc-check'; main()",
    "engine",
)
"""Starts the reference engine over stdio as `datc-check engine` does, wherever that is."""
_OF_STDIO = ("ruleset_name", "choices", "fixed", "procedure", "mutant_name")
_BACKLOG = 1024


def allowed(options: Options, listening: socket.socket) -> Access:
    """Return who may ask a server that listens. Raises `AccessError`."""
    address, port = listening.getsockname()[:2]
    return Access(options.host, address, port, hosts=options.hosts, origins=options.origins)


def listen(options: Options) -> socket.socket:
    """Open a port; names are looked up as IPv4. Raises `HarnessError`, too, where there is nothing to serve with."""
    host, port = options.host, options.port
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
    """Print the URL and serve until Ctrl-C, or SIGTERM, which is the same here; return the exit code."""
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # That requests wait for a thread is no trouble.
    try:
        server = create_server(application, listening, threads)
        host, port = listening.getsockname()[:2]
        if not ip_address(host.partition("%")[0]).is_loopback:
            echo(f"Other machines can reach {host}, without a password.", err=True)
        echo(f"http://{f'[{host}]' if ':' in host else host}:{port}")
        server.run()  # At Ctrl-C waitress answers what it was asked and ends.
        server.close()
    except KeyboardInterrupt:
        pass
    return Exit.INTERRUPTED


_SAYS = {"same": "the same as recorded", "different": "not the same as recorded", "unrecorded": "nothing was recorded"}


@click.command("ask", cls=Command)
@click.argument("engine")
@click.argument("input_file", metavar="FILE", type=click.Path(allow_dash=True))
@shared.connection_options
def ask_command(options: Options) -> int:
    r"""Send ENGINE the requests in FILE again, or the position in it, and print its answers as they are.

    FILE is a trace (`run --trace DIR`), a request of the protocol, or several, one a line, or a position as `explain`
    reads it: orders as people write them, or TOML. - is standard input. The answers go to standard output, one a line,
    and to standard error whether they are the same as recorded: the board after the phase and the outcomes of orders.
    The engine is not started again when it breaks down. Exit codes: 0 all are the same, or can be judged where nothing
    was recorded; 1 some are not; 3 the engine could not be asked to the end.

    \b
    datc-check ask mine traces/datc-3.2+6.F.9.jsonl
    datc-check ask "exec:./my-engine --json-rpc" request.json
    echo "Austria A Ser-Bud; Russia A Rum-Bud" | datc-check ask mine -
    """
    prepared = shared.open_engine(options.engine, options)
    exchanges = _read(*read_input(options.input_file), prepared.rules)
    is_wrong = False
    with open_engine(prepared.spec, structs.replace(prepared.limits, restarts=0)) as opened:
        _ = opened.start()
        for number, (exchange, resent) in enumerate(zip(exchanges, resend(opened, exchanges), strict=True), 1):
            if resent.text:
                echo(resent.text, as_json=True)
            failed = f"{resent.failed}; " if resent.failed else ""
            said = f"{failed}{_SAYS[resent.compared]} ({resent.seconds:.3f} s)"
            echo(f"{number} {exchange.request.method}: {said}", err=True)
            is_wrong |= resent.compared == "different" or (resent.compared == "unrecorded" and bool(resent.failed))
    return Exit.NOT_PASSED if is_wrong else Exit.PASSED


def _read(content: bytes, name: str, rules: Rules) -> Sequence[Exchange]:
    """Read requests or positions; say what was guessed or skipped to read these, and which phases are not sent.

    Raises `HarnessError` for what is neither.
    """
    try:
        return read_exchanges(content, name)
    except HarnessError as error:
        try:
            cases = read_positions(content.decode("utf-8"), name)
        except UnicodeDecodeError:
            raise error from None
        except DatcCheckError as other:
            raise HarnessError(f"{error}\nAs a position: {other}") from other
    for note in (note for case in cases for note in case.remark.splitlines()):
        echo(note, err=True)
    if later := [phase.phase for case in cases for phase in case.phases[1:]]:
        echo(f"not sent, since they follow from the answer: {', '.join(later)} orders", err=True)
    return position_exchanges(cases, rules)


@click.command("engine", cls=Command)
@shared.option("--ruleset", "ruleset_name", "NAME", f"The rules for requests without any. [{USUAL_EDITION}]")
@shared.choice_option
@click.option("--fixed", is_flag=True, help="Play these rules whatever a request asks for, as most engines do.")
@shared.option("--procedure", "procedure", "NAME", "Adjudicate as another document does, as builtin:NAME does.")
@shared.option("--mutant", "mutant_name", "NAME", "Play with a mutant (`datc-check doctor --mutants`).")
@click.option("--http", "over_http", is_flag=True, help="Over HTTP. What follows is for that.")
@shared.server_options(8421)
@shared.timeout_option
def engine_command(options: Options) -> int:
    r"""Run the reference engine over stdio: answer JSON-RPC requests, one a line, until the input ends.

    With --http it answers requests over HTTP, one a POST, until Ctrl-C or SIGTERM. The URL is printed once it can be
    asked. GET /health says that it is up, GET /openapi.json describes it. There is no password: other machines reach
    it only if --host says so, and web pages only if --allow-origin does. It needs `pip install "datc-check[serve]"`.

    \b
    datc-check run "exec:datc-check engine"
    datc-check infer "exec:datc-check engine --ruleset 1982 --fixed"
    datc-check run "exec:datc-check engine --mutant one-support-at-most"
    datc-check engine --http --port 8421
    """
    ruleset = make_ruleset(options.ruleset_name, split_choices(options.choices))
    if options.procedure is not None:
        _ = find_procedure(options.procedure)
        if options.mutant_name is not None:
            raise HarnessError("--mutant is one of the usual procedure: leave out --procedure")
    reference = Reference(ruleset, options.fixed, options.procedure)
    if options.mutant_name is not None:
        reference = MutantReference(ruleset, options.fixed, mutant=find_mutant(options.mutant_name))
    if options.over_http:
        return _serve(options)
    refuse_others(_OF_STDIO, "without --http it answers on standard output")
    serve(sys.stdin.buffer, sys.stdout.buffer, reference)
    return Exit.PASSED


def _serve(options: Options) -> int:
    given = {"--ruleset": options.ruleset_name, "--procedure": options.procedure, "--mutant": options.mutant_name}
    words = [word for name, value in given.items() if value is not None for word in (name, value)]
    command = [*_ENGINE, *words, *(f"--choice={choice}" for choice in options.choices), *["--fixed"] * options.fixed]
    with listen(options) as listening:
        access = allowed(options, listening)
        seconds = options.timeout or Limits().request
        limits = Limits(request=seconds, first=seconds, restarts=sys.maxsize)
        # Each is in a process of its own: one that takes too long for its answer is killed, and breaks no other's.
        engines = [ProcessEngine(command, limits) for _ in range(options.threads)]
        free: SimpleQueue[ProcessEngine] = SimpleQueue()

        def answer(body: bytes) -> bytes:
            engine = free.get()
            try:
                return relay(body, engine)
            finally:
                free.put(engine)

        with ThreadPoolExecutor(options.threads) as pool:
            try:
                _ = list(pool.map(ProcessEngine.start, engines))
                _ = list(map(free.put, engines))
                return serve_until_signal(listening, options.threads, reference_application(answer, access))
            finally:
                _ = list(pool.map(ProcessEngine.close, engines))


@click.command("play", cls=Command)
@click.argument("engines", nargs=-1, metavar="[ENGINE]...")
@shared.option("--port", "port", "N", "The port. [a free one]", click.IntRange(0, 65535), default=0)
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
@shared.connection_options
def play_command(options: Options) -> int:
    r"""Serve a page to try positions on, for browsers on this machine, until Ctrl-C or SIGTERM.

    On its board one sets units and gives orders, by mouse, by keyboard or as text, and sees what happens, why, and what
    every ruleset makes of it, beside what each ENGINE answers. Without ENGINE those of datc.toml are asked, as far as
    they start. The URL is printed once the page can be opened. Neither other machines nor other web pages can reach it.
    It needs `pip install "datc-check[serve]"`.

    \b
    datc-check play --open
    datc-check play mine diplomacy_pypi
    """
    # Here, since `engine` needs none of it, and should start fast.
    from ...board.server import play_application
    from ...explain.case import every_document, every_ruleset
    from ...play.engine import EngineAdjudicator

    options.host = "127.0.0.1"
    file = options.config_file or find_config()
    with ExitStack() as stack:
        listening = stack.enter_context(listen(options))
        configured = () if file is None else tuple(read_config(file)[0].engine)
        names = list(dict.fromkeys(options.engines or configured))
        started: dict[str, Callable[[Ruleset], Adjudicator]] = {}
        missing: dict[str, Adjudicator] = {}
        for name in names:
            try:
                prepared = shared.open_engine(name, options)
                engine = stack.enter_context(prepared.open_for_serving())
                capabilities = engine.start().capabilities
                started[name] = partial(EngineAdjudicator, engine, capabilities, notation=prepared.rules.notation)
            except AdapterError as error:
                if options.engines:
                    raise
                missing[name] = MissingAdjudicator(name, str(error))  # The page says why it does not answer.
                echo(f"{name} is not asked: {error}", err=True)

        def under(ruleset: Ruleset) -> Mapping[str, Adjudicator]:
            return {**{name: ask_under(ruleset) for name, ask_under in started.items()}, **missing}

        access = Access(options.host, *listening.getsockname(), has_options=False)
        application = play_application(every_ruleset(), every_document(), names, under, access)
        if options.opens:
            _ = click.launch(f"http://{options.host}:{listening.getsockname()[1]}/")
        return serve_until_signal(listening, threads=4, application=application)
