"""The rules that an engine plays: what a run shows of each issue, and the page of rules for players to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec
from markupsafe import Markup

from ..cases import Case, load_issues, load_ruleset, load_suite, ruleset_names
from ..cases.choice_coverage import cases_that_show
from ..cases.errors import UnknownRulesetError, UnknownSuiteError
from ..cases.rulesets import ChoiceText, IssueText, RulesetText
from ..cases.tables import USUAL_EDITION
from ..reference_engine import DATC_3_2, GivenOrder, Ruleset, adjudicate, ruleset
from ..reference_engine.errors import ReferenceEngineError
from .boardmap import draw_board, scene_of_orders, window_around
from .report import CaseData, CaseName, InferenceReport, Report, cases_by_key, engine_name

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
        chapter = issue_text(row.id).chapter
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


Standing: TypeAlias = Literal["declared", "seen", "open", "contradicted"]
"""Declared by the author; shown by answers; left open by them; or contradicted by other answers or what is declared."""

_SUITES = (USUAL_EDITION, "extended")
"""Where the cases are that show a declared choice: another edition has the same ones again."""


Basis: TypeAlias = Literal["declared", "run", "inferred"]


class Preference(msgspec.Struct, frozen=True, kw_only=True):
    """How an issue is settled."""

    id: str
    """The issue."""
    standing: Standing
    declared: str = ""
    """What the author declares; empty where nothing is."""
    choices: list[str]
    """The choice made; several where it is open which, none where none fits."""
    cases: list[CaseName] = []
    """Those that show it: for a declared choice, those whose result another choice would change."""
    note: str = ""
    """What is open or contradicted, and why."""

    @property
    def text(self) -> IssueText:
        """Its title, question and choices."""
        return issue_text(self.id)


class PreferencesPage(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of one engine, or of a ruleset where no engine is named."""

    format: int = 1
    engine: str = ""
    """Name and version."""
    ruleset: str
    """The ruleset in force, from which single choices may differ."""
    basis: Basis
    preferences: list[Preference]
    remarks: list[str] = []
    """What limits the page as a whole, a sentence each: a run that did not finish, answers that fit no ruleset."""

    @property
    def settled(self) -> bool:
        """Whether nothing in it is contradicted."""
        return not self.remarks and all(each.standing != "contradicted" for each in self.preferences)


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """The documents that settle an issue in the same way."""

    stated: list[str]
    """Those that say so."""
    read: list[str]
    """Those that are silent or ambiguous, and are played so."""


def declared_page(rules: Ruleset, engine: str = "") -> PreferencesPage:
    """The page of what an author declares."""
    cases = [case for suite in _SUITES for case in load_suite(suite).cases]
    preferences = [
        Preference(
            id=issue,
            standing="declared",
            declared=choice,
            choices=[choice],
            cases=[CaseName(suite=case.suite, id=case.id) for case in cases_that_show(cases, rules.choices, issue)],
        )
        for issue, choice in rules.choices.items()
    ]
    return PreferencesPage(engine=engine, ruleset=rules.name, basis="declared", preferences=preferences)


def run_page(report: Report) -> PreferencesPage:
    """The page of what a run was held to, and what its cases showed of it."""
    remarks = [] if report.complete else [f"The run did not finish: {report.incomplete_reason}."]
    return PreferencesPage(
        engine=engine_name(report.engine),
        ruleset=report.ruleset.name,
        basis="run",
        preferences=[_seen_in_run(row) for row in issue_rows(report)],
        remarks=remarks,
    )


def _seen_in_run(row: IssueRow) -> Preference:
    declared = f"Declared is {row.declared}" if row.declared else "Nothing is declared"
    others = [choice for choice in row.fitting if choice != row.declared]
    match row.seen:
        case "not-shown":
            return _preference(row, "declared", [row.declared], (), "No case of the run shows it.")
        case "as-declared" if row.declared:
            note = f"These cases cannot distinguish it from {' or '.join(others)}." if others else ""
            return _preference(row, "seen", [row.declared], row.telling, note)
        case "as-declared":
            standing = "seen" if len(row.fitting) == 1 else "open"
            return _preference(row, standing, row.fitting, row.telling, f"{declared}; the answers fit this.")
        case "otherwise":
            note = f"{declared}, and the answers fit another choice only."
            return _preference(row, "contradicted", row.fitting, row.otherwise, note)
        case _:
            return _preference(row, "contradicted", [], row.cases, f"{declared}, and no choice fits all the answers.")


def inferred_page(inference: InferenceReport) -> PreferencesPage:
    """The page of what the answers of an engine show, whatever it declares: no ruleset is in force in it."""
    remarks = [f"Its answers to {' and '.join(keys)} contradict each other." for keys in inference.contradictions]
    if inference.bugs:
        remarks.append(f"Wrong under every ruleset: {', '.join(inference.bugs)}.")
    return PreferencesPage(
        engine=engine_name(inference.engine),
        ruleset="",
        basis="inferred",
        preferences=[_inferred(issue, inference) for issue in inference.choices],
        remarks=remarks,
    )


def _inferred(issue: str, inference: InferenceReport) -> Preference:
    choices, why_open = inference.choices[issue], inference.open.get(issue, "")
    contradicting = _contradicting(issue, inference)
    note = f"Answers that no choices fit together: {', '.join(contradicting)}." if contradicting else ""
    standing: Standing = "seen" if len(choices) == 1 else "contradicted" if contradicting else "open"
    if doubt := inference.statement(issue).doubt:
        standing, note = "contradicted", f"{doubt[0].upper()}{doubt[1:]}."
    elif standing == "seen" and issue in inference.evidence and inference.evidence[issue].strength == "untested":
        standing, why_open = "open", "the cases leave no other, and no new position could test it"
    if standing == "open":
        known = [choice.key for choice in load_issues()[issue].choice]
        note = f"{'Any choice fits' if choices == known else 'These fit'}: {why_open}."
    return Preference(
        id=issue,
        standing=standing,
        choices=[] if standing == "contradicted" else choices,
        cases=[CaseName.of_key(key) for key in inference.proof[issue]],
        note=note,
    )


