"""What an order means, and which orders are legal."""

from __future__ import annotations

import pytest

from datc.reference_engine import DATC_3_1, ISSUES, OrderedUnit, Position, adjudicate
from datc.reference_engine.orders import Build, Disband, GivenOrder, Move, Order, Remove, Retreat, Waive

from .play import orders_of, play, units_of

MUNICH = "GERMANY: A MUN, A RUH; RUSSIA: A SIL, A BOH"
AGAINST_MUNICH = "RUSSIA: A SIL - MUN, A BOH S A SIL - MUN"


@pytest.mark.parametrize("choice", ISSUES["4.E.1"].choices)
def test_a_move_to_a_place_that_is_not_on_the_board(choice: str) -> None:
    """Issue 4.E.1 (D.24): only `any-writing` takes it for a move, so that Munich cannot be supported to hold."""
    to_oz = GivenOrder("GERMANY", Move(OrderedUnit("MUN", "A"), "OZ"))
    others = orders_of(f"GERMANY: A RUH S A MUN; {AGAINST_MUNICH}")
    after = adjudicate(Position(units_of(MUNICH)), [to_oz, *others], DATC_3_1.with_choices({"4.E.1": choice}))
    dislodged = [f"{dislodged.unit.type} {dislodged.unit.location}" for dislodged in after.dislodged]
    assert dislodged == (["A MUN"] if choice == "any-writing" else [])
    assert after.orders[0].reason == "illegal"


# Legal and illegal orders, whatever the choices

LEGALITY = [
    # Moves
    ("FRANCE: A PAR", "FRANCE: A PAR - PAR", "illegal"),
    ("FRANCE: F BRE; ENGLAND: F ENG", "FRANCE: F BRE - LON VIA", "illegal"),
    ("FRANCE: A BRE", "FRANCE: A BRE - LON", "illegal"),
    ("FRANCE: A BRE; ENGLAND: F ENG", "FRANCE: A BRE - LON", "no-path"),
    ("FRANCE: A BRE; ENGLAND: F ENG", "FRANCE: A BRE - BRE", "illegal"),
    ("FRANCE: A BRE; ENGLAND: F ENG", "FRANCE: A BRE - ENG - LON", "no-path"),
    ("FRANCE: A PAR; ENGLAND: F ENG", "FRANCE: A PAR - LON", "illegal"),
    ("FRANCE: A BRE; ENGLAND: F ENG", "FRANCE: A BRE - PAR VIA", "illegal"),
    ("FRANCE: A BRE; ENGLAND: F ENG", "FRANCE: A BRE - PIC VIA", "no-path"),
    ("FRANCE: A BRE; ENGLAND: F LON", "FRANCE: A BRE - PIC VIA", "illegal"),
    # Whose unit it is
    ("FRANCE: A PAR", "FRANCE: German A PAR - BUR", "illegal"),
    ("FRANCE: A PAR", "FRANCE: French A PAR - BUR", None),
    ("FRANCE: A PAR", "FRANCE: A BUR H", "illegal"),
    # Supports
    ("FRANCE: A PAR", "FRANCE: A PAR S A PAR - BUR", "illegal"),
    ("FRANCE: A PAR, A MAR", "FRANCE: A PAR S A MAR", "illegal"),
    ("FRANCE: A PAR, A BUR", "FRANCE: A PAR S A BUR", None),
    ("FRANCE: A PAR", "FRANCE: A PAR S A BUR", "illegal"),
    ("FRANCE: A PAR, A MAR", "FRANCE: A PAR S A MAR - BUR", "void"),
    ("FRANCE: A PAR, A MAR", "FRANCE: A PAR S A MAR - PIC", "illegal"),
    ("FRANCE: A PAR, A MAR", "FRANCE: A PAR S A MAR - PAR", "illegal"),
    ("FRANCE: F SPA/NC, F MAR", "FRANCE: F SPA/NC S F MAR - LYO", "illegal"),
    ("FRANCE: F MAR, F GAS", "FRANCE: F MAR S F GAS - SPA/NC", "void"),
    ("FRANCE: F MAR, F GAS", "FRANCE: F MAR S F GAS - SPA/SC", "illegal"),
    ("AUSTRIA: A RUM; TURKEY: F BLA", "TURKEY: F BLA S A RUM - ARM", "illegal"),
    ("AUSTRIA: A BUL; TURKEY: F BLA, F AEG", "TURKEY: F AEG S A BUL - SMY", "illegal"),
    ("AUSTRIA: A BUL; TURKEY: F AEG, F EAS", "TURKEY: F EAS S A BUL - SMY", "void"),
    # Convoys
    ("ENGLAND: A LON, F NTH", "ENGLAND: F NTH C A LON - BEL", "void"),
    ("ENGLAND: A LON, F NTH", "ENGLAND: F NTH C A LON - LON", "illegal"),
    ("ENGLAND: A LON, F NTH", "ENGLAND: F NTH C A LON - PAR", "illegal"),
    ("ENGLAND: A LON, F NTH", "ENGLAND: F NTH C A LON - TUN", "illegal"),
    ("ENGLAND: F LON, F NTH", "ENGLAND: F NTH C F LON - BEL", "illegal"),
    ("ENGLAND: A LON, F WAL", "ENGLAND: F WAL C A LON - BEL", "illegal"),
    ("ENGLAND: A LON, A YOR", "ENGLAND: A YOR C A LON - EDI", "illegal"),
    ("ENGLAND: F NTH", "ENGLAND: F NTH C A LON - BEL", "illegal"),
    ("ITALY: A MAR, F LYO, F WES", "ITALY: F WES C A MAR - SPA", "illegal"),
    ("RUSSIA: A SWE, F SKA, F BOT", "RUSSIA: F BOT C A SWE - NWY", "illegal"),
    ("ENGLAND: A LVP, F ENG; FRANCE: F IRI, F NTH", "ENGLAND: F ENG C A LVP - EDI", "void"),
]


