"""Armies that fall back to the land (4.A.3), where whether they do depends on what they do."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from datc.reference_engine import DATC_3_1, DATC_3_2, adjudicate, find_procedure
from datc.reference_engine.explanation import explain_movement

from ..strategies import destinations
from .brute_force import Battle, FallbackEquations, SparingEquations, answer, outcomes, random_battle, solutions
from .play import orders_of, play, position_of, units_ordered

BATTLES = 250
FALLBACK = {"4.A.3": "2000-fallback-disrupted"}

BOTH_WAYS_CUT = (
    "ENGLAND: F LYO C A PIE - TUS, A PIE - TUS VIA, A VEN S A PIE - TUS; GERMANY: F MAR - LYO, F TUS S F MAR - LYO"
)
"""The army cuts the support against its fleet whether it sails or walks."""

LAND_CUTS = (
    "ENGLAND: F IRI S F MAO - ENG, F MAO - ENG, F WAL S F PIC - ENG;"
    + "ITALY: F ENG C A LON - WAL, A LON - WAL, F PIC - ENG"
)
"""Wales keeps the attack on the convoying fleet away. The rule of 2000 spares it from the army if that comes by sea."""


@pytest.mark.parametrize("rule", ["szykman", "all-hold", "dptg", "alexander"])
@pytest.mark.parametrize("backup", ["szykman", "all-hold"])
def test_an_army_that_keeps_its_convoy_either_way_sails(rule: str, backup: str) -> None:
    """Only if the army sails is its convoy what it supposes: so the dislodged fleet may go where the army came from."""
    outcome = play(units_ordered(BOTH_WAYS_CUT), BOTH_WAYS_CUT, {**FALLBACK, "4.A.2": rule, "X.22": backup})
    assert outcome.reasons == [None, None, None, "bounced", "cut"]
    assert outcome.dislodged == {"F TUS": ("PIE", "ROM", "TYS")}


def test_a_convoy_that_its_army_saves_succeeds_under_the_alexander_rules() -> None:
    """Open: by IV.5.f alone it fails and the army walks (IV.5.e). The board is the same, only the word is not."""
    choices = {"4.A.2": "alexander", "4.A.3": "alexander", "4.A.5": "no-retreat-to-origin"}
    outcome = play(units_ordered(BOTH_WAYS_CUT), BOTH_WAYS_CUT, choices)
    assert outcome.units == {"F LYO", "A TUS", "A VEN", "F MAR"}
    assert outcome.dislodged == {"F TUS": ("ROM", "TYS")}
    assert outcome.reasons[0] is None


@pytest.mark.parametrize("rule", ["1971", "1982", "2000"])
def test_an_army_that_keeps_its_convoy_only_by_walking_is_a_paradox_without_a_resolution(rule: str) -> None:
    """By sea the support is spared and the convoy disrupted; over land the support is cut and the convoy is not."""
    choices = {**FALLBACK, "4.A.2": rule}
    walks = play(units_ordered(BOTH_WAYS_CUT), BOTH_WAYS_CUT, {**choices, "X.22": "szykman"})
    assert walks.dislodged == {"F TUS": ("ROM", "TYS")}
    assert "A TUS" in walks.units
    holds = play(units_ordered(BOTH_WAYS_CUT), BOTH_WAYS_CUT, {**choices, "X.22": "all-hold"})
    assert holds.units == {"F LYO", "A PIE", "A VEN", "F MAR", "F TUS"}
    assert holds.dislodged == {}


@pytest.mark.parametrize("backup", ["szykman", "all-hold"])
def test_a_rule_that_spares_a_dislodged_fleet_no_support_leaves_one_resolution(backup: str) -> None:
    """X.7: the army dislodges the supporting fleet by sea, too."""
    choices = {**FALLBACK, "4.A.2": "2000", "X.7": "dislodge-rule-wins", "X.22": backup}
    assert play(units_ordered(BOTH_WAYS_CUT), BOTH_WAYS_CUT, choices).dislodged == {"F TUS": ("PIE", "ROM", "TYS")}


def test_of_two_resolutions_the_backup_rule_chooses() -> None:
    """By sea the support is spared and saves the convoy; over land it is cut and the convoy is disrupted."""
    choices = {**FALLBACK, "4.A.2": "2000"}
    start = {"F IRI", "F MAO", "F WAL", "F ENG", "A LON", "F PIC"}
    disrupted = play(units_ordered(LAND_CUTS), LAND_CUTS, {**choices, "X.22": "szykman"})
    assert disrupted.units == (start - {"F MAO"})
    assert disrupted.dislodged.keys() == {"F ENG"}
    assert disrupted.reasons[2] == "cut"
    held = play(units_ordered(LAND_CUTS), LAND_CUTS, {**choices, "X.22": "all-hold"})
    assert held.units == start
    assert held.dislodged == {}
    assert held.reasons[2] is None


@pytest.mark.parametrize("backup", ["szykman", "all-hold"])
def test_a_support_that_no_rule_spares_is_cut_either_way(backup: str) -> None:
    outcome = play(units_ordered(LAND_CUTS), LAND_CUTS, {**FALLBACK, "4.A.2": "szykman", "X.22": backup})
    assert outcome.dislodged.keys() == {"F ENG"}
    assert outcome.reasons == [None, None, "cut", "dislodged", "bounced", "bounced"]


def battle_of_neighbours(random: Random) -> Battle:
    """Draw a battle until an army is convoyed in it to where it could walk."""
    while True:
        battle = random_battle(random)
        if any(piece.routes and piece.target in destinations(piece.unit) for piece in battle.pieces):
            return battle


@pytest.mark.parametrize(
    ("rule", "rules", "lot"),
    [
        (rule, rules, lot)
        for rule, rules in (("szykman", FallbackEquations), ("2000", SparingEquations))
        for lot in range(4)
    ],
)
def test_random_battles_end_as_trying_everything_says(rule: str, rules: type[FallbackEquations], lot: int) -> None:
    """A single resolution is the answer; where none or several exist, convoys fail and their armies walk."""
    ruleset = DATC_3_1.with_choices({**FALLBACK, "4.A.2": rule})
    seen: Counter[int] = Counter()
    for seed in range(lot * BATTLES, (lot + 1) * BATTLES):
        battle = battle_of_neighbours(Random(seed))
        found = solutions(battle, rules)
        seen[len(found)] += 1
        expected = found[0] if len(found) == 1 else answer(battle, rules)
        after = adjudicate(battle.position(), battle.orders(), ruleset)
        assert outcomes(battle, after) == expected, f"seed {seed}, {len(found)} resolutions:\n{battle}"
    assert seen[1] > 0.8 * BATTLES
    assert seen[0] + seen[2] > 10


@pytest.mark.parametrize("choice", ["1971-opposite-undisrupted", "2000-fallback-disrupted", "alexander"])
def test_armies_fall_back_in_other_solvers(choice: str) -> None:
    rules = DATC_3_2.with_choices({"4.A.3": choice})
    orders = orders_of(BOTH_WAYS_CUT)
    position = position_of(orders)
    expected = adjudicate(position, orders, rules)
    assert adjudicate(position, orders, rules, find_procedure("guess")) == expected
    assert explain_movement(position, orders, rules).adjudication == expected


@pytest.mark.parametrize("rule", ["1971", "1982", "2000"])
def test_what_a_solver_overrides_is_asked_where_armies_fall_back(rule: str) -> None:
    rules = DATC_3_2.with_choices({**FALLBACK, "4.A.2": rule})
    orders = orders_of(LAND_CUTS)
    assert explain_movement(position_of(orders), orders, rules).equations.cycles
