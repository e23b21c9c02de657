"""The engines of a hunt: each is asked a situation and says something, whatever becomes of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple, final

import msgspec

from ...adapters import (
    AdjudicateParams,
    AdjudicateResult,
    Capabilities,
    Engine,
    EngineFailure,
    EngineIdentity,
    UnsupportedError,
    ruleset_message,
)
from ...adapters.protocol import RulesetMessage
from ...reference_engine import (
    EQUATIONS,
    Adjudication,
    Phase,
    Position,
    PositionError,
    Procedure,
    Ruleset,
    UnplayedChoiceError,
    adjudicate,
    printable,
)
from ...reference_engine.notation import Style
from .answers import Answer, Failure, Said, read_answer, reference_answer
from .situation import Situation, order_messages, request


class Statement(NamedTuple):
    """What an engine said of a situation, phase by phase."""

    said: tuple[Said, ...]
    """The last may be a failure."""
    result: AdjudicateResult | None
    """Its own words to the movements or adjustments, with the outcomes of orders; `None` for the reference."""

    @property
    def last(self) -> Said:
        """What it said last."""
        return self.said[-1]


class Party(ABC):
    """Whoever can be asked."""

    name: str

    @abstractmethod
    def ask(self, situation: Situation, style: Style = "codes") -> Statement | None:
        """Ask for an answer; `None` is for a situation that it does not support.

        Raises `EngineGaveOutError` and `EngineClosedError`.
        """


@final
class EngineParty(Party):
    """An engine under test, reached over the protocol."""

    def __init__(self, engine: Engine, identity: EngineIdentity, capabilities: Capabilities, ruleset: Ruleset) -> None:
        """`ruleset` is what its requests say is in force."""
        self.name = printable(f"{identity.name} {identity.version}".strip())
        self._engine = engine
        self._phases = capabilities.phases
        self._rules: RulesetMessage = ruleset_message(ruleset)

    def ask(self, situation: Situation, style: Style = "codes") -> Statement | None:
        phase = situation.position.phase
        if not self._plays(phase):
            return None
        params = request(situation, self._rules, style)
        try:
            result = self._engine.adjudicate(params)
        except UnsupportedError:
            return None
        except EngineFailure as failure:
            return Statement((Failure(str(failure)),), None)
        answer = read_answer(result)
        if situation.retreats is None or not self._plays("retreat") or result.dislodged is None:
            return Statement((answer,), result)
        return Statement((answer, *self._retreats(params, result, situation)), result)

    def _plays(self, phase: Phase) -> bool:
        return self._phases is None or phase in self._phases

    def _retreats(self, params: AdjudicateParams, moved: AdjudicateResult, situation: Situation) -> tuple[Said, ...]:
        """Go on with the retreats from what it answered itself."""
        after = msgspec.structs.replace(
            params,
            phase="retreat",
            units=moved.units,
            dislodged=moved.dislodged or [],
            orders=order_messages(situation.retreats or ()),
            state=moved.state,
        )
        try:
            return (read_answer(self._engine.adjudicate(after)),)
        except UnsupportedError:
            return ()
        except EngineFailure as failure:
            return (Failure(str(failure)),)


@final
class ReferenceParty(Party):
    """The reference engine, asked without any message: it is as fast as it can be."""

    def __init__(self, ruleset: Ruleset, procedure: Procedure = EQUATIONS, called: str = "") -> None:
        """Play by these rules and this procedure, whatever else is said."""
        self.name = "datc-check reference engine" + (f", {called}" if called else "")
        self.ruleset = ruleset
        self._procedure = procedure

    def ask(self, situation: Situation, style: Style = "codes") -> Statement | None:
        _ = style
        try:
            moved = adjudicate(situation.position, situation.orders, self.ruleset, self._procedure)
        except UnplayedChoiceError:
            return None
        answer = reference_answer(moved)
        if situation.position.phase != "movement":
            return Statement((answer._replace(retreats=None),), None)
        if situation.retreats is None:
            return Statement((answer,), None)
        return Statement((answer, self._retreats(moved, situation)), None)

    def _retreats(self, moved: Adjudication, situation: Situation) -> Said:
        try:
            position = Position(moved.units, phase="retreat", dislodged=moved.dislodged)
        except PositionError as error:  # With a deliberate fault: a retreat to where another unit stands.
            return Failure(str(error))
        after = adjudicate(position, situation.retreats or (), self.ruleset, self._procedure)
        return Answer(tuple(sorted(after.units)), None)


def is_board(answer: Answer) -> bool:
    """Whether the units of an answer can stand on a board together."""
    try:
        _ = Position(answer.units)
    except PositionError:
        return False
    return True
