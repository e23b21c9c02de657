from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from datc.adapters import AdjudicateParams
from datc.adapters.conversion import read_position
from datc.reference_engine import DATC_3_2, Hold, OrderedUnit, PositionError, Unit, adjudicate, standard_board
from datc.reference_engine.orders import GivenOrder
from datc.reference_engine.position import Adjudication, Dislodged, FlyingDutchman, Position, start_position

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


def orders_of_all_phases(order):
    """A position before each phase that has the same illegal order."""
    units = units_of("FRANCE: A PAR")
    yield Position(units), [GivenOrder("FRANCE", Hold(OrderedUnit("PAR"))), order]
    yield Position(units, phase="retreat"), [order]
    yield Position(units, phase="adjustment", centers={}), [order]


def test_an_order_of_an_unknown_power_is_an_error_that_names_the_nearest() -> None:
    for position, orders in orders_of_all_phases(GivenOrder("RUSIA", Hold(OrderedUnit("PAR")))):
        with pytest.raises(PositionError, match=f"order {len(orders)} is of 'RUSIA', which is no power: .* 'RUSSIA'"):
            _ = adjudicate(position, orders)


@pytest.mark.parametrize(
    "order", ["A PAR - BUR", GivenOrder._make(["FRANCE", "A PAR - BUR"]), Hold(OrderedUnit("PAR"))]
)
def test_what_is_no_order_is_a_type_error_that_says_how_to_make_one(order) -> None:
    for position, orders in orders_of_all_phases(order):
        with pytest.raises(TypeError, match=rf"order {len(orders)} is .*: give a GivenOrder\(power, read_order"):
            _ = adjudicate(position, orders)


def test_an_adjustment_phase_of_units_needs_centers() -> None:
    with pytest.raises(PositionError, match="needs `centers`"):
        _ = Position(units_of("FRANCE: A PAR"), phase="adjustment")
    assert adjudicate(Position(units_of("FRANCE: A PAR"), phase="adjustment", centers={}), []).units == ()


PARIS = Unit("FRANCE", "A", "PAR")
FIELDS = ("units", "phase", "dislodged", "centers", "flying_dutchmen", "board")
TABLES = ("power", "places", "home", "is_fleet", "occupant")


def test_nothing_changes_a_position() -> None:
    position = Position(units_of("FRANCE: A PAR"), phase="adjustment", centers={"FRANCE": ["PAR"]})
    for name in FIELDS + TABLES:
        with pytest.raises(AttributeError):
            setattr(position, name, ())
    with pytest.raises(TypeError):
        position.centers["FRANCE"] = frozenset()  # pyright: ignore[reportIndexIssue] - what nobody may do
    assert [type(getattr(position, name)) for name in TABLES] == [tuple] * len(TABLES)
    assert pickle.loads(pickle.dumps(position)) == position  # noqa: S301 - our own bytes


