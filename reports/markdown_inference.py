"""Which rules an engine plays, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..cases import load_issues
from .claim import inference_claim
from .inference import InferenceReport, cases_by_key
from .markdown import SIGNS, cell, code, engine_name, fit
from .text import printable_struct

_PROOF = 6
"""Of the cases that prove something, so many are named."""


def render_markdown_inference(inference: InferenceReport) -> bytes:
    """Render what was inferred of an engine as GitHub Markdown in UTF-8, small enough for a comment."""
    report = printable_struct(inference)
    claim = inference_claim(report)
    asked = f"{report.asked} cases were asked, {'every one' if report.every_case else 'as long as they told something'}"
    head = f"### {code(engine_name(report))}: {claim.words}\n\n{claim.detail}\n\n{asked}.\n"
    return fit(head, list(_blocks(report)), "parts")


def _blocks(report: InferenceReport) -> Iterator[str]:
    settled = [issue for issue, choices in report.choices.items() if len(choices) == 1]
    if settled:
        rows = [
            f"| {_issue(issue)} | {cell(report.choices[issue][0])} | {_named(report.proof[issue])} |"
            for issue in settled
        ]
        yield "\n".join(["| issue | choice | cases that prove it |", "| :-- | :-- | :-- |", *rows])
    if report.open:
        rows = [f"| {_issue(issue)} | {_left(report, issue)} | {cell(why)} |" for issue, why in report.open.items()]
        yield "\n".join(["| open issue | choices left | why |", "| :-- | :-- | :-- |", *rows])
    cases = cases_by_key(report)
    for keys in report.contradictions:
        fits = [f"- {code(key)}: {_fits(cases[key].choices)}" for key in keys]
        yield "\n".join(["**No one ruleset gives these answers together:**", "", *fits])
    if report.bugs:
        yield f"{SIGNS['failed']} **Right under no ruleset:** {', '.join(map(code, report.bugs))}"
    if report.unsupported:
        yield f"{SIGNS['unsupported']} **Not answered:** {', '.join(map(code, report.unsupported))}"


def _issue(issue: str) -> str:
    return cell(f"{issue} {load_issues()[issue].title}")


def _named(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - _PROOF} more" if len(keys) > _PROOF else ""
    return ", ".join(map(cell, keys[:_PROOF])) + more


def _left(report: InferenceReport, issue: str) -> str:
    choices = report.choices[issue]
    if len(choices) == len(load_issues()[issue].choice):
        return "any"
    return " or ".join(map(cell, choices))


def _fits(choices: dict[str, list[str]]) -> str:
    if not choices:
        return "its choices for one issue depend on those for another"
    return "; ".join(f"{code(issue)} {' or '.join(map(code, names))}" for issue, names in choices.items())
