"""The formats of reports. Each has a module, which is imported when it is wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO, TypeAlias

from .events import Handler
from .report import Report


@dataclass(frozen=True)
class Rendered:
    """A format that is made of a finished run, and written whole or not at all."""

    purpose: str
    """What it is for, in a few words."""
    render: Callable[[Report], bytes]
    render_runs: Callable[[Sequence[Report]], bytes] | None = None
    """Sets several runs side by side; `None` where the format cannot."""


@dataclass(frozen=True)
class Streamed:
    """A format that is written event by event."""

    purpose: str
    output: Callable[[BinaryIO], Handler]


Format: TypeAlias = Rendered | Streamed


def _badge(report: Report) -> bytes:
    from .badge import render_badge

    return render_badge(report)


def _github(file: BinaryIO) -> Handler:
    from .github import GitHubOutput

    return GitHubOutput(file)


def _html(report: Report) -> bytes:
    from .html import render_html

    return render_html(report)


def _html_runs(reports: Sequence[Report]) -> bytes:
    from .html_runs import render_html_runs

    return render_html_runs(reports)


def _json(report: Report) -> bytes:
    from .json_report import render_json

    return render_json(report)


def _jsonl(file: BinaryIO) -> Handler:
    from .jsonl import JsonLinesOutput

    return JsonLinesOutput(file)


def _junit(report: Report) -> bytes:
    from .junit import render_junit

    return render_junit(report)


def _markdown(report: Report) -> bytes:
    from .markdown import render_markdown

    return render_markdown(report)


def _markdown_runs(reports: Sequence[Report]) -> bytes:
    from .markdown_runs import render_markdown_runs

    return render_markdown_runs(reports)


def _sarif(report: Report) -> bytes:
    from .sarif import render_sarif

    return render_sarif(report)


def _tap(report: Report) -> bytes:
    from .tap import render_tap

    return render_tap(report)


FORMATS: Mapping[str, Format] = {
    "html": Rendered("a page for people", _html, _html_runs),
    "markdown": Rendered("a comment on a pull request", _markdown, _markdown_runs),
    "badge": Rendered("an SVG image", _badge),
    "json": Rendered("the stable contract", _json),
    "jsonl": Streamed("the same, streamed", _jsonl),
    "junit": Rendered("JUnit XML", _junit),
    "tap": Rendered("TAP 14", _tap),
    "sarif": Rendered("SARIF 2.1.0", _sarif),
    "github": Streamed("annotations and the step summary of GitHub Actions", _github),
}
"""What a report can be written as."""
