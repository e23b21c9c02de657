"""An explanation as Markdown for a forum, as a page with boards, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...reference_engine import printable
from ...reports.markdown import cell, code, fence_around
from ...reports.text import indented_json, one_line
from .all_rulesets import OutcomeTable
from .case import CaseExplanation
from .comparison import ComparedPhase
from .text import compared_lines, phase_title, row_remark

if TYPE_CHECKING:
    from jinja2 import Template


def render_json(explained: Sequence[CaseExplanation]) -> bytes:
    """Render explanations as JSON, as `datc-check schema explain` describes it."""
    return indented_json(explained)


def render_markdown(explained: Iterable[CaseExplanation]) -> bytes:
    """Render explanations as Markdown; all that others wrote stands in code, from which nothing breaks out."""
    return "\n".join(line for each in explained for line in _markdown_lines(each)).encode()


def _markdown_lines(explained: CaseExplanation) -> Iterable[str]:
    yield f"## {_code(_title(explained))}"
    for note in explained.notes:
        yield f"- {_code(note)}"
    if explained.rulesets is not None:
        yield ""
        yield from _markdown_table(explained.rulesets)
    for phase in explained.phases:
        yield ""
        yield f"**{phase_title(explained, phase)}**"
        yield ""
        yield _code(phase.summary)
        yield ""
        details = "\n".join(compared_lines(phase))
        fence = fence_around(details)
        yield from (fence, details, fence)
    yield ""


def _markdown_table(table: OutcomeTable) -> Iterable[str]:
    yield _code(table.sentence)
    yield ""
    yield "| rulesets and engines | outcome | what gives it |"
    yield "|:--|:--|:--|"
    for row in table.rows:
        cells = (", ".join((*row.rulesets, *row.engines)), "; then ".join(row.phases), row_remark(table, row))
        yield f"| {' | '.join(cell(_plain(each), 0) if each else ' ' for each in cells)} |"
    for name, reason in table.unanswered.items():
        yield f"| {cell(_plain(name), 0)} | no answer | {cell(_plain(reason), 0)} |"


def _code(text: str) -> str:
    return code(_plain(text), 0)


def _plain(text: str) -> str:
    """Put a text on one line, without what a page cannot hold."""
    return printable(one_line(text))


def render_html(explained: Sequence[CaseExplanation], boards: Sequence[Sequence[str]]) -> bytes:
    """Render explanations as a page of its own; `boards` are the pictures of the phases of each, as SVG."""
    pages = [
        {
            "title": _title(each),
            "notes": each.notes,
            "table": each.rulesets,
            "phases": [_phase(each, phase, board) for phase, board in zip(each.phases, drawn, strict=True)],
        }
        for each, drawn in zip(explained, boards, strict=True)
    ]
    return _template().render(pages=pages, row_remark=row_remark).encode()


def _phase(explained: CaseExplanation, phase: ComparedPhase, board: str) -> Mapping[str, object]:
    title = phase_title(explained, phase)
    return {"title": title, "summary": phase.summary, "board": board, "details": [*compared_lines(phase)]}


def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["printable"] = printable
    return environment.from_string(Path(__file__).with_name("explanation.html").read_text(encoding="utf-8"))


def _title(explained: CaseExplanation) -> str:
    return f"{explained.case} {explained.title}" if explained.suite else explained.title
