"""The phases of a case as the reference engine plays them, one after the other."""

from __future__ import annotations

from typing import NamedTuple

from ...cases import CasePhase
from ...reference_engine import Adjudication, Position, Ruleset, Submission, adjudicate


class Moment(NamedTuple):
    """A phase of a case, with what stands before it and what was handed in."""

    phase: CasePhase
    position: Position
    submission: Submission

    def adjudicate(self, ruleset: Ruleset) -> Adjudication:
        """Play it. Raises `UnplayedChoiceError`."""
        return adjudicate(self.position, self.submission, ruleset)

    @property
    def texts(self) -> list[str]:
        """The orders, as they were written."""
        return [order.text for order in self.phase.orders]


def moment(phase: CasePhase, before: Adjudication | None) -> Moment:
    """Put a phase behind what became of the one before it. Raises `PositionError`."""
    submission = Submission([order.submitted for order in phase.orders], phase.marks, phase.in_sequence)
    if phase.position is not None:
        return Moment(phase, phase.position, submission)
    assert before is not None  # noqa: S101 - the first phase of a case has a position
    dislodged = before.dislodged if phase.phase == "retreat" else ()
    return Moment(
        phase, Position(before.units, phase=phase.phase, dislodged=dislodged, centers=phase.centers), submission
    )
