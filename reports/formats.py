"""The formats of reports, and reports written to files, or to standard output where the path is `-`.

Each format has a module, which is imported when it is used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias, final

from .files import Sink, write_whole
from .report import Event, Handler, Report, RunFinished
from .text import CiEscape, ci_escape, ci_escape_json, ci_escape_markup


@dataclass(frozen=True)
class Rendered:
    """A format that is made of a finished run, and written whole or not at all."""

    purpose: str
    """What it is for, in a few words."""
    suffix: str
    """How the name of such a file ends."""
    render: Callable[[Report], bytes]
    others: Mapping[str, Callable[[Any], bytes]] = field(default_factory=dict[str, "Callable[[Any], bytes]"])
    """Renders other things than a run: a `comparison` of runs, an `inference`, `findings`."""
    ci_escape: CiEscape = ci_escape
    """Breaks what a CI service would take for commands, where it is printed."""


@dataclass(frozen=True)
class Streamed:
    """A format that is written event by event."""

    purpose: str
    suffix: str
    """As that of `Rendered`; empty where it is no format of files."""
    output: Callable[[Sink], Handler]
    ci_escape: CiEscape = ci_escape
    """As that of `Rendered`; each write is a line or more."""


Format: TypeAlias = Rendered | Streamed
"""A format that is rendered at the end of a run, or streamed while it runs."""


def _later(module: str, function: str) -> Callable[[Any], Any]:
    """Stand in for a function of a module of this package, which is imported when the function is called."""

    def call(argument: object) -> object:
        return getattr(import_module(f".{module}", __package__), function)(argument)

    return call


FORMATS: Mapping[str, Format] = {
    "html": Rendered(
        "a page for people",
        ".html",
        _later("html", "render_html"),
        {
            "comparison": _later("html", "render_html_comparison"),
            "inference": _later("html", "render_html_inference"),
            "findings": _later("html", "render_html_parts"),
        },
        ci_escape_markup,
    ),
    "markdown": Rendered(
        "a comment on a pull request",
        ".md",
        _later("markdown", "render_markdown"),
        {
            "comparison": _later("markdown", "render_markdown_comparison"),
            "inference": _later("markdown", "render_markdown_inference"),
            "findings": _later("markdown", "render_markdown_parts"),
        },
    ),
    "badge": Rendered("an SVG image", ".svg", _later("badge", "render_badge"), ci_escape=ci_escape_markup),
    "json": Rendered(
        "the stable contract",
        ".json",
        _later("json_report", "render_json"),
        {
            "comparison": _later("json_report", "render_comparison_json"),
            "inference": _later("json_report", "render_json"),
            "findings": lambda findings: _later("json_report", "render_json")(findings.data),
        },
        ci_escape_json,
    ),
    "jsonl": Streamed("the same, streamed", ".jsonl", _later("json_report", "JsonLinesOutput"), ci_escape_json),
    "junit": Rendered("JUnit XML", ".xml", _later("junit", "render_junit"), ci_escape=ci_escape_markup),
    "tap": Rendered("TAP 14", ".tap", _later("junit", "render_tap")),
    "sarif": Rendered("SARIF 2.1.0", ".sarif", _later("sarif", "render_sarif"), ci_escape=ci_escape_json),
    "github": Streamed("annotations and the step summary of GitHub Actions", "", _later("github", "GitHubOutput"), str),
}
"""What a report can be written as."""


def renderers(what: str) -> Mapping[str, Callable[[Any], bytes]]:
    """Return the formats that can show something else than one run.

    Args:
        what: `comparison`, `inference` or `findings`.

    Returns:
        A renderer for each format, by its key in `FORMATS`.
    """
    kinds = {name: kind for name, kind in FORMATS.items() if isinstance(kind, Rendered)}
    return {name: kind.others[what] for name, kind in kinds.items() if what in kind.others}


def open_output(format_name: str, path: str) -> Handler:
    """Make the output of a run.

    Args:
        format_name: A key of `FORMATS`.
        path: The file to write; `-` is standard output.

    Raises:
        OSError: The file cannot be written.
    """
    kind = FORMATS[format_name]
    if isinstance(kind, Rendered):
        return FileOutput(kind, path)
    if path == "-":
        return kind.output(_Printed(kind.ci_escape))
    return StreamOutput(kind.output, path)


@final
class FileOutput:
    """Writes a report when the run is finished: whole or not at all."""

    def __init__(self, kind: Rendered, path: str) -> None:
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
    """Write a report, whole or not at all.

    Args:
        path: The file to write; `-` is standard output.
        content: The bytes of the report.
        ci_escape: Breaks what a CI service would take for commands, where it is printed.

    Raises:
        OSError: The file cannot be written.
    """
    if path == "-":
        printed = _Printed(ci_escape)
        _ = printed.write(content)
        printed.flush()
    else:
        write_whole(Path(path), content)
