"""The report as one HTML page, for people. It loads nothing, and runs nothing but its own script."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple, cast

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ..reference_engine import standard_board
from .board_pictures import Pictures, board_style, draw_phase, is_as_expected, legend, map_for_all
from .boardmap.symbols import power_class
from .claim import claim, count_in_words, known_suite, suite_label
from .issue_rows import IssueRow, chapters, issue_rows
from .phase_rows import OrderRow, board_rows, order_rows
from .report import VERDICTS, CaseData, PhaseData, Report, Verdict
from .text import printable_report


class VerdictText(NamedTuple):
    """How a verdict is shown beside its name."""

    sign: str
    meaning: str


VERDICT_TEXTS: Mapping[Verdict, VerdictText] = {
    "passed": VerdictText("✓", "the answer is the one expected under the ruleset in force"),
    "deviated": VerdictText("≠", "it is the one expected under another choice of an issue"),
    "failed": VerdictText("✗", "it is right under no choice at all: a bug"),
    "declared": VerdictText("§", "not passed, and the engine's author says so"),
    "unsupported": VerdictText("○", "the engine said that it cannot"),
    "error": VerdictText("!", "the engine crashed, hung or answered nonsense"),
    "not-run": VerdictText("…", "the engine was not asked"),
}

READING_PLACES: Mapping[str, tuple[str, str]] = {
    "datc-3.1": ("https://webdiplomacy.net/doc/DATC_v3_0.html", "edition 3.0, online"),
    "datc-2.4": ("http://web.inter.nl.net/users/L.B.Kruijswijk/", "online"),
}
"""Where single cases and issues of a suite can be read, each at its id, and which edition stands there."""

_WEB_ADDRESS = re.compile(r"https?://[^\s/?#]+[^\s]*", re.IGNORECASE)


class PhaseView(NamedTuple):
    """A phase as it is shown."""

    data: PhaseData
    pictures: Pictures
    orders: list[OrderRow]
    as_expected: bool


class CaseView(NamedTuple):
    """A case as it is shown."""

    data: CaseData
    anchor: str
    phases: list[PhaseView]


class SectionView(NamedTuple):
    """A section of a suite as it is shown."""

    anchor: str
    key: str
    """It in the page's address, when it is filtered for."""
    id: str
    title: str
    suite: str
    cases: list[CaseView]


def render_html(report: Report) -> bytes:
    """Render a report as one HTML page in UTF-8."""
    report = printable_report(report)
    environment = _environment()
    style = Markup(_style(environment))  # noqa: S704 - the project's own
    script = Markup(_source(environment, "report.js"))  # noqa: S704 - the project's own
    rows = issue_rows(report)
    anchors = _anchors(report.cases)
    text = environment.get_template("report.html").render(
        report=report,
        claim=claim(report),
        policy=_policy(style, script),
        style=style,
        script=script,
        anchors=anchors,
        issues=chapters([row for row in rows if row.seen != "not-shown"]),
        unseen=[row for row in rows if row.seen == "not-shown"],
        own_choices=[row for row in rows if row.preset],
        known_issues={row.id: row for row in rows},
        sections=_sections(report.cases, anchors),
        suites=_suites(report.cases),
        map_for_all=map_for_all(),
        legend=legend(),
    )
    return text.encode()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("datc.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    helpers: dict[str, object] = {
        "board_rows": board_rows,
        "count_in_words": count_in_words,
        "issue_anchor": _issue_anchor,
        "power_class": power_class,
        "power_name": standard_board().power_name,
        "reading_place": _reading_place,
        "suite_label": suite_label,
        "verdict_texts": VERDICT_TEXTS,
        "verdicts": VERDICTS,
        "web_address": _web_address,
    }
    cast("dict[str, object]", environment.globals).update(helpers)
    return environment


def _source(environment: Environment, name: str) -> str:
    loader = environment.loader
    assert loader is not None  # noqa: S101 - the environment was made with one
    return loader.get_source(environment, name)[0]


def _style(environment: Environment) -> str:
    """The style of the page and of its boards."""
    return board_style() + environment.get_template("report.css").render()


def _policy(style: str, script: str) -> str:
    """Forbid everything but this style and this script, so that nothing that slips into the page could do a thing."""
    return (
        f"default-src 'none'; style-src {_source_hash(style)}; script-src {_source_hash(script)}; img-src data:; "
        + "base-uri 'none'; form-action 'none'"
    )


def _source_hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _web_address(url: str) -> str | None:
    """Let only web addresses become links."""
    return url if _WEB_ADDRESS.fullmatch(url) else None


def _issue_anchor(issue: str) -> str:
    return f"issue:{issue}"


def _reading_place(suite: str, place: str) -> tuple[str, str] | None:
    """Where to read a case or an issue, and in which edition."""
    if suite not in READING_PLACES:
        return None
    url, edition = READING_PLACES[suite]
    return f"{url}#{place}", edition


def _anchors(cases: Iterable[CaseData]) -> dict[tuple[str, str], str]:
    """Name the place of each case by its id. Where two suites share one, the later goes by its suite too."""
    anchors: dict[tuple[str, str], str] = {}
    for case in cases:
        taken = case.id in anchors.values()
        anchors[case.suite, case.id] = f"{case.suite}:{case.id}" if taken else case.id
    return anchors


def _sections(cases: Sequence[CaseData], anchors: Mapping[tuple[str, str], str]) -> list[SectionView]:
    sections: dict[tuple[str, str], SectionView] = {}
    for number, case in enumerate(cases):
        place = (case.suite, case.section)
        if place not in sections:
            taken = any(view.key == case.section for view in sections.values())
            key = f"{case.suite}:{case.section}" if taken else case.section
            sections[place] = SectionView(
                f"section-{len(sections) + 1}", key, case.section, case.section_title, case.suite, []
            )
        sections[place].cases.append(_case_view(case, anchors[case.suite, case.id], number))
    return list(sections.values())


def _case_view(case: CaseData, anchor: str, number: int) -> CaseView:
    phases: list[PhaseView] = []
    for index, phase in enumerate(case.phases):
        name = f"{case.id}, {phase.season} {phase.year}, {phase.phase}"
        pictures = draw_phase(phase, name, f"board-{number}-{index}")
        phases.append(PhaseView(phase, pictures, order_rows(phase), is_as_expected(phase)))
    return CaseView(case, anchor, phases)


def _suites(cases: Iterable[CaseData]) -> list[tuple[str, str]]:
    """Each suite that was asked, and where it is published."""
    names = dict.fromkeys(case.suite for case in cases)
    return [(name, suite.url if (suite := known_suite(name)) else "") for name in names]


__all__ = ["READING_PLACES", "VERDICT_TEXTS", "IssueRow", "render_html"]