def _contradicting(issue: str, inference: InferenceReport) -> Sequence[str]:
    """The cases of a contradiction that turns on this issue: the answers to two of them at least tell of it."""
    cases = cases_by_key(inference)
    for keys in inference.contradictions:
        if sum(issue in cases[key].choices for key in keys) > 1:
            return keys
    return ()


def _preference(
    row: IssueRow, standing: Standing, choices: list[str], cases: Iterable[CaseData], note: str
) -> Preference:
    shown = [CaseName(suite=case.suite, id=case.id) for case in cases]
    return Preference(id=row.id, standing=standing, declared=row.declared, choices=choices, cases=shown, note=note)


@cache
def _rulesets() -> Sequence[RulesetText]:
    return [load_ruleset(name) for name in ruleset_names()]


def agreement(issue: str, choice: str) -> Agreement:
    """Find the documents that make a choice, and those that are played so though they do not say it."""
    cells = {text.short_title: text.choices.get(issue) for text in _rulesets()}
    alike = {title: cell for title, cell in cells.items() if cell is not None and cell.choice == choice}
    return Agreement(
        stated=[title for title, cell in alike.items() if cell.basis == "stated"],
        read=[title for title, cell in alike.items() if cell.basis in ("silent", "ambiguous")],
    )


class Closeness(msgspec.Struct, frozen=True, kw_only=True):
    """How far a ruleset goes with a page."""

    title: str
    stated: int
    """The issues that its text settles as the page does."""
    read: int
    """Those on which its text is silent or ambiguous, and which are played in the same way under it."""
    differs: list[str]
    """Those that it settles or is played otherwise. One that is open on the page, and may be alike, counts nowhere."""


def closeness(preferences: Iterable[Preference]) -> list[Closeness]:
    """Say for each ruleset how many issues it settles as the page does, the closest first."""
    settled = {each.id: each.choices for each in preferences if each.choices}
    found: list[Closeness] = []
    for text in _rulesets():
        cells = {issue: cell for issue, cell in text.choices.items() if issue in settled}
        alike = [cell.basis for issue, cell in cells.items() if settled[issue] == [cell.choice]]
        differs = [issue for issue, cell in cells.items() if cell.choice not in settled[issue]]
        found.append(
            Closeness(
                title=text.short_title,
                stated=alike.count("stated"),
                read=alike.count("silent") + alike.count("ambiguous"),
                differs=differs,
            )
        )
    return sorted(found, key=lambda each: (len(each.differs), -each.stated))


def heading(page: PreferencesPage) -> str:
    """The title of a page."""
    return f"The rules of {page.engine or page.ruleset}"


def own_choices(page: PreferencesPage) -> list[str]:
    """The issues whose declared choice is not that of the ruleset in force."""
    preset = preset_choices(page.ruleset)
    return [each.id for each in page.preferences if each.declared and preset.get(each.id) not in (None, each.declared)]


BASES: Mapping[Basis, str] = {
    "declared": "The choices are the declared ones. The cases are those whose result another choice would change.",
    "run": "The choices are the declared ones. Each says what the cases of a run showed.",
    "inferred": "The choices are those that the engine's answers to the cases fit; what it declares was not looked at.",
}
"""Where what is on a page comes from."""


class Example(NamedTuple):
    """A board that shows a rule."""

    title: str
    svg: Markup


def examples(preferences: Iterable[Preference]) -> dict[str, Example]:
    """Draw an example for each issue that has one choice and a case of one phase that shows it."""
    settled = [each for each in preferences if len(each.choices) == 1 and each.cases]
    rules = _rules({each.id: each.choices[0] for each in settled})
    drawn = ((each.id, _draw(each, rules)) for each in settled) if rules is not None else ()
    return {issue: example for issue, example in drawn if example is not None}


def _rules(choices: Mapping[str, str]) -> Ruleset | None:
    """The ruleset with these choices; `None` where the reference engine does not know one of them."""
    try:
        return ruleset("page", {**DATC_3_2.choices, **choices})
    except ReferenceEngineError:
        return None


def _draw(preference: Preference, rules: Ruleset) -> Example | None:
    found = [case for name in preference.cases if (case := _find(name)) is not None]
    case = min(found, key=lambda each: len(each.phases[0].orders), default=None)
    position = case.phases[0].position if case is not None else None
    if case is None or position is None:
        return None
    orders = [GivenOrder(each.power, each.order) for each in case.phases[0].orders]
    try:
        adjudication = adjudicate(position, orders, rules)
    except ReferenceEngineError:
        return None
    scene = scene_of_orders(position, orders, adjudication, [each.text for each in case.phases[0].orders])
    title = f"{case.id} {case.title}"
    prefix, window = f"example-{preference.id}", window_around(scene)
    svg = draw_board(scene, title=title, prefix=prefix, base="reference", window=window)
    return Example(title, Markup(svg))  # noqa: S704 - it escapes every text by itself


def _find(name: CaseName) -> Case | None:
    """Find a case whose one phase a board can show; a page of a stored run may name others."""
    try:
        cases = load_suite(name.suite).cases
    except UnknownSuiteError:
        return None
    found = next((case for case in cases if case.id == name.id), None)
    plain = found is not None and len(found.phases) == 1 and all(order.order for order in found.phases[0].orders)
    return found if plain else None
