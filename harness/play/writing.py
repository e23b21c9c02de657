"""Writes a position with its orders for other places: a forum, a case file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...reference_engine import GivenOrder, OrderedUnit, Unit, province_code
from ...reference_engine.notation import Style
from ..answers import PhaseInput
from ..case_text import center_table, order_table, place_text, power_text, toml_string, unit_table, unit_text
from ..positions import order_text, ordered_unit


def position_text(
    season: str,
    year: int,
    units: Sequence[Unit],
    centers: Mapping[str, Sequence[str]],
    orders: Sequence[GivenOrder] = (),
    style: Style = "names",
) -> str:
    """Write a movement phase so that reading the text gives the same position: a heading, and a block for each power.

    A unit without an order stands there alone.
    """
    lines = [f"{season.capitalize()} {year}, movement"]
    ordered = {(given.power, province_code(unit.location)) for given in orders if (unit := ordered_unit(given))}
    for power in dict.fromkeys([*(each.power for each in units), *(each.power for each in orders)]):
        lines += ["", f"{power_text(power)}:"]
        lines += [_full_text(given, units, style) for given in orders if given.power == power]
        alone = [unit for unit in units if unit.power == power and (power, province_code(unit.location)) not in ordered]
        lines += [f"{unit.type} {unit.location}" if style == "codes" else unit_text(unit) for unit in alone]
    if centers:
        lines += ["", "Supply centers", *_center_lines(centers)]
    return "\n".join(lines) + "\n"


def orders_text(orders: Sequence[GivenOrder], style: Style = "names") -> str:
    """Write the orders of a later phase, one a line, each behind its power."""
    return "".join(f"{power_text(given.power)}: {order_text(given, style)}\n" for given in orders)


def forum_text(phases: Sequence[PhaseInput], orders: Sequence[Sequence[GivenOrder]]) -> str:
    """Write phases as a player posts them."""
    parts: list[str] = []
    for asked, given in zip(phases, orders, strict=True):
        if asked.phase == "movement":
            parts.append(position_text(asked.season, asked.year, asked.units, asked.centers, given))
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


def _full_text(given: GivenOrder, units: Sequence[Unit], style: Style) -> str:
    """Write an order; one to a unit of another power says whose it is, so that it places none of its own."""
    unit = ordered_unit(given)
    text = order_text(given, style)
    if unit is None or unit.power is not None or _is_there(given.power, unit, units):
        return text
    owner = next((each.power for each in units if province_code(each.location) == province_code(unit.location)), None)
    return text if owner is None else f"{power_text(owner)} {text}"


def _is_there(power: str, ordered: OrderedUnit, units: Sequence[Unit]) -> bool:
    return any(
        unit.power == power and province_code(unit.location) == province_code(ordered.location) for unit in units
    )
