"""`datc-check` without a command. Nothing here imports click, which takes long: a first look should feel instant."""

from __future__ import annotations

import sys

from .ending import EXIT_NOT_PASSED, EXIT_PASSED, end_at_sigterm, error_code
from .output import terminal

_TEXT = (
    "A demonstration: the cases of DATC 3.2, asked of the engine that comes with datc-check. `datc-check run ENGINE` "
    "tests yours, and `datc-check init` writes a bridge to it."
)


def demonstrate() -> int:
    """Ask the built-in engine the cases of the usual edition, whatever the config says; return the exit code."""
    end_at_sigterm()
    try:
        return EXIT_PASSED if _is_compliant() else EXIT_NOT_PASSED
    except Exception as error:
        code = error_code(error)
        if code is None:
            raise
        from ...reports.inert import inert

        _ = sys.stderr.write(inert(f"Error: {error}\n"))
        return code


def _is_compliant() -> bool:
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
