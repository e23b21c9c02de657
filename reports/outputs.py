"""Reports written to files, or to standard output where the path is `-`."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, final

from .events import Event, Handler, RunFinished
from .formats import FORMATS, Rendered
from .report import Report


def open_output(format_name: str, path: str) -> Handler:
    """Make the output of a run for a key of `FORMATS`. Raises `OSError`."""
    wanted = FORMATS[format_name]
    if isinstance(wanted, Rendered):
        return FileOutput(wanted.render, path)
    if path == "-":
        return wanted.output(sys.stdout.buffer)
    return StreamOutput(wanted.output, path)


@final
class FileOutput:
    """Writes a report when the run is finished: whole or not at all."""

    def __init__(self, render: Callable[[Report], bytes], path: str) -> None:
        self._render = render
        self._path = path

    def handle(self, event: Event) -> None:
        """Write the report of a finished run. Raises `OSError`."""
        if isinstance(event, RunFinished):
            write_report(self._path, self._render(event.report))


@final
class StreamOutput:
    """Passes events on to what writes them to a file, until the run is finished."""

    def __init__(self, output: Callable[[BinaryIO], Handler], path: str) -> None:
        """Empty the file at once, lest one of an earlier run pass for that of this one. Raises `OSError`."""
        self._file = Path(path).open("wb")  # noqa: SIM115 - it is open as long as the run goes on
        self._handler = output(self._file)

    def handle(self, event: Event) -> None:
        """Pass an event on. Raises `OSError`."""
        self._handler.handle(event)
        if isinstance(event, RunFinished):
            self._file.close()


def write_report(path: str, content: bytes) -> None:
    """Write a report. Raises `OSError`."""
    if path == "-":
        _ = sys.stdout.buffer.write(content)
        _ = sys.stdout.buffer.flush()
    else:
        _write_whole(Path(path), content)


def _write_whole(path: Path, content: bytes) -> None:
    """Write a file beside its place and then put it there, unless it is no regular file (such as /dev/stdout)."""
    if path.exists() and not path.is_file():
        _ = path.write_bytes(content)
        return
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        beside = Path(file.name)
        try:
            _ = file.write(content)
            _ = file.flush()
            beside.chmod(0o666 & ~_umask())
            _ = beside.replace(path)
        except BaseException:  # A Ctrl-C, too, leaves nothing behind.
            beside.unlink(missing_ok=True)
            raise


def _umask() -> int:
    mask = os.umask(0)
    _ = os.umask(mask)
    return mask
