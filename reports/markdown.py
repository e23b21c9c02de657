"""A report, a comparison, an inference and a rules page as Markdown, for pull requests and summaries of steps.

GitHub makes links of names, addresses, numbers and hashes wherever they are in a text, but not in code. So all that
others wrote is shown as code, inline or in blocks, from which nothing in it can break out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from ..cases.suite import short_key
from ..reference_engine import EVERY_ISSUE
from ..reference_engine.errors import printable
from .comparison import Comparison, Kind
from .findings import Block, Board, Details, Findings, Items, Table, laid_out
from .gate import gate_sentences, is_success
from .inference import InferenceReport, cases_by_key, settled_issues
from .post import STYLES
from .preferences import PreferencesPage, write_rules
from .report import VERDICTS, EngineData, Report, by_verdict, engine_name
from .text import listed, one_line, printable_struct
from .wording import (
    URGENCY,
    VERDICT_TEXTS,
    bug_sentences,
    claim,
    comparison_claim,
    describe_case,
    inference_claim,
    restart_lines,
    statement,
    statement_sentences,
)

LIMIT = 60_000
"""The bytes of a report: GitHub takes 65,536 characters for a comment."""

SIGNS = {verdict: text.emoji for verdict, text in VERDICT_TEXTS.items()}

_LONGEST_NAME = 200
_LONGEST_CASE = 6_000
_NOTE_ROOM = 200


def render_markdown(report: Report) -> bytes:
    """Render a report as GitHub Markdown in UTF-8, of at most `LIMIT` bytes."""
    report = printable_struct(report)
    heading = f"### {shown_engine(report.engine)} against {code(report.ruleset.name)}"
    sign = "✅" if is_success(report) else "❌" if report.complete else "⏹️"
    said = statement(report, code) if report.search is None else claim(report).words
    head = f"{heading}\n\n{sign} **{said}**\n\n| verdict | cases |\n|:--|--:|\n"
    for verdict in VERDICTS:
        if report.summary[verdict]:
            head += f"| {SIGNS[verdict]} {verdict} | {report.summary[verdict]} |\n"
    for sentence in (*gate_sentences(report, code), *statement_sentences(report, code)):
        head += f"\n{sentence}\n"
    if restarts := list(restart_lines(report.restarts, code)):
        head += "\n".join([f"\n{restarts[0]}\n", *(f"- {line}" for line in restarts[1:]), ""])
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


def code(text: str, limit: int = _LONGEST_NAME) -> str:
    """Show a text as code, in a line that is cut at a limit; 0 sets no limit."""
    shown = one_line(text, limit) or "-"
    if "`" not in shown:
        return f"`{shown}`"
    fence = "`" * (_longest_run(shown) + 1)
    return f"{fence} {shown} {fence}"


def cell(text: str, limit: int = _LONGEST_NAME) -> str:
    """Show a text as code, in the cell of a table."""
    return code(text, limit).replace("|", "\\|")


def fence_around(content: str) -> str:
    """Return the backticks that go above and below lines, more than they have in a row themselves."""
    return "`" * max(3, _longest_run(content) + 1)


def folded(sign: str, title: str, lines: Iterable[str]) -> str:
    """Fold lines away under a title."""
    content = "\n".join(lines)
    if len(content) > _LONGEST_CASE:
        content = f"{content[:_LONGEST_CASE]}…\n(cut here)"
    fence = fence_around(content)
    summary = f"{sign} <code>{escape(one_line(title, _LONGEST_NAME))}</code>"
    return f"<details>\n<summary>{summary}</summary>\n\n{fence}text\n{content}\n{fence}\n\n</details>"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def _blocks(report: Report) -> Iterator[str]:
    cases = by_verdict(report.cases)
    for verdict in URGENCY[:-1]:  # The last ones are left out first.
        if verdict != "not-run":
            for case in cases[verdict]:
                yield folded(SIGNS[verdict], f"{case.id} {case.title}: {verdict}", describe_case(case))
        elif cases[verdict]:
            lines = [f"{case.id} {case.title}: {case.reason}" for case in cases[verdict]]
            yield folded(SIGNS[verdict], f"not run: {len(lines)}", lines)
    if report.not_carried:
        lines = [f"{each.case.id} {each.title}: {each.why}" for each in report.not_carried]
        yield folded("○", f"not carried: {len(lines)}", lines)
    if noted := [f"{case.id} {case.title}: {'; '.join(case.notes)}" for case in cases["passed"] if case.notes]:
        yield folded(SIGNS["passed"], "passed, but note", noted)


_KINDS: Mapping[Kind, str] = {
    "differing": "Cases in which they differ (the same letter is the same answer)",
    "words": "Cases with the same boards and other outcomes of orders",
    "unanswered": "Cases that not all answered, and those who did alike",
    "alike": "Cases that all answered alike, and not all pass",
}
_ROWS = 25
"""The rows of a table: what does not fit is left out a table at a time."""
_SHOWN = 6
"""Of the cases that prove or show something, so many are named."""


def render_markdown_comparison(comparison: Comparison) -> bytes:
    """Render what several runs show of their engines as GitHub Markdown in UTF-8, small enough for a comment."""
    said = comparison_claim(comparison)
    places = range(len(comparison.reports))
    engines = "\n".join(_engine(comparison, place) for place in places)
    numbers = [str(place + 1) for place in places]
    rows: list[list[str]] = []
    for one in places:
        pairs = [None if one == other else comparison.agreement(one, other) for other in places]
        cells = ["" if pair is None else f"{pair.alike} of {pair.both}" if pair.both else "-" for pair in pairs]
        rows.append([numbers[one], *cells])
    agreement = _table("Cases answered alike, of those that both answered:", ["", *numbers], rows)
    head = f"### {len(places)} engines side by side\n\n{engines}\n\n**{said.words}.** {said.detail}\n\n{agreement}\n"
    return fit(head, list(_compared(comparison, numbers)), "tables")


def render_markdown_inference(inference: InferenceReport) -> bytes:
    """Render what was inferred of an engine as GitHub Markdown in UTF-8, small enough for a comment."""
    report = printable_struct(inference)
    said = inference_claim(report)
    asked = f"{report.asked} cases were asked, {'every one' if report.every_case else 'as long as they told something'}"
    head = f"### {shown_engine(report.engine)}: {said.words}\n\n{said.detail}\n\n{asked}.\n"
    return fit(head, list(_inferred(report)), "parts")


def render_markdown_findings(findings: Findings[object]) -> bytes:
    """Render findings as Markdown in UTF-8."""
    lines: list[str] = []
    for part in findings.parts:
        if part.title:
            lines += [f"## {_plain_code(part.title)}" if part.level == 1 else f"**{part.title}**", ""]
        for block in part.blocks:
            lines += _block(block)
    return "\n".join(lines).encode()


def _block(block: Block) -> list[str]:
    match block:
        case Items():
            return [*(f"- {_plain_code(text)}" for text in block.texts), ""]
        case Table():
            cells = [[cell(printable(one_line(text)), 0) if text else " " for text in row] for row in block.rows]
            return [_table("", block.head, cells), ""]
        case Details():
            content = "\n".join(laid_out(block.lines))
            return [fence_around(content), content, fence_around(content), ""]
        case Board():
            return []
        case _:
            return [_plain_code(block if isinstance(block, str) else block.text), ""]


def _plain_code(text: str) -> str:
    return code(printable(one_line(text)), 0)


def render_markdown_preferences(page: PreferencesPage) -> bytes:
    """Render a rules page as Markdown in UTF-8."""
    return write_rules(page, STYLES["markdown"]).encode()


def _engine(comparison: Comparison, place: int) -> str:
    report = comparison.reports[place]
    verdicts = ", ".join(
        f"{SIGNS[verdict]} {report.summary[verdict]} {verdict}" for verdict in VERDICTS if report.summary[verdict]
    )
    said = f"{place + 1}. {shown_engine(report.engine)}, asked for {code(report.ruleset.name)}, "
    said += f"answered {comparison.answered(place)} of {len(comparison.cases)} cases"
    if verdicts:
        said += f": {verdicts}"
    if not report.complete:
        said += f"; ⏹️ not asked to the end: {code(report.incomplete_reason)}"
    alone = [code(case.first.id) for case in comparison.alone(place)]
    return said + (f"; alone in {len(alone)}: {', '.join(alone)}" if alone else "")


def _compared(comparison: Comparison, numbers: Sequence[str]) -> Iterator[str]:
    if together := [group for group in comparison.groups if len(group) > 1]:
        engines = (" and ".join(numbers[place] for place in group) for group in together)
        yield "\n".join(f"- {named} answer every case alike." for named in engines)
    if comparison.issues:
        settled = [
            [_issue(each.issue), *(" or ".join(map(cell, choices)) or "-" for choices in each.choices)]
            for each in comparison.issues
        ]
        yield _table("**Issues that part them**", ["issue", *numbers], settled)
    contradictions = [
        f"- {number}: its answers to {' and '.join(code(short_key(key)) for key in keys)} contradict each other."
        for number, sets in zip(numbers, comparison.contradictions, strict=True)
        for keys in sets
    ]
    if contradictions:
        yield "\n".join(contradictions)
    for kind, title in _KINDS.items():
        rows: list[list[str]] = []
        for case in comparison.of_kind(kind):
            if kind != "alike" or not case.all_passed:
                verdicts = [
                    f"{case.letter(place) or '-'} {SIGNS[verdict]} {verdict}" if verdict else "not in this run"
                    for place, verdict in enumerate(case.verdicts)
                ]
                rows.append([cell(f"{case.first.id} {case.first.title}"), *verdicts])
        for start in range(0, len(rows), _ROWS):
            yield _table(f"**{title}**", ["case", *numbers], rows[start : start + _ROWS])


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already, below its title if it has one."""
    lines = [head, [":--"] * len(head), *rows]
    return "\n".join([*([title, ""] if title else ()), *(f"| {' | '.join(cells)} |" for cells in lines)])


