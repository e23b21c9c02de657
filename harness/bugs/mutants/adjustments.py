"""Mutants in adjustments: what is built and where, and what is removed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ....reference_engine import (
    Adjudication,
    Build,
    GivenOrder,
    OrderResult,
    Position,
    Procedure,
    Reason,
    Remove,
    Ruleset,
    Unit,
    Waive,
    province_code,
)
from ....reference_engine.civil_disorder import SortKey, removal_order
from ....reference_engine.procedures import EQUATIONS
from .mutant import AdjudicatedPhase, Mutant, by_phase, by_result, ordered_province

_DONE = OrderResult()


def _due(position: Position, power: str) -> int:
    """How many units a power may build; how many it must remove is below zero."""
    return len(position.centers.get(power, ())) - sum(unit.power == power for unit in position.units)


class _RefusedBuild(NamedTuple):
    """A build that the rules refuse."""

    position: Position
    power: str
    order: Build
    reason: Reason

    @property
    def is_vacant(self) -> bool:
        number = self.position.board.number.get(ordered_province(self.order), -1)
        return number >= 0 and self.position.occupant[number] < 0

    @property
    def is_home(self) -> bool:
        return ordered_province(self.order) in self.position.board.powers[self.power].home_centers

    @property
    def is_owned(self) -> bool:
        return ordered_province(self.order) in self.position.centers.get(self.power, ())

    @property
    def can_stand(self) -> bool:
        kind, location = self.order.unit.type, self.order.unit.location
        return kind is not None and self.position.board.can_stand(kind, location)


def _building(accepts: Callable[[_RefusedBuild], bool], *, too_many: bool = False) -> Procedure:
    """Adjudicate by the rules, and carry out further builds that were refused."""

    def mutate(phase: AdjudicatedPhase) -> Adjudication:
        position = phase.position
        units, results = list(phase.result.units), list(phase.result.orders)
        for index, (power, order) in enumerate(phase.orders):
            reason = results[index].reason
            if not isinstance(order, Build) or reason is None:
                continue
            built = sum(unit.power == power for unit in units) - sum(unit.power == power for unit in position.units)
            is_due = _due(position, power) > (0 if too_many else built)
            if is_due and accepts(_RefusedBuild(position, power, order, reason)):
                units.append(Unit(power, order.unit.type or "A", order.unit.location))
                results[index] = _DONE
        return phase.result._replace(units=tuple(units), orders=tuple(results))

    return by_result("adjustment", mutate)


def _in_occupied(build: _RefusedBuild) -> bool:
    return build.is_home and build.is_owned and build.can_stand and not build.is_vacant


def _abroad(build: _RefusedBuild) -> bool:
    return build.is_vacant and build.is_owned and build.can_stand and not build.is_home


def _in_lost_home(build: _RefusedBuild) -> bool:
    return build.is_vacant and build.is_home and build.can_stand and not build.is_owned


def _not_in_center(build: _RefusedBuild) -> bool:
    province, board = ordered_province(build.order), build.position.board
    in_country = province in board.powers[build.power].country and province not in board.supply_centers
    return in_country and build.is_vacant and build.can_stand


def _is_ignored(build: _RefusedBuild) -> bool:
    return build.reason == "ignored"


def _is_fleet_at_home(build: _RefusedBuild) -> bool:
    return build.is_vacant and build.is_home and build.is_owned and build.order.unit.type == "F"


def _fleet_inland(build: _RefusedBuild) -> bool:
    province = build.position.board.province(build.order.unit.location)
    return _is_fleet_at_home(build) and province is not None and province.terrain == "inland"


def _fleet_without_coast(build: _RefusedBuild) -> bool:
    location = build.order.unit.location
    province = build.position.board.province(location)
    return _is_fleet_at_home(build) and province is not None and bool(province.coasts) and "/" not in location


def _building_before_waiving(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Adjudication:
    """Take no notice of what a power orders after it waived a build."""
    waiving: set[str] = set()
    obeyed: list[GivenOrder] = []
    for given in orders:
        obeyed.append(GivenOrder(given.power, None) if given.power in waiving else given)
        if isinstance(given.order, Waive):
            waiving.add(given.power)
    return EQUATIONS["adjustment"](position, obeyed, ruleset)


class _Removals(NamedTuple):
    """The removals of a power, as the rules have them."""

    phase: AdjudicatedPhase
    power: str
    by_rule: Sequence[Unit]

    @property
    def units(self) -> list[Unit]:
        """All units of the power."""
        return [unit for unit in self.phase.position.units if unit.power == self.power]

    @property
    def ordered(self) -> list[str]:
        """The provinces whose units the power removes by an order, each as often as it is ordered."""
        orders = self.phase.orders
        return [ordered_province(order) for power, order in orders if power == self.power and isinstance(order, Remove)]

    @property
    def are_due(self) -> bool:
        return _due(self.phase.position, self.power) < 0

    def usual_key(self) -> Callable[[Unit], SortKey]:
        """Return how units are sorted that are removed in civil disorder, the first one removed first."""
        return removal_order(self.phase.position, self.power, self.phase.ruleset)

    def automatic(self, key: Callable[[Unit], tuple[object, ...]]) -> set[Unit]:
        """Remove what was ordered and, for what is missing, the first units by this key."""
        obeyed = _standing_in(self.by_rule, self.ordered)
        left = sorted((unit for unit in self.units if unit not in obeyed), key=key)
        return {*obeyed, *left[: len(self.by_rule) - len(obeyed)]}


def _standing_in(units: Sequence[Unit], provinces: Sequence[str]) -> set[Unit]:
    return {unit for unit in units if province_code(unit.location) in provinces}


def _removing(chosen: Callable[[_Removals], set[Unit]]) -> Procedure:
    """Adjudicate by the rules, but for the units that are removed: of each power these instead."""

    def mutate(phase: AdjudicatedPhase) -> Adjudication:
        before, after = phase.position.units, phase.result.units
        removed: set[Unit] = set()
        results = list(phase.result.orders)
        for power in phase.position.board.powers:
            by_rule = [unit for unit in before if unit.power == power and unit not in after]
            theirs = chosen(_Removals(phase, power, by_rule))
            removed |= theirs
            gone = {province_code(unit.location) for unit in theirs}
            for index, (other, order) in enumerate(phase.orders):
                if other == power and isinstance(order, Remove) and ordered_province(order) in gone:
                    results[index] = _DONE
        built = [unit for unit in after if unit not in before]
        stay = [unit for unit in before if unit not in removed]
        return phase.result._replace(units=(*stay, *built), orders=tuple(results))

    return by_result("adjustment", mutate)


def _only_ordered(removals: _Removals) -> set[Unit]:
    return _standing_in(removals.by_rule, removals.ordered)


def _all_ordered(removals: _Removals) -> set[Unit]:
    obeyed = _standing_in(removals.units, removals.ordered)
    return obeyed.union(removals.by_rule) if removals.are_due else set()


def _without_need(removals: _Removals) -> set[Unit]:
    return set(removals.by_rule) if removals.are_due else _standing_in(removals.units, removals.ordered)


def _nearest(removals: _Removals) -> set[Unit]:
    usual = removals.usual_key()

    def key(unit: Unit) -> tuple[int, bool, str]:
        # Units on supply centers are not spared: the nearest are those.
        _, farness, army_later, name = usual(unit)
        return -farness, army_later, name

    return removals.automatic(key)


def _army_first(removals: _Removals) -> set[Unit]:
    usual = removals.usual_key()

    def key(unit: Unit) -> tuple[bool, int, bool, str]:
        spared, farness, _, name = usual(unit)
        return spared, farness, unit.type == "F", name

    return removals.automatic(key)


def _by_alphabet(removals: _Removals) -> set[Unit]:
    usual = removals.usual_key()
    return removals.automatic(lambda unit: (usual(unit)[3],))


def _counted_twice(removals: _Removals) -> set[Unit]:
    ordered = removals.ordered[: len(removals.by_rule)]
    if len(set(ordered)) == len(ordered) or not removals.by_rule:
        return set(removals.by_rule)
    return _standing_in(removals.units, ordered)


MUTANTS = (
    Mutant("build-in-occupied", "builds in a supply center where a unit stands", _building(_in_occupied)),
    Mutant("build-abroad", "builds in a supply center that is no home center", _building(_abroad)),
    Mutant("build-in-lost-home", "builds in a home center that another power owns", _building(_in_lost_home)),
    Mutant(
        "build-in-no-center", "builds in a province of the home country that is no center", _building(_not_in_center)
    ),
    Mutant("too-many-builds", "builds more units than are due", _building(_is_ignored, too_many=True)),
    Mutant(
        "waive-ends-builds",
        "builds nothing that is ordered after a waived build, though more builds are due",
        by_phase("adjustment", _building_before_waiving),
    ),
    Mutant("two-built-in-one-province", "builds two units in one province", _building(_is_ignored)),
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
        "nearest-removed", "removes the units nearest to home in civil disorder, not the farthest", _removing(_nearest)
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
