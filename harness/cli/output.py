"""The output of a run for a person. Nothing here imports click, because `datc-check` without a command does not."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...reports import Handler

_DRAWING = frozenset({"FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"})
"""The variables by which rich takes what is no terminal for one."""


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
