"""The words for results that archives of several formats share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...reference_engine import Move, Order, Reason
from ..answers import OrderOutcome

_REASONS: Mapping[str, Reason] = {
    "bounce": "bounced",
    "cut": "cut",
    "dislodged": "dislodged",
    "destroyed": "destroyed",
    "disrupted": "disrupted",
    "no convoy": "no-path",
    "void": "void",
}


def outcome_of(words: Sequence[str], order: Order | None) -> OrderOutcome | None:
    """Read the outcome of an order from what is said of its unit: the first word says why it failed.

    `None` where the words do not tell: of a support or a convoy "no convoy" is about the army.
    """
    if not words:
        return OrderOutcome("succeeds")
    reason = _REASONS.get(words[0])
    if reason is None or (reason == "no-path" and not isinstance(order, Move)):
        return None
    return OrderOutcome("fails", reason)
