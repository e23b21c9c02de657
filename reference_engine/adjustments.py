"""The adjustment phase: builds and removals one by one as ordered, and the civil-disorder rules for what is left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from .disorder import ALPHABET, DISTANCE, removal_order
from .legality import PLAYED as PLAYED_FOR_LEGALITY
from .legality import Legality, check_played
from .orders import Build, GivenOrder, Order, OrderedUnit, Remove, Unit, Waive
from .position import Position
from .results import IGNORED, ILLEGAL, SUCCEEDED, Adjudication, OrderResult
from .rulesets import Ruleset

_T = TypeVar("_T")


def _first(orders: Sequence[_T], allowed: int) -> Sequence[_T]:
    return orders[:allowed]


def _last(orders: Sequence[_T], allowed: int) -> Sequence[_T]:
    return orders[-allowed:]


def _none(_orders: Sequence[_T], _allowed: int) -> Sequence[_T]:
    return ()


TOO_MANY: Mapping[str, Mapping[str, Callable[[Sequence[int], int], Sequence[int]]]] = {
    "4.D.4": {"first-legal": _first, "last-legal": _last, "none": _none},
    "4.D.5": {"first": _first, "last": _last, "none": _none},
    "4.D.6": {"first-legal": _first, "last-legal": _last, "civil-disorder": _none},
}
"""Which of too many legal orders (as their indices) are followed: by issue and choice."""

MAY_WAIVE: Mapping[str, bool] = {"allowed": True, "not-allowed": False}
"""Issue 4.D.7: whether an order to waive takes the place of a build; otherwise it is illegal."""

UNDESIGNATED_BUILDS: Mapping[str, frozenset[str]] = {
    "fail": frozenset(),
    "army-inland": frozenset({"inland"}),
    "army-inland-fleet-if-coast": frozenset({"inland", "coast"}),
}
"""Issue 4.C.3: where a build without a unit type succeeds: an army inland, a fleet where the order names a coast."""


PLAYED: Mapping[str, frozenset[str]] = {
    **{issue: PLAYED_FOR_LEGALITY[issue] for issue in ("4.B.5", "4.B.6", "4.C.1", "4.C.2")},
    **{issue: frozenset(choices) for issue, choices in TOO_MANY.items()},
    "4.B.7": frozenset({"fail", "default-coast"}),
    "4.C.3": frozenset(UNDESIGNATED_BUILDS),
    "4.C.4": frozenset({"fail", "army"}),
    "4.D.7": frozenset(MAY_WAIVE),
    "4.D.8": frozenset(DISTANCE),
    "X.17": frozenset(ALPHABET),
}


def adjudicate_adjustments(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Adjudication:
    """Adjudicate an adjustment phase: each power may build, or must remove, the difference of its centers and units.

    Raises `UnplayedChoiceError` for a choice that this engine does not play.
    """
    check_played(ruleset, PLAYED)
    results = [ILLEGAL] * len(orders)
    removed: set[Unit] = set()
    built: list[Unit] = []
    for power in position.board.powers:
        indices = [index for index, order in enumerate(orders) if order.power == power]
        due = len(position.centers.get(power, ())) - sum(unit.power == power for unit in position.units)
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
        places.setdefault(unit.location.partition("/")[0], []).append(index)
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
    if not isinstance(order, Build):
        return None
    ordered, board = order.unit, position.board
    province = board.province(ordered.location)
    if province is None or (ordered.power is not None and ordered.power != power):
        return None
    if province.code not in board.powers[power].home_centers or province.code not in position.centers.get(power, ()):
        return None
    if position.occupant[board.number[province.code]] >= 0:
        return None
    location = _location_to_build(position, ordered, ruleset)
    if location is None:
        return None
    unit_type = ordered.type
    if unit_type is None:
        where = "coast" if "/" in location else province.terrain
        if where not in UNDESIGNATED_BUILDS[ruleset.choices["4.C.3"]]:
            return None
        unit_type = "F" if where == "coast" else "A"
    elif unit_type == "F" and province.terrain == "inland" and ruleset.choices["4.C.4"] == "army":
        unit_type = "A"
    if unit_type == "A":
        location = province.code
    elif location == province.code and province.coasts and ruleset.choices["4.B.7"] == "default-coast":
        location = f"{province.code}/{ruleset.default_coasts.get(province.code, '')}"
    return Unit(power, unit_type, location) if board.can_stand(unit_type, location) else None


def _location_to_build(position: Position, ordered: OrderedUnit, ruleset: Ruleset) -> str | None:
    """The location of a build; a coast that is unknown or of no use is left out or spoils the order (4.B.6)."""
    location = ordered.location
    if "/" not in location or (location in position.board.number and ordered.type != "A"):
        return location
    return location.partition("/")[0] if ruleset.choices["4.B.6"] == "ignore" else None


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
    left = [unit for unit in position.units if unit.power == power and unit not in removed]
    left.sort(key=removal_order(position, power, ruleset))
    return removed | set(left[: due - len(removed)])
