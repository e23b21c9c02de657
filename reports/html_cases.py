"""Cases as pages show them: their places on the page, their sections, and their boards drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from .board_pictures import Pictures, draw_phase, is_as_expected
from .claim import known_suite
from .phase_rows import OrderRow, order_rows
from .report import CaseData, PhaseData

ViewT = TypeVar("ViewT")


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


@dataclass(frozen=True)
class SectionView(Generic[ViewT]):
    """A section of a suite as it is shown."""

    anchor: str
    key: str
    """It in the page's address, when it is filtered for."""
    id: str
    title: str
    suite: str
    cases: list[ViewT]


def anchors_of(cases: Iterable[CaseData]) -> dict[tuple[str, str], str]:
    """Name the place of each case by its id. Where two suites share one, the later goes by its suite too."""
    anchors: dict[tuple[str, str], str] = {}
    for case in cases:
        taken = case.id in anchors.values()
        anchors[case.suite, case.id] = f"{case.suite}:{case.id}" if taken else case.id
    return anchors


def case_views(cases: Sequence[CaseData], anchors: Mapping[tuple[str, str], str]) -> list[CaseView]:
    """Each case with its boards drawn."""
    return [_case_view(case, anchors[case.suite, case.id], number) for number, case in enumerate(cases)]


def sections_of(cases: Iterable[CaseData], views: Iterable[ViewT]) -> list[SectionView[ViewT]]:
    """Put the views of some cases, one each, under their sections."""
    sections: dict[tuple[str, str], SectionView[ViewT]] = {}
    for case, view in zip(cases, views, strict=True):
        place = (case.suite, case.section)
        if place not in sections:
            taken = any(section.key == case.section for section in sections.values())
            key = f"{case.suite}:{case.section}" if taken else case.section
            sections[place] = SectionView(
                f"section-{len(sections) + 1}", key, case.section, case.section_title, case.suite, []
            )
        sections[place].cases.append(view)
    return list(sections.values())


def suites_of(cases: Iterable[CaseData]) -> list[tuple[str, str]]:
    """Each suite that was asked, and where it is published."""
    names = dict.fromkeys(case.suite for case in cases)
    return [(name, suite.url if (suite := known_suite(name)) else "") for name in names]


def _case_view(case: CaseData, anchor: str, number: int) -> CaseView:
    phases: list[PhaseView] = []
    for index, phase in enumerate(case.phases):
        pictures = draw_phase(phase, picture_name(case, phase), f"board-{number}-{index}")
        phases.append(PhaseView(phase, pictures, order_rows(phase), is_as_expected(phase)))
    return CaseView(case, anchor, phases)


def picture_name(case: CaseData, phase: PhaseData) -> str:
    """What a screen reader calls the boards of a phase."""
    return f"{case.id}, {phase.season} {phase.year}, {phase.phase}"
