"""Writes a position with its orders for other places: a forum, a case file, an engine.

The page that runs in a browser has no msgspec: it writes its request without the messages of the protocol.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from ...reference_engine import Dislodged, GivenOrder, Order, OrderedUnit, Ruleset, Unit, province_code
from ..play.answer import PhaseInput
from ..play.positions import (
    ORDER_TYPES,
    center_table,
    order_table,
    order_text,
    ordered_unit,
    place_text,
    power_text,
    toml_string,
    unit_table,
    unit_text,
)
from .question import Situation

Data: TypeAlias = dict[str, Any]
"""An object of JSON."""
_FIELDS = ("unit", "supported", "convoyed", "to", "via_convoy", "path")
"""What an order of the protocol may have."""


def position_text(written: Situation) -> str:
    """Write a position so that reading the text gives the same: a heading, a block for each power, and the centers.

    An order places its unit. A unit without an order stands there alone; before adjustments all units do, since no
    order there places one. All do before the orders, too, where an order gives its unit another type or coast.
    """
    units, orders = written.units, written.orders
    units_first = any(_is_misnamed(each, units) for each in orders)
    alone = list(units) if units_first or written.phase != "movement" else _not_placed(units, orders)
    lines = [f"{written.season.capitalize()} {written.year}, {written.phase}"]
    for power in dict.fromkeys([*(each.power for each in units), *(each.power for each in orders)]):
        lines += ["", f"{power_text(power)}:", *(unit_text(unit) for unit in alone if unit.power == power)]
        if not units_first:
            lines += [_full_text(each, units) for each in orders if each.power == power]
    if units_first:
        lines += ["", *(f"{power_text(each.power)}: {_full_text(each, units)}" for each in orders)]
    if any(written.centers.values()):
        lines += ["", "Supply centers", *_center_lines(written.centers)]
    return "\n".join(lines) + "\n"


def _is_misnamed(given: GivenOrder, units: Sequence[Unit]) -> bool:
    """Whether an order gives the unit in its province another type or coast than it has, or leaves them out."""
    ordered = ordered_unit(given)
    unit = None if ordered is None else _unit_in(ordered.location, units)
    return ordered is not None and unit is not None and unit[1:] != (ordered.type, ordered.location)


def _not_placed(units: Sequence[Unit], orders: Sequence[GivenOrder]) -> Sequence[Unit]:
    """Return the units that no order of their power places, since none is to just this unit."""
    ordered = {(each.power, unit.type, unit.location) for each in orders if (unit := ordered_unit(each))}
    return [unit for unit in units if unit not in ordered]


def _unit_in(location: str, units: Sequence[Unit]) -> Unit | None:
    return next((unit for unit in units if province_code(unit.location) == province_code(location)), None)


def orders_text(orders: Sequence[GivenOrder]) -> str:
    """Write the orders of a later phase, one a line, each behind its power."""
    return "".join(f"{power_text(given.power)}: {order_text(given, 'names')}\n" for given in orders)


def forum_text(phases: Sequence[PhaseInput], orders: Sequence[Sequence[GivenOrder]]) -> str:
    """Write phases as a player posts them."""
    parts: list[str] = []
    for asked, given in zip(phases, orders, strict=True):
        if not asked.follows:
            where = (asked.season, asked.year, asked.units, asked.centers)
            parts.append(position_text(Situation(asked.phase, *where, given)))
            continue
        heading = [f"{asked.season.capitalize()} {asked.year}, {asked.phase}"]
        if asked.phase == "adjustment" and asked.centers:
            heading += ["Supply centers", *_center_lines(asked.centers), "Builds"]
        parts.append("\n".join([*heading, orders_text(given) or "No orders."]).rstrip() + "\n")
    return "\n".join(parts)


def case_text(phases: Sequence[PhaseInput], orders: Sequence[Sequence[GivenOrder]]) -> str:
    """Write phases as a case without expectations, which `datc-check explain` and a suite read."""
    lines = ["[[case]]", 'id     = "play.1"', 'title  = "A position"', "issues = []"]
    several = len(phases) > 1
    for asked, given in zip(phases, orders, strict=True):
        prefix = "case.phase" if several else "case"
        if several:
            lines += ["", "[[case.phase]]"]
        lines += [f"phase  = {toml_string(asked.phase)}", f"season = {toml_string(asked.season)}"]
        lines += [f"year   = {asked.year}", *_tables(prefix, asked, given)]
    return "\n".join(lines) + "\n"


def _tables(prefix: str, asked: PhaseInput, given: Sequence[GivenOrder]) -> Iterable[str]:
    if not asked.follows:
        yield from unit_table(prefix, asked.units)
    if asked.phase == "adjustment":
        yield from center_table(prefix, asked.centers)
    yield from order_table(prefix, given, "names")


def _center_lines(centers: Mapping[str, Sequence[str]]) -> Iterable[str]:
    for power, owned in centers.items():
        if owned:
            yield f"{power_text(power)}: {', '.join(map(place_text, sorted(owned)))}"


def _full_text(given: GivenOrder, units: Sequence[Unit]) -> str:
    """Write an order; one to a unit of another power says whose it is, so that it places none of its own."""
    ordered = ordered_unit(given)
    text = order_text(given, "names")
    unit = None if ordered is None or ordered.power is not None else _unit_in(ordered.location, units)
    return text if unit is None or unit.power == given.power else f"{power_text(unit.power)} {text}"


def request_data(asked: PhaseInput, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Data:
    """Return the request that asks an engine to adjudicate a phase; `orders` are those of the phase."""
    params: Data = {
        "map": "standard",
        "phase": asked.phase,
        "season": asked.season,
        "year": asked.year,
        "ruleset": _ruleset_data(ruleset),
        "units": [unit._asdict() for unit in asked.units],
        "centers": {power: sorted(owned) for power, owned in asked.centers.items()},
        "dislodged": [dislodged_data(each) for each in asked.dislodged or ()] if asked.phase == "retreat" else [],
        "orders": [_given_data(*each) for each in zip(orders, asked.texts or (), strict=True)],
    }
    return {"jsonrpc": "2.0", "id": 1, "method": "adjudicate", "params": params}


def dislodged_data(entry: Dislodged) -> Data:
    """Return a dislodged unit, with what is known of its attacker and its retreats."""
    unit, attacked_from, retreats = entry
    return {
        **unit._asdict(),
        **({} if attacked_from is None else {"from": attacked_from}),
        **({} if retreats is None else {"retreats": list(retreats)}),
    }


def _ruleset_data(ruleset: Ruleset) -> Data:
    choices = dict(ruleset.choices)
    coasts = {"default_coasts": dict(ruleset.default_coasts)} if "default-coast" in choices.values() else {}
    return {"name": ruleset.name, "choices": choices, **coasts}


def _given_data(given: GivenOrder, text: str) -> Data:
    data = {} if given.order is None else {"order": _order_data(given.order)}
    return {"power": given.power, **({"text": text} if text else {}), **data}


def _order_data(order: Order) -> Data:
    values: Sequence[tuple[str, object]] = [(name, getattr(order, name, None)) for name in _FIELDS]
    told = {name: _named(value) for name, value in values if value is not None and value != ()}
    return {"type": ORDER_TYPES[type(order)], **told}


def _named(value: object) -> object:
    if isinstance(value, OrderedUnit):
        told = {"location": value.location, "type": value.type, "power": value.power}
        return {name: each for name, each in told.items() if each is not None}
    return list(value) if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - the seas of a path
