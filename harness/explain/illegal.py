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
from ...reference_engine.choices import CONVOY_PATHS
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
            return _wrong_move(position, unit, order, ruleset.choices)
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
    if unit.power != power:
        return f"it is for {owned(unit)}, which belongs to another power"
    if ordered.power not in (None, power):
        return f"it names another power than that of {owned(unit)}"
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


def _wrong_move(position: Position, unit: Unit, order: Move, choices: Mapping[str, str]) -> str:
    province = position.board.province(order.to)
    if province is None:
        return _no_place(position, order.to)
    if province.code == province_code(unit.location):
        return "a unit cannot move to where it stands"
    if unit.type == "A":
        return _wrong_army_move(position, unit, order, province, choices)
    return _wrong_fleet_move(unit, order, choices)


def _no_place(position: Position, name: str) -> str:
    if name.title() in position.board.impassable:
        return f"no unit can enter {name.title()}"
    return f"there is no place {name} on the board"


def _wrong_army_move(
    position: Position, unit: Unit, order: Move, province: Province, choices: Mapping[str, str]
) -> str:
    if province.terrain == "sea":
        return "an army cannot go to sea"
    if "/" in order.to and choices["4.B.6"] == "fail":
        return "an army cannot go to a coast (4.B.6 = fail)"
    if CONVOY_PATHS[choices["4.A.6"]].is_read and (stop := _stop_on_land(position, order)):
        return f"the path that it names leads over {place(stop)}, not over seas alone (4.A.6 = {choices['4.A.6']})"
    no_fleets = "no fleets stand where they could convoy it"
    if province.code in position.board.destinations(unit):
        return f"it is to go by convoy, and {no_fleets} (4.A.3 = {choices['4.A.3']})"
    return f"{place(province.code)} is not adjacent to {place(unit.location)}, and {no_fleets}"


def _stop_on_land(position: Position, order: Move) -> str:
    """Return a province not at sea on the path that an order names, or an empty text."""
    provinces = {stop: position.board.province(stop) for stop in order.path}
    return next((stop for stop, province in provinces.items() if province is None or province.terrain != "sea"), "")


def _wrong_fleet_move(unit: Unit, order: Move, choices: Mapping[str, str]) -> str:
    board = standard_board()
    to = province_code(order.to)
    if board.provinces[board.number[to]].terrain == "inland":
        return "a fleet cannot go inland"
    reachable = [location for location in board.destinations(unit) if province_code(location) == to]
    if not reachable:
        return f"there is no border by sea or along a coast between {place(unit.location)} and {place(to)}"
    coasts = " or ".join(map(place, reachable))
    if "/" not in order.to and to not in reachable:
        issue = "4.B.1" if len(reachable) > 1 else "4.B.2"
        return f"it does not say to which coast: {coasts} ({issue} = {choices[issue]})"
    if order.to not in reachable:
        issue = "4.B.3" if order.to in board.number else "4.B.6"
        return f"it can go to {coasts} only ({issue} = {choices[issue]})"
    return "a fleet cannot be convoyed"


def _wrong_other(position: Position, unit: Unit, named_unit: OrderedUnit, choices: Mapping[str, str]) -> str:
    """Say what is wrong with the unit that a support or convoy order is for."""
    other = _unit_at(position, named_unit)
    if other is None:
        return f"there is no unit in {place(named_unit.location)}"
    if other == unit:
        return "a unit cannot support or convoy itself"
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
    to = order.to if isinstance(order, SupportMove) else order.supported.location
    if position.board.province(to) is None:
        return _no_place(position, to)
    into = province_code(to)
    if into not in {province_code(location) for location in position.board.destinations(unit)}:
        return f"{unit_words(unit)} cannot go to {place(into)} itself"
    supported = _unit_at(position, order.supported)
    if supported is not None and supported.type == "A":
        return _why_not_by_army(position, unit, supported, to)
    return f"{named(order.supported)} cannot go to {place(to)}"


def _why_not_by_army(position: Position, supporter: Unit, army: Unit, to: str) -> str:
    """Say why an army cannot make the move that another unit is to support."""
    if "/" in to:
        return f"an army cannot go to a coast, as {place(to)} is (4.B.6 = fail)"
    home, target = position.board.number[army.location], position.board.number[to]
    if position.board.routes.possible(home, target, position.fleets_at_sea()):
        return f"{unit_words(army)} could reach {place(to)} only if {unit_words(supporter)} convoyed it (4.E.1, 6.D.31)"
    return f"{unit_words(army)} cannot go to {place(to)}"


def _wrong_convoy(position: Position, unit: Unit, order: Convoy, choices: Mapping[str, str]) -> str:
    board = position.board
    if unit.type == "A":
        return "an army cannot convoy"
    if board.provinces[board.number[province_code(unit.location)]].terrain != "sea":
        return "a fleet can convoy only at sea"
    if wrong := _wrong_other(position, unit, order.convoyed, choices):
        return wrong
    army = _unit_at(position, order.convoyed)
    if army is None or army.type == "F":
        return "a fleet cannot be convoyed"
    province = board.province(order.to)
    if province is None:
        return _no_place(position, order.to)
    if province.code == army.location:
        return f"{unit_words(army)} stands there already"
    if "/" in order.to and choices["4.B.6"] == "fail":
        return f"an army cannot go to a coast, as {place(order.to)} is (4.B.6 = fail)"
    return _why_no_convoy(position, unit, army, province.code, choices)


def _why_no_convoy(position: Position, fleet: Unit, army: Unit, to: str, choices: Mapping[str, str]) -> str:
    """Say why a fleet is of no use for the convoy of an army to a province."""
    board, journey = position.board, f"{unit_words(army)} to {place(to)}"
    sea, home, target = (board.number[location] for location in (fleet.location, army.location, to))
    if not board.routes.between(home, target):
        return f"no way by sea leads {unit_words(army)} to {place(to)}"
    at_sea = position.fleets_at_sea()
    if not board.routes.possible(home, target, at_sea):
        return f"the fleets at sea are no whole chain that could convoy {journey}"
    if any(path >> sea & 1 for path in board.routes.simple_paths(home, target, at_sea)):
        return f"the fleet is not needed: others could convoy {journey} without it (X.3 = {choices['X.3']})"
    return f"the fleet is on no way by sea that could convoy {journey}"
