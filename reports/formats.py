"""The formats of reports. Each has a module, which is imported when it is wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import BinaryIO, TypeAlias

from .comparison import Comparison
from .events import Handler
from .inference import InferenceReport
from .report import Report


@dataclass(frozen=True)
class Rendered:
    """A format that is made of a finished run, and written whole or not at all."""

    purpose: str
    """What it is for, in a few words."""
    render: Callable[[Report], bytes]
    render_comparison: Callable[[Comparison], bytes] | None = None
    """Shows where engines differ; `None` where the format cannot."""
    render_inference: Callable[[InferenceReport], bytes] | None = None
    """Shows which choices an engine makes; `None` where the format cannot."""


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


def _html_comparison(comparison: Comparison) -> bytes:
    from .html_comparison import render_html_comparison

    return render_html_comparison(comparison)


def _html_inference(inference: InferenceReport) -> bytes:
    from .html_inference import render_html_inference

    return render_html_inference(inference)


def _json(report: Report) -> bytes:
    from .json_report import render_json

    return render_json(report)


def _json_comparison(comparison: Comparison) -> bytes:
    from .json_report import render_comparison_json

    return render_comparison_json(comparison)


def _json_inference(inference: InferenceReport) -> bytes:
    from .json_report import render_inference_json

    return render_inference_json(inference)


def _jsonl(file: BinaryIO) -> Handler:
    from .jsonl import JsonLinesOutput

    return JsonLinesOutput(file)


def _junit(report: Report) -> bytes:
    from .junit import render_junit

    return render_junit(report)


def _markdown(report: Report) -> bytes:
    from .markdown import render_markdown

    return render_markdown(report)


def _markdown_comparison(comparison: Comparison) -> bytes:
    from .markdown_comparison import render_markdown_comparison

    return render_markdown_comparison(comparison)


def _markdown_inference(inference: InferenceReport) -> bytes:
    from .markdown_inference import render_markdown_inference

    return render_markdown_inference(inference)


def _sarif(report: Report) -> bytes:
    from .sarif import render_sarif

    return render_sarif(report)


def _tap(report: Report) -> bytes:
    from .tap import render_tap

    return render_tap(report)


FORMATS: Mapping[str, Format] = {
    "html": Rendered("a page for people", _html, _html_comparison, _html_inference),
    "markdown": Rendered("a comment on a pull request", _markdown, _markdown_comparison, _markdown_inference),
    "badge": Rendered("an SVG image", _badge),
    "json": Rendered("the stable contract", _json, _json_comparison, _json_inference),
    "jsonl": Streamed("the same, streamed", _jsonl),
    "junit": Rendered("JUnit XML", _junit),
    "tap": Rendered("TAP 14", _tap),
    "sarif": Rendered("SARIF 2.1.0", _sarif),
    "github": Streamed("annotations and the step summary of GitHub Actions", _github),
}
"""What a report can be written as."""


def comparing() -> Mapping[str, Callable[[Comparison], bytes]]:
    """The formats that can compare several runs."""
    rendered = {name: kind for name, kind in FORMATS.items() if isinstance(kind, Rendered)}
    return {name: kind.render_comparison for name, kind in rendered.items() if kind.render_comparison}


def inferring() -> Mapping[str, Callable[[InferenceReport], bytes]]:
    """The formats that can show which choices an engine makes."""
    rendered = {name: kind for name, kind in FORMATS.items() if isinstance(kind, Rendered)}
    return {name: kind.render_inference for name, kind in rendered.items() if kind.render_inference}
