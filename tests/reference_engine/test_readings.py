"""What orders mean on a board, kept with the orders."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace

from hypothesis import given, settings

from datc.reference_engine import (
    DATC_3_2,
    Convoy,
    GivenOrder,
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
    standard_board,
)
from datc.reference_engine.legality import Legality

from ..strategies import Situation, situations
from .test_properties import rulesets

LONDON = OrderedUnit("LON", "A")


@settings(max_examples=500)
@given(situations(), rulesets())
def test_an_order_means_the_same_if_it_is_read_word_by_word(situation: Situation, rules: Ruleset) -> None:
    """What names nationalities is read with the position; that these are named makes no difference but by 4.C.5."""
    legality = Legality(situation.position, rules.with_choices({"4.C.5": "valid"}))
    owners = {province_code(unit.location): unit.power for unit in situation.position.units}

    def named(unit: OrderedUnit) -> OrderedUnit:
        return unit if unit.power is not None else unit._replace(power=owners.get(province_code(unit.location)))

    for power, order in situation.orders:
        assert legality.meaning(power, order) == legality.meaning(power, _with_units(order, named))


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


def test_that_an_order_was_read_is_no_part_of_its_value() -> None:
    read, unread = Move(LONDON, "WAL"), Move(LONDON, "WAL")
    _ = adjudicate(Position([Unit("ENGLAND", "A", "LON")]), [GivenOrder("ENGLAND", read)], DATC_3_2)
    assert read == unread
    assert hash(read) == hash(unread)
    assert repr(read) == repr(unread)
    assert pickle.dumps(read) == pickle.dumps(unread)
    assert replace(read, to="YOR") == Move(LONDON, "YOR")
