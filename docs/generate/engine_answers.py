"""What engines answer to a case where they do not answer as expected: alike answers together, each with its board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from board_maps import draw_before_and_after

from datc.harness.play.differences import WORD_KINDS
from datc.harness.rules.compare import compare_case
from datc.reports import CaseData, PhaseData
from datc.reports.boardmap.scenes import phase_scenes
from datc.reports.mistakes import mistake_sentence

if TYPE_CHECKING:
    from engine_verdicts import CaseVerdict, ShownEngine
    from markupsafe import Markup


class WrongAnswer(NamedTuple):
    """An answer that is not the one expected, and who gives it."""

    engines: Sequence[ShownEngine]
    deviations: Mapping[str, Sequence[str]]
    """The choices under which it is right; empty where it is wrong under every choice."""
    mistake: str
    """What is wrong with it, in a sentence."""
    phase: PhaseData
    """The phase that it is about: the first that differs."""
    before: Markup
    after: Markup


def wrong_answers(verdicts: Sequence[tuple[ShownEngine, CaseVerdict]], name: str) -> Sequence[WrongAnswer]:
    """Return the answers of engines whose board is not the one expected, those that most engines give first.

    `name` is for ids of no other board of the page.
    """
    wrong = [(engine, found.data) for engine, found in verdicts if found.data is not None and has_wrong_board(found)]
    if not wrong:
        return []
    compared = compare_case([data for _, data in wrong])
    groups = [*compared.groups, *((place,) for place in compared.unanswered)]
    return [
        _wrong_answer([wrong[place][0] for place in group], wrong[group[0]][1], f"{name}-{number}")
        for number, group in enumerate(groups, 1)
    ]


def has_wrong_board(found: CaseVerdict) -> bool:
    """Return whether a board that an engine answered is not the one expected."""
    return found.data is not None and any(is_wrong_board(phase) for phase in found.data.phases)


def is_wrong_board(phase: PhaseData) -> bool:
    """Return whether the board that was answered is not the one expected."""
    return phase.answer is not None and any(fact.kind not in WORD_KINDS for fact in phase.facts)


def _wrong_answer(engines: Sequence[ShownEngine], data: CaseData, name: str) -> WrongAnswer:
    phase = next(phase for phase in data.phases if is_wrong_board(phase))
    before, after = draw_answer(phase, f"{data.id} as {engines[0].title} answers it", name)
    return WrongAnswer(engines, data.deviations, mistake_sentence(phase), phase, before, after)


def draw_answer(phase: PhaseData, title: str, name: str) -> tuple[Markup, Markup]:
    """Draw the orders with the results that an engine gave, and the board that it answered."""
    before, _, after = phase_scenes(phase, "answer")
    if after is None:
        raise ValueError("a phase without an answer has no board")
    return draw_before_and_after((before, after), title, name)
