"""The Suez Canal: a fleet goes from one sea to another if the unit between them lets it (DATC 2.4, chapter 7.C).

By the rules of Colonial Diplomacy a unit in Egypt opens the canal for a fleet of its own power (9.31), and for another
one by supporting its move (9.35). It has to be there the entire turn: it may have an order to move that fails (9.33).
If it is dislodged, the fleet does not pass (9.36). Where that contradicts itself, the fleet stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeVar, cast

from .board import Canal
from .equations import Equations
from .position import Position
from .resolved_order import MOVE, OrderEffect
from .rulesets import Ruleset
from .solver import MovementSolver

_Solver = TypeVar("_Solver", bound=MovementSolver)


def permitted(canal: Canal, position: Position, effects: Sequence[OrderEffect]) -> int:
    """Return the fleet that the unit at a canal lets pass, or -1.

    That is the one whose passage it supports; without such an order the one of its own power, if only one is to pass.
    """
    keeper = position.occupant[canal.keeper]
    if keeper < 0:
        return -1
    fleets = [position.occupant[sea] for sea in canal.seas]
    passing = [fleet for fleet in fleets if fleet >= 0 and passes(canal, position, effects, fleet)]
    helped = effects[keeper].helped
    for fleet in fleets:
        if fleet >= 0 and helped == position.home[fleet] and effects[keeper].target == canal.beyond(helped):
            return fleet if fleet in passing else -1
    own = [fleet for fleet in passing if position.power[fleet] == position.power[keeper]]
    return own[0] if len(own) == 1 else -1


def passes(canal: Canal, position: Position, effects: Sequence[OrderEffect], unit: int) -> bool:
    """Whether a unit is ordered to go through a canal."""
    beyond = canal.beyond(position.home[unit])
    return beyond >= 0 and effects[unit].kind == MOVE and effects[unit].target == beyond


class ThroughCanal(Equations):
    """The equations on a map with a canal; it stays in Python where the engine is compiled.

    A fleet in the canal is like a convoyed army: it meets nobody head to head, and has no effect without a path.
    """

    def __init__(self, position: Position, effects: list[OrderEffect], ruleset: Ruleset) -> None:
        super().__init__(position, effects, ruleset)
        canal = position.board.canal
        self.passing: int = permitted(canal, position, effects) if canal else -1
        """The fleet that goes through the canal, or -1."""
        is_kept = canal is not None and ruleset.choices.get("canal.stays", canal.stays) == "turn"
        self.keeper: int = position.occupant[canal.keeper] if canal and is_kept else -1
        """The unit that has to stay for that, or -1."""
        for unit in list(self.movers) if canal else ():
            if unit == self.passing:
                self.routes[unit] = ((),)
            elif canal and passes(canal, position, effects, unit):
                self.stay(unit)

    def path(self, unit: int, optimistic: bool) -> bool:
        """Whether a fleet can come through the canal: the unit beside it stays (9.33), and is not dislodged (9.36)."""
        if unit != self.passing:
            return super().path(unit, optimistic)
        if not self.routes[unit]:
            return False  # A paradox stopped it.
        keeper = self.keeper
        if keeper < 0:
            return True
        if self.kind[keeper] == MOVE and self.resolve(keeper, not optimistic):
            return False
        return not any(self.resolve(attacker, not optimistic) for attacker in self.attackers[self.home[keeper]])

    def is_felt(self, unit: int, optimistic: bool) -> bool:
        return self.path(unit, optimistic) if unit == self.passing else super().is_felt(unit, optimistic)

    def is_felt_by(self, supporter: int, unit: int, optimistic: bool) -> bool:
        if unit == self.passing:
            return self.path(unit, optimistic)
        return super().is_felt_by(supporter, unit, optimistic)

    def backup_rule(self, cycle: Sequence[int]) -> None:
        """Stop the fleet where it and the cycle depend on each other; the cycle is then resolved again."""
        if self.passing >= 0 and self.routes[self.passing] and self._is_paradox(cycle):
            self.stop(self.passing)
        else:
            super().backup_rule(cycle)

    def _is_paradox(self, cycle: Sequence[int]) -> bool:
        if self.keeper < 0:
            return False
        goes_to, egypt = self.target[self.passing], self.home[self.keeper]
        waits_for_cycle = any(unit == self.keeper or self.target[unit] == egypt for unit in cycle)
        return waits_for_cycle and any(
            unit == self.passing or goes_to in (self.home[unit], self.target[unit]) for unit in cycle
        )


@cache
def through_canal(solver: type[_Solver]) -> type[_Solver]:
    """Make of a solver one that knows a canal."""
    return cast("type[_Solver]", type(f"ThroughCanal{solver.__name__}", (ThroughCanal, solver), {}))
