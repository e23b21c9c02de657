"""Armies that walk where their convoy is disrupted: the choices of 4.A.3 that fall back to the land.

Such an army always has a path. Its fleets decide which way it comes: over land it can meet an opponent head to head,
and no paradox rule spares a support from it. While the way is unknown, an equation that asks about it is worked out for
both ways. So orders are a paradox only if they have no resolution or several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import TypeVar, cast

from .equations import OPTIMISTIC, PESSIMISTIC, Equations
from .resolved_order import MOVE
from .solver import MovementSolver, Routes

_Solver = TypeVar("_Solver", bound=MovementSolver)

UNDISRUPTED: Routes = ((),)
"""The routes of an army that comes by sea for certain: one that needs no fleet."""

WAYS: Mapping[bool, Routes | None] = {True: UNDISRUPTED, False: None}
"""The routes of an army, by whether it comes by sea."""


class FallingBack(Equations):
    """The equations where some armies fall back. In between equations these have their routes by sea.

    It stays in Python where the engine is compiled: it stands before another solver (`falling_back`), and compiled code
    takes `super()` for its own base.
    """

    def supposing(self) -> Equations:
        trial = super().supposing()
        trial.opponent = list(self.opponent)
        trial.falls_back = dict(self.falls_back)
        return trial

    def solve(self) -> None:
        super().solve()
        self._take(
            {army: routes if self._sails(army, PESSIMISTIC) else None for army, routes in self.falls_back.items()}
        )
        self.falls_back.clear()

    def adjudicate(self, unit: int, optimistic: bool) -> bool:
        """The equation for an order, for each way that the armies can come which it asks about."""
        armies = self._asked_about(unit)
        if not armies:
            return super().adjudicate(unit, optimistic)
        possible = [{self._sails(army, OPTIMISTIC), self._sails(army, PESSIMISTIC)} for army in armies]
        before = {army: self.routes[army] for army in armies}
        succeeds = not optimistic
        for ways in product(*possible):
            self._take({army: WAYS[way] for army, way in zip(armies, ways, strict=True)})
            if super().adjudicate(unit, optimistic) == optimistic:
                succeeds = optimistic
                break
        self._take(before)
        return succeeds

    def backup_rule(self, cycle: Sequence[int]) -> None:
        before = {army: self.routes[army] for army in self.falls_back}
        self._take(self.falls_back)
        super().backup_rule(cycle)
        self._take(before)

    def armies_in(self, cycle: Sequence[int]) -> list[int]:
        """The armies of a paradox, without those of which the way is known, or that no order of it asks about."""
        return [
            army
            for army in super().armies_in(cycle)
            if army not in self.falls_back
            or (self._way_is_unknown(army) and any(army in self._asked_about(unit) for unit in cycle))
        ]

    def decide_convoy(self, army: int, *, succeeds: bool) -> None:
        super().decide_convoy(army, succeeds=succeeds)
        if army in self.falls_back:
            self.falls_back[army] = self.routes[army] or ()

    def stop(self, army: int) -> None:
        self._take({army: ()})
        _ = self.falls_back.pop(army, None)
        super().stop(army)

    def _asked_about(self, unit: int) -> list[int]:
        """The armies that fall back and move to where an order acts; for a move also one that comes from there."""
        moves = self.kind[unit] == MOVE
        province = self.target[unit] if moves else self.home[unit]
        return [
            army for army in self.falls_back if self.target[army] == province or (moves and self.home[army] == province)
        ]

    def _sails(self, army: int, optimistic: bool) -> bool:
        """Whether a route by sea is left to an army; not to one that a paradox rule has stopped in the meantime."""
        routes = self.falls_back.get(army, ())
        return any(all(self.resolve(fleet, optimistic) for fleet in route) for route in routes)

    def _way_is_unknown(self, army: int) -> bool:
        routes, resolution = self.falls_back[army], self.resolution
        possible = any(all(resolution[fleet] is not False for fleet in route) for route in routes)
        return possible and not any(all(resolution[fleet] for fleet in route) for route in routes)

    def _take(self, ways: Mapping[int, Routes | None]) -> None:
        """Have armies come by these routes, or over land, and meet who comes the opposite way over land."""
        for army, routes in ways.items():
            if army in self.falls_back:
                self.routes[army] = routes
                for unit in (army, self.opposite(army)):
                    if unit >= 0:
                        self.opponent[unit] = -1
                if routes is None:
                    self.meet(army)
                elif army in self.sea_battles:
                    self.opponent[army], self.opponent[self.sea_battles[army]] = self.sea_battles[army], army


@cache
def falling_back(solver: type[_Solver]) -> type[_Solver]:
    """Make of a solver one in which armies fall back; one that does not solve equations sees to that itself."""
    if not issubclass(solver, Equations):
        return solver
    made = type(f"FallingBack{solver.__name__}", (FallingBack, solver), {})
    return cast("type[_Solver]", made)
