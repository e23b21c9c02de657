"""Asks an engine under test over the protocol: from values to messages, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import final

from msgspec import UNSET

from ...adapters import AdjudicateParams, AdjudicateResult, Engine, conversion
from ...adapters.conversion import Notation
from ...adapters.errors import UnsupportedError
from ...adapters.protocol import Capabilities, EngineIdentity, Extra, GivenOrderMessage, RulesetMessage
from ...reference_engine import Dislodged, GivenOrder, Phase, Ruleset, Submitted, write_order
from ...reference_engine.errors import printable
from ...reference_engine.maps import STANDARD
from ...reference_engine.orders import Proxy, Unclear
from .answer import Answer, OrderOutcome, PhaseInput
from .session import Adjudicator
from .trace import Trace


def request_params(asked: PhaseInput, ruleset: RulesetMessage, notation: Notation) -> AdjudicateParams:
    """Return what an engine is sent to be asked a phase."""
    submission = asked.submission
    return AdjudicateParams(
        map=asked.map_name,
        phase=asked.phase,
        season=asked.season,
        year=asked.year,
        ruleset=ruleset,
        units=conversion.unit_messages(asked.units),
        centers=conversion.center_messages(asked.centers),
        dislodged=conversion.dislodged_messages(asked.dislodged or ()) if asked.phase == "retreat" else [],
        orders=order_messages(submission.writings, asked.texts, notation),
        order_sets=conversion.order_set_messages(submission.marks) or UNSET,
        sets_in_sequence=UNSET if submission.in_sequence else False,
        flying_dutchmen=conversion.flying_dutchman_messages(asked.flying_dutchmen) or UNSET,
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
        self.name = printable(f"{identity.name} {identity.version}".strip()) if identity else ""
        self._engine = engine
        self._capabilities = capabilities
        self._rules = conversion.ruleset_message(ruleset)
        self._notation: Notation = notation
        self.trace: Trace | None = None

    def ask(self, asked: PhaseInput) -> Answer:
        asked = asked._replace(orders=asked.submission)  # It is looked at several times.
        self._check_supported(asked)
        params = request_params(asked, self._rules, self._notation)
        result = self.trace.adjudicate(self._engine, params) if self.trace else self._engine.adjudicate(params)
        return read_answer(result, asked.phase)

    def restart(self) -> bool:
        is_new = self._engine.restart()
        self.answered = 0 if is_new else self.answered
        return is_new

    def traced(self, trace: Trace) -> EngineAdjudicator:
        """Return it as one that writes down what it asks."""
        traced = copy(self)
        traced.trace = trace
        return traced

    def _check_supported(self, asked: PhaseInput) -> None:
        """Raise `UnsupportedError` where the engine says that it cannot be asked a phase."""
        can, writings = self._capabilities, asked.submission.writings
        if asked.map_name not in (STANDARD, *(can.maps or ())):
            raise UnsupportedError(
                f"the engine does not say that it plays the map {asked.map_name} (capabilities.maps)"
            )
        if can.phases is not None and asked.phase not in can.phases:
            raise UnsupportedError(f"the engine has no {asked.phase} phase")
        if asked.dislodged is None:
            raise UnsupportedError(
                "the engine does not say which units are dislodged, so it cannot be asked to retreat"
            )
        if lacking := " and ".join(extra for extra in _extras(asked) if extra not in can.extras):
            raise UnsupportedError(f"the engine does not say that it can do {lacking} (capabilities.extras)")
        # An order that cannot be read, or in several ways, has no structured form.
        needs_text = any(one.writing is None or isinstance(one.writing, Unclear) for one in writings)
        if needs_text and can.orders is not None and "text" not in can.orders:
            no_text = "the engine reads no text (capabilities.orders)"
            raise UnsupportedError(f"{no_text}, and an order here has no structured form")


def order_messages(
    writings: Sequence[Submitted], texts: Sequence[str] | None = None, notation: Notation = "document"
) -> list[GivenOrderMessage]:
    """Put orders into a request, as they were written or, without texts, as a player would write them."""
    if texts is None:
        clear = [None if isinstance(one.writing, (Proxy, Unclear)) else one.writing for one in writings]
        texts = ["" if order is None else write_order(order, "codes") for order in clear]
    return [conversion.given_order_message(*each, notation) for each in zip(writings, texts, strict=True)]


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


def read_answer(result: AdjudicateResult, phase: Phase) -> Answer:
    """Take the answer from an engine's message."""
    dislodged = None
    if phase == "movement" and result.dislodged is not None:
        retreats = [None if entry.retreats is None else tuple(sorted(entry.retreats)) for entry in result.dislodged]
        pairs = zip(result.dislodged, retreats, strict=True)
        entries = (Dislodged(conversion.unit_of(entry), entry.from_, may_retreat) for entry, may_retreat in pairs)
        dislodged = tuple(sorted(entries, key=lambda entry: entry.unit))
    outcomes = None
    if result.orders is not None:
        outcomes = tuple(None if each is None else OrderOutcome(each.outcome, each.reason) for each in result.orders)
    return Answer(tuple(map(conversion.unit_of, result.units)), dislodged, outcomes, state=result.state or None)


def read_orders(messages: Sequence[GivenOrderMessage]) -> tuple[GivenOrder, ...]:
    """Take orders from messages by their structured form; one without, and a proxy, is an order that cannot be read."""
    orders = [None if message.order is None else conversion.read_order_message(message.order) for message in messages]
    pairs = zip(messages, orders, strict=True)
    return tuple(GivenOrder(message.power, None if isinstance(order, Proxy) else order) for message, order in pairs)
