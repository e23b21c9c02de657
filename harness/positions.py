"""Positions as people type them: lines of orders, whose units are those that stand on the board."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..reference_engine import (
    Convoy,
    GivenOrder,
    Hold,
    Move,
    NotationError,
    Order,
    Position,
    PositionError,
    SupportHold,
    SupportMove,
    Unit,
    nearest,
    printable,
    province_code,
    read_order,
    standard_board,
)
from .errors import HarnessError

_HEADING = re.compile(r"\s*(?P<power>[^\W\d_][^:]*?)\s*:\s*(?P<order>.*)")


class PositionFileError(HarnessError):
    """A text is no position: which line, and what would be right."""

    def __init__(self, name: str, line: int, problem: str) -> None:
        super().__init__(f"{name}, line {line}: {problem}")


class OrderedPosition(NamedTuple):
    """A position before a movement phase, and orders to all its units."""

    position: Position
    orders: tuple[GivenOrder, ...]
    texts: tuple[str, ...]


class _Line(NamedTuple):
    number: int
    power: str | None
    text: str


def read_position_text(text: str, name: str) -> OrderedPosition:
    """Read lines of orders: `England: F Lon - Nth`, or `England:` with the orders of England below it.

    Every unit that has an order stands on the board; it belongs to who orders it, unless the order says whose it is.
    Raises `PositionFileError`; `name` says in it what was read.
    """
    units: dict[str, Unit] = {}
    orders: list[GivenOrder] = []
    texts: list[str] = []
    for line in _lines(text, name):
        order = _order(line, name)
        unit = _unit(line, order, name)
        province = province_code(unit.location)
        if units.setdefault(province, unit) != unit:
            other = units[province]
            raise PositionFileError(
                name, line.number, f"{other.power} {other.type} {other.location} stands there already, in a line above"
            )
        try:
            _ = Position([unit])
        except PositionError as error:
            raise PositionFileError(name, line.number, str(error)) from error
        orders.append(GivenOrder(line.power or unit.power, order))
        texts.append(line.text)
    if not orders:
        raise PositionFileError(name, 1, "there is no order; write lines such as 'Germany: A Mun - Ber'")
    return OrderedPosition(Position(units.values()), tuple(orders), tuple(texts))


def _lines(text: str, name: str) -> Iterator[_Line]:
    """The lines with an order, each with the power that it stands under."""
    power = None
    for index, line in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
        content = line.partition("#")[0].strip()
        heading = _HEADING.fullmatch(content)
        if heading:
            named = _power(heading["power"], name, index)
            content = heading["order"].strip()
            if content:
                yield _Line(index, named, content)
            else:
                power = named
        elif content:
            yield _Line(index, power, content)


def _power(text: str, name: str, line: int) -> str:
    powers = standard_board().powers
    for power in powers.values():
        if text.upper() in (power.code, *(other.upper() for other in (power.name, *power.adjectives))):
            return power.code
    known = nearest(text.capitalize(), [power.name for power in powers.values()])
    raise PositionFileError(name, line, f"there is no power {printable(text)!r}{known}")


def _order(line: _Line, name: str) -> Order:
    try:
        return read_order(line.text).order
    except NotationError as error:
        raise PositionFileError(name, line.number, str(error)) from error


def _unit(line: _Line, order: Order, name: str) -> Unit:
    """The unit that an order is for: its line has to say all of it."""
    if not isinstance(order, (Hold, Move, SupportHold, SupportMove, Convoy)):
        raise PositionFileError(name, line.number, "a position is before a movement phase, which has no such order")
    ordered = order.unit
    power = ordered.power or line.power
    if power is None:
        raise PositionFileError(name, line.number, f"whose is it? Write 'Germany: {line.text}', or a line 'Germany:'")
    if ordered.type is None:
        raise PositionFileError(name, line.number, f"an army or a fleet? Write 'A {line.text}' or 'F {line.text}'")
    return Unit(power, ordered.type, ordered.location)
