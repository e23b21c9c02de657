"""The guess algorithm of DATC 3.1, section 5.F."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings

from datc.reference_engine import DATC_3_1, Position, adjudicate
from datc.reference_engine.procedures.guess import PROCEDURE, SUPPORTED_CHOICES

from ...strategies import Situation, situations
from ..brute_force import (
    BETRAYAL,
    CIRCLE,
    CONVOY_FOR_A_SWAP,
    ONE_WAY_ROUND,
    PANDIN,
    SZYKMAN,
    Battle,
    answer,
    battle_of,
    outcomes,
    random_battle,
)


@pytest.mark.parametrize("battle", [CIRCLE, ONE_WAY_ROUND, SZYKMAN, BETRAYAL, CONVOY_FOR_A_SWAP, PANDIN])
def test_it_does_not_matter_which_order_is_resolved_first(battle: Battle) -> None:
    """What 5.D is about: in Pandin's paradox the cycle of dependencies is not a clean single one."""
    expected = answer(battle)
    position, orders = battle.position(), battle.orders()
    for sequence in permutations(range(len(orders))):
        shuffled = Position([position.units[index] for index in sequence])
        assert outcomes(battle, adjudicate(shuffled, orders, DATC_3_1, PROCEDURE)) == expected, sequence


def test_random_battles_end_as_trying_everything_says() -> None:
    for seed in range(200):
        battle = random_battle(Random(seed))
        after = adjudicate(battle.position(), battle.orders(), DATC_3_1, PROCEDURE)
        assert outcomes(battle, after) == answer(battle), f"seed {seed}:\n{battle}"


@settings(max_examples=150)
@given(situations())
def test_it_agrees_with_the_equations_whatever_is_ordered(situation: Situation) -> None:
    assert adjudicate(*situation, DATC_3_1, PROCEDURE) == adjudicate(*situation)


@pytest.mark.parametrize("issue", SUPPORTED_CHOICES)
def test_it_plays_its_own_where_it_cannot_honour_a_choice(issue: str) -> None:
    assert DATC_3_1.choices[issue] == SUPPORTED_CHOICES[issue][0]


def test_a_rulebook_of_another_paradox_rule_changes_nothing() -> None:
    position, orders = PANDIN.position(), PANDIN.orders()
    for rule in ("1971", "1982", "2000", "all-hold", "dptg", "alexander"):
        ruleset = DATC_3_1.with_choices({"4.A.2": rule})
        assert adjudicate(position, orders, ruleset, PROCEDURE) == adjudicate(position, orders)


def test_what_the_equations_leave_open_is_as_the_ruleset_asks() -> None:
    """4.A.1: one of two routes is disrupted."""
    battle = battle_of(
        "ENGLAND: A LON - BEL, F ENG C A LON - BEL, F NTH C A LON - BEL; FRANCE: F BRE S F MAO - ENG, F MAO - ENG"
    )
    orders = battle.orders()
    any_route = DATC_3_1.with_choices({"4.A.1": "any-route"})
    assert adjudicate(battle.position(), orders, DATC_3_1, PROCEDURE).orders[0].reason is None
    assert adjudicate(battle.position(), orders, any_route, PROCEDURE).orders[0].reason == "disrupted"
