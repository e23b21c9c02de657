"""Where a dislodged unit may retreat to, and why: neighbours that the test finds itself, and sentences."""

from __future__ import annotations

import itertools
from random import Random

import pytest

from datc.harness.explain.sentences import RetreatExplanation, RetreatSentences
from datc.reference_engine import DATC_3_2, Dislodged, GivenOrder, Position, Ruleset, Unit, adjudicate, read_order
from datc.reference_engine.explanation import MovementExplanation, explain_movement

from ...reference_engine.brute_force import random_battle
from .borders import sails, walks

BY_CONVOY = "its attacker came from there, but by convoy (4.A.5 = retreat-to-origin)"


def dislodgements(rules: Ruleset) -> list[tuple[MovementExplanation, RetreatExplanation]]:
    """Explain the retreats of the first forty dislodged units of random battles."""
    found: list[tuple[MovementExplanation, RetreatExplanation]] = []
    for seed in itertools.count():
        if len(found) >= 40:
            return found
        battle = random_battle(Random(seed))
        told = explain_movement(battle.position(), battle.orders(), rules)
        after = told.adjudication
        say = RetreatSentences(told.position.board, rules, told)
        found += [(told, each) for each in say.explain(after.dislodged, after.units)]
    return found


@pytest.mark.parametrize("rules", [DATC_3_2, DATC_3_2.with_choices({"4.A.5": "no-retreat-to-origin"})])
def test_each_province_is_open_or_closed_for_the_reason_that_is_there(rules: Ruleset) -> None:
    for told, retreat in dislodgements(rules):
        after = told.adjudication
        (entry,) = [each for each in after.dislodged if each.unit.location == retreat.location]
        near = walks(retreat.location) if entry.unit.type == "A" else sails(retreat.location)
        assert {each.location for each in retreat.provinces} == near
        standing = {unit.location[:3]: unit for unit in after.units}
        for each in retreat.provinces:
            province = each.location[:3]
            is_origin = province == entry.attacked_from
            assert each.is_open == (each.location in (entry.retreats or ()))
            if each.is_open:
                assert province not in standing
                assert province not in after.contested
                assert each.why == (BY_CONVOY if is_origin else "adjacent and vacant, without a standoff")
            elif province in standing:
                assert each.why.endswith(" stands there")
            elif is_origin:
                assert each.why == "its attacker came from there"
            else:
                assert province in after.contested
                assert each.why.startswith("contested by ")
                named = each.why.removeprefix("contested by ").replace(" and ", ", ").split(", ")
                assert len(named) == len(told.standoff(told.position.board.number[province])) > 0


POSITION = Position(
    [Unit("GERMANY", "A", "BUR"), Unit("GERMANY", "A", "MUN"), Unit("GERMANY", "F", "GAS")],
    phase="retreat",
    dislodged=[
        Dislodged(Unit("FRANCE", "A", "BUR"), "RUH", ("BEL", "PAR")),
        Dislodged(Unit("FRANCE", "F", "MAO"), "GAS", ("POR", "SPA/NC", "SPA/SC")),
        Dislodged(Unit("ITALY", "A", "PIE"), "MAR", ()),
    ],
)
ORDERS = """
FRANCE | A Bur - Par, A Bur - Bel | the unit follows another of its orders (4.D.3 = first)
FRANCE | A Bur - Mun | Germany's A Munich stands there; it may retreat to Belgium and Paris
FRANCE | A Bur - Ruh | its attacker came from there; it may retreat to Belgium and Paris
FRANCE | A Bur - Mar | a standoff left it vacant; it may retreat to Belgium and Paris
FRANCE | A Bur - Lon | A Burgundy cannot go to London; it may retreat to Belgium and Paris
FRANCE | F Mao - Spa | it does not say to which coast: Spain(nc) or Spain(sc) (4.B.1 = fail); it may retreat to Portugal, Spain(nc) and Spain(sc)
FRANCE | A Ber - Kie | no unit was dislodged from Berlin
FRANCE | A Pie - Tus | it is for Italy's A Piedmont
ITALY | A Pie - Tus | a standoff left it vacant; it has no retreat
FRANCE | F Mao - Por via convoy | a retreat has no convoy
FRANCE | A Bur S A Mun | it is an order of another phase
"""  # noqa: E501 - rows of a table: the power, its orders, and why the last one fails


@pytest.mark.parametrize("row", ORDERS.strip().splitlines())
def test_why_an_order_fails(row: str) -> None:
    power, texts, why = (cell.strip() for cell in row.split("|"))
    orders = [GivenOrder(power, read_order(text, "retreat").order) for text in texts.split(", ")]
    reason = adjudicate(POSITION, orders).orders[-1].reason
    assert reason is not None
    say = RetreatSentences(POSITION.board, DATC_3_2)
    retreats = say.explain(POSITION.dislodged, POSITION.units)
    assert "; ".join(say.why_failed(POSITION, retreats, orders[-1], reason)) == why
