"""Cases as pages show them: their places on the page, their sections, and their boards drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from markupsafe import Markup

from .boardmap import Scene, Window, draw_board, phase_scenes, whole_map, window_around
from .phase_rows import OrderRow, order_rows
from .report import CaseData, PhaseData
from .wording import known_suite

ViewT = TypeVar("ViewT")

LARGE = 0.6
"""A board with more than this share of the map's width is large."""


class Picture(NamedTuple):
    """A board, and what stands below it."""

    caption: str
    svg: Markup


class Pictures(NamedTuple):
    """The boards of a phase."""

    before: Picture
    after: tuple[Picture, ...]
    """Expected and got; one where they are the same, or where only one of them is known. Or one for each answer."""
    large: bool
    """They show so much of the map that they want room."""


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


def draw_answers(
    phases: Sequence[PhaseData], captions: Sequence[str], case: str, prefix: str, *, with_expected: bool
) -> Pictures:
    """Draw what several engines answered to one phase, each with its caption, behind what was expected if wanted.

    `case` is what a screen reader calls it, `prefix` is for ids of no other phase.
    """
    before, expected, _ = phase_scenes(phases[0], "none")
    after = [("expected", "Expected", expected)] if with_expected else []
    after += [
        (f"answer-{number}", caption, phase_scenes(phase).answer)
        for number, (phase, caption) in enumerate(zip(phases, captions, strict=True))
    ]
    drawn = [scene for _, _, scene in after if scene is not None]
    return _draw(before, after, case, prefix, window_around(before, *drawn))


def picture_name(case: CaseData, phase: PhaseData) -> str:
    """What a screen reader calls the boards of a phase."""
    return f"{case.id}, {phase.season} {phase.year}, {phase.phase}"


def _case_view(case: CaseData, anchor: str, number: int) -> CaseView:
    phases: list[PhaseView] = []
    for index, phase in enumerate(case.phases):
        pictures = _draw_phase(phase, picture_name(case, phase), f"board-{number}-{index}")
        phases.append(PhaseView(phase, pictures, order_rows(phase), _is_as_expected(phase)))
    return CaseView(case, anchor, phases)


def _draw_phase(phase: PhaseData, case: str, prefix: str) -> Pictures:
    scenes = before, expected, answer = phase_scenes(phase)
    after = [("expected", "Expected", expected), ("got", "Got", answer)]
    if _is_as_expected(phase):
        after = [("after", "After, as expected", answer)]
    return _draw(before, after, case, prefix, window_around(*(scene for scene in scenes if scene is not None)))


def _is_as_expected(phase: PhaseData) -> bool:
    """Whether one board shows both what was expected and what was got."""
    both = phase.expected is not None and phase.answer is not None
    return both and not phase.differences and "dislodged" not in phase.not_given


def _draw(
    before: Scene, after: Iterable[tuple[str, str, Scene | None]], case: str, prefix: str, window: Window
) -> Pictures:
    """Draw a board, and those of the boards after it that there are, each with its name and caption."""

    def draw(name: str, caption: str, scene: Scene) -> Picture:
        title = f"{case}. {caption}."
        svg = draw_board(scene, title=title, prefix=f"{prefix}-{name}", base="reference", window=window)
        return Picture(caption, Markup(svg))  # noqa: S704 - it escapes every text by itself

    pictures = tuple(draw(name, caption, scene) for name, caption, scene in after if scene is not None)
    large = window.width > LARGE * whole_map().width
    return Pictures(draw("before", "Before, with the orders", before), pictures, large)
