"""What the cases of a run say of each issue: the author's preferences, and the engine's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, TypeVar

from ..cases import ChoiceText, IssueText, UnknownRulesetError, load_issues, load_ruleset, load_suite
from .report import CaseData, Report

Seen: TypeAlias = Literal["as-declared", "otherwise", "contradictory", "no-choice", "not-shown"]


@dataclass(frozen=True)
class IssueRow:
    """What the cases say of an issue."""

    id: str
    declared: str
    """The choice in force; empty without an answer."""
    preset: str
    """The choice of the ruleset's own, where the one in force is another."""
    cases: list[CaseData]
    """Those that tell its choices apart."""

    @property
    def text(self) -> IssueText:
        """Its title, question and choices."""
        return issue_text(self.id)

    @property
    def known_choices(self) -> list[ChoiceText]:
        """All the ways to settle it."""
        return self.text.choice

    @property
    def seen(self) -> Seen:
        """What the engine was seen to do."""
        if not self.cases:
            return "not-shown"
        if not self.telling:
            return "no-choice"
        if not self.fitting:
            return "contradictory"
        return "as-declared" if not self.declared or self.declared in self.fitting else "otherwise"

    @property
    def telling(self) -> list[CaseData]:
        """The cases whose answer fits some choice."""
        return [case for case in self.cases if case.choices[self.id]]

    @property
    def fitting(self) -> list[str]:
        """The choices that the answers to all of these fit."""
        return self._fitting_as_many_as(len(self.telling)) if self.telling else []

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
        return [case for case in self.telling if self.declared in case.choices[self.id]]

    @property
    def otherwise(self) -> list[CaseData]:
        """The cases whose answer fits other choices only."""
        return [case for case in self.telling if self.declared not in case.choices[self.id]]

    def sentence(self, choice: str) -> str:
        """Say in a sentence for players what a choice is; nothing of one that is not known."""
        return self.text.sentence(choice)

    @property
    def _counts(self) -> Counter[str]:
        return Counter(choice for case in self.cases for choice in set(case.choices[self.id]))

    def _fitting_as_many_as(self, count: int) -> list[str]:
        known = [choice.key for choice in self.known_choices]
        found = {choice for choice, cases in self._counts.items() if cases == count}
        return [choice for choice in known if choice in found] + sorted(found.difference(known))


def issue_rows(report: Report) -> list[IssueRow]:
    """A row for each issue that the ruleset settles or a case tells apart, in the order of the documents."""
    by_issue: dict[str, list[CaseData]] = {}
    for case in report.cases:
        for issue in case.choices:
            by_issue.setdefault(issue, []).append(case)
    preset = preset_choices(report.ruleset.name)
    in_force = report.ruleset.choices
    order = [*load_issues(), *sorted({*in_force, *by_issue} - load_issues().keys())]
    rows: list[IssueRow] = []
    for issue in order:
        if issue in in_force or issue in by_issue:
            declared = in_force.get(issue, "")
            own = declared and preset.get(issue, declared) != declared
            rows.append(IssueRow(issue, declared, preset[issue] if own else "", by_issue.get(issue, [])))
    return rows


class _OfIssue(Protocol):
    """Something that is said of an issue."""

    @property
    def id(self) -> str:
        """The issue."""
        ...


_OfIssueT = TypeVar("_OfIssueT", bound=_OfIssue)


def chapters(rows: Sequence[_OfIssueT]) -> dict[str, list[_OfIssueT]]:
    """The rows by chapter, such as "4.A Convoys"."""
    titles = {section.id: section.title for section in load_suite("extended").sections}
    by_chapter: dict[str, list[_OfIssueT]] = {}
    for row in rows:
        chapter = row.id.rpartition(".")[0]
        by_chapter.setdefault(f"{chapter} {titles[chapter]}" if chapter in titles else "Others", []).append(row)
    return by_chapter


def issue_text(issue: str) -> IssueText:
    """The title, question and choices of an issue; an empty text for one that is not known."""
    return load_issues().get(issue) or IssueText(issue, "", "", [])


def preset_choices(ruleset: str) -> dict[str, str]:
    """What a ruleset of the project settles by itself; nothing for another."""
    try:
        cells = load_ruleset(ruleset).choices
    except UnknownRulesetError:
        return {}
    return {issue: cell.choice for issue, cell in cells.items()}
