"""What should make no difference."""

from random import Random

import pytest

from datc.adapters import AdjudicateResult, EngineIdentity
from datc.adapters.builtin import BuiltinEngine, Reference
from datc.adapters.protocol import Capabilities, OrderResultMessage
from datc.harness.fuzzing.causes import agree
from datc.harness.fuzzing.generate import random_situation
from datc.harness.fuzzing.metamorphic import FITS, NO_BOARD, RELATIONS, contradiction
from datc.harness.fuzzing.paradoxes import random_paradox
from datc.harness.fuzzing.parties import EngineParty
from datc.harness.fuzzing.profiles import PROFILES
from datc.harness.fuzzing.situation import Situation, ordered_unit
from datc.reference_engine import DATC_3_1, Hold, Move

from .parties import REFERENCE, Altered, first_come, situation_of

IDENTITY = EngineIdentity(name="test")


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_reference_does_not_contradict_itself(relation):
    rng = Random(relation)
    applied = 0
    for number in range(360):
        situation = random_paradox(rng) if number % 3 else random_situation(rng, PROFILES["sea-war"])
        applied += RELATIONS[relation].put_otherwise(situation, number) is not None
        assert contradiction(REFERENCE, situation, relation, number, agree) is None
    assert applied > 20


@pytest.mark.parametrize("relation", ["powers", "notation", "again", "repeated"])
def test_the_reference_behind_the_protocol_does_not_contradict_itself(relation):
    rng = Random(relation)
    party = EngineParty(BuiltinEngine(), IDENTITY, Capabilities(), DATC_3_1)
    for number in range(40):
        situation = random_situation(rng, PROFILES["dense"])
        assert contradiction(party, situation, relation, number, agree) is None


def found_by(party, relation, situation):
    """The first contradiction among several ways to put a situation otherwise."""
    several = (contradiction(party, situation, relation, salt, agree) for salt in range(12))
    return next((found.sentence for found in several if found is not None), "")


def test_an_engine_that_depends_on_the_order_of_orders_is_found():
    situation = situation_of("Germany: A Ber - Mun", "Austria: A Tyr - Mun")
    assert found_by(Altered(first_come), "shuffled", situation) == RELATIONS["shuffled"].sentence


def test_an_engine_that_depends_on_powers_is_found():
    def turks_stay(situation: Situation) -> Situation:
        moves = tuple(
            given._replace(order=Hold(given.order.unit))
            if given.power == "TURKEY" and isinstance(given.order, Move)
            else given
            for given in situation.orders
        )
        return situation._replace(orders=moves)

    assert found_by(Altered(turks_stay), "powers", situation_of("Germany: A Ber - Mun", "Turkey: A Con - Bul"))


def test_an_engine_that_takes_a_repeated_order_for_two_is_found():
    def twice_is_none(situation: Situation) -> Situation:
        once = tuple(given for given in situation.orders if situation.orders.count(given) == 1)
        return situation._replace(orders=once)

    assert found_by(Altered(twice_is_none), "repeated", situation_of("Germany: A Ber - Mun", "Turkey: A Con - Bul"))


def test_an_engine_that_lets_unordered_units_vanish_is_found():
    def only_ordered(situation: Situation) -> Situation:
        kept = {unit.location for given in situation.orders if (unit := ordered_unit(given))}
        return situation.with_units([unit for unit in situation.units if unit.location in kept])

    situation = situation_of("Germany: A Ber - Mun", "Germany: A Kie H", "Turkey: A Con - Bul")
    assert found_by(Altered(only_ordered), "holds", situation)


class Answering(BuiltinEngine):
    """The reference, whose answers are changed."""

    def __init__(self, change):
        super().__init__()
        self._change = change

    def adjudicate(self, params):
        return self._change(Reference().adjudicate(params))


def ask_answering(change):
    party = EngineParty(Answering(change), IDENTITY, Capabilities(), DATC_3_1)
    return contradiction(party, situation_of("Germany: A Ber - Mun", "Austria: A Tyr - Mun"), "again", 0, agree)


def test_results_that_do_not_fit_the_board_are_found():
    def boast(result: AdjudicateResult) -> AdjudicateResult:
        told: list[OrderResultMessage | None] = [OrderResultMessage(outcome="succeeds") for _ in result.orders or ()]
        return AdjudicateResult(units=result.units, dislodged=[], orders=told)

    found = ask_answering(boast)
    assert found is not None
    assert found.sentence == FITS


def test_a_unit_in_two_places_is_found():
    found = ask_answering(lambda result: AdjudicateResult(units=[*result.units, result.units[0]]))
    assert found is not None
    assert found.sentence == NO_BOARD
