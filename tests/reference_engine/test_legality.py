"""What an order means, under each choice that the movement phase plays."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from datc.reference_engine import (
    DATC_3_1,
    ISSUES,
    Build,
    Disband,
    GivenOrder,
    Hold,
    Move,
    Order,
    OrderedUnit,
    Position,
    Remove,
    Retreat,
    Waive,
    adjudicate,
    movement,
)

from .play import Effect, Effects, check_effect, effect_rows, orders_of, play, units_of
from .test_convoys import EFFECTS as CONVOYS
from .test_paradoxes import EFFECTS as PARADOXES
from .test_variants import EFFECTS as VARIANTS

AGAINST_SPAIN = "ITALY: F LYO S F WES - SPA/SC, F WES - SPA/SC"
MUNICH = "GERMANY: A MUN, A RUH; RUSSIA: A SIL, A BOH"
AGAINST_MUNICH = "RUSSIA: A SIL - MUN, A BOH S A SIL - MUN"

EFFECTS: Effects = {
    "4.A.4": [
        Effect(
            "an attack on the supporter, by convoy, from where it supports to (6.G.13)",
            "AUSTRIA: F ADR C A TRI - VEN, A TRI - VEN VIA; ITALY: A VEN S F ALB - TRI, F ALB - TRI",
            {"not-cut": "F ALB - TRI, A TRI x", "cut": ""},
        ),
    ],
    "4.B.1": [
        Effect(
            "no coast, and two are possible (6.B.1)",
            "FRANCE: F POR - SPA",
            {"fail": "", "default-coast": "F POR - SPA/NC"},
        ),
        Effect("the default coast of Bulgaria", "TURKEY: F CON - BUL", {"fail": "", "default-coast": "F CON - BUL/EC"}),
        Effect("a coast in writing", "FRANCE: F POR - SPA/SC", {"fail default-coast": "F POR - SPA/SC"}),
    ],
    "4.B.2": [
        Effect(
            "no coast, and one is possible (6.B.2)",
            "FRANCE: F GAS - SPA",
            {"only-possible default-coast": "F GAS - SPA/NC", "fail": ""},
        ),
        Effect(
            "no coast, and the one that is possible is not the default one",
            "FRANCE: F MAR - SPA",
            {"only-possible": "F MAR - SPA/SC", "default-coast fail": ""},
        ),
    ],
    "4.B.3": [
        Effect(
            "an impossible coast (6.B.3)", "FRANCE: F GAS - SPA/SC", {"illegal": "", "ignore-coast": "F GAS - SPA/NC"}
        ),
    ],
    "4.B.4": [
        Effect(
            "a support without a coast (6.B.7)",
            "FRANCE: F POR S F MAO - SPA, F MAO - SPA/NC; ITALY: F LYO S F WES - SPA/SC, F WES - SPA/SC",
            {"required": "F WES - SPA/SC", "default-coast own-or-single optional-must-match ignored": ""},
        ),
        Effect(
            "a support without a coast, and the fleet goes to the one that is not the default",
            "FRANCE: F POR S F MAO - SPA, F MAO - SPA/SC; ITALY: F LYO S F WES - SPA/SC, F WES - SPA/SC",
            {"required default-coast": "F WES - SPA/SC", "own-or-single optional-must-match ignored": ""},
        ),
        Effect(
            "a support of a foreign fleet without a coast (6.B.15)",
            f"FRANCE: F POR S English F MAO - SPA; ENGLAND: F MAO - SPA/NC; {AGAINST_SPAIN}",
            {"required own-or-single": "F WES - SPA/SC", "default-coast optional-must-match ignored": ""},
        ),
        Effect(
            "a support of a foreign fleet that can come to one coast only, as 6.B.8",
            f"FRANCE: F POR S English F GAS - SPA; ENGLAND: F GAS - SPA/NC; {AGAINST_SPAIN}",
            {"required": "F WES - SPA/SC", "default-coast own-or-single optional-must-match ignored": ""},
        ),
        Effect(
            "a support with another coast (6.B.9)",
            "FRANCE: F POR S F MAO - SPA/NC, F MAO - SPA/SC; ITALY: F LYO S F WES - SPA/SC, F WES - SPA/SC",
            {"required default-coast own-or-single optional-must-match": "F WES - SPA/SC", "ignored": ""},
        ),
        Effect(
            "a support with a coast that the fleet cannot come to",
            "FRANCE: F GAS - SPA/NC, F MAR S F GAS - SPA/SC; ITALY: F WES - SPA/SC",
            {"required default-coast own-or-single optional-must-match": "", "ignored": "F GAS - SPA/NC"},
        ),
        Effect(
            "a support with the right coast",
            "FRANCE: F POR S F MAO - SPA/NC, F MAO - SPA/NC; ITALY: F LYO S F WES - SPA/SC, F WES - SPA/SC",
            {"required default-coast own-or-single optional-must-match ignored": ""},
        ),
    ],
    "4.B.5": [
        Effect(
            "the fleet is on the other coast (6.B.10)",
            "FRANCE: F SPA/NC - WES",
            {"ignore": "F SPA/SC - WES", "fail": ""},
            units="FRANCE: F SPA/SC",
        ),
        Effect(
            "the coast of the fleet is left out: that is not a wrong one",
            "FRANCE: F SPA - WES",
            {"ignore fail": "F SPA/SC - WES"},
            units="FRANCE: F SPA/SC",
        ),
        Effect(
            "a supported fleet that holds is on the other coast (6.B.16 of DATC 3.2)",
            "FRANCE: A MAR S F SPA/NC; ITALY: F WES - SPA/SC, A GAS S F WES - SPA/SC",
            {"ignore": "", "fail": "F WES - SPA/SC, F SPA/SC x"},
            units="FRANCE: F SPA/SC, A MAR; ITALY: F WES, A GAS",
        ),
        Effect(
            "a support to hold that leaves the coast out has no wrong one",
            "FRANCE: A MAR S F SPA; ITALY: F WES - SPA/SC, A GAS S F WES - SPA/SC",
            {"ignore fail": ""},
            units="FRANCE: F SPA/SC, A MAR; ITALY: F WES, A GAS",
        ),
        Effect(
            "a supported fleet moves from the other coast (6.B.17 of DATC 3.2)",
            "FRANCE: F SPA/SC - MAO; ITALY: F WES S FRENCH F SPA/NC - MAO",
            {"ignore": "F SPA/SC - MAO, F MAO x", "fail": ""},
            units="FRANCE: F SPA/SC; ITALY: F WES; ENGLAND: F MAO",
        ),
    ],
    "4.B.6": [
        Effect("an unknown coast (D.7)", "FRANCE: F MAO - BRE/EC", {"ignore": "F MAO - BRE", "fail": ""}),
        Effect("no coast that Spain has", "FRANCE: F GAS - SPA/WC", {"ignore": "F GAS - SPA/NC", "fail": ""}),
        Effect("an army to a coast", "FRANCE: A GAS - SPA/NC", {"ignore": "A GAS - SPA", "fail": ""}),
        Effect(
            "an army on a coast", "FRANCE: A SPA/NC - GAS", {"ignore": "A SPA - GAS", "fail": ""}, units="FRANCE: A SPA"
        ),
        Effect(
            "a supported army on a coast",
            "FRANCE: A MAR S A SPA/NC; ITALY: F WES - SPA/SC, A GAS S F WES - SPA/SC",
            {"ignore": "", "fail": "F WES - SPA/SC, A SPA x"},
            units="FRANCE: A SPA, A MAR; ITALY: F WES, A GAS",
        ),
        Effect(
            "a convoyed army on a coast",
            "FRANCE: A SPA - TUN, F WES C A SPA/SC - TUN",
            {"ignore": "A SPA - TUN", "fail": ""},
        ),
        Effect(
            "a unit on no coast", "FRANCE: F BRE/EC - ENG", {"ignore": "F BRE - ENG", "fail": ""}, units="FRANCE: F BRE"
        ),
        Effect(
            "a convoy to a coast", "FRANCE: A BRE - SPA, F MAO C A BRE - SPA/NC", {"ignore": "A BRE - SPA", "fail": ""}
        ),
        Effect(
            "a support of an army to a coast",
            "FRANCE: A GAS - SPA, A MAR S A GAS - SPA/NC; ITALY: A POR - SPA",
            {"ignore": "A GAS - SPA", "fail": ""},
        ),
        Effect(
            "a support of a fleet to no coast that Spain has",
            "FRANCE: F GAS - SPA/NC, A MAR S F GAS - SPA/WC; ITALY: A POR - SPA",
            {"ignore": "F GAS - SPA/NC", "fail": ""},
        ),
    ],
    "4.C.1": [
        Effect(
            "no type (D.8)",
            "GERMANY: KIE - HOL",
            {"valid valid-unless-correct-order": "F KIE - HOL", "invalid": ""},
            units="GERMANY: F KIE",
        ),
        Effect(
            "no type, and another order has it (D.9)",
            "GERMANY: KIE - HOL, F KIE - DEN",
            {"valid": "", "invalid valid-unless-correct-order": "F KIE - DEN"},
            units="GERMANY: F KIE",
        ),
        Effect(
            "no type of the supported unit",
            "GERMANY: A RUH S French BEL - HOL; FRANCE: A BEL - HOL; ENGLAND: F HOL H",
            {"valid valid-unless-correct-order": "A BEL - HOL, F HOL x", "invalid": ""},
        ),
    ],
    "4.C.2": [
        Effect(
            "a wrong type (D.10)",
            "GERMANY: A KIE - HOL",
            {"valid valid-unless-correct-order": "F KIE - HOL", "invalid": ""},
            units="GERMANY: F KIE",
        ),
        Effect(
            "a wrong type, and another order has the right one (D.10)",
            "GERMANY: A KIE - HOL, F KIE - DEN",
            {"valid": "", "invalid valid-unless-correct-order": "F KIE - DEN"},
            units="GERMANY: F KIE",
        ),
        Effect(
            "a wrong type of the supported unit",
            "GERMANY: A RUH S French F BEL - HOL; FRANCE: A BEL - HOL; ENGLAND: F HOL H",
            {"valid valid-unless-correct-order": "A BEL - HOL, F HOL x", "invalid": ""},
        ),
    ],
    "4.C.5": [
        Effect(
            "no nationality, and another order has it, as D.12",
            "GERMANY: A RUH S A BUR - BEL, A RUH S French A BEL - HOL; FRANCE: A BEL - HOL; ENGLAND: F HOL H",
            {"valid": "", "invalid valid-unless-correct-order": "A BEL - HOL, F HOL x"},
            units="GERMANY: A RUH; FRANCE: A BEL, A BUR; ENGLAND: F HOL",
        ),
        Effect(
            "no nationality of a foreign unit (D.12)",
            "GERMANY: A RUH S A BEL - HOL; FRANCE: A BEL - HOL; ENGLAND: F HOL H",
            {"valid valid-unless-correct-order": "A BEL - HOL, F HOL x", "invalid": ""},
        ),
        Effect(
            "no nationality of an own unit",
            "GERMANY: A RUH S A BEL - HOL, A BEL - HOL",
            {"valid invalid valid-unless-correct-order": "A BEL - HOL, F HOL x"},
            units="GERMANY: A RUH, A BEL; ENGLAND: F HOL",
        ),
        Effect(
            "no nationality of a convoyed foreign unit",
            "GERMANY: F NTH C A BEL - LON; FRANCE: A BEL - LON",
            {"valid valid-unless-correct-order": "A BEL - LON", "invalid": ""},
        ),
    ],
    "4.C.6": [
        Effect(
            "a wrong nationality, and another order has the right one, as D.13",
            "GERMANY: A RUH S Italian A BUR - BEL, A RUH S French A BEL - HOL; FRANCE: A BEL - HOL; ENGLAND: F HOL H",
            {"valid": "", "invalid valid-unless-correct-order": "A BEL - HOL, F HOL x"},
            units="GERMANY: A RUH; FRANCE: A BEL, A BUR; ENGLAND: F HOL",
        ),
        Effect(
            "a wrong nationality (D.13)",
            "GERMANY: A RUH S Italian A BEL - HOL; FRANCE: A BEL - HOL; ENGLAND: F HOL H",
            {"valid valid-unless-correct-order": "A BEL - HOL, F HOL x", "invalid": ""},
        ),
        Effect(
            "the right nationality",
            "GERMANY: A RUH S French A BEL - HOL; FRANCE: A BEL - HOL; ENGLAND: F HOL H",
            {"valid invalid valid-unless-correct-order": "A BEL - HOL, F HOL x"},
        ),
    ],
    "4.D.3": [
        Effect(
            "two orders (D.16)",
            "GERMANY: F KIE - DEN, F KIE - BAL",
            {"first": "F KIE - DEN", "last": "F KIE - BAL", "illegal-hold": ""},
        ),
        Effect(
            "three orders, two of them the same",
            "GERMANY: F KIE - DEN, F KIE - BAL, F KIE - DEN",
            {"first": "F KIE - DEN", "last": "F KIE - BAL", "illegal-hold": ""},
        ),
        Effect(
            "one of two orders is illegal (D.17)",
            "GERMANY: F KIE - DEN, F KIE - MUN",
            {"first last illegal-hold": "F KIE - DEN"},
        ),
        Effect("the same order twice", "GERMANY: F KIE - DEN, F KIE - DEN", {"first last illegal-hold": "F KIE - DEN"}),
    ],
    "4.D.9": [
        Effect(
            "a power without orders (D.23)",
            "RUSSIA: A RUM S A BUL; AUSTRIA: A SER - BUL, A GRE S A SER - BUL",
            {"succeeds": "", "fails": "A SER - BUL, A BUL x"},
            units="TURKEY: A BUL; RUSSIA: A RUM; AUSTRIA: A SER, A GRE",
        ),
        Effect(
            "a power that orders another unit",
            "TURKEY: A SMY H; RUSSIA: A RUM S A BUL; AUSTRIA: A SER - BUL, A GRE S A SER - BUL",
            {"succeeds fails": ""},
            units="TURKEY: A BUL, A SMY; RUSSIA: A RUM; AUSTRIA: A SER, A GRE",
        ),
    ],
    "4.E.1": [
        Effect(
            "a move to a place far away (D.25)",
            "GERMANY: A MUN - MOS, A RUH S A MUN; RUSSIA: A SIL - MUN, A BOH S A SIL - MUN",
            {
                "any-writing any-board-space": "A SIL - MUN, A MUN x",
                "possible-some-situation possible-now alexander": "",
            },
        ),
        Effect(
            "a fleet to a place far away (6.D.28)",
            "AUSTRIA: A BUD S F RUM; RUSSIA: F RUM - HOL; TURKEY: F BLA - RUM, A BUL S F BLA - RUM",
            {
                "any-writing any-board-space": "F BLA - RUM, F RUM x",
                "possible-some-situation possible-now alexander": "",
            },
        ),
        Effect(
            "to an impossible coast (6.D.29)",
            "AUSTRIA: A BUD S F RUM; RUSSIA: F RUM - BUL/SC; TURKEY: F BLA - RUM, A BUL S F BLA - RUM",
            {
                "any-writing any-board-space": "F BLA - RUM, F RUM x",
                "possible-some-situation possible-now alexander": "",
            },
        ),
        Effect(
            "without a coast (6.D.30)",
            "ITALY: F AEG S F CON; RUSSIA: F CON - BUL; TURKEY: F BLA - CON, A BUL S F BLA - CON",
            {
                "any-writing any-board-space": "F BLA - CON, F CON x",
                "possible-some-situation possible-now alexander": "",
            },
        ),
        Effect(
            "over a sea without a fleet (6.D.32)",
            "ENGLAND: F EDI S A LVP - YOR, A LVP - YOR; FRANCE: F LON S A YOR; GERMANY: A YOR - HOL",
            {
                "any-writing any-board-space possible-some-situation": "A LVP - YOR, A YOR x",
                "possible-now alexander": "",
            },
        ),
        Effect(
            "over a sea with a fleet that is not ordered (6.D.8)",
            "AUSTRIA: F ION H, A SER S A ALB - GRE, A ALB - GRE; TURKEY: A GRE - NAP, A BUL S A GRE",
            {
                "any-writing any-board-space possible-some-situation possible-now": "A ALB - GRE, A GRE x",
                "alexander": "",
            },
        ),
        Effect(
            "one of two orders is impossible (D.17)",
            "GERMANY: F KIE - DEN, F KIE - MUN",
            {"any-writing any-board-space": "", "possible-some-situation possible-now alexander": "F KIE - DEN"},
        ),
        Effect(
            "to where it is (6.A.5)",
            "ENGLAND: F NTH C A YOR - YOR, A YOR - YOR, A LVP S A YOR - YOR; GERMANY: F LON - YOR, A WAL S F LON - YOR",
            dict.fromkeys(ISSUES["4.E.1"].choices, "F LON - YOR, A YOR x"),
        ),
    ],
    "X.3": [
        Effect(
            "a fleet that is not needed shows intent (6.G.19)",
            "FRANCE: A MAR - SPA, F WES C A MAR - SPA; ITALY: F LYO C A MAR - SPA, F SPA/SC - MAR",
            {"illegal-if-unnecessary": "", "legal-if-on-any-route": "A MAR - SPA, F SPA/SC - MAR"},
        ),
        Effect(
            "a fleet on no route (6.G.7)",
            "ENGLAND: F SKA C A SWE - NWY, F NWY - SWE; RUSSIA: A SWE - NWY, F BOT C A SWE - NWY",
            {"illegal-if-unnecessary legal-if-on-any-route": ""},
        ),
    ],
}


@pytest.mark.parametrize(("effect", "choices", "end"), effect_rows(EFFECTS))
def test_choices(effect: Effect, choices: Mapping[str, str], end: str) -> None:
    check_effect(effect, choices, end)


@pytest.mark.parametrize(
    ("choices", "retreats"),
    [
        ({"4.A.5": "no-retreat-to-origin"}, ("PIE", "SPA")),
        ({"4.A.5": "retreat-to-origin"}, ("GAS", "PIE", "SPA")),
        ({"4.A.5": "no-retreat-to-origin", "v3.2-4.A.4": "brannan"}, ("GAS", "PIE", "SPA")),
    ],
)
def test_retreat_to_where_a_convoyed_attacker_came_from(choices: dict[str, str], retreats: tuple[str, ...]) -> None:
    """Issue 4.A.5, by 6.H.11: Burgundy is occupied, Gascony is where the army embarked (4.A.4 of 3.2, point 3)."""
    outcome = play(
        "FRANCE: A GAS, A BUR, F MAO, F WES, F LYO; ITALY: A MAR",
        "FRANCE: A GAS - MAR VIA, A BUR S A GAS - MAR, F MAO C A GAS - MAR, F WES C A GAS - MAR, F LYO C A GAS - MAR",
        choices,
    )
    assert outcome.dislodged == {"A MAR": retreats}


def test_no_retreat_to_where_an_attacker_by_land_came_from() -> None:
    outcome = play("FRANCE: A GAS, A BUR; ITALY: A MAR", "FRANCE: A GAS - MAR, A BUR S A GAS - MAR")
    assert outcome.dislodged == {"A MAR": ("PIE", "SPA")}


ABOUT_RETREATS = {"4.A.5"}
"""Tested above."""


def test_every_choice_that_is_played_is_tested() -> None:
    here = EFFECTS.keys() | ABOUT_RETREATS
    assert movement.SUPPORTED_CHOICES.keys() <= here | CONVOYS.keys() | PARADOXES.keys() | VARIANTS.keys()
    for issue, rows in EFFECTS.items():
        shown = {choice for effect in rows for choice in effect.choices()}
        differs = any(len(effect.ends) > 1 for effect in rows)
        assert shown == set(ISSUES[issue].choices)
        assert movement.SUPPORTED_CHOICES.get(issue, shown) == shown
        assert differs


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
    ("FRANCE: A PAR", "FRANCE: A PAR - MUN", "illegal"),
    ("FRANCE: A BRE", "FRANCE: A BRE - ENG", "illegal"),
    ("FRANCE: F BRE", "FRANCE: F BRE - PAR", "illegal"),
    ("ITALY: F ROM", "ITALY: F ROM - VEN", "illegal"),
    ("FRANCE: F POR", "FRANCE: F POR - SPA", "illegal"),
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
    ("FRANCE: A PAR", "GERMANY: A PAR - BUR", "illegal"),
    ("FRANCE: A PAR", "FRANCE: German A PAR - BUR", "illegal"),
    ("FRANCE: A PAR", "FRANCE: French A PAR - BUR", None),
    ("FRANCE: A PAR", "FRANCE: A BUR H", "illegal"),
    # Supports
    ("FRANCE: A PAR", "FRANCE: A PAR S A PAR", "illegal"),
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


def test_a_hold_in_writing_succeeds() -> None:
    position = Position(units_of("FRANCE: A PAR"))
    assert adjudicate(position, [GivenOrder("FRANCE", Hold(OrderedUnit("PAR")))]).orders[0].outcome == "succeeds"
