"""What is wrong with an answer, in one sentence: several differences are often one mistake, seen from several sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ..reference_engine import Move, Retreat, province_code, standard_board
from .boardmap import DrawnOrder, phase_scenes
from .report import FactData, PhaseData, UnitData
from .vocabulary import Names

NAME = Names(standard_board())
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

    def find(self, kind: str, unit: UnitData | None = None) -> Iterator[tuple[int, UnitData]]:
        """Find the differences of a kind that are left, those of one unit if it is given."""
        for index, fact in list(self.left.items()):
            if fact.kind == kind and fact.unit is not None and unit in (None, fact.unit):
                yield index, fact.unit

    def take(self, kind: str, unit: UnitData) -> bool:
        """Take away the differences of a kind and a unit, and say whether there were any."""
        found = [index for index, _ in self.find(kind, unit)]
        for index in found:
            del self.left[index]
        return bool(found)


def mistake_sentence(phase: PhaseData) -> str:
    """Say what is wrong with the answer to a phase; empty where nothing is."""
    if len(phase.facts) != len(phase.differences):
        return _joined(phase.differences)
    mistakes = _Mistakes(phase, phase_scenes(phase, "none").before.orders, dict(enumerate(phase.facts)))
    clauses = [*_removals(mistakes), *_moves(mistakes), *_dislodgements(mistakes)]
    clauses += [phase.differences[index] for index, fact in mistakes.left.items() if not _is_explained(fact, mistakes)]
    return _joined(clauses or phase.differences)


def _removals(mistakes: _Mistakes) -> Iterator[str]:
    """The units that were removed in place of others."""
    if mistakes.phase.phase != "adjustment":
        return
    before = set(mistakes.phase.before.units)
    for place, kept in list(mistakes.find("unit-unexpected")):
        for other, removed in list(mistakes.find("unit-missing")):
            if place in mistakes.left and kept.power == removed.power and {kept, removed} <= before:
                del mistakes.left[place], mistakes.left[other]
                mistakes.explained |= {province_code(kept.location), province_code(removed.location)}
                power = NAME.board.power_name(kept.power)
                yield f"{power} should have lost {NAME.unit(kept)}, but it lost {NAME.unit(removed)}"


def _moves(mistakes: _Mistakes) -> Iterator[str]:
    """The units that moved and should not have, or did not move and should have."""
    for place, missing in list(mistakes.find("unit-missing")):
        for other, extra in list(mistakes.find("unit-unexpected")):
            if place not in mistakes.left or (missing.power, missing.type) != (extra.power, extra.type):
                continue
            stayed = _is_ordered(mistakes.orders, extra, missing)
            if not stayed and not _is_ordered(mistakes.orders, missing, extra):
                continue
            del mistakes.left[place], mistakes.left[other]
            mistakes.explained |= {province_code(missing.location), province_code(extra.location)}
            yield _stayed(mistakes, extra, missing) if stayed else _moved(mistakes, missing, extra)
            break

        for other, beaten in list(mistakes.find("dislodgement-unexpected")):
            if place in mistakes.left and _is_ordered(mistakes.orders, beaten, missing):
                del mistakes.left[place], mistakes.left[other]
                mistakes.explained.add(province_code(beaten.location))
                yield f"{NAME.owned(beaten)} should have moved to {NAME.place(missing.location)}, but it was dislodged"


def _stayed(mistakes: _Mistakes, at: UnitData, target: UnitData) -> str:
    beaten = _owned(_beaten_at(mistakes, "dislodgement-missing", "unit-unexpected", target))
    dislodged = f" and dislodged {beaten}" if beaten else ""
    return f"{NAME.owned(at)} should have moved to {NAME.place(target.location)}{dislodged}, but it stayed where it was"


def _moved(mistakes: _Mistakes, at: UnitData, target: UnitData) -> str:
    beaten = _owned(_beaten_at(mistakes, "dislodgement-unexpected", "unit-missing", target))
    dislodged = f" and dislodged {beaten}" if beaten else ""
    return f"{NAME.owned(at)} should have stayed where it was, but it moved to {NAME.place(target.location)}{dislodged}"


def _beaten_at(mistakes: _Mistakes, dislodgement: str, standing: str, target: UnitData) -> Iterator[UnitData]:
    """The units whose dislodgement goes with a move to their province."""
    for index, unit in list(mistakes.find(dislodgement)):
        if province_code(unit.location) == province_code(target.location):
            del mistakes.left[index]
            _ = mistakes.take(standing, unit)
            yield unit


def _dislodgements(mistakes: _Mistakes) -> Iterator[str]:
    """The units that were dislodged and should not have been, or the other way round."""
    for kind, standing, words in (
        ("dislodgement-missing", "unit-unexpected", "should have been dislodged, but was not"),
        ("dislodgement-unexpected", "unit-missing", "was dislodged, but should not have been"),
    ):
        for index, unit in list(mistakes.find(kind)):
            if mistakes.take(standing, unit):
                del mistakes.left[index]
                mistakes.explained.add(province_code(unit.location))
                yield f"{NAME.owned(unit)} {words}"


def _is_ordered(orders: Sequence[DrawnOrder], at: UnitData, target: UnitData) -> bool:
    """Whether a unit is ordered from one place to the other."""
    way = (province_code(at.location), province_code(target.location))
    return any(
        isinstance(order, (Move, Retreat)) and (province_code(order.unit.location), province_code(order.to)) == way
        for power, order, *_ in orders
        if power == at.power
    )


def _is_explained(fact: FactData, mistakes: _Mistakes) -> bool:
    """Whether the outcome of an order follows from what is said of its unit."""
    if fact.order is None or not mistakes.explained or fact.order >= len(mistakes.orders):
        return False
    unit = getattr(mistakes.orders[fact.order].order, "unit", None)
    return unit is not None and province_code(unit.location) in mistakes.explained


def _joined(clauses: Iterable[str]) -> str:
    every = list(clauses)
    if not every:
        return ""
    named = every if len(every) <= MOST_CLAUSES + 1 else every[:MOST_CLAUSES]
    more = f"; and {len(every) - len(named)} more differences" if len(named) < len(every) else ""
    text = "; ".join(named) + more
    return f"{text[:1].upper()}{text[1:]}."


def _owned(units: Iterable[UnitData]) -> str:
    return " and ".join(map(NAME.owned, units))
