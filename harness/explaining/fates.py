"""The first order that came out otherwise for an engine than for the reference."""

from __future__ import annotations

from typing import Literal, TypeAlias

from ...adapters import AdjudicateResult, unit_of
from ...reference_engine import Unit
from ...reference_engine.explanation import MovementExplanation
from ...reference_engine.legality import MOVE, SUPPORT
from .accounts import as_written

_Fate: TypeAlias = Literal["moves", "stays", "is dislodged"]


def first_difference(explained: MovementExplanation, reference: AdjudicateResult, engine: AdjudicateResult) -> str:
    """Find, in the sequence in which decisions became certain, the first that the engine made otherwise.

    Of a unit the board tells what became of it; of a support what the engine says of the order. Empty where neither
    shows a difference.
    """
    units = explained.position.units
    sequence = dict.fromkeys([*(step.unit for step in explained.equations.steps), *range(len(units))])
    for unit in sequence:
        if explained.equations.kind[unit] == SUPPORT and (said := _of_support(explained, unit, engine)):
            return said
        right, theirs = _fate(explained, unit, reference), _fate(explained, unit, engine)
        if right != theirs:
            return f"{as_written(explained, unit)}: the unit {right}; for the engine it {theirs}"
    return ""


def _fate(explained: MovementExplanation, unit: int, answer: AdjudicateResult) -> _Fate:
    """What became of a unit, by the board afterwards."""
    standing = explained.position.units[unit]
    kind, landing = explained.meanings[unit].kind, explained.meanings[unit].landing
    after = {unit_of(each) for each in answer.units}
    if kind == MOVE and landing >= 0:
        location = explained.position.board.locations[landing]
        if Unit(standing.power, standing.type, location) in after:
            return "moves"
    return "stays" if standing in after else "is dislodged"


def _of_support(explained: MovementExplanation, unit: int, engine: AdjudicateResult) -> str:
    """Compare what is said of a support that matches."""
    for index, given in enumerate(explained.given):
        if given is None or given[0] != unit or engine.orders is None:
            continue
        said = engine.orders[index]
        succeeds = bool(explained.equations.resolution[unit])
        if said is not None and (said.outcome == "succeeds") != succeeds:
            words = ("is given", "fails") if succeeds else ("is cut", "succeeds")
            return f"{as_written(explained, unit)}: the support {words[0]}; for the engine it {words[1]}"
    return ""
