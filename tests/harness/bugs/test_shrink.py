"""Positions are made small."""

from random import Random

from datc.harness.bugs.generate import random_movements
from datc.harness.bugs.shrink import Shrinker, ddmin
from datc.harness.bugs.terrain import PROFILES
from datc.harness.play.answer import Answer
from datc.harness.play.differential import agree
from datc.harness.play.positions import order_text
from datc.reference_engine import Move, SupportMove

from ..search.adjudicators import REFERENCE, Altered, lost_border, position_of, says


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
    drawn = (random_movements(rng, PROFILES["dense"]) for _ in range(400))
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


def test_a_disagreement_is_made_as_small_as_it_can_be():
    adjudicator = Altered(lost_border)

    def differs(ordered):
        return not agree(says(REFERENCE, ordered), says(adjudicator, ordered))

    rng = Random(3)
    drawn = (random_movements(rng, PROFILES["dense"]) for _ in range(3000))
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
