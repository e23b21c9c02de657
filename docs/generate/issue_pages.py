"""A page for every issue: the question, its choices, the simplest cases that show them, and all cases."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from board_maps import draw_before_and_after, expected_scenes, shared_board
from case_pages import Link, all_cases, case_outcomes, case_url, owned_centers, suites
from engine_verdicts import ShownEngine, shown_engines
from html_pages import HtmlPage, Step, render, root_of, search_boost

from datc.cases import Case, load_issues, load_ruleset, ruleset_names
from datc.cases.rulesets import ChoiceText, IssueText
from datc.cases.suite import USUAL_EDITION

if TYPE_CHECKING:
    from markupsafe import Markup
    from outcomes import Outcome

    from datc.reports.boardmap.scenes import Scene

_SEARCH_BOOST = 4.0
"""The search puts an issue before the cases whose ids begin with its number."""
_EXAMPLES = 8
"""An issue is shown by so many cases at most."""


class ShownChoice(NamedTuple):
    """A choice as the page of its issue shows it."""

    text: ChoiceText
    letters: str
    rulesets: Sequence[str]
    engines: Sequence[ShownEngine]
    """Those whose answers show it."""
    perhaps: Sequence[ShownEngine]
    """Those whose answers leave it and others."""


class ShownResult(NamedTuple):
    """What some choices make of a case."""

    choices: Sequence[str]
    before: Markup
    after: Markup
    scene: Scene
    """The board before it, as data."""


class Example(NamedTuple):
    """A case that tells choices apart, as a page shows it."""

    link: Link
    changes: Mapping[str, str]
    """The choices of other issues that are not those of the usual ruleset."""
    results: Sequence[ShownResult]


class DistinguishingCase(NamedTuple):
    """A case that tells choices of an issue apart."""

    case: Case
    changes: Mapping[str, str]
    """The choices of other issues that are not those of the usual ruleset."""
    pairs: set[tuple[str, str]]
    """The choices that it tells apart, two by two."""


def issue_url(issue: str) -> str:
    """Return the address of the page of an issue, from the root of the site."""
    return f"issues/{issue}/"


def issue_pages() -> Mapping[str, HtmlPage]:
    """Return the page of every issue by its address."""
    issues = [*load_issues().values()]
    return {
        issue_url(issue.id): _issue_page(issue, previous, following)
        for issue, previous, following in zip(issues, (None, *issues), (*issues[1:], None), strict=False)
    }


def letters_of(choice: ChoiceText) -> str:
    """Say which letters a choice has in the editions of the DATC: `"3.2 b, 3.1 b"`."""
    editions = (("3.2", choice.datc_3_2), ("3.1", choice.datc_3_1), ("2.4", choice.datc_2_4))
    return ", ".join(f"{edition} {letter}" for edition, letter in editions if letter)


def _issue_page(issue: IssueText, previous: IssueText | None, following: IssueText | None) -> HtmlPage:
    url = issue_url(issue.id)
    title = f"{issue.id} {issue.title}"
    examples = _examples(issue)
    html = render(
        "issue.html",
        title=title,
        issue=issue,
        root=root_of(url),
        map=shared_board(root_of(url), [center for each in examples for center in owned_centers(each.link.case)]),
        choices=[
            ShownChoice(
                choice,
                letters_of(choice),
                _rulesets_with(issue.id, choice.key),
                *_engines_with(issue.id, choice.key),
            )
            for choice in issue.choice
        ],
        examples=examples,
        usual=USUAL_EDITION,
        cases=[
            (suite, [case for case in suite.cases if issue.id in (*case.issues, *case.rests_on)]) for suite in suites()
        ],
        url=case_url,
        previous=previous and _step(previous),
        following=following and _step(following),
    )
    return HtmlPage(
        title,
        f"{issue.full_question} {len(issue.choice)} choices.",
        html,
        search_boost(_SEARCH_BOOST, issue.id, load_issues()),
        examples[0].results[0].scene if examples else None,
    )


def _step(issue: IssueText) -> Step:
    return Step(issue_url(issue.id), f"{issue.id} {issue.title}")


def _rulesets_with(issue: str, choice: str) -> Sequence[str]:
    return [name for name in ruleset_names() if load_ruleset(name).choices[issue].choice == choice]


def _engines_with(issue: str, choice: str) -> tuple[Sequence[ShownEngine], Sequence[ShownEngine]]:
    """Return the engines whose answers show a choice, and those whose answers leave it and others."""
    left = {
        engine.name: (engine, rule.choices)
        for engine in shown_engines()
        for rule in (engine.stored.rules.rules if engine.stored else ())
        if rule.issue == issue and choice in rule.choices and not rule.doubt
    }
    sure = [engine for engine, choices in left.values() if len(choices) == 1]
    return sure, [engine for engine, choices in left.values() if len(choices) > 1]


def _examples(issue: IssueText) -> Sequence[Example]:
    """Return the simplest cases that tell choices apart, each of them some that those before it do not.

    The other choices are those of the usual ruleset; only where no case tells choices apart then, some are changed.
    """
    plain = _covering(_distinguishing_cases(issue, lambda _: [{}]))
    found = plain or _covering(_distinguishing_cases(issue, lambda case: _changes(case, issue)))
    return [_example(case, issue, changes, f"example-{number}") for number, (case, changes) in enumerate(found, 1)]


def example_of_choice(issue: IssueText, choice: str, name: str) -> Example | None:
    """Return the simplest case that tells a choice from that of the usual ruleset, with the result of the choice alone.

    `None` where no case does. `name` is for ids of no other board of the page.
    """
    usual = _usual_choices()[issue.id]
    for case, changes, pairs in _distinguishing_cases(issue, lambda case: [{}, *_changes(case, issue)]):
        if {(usual, choice), (choice, usual)} & pairs:
            example = _example(case, issue, changes, name)
            return example._replace(results=[result for result in example.results if choice in result.choices])
    return None


def _covering(found: Iterable[DistinguishingCase]) -> Sequence[tuple[Case, Mapping[str, str]]]:
    """Choose the first cases that tell choices apart which those before them do not."""
    chosen: list[tuple[Case, Mapping[str, str]]] = []
    told_apart: set[tuple[str, str]] = set()
    for case, changes, pairs in found:
        if not pairs <= told_apart:
            told_apart |= pairs
            chosen.append((case, changes))
        if len(chosen) == _EXAMPLES:
            break
    return chosen


def _distinguishing_cases(
    issue: IssueText, changed: Callable[[Case], Iterable[Mapping[str, str]]]
) -> Iterator[DistinguishingCase]:
    """Give each case of one phase that tells choices of an issue apart, with their pairs, the simplest case first."""
    for case in _simplest_first():
        if issue.id not in case.deciding_issues:
            continue
        for changes in changed(case):
            outcomes = {
                choice: number
                for number, (choices, _) in enumerate(_results(case, issue, changes))
                for choice in choices
            }
            every = itertools.combinations(outcomes, 2)
            pairs = {(one, other) for one, other in every if outcomes[one] != outcomes[other]}
            if pairs:
                yield DistinguishingCase(case, changes, pairs)
                break


def _changes(case: Case, issue: IssueText) -> Sequence[Mapping[str, str]]:
    """Return the changes to the usual choices of other issues that a case knows an outcome of, the fewest first."""
    usual = _usual_choices()
    found = [
        {
            name: accepted[0]
            for name, accepted in each.choices.items()
            if name != issue.id and usual[name] not in accepted
        }
        for each in case.alternatives
    ]
    return sorted((each for number, each in enumerate(found) if each and each not in found[:number]), key=len)


def _usual_choices() -> Mapping[str, str]:
    return {name: cell.choice for name, cell in load_ruleset(USUAL_EDITION).choices.items()}


@cache
def _simplest_first() -> Sequence[Case]:
    """Sort the cases of one phase by the number of their units and orders."""
    short = [case for case in all_cases().values() if len(case.phases) == 1 and case.phases[0].position is not None]
    return sorted(short, key=_size)


def _size(case: Case) -> int:
    position = case.phases[0].position
    return len(case.phases[0].orders) + (len(position.units) if position else 0)


def _results(case: Case, issue: IssueText, changes: Mapping[str, str]) -> Sequence[tuple[Sequence[str], Outcome]]:
    """Return the outcomes of a case under each choice of an issue, alike ones together; none without an answer."""
    outcomes = case_outcomes(case.key)
    groups: dict[int, list[str]] = {}
    for choice in issue.choice:
        alternative = case.alternative({**_usual_choices(), **changes, issue.id: choice.key})
        number = next(number for number, outcome in enumerate(outcomes) if alternative in outcome.alternatives)
        if outcomes[number].has_answer:
            groups.setdefault(number, []).append(choice.key)
    return [(choices, outcomes[number]) for number, choices in groups.items()]


def _example(case: Case, issue: IssueText, changes: Mapping[str, str], name: str) -> Example:
    results = [
        _result(case, choices, outcome, f"{name}-{number}")
        for number, (choices, outcome) in enumerate(_results(case, issue, changes), 1)
    ]
    return Example(Link(case_url(case), case), changes, results)


def _result(case: Case, choices: Sequence[str], outcome: Outcome, name: str) -> ShownResult:
    scenes = expected_scenes(outcome.phases[0].data)
    before, after = draw_before_and_after(scenes, f"{case.id} under {' or '.join(choices)}", name)
    return ShownResult(choices, before, after, scenes[0])
