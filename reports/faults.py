"""What is wrong with an answer, in one sentence: several differences are often one fault, seen from several sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..reference_engine import Move, Retreat, province_code, standard_board
from .boardmap import read_order
from .report import FactData, PhaseData, UnitData

MOST_CLAUSES = 3
"""How many faults a sentence names."""


@dataclass
class _Faults:
    """The differences of a phase, of which those that are explained are taken away."""

    phase: PhaseData
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


def fault_sentence(phase: PhaseData) -> str:
    """Say what is wrong with the answer to a phase; empty where nothing is."""
    if len(phase.facts) != len(phase.differences):
        return _joined(phase.differences)
    faults = _Faults(phase, dict(enumerate(phase.facts)))
    clauses = [*_removals(faults), *_moves(faults), *_dislodgements(faults)]
    clauses += [phase.differences[index] for index, fact in faults.left.items() if not _is_explained(fact, faults)]
    return _joined(clauses or phase.differences)


def _removals(faults: _Faults) -> Iterator[str]:
    """The units that were removed in place of others."""
    if faults.phase.phase != "adjustment":
        return
    before = set(faults.phase.before.units)
    for place, kept in list(faults.find("unit-unexpected")):
        for other, removed in list(faults.find("unit-missing")):
            if place in faults.left and kept.power == removed.power and {kept, removed} <= before:
                del faults.left[place], faults.left[other]
                faults.explained |= {province_code(kept.location), province_code(removed.location)}
                power = standard_board().power_name(kept.power)
                yield f"{power} should have lost {_unit(kept)}, but it lost {_unit(removed)}"


def _moves(faults: _Faults) -> Iterator[str]:
    """The units that moved and should not have, or did not move and should have."""
    for place, missing in list(faults.find("unit-missing")):
        for other, extra in list(faults.find("unit-unexpected")):
            if place not in faults.left or (missing.power, missing.type) != (extra.power, extra.type):
                continue
            stayed = _is_ordered(faults.phase, extra, missing)
            if not stayed and not _is_ordered(faults.phase, missing, extra):
                continue
            del faults.left[place], faults.left[other]
            faults.explained |= {province_code(missing.location), province_code(extra.location)}
            yield _stayed(faults, extra, missing) if stayed else _moved(faults, missing, extra)
            break

        for other, beaten in list(faults.find("dislodgement-unexpected")):
            if place in faults.left and _is_ordered(faults.phase, beaten, missing):
                del faults.left[place], faults.left[other]
                faults.explained.add(province_code(beaten.location))
                yield f"{_name(beaten)} should have moved to {_place(missing.location)}, but it was dislodged"


def _stayed(faults: _Faults, at: UnitData, target: UnitData) -> str:
    beaten = _names(_beaten_at(faults, "dislodgement-missing", "unit-unexpected", target))
    dislodged = f" and dislodged {beaten}" if beaten else ""
    return f"{_name(at)} should have moved to {_place(target.location)}{dislodged}, but it stayed where it was"


def _moved(faults: _Faults, at: UnitData, target: UnitData) -> str:
    beaten = _names(_beaten_at(faults, "dislodgement-unexpected", "unit-missing", target))
    dislodged = f" and dislodged {beaten}" if beaten else ""
    return f"{_name(at)} should have stayed where it was, but it moved to {_place(target.location)}{dislodged}"


def _beaten_at(faults: _Faults, dislodgement: str, standing: str, target: UnitData) -> Iterator[UnitData]:
    """The units whose dislodgement goes with a move to their province."""
    for index, unit in list(faults.find(dislodgement)):
        if province_code(unit.location) == province_code(target.location):
            del faults.left[index]
            _ = faults.take(standing, unit)
            yield unit


def _dislodgements(faults: _Faults) -> Iterator[str]:
    """The units that were dislodged and should not have been, or the other way round."""
    for kind, standing, words in (
        ("dislodgement-missing", "unit-unexpected", "should have been dislodged, but was not"),
        ("dislodgement-unexpected", "unit-missing", "was dislodged, but should not have been"),
    ):
        for index, unit in list(faults.find(kind)):
            if faults.take(standing, unit):
                del faults.left[index]
                faults.explained.add(province_code(unit.location))
                yield f"{_name(unit)} {words}"


def _is_ordered(phase: PhaseData, at: UnitData, target: UnitData) -> bool:
    """Whether a unit is ordered from one place to the other."""
    way = (province_code(at.location), province_code(target.location))
    orders = (read_order(order.text, phase.phase) for order in phase.orders if order.power == at.power)
    return any(
        isinstance(order, (Move, Retreat)) and (province_code(order.unit.location), province_code(order.to)) == way
        for order in orders
    )


def _is_explained(fact: FactData, faults: _Faults) -> bool:
    """Whether the outcome of an order follows from what is said of its unit."""
    if fact.order is None or not faults.explained or fact.order >= len(faults.phase.orders):
        return False
    order = read_order(faults.phase.orders[fact.order].text, faults.phase.phase)
    unit = getattr(order, "unit", None)
    return unit is not None and province_code(unit.location) in faults.explained


def _joined(clauses: Iterable[str]) -> str:
    every = list(clauses)
    if not every:
        return ""
    named = every if len(every) <= MOST_CLAUSES + 1 else every[:MOST_CLAUSES]
    more = f"; and {len(every) - len(named)} more differences" if len(named) < len(every) else ""
    text = "; ".join(named) + more
    return f"{text[:1].upper()}{text[1:]}."


def _names(units: Iterable[UnitData]) -> str:
    return " and ".join(map(_name, units))


def _name(unit: UnitData) -> str:
    return f"{standard_board().power_name(unit.power)}'s {_unit(unit)}"


def _unit(unit: UnitData) -> str:
    return f"{unit.type} {_place(unit.location)}"


def _place(location: str) -> str:
    return standard_board().describe(location)
