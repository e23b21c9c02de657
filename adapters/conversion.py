"""Between the messages of the protocol and the values of the reference engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import UNSET

from ..reference_engine import (
    DATC_3_2,
    Adjudication,
    Build,
    Convoy,
    Disband,
    Dislodged,
    Hold,
    Move,
    Order,
    OrderedUnit,
    Phase,
    Position,
    Remove,
    Retreat,
    Ruleset,
    Submission,
    Submitted,
    SupportHold,
    SupportMove,
    Unit,
    Waive,
    ruleset,
    write_order,
)
from ..reference_engine.notation import read_writing
from ..reference_engine.order_sets import Mark
from ..reference_engine.orders import Proxy, Unclear, Writing
from ..reference_engine.position import FlyingDutchman
from . import protocol

_MESSAGES = {
    Hold: protocol.HoldMessage,
    Disband: protocol.DisbandMessage,
    Build: protocol.BuildMessage,
    Remove: protocol.RemoveMessage,
}
"""The orders that say nothing but the unit."""
_ORDERS = {message: order for order, message in _MESSAGES.items()}


def order_message(order: Order | Proxy) -> protocol.OrderMessage:
    """Give an order its structured form."""
    if isinstance(order, Waive):
        return protocol.WaiveMessage()
    unit = _unit_message(order.unit)
    match order:
        case Move():
            return protocol.MoveMessage(unit=unit, to=order.to, via_convoy=order.via_convoy, path=order.path or UNSET)
        case SupportHold():
            return protocol.SupportMessage(unit=unit, supported=_unit_message(order.supported))
        case SupportMove():
            return protocol.SupportMessage(unit=unit, supported=_unit_message(order.supported), to=order.to)
        case Convoy():
            return protocol.ConvoyMessage(unit=unit, convoyed=_unit_message(order.convoyed), to=order.to)
        case Retreat():
            return protocol.RetreatMessage(unit=unit, to=order.to)
        case Proxy():
            return protocol.ProxyMessage(unit=unit, to=order.to)
        case _:
            return _MESSAGES[type(order)](unit=unit)


def read_order_message(message: protocol.OrderMessage) -> Order | Proxy:
    """Take an order from its structured form."""
    if isinstance(message, protocol.WaiveMessage):
        return Waive()
    unit = _ordered_unit(message.unit)
    match message:
        case protocol.MoveMessage():
            return Move(unit, message.to, message.via_convoy, message.path or ())
        case protocol.SupportMessage():
            supported = _ordered_unit(message.supported)
            return SupportHold(unit, supported) if message.to is None else SupportMove(unit, supported, message.to)
        case protocol.ConvoyMessage():
            return Convoy(unit, _ordered_unit(message.convoyed), message.to)
        case protocol.RetreatMessage():
            return Retreat(unit, message.to)
        case protocol.ProxyMessage():
            return Proxy(unit, message.to)
        case _:
            return _ORDERS[type(message)](unit)


Notation: TypeAlias = Literal["document", "codes", "names"]
"""How the texts of orders are written: as the document has them, `A LON - BEL`, or `A London - Belgium`."""


def given_order_message(submitted: Submitted, text: str, notation: Notation = "document") -> protocol.GivenOrderMessage:
    """Put an order of a case into a request: as it was read, and its text as the document has it.

    `notation` says how its text is written; one that is not clear stays as the document has it.
    """
    writing = submitted.writing
    if notation != "document" and writing is not None and not isinstance(writing, (Proxy, Unclear)):
        text = write_order(writing, notation)
    return protocol.GivenOrderMessage(
        power=submitted.power,
        text=text,
        order=None if writing is None or isinstance(writing, Unclear) else order_message(writing),
        order_set=submitted.order_set,
        beforehand=submitted.beforehand,
    )


def ruleset_message(rules: Ruleset) -> protocol.RulesetMessage:
    """Put the ruleset in force into a request."""
    coasts = dict(rules.default_coasts) if "default-coast" in rules.choices.values() else UNSET
    return protocol.RulesetMessage(name=rules.name, choices=dict(rules.choices), default_coasts=coasts)


def read_ruleset(message: protocol.RulesetMessage, usual: Ruleset = DATC_3_2) -> Ruleset:
    """Take the ruleset from a request: the usual one, but for the choices and default coasts that it names.

    Raises `RulesetError` for an unknown issue or choice.
    """
    if message.choices.items() <= usual.choices.items() and not message.default_coasts:
        return usual
    return ruleset(
        message.name, {**usual.choices, **message.choices}, {**usual.default_coasts, **(message.default_coasts or {})}
    )


def read_position(params: protocol.AdjudicateParams) -> Position:
    """Take the position from a request. Raises `PositionError` where it is impossible."""
    dutchmen = params.flying_dutchmen or ()
    return Position(
        [unit_of(unit) for unit in params.units],
        phase=params.phase,
        dislodged=[_dislodged(entry) for entry in params.dislodged],
        centers=params.centers,
        flying_dutchmen=[FlyingDutchman(entry.power, tuple(entry.candidates)) for entry in dutchmen],
    )


def read_submission(params: protocol.AdjudicateParams) -> Submission:
    """Take what was handed in from a request: the structured form of an order, or else its text."""

    def writing(message: protocol.GivenOrderMessage) -> Writing | None:
        return read_writing(message.text, params.phase) if message.order is None else read_order_message(message.order)

    return Submission(
        [Submitted(given.power, writing(given), given.order_set, given.beforehand) for given in params.orders],
        {(order_set.power, order_set.order_set): order_set.mark for order_set in params.order_sets or ()},
        params.sets_in_sequence is not False,
    )


def result_message(adjudication: Adjudication, phase: Phase) -> protocol.AdjudicateResult:
    """Put an adjudication into an answer."""
    return protocol.AdjudicateResult(
        units=unit_messages(adjudication.units),
        dislodged=dislodged_messages(adjudication.dislodged) if phase == "movement" else None,
        orders=[
            protocol.OrderResultMessage(outcome=result.outcome, reason=result.reason) for result in adjudication.orders
        ],
    )


def unit_messages(units: Sequence[Unit]) -> list[protocol.UnitMessage]:
    """Put the units on the board into a message."""
    return [protocol.UnitMessage(power=unit.power, type=unit.type, location=unit.location) for unit in units]


def dislodged_messages(entries: Sequence[Dislodged]) -> list[protocol.DislodgedMessage]:
    """Put dislodged units into a message, with where they may retreat to."""
    return [
        protocol.DislodgedMessage(
            **unit._asdict(), from_=attacked_from, retreats=None if retreats is None else list(retreats)
        )
        for unit, attacked_from, retreats in entries
    ]


def center_messages(centers: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Put the supply centers that each power owns into a message."""
    return {power: sorted(owned) for power, owned in centers.items()}


