"""A position with orders, as hunts draw it and as people paste it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ..reference_engine import (
    Build,
    Convoy,
    Disband,
    GivenOrder,
    Hold,
    Move,
    Order,
    OrderedUnit,
    Phase,
    Position,
    Proxy,
    Remove,
    Retreat,
    SupportHold,
    SupportMove,
    Unit,
    Waive,
    province_code,
    write_order,
)
from ..reference_engine.notation import Style
from .answers import PhaseInput

if TYPE_CHECKING:
    from ..adapters.protocol import GivenOrderMessage

Orders: TypeAlias = tuple[GivenOrder, ...]

ORDER_TYPES: Mapping[type[Order], str] = {
    Hold: "hold",
    Move: "move",
    SupportHold: "support",
    SupportMove: "support",
    Convoy: "convoy",
    Retreat: "retreat",
    Disband: "disband",
    Build: "build",
    Remove: "remove",
    Waive: "waive",
}
"""What the protocol calls each class of orders."""


class OrderedPosition(NamedTuple):
    """A position before a phase, and its orders; where there are retreats after the movements, those too.

    Such a retreat phase has no position of its own: it follows from what each adjudicator answered to the movements.
    """

    position: Position
    orders: Orders
    retreats: Orders | None = None

    @property
    def phase(self) -> Phase:
        """Return the first phase."""
        return self.position.phase

    @property
    def units(self) -> tuple[Unit, ...]:
        """Return what stands on the board."""
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

    def with_units(self, units: Sequence[Unit]) -> OrderedPosition:
        """Return the same orders with other units. Raises `PositionError`."""
        return self._replace(position=Position(units, phase=self.phase, centers=self.position.centers))

    def phases(self, style: Style = "codes") -> list[PhaseInput]:
        """Return the phases as they are asked; the texts of orders in a style, or codes that nothing writes before."""
        position = self.position
        first = PhaseInput(
            position.phase,
            self.orders,
            position.units,
            position.dislodged,
            None if style == "codes" else order_texts(self.orders, style),
            "winter" if position.phase == "adjustment" else "spring",
            centers={power: sorted(owned) for power, owned in position.centers.items()} if position.centers else {},
            prepared=position,
        )
        if self.retreats is None:
            return [first]
        texts = None if style == "codes" else order_texts(self.retreats, style)
        return [first, PhaseInput("retreat", self.retreats, texts=texts, follows=True)]


def ordered_unit(given: GivenOrder) -> OrderedUnit | None:
    """Return the unit that an order is for; `None` for a waived build and for an order that cannot be read."""
    return None if given.order is None or isinstance(given.order, Waive) else given.order.unit


def helped_unit(order: Order | None) -> OrderedUnit | None:
    """Return the unit that an order supports or convoys."""
    match order:
        case SupportHold() | SupportMove():
            return order.supported
        case Convoy():
            return order.convoyed
        case _:
            return None


def units_without_order(ordered: OrderedPosition) -> list[Unit]:
    """Find the units that no order is for."""
    with_orders = {province_code(unit.location) for given in ordered.orders if (unit := ordered_unit(given))}
    return [unit for unit in ordered.units if province_code(unit.location) not in with_orders]


def without_units(ordered: OrderedPosition, provinces: Collection[str]) -> OrderedPosition:
    """Take units off the board, with the orders to them; who supported or convoyed one of them holds."""
    units = [unit for unit in ordered.units if province_code(unit.location) not in provinces]
    orders: list[GivenOrder] = []
    for given in ordered.orders:
        unit = ordered_unit(given)
        if unit is not None and province_code(unit.location) in provinces:
            continue
        helped = helped_unit(given.order)
        if unit is not None and helped is not None and province_code(helped.location) in provinces:
            given = GivenOrder(given.power, Hold(unit))  # noqa: PLW2901 - it goes on as a hold
        orders.append(given)
    left = ordered._replace(orders=tuple(orders)).with_units(units)
    return left if ordered.retreats is None else left._replace(retreats=_not_of(ordered.retreats, provinces))


def _not_of(orders: Orders, provinces: Collection[str]) -> Orders:
    units = [(given, ordered_unit(given)) for given in orders]
    return tuple(given for given, unit in units if unit is None or province_code(unit.location) not in provinces)


def order_text(given: GivenOrder, style: Style = "codes") -> str:
    """Write an order as a player would; empty for one that cannot be read."""
    return "" if given.order is None else write_order(given.order, style)


def order_texts(orders: Sequence[GivenOrder], style: Style = "codes") -> list[str]:
    """Write orders as a player would."""
    return [order_text(given, style) for given in orders]


def read_orders(messages: Sequence[GivenOrderMessage]) -> Orders:
    """Take orders from messages by their structured form; one without, and a proxy, is an order that cannot be read."""
    return tuple(GivenOrder(message.power, _read_order(message)) for message in messages)


def _read_order(message: GivenOrderMessage) -> Order | None:
    from ..adapters.conversion import read_order_message

    order = None if message.order is None else read_order_message(message.order)
    return None if isinstance(order, Proxy) else order
