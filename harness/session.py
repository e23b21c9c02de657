"""Plays the phases of a case or a position on an adjudicator: the only loop over phases in the project."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, final

from ..adapters.errors import EngineFailure, UnsupportedError
from ..reference_engine import (
    EQUATIONS,
    PositionError,
    Procedure,
    Proxy,
    Ruleset,
    Submission,
    Submitted,
    Unclear,
    UnplayedChoiceError,
    adjudicate,
    printable,
    write_order,
)
from .answers import Answer, AnswerOrFailure, Fact, Failure, PhaseInput, answer_of, find_impossible, read_answer

if TYPE_CHECKING:  # The page that plays positions in a browser has no msgspec, and no engines under test.
    from ..adapters import AdjudicateParams, Capabilities, Engine, EngineIdentity, Extra, Notation
    from ..adapters.protocol import GivenOrderMessage, RulesetMessage
    from ..cases import Case
    from .tracing import Trace


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


def request_params(asked: PhaseInput, ruleset: RulesetMessage, notation: Notation) -> AdjudicateParams:
    """Return what an engine is sent to be asked a phase."""
    from msgspec import UNSET

    from ..adapters import (
        AdjudicateParams,
        center_messages,
        dislodged_messages,
        flying_dutchman_messages,
        order_set_messages,
        unit_messages,
    )

    submission = asked.submission
    return AdjudicateParams(
        phase=asked.phase,
        season=asked.season,
        year=asked.year,
        ruleset=ruleset,
        units=unit_messages(asked.units),
        centers=center_messages(asked.centers),
        dislodged=dislodged_messages(asked.dislodged or ()) if asked.phase == "retreat" else [],
        orders=order_messages(submission.writings, asked.texts, notation),
        order_sets=order_set_messages(submission.marks) or UNSET,
        sets_in_sequence=UNSET if submission.in_sequence else False,
        flying_dutchmen=flying_dutchman_messages(asked.flying_dutchmen) or UNSET,
        state=UNSET if asked.state is None else asked.state,
    )


@final
class EngineAdjudicator(Adjudicator):
    """An engine under test, asked over the protocol."""

    def __init__(
        self,
        engine: Engine,
        capabilities: Capabilities,
        ruleset: Ruleset,
        notation: Notation = "document",
        identity: EngineIdentity | None = None,
    ) -> None:
        """`ruleset` is what its requests say is in force, `notation` how the texts of orders are written for it."""
        from ..adapters import ruleset_message

        self.name = printable(f"{identity.name} {identity.version}".strip()) if identity else ""
        self._engine = engine
        self._capabilities = capabilities
        self._rules = ruleset_message(ruleset)
        self._notation: Notation = notation
        self.trace: Trace | None = None
        """What writes down what is asked."""

    def ask(self, asked: PhaseInput) -> Answer:
        self._check_supported(asked)
        params = request_params(asked, self._rules, self._notation)
        result = self.trace.adjudicate(self._engine, params) if self.trace else self._engine.adjudicate(params)
        return read_answer(result, asked.phase)

    def traced(self, trace: Trace) -> EngineAdjudicator:
        """Return it as one that writes down what it asks."""
        traced = copy(self)
        traced.trace = trace
        return traced

    def _check_supported(self, asked: PhaseInput) -> None:
        """Raise `UnsupportedError` where the engine says that it cannot be asked a phase."""
        can = self._capabilities
        if can.phases is not None and asked.phase not in can.phases:
            raise UnsupportedError(f"the engine has no {asked.phase} phase")
        if asked.dislodged is None:
            raise UnsupportedError(
                "the engine does not say which units are dislodged, so it cannot be asked to retreat"
            )
        lacking = [extra for extra in _extras(asked) if extra not in can.extras]
        if lacking:
            raise UnsupportedError(
                f"the engine does not say that it can do {' and '.join(lacking)} (capabilities.extras)"
            )
        if can.orders is not None and "text" not in can.orders and _needs_text(asked):
            raise UnsupportedError(
                "the engine reads no text (capabilities.orders), and an order here has no structured form"
            )


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


def order_messages(
    writings: Sequence[Submitted], texts: Sequence[str] | None = None, notation: Notation = "document"
) -> list[GivenOrderMessage]:
    """Put orders into a request, as they were written or, without texts, as a player would write them."""
    from ..adapters import given_order_message

    if texts is None:
        texts = [_written_out(submitted) for submitted in writings]
    return [given_order_message(*each, notation) for each in zip(writings, texts, strict=True)]


def _written_out(submitted: Submitted) -> str:
    writing = submitted.writing
    return "" if writing is None or isinstance(writing, (Proxy, Unclear)) else write_order(writing, "codes")


def _extras(asked: PhaseInput) -> Iterable[Extra]:
    """What an engine needs for a phase beyond one set of orders a power."""
    submission = asked.submission
    writings = submission.writings
    if submission.marks or not submission.in_sequence or any(one.order_set > 1 for one in writings):
        yield "order-sets"
    if any(isinstance(one.writing, Proxy) for one in writings):
        yield "proxies"
    if any(one.beforehand and not isinstance(one.writing, Proxy) for one in writings):
        yield "perpetual-orders"
    if asked.flying_dutchmen:
        yield "flying-dutchmen"


def _needs_text(asked: PhaseInput) -> bool:
    """Return whether an order has no structured form: it cannot be read, or in several ways."""
    return any(one.writing is None or isinstance(one.writing, Unclear) for one in asked.submission.writings)
