"""Random positions are positions, the same for a seed, and rich in what matters; and they are made small."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from random import Random

import pytest

from datc.harness.bugs import generate
from datc.harness.bugs.draft import Draft
from datc.harness.bugs.shrink import Shrinker, ddmin
from datc.harness.bugs.terrain import PROFILES, familiar, locations_of, other_places, with_names
from datc.harness.play.answer import Answer
from datc.harness.play.differential import agree
from datc.harness.play.positions import order_text, ordered_unit
from datc.harness.search.findings import read_stored_position, store_position
from datc.reference_engine import DATC_3_1, Convoy, Move, Order, SupportHold, SupportMove, adjudicate, province_code

from ...conftest import ROOT
from ..search.adjudicators import REFERENCE, Altered, lost_border, position_of, says


def kinds(ordered):
    """What a position has of that on which engines err."""
    found, convoys, moves = Counter(), Counter(), {}
    home = {province_code(unit.location): unit for unit in ordered.units}
    ordered_units = [ordered_unit(given) for given in ordered.orders]
    for given, unit in zip(ordered.orders, ordered_units, strict=True):
        order = given.order
        found["order by a stranger"] += unit is None or home[province_code(unit.location)].power != given.power
        found["hold support"] += isinstance(order, SupportHold)
        if isinstance(order, Move):
            moves[province_code(order.unit.location)] = province_code(order.to)
            found["via convoy"] += order.via_convoy
            found["coast"] += "/" in order.to
        if isinstance(order, Convoy):
            convoys[order.convoyed.location, order.to] += 1
        if isinstance(order, SupportMove):
            attacked = home.get(province_code(order.to))
            found["support against one's own unit"] += attacked is not None and attacked.power == given.power
    found["head-to-head"] += sum(moves.get(to) == origin for origin, to in moves.items())
    for first, second in moves.items():
        third = moves.get(second)
        found["ring"] += third is not None and moves.get(third) == first and len({first, second, third}) == 3
    found["several fleets for an army"] += any(count > 1 for count in convoys.values())
    found["unordered"] += len(home.keys() - {province_code(unit.location) for unit in ordered_units if unit})
    found["several orders"] += len(ordered.orders) > len(set(ordered_units))
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
        given, known = (
            {unit.location[:3] for unit in map(ordered_unit, orders) if unit is not None}
            for orders in (draft.give_orders(), situation.orders)
        )
        assert given >= known


def test_all_three_phases_are_drawn():
    rng = Random(3)
    drawn = [generate.random_position(rng, PROFILES["dense"]) for _ in range(400)]
    assert sum(each.position.phase == "adjustment" for each in drawn) > 10
    retreats = [each for each in drawn if each.retreats is not None]
    assert len(retreats) > 5
    assert all(adjudicate(each.position, each.orders).dislodged for each in retreats)


def test_adjustments_have_powers_that_build_and_that_remove_and_that_own_where_they_stand():
    """A unit on a supply center has taken it in autumn: of any other position no bug says anything."""
    rng, due, on_centers = Random(5), Counter(), 0
    for _ in range(100):
        ordered = generate.random_adjustments(rng)
        assert ordered.owns_where_it_stands
        on_centers += sum(unit.location in ordered.position.board.supply_centers for unit in ordered.units)
        _ = adjudicate(ordered.position, ordered.orders)
        for power, owned in ordered.position.centers.items():
            count = sum(unit.power == power for unit in ordered.units)
            due["builds" if len(owned) > count else "removes" if len(owned) < count else "neither"] += 1
    assert min(due["builds"], due["removes"]) > 20
    assert on_centers > 100


def digest_of_seed_1():
    """What is drawn with a seed, as a number."""
    digest = hashlib.sha256()
    for source in (*PROFILES.values(), None):
        rng = Random(1)
        for _ in range(400):
            ordered = generate.random_position(rng, source) if source else generate.random_paradox(rng)
            position = ordered.position
            owned = {power: sorted(centers) for power, centers in position.centers.items()}
            drawn = (position.phase, position.units, owned, ordered.orders, ordered.retreats)
            digest.update(repr(drawn).encode())
    return digest.hexdigest()[:16]


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_seed_1_gives_the_positions_that_it_always_gave_in_every_process(hash_seed):
    """A hunt that goes on with `--resume` from an older store, and the tables of docs/findings.md, rest on it.

    A change of what a seed draws changes this number: then older stores cannot go on, and the tables are made again.
    """
    code = "from tests.harness.bugs.test_generate import digest_of_seed_1; print(digest_of_seed_1())"
    surroundings = {**os.environ, "PYTHONHASHSEED": hash_seed}
    drawn = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=surroundings, capture_output=True, check=True)
    assert drawn.stdout.decode().strip() == "69de1daf18fefc92"


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


def test_delta_debugging_keeps_what_is_needed_and_nothing_else():
    needed = {3, 17, 18, 40}
    asked = []

    def keeps(kept):
        asked.append(kept)
        return needed <= set(kept)

    assert set(ddmin(range(50), keeps)) == needed
    assert len(asked) < 90
    assert ddmin([], lambda _: True) == []
    assert ddmin([1], lambda _: True) == []


def has_supported_attack(ordered):
    return any(isinstance(given.order, SupportMove) for given in ordered.orders) and any(
        isinstance(given.order, Move) and given.order.via_convoy for given in ordered.orders
    )


def test_what_makes_no_difference_goes_and_questions_are_bounded():
    rng = Random(1)
    drawn = (generate.random_movements(rng, PROFILES["dense"]) for _ in range(400))
    large = next(each for each in drawn if len(each.units) > 20 and has_supported_attack(each))
    asked = []

    def interesting(ordered):
        asked.append(ordered)
        return has_supported_attack(ordered)

    small = Shrinker(interesting, 300).shrink(large)
    assert has_supported_attack(small)
    assert len(small.units) <= 3
    assert len(asked) <= 300
    asked.clear()
    assert has_supported_attack(Shrinker(interesting, 5).shrink(large))
    assert len(asked) == 5


def test_a_shrinker_asks_nothing_once_it_has_to_stop():
    ordered, asked = position_of("Austria: A Gal - Sil", "Germany: A Par H", "Germany: A Mar H", "Turkey: A Con H"), []
    shrinker = Shrinker(lambda candidate: bool(asked.append(candidate)), 400, lambda: len(asked) >= 3)
    assert shrinker.shrink(ordered).units == ordered.units
    assert len(asked) == 3


def test_a_disagreement_is_made_as_small_as_it_can_be():
    adjudicator = Altered(lost_border)

    def differs(ordered):
        return not agree(says(REFERENCE, ordered), says(adjudicator, ordered))

    rng = Random(3)
    drawn = (generate.random_movements(rng, PROFILES["dense"]) for _ in range(3000))
    small = Shrinker(differs, 400).shrink(next(each for each in drawn if differs(each)))
    assert [order_text(given) for given in small.orders] in (["A GAL - SIL"], ["A SIL - GAL"])
    assert small.units[0].power == "ENGLAND"


def test_a_convoy_comes_to_familiar_places():
    ordered = position_of("Turkey: A Gre - Nap", "Turkey: F Ion C A Gre - Nap", "Russia: A Mos H")

    def convoyed(candidate):
        said = says(REFERENCE, candidate)[0].answer
        assert isinstance(said, Answer)
        texts = " ".join(map(order_text, candidate.orders))
        return "C A" in texts and {unit.type for unit in set(said.units) - set(candidate.units)} == {"A"}

    small = Shrinker(convoyed, 400).shrink(ordered)
    assert {order_text(given) for given in small.orders} == {"A LON - BEL", "F NTH C A LON - BEL"}
