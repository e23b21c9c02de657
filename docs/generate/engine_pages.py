"""A page for every engine, and all of them as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from board_maps import shared_board
from case_pages import all_cases, case_url, owned_centers
from engine_answers import WrongAnswer, has_wrong_board, wrong_answers
from engine_verdicts import CaseVerdict, ShownEngine, shown_engines
from html_pages import HtmlPage, render, root_of
from scoreboard import LABEL

from datc.cases import load_ruleset, load_suite
from datc.cases.suite import USUAL_EDITION, CaseName, Section, short_key
from datc.harness.history.history import KINDS
from datc.reports import VERDICTS, Verdict
from datc.reports.badge import render_badge
from datc.reports.wording import VERDICT_TEXTS

if TYPE_CHECKING:
    from stored_runs import PlayedRule

_MOST_PROOFS = 4
"""So many cases are named for a choice."""
_CHART_WIDTH = 560


class SectionScore(NamedTuple):
    """How an engine does in a section."""

    section: Section
    counts: Mapping[Verdict, int]
    others: Sequence[CaseVerdict]
    """The cases that it does not pass."""

    @property
    def kind(self) -> str:
        """Return the worst that it shows: `failed`, `deviated`, `unsupported` or `passed`."""
        if self.counts.keys() & {"failed", "error"}:
            return "failed"
        return next((verdict for verdict in ("deviated", "unsupported") if verdict in self.counts), "passed")


class CaseLink(NamedTuple):
    """A link to the page of a case."""

    label: str
    url: str


class ShownRule(NamedTuple):
    """Which choices of an issue an engine plays."""

    rule: PlayedRule
    is_usual: bool
    """Whether it can be the choice of the usual ruleset."""
    proof: Sequence[CaseLink]
    """Some of the cases that show it."""
    more: int
    """How many cases are not named."""


class Bug(NamedTuple):
    """A cause of wrong answers: an answer that is wrong under every choice of rules."""

    why: str
    cases: Sequence[CaseLink]
    """Those with this cause, the one with the smallest position first."""
    answer: WrongAnswer | None
    """The answer to the first case; `None` where its board is right or the engine gave none."""
    title: str
    """That of the first case."""


class ChartBar(NamedTuple):
    """A part of the bar of a release: the cases with one verdict."""

    verdict: Verdict
    number: int
    start: float
    length: float


def engine_pages(site: str) -> Mapping[str, HtmlPage]:
    """Return the page of every engine by address; `site` is the address of the site, or empty."""
    return {engine.url: engine_page(engine, site) for engine in shown_engines()}


def engine_files() -> Mapping[str, str]:
    """Return the engines as data, and for each of them its badge and the data of a badge of shields.io."""
    data = {f"{engine.url}badge.json": _json(_badge(engine)) for engine in shown_engines()}
    badges = {
        f"{engine.url}badge.svg": render_badge(engine.stored.run).decode()
        for engine in shown_engines()
        if engine.stored is not None
    }
    return {"engines.json": _json([_engine_json(engine) for engine in shown_engines()]), **data, **badges}


def engine_page(engine: ShownEngine, site: str) -> HtmlPage:
    """Make the page of an engine; `site` is the address of the site, empty if it is not known."""
    root, bugs = root_of(engine.url), _bugs(engine)
    drawn = [all_cases()[f"{USUAL_EDITION}/{bug.cases[0].label}"] for bug in bugs if bug.answer]
    rules = engine.stored and engine.stored.rules
    doctor = engine.stored and engine.stored.doctor
    history = engine.stored and engine.stored.history
    html = render(
        "engine.html",
        root=root,
        map=shared_board(root, [center for case in drawn for center in owned_centers(case)]),
        site=site or "https://example.org/",
        engine=engine,
        scores=_scores(engine),
        bugs=bugs,
        rules=[_shown_rule(rule) for rule in rules.rules] if rules else [],
        asked=rules.asked if rules else 0,
        follows_from_run=bool(rules and rules.follows_from_run),
        contradictions=[[_case_link(key) for key in keys] for keys in rules.contradictions] if rules else [],
        unfitting=[*map(_case_link, rules.bugs)] if rules else [],
        mutants=[(mutant, [*map(_named_case, mutant.cases)]) for mutant in doctor.looks_like] if doctor else [],
        unexplained=[*map(_named_case, doctor.unexplained_cases)] if doctor else [],
        history=history,
        bars=[_bars(version.summary, history.cases) for version in history.versions] if history else [],
        kinds=KINDS,
        case_link=_case_link,
        label=LABEL,
        usual=USUAL_EDITION,
        signs=VERDICT_TEXTS,
    )
    passed = engine.counts.get("passed", 0)
    description = f"{engine.title} passes {passed} of {len(engine.verdicts)} cases of the {LABEL}."
    return HtmlPage(engine.title, description, html)


def _scores(engine: ShownEngine) -> Sequence[SectionScore]:
    return [
        SectionScore(
            section,
            engine.counts_in([case.id for case in section.cases]),
            [found for case in section.cases if (found := engine.verdicts[case.id]).verdict != "passed"],
        )
        for section in load_suite(USUAL_EDITION).sections
    ]


def _shown_rule(rule: PlayedRule) -> ShownRule:
    usual = load_ruleset(USUAL_EDITION).choices[rule.issue].choice
    proof = [_case_link(key) for key in rule.proof[:_MOST_PROOFS]]
    return ShownRule(rule, usual in rule.choices, proof, len(rule.proof) - len(proof))


def _case_link(key: str) -> CaseLink:
    """Return the link to a case, named by its `short_key`; without an address where there is no such case."""
    case = all_cases().get(key if "/" in key else f"{USUAL_EDITION}/{key}")
    return CaseLink(key, case_url(case) if case else "")


def _named_case(case: CaseName) -> CaseLink:
    return _case_link(short_key(case.key))


def _bugs(engine: ShownEngine) -> Sequence[Bug]:
    """Return the causes of failed cases and errors, those that can be drawn first.

    Cases with the same reason have one cause; a case without a reason has one of its own.
    """
    causes: dict[str, list[CaseVerdict]] = {}
    for name, found in engine.verdicts.items():
        if found.verdict in ("failed", "error"):
            causes.setdefault(found.why or name, []).append(found)
    bugs = [
        _bug(engine, sorted(cases, key=_by_size), f"bug-{number}") for number, cases in enumerate(causes.values(), 1)
    ]
    return sorted(bugs, key=lambda bug: bug.answer is None)


def _by_size(found: CaseVerdict) -> tuple[bool, int]:
    """Put a case with a board to draw first, and the smallest of them."""
    phases = found.case.phases
    size = sum(len(phase.orders) + len(phase.position.units if phase.position else ()) for phase in phases)
    return not has_wrong_board(found), size


def _bug(engine: ShownEngine, cases: Sequence[CaseVerdict], name: str) -> Bug:
    drawn = wrong_answers([(engine, cases[0])], name)
    first = cases[0].case
    return Bug(
        cases[0].why,
        [_case_link(found.case.id) for found in cases],
        drawn[0] if drawn else None,
        f"{first.id} {first.title}",
    )


def _bars(counts: Mapping[Verdict, int], cases: int) -> Sequence[ChartBar]:
    """Lay out the bar of a release, whose whole length is all cases."""
    bars: list[ChartBar] = []
    start = 0.0
    for verdict in VERDICTS:
        if count := counts.get(verdict, 0):
            length = _CHART_WIDTH * count / max(cases, 1)
            bars.append(ChartBar(verdict, count, round(start, 1), round(length, 1)))
            start += length
    return bars


def _badge(engine: ShownEngine) -> Mapping[str, object]:
    """What shields.io shows: https://shields.io/badges/endpoint-badge."""
    counts, passed = engine.counts, engine.counts.get("passed", 0)
    is_wrong = "failed" in counts or "error" in counts
    colour = "green" if passed == len(engine.verdicts) else "red" if is_wrong else "orange"
    return {"schemaVersion": 1, "label": LABEL, "message": f"{passed}/{len(engine.verdicts)}", "color": colour}


def _engine_json(engine: ShownEngine) -> Mapping[str, object]:
    return {
        "name": engine.name,
        "engine": engine.title,
        "about": engine.about,
        "home": engine.home,
        "has_bridge": engine.has_bridge,
        "url": engine.url,
        "suite": USUAL_EDITION,
        "ruleset": USUAL_EDITION,
        "summary": engine.counts,
        "cases": [
            {"id": name, "verdict": found.verdict, "issues": found.issues, "why": found.why}
            for name, found in engine.verdicts.items()
        ],
    }


def _json(content: object) -> str:
    return msgspec.json.encode(content).decode() + "\n"
