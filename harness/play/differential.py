# mypyc
"""Asks adjudicators positions, and finds where what they answered differs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from ...reference_engine.notation import Style
from .answer import Answer, Failure
from .differences import Fact, board_facts, diff_answers, expect_answer, same_answer, same_words
from .positions import OrderedPosition
from .session import Adjudicator, PlayedPhase, play

Played: TypeAlias = tuple[PlayedPhase, ...]
"""The phases of a position that an adjudicator answered; the last one may be a failure, or impossible."""


def ask(adjudicator: Adjudicator, ordered: OrderedPosition, style: Style = "codes") -> Played:
    """Ask a position up to the first unsupported phase. Raises `EngineGaveOutError` and `EngineClosedError`."""
    return supported(play(adjudicator, ordered.phases(style)))


def supported(phases: Iterable[PlayedPhase]) -> Played:
    """Return the phases but for the last one where the adjudicator says that it does not support it."""
    played = tuple(phases)
    last = played[-1].answer
    return played[:-1] if isinstance(last, Failure) and last.unsupported else played


def agree(expected: Played, said: Played, *, words: bool = False) -> bool:
    """Whether two have the same boards in every phase that both answered; with `words`, the same outcomes, too."""
    for one, other in zip(expected, said, strict=False):  # noqa: SIM110 - `all` takes twice as long
        if not _same(one, other, words=words):
            return False
    return True


def _same(expected: PlayedPhase, said: PlayedPhase, *, words: bool = False) -> bool:
    if expected.impossible != said.impossible or not same_answer(expected.answer, said.answer):
        return False
    if not words or isinstance(expected.answer, Failure) or isinstance(said.answer, Failure):
        return True
    return same_words(expected.answer, said.answer)


def first_difference(expected: Played, said: Played) -> tuple[PlayedPhase, PlayedPhase] | None:
    """Return the first phase of which the boards differ, as both answered it."""
    pairs = zip(expected, said, strict=False)
    return next((pair for pair in pairs if not _same(*pair)), None)


def find_facts(expected: Played, said: Played) -> tuple[int, tuple[Fact, ...]]:
    """Return the number of the phase that matters first, and what is wrong with its answer.

    What is impossible comes before what differs on a board, and that before what differs in the outcomes of orders.
    """
    if said and said[-1].impossible:
        return len(said) - 1, said[-1].impossible
    found: list[tuple[int, tuple[Fact, ...]]] = []
    for number, (wanted, got) in enumerate(zip(expected, said, strict=False)):
        if isinstance(wanted.answer, Answer) and isinstance(got.answer, Answer):
            found.append((number, diff_answers(expect_answer(wanted.answer), got.answer)))
    on_board = ((number, facts) for number, each in found if (facts := board_facts(each)))
    return next(on_board, next(((number, facts) for number, facts in found if facts), (0, ())))
