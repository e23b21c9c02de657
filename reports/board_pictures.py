"""The boards of a page: the map once, and each phase of a case as two or three pictures of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from .boardmap import (
    Scene,
    Window,
    board_style,
    draw_board,
    draw_legend,
    phase_scenes,
    shared_map,
    whole_map,
    window_around,
)
from .report import PhaseData

LARGE = 0.6
"""A board with more than this share of the map's width is large."""

__all__ = ["Picture", "Pictures", "board_style", "draw_answers", "draw_phase", "legend", "map_for_all"]


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


def map_for_all() -> Markup:
    """The map that every board of a page refers to, without its style."""
    return Markup(shared_map())  # noqa: S704 - nothing in it comes from outside


def legend() -> Markup:
    """What the signs on the boards mean."""
    return Markup(draw_legend())  # noqa: S704 - nothing in it comes from outside


def draw_phase(phase: PhaseData, case: str, prefix: str) -> Pictures:
    """Draw the boards of a phase. `case` is what a screen reader calls it, `prefix` is for ids of no other phase."""
    before, expected, answer = phase_scenes(phase)
    drawn = [scene for scene in (before, expected, answer) if scene is not None]
    pen = _Pen(case, prefix, window_around(*drawn))
    if answer is not None and is_as_expected(phase):
        after = (pen.draw(answer, "after", "After, as expected"),)
    else:
        after = tuple(
            pen.draw(scene, name, caption)
            for scene, name, caption in ((expected, "expected", "Expected"), (answer, "got", "Got"))
            if scene is not None
        )
    return Pictures(pen.draw(before, "before", "Before, with the orders"), after, pen.large)


def draw_answers(
    phases: Sequence[PhaseData], captions: Sequence[str], case: str, prefix: str, *, with_expected: bool
) -> Pictures:
    """Draw what several engines answered to one phase, each with its caption, behind what was expected if wanted."""
    before, expected, _ = phase_scenes(phases[0], "none")
    found = [
        (f"answer-{number}", caption, phase_scenes(phase).answer)
        for number, (phase, caption) in enumerate(zip(phases, captions, strict=True))
    ]
    if with_expected:
        found.insert(0, ("expected", "Expected", expected))
    drawn = [(name, caption, scene) for name, caption, scene in found if scene is not None]
    pen = _Pen(case, prefix, window_around(before, *(scene for _, _, scene in drawn)))
    after = tuple(pen.draw(scene, name, caption) for name, caption, scene in drawn)
    return Pictures(pen.draw(before, "before", "Before, with the orders"), after, pen.large)


def is_as_expected(phase: PhaseData) -> bool:
    """Whether one board shows both what was expected and what was got."""
    expected, answer = phase.expected, phase.answer
    if expected is None or answer is None or phase.differences:
        return False
    dislodged = Counter(entry.unit for entry in answer.dislodged or ())
    return Counter(expected.units) == Counter(answer.units) and Counter(expected.dislodged) == dislodged


class _Pen(NamedTuple):
    case: str
    prefix: str
    window: Window

    @property
    def large(self) -> bool:
        return self.window.width > LARGE * whole_map().width

    def draw(self, scene: Scene, name: str, caption: str) -> Picture:
        svg = draw_board(
            scene,
            title=f"{self.case}. {caption}.",
            prefix=f"{self.prefix}-{name}",
            base="reference",
            window=self.window,
        )
        return Picture(caption, Markup(svg))  # noqa: S704 - it escapes every text by itself