@pytest.mark.parametrize(("units", "order", "reason"), LEGALITY)
def test_legality(units: str, order: str, reason: str | None) -> None:
    outcome = play(units, order)
    assert outcome.reasons == [reason]
    if reason is not None:
        assert set(outcome.adjudication.units) == set(units_of(units))


@pytest.mark.parametrize("choice", ISSUES["X.3"].choices)
@pytest.mark.parametrize("sea", ["NTH", "NWG"])
def test_a_convoy_to_a_sea_is_illegal(choice: str, sea: str) -> None:
    """No army can stand there; so the other order of the fleet is the only one (4.D.3)."""
    orders = f"RUSSIA: A CLY H, F NTH H, F NWG C A CLY - {sea}, F NWG - NWY"
    outcome = play("RUSSIA: A CLY, F NTH, F NWG", orders, {"X.3": choice})
    assert outcome.reasons == [None, None, "illegal", None]


@pytest.mark.parametrize("choice", ISSUES["4.E.1"].choices)
def test_an_impossible_support_does_not_stand_beside_another_order(choice: str) -> None:
    """Open where impossible moves are orders: Walker answered of moves. If it counted, the unit would hold (4.D.3)."""
    orders = "GERMANY: A BEL S A EDI - PIC, A BEL - HOL; ENGLAND: A EDI H"
    outcome = play("GERMANY: A BEL; ENGLAND: A EDI", orders, {"4.E.1": choice})
    assert outcome.reasons == ["illegal", None, None]


@pytest.mark.parametrize(("choice", "spain"), [("ignore-coast", "F SPA/NC"), ("illegal", "F GAS")])
def test_a_support_for_an_impossible_coast_is_illegal(choice: str, spain: str) -> None:
    """Open under 4.B.3 `ignore-coast`, which the DATC lists for moves: the coast is read as 4.B.4 has it."""
    orders = "FRANCE: F GAS - SPA/SC, A MAR S F GAS - SPA/SC"
    outcome = play("FRANCE: F GAS, A MAR", orders, {"4.B.3": choice})
    assert outcome.units == {spain, "A MAR"}
    assert outcome.reasons[1] == "illegal"


