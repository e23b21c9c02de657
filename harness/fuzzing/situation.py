"""A situation: a position with orders, and how it goes into a request, a store and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from ...adapters import (
    AdjudicateParams,
    DislodgedMessage,
    UnitMessage,
    center_messages,
    dislodged_messages,
    given_order_message,
    unit_messages,
)
from ...adapters.conversion import read_order_message, read_position
from ...adapters.protocol import GivenOrderMessage, RulesetMessage
from ...reference_engine import (
    GivenOrder,
    OrderedUnit,
    Phase,
    Position,
    Proxy,
    Submitted,
    Unit,
    Waive,
    province_code,
    write_order,
)
from ...reference_engine.notation import Style

Orders = tuple[GivenOrder, ...]


class Situation(NamedTuple):
    """A position before a movement or an adjustment phase, and orders; where there are retreats, those too.

    In a hunt a retreat phase has no position of its own: it goes on from what each engine answered to the movements.
    """

    position: Position
    orders: Orders
    retreats: Orders | None = None

    @property
    def units(self) -> tuple[Unit, ...]:
        """What stands on the board."""
        return self.position.units

    @property
    def owns_where_it_stands(self) -> bool:
        """Whether before an adjustment phase each unit on a supply center owns it, as after every autumn."""
        position, centers = self.position, self.position.board.supply_centers
        return position.phase != "adjustment" or all(
            province in position.centers.get(unit.power, ())
            for unit in self.units
            if (province := province_code(unit.location)) in centers
        )

    def with_units(self, units: Sequence[Unit]) -> Situation:
        """The same orders to other units. Raises `PositionError`."""
        return self._replace(position=Position(units, phase=self.position.phase, centers=self.position.centers))


class SituationData(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A situation as it is stored: the objects of the engine protocol."""

    phase: Phase = "movement"
    units: list[UnitMessage]
    centers: dict[str, list[str]] = {}
    dislodged: list[DislodgedMessage] = []
    """Before a retreat phase that stands alone."""
    orders: list[GivenOrderMessage]
    retreats: list[GivenOrderMessage] | None = None


def ordered_unit(given: GivenOrder) -> OrderedUnit | None:
    """The unit that an order is for; `None` for a waived build and for what nobody could read."""
    return None if given.order is None or isinstance(given.order, Waive) else given.order.unit


def order_text(given: GivenOrder, style: Style = "codes") -> str:
    """An order as a player would write it."""
    return "" if given.order is None else write_order(given.order, style)


def order_messages(orders: Orders, style: Style = "codes") -> list[GivenOrderMessage]:
    """Put orders into a request."""
    return [
        given_order_message(Submitted(power, order), order_text((GivenOrder(power, order)), style))
        for power, order in orders
    ]


def request(situation: Situation, rules: RulesetMessage, style: Style = "codes") -> AdjudicateParams:
    """The request for the movements or adjustments of a situation."""
    position = situation.position
    return AdjudicateParams(
        phase=position.phase,
        season="winter" if position.phase == "adjustment" else "spring",
        ruleset=rules,
        units=unit_messages(position.units),
        centers=center_messages({power: sorted(owned) for power, owned in position.centers.items()}),
        orders=order_messages(situation.orders, style),
    )


def situation_data(situation: Situation) -> SituationData:
    """Put a situation into a store."""
    position = situation.position
    return SituationData(
        phase=position.phase,
        units=unit_messages(position.units),
        centers=center_messages({power: sorted(owned) for power, owned in position.centers.items()}),
        dislodged=dislodged_messages(position.dislodged),
        orders=order_messages(situation.orders),
        retreats=None if situation.retreats is None else order_messages(situation.retreats),
    )


def read_situation(data: SituationData) -> Situation:
    """Take a situation from a store. Raises `PositionError`."""
    position = read_position(
        AdjudicateParams(phase=data.phase, units=data.units, centers=data.centers, dislodged=data.dislodged)
    )
    retreats = None if data.retreats is None else read_orders(data.retreats)
    return Situation(position, read_orders(data.orders), retreats)


def read_orders(messages: Sequence[GivenOrderMessage]) -> Orders:
    """Take orders from messages, by their structured form; a proxy, or none, is an order that nobody could read."""
    orders: list[GivenOrder] = []
    for message in messages:
        order = None if message.order is None else read_order_message(message.order)
        orders.append(GivenOrder(message.power, None if isinstance(order, Proxy) else order))
    return tuple(orders)
