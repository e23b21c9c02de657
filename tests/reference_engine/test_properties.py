"""What holds for every position and every set of orders, however odd."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import fields, replace
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from datc.reference_engine import PositionError, adjudicate
from datc.reference_engine.board import OrderedUnit, Unit, UnitType, province_code
from datc.reference_engine.orders import Convoy, GivenOrder, Hold, Move, Order, Waive
from datc.reference_engine.position import Adjudication, OrderResult, Position
from datc.reference_engine.rulesets import DATC_3_1, ISSUES, Ruleset, ruleset

from ..strategies import (
    BOARD,
    HOME_POWER,
    PLACES,
    POWERS,
    SEAS,
    Situation,
    adjustment_situations,
    any_order,
    centers,
    destinations,
    distance,
    positions,
    powers,
    retreat_orders,
    situations,
)
from .play import board_of

TO_ORIGIN_NEVER = DATC_3_1.with_choices({"4.A.5": "no-retreat-to-origin"})


def provinces(units: Iterable[Unit]) -> list[str]:
    return [province_code(unit.location) for unit in units]


# Under any choices


def rulesets() -> st.SearchStrategy[Ruleset]:
    """Rulesets of any choices, and that of the DATC with a few others."""
    choices = {issue.id: st.sampled_from(issue.choices) for issue in ISSUES.values()}
    everything, few = st.fixed_dictionaries(choices), st.fixed_dictionaries({}, optional=choices)
    anew = everything.map(lambda chosen: ruleset("any", chosen))
    return st.one_of(anew, few.map(DATC_3_1.with_choices))


@settings(max_examples=400)
@given(situations(), rulesets())
def test_no_choices_make_or_lose_a_unit(situation: Situation, rules: Ruleset) -> None:
    after = adjudicate(*situation, rules)
    assert len(after.orders) == len(situation.orders)
    assert len(set(provinces(after.units))) == len(after.units)
    assert all(BOARD.can_stand(unit.type, unit.location) for unit in after.units)
    dislodged = [entry.unit for entry in after.dislodged]
    assert set(dislodged) <= set(situation.position.units)
    assert Counter((unit.power, unit.type) for unit in [*after.units, *dislodged]) == Counter(
        (unit.power, unit.type) for unit in situation.position.units
    )
    for (_, order), result in zip(situation.orders, after.orders, strict=True):
        assert order is not None or result.reason == "illegal"
    for unit, attacked_from, retreats in after.dislodged:
        assert attacked_from is not None
        assert retreats is not None
        assert list(retreats) == sorted(retreats)
        assert set(retreats) <= set(destinations(unit))
        assert not {province_code(to) for to in retreats} & (set(provinces(after.units)) | after.contested)


@settings(max_examples=400)
@given(situations(), rulesets(), st.randoms())
def test_no_choices_make_the_sequence_matter(situation: Situation, rules: Ruleset, random: Random) -> None:
    """But for 4.D.3 `first` and `last`, which are about it: there only the sequence of the units is another."""
    after = adjudicate(*situation, rules)
    units = list(situation.position.units)
    numbered = list(enumerate(situation.orders))
    random.shuffle(units)
    if rules.choices["4.D.3"] == "illegal-hold":
        random.shuffle(numbered)
    shuffled = adjudicate(Position(units), [order for _, order in numbered], rules)
    assert board_of(shuffled) == board_of(after)
    assert shuffled.orders == tuple(after.orders[index] for index, _ in numbered)


@settings(max_examples=100)
@given(
    positions(), centers(), st.lists(st.builds(GivenOrder, powers, st.none() | any_order()), max_size=30), rulesets()
)
def test_no_choices_stop_any_phase(
    position: Position, owned: dict[str, list[str]], orders: list[GivenOrder], rules: Ruleset
) -> None:
    for phase in ("movement", "retreat", "adjustment"):
        after = adjudicate(Position(position.units, phase=phase, centers=owned), orders, rules)
        assert len(after.orders) == len(orders)


def check_unit_counts(position: Position, after: Adjudication) -> None:
    """A power without enough centers keeps as many of its units as it has; another keeps all, and may have more."""
    for power in POWERS:
        centers = len(position.centers.get(power, ()))
        before = {unit for unit in position.units if unit.power == power}
        now = {unit for unit in after.units if unit.power == power}
        if len(before) >= centers:
            assert now <= before
            assert len(now) == centers
        else:
            assert before <= now
            assert len(now) <= centers


@settings(max_examples=100)
@given(adjustment_situations(), rulesets())
def test_no_choices_leave_too_many_units(situation: Situation, rules: Ruleset) -> None:
    position, orders = situation
    after = adjudicate(position, orders, rules)
    assert len(set(provinces(after.units))) == len(after.units)
    assert all(BOARD.can_stand(unit.type, unit.location) for unit in after.units)
    check_unit_counts(position, after)


# The movement phase


@settings(max_examples=100)
@given(situations(), st.permutations(POWERS))
def test_powers_are_all_alike(situation: Situation, others: list[str]) -> None:
    other = dict(zip(POWERS, others, strict=True))

    def unit(before: Unit) -> Unit:
        return before._replace(power=other[before.power])

    position = Position([unit(before) for before in situation.position.units])
    orders = [GivenOrder(other[power], relabelled(order, other)) for power, order in situation.orders]
    after = adjudicate(*situation)
    expected = after._replace(
        units=tuple(unit(before) for before in after.units),
        dislodged=tuple(dislodged._replace(unit=unit(dislodged.unit)) for dislodged in after.dislodged),
    )
    assert adjudicate(position, orders) == expected


def named_units(order: Order) -> dict[str, OrderedUnit]:
    """The units that an order names, by their fields."""
    values = {field.name: getattr(order, field.name) for field in fields(order)}
    return {name: value for name, value in values.items() if isinstance(value, OrderedUnit)}


def relabelled(order: Order | None, other: dict[str, str]) -> Order | None:
    if order is None:
        return None
    units = {name: unit._replace(power=unit.power and other[unit.power]) for name, unit in named_units(order).items()}
    return replace(order, **units)


@settings(max_examples=100)
@given(situations(most=8), st.data())
def test_a_unit_far_away_changes_nothing(situation: Situation, data: st.DataObject) -> None:
    """Farther than two steps, in no order, and no fleet at sea: that could make a convoy possible."""
    position, orders = situation
    named = {location for _, order in orders if order for location in locations_in(order)}
    places: list[tuple[UnitType, str]] = [
        (unit_type, location)
        for unit_type, location in PLACES
        if location not in SEAS
        if province_code(location) not in named
        and all(distance(location, unit.location) > 2 for unit in position.units)
    ]
    _ = assume(places)
    unit_type, location = data.draw(st.sampled_from(places))
    far = Unit(data.draw(powers), unit_type, location)
    before = adjudicate(position, orders)
    after = adjudicate(Position([*position.units, far]), orders)
    assert after == before._replace(units=(*before.units, far))


def locations_in(order: Order) -> list[str]:
    """The provinces that an order names."""
    named = [unit.location for unit in named_units(order).values()]
    return [province_code(location) for location in [*named, getattr(order, "to", named[0])]] if named else []


@settings(max_examples=100)
@given(situations())
def test_a_hold_may_be_left_out(situation: Situation) -> None:
    position, orders = situation
    ordered = {province_code(order.unit.location) for _, order in orders if order and not isinstance(order, Waive)}
    holds = [
        GivenOrder(unit.power, Hold(OrderedUnit(unit.location, unit.type)))
        for unit in position.units
        if province_code(unit.location) not in ordered
    ]
    assert board_of(adjudicate(position, [*orders, *holds])) == board_of(adjudicate(position, orders))


@settings(max_examples=100)
@given(situations())
def test_repeating_an_order_changes_nothing(situation: Situation) -> None:
    position, orders = situation
    once, twice = adjudicate(position, orders), adjudicate(position, [*orders, *orders])
    assert board_of(twice) == board_of(once)
    assert twice.orders == once.orders * 2


@settings(max_examples=150)
@given(situations())
def test_no_retreat_to_where_a_land_attack_came_from(situation: Situation) -> None:
    position, orders = situation
    by_land = [
        given
        for given in orders
        if not isinstance(given.order, Convoy) and not (isinstance(given.order, Move) and given.order.via_convoy)
    ]
    assert_not_to_origin(adjudicate(position, by_land))
    assert_not_to_origin(adjudicate(position, orders, TO_ORIGIN_NEVER))


def assert_not_to_origin(after: Adjudication) -> None:
    for _, attacked_from, retreats in after.dislodged:
        assert retreats is not None
        assert attacked_from not in {province_code(to) for to in retreats}


@settings(max_examples=100)
@given(situations())
def test_contested_provinces_are_vacant_and_were_fought_over(situation: Situation) -> None:
    after = adjudicate(*situation)
    bounced = {
        province_code(order.to)
        for (_, order), result in zip(situation.orders, after.orders, strict=True)
        if isinstance(order, Move) and result.reason == "bounced"
    }
    assert not after.contested & set(provinces(after.units))
    assert after.contested <= bounced


no_places = st.text().filter(lambda text: province_code(text) not in BOARD.number)


@settings(max_examples=200)
@given(positions(), st.lists(st.builds(GivenOrder, powers, st.none() | any_order(no_places)), max_size=8))
def test_orders_of_arbitrary_strings_are_illegal(position: Position, orders: list[GivenOrder]) -> None:
    after = adjudicate(position, orders)
    assert board_of(after) == (frozenset(position.units), frozenset(), frozenset())
    assert after.orders == (OrderResult("illegal"),) * len(orders)


@settings(max_examples=200)
@given(positions(), st.lists(st.builds(GivenOrder, st.text() | powers, st.none() | any_order(st.text())), max_size=8))
def test_the_first_order_of_an_arbitrary_power_is_named(position: Position, orders: list[GivenOrder]) -> None:
    first = next((number for number, order in enumerate(orders, 1) if order.power not in POWERS), 0)
    _ = assume(first)
    with pytest.raises(PositionError, match=rf"order {first} is of .*, which is no power"):
        _ = adjudicate(position, orders)


# The retreat phase


@settings(max_examples=80)
@given(situations(), st.data())
def test_a_retreat_phase_loses_units_and_moves_none_of_the_others(situation: Situation, data: st.DataObject) -> None:
    movement = adjudicate(*situation)
    _ = assume(movement.dislodged)
    position = Position(movement.units, phase="retreat", dislodged=movement.dislodged)
    orders = data.draw(retreat_orders(position))
    after = adjudicate(position, orders)
    assert len(after.orders) == len(orders)
    assert after.dislodged == ()
    assert len(set(provinces(after.units))) == len(after.units)
    assert after.units[: len(movement.units)] == movement.units
    retreated = Counter((unit.power, unit.type) for unit in after.units[len(movement.units) :])
    assert retreated <= Counter((dislodged.unit.power, dislodged.unit.type) for dislodged in movement.dislodged)
    open_to = {to for dislodged in movement.dislodged for to in dislodged.retreats or ()}
    assert {unit.location for unit in after.units[len(movement.units) :]} <= open_to


@settings(max_examples=50)
@given(situations())
def test_dislodged_units_without_orders_are_gone(situation: Situation) -> None:
    movement = adjudicate(*situation)
    after = adjudicate(Position(movement.units, phase="retreat", dislodged=movement.dislodged), [])
    assert board_of(after) == (frozenset(movement.units), frozenset(), frozenset())


# The adjustment phase


@settings(max_examples=200)
@given(adjustment_situations())
def test_builds_are_in_vacant_owned_home_centers(situation: Situation) -> None:
    position, orders = situation
    after = adjudicate(position, orders)
    assert len(set(provinces(after.units))) == len(after.units)
    for unit in set(after.units) - set(position.units):
        home = province_code(unit.location)
        assert HOME_POWER[home] == unit.power
        assert home in position.centers[unit.power]
        assert home not in provinces(position.units)
        assert BOARD.can_stand(unit.type, unit.location)


@settings(max_examples=100)
@given(adjustment_situations(), st.randoms())
def test_the_sequence_of_units_changes_no_adjustment(situation: Situation, random: Random) -> None:
    position, orders = situation
    units, owners = list(position.units), list(position.centers)
    random.shuffle(units)
    random.shuffle(owners)
    centers = {owner: position.centers[owner] for owner in owners}
    shuffled = adjudicate(Position(units, phase="adjustment", centers=centers), orders)
    after = adjudicate(position, orders)
    assert board_of(shuffled) == board_of(after)
    assert shuffled.orders == after.orders
