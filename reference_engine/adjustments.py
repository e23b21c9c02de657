# mypyc
"""The adjustment phase: builds and removals one by one as ordered, and the civil-disorder rules for what is left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .board import OrderedUnit, Province, Unit, UnitType, province_code
from .choices import (
    BUILT_ON_DEFAULT_COAST,
    INLAND_FLEET_IS_ARMY,
    MAY_WAIVE,
    UNKNOWN_COAST_IGNORED,
    ChoiceTables,
    check_supported,
    choices_of,
)
from .civil_disorder import ALPHABET, REMOVAL_RULES, homes, removal_order
from .legality import SUPPORTED_CHOICES as SUPPORTED_FOR_LEGALITY
from .legality import Legality, check_given
from .orders import Build, GivenOrder, Order, Remove, Waive
from .position import IGNORED, ILLEGAL, SUCCEEDED, Adjudication, OrderResult, Position
from .rulesets import Ruleset


def _first(orders: Sequence[int], allowed: int) -> Sequence[int]:
    return orders[:allowed]


def _last(orders: Sequence[int], allowed: int) -> Sequence[int]:
    return orders[-allowed:]


def _none(_orders: Sequence[int], _allowed: int) -> Sequence[int]:
    return ()


TOO_MANY: Mapping[str, Mapping[str, Callable[[Sequence[int], int], Sequence[int]]]] = {
    "4.D.4": {"first-legal": _first, "last-legal": _last, "none": _none},
    "4.D.5": {"first": _first, "last": _last, "none": _none},
    "4.D.6": {"first-legal": _first, "last-legal": _last, "civil-disorder": _none},
}
"""Which of too many legal orders (as their indices) are followed: by issue and choice."""

UNDESIGNATED_BUILDS: Mapping[str, frozenset[str]] = {
    "fail": frozenset(),
    "army-inland": frozenset({"inland"}),
    "army-inland-fleet-if-coast": frozenset({"inland", "coast"}),
}
"""Issue 4.C.3: where a build without a unit type succeeds: an army inland, a fleet where the order names a coast."""

CHOICE_TABLES: ChoiceTables = {
    **TOO_MANY,
    "4.B.7": BUILT_ON_DEFAULT_COAST,
    "4.C.3": UNDESIGNATED_BUILDS,
    "4.C.4": INLAND_FLEET_IS_ARMY,
    "4.D.7": MAY_WAIVE,
    "4.D.8": REMOVAL_RULES,
    "X.17": ALPHABET,
}
"""The issues of adjustments alone."""

SUPPORTED_CHOICES = {
    **{issue: SUPPORTED_FOR_LEGALITY[issue] for issue in ("4.B.5", "4.B.6", "4.C.1", "4.C.2")},
    **choices_of(CHOICE_TABLES),
}


def adjudicate_adjustments(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Adjudication:
    """Adjudicate an adjustment phase: each power may build, or must remove, the difference of its centers and units.

    Raises `UnplayedChoiceError` for a choice that this engine does not play.
    """
    check_supported(ruleset, SUPPORTED_CHOICES)
    check_given(position.board, orders)
    results = [ILLEGAL] * len(orders)
    removed: set[Unit] = set()
    built: list[Unit] = []
    for power in position.board.powers:
        indices = [index for index, order in enumerate(orders) if order.power == power]
        due = len(position.counted(power)) - sum(unit.power == power for unit in position.units)
        if due > 0:
            built += _build(position, orders, indices, due, ruleset, results)
        elif due < 0:
            removed |= _remove(position, power, orders, indices, -due, ruleset, results)
    after = [unit for unit in position.units if unit not in removed]
    return Adjudication((*after, *built), (), tuple(results))


def _build(
    position: Position,
    orders: Sequence[GivenOrder],
    indices: Sequence[int],
    due: int,
    ruleset: Ruleset,
    results: list[OrderResult],
) -> list[Unit]:
    """The units that one power builds; notes the results of its orders."""
    units = {index: unit for index in indices if (unit := _unit_to_build(position, *orders[index], ruleset))}
    places: dict[str, list[int]] = {}
    for index, unit in units.items():
        results[index] = IGNORED
        places.setdefault(province_code(unit.location), []).append(index)
    one_each = {
        index
        for rivals in places.values()
        for index in (TOO_MANY["4.D.5"][ruleset.choices["4.D.5"]](rivals, 1) if len(rivals) > 1 else rivals)
    }
    may_waive = MAY_WAIVE[ruleset.choices["4.D.7"]]
    waived = {index for index in indices if may_waive and isinstance(orders[index].order, Waive)}
    followed: Sequence[int] = sorted(one_each | waived)
    if len(followed) > due:
        followed = TOO_MANY["4.D.4"][ruleset.choices["4.D.4"]](followed, due)
    for index in waived:
        results[index] = IGNORED
    for index in followed:
        results[index] = SUCCEEDED
    return [units[index] for index in followed if index in units]


def _unit_to_build(position: Position, power: str, order: Order | None, ruleset: Ruleset) -> Unit | None:
    """The unit that a build order makes, or `None` where the order is illegal."""
    if not isinstance(order, Build) or order.unit.power not in (None, power):
        return None
    board = position.board
    province = board.province(order.unit.location)
    if province is None or not _can_build_in(position, power, province.code):
        return None
    location = _location_to_build(position, order.unit, ruleset)
    if location is None:
        return None
    unit_type = _type_to_build(order.unit, province, ruleset, names_coast="/" in location)
    if unit_type is None:
        return None
    if unit_type == "A":
        location = province.code
    elif location == province.code and province.coasts and BUILT_ON_DEFAULT_COAST[ruleset.choices["4.B.7"]]:
        location = f"{province.code}/{ruleset.default_coasts.get(province.code, '')}"
    return Unit(power, unit_type, location) if board.can_stand(unit_type, location) else None


def _can_build_in(position: Position, power: str, province: str) -> bool:
    """Whether a province is a vacant center that a power owns, and its home if the map has no other rule."""
    is_own = province in homes(position, power) and province in position.counted(power)
    return is_own and position.occupant[position.board.number[province]] < 0


def _type_to_build(ordered: OrderedUnit, province: Province, ruleset: Ruleset, *, names_coast: bool) -> UnitType | None:
    """The type of a unit to build, where it is left out (4.C.3) or cannot be (4.C.4); `None` where that is illegal."""
    if ordered.type is None:
        where = "coast" if names_coast else province.terrain
        if where not in UNDESIGNATED_BUILDS[ruleset.choices["4.C.3"]]:
            return None
        return "F" if where == "coast" else "A"
    if ordered.type == "F" and province.terrain == "inland" and INLAND_FLEET_IS_ARMY[ruleset.choices["4.C.4"]]:
        return "A"
    return ordered.type


def _location_to_build(position: Position, ordered: OrderedUnit, ruleset: Ruleset) -> str | None:
    """The location of a build; a coast that is unknown or of no use is left out or spoils the order (4.B.6)."""
    location = ordered.location
    if "/" not in location or (location in position.board.number and ordered.type != "A"):
        return location
    return province_code(location) if UNKNOWN_COAST_IGNORED[ruleset.choices["4.B.6"]] else None


def _remove(
    position: Position,
    power: str,
    orders: Sequence[GivenOrder],
    indices: Sequence[int],
    due: int,
    ruleset: Ruleset,
    results: list[OrderResult],
) -> set[Unit]:
    """The units that one power removes, by order or in civil disorder; notes the results of its orders."""
    legality = Legality(position, ruleset)
    named: dict[int, int] = {}
    for index in indices:
        order = orders[index].order
        if isinstance(order, Remove) and (unit := legality.commanded(power, order.unit)) >= 0:
            results[index] = IGNORED
            if unit not in named.values():
                named[index] = unit
    followed: Sequence[int] = list(named)
    if len(followed) > due:
        followed = TOO_MANY["4.D.6"][ruleset.choices["4.D.6"]](followed, due)
    for index in followed:
        results[index] = SUCCEEDED
    removed = {position.units[named[index]] for index in followed}
    if len(removed) >= due:
        return removed
    left = [unit for unit in position.units if unit.power == power and unit not in removed]
    left.sort(key=removal_order(position, power, ruleset))
    return removed | set(left[: due - len(removed)])
