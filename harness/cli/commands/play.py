"""`datc-check play`: a board in the browser to try positions on, with engines beside the reference engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import final

import click

from ....adapters import AdapterError, Engine
from ....adapters.conversion import Notation
from ....adapters.protocol import Capabilities
from ....adapters.web import Access
from ....reference_engine import Ruleset
from ...board.server import play_application
from ...config.config import find_config, read_config
from ...config.preparing import open_config_engine
from ...explain.case import every_ruleset
from ...play.engine import EngineAdjudicator
from ...play.session import Adjudicator, MissingAdjudicator
from ..command import Command, echo
from ..options import ca_file_option, config_option, timeout_option
from .serve import listen, serve_until_signal

_THREADS = 4


@click.command("play", cls=Command)
@click.argument("engines", nargs=-1, metavar="[ENGINE]...")
@click.option("--port", default=0, type=click.IntRange(0, 65535), metavar="N", help="The port. [a free one]")
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
@timeout_option
@ca_file_option
@config_option
@click.pass_context
def command(
    ctx: click.Context,
    engines: Sequence[str],
    port: int,
    *,
    opens: bool,
    timeout: float | None,
    ca_file: Path | None,
    config_file: Path | None,
) -> None:
    r"""Serve a page to try positions on, for browsers on this machine, until Ctrl-C or SIGTERM.

    On its board one sets units and gives orders, by mouse, by keyboard or as text, and sees what happens, why, and what
    every ruleset makes of it, beside what each ENGINE answers. Without ENGINE those of datc.toml are asked, as far as
    they start. The URL is printed once the page can be opened. Neither other machines nor other web pages can reach it.
    It needs `pip install "datc-check[serve]"`.

    \b
    datc-check play --open
    datc-check play mine diplomacy_pypi
    """
    host = "127.0.0.1"
    with ExitStack() as stack:
        listening = stack.enter_context(listen(host, port))
        adjudicators = _Engines(stack, engines, config_file, timeout, ca_file)
        access = Access(host, *listening.getsockname(), has_options=False)
        application = play_application(every_ruleset(), adjudicators.names, adjudicators.under, access)
        if opens:
            _ = click.launch(f"http://{host}:{listening.getsockname()[1]}/")
        ctx.exit(serve_until_signal(listening, _THREADS, application))


@final
class _Engines:
    """The engines under test, started, until the stack ends."""

    def __init__(
        self,
        stack: ExitStack,
        engines: Sequence[str],
        config_file: Path | None,
        timeout: float | None,
        ca_file: Path | None,
    ) -> None:
        """Start the engines that are named, or else those of the config. Raises `DatcCheckError`.

        One of the config that cannot be started ends nothing: the page says why it does not answer.
        """
        file = config_file or find_config()
        configured = () if file is None else tuple(read_config(file)[0].engine)
        self.names = list(dict.fromkeys(engines or configured))
        self._started: dict[str, tuple[Engine, Capabilities, Notation]] = {}
        self._missing: dict[str, str] = {}
        """Why an engine could not be started, by its name."""
        for name in self.names:
            try:
                prepared = open_config_engine(name, config_file, timeout, None, {}, ca_file=ca_file)
                opened = stack.enter_context(prepared.open_for_serving())
                self._started[name] = opened, opened.start().capabilities, prepared.rules.notation
            except AdapterError as error:
                if engines:
                    raise
                self._missing[name] = str(error)
                echo(f"{name} is not asked: {error}", err=True)

    def under(self, ruleset: Ruleset) -> Mapping[str, Adjudicator]:
        """Return what asks each engine under a ruleset."""
        return {
            **{name: EngineAdjudicator(each[0], each[1], ruleset, each[2]) for name, each in self._started.items()},
            **{name: MissingAdjudicator(name, reason) for name, reason in self._missing.items()},
        }