def test_an_illegal_move_can_be_supported_to_hold() -> None:
    """4.E.1: it is as if it had not been ordered (D.25); a move that only lacks its convoy cannot be (6.D.8)."""
    against_munich = "GERMANY: A MUN - MOS, A RUH S A MUN; RUSSIA: A SIL - MUN, A BOH S A SIL - MUN"
    outcome = play("GERMANY: A MUN, A RUH; RUSSIA: A SIL, A BOH", against_munich)
    assert outcome.reasons == ["illegal", None, "bounced", None]
    against_greece = "AUSTRIA: A ALB S A SER - GRE, A SER - GRE; TURKEY: A GRE - NAP, A BUL S A GRE; ITALY: F ION H"
    outcome = play("AUSTRIA: A ALB, A SER; TURKEY: A GRE, A BUL; ITALY: F ION", against_greece)
    assert outcome.reasons == [None, None, "no-path", "void", None]
    assert outcome.dislodged.keys() == {"A GRE"}


PARIS = OrderedUnit("PAR", "A")


@pytest.mark.parametrize("order", [None, Waive(), Build(PARIS), Remove(PARIS), Disband(PARIS), Retreat(PARIS, "BUR")])
def test_orders_of_another_phase_are_illegal(order: Order | None) -> None:
    position = Position(units_of("FRANCE: A PAR"))
    follows = Move(PARIS, "PIC")
    after = adjudicate(position, [GivenOrder("FRANCE", order), GivenOrder("FRANCE", follows)])
    assert [result.reason for result in after.orders] == ["illegal", None]


def test_an_order_that_is_not_followed_is_ignored() -> None:
    orders = "GERMANY: F KIE - DEN, F KIE - BAL, F KIE H"
    assert play("GERMANY: F KIE", orders).reasons == ["ignored", "ignored", "ignored"]
    assert play("GERMANY: F KIE", orders, {"4.D.3": "first"}).reasons == [None, "ignored", "ignored"]
    assert play("GERMANY: F KIE", orders, {"4.D.3": "last"}).reasons == ["ignored", "ignored", None]


def test_a_unit_with_two_orders_can_be_supported() -> None:
    outcome = play(
        "GERMANY: F KIE, A MUN; FRANCE: A HOL, A RUH",
        "GERMANY: F KIE - DEN, F KIE - BAL, A MUN S F KIE; FRANCE: A HOL - KIE, A RUH S A HOL - KIE",
    )
    assert outcome.reasons == ["ignored", "ignored", None, "bounced", None]


def test_why_orders_fail() -> None:
    """The reasons that are left: of supports, of convoys and of holds."""
    outcome = play(
        "ENGLAND: F NTH, A LON; FRANCE: F ENG, F BEL, A HOL; GERMANY: A RUH, A KIE",
        "ENGLAND: F NTH C A LON - HOL, A LON - HOL; FRANCE: F ENG - NTH, F BEL S F ENG - NTH, A HOL H;"
        + "GERMANY: A RUH - HOL, A KIE S A RUH - HOL",
    )
    assert outcome.reasons == ["dislodged", "disrupted", None, None, "dislodged", None, None]
    void = play("FRANCE: A PAR, A BUR, A PIC; GERMANY: A MUN", "FRANCE: A BUR S A PAR - PIC; GERMANY: A MUN - BUR")
    assert void.reasons == ["void", "bounced"]
    cut = play("FRANCE: A PAR, A BUR; GERMANY: A MUN", "FRANCE: A BUR S A PAR; GERMANY: A MUN - BUR")
    assert cut.reasons == ["cut", "bounced"]
