# mypyc
"""A position with orders, as hunts draw it and as people paste it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from ...reference_engine import Board, GivenOrder, Order, Phase, Position, Waive, standard_board
from ...reference_engine.board import OrderedUnit, Unit, province_code
from ...reference_engine.errors import printable
from ...reference_engine.notation import Style, write_order
from ...reference_engine.orders import Build, Convoy, Disband, Hold, Move, Remove, Retreat, SupportHold, SupportMove
from ...reference_engine.toml import toml_list, toml_string
from .answer import PhaseInput

Orders: TypeAlias = tuple[GivenOrder, ...]

USUAL_YEAR = 1901
"""The year of a position that says nothing else; a movement is then in spring."""

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
    year: int = USUAL_YEAR
    autumn: bool = False
    """Whether its movements, and retreats, are those of autumn; adjustments are in winter."""

    @property
    def turn(self) -> str:
        """Name its season and year: `autumn 1907`."""
        return self.position.board.turn_name(self.season, self.year)

    @property
    def season(self) -> str:
        return "winter" if self.position.phase == "adjustment" else "autumn" if self.autumn else "spring"

    @property
    def phase(self) -> Phase:
        return self.position.phase

    @property
    def units(self) -> tuple[Unit, ...]:
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

    def in_turn(self, year: int, *, autumn: bool) -> OrderedPosition:
        """Return it in another season and year, on the board of that season."""
        position = self.position
        ordered = OrderedPosition(position, self.orders, self.retreats, year, autumn)
        board = position.board.in_season(ordered.season)
        if board is position.board:
            return ordered
        phase, dislodged, centers = position.phase, position.dislodged, position.centers
        there = Position(position.units, phase=phase, dislodged=dislodged, centers=centers, board=board)
        return ordered._replace(position=there)

    def with_units(self, units: Iterable[Unit], centers: Mapping[str, Iterable[str]] | None = None) -> OrderedPosition:
        """Return the same orders with other units, and centers if they are given. Raises `PositionError`."""
        position, centers = self.position, self.position.centers if centers is None else centers
        return self._replace(position=Position(units, phase=self.phase, centers=centers, board=position.board))

    def phases(self, style: Style = "codes") -> list[PhaseInput]:
        """Return the phases as they are asked; the texts of orders in a style, or codes that nothing writes before."""
        position = self.position
        first = PhaseInput(
            position.phase,
            self.orders,
            position.units,
            position.dislodged,
            None if style == "codes" else order_texts(self.orders, style, position.board),
            self.season,
            self.year,
            centers={power: sorted(owned) for power, owned in position.centers.items()} if position.centers else {},
            prepared=position,
            board=position.board,
        )
        if self.retreats is None:
            return [first]
        texts = None if style == "codes" else order_texts(self.retreats, style, position.board)
        retreat = PhaseInput("retreat", self.retreats, texts=texts, season=self.season, year=self.year, follows=True)
        return [first, retreat._replace(board=position.board)]


def in_first_year(position: Position, orders: Orders, retreats: Orders | None = None) -> OrderedPosition:
    """Return a position with its orders in the year in which games on its map begin."""
    return OrderedPosition(position, orders, retreats, position.board.first_year)


def ordered_unit(given: GivenOrder) -> OrderedUnit | None:
    """Return the unit that an order is for; `None` for a waived build and for an order that cannot be read."""
    return None if given.order is None or isinstance(given.order, Waive) else given.order.unit


def ordered_province(order: Order | None) -> str:
    """Return the province of the unit that an order is for; empty for a waived build and what cannot be read."""
    return "" if order is None or isinstance(order, Waive) else province_code(order.unit.location)


def helped_unit(order: Order | None) -> OrderedUnit | None:
    """Return the unit that an order supports or convoys."""
    if isinstance(order, (SupportHold, SupportMove)):
        return order.supported
    return order.convoyed if isinstance(order, Convoy) else None


def units_without_order(ordered: OrderedPosition) -> list[Unit]:
    """Find the units that no order is for."""
    with_orders = {ordered_province(given.order) for given in ordered.orders}
    return [unit for unit in ordered.units if province_code(unit.location) not in with_orders]


def without_units(ordered: OrderedPosition, provinces: Collection[str]) -> OrderedPosition:
    """Take units off the board, with the orders to them; who supported or convoyed one of them holds."""

    def is_gone(unit: Unit | OrderedUnit | None) -> bool:
        return unit is not None and province_code(unit.location) in provinces

    orders: list[GivenOrder] = []
    for given in ordered.orders:
        unit = ordered_unit(given)
        if unit is not None and not is_gone(unit) and is_gone(helped_unit(given.order)):
            orders.append(GivenOrder(given.power, Hold(unit)))
        elif not is_gone(unit):
            orders.append(given)
    retreats = ordered.retreats
    if retreats is not None:
        retreats = tuple([given for given in retreats if not is_gone(ordered_unit(given))])
    left = ordered._replace(orders=tuple(orders), retreats=retreats)
    return left.with_units([unit for unit in ordered.units if not is_gone(unit)])


def order_text(given: GivenOrder, style: Style = "codes", board: Board | None = None) -> str:
    """Write an order as a player would, of the standard board or another one; empty for one that cannot be read."""
    return "" if given.order is None else write_order(given.order, style, board=board)


def order_texts(orders: Sequence[GivenOrder], style: Style = "codes", board: Board | None = None) -> list[str]:
    """Write orders as a player would."""
    return [order_text(given, style, board) for given in orders]


def _table(heading: str, texts: Mapping[str, Sequence[str]], board: Board | None) -> Iterable[str]:
    return ["", f"[{heading}]", *(f"{_key(power, board)} = {toml_list(each)}" for power, each in texts.items())]


def _key(power: str, board: Board | None) -> str:
    """Write the name of a power as a key of TOML."""
    text = power_text(power, board)
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else toml_string(text)


def unit_table(prefix: str, units: Sequence[Unit], board: Board | None = None) -> Iterable[str]:
    """Write the table of the units on the board."""
    texts: dict[str, list[str]] = {}
    for unit in units:
        texts.setdefault(unit.power, []).append(unit_text(unit, board))
    return _table(f"{prefix}.units", texts, board)


def center_table(prefix: str, centers: Mapping[str, Iterable[str]], board: Board | None = None) -> Iterable[str]:
    """Write the table of the supply centers that each power owns, if any are known."""
    texts = {power: [place_text(center, board) for center in sorted(owned)] for power, owned in centers.items()}
    return _table(f"{prefix}.centers", texts, board) if centers else ()


def order_table(prefix: str, orders: Sequence[GivenOrder], style: Style, board: Board | None = None) -> Iterable[str]:
    """Write the table of the orders of each power."""
    powers = dict.fromkeys(given.power for given in orders)
    texts = {each: order_texts([given for given in orders if given.power == each], style, board) for each in powers}
    return _table(f"{prefix}.orders", texts, board)


def unit_text(unit: Unit, board: Board | None = None) -> str:
    """Write a unit as a case file does."""
    return f"{unit.type} {place_text(unit.location, board)}"


def place_text(location: str, board: Board | None = None) -> str:
    """Write a location, of the standard board or another one, as a case file does."""
    return printable((board or standard_board()).describe(location))


def power_text(code: str, board: Board | None = None) -> str:
    """Write the name of a power as a case file does."""
    return printable((board or standard_board()).power_name(code))
