"""A position with orders: as hunts draw it, and as people type it. Its units are those that are ordered."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from ..adapters.conversion import read_order_message
from ..adapters.protocol import GivenOrderMessage
from ..reference_engine import (
    Convoy,
    GivenOrder,
    Hold,
    Move,
    NotationError,
    Order,
    OrderedUnit,
    Phase,
    Position,
    PositionError,
    Proxy,
    SupportHold,
    SupportMove,
    Unit,
    Waive,
    nearest,
    printable,
    province_code,
    read_order,
    read_unit,
    standard_board,
    write_order,
)
from ..reference_engine.notation import MAX_LENGTH, Style
from .answers import PhaseInput
from .errors import HarnessError

Orders: TypeAlias = tuple[GivenOrder, ...]


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

        def texts(orders: Orders) -> list[str] | None:
            return None if style == "codes" else order_texts(orders, style)

        first = PhaseInput(
            position.phase,
            self.orders,
            position.units,
            position.dislodged,
            texts(self.orders),
            "winter" if position.phase == "adjustment" else "spring",
            centers={power: sorted(owned) for power, owned in position.centers.items()},
            prepared=position,
        )
        if self.retreats is None:
            return [first]
        return [first, PhaseInput("retreat", self.retreats, texts=texts(self.retreats), follows=True)]


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
    read = [(message.power, message.order and read_order_message(message.order)) for message in messages]
    return tuple(GivenOrder(power, None if isinstance(order, Proxy) else order) for power, order in read)


_HEADING = re.compile(r"\s*(?P<power>[^\W\d_][^:]*?)\s*:\s*(?P<order>.*)")
_SEPARATOR = re.compile(r"[,;]")
_BULLET = re.compile(r"^[-*\u2022]\s+")
_REMARK = re.compile(
    r"(\s*(\([^()]*\*[^()]*\)|\*+[^*]*\*+|\((fail|failed|bounced?|cut|dislodged|void|success)\)|\.))+$", re.IGNORECASE
)
"""What servers and people put behind an order: `(*bounce*)`, `(fail)`, a full stop."""
_SENTENCE = re.compile(
    r"The (?P<type>army|fleet) at (?P<at>.+?) (?:(?P<does>support|convoy) (?:hold |move )?to (?P<to>.+?)"
    + r"(?: from (?P<start>.+))?|(?P<moves>(?:move|hold|retreat|disband)\b.*))",
    re.IGNORECASE,
)
"""What webDiplomacy writes: `The army at Piedmont support move to Marseilles from Gascony`."""
_HELPS_THE_MOVE_BEFORE = re.compile(r".*\w\)?(?<!\bvia)(?<!\bby)\s+(c|con|convoys?|s|sup|supports?)", re.IGNORECASE)
"""`F Nth C`: an order that leaves out whom it helps, since the move stands before it. `VIA CONVOY` helps nobody."""


class PositionFileError(HarnessError):
    """A text is no position: which line, and what would be right."""

    def __init__(self, name: str, line: int, problem: str) -> None:
        super().__init__(f"{name}, line {line}: {problem}")


class _Piece(NamedTuple):
    """What is between two separators."""

    line: int
    power: str | None
    """The power that it stands under."""
    text: str


class _Reader:
    """Gathers units and orders, piece by piece."""

    def __init__(self, name: str) -> None:
        self._name: str = name
        self.units: dict[str, Unit] = {}
        self.orders: list[GivenOrder] = []
        self.texts: list[str] = []
        self._power: str | None = None
        self._last_move: Move | None = None

    def read(self, piece: _Piece) -> None:
        """Take in an order, or a unit without one."""
        ordered, text = self._unit_alone(piece), piece.text
        order = None
        if ordered is None:
            text = self._completed(piece.text)
            order = self._order(piece, text)
            ordered = order.unit
        unit = self._unit(piece, ordered)
        self._place(piece, unit)
        self._power = piece.power or unit.power
        if order is not None:
            self.orders.append(GivenOrder(self._power, order))
            self.texts.append(text)
        if isinstance(order, Move):
            self._last_move = order

    def _unit_alone(self, piece: _Piece) -> OrderedUnit | None:
        """The unit, where one is named and nothing else."""
        try:
            return read_unit(piece.text)
        except NotationError:
            return None

    def _completed(self, text: str) -> str:
        """Say whom an order helps that leaves it out: the move before it."""
        if self._last_move is None or not _HELPS_THE_MOVE_BEFORE.fullmatch(text):
            return text
        unit, to = self._last_move.unit, self._last_move.to
        return f"{text} {write_order(Move(OrderedUnit(unit.location, unit.type), to), 'codes')}"

    def _order(self, piece: _Piece, text: str) -> Hold | Move | SupportHold | SupportMove | Convoy:
        try:
            order = read_order(text).order
        except NotationError as error:
            raise PositionFileError(self._name, piece.line, str(error)) from error
        if not isinstance(order, (Hold, Move, SupportHold, SupportMove, Convoy)):
            raise PositionFileError(
                self._name, piece.line, "a position is before a movement phase, which has no such order"
            )
        return order

    def _unit(self, piece: _Piece, ordered: OrderedUnit) -> Unit:
        power = ordered.power or piece.power or self._power
        if power is None:
            raise PositionFileError(
                self._name, piece.line, f"whose is it? Write 'Germany: {piece.text}', or a line 'Germany:'"
            )
        if ordered.type is None:
            raise PositionFileError(
                self._name, piece.line, f"an army or a fleet? Write 'A {piece.text}' or 'F {piece.text}'"
            )
        return Unit(power, ordered.type, ordered.location)

    def _place(self, piece: _Piece, unit: Unit) -> None:
        other = self.units.setdefault(province_code(unit.location), unit)
        if other != unit:
            raise PositionFileError(
                self._name,
                piece.line,
                f"{other.power} {other.type} {other.location} stands there already, in a line above",
            )
        try:
            _ = Position([unit])
        except PositionError as error:
            raise PositionFileError(self._name, piece.line, str(error)) from error


def read_position_text(text: str, name: str) -> tuple[OrderedPosition, tuple[str, ...]]:
    """Read orders as people write them, one or several a line, their power before them or in a heading above.

    Returns them, with their texts as they were written.

    Every unit that is named, with an order of its own or without, stands on the board; it belongs to the power that
    orders it, unless the order says whose it is. A support or a convoy that names nobody is for the move before it.
    Raises `PositionFileError`; `name` says in it what was read.
    """
    reader = _Reader(name)
    for piece in _pieces(text, name):
        reader.read(piece)
    if not reader.orders:
        raise PositionFileError(name, 1, "there is no order; write lines such as 'Germany: A Mun - Ber'")
    return OrderedPosition(Position(reader.units.values()), tuple(reader.orders)), tuple(reader.texts)


def _pieces(text: str, name: str) -> Iterator[_Piece]:
    """What stands between separators, each with the power that it stands under."""
    above = None
    for index, line in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
        content = " ".join(line.partition("#")[0].split())
        power = above
        for part in _SEPARATOR.split(_BULLET.sub("", content)):
            order = part.strip()
            if heading := _heading(order):
                power, order = _power(heading[0], name, index), heading[1]
                above = above if order else power
            if order := _plain(order):
                yield _Piece(index, power, order)


def _heading(text: str) -> tuple[str, str] | None:
    """The power that a text begins with, as it is written, and what stands behind it."""
    if heading := _HEADING.fullmatch(text):
        return heading["power"], heading["order"]
    return (text, "") if _power_named(text) else None


def _plain(order: str) -> str:
    """An order without what a server puts around it."""
    if len(order) > MAX_LENGTH:
        return order  # Too long for an order: it is reported as it stands.
    order = _REMARK.sub("", order)
    sentence = _SENTENCE.fullmatch(order)
    if sentence is None:
        return order
    unit = f"{sentence['type']} {sentence['at']}"
    if sentence["does"] is None:
        return f"{unit} {sentence['moves']}"
    helped = f"{sentence['start']} - {sentence['to']}" if sentence["start"] else sentence["to"]
    return f"{unit} {sentence['does']}s {helped}"


def _power(text: str, name: str, line: int) -> str:
    code = _power_named(text)
    if code is not None:
        return code
    known = nearest(text, [power.name for power in standard_board().powers.values()])
    raise PositionFileError(name, line, f"there is no power {printable(text)!r}{known}")


def _power_named(text: str) -> str | None:
    for power in standard_board().powers.values():
        if text.upper() in (power.code, *(other.upper() for other in (power.name, *power.adjectives))):
            return power.code
    return None
