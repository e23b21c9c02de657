"""What the second engine of a shadow wanted back, by what the first one answered: each gets its own `state` only."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TypeAlias, final

import msgspec

from ...adapters import AdjudicateParams, AdjudicateResult, DislodgedMessage, UnitMessage

State: TypeAlias = msgspec.Raw | msgspec.UnsetType
MOST_STATES = 1000
MOST_BYTES = 64 * 1024 * 1024
"""What is kept of states, all together: the oldest are forgotten first."""


@final
class States:
    """Keeps the states of the second engine, each under the board and the `state` that the first one answered.

    These are what a client sends back with the next phase, so that they tell which phase came before.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, bytes | None] = OrderedDict()
        self._bytes = 0

    def keep(self, asked: AdjudicateParams, first: AdjudicateResult, state: State) -> None:
        """Keep what the second engine wants back after a phase that both answered alike; nothing is kept, too.

        Two phases that look alike from here, and after which it wants two things back, are both forgotten.
        """
        key = _key(asked.map, first.units, first.dislodged, first.state)
        kept = b"" if state is msgspec.UNSET else bytes(state)
        if key in self._kept:
            known = self._kept.pop(key)
            self._bytes -= len(known or b"")
            kept = kept if known == kept else None
        self._kept[key] = kept
        self._bytes += len(kept or b"")
        while len(self._kept) > MOST_STATES or self._bytes > MOST_BYTES:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= len(oldest or b"")

    def before(self, asked: AdjudicateParams) -> State | None:
        """Give what the second engine wants back with this phase; `None` where that is not known."""
        if asked.phase != "retreat" and _same_always(asked.state) == b"":
            return msgspec.UNSET  # The client gives nothing back with this phase.
        kept = self._kept.get(_key(asked.map, asked.units, asked.dislodged, asked.state))
        if kept is None:
            return None
        return msgspec.Raw(kept) if kept else msgspec.UNSET


def _key(board: str, units: Sequence[UnitMessage], dislodged: Sequence[DislodgedMessage] | None, state: State) -> bytes:
    """Write a board and a state so that they are the same bytes however a client writes them."""
    standing = sorted((unit.power, unit.type, unit.location) for unit in units)
    beside = sorted((unit.power, unit.type, unit.location) for unit in dislodged or ())
    return msgspec.json.encode((board, standing, beside)) + _same_always(state)


def _same_always(state: State) -> bytes:
    value: object = None if state is msgspec.UNSET else msgspec.json.decode(state)
    return b"" if value is None else msgspec.json.encode(value, order="sorted")