def order_set_messages(marks: Mapping[tuple[str, int], Mark]) -> list[protocol.OrderSetMessage]:
    """Put what is clear of each order set, by power and number, into a request."""
    return [
        protocol.OrderSetMessage(power=power, order_set=number, mark=mark) for (power, number), mark in marks.items()
    ]


def flying_dutchman_messages(dutchmen: Sequence[FlyingDutchman]) -> list[protocol.FlyingDutchmanMessage]:
    """Put the units that should not be on the board into a request."""
    return [protocol.FlyingDutchmanMessage(power=power, candidates=list(candidates)) for power, candidates in dutchmen]


def unit_of(message: protocol.UnitMessage | protocol.DislodgedMessage) -> Unit:
    """Take a unit from a message."""
    return Unit(message.power, message.type, message.location)


def _unit_message(unit: OrderedUnit) -> protocol.OrderedUnitMessage:
    return protocol.OrderedUnitMessage(location=unit.location, type=unit.type, power=unit.power)


def _ordered_unit(message: protocol.OrderedUnitMessage) -> OrderedUnit:
    return OrderedUnit(message.location, message.type, message.power)


def _dislodged(message: protocol.DislodgedMessage) -> Dislodged:
    retreats = None if message.retreats is None else tuple(message.retreats)
    return Dislodged(unit_of(message), message.from_, retreats)
