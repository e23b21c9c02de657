"""The outcomes of orders in a retreat or adjustment phase, and of orders that are not one clear set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...reference_engine import GivenOrder, Position, Proxy, Reason, Retreat, Ruleset, Submitted, Unclear
from ..answers import Answer, PhaseInput
from .adjustments import PowerAdjustment, why_no_adjustment
from .movement import OrderExplanation
from .retreats import RetreatExplanation, why_no_retreat

_WHY: Mapping[str, str] = {
    "ignored": "it is not one of the orders that its unit follows",
    "void": "no order matches it",
    "cut": "an attack cuts it",
}


def orders_of(asked: PhaseInput) -> Sequence[GivenOrder]:
    """Return what was written, where it is an order, and a clear one."""
    return [_order_of(writing) for writing in asked.submission.writings]


def explain_later_orders(
    asked: PhaseInput, answer: Answer, ruleset: Ruleset, retreats: Sequence[RetreatExplanation]
) -> Sequence[OrderExplanation]:
    """Explain each order as it was written."""
    position, orders, outcomes = asked.position(), orders_of(asked), answer.outcomes or ()

    def sentences(given: GivenOrder, reason: Reason | None) -> Iterable[str]:
        if reason is None:
            return ()
        if position.phase == "retreat":
            return why_no_retreat(position, retreats, given, reason, ruleset)
        if position.phase == "adjustment":
            return why_no_adjustment(position, orders, given, reason, answer.units, ruleset)
        return (_WHY[reason],) if reason in _WHY else ()

    found: list[OrderExplanation] = []
    for given, text, outcome in zip(orders, asked.texts or (), outcomes, strict=True):
        if outcome is not None:
            why = tuple(sentences(given, outcome.reason))
            to = given.order.to if isinstance(given.order, Retreat) else None
            said = (outcome.outcome, outcome.reason)
            found.append(OrderExplanation(given.power, text, *said, sentences=why, why=why, goes_to=to))
    return found


def balance_lines(position: Position, adjustments: Iterable[PowerAdjustment]) -> Iterable[OrderExplanation]:
    """Say for each power that may build or has to remove units: how many, and what was counted."""
    for each in adjustments:
        what = f"may build {each.builds}" if each.builds > 0 else f"has to remove {-each.builds}"
        counts = f"supply centers: {len(each.centers)}, units: {position.power.count(each.power)}"
        yield OrderExplanation(each.power, counts, what, sentences=each.sentences)


def _order_of(submitted: Submitted) -> GivenOrder:
    writing = submitted.writing
    return GivenOrder(submitted.power, None if isinstance(writing, (Proxy, Unclear)) else writing)
