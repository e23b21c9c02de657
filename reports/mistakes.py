"""What is wrong with an answer, in one sentence: several differences are often one mistake, seen from several sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ..reference_engine import Move, Retreat, province_code
from .boardmap.scenes import DrawnOrder, phase_scenes
from .report import FactData, PhaseData, UnitData
from .vocabulary import Names

MOST_CLAUSES = 3
"""How many mistakes a sentence names."""


@dataclass
class _Mistakes:
    """The differences of a phase, of which those that are explained are taken away."""

    phase: PhaseData
    orders: Sequence[DrawnOrder]
    left: dict[int, FactData]
    explained: set[str] = field(default_factory=set[str])
    """The provinces whose orders are accounted for."""

    @cached_property
    def name(self) -> Names:
        """The names of the map of the phase."""
        return Names(self.phase.board)

    def find(self, kind: str) -> list[tuple[int, UnitData]]:
        """Find the differences of a kind that are left."""
        return [(index, fact.unit) for index, fact in self.left.items() if fact.kind == kind and fact.unit is not None]

    def take(self, kind: str, unit: UnitData) -> bool:
        """Take away the differences of a kind and a unit, and say whether there were any."""
        found = [index for index, other in self.find(kind) if other == unit]
        for index in found:
            del self.left[index]
        return bool(found)

    def explain(self, units: Sequence[UnitData], *differences: int) -> None:
        """Take away differences that one mistake explains, with the outcomes of the orders of these units."""
        for index in differences:
            del self.left[index]
        self.explained.update(province_code(unit.location) for unit in units)

    def is_ordered(self, at: UnitData, target: UnitData) -> bool:
        """Whether a unit is ordered from one place to the other."""
        way = (province_code(at.location), province_code(target.location))
        return any(
            isinstance(order, (Move, Retreat)) and (province_code(order.unit.location), province_code(order.to)) == way
            for power, order, *_ in self.orders
            if power == at.power
        )

    def is_explained(self, fact: FactData) -> bool:
        """Whether the outcome of an order follows from what is said of its unit."""
        if fact.order is None or not self.explained or fact.order >= len(self.orders):
            return False
        unit = getattr(self.orders[fact.order].order, "unit", None)
        return unit is not None and province_code(unit.location) in self.explained


def mistake_sentence(phase: PhaseData) -> str:
    """Say what is wrong with the answer to a phase; empty where nothing is."""
    clauses: list[str] = []
    if len(phase.facts) == len(phase.differences):
        mistakes = _Mistakes(phase, phase_scenes(phase, "none").before.orders, dict(enumerate(phase.facts)))
        clauses = [*_removals(mistakes), *_moves(mistakes), *_dislodgements(mistakes)]
        left = [index for index, fact in mistakes.left.items() if not mistakes.is_explained(fact)]
        clauses += [phase.differences[index] for index in left]
    every = clauses or phase.differences
    if not every:
        return ""
    named = every if len(every) <= MOST_CLAUSES + 1 else every[:MOST_CLAUSES]
    more = f"; and {len(every) - len(named)} more differences" if len(named) < len(every) else ""
    text = "; ".join(named) + more
    return f"{text[:1].upper()}{text[1:]}."


def _removals(mistakes: _Mistakes) -> Iterator[str]:
    if mistakes.phase.phase != "adjustment":
        return
    before = set(mistakes.phase.before.units)
    for place, kept in mistakes.find("unit-unexpected"):
        for other, removed in mistakes.find("unit-missing"):
            if place in mistakes.left and kept.power == removed.power and {kept, removed} <= before:
                mistakes.explain([kept, removed], place, other)
                power = mistakes.name.board.power_name(kept.power)
                yield f"{power} should have lost {mistakes.name.unit(kept)}, but it lost {mistakes.name.unit(removed)}"


def _moves(mistakes: _Mistakes) -> Iterator[str]:
    for place, missing in mistakes.find("unit-missing"):
        for other, extra in mistakes.find("unit-unexpected"):
            if place not in mistakes.left or (missing.power, missing.type) != (extra.power, extra.type):
                continue
            if mistakes.is_ordered(extra, missing):
                mistakes.explain([missing, extra], place, other)
                moved = _moved_to(mistakes, missing, "dislodgement-missing", "unit-unexpected")
                yield f"{mistakes.name.owned(extra)} should have {moved}, but it stayed where it was"
            elif mistakes.is_ordered(missing, extra):
                mistakes.explain([missing, extra], place, other)
                moved = _moved_to(mistakes, extra, "dislodgement-unexpected", "unit-missing")
                yield f"{mistakes.name.owned(missing)} should have stayed where it was, but it {moved}"
            else:
                continue
            break

        for other, beaten in mistakes.find("dislodgement-unexpected"):
            if place in mistakes.left and mistakes.is_ordered(beaten, missing):
                mistakes.explain([beaten], place, other)
                place_name = mistakes.name.place(missing.location)
                yield f"{mistakes.name.owned(beaten)} should have moved to {place_name}, but it was dislodged"


def _moved_to(mistakes: _Mistakes, target: UnitData, dislodgement: str, standing: str) -> str:
    """Say where a unit moved, and which units it dislodged there: their differences of these kinds go with the move."""
    beaten: list[str] = []
    for index, unit in mistakes.find(dislodgement):
        if province_code(unit.location) == province_code(target.location):
            mistakes.explain([], index)
            _ = mistakes.take(standing, unit)
            beaten.append(mistakes.name.owned(unit))
    return f"moved to {mistakes.name.place(target.location)}{' and dislodged ' * bool(beaten)}{' and '.join(beaten)}"


def _dislodgements(mistakes: _Mistakes) -> Iterator[str]:
    for kind, standing, words in (
        ("dislodgement-missing", "unit-unexpected", "should have been dislodged, but was not"),
        ("dislodgement-unexpected", "unit-missing", "was dislodged, but should not have been"),
    ):
        for index, unit in mistakes.find(kind):
            if mistakes.take(standing, unit):
                mistakes.explain([unit], index)
                yield f"{mistakes.name.owned(unit)} {words}"
