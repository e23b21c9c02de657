"""Random positions are positions, the same for a seed, and rich in what matters."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from random import Random

import pytest

from datc.harness.bugs import generate
from datc.harness.bugs.draft import Draft
from datc.harness.bugs.terrain import PROFILES, familiar, locations_of, other_places, with_names
from datc.harness.play.positions import ordered_unit
from datc.harness.search.findings import read_stored_position, store_position
from datc.reference_engine import DATC_3_1, Convoy, Move, Order, SupportHold, SupportMove, adjudicate, province_code


def kinds(ordered):
    """What a position has of that on which engines err."""
    found = Counter()
    moves = {}
    home = {province_code(unit.location): unit for unit in ordered.units}
    convoys = Counter()
    for given in ordered.orders:
        order, unit = given.order, ordered_unit(given)
        if unit is None or home[province_code(unit.location)].power != given.power:
            found["order by a stranger"] += 1
        if isinstance(order, Move):
            moves[province_code(order.unit.location)] = province_code(order.to)
            found["via convoy"] += order.via_convoy
            found["coast"] += "/" in order.to
        if isinstance(order, Convoy):
            convoys[order.convoyed.location, order.to] += 1
        if isinstance(order, SupportMove):
            attacked = home.get(province_code(order.to))
            found["support against one's own unit"] += attacked is not None and attacked.power == given.power
        if isinstance(order, SupportHold):
            found["hold support"] += 1
    found["head-to-head"] += sum(moves.get(to) == origin for origin, to in moves.items())
    for first, second in moves.items():
        third = moves.get(second)
        found["ring"] += third is not None and moves.get(third) == first and len({first, second, third}) == 3
    found["several fleets for an army"] += any(count > 1 for count in convoys.values())
    found["unordered"] += len(
        home.keys() - {province_code(u.location) for g in ordered.orders if (u := ordered_unit(g))}
    )
    found["several orders"] += len(ordered.orders) > len({ordered_unit(given) for given in ordered.orders})
    return found


@pytest.mark.parametrize("name", PROFILES)
def test_positions_are_valid_and_rich(name):
    rng = Random(7)
    found, outcomes = Counter(), Counter()
    for _ in range(400):
        ordered = generate.random_movements(rng, PROFILES[name])
        assert PROFILES[name].fewest <= len(ordered.units) <= 34 or PROFILES[name].crowded
        found.update(kinds(ordered))
        result = adjudicate(ordered.position, ordered.orders)
        outcomes.update(each.reason or "succeeds" for each in result.orders)
        outcomes["dislodgement"] += len(result.dislodged)
    assert all(count >= 3 for count in found.values()), found
    assert set(outcomes) >= {"bounced", "cut", "illegal", "void", "no-path", "succeeds", "dislodgement"}
    assert outcomes["dislodgement"] >= 40


def test_a_situation_stands_among_others_with_its_orders():
    rng = Random(1)
    for situation in (*generate.known_positions("situation"), *generate.known_positions("dislodgement")):
        draft = Draft(rng, PROFILES["dense"], situation)
        mine = draft.units[: len(situation.units)]
        assert [unit[1:] for unit in mine] == [unit[1:] for unit in situation.units]
        assert len({unit.location[:3] for unit in draft.units}) == len(draft.units)
        assert ordered_provinces(draft.give_orders()) >= ordered_provinces(situation.orders)


def ordered_provinces(orders):
    return {unit.location[:3] for unit in map(ordered_unit, orders) if unit is not None}


def test_all_three_phases_are_drawn():
    rng = Random(3)
    drawn = [generate.random_position(rng, PROFILES["dense"]) for _ in range(400)]
    assert sum(each.position.phase == "adjustment" for each in drawn) > 10
    retreats = [each for each in drawn if each.retreats is not None]
    assert len(retreats) > 5
    assert all(adjudicate(each.position, each.orders).dislodged for each in retreats)


def test_adjustments_have_powers_that_build_and_powers_that_remove():
    rng = Random(5)
    due = Counter()
    for _ in range(100):
        ordered = generate.random_adjustments(rng)
        _ = adjudicate(ordered.position, ordered.orders)
        for power, owned in ordered.position.centers.items():
            count = sum(unit.power == power for unit in ordered.units)
            due["builds" if len(owned) > count else "removes" if len(owned) < count else "neither"] += 1
    assert min(due["builds"], due["removes"]) > 20


def test_a_unit_on_a_supply_center_owns_it_before_an_adjustment():
    """It has taken it in autumn: of a position that no game can come to, no bug says anything."""
    rng = Random(5)
    drawn = [generate.random_adjustments(rng) for _ in range(100)]
    assert all(ordered.owns_where_it_stands for ordered in drawn)
    centers = drawn[0].position.board.supply_centers
    assert sum(unit.location in centers for ordered in drawn for unit in ordered.units) > 100


def test_seed_1_gives_the_positions_that_it_always_gave():
    """A hunt that goes on with `--resume` from an older store, and the tables of docs/findings.md, rest on it.

    A change of what a seed draws changes this hash: then older stores cannot go on, and the tables are made again.
    """
    digest = hashlib.sha256()
    for source in (*PROFILES.values(), None):
        rng = Random(1)
        for _ in range(400):
            ordered = generate.random_position(rng, source) if source else generate.random_paradox(rng)
            position = ordered.position
            owned = {power: sorted(centers) for power, centers in position.centers.items()}
            drawn = (position.phase, position.units, owned, ordered.orders, ordered.retreats)
            digest.update(repr(drawn).encode())
    assert digest.hexdigest()[:16] == "69de1daf18fefc92"


def test_a_situation_is_stored_and_read_as_it_was():
    rng = Random(13)
    for _ in range(60):
        ordered = generate.with_retreats(rng, generate.random_position(rng, PROFILES["convoy-knots"]))
        again = read_stored_position(store_position(ordered))
        assert store_position(again) == store_position(ordered)
        assert (again.units, again.orders, again.retreats) == (ordered.units, ordered.orders, ordered.retreats)
        assert all(isinstance(given.order, Order) for given in again.orders)


def test_an_order_that_names_no_power_is_the_same_object_for_other_powers():
    ordered = generate.known_positions("situation")[0]
    renamed = with_names(ordered, {"ENGLAND": "TURKEY"})
    assert all(one.order is other.order for one, other in zip(ordered.orders, renamed.orders, strict=True))


def test_a_position_is_the_same_in_every_process():
    """Whatever seed Python hashes strings with: a hunt goes on in other processes, and is told by its seed."""
    script = (
        "from random import Random\n"
        "from datc.harness.bugs.generate import random_paradox, random_position\n"
        "from datc.harness.bugs.terrain import PROFILES\n"
        "for seed in range(40):\n"
        "    for profile in PROFILES.values():\n"
        "        one = random_position(Random(seed), profile)\n"
        "        print(one.position.units, one.orders, one.retreats)\n"
        "    print(random_paradox(Random(seed)).orders)\n"
    )
    command, environments = [sys.executable, "-c", script], [{**os.environ, "PYTHONHASHSEED": seed} for seed in "123"]
    drawn = [subprocess.run(command, env=each, capture_output=True, check=True).stdout for each in environments]
    assert len(set(drawn)) == 1


def test_the_cores_are_those_of_the_datc_and_of_the_dptg():
    assert len(generate.known_positions("knot")) == 11 + 6


def test_many_of_the_positions_are_paradoxes():
    """A paradox is where the rule for paradoxes has an effect."""
    rng = Random(1)
    drawn = [generate.random_paradox(rng) for _ in range(200)]
    rulesets = [DATC_3_1.with_choices({"4.A.2": choice}) for choice in ("szykman", "all-hold", "1982")]
    boards = [{adjudicate(each.position, each.orders, rules).units for rules in rulesets} for each in drawn]
    assert sum(len(each) > 1 for each in boards) > 60
    assert len({(each.units, each.orders) for each in drawn}) > 190


def test_other_places_and_powers_make_no_difference_to_the_outcome():
    moved = 0
    for core in generate.known_positions("knot"):
        result = adjudicate(core.position, core.orders)
        for places in list(other_places(core, most_steps=300))[:3]:
            other = with_names(core, places=places)
            after = adjudicate(other.position, other.orders)
            assert after.orders == result.orders
            assert [places[unit.location] for unit in result.units] == [unit.location for unit in after.units]
            moved += places != {place: place for place in locations_of(core)}
        other = with_names(core, {"ENGLAND": "TURKEY", "TURKEY": "ENGLAND"})
        assert adjudicate(other.position, other.orders).orders == result.orders
    assert moved > 10


def test_a_place_that_is_ranked_twice_counts_once():
    core = generate.known_positions("knot")[0]
    ranked = familiar()
    once, twice = other_places(core, ranked), other_places(core, (*ranked, *ranked[:5]))
    assert next(once) == next(twice)
