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
from ..reference_engine.orders import Proxy, Unclear
from ..reference_engine.position import FlyingDutchman
from .protocol import (
    AdjudicateParams,
    AdjudicateResult,
    BuildMessage,
    ConvoyMessage,
    DisbandMessage,
    DislodgedMessage,
    FlyingDutchmanMessage,
    GivenOrderMessage,
    HoldMessage,
    MoveMessage,
    OrderedUnitMessage,
    OrderMessage,
    OrderResultMessage,
    OrderSetMessage,
    ProxyMessage,
    RemoveMessage,
    RetreatMessage,
    RulesetMessage,
    SupportMessage,
    UnitMessage,
    WaiveMessage,
)


def order_message(order: Order | Proxy) -> OrderMessage:
    """Give an order its structured form."""
    if isinstance(order, Waive):
        return WaiveMessage()
    unit = _unit_message(order.unit)
    match order:
        case Hold():
            return HoldMessage(unit=unit)
        case Move():
            return MoveMessage(unit=unit, to=order.to, via_convoy=order.via_convoy, path=order.path or UNSET)
        case SupportHold():
            return SupportMessage(unit=unit, supported=_unit_message(order.supported))
        case SupportMove():
            return SupportMessage(unit=unit, supported=_unit_message(order.supported), to=order.to)
        case Convoy():
            return ConvoyMessage(unit=unit, convoyed=_unit_message(order.convoyed), to=order.to)
        case Retreat():
            return RetreatMessage(unit=unit, to=order.to)
        case Disband():
            return DisbandMessage(unit=unit)
        case Build():
            return BuildMessage(unit=unit)
        case Remove():
            return RemoveMessage(unit=unit)
        case Proxy():
            return ProxyMessage(unit=unit, to=order.to)


def read_order_message(message: OrderMessage) -> Order | Proxy:
    """Take an order from its structured form."""
    if isinstance(message, WaiveMessage):
        return Waive()
    unit = _ordered_unit(message.unit)
    match message:
        case HoldMessage():
            return Hold(unit)
        case MoveMessage():
            return Move(unit, message.to, message.via_convoy, message.path or ())
        case SupportMessage():
            supported = _ordered_unit(message.supported)
            return SupportHold(unit, supported) if message.to is None else SupportMove(unit, supported, message.to)
        case ConvoyMessage():
            return Convoy(unit, _ordered_unit(message.convoyed), message.to)
        case RetreatMessage():
            return Retreat(unit, message.to)
        case DisbandMessage():
            return Disband(unit)
        case BuildMessage():
            return Build(unit)
        case RemoveMessage():
            return Remove(unit)
        case ProxyMessage():
            return Proxy(unit, message.to)


Notation: TypeAlias = Literal["document", "codes", "names"]
"""How the texts of orders are written: as the document has them, `A LON - BEL`, or `A London - Belgium`."""


def given_order_message(submitted: Submitted, text: str, notation: Notation = "document") -> GivenOrderMessage:
    """Put an order of a case into a request.

    Args:
        submitted: The order as it was read.
        text: The order as the document has it.
        notation: How its text is written; one that is not clear stays as the document has it.
    """
    writing = submitted.writing
    if notation != "document" and writing is not None and not isinstance(writing, (Proxy, Unclear)):
        text = write_order(writing, notation)
    return GivenOrderMessage(
        power=submitted.power,
        text=text,
        order=None if writing is None or isinstance(writing, Unclear) else order_message(writing),
        order_set=submitted.order_set,
        beforehand=submitted.beforehand,
    )


def ruleset_message(rules: Ruleset) -> RulesetMessage:
    """Put a ruleset into a request.

    Args:
        rules: The ruleset in force.
    """
    uses_default_coasts = "default-coast" in rules.choices.values()
    return RulesetMessage(
        name=rules.name,
        choices=dict(rules.choices),
        default_coasts=dict(rules.default_coasts) if uses_default_coasts else UNSET,
    )


