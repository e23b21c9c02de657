"""What `datc-check explain` says of adjustments: distances that the test counts itself, and sentences."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from datc.harness.explain.adjustments import AdjustmentSentences, PowerAdjustment
from datc.reference_engine import DATC_3_2, GivenOrder, Position, Ruleset, Unit, adjudicate, read_order
from datc.reference_engine.notation import read_unit
from datc.reference_engine.toml import loads

from .borders import CENTERS, POWERS, PROVINCES, SEAS, convoys, distance, locations, sails, touches

BALANCES = loads(Path(__file__).with_name("adjustments.toml").read_text("utf-8"))["balance"]
BY_CONVOY = frozenset({"1971-convoy-one-move", "1971-own-fleets", "1971-any-fleets", "alexander"})
RULES = ["2023", "2000-country", "dptg", "1971-all-abilities", *sorted(BY_CONVOY)]


def explain(position: Position, orders: list[GivenOrder], rules: Ruleset) -> PowerAdjustment:
    after = adjudicate(position, orders, rules)
    followed = [order for order, result in zip(orders, after.orders, strict=True) if result.reason is None]
    balances = AdjustmentSentences(position, after.units, orders, rules).balances(followed)
    (found,) = [each for each in balances if each.power == "RUSSIA"]
    return found


def random_position(random: Random) -> Position:
    """Russia with three to six units and fewer centers, and fleets of others at sea."""
    provinces = random.sample(sorted(PROVINCES), 12)
    units = [_unit(random, "RUSSIA", province) for province in provinces[: random.randint(3, 6)]]
    others = [province for province in provinces[6:] if province in SEAS]
    units += [Unit("TURKEY", "F", sea) for sea in others]
    centers = random.sample(sorted(CENTERS), random.randint(1, 2))
    return Position(units, phase="adjustment", centers={"RUSSIA": centers})


def _unit(random: Random, power: str, province: str) -> Unit:
    can_sail, can_walk = "fleets" in PROVINCES[province], "armies" in PROVINCES[province]
    if can_sail and (not can_walk or random.random() < 0.5):
        return Unit(power, "F", random.choice(locations(province)))
    return Unit(power, "A", province)


def counted(position: Position, unit: Unit, rule: str) -> int | None:
    """The distance of a unit by a choice of 4.D.8, as its text says."""
    goals = {"2023": position.centers["RUSSIA"], "2000-country": POWERS["RUSSIA"]["country"].split()}.get(
        rule, POWERS["RUSSIA"]["home"].split()
    )
    fleets = {
        "1971-convoy-one-move": SEAS,
        "1971-own-fleets": {each.location for each in position.units if each.type == "F" and each.power == "RUSSIA"},
        "1971-any-fleets": {each.location for each in position.units if each.type == "F"},
    }
    fleets["alexander"] = fleets["1971-own-fleets"]
    if rule in {"2023", "1971-all-abilities"} or (rule in {"2000-country", "dptg"} and unit.type == "A"):
        return distance(unit.location[:3], goals, touches)
    moves = sails if unit.type == "F" else convoys(fleets.get(rule, set()) & SEAS)
    if rule != "alexander":
        return distance(unit.location, goals, moves)
    taken = {each.location[:3] for each in position.units}
    return distance(unit.location, goals, lambda location: {to for to in moves(location) if to[:3] not in taken})


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(40))
def test_distances_and_ways_are_those_that_the_test_counts(rule: str, seed: int) -> None:
    position = random_position(Random(seed))
    rules = DATC_3_2.with_choices({"4.D.8": rule})
    found = explain(position, [], rules)
    units = {unit.location: unit for unit in position.units}
    assert len(found.removals) == len(found.units)
    for each in found.removals:
        assert each.distance == counted(position, units[each.location], rule)
        if each.distance is not None:
            assert len(each.way) == each.distance + 1
            assert each.why.startswith(f"distance {each.distance}")
            steps = zip(each.way, each.way[1:], strict=False)
            assert all(there[:3] in _near(here[:3], rule) for here, there in steps)
    gone = [each.removed == "by rule" for each in found.removals]
    assert gone == sorted(gone, reverse=True)
    assert sum(gone) == -found.builds


def _near(province: str, rule: str) -> set[str]:
    return touches(province) | (convoys(SEAS)(province) if rule in BY_CONVOY else set())


@pytest.mark.parametrize("balance", BALANCES, ids=lambda balance: balance["says"][0])
def test_the_sentences_about_a_balance(balance) -> None:
    centers = {"RUSSIA": balance["centers"].split()}
    if "WAR" not in centers["RUSSIA"]:
        centers["GERMANY"] = ["WAR"]
    position = Position(_units(balance["units"]), phase="adjustment", centers=centers)
    found = explain(position, [], DATC_3_2.with_choices(balance.get("choices", {})))
    assert [sentence for sentence in balance["says"] if sentence not in found.sentences] == []


def _units(text: str) -> Iterator[Unit]:
    for each in text.split(", "):
        unit = read_unit(each)
        assert unit.type is not None
        yield Unit("RUSSIA", unit.type, unit.location)


ORDERS = """
A LVN | MOS STP | Build A Moscow, Build A Moscow | | another order to build there is followed (4.D.5 = first)
A LVN | MOS STP | Build A Moscow, Build F STP/NC | | it is one too many: its power may build 1 (4.D.4 = first-legal)
A LVN | MOS STP | Build F STP | | it does not say on which coast: St Petersburg(nc) or St Petersburg(sc) (4.B.7 = fail)
A LVN | MOS STP | Build F Moscow | | a fleet cannot stand in Moscow, which is inland (4.C.4 = fail)
A LVN | MOS STP | Build A Warsaw | | Warsaw does not belong to its power now
A LVN | MOS SEV | Build A SEV, Build F SEV | 4.D.5=none | none of several orders to build there is followed (4.D.5 = none)
A MOS | MOS STP | Build A Moscow | | Russia's A Moscow stands there
A MOS | MOS BEL | Build A Belgium | | Belgium is not a home supply center of its power
A MOS | MOS BEL | Build A Ukraine | | Ukraine is not a supply center
A MOS | MOS STP | Waive, Waive | | it is one too many: its power may build 1 (4.D.4 = first-legal)
A MOS | MOS STP | Waive | 4.D.7=not-allowed | a build cannot be declined (4.D.7 = not-allowed)
A MOS | MOS STP | Remove A Moscow | | its power has nothing to remove
A MOS, A UKR | MOS | Build A Moscow | | its power has nothing to build
A MOS, A UKR | MOS | Remove A Moscow, Remove A Moscow | | another order removes the same unit
A MOS, A UKR | MOS | Remove A MOS, Remove A UKR | | it is one too many: its power has to remove 1 (4.D.6 = first-legal)
A MOS, A UKR | MOS | Remove A Warsaw | | there is no unit in Warsaw
A MOS, A UKR | MOS | A Moscow Hold | | it is an order of another phase
"""  # noqa: E501 - rows of a table
"""Units, centers, orders, another choice, and why the last order fails."""


@pytest.mark.parametrize("row", ORDERS.strip().splitlines())
def test_why_an_order_fails(row: str) -> None:
    units, centers, texts, choice, why = (cell.strip() for cell in row.split("|"))
    position = Position(_units(units), phase="adjustment", centers={"RUSSIA": centers.split()})
    orders = [GivenOrder("RUSSIA", read_order(text, "adjustment").order) for text in texts.split(", ")]
    rules = DATC_3_2.with_choices(dict([choice.split("=")]) if choice else {})
    after = adjudicate(position, orders, rules)
    reason = after.orders[-1].reason
    assert reason is not None
    assert AdjustmentSentences(position, after.units, orders, rules).why_failed(orders[-1], reason) == why
