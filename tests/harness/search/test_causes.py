"""Where an engine disagrees, with the reference or with itself; what explains it, and which disagreements are alike."""

from dataclasses import replace
from random import Random

import msgspec
import pytest

from datc.adapters import EngineFailure
from datc.adapters.builtin import BuiltinEngine
from datc.adapters.protocol import Capabilities, OrderResultMessage
from datc.harness.bugs.generate import random_paradox, random_position
from datc.harness.bugs.mutants import MUTANTS
from datc.harness.bugs.terrain import PROFILES, with_names
from datc.harness.play.answer import Failure
from datc.harness.play.differential import agree
from datc.harness.play.engine import EngineAdjudicator
from datc.harness.play.positions import ordered_unit
from datc.harness.play.session import ReferenceAdjudicator
from datc.harness.search.disagreement import Disagreement, explain_difference
from datc.harness.search.groups import group_findings
from datc.harness.search.hunt import hunt_chunk
from datc.harness.search.patterns import pattern, shape, shows_in
from datc.harness.search.relations import RELATIONS, RESULTS_CONTRADICT_BOARD
from datc.harness.search.text import cause_text
from datc.reference_engine import DATC_3_1, Convoy, Move, SupportHold, SupportMove

from . import adjudicators
from .adjudicators import (
    REFERENCE,
    Altered,
    Answering,
    contradiction,
    failing,
    lost_border,
    mutant,
    position_of,
    says,
    turks_stay,
)
from .shadowed import Scripted, right

WALKS = position_of("England: A Lon - Yor VIA")
ALEXANDER = {"4.A.3": "alexander"}
SUPPORTED = position_of("England: A Ber - Mun", "England: A Kie S A Ber - Mun", "France: A Mun H")
LOST = position_of("Austria: A Gal - Sil", "Germany: A Mun S A Gal - Sil", "Russia: A Sil H")
"""It shows the border that `lost_border` loses."""


def explained(ordered, adjudicator, possible=None):
    """What explains the answer of an adjudicator that disagrees."""
    said, expected = says(adjudicator, ordered), says(REFERENCE, ordered)
    return explain_difference(Disagreement(ordered, said, expected, DATC_3_1, possible=possible))


def test_a_choice_that_gives_the_answer_explains_it_if_the_engine_can_make_it():
    engine = ReferenceAdjudicator(DATC_3_1.with_choices(ALEXANDER))
    cause = explained(WALKS, engine)
    assert cause.kind == "deviation"
    assert ALEXANDER in cause.changes
    assert {issue for changes in cause.changes for issue in changes} == {"4.A.3"}
    possible = frozenset({("4.A.3", "alexander"), ("4.A.3", "2000-no-fallback")})
    assert explained(WALKS, engine, possible).changes == [ALEXANDER]
    assert explained(WALKS, engine, frozenset()).kind == "bug"


def test_two_choices_at_once_explain_what_neither_does():
    both = {**ALEXANDER, "4.B.3": "ignore-coast"}
    ordered = position_of("England: A Lon - Yor VIA", "France: F Gas - Spa/sc")
    cause = explained(ordered, ReferenceAdjudicator(DATC_3_1.with_choices(both)), frozenset(both.items()))
    assert (cause.kind, cause.changes) == ("deviation", [both])


def test_a_bug_is_explained_by_a_known_mutant_where_there_is_one():
    shown = [name for name in MUTANTS if not agree(says(REFERENCE, LOST), says(mutant(name), LOST))]
    assert shown
    for name in shown:
        cause = explained(LOST, mutant(name), frozenset())
        assert cause.kind == "bug"
        assert name in cause.mutants


def test_a_bug_that_nothing_explains_is_told_by_its_pattern():
    ordered = position_of("Turkey: A Con - Bul", "Turkey: A Smy S A Con - Bul", "Russia: A Rum H")
    cause = explained(ordered, Altered(turks_stay), frozenset())
    assert cause.unexplained
    assert cause.label == "1: A a H; 2: A b S A c - d; 2: A c - d [goes, stays]"


