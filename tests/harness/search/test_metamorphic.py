"""What should make no difference."""

from random import Random

import pytest

from datc.adapters import AdjudicateResult
from datc.adapters.builtin import BuiltinEngine, Reference
from datc.adapters.protocol import Capabilities, OrderResultMessage
from datc.harness.bugs.generate import random_paradox, random_position
from datc.harness.bugs.terrain import PROFILES
from datc.harness.play.engine import EngineAdjudicator
from datc.harness.play.positions import OrderedPosition, ordered_unit
from datc.harness.search.relations import RELATIONS, RESULTS_CONTRADICT_BOARD
from datc.reference_engine import DATC_3_1

from .adjudicators import REFERENCE, Altered, contradiction, first_come, position_of, turks_stay


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_reference_does_not_contradict_itself(relation):
    rng = Random(relation)
    applied = 0
    for number in range(360):
        ordered = random_paradox(rng) if number % 3 else random_position(rng, PROFILES["sea-war"])
        applied += RELATIONS[relation].put_otherwise(ordered, number) is not None
        assert contradiction(REFERENCE, ordered, relation, number) is None
    assert applied > 20


@pytest.mark.parametrize("relation", ["powers", "notation", "again", "repeated"])
def test_the_reference_behind_the_protocol_does_not_contradict_itself(relation):
    rng = Random(relation)
    adjudicator = EngineAdjudicator(BuiltinEngine(), Capabilities(), DATC_3_1)
    for number in range(40):
        ordered = random_position(rng, PROFILES["dense"])
        assert contradiction(adjudicator, ordered, relation, number) is None


def twice_is_none(ordered: OrderedPosition) -> OrderedPosition:
    """An order that is given twice does not count."""
    return ordered._replace(orders=tuple(given for given in ordered.orders if ordered.orders.count(given) == 1))


def only_ordered(ordered: OrderedPosition) -> OrderedPosition:
    """Units without an order vanish."""
    kept = {unit.location for given in ordered.orders if (unit := ordered_unit(given))}
    return ordered.with_units([unit for unit in ordered.units if unit.location in kept])


@pytest.mark.parametrize(
    ("alter", "relation", "lines"),
    [
        (first_come, "shuffled", ["Germany: A Ber - Mun", "Austria: A Tyr - Mun"]),
        (turks_stay, "powers", ["Germany: A Ber - Mun", "Turkey: A Con - Bul"]),
        (twice_is_none, "repeated", ["Germany: A Ber - Mun", "Turkey: A Con - Bul"]),
        (only_ordered, "holds", ["Germany: A Ber - Mun", "Germany: A Kie H", "Turkey: A Con - Bul"]),
    ],
)
def test_an_engine_to_which_something_makes_a_difference_is_found(alter, relation, lines):
    several = (contradiction(Altered(alter), position_of(*lines), relation, salt) for salt in range(12))
    assert next(found.relation for found in several if found is not None) == RELATIONS[relation].sentence


class Answering(BuiltinEngine):
    """The reference, whose answers are changed."""

    def __init__(self, change):
        super().__init__()
        self._change = change

    def adjudicate(self, params):
        return self._change(Reference().adjudicate(params))


def ask_answering(change):
    adjudicator = EngineAdjudicator(Answering(change), Capabilities(), DATC_3_1)
    return contradiction(adjudicator, position_of("Germany: A Ber - Mun", "Austria: A Tyr - Mun"), "again")


def test_results_that_do_not_fit_the_board_are_found():
    def boast(result: AdjudicateResult) -> AdjudicateResult:
        told: list[OrderResultMessage | None] = [OrderResultMessage(outcome="succeeds") for _ in result.orders or ()]
        return AdjudicateResult(units=result.units, dislodged=[], orders=told)

    found = ask_answering(boast)
    assert found is not None
    assert found.relation == RESULTS_CONTRADICT_BOARD


def test_a_unit_in_two_places_is_found():
    found = ask_answering(lambda result: AdjudicateResult(units=[*result.units, result.units[0]]))
    assert found is not None
    assert [fact.kind for fact in found.said[-1].impossible] == ["unit-twice"]
