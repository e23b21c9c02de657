"""The report as one HTML page, for people. It loads nothing and runs nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from jinja2 import Environment, PackageLoader, StrictUndefined

from ..reference_engine import ISSUES, standard_board
from .report import VERDICTS, CaseData, Report, UnitData, Verdict, statement
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

_WEB_ADDRESS = re.compile(r"https?://[^\s/?#]+[^\s]*", re.IGNORECASE)


def render_html(report: Report) -> bytes:
    """Render a report as one HTML page in UTF-8."""
    report = printable_report(report)
    page = _environment().get_template("report.html")
    text = page.render(
        report=report,
        statement=statement(report),
        anchors=_anchors(report.cases),
        issues=_issue_rows(report),
        sections=_sections(report.cases),
        verdicts=VERDICTS,
        verdict_texts=VERDICT_TEXTS,
        board_rows=_board_rows,
        issue_title=_issue_title,
        power_name=standard_board().power_name,
        web_address=_web_address,
    )
    return text.encode()


def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("datc.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _web_address(url: str) -> str | None:
    """Let only web addresses become links."""
    return url if _WEB_ADDRESS.fullmatch(url) else None


def _issue_title(issue: str) -> str:
    return ISSUES[issue].title if issue in ISSUES else ""


def _anchors(cases: Iterable[CaseData]) -> dict[tuple[str, str], str]:
    """Name the place of each case by its id. Where two suites share one, the later goes by its suite too."""
    anchors: dict[tuple[str, str], str] = {}
    for case in cases:
        taken = case.id in anchors.values()
        anchors[case.suite, case.id] = f"{case.suite}:{case.id}" if taken else case.id
    return anchors


def _sections(cases: Iterable[CaseData]) -> dict[tuple[str, str], list[CaseData]]:
    sections: dict[tuple[str, str], list[CaseData]] = {}
    for case in cases:
        sections.setdefault((case.suite, case.section), []).append(case)
    return sections


@dataclass(frozen=True)
class IssueRow:
    """What the cases say of an issue."""

    id: str
    declared: str
    cases: list[CaseData]
    """Those that tell its choices apart."""

    @property
    def fitting(self) -> list[str]:
        """The choices that the answers to all cases fit."""
        return self._fitting_as_many_as(len(self.cases))

    @property
    def fitting_none(self) -> list[CaseData]:
        """The cases whose answer fits no choice."""
        return [case for case in self.cases if not case.choices[self.id]]

    @property
    def closest(self) -> list[str]:
        """The choices that the answers to the most cases fit."""
        return self._fitting_as_many_as(self.closest_count) if self.closest_count else []

    @property
    def closest_count(self) -> int:
        """How many cases the closest choices fit."""
        return max(self._counts.values(), default=0)

    @property
    def as_declared(self) -> list[CaseData]:
        """The cases whose answer fits the declared choice."""
        return [case for case in self.cases if self.declared in case.choices[self.id]]

    @property
    def otherwise(self) -> list[CaseData]:
        """The cases whose answer does not fit the declared choice."""
        return [case for case in self.cases if self.declared not in case.choices[self.id]]

    @property
    def _counts(self) -> Counter[str]:
        return Counter(choice for case in self.cases for choice in set(case.choices[self.id]))

    def _fitting_as_many_as(self, count: int) -> list[str]:
        known = ISSUES[self.id].choices if self.id in ISSUES else ()
        found = {choice for choice, cases in self._counts.items() if cases == count}
        return [choice for choice in known if choice in found] + sorted(found.difference(known))


def _issue_rows(report: Report) -> list[IssueRow]:
    by_issue: dict[str, list[CaseData]] = {}
    for case in report.cases:
        for issue in case.choices:
            by_issue.setdefault(issue, []).append(case)
    return [IssueRow(issue, report.ruleset.choices.get(issue, ""), by_issue[issue]) for issue in sorted(by_issue)]


Mark: TypeAlias = Literal["", "missing", "unexpected"]


class MarkedUnit(NamedTuple):
    """A unit, and whether the other board lacks it."""

    unit: UnitData
    mark: Mark


class BoardRow(NamedTuple):
    """The units of a power, as expected and as the engine has them."""

    power: str
    expected: list[MarkedUnit]
    got: list[MarkedUnit]


def _board_rows(expected: Sequence[UnitData] | None, got: Sequence[UnitData] | None) -> list[BoardRow]:
    """Set two boards side by side, power by power. Nothing is marked where either was not said."""
    comparable = expected is not None and got is not None
    left = _marked(expected or (), got or (), "missing" if comparable else "")
    right = _marked(got or (), expected or (), "unexpected" if comparable else "")
    powers = sorted({marked.unit.power for marked in (*left, *right)})
    return [BoardRow(power, _of(power, left), _of(power, right)) for power in powers]


def _marked(units: Sequence[UnitData], others: Sequence[UnitData], mark: Mark) -> list[MarkedUnit]:
    left_over = Counter(others)
    marked: list[MarkedUnit] = []
    for unit in sorted(units):
        marked.append(MarkedUnit(unit, "" if left_over[unit] > 0 else mark))
        left_over[unit] -= 1
    return marked


def _of(power: str, units: Iterable[MarkedUnit]) -> list[MarkedUnit]:
    return [marked for marked in units if marked.unit.power == power]
