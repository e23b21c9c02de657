"""A page for every case, the list of all cases, and the cases as data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import msgspec
from board_maps import board, draw_before_and_after, expected_scenes, shared_board
from engine_answers import wrong_answers
from engine_verdicts import verdicts_on
from html_pages import HtmlPage, Step, render, root_of, search_boost
from markupsafe import Markup
from outcomes import Outcome, OutcomePhase, in_short, outcome_count, outcomes_of, told_apart
from play_pages import play_link
from quotations import quotation

from datc.cases import Case, Suite, load_ruleset, load_suite, suite_names
from datc.cases.suite import USUAL_EDITION
from datc.harness.explain.findings import phase_text
from datc.reference_engine import GivenOrder, standard_board
from datc.reports import PhaseData
from datc.reports.boardmap.drawing import draw_legend
from datc.reports.boardmap.geography import standard_geography
from datc.reports.boardmap.scenes import Scene, scene_of_orders
from datc.reports.html import READING_PLACES
from datc.reports.wording import VERDICT_TEXTS

ROOT = Path(__file__).parents[2]
_RELATED = 8
"""So many cases with the same issues are named."""
_MANY_OUTCOMES = 5
"""Where a case has more outcomes, its orders are drawn with the results of the first alone: the page stays small."""
_LABELLED = 3
"""So many rulesets are named on the switch between outcomes."""


class ShownOrder(NamedTuple):
    """An order and what is expected of it."""

    power: str
    text: str
    place: str
    expected: str


class ShownPhase(NamedTuple):
    """A phase of an outcome as its page shows it."""

    title: str
    phase: OutcomePhase
    before: Markup | None
    after: Markup
    orders: Sequence[ShownOrder]
    steps: str


class OtherWords(NamedTuple):
    """An outcome with the same boards as the one that is shown, and other results of some orders."""

    outcome: Outcome
    orders: Sequence[tuple[str, ShownOrder]]
    """The orders with another result, each with its place: `0.5` is the sixth order of the first phase."""
    why: Sequence[str]
    """What explains each phase."""


class ShownOutcome(NamedTuple):
    """An outcome as its page shows it, with those that differ from it in words only."""

    outcome: Outcome
    label: str
    """What happens in it and in no other; empty where only retreats tell."""
    rulesets: str
    phases: Sequence[ShownPhase]
    others: Sequence[OtherWords]


class Link(NamedTuple):
    """A link to the page of a case."""

    url: str
    case: Case


class CaseText(NamedTuple):
    """A case as its file has it."""

    toml: str
    inherits: str
    """The suite and the id of the case that it inherits from, if it does."""


def suites() -> Sequence[Suite]:
    """Return all suites, the usual one first."""
    return [load_suite(name) for name in dict.fromkeys([USUAL_EDITION, *suite_names()])]


@cache
def all_cases() -> Mapping[str, Case]:
    """Return all cases by key, in the order of the list."""
    return {case.key: case for suite in suites() for case in suite.cases}


def case_url(case: Case) -> str:
    """Return the address of the page of a case, from the root of the site."""
    return f"cases/{case.id}/" if case.suite == USUAL_EDITION else f"cases/{case.suite}/{case.id}/"


@cache
def case_outcomes(key: str) -> Sequence[Outcome]:
    """Return what is expected of a case under each ruleset and choice."""
    return outcomes_of(all_cases()[key])


def case_pages() -> Mapping[str, HtmlPage]:
    """Return the page of every case by its address."""
    return {
        case_url(case): _case_page(case, previous, following)
        for suite in suites()
        for case, previous, following in zip(suite.cases, (None, *suite.cases), (*suite.cases[1:], None), strict=False)
    }


def case_list() -> HtmlPage:
    """Return the list of all cases, with what the signs on their boards mean."""
    url = "case-list/"
    html = render(
        "case_list.html",
        suites=suites(),
        url=case_url,
        root=root_of(url),
        map=shared_board(root_of(url)),
        legend=Markup(draw_legend()),  # noqa: S704 - it escapes every text by itself
    )
    description = "Every test case of the DATC and of the other suites, each with its board, outcomes and explanation."
    return HtmlPage("All cases", description, html)


def cases_json() -> str:
    """Return all cases with what is expected of them, as JSON."""
    return msgspec.json.encode([_case_json(case) for case in all_cases().values()]).decode() + "\n"


def _case_page(case: Case, previous: Case | None, following: Case | None) -> HtmlPage:
    url = case_url(case)
    outcomes = _shown_outcomes(case)
    text, engines = case_texts()[case.key], verdicts_on(case)
    html = render(
        "case.html",
        case=case,
        suite=load_suite(case.suite),
        title=_title(case),
        root=root_of(url),
        play=play_link(case),
        map=shared_board(root_of(url), owned_centers(case)),
        position=_position(case),
        places=_places(case),
        outcomes=outcomes,
        count=outcome_count(case),
        more=sum(not outcome.rulesets for outcome in case_outcomes(case.key)),
        said=quotation(case),
        text=text,
        base=_link(text.inherits),
        related=_related(case),
        reading=_reading_place(case),
        engines=engines,
        answers=wrong_answers(engines, "answer"),
        signs=VERDICT_TEXTS,
        previous=previous and _step(previous),
        following=following and _step(following),
    )
    return HtmlPage(
        _title(case),
        _description(case, outcomes),
        html,
        _search_boost(case),
        _first_scene(case),
        outcome=in_short(case, load_ruleset(load_suite(case.suite).ruleset).ruleset().choices, 1),
    )


def _first_scene(case: Case) -> Scene | None:
    """Return the board of the first phase, with the results that are expected under the ruleset of the suite."""
    phases = case_outcomes(case.key)[0].phases
    return expected_scenes(phases[0].data)[0] if phases else _unanswered_scene(case)


def _search_boost(case: Case) -> float:
    """Put the usual edition before the others."""
    return search_boost(
        2.0 if case.suite == USUAL_EDITION else 1.0, case.id, {each.id for each in all_cases().values()}
    )


def _title(case: Case) -> str:
    """Call a case as people search for it; an older edition and another suite are named behind it."""
    named = f"DATC {case.id}" if case.suite.startswith("datc-") else case.id
    return f"{named} {case.title}" + (f" ({case.suite})" if case.suite != USUAL_EDITION else "")


def _description(case: Case, outcomes: Sequence[ShownOutcome]) -> str:
    phases = outcomes[0].phases
    said = phases[0].phase.explanation.summary if phases else "The rules give no answer."
    return f"{load_suite(case.suite).title}, case {case.id}: {case.title}. {said}"


def _places(case: Case) -> Mapping[str, str]:
    """Return the names of the provinces in the orders, by the codes that boards have where a name is too long."""
    texts = " ".join(order.text for phase in case.phases for order in phase.orders).lower()
    names = {code: standard_board().describe(code) for code in standard_geography().provinces}
    return {code: name for code, name in sorted(names.items()) if name.lower() in texts}


def _position(case: Case) -> Markup | None:
    """Draw the first phase where no outcome does, because the rules of the suite give no answer."""
    scene = None if case_outcomes(case.key)[0].phases else _unanswered_scene(case)
    return scene and board(scene, f"{case.id}: the position and the orders", "position")


def _unanswered_scene(case: Case) -> Scene | None:
    """Return the board of the first phase with its orders, without results; `None` where it has none."""
    first = case.phases[0]
    if first.position is None:
        return None
    return scene_of_orders(first.position, [GivenOrder(order.power, order.order) for order in first.orders])


def _shown_outcomes(case: Case) -> Sequence[ShownOutcome]:
    """Return the outcomes of a case by their boards, those of one board together."""
    groups = [[*group] for _, group in groupby(case_outcomes(case.key), attrgetter("boards"))]
    labels = told_apart(case, [group[0] for group in groups])
    return [
        _shown(group, case, number, label, draws_orders=number == 0 or len(groups) <= _MANY_OUTCOMES)
        for number, (group, label) in enumerate(zip(groups, labels, strict=True))
    ]


def _shown(group: Sequence[Outcome], case: Case, number: int, label: str, *, draws_orders: bool) -> ShownOutcome:
    first, *others = group
    phases: list[ShownPhase] = []
    for index, phase in enumerate(first.phases):
        conditions = [each for outcome in group for each in outcome.phases[index].conditions]
        alike = phase._replace(
            conditions=[each for place, each in enumerate(conditions) if each not in conditions[:place]]
        )
        phases.append(
            _shown_phase(alike, case, f"outcome-{number + 1}-{index + 1}", draws_orders=draws_orders or index > 0)
        )
    return ShownOutcome(first, label, _in_rulesets(group), phases, [_other_words(other, phases) for other in others])


def _other_words(outcome: Outcome, shown: Sequence[ShownPhase]) -> OtherWords:
    """Return an outcome with the same boards as the shown one, with what it says otherwise."""
    orders = [
        (f"{number}.{index}", order)
        for number, (phase, other) in enumerate(zip(shown, outcome.phases, strict=True))
        for index, order in enumerate(_shown_orders(other.data, expected_scenes(other.data)[0]))
        if order != phase.orders[index]
    ]
    return OtherWords(outcome, orders, [phase.explanation.summary for phase in outcome.phases])


def _in_rulesets(group: Sequence[Outcome]) -> str:
    names = [name.replace("datc-", "DATC ") for outcome in group for name in outcome.rulesets]
    if not names:
        return "If " + " and ".join(f"{issue} is {choice}" for issue, choice in group[0].changes.items())
    return ", ".join(names) if len(names) <= _LABELLED else f"{names[0]} and {len(names) - 1} other rulesets"


def _shown_phase(phase: OutcomePhase, case: Case, name: str, *, draws_orders: bool) -> ShownPhase:
    data = phase.data
    scenes = expected_scenes(data)
    title = f"{data.turn}, {data.phase}"
    before, after = draw_before_and_after(scenes, f"{case.id}, {title}", name)
    return ShownPhase(
        f"{title[0].upper()}{title[1:]}",
        phase,
        before if draws_orders else None,
        after,
        _shown_orders(data, scenes[0]),
        "\n".join(phase_text(replace(phase.explanation, cycles=()))),
    )


def _shown_orders(phase: PhaseData, scene: Scene) -> Sequence[ShownOrder]:
    return [
        ShownOrder(given.power, given.text, given.place, given.expected or drawn.outcome or "")
        for given, drawn in zip(phase.orders, scene.orders, strict=True)
    ]


def owned_centers(case: Case) -> Iterable[str]:
    """Give the supply centers that have an owner in some phase of a case."""
    return (center for phase in case.phases for centers in phase.centers.values() for center in centers)


def _link(key: str) -> Link | None:
    """Return the link to a case, named by its key; `None` for none."""
    case = all_cases().get(key.partition("#")[0])
    return case and Link(case_url(case), case)


def _step(case: Case) -> Step:
    return Step(case_url(case), f"{case.id} {case.title}")


def _related(case: Case) -> Sequence[Link]:
    """Return the other editions of a case, those that inherit from each other, and those with the same issues."""
    texts = case_texts()
    own = texts[case.key].inherits
    found = [other for other in all_cases().values() if other.id == case.id or texts[other.key].inherits == case.key]
    found += [other for other in all_cases().values() if own in (other.key, texts[other.key].inherits or None)]
    shared = Counter(
        {
            other.key: len({*case.issues} & {*other.issues})
            for other in load_suite(case.suite).cases
            if {*case.issues} & {*other.issues}
        }
    )
    keys = dict.fromkeys([*(other.key for other in found), *(key for key, _ in shared.most_common(_RELATED + 1))])
    return [link for key in keys if key != case.key and (link := _link(key))]


def _reading_place(case: Case) -> tuple[str, str] | None:
    if case.source:
        return case.source, "its source"
    if case.suite not in READING_PLACES:
        return None
    address, edition = READING_PLACES[case.suite]
    return address.format(case.id), edition


@cache
def case_texts() -> Mapping[str, CaseText]:
    """Return every case as its file has it, by key."""
    lines_of = {file: (ROOT / file).read_text(encoding="utf-8").splitlines() for file in _case_files()}
    return {case.key: _case_text(lines_of[case.file][case.line - 1 :]) for case in all_cases().values()}


def _case_files() -> Iterable[str]:
    return {case.file for case in all_cases().values()}


def _case_text(lines: Sequence[str]) -> CaseText:
    """Return the table that lines begin with."""
    start = next(index for index, line in enumerate(lines) if line.startswith("id"))
    end = next((index for index, line in enumerate(lines[start:], start) if line == "[[case]]"), len(lines))
    toml = "[[case]]\n" + "\n".join(lines[start:end]).rstrip()
    inherits = re.search(r'^inherits\s*=\s*"([^"#]*)', toml, re.MULTILINE)
    return CaseText(toml, inherits[1] if inherits else "")


def _case_json(case: Case) -> Mapping[str, object]:
    outcomes = case_outcomes(case.key)
    return {
        "id": case.id,
        "suite": case.suite,
        "section": case.section,
        "section_title": case.section_title,
        "title": case.title,
        "url": case_url(case),
        "issues": case.issues,
        "remark": case.remark,
        "source": case.source,
        "phases": [
            {
                "phase": phase.phase,
                "season": phase.season,
                "year": phase.year,
                "units": None if phase.position is None else [unit._asdict() for unit in phase.position.units],
                "centers": phase.centers,
                "orders": [
                    {"power": order.power, "text": order.text, "place": phase.place_of(order)} for order in phase.orders
                ],
            }
            for phase in case.phases
        ],
        "outcomes": [
            {
                "rulesets": outcome.rulesets,
                "changes": outcome.changes,
                "has_answer": outcome.has_answer,
                "phases": [
                    {"conditions": phase.conditions, "expected": phase.data.expected} for phase in outcome.phases
                ],
            }
            for outcome in outcomes
        ],
    }
