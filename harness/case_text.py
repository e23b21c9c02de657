"""Writes positions and orders as a case file has them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from ..reference_engine import GivenOrder, Unit, printable, standard_board
from ..reference_engine.notation import Style
from .positions import order_texts


def unit_table(prefix: str, units: Sequence[Unit]) -> Iterable[str]:
    """Write the table of the units on the board."""
    yield from ("", f"[{prefix}.units]")
    for power in dict.fromkeys(unit.power for unit in units):
        yield f"{power_text(power)} = {toml_list([unit_text(unit) for unit in units if unit.power == power])}"


def center_table(prefix: str, centers: Mapping[str, Iterable[str]]) -> Iterable[str]:
    """Write the table of the supply centers that each power owns, if any are known."""
    if centers:
        yield from ("", f"[{prefix}.centers]")
        for power, owned in centers.items():
            yield f"{power_text(power)} = {toml_list([place_text(center) for center in sorted(owned)])}"


def order_table(prefix: str, orders: Sequence[GivenOrder], style: Style) -> Iterable[str]:
    """Write the table of the orders of each power."""
    yield from ("", f"[{prefix}.orders]")
    for power in dict.fromkeys(given.power for given in orders):
        texts = order_texts([given for given in orders if given.power == power], style)
        yield f"{power_text(power)} = {toml_list(texts)}"


def unit_text(unit: Unit) -> str:
    """Write a unit as a case file does."""
    return f"{unit.type} {place_text(unit.location)}"


def place_text(location: str) -> str:
    """Write a location as a case file does."""
    return printable(standard_board().describe(location))


def power_text(code: str) -> str:
    """Write the name of a power as a case file does."""
    return printable(standard_board().power_name(code))


def toml_list(texts: Sequence[str]) -> str:
    """Write a TOML list of strings."""
    return f"[{', '.join(map(toml_string, texts))}]"


def toml_string(text: str) -> str:
    """Write a TOML string: what JSON makes of a text without control characters is one."""
    return json.dumps(printable(text), ensure_ascii=False)
