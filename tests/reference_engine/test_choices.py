"""Every choice has one entry in the table of its issue, and an entry is all that a choice needs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import cast

import pytest

from datc.reference_engine import adjudicate, adjustments, civil_disorder, movement, order_sets
from datc.reference_engine.choices import (
    ADJACENT_CONVOYS,
    AdjacentConvoy,
    CoastOfSupport,
    ConvoyPath,
    IllegalOrders,
    choices_of,
)
from datc.reference_engine.civil_disorder import RemovalRule
from datc.reference_engine.paradoxes import ParadoxRule
from datc.reference_engine.rulesets import DATC_3_1, ISSUES, Ruleset

from .play import orders_of, position_of


def test_every_choice_has_an_entry() -> None:
    tables = choices_of(
        {
            **movement.CHOICE_TABLES,
            **adjustments.CHOICE_TABLES,
            **civil_disorder.CHOICE_TABLES,
            **order_sets.CHOICE_TABLES,
        }
    )
    assert {issue: set(choices) for issue, choices in tables.items()} == {
        issue.id: set(issue.choices) for issue in ISSUES.values()
    }


BY_LAND = "by-land-if-tagged"
"""A made-up choice: who asks for a convoy to a neighbour never gets it, and who does not, does."""


def test_a_choice_is_played_once_it_has_an_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    made_up = AdjacentConvoy(
        is_used=lambda move: move.route_ordered and not move.via_convoy, falls_back_to_land=False, needs_fleets=False
    )
    monkeypatch.setitem(cast("dict[str, AdjacentConvoy]", ADJACENT_CONVOYS), BY_LAND, made_up)
    choices = tuple((issue, BY_LAND if issue == "4.A.3" else choice) for issue, choice in DATC_3_1.choices.items())
    rules = Ruleset("made up", choices)
    for tag, swaps in (("", True), (" VIA", False)):
        orders = orders_of(f"ENGLAND: A NWY - SWE{tag}, F SKA C A NWY - SWE; RUSSIA: A SWE - NWY")
        after = adjudicate(position_of(orders), orders, rules)
        assert ({unit.location for unit in after.units if unit.power == "RUSSIA"} == {"NWY"}) is swaps


@pytest.mark.parametrize(
    "record", [AdjacentConvoy, CoastOfSupport, ConvoyPath, IllegalOrders, ParadoxRule, RemovalRule]
)
def test_a_record_that_leaves_out_a_field_is_an_error(record: Callable[..., object]) -> None:
    names = list(inspect.signature(record).parameters)
    for left_out in names:
        with pytest.raises(TypeError, match=f"missing 1 required positional argument: '{left_out}'"):
            _ = record(**{name: None for name in names if name != left_out})
