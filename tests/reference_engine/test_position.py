from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import cast

import pytest

from datc.reference_engine import DATC_3_2, PositionError, Unit, UnitType, adjudicate, standard_board
from datc.reference_engine.orders import GivenOrder, Phase
from datc.reference_engine.position import Adjudication, Dislodged, Position, start_position

from .play import orders_of, units_of


def test_the_start_position() -> None:
    position = start_position()
    assert position.phase == "movement"
    assert position.units == standard_board().start
    assert position.dislodged == ()
    assert position.centers == {}


def test_who_stands_where() -> None:
    position = Position(units_of("FRANCE: A PAR, F SPA/SC"))
    number = position.board.number
    assert position.occupant[number["PAR"]] == 0
    assert position.occupant[number["SPA"]] == 1
    assert position.occupant.count(-1) == 73


def test_an_empty_board_can_be_adjudicated() -> None:
    for phase in ("movement", "retreat", "adjustment"):
        assert adjudicate(Position([], phase=phase), []) == Adjudication((), (), ())


@pytest.mark.parametrize(
    "choices", [{}, {"4.E.1": "any-writing"}, {"4.C.1": "valid-unless-correct-order"}, {"4.D.3": "illegal-hold"}]
)
def test_orders_on_an_empty_board_are_illegal(choices: Mapping[str, str]) -> None:
    orders = [
        *orders_of("FRANCE: A PAR - BUR, A PAR H, A PAR S A MAR - BUR, F ENG C A BRE - WAL"),
        GivenOrder("X", None),
    ]
    results = adjudicate(Position([]), orders, DATC_3_2.with_choices(choices)).orders
    assert [result.reason for result in results] == ["illegal"] * 5


def test_a_position_is_pickled_without_what_was_read_on_its_board() -> None:
    position = start_position()
    size = len(pickle.dumps(position))
    orders = orders_of("FRANCE: A PAR - BUR, A MAR S A PAR - BUR, F BRE - MAO")
    after = adjudicate(position, orders)
    stored = pickle.dumps(position)
    assert len(stored) < size * 1.1
    assert adjudicate(pickle.loads(stored), orders) == after  # noqa: S301 - our own bytes


@pytest.mark.parametrize(
    ("unit", "message"),
    [
        (Unit("NARNIA", "A", "PAR"), "there is no power 'NARNIA'"),
        (Unit("FRANCE", "A", "ZZZ"), "'ZZZ' is no location on the board"),
        (Unit("FRANCE", "A", ""), "'' is no location on the board"),
        (Unit("FRANCE", "A", "par"), "'par' is no location on the board"),
        (Unit("FRANCE", "A", "ENG"), "an army cannot stand at sea: FRANCE A ENG"),
        (Unit("FRANCE", "A", "SPA/NC"), "an army cannot stand on a coast of a province: FRANCE A SPA/NC"),
        (Unit("FRANCE", "F", "PAR"), "a fleet cannot stand inland: FRANCE F PAR"),
        (Unit("FRANCE", "F", "SPA"), "a fleet in Spain is on one of its coasts, SPA/NC or SPA/SC: FRANCE F SPA"),
        (Unit("FRANCE", "F", "SPA/EC"), "a fleet in Spain is on one of its coasts, SPA/NC or SPA/SC: FRANCE F SPA/EC"),
        (Unit("FRANCE", "F", "BRE/NC"), "Brest has no such coast: FRANCE F BRE/NC"),
        (Unit("FRANCE", cast("UnitType", cast("object", "W")), "PAR"), "a unit is of type A or F, not 'W'"),
    ],
)
def test_units_that_cannot_be_there(unit: Unit, message: str) -> None:
    with pytest.raises(PositionError) as caught:
        _ = Position([unit])
    assert message in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    "units", ["FRANCE: A PAR; GERMANY: A PAR", "FRANCE: A SPA, F SPA/NC", "FRANCE: F SPA/SC, F SPA/NC"]
)
def test_two_units_in_one_province(units: str) -> None:
    with pytest.raises(PositionError, match="two units in (PAR|SPA): FRANCE"):
        _ = Position(units_of(units))


