"""What was found of a phase, as a report has it, and back."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ...adapters import AdjudicateResult, DislodgedMessage, center_messages
from ...cases import Case, CasePhase, Expectation
from ...reference_engine import Unit
from ...reports import BoardData, CaseData, DislodgedData, ExpectedData, OrderData, PhaseData, UnitData
from ..session.questions import Before
from .judging import AskedPhase, Judgement, expected_dislodged


def phase_data(
    phase: CasePhase,
    standing: Before,
    expectation: Expectation | None,
    answer: AdjudicateResult | None,
    judgement: Judgement,
) -> PhaseData:
    """Put a phase into a report: what stood, what was ordered, expected and answered."""
    orders = answer.orders if answer is not None else None
    return PhaseData(
        phase=phase.phase,
        season=phase.season,
        year=phase.year,
        before=BoardData(
            units=_unit_data(standing.units),
            dislodged=_dislodged_data(standing.dislodged) if phase.phase == "retreat" else None,
        ),
        centers=center_messages(phase.centers),
        orders=[
            OrderData(
                power=order.power,
                text=order.text,
                place=phase.place_of(order),
                expected=expectation.orders.get(index) if expectation is not None else None,
                outcome=result.outcome if (result := orders[index] if orders else None) else None,
                reason=result.reason if result else None,
            )
            for index, order in enumerate(phase.orders)
        ],
        expected=_expected_data(phase, standing, expectation) if expectation is not None else None,
        answer=None
        if answer is None
        else BoardData(
            units=sorted(UnitData(power=u.power, type=u.type, location=u.location) for u in answer.units),
            dislodged=_dislodged_data(answer.dislodged),
        ),
        differences=judgement.differences,
        not_given=judgement.not_given,
    )


def _expected_data(phase: CasePhase, standing: Before, expectation: Expectation) -> ExpectedData:
    asked = AskedPhase(phase, standing.units, standing.dislodged_units, AdjudicateResult(units=[]))
    return ExpectedData(
        choices={issue: sorted(choices) for issue, choices in expectation.choices.items()},
        basis=expectation.basis,
        units=_unit_data(sorted(expectation.board_after(standing.units, standing.dislodged_units, phase.phase))),
        dislodged=_unit_data(expected_dislodged(asked, expectation)),
        may_retreat=[f"{claim.province} - {claim.to}" for claim in sorted(expectation.may_retreat)],
        may_not_retreat=[f"{claim.province} - {claim.to}" for claim in sorted(expectation.may_not_retreat)],
    )


def _unit_data(units: Sequence[Unit]) -> list[UnitData]:
    return [UnitData(power=unit.power, type=unit.type, location=unit.location) for unit in units]


def _dislodged_data(entries: Sequence[DislodgedMessage] | None) -> list[DislodgedData] | None:
    if entries is None:
        return None
    return [
        DislodgedData(
            unit=UnitData(power=entry.power, type=entry.type, location=entry.location),
            attacked_from=entry.from_,
            retreats=entry.retreats,
        )
        for entry in entries
    ]


def asked_phases(case: Case, data: CaseData) -> list[AskedPhase]:
    """What was asked and answered, as far as the run has it and it is of this edition of the case."""
    asked: list[AskedPhase] = []
    for phase, found in zip(case.phases, data.phases, strict=False):
        if found.answer is None or [order.text for order in phase.orders] != [order.text for order in found.orders]:
            break
        try:
            answer = _answer(found)
        except msgspec.ValidationError:
            break
        dislodged = tuple(_unit(entry.unit) for entry in found.before.dislodged or ())
        asked.append(AskedPhase(phase, tuple(map(_unit, found.before.units)), dislodged, answer))
    return asked


def _answer(phase: PhaseData) -> AdjudicateResult:
    """What the engine answered. Raises `ValidationError` for what no engine can have answered."""
    assert phase.answer is not None  # noqa: S101 - who calls it has looked
    dislodged = phase.answer.dislodged
    data = {
        "units": [msgspec.to_builtins(unit) for unit in phase.answer.units],
        "dislodged": None
        if dislodged is None
        else [
            {**msgspec.to_builtins(entry.unit), "from": entry.attacked_from, "retreats": entry.retreats}
            for entry in dislodged
        ],
        "orders": [
            {"outcome": order.outcome, "reason": order.reason} if order.outcome is not None else None
            for order in phase.orders
        ],
    }
    return msgspec.convert(data, AdjudicateResult)


def _unit(unit: UnitData) -> Unit:
    return Unit(unit.power, "A" if unit.type == "A" else "F", unit.location)
