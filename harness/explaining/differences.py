"""Where the answer of an engine is another than that of the reference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...adapters import AdjudicateResult, DislodgedMessage, unit_of
from ...reference_engine import Unit
from .words import listed, owned, place


class _Board(NamedTuple):
    units: frozenset[Unit]
    dislodged: frozenset[Unit] | None
    retreats: dict[Unit, frozenset[str]]


def same_answer(reference: AdjudicateResult, engine: AdjudicateResult) -> bool:
    """Whether an engine says what the reference says: on the board, of who is dislodged, and where it may retreat."""
    return not any(_differences(_board(reference), _board(engine)))


def differences(reference: AdjudicateResult, engine: AdjudicateResult) -> Sequence[str]:
    """Name all that an engine says differently; what it leaves out is not different."""
    return [*_differences(_board(reference), _board(engine))]


def _board(answer: AdjudicateResult) -> _Board:
    """What counts of an answer. A unit without a retreat is lost, be it listed as dislodged or gone at once."""
    entries = answer.dislodged
    return _Board(
        frozenset(map(unit_of, answer.units)),
        None if entries is None else frozenset(unit_of(entry) for entry in entries if _may_go_on(entry)),
        {unit_of(entry): frozenset(entry.retreats) for entry in entries or () if entry.retreats},
    )


def _may_go_on(entry: DislodgedMessage) -> bool:
    return entry.retreats is None or len(entry.retreats) > 0


def _differences(reference: _Board, engine: _Board) -> Iterable[str]:
    for unit in sorted(reference.units - engine.units):
        yield f"the engine does not have {owned(unit)} there afterwards"
    for unit in sorted(engine.units - reference.units):
        yield f"the engine has {owned(unit)} there afterwards"
    if engine.dislodged is None or reference.dislodged is None:
        return
    for unit in sorted(reference.dislodged - engine.dislodged):
        yield f"the engine does not have {owned(unit)} dislodged"
    for unit in sorted(engine.dislodged - reference.dislodged):
        yield f"the engine has {owned(unit)} dislodged"
    for unit, retreats in sorted(reference.retreats.items()):
        said = engine.retreats.get(unit, retreats)
        if said - retreats:
            yield f"the engine lets {owned(unit)} retreat to {listed(map(place, sorted(said - retreats)))}"
        if retreats - said:
            yield f"the engine does not let {owned(unit)} retreat to {listed(map(place, sorted(retreats - said)))}"
