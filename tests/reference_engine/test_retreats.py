"""Retreats: which ones the movement phase offers, and what becomes of those that are ordered."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from datc.reference_engine import Dislodged, Unit, standard_board
from datc.reference_engine.retreats import legal_retreats

from .play import board, play, retreat, units_ordered

# Where dislodged units may go


@pytest.mark.parametrize(
    ("unit", "retreats"),
    [(Unit("NARNIA", "A", "PAR"), ("BRE", "PIC")), (Unit("FRANCE", "F", "SPA"), ()), (Unit("FRANCE", "A", "ENG"), ())],
)
def test_open_retreats_of_any_unit(unit: Unit, retreats: tuple[str, ...]) -> None:
    number = standard_board().number
    assert legal_retreats(standard_board(), unit, {number["GAS"]}, number["BUR"]) == retreats


def test_a_move_without_its_convoy_contests_nothing() -> None:
    outcome = play("ENGLAND: A LON, F NTH", "ENGLAND: A LON - BEL")
    assert outcome.reasons == ["no-path"]
    assert outcome.adjudication.contested == frozenset()


def test_a_standoff_is_one_whoever_else_fails_to_come() -> None:
    units = "ENGLAND: A LON, F NTH; FRANCE: A PIC; GERMANY: A HOL"
    outcome = play(units, "ENGLAND: A LON - BEL; FRANCE: A PIC - BEL; GERMANY: A HOL - BEL")
    assert outcome.reasons == ["no-path", "bounced", "bounced"]
    assert outcome.adjudication.contested == {"BEL"}


BEATEN_BY_THREE = (
    "FRANCE: A PAR - BUR, A RUH S A PAR - BUR, A MUN S A PAR - BUR; GERMANY: A BUR - PAR, A GAS S A BUR - PAR;"
    + "ITALY: A PIC H; ENGLAND: F ENG - PIC, A BEL S F ENG - PIC"
)


@pytest.mark.parametrize("choice", ["no-effect", "tie-only"])
def test_a_unit_that_is_beaten_alone_makes_no_standoff(choice: str) -> None:
    """X.12 `tie-only`: Alexander Rules IV.3.h has a standoff only where more than one unit tries to move in."""
    outcome = play(units_ordered(BEATEN_BY_THREE), BEATEN_BY_THREE, {"X.12": choice})
    assert outcome.adjudication.contested == frozenset()
    assert outcome.dislodged == {"A BUR": ("MAR",), "A PIC": ("BRE", "PAR")}


def test_a_unit_that_is_beaten_makes_a_standoff_with_a_weaker_one() -> None:
    orders = BEATEN_BY_THREE + "; AUSTRIA: A BRE - PAR"
    outcome = play(units_ordered(orders), orders, {"X.12": "tie-only"})
    assert outcome.adjudication.contested == {"PAR"}
    assert outcome.dislodged["A PIC"] == ()


# What becomes of them

PARIS = Dislodged(Unit("FRANCE", "A", "PAR"), "BUR", ("GAS", "PIC"))
BREST = Dislodged(Unit("FRANCE", "F", "BRE"), "MAO", ("ENG", "GAS", "PIC"))
MARSEILLES = Dislodged(Unit("GERMANY", "A", "MAR"), "PIE", ("GAS",))
CONSTANTINOPLE = Dislodged(Unit("TURKEY", "F", "CON"), "SMY", ("BUL/EC", "BUL/SC"))
LYON = Dislodged(Unit("ITALY", "F", "LYO"), "TYS", ("MAR", "SPA/SC"))
GASCONY = Dislodged(Unit("FRANCE", "F", "GAS"), "MAO", ("BRE", "SPA/NC"))


@pytest.mark.parametrize(
    ("dislodged", "orders", "after", "reasons"),
    [
        ([PARIS], "FRANCE: A PAR D", "", [None]),
        ([PARIS], "FRANCE: A PAR - BRE", "", ["illegal"]),  # not offered
        ([PARIS], "GERMANY: A PAR - PIC", "", ["illegal"]),
        ([PARIS], "FRANCE: A BRE - PIC", "", ["illegal"]),
        ([PARIS], "FRANCE: A PAR H", "", ["illegal"]),
        ([PARIS], "FRANCE: A PAR - PIC VIA", "", ["illegal"]),
        ([PARIS], "FRANCE: Build A PAR", "", ["illegal"]),
        ([PARIS], "FRANCE: WAIVE", "", ["illegal"]),
        ([PARIS, MARSEILLES], "FRANCE: A PAR - GAS; GERMANY: A MAR - GAS", "", ["bounced", "bounced"]),
        ([PARIS, BREST], "FRANCE: A PAR - PIC, F BRE - PIC", "", ["bounced", "bounced"]),  # also of one power
        ([PARIS, BREST], "FRANCE: A PAR - PIC", "A PIC", [None]),
        ([PARIS, MARSEILLES], "FRANCE: A PAR D; GERMANY: A MAR - GAS", "A GAS", [None, None]),
        ([PARIS, MARSEILLES], "FRANCE: A PAR - BUR; GERMANY: A MAR - GAS", "A GAS", ["illegal", None]),
        ([LYON, GASCONY], "ITALY: F LYO - SPA/SC; FRANCE: F GAS - SPA/NC", "", ["bounced", "bounced"]),  # two coasts
        ([CONSTANTINOPLE], "TURKEY: F CON - BUL/EC", "F BUL/EC", [None]),
        ([CONSTANTINOPLE], "TURKEY: F CON - BUL", "", ["illegal"]),  # 4.B.1
        ([LYON], "ITALY: F LYO - SPA", "F SPA/SC", [None]),  # 4.B.2
        ([LYON], "ITALY: F LYO - SPA/NC", "", ["illegal"]),  # 4.B.3
        ([PARIS], "FRANCE: A PAR - PIC, A PAR - PIC", "A PIC", [None, None]),
        ([PARIS], "FRANCE: A PAR - PIC, A PAR - GAS", "", ["ignored", "ignored"]),  # 4.D.3
        ([PARIS], "FRANCE: A PAR - PIC, A PAR - BUR", "A PIC", [None, "illegal"]),
    ],
)
def test_retreats(dislodged: list[Dislodged], orders: str, after: str, reasons: list[str | None]) -> None:
    outcome = retreat(dislodged, orders)
    assert outcome.reasons == reasons
    assert outcome.units == board(after)
    assert outcome.dislodged == {}


@pytest.mark.parametrize(
    ("dislodged", "orders", "choices", "after"),
    [
        ([LYON], "ITALY: F LYO - SPA", {"4.B.2": "fail"}, ""),
        ([LYON], "ITALY: F LYO - SPA/NC", {"4.B.3": "ignore-coast"}, "F SPA/SC"),
        ([BREST], "FRANCE: F BRE - GAS/WC", {"4.B.6": "ignore"}, "F GAS"),
        ([BREST], "FRANCE: F BRE - GAS/WC", {"4.B.6": "fail"}, ""),
        ([BREST], "FRANCE: BRE - GAS", {"4.C.1": "valid"}, "F GAS"),
        ([BREST], "FRANCE: BRE - GAS", {"4.C.1": "invalid"}, ""),
        ([BREST], "FRANCE: A BRE - GAS", {"4.C.2": "valid"}, "F GAS"),
        ([BREST], "FRANCE: A BRE - GAS", {"4.C.2": "invalid"}, ""),
        ([PARIS], "FRANCE: A PAR - PIC, A PAR - GAS", {"4.D.3": "first"}, "A PIC"),
        ([PARIS], "FRANCE: A PAR - PIC, A PAR - GAS", {"4.D.3": "last"}, "A GAS"),
        ([PARIS], "FRANCE: A PAR - PIC, A PAR D", {"4.D.3": "last"}, ""),
    ],
)
def test_choices(dislodged: list[Dislodged], orders: str, choices: Mapping[str, str], after: str) -> None:
    assert retreat(dislodged, orders, choices=choices).units == board(after)


def test_units_on_the_board_stay_and_take_no_orders() -> None:
    outcome = retreat([PARIS], "GERMANY: A PAR - BUR, A PAR D; FRANCE: A PAR - PIC", units="GERMANY: A PAR, F NTH")
    assert outcome.units == board("A PAR, F NTH, A PIC")
    assert outcome.reasons == ["illegal", "illegal", None]