def _issue(issue: str) -> str:
    return cell(f"{issue} {EVERY_ISSUE[issue].title}")


def _inferred(report: InferenceReport) -> Iterator[str]:
    settled = [
        [_issue(issue), " or ".join(map(cell, report.played(issue))), listed([*map(cell, report.proof[issue])], _SHOWN)]
        for issue in settled_issues(report)
    ]
    doubts = [[_issue(issue), cell(doubt)] for issue in report.choices if (doubt := report.statement(issue).doubt)]
    left: list[list[str]] = []
    for issue, why in report.open.items():
        choices = report.choices[issue]
        is_any = len(choices) == len(EVERY_ISSUE[issue].choices)
        left.append([_issue(issue), "any" if is_any else " or ".join(map(cell, choices)), cell(why)])
    for head, rows in (
        (["issue", "choice", "cases that prove it"], settled),
        (["not as the cases have it", "why"], doubts),
        (["open issue", "choices left", "why"], left),
    ):
        if rows:
            yield _table("", head, rows)
    yield from bug_sentences(report, code)
    cases = cases_by_key(report)
    for keys in report.contradictions:
        lines = ["**These answers contradict each other:**", ""]
        for key in keys:
            fits = (f"{code(issue)} {' or '.join(map(code, names))}" for issue, names in cases[key].choices.items())
            lines.append(f"- {code(key)}: {'; '.join(fits) or 'its choices for one issue depend on those for another'}")
        yield "\n".join(lines)
    if report.bugs:
        yield f"{SIGNS['failed']} **Wrong under every ruleset:** {', '.join(map(code, report.bugs))}"
    if report.unsupported:
        yield f"{SIGNS['unsupported']} **Not answered:** {', '.join(map(code, report.unsupported))}"
