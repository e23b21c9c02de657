"""Drawn battles: each order decides something, and each province and each power has its turn."""

from collections import Counter
from random import Random

import pytest

from datc.cases.maps import check_map
from datc.harness.bugs.battles import random_battles
from datc.reference_engine import adjudicate, province_code, standard_board
from datc.reference_engine.maps import map_names
from datc.reference_engine.orders import Build, Convoy, Move, Remove, Retreat, SupportHold, SupportMove

BOARD = standard_board()


def drawn(seed, board=None, count=125):
    """As many as a hunt of 500 positions has."""
    return [random_battles(seed, number, Random(f"{seed} {number}"), board) for number in range(count)]


def outcome(ordered):
    result = adjudicate(ordered.position, ordered.orders)
    return set(result.units), {entry.unit for entry in result.dislodged}


@pytest.mark.parametrize("seed", [1, 2])
def test_each_province_has_its_turn_in_each_role(seed):
    found: dict[type, Counter[str]] = {}
    powers: dict[type, Counter[str]] = {kind: Counter() for kind in (SupportMove, Retreat, Remove)}
    for ordered in drawn(seed):
        for given in (*ordered.orders, *(ordered.retreats or ())):
            kind, order = type(given.order), given.order
            if kind in powers:
                powers[kind][given.power] += 1
            if isinstance(order, (Move, Retreat)):
                found.setdefault(kind, Counter())[province_code(order.to)] += 1
            elif isinstance(order, (SupportMove, SupportHold, Convoy, Build)):
                found.setdefault(kind, Counter())[province_code(order.unit.location)] += 1
    every = {province.code for province in BOARD.provinces}
    homes = {home for power in BOARD.powers.values() for home in power.home_centers}
    assert set(found[SupportMove]) == every
    assert len(found[SupportHold]) >= 70
    assert len(found[Move]) >= 74
    assert len(found[Retreat]) >= 65
    assert len(found[Build]) >= len(homes) - 4
    assert len(found[Convoy]) >= sum(province.terrain == "sea" for province in BOARD.provinces) - 3
    assert all(set(counts) == set(BOARD.powers) for counts in powers.values())


def test_most_supports_and_convoys_decide_something():
    deciding, asked = Counter(), Counter()
    for ordered in drawn(3, count=40):
        before = outcome(ordered) if ordered.phase == "movement" else None
        for given in ordered.orders if before else ():
            if isinstance(given.order, (SupportMove, SupportHold, Convoy)):
                without = tuple(each for each in ordered.orders if each is not given)
                kind = type(given.order)
                asked[kind] += 1
                deciding[kind] += outcome(ordered._replace(orders=without)) != before
    assert all(deciding[kind] >= 0.6 * count for kind, count in asked.items()), (deciding, asked)


def test_each_order_is_possible():
    for ordered in drawn(4, count=60):
        movement = adjudicate(ordered.position, ordered.orders)
        assert not [each for each in movement.orders if each.reason in ("illegal", "void", "ignored")]
        assert len({unit.location[:3] for unit in ordered.units}) == len(ordered.units) <= 34


@pytest.mark.parametrize("name", map_names())
def test_they_are_drawn_on_any_map(name):
    found = drawn(1, check_map(name), 30)
    assert sum(len(ordered.orders) for ordered in found) > 60
    again = drawn(1, check_map(name), 30)
    assert [(*ordered.units, *ordered.orders) for ordered in found] == [(*each.units, *each.orders) for each in again]
