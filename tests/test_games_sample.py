"""Real games, with the results that another engine (jDip) gave: a rule choice must explain each difference."""

import gzip
import json
from functools import cache
from pathlib import Path

import pytest

from datc.reference_engine import DATC_3_1, GivenOrder, Position, Remove, Unit, adjudicate, find_procedure, read_order

SAMPLE = Path(__file__).parents[2] / "shared" / "data" / "games_sample.jsonl.gz"

# What the other engine plays where it is not what datc-3.1 prefers: an army that is told to go via convoy to a
# neighbour, where nobody was ordered to convoy it, walks (see the README of the data).
OTHERWISE = DATC_3_1.with_choices({"4.A.3": "2000-fallback-unordered"})


@pytest.fixture(scope="module")
def phases():
    if not SAMPLE.is_file():
        pytest.skip(f"the sample of games is not part of the repository, and not at {SAMPLE}")
    with gzip.open(SAMPLE, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@cache
def read(text, phase):
    return read_order(text, phase)


def given(phase):
    return [GivenOrder(power, read(text, phase["phase"]).order) for power, text in phase["orders"]]


def units_of(entries):
    return sorted(Unit(*entry) for entry in entries)


def province(location):
    return location.partition("/")[0]


def agrees(phase, result):
    """Whether board and dislodged units are those of the other engine; it may say that one was destroyed at once."""
    dislodged = {province(entry.unit.location): entry for entry in result.dislodged}
    theirs = {province(location): entry for location, entry in phase["after_dislodged"].items()}
    return (
        sorted(result.units) == units_of(phase["after_units"])
        and dislodged.keys() == theirs.keys()
        and all(entry["retreats"] != [] or not dislodged[where].retreats for where, entry in theirs.items())
    )


def test_every_order_is_read_without_a_guess(phases):
    notes = [read(text, phase["phase"]).notes for phase in phases for _, text in phase["orders"]]
    assert len(notes) > 100_000
    assert not any(notes)


def test_movement_phases_agree_or_differ_by_a_rule_choice(phases):
    explained = 0
    for phase in phases:
        if phase["phase"] != "movement":
            continue
        position = Position(Unit(*unit) for unit in phase["units"])
        orders = given(phase)
        if not agrees(phase, adjudicate(position, orders)):
            assert agrees(phase, adjudicate(position, orders, OTHERWISE)), phase["id"]
            explained += 1
    assert explained == 72


def test_the_procedures_of_the_datc_make_the_same_of_movement_phases(phases):
    procedures = [find_procedure(name) for name in ("guess", "decisions")]
    for phase in phases:
        if phase["phase"] == "movement":
            position = Position(Unit(*unit) for unit in phase["units"])
            orders = given(phase)
            expected = adjudicate(position, orders)
            for procedure in procedures:
                assert adjudicate(position, orders, DATC_3_1, procedure) == expected, phase["id"]


def test_retreat_phases_agree(phases):
    movements = {phase["id"]: phase for phase in phases if phase["phase"] == "movement"}
    compared = 0
    for phase in phases:
        if phase["phase"] != "retreat":
            continue
        movement = movements[phase["id"][:-1] + "M"]
        before = adjudicate(Position(Unit(*unit) for unit in movement["units"]), given(movement), OTHERWISE)
        position = Position(before.units, phase="retreat", dislodged=before.dislodged)
        assert sorted(before.units) == units_of(phase["units"])
        assert sorted(adjudicate(position, given(phase)).units) == units_of(phase["after_units"]), phase["id"]
        compared += 1
    assert compared == 6098


def test_adjustment_phases_agree_where_all_removals_are_ordered(phases):
    compared = 0
    for phase in phases:
        if phase["phase"] != "adjustment":
            continue
        position = Position((Unit(*unit) for unit in phase["units"]), phase="adjustment", centers=phase["centers"])
        orders = given(phase)
        if any(falls_into_disorder(position, power, orders) for power in position.board.powers):
            continue  # The other engine removes by a rule of its own (see the README of the data).
        assert sorted(adjudicate(position, orders).units) == units_of(phase["after_units"]), phase["id"]
        compared += 1
    assert compared == 3846


def falls_into_disorder(position, power, orders):
    due = sum(unit.power == power for unit in position.units) - len(position.centers.get(power, ()))
    removals = {
        province(order.order.unit.location)
        for order in orders
        if order.power == power and isinstance(order.order, Remove)
    }
    return due > len(removals)
