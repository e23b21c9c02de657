"""What became of orders in a retreat or adjustment phase, and of orders that a rule had to choose from first."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from ...cases import CasePhase
from ...reference_engine import (
    Adjudication,
    Build,
    Dislodged,
    Order,
    OrderedUnit,
    OrderResult,
    Position,
    Remove,
    Retreat,
    Ruleset,
    province_code,
    standard_board,
)
from .accounts import OrderAccount
from .words import listed, owned, place, unit_words

_WHY: Mapping[str, str] = {
    "ignored": "another order is followed instead, or it is one too many",
    "void": "no order matches it",
    "cut": "an attack cuts it",
}


def later_accounts(
    position: Position, phase: CasePhase, adjudication: Adjudication, ruleset: Ruleset
) -> Sequence[OrderAccount]:
    """Account for each order as it was written, then for what happened without one."""
    accounts = [
        OrderAccount(
            order.power,
            order.text,
            result.outcome,
            result.reason,
            sentences=tuple(_why(position, order.order, result)),
        )
        for order, result in zip(phase.orders, adjudication.orders, strict=True)
    ]
    if phase.phase == "adjustment":
        ordered = set(_removed_by_order(phase, adjudication))
        accounts += [*_balance(position), *_removed(position, adjudication, ordered, ruleset)]
    return accounts


def _why(position: Position, order: Order | None, result: OrderResult) -> Iterable[str]:
    if result.reason is None:
        return
    if isinstance(order, Retreat):
        yield from _why_no_retreat(position, order, result)
    elif position.phase == "adjustment" and result.reason == "illegal":
        yield _why_no_adjustment(position, order)
    elif result.reason in _WHY:
        yield _WHY[result.reason]


def _why_no_retreat(position: Position, order: Retreat, result: OrderResult) -> Iterable[str]:
    at, to = province_code(order.unit.location), province_code(order.to)
    entry = next((entry for entry in position.dislodged if province_code(entry.unit.location) == at), None)
    if entry is None:
        yield f"no unit was dislodged from {place(at)}"
    elif result.reason == "bounced":
        yield f"another unit retreats to {place(to)}, too"
    elif result.reason == "illegal":
        allowed = f"it may retreat to {listed(map(place, entry.retreats))}" if entry.retreats else "it has no retreat"
        yield f"{_why_closed(position, entry, to)}; {allowed}"


def _why_closed(position: Position, entry: Dislodged, to: str) -> str:
    """Why a dislodged unit may not retreat to a province."""
    number = position.board.number.get(to, -1)
    if to not in map(province_code, position.board.destinations(entry.unit)):
        return f"{unit_words(entry.unit)} cannot go to {place(to)}"
    if position.occupant[number] >= 0:
        return f"{owned(position.units[position.occupant[number]])} stands there"
    if entry.attacked_from == to:
        return "its attacker came from there"
    return "a standoff left it vacant"


def _why_no_adjustment(position: Position, order: Order | None) -> str:
    unit = getattr(order, "unit", None)
    number = position.board.number.get(province_code(unit.location), -1) if isinstance(unit, OrderedUnit) else -1
    standing = position.occupant[number] if number >= 0 else -1
    if isinstance(order, Build) and standing >= 0:
        return f"{owned(position.units[standing])} stands there"
    return "its power has no such build or removal to make"


def _balance(position: Position) -> Iterable[OrderAccount]:
    """For each power that has to build or remove: how many."""
    for power in standard_board().powers:
        centers = len(position.centers.get(power, ()))
        units = position.power.count(power)
        if centers != units:
            what = f"may build {centers - units}" if centers > units else f"has to remove {units - centers}"
            yield OrderAccount(power, f"supply centers: {centers}, units: {units}", what)


def _removed_by_order(phase: CasePhase, adjudication: Adjudication) -> Iterable[str]:
    for order, result in zip(phase.orders, adjudication.orders, strict=True):
        if isinstance(order.order, Remove) and result.reason is None:
            yield province_code(order.order.unit.location)


def _removed(
    position: Position, adjudication: Adjudication, ordered: Container[str], ruleset: Ruleset
) -> Iterable[OrderAccount]:
    """The units that a civil-disorder rule takes."""
    for unit in position.units:
        if unit not in adjudication.units and province_code(unit.location) not in ordered:
            why = f"taken by the rule for civil disorder (4.D.8 = {ruleset.choices['4.D.8']})"
            yield OrderAccount(unit.power, unit_words(unit), "removed", sentences=(why,))
