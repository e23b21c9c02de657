"""The outcomes of orders in a retreat or adjustment phase, and of orders that are not one clear set."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from ...reference_engine import (
    Build,
    Disband,
    Dislodged,
    GivenOrder,
    Order,
    OrderedUnit,
    Position,
    Proxy,
    Reason,
    Remove,
    Retreat,
    Ruleset,
    Submitted,
    Unclear,
    Waive,
    province_code,
    standard_board,
)
from ..answers import Answer, PhaseInput
from .movement import OrderExplanation
from .words import owned, place, retreat_words, unit_words

_OTHER_PHASE, _UNREADABLE = "it is an order of another phase", "it cannot be read as an order"
_WHY: Mapping[str, str] = {
    "ignored": "another order is followed instead, or it is one too many",
    "void": "no order matches it",
    "cut": "an attack cuts it",
}


def explain_later_orders(asked: PhaseInput, answer: Answer, ruleset: Ruleset) -> Sequence[OrderExplanation]:
    """Explain each order as it was written, then what happened without one."""
    position, outcomes = asked.position(), answer.outcomes or ()
    orders = [_order_of(writing) for writing in asked.submission.writings]
    explained = [
        OrderExplanation(power, text, *outcome, sentences=tuple(_why(position, power, order, outcome.reason)))
        for (power, order), text, outcome in zip(orders, asked.texts or (), outcomes, strict=True)
        if outcome is not None
    ]
    if asked.phase != "adjustment":
        return explained
    removed = {
        province_code(order.unit.location)
        for (_, order), outcome in zip(orders, outcomes, strict=True)
        if isinstance(order, Remove) and outcome is not None and outcome.reason is None
    }
    return [*explained, *_balance(position), *_removed(position, answer, removed, ruleset)]


def _order_of(submitted: Submitted) -> GivenOrder:
    """Return what was written if it is an order, and one that is clear."""
    writing = submitted.writing
    return GivenOrder(submitted.power, None if isinstance(writing, (Proxy, Unclear)) else writing)


def _why(position: Position, power: str, order: Order | None, reason: Reason | None) -> Iterable[str]:
    if reason is None:
        return
    if isinstance(order, Retreat):
        yield from _why_no_retreat(position, order, reason)
    elif position.phase == "retreat" and reason == "illegal":
        is_another = order is not None and not isinstance(order, Disband)
        yield _OTHER_PHASE if is_another else f"{_UNREADABLE}, or its unit is not dislodged"
    elif position.phase == "adjustment" and reason == "illegal":
        yield _why_no_adjustment(position, power, order)
    elif reason in _WHY:
        yield _WHY[reason]


def _why_no_retreat(position: Position, order: Retreat, reason: Reason) -> Iterable[str]:
    at, to = province_code(order.unit.location), province_code(order.to)
    entry = next((entry for entry in position.dislodged if province_code(entry.unit.location) == at), None)
    if entry is None:
        yield f"no unit was dislodged from {place(at)}"
    elif reason == "bounced":
        yield f"another unit also retreats to {place(to)}"
    elif reason == "illegal":
        yield f"{_why_closed(position, entry, to)}; {retreat_words(entry)}"


def _why_closed(position: Position, entry: Dislodged, to: str) -> str:
    """Say why a dislodged unit may not retreat to a province."""
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
    return _OTHER_PHASE if order is not None else _UNREADABLE


def _why_no_build(position: Position, power: str, unit: OrderedUnit) -> str:
    board = position.board
    province = board.province(unit.location)
    if province is None:
        return f"there is no place {unit.location} on the board"
    standing = position.occupant[board.number[province.code]]
    if province.code not in board.supply_centers:
        return f"{province.name} is not a supply center"
    if province.code not in board.powers[power].home_centers:
        return f"{province.name} is not a home supply center of its power"
    if province.code not in position.centers.get(power, ()):
        return f"{province.name} does not belong to its power now"
    if standing >= 0:
        return f"{owned(position.units[standing])} stands there"
    if unit.type is None:
        return "it does not say army or fleet (4.C.3)"
    if not board.can_stand(unit.type, unit.location):
        return f"{'a fleet' if unit.type == 'F' else 'an army'} cannot stand in {place(unit.location)} (4.B.7, 4.C.4)"
    return "there is another order to build there, or one too many (4.D.4, 4.D.5)"


def _balance(position: Position) -> Iterable[OrderExplanation]:
    """Say for each power that may build or has to remove units: how many."""
    for power in standard_board().powers:
        centers = len(position.centers.get(power, ()))
        units = position.power.count(power)
        if centers != units:
            what = f"may build {centers - units}" if centers > units else f"has to remove {units - centers}"
            yield OrderExplanation(power, f"supply centers: {centers}, units: {units}", what)


def _removed(
    position: Position, answer: Answer, ordered: Container[str], ruleset: Ruleset
) -> Iterable[OrderExplanation]:
    """Name the units that the rule for civil disorder removes."""
    for unit in position.units:
        if unit not in answer.units and province_code(unit.location) not in ordered:
            why = f"removed by the rule for civil disorder (4.D.8 = {ruleset.choices['4.D.8']})"
            yield OrderExplanation(unit.power, unit_words(unit), "removed", sentences=(why,))
