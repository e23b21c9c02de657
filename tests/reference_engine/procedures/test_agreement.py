"""What all procedures have in common: they pass the cases, stop at nothing, and agree with the equations."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings

from datc.cases import load_ruleset, load_suite, suite_names
from datc.reference_engine import DATC_3_1, Position, Ruleset, adjudicate, find_procedure, province_code
from datc.reference_engine.orders import Convoy
from datc.reference_engine.procedures import decisions, dpjudge, dptg, guess

from ...builtin import ask_builtin
from ...strategies import Situation, situations
from ..brute_force import KNOWN, PANDIN, Assignment, Battle, answer, battle_of, outcomes, random_battle
from ..play import NO_CHOICES, board_of
from ..test_properties import rulesets

RULES = {name: load_ruleset(name).ruleset() for name in ("dptg", "dpjudge")}
DPJUDGE_WORDS = {f"6.{n}" for n in ("C.5", "C.7", "F.16", "F.17", "F.18", "F.23", "F.24", "F.27", "G.13")}
"""The cases of DATC 3.2 in which the convoy of an army that names no path has another word: it is void."""


@pytest.mark.parametrize("name", RULES)
def test_a_guide_passes_every_case_under_its_ruleset(name: str) -> None:
    for case in [case for suite in suite_names() for case in load_suite(suite).cases]:
        found = ask_builtin(case, RULES[name], name)
        in_other_words = name == "dpjudge" and case.suite == "datc-3.2" and case.id in DPJUDGE_WORDS
        told = found.board_verdict if in_other_words else found.verdict
        assert told == "passed", (case.suite, case.id, found.reason)


@pytest.mark.parametrize("name", RULES)
@settings(max_examples=200)
@given(situations(), rulesets())
def test_no_position_stops_a_guide_whatever_choices_are_asked_for(
    name: str, situation: Situation, rules: Ruleset
) -> None:
    after = adjudicate(*situation, rules, find_procedure(name))
    assert len(after.orders) == len(situation.orders)
    assert len(after.units) + len(after.dislodged) == len(situation.position.units)
    assert len({province_code(unit.location) for unit in after.units}) == len(after.units)


@pytest.mark.parametrize("name", ["guess", "decisions", "dptg"])
@settings(max_examples=200)
@given(situations())
def test_it_agrees_with_the_equations_whatever_is_ordered(name: str, situation: Situation) -> None:
    rules = RULES.get(name, DATC_3_1)
    after, expected = adjudicate(*situation, rules, find_procedure(name)), adjudicate(*situation, rules)
    assert board_of(after) == board_of(expected)
    if name != "dptg":
        for (_, order), result, other in zip(situation.orders, after.orders, expected.orders, strict=True):
            assert result == other or (name == "decisions" and isinstance(order, Convoy))


@pytest.mark.parametrize(
    ("name", "choices", "seeds"),
    [
        *(
            ("decisions", choices, range(500))
            for choices in (
                {"4.A.2": "all-hold"},
                {"4.A.2": "2000"},
                {"4.A.2": "2000", "X.22": "all-hold"},
                {"4.A.3": "1971-opposite-undisrupted"},
                {"4.A.3": "2000-fallback-disrupted"},
                {"4.A.3": "2000-fallback-disrupted", "4.A.4": "cut"},
                {"4.A.7": "never-effect"},
            )
        ),
        *(("dptg", NO_CHOICES, range(first, first + 250)) for first in range(0, 1000, 250)),
    ],
)
def test_the_board_is_that_of_the_equations_in_battles_full_of_paradoxes(
    name: str, choices: Mapping[str, str], seeds: range
) -> None:
    rules = RULES.get(name, DATC_3_1).with_choices(choices)
    for seed in seeds:
        battle = random_battle(Random(seed))
        position, orders = battle.position(), battle.orders()
        after, expected = adjudicate(position, orders, rules, find_procedure(name)), adjudicate(position, orders, rules)
        assert board_of(after) == board_of(expected), f"seed {seed}:\n{battle}"


# Those of the DATC, against what trying everything finds


def told(name: str, battle: Battle, won: Assignment) -> list[bool]:
    """Leave out what DATC 2.4 has no decision on, a convoy order: Szykman's rule stops the army, not the fleet."""
    pieces = zip(battle.pieces, won, strict=True)
    return [succeeds for piece, succeeds in pieces if name == "guess" or piece.kind != "convoy"]


@pytest.mark.parametrize("name", ["guess", "decisions"])
@pytest.mark.parametrize("battle", KNOWN)
def test_it_does_not_matter_which_order_is_resolved_first(name: str, battle: Battle) -> None:
    """What 5.D is about: in Pandin's paradox the cycle of dependencies is not a clean single one."""
    expected = told(name, battle, answer(battle))
    position, orders = battle.position(), battle.orders()
    for sequence in permutations(range(len(orders))):
        shuffled = Position([position.units[index] for index in sequence])
        after = adjudicate(shuffled, orders, DATC_3_1, find_procedure(name))
        assert told(name, battle, outcomes(battle, after)) == expected, sequence


@pytest.mark.parametrize("name", ["guess", "decisions"])
def test_random_battles_end_as_trying_everything_says(name: str) -> None:
    for seed in range(200):
        battle = random_battle(Random(seed))
        after = adjudicate(battle.position(), battle.orders(), DATC_3_1, find_procedure(name))
        assert told(name, battle, outcomes(battle, after)) == told(name, battle, answer(battle)), f"{seed}:\n{battle}"


# Choices


def test_it_prefers_what_its_document_does() -> None:
    for supported, name in ((guess.SUPPORTED_CHOICES, "datc-3.1"), (decisions.SUPPORTED_CHOICES, "datc-2.4")):
        choices = load_ruleset(name).ruleset().choices
        assert {issue: choices[issue] for issue in supported} == {issue: some[0] for issue, some in supported.items()}


def test_a_guide_settles_the_issues_that_it_states_but_for_its_options() -> None:
    dptg_states, dpjudge_states = (
        {issue: made.choice for issue, made in load_ruleset(name).choices.items() if made.basis == "stated"}
        for name in ("dptg", "dpjudge")
    )
    assert dptg_states == dptg.FIXED
    assert dpjudge_states.pop("X.8") == "safe"
    assert {**dpjudge_states, "X.10": "none"} == dpjudge.FIXED


def test_another_paradox_rule_changes_nothing_of_the_guess() -> None:
    position, orders = PANDIN.position(), PANDIN.orders()
    for rule in ("1971", "1982", "2000", "all-hold", "dptg", "alexander"):
        ruleset = DATC_3_1.with_choices({"4.A.2": rule})
        assert adjudicate(position, orders, ruleset, guess.PROCEDURE) == adjudicate(position, orders)


def test_what_the_equations_leave_open_the_guess_plays_as_the_ruleset_asks() -> None:
    """4.A.1: one of two routes is disrupted."""
    battle = battle_of(
        "ENGLAND: A LON - BEL, F ENG C A LON - BEL, F NTH C A LON - BEL; FRANCE: F BRE S F MAO - ENG, F MAO - ENG"
    )
    for choice, reason in {"all-routes": None, "any-route": "disrupted"}.items():
        rules = DATC_3_1.with_choices({"4.A.1": choice})
        assert adjudicate(battle.position(), battle.orders(), rules, guess.PROCEDURE).orders[0].reason == reason
