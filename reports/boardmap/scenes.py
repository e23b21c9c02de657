"""Scenes of what the project has: positions with an adjudication, phases of cases, phases of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from ...cases import CaseOrder, CasePhase, Expectation, OrderLabel
from ...reference_engine import (
    PHASES,
    Adjudication,
    Dislodged,
    GivenOrder,
    Move,
    Order,
    Phase,
    Position,
    Proxy,
    Retreat,
    Unclear,
    Unit,
    province_code,
    read_writing,
    write_order,
)
from ..report import BoardData, OrderData, PhaseData, UnitData
from .scene import DrawnDislodged, DrawnOrder, DrawnUnit, Outcome, Scene, UnitMark

OutcomeSource: TypeAlias = Literal["expected", "answer", "none"]
"""Whose word on the orders of a report is drawn."""

_LABELS: Mapping[str, tuple[Outcome, str | None]] = {
    "succeeds": ("succeeds", None),
    "fails": ("fails", None),
    "cut": ("fails", "cut"),
    "void": ("fails", "void"),
    "illegal": ("fails", "illegal"),
}
"""What the words of a case say of an order."""


class PhaseScenes(NamedTuple):
    """The boards of a phase in a report."""

    before: Scene
    """What stood there, and the orders."""
    expected: Scene | None
    """The board expected after it; `None` where there is none."""
    answer: Scene | None
    """The board that the engine answered; `None` where it gave none."""


def scene_of_orders(
    position: Position,
    orders: Sequence[GivenOrder],
    adjudication: Adjudication | None = None,
    texts: Sequence[str] | None = None,
) -> Scene:
    """The board before a phase with its orders, and what an adjudication made of them."""
    results = adjudication.orders if adjudication else (None,) * len(orders)
    return Scene(
        _units(position.units, _marks_of(position, adjudication)),
        tuple(map(_dislodged, position.dislodged)),
        tuple(
            DrawnOrder(
                power,
                order,
                texts[index] if texts else write_order(order, "names") if order else "",
                result.outcome if result else None,
                result.reason if result else None,
            )
            for index, ((power, order), result) in enumerate(zip(orders, results, strict=True))
        ),
        _owners(position.centers),
    )


def scene_after(position: Position, adjudication: Adjudication) -> Scene:
    """The board after a phase."""
    return Scene(
        _units(adjudication.units, {}),
        tuple(map(_dislodged, adjudication.dislodged)),
        owners=_owners(position.centers),
    )


def case_scenes(
    phase: CasePhase, expectation: Expectation | None, position: Position | None = None
) -> tuple[Scene, Scene | None]:
    """The board and the orders of a phase of a case, and the board that is expected.

    `position` is the one before the phase where the case has it go on from the phase before.
    """
    position = position or phase.position or Position((), phase=phase.phase)
    if expectation is not None and expectation.no_answer:
        expectation = None
    before = Scene(
        _units(position.units, _expected_marks(phase.phase, expectation)),
        tuple(map(_dislodged, position.dislodged)),
        tuple(
            DrawnOrder(order.power, order.order, order.text, *_expected_of(index, order, expectation))
            for index, order in enumerate(phase.orders)
        ),
        _owners(phase.centers),
    )
    return before, _expected_board(phase, expectation, position) if expectation is not None else None


def phase_scenes(phase: PhaseData, outcomes: OutcomeSource = "expected") -> PhaseScenes:
    """The boards of a phase in a report; the orders with what was expected of them, or with what the engine said."""
    expected = answer = None
    if phase.expected is not None:
        data = phase.expected
        others = phase.answer.units if phase.answer is not None else None
        dislodged = [DrawnDislodged(_drawn(unit), retreats=_claimed(unit, data.may_retreat)) for unit in data.dislodged]
        expected = Scene(_compared(data.units, others, "missing"), tuple(dislodged))
    if phase.answer is not None:
        others = phase.expected.units if phase.expected is not None else None
        answer = Scene(
            _compared(phase.answer.units, others, "unexpected"),
            _dislodged_data(phase.answer),
        )
    before = Scene(
        tuple(map(_drawn, phase.before.units)),
        _dislodged_data(phase.before),
        tuple(_report_order(order, phase, outcomes) for order in phase.orders),
        _owners(phase.centers),
    )
    return PhaseScenes(before, expected, answer)


def _units(units: Iterable[Unit], marks: Mapping[str, UnitMark]) -> tuple[DrawnUnit, ...]:
    return tuple(DrawnUnit(*unit, marks.get(province_code(unit.location), "")) for unit in units)


def _dislodged(entry: Dislodged) -> DrawnDislodged:
    return DrawnDislodged(DrawnUnit(*entry.unit, "dislodged"), entry.attacked_from, entry.retreats or ())


def _owners(centers: Mapping[str, Iterable[str]]) -> dict[str, str]:
    return {center: power for power, owned in centers.items() for center in owned}


def _marks_of(position: Position, adjudication: Adjudication | None) -> Mapping[str, UnitMark]:
    """The units that a phase dislodges or takes off the board."""
    if adjudication is None or position.phase == "retreat":
        return {}
    marks: dict[str, UnitMark] = {province_code(entry.unit.location): "dislodged" for entry in adjudication.dislodged}
    if position.phase == "adjustment":
        left = set(adjudication.units)
        marks |= {province_code(unit.location): "gone" for unit in position.units if unit not in left}
    return marks


def _expected_marks(phase: Phase, expectation: Expectation | None) -> Mapping[str, UnitMark]:
    if expectation is None or phase == "retreat":
        return {}
    gone: UnitMark = "gone" if phase == "adjustment" else "dislodged"
    marks: dict[str, UnitMark] = dict.fromkeys(expectation.gone, gone)
    for province in expectation.dislodged:
        marks[province] = "dislodged"
    return marks


def _expected_of(index: int, order: CaseOrder, expectation: Expectation | None) -> tuple[Outcome | None, str | None]:
    """What a case expects of an order: what it says of it, or what follows from where its unit goes."""
    if expectation is None:
        return None, None
    label: OrderLabel | None = expectation.orders.get(index)
    if label is not None:
        return _LABELS[label]
    if isinstance(order.order, (Move, Retreat)):
        went = expectation.moved.get(province_code(order.order.unit.location))
        arrived = went is not None and province_code(went) == province_code(order.order.to)
        return "succeeds" if arrived else "fails", None
    return None, None


def _expected_board(phase: CasePhase, expectation: Expectation, position: Position) -> Scene:
    dislodged = [entry.unit for entry in position.dislodged]
    after = sorted(expectation.board_after(position.units, dislodged, phase.phase))
    leaving = [unit for unit in position.units if province_code(unit.location) in expectation.dislodged]
    return Scene(
        _units(after, {}),
        tuple(
            DrawnDislodged(
                DrawnUnit(*unit, "dislodged"),
                next((origin for origin, to in expectation.moved.items() if _same_province(to, unit.location)), None),
                tuple(
                    sorted(
                        claim.to for claim in expectation.may_retreat if claim.province == province_code(unit.location)
                    )
                ),
            )
            for unit in leaving
        ),
        owners=_owners(phase.centers),
    )


def _same_province(one: str, other: str) -> bool:
    return province_code(one) == province_code(other)


def _phase(name: str) -> Phase:
    phases: dict[str, Phase] = {phase: phase for phase in PHASES}
    return phases.get(name, "movement")


def _drawn(unit: UnitData) -> DrawnUnit:
    return DrawnUnit(unit.power, unit.type, unit.location)


def _dislodged_data(board: BoardData) -> tuple[DrawnDislodged, ...]:
    return tuple(
        DrawnDislodged(_drawn(entry.unit), entry.attacked_from, tuple(entry.retreats or ()))
        for entry in board.dislodged or ()
    )


def _claimed(unit: UnitData, claims: Iterable[str]) -> tuple[str, ...]:
    """The retreats that are expected of a dislodged unit; a report has them as `LVP - EDI`."""
    pairs = [claim.partition(" - ") for claim in claims]
    return tuple(to for province, _, to in pairs if province == province_code(unit.location))


def _compared(units: Sequence[UnitData], others: Sequence[UnitData] | None, mark: UnitMark) -> tuple[DrawnUnit, ...]:
    """Mark the units that the other board lacks."""
    if others is None:
        return tuple(map(_drawn, units))
    left_over = Counter(others)
    drawn: list[DrawnUnit] = []
    for unit in units:
        drawn.append(DrawnUnit(unit.power, unit.type, unit.location, "" if left_over[unit] > 0 else mark))
        left_over[unit] -= 1
    return tuple(drawn)


def _report_order(data: OrderData, phase: PhaseData, outcomes: OutcomeSource) -> DrawnOrder:
    writing = read_writing(data.text, _phase(phase.phase))
    order = None if isinstance(writing, (Proxy, Unclear)) else writing
    outcome, reason = _told(data, outcomes)
    if outcome is None and outcomes != "none" and order is not None:
        after = phase.expected if outcomes == "expected" else phase.answer
        outcome = _outcome_on_boards(order, phase.before, after.units) if after is not None else None
    return DrawnOrder(data.power, order, data.text, outcome, reason)


def _told(data: OrderData, outcomes: OutcomeSource) -> tuple[Outcome | None, str | None]:
    if outcomes == "expected":
        return _LABELS.get(data.expected or "", (None, None))
    if outcomes == "answer" and data.outcome in ("succeeds", "fails"):
        return data.outcome, data.reason
    return None, None


def _outcome_on_boards(order: Order, before: BoardData, after: Sequence[UnitData]) -> Outcome | None:
    """What became of a move, as far as the boards tell: whether its unit is there afterwards."""
    if not isinstance(order, (Move, Retreat)):
        return None
    units = before.units if isinstance(order, Move) else [entry.unit for entry in before.dislodged or ()]
    mover = next((unit for unit in units if _same_province(unit.location, order.unit.location)), None)
    if mover is None:
        return "fails"
    there = _there(before.units, mover, order.to)
    arrived = _there(after, mover, order.to)
    stayed = isinstance(order, Move) and _there(after, mover, mover.location)
    if arrived and there and stayed:
        return None  # One of its kind was there before, and one is where it was: nobody can tell them apart.
    return "succeeds" if arrived else "fails"


def _there(units: Iterable[UnitData], like: UnitData, location: str) -> bool:
    return any(
        (unit.power, unit.type) == (like.power, like.type) and _same_province(unit.location, location) for unit in units
    )
