"""Difficult passages: a move across has the strength of its supports alone, one less than usual (DATC 2.4, chapter 10).

Here all strengths but those of such moves are one higher than the rules count them. So a move of no strength is still
more than nobody: it comes to an empty province, and bounces another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeVar, cast

from .equations import OPTIMISTIC, STANDING_ALONE, Equations
from .position import Position
from .resolved_order import OrderEffect
from .solver import MovementSolver

_Solver = TypeVar("_Solver", bound=MovementSolver)


class CrossingPassages(Equations):
    """The equations on a map with difficult passages; it stays in Python where the engine is compiled."""

    crossing: frozenset[int] = frozenset()
    """The units that move across a difficult passage, unless they are convoyed around it."""

    def prepare(self, position: Position, effects: Sequence[OrderEffect]) -> None:
        super().prepare(position, effects)
        self.crossing = frozenset(unit for unit in self.movers if self.target[unit] in position.places[unit].difficult)

    def lone_strength(self, unit: int) -> int:
        return STANDING_ALONE + 1 - (unit in self.crossing and self.routes[unit] is None)

    def prevents(self, unit: int) -> bool:
        return self.prevent_strength(unit, OPTIMISTIC) >= self.lone_strength(unit)

    def hold_strength(self, province: int, optimistic: bool) -> int:
        strength = super().hold_strength(province, optimistic)
        return strength and strength + 1

    def defend_strength(self, unit: int, optimistic: bool) -> int:
        return super().defend_strength(unit, optimistic) + self.lone_strength(unit) - STANDING_ALONE

    def attack_strength(self, unit: int, optimistic: bool) -> int:
        strength = super().attack_strength(unit, optimistic)
        return strength and strength + self.lone_strength(unit) - STANDING_ALONE

    def is_cut_by(self, unit: int, attacker: int, optimistic: bool) -> bool:
        return not self.has_no_strength(attacker, optimistic) and super().is_cut_by(unit, attacker, optimistic)

    def has_no_strength(self, unit: int, optimistic: bool) -> bool:
        is_weak = self.lone_strength(unit) == STANDING_ALONE
        return is_weak and self.attack_strength(unit, optimistic) <= STANDING_ALONE

    def shown_strength(self, strength: int) -> int:
        return max(strength - 1, 0)


@cache
def crossing_passages(solver: type[_Solver]) -> type[_Solver]:
    """Make of a solver one that knows difficult passages."""
    return cast("type[_Solver]", type(f"CrossingPassages{solver.__name__}", (CrossingPassages, solver), {}))
