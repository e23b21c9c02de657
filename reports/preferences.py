"""The rules that an engine plays: what a run shows of each issue, and the page of rules for players to read.

As a text, the page is Markdown for a repository, or BBCode for a forum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, TypeVar, final

import msgspec

from ..cases import load_issues, load_ruleset, load_suite, ruleset_names
from ..cases.errors import UnknownRulesetError
from ..cases.rulesets import IssueText, load_map_issues, load_sites
from ..cases.suite import USUAL_EDITION, CaseName, cases_that_show
from ..reference_engine import Ruleset
from .inference import InferenceReport, cases_by_key
from .post import PostStyle, plain
from .report import CaseData, Report, counted, engine_name, unanswered_sentences
from .text import listed, printable_struct
from .wording import bug_sentences

Seen: TypeAlias = Literal["as-declared", "otherwise", "contradictory", "not-shown"]


@dataclass(frozen=True)
class IssueRow:
    """What the cases say of an issue."""

    id: str
    declared: str = ""
    """The choice in force; empty without an answer."""
    preset: str = ""
    """The choice of the ruleset's own, where the one in force is another."""
    cases: Sequence[CaseData] = ()
    """Those that tell its choices apart, and whose answer fits one: another is wrong for another reason."""

    @property
    def text(self) -> IssueText:
        return issue_text(self.id)

    @property
    def seen(self) -> Seen:
        """What the engine was seen to do."""
        if not self.cases:
            return "not-shown"
        if not self.fitting:
            return "contradictory"
        return "as-declared" if not self.declared or self.declared in self.fitting else "otherwise"

    @property
    def as_declared(self) -> list[CaseData]:
        """The cases whose answer fits the declared choice."""
        return [case for case in self.cases if self.declared in case.choices[self.id]]

    @property
    def otherwise(self) -> list[CaseData]:
        """The cases whose answer fits other choices only."""
        return [case for case in self.cases if self.declared not in case.choices[self.id]]

    @property
    def closest(self) -> tuple[int, list[str]]:
        """To how many cases the answers fit the choices that fit the most, and these choices."""
        counts = Counter(choice for case in self.cases for choice in set(case.choices[self.id]))
        most = max(counts.values(), default=0)
        known = [choice.key for choice in self.text.choice]
        found = {choice for choice, cases in counts.items() if cases == most}
        return most, [choice for choice in known if choice in found] + sorted(found.difference(known))

    @property
    def fitting(self) -> list[str]:
        """The choices that the answers to all these cases fit."""
        most, closest = self.closest
        return closest if most == len(self.cases) else []


def issue_rows(report: Report) -> list[IssueRow]:
    """A row for each issue that the ruleset settles or a case tells apart, in the order of the documents."""
    by_issue: dict[str, list[CaseData]] = {}
    for case in report.cases:
        for issue, fitting in case.choices.items():
            if fitting:
                by_issue.setdefault(issue, []).append(case)
    preset, in_force = preset_choices(report.ruleset.name), report.ruleset.choices
    rows: list[IssueRow] = []
    for issue in [*load_issues(), *sorted({*in_force, *by_issue} - load_issues().keys())]:
        if issue in in_force or issue in by_issue:
            declared = in_force.get(issue, "")
            own = declared and preset.get(issue, declared) != declared
            rows.append(IssueRow(issue, declared, preset[issue] if own else "", by_issue.get(issue, [])))
    return rows


def issue_text(issue: str) -> IssueText:
    """The title, question and choices of an issue; an empty text for one that is not known."""
    return {**load_issues(), **load_map_issues()}.get(issue) or IssueText(issue, "", "", [])


def preset_choices(ruleset: str) -> dict[str, str]:
    """What a ruleset of the project settles by itself; nothing for another."""
    try:
        return {issue: cell.choice for issue, cell in load_ruleset(ruleset).choices.items()}
    except UnknownRulesetError:
        return {}


