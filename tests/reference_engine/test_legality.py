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

from .play import board, orders_of, play, units_of
from .test_convoys import EFFECTS as CONVOYS
from .test_paradoxes import EFFECTS as PARADOXES
from .test_variants import EFFECTS as VARIANTS

# Each row: what it shows; the units; the orders; what the board is under each choice. A unit without an order holds.
TWO_FRENCH = "FRANCE: F MAO, F POR; ITALY: F LYO, F WES"
TO_SPAIN = "ITALY: F LYO S F WES - SPA/SC, F WES - SPA/SC"
WON_BY_ITALY = "F POR, F MAO, F LYO, F SPA/SC"
NOBODY_IN_SPAIN = "F POR, F MAO, F LYO, F WES"
GERMANS_AT_HOLLAND = "GERMANY: A RUH; FRANCE: A BEL; ENGLAND: F HOL"
FRENCH_ATTACK = "FRANCE: A BEL - HOL; ENGLAND: F HOL H"
REPELLED, TAKEN = "A RUH, A BEL, F HOL", "A RUH, A HOL"
NOT_IGNORED = ("required", "default-coast", "own-or-single", "optional-must-match")
MUNICH = "GERMANY: A MUN, A RUH; RUSSIA: A SIL, A BOH"
AGAINST_MUNICH = "RUSSIA: A SIL - MUN, A BOH S A SIL - MUN"
SPAIN_IS_HELD = "FRANCE: F SPA/SC, A MAR; ITALY: F WES, A GAS"
AGAINST_SPAIN = "ITALY: F WES - SPA/SC, A GAS S F WES - SPA/SC"
ANY_IN_WRITING = ("any-writing", "any-board-space")
POSSIBLE = ("possible-some-situation", "possible-now", "alexander")

