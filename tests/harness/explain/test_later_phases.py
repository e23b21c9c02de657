"""What `datc-check explain` says of retreats and adjustments: borders and distances counted apart from the engine.

The borders of the board are those of `data/standard.toml`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from random import Random

import pytest

import datc.reference_engine
from datc.harness.explain.adjustments import AdjustmentSentences, PowerAdjustment
from datc.harness.explain.sentences import RetreatExplanation, RetreatSentences
from datc.reference_engine import DATC_3_2, Dislodged, GivenOrder, Position, Ruleset, Unit, adjudicate, read_order
from datc.reference_engine.explanation import MovementExplanation, explain_movement
from datc.reference_engine.notation import read_unit
from datc.reference_engine.toml import loads

from ...reference_engine.brute_force import random_battle

TABLE = loads((Path(datc.reference_engine.__file__).parent / "data" / "standard.toml").read_text("utf-8"))
PROVINCES: dict[str, dict] = TABLE["provinces"]
POWERS: dict[str, dict] = TABLE["powers"]
HOMES = {home for power in POWERS.values() for home in power["home"].split()}
CENTERS = HOMES | {*TABLE["neutral_centers"].split()}
SEAS = {code for code, entry in PROVINCES.items() if "armies" not in entry}


def walks(province: str) -> set[str]:
    """The provinces that an army can move to over land."""
    return {*PROVINCES[province].get("armies", "").split()}


def sails(location: str) -> set[str]:
    """The locations that a fleet can move to."""
    province, _, coast = location.partition("/")
    fleets = PROVINCES[province].get("fleets", "")
    near = (fleets[coast] if isinstance(fleets, dict) else fleets).split()
    return {landing for to in near for landing in _landings(to, province)}


def _landings(to: str, origin: str) -> Iterable[str]:
    fleets = PROVINCES[to[:3]].get("fleets", "")
    if "/" in to or not isinstance(fleets, dict):
        return [to]
    return [f"{to}/{coast}" for coast, near in fleets.items() if origin in {each[:3] for each in near.split()}]


def locations(province: str) -> list[str]:
    """The locations of a province in which a fleet can stand."""
    fleets = PROVINCES[province].get("fleets", "")
    return [f"{province}/{coast}" for coast in fleets] if isinstance(fleets, dict) else [province]


def touches(province: str) -> set[str]:
    """The provinces that border a province for either kind of unit."""
    by_sea = set()
    if "fleets" in PROVINCES[province]:
        by_sea = {to[:3] for location in locations(province) for to in sails(location)}
    return walks(province) | by_sea


def convoys(fleets: Collection[str]) -> Callable[[str], set[str]]:
    """The provinces that an army can move to where these seas convoy it: by land, or across any of their chains."""

    def moves(province: str) -> set[str]:
        reached, frontier = set[str](), [sea for sea in touches(province) if sea in fleets]
        while frontier:
            sea = frontier.pop()
            if sea not in reached:
                reached.add(sea)
                frontier += [other for other in touches(sea) if other in fleets]
        return walks(province) | {coast for sea in reached for coast in touches(sea) if coast not in SEAS} - {province}

    return moves


def distance(start: str, goals: Collection[str], moves: Callable[[str], set[str]]) -> int | None:
    """How many moves it takes from a location to the province of a goal; `None` where there is no way."""
    layer, seen, steps = {start}, {start}, 0
    while layer:
        if any(location[:3] in goals for location in layer):
            return steps
        layer = {to for location in layer for to in moves(location)} - seen
        seen |= layer
        steps += 1
    return None


ORIGIN_BY_CONVOY = "its attacker came from there, but by convoy (4.A.5 = retreat-to-origin)"


def dislodgements(rules: Ruleset) -> Iterator[tuple[MovementExplanation, RetreatExplanation]]:
    """Explain the retreats of the dislodged units of random battles."""
    for seed in itertools.count():
        battle = random_battle(Random(seed))
        told = explain_movement(battle.position(), battle.orders(), rules)
        say = RetreatSentences(told.position, rules, told)
        yield from ((told, each) for each in say.explain(told.adjudication.dislodged, told.adjudication.units))


@pytest.mark.parametrize("rules", [DATC_3_2, DATC_3_2.with_choices({"4.A.5": "no-retreat-to-origin"})])
def test_each_province_is_open_or_closed_for_the_reason_that_is_there(rules: Ruleset) -> None:
    for told, retreat in itertools.islice(dislodgements(rules), 40):
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
                assert each.why == (ORIGIN_BY_CONVOY if is_origin else "adjacent and vacant, without a standoff")
            elif province in standing:
                stayed = standing[province] in told.position.units
                assert each.why.endswith(" stands there" if stayed else " moved there")
                assert each.why.startswith("its attacker came from there, and ") == is_origin
            elif is_origin:
                assert each.why == "its attacker came from there"
            else:
                assert province in after.contested
                assert each.why.endswith(" stood off there")
                named = each.why.removesuffix(" stood off there").replace(" and ", ", ").split(", ")
                assert len(named) == len(told.standoff(told.position.board.number[province])) > 0


DISLODGED = Position(
    [Unit("GERMANY", "A", "BUR"), Unit("GERMANY", "A", "MUN"), Unit("GERMANY", "F", "GAS")],
    phase="retreat",
    dislodged=[
        Dislodged(Unit("FRANCE", "A", "BUR"), "RUH", ("BEL", "PAR")),
        Dislodged(Unit("FRANCE", "F", "MAO"), "GAS", ("POR", "SPA/NC", "SPA/SC")),
        Dislodged(Unit("ITALY", "A", "PIE"), "MAR", ()),
    ],
)
RETREATS = """
FRANCE | A Bur - Par, A Bur - Bel | the unit follows another of its orders (4.D.3 = first)
FRANCE | A Bur - Mun | Germany's A Munich stands there; it may retreat to Belgium and Paris
FRANCE | A Bur - Mar | a standoff left it vacant; it may retreat to Belgium and Paris
FRANCE | A Bur - Lon | A Burgundy cannot go to London; it may retreat to Belgium and Paris
FRANCE | F Mao - Spa | it does not say to which coast: Spain(nc) or Spain(sc) (4.B.1 = fail); it may retreat to Portugal, Spain(nc) and Spain(sc)
FRANCE | A Ber - Kie | no unit was dislodged from Berlin
FRANCE | A Pie - Tus | it is for Italy's A Piedmont
ITALY | A Pie - Tus | a standoff left it vacant; it has no retreat
FRANCE | F Mao - Por via convoy | a retreat has no convoy
FRANCE | A Bur S A Mun | it is an order of another phase
"""  # noqa: E501 - rows of a table: the power, its orders, and why the last one fails


@pytest.mark.parametrize("row", RETREATS.strip().splitlines())
def test_why_a_retreat_fails(row: str) -> None:
    power, texts, why = (cell.strip() for cell in row.split("|"))
    orders = [GivenOrder(power, read_order(text, "retreat").order) for text in texts.split(", ")]
    reason = adjudicate(DISLODGED, orders).orders[-1].reason
    assert reason is not None
    say = RetreatSentences(DISLODGED, DATC_3_2)
    retreats = say.explain(DISLODGED.dislodged, DISLODGED.units)
    assert "; ".join(say.why_failed(retreats, orders[-1], reason)) == why


BALANCES = loads(Path(__file__).with_name("adjustments.toml").read_text("utf-8"))["balance"]
BY_CONVOY = frozenset({"1971-convoy-one-move", "1971-own-fleets", "1971-any-fleets", "alexander"})
RULES = ["2023", "2000-country", "dptg", "1971-all-abilities", *sorted(BY_CONVOY)]


def explain(position: Position, rules: Ruleset) -> PowerAdjustment:
    """Explain the balance of Russia, which orders nothing."""
    balances = AdjustmentSentences(position, adjudicate(position, [], rules).units, [], rules).balances([])
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
def test_distances_and_ways_are_those_that_the_test_counts(rule: str) -> None:
    for position in [random_position(Random(seed)) for seed in range(40)]:
        found = explain(position, DATC_3_2.with_choices({"4.D.8": rule}))
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
    found = explain(position, DATC_3_2.with_choices(balance.get("choices", {})))
    assert [sentence for sentence in balance["says"] if sentence not in found.sentences] == []


def _units(text: str) -> Iterator[Unit]:
    for each in text.split(", "):
        unit = read_unit(each)
        assert unit.type is not None
        yield Unit("RUSSIA", unit.type, unit.location)


ADJUSTMENTS = """
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


@pytest.mark.parametrize("row", ADJUSTMENTS.strip().splitlines())
def test_why_an_order_of_an_adjustment_phase_fails(row: str) -> None:
    units, centers, texts, choice, why = (cell.strip() for cell in row.split("|"))
    position = Position(_units(units), phase="adjustment", centers={"RUSSIA": centers.split()})
    orders = [GivenOrder("RUSSIA", read_order(text, "adjustment").order) for text in texts.split(", ")]
    rules = DATC_3_2.with_choices(dict([choice.split("=")]) if choice else {})
    after = adjudicate(position, orders, rules)
    reason = after.orders[-1].reason
    assert reason is not None
    assert AdjustmentSentences(position, after.units, orders, rules).why_failed(orders[-1], reason) == why
