"""The guess algorithm: DATC 3.1, the second listing of section 5.F, with the backup rule of 5.B.9.

The document has one list of equations (5.B) for both of its algorithms, and says in 5.C that these differ in how they
resolve. So the equations are those of the default procedure; but where that asks what is certain, here every order that
is not resolved has a guess, and to be optimistic or not makes no difference.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..equations import Equations
from ..position import Position
from ..resolved_order import OrderEffect
from ..rulesets import Ruleset
from . import Procedure, procedure_by_solver

SUPPORTED_CHOICES: Mapping[str, tuple[str, ...]] = {
    "4.A.2": ("szykman",),  # 5.B.9
    "4.A.7": ("head-to-head-only",),  # 5.B.6
    "v3.2-4.A.4": ("starting-position",),  # new in DATC 3.2
    "X.4": ("per-comparison",),  # 5.B.1, 5.B.8
    "X.5": ("attack-vs-defend",),  # 5.B.1, 5.B.8
    "X.8": ("safe",),  # 5.B.3
    "X.9": ("fleet-dislodged",),  # 5.B.3
    "X.10": ("none",),  # 5.B.2, 5.B.6
    "X.11": ("never",),  # 5.B.2
    "X.12": ("no-effect",),  # 5.B.6
}
"""The issues that the equations settle. Any other is settled before them or after, as the ruleset asks."""


class Guesses(Equations):
    """The equations, resolved by trying both outcomes of an order that depends on itself."""

    def __init__(self, position: Position, effects: list[OrderEffect], ruleset: Ruleset) -> None:
        super().__init__(position, effects, ruleset)
        self._guess: list[bool] = [False] * len(effects)
        self._guess_based: bool = False
        self.recursion_hits: int = 0

    def resolve(self, unit: int, optimistic: bool) -> bool:
        """Whether an order succeeds, or its guess, where it is met again in its own recursion."""
        resolution = self.resolution[unit]
        if resolution is not None:
            return resolution
        if self.in_cycle[unit]:
            self._guess_based = True
            return self._guess[unit]
        if self.visited[unit]:
            self.add_to_cycle(unit)
            self._guess_based = True
            self.recursion_hits += 1
            return self._guess[unit]

        self.visited[unit] = True
        cycle_before = len(self.cycle)
        hits_before = self.recursion_hits
        guess_based_before = self._guess_based
        self._guess_based = False
        self._guess[unit] = False
        first = self.adjudicate(unit, optimistic)

        if not self._guess_based:
            self._guess_based = guess_based_before
            self.resolution[unit] = first
            return first
        if self.in_cycle[unit]:
            self.recursion_hits -= 1
            if self.recursion_hits == hits_before:
                # This order is the ancestor of the whole cycle: how does it come out under the other guess?
                self.forget_cycle(cycle_before)
                self._guess[unit] = True
                second = self.adjudicate(unit, optimistic)
                if first == second:
                    self.forget_cycle(cycle_before)
                    self._guess_based = guess_based_before
                    self.resolution[unit] = first
                    return first
                self.settle_cycle(cycle_before)
                self._guess_based = guess_based_before
                self.visited[unit] = False
                return self.resolve(unit, optimistic)
        else:
            self.add_to_cycle(unit)
        self._guess[unit] = first
        self.visited[unit] = False
        return first


PROCEDURE: Procedure = procedure_by_solver(Guesses, SUPPORTED_CHOICES)
"""The document has the algorithm for movement alone."""
