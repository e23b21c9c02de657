"""What is told of a movement phase is what happened in it."""

from __future__ import annotations

from random import Random

from hypothesis import given

from datc.reference_engine import DATC_3_1, adjudicate
from datc.reference_engine.explanation import MovementExplanation, explain_movement
from datc.reference_engine.resolved_order import HOLD, MOVE

from ..strategies import Situation, situations
from .brute_force import random_battle, solutions
from .play import orders_of, position_of


def explained(text: str) -> MovementExplanation:
    orders = orders_of(text)
    return explain_movement(position_of(orders), orders, DATC_3_1)


@given(situations())
def test_watching_changes_nothing_and_each_decision_is_told_once(situation: Situation) -> None:
    position, orders = situation
    told = explain_movement(position, orders, DATC_3_1)
    assert told.adjudication == adjudicate(position, orders)
    equations = told.equations
    assert sorted(step.unit for step in equations.steps) == [
        unit for unit, kind in enumerate(equations.kind) if kind != HOLD
    ]
    assert all(equations.resolution[step.unit] == step.succeeds for step in equations.steps)


@given(situations())
def test_a_move_succeeds_if_it_overcomes_all_that_is_told(situation: Situation) -> None:
    told = explain_movement(*situation, DATC_3_1)
    equations = told.equations
    for unit, kind in enumerate(equations.kind):
        if kind == MOVE and equations.target[unit] >= 0 and not equations.cycles:
            attack = equations.attack_strength(unit, optimistic=True)
            overcomes = attack > 0 and all(barrier.overcome for barrier in told.barriers(unit))
            assert overcomes == equations.resolution[unit]


@given(situations())
def test_a_support_that_fails_is_cut_by_someone_and_one_that_is_given_by_nobody(situation: Situation) -> None:
    told = explain_movement(*situation, DATC_3_1)
    for supporters in told.equations.supporters:
        for unit in supporters:
            assert bool(told.cutters(unit)) != told.equations.resolution[unit]


def test_the_resolutions_of_a_circle_are_those_that_trying_everything_finds() -> None:
    circles = 0
    for seed in range(1500):
        battle = random_battle(Random(seed))
        equations = explain_movement(battle.position(), battle.orders(), DATC_3_1).equations
        if len(equations.cycles) != 1:
            continue
        circles += 1
        cycle = equations.cycles[0]
        found = cycle.resolutions()
        assert found is not None
        tried = {tuple(won[unit] for unit in cycle.units) for won in solutions(battle)}
        assert {tuple(trial.resolution[unit] for unit in cycle.units) for trial in found} == tried, f"seed {seed}"
    assert circles > 20


def test_a_circle_of_moves_has_two_resolutions_and_a_paradox_may_have_none() -> None:
    circle = explained("TURKEY: F ANK - CON, A CON - SMY, A SMY - ANK")
    (cycle,) = circle.equations.cycles
    assert not cycle.is_paradox
    resolutions = [[trial.resolution[unit] for unit in range(3)] for trial in cycle.resolutions() or ()]
    assert resolutions == [[True] * 3, [False] * 3]


def test_what_cuts_a_support_and_what_does_not() -> None:
    told = explained(
        "GERMANY: A BER S A PRU - SIL, A PRU - SIL, A KIE - BER; RUSSIA: A SIL - BER; AUSTRIA: A MUN - BER"
    )
    assert told.cutters(0) == (4,)
    assert [(each.unit, each.why) for each in told.harmless(0)] == [(2, "countryman"), (3, "from-where-directed")]
    (account,) = told.supports(1)
    assert (account.unit, account.cut_by) == (0, (4,))
