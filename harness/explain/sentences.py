"""What every sentence of an explanation is made of: the names of units and places, and the rule choices behind it."""

from __future__ import annotations

from ...reference_engine import Ruleset, Unit
from ...reference_engine.board import Board
from ...reports.vocabulary import Names


class Sentences(Names):
    """Writes sentences about a phase that was played under a ruleset."""

    def __init__(self, board: Board, ruleset: Ruleset) -> None:
        super().__init__(board)
        self.ruleset: Ruleset = ruleset

    def choice(self, issue: str) -> str:
        """Name the choice of an issue that is in force: `"4.B.3 = illegal"`."""
        return f"{issue} = {self.ruleset.choices[issue]}"

    def is_chosen(self, issue: str, choice: str) -> bool:
        """Whether a choice is in force."""
        return self.ruleset.choices[issue] == choice

    def not_named(self, unit: Unit) -> str:
        """Say that an order of a retreat or an adjustment phase does not name its unit."""
        return f"it does not name {self.unit(unit)} correctly (4.B.5, 4.B.6, 4.C.1, 4.C.2)"

    def issue_of_coast(self, unit: Unit, location: str) -> str:
        """Return the issue that settles a wrong coast of the place where a unit stands: of a fleet, or of no coast."""
        return "4.B.5" if unit.type == "F" and location in self.board.number else "4.B.6"

    def issue_of_landing(self, unit_type: str | None, location: str, reachable: int) -> str:
        """Return the issue that settles to which of the reachable coasts a unit goes whose order is not exact."""
        if "/" not in location:
            return "4.B.1" if reachable > 1 else "4.B.2"
        return "4.B.3" if unit_type == "F" and location in self.board.number else "4.B.6"

    def several_orders(self, *, follows_none: bool) -> str:
        """Say what several orders to one unit do."""
        what = "there are several orders to the same unit, so it follows none"
        return f"{what if follows_none else 'the unit follows another of its orders'} ({self.choice('4.D.3')})"