def read_ruleset(message: RulesetMessage, usual: Ruleset = DATC_3_2) -> Ruleset:
    """Take the ruleset from a request: the usual one, but for the choices and default coasts that it names.

    Raises `RulesetError` for an unknown issue or choice.
    """
    if message.choices.items() <= usual.choices.items() and not message.default_coasts:
        return usual
    return ruleset(
        message.name, {**usual.choices, **message.choices}, {**usual.default_coasts, **(message.default_coasts or {})}
    )


def read_position(params: AdjudicateParams) -> Position:
    """Take the position from a request. Raises `PositionError` where it is impossible."""
    dutchmen = params.flying_dutchmen or ()
    return Position(
        [unit_of(unit) for unit in params.units],
        phase=params.phase,
        dislodged=[_dislodged(entry) for entry in params.dislodged],
        centers=params.centers,
        flying_dutchmen=[FlyingDutchman(entry.power, tuple(entry.candidates)) for entry in dutchmen],
    )


def read_submission(params: AdjudicateParams) -> Submission:
    """Take what was handed in from a request: the structured form of an order, or else its text."""
    return Submission(
        [
            Submitted(
                message.power,
                read_writing(message.text, params.phase)
                if message.order is None
                else read_order_message(message.order),
                message.order_set,
                message.beforehand,
            )
            for message in params.orders
        ],
        {(order_set.power, order_set.order_set): order_set.mark for order_set in params.order_sets or ()},
        params.sets_in_sequence is not False,
    )


def result_message(adjudication: Adjudication, phase: Phase) -> AdjudicateResult:
    """Put an adjudication into an answer."""
    return AdjudicateResult(
        units=unit_messages(adjudication.units),
        dislodged=dislodged_messages(adjudication.dislodged) if phase == "movement" else None,
        orders=[OrderResultMessage(outcome=result.outcome, reason=result.reason) for result in adjudication.orders],
    )


def unit_messages(units: Sequence[Unit]) -> list[UnitMessage]:
    """Put units into a message.

    Args:
        units: The units on the board.
    """
    return [UnitMessage(power=unit.power, type=unit.type, location=unit.location) for unit in units]


def dislodged_messages(entries: Sequence[Dislodged]) -> list[DislodgedMessage]:
    """Put dislodged units into a message, with where they may retreat to.

    Args:
        entries: The dislodged units.
    """
    return [
        DislodgedMessage(
            power=unit.power,
            type=unit.type,
            location=unit.location,
            from_=attacked_from,
            retreats=None if retreats is None else list(retreats),
        )
        for unit, attacked_from, retreats in entries
    ]


def center_messages(centers: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Put supply centers into a message.

    Args:
        centers: The supply centers that each power owns.
    """
    return {power: sorted(owned) for power, owned in centers.items()}


def order_set_messages(marks: Mapping[tuple[str, int], Mark]) -> list[OrderSetMessage]:
    """Put what is clear of order sets into a request.

    Args:
        marks: What is clear of each order set, by power and number.
    """
    return [OrderSetMessage(power=power, order_set=number, mark=mark) for (power, number), mark in marks.items()]


def flying_dutchman_messages(dutchmen: Sequence[FlyingDutchman]) -> list[FlyingDutchmanMessage]:
    """Put the units that should not be on the board into a request.

    Args:
        dutchmen: For each of them its power and the provinces where it could be.
    """
    return [FlyingDutchmanMessage(power=power, candidates=list(candidates)) for power, candidates in dutchmen]


def _unit_message(unit: OrderedUnit) -> OrderedUnitMessage:
    return OrderedUnitMessage(location=unit.location, type=unit.type, power=unit.power)


def _ordered_unit(message: OrderedUnitMessage) -> OrderedUnit:
    return OrderedUnit(message.location, message.type, message.power)


def unit_of(message: UnitMessage | DislodgedMessage) -> Unit:
    """Take a unit from a message.

    Args:
        message: A unit on the board, or a dislodged one.
    """
    return Unit(message.power, message.type, message.location)


def _dislodged(message: DislodgedMessage) -> Dislodged:
    retreats = None if message.retreats is None else tuple(message.retreats)
    return Dislodged(unit_of(message), message.from_, retreats)