def test_a_dislodged_unit_stands_beside_its_attacker() -> None:
    dislodged = Dislodged(Unit("FRANCE", "A", "PAR"), "BUR", ("GAS", "PIC"))
    position = Position(units_of("GERMANY: A PAR"), phase="retreat", dislodged=[dislodged])
    assert position.dislodged == (dislodged,)
    assert position.occupant[position.board.number["PAR"]] == 0


@pytest.mark.parametrize("phase", ["movement", "adjustment"])
def test_units_are_dislodged_in_a_retreat_phase_only(phase: Phase) -> None:
    dislodged = Dislodged(Unit("FRANCE", "A", "PAR"), "BUR", ())
    with pytest.raises(PositionError, match=f"in a retreat phase only, not before the {phase} phase"):
        _ = Position([], phase=phase, dislodged=[dislodged])


@pytest.mark.parametrize(
    ("dislodged", "message"),
    [
        (Dislodged(Unit("FRANCE", "A", "PAR"), "BUR", ("ZZZ",)), "'ZZZ' is no location on the board"),
        (Dislodged(Unit("FRANCE", "A", "PAR"), "ZZZ", ()), "'ZZZ' is no location on the board"),
        (Dislodged(Unit("FRANCE", "A", "PAR"), "BUR", None), "the dislodged unit in PAR comes without its retreats"),
        (Dislodged(Unit("FRANCE", "F", "PAR"), None, ()), "a fleet cannot stand inland"),
        (Dislodged(Unit("NARNIA", "A", "PAR"), None, ()), "there is no power 'NARNIA'"),
    ],
)
def test_dislodged_units_that_cannot_be(dislodged: Dislodged, message: str) -> None:
    with pytest.raises(PositionError) as caught:
        _ = Position([], phase="retreat", dislodged=[dislodged])
    assert message in str(caught.value)


def test_two_units_dislodged_from_one_province() -> None:
    dislodged = [Dislodged(Unit(power, "A", "PAR"), None, ()) for power in ("FRANCE", "GERMANY")]
    with pytest.raises(PositionError, match="two units in PAR"):
        _ = Position([], phase="retreat", dislodged=dislodged)


@pytest.mark.parametrize(
    ("centers", "message"),
    [
        ({"NARNIA": ["PAR"]}, "there is no power 'NARNIA', which owns supply centers"),
        ({"FRANCE": ["BUR"]}, "'BUR' is no supply center"),
        ({"FRANCE": ["STP/NC"]}, "'STP/NC' is no supply center"),
        ({"FRANCE": ["PAR"], "GERMANY": ["PAR"]}, "both FRANCE and GERMANY own PAR"),
    ],
)
def test_centers_that_cannot_be_owned(centers: Mapping[str, list[str]], message: str) -> None:
    with pytest.raises(PositionError) as caught:
        _ = Position([], phase="adjustment", centers=centers)
    assert message in str(caught.value)


def test_there_is_no_other_phase() -> None:
    with pytest.raises(PositionError, match="there is no phase 'winter'"):
        _ = Position([], phase=cast("Phase", cast("object", "winter")))


@pytest.mark.parametrize(
    ("retreat", "message"),
    [
        ("PIC", "cannot retreat to PIC, where FRANCE A PIC stands"),
        ("MOS", "cannot retreat to MOS: there is no border"),
        ("BRE/EC", "'BRE/EC' is no location on the board"),
        ("ENG", "'ENG' is nowhere to retreat to"),
    ],
)
def test_a_dislodged_unit_retreats_over_a_border_to_where_nobody_stands(retreat: str, message: str) -> None:
    dislodged = Dislodged(Unit("GERMANY", "A", "PAR"), "BUR", (retreat,))
    with pytest.raises(PositionError, match=message):
        _ = Position([Unit("FRANCE", "A", "PIC")], phase="retreat", dislodged=[dislodged])
