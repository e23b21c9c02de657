"""What happened in a case, as lines of plain text, for the formats that show it so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .report import CaseData, DislodgedData, OrderData, PhaseData, UnitData


def describe_case(case: CaseData) -> Iterator[str]:
    """Say why a case has its verdict, and what was ordered, expected and answered in each phase."""
    if case.reason:
        yield case.reason
    yield from (f"note: {note}" for note in case.notes)
    for phase in case.phases:
        yield from describe_phase(phase)


def describe_phase(phase: PhaseData) -> Iterator[str]:
    """Say what was ordered, expected and answered."""
    yield f"{phase.season} {phase.year}, {phase.phase} phase"
    yield from _listed("orders", map(_order, phase.orders))
    if phase.expected is None:
        yield "  expected: the ruleset has no answer"
    else:
        yield from _listed("expected", _board(phase.expected.units, map(_unit, phase.expected.dislodged)))
    if phase.answer is None:
        yield "  got: no answer"
    else:
        yield from _listed("got", _board(phase.answer.units, map(_dislodged, phase.answer.dislodged or ())))
        yield from _listed("differences", phase.differences)


def _listed(title: str, items: Iterable[str]) -> Iterator[str]:
    yield f"  {title}:"
    yield from (f"    {item}" for item in list(items) or ["none"])


def _order(order: OrderData) -> str:
    said = ", ".join(
        f"{what} {value}"
        for what, value in (("expected", order.expected), ("got", order.outcome), ("because", order.reason))
        if value is not None
    )
    place = f" [{order.place}]" if order.place else ""
    return f"{order.power}: {order.text}{place}" + (f" ({said})" if said else "")


def _board(units: Iterable[UnitData], dislodged: Iterable[str]) -> Iterator[str]:
    yield from map(_unit, sorted(units))
    yield from (f"dislodged: {unit}" for unit in dislodged)


def _dislodged(dislodged: DislodgedData) -> str:
    origin = f" from {dislodged.attacked_from}" if dislodged.attacked_from else ""
    return _unit(dislodged.unit) + origin


def _unit(unit: UnitData) -> str:
    return f"{unit.power} {unit.type} {unit.location}"
