"""Plays the phases of a case or a position: the only loop over phases, which recognises boards that cannot exist."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, final

from ...adapters.errors import EngineFailure, UnsupportedError
from ...reference_engine import Board, Procedure, Ruleset, Submission, Unit, adjudicate, province_code, standard_board
from ...reference_engine.errors import PositionError, UnplayedChoiceError
from ...reference_engine.procedures import EQUATIONS
from .answer import Answer, AnswerOrFailure, Failure, PhaseInput, answer_of
from .differences import Fact

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
    answered: int = 0
    """How many phases it has answered."""

    @abstractmethod
    def ask(self, asked: PhaseInput) -> Answer:
        """Adjudicate a phase.

        Raises `UnsupportedError` where it cannot be asked this, `EngineFailure` where it gives no valid answer,
        `EngineGaveOutError` and `EngineClosedError` where it cannot be asked any more.
        """

    def restart(self) -> bool:
        """Start it again for the next question; return whether that is possible."""
        return False


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
        adjudicator.answered += 1
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
            board=phase.board,
        )
        for phase in case.phases
    ]


@final
class MissingAdjudicator(Adjudicator):
    """An engine that could not be started: it answers nothing."""

    def __init__(self, name: str, reason: str) -> None:
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
        self.ruleset = ruleset
        self.procedure = procedure

    def ask(self, asked: PhaseInput) -> Answer:
        try:
            adjudication = adjudicate(asked.position(), asked.orders, self.ruleset, self.procedure)
        except UnplayedChoiceError as error:
            raise UnsupportedError(str(error)) from error
        except PositionError as error:  # A mutant may answer with an impossible position.
            raise EngineFailure(str(error)) from error
        return answer_of(adjudication, asked.phase)


def find_impossible(asked: PhaseInput, answer: Answer) -> tuple[Fact, ...]:
    """Find what makes an answer impossible. A missing unit does not: it may be dislodged and have no retreat.

    Returns facts of `IMPOSSIBLE_KINDS`, each once, the first 20 of them; none where the board can exist.
    """
    dislodged = tuple(entry.unit for entry in answer.dislodged or ())
    if _is_plain(asked, answer.standing, dislodged):
        return ()
    found = [*_impossible_boards(asked.board or standard_board(), answer.units, dislodged)]
    found += _from_nowhere(asked, answer, dislodged)
    return tuple(dict.fromkeys(found))[:20]


def _is_plain(asked: PhaseInput, units: Sequence[Unit], dislodged: Sequence[Unit]) -> bool:
    """Whether a board is possible at first sight: a fast check of the usual case."""
    before, standing, beside = set(asked.units), set(units), set(dislodged)
    if len(before) < len(asked.units) or len(standing) < len(units) or len(beside) < len(dislodged):
        return False
    came, gone = standing - before, before - standing
    if not came and not beside:
        return True
    # The first three letters are the province: `province_code` would take most of the time of this check.
    if asked.phase == "adjustment" or not beside <= gone or len({unit[2][:3] for unit in units}) < len(units):
        return False
    left = [unit[:2] for unit in gone - beside] + [entry.unit[:2] for entry in asked.dislodged or ()]
    places = (asked.board or standard_board()).places
    for power, unit_type, location in came:  # Each is one of the units that left, by power and type.
        if (power, unit_type) not in left or (unit_type, location) not in places:
            return False
        left.remove((power, unit_type))
    return True


def _impossible_boards(board: Board, units: Sequence[Unit], dislodged: Sequence[Unit]) -> Iterable[Fact]:
    """What is impossible wherever the units came from."""
    for unit in (*units, *dislodged):
        if unit.power not in board.powers or not board.can_stand(unit.type, unit.location):
            yield Fact("impossible-place", unit)
    for standing in (units, dislodged):
        for unit, count in Counter(standing).items():
            if count > 1:
                yield Fact("unit-twice", unit, "once", f"{count} times")
        by_province: dict[str, Unit] = {}
        for unit in dict.fromkeys(standing):
            first = by_province.setdefault(province_code(unit.location), unit)
            if first != unit:
                yield Fact("province-twice", unit, "alone", f"with {first.power} {first.type} {first.location}")


def _from_nowhere(asked: PhaseInput, answer: Answer, dislodged: Sequence[Unit]) -> Iterable[Fact]:
    """The units that cannot come from anywhere: as many of a power and type as there were, or ordered to be built."""
    before = [*asked.units, *(entry.unit for entry in asked.dislodged or ())]
    for unit in dislodged:
        if unit not in before:
            yield Fact("dislodged-from-nowhere", unit, "a unit on the board before", "none like it")
    too_many = Counter(unit[:2] for unit in (*answer.units, *dislodged))
    too_many.subtract(unit[:2] for unit in before)
    for unit in sorted(set(answer.units).intersection(dislodged)):
        if too_many[unit[:2]] > 0:  # Otherwise one like it, of its own power, has dislodged it.
            yield Fact("standing-and-dislodged", unit, "one of the two", "both")
    if asked.phase == "adjustment":
        orders = Counter(writing.power for writing in asked.submission.writings)
        for unit in [unit for unit in dict.fromkeys(answer.units) if unit not in asked.units]:
            orders[unit.power] -= 1
            if orders[unit.power] < 0:
                yield Fact("unit-from-nowhere", unit, "an order to build it", "none")
        return
    standing, stood = set(answer.units), set(before)
    left = Counter((unit.power, unit.type) for unit in before)
    left.subtract((unit.power, unit.type) for unit in set(dislodged) & stood - standing)
    # Those that stand where they stood are surely the same; a newcomer is the one that is too many.
    for unit in sorted(dict.fromkeys(answer.units), key=lambda unit: unit not in stood):
        kind = (unit.power, unit.type)
        if left[kind] <= 0:
            yield Fact("unit-from-nowhere", unit, "no more units than before", "one more")
        left[kind] -= 1
