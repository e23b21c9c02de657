"""Where the answer of an engine is another than that of the reference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...adapters import AdjudicateResult, DislodgedMessage, unit_of
from ...reference_engine import Unit
from .words import listed, owned, place


def same_answer(reference: AdjudicateResult, engine: AdjudicateResult, judged: Mapping[int, str]) -> bool:
    """Whether an engine says what the reference says: on the board, of who is dislodged, and where it may retreat.

    `judged` holds by their index the texts of the orders that count, too: those of which a case says what came of them.
    """
    return not any(_differences(reference, engine, judged))


def differences(reference: AdjudicateResult, engine: AdjudicateResult, judged: Mapping[int, str]) -> Sequence[str]:
    """Name all that an engine says differently; what it leaves out is not different."""
    return [*_differences(reference, engine, judged)]


def _differences(reference: AdjudicateResult, engine: AdjudicateResult, judged: Mapping[int, str]) -> Iterable[str]:
    right, said = set(map(unit_of, reference.units)), set(map(unit_of, engine.units))
    for unit in sorted(right - said):
        yield f"{owned(unit)} is on the board afterwards, but not for the engine"
    for unit in sorted(said - right):
        yield f"{owned(unit)} is not on the board afterwards, but is for the engine"
    if engine.dislodged is not None and reference.dislodged is not None:
        yield from _of_dislodged(_by_unit(reference.dislodged), _by_unit(engine.dislodged))
    if engine.orders is not None and reference.orders is not None:
        for index, text in judged.items():
            right_one, said_one = reference.orders[index], engine.orders[index]
            if right_one is not None and said_one is not None and right_one.outcome != said_one.outcome:
                yield f"{text!r} {right_one.outcome}, but the engine says that it {said_one.outcome}"


def _by_unit(entries: Iterable[DislodgedMessage]) -> Mapping[Unit, frozenset[str] | None]:
    """For each dislodged unit the retreats that are said to be open to it, if any are said."""
    return {unit_of(entry): None if entry.retreats is None else frozenset(entry.retreats) for entry in entries}


def _of_dislodged(
    right: Mapping[Unit, frozenset[str] | None], said: Mapping[Unit, frozenset[str] | None]
) -> Iterable[str]:
    """A unit without a retreat is lost: engines list it as dislodged, or take it off the board at once."""
    for unit in sorted(unit for unit, retreats in right.items() if retreats and unit not in said):
        yield f"{owned(unit)} is dislodged, but not for the engine"
    for unit in sorted(said.keys() - right.keys()):
        yield f"{owned(unit)} is not dislodged, but is for the engine"
    for unit in sorted(said.keys() & right.keys()):
        allowed, claimed = right[unit], said[unit]
        if allowed is None or claimed is None:
            continue
        if claimed - allowed:
            yield f"the engine lets {owned(unit)} retreat to {listed(map(place, sorted(claimed - allowed)))}"
        if allowed - claimed:
            yield f"the engine does not let {owned(unit)} retreat to {listed(map(place, sorted(allowed - claimed)))}"
