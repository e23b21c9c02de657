"""The decisions of DATC 2.4, chapter 5: made as soon as they can be, and by the smallest dependency list where not.

`types` has the decisions (5.B.1 to 5.B.8 and 5.B.10), `cores` circular movements and paradoxes (5.B.9).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...choices import ADJACENT_CONVOYS
from ...legality import CONVOY, MOVE, SUPPORT, Meaning
from ...matched import MatchedOrders
from ...movement import adjudicate_with
from ...orders import GivenOrder
from ...position import Position
from ...results import Adjudication
from ...rulesets import Ruleset
from .. import EQUATIONS, Procedure, as_supported
from .cores import resolve_core, smallest_dependency_list
from .types import Decision, DecisionTable

SUPPORTED_CHOICES: Mapping[str, tuple[str, ...]] = {
    "4.A.2": ("szykman", "all-hold", "2000"),  # 5.B.9
    "X.4": ("per-comparison",),  # 5.B.1, 5.B.4
    "X.5": ("attack-vs-defend",),  # 5.B.1, 5.B.4, 5.B.7
    "X.7": ("paradox-rule-wins",),  # 5.B.9
    "X.8": ("safe",),  # 5.B.3, 5.B.8
    "X.9": ("fleet-dislodged",),  # 5.B.3, 5.B.8
    "X.10": ("none",),  # 5.B.2, 5.B.4, 5.B.6
    "X.11": ("never",),  # 5.B.2, 5.B.4
    "X.12": ("no-effect",),  # 5.B.6
}
"""The issues that chapter 5 settles, with the choices that it has. Any other is settled as the ruleset asks."""


class Decisions(MatchedOrders):
    """The matching orders of a movement phase, resolved by decisions."""

    __slots__: tuple[str, ...] = ("table",)

    def __init__(self, position: Position, kind: list[int], target: Sequence[int], choices: Mapping[str, str]) -> None:
        super().__init__(position, kind, target, choices)
        self.table: DecisionTable

    def prepare(self, position: Position, meanings: Sequence[Meaning]) -> None:
        """List the decisions, with those of 5.B.10 for the choice of 4.A.3 that it is about."""
        del meanings
        has_decisions = ADJACENT_CONVOYS[self.choices["4.A.3"]].has_decisions
        self.table = DecisionTable(self, self.walkers(position) if has_decisions else ())

    def solve(self) -> None:
        undecided = make_decisions(self.table)
        while undecided:
            resolve_core(self.table, smallest_dependency_list(undecided))
            undecided = make_decisions(undecided)
        for unit, kind in enumerate(self.kind):
            if kind == MOVE:
                self.resolution[unit] = self.table.move[unit].minimum == 1
            elif kind == SUPPORT:
                self.resolution[unit] = self.table.support[unit].minimum == 1
            elif kind == CONVOY:
                self.resolution[unit] = self.table.dislodge[unit].maximum == 0
        for unit, convoy_path in self.table.convoy_path.items():
            if convoy_path.maximum == 0:
                self.routes[unit] = None

    def has_path(self, unit: int) -> bool:
        return self.table.path[unit].minimum == 1 and unit not in self.table.stopped

    def prevents(self, unit: int) -> bool:
        return self.table.prevent[unit].minimum > 0


def make_decisions(undecided: Iterable[Decision]) -> list[Decision]:
    """Make the decisions that can be made, each again and again, and give back those that cannot."""
    while True:
        changed = False
        left: list[Decision] = []
        for decision in undecided:
            if not decision.is_made:
                changed |= decision.update()
            if not decision.is_made:
                left.append(decision)
        if not changed:
            return left
        undecided = left


def adjudicate_movement(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Adjudication:
    """Adjudicate a movement phase."""
    return adjudicate_with(Decisions, position, orders, as_supported(ruleset, SUPPORTED_CHOICES))


PROCEDURE: Procedure = {**EQUATIONS, "movement": adjudicate_movement}
"""The chapter is about movement alone."""
