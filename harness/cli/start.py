"""The entry point of `datc-check`. It answers `--help` and `--version` itself: the commands are slow to import.

`harness/cli/help.txt` is what each command says at 80 columns, its widest; a test compares the two.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from typing import NoReturn

from . import version_text

_INTERRUPTED = 130
_WIDEST_HELP = 80
_UNCOLLECTED = 100_000
"""So many objects are made before garbage is looked for: hardly any refers to itself, and looking takes long."""
_HELP = __file__.removesuffix("start.py") + "help.txt"


def main() -> None:
    """Run the command line; a reader of the output that goes away ends it quietly, and Ctrl-C with one line."""
    try:
        _open_closed_streams()
        if text := _stored_text(sys.argv[1:]):
            print(text, end="", flush=True)  # noqa: T201
        else:
            gc.set_threshold(_UNCOLLECTED)
            from .group import main as run

            try:
                run()
            except SystemExit as ended:
                if not isinstance(ended.code, int):
                    raise
                _end(ended.code)
    except BrokenPipeError:
        # Python would complain again when it closes the broken output at exit.
        sys.stdout = None
        sys.exit(1)
    except KeyboardInterrupt:  # While something is imported: later it comes to the commands.
        print("Interrupted.", file=sys.stderr)  # noqa: T201
        sys.exit(_INTERRUPTED)
    except OSError as error:
        from .command import is_of_output

        if not is_of_output(error):
            raise
        sys.stdout = None
        sys.exit(f"Error: the output cannot be written: {error.strerror}")


def _end(code: int) -> NoReturn:
    """End the process as Python does, but do not take its objects away one by one: a short command ends sooner."""
    atexit._run_exitfuncs()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - nothing else calls them
    _ = sys.stdout.flush()
    _ = sys.stderr.flush()
    os._exit(code)


def _stored_text(arguments: list[str]) -> str:
    """Return the version or the help that is asked for, the help where nothing but a command is before `--help`."""
    if arguments == ["--version"]:
        return version_text()
    *command, last = arguments or [""]
    if last not in ("--help", "-h"):
        return ""
    from shutil import get_terminal_size

    if get_terminal_size().columns < _WIDEST_HELP:
        return ""
    usage = " ".join(["Usage: datc-check", *command, "["])
    with open(_HELP, encoding="utf-8") as file:  # noqa: PTH123 - pathlib takes as long as all of this
        return next((text for text in file.read().split("\f\n") if text.startswith(usage)), "")


def _open_closed_streams() -> None:
    """Put an empty one in the place of each standard stream that the caller has closed, where Python has none."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - as long as all of this
