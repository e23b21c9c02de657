"""What happened to each unit in a phase, in a few words: by the reference engine, or by another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...reference_engine import Convoy, Move, Retreat, SupportMove, Unit, Writing, province_code
from ..answers import Answer, PhaseInput, fate_of
from .words import place, unit_words


class Outcome(NamedTuple):
    """What happened to a unit, other than that it stayed."""

    unit: Unit
    """Before the phase; a unit that was built, after it."""
    words: str
    """`"moves to Burgundy"`."""


def outcomes_of(asked: PhaseInput, answer: Answer) -> Sequence[Outcome]:
    """Say what happened to the units that did not stay where they stood."""
    if asked.phase == "adjustment":
        return [*_adjusted(asked, answer)]
    if asked.phase == "retreat":
        return [*_retreated(asked, answer)]
    return [*_moved(asked, answer)]


def outcome_words(asked: PhaseInput, answer: Answer) -> str:
    """Say what happened in a phase: `"A Paris moves to Burgundy; A Burgundy is dislodged"`."""
    return "; ".join(f"{unit_words(each.unit)} {each.words}" for each in outcomes_of(asked, answer)) or "nothing moves"


def _moved(asked: PhaseInput, answer: Answer) -> Iterable[Outcome]:
    retreats = {entry.unit: entry.retreats for entry in answer.dislodged or ()}
    for unit in asked.units:
        landing = _succeeded(asked, answer, unit)
        destinations = _destinations(asked, unit)
        if landing is None:
            fate = fate_of(unit, {province_code(to) for to in destinations}, answer)
            landing = _landing(unit, destinations, answer) if fate == "moves" else None
            if fate == "is dislodged":
                yield Outcome(unit, f"is dislodged{'' if retreats.get(unit, ('',)) else ' without a retreat'}")
        if landing is not None:
            yield Outcome(unit, f"moves to {place(landing)}")


def _succeeded(asked: PhaseInput, answer: Answer, unit: Unit) -> str | None:
    """Return where a unit went by an order of which the answer says that it succeeded."""
    for submitted, outcome in zip(asked.submission.writings, answer.outcomes or (), strict=False):
        order = submitted.writing
        moves = isinstance(order, Move) and (submitted.power, province_code(order.unit.location)) == _place_of(unit)
        if isinstance(order, Move) and moves and outcome is not None and outcome.outcome == "succeeds":
            return _landing(unit, [order.to], answer)
    return None


def _place_of(unit: Unit) -> tuple[str, str]:
    return unit.power, province_code(unit.location)


def _destinations(asked: PhaseInput, unit: Unit) -> Sequence[str]:
    """Return where orders say that a unit is to go: its own, and those that support or convoy it."""
    found = [_destination(submitted.writing) for submitted in asked.submission.writings]
    return [to for province, to in found if province == province_code(unit.location)]


def _destination(writing: Writing | None) -> tuple[str, str]:
    """Return the province of the unit that is to move by an order, or with its help, and where to."""
    match writing:
        case Move():
            return province_code(writing.unit.location), writing.to
        case SupportMove():
            return province_code(writing.supported.location), writing.to
        case Convoy():
            return province_code(writing.convoyed.location), writing.to
        case _:
            return "", ""


def _landing(unit: Unit, destinations: Sequence[str], answer: Answer) -> str | None:
    """Return where a unit of this kind stands after the phase, among these destinations."""
    provinces = {province_code(to) for to in destinations}
    alike = [other.location for other in answer.units if other[:2] == unit[:2]]
    return next((location for location in alike if province_code(location) in provinces), None)


def _retreated(asked: PhaseInput, answer: Answer) -> Iterable[Outcome]:
    arrived = [unit for unit in answer.units if unit not in asked.units]
    retreats = [each.writing for each in asked.submission.writings if isinstance(each.writing, Retreat)]
    for entry in asked.dislodged or ():
        unit = entry.unit
        ordered = [each for each in retreats if province_code(each.unit.location) == province_code(unit.location)]
        targets = {province_code(each.to) for each in ordered}
        alike = [other.location for other in arrived if other[:2] == unit[:2]]
        to = next((location for location in alike if province_code(location) in targets), "")
        yield Outcome(unit, f"retreats to {place(to)}" if to else "is disbanded")


def _adjusted(asked: PhaseInput, answer: Answer) -> Iterable[Outcome]:
    yield from (Outcome(unit, "is built") for unit in answer.units if unit not in asked.units)
    yield from (Outcome(unit, "is removed") for unit in asked.units if unit not in answer.units)
