"""Several engines compared, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..cases import load_issues
from .claim import comparison_claim
from .comparison import CaseComparison, Comparison, IssueComparison
from .markdown import SIGNS, cell, code, engine_name, fit
from .report import VERDICTS

_ROWS = 25
"""The rows of a table: what does not fit is left out a table at a time."""


def render_markdown_comparison(comparison: Comparison) -> bytes:
    """Render what several runs show of their engines as GitHub Markdown in UTF-8, small enough for a comment."""
    claim = comparison_claim(comparison)
    engines = "\n".join(_engine(comparison, place) for place in range(len(comparison.reports)))
    said = f"**{claim.words}.** {claim.detail}"
    head = f"### {len(comparison.reports)} engines side by side\n\n{engines}\n\n{said}\n\n{_agreement(comparison)}\n"
    return fit(head, list(_blocks(comparison)), "tables")


def _engine(comparison: Comparison, place: int) -> str:
    report = comparison.reports[place]
    verdicts = ", ".join(
        f"{SIGNS[verdict]} {report.summary[verdict]} {verdict}" for verdict in VERDICTS if report.summary[verdict]
    )
    ended = "" if report.complete else f"; ⏹️ not asked to the end: {code(report.incomplete_reason)}"
    answered = f"answered {comparison.answered(place)} of {len(comparison.cases)} cases"
    alone = [code(case.first.id) for case in comparison.alone(place)]
    stands_alone = f"; alone in {len(alone)}: {', '.join(alone)}" if alone else ""
    asked = f"asked for {code(report.ruleset.name)}"
    return f"{place + 1}. {code(engine_name(report))}, {asked}, {answered}{_after(verdicts)}{ended}{stands_alone}"


def _after(text: str) -> str:
    return f": {text}" if text else ""


def _agreement(comparison: Comparison) -> str:
    places = range(len(comparison.reports))
    rows = [
        [str(one + 1), *("" if one == other else _alike(comparison, one, other) for other in places)] for one in places
    ]
    return "\n".join(["Cases answered alike, of those that both answered:", "", *_table(["", *_numbers(places)], rows)])


def _alike(comparison: Comparison, one: int, other: int) -> str:
    found = comparison.agreement(one, other)
    return f"{found.alike} of {found.both}" if found.both else "-"


def _blocks(comparison: Comparison) -> Iterator[str]:
    places = range(len(comparison.reports))
    together = [group for group in comparison.groups if len(group) > 1]
    if together:
        yield "\n".join(f"- {' and '.join(_numbers(group))} answer every case alike." for group in together)
    if comparison.issues:
        rows = [_issue(issue) for issue in comparison.issues]
        yield "\n".join(["**Issues that part them**", "", *_table(["issue", *_numbers(places)], rows)])
    contradictions = [
        f"- {place + 1}: no one ruleset gives its answers to {_keys(keys)}."
        for place, sets in enumerate(comparison.contradictions)
        for keys in sets
    ]
    if contradictions:
        yield "\n".join(contradictions)
    for title, cases in (
        ("Cases in which they differ (the same letter is the same answer)", comparison.of_kind("differing")),
        ("Cases that not all answered, and those who did alike", comparison.of_kind("unanswered")),
        ("Cases that all answered alike, and not all pass", _not_passed(comparison)),
    ):
        for start in range(0, len(cases), _ROWS):
            rows = [_case(case) for case in cases[start : start + _ROWS]]
            yield "\n".join([f"**{title}**", "", *_table(["case", *_numbers(places)], rows)])


def _not_passed(comparison: Comparison) -> tuple[CaseComparison, ...]:
    return tuple(case for case in comparison.of_kind("alike") if not case.all_passed)


def _issue(issue: IssueComparison) -> list[str]:
    stands = [" or ".join(map(cell, stand.choices)) if stand is not None else "-" for stand in issue.stands]
    return [cell(f"{issue.issue} {load_issues()[issue.issue].title}"), *stands]


def _case(case: CaseComparison) -> list[str]:
    verdicts = [
        f"{case.letter(place) or '-'} {SIGNS[verdict]} {verdict}" if verdict else "not in this run"
        for place, verdict in enumerate(case.verdicts)
    ]
    return [cell(f"{case.first.id} {case.first.title}"), *verdicts]


def _keys(keys: Iterable[str]) -> str:
    return " and ".join(code(key.removeprefix("datc-3.1/")) for key in keys)


def _numbers(places: Iterable[int]) -> list[str]:
    return [str(place + 1) for place in places]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [_row(head), _row([":--"] * len(head)), *map(_row, rows)]


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
