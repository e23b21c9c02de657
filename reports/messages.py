"""The request and the answer of a phase as JSON to be read and copied, with the fields of the engine protocol.

They are made of what a report has: without a `state`, the structured form of orders, default coasts and flying
Dutchmen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import cast
from xml.sax.saxutils import escape

import msgspec
from markupsafe import Markup

from .report import BoardData, DislodgedData, OrderData, OrderSetData, PhaseData, RulesetData

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
        "units": phase.before.units,
        "centers": phase.centers,
        "dislodged": [_dislodged(entry) for entry in phase.before.dislodged or ()],
        "orders": [_order(order) for order in phase.orders],
        "order_sets": _marks(phase.orders),
    }
    if any(not order_set.in_sequence for _, order_set in _order_sets(phase.orders)):
        params["sets_in_sequence"] = False
    return _written({name: value for name, value in params.items() if value or name in _ALWAYS})


def answer_text(answer: BoardData, phase: PhaseData) -> Markup:
    """Write what the engine answered: the result of `adjudicate`, as the content of an element."""
    result: dict[str, object] = {"units": answer.units}
    if answer.dislodged is not None:
        result["dislodged"] = [_dislodged(entry) for entry in answer.dislodged]
    if any(order.outcome for order in phase.orders):
        result["orders"] = [_outcome(order) for order in phase.orders]
    return _written(result)


def _dislodged(entry: DislodgedData) -> dict[str, object]:
    given = {"from": entry.attacked_from, "retreats": entry.retreats}
    return {**msgspec.structs.asdict(entry.unit), **{name: value for name, value in given.items() if value is not None}}


def _order(order: OrderData) -> dict[str, object]:
    data: dict[str, object] = {"power": order.power, "text": order.text}
    if order.order_set is not msgspec.UNSET:
        data |= {"beforehand": True} if order.order_set.beforehand else {"set": order.order_set.number}
    return data


def _marks(orders: Iterable[OrderData]) -> list[dict[str, object]]:
    """Return what is known of each order set: that it replaces the earlier ones of its power, or extends them."""
    marks = {(power, order_set.number): order_set.mark for power, order_set in _order_sets(orders) if order_set.mark}
    return [{"power": power, "set": number, "mark": mark} for (power, number), mark in marks.items()]


def _order_sets(orders: Iterable[OrderData]) -> Iterator[tuple[str, OrderSetData]]:
    for order in orders:
        if order.order_set is not msgspec.UNSET:
            yield order.power, order.order_set


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
    return json.dumps(msgspec.to_builtins(value), ensure_ascii=False)
