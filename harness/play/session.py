"""Plays the phases of a case or a position on an adjudicator: the only loop over phases in the project."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, final

from ...adapters.errors import EngineFailure, UnsupportedError
from ...reference_engine import PositionError, Procedure, Ruleset, Submission, adjudicate
from ...reference_engine.errors import UnplayedChoiceError
from ...reference_engine.procedures import EQUATIONS
from .answer import Answer, AnswerOrFailure, Failure, PhaseInput, answer_of
from .differences import Fact
from .impossible import find_impossible

if TYPE_CHECKING:  # The page that plays positions in a browser has no msgspec, and no engines under test.
    from ...cases import Case


class PlayedPhase(NamedTuple):
    """A phase as it was asked, and what was answered."""

    asked: PhaseInput
    answer: AnswerOrFailure
    impossible: tuple[Fact, ...] = ()
    """What makes the answer impossible; none where its board can exist."""


class Adjudicator(ABC):
    """An engine under test, or the reference engine: anything that adjudicates a phase."""

    name: str
    is_trusted: bool = False
    """Whether it is the reference engine itself, whose boards are always possible."""

    @abstractmethod
    def ask(self, asked: PhaseInput) -> Answer:
        """Adjudicate a phase.

        Raises `UnsupportedError` where it cannot be asked this, `EngineFailure` where it gives no valid answer,
        `EngineGaveOutError` and `EngineClosedError` where it cannot be asked any more.
        """


def play(adjudicator: Adjudicator, phases: Iterable[PhaseInput]) -> Iterator[PlayedPhase]:
    """Ask the phases in turn, each that follows another going on from the answer to that one.

    It ends early with a phase that has no answer, or an impossible one. Raises `EngineGaveOutError` and
    `EngineClosedError`.
    """
    before: Answer | None = None
    for phase in phases:
        asked = phase.after(before) if phase.follows and before is not None else phase
        try:
            answer = adjudicator.ask(asked)
        except UnsupportedError as error:
            yield PlayedPhase(asked, Failure(str(error), unsupported=True))
            return
        except EngineFailure as error:
            yield PlayedPhase(asked, Failure(str(error), log=tuple(error.log)))
            return
        played = PlayedPhase(asked, answer) if adjudicator.is_trusted else check_answer(asked, answer)
        yield played
        if played.impossible:
            return
        before = answer


def check_answer(asked: PhaseInput, answer: Answer) -> PlayedPhase:
    """Return a phase with its answer, and what makes the answer impossible."""
    impossible = find_impossible(asked, answer)
    if answer.is_possible == bool(impossible):
        answer = replace(answer, is_possible=not impossible)
    return PlayedPhase(asked, answer, impossible)


def case_inputs(case: Case) -> Sequence[PhaseInput]:
    """Return the phases of a case as they are asked."""
    return [
        PhaseInput(
            phase.phase,
            Submission([order.submitted for order in phase.orders], phase.marks, phase.in_sequence),
            phase.position.units if phase.position is not None else (),
            phase.position.dislodged if phase.position is not None else (),
            [order.text for order in phase.orders],
            phase.season,
            phase.year,
            phase.centers,
            phase.position.flying_dutchmen if phase.position is not None else (),
            follows=phase.position is None,
            prepared=phase.position,
        )
        for phase in case.phases
    ]


@final
class MissingAdjudicator(Adjudicator):
    """An engine that could not be started: it answers nothing."""

    def __init__(self, name: str, reason: str) -> None:
        """`reason` says why."""
        self.name = name
        self._reason = reason

    def ask(self, asked: PhaseInput) -> Answer:
        del asked
        raise EngineFailure(self._reason)


@final
class ReferenceAdjudicator(Adjudicator):
    """The reference engine or a mutant of it, asked without messages."""

    def __init__(self, ruleset: Ruleset, procedure: Procedure = EQUATIONS, called: str = "") -> None:
        """Play by this ruleset and procedure; `called` names the procedure or the mutant."""
        self.name = "datc-check reference engine" + (f", {called}" if called else "")
        self.is_trusted = procedure is EQUATIONS
        self._ruleset = ruleset
        self._procedure = procedure

    def ask(self, asked: PhaseInput) -> Answer:
        try:
            adjudication = adjudicate(asked.position(), asked.orders, self._ruleset, self._procedure)
        except UnplayedChoiceError as error:
            raise UnsupportedError(str(error)) from error
        except PositionError as error:  # A mutant may answer with an impossible position.
            raise EngineFailure(str(error)) from error
        return answer_of(adjudication, asked.phase)
