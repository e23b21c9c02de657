"""What orders mean on a board, kept with the orders."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datc.reference_engine import (
    DATC_3_2,
    Board,
    Convoy,
    GivenOrder,
    Hold,
    Move,
    Order,
    OrderedUnit,
    Position,
    Ruleset,
    SupportHold,
    SupportMove,
    Unit,
    Waive,
    adjudicate,
    province_code,
    readings,
    standard_board,
)
from datc.reference_engine.legality import Legality

from ..strategies import BOARD, destinations, distance, province_of, unit_lists
from .test_properties import rulesets

LONDON = OrderedUnit("LON", "A")


def _with_borders_of_armies(change: Callable[[int], int]) -> Board:
    return replace(BOARD, army_borders=tuple(map(change, BOARD.army_borders)))


BOARDS = {
    "standard": BOARD,
    "armies go to sea": replace(BOARD, army_borders=tuple(map(BOARD.borders_of_any_unit, range(len(BOARD.provinces))))),
    "armies do not go to Burgundy": _with_borders_of_armies(lambda borders: borders & ~(1 << BOARD.number["BUR"])),
}


@pytest.mark.parametrize("board", BOARDS)
@settings(max_examples=100)
@given(units=unit_lists(), seed=st.integers(), rules=rulesets())
def test_an_order_means_the_same_if_it_is_read_word_by_word(
    board: str, units: list[Unit], seed: int, rules: Ruleset
) -> None:
    """What names nationalities is read with the position; that these are named makes no difference but by 4.C.5."""
    legality = Legality(Position(units, board=BOARDS[board]), rules.with_choices({"4.C.5": "valid"}))
    owners = {province_code(unit.location): unit.power for unit in units}

    def named(unit: OrderedUnit) -> OrderedUnit:
        return unit._replace(power=owners[province_code(unit.location)])

    for power, order in _orders_nearby(units, Random(seed)):
        assert legality.meaning(power, order) == legality.meaning(power, _with_units(order, named))


def _orders_nearby(units: Sequence[Unit], random: Random) -> Iterator[GivenOrder]:
    """Orders of every kind, as a rule for where some unit can go, by land or over a sea or two."""
    for unit in units:
        other = random.choice(units)
        one, helped = OrderedUnit(unit.location, unit.type), OrderedUnit(other.location, other.type)
        near = [place for place in BOARD.number if distance(province_of(place), province_of(other.location)) <= 3]
        to = random.choice([*destinations(unit), *destinations(other), *near])
        orders: list[Order] = [
            Hold(one),
            Move(one, to, random.random() < 0.2),
            SupportHold(one, helped),
            SupportMove(one, helped, to),
            Convoy(one, helped, to),
        ]
        yield from (GivenOrder(unit.power, order) for order in orders)


def _with_units(order: Order | None, named: Callable[[OrderedUnit], OrderedUnit]) -> Order | None:
    match order:
        case None | Waive():
            return order
        case SupportHold() | SupportMove():
            return replace(order, unit=named(order.unit), supported=named(order.supported))
        case Convoy():
            return replace(order, unit=named(order.unit), convoyed=named(order.convoyed))
        case _:
            return replace(order, unit=named(order.unit))


def test_an_order_is_read_anew_for_each_board() -> None:
    board = standard_board()
    london, wales = board.number["LON"], board.number["WAL"]
    without_border = replace(
        board,
        army_borders=tuple(
            borders & ~(1 << wales) if province == london else borders
            for province, borders in enumerate(board.army_borders)
        ),
    )
    orders = [GivenOrder("ENGLAND", Move(LONDON, "WAL"))]
    units = [Unit("ENGLAND", "A", "LON")]
    reasons = [
        adjudicate(Position(units, board=each), orders, DATC_3_2).orders[0].reason
        for each in (board, without_border, board)
    ]
    assert reasons == [None, "illegal", None]


def test_orders_are_forgotten_before_they_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readings, "_MOST_KEPT", 2)
    board = replace(BOARD)
    fleet = OrderedUnit("NTH", "F")
    for to in ("NWY", "DEN", "HOL", "BEL", "EDI"):
        _ = readings.read(board, Convoy(fleet, LONDON, to))
        assert len(board.places["F", "NTH"].kept.known) <= 2


def test_that_an_order_was_read_is_no_part_of_its_value() -> None:
    read, unread = Move(LONDON, "WAL"), Move(LONDON, "WAL")
    _ = adjudicate(Position([Unit("ENGLAND", "A", "LON")]), [GivenOrder("ENGLAND", read)], DATC_3_2)
    assert read == unread
    assert hash(read) == hash(unread)
    assert repr(read) == repr(unread)
    assert pickle.dumps(read) == pickle.dumps(unread)
    assert replace(read, to="YOR") == Move(LONDON, "YOR")
