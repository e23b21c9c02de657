"""Tells failures of an engine apart: by what it says, or else by what it was asked."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...reference_engine import (
    Order,
)
from ..answers import Failure
from ..positions import ORDER_TYPES
from .causes import Disagreement

_SILENT = re.compile(r"gave no answer within \S+ s|ended (with exit code -?\d+|by signal \w+)|closed the connection .*")
_NAMES: Mapping[type[Order | None], str] = {
    **ORDER_TYPES,
    type(None): "unreadable",
}
_PLAIN = frozenset({"hold", "move", "retreat", "disband", "build", "remove"})


def is_silent(failure: Failure) -> bool:
    """Whether an engine crashed or hung, and wrote nothing that says why."""
    return _SILENT.fullmatch(failure.reason) is not None


def is_hang(failure: Failure) -> bool:
    """Whether an engine gave no answer in time."""
    return failure.reason.startswith("gave no answer within")


def order_kinds(disagreement: Disagreement) -> frozenset[str]:
    """Return the kinds of the orders in the last phase that was asked."""
    ordered = disagreement.ordered
    orders = ordered.orders if len(disagreement.said) == 1 else ordered.retreats or ()
    return frozenset(_NAMES[type(given.order)] for given in orders)


def telling_kinds(small: Disagreement) -> frozenset[str]:
    """Return the kinds of orders that a minimal position needs beside those for a unit alone, which nearly all have.

    An engine that crashes wherever a province is named does so in a hold, a move and a build: that is one bug.
    """
    return order_kinds(small) - _PLAIN


def failure_label(kind: str, kinds: frozenset[str]) -> str:
    """Return what failures share of which the engine says nothing, from the kinds of orders that it was asked."""
    return f"{kind}: {', '.join(sorted(kinds)) or 'orders for single units'}"
