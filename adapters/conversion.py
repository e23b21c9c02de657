"""Between the messages of the protocol and the values of the reference engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import UNSET

from ..reference_engine import DATC_3_2, Board, OrderedUnit, Ruleset, Unit, orders, ruleset, write_order
from ..reference_engine.maps import load_board
from ..reference_engine.notation import read_writing
from ..reference_engine.order_sets import Mark, Submission, Submitted
from ..reference_engine.orders import Order, Phase
from ..reference_engine.position import Adjudication, Dislodged, FlyingDutchman, Position
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

_MESSAGES: Mapping[type[Order | orders.Proxy], type[OrderMessage]] = {
    orders.Hold: HoldMessage,
    orders.Move: MoveMessage,
    orders.SupportMove: SupportMessage,
    orders.SupportHold: SupportMessage,
    orders.Convoy: ConvoyMessage,
    orders.Retreat: RetreatMessage,
    orders.Disband: DisbandMessage,
    orders.Build: BuildMessage,
    orders.Remove: RemoveMessage,
    orders.Waive: WaiveMessage,
    orders.Proxy: ProxyMessage,
}
"""The structured form of each order, whose fields have the same names."""
_ORDERS = {message: order for order, message in _MESSAGES.items()}


def order_message(order: Order | orders.Proxy) -> OrderMessage:
    """Give an order its structured form."""
    fields: dict[str, Any] = {name: getattr(order, name) for name in order.__match_args__}
    for name, value in fields.items():
        if isinstance(value, OrderedUnit):
            fields[name] = OrderedUnitMessage(location=value.location, type=value.type, power=value.power)
        elif value == ():
            fields[name] = UNSET
    return _MESSAGES[type(order)](**fields)


def read_order_message(message: OrderMessage) -> Order | orders.Proxy:
    """Take an order from its structured form."""
    fields: dict[str, Any] = {}
    for name in message.__struct_fields__:
        value = getattr(message, name)
        if isinstance(value, OrderedUnitMessage):
            fields[name] = OrderedUnit(value.location, value.type, value.power)
        elif value is not None and value is not UNSET:
            fields[name] = value
    if isinstance(message, SupportMessage) and message.to is not None:
        return orders.SupportMove(**fields)
    return _ORDERS[type(message)](**fields)


Notation: TypeAlias = Literal["document", "codes", "names"]
"""How the texts of orders are written: as the document has them, `A LON - BEL`, or `A London - Belgium`."""


def given_order_message(submitted: Submitted, text: str, notation: Notation = "document") -> GivenOrderMessage:
    """Put an order of a case into a request: as it was read, and its text as the document has it.

    `notation` says how its text is written; one that is not clear stays as the document has it.
    """
    writing = submitted.writing
    if notation != "document" and writing is not None and not isinstance(writing, (orders.Proxy, orders.Unclear)):
        text = write_order(writing, notation)
    return GivenOrderMessage(
        power=submitted.power,
        text=text,
        order=None if writing is None or isinstance(writing, orders.Unclear) else order_message(writing),
        order_set=submitted.order_set,
        beforehand=submitted.beforehand,
    )


def ruleset_message(rules: Ruleset) -> RulesetMessage:
    """Put the ruleset in force into a request."""
    coasts = dict(rules.default_coasts) if "default-coast" in rules.choices.values() else UNSET
    return RulesetMessage(name=rules.name, choices=dict(rules.choices), default_coasts=coasts)


def read_ruleset(message: RulesetMessage, usual: Ruleset = DATC_3_2) -> Ruleset:
    """Take the ruleset from a request: the usual one, but for the choices and default coasts that it names.

    Raises `RulesetError` for an unknown issue or choice.
    """
    if message.choices.items() <= usual.choices.items() and not message.default_coasts:
        return usual
    coasts = {**usual.default_coasts, **(message.default_coasts or {})}
    return ruleset(message.name, {**usual.choices, **message.choices}, coasts)


def read_position(params: AdjudicateParams) -> Position:
    """Take the position from a request. Raises `PositionError` where it is impossible, or on no map that is known."""
    dutchmen = params.flying_dutchmen or ()
    return Position(
        map(unit_of, params.units),
        phase=params.phase,
        dislodged=map(dislodged_of, params.dislodged),
        centers=params.centers,
        flying_dutchmen=[FlyingDutchman(entry.power, tuple(entry.candidates)) for entry in dutchmen],
        board=board_of(params),
    )


def board_of(params: AdjudicateParams) -> Board:
    """Return the board of a request, in its season. Raises `PositionError` where no map is known by its name."""
    return load_board(params.map).in_season(params.season)


def read_submission(params: AdjudicateParams) -> Submission:
    """Take what was handed in from a request: the structured form of an order, or else its text."""
    board = board_of(params)

    def writing(message: GivenOrderMessage) -> orders.Writing | None:
        if message.order is None:
            return read_writing(message.text, params.phase, board=board)
        return read_order_message(message.order)

    return Submission(
        [Submitted(given.power, writing(given), given.order_set, given.beforehand) for given in params.orders],
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
    """Put the units on the board into a message."""
    return [UnitMessage(power=unit.power, type=unit.type, location=unit.location) for unit in units]


def dislodged_messages(entries: Sequence[Dislodged]) -> list[DislodgedMessage]:
    """Put dislodged units into a message, with where they may retreat to."""
    return [
        DislodgedMessage(**unit._asdict(), from_=attacked_from, retreats=None if retreats is None else list(retreats))
        for unit, attacked_from, retreats in entries
    ]


def center_messages(centers: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Put the supply centers that each power owns into a message."""
    return {power: sorted(owned) for power, owned in centers.items()}


def order_set_messages(marks: Mapping[tuple[str, int], Mark]) -> list[OrderSetMessage]:
    """Put what is clear of each order set, by power and number, into a request."""
    return [OrderSetMessage(power=power, order_set=number, mark=mark) for (power, number), mark in marks.items()]


def flying_dutchman_messages(dutchmen: Sequence[FlyingDutchman]) -> list[FlyingDutchmanMessage]:
    """Put the units that should not be on the board into a request."""
    return [FlyingDutchmanMessage(power=power, candidates=list(candidates)) for power, candidates in dutchmen]


def unit_of(message: UnitMessage | DislodgedMessage) -> Unit:
    """Take a unit from a message."""
    return Unit(message.power, message.type, message.location)


def dislodged_of(message: DislodgedMessage) -> Dislodged:
    """Take a dislodged unit from a message."""
    retreats = None if message.retreats is None else tuple(message.retreats)
    return Dislodged(unit_of(message), message.from_, retreats)
