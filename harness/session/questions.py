"""How a phase of a case is put to an engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from ...adapters import (
    AdjudicateParams,
    AdjudicateResult,
    Capabilities,
    DislodgedMessage,
    Engine,
    Extra,
    Notation,
    UnitMessage,
    UnsupportedError,
    center_messages,
    dislodged_messages,
    flying_dutchman_messages,
    given_order_message,
    order_set_messages,
    ruleset_message,
    unit_messages,
    unit_of,
)
from ...cases import CasePhase
from ...reference_engine import Proxy, Ruleset, Unclear, Unit
from ..verdict.judging import AskedPhase


@dataclass(frozen=True)
class Before:
    """What stands before a phase, and what the engine wants back with it."""

    units: tuple[Unit, ...]
    unit_messages: Sequence[UnitMessage]
    dislodged: Sequence[DislodgedMessage] | None
    state: msgspec.Raw | msgspec.UnsetType

    @property
    def dislodged_units(self) -> tuple[Unit, ...]:
        return tuple(unit_of(entry) for entry in self.dislodged or ())


def before(phase: CasePhase, asked: Sequence[AskedPhase]) -> Before:
    """Give what stands before a phase: its own position, or what the engine answered to the phase before."""
    if phase.position is not None or not asked:
        units, dislodged = (phase.position.units, phase.position.dislodged) if phase.position is not None else ((), ())
        return Before(units, unit_messages(units), dislodged_messages(dislodged), msgspec.UNSET)
    answer = asked[-1].answer
    units = tuple(unit_of(unit) for unit in answer.units)
    return Before(units, answer.units, answer.dislodged, answer.state)


def ask_phase(
    engine: Engine, capabilities: Capabilities, phase: CasePhase, standing: Before, ruleset: Ruleset, notation: Notation
) -> AdjudicateResult:
    """Ask one phase.

    Raises `UnsupportedError` where the engine says that it cannot, before it is asked or after, and the errors of
    `Engine.adjudicate`.
    """
    if capabilities.phases is not None and phase.phase not in capabilities.phases:
        raise UnsupportedError(f"the engine has no {phase.phase} phase")
    if standing.dislodged is None:
        raise UnsupportedError("the engine does not say which units are dislodged, so it cannot be asked to retreat")
    dutchmen = phase.position.flying_dutchmen if phase.position is not None else ()
    lacking = [extra for extra in _extras(phase) if extra not in capabilities.extras]
    if lacking:
        raise UnsupportedError(f"the engine does not say that it can do {' and '.join(lacking)} (capabilities.extras)")
    if capabilities.orders is not None and "text" not in capabilities.orders and _needs_text(phase):
        raise UnsupportedError("the engine reads no text, and only a reader of text can tell what is meant here")
    return engine.adjudicate(
        AdjudicateParams(
            phase=phase.phase,
            season=phase.season,
            year=phase.year,
            ruleset=ruleset_message(ruleset),
            units=list(standing.unit_messages),
            centers=center_messages(phase.centers),
            dislodged=list(standing.dislodged) if phase.phase == "retreat" else [],
            orders=[given_order_message(order.submitted, order.text, notation) for order in phase.orders],
            order_sets=order_set_messages(phase.marks),
            sets_in_sequence=phase.in_sequence,
            flying_dutchmen=flying_dutchman_messages(dutchmen),
            state=standing.state,
        )
    )


def _extras(phase: CasePhase) -> Iterable[Extra]:
    """What an engine needs for a phase beyond one set of orders a power."""
    submitted = [order.submitted for order in phase.orders]
    if any(one.order_set > 1 for one in submitted):
        yield "order-sets"
    if any(isinstance(one.writing, Proxy) for one in submitted):
        yield "proxies"
    if any(one.beforehand and not isinstance(one.writing, Proxy) for one in submitted):
        yield "perpetual-orders"
    if phase.position is not None and phase.position.flying_dutchmen:
        yield "flying-dutchmen"


def _needs_text(phase: CasePhase) -> bool:
    return any(isinstance(order.submitted.writing, Unclear) for order in phase.orders)
