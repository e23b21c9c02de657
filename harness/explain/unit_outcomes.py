"""What happens to units in a phase, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from ...reference_engine import Board, Convoy, Move, Retreat, SupportMove, Unit, province_code
from ...reference_engine.board import Railway
from ..play.answer import Answer, PhaseInput
from ..play.differences import fate_of
from ..play.positions import helped_unit

Outcome: TypeAlias = tuple[Unit, str]
"""A unit, as it was before the phase or was built, and what happened to it: `"moves to Burgundy"`."""


def outcomes_of(asked: PhaseInput, answer: Answer) -> Sequence[Outcome]:
    """Say what happened to the units that did not stay where they stood."""
    board = asked.position().board
    place = board.describe
    if asked.phase == "adjustment":
        built = [(unit, "is built") for unit in answer.units if unit not in asked.units]
        return [*built, *((unit, "is removed") for unit in asked.units if unit not in answer.units)]
    destinations: dict[str, list[str]] = {}
    halted: dict[str, list[str]] = {}
    """The provinces before its destination in which a unit can stop that uses a railway."""
    succeeded: dict[tuple[str, str], str] = {}
    writings = asked.submission.writings
    for (power, order, *_), outcome in zip(writings, answer.outcomes or [None] * len(writings), strict=True):
        if isinstance(order, (Move, Retreat, SupportMove, Convoy)):
            province = province_code((helped_unit(order) or order.unit).location)
            destinations.setdefault(province, []).append(order.to)
            if isinstance(order, Move) and board.railway is not None and board.railway.name in order.path:
                halted.setdefault(province, []).extend(_stations_before(order, board.railway, board))
            if isinstance(order, Move) and outcome is not None and outcome.outcome == "succeeds":
                _ = succeeded.setdefault((power, province), order.to)
    if asked.phase == "retreat":
        arrived = [unit for unit in answer.units if unit not in asked.units]
        retreating = [entry.unit for entry in asked.dislodged or ()]
        places = [_landing(unit, destinations.get(province_code(unit.location), ()), arrived) for unit in retreating]
        words = ["is disbanded" if to is None else f"retreats to {place(to)}" for to in places]
        return [*zip(retreating, words, strict=True)]
    found: list[Outcome] = []
    lost = {entry.unit for entry in answer.dislodged or () if entry.retreats == ()}
    for unit in asked.units:
        province = province_code(unit.location)
        targets, by_order = destinations.get(province, ()), succeeded.get((unit.power, province))
        to = _landing(unit, [by_order], answer.units) if by_order else None
        fate = fate_of(unit, {*map(province_code, targets)}, answer) if to is None else "moves"
        if fate == "moves":
            to = to or _landing(unit, targets, answer.units)
        elif fate == "is dislodged" and unit not in {entry.unit for entry in answer.dislodged or ()}:
            came = [other for other in answer.units if other not in asked.units] or answer.units
            to = _landing(unit, halted.get(province, ()), came)
        if to:
            found.append((unit, f"moves to {place(to)}"))
        elif fate == "is dislodged":
            found.append((unit, f"is dislodged{' without a retreat' if unit in lost else ''}"))
    return found


def _stations_before(order: Move, railway: Railway, board: Board) -> Iterable[str]:
    home, target = (board.number.get(province_code(each), -1) for each in (order.unit.location, order.to))
    return (board.locations[station] for station in railway.way(home, target)[:-1])


def _landing(unit: Unit, destinations: Iterable[str], units: Iterable[Unit]) -> str | None:
    """Return where a unit of this kind stands after the phase, among these destinations."""
    provinces = {*map(province_code, destinations)}
    alike = [other.location for other in units if other[:2] == unit[:2]]
    return next((location for location in alike if province_code(location) in provinces), None)
