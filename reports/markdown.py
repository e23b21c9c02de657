"""The report as Markdown, for a comment on a pull request or the summary of a step.

GitHub makes links of names, addresses, numbers and hashes wherever they stand in a text, but not in code. So all that
others wrote is shown as code, inline or in blocks, from which nothing in it can break out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from .report import VERDICTS, CaseData, EngineData, Report, Verdict, statement
from .text import one_line, printable_report
from .wording import describe_case, engine_name, looks_like

LIMIT = 60_000
"""The bytes of a report: GitHub takes 65,536 characters for a comment."""

SIGNS: Mapping[Verdict, str] = {
    "passed": "✅",
    "deviated": "🔶",
    "failed": "❌",
    "declared": "📝",
    "unsupported": "🚫",
    "error": "💥",
    "not-run": "⏹️",
}
_SHOWN: tuple[Verdict, ...] = ("failed", "error", "deviated", "unsupported", "not-run", "declared")
"""In this order: what stands last is left out first."""

_LONGEST_NAME = 200
_LONGEST_CASE = 6_000
_NOTE_ROOM = 200


def render_markdown(report: Report) -> bytes:
    """Render a report as GitHub Markdown in UTF-8, of at most `LIMIT` bytes."""
    report = printable_report(report)
    heading = f"### {shown_engine(report.engine)} against {code(report.ruleset.name)}"
    sign = "✅" if report.compliant else "❌" if report.complete else "⏹️"
    head = f"{heading}\n\n{sign} **{statement(report, code)}**\n\n{_summary(report)}\n"
    head += "".join(f"\n{sentence}\n" for sentence in looks_like(report, code))
    return fit(head, list(_blocks(report)), "cases that did not pass")


def shown_engine(engine: EngineData) -> str:
    """Name an engine and its version as code."""
    return code(engine_name(engine))


def fit(head: str, blocks: Sequence[str], what: str) -> bytes:
    """Put as many blocks under the head as there is room for, and say how many are left out."""
    text = head.encode()
    for number, block in enumerate(blocks):
        added = f"\n{block}\n".encode()
        if len(text) + len(added) > LIMIT - _NOTE_ROOM:
            left_out = len(blocks) - number
            return text + f"\n*There is no room here for {left_out} more of the {what}.*\n".encode()
        text += added
    return text


def code(text: str) -> str:
    """Show a text as code, in a line."""
    shown = one_line(text, _LONGEST_NAME) or "-"
    if "`" not in shown:
        return f"`{shown}`"
    fence = "`" * (_longest_run("`", shown) + 1)
    return f"{fence} {shown} {fence}"


def cell(text: str) -> str:
    """Show a text as code, in the cell of a table."""
    return code(text).replace("|", "\\|")


def folded(sign: str, title: str, lines: Iterable[str]) -> str:
    """Fold lines away under a title."""
    content = "\n".join(lines)
    if len(content) > _LONGEST_CASE:
        content = f"{content[:_LONGEST_CASE]}…\n(cut here)"
    fence = "`" * max(3, _longest_run("`", content) + 1)
    summary = f"{sign} <code>{escape(one_line(title, _LONGEST_NAME))}</code>"
    return f"<details>\n<summary>{summary}</summary>\n\n{fence}text\n{content}\n{fence}\n\n</details>"


def _longest_run(letter: str, text: str) -> int:
    return max(map(len, re.findall(f"{re.escape(letter)}+", text)), default=0)


def _summary(report: Report) -> str:
    rows = [f"| {SIGNS[verdict]} {verdict} | {report.summary[verdict]} |" for verdict in VERDICTS]
    shown = [row for row, verdict in zip(rows, VERDICTS, strict=True) if report.summary[verdict]]
    return "\n".join(["| verdict | cases |", "|:--|--:|", *shown])


def _blocks(report: Report) -> Iterator[str]:
    for verdict in _SHOWN:
        cases = [case for case in report.cases if case.verdict == verdict]
        if verdict == "not-run" and cases:
            yield folded(SIGNS[verdict], f"not run: {len(cases)}", map(_line, cases))
        elif verdict != "not-run":
            yield from (folded(SIGNS[verdict], f"{_title(case)}: {verdict}", describe_case(case)) for case in cases)
    noted = [case for case in report.cases if case.verdict == "passed" and case.notes]
    if noted:
        lines = (f"{_title(case)}: {'; '.join(case.notes)}" for case in noted)
        yield folded(SIGNS["passed"], "passed, but note", lines)


def _title(case: CaseData) -> str:
    return f"{case.id} {case.title}"


def _line(case: CaseData) -> str:
    return f"{_title(case)}: {case.reason}"