def test_a_pattern_is_the_same_in_other_places_and_for_other_powers():
    said, expected = says(Altered(lost_border), LOST), says(REFERENCE, LOST)
    text = pattern(LOST, expected, said)
    for powers in ({"AUSTRIA": "TURKEY"}, {"AUSTRIA": "RUSSIA", "RUSSIA": "AUSTRIA"}):
        other = with_names(LOST, powers)
        assert pattern(other, says(REFERENCE, other), says(Altered(lost_border), other)) == text
    shuffled = LOST._replace(orders=LOST.orders[::-1]).with_units(LOST.units[::-1])
    assert pattern(shuffled, expected, said) == text


def test_a_disagreement_shows_in_a_larger_one_with_the_same_units():
    large = position_of(
        "England: A Gal - Sil",
        "France: A Mun S A Gal - Sil",
        "Italy: A Sil H",
        "Italy: A Pru S A Sil",
        "Turkey: A Con - Bul",
        "France: A War S A Gal - Sil",
    )

    def shape_of(ordered):
        return shape(ordered, says(REFERENCE, ordered), says(Altered(lost_border), ordered))

    assert shows_in(shape_of(LOST), shape_of(large))
    assert not shows_in(shape_of(large), shape_of(LOST))
    assert not shows_in(shape_of(LOST), shape_of(SUPPORTED))


def has(orders, *kinds):
    return any(isinstance(order, kinds) for order in orders)


def failing_for(reason):
    """An engine that gives no answer where there is a reason for that."""
    return failing(lambda orders: EngineFailure(said) if (said := reason(orders)) else None)


def failures_of(reason):
    plan, engine = adjudicators.plan_for(60, profiles=("dense", "convoy-knots")), failing_for(reason)
    findings = [finding for chunk in range(3) for finding in hunt_chunk(plan, [engine], chunk).findings]
    return [group for group in group_findings(findings) if group.kind == "failure"]


@pytest.mark.parametrize("said", ["gave no answer within 10 s", "ended with exit code 3", "ended by signal SIGSEGV"])
def test_silent_failures_differ_by_the_kinds_of_orders(said):
    groups = failures_of(lambda orders: said if has(orders, Convoy, SupportHold, SupportMove) else "")
    kinds = sorted(group.label.rpartition(": ")[2] for group in groups)
    assert kinds == ["convoy", "support"]
    for group in groups:
        assert group.smallest is not None
        assert group.smallest.units <= 2
        assert cause_text(group) == f"no answer: {said}"


def test_a_silent_failure_at_moves_and_holds_is_one():
    (group,) = failures_of(lambda orders: "ended with exit code 3" if has(orders, Move) else "")
    assert group.label == "ended with exit code: orders for single units"


def test_what_an_engine_says_tells_failures_apart_and_places_and_numbers_do_not():
    def reason(orders):
        for number, order in enumerate(orders):
            if isinstance(order, Convoy):
                return f"ended with exit code 1 (its log ends: KeyError: '{order.to}' at 0x{id(order):x})"
            if isinstance(order, SupportMove):
                log = f"File /tmp/x{id(order)}/board.py, line {number}: {order.to} is no route"
                return f"ended with exit code 1 (its log ends: {log})"
        return ""

    groups = failures_of(reason)
    assert sorted(group.label for group in groups) == [
        "ended with exit code ends File line route",
        "ended with exit code ends KeyError",
    ]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("KeyError: 'SIL'", "KeyError: 'Mid-Atlantic Ocean'", True),
        ("panicked at 0x7f3ffcc4e780", "panicked at 0x7fdeadbeef00", True),
        ("panic in /home/me/engine/src/convoy.rs:17:3", "panic in /root/other/support.rs:4:12", True),
        (r"no file C:\temp\first.txt", r"no file D:\other\second.txt", True),
        ("object 3f2a9c81d07e is lost", "object 99aa00ffe1b2 is lost", True),
        ("at src/convoy/paths.rs", "at lib/board.rs", True),
        ("England has no army in London", "Russia has no army in Moscow", True),
        ("KeyError: 'SIL'", "IndexError: 'SIL'", False),
        ("ended by signal SIGSEGV", "ended by signal SIGABRT", False),
        ("answered error -32603: 'A Norway at line 17'", "answered error -32603: 'F Nrg, A Mun at line 3'", True),
        ("answered error -32603: 'no such route'", "answered error -32603: 'too deep a recursion'", False),
    ],
)
def test_what_changes_from_position_to_position_does_not_count_but_other_words_do(one, other, alike):
    assert (Failure(one).kind == Failure(other).kind) == alike


