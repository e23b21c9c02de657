"""`datc-check play`: a board in the browser to try positions on, with engines beside the reference engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial

import click

from ....adapters import AdapterError
from ....adapters.web import Access
from ....reference_engine import Ruleset
from ...board.server import play_application
from ...config.config import find_config, read_config
from ...explain.case import every_document, every_ruleset
from ...play.engine import EngineAdjudicator
from ...play.session import Adjudicator, MissingAdjudicator
from .. import options as shared
from ..command import Command, Options, echo
from .serve import listen, serve_until_signal

_THREADS = 4


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
        return serve_until_signal(listening, _THREADS, application)
