"""Mutants in adjustments: what is built and where, and what is removed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from ....reference_engine import OrderedUnit, Procedure, Unit, province_code
from ....reference_engine.board import Province
from ....reference_engine.civil_disorder import SortKey, removal_order
from ....reference_engine.orders import Build, GivenOrder, Remove, Waive
from ....reference_engine.position import Adjudication, OrderResult, Position, Reason
from ...play.positions import ordered_province
from .mutant import Adjudicated, Orders, by_orders, by_result, mutant


def _due(position: Position, power: str) -> int:
    """How many units a power may build; how many it must remove is below zero."""
    return len(position.counted(power)) - sum(unit.power == power for unit in position.units)


class _RefusedBuild(NamedTuple):
    """A build that the rules refuse, and what is true of its province."""

    unit: OrderedUnit
    reason: Reason
    province: Province | None
    is_vacant: bool
    is_home: bool
    """Whether it is a home center of the power."""
    is_beside_home: bool
    """Whether it is no center, and borders on an own home center."""
    in_country: bool
    """Whether it is in the home country, and no center."""
    is_owned: bool
    can_stand: bool


def _building(accepts: Callable[[_RefusedBuild], bool], *, too_many: bool = False) -> Procedure:
    """Adjudicate by the rules, and carry out further builds that were refused."""

    def mutate(phase: Adjudicated) -> Adjudication:
        position, board = phase.position, phase.position.board
        units, results = list(phase.result.units), list(phase.result.orders)
        for index, (power, order) in enumerate(phase.orders):
            reason = results[index].reason
            if not isinstance(order, Build) or reason is None:
                continue
            built = sum(unit.power == power for unit in units) - sum(unit.power == power for unit in position.units)
            if _due(position, power) <= (0 if too_many else built):
                continue
            code, kind, location = ordered_province(order), order.unit.type, order.unit.location
            build = _RefusedBuild(
                order.unit,
                reason,
                board.province(location),
                is_vacant=code in board.number and position.occupant[board.number[code]] < 0,
                is_home=code in board.powers[power].home_centers,
                is_beside_home=code not in board.supply_centers and _is_beside_home(position, power, code),
                in_country=code in board.powers[power].country and code not in board.supply_centers,
                is_owned=code in position.centers.get(power, ()),
                can_stand=kind is not None and board.can_stand(kind, location),
            )
            if accepts(build):
                units.append(Unit(power, kind or "A", location))
                results[index] = OrderResult()
        return phase.result._replace(units=tuple(units), orders=tuple(results))

    return by_result("adjustment", mutate)


@mutant("builds in a supply center where a unit stands", _building)
def _build_in_occupied(build: _RefusedBuild) -> bool:
    return build.is_home and build.is_owned and build.can_stand and not build.is_vacant


@mutant("builds in a supply center that is no home center", _building)
def _build_abroad(build: _RefusedBuild) -> bool:
    return build.is_vacant and build.is_owned and build.can_stand and not build.is_home


@mutant("builds in a home center that another power owns", _building)
def _build_in_lost_home(build: _RefusedBuild) -> bool:
    return build.is_vacant and build.is_home and build.can_stand and not build.is_owned


@mutant("builds in a province of the home country that is no center", _building)
def _build_in_no_center(build: _RefusedBuild) -> bool:
    return build.in_country and build.is_vacant and build.can_stand


def _is_beside_home(position: Position, power: str, code: str) -> bool:
    board, owned = position.board, position.centers.get(power, ())
    homes = (board.number[home] for home in board.powers[power].home_centers if home in owned)
    return code in board.number and any(board.borders_of_any_unit(home) >> board.number[code] & 1 for home in homes)


@mutant("builds in a province beside a home center, or at sea", _building)
def _build_beside_home(build: _RefusedBuild) -> bool:
    return build.is_beside_home and build.is_vacant and build.can_stand


@mutant("builds more units than are due", partial(_building, too_many=True))
def _too_many_builds(build: _RefusedBuild) -> bool:
    return build.reason == "ignored"


@mutant(
    "builds nothing that is ordered after a waived build, though more builds are due", partial(by_orders, "adjustment")
)
def _waive_ends_builds(_position: Position, orders: Orders) -> Orders:
    waiving: set[str] = set()
    obeyed: list[GivenOrder] = []
    for given in orders:
        obeyed.append(GivenOrder(given.power, None) if given.power in waiving else given)
        if isinstance(given.order, Waive):
            waiving.add(given.power)
    return obeyed


def _not_building(refuses: Callable[[Position, str, str], bool]) -> Procedure:
    """Adjudicate adjustments without the builds of some powers in some provinces."""

    def obeyed(position: Position, given: GivenOrder) -> GivenOrder:
        power, order = given
        is_refused = isinstance(order, Build) and refuses(position, power, ordered_province(order))
        return GivenOrder(power, None) if is_refused else given

    return by_orders("adjustment", lambda position, orders: [obeyed(position, given) for given in orders])


@mutant("builds nothing for a power that has no unit", _not_building)
def _build_needs_unit(position: Position, power: str, _province: str) -> bool:
    return all(unit.power != power for unit in position.units)


@mutant("knows three home centers of a power at most, and so builds nothing in Warsaw", _not_building)
def _build_in_fourth_home_refused(position: Position, power: str, province: str) -> bool:
    return province in position.board.powers[power].home_centers[3:]


@mutant("builds two units in one province", _building)
def _two_built_in_one_province(build: _RefusedBuild) -> bool:
    return build.reason == "ignored"


def _is_fleet_at_home(build: _RefusedBuild) -> bool:
    return build.is_vacant and build.is_home and build.is_owned and build.unit.type == "F"


@mutant("builds a fleet in an inland province", _building)
def _fleet_built_inland(build: _RefusedBuild) -> bool:
    return _is_fleet_at_home(build) and build.province is not None and build.province.terrain == "inland"


@mutant("builds a fleet in a province with two coasts on neither of them", _building)
def _fleet_built_on_no_coast(build: _RefusedBuild) -> bool:
    has_coasts = build.province is not None and bool(build.province.coasts)
    return _is_fleet_at_home(build) and has_coasts and "/" not in build.unit.location


class _Removals(NamedTuple):
    """What the rules remove of a power, and what it orders."""

    by_rule: Sequence[Unit]
    units: Sequence[Unit]
    """All units of the power."""
    ordered: Sequence[str]
    """The provinces whose units it removes by an order, each as often as it is ordered."""
    is_due: bool
    phase: Adjudicated
    power: str


def _removing(chosen: Callable[[_Removals], Iterable[Unit]]) -> Procedure:
    """Adjudicate by the rules, but for the units that are removed: of each power these instead."""

    def mutate(phase: Adjudicated) -> Adjudication:
        position, after = phase.position, phase.result.units
        gone: set[Unit] = set()
        results = list(phase.result.orders)
        for power in position.board.powers:
            orders = {
                index: ordered_province(order)
                for index, (other, order) in enumerate(phase.orders)
                if other == power and isinstance(order, Remove)
            }
            units = [unit for unit in position.units if unit.power == power]
            by_rule = [unit for unit in units if unit not in after]
            is_due = _due(position, power) < 0
            theirs = set(chosen(_Removals(by_rule, units, list(orders.values()), is_due, phase, power)))
            gone |= theirs
            for index, province in orders.items():
                if _standing_in(theirs, [province]):
                    results[index] = OrderResult()
        stay = [unit for unit in position.units if unit not in gone]
        built = [unit for unit in after if unit not in position.units]
        return phase.result._replace(units=(*stay, *built), orders=tuple(results))

    return by_result("adjustment", mutate)


def _standing_in(units: Iterable[Unit], provinces: Sequence[str]) -> list[Unit]:
    return [unit for unit in units if province_code(unit.location) in provinces]


def removing_first(key: Callable[[SortKey, Unit], tuple[object, ...]]) -> Procedure:
    """Remove what was ordered and, for what is missing, the first units by a key made of the usual one."""

    def chosen(removals: _Removals) -> Iterable[Unit]:
        usual = removal_order(removals.phase.position, removals.power, removals.phase.ruleset)
        obeyed = _standing_in(removals.by_rule, removals.ordered)
        left = [unit for unit in removals.units if unit not in obeyed]
        left.sort(key=lambda unit: key(usual(unit), unit))
        return [*obeyed, *left[: len(removals.by_rule) - len(obeyed)]]

    return _removing(chosen)


@mutant("removes no unit where removals are due but not ordered", _removing)
def _too_few_removed(removals: _Removals) -> Iterable[Unit]:
    return _standing_in(removals.by_rule, removals.ordered)


@mutant("removes no unit of a power that has no supply center", _removing)
def _too_few_removed_without_centers(removals: _Removals) -> Iterable[Unit]:
    return removals.by_rule if removals.phase.position.centers.get(removals.power) else ()


@mutant("removes all units that were ordered to go, more than are due", _removing)
def _too_many_removed(removals: _Removals) -> Iterable[Unit]:
    return [*removals.by_rule, *_standing_in(removals.units, removals.ordered)] if removals.is_due else ()


@mutant("removes units where no removal is due", _removing)
def _removed_without_need(removals: _Removals) -> Iterable[Unit]:
    return removals.by_rule if removals.is_due else _standing_in(removals.units, removals.ordered)


@mutant("removes the units nearest to home in civil disorder, not the farthest", removing_first)
def _nearest_removed(usual: SortKey, _unit: Unit) -> tuple[object, ...]:
    # Units on supply centers are not spared: the nearest are those.
    _, farness, army_later, name = usual
    return -farness, army_later, name


@mutant("removes an army before a fleet at the same distance in civil disorder", removing_first)
def _army_removed_first(usual: SortKey, unit: Unit) -> tuple[object, ...]:
    spared, farness, _, name = usual
    return spared, farness, unit.type == "F", name


@mutant("removes units in civil disorder by the alphabet alone, whatever their distance", removing_first)
def _removed_by_alphabet(usual: SortKey, _unit: Unit) -> tuple[object, ...]:
    return (usual[3],)


@mutant("counts a removal that is ordered twice as two, and so removes too few", _removing)
def _removal_counted_twice(removals: _Removals) -> Iterable[Unit]:
    ordered = removals.ordered[: len(removals.by_rule)]
    is_twice = len(set(ordered)) < len(ordered) and removals.by_rule
    return _standing_in(removals.units, ordered) if is_twice else removals.by_rule
