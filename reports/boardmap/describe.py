"""A scene in words, for readers who do not see the drawing. Nothing is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...reference_engine import (
    Board,
    Build,
    Convoy,
    Disband,
    Hold,
    Move,
    Order,
    OrderedUnit,
    Remove,
    Retreat,
    SupportHold,
    SupportMove,
    Waive,
    province_code,
    standard_board,
)
from .scenes import DrawnDislodged, DrawnOrder, DrawnUnit, Scene, UnitMark, find_routes

LONGEST = 80
"""How many characters of a text that an engine sent are shown."""

_MARKS: dict[UnitMark, str] = {
    "": "",
    "dislodged": "dislodged",
    "gone": "taken off the board",
    "missing": "missing from the answer",
    "unexpected": "not expected",
}


def describe_scene(scene: Scene) -> str:
    """Say what is drawn: power by power, each order or each unit, and what could not be drawn."""
    board = standard_board()
    powers = sorted({entry.power for entry in (*scene.units, *scene.orders)}, key=board.power_name)
    sentences = [f"{_short(board.power_name(power))}: {'; '.join(_of_power(scene, power))}." for power in powers]
    sentences += [_dislodged(entry, board) for entry in scene.dislodged]
    owners: dict[str, list[str]] = {}
    for center, power in sorted(scene.owners.items()):
        owners.setdefault(power, []).append(center)
    sentences += [
        f"{_short(board.power_name(power))} owns {', '.join(_place(center) for center in centers)}."
        for power, centers in sorted(owners.items())
    ]
    unknown = sorted(set(_unknown(scene, board)))
    if unknown:
        sentences.append(f"Not on the map: {', '.join(map(_short, unknown))}.")
    return " ".join(sentences) or "An empty board."


def describe_order(given: DrawnOrder, scene: Scene) -> str:
    """Say what an order is and its outcome: `A London moves to Belgium (fails: bounced)`."""
    text = _clause(given, given.order, scene) if given.order else f"{_short(given.text)!r} is no clear order"
    if given.outcome != "fails":
        return text
    return f"{text} ({f'fails: {_short(given.reason)}' if given.reason else 'fails'})"


def describe_unit(unit: DrawnUnit) -> str:
    """Name a unit and what is marked of it: `A London, dislodged`."""
    mark = _MARKS[unit.mark]
    return f"{_short(unit.type)} {_place(unit.location)}{f', {mark}' if mark else ''}"


def _of_power(scene: Scene, power: str) -> Iterator[str]:
    """Each order of a power, and each unit that is not ordered or has a mark."""
    ordered: set[str] = set()
    for given in scene.orders:
        if given.power == power:
            yield describe_order(given, scene)
            if given.order is not None and not isinstance(given.order, Waive):
                ordered.add(province_code(given.order.unit.location))
    for unit in scene.units:
        if unit.power == power and (unit.mark or province_code(unit.location) not in ordered):
            yield describe_unit(unit)


def _clause(given: DrawnOrder, order: Order, scene: Scene) -> str:
    if isinstance(order, Waive):
        return "waives a build"
    unit = _unit(order.unit, scene)
    match order:
        case Hold():
            return f"{unit} holds"
        case Move():
            return f"{unit} moves to {_place(order.to)}{_convoyed(given, order, scene)}"
        case SupportHold():
            return f"{unit} supports {_unit(order.supported, scene)}"
        case SupportMove():
            return f"{unit} supports {_unit(order.supported, scene)} to {_place(order.to)}"
        case Convoy():
            return f"{unit} convoys {_unit(order.convoyed, scene)} to {_place(order.to)}"
        case Retreat():
            return f"{unit} retreats to {_place(order.to)}"
        case Disband():
            return f"{unit} disbands"
        case Build():
            return f"builds {unit}"
        case Remove():
            return f"removes {unit}"


def _convoyed(given: DrawnOrder, move: Move, scene: Scene) -> str:
    """The fleets that carry an army, and those whose route was broken."""
    routes = find_routes(scene, given, move)
    if not routes.way:
        return " by convoy" if move.via_convoy else ""
    broken = [sea for sea in routes.broken if sea not in routes.way]
    text = f", convoyed by {_fleets(routes.way)}"
    return f"{text}, not by way of {_fleets(broken)}" if broken else text


def _fleets(seas: Iterable[str]) -> str:
    return " and ".join(f"F {_place(sea)}" for sea in seas)


def _unit(ordered: OrderedUnit, scene: Scene) -> str:
    """A unit as an order names it; the board supplies what the order leaves out."""
    code = province_code(ordered.location)
    there = (*scene.units, *(entry.unit for entry in scene.dislodged))
    unit_type = ordered.type or next((unit.type for unit in there if province_code(unit.location) == code), "unit")
    return f"{_short(unit_type)} {_place(ordered.location)}"


def _dislodged(entry: DrawnDislodged, board: Board) -> str:
    attacker = f" by the unit from {_place(entry.attacked_from)}" if entry.attacked_from else ""
    retreats = " or ".join(map(_place, entry.retreats))
    power = _short(board.power_name(entry.unit.power))
    may = f" and may retreat to {retreats}" if retreats else ""
    mark = _MARKS[entry.unit.mark] if entry.unit.mark != "dislodged" else ""
    return f"{describe_unit(entry.unit._replace(mark=''))} of {power} is dislodged{attacker}{may}" + (
        f", {mark}." if mark else "."
    )


def _unknown(scene: Scene, board: Board) -> Iterator[str]:
    """The locations that are not on the board, as they were written."""
    for location in _locations(scene):
        if board.province(location) is None:
            yield location


def _locations(scene: Scene) -> Iterator[str]:
    yield from (unit.location for unit in scene.units)
    for entry in scene.dislodged:
        yield from (entry.unit.location, *entry.retreats)
    for given in scene.orders:
        yield from named_locations(given.order)
    yield from scene.owners


def named_locations(order: Order | None) -> Iterable[str]:
    """The locations that an order names."""
    if order is None or isinstance(order, Waive):
        return ()
    places = [order.unit.location]
    if isinstance(order, (SupportHold, SupportMove)):
        places.append(order.supported.location)
    if isinstance(order, Convoy):
        places.append(order.convoyed.location)
    if isinstance(order, (Move, SupportMove, Convoy, Retreat)):
        places.append(order.to)
    return places


def _place(location: str) -> str:
    return _short(standard_board().describe(location))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