EFFECTS: Mapping[str, list[tuple[str, str, str, dict[str, str]]]] = {
    "4.A.4": [
        (
            "an attack on the supporter, by convoy, from where it supports to (6.G.13)",
            "AUSTRIA: F ADR, A TRI; ITALY: A VEN, F ALB",
            "AUSTRIA: F ADR C A TRI - VEN, A TRI - VEN VIA; ITALY: A VEN S F ALB - TRI, F ALB - TRI",
            {"not-cut": "F ADR, A VEN, F TRI", "cut": "F ADR, A TRI, A VEN, F ALB"},
        )
    ],
    "4.B.1": [
        (
            "no coast, and two are possible (6.B.1)",
            "FRANCE: F POR",
            "FRANCE: F POR - SPA",
            {"fail": "F POR", "default-coast": "F SPA/NC"},
        ),
        (
            "the default coast of Bulgaria",
            "TURKEY: F CON",
            "TURKEY: F CON - BUL",
            {"fail": "F CON", "default-coast": "F BUL/EC"},
        ),
        (
            "a coast in writing",
            "FRANCE: F POR",
            "FRANCE: F POR - SPA/SC",
            {"fail": "F SPA/SC", "default-coast": "F SPA/SC"},
        ),
    ],
    "4.B.2": [
        (
            "no coast, and one is possible (6.B.2)",
            "FRANCE: F GAS",
            "FRANCE: F GAS - SPA",
            {"only-possible": "F SPA/NC", "default-coast": "F SPA/NC", "fail": "F GAS"},
        ),
        (
            "no coast, and the one that is possible is not the default one",
            "FRANCE: F MAR",
            "FRANCE: F MAR - SPA",
            {"only-possible": "F SPA/SC", "default-coast": "F MAR", "fail": "F MAR"},
        ),
    ],
    "4.B.3": [
        (
            "an impossible coast (6.B.3)",
            "FRANCE: F GAS",
            "FRANCE: F GAS - SPA/SC",
            {"illegal": "F GAS", "ignore-coast": "F SPA/NC"},
        )
    ],
    "4.B.4": [
        (
            "a support without a coast (6.B.7)",
            TWO_FRENCH,
            f"FRANCE: F POR S F MAO - SPA, F MAO - SPA/NC; {TO_SPAIN}",
            {
                "required": WON_BY_ITALY,
                "default-coast": NOBODY_IN_SPAIN,
                "own-or-single": NOBODY_IN_SPAIN,
                "optional-must-match": NOBODY_IN_SPAIN,
                "ignored": NOBODY_IN_SPAIN,
            },
        ),
        (
            "a support without a coast, and the fleet goes to the one that is not the default",
            TWO_FRENCH,
            f"FRANCE: F POR S F MAO - SPA, F MAO - SPA/SC; {TO_SPAIN}",
            {
                "required": WON_BY_ITALY,
                "default-coast": WON_BY_ITALY,
                "own-or-single": NOBODY_IN_SPAIN,
                "optional-must-match": NOBODY_IN_SPAIN,
                "ignored": NOBODY_IN_SPAIN,
            },
        ),
        (
            "a support of a foreign fleet without a coast (6.B.15)",
            "FRANCE: F POR; ENGLAND: F MAO; ITALY: F LYO, F WES",
            f"FRANCE: F POR S English F MAO - SPA; ENGLAND: F MAO - SPA/NC; {TO_SPAIN}",
            {
                "required": WON_BY_ITALY,
                "default-coast": NOBODY_IN_SPAIN,
                "own-or-single": WON_BY_ITALY,
                "optional-must-match": NOBODY_IN_SPAIN,
                "ignored": NOBODY_IN_SPAIN,
            },
        ),
        (
            "a support of a foreign fleet that can come to one coast only, as 6.B.8",
            "FRANCE: F POR; ENGLAND: F GAS; ITALY: F LYO, F WES",
            f"FRANCE: F POR S English F GAS - SPA; ENGLAND: F GAS - SPA/NC; {TO_SPAIN}",
            {
                "required": "F POR, F GAS, F LYO, F SPA/SC",
                **dict.fromkeys((*NOT_IGNORED[1:], "ignored"), "F POR, F GAS, F LYO, F WES"),
            },
        ),
        (
            "a support with another coast (6.B.9)",
            TWO_FRENCH,
            f"FRANCE: F POR S F MAO - SPA/NC, F MAO - SPA/SC; {TO_SPAIN}",
            {**dict.fromkeys(NOT_IGNORED, WON_BY_ITALY), "ignored": NOBODY_IN_SPAIN},
        ),
        (
            "a support with a coast that the fleet cannot come to",
            "FRANCE: F GAS, F MAR; ITALY: F WES",
            "FRANCE: F GAS - SPA/NC, F MAR S F GAS - SPA/SC; ITALY: F WES - SPA/SC",
            {**dict.fromkeys(NOT_IGNORED, "F GAS, F MAR, F WES"), "ignored": "F SPA/NC, F MAR, F WES"},
        ),
        (
            "a support with the right coast",
            TWO_FRENCH,
            f"FRANCE: F POR S F MAO - SPA/NC, F MAO - SPA/NC; {TO_SPAIN}",
            dict.fromkeys((*NOT_IGNORED, "ignored"), NOBODY_IN_SPAIN),
        ),
    ],
    "4.B.5": [
        (
            "the fleet is on the other coast (6.B.10)",
            "FRANCE: F SPA/SC",
            "FRANCE: F SPA/NC - WES",
            {"ignore": "F WES", "fail": "F SPA/SC"},
        ),
        (
            "the coast of the fleet is left out: that is not a wrong one",
            "FRANCE: F SPA/SC",
            "FRANCE: F SPA - WES",
            {"ignore": "F WES", "fail": "F WES"},
        ),
        (
            "a supported fleet that holds is on the other coast (6.B.16 of DATC 3.2)",
            SPAIN_IS_HELD,
            f"FRANCE: A MAR S F SPA/NC; {AGAINST_SPAIN}",
            {"ignore": "F SPA/SC, A MAR, F WES, A GAS", "fail": "F SPA/SC, A MAR, A GAS"},
        ),
        (
            "a support to hold that leaves the coast out has no wrong one",
            SPAIN_IS_HELD,
            f"FRANCE: A MAR S F SPA; {AGAINST_SPAIN}",
            {"ignore": "F SPA/SC, A MAR, F WES, A GAS", "fail": "F SPA/SC, A MAR, F WES, A GAS"},
        ),
        (
            "a supported fleet moves from the other coast (6.B.17 of DATC 3.2)",
            "FRANCE: F SPA/SC; ITALY: F WES; ENGLAND: F MAO",
            "FRANCE: F SPA/SC - MAO; ITALY: F WES S FRENCH F SPA/NC - MAO",
            {"ignore": "F MAO, F WES", "fail": "F SPA/SC, F WES, F MAO"},
        ),
    ],
    "4.B.6": [
        ("an unknown coast (D.7)", "FRANCE: F MAO", "FRANCE: F MAO - BRE/EC", {"ignore": "F BRE", "fail": "F MAO"}),
        ("no coast that Spain has", "FRANCE: F GAS", "FRANCE: F GAS - SPA/WC", {"ignore": "F SPA/NC", "fail": "F GAS"}),
        ("an army to a coast", "FRANCE: A GAS", "FRANCE: A GAS - SPA/NC", {"ignore": "A SPA", "fail": "A GAS"}),
        ("an army on a coast", "FRANCE: A SPA", "FRANCE: A SPA/NC - GAS", {"ignore": "A GAS", "fail": "A SPA"}),
        (
            "a supported army on a coast",
            "FRANCE: A SPA, A MAR; ITALY: F WES, A GAS",
            f"FRANCE: A MAR S A SPA/NC; {AGAINST_SPAIN}",
            {"ignore": "A SPA, A MAR, F WES, A GAS", "fail": "F SPA/SC, A MAR, A GAS"},
        ),
        (
            "a convoyed army on a coast",
            "FRANCE: A SPA, F WES",
            "FRANCE: A SPA - TUN, F WES C A SPA/SC - TUN",
            {"ignore": "A TUN, F WES", "fail": "A SPA, F WES"},
        ),
        ("a unit on no coast", "FRANCE: F BRE", "FRANCE: F BRE/EC - ENG", {"ignore": "F ENG", "fail": "F BRE"}),
        (
            "a convoy to a coast",
            "FRANCE: A BRE, F MAO",
            "FRANCE: A BRE - SPA, F MAO C A BRE - SPA/NC",
            {"ignore": "A SPA, F MAO", "fail": "A BRE, F MAO"},
        ),
        (
            "a support of an army to a coast",
            "FRANCE: A GAS, A MAR; ITALY: A POR",
            "FRANCE: A GAS - SPA, A MAR S A GAS - SPA/NC; ITALY: A POR - SPA",
            {"ignore": "A SPA, A MAR, A POR", "fail": "A GAS, A MAR, A POR"},
        ),
        (
            "a support of a fleet to no coast that Spain has",
            "FRANCE: F GAS, A MAR; ITALY: A POR",
            "FRANCE: F GAS - SPA/NC, A MAR S F GAS - SPA/WC; ITALY: A POR - SPA",
            {"ignore": "F SPA/NC, A MAR, A POR", "fail": "F GAS, A MAR, A POR"},
        ),
    ],
    "4.C.1": [
        (
            "no type (D.8)",
            "GERMANY: F KIE",
            "GERMANY: KIE - HOL",
            {"valid": "F HOL", "invalid": "F KIE", "valid-unless-correct-order": "F HOL"},
        ),
        (
            "no type, and another order has it (D.9)",
            "GERMANY: F KIE",
            "GERMANY: KIE - HOL, F KIE - DEN",
            {"valid": "F KIE", "invalid": "F DEN", "valid-unless-correct-order": "F DEN"},
        ),
        (
            "no type of the supported unit",
            GERMANS_AT_HOLLAND,
            f"GERMANY: A RUH S French BEL - HOL; {FRENCH_ATTACK}",
            {"valid": TAKEN, "invalid": REPELLED, "valid-unless-correct-order": TAKEN},
        ),
    ],
    "4.C.2": [
        (
            "a wrong type (D.10)",
            "GERMANY: F KIE",
            "GERMANY: A KIE - HOL",
            {"valid": "F HOL", "invalid": "F KIE", "valid-unless-correct-order": "F HOL"},
        ),
        (
            "a wrong type, and another order has the right one (D.10)",
            "GERMANY: F KIE",
            "GERMANY: A KIE - HOL, F KIE - DEN",
            {"valid": "F KIE", "invalid": "F DEN", "valid-unless-correct-order": "F DEN"},
        ),
        (
            "a wrong type of the supported unit",
            GERMANS_AT_HOLLAND,
            f"GERMANY: A RUH S French F BEL - HOL; {FRENCH_ATTACK}",
            {"valid": TAKEN, "invalid": REPELLED, "valid-unless-correct-order": TAKEN},
        ),
    ],
    "4.C.5": [
        (
            "no nationality, and another order has it, as D.12",
            "GERMANY: A RUH; FRANCE: A BEL, A BUR; ENGLAND: F HOL",
            f"GERMANY: A RUH S A BUR - BEL, A RUH S French A BEL - HOL; {FRENCH_ATTACK}",
            {
                "valid": f"{REPELLED}, A BUR",
                "invalid": f"{TAKEN}, A BUR",
                "valid-unless-correct-order": f"{TAKEN}, A BUR",
            },
        ),
        (
            "no nationality of a foreign unit (D.12)",
            GERMANS_AT_HOLLAND,
            f"GERMANY: A RUH S A BEL - HOL; {FRENCH_ATTACK}",
            {"valid": TAKEN, "invalid": REPELLED, "valid-unless-correct-order": TAKEN},
        ),
        (
            "no nationality of an own unit",
            "GERMANY: A RUH, A BEL; ENGLAND: F HOL",
            "GERMANY: A RUH S A BEL - HOL, A BEL - HOL",
            dict.fromkeys(("valid", "invalid", "valid-unless-correct-order"), TAKEN),
        ),
        (
            "no nationality of a convoyed foreign unit",
            "GERMANY: F NTH; FRANCE: A BEL",
            "GERMANY: F NTH C A BEL - LON; FRANCE: A BEL - LON",
            {"valid": "F NTH, A LON", "invalid": "F NTH, A BEL", "valid-unless-correct-order": "F NTH, A LON"},
        ),
    ],
    "4.C.6": [
        (
            "a wrong nationality, and another order has the right one, as D.13",
            "GERMANY: A RUH; FRANCE: A BEL, A BUR; ENGLAND: F HOL",
            f"GERMANY: A RUH S Italian A BUR - BEL, A RUH S French A BEL - HOL; {FRENCH_ATTACK}",
            {
                "valid": f"{REPELLED}, A BUR",
                "invalid": f"{TAKEN}, A BUR",
                "valid-unless-correct-order": f"{TAKEN}, A BUR",
            },
        ),
        (
            "a wrong nationality (D.13)",
            GERMANS_AT_HOLLAND,
            f"GERMANY: A RUH S Italian A BEL - HOL; {FRENCH_ATTACK}",
            {"valid": TAKEN, "invalid": REPELLED, "valid-unless-correct-order": TAKEN},
        ),
        (
            "the right nationality",
            GERMANS_AT_HOLLAND,
            f"GERMANY: A RUH S French A BEL - HOL; {FRENCH_ATTACK}",
            dict.fromkeys(("valid", "invalid", "valid-unless-correct-order"), TAKEN),
        ),
    ],
    "4.D.3": [
        (
            "two orders (D.16)",
            "GERMANY: F KIE",
            "GERMANY: F KIE - DEN, F KIE - BAL",
            {"first": "F DEN", "last": "F BAL", "illegal-hold": "F KIE"},
        ),
        (
            "three orders, two of them the same",
            "GERMANY: F KIE",
            "GERMANY: F KIE - DEN, F KIE - BAL, F KIE - DEN",
            {"first": "F DEN", "last": "F BAL", "illegal-hold": "F KIE"},
        ),
        (
            "one of two orders is illegal (D.17)",
            "GERMANY: F KIE",
            "GERMANY: F KIE - DEN, F KIE - MUN",
            dict.fromkeys(("first", "last", "illegal-hold"), "F DEN"),
        ),
        (
            "the same order twice",
            "GERMANY: F KIE",
            "GERMANY: F KIE - DEN, F KIE - DEN",
            dict.fromkeys(("first", "last", "illegal-hold"), "F DEN"),
        ),
    ],
    "4.D.9": [
        (
            "a power without orders (D.23)",
            "TURKEY: A BUL; RUSSIA: A RUM; AUSTRIA: A SER, A GRE",
            "RUSSIA: A RUM S A BUL; AUSTRIA: A SER - BUL, A GRE S A SER - BUL",
            {"succeeds": "A BUL, A RUM, A SER, A GRE", "fails": "A RUM, A BUL, A GRE"},
        ),
        (
            "a power that orders another unit",
            "TURKEY: A BUL, A SMY; RUSSIA: A RUM; AUSTRIA: A SER, A GRE",
            "TURKEY: A SMY H; RUSSIA: A RUM S A BUL; AUSTRIA: A SER - BUL, A GRE S A SER - BUL",
            dict.fromkeys(("succeeds", "fails"), "A BUL, A SMY, A RUM, A SER, A GRE"),
        ),
    ],
    "4.E.1": [
        (
            "a move to a place far away (D.25)",
            MUNICH,
            f"GERMANY: A MUN - MOS, A RUH S A MUN; {AGAINST_MUNICH}",
            {
                **dict.fromkeys(ANY_IN_WRITING, "A RUH, A MUN, A BOH"),
                **dict.fromkeys(POSSIBLE, "A MUN, A RUH, A SIL, A BOH"),
            },
        ),
        (
            "a fleet to a place far away (6.D.28)",
            "AUSTRIA: A BUD; RUSSIA: F RUM; TURKEY: F BLA, A BUL",
            "AUSTRIA: A BUD S F RUM; RUSSIA: F RUM - HOL; TURKEY: F BLA - RUM, A BUL S F BLA - RUM",
            {
                **dict.fromkeys(ANY_IN_WRITING, "A BUD, F RUM, A BUL"),
                **dict.fromkeys(POSSIBLE, "A BUD, F RUM, F BLA, A BUL"),
            },
        ),
        (
            "to an impossible coast (6.D.29)",
            "AUSTRIA: A BUD; RUSSIA: F RUM; TURKEY: F BLA, A BUL",
            "AUSTRIA: A BUD S F RUM; RUSSIA: F RUM - BUL/SC; TURKEY: F BLA - RUM, A BUL S F BLA - RUM",
            {
                **dict.fromkeys(ANY_IN_WRITING, "A BUD, F RUM, A BUL"),
                **dict.fromkeys(POSSIBLE, "A BUD, F RUM, F BLA, A BUL"),
            },
        ),
        (
            "without a coast (6.D.30)",
            "ITALY: F AEG; RUSSIA: F CON; TURKEY: F BLA, A BUL",
            "ITALY: F AEG S F CON; RUSSIA: F CON - BUL; TURKEY: F BLA - CON, A BUL S F BLA - CON",
            {
                **dict.fromkeys(ANY_IN_WRITING, "F AEG, F CON, A BUL"),
                **dict.fromkeys(POSSIBLE, "F AEG, F CON, F BLA, A BUL"),
            },
        ),
        (
            "over a sea without a fleet (6.D.32)",
            "ENGLAND: F EDI, A LVP; FRANCE: F LON; GERMANY: A YOR",
            "ENGLAND: F EDI S A LVP - YOR, A LVP - YOR; FRANCE: F LON S A YOR; GERMANY: A YOR - HOL",
            {
                **dict.fromkeys((*ANY_IN_WRITING, "possible-some-situation"), "F EDI, A YOR, F LON"),
                **dict.fromkeys(("possible-now", "alexander"), "F EDI, A LVP, F LON, A YOR"),
            },
        ),
        (
            "over a sea with a fleet that is not ordered (6.D.8)",
            "AUSTRIA: F ION, A SER, A ALB; TURKEY: A GRE, A BUL",
            "AUSTRIA: F ION H, A SER S A ALB - GRE, A ALB - GRE; TURKEY: A GRE - NAP, A BUL S A GRE",
            {
                **dict.fromkeys((*ANY_IN_WRITING, *POSSIBLE[:2]), "F ION, A SER, A GRE, A BUL"),
                "alexander": "F ION, A SER, A ALB, A GRE, A BUL",
            },
        ),
        (
            "one of two orders is impossible (D.17)",
            "GERMANY: F KIE",
            "GERMANY: F KIE - DEN, F KIE - MUN",
            {**dict.fromkeys(ANY_IN_WRITING, "F KIE"), **dict.fromkeys(POSSIBLE, "F DEN")},
        ),
        (
            "to where it is (6.A.5)",
            "ENGLAND: F NTH, A YOR, A LVP; GERMANY: F LON, A WAL",
            "ENGLAND: F NTH C A YOR - YOR, A YOR - YOR, A LVP S A YOR - YOR; GERMANY: F LON - YOR, A WAL S F LON - YOR",
            dict.fromkeys((*ANY_IN_WRITING, *POSSIBLE), "F NTH, A LVP, F YOR, A WAL"),
        ),
    ],
    "X.3": [
        (
            "a fleet that is not needed shows intent (6.G.19)",
            "FRANCE: A MAR, F WES; ITALY: F LYO, A SPA",
            "FRANCE: A MAR - SPA, F WES C A MAR - SPA; ITALY: F LYO C A MAR - SPA, A SPA - MAR",
            {
                "illegal-if-unnecessary": "A MAR, F WES, F LYO, A SPA",
                "legal-if-on-any-route": "A SPA, F WES, F LYO, A MAR",
            },
        ),
        (
            "a fleet on no route (6.G.7)",
            "ENGLAND: F SKA, F NWY; RUSSIA: A SWE, F BOT",
            "ENGLAND: F SKA C A SWE - NWY, F NWY - SWE; RUSSIA: A SWE - NWY, F BOT C A SWE - NWY",
            dict.fromkeys(("illegal-if-unnecessary", "legal-if-on-any-route"), "F SKA, F NWY, A SWE, F BOT"),
        ),
    ],
}

ROWS = [
    pytest.param(units, orders, {issue: choice}, after, id=f"{issue} {choice}: {title}")
    for issue, rows in EFFECTS.items()
    for title, units, orders, boards in rows
    for choice, after in boards.items()
]


@pytest.mark.parametrize(("units", "orders", "choices", "after"), ROWS)
def test_choices(units: str, orders: str, choices: Mapping[str, str], after: str) -> None:
    assert play(units, orders, choices).units == board(after)


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
        shown = {choice for _, _, _, boards in rows for choice in boards}
        differs = any(len(set(boards.values())) > 1 for _, _, _, boards in rows)
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
