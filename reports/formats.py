"""The formats of reports, and reports written to files, or to standard output where the path is `-`.

Each format has a module, which is imported when it is used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, final

from .files import Sink, write_whole
from .report import Event, Handler, RunFinished
from .text import CiEscape, ci_escape, ci_escape_json, ci_escape_markup

_EVERYTHING = ("run", "comparison", "inference", "preferences", "findings")


class Format(NamedTuple):
    """A format of reports. What is made of a finished run is written whole or not at all, the rest event by event."""

    name: str
    purpose: str
    """What it is for, in a few words."""
    suffix: str
    """How the name of such a file ends; empty where it is no format of files."""
    ci_escape: CiEscape
    """Breaks what a CI service would take for commands, where it is printed: of a streamed format a line or more."""
    module: str
    """Its function `render_NAME` renders a run, and `render_NAME_comparison` a comparison of runs, for example."""
    shows: Collection[str] = ("run",)
    output: str = ""
    """The class of the module that writes the events of a run, where the format is streamed."""

    def render(self, found: object, what: str = "run") -> bytes:
        """Render what was found: one of `shows`."""
        return self.load(f"render_{self.name}{f'_{what}' if what != 'run' else ''}")(found)

    def load(self, name: str) -> Callable[[Any], Any]:
        """Import the module, and return a function of it."""
        return getattr(import_module(f".{self.module}", __package__), name)


FORMATS: Mapping[str, Format] = {
    each.name: each
    for each in (
        Format("html", "a page for people", ".html", ci_escape_markup, "html", _EVERYTHING),
        Format("markdown", "a comment on a pull request", ".md", ci_escape, "markdown", _EVERYTHING),
        Format("badge", "an SVG image", ".svg", ci_escape_markup, "badge"),
        Format("json", "the stable contract", ".json", ci_escape_json, "json_report", _EVERYTHING),
        Format("jsonl", "the same, streamed", ".jsonl", ci_escape_json, "json_report", (), "JsonLinesOutput"),
        Format("junit", "JUnit XML", ".xml", ci_escape_markup, "junit"),
        Format("tap", "TAP 14", ".tap", ci_escape, "junit"),
        Format("sarif", "SARIF 2.1.0", ".sarif", ci_escape_json, "sarif"),
        Format("github", "annotations and the step summary of GitHub Actions", "", str, "github", (), "GitHubOutput"),
    )
}
"""What a report can be written as."""
POST_FORMATS: Mapping[str, Format] = {
    each.name: each
    for each in (
        Format("bbcode", "a post in a forum", ".bbcode", ci_escape, "post"),
        Format("discord", "a message on Discord", ".discord", ci_escape, "post"),
        Format("png", "a picture of the board", ".png", ci_escape, "post"),
    )
}
"""What an explanation can be written as, too."""


def renderers(what: str) -> Mapping[str, Callable[[Any], bytes]]:
    """Return renderers of a `comparison`, an `inference` or `findings`, each by the name of its format."""
    return {name: partial(kind.render, what=what) for name, kind in FORMATS.items() if what in kind.shows}


def open_output(format_name: str, path: str) -> Handler:
    """Make the output of a run in a format to a file, or to standard output if the path is `-`. Raises `OSError`."""
    kind = FORMATS[format_name]
    if not kind.output:
        return FileOutput(kind, path)
    output: Callable[[Sink], Handler] = kind.load(kind.output)
    return output(_Printed(kind.ci_escape)) if path == "-" else StreamOutput(output, path)


@final
class FileOutput:
    """Writes a report when the run is finished: whole or not at all."""

    def __init__(self, kind: Format, path: str) -> None:
        self._kind = kind
        self._path = path

    def handle(self, event: Event) -> None:
        """Write the report of a finished run. Raises `OSError`."""
        if isinstance(event, RunFinished):
            write_report(self._path, self._kind.render(event.report), self._kind.ci_escape)


@final
class StreamOutput:
    """Passes events on to what writes them to a file, until the run is finished."""

    def __init__(self, output: Callable[[Sink], Handler], path: str) -> None:
        """Empty the file at once, so that a file of an earlier run is not taken for this one. Raises `OSError`."""
        self._file = Path(path).open("wb")  # noqa: SIM115 - it is open as long as the run goes on
        self._handler = output(self._file)

    def handle(self, event: Event) -> None:
        """Pass an event on. Raises `OSError`."""
        self._handler.handle(event)
        if isinstance(event, RunFinished):
            self._file.close()


@final
class _Printed:
    """Standard output, of which a CI service reads every line."""

    def __init__(self, ci_escape: CiEscape) -> None:
        self._escape = ci_escape

    def write(self, data: bytes, /) -> int:
        return sys.stdout.buffer.write(self._escape(data.decode()).encode())

    def flush(self) -> None:
        _ = sys.stdout.buffer.flush()


def write_report(path: str, content: bytes, ci_escape: CiEscape) -> None:
    """Write a report to a file, whole or not at all, or, escaped, to standard output (`-`). Raises `OSError`."""
    if path == "-":
        printed = _Printed(ci_escape)
        _ = printed.write(content)
        printed.flush()
    else:
        write_whole(Path(path), content)
