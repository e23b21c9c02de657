"""Why an order of a movement phase is illegal (DATC 4.E.1), in words."""

from __future__ import annotations

from collections.abc import Mapping

from ...reference_engine import (
    Convoy,
    Hold,
    Move,
    Order,
    OrderedUnit,
    Position,
    Province,
    Ruleset,
    SupportHold,
    SupportMove,
    Unit,
    province_code,
    standard_board,
)
from .words import named, owned, place, unit_words


def why_illegal(position: Position, power: str, order: Order | None, ruleset: Ruleset) -> str:
    """Say what is wrong with an illegal order."""
    if order is None:
        return "it cannot be read as an order"
    if not isinstance(order, (Hold, Move, SupportHold, SupportMove, Convoy)):
        return "it is an order of another phase"
    unit = _unit_at(position, order.unit)
    wrong = _wrong_unit(power, order.unit, unit, ruleset.choices)
    if wrong or unit is None:
        return wrong
    match order:
        case Move():
            return _wrong_move(unit, order, ruleset.choices)
        case SupportHold() | SupportMove():
            return _wrong_support(position, unit, order, ruleset.choices)
        case Convoy():
            return _wrong_convoy(position, unit, order, ruleset.choices)
        case Hold():
            return "its unit is not named clearly"


def _unit_at(position: Position, ordered: OrderedUnit) -> Unit | None:
    number = position.board.number.get(province_code(ordered.location), -1)
    index = position.occupant[number] if number >= 0 else -1
    return position.units[index] if index >= 0 else None


def _wrong_unit(power: str, ordered: OrderedUnit, unit: Unit | None, choices: Mapping[str, str]) -> str:
    if unit is None:
        return f"there is no unit in {place(ordered.location)}"
    if unit.power != power or ordered.power not in (None, power):
        return f"it is for {owned(unit)}"
    return _wrong_type(ordered, unit, choices) or _wrong_coast(ordered, unit, choices)


def _wrong_type(ordered: OrderedUnit, unit: Unit, choices: Mapping[str, str]) -> str:
    issue = "4.C.1" if ordered.type is None else "4.C.2"
    if ordered.type == unit.type or choices[issue] != "invalid":
        return ""
    wrong = (
        "it does not say which kind of unit it means" if ordered.type is None else f"{unit_words(unit)} stands there"
    )
    return f"{wrong} ({issue} = invalid)"


def _wrong_coast(ordered: OrderedUnit, unit: Unit, choices: Mapping[str, str]) -> str:
    if "/" not in ordered.location or ordered.location == unit.location:
        return ""
    issue = "4.B.5" if unit.type == "F" and ordered.location in standard_board().number else "4.B.6"
    return f"{unit_words(unit)} stands there, not on that coast ({issue} = fail)" if choices[issue] == "fail" else ""


def _wrong_move(unit: Unit, order: Move, choices: Mapping[str, str]) -> str:
    province = standard_board().province(order.to)
    if province is None:
        return f"there is no place {order.to} on the board"
    if province.code == province_code(unit.location):
        return "a unit cannot move to where it stands"
    return _wrong_army_move(unit, order, province, choices) if unit.type == "A" else _wrong_fleet_move(unit, order)


def _wrong_army_move(unit: Unit, order: Move, province: Province, choices: Mapping[str, str]) -> str:
    if province.terrain == "sea":
        return "an army cannot go to sea"
    if "/" in order.to and choices["4.B.6"] == "fail":
        return "an army cannot go to a coast (4.B.6 = fail)"
    if order.path:
        return "no fleets along the path that it names could bring it there"
    return f"{place(province.code)} is not adjacent to {place(unit.location)}, and no chain of fleets could convoy it"


def _wrong_fleet_move(unit: Unit, order: Move) -> str:
    board = standard_board()
    to = province_code(order.to)
    if board.provinces[board.number[to]].terrain == "inland":
        return "a fleet cannot go inland"
    if order.via_convoy:
        return "a fleet cannot be convoyed"
    reachable = [location for location in board.destinations(unit) if province_code(location) == to]
    if not reachable:
        return f"there is no border by sea or along a coast between {place(unit.location)} and {place(to)}"
    coasts = " or ".join(map(place, reachable))
    if "/" not in order.to:
        return f"it does not say to which coast: {coasts} ({'4.B.1' if len(reachable) > 1 else '4.B.2'})"
    return f"it can go to {coasts} only ({'4.B.3' if order.to in board.number else '4.B.6'})"


def _wrong_other(position: Position, unit: Unit, named_unit: OrderedUnit, choices: Mapping[str, str]) -> str:
    """Say what is wrong with the unit that a support or convoy order is for."""
    other = _unit_at(position, named_unit)
    if other is None:
        return f"there is no unit in {place(named_unit.location)}"
    if other == unit:
        return "a unit cannot help itself"
    if wrong := _wrong_type(named_unit, other, choices) or _wrong_coast(named_unit, other, choices):
        return wrong
    issue = "4.C.5" if named_unit.power is None else "4.C.6"
    as_said = other.power == named_unit.power or (named_unit.power is None and other.power == unit.power)
    if not as_said and choices[issue] == "invalid":
        return f"it is {owned(other)} ({issue} = invalid)"
    return ""


def _wrong_support(position: Position, unit: Unit, order: SupportHold | SupportMove, choices: Mapping[str, str]) -> str:
    if wrong := _wrong_other(position, unit, order.supported, choices):
        return wrong
    into = province_code(order.to if isinstance(order, SupportMove) else order.supported.location)
    if into not in {province_code(to) for to in standard_board().destinations(unit)}:
        return f"{unit_words(unit)} cannot go to {place(into)} itself"
    return f"{named(order.supported)} cannot go to {place(order.to if isinstance(order, SupportMove) else into)}"


def _wrong_convoy(position: Position, unit: Unit, order: Convoy, choices: Mapping[str, str]) -> str:
    if unit.type == "A":
        return "an army cannot convoy"
    if standard_board().provinces[standard_board().number[province_code(unit.location)]].terrain != "sea":
        return "a fleet can convoy only at sea"
    if wrong := _wrong_other(position, unit, order.convoyed, choices):
        return wrong
    other = _unit_at(position, order.convoyed)
    if other is not None and other.type == "F":
        return "a fleet cannot be convoyed"
    return f"it is not on any route by sea that {named(order.convoyed)} could take to {place(order.to)}"