Standing: TypeAlias = Literal["declared", "seen", "open", "contradicted"]
"""Declared by the author; shown by answers; left open by them; or contradicted by other answers or what is declared."""

Basis: TypeAlias = Literal["declared", "run", "inferred"]

PROGRAMS = ("dpjudge", "dptg")
"""Rulesets that describe how one program or its author adjudicates, not what a rulebook says."""
COMPARED = (USUAL_EDITION, "2023")
"""The rulesets from which each difference is named."""

BASES: Mapping[Basis, str] = {
    "declared": "The choices are the declared ones. The cases are those whose result another choice would change.",
    "run": "The choices are the declared ones. Each says what the cases of a run showed.",
    "inferred": "The choices are those that the engine's answers to the cases fit; what it declares was not looked at.",
}
"""Where what is on a page comes from."""


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
        return issue_text(self.id)


class PreferencesPage(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of one engine, or of a ruleset where no engine is named."""

    format: int = 1
    type: Literal["preferences"] = "preferences"
    engine: str = ""
    """Name and version."""
    ruleset: str
    """The ruleset in force, from which single choices may differ."""
    beside: list[str] = []
    """Rulesets that are shown only where it is asked for, as the page does here."""
    basis: Basis
    preferences: list[Preference]
    remarks: list[str] = []
    """What limits the page as a whole, a sentence each: a run that did not finish, answers that fit no ruleset."""

    @property
    def title(self) -> str:
        """Its heading: whose rules they are, and from which ruleset they differ in how many issues."""
        changes = len(own_choices(self))
        base = f": {document_name(self.ruleset)}" if self.ruleset else ""
        with_changes = f" with {counted(changes, 'change')}" if changes else ""
        whose = "Our rules" if self.basis == "declared" else f"The rules of {self.engine or self.ruleset}"
        return f"{whose}{base}{with_changes}"

    @property
    def documents(self) -> list[str]:
        """The rulesets that it compares with: programs of the past only where asked for."""
        return [name for name in ruleset_names() if name not in PROGRAMS or name in (self.ruleset, *self.beside)]

    @property
    def settled(self) -> bool:
        """Whether nothing in it is contradicted."""
        return not self.remarks and all(each.standing != "contradicted" for each in self.preferences)


_RowT = TypeVar("_RowT", IssueRow, Preference)


def chapters(rows: Sequence[_RowT]) -> dict[str, list[_RowT]]:
    """The rows by chapter, such as "4.A Convoys"."""
    titles = {section.id: section.title for section in load_suite("extended").sections}
    by_chapter: dict[str, list[_RowT]] = {}
    for row in rows:
        chapter = issue_text(row.id).chapter
        by_chapter.setdefault(f"{chapter} {titles[chapter]}" if chapter in titles else "Others", []).append(row)
    return by_chapter


def declared_page(rules: Ruleset, engine: str = "") -> PreferencesPage:
    """The page of what an author declares."""
    # Another edition has the same cases again.
    cases = [case for suite in (USUAL_EDITION, "extended") for case in load_suite(suite).cases]
    preferences: list[Preference] = []
    for issue, choice in rules.choices.items():
        shown = [case.name for case in cases_that_show(cases, rules.choices, issue)]
        preferences.append(Preference(id=issue, standing="declared", declared=choice, choices=[choice], cases=shown))
    return PreferencesPage(engine=engine, ruleset=rules.name, basis="declared", preferences=preferences)


def run_page(report: Report) -> PreferencesPage:
    """The page of what a run was held to, and what its cases showed of it."""
    engine, rules = engine_name(report.engine), report.ruleset.name
    remarks = [] if report.complete else [f"The run did not finish: {report.incomplete_reason}."]
    if report.cases:
        remarks += unanswered_sentences(len(report.cases), sum(case.is_answered for case in report.cases))
    found = [_seen_in_run(row) for row in issue_rows(report)]
    return PreferencesPage(engine=engine, ruleset=rules, basis="run", preferences=found, remarks=remarks)


def _seen_in_run(row: IssueRow) -> Preference:
    declared = f"Declared is {row.declared}" if row.declared else "Nothing is declared"
    fitting = row.fitting
    standing: Standing = "contradicted"
    match row.seen:
        case "not-shown":
            standing, choices, cases, note = "declared", [row.declared], [], "No case of the run shows it."
        case "as-declared" if row.declared:
            others = " or ".join(choice for choice in fitting if choice != row.declared)
            note = f"These cases cannot distinguish it from {others}." if others else ""
            standing, choices, cases = "seen", [row.declared], row.cases
        case "as-declared":
            standing = "seen" if len(fitting) == 1 else "open"
            choices, cases, note = fitting, row.cases, f"{declared}; the answers fit this."
        case "otherwise":
            note = f"{declared}, and the answers fit another choice only."
            choices, cases = fitting, row.otherwise
        case _:
            choices, cases, note = [], row.cases, f"{declared}, and no choice fits all the answers."
    shown = [case.name for case in cases]
    return Preference(id=row.id, standing=standing, declared=row.declared, choices=choices, cases=shown, note=note)


def inferred_page(inference: InferenceReport) -> PreferencesPage:
    """The page of what the answers of an engine show, whatever it declares: no ruleset is in force in it."""
    remarks = [*inference.unanswered, *bug_sentences(inference)]
    remarks += [f"Its answers to {' and '.join(keys)} contradict each other." for keys in inference.contradictions]
    if inference.bugs:
        remarks.append(f"Wrong under every ruleset: {', '.join(inference.bugs)}.")
    engine, found = engine_name(inference.engine), [_inferred(issue, inference) for issue in inference.choices]
    return PreferencesPage(engine=engine, ruleset="", basis="inferred", preferences=found, remarks=remarks)


def _inferred(issue: str, inference: InferenceReport) -> Preference:
    choices, why_open = inference.choices[issue], inference.open.get(issue, "")
    cases = cases_by_key(inference)
    # A contradiction turns on this issue if the answers to two of its cases at least tell of it.
    sets = (keys for keys in inference.contradictions if sum(issue in cases[key].choices for key in keys) > 1)
    contradicting = next(sets, ())
    note = f"Answers that no choices fit together: {', '.join(contradicting)}." if contradicting else ""
    standing: Standing = "seen" if not why_open else "contradicted" if contradicting and len(choices) > 1 else "open"
    if doubt := inference.statement(issue).doubt:
        standing, note = "contradicted", f"{doubt[0].upper()}{doubt[1:]}."
    if standing == "open":
        known = [choice.key for choice in issue_text(issue).choice]
        note = f"{'Any choice fits' if choices == known else 'These fit'}: {why_open}."
    left = [] if standing == "contradicted" else choices
    shown = [CaseName.of_key(key) for key in inference.proof[issue]]
    return Preference(id=issue, standing=standing, choices=left, cases=shown, note=note)


def document_name(ruleset: str) -> str:
    """Name the document of a ruleset within a sentence: "the rulebook of 2023"; another ruleset by itself."""
    if ruleset not in ruleset_names():
        return ruleset
    title = load_ruleset(ruleset).short_title
    return f"the {title[0].lower()}{title[1:]}" if title.startswith("Rulebook") else title


def agreement(issue: str, choice: str, rulesets: Iterable[str]) -> tuple[list[str], list[str]]:
    """Find the documents that make a choice, and those that are silent or ambiguous and are played so."""
    cells = {text.short_title: text.choices.get(issue) for text in map(load_ruleset, rulesets)}
    alike = {title: cell.basis for title, cell in cells.items() if cell is not None and cell.choice == choice}
    stated = [title for title, basis in alike.items() if basis == "stated"]
    return stated, [title for title, basis in alike.items() if basis in ("silent", "ambiguous")]


class Closeness(NamedTuple):
    """How far a ruleset, or what a site publishes, goes with a page."""

    title: str
    stated: int
    """The issues that its text settles as the page does."""
    read: int
    """Those on which its text is silent or ambiguous, and which are played in the same way under it."""
    differs: list[str]
    """Those that it settles or is played otherwise. One that is open on the page, and may be alike, counts nowhere."""
    source: str = ""
    """The address of a site's page, which settles these issues alone."""


def closeness(page: PreferencesPage) -> list[Closeness]:
    """Say for each ruleset, the closest first, and each site how many issues it settles as the page does."""
    settled = {each.id: each.choices for each in page.preferences if each.choices}
    found: list[Closeness] = []
    for text in map(load_ruleset, page.documents):
        cells = {issue: cell for issue, cell in text.choices.items() if issue in settled}
        alike = [cell.basis for issue, cell in cells.items() if settled[issue] == [cell.choice]]
        differs = [issue for issue, cell in cells.items() if cell.choice not in settled[issue]]
        read = alike.count("silent") + alike.count("ambiguous")
        found.append(Closeness(text.short_title, alike.count("stated"), read, differs))
    found.sort(key=lambda each: (len(each.differs), -each.stated))
    for site in load_sites():
        alike = [issue for issue, choice in site.choices.items() if settled.get(issue) == [choice]]
        differs = [issue for issue, choice in site.choices.items() if choice not in settled.get(issue, [choice])]
        found.append(Closeness(site.name, len(alike), 0, differs, site.source))
    return found


class RuleDifference(NamedTuple):
    """An issue that a page and a document settle differently."""

    issue: str
    ours: str
    theirs: str
    basis: str
    """How the document settles it; what it is silent on or ambiguous about is what is played under it."""


def differences(page: PreferencesPage) -> dict[str, list[RuleDifference]]:
    """Name each difference of what a page settles from the documents that everybody knows, by their titles."""
    settled = {each.id: each.choices[0] for each in page.preferences if len(each.choices) == 1}
    found: dict[str, list[RuleDifference]] = {}
    for text in map(load_ruleset, COMPARED):
        cells = {issue: cell for issue, cell in text.choices.items() if issue in settled}
        found[text.short_title] = [
            RuleDifference(issue, settled[issue], cell.choice, cell.basis)
            for issue, cell in cells.items()
            if cell.choice != settled[issue]
        ]
    return found


def own_choices(page: PreferencesPage) -> list[str]:
    """The issues whose declared choice is not that of the ruleset in force."""
    preset = preset_choices(page.ruleset)
    return [each.id for each in page.preferences if each.declared and preset.get(each.id) not in (None, each.declared)]


def with_changes_first(page: PreferencesPage) -> dict[str, list[Preference]]:
    """The preferences by section: the changes to the ruleset in force, then the chapters without them."""
    own = own_choices(page)
    changes = [each for each in page.preferences if each.id in own]
    first = {"Changes": changes} if changes else {}
    return {**first, **chapters([each for each in page.preferences if each.id not in own])}


_SHOWN = 6
"""Of the cases that show something, so many are named."""


def write_rules(page: PreferencesPage, style: PostStyle) -> str:
    """Write a page of rules: the changes, where it differs from what is known, and a line for each other issue."""
    return "\n\n".join(_Page(printable_struct(page), style).paragraphs()) + "\n"


@final
class _Page:
    def __init__(self, page: PreferencesPage, style: PostStyle) -> None:
        self._page = page
        self._style = style
        self._own = own_choices(page)

    def paragraphs(self) -> Iterator[str]:
        page = self._page
        yield self._heading(1, page.title)
        others = " and ".join(map(self._plain, self._own))
        of_ruleset = f" The ruleset is {self._plain(page.ruleset)}{f', but for {others}' if others else ''}."
        yield BASES[page.basis] + (of_ruleset if page.ruleset else "")
        sections = with_changes_first(page)
        if changes := sections.pop("Changes", []):
            yield self._heading(2, "Changes")
            for each in changes:
                yield from self._in_full(each)
        yield from self._where_it_differs()
        for chapter, preferences in sections.items():
            yield self._heading(2, chapter)
            short = [each for each in preferences if each.standing in ("declared", "seen") and not each.note]
            yield from self._items([self._line(each) for each in short])
            for each in preferences:
                if each not in short:
                    yield from self._in_full(each)
        if page.remarks:
            yield self._heading(2, "Limits")
            yield from self._items([self._plain(remark) for remark in page.remarks])

    def _heading(self, level: int, text: str) -> str:
        return self._style.heading.format("#" * level, self._plain(text))

    def _bold(self, text: str) -> str:
        return self._style.bold.format(text)

    def _plain(self, text: str) -> str:
        return plain(text, self._style)

    def _items(self, texts: Sequence[str]) -> Iterator[str]:
        if texts:
            yield self._style.items.format("\n".join(map(self._style.item.format, texts)))

    def _name(self, preference: Preference) -> str:
        return f"{self._plain(preference.id)} {preference.text.title}".rstrip()

    def _choice(self, preference: Preference, choice: str) -> str:
        return f"{preference.text.sentence(choice) or 'A choice of its own.'} ({self._plain(choice)})"

    def _line(self, preference: Preference) -> str:
        said = " ".join(self._choice(preference, each) for each in preference.choices)
        return f"{self._bold(self._name(preference))}: {said}"

    def _in_full(self, preference: Preference) -> Iterator[str]:
        """Say of an issue that was changed, is open or contradicted, all that is known."""
        page, choices = self._page, preference.choices
        yield self._heading(3, self._name(preference))
        yield preference.text.full_question
        if preference.standing == "open":
            yield f"{self._bold('Open')}: it is one of these."
        elif preference.standing == "contradicted":
            yield f"{self._bold('Contradicted')}{': what the answers fit is this.' if choices else '.'}"
        yield from self._items([self._bold(self._choice(preference, each)) for each in choices])
        known: list[str] = []
        if preference.id in self._own:
            before = self._choice(preference, preset_choices(page.ruleset)[preference.id])
            known.append(f"In {document_name(page.ruleset)}: {before}")
        if len(choices) == 1:
            stated, read = agreement(preference.id, choices[0], page.documents)
            known += [f"Stated by {', '.join(stated)}"] if stated else []
            known += [f"So played where the text is silent or ambiguous: {', '.join(read)}"] if read else []
        if preference.cases:
            known.append(f"Shown by {listed([self._plain(case.label) for case in preference.cases], _SHOWN)}")
        yield from self._items([*known, *([self._plain(preference.note)] if preference.note else [])])

    def _where_it_differs(self) -> Iterator[str]:
        yield self._heading(2, "Where these rules differ")
        issues = load_issues()
        for title, found in differences(self._page).items():
            if found:
                yield f"{self._bold(f'From {title}')}, in {len(found)} of {len(issues)} issues:"
            texts = (f"{self._plain(each.ours)}, there {each.theirs} ({each.basis})" for each in found)
            named = (f"{each.issue} {issues[each.issue].title}" for each in found)
            yield from self._items([f"{name}: {text}" for name, text in zip(named, texts, strict=True)])
        yield from self._items([self._row(each) for each in closeness(self._page)])

    def _row(self, document: Closeness) -> str:
        """Say of a document how many issues it settles otherwise, and which."""
        title, stated, read, differing, source = document
        named = f": {', '.join(map(self._plain, differing))}" if differing else ""
        if source:
            settled = f"{stated + len(differing)} issues that its page settles"
            return f"{title} ({source}): otherwise in {len(differing)} of the {settled}{named}"
        alike = f"alike by its text in {stated}, as played in {read}"
        return f"{title}: {alike}, otherwise in {len(differing)}{named}"
