"""`datc-check` without a command. Nothing here imports click, which takes long: a first look should feel instant."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...reports import Handler

_TEXT = (
    "A demonstration: the cases of DATC 3.2, asked of the engine that comes with datc-check. `datc-check run ENGINE` "
    "tests yours, and `datc-check init` writes a bridge to it."
)
_DRAWING = frozenset({"FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"})
"""The variables by which rich takes what is no terminal for one."""


def demonstrate() -> bool:
    """Ask the built-in engine the cases of the usual edition, whatever the config says; return whether all pass."""
    from ...adapters import BUILTIN
    from ...reference_engine.version import package_version
    from ...reports import RunFinished
    from ..runner import Run
    from ..settings.config import NO_CONFIG
    from ..settings.preparing import open_config_engine
    from ..settings.selecting import find_cases
    from ..wording import wrapped

    _ = sys.stdout.write("\n".join([*wrapped(_TEXT, hanging=0), "", ""]))
    prepared = open_config_engine(BUILTIN, NO_CONFIG, None, None, {})
    run = Run(prepared.engine, prepared.spec, find_cases((), ()), prepared.rules, package_version(), brief=True)
    output = terminal()
    try:
        for event in run.events():
            output.handle(event)
            if isinstance(event, RunFinished):
                _ = sys.stdout.flush()  # What cannot be written should show here, not when Python ends.
                return event.report.compliant
    except KeyboardInterrupt:
        output.handle(run.finish("interrupted"))
        raise
    return False


def terminal(*, stderr: bool = False, verbose: bool = False) -> Handler:
    """Make the output for a person: with colours and progress on a terminal, else as plain lines where these do."""

    def full() -> Handler:
        from rich.console import Console

        from ...reports.terminal import TerminalOutput

        return TerminalOutput(Console(stderr=stderr), Console(stderr=True), verbose=verbose)

    if sys.stdout.isatty() or sys.stderr.isatty() or not _DRAWING.isdisjoint(os.environ):
        return full()
    from ...reports.plain import PlainOutput
    from ..columns import columns

    return PlainOutput(sys.stderr if stderr else sys.stdout, columns(), full)
