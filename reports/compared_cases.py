"""Cases as a page that compares engines shows them: who answers what, and a board for each answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .comparison import CaseComparison, answer_letter
from .html_cases import Picture, Pictures, draw_answers, picture_name
from .phase_rows import order_rows
from .report import OrderData, PhaseData, UnitData, Verdict


class Said(NamedTuple):
    """What some engines, by their place, have in common in a case."""

    letter: str
    """That of their answer; empty without an answer."""
    places: tuple[int, ...]
    verdict: Verdict
    reason: str
    differences: tuple[str, ...]


class Answered(NamedTuple):
    """An answer."""

    letter: str
    places: tuple[int, ...]
    picture: Picture
    only_here: Sequence[UnitData]
    """The units that no other answer has there."""


class ComparedOrder(NamedTuple):
    """An order, and its result in each answer."""

    data: OrderData
    got: list[str]


class ComparedCase(NamedTuple):
    """A case as it is shown."""

    data: CaseComparison
    anchor: str
    said: list[Said]
    phase: PhaseData | None
    """The first phase in which the answers differ."""
    pictures: Pictures | None
    """The board before that phase; and, where nobody's answer is the one expected, that board too."""
    answers: list[Answered]
    orders: list[ComparedOrder]


def compared_cases(cases: Sequence[CaseComparison], anchors: Mapping[tuple[str, str], str]) -> list[ComparedCase]:
    """Draw the boards of some cases."""
    return [
        _compared(case, anchors[case.first.suite, case.first.id], f"board-{number}")
        for number, case in enumerate(cases)
    ]


def _compared(case: CaseComparison, anchor: str, prefix: str) -> ComparedCase:
    said = _said(case)
    speakers = [speaker for group in case.groups if (speaker := case.cases[group[0]]) is not None]
    if not speakers or all(each.verdict == "passed" for each in said if each.letter):
        return ComparedCase(case, anchor, said, None, None, [], [])
    phases = [speaker.phases[case.phase] for speaker in speakers]
    captions = [f"{answer_letter(number)}: {_engines(group)}" for number, group in enumerate(case.groups)]
    as_expected = any(each.verdict == "passed" for each in said)
    pictures = draw_answers(
        phases, captions, picture_name(case.first, phases[0]), prefix, with_expected=not as_expected
    )
    answers = [
        Answered(answer_letter(number), group, picture, only_here)
        for number, (group, picture, only_here) in enumerate(
            zip(case.groups, pictures.after[-len(phases) :], case.only_here, strict=True)
        )
    ]
    rest = pictures._replace(after=pictures.after[: -len(phases)])
    return ComparedCase(case, anchor, said, phases[0], rest, answers, _orders(phases))


def _said(case: CaseComparison) -> list[Said]:
    places: dict[tuple[str, Verdict, str, tuple[str, ...]], list[int]] = {}
    for place, one in enumerate(case.cases):
        if one is not None:
            differences = tuple(difference for phase in one.phases for difference in phase.differences)
            places.setdefault((case.letter(place), one.verdict, one.reason, differences), []).append(place)
    found = [
        Said(letter, tuple(members), verdict, reason, differences)
        for (letter, verdict, reason, differences), members in places.items()
    ]
    return sorted(found, key=lambda said: (not said.letter, said.letter))


def _orders(phases: Sequence[PhaseData]) -> list[ComparedOrder]:
    rows = [order_rows(phase) for phase in phases]
    return [ComparedOrder(of_all[0].data, [row.got for row in of_all]) for of_all in zip(*rows, strict=True)]


def _engines(places: Sequence[int]) -> str:
    """Name engines by their numbers: names would take several lines above a board."""
    return f"engine{'s' if len(places) > 1 else ''} {', '.join(str(place + 1) for place in places)}"
