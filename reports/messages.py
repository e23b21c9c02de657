"""The request and the answer of a phase as JSON to be read and copied, with the fields of the engine protocol.

They are made of what a report has: without a `state`, the structured form of orders, default coasts and flying
Dutchmen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import cast
from xml.sax.saxutils import escape

from markupsafe import Markup

from .report import BoardData, DislodgedData, OrderData, PhaseData, RulesetData, UnitData

_SET = re.compile(
    r"set (?P<number>\d{1,9})(, which (?P<mark>replaces|extends) earlier ones|(?P<unknown>, in no known sequence))?"
)
"""The place of an order, as `CasePhase.place_of` writes it."""
_ALWAYS = ("units", "orders", "sets_in_sequence")
"""The fields that a request has even if they are empty or false."""


def request_text(phase: PhaseData, ruleset: RulesetData) -> Markup:
    """Write what an engine was asked: the parameters of `adjudicate`, as the content of an element."""
    params: dict[str, object] = {
        "map": "standard",
        "phase": phase.phase,
        "season": phase.season,
        "year": phase.year,
        "ruleset": {"name": ruleset.name, "choices": ruleset.choices},
        "units": [_unit(unit) for unit in phase.before.units],
        "centers": phase.centers,
        "dislodged": [_dislodged(entry) for entry in phase.before.dislodged or ()],
        "orders": [_order(order) for order in phase.orders],
        "order_sets": _order_sets(phase.orders),
    }
    if any(found["unknown"] for _, found in _sets(phase.orders)):
        params["sets_in_sequence"] = False
    return _written({name: value for name, value in params.items() if value or name in _ALWAYS})


def answer_text(answer: BoardData, phase: PhaseData) -> Markup:
    """Write what the engine answered: the result of `adjudicate`, as the content of an element."""
    result: dict[str, object] = {"units": [_unit(unit) for unit in answer.units]}
    if answer.dislodged is not None:
        result["dislodged"] = [_dislodged(entry) for entry in answer.dislodged]
    if any(order.outcome for order in phase.orders):
        result["orders"] = [_outcome(order) for order in phase.orders]
    return _written(result)


def _unit(unit: UnitData) -> dict[str, object]:
    return {"power": unit.power, "type": unit.type, "location": unit.location}


def _dislodged(entry: DislodgedData) -> dict[str, object]:
    given = {"from": entry.attacked_from, "retreats": entry.retreats}
    return {**_unit(entry.unit), **{name: value for name, value in given.items() if value is not None}}


def _order(order: OrderData) -> dict[str, object]:
    found = _SET.fullmatch(order.place)
    place = {"beforehand": True} if order.place == "beforehand" else {"set": int(found["number"])} if found else {}
    return {"power": order.power, "text": order.text, **place}


def _order_sets(orders: Iterable[OrderData]) -> list[dict[str, object]]:
    """Return what is known of each order set: that it replaces the earlier ones of its power, or extends them."""
    marks = {(power, int(found["number"])): found["mark"] for power, found in _sets(orders) if found["mark"]}
    return [{"power": power, "set": number, "mark": mark} for (power, number), mark in marks.items()]


def _sets(orders: Iterable[OrderData]) -> Iterator[tuple[str, re.Match[str]]]:
    for order in orders:
        if found := _SET.fullmatch(order.place):
            yield order.power, found


def _outcome(order: OrderData) -> dict[str, str] | None:
    """Return the result of an order; `None` where the engine gave no outcome, as the protocol has it."""
    if order.outcome is None:
        return None
    return {"outcome": order.outcome, **({"reason": order.reason} if order.reason else {})}


def _written(message: Mapping[str, object]) -> Markup:
    """Write a message with a line for each field, and for each element of a list of objects.

    Its many quotation marks need no escape in the content of an element, where each would take five bytes.
    """
    fields = ",\n".join(f"  {_json(name)}: {_value(value)}" for name, value in message.items())
    return Markup(escape(f"{{\n{fields}\n}}"))  # noqa: S704 - escaped


def _value(value: object) -> str:
    if not isinstance(value, list) or not value:
        return _json(cast("object", value))
    elements = ",\n".join(f"    {_json(element)}" for element in cast("list[object]", value))
    return f"[\n{elements}\n  ]"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