def test_a_position_without_an_answer_is_found_by_a_relation_too():
    """Nothing else asks the engine where `--source metamorphic` is the only one."""
    silent = failing_for(lambda _: "ended with exit code 3")
    found = contradiction(silent, position_of("Germany: A Ber - Mun"), "again")
    assert found is not None
    assert found.relation == ""
    assert found.said[-1].answer == Failure("ended with exit code 3")
    assert contradiction(REFERENCE, position_of("Germany: A Ber - Mun"), "again") is None


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_reference_does_not_contradict_itself(relation):
    rng = Random(relation)
    applied = 0
    for number in range(360):
        ordered = random_paradox(rng) if number % 3 else random_position(rng, PROFILES["sea-war"])
        applied += RELATIONS[relation].put_otherwise(ordered, number) is not None
        assert contradiction(REFERENCE, ordered, relation, number) is None
    assert applied > (5 if relation == "games" else 20)


@pytest.mark.parametrize("relation", ["powers", "notation", "again", "repeated"])
def test_the_reference_behind_the_protocol_does_not_contradict_itself(relation):
    rng = Random(relation)
    adjudicator = EngineAdjudicator(BuiltinEngine(), Capabilities(), DATC_3_1)
    for number in range(40):
        ordered = random_position(rng, PROFILES["dense"])
        assert contradiction(adjudicator, ordered, relation, number) is None


def twice_is_none(ordered):
    """An order that is given twice does not count."""
    return ordered._replace(orders=tuple(given for given in ordered.orders if ordered.orders.count(given) == 1))


def only_ordered(ordered):
    """Units without an order vanish."""
    kept = {unit.location for given in ordered.orders if (unit := ordered_unit(given))}
    return ordered.with_units([unit for unit in ordered.units if unit.location in kept])


@pytest.mark.parametrize(
    ("alter", "relation", "lines"),
    [
        (adjudicators.first_come, "shuffled", ["Germany: A Ber - Mun", "Austria: A Tyr - Mun"]),
        (turks_stay, "powers", ["Germany: A Ber - Mun", "Turkey: A Con - Bul"]),
        (twice_is_none, "repeated", ["Germany: A Ber - Mun", "Turkey: A Con - Bul"]),
        (only_ordered, "holds", ["Germany: A Ber - Mun", "Germany: A Kie H", "Turkey: A Con - Bul"]),
    ],
)
def test_an_engine_to_which_something_makes_a_difference_is_found(alter, relation, lines):
    several = (contradiction(Altered(alter), position_of(*lines), relation, salt) for salt in range(12))
    assert next(found.relation for found in several if found is not None) == RELATIONS[relation].sentence


def test_an_answer_that_is_wrong_once_depends_on_nothing_that_was_asked_otherwise():
    """Also where the board of that answer cannot exist."""
    asked = []

    def once_twice(phase):
        asked.append(phase)
        right = REFERENCE.ask(phase)
        return replace(right, standing=(*right.standing, right.standing[0])) if len(asked) == 2 else right

    found = contradiction(
        Answering(once_twice), position_of("Germany: A Ber - Mun", "Austria: A Tyr - Mun"), "shuffled"
    )
    assert found is not None
    assert explain_difference(found).label == RELATIONS["again"].sentence


def contradicted(change):
    """Where an engine contradicts itself whose answers are those of the reference, changed."""
    engine = Scripted(lambda params: change(right(params)))
    adjudicator = EngineAdjudicator(engine, Capabilities(), DATC_3_1)
    found = contradiction(adjudicator, position_of("Germany: A Ber - Mun", "Austria: A Tyr - Mun"), "again")
    assert found is not None
    return found


def test_results_that_do_not_fit_the_board_are_found():
    def boast(result):
        told = [OrderResultMessage(outcome="succeeds") for _ in result.orders]
        return msgspec.structs.replace(result, dislodged=[], orders=told)

    assert contradicted(boast).relation == RESULTS_CONTRADICT_BOARD


def test_a_unit_in_two_places_is_found():
    found = contradicted(lambda result: msgspec.structs.replace(result, units=[*result.units, result.units[0]]))
    assert [fact.kind for fact in found.said[-1].impossible] == ["unit-twice"]
