"""A report, a comparison, an inference and a rules page as one HTML page each, for people.

All pages have one way to escape, one style, one script, and a policy that lets nothing else in: a page loads nothing,
and runs nothing but its own script.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec
from markupsafe import Markup

from ..cases import load_issues
from ..cases.suite import USUAL_EDITION
from ..reference_engine import Board, standard_board
from ..reference_engine.errors import printable
from .boardmap.drawing import draw_legend, page_style, shared_map, size_style
from .boardmap.geography import make_environment
from .boardmap.style import power_class
from .comparison import KINDS, Agreement, Comparison, IssueComparison, Kind
from .findings import Findings
from .html_cases import (
    PackedBoards,
    anchors_of,
    answer_text,
    board_rows,
    boards_of,
    case_views,
    compared_case,
    examples,
    groups_of,
    request_text,
    sections_of,
    suites_of,
)
from .inference import InferenceReport, cases_by_key
from .preferences import (
    BASES,
    IssueRow,
    PreferencesPage,
    agreement,
    chapters,
    closeness,
    differences,
    document_name,
    issue_rows,
    own_choices,
    preset_choices,
    with_changes_first,
)
from .report import VERDICTS, CaseData, Report, Verdict, counted, summarize
from .text import printable_struct
from .vocabulary import WORDING
from .wording import (
    URGENCY,
    VERDICT_TEXTS,
    bug_sentences,
    claim,
    comparison_claim,
    inference_claim,
    issue_counts,
    placement_text,
    restart_lines,
    suite_label,
)

if TYPE_CHECKING:
    from jinja2 import Environment


SEARCH_KINDS: Mapping[Verdict, str] = WORDING["causes"]
"""What the verdicts mean of the causes that a hunt or a shadow found."""


class Toggle(NamedTuple):
    """A button of the filter, which shows the cases of one kind alone; the bar at the top has a part for each."""

    name: str
    """It in the page's address, and its colours."""
    sign: str
    words: str
    cases: int


READING_PLACES: Mapping[str, Sequence[str]] = WORDING["places"]
"""Where the cases and issues of a suite can be read, `{}` being the id, and which edition is there."""

_KINDS: Mapping[Kind, tuple[str, str]] = {
    "differing": ("≠", "they differ"),
    "words": ("≈", "same boards, other outcomes of orders"),
    "unanswered": ("○", "not all answered"),
    "alike": ("=", "all alike"),
}
_STEPS = (0.7, 0.8, 0.9, 0.95)
"""The shares of cases answered alike at which the colour changes."""

_SCRIPTS = ("theme.js", "boards.js", "cases.js")
"""What a page runs, in this order."""
_WEB_ADDRESS = re.compile(r"https?://[^\s/?#]+[^\s]*", re.IGNORECASE)


def render_page(
    template: str, packed: PackedBoards | None = None, boards: Iterable[Board] = (), **values: object
) -> bytes:
    """Render a page in UTF-8. It loads nothing, and runs nothing but its own script.

    The boards of the page that are packed away are a JSON list, packed with gzip and written in base64. `boards` are
    those that cases of the page are on; the standard one is on every page.
    """
    environment = _environment()
    loader = environment.loader
    assert loader is not None  # noqa: S101 - the environment was made with one
    style = Markup(page_style() + environment.get_template("report.css").render())  # noqa: S704 - the project's own
    sources = (loader.get_source(environment, name)[0] for name in _SCRIPTS)
    script = Markup("".join(sources))  # noqa: S704 - the project's own
    compressed = gzip.compress(msgspec.json.encode([*packed]), mtime=0) if packed else b""
    # Nothing but this style and this script, so that nothing that slips into the page could do a thing.
    allowed = f"style-src {_source_hash(style)}; script-src {_source_hash(script)}; img-src data:"
    text = environment.get_template(template).render(
        policy=f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'",
        style=style,
        script=script,
        map_for_all=Markup(shared_map(*dict.fromkeys([standard_board(), *boards]))),  # noqa: S704 - nothing in it comes from outside
        legend=Markup(draw_legend()),  # noqa: S704 - nothing in it comes from outside
        packed_boards=base64.b64encode(compressed).decode(),
        **values,
    )
    return text.encode()


def _source_hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _environment() -> Environment:
    environment = make_environment()
    of_cases = (answer_text, board_rows, request_text)
    others = (
        agreement,
        counted,
        document_name,
        power_class,
        preset_choices,
        placement_text,
        restart_lines,
        suite_label,
    )
    own = (_reading_place, _verdict_toggles, _web_address)
    known = cast("dict[str, object]", environment.globals)
    known.update({helper.__name__.lstrip("_"): helper for helper in (*of_cases, *others, *own)})
    known.update(issue_anchor="issue:{}".format)
    known.update(verdict_texts=VERDICT_TEXTS, verdicts=VERDICTS)
    cast("dict[str, object]", environment.filters)["printable"] = printable
    cast("dict[str, object]", environment.tests)["block"] = _is_block
    return environment


def _is_block(block: object, kind: str) -> bool:
    return type(block).__name__ == kind


def _web_address(url: str) -> str | None:
    """Let only web addresses become links."""
    return url if _WEB_ADDRESS.fullmatch(url) else None


def _reading_place(suite: str, place: str) -> tuple[str, str] | None:
    if suite not in READING_PLACES:
        return None
    url, edition = READING_PLACES[suite]
    return url.format(place), edition


