"""Positions built from paradoxes."""

from random import Random

from datc.harness.bugs.generate import paradox_cores, random_paradox
from datc.harness.bugs.terrain import familiar, locations_of, other_places, with_places, with_powers
from datc.reference_engine import DATC_3_1, adjudicate

ALL_HOLD = DATC_3_1.with_choices({"4.A.2": "all-hold"})


def test_the_cores_are_those_of_the_datc_and_of_the_dptg():
    assert len(paradox_cores()) == 11 + 6


def test_many_of_the_positions_are_paradoxes():
    """A paradox is where the rule for paradoxes has an effect."""
    rng = Random(1)
    drawn = [random_paradox(rng) for _ in range(200)]
    told_apart = sum(
        adjudicate(each.position, each.orders).units != adjudicate(each.position, each.orders, ALL_HOLD).units
        or adjudicate(each.position, each.orders).units
        != adjudicate(each.position, each.orders, DATC_3_1.with_choices({"4.A.2": "1982"})).units
        for each in drawn
    )
    assert told_apart > 60
    assert len({(each.units, each.orders) for each in drawn}) > 190


def test_other_places_and_powers_make_no_difference_to_the_outcome():
    moved = 0
    for core in paradox_cores():
        result = adjudicate(core.position, core.orders)
        for places in list(other_places(core, most_steps=300))[:3]:
            other = with_places(core, places)
            after = adjudicate(other.position, other.orders)
            assert [each.reason for each in after.orders] == [each.reason for each in result.orders]
            assert [places[unit.location] for unit in result.units] == [unit.location for unit in after.units]
            moved += places != {place: place for place in locations_of(core)}
        other = with_powers(core, {"ENGLAND": "TURKEY", "TURKEY": "ENGLAND"})
        assert [each.reason for each in adjudicate(other.position, other.orders).orders] == [
            each.reason for each in result.orders
        ]
    assert moved > 10


def test_a_place_that_is_ranked_twice_counts_once():
    core = paradox_cores()[0]
    ranked = familiar()
    once, twice = other_places(core, ranked), other_places(core, (*ranked, *ranked[:5]))
    assert next(once) == next(twice)


def test_a_seed_gives_the_same_positions():
    def draw():
        rng = Random(11)
        return [(each.units, each.orders) for each in (random_paradox(rng) for _ in range(30))]

    assert draw() == draw()
