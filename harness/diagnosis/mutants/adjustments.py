"""Mutants in adjustments: what is built and where, and what is removed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....reference_engine import (
    Adjudication,
    Build,
    GivenOrder,
    OrderResult,
    Position,
    Procedure,
    Remove,
    Ruleset,
    Unit,
    province_code,
)
from ....reference_engine.disorder import removal_order
from .mutant import Mutant, by_result, ordered_province

_DONE = OrderResult()


def _due(position: Position, power: str) -> int:
    """How many units a power may build; how many it must remove is below zero."""
    return len(position.centers.get(power, ())) - sum(unit.power == power for unit in position.units)


def _building(accepted: Callable[[Position, str, Build, OrderResult], bool], *, too_many: bool = False) -> Procedure:
    """Adjudicate by the rules, and carry out further builds that were refused."""

    def afterwards(
        position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset, result: Adjudication
    ) -> Adjudication:
        _ = ruleset
        units, results = list(result.units), list(result.orders)
        for index, (power, order) in enumerate(orders):
            if not isinstance(order, Build) or results[index].reason is None:
                continue
            built = sum(unit.power == power for unit in units) - sum(unit.power == power for unit in position.units)
            is_due = _due(position, power) > (0 if too_many else built)
            if is_due and accepted(position, power, order, results[index]):
                units.append(Unit(power, order.unit.type or "A", order.unit.location))
                results[index] = _DONE
        return result._replace(units=tuple(units), orders=tuple(results))

    return by_result("adjustment", afterwards)


def _is_vacant(position: Position, order: Build) -> bool:
    number = position.board.number.get(ordered_province(order), -1)
    return number >= 0 and position.occupant[number] < 0


def _is_home(position: Position, power: str, order: Build) -> bool:
    return ordered_province(order) in position.board.powers[power].home_centers


def _is_owned(position: Position, power: str, order: Build) -> bool:
    return ordered_province(order) in position.centers.get(power, ())


def _can_stand(position: Position, order: Build) -> bool:
    return order.unit.type is not None and position.board.can_stand(order.unit.type, order.unit.location)


def _in_occupied(position: Position, power: str, order: Build, result: OrderResult) -> bool:
    _ = result
    usual = _is_home(position, power, order) and _is_owned(position, power, order) and _can_stand(position, order)
    return usual and not _is_vacant(position, order)


def _abroad(position: Position, power: str, order: Build, result: OrderResult) -> bool:
    _ = result
    usual = _is_vacant(position, order) and _is_owned(position, power, order) and _can_stand(position, order)
    return usual and not _is_home(position, power, order)


def _in_lost_home(position: Position, power: str, order: Build, result: OrderResult) -> bool:
    _ = result
    usual = _is_vacant(position, order) and _is_home(position, power, order) and _can_stand(position, order)
    return usual and not _is_owned(position, power, order)


def _not_in_center(position: Position, power: str, order: Build, result: OrderResult) -> bool:
    _ = result
    province = ordered_province(order)
    in_country = province in position.board.powers[power].country and province not in position.board.supply_centers
    return in_country and _is_vacant(position, order) and _can_stand(position, order)


def _beyond_due(position: Position, power: str, order: Build, result: OrderResult) -> bool:
    _ = position, power, order
    return result.reason == "ignored"


def _in_same_province(position: Position, power: str, order: Build, result: OrderResult) -> bool:
    _ = position, power, order
    return result.reason == "ignored"


def _fleet_where_none_can_be(position: Position, power: str, order: Build, *, inland: bool) -> bool:
    province = position.board.province(order.unit.location)
    usual = _is_vacant(position, order) and _is_home(position, power, order) and _is_owned(position, power, order)
    if not usual or order.unit.type != "F" or province is None:
        return False
    return province.terrain == "inland" if inland else bool(province.coasts) and "/" not in order.unit.location


def _fleet_inland(position: Position, power: str, order: Build, result: OrderResult) -> bool:
    _ = result
    return _fleet_where_none_can_be(position, power, order, inland=True)


def _fleet_without_coast(position: Position, power: str, order: Build, result: OrderResult) -> bool:
    _ = result
    return _fleet_where_none_can_be(position, power, order, inland=False)


def _ordered_removals(orders: Sequence[GivenOrder], power: str) -> list[str]:
    return [ordered_province(order) for other, order in orders if other == power and isinstance(order, Remove)]


def _removing(chosen: Callable[[Position, Sequence[GivenOrder], Ruleset, str, Sequence[Unit]], set[Unit]]) -> Procedure:
    """Adjudicate by the rules, but for the units that are removed: of each power these instead."""

    def afterwards(
        position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset, result: Adjudication
    ) -> Adjudication:
        removed: set[Unit] = set()
        results = list(result.orders)
        for power in position.board.powers:
            by_rule = [unit for unit in position.units if unit.power == power and unit not in result.units]
            theirs = chosen(position, orders, ruleset, power, by_rule)
            removed |= theirs
            gone = {province_code(unit.location) for unit in theirs}
            for index, (other, order) in enumerate(orders):
                if other == power and isinstance(order, Remove) and ordered_province(order) in gone:
                    results[index] = _DONE
        built = [unit for unit in result.units if unit not in position.units]
        stay = [unit for unit in position.units if unit not in removed]
        return result._replace(units=(*stay, *built), orders=tuple(results))

    return by_result("adjustment", afterwards)


def _of_power(position: Position, power: str) -> list[Unit]:
    return [unit for unit in position.units if unit.power == power]


def _only_ordered(
    position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset, power: str, by_rule: Sequence[Unit]
) -> set[Unit]:
    _ = position, ruleset
    ordered = _ordered_removals(orders, power)
    return {unit for unit in by_rule if province_code(unit.location) in ordered}


def _all_ordered(
    position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset, power: str, by_rule: Sequence[Unit]
) -> set[Unit]:
    _ = ruleset
    ordered = _ordered_removals(orders, power)
    obeyed = {unit for unit in _of_power(position, power) if province_code(unit.location) in ordered}
    return obeyed | set(by_rule) if _due(position, power) < 0 else set()


def _without_need(
    position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset, power: str, by_rule: Sequence[Unit]
) -> set[Unit]:
    _ = ruleset
    if _due(position, power) < 0:
        return set(by_rule)
    ordered = _ordered_removals(orders, power)
    return {unit for unit in _of_power(position, power) if province_code(unit.location) in ordered}


def _automatic(
    position: Position,
    orders: Sequence[GivenOrder],
    power: str,
    by_rule: Sequence[Unit],
    key: Callable[[Unit], tuple[object, ...]],
) -> set[Unit]:
    """The removals that were ordered and, for those missing, the first units by this order."""
    ordered = _ordered_removals(orders, power)
    obeyed = [unit for unit in by_rule if province_code(unit.location) in ordered]
    left = sorted((unit for unit in _of_power(position, power) if unit not in obeyed), key=key)
    return {*obeyed, *left[: len(by_rule) - len(obeyed)]}


def _nearest(
    position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset, power: str, by_rule: Sequence[Unit]
) -> set[Unit]:
    usual = removal_order(position, power, ruleset)

    def key(unit: Unit) -> tuple[int, bool, str]:
        # Units on supply centers are not spared: the nearest are those.
        _, farness, army_later, name = usual(unit)
        return -farness, army_later, name

    return _automatic(position, orders, power, by_rule, key)


def _army_first(
    position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset, power: str, by_rule: Sequence[Unit]
) -> set[Unit]:
    usual = removal_order(position, power, ruleset)

    def key(unit: Unit) -> tuple[bool, int, bool, str]:
        spared, farness, _, name = usual(unit)
        return spared, farness, unit.type == "F", name

    return _automatic(position, orders, power, by_rule, key)


def _by_alphabet(
    position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset, power: str, by_rule: Sequence[Unit]
) -> set[Unit]:
    usual = removal_order(position, power, ruleset)
    return _automatic(position, orders, power, by_rule, lambda unit: (usual(unit)[3],))


def _counted_twice(
    position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset, power: str, by_rule: Sequence[Unit]
) -> set[Unit]:
    _ = ruleset
    ordered = _ordered_removals(orders, power)[: len(by_rule)]
    if len(set(ordered)) == len(ordered) or not by_rule:
        return set(by_rule)
    return {unit for unit in _of_power(position, power) if province_code(unit.location) in ordered}


MUTANTS = (
    Mutant("build-in-occupied", "builds in a supply center where a unit stands", _building(_in_occupied)),
    Mutant("build-abroad", "builds in a supply center that is no home center", _building(_abroad)),
    Mutant("build-in-lost-home", "builds in a home center that another power owns", _building(_in_lost_home)),
    Mutant(
        "build-in-no-center", "builds in a province of the home country that is no center", _building(_not_in_center)
    ),
    Mutant("too-many-builds", "builds more units than are due", _building(_beyond_due, too_many=True)),
    Mutant("two-built-in-one-province", "builds two units in one province", _building(_in_same_province)),
    Mutant("fleet-built-inland", "builds a fleet in an inland province", _building(_fleet_inland)),
    Mutant(
        "fleet-built-on-no-coast",
        "builds a fleet in a province with two coasts on neither of them",
        _building(_fleet_without_coast),
    ),
    Mutant("too-few-removed", "removes no unit where removals are due but not ordered", _removing(_only_ordered)),
    Mutant("too-many-removed", "removes all units that were ordered to go, more than are due", _removing(_all_ordered)),
    Mutant("removed-without-need", "removes units where no removal is due", _removing(_without_need)),
    Mutant(
        "nearest-removed",
        "removes the units nearest to home in civil disorder, not the farthest",
        _removing(_nearest),
    ),
    Mutant(
        "army-removed-first",
        "removes an army before a fleet at the same distance in civil disorder",
        _removing(_army_first),
    ),
    Mutant(
        "removed-by-alphabet",
        "removes units in civil disorder by the alphabet alone, whatever their distance",
        _removing(_by_alphabet),
    ),
    Mutant(
        "removal-counted-twice",
        "counts a removal that is ordered twice as two, and so removes too few",
        _removing(_counted_twice),
    ),
)
