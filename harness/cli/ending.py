"""How the program ends: its exit codes. Nothing here imports click, because `datc-check` without a command does not."""

from __future__ import annotations

import signal
from types import FrameType
from typing import NoReturn

EXIT_PASSED, EXIT_NOT_PASSED, EXIT_USAGE, EXIT_ENGINE, EXIT_INTERRUPTED = 0, 1, 2, 3, 130


def error_code(error: Exception) -> int | None:
    """Return 3 where an engine cannot be asked, 2 for each other error of the project, and `None` for any other."""
    from ...adapters import EngineClosedError, EngineGaveOutError, EngineStartError
    from ...reference_engine import DatcCheckError

    if isinstance(error, (EngineStartError, EngineGaveOutError, EngineClosedError)):
        return EXIT_ENGINE
    return EXIT_USAGE if isinstance(error, DatcCheckError) else None


def end_at_sigterm() -> None:
    """Have SIGTERM end what was started, too: an engine that hangs would never end by itself."""
    _ = signal.signal(signal.SIGTERM, _end)


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)