@pytest.mark.parametrize(
    "position",
    [
        start_position(),
        Position(
            units_of("ITALY: A MAR"), phase="retreat", dislodged=[Dislodged(Unit("FRANCE", "F", "SPA/SC"), None, ())]
        ),
        Position(units_of("FRANCE: A PAR"), phase="adjustment", centers={"FRANCE": ["PAR", "BRE"], "ITALY": ["ROM"]}),
        Position(units_of("FRANCE: A PAR, F BRE"), flying_dutchmen=[FlyingDutchman("FRANCE", ("PAR", "BRE"))]),
    ],
)
def test_the_data_of_a_position_is_that_of_the_protocol(position: Position) -> None:
    data = json.loads(json.dumps(position.to_data()))
    assert Position.from_data(data) == position
    assert Position.from_data({**data, "season": "spring", "orders": []}) == position
    assert read_position(msgspec.convert(data, AdjudicateParams)) == position


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"units": [{"power": "FRANCE", "type": "A"}]}, "lacks 'location'"),
        ({"units": ["A PAR"]}, "is no data of a position"),
        ({"units": [{"power": [], "type": "A", "location": "PAR"}]}, "is no data of a position"),
        ({"units": None}, "is no data of a position"),
        ({"units": [{"power": "FRANCE", "type": "A", "location": "NTH"}]}, "an army cannot stand at sea"),
        ({"phase": "winter"}, "there is no phase 'winter'"),
        ({"phase": "adjustment", "centers": ["PAR"]}, "is no data of a position"),
        ({"phase": "retreat", "dislodged": [{"power": "FRANCE", "type": "A", "location": "PAR"}]}, "lacks 'retreats'"),
    ],
)
def test_other_data_is_an_error_that_says_what_is_wrong(change: dict[str, object], message: str) -> None:
    with pytest.raises(PositionError, match=message):
        _ = Position.from_data({**start_position().to_data(), **change})
    with pytest.raises(PositionError, match="no data"):
        _ = Position.from_data(None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"units": [PARIS, "A MAR"]}, "unit 2 is 'A MAR': give a Unit"),
        ({"phase": "retreat", "dislodged": [PARIS]}, "is no Dislodged"),
        ({"centers": {"FRANCE": "PAR"}}, r"the centers of FRANCE are 'PAR': give a list, such as \['PAR'\]"),
    ],
)
def test_an_argument_of_another_type_is_an_error_that_says_so(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        _ = Position(arguments.pop("units", []), **arguments)


def test_positions_are_compared_by_what_they_hold_and_shown() -> None:
    one, other = (Position(units_of(f"FRANCE: {units}")) for units in ("A PAR, F BRE", "F BRE, A PAR"))
    assert (one == other, hash(one) == hash(other), {one, other}) == (True, True, {one})
    assert one != Position(one.units, phase="retreat")
    assert one != Position(one.units, phase="adjustment", centers={})
    assert one != "FRANCE: A PAR, F BRE"
    assert repr(one) == "<Position before the movement phase: FRANCE A PAR, FRANCE F BRE>"


@pytest.mark.parametrize(
    "choices", [{}, {"4.E.1": "any-writing"}, {"4.C.1": "valid-unless-correct-order"}, {"4.D.3": "illegal-hold"}]
)
def test_orders_on_an_empty_board_are_illegal(choices: Mapping[str, str]) -> None:
    orders = [
        *orders_of("FRANCE: A PAR - BUR, A PAR H, A PAR S A MAR - BUR, F ENG C A BRE - WAL"),
        GivenOrder("RUSSIA", None),
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
    ("units", "message"),
    [
        ("NARNIA A PAR", "there is no power 'NARNIA'"),
        ("FRANCE A ZZZ", "'ZZZ' is no location on the board"),
        ("FRANCE A ", "'' is no location on the board"),
        ("FRANCE A par", "'par' is no location on the board"),
        ("FRANCE A ENG", "an army cannot stand at sea: FRANCE A ENG"),
        ("FRANCE A SPA/NC", "an army cannot stand on a coast of a province: FRANCE A SPA/NC"),
        ("FRANCE F PAR", "a fleet cannot stand inland: FRANCE F PAR"),
        ("FRANCE F SPA", "a fleet in Spain is on one of its coasts, SPA/NC or SPA/SC: FRANCE F SPA"),
        ("FRANCE F SPA/EC", "a fleet in Spain is on one of its coasts, SPA/NC or SPA/SC: FRANCE F SPA/EC"),
        ("FRANCE F BRE/NC", "Brest has no such coast: FRANCE F BRE/NC"),
        ("FRANCE W PAR", "a unit is of type A or F, not 'W'"),
        ("FRANCE A PAR, GERMANY A PAR", "two units in PAR: FRANCE"),
        ("FRANCE A SPA, FRANCE F SPA/NC", "two units in SPA: FRANCE"),
        ("FRANCE F SPA/SC, FRANCE F SPA/NC", "two units in SPA: FRANCE"),
    ],
)
def test_units_that_cannot_be_there(units, message) -> None:
    with pytest.raises(PositionError) as caught:
        _ = Position([Unit(*unit.split(" ")) for unit in units.split(", ")])
    assert message in str(caught.value)
    assert caught.value.__context__ is None


FLEET, NARNIAN = Unit("FRANCE", "F", "PAR"), Unit("NARNIA", "A", "PAR")
GONE = Dislodged(PARIS, "BUR", ())


@pytest.mark.parametrize(
    ("dislodged", "message"),
    [
        (Dislodged(PARIS, "BUR", ("ZZZ",)), "'ZZZ' is no location on the board"),
        (Dislodged(PARIS, "ZZZ", ()), "'ZZZ' is no location on the board"),
        (Dislodged(PARIS, "BUR", None), "the dislodged unit in PAR comes without its retreats"),
        (Dislodged(FLEET, None, ()), "a fleet cannot stand inland"),
        (Dislodged(NARNIAN, None, ()), "there is no power 'NARNIA'"),
        # A dislodged unit retreats over a border to where nobody stands
        (Dislodged(PARIS, "BUR", ("PIC",)), "cannot retreat to PIC, where GERMANY A PIC stands"),
        (Dislodged(PARIS, "BUR", ("MOS",)), "cannot retreat to MOS: there is no border"),
        (Dislodged(PARIS, "BUR", ("BRE/EC",)), "'BRE/EC' is no location on the board"),
        (Dislodged(PARIS, "BUR", ("ENG",)), "'ENG' is nowhere to retreat to"),
    ],
)
def test_dislodged_units_that_cannot_be(dislodged, message) -> None:
    with pytest.raises(PositionError, match=message):
        _ = Position(units_of("GERMANY: A PIC"), phase="retreat", dislodged=[dislodged])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"phase": "winter"}, "there is no phase 'winter'"),
        ({"phase": "movement", "dislodged": [GONE]}, "in a retreat phase only, not before the movement phase"),
        ({"phase": "adjustment", "dislodged": [GONE]}, "in a retreat phase only, not before the adjustment phase"),
        ({"phase": "retreat", "dislodged": [GONE, GONE]}, "two units in PAR"),
        ({"centers": {"NARNIA": ["PAR"]}}, "there is no power 'NARNIA', which owns supply centers"),
        ({"centers": {"FRANCE": ["BUR"]}}, "'BUR' is no supply center"),
        ({"centers": {"FRANCE": ["STP/NC"]}}, "'STP/NC' is no supply center"),
        ({"centers": {"FRANCE": ["PAR"], "GERMANY": ["PAR"]}}, "both FRANCE and GERMANY own PAR"),
    ],
)
def test_phases_and_centers_that_cannot_be(fields, message) -> None:
    with pytest.raises(PositionError, match=message):
        _ = Position([], **fields)