def _verdict_toggles(summary: Mapping[Verdict, int]) -> list[Toggle]:
    return [
        Toggle(verdict, VERDICT_TEXTS[verdict].sign, verdict, summary[verdict])
        for verdict in URGENCY
        if summary[verdict]
    ]


def _case_list(
    report: Report | InferenceReport, cases: Sequence[CaseData], summary: Mapping[Verdict, int]
) -> dict[str, Any]:
    """What a page that shows the cases of one engine needs of them."""
    anchors = anchors_of(cases)
    packed: PackedBoards = {}
    views = case_views(report, cases, anchors, packed)
    return {
        "anchors": anchors,
        "suites": suites_of(cases),
        "sections": sections_of(cases),
        "toggles": _verdict_toggles(summary),
        "groups": groups_of(views, lambda view: view.data.verdict, URGENCY),
        "packed": packed,
        "boards": boards_of(cases),
        "group_words": SEARCH_KINDS if isinstance(report, Report) and report.search is not None else {},
    }


def render_html(report: Report) -> bytes:
    """Render a report as one HTML page in UTF-8."""
    report = printable_struct(report)
    rows = issue_rows(report)
    return render_page(
        "report.html",
        report=report,
        claim=claim(report),
        issues=chapters([row for row in rows if row.seen != "not-shown"]),
        unseen=[row for row in rows if row.seen == "not-shown"],
        own_choices=[row for row in rows if row.preset],
        known_issues={row.id: row for row in rows},
        **_case_list(report, report.cases, report.summary),
    )


def render_html_comparison(comparison: Comparison) -> bytes:
    """Render what several runs show of their engines as one HTML page in UTF-8."""
    reports = comparison.reports
    cases = [case.first for case in comparison.cases]
    anchors = anchors_of(cases)
    shown = [case for case in comparison.cases if case.kind != "alike" or not case.all_passed]
    views = [compared_case(case, anchors[case.key], f"board-{number}") for number, case in enumerate(shown)]
    groups = groups_of(views, lambda view: view.data.kind, KINDS)
    return render_page(
        "comparison.html",
        reports=reports,
        comparison=comparison,
        names=[f"{number} {report.engine.name}" for number, report in enumerate(reports, 1)],
        claim=comparison_claim(comparison),
        toggles=[Toggle(kind, *_KINDS[kind], len(of_kind)) for kind in KINDS if (of_kind := comparison.of_kind(kind))],
        shown_toggles=[Toggle(kind, *_KINDS[kind], len(groups[kind])) for kind in KINDS if kind in groups],
        level=_level,
        parting={each.issue for each in comparison.issues},
        engines_by_choice=_engines_by_choice,
        anchors=anchors,
        by_key={case.key: case for case in cases},
        has_article={anchors[case.key] for case in shown},
        known_issues={issue: IssueRow(issue) for issue in load_issues()},
        sections=sections_of(case.first for case in shown),
        groups=groups,
        group_words={kind: words for kind, (_, words) in _KINDS.items()},
        suites=suites_of(cases),
        boards=boards_of(cases),
    )


def render_html_inference(inference: InferenceReport) -> bytes:
    """Render what was inferred of an engine as one HTML page in UTF-8."""
    report = printable_struct(inference)
    rows = {issue: IssueRow(issue) for issue in report.choices}
    by_key = cases_by_key(report)

    def cases_of(keys: Iterable[str]) -> list[CaseData]:
        return [by_key[key] for key in keys]

    telling = {key for keys in (*report.proof.values(), *report.contradictions) for key in keys}
    telling.update(report.bugs, report.unsupported)
    shown = [case for key, case in by_key.items() if key in telling]
    cases = sorted(shown, key=lambda case: (case.suite != USUAL_EDITION, case.suite, case.file, case.line))
    return render_page(
        "inference.html",
        report=report,
        claim=inference_claim(report),
        issue_counts=[Toggle(name, "", name, count) for name, count in issue_counts(report).items() if count],
        issues=chapters([*rows.values()]),
        known_issues=rows,
        bugs=list(bug_sentences(report)),
        cases=cases,
        cases_of=cases_of,
        **_case_list(report, cases, summarize(cases)),
    )


def render_html_findings(findings: Findings[object]) -> bytes:
    """Render findings as a page of their own in UTF-8, without a script."""
    return _environment().get_template("findings.html").render(parts=findings.parts, sizes=size_style()).encode()


def render_html_preferences(page: PreferencesPage) -> bytes:
    """Render a rules page as HTML in UTF-8."""
    page = printable_struct(page)
    return render_page(
        "preferences.html",
        page=page,
        heading=page.title,
        basis=BASES[page.basis],
        own_choices=own_choices(page),
        chapters=with_changes_first(page),
        closeness=closeness(page),
        differences=differences(page),
        examples=examples(page.preferences),
    )


def _engines_by_choice(issue: IssueComparison) -> list[tuple[tuple[str, ...], list[int]]]:
    """The engines, by their place, that settle an issue in the same way; last those whose choice is unknown."""
    found: dict[tuple[str, ...], list[int]] = {}
    for place, choices in enumerate(issue.choices):
        found.setdefault(choices, []).append(place)
    return sorted(found.items(), key=lambda item: not item[0])


def _level(found: Agreement) -> int:
    return bisect_right(_STEPS, found.alike / found.both) if found.both else 0
