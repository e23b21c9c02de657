"""What became of orders in a retreat or adjustment phase, and of orders that a rule had to choose from first."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from ...cases import CasePhase
from ...reference_engine import (
    Adjudication,
    Build,
    Disband,
    Dislodged,
    Order,
    OrderedUnit,
    OrderResult,
    Position,
    Remove,
    Retreat,
    Ruleset,
    Waive,
    province_code,
    standard_board,
)
from ..session.playing import Moment
from .accounts import OrderAccount
from .words import owned, place, retreat_words, unit_words

_WHY: Mapping[str, str] = {
    "ignored": "another order is followed instead, or it is one too many",
    "void": "no order matches it",
    "cut": "an attack cuts it",
}


def later_accounts(played: Moment, adjudication: Adjudication, ruleset: Ruleset) -> Sequence[OrderAccount]:
    """Account for each order as it was written, then for what happened without one."""
    phase, position, _ = played
    accounts = [
        OrderAccount(
            order.power,
            order.text,
            result.outcome,
            result.reason,
            sentences=tuple(_why(position, order.power, order.order, result)),
        )
        for order, result in zip(phase.orders, adjudication.orders, strict=True)
    ]
    if phase.phase == "adjustment":
        ordered = set(_removed_by_order(phase, adjudication))
        accounts += [*_balance(position), *_removed(position, adjudication, ordered, ruleset)]
    return accounts


def _why(position: Position, power: str, order: Order | None, result: OrderResult) -> Iterable[str]:
    if result.reason is None:
        return
    if isinstance(order, Retreat):
        yield from _why_no_retreat(position, order, result)
    elif position.phase == "retreat" and result.reason == "illegal":
        is_another = order is not None and not isinstance(order, Disband)
        yield "it is an order of another phase" if is_another else "nobody can read it, or its unit is not dislodged"
    elif position.phase == "adjustment" and result.reason == "illegal":
        yield _why_no_adjustment(position, power, order)
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
        yield f"{_why_closed(position, entry, to)}; {retreat_words(entry)}"


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


def _why_no_adjustment(position: Position, power: str, order: Order | None) -> str:
    balance = len(position.centers.get(power, ())) - position.power.count(power)
    if isinstance(order, Build):
        return _why_no_build(position, power, order.unit) if balance > 0 else "its power has nothing to build"
    if isinstance(order, Remove):
        return "its power has no such unit there" if balance < 0 else "its power has nothing to remove"
    if isinstance(order, Waive):
        return "its power has nothing to build" if balance <= 0 else "a build is not waived (4.D.7 = not-allowed)"
    return "it is an order of another phase" if order is not None else "nobody can read it"


def _why_no_build(position: Position, power: str, unit: OrderedUnit) -> str:
    board = position.board
    province = board.province(unit.location)
    if province is None:
        return f"{unit.location} is no place on the board"
    standing = position.occupant[board.number[province.code]]
    if province.code not in board.supply_centers:
        return f"{province.name} is no supply center"
    if province.code not in board.powers[power].home_centers:
        return f"{province.name} is no home supply center of its power"
    if province.code not in position.centers.get(power, ()):
        return f"{province.name} does not belong to its power now"
    if standing >= 0:
        return f"{owned(position.units[standing])} stands there"
    if unit.type is None:
        return "it does not say army or fleet (4.C.3)"
    if not board.can_stand(unit.type, unit.location):
        return f"{'a fleet' if unit.type == 'F' else 'an army'} cannot stand in {place(unit.location)} (4.B.7, 4.C.4)"
    return "there is another order to build there, or one too many (4.D.4, 4.D.5)"


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
