"""Reports written to files: each format is one renderer, imported when it is wanted."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import final

from .events import Event, RunFinished
from .report import Report


def _json(report: Report) -> bytes:
    from .json_report import render_json

    return render_json(report)


def _junit(report: Report) -> bytes:
    from .junit import render_junit

    return render_junit(report)


def _html(report: Report) -> bytes:
    from .html import render_html

    return render_html(report)


FORMATS: Mapping[str, Callable[[Report], bytes]] = {"json": _json, "junit": _junit, "html": _html}
"""The renderer of each format."""


@final
class FileOutput:
    """Writes a report when the run is finished: whole or not at all."""

    def __init__(self, format_name: str, path: str) -> None:
        """`format_name` is a key of `FORMATS`; the path `-` is standard output."""
        self._render = FORMATS[format_name]
        self._path = path

    def handle(self, event: Event) -> None:
        """Write the report of a finished run. Raises `OSError`."""
        if not isinstance(event, RunFinished):
            return
        content = self._render(event.report)
        if self._path == "-":
            _ = sys.stdout.buffer.write(content)
            _ = sys.stdout.buffer.flush()
        else:
            _write_whole(Path(self._path), content)


def _write_whole(path: Path, content: bytes) -> None:
    """Write a file beside its place and then put it there, unless it is no regular file (such as /dev/stdout)."""
    if path.exists() and not path.is_file():
        _ = path.write_bytes(content)
        return
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        _ = file.write(content)
    os.chmod(file.name, 0o666 & ~_umask())  # noqa: PTH101 - a name, not a path
    _ = Path(file.name).replace(path)


def _umask() -> int:
    mask = os.umask(0)
    _ = os.umask(mask)
    return mask
