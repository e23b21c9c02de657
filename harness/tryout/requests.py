"""Writes a request of the protocol as plain data, where there is no msgspec to encode the messages with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ...reference_engine import (
    Dislodged,
    GivenOrder,
    Order,
    OrderedUnit,
    Ruleset,
    Unit,
)
from ..answers import PhaseInput
from ..positions import ORDER_TYPES

_Data: TypeAlias = dict[str, Any]

_FIELDS = ("unit", "supported", "convoyed", "to", "via_convoy", "path")


def request_data(asked: PhaseInput, orders: Sequence[GivenOrder], ruleset: Ruleset) -> _Data:
    """Return the request that asks an engine to adjudicate a phase; `orders` are those of the phase."""
    params: _Data = {
        "map": "standard",
        "phase": asked.phase,
        "season": asked.season,
        "year": asked.year,
        "ruleset": _ruleset_data(ruleset),
        "units": [unit_data(unit) for unit in asked.units],
        "centers": {power: sorted(owned) for power, owned in asked.centers.items()},
        "dislodged": [dislodged_data(each) for each in asked.dislodged or ()] if asked.phase == "retreat" else [],
        "orders": [_given_data(*each) for each in zip(orders, asked.texts or (), strict=True)],
    }
    return {"jsonrpc": "2.0", "id": 1, "method": "adjudicate", "params": params}


def unit_data(unit: Unit) -> _Data:
    """Return a unit on the board."""
    return {"power": unit.power, "type": unit.type, "location": unit.location}


def dislodged_data(entry: Dislodged) -> _Data:
    """Return a dislodged unit, with what is known of its attacker and its retreats."""
    unit, attacked_from, retreats = entry
    return {
        **unit_data(unit),
        **({} if attacked_from is None else {"from": attacked_from}),
        **({} if retreats is None else {"retreats": list(retreats)}),
    }


def _ruleset_data(ruleset: Ruleset) -> _Data:
    choices = dict(ruleset.choices)
    coasts = {"default_coasts": dict(ruleset.default_coasts)} if "default-coast" in choices.values() else {}
    return {"name": ruleset.name, "choices": choices, **coasts}


def _given_data(given: GivenOrder, text: str) -> _Data:
    data = {} if given.order is None else {"order": _order_data(given.order)}
    return {"power": given.power, **({"text": text} if text else {}), **data}


def _order_data(order: Order) -> _Data:
    values: Sequence[tuple[str, object]] = [(name, getattr(order, name, None)) for name in _FIELDS]
    told = {name: _named(value) for name, value in values if value is not None and value != ()}
    return {"type": ORDER_TYPES[type(order)], **told}


def _named(value: object) -> object:
    if isinstance(value, OrderedUnit):
        told = {"location": value.location, "type": value.type, "power": value.power}
        return {name: each for name, each in told.items() if each is not None}
    return list(value) if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - the seas of a path
