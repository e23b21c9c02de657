"""Which orders count: what a unit could do, whatever the others are ordered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .board import ARMIES, SEAS, goes, province, routes

Message = dict[str, Any]


@dataclass
class Order:
    """What a unit does: `hold`, `move`, `support` or `convoy`."""

    power: str
    kind: str
    location: str
    type: str = "hold"
    to: str = ""
    """Where it moves, or the unit that it helps does; empty where that one holds."""
    helped: str = ""
    """The province of the unit that it supports or convoys."""
    by_convoy: bool = False

    @property
    def origin(self) -> str:
        return province(self.location)

    @property
    def target(self) -> str:
        return province(self.to)


def read_orders(units: list[Message], given: list[Message]) -> dict[str, Order]:
    """Give every unit, by its province, the order that counts for it; it holds where there is none, or two."""
    orders = {province(unit["location"]): Order(unit["power"], unit["type"], unit["location"]) for unit in units}
    fleets = {code for code, order in orders.items() if order.kind == "F" and code in SEAS}
    written: dict[str, list[Message]] = {}
    for message in given:
        place = province(message["order"]["unit"]["location"])
        if place in orders and orders[place].power == message["power"]:
            written.setdefault(place, []).append(message["order"])
    for place, messages in written.items():
        if len(messages) == 1:
            _take(orders, place, messages[0], fleets)
    for order in orders.values():
        order.by_convoy = order.type == "move" and order.kind == "A" and _sails(order, orders)
    return orders


def _take(orders: dict[str, Order], place: str, message: Message, fleets: set[str]) -> None:
    """Put an order down, if the unit can carry it out."""
    order = orders[place]
    kind, to = message["type"], message.get("to", "")
    if kind == "move":
        found = _destination(order, to, fleets)
        if found:
            order.type, order.to, order.by_convoy = "move", found, message["via_convoy"]
    elif kind in ("support", "convoy"):
        helped = province(message["supported" if kind == "support" else "convoyed"]["location"])
        able = _can_support if kind == "support" else _can_convoy
        if helped in orders and helped != place and able(order, orders[helped], to, fleets):
            order.type, order.helped, order.to = kind, helped, to


def _destination(order: Order, to: str, fleets: set[str]) -> str | None:
    """Name the location that a move goes to, or none if it cannot."""
    if order.kind == "A":
        code = province(to)
        reached = code in ARMIES[order.origin] or routes(order.origin, code, fleets)
        return code if reached and code != order.origin else None
    # The coast has to be named where there are two.
    return to if to in goes("F", order.location) else None


def _can_support(order: Order, helped: Order, to: str, fleets: set[str]) -> bool:
    place = province(to) if to else helped.origin
    if place == order.origin or place not in map(province, goes(order.kind, order.location)):
        return False
    if not to:
        return True
    if helped.kind == "A":
        return _destination(helped, to, fleets - {order.origin}) is not None
    return any(to in (found, province(found)) for found in goes("F", helped.location))


def _can_convoy(order: Order, helped: Order, to: str, fleets: set[str]) -> bool:
    code = province(to)
    return order.origin in SEAS and helped.kind == "A" and routes(helped.origin, code, fleets, order.origin)


def _sails(order: Order, orders: dict[str, Order]) -> bool:
    """Whether an army goes by sea: it must, was told to, or a fleet of its own power carries it."""
    own = any(carries(other, order) and other.power == order.power for other in orders.values())
    return order.target not in ARMIES[order.origin] or order.by_convoy or own


def carries(fleet: Order, army: Order) -> bool:
    """Whether a fleet is ordered to convoy an army where it goes."""
    return fleet.type == "convoy" and fleet.helped == army.origin and province(fleet.to) == army.target


def supports(order: Order, helped: Order) -> bool:
    """Whether a support is for what a unit does."""
    if order.type != "support" or order.helped != helped.origin:
        return False
    if helped.type != "move":
        return not order.to
    return order.to in (helped.to, helped.target)
