"""The legal orders of a position, and the position after a phase."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from datc.reference_engine import (
    Adjudication,
    Dislodged,
    GivenOrder,
    Position,
    PositionError,
    Turn,
    adjudicate,
    legal_orders,
    standard_board,
    start_position,
    write_order,
)
from datc.reference_engine.board import province_code
from datc.reference_engine.orders import Order, Waive

from ..strategies import BOARD, Situation, adjustment_situations, situations
from .play import orders_of, units_of


def texts(position: Position, location: str) -> list[str]:
    return [write_order(given.order) for given in legal_orders(position, location) if given.order is not None]


# Legal orders, by hand


def test_the_legal_orders_of_a_fleet_at_the_start_of_the_game() -> None:
    own = ["F LON H", "F LON - ENG", "F LON - NTH", "F LON - WAL", "F LON - YOR"]
    supports = {"ENGLAND F EDI": ("NTH", "YOR"), "ENGLAND A LVP": ("WAL", "YOR"), "FRANCE F BRE": ("ENG",)}
    supports |= {"GERMANY F KIE": ()}
    wanted = {*own, *(f"F LON S {unit} - {to}" for unit, places in supports.items() for to in places)}
    assert set(texts(start_position(), "LON")) == wanted


def test_the_legal_orders_of_a_convoy() -> None:
    position = Position(units_of("ENGLAND: A LON, F NTH; FRANCE: A BEL"))
    assert "A LON - NWY" not in texts(position, "LON")
    assert {text for text in texts(position, "LON") if "VIA" in text} == {
        f"A LON - {to} VIA" for to in ("BEL", "DEN", "EDI", "HOL", "NWY", "YOR")
    }
    assert "F NTH C FRANCE A BEL - LON" in texts(position, "NTH")
    assert "F NTH C ENGLAND A LON - NWY" in texts(position, "NTH")
    assert not [text for text in texts(position, "NTH") if "PIC" in text]


def test_the_legal_orders_of_retreats_and_adjustments() -> None:
    gone = Dislodged(units_of("FRANCE: F MAR")[0], "PIE", ("LYO", "SPA/SC"))
    retreat = Position(units_of("ITALY: A MAR"), phase="retreat", dislodged=[gone])
    assert texts(retreat, "MAR") == ["F MAR R LYO", "F MAR R SPA/SC", "F MAR D"]
    owned = {"RUSSIA": ["STP", "MOS", "WAR"], "FRANCE": []}
    winter = Position(units_of("RUSSIA: A WAR; FRANCE: A PAR"), phase="adjustment", centers=owned)
    assert texts(winter, "STP") == ["A STP B", "F STP/NC B", "F STP/SC B", "WAIVE"]
    assert texts(winter, "MOS") == ["A MOS B", "WAIVE"]
    assert [(each.power, write_order(each.order)) for each in legal_orders(winter, "PAR") if each.order] == [
        ("FRANCE", "A PAR D")
    ]
    for place in ("SEV", "WAR", "BRE", "BEL", "NTH"):  # Not owned, occupied, not owned, no home center, a sea.
        assert legal_orders(winter, place) == ()


def test_a_place_that_is_not_on_the_board_has_no_orders() -> None:
    with pytest.raises(PositionError, match="'LONDON' is no location on the board"):
        _ = legal_orders(start_position(), "LONDON")
    assert legal_orders(start_position(), "NTH") == ()


# Legal orders, as the adjudicator has them


@settings(max_examples=40)
@given(situations(most=8) | adjustment_situations())
def test_the_legal_orders_are_those_that_the_adjudicator_has(situation: Situation) -> None:
    """None that is listed is illegal, and a legal one does what a listed one does, perhaps under other names."""
    position, orders = situation
    listed = [each for province in BOARD.provinces for each in legal_orders(position, province.code)]
    assert all(result.reason != "illegal" for result in adjudicate(position, listed).orders)
    known = {_meaning(*each) for each in listed}
    for given_order in orders:
        if not isinstance(given_order.order, Waive) and _is_legal(position, given_order):
            assert _meaning(*given_order) in known


def _is_legal(position: Position, given_order: GivenOrder) -> bool:
    return adjudicate(position, [given_order]).orders[0].reason != "illegal"


def _meaning(power: str, order: Order | None) -> tuple[object, ...]:
    places = (getattr(getattr(order, name, None), "location", "") for name in ("unit", "supported", "convoyed"))
    return power, type(order), *(province_code(place) for place in (*places, getattr(order, "to", "")))


# What follows a phase


def played(turn: Turn, orders: str = "") -> Turn:
    return turn.after(adjudicate(turn.position, orders_of(orders) if orders else []))


def test_a_year_of_a_game() -> None:
    """Germany takes Denmark, and owns it after the autumn."""
    spring = Turn(start_position())
    autumn = played(spring, "GERMANY: F KIE - DEN, A MUN - RUH")
    assert (autumn.position.phase, autumn.season, autumn.year) == ("movement", "autumn", 1901)
    assert autumn.position.centers["GERMANY"] == {"BER", "KIE", "MUN"}
    winter = played(autumn)
    assert (winter.position.phase, winter.season, winter.year) == ("adjustment", "winter", 1901)
    assert winter.position.centers["GERMANY"] == {"BER", "KIE", "MUN", "DEN"}
    coming = played(winter)
    assert (coming.position.phase, coming.season, coming.year) == ("movement", "spring", 1902)
    assert coming.position.centers == winter.position.centers
    assert coming.eliminated == ()
    assert played(played(spring)).position.phase == "movement", "nobody took a center, so nothing is to be adjusted"


def test_retreats_come_before_centers_change_hands() -> None:
    owned = {"AUSTRIA": ["VIE", "TRI"], "ITALY": ["VEN"]}
    autumn = Turn(Position(units_of("AUSTRIA: A TRI, A TYR; ITALY: A VEN"), centers=owned), "autumn", 1903)
    retreat = played(autumn, "AUSTRIA: A TRI - VEN, A TYR S A TRI - VEN")
    assert (retreat.position.phase, retreat.season, retreat.year) == ("retreat", "autumn", 1903)
    assert retreat.position.centers["ITALY"] == {"VEN"}
    winter = played(retreat)
    assert (winter.position.phase, winter.season) == ("adjustment", "winter")
    assert winter.position.centers["ITALY"] == frozenset()
    assert set(winter.eliminated) == {"ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY"}
    coming = played(retreat._replace(season="spring"))
    assert (coming.position.phase, coming.season, coming.position.centers["ITALY"]) == ("movement", "autumn", {"VEN"})


def test_who_owns_nothing_in_winter_owns_nothing_afterwards() -> None:
    nobody = Turn(Position([], phase="adjustment", centers={}), "winter", 1910)
    coming = nobody.after(Adjudication((), (), ()))
    assert (coming.season, coming.year) == ("spring", 1911)
    assert coming.eliminated == tuple(standard_board().powers)
    assert Turn(start_position()).eliminated == ()
