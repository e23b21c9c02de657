"""What a case expects of an answer, as something that answers are compared with."""

from __future__ import annotations

from ...cases import CasePhase, Expectation
from ...reference_engine import Move, Unit, province_code, standard_board
from ..answers import ExpectedAnswer, ExpectedDislodgement, PhaseInput


def expected_answer(phase: CasePhase, expectation: Expectation, asked: PhaseInput) -> ExpectedAnswer:
    """Return what an expectation means for the position that a phase was asked with."""
    beside = [entry.unit for entry in asked.dislodged or ()]
    after = expectation.board_after(asked.units, beside, phase.phase)
    dislodged = None
    if phase.phase == "movement":
        dislodged = {
            unit: ExpectedDislodgement(
                frozenset(to for where, to in expectation.may_retreat if where == province),
                frozenset(to for where, to in expectation.may_not_retreat if where == province),
                _is_lost(phase, expectation, unit, after),
            )
            for unit in asked.units
            if (province := province_code(unit.location)) in expectation.dislodged
        }
    return ExpectedAnswer(
        after,
        dislodged,
        {index: "succeeds" if label == "succeeds" else "fails" for index, label in expectation.orders.items()},
    )


def _is_lost(phase: CasePhase, expectation: Expectation, unit: Unit, after: frozenset[Unit]) -> bool:
    """Whether a dislodged unit has nowhere to go.

    Closed to it are occupied provinces, the one its attacker came from, and those that a move failed to enter.
    """
    province = province_code(unit.location)
    closed = {province_code(other.location) for other in after}
    closed |= {origin for origin, to in expectation.moved.items() if province_code(to) == province}
    for order in phase.orders:
        if isinstance(order.order, Move) and province_code(order.order.unit.location) not in expectation.moved:
            closed.add(province_code(order.order.to))
    return closed.issuperset(map(province_code, standard_board().destinations(unit)))
