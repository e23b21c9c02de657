"""The Trans-Siberian Railroad: one Russian army a turn goes past any number of provinces (DATC 2.4, chapter 7.B).

The rules are 9.21 to 9.25 of Colonial Diplomacy, as the errata and Andy Schwarz quote them, and where these are silent
those of vDiplomacy:

- A Russian army goes from a province of the line to any other one. If two are ordered to, nothing says which one does,
  and both stay.
- It passes Russian units, and foreign ones that are ordered to leave, whether that succeeds or not (9.25). It stops
  before a foreign unit that stays, even if that is dislodged, and before one that moves to where the army comes from.
- It stops before a province that a foreign unit would come to if the army were not there: that one bounces, unless its
  move is supported. What a standoff, a unit that stays or a head-to-head battle keeps out stops nobody. A unit that
  fails to leave keeps nobody out. The army bounces only units in that one province.
- At its destination it bounces and is bounced as any move, with its supports; so it can keep a third power from
  dislodging a unit there. But it dislodges nobody and cuts nothing: it arrives only if the unit there leaves (9.23).
- An army that does not arrive stops in the last province before that is left empty, without a standoff.

An army whose way depends on itself stays, as a fleet in a canal does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeVar, cast

from .board import Railway
from .equations import OPTIMISTIC, STANDING_ALONE, Equations
from .position import Position
from .resolved_order import MOVE, OrderEffect
from .rulesets import Ruleset
from .solver import MovementSolver

_Solver = TypeVar("_Solver", bound=MovementSolver)


class AlongRailway(Equations):
    """The equations on a map with a railway; it stays in Python where the engine is compiled.

    The move of the army on the railway succeeds where the army leaves its province, wherever it stops. It is no attack
    on its destination: the army is not among the `attackers`.
    """

    def __init__(self, position: Position, effects: list[OrderEffect], ruleset: Ruleset) -> None:
        super().__init__(position, effects, ruleset)
        self.railway: Railway | None = position.board.railway
        opens = self.railway and ruleset.choices.get("railway.opens", self.railway.opens)
        self.any_move_opens: bool = opens == "any-move"
        """Whether each foreign unit that is ordered to leave its province lets the army pass, not only off the line."""
        trains = [unit for unit, effect in enumerate(effects) if effect.by_rail]
        self.train: int = trains[0] if len(trains) == 1 else -1
        """The army that goes along the railway, or -1."""
        self.way: tuple[int, ...] = ()
        """The provinces from the first one behind its own to its destination."""
        for unit in trains:
            if unit != self.train:
                self.stay(unit)
            elif self.railway:
                goes_to = self.target[unit]
                self.way = self.railway.way(self.home[unit], goes_to)
                self.attackers[goes_to] = tuple(other for other in self.attackers[goes_to] if other != unit)
                self.routes[unit] = ((),)  # It meets nobody head to head.
            self.not_plain.remove(unit)

    def move(self, unit: int, optimistic: bool) -> bool:
        if unit == self.train:
            return self.comes_to(optimistic) >= 0
        return super().move(unit, optimistic) and not self.is_bounced_by_train(unit, optimistic)

    def path(self, unit: int, optimistic: bool) -> bool:
        return self.reaches(self.target[unit], optimistic) if unit == self.train else super().path(unit, optimistic)

    def attack_strength(self, unit: int, optimistic: bool) -> int:
        if unit != self.train:
            return super().attack_strength(unit, optimistic)
        comes_in = self.path(unit, optimistic) and self.is_left(self.target[unit], optimistic)
        return self.defend_strength(unit, optimistic) if comes_in else 0

    def is_felt(self, unit: int, optimistic: bool) -> bool:
        return self.path(unit, optimistic) if unit == self.train else super().is_felt(unit, optimistic)

    def comes_to(self, optimistic: bool) -> int:
        """Where the army on the railway comes to, or -1 if it stays."""
        if self.arrives(optimistic):
            return self.way[-1]
        for province in reversed(self.way[:-1]):
            open_to = self.reaches(province, optimistic) and not self.closes(province, not optimistic)
            if open_to and self.is_left(province, optimistic) and not self.is_entered(province, not optimistic):
                return province
        return -1

    def arrives(self, optimistic: bool) -> bool:
        """Whether the army on the railway takes its destination."""
        strength, rivals = self.attack_strength(self.train, optimistic), self.attackers[self.way[-1]]
        return strength > 0 and all(strength > self.prevent_strength(rival, not optimistic) for rival in rivals)

    def is_left(self, province: int, optimistic: bool) -> bool:
        """Whether a province is empty, or its unit leaves it."""
        unit = self.occupant[province]
        return unit < 0 or (self.kind[unit] == MOVE and self.resolve(unit, optimistic))

    def is_entered(self, province: int, optimistic: bool) -> bool:
        """Whether a unit comes to a province, or there is a standoff."""
        return any(self.prevent_strength(unit, optimistic) > 0 for unit in self.attackers[province])

    def reaches(self, province: int, optimistic: bool) -> bool:
        """Whether the army on the railway passes what is before a province on its way, and tries to come there."""
        if not self.routes[self.train] or self.is_head_on(self.occupant[self.way[0]]):
            return False
        before = self.way[: self.way.index(province)]
        return not any(self.closes(each, not optimistic) for each in before)

    def closes(self, province: int, optimistic: bool) -> bool:
        """Whether the army on the railway cannot pass a province."""
        return self.is_kept(province) or any(
            self.would_enter(unit, optimistic) for unit in self.attackers[province] if self.is_foreign(unit)
        )

    def is_kept(self, province: int) -> bool:
        """Whether a foreign unit that does not leave is in a province on the way."""
        unit = self.occupant[province]
        if unit < 0 or not self.is_foreign(unit):
            return False
        along = self.railway is not None and not self.any_move_opens and self.target[unit] in self.railway.line
        return self.kind[unit] != MOVE or along

    def would_enter(self, unit: int, optimistic: bool) -> bool:
        """Whether a move would succeed without the army on the railway, if a unit ordered to leave its target did."""
        target, other = self.target[unit], self.occupant[self.target[unit]]
        if self.routes[unit] is not None and not self.path(unit, optimistic):
            return False
        strength = self.defend_strength(unit, optimistic)
        if other >= 0 and self.kind[other] != MOVE:
            strength = self.attack_strength(unit, optimistic)
            if strength <= self.hold_strength(target, not optimistic):
                return False
        elif self.opponent[unit] >= 0 and not self.beats_opponent(
            unit, self.attack_strength(unit, optimistic), optimistic
        ):
            return False
        rivals = self.attackers[target]
        return all(strength > self.prevent_strength(rival, not optimistic) for rival in rivals if rival != unit)

    def is_bounced_by_train(self, unit: int, optimistic: bool) -> bool:
        """Whether the army on the railway keeps a unit out of the province that it moves to."""
        every = self.rules.all_support_counts_against_rivals
        attack = (self.defend_strength if every else self.attack_strength)(unit, optimistic)
        return attack <= self.strength_against(unit, not optimistic)

    def strength_against(self, unit: int, optimistic: bool) -> int:
        """The strength of the army on the railway where another unit moves to; 0 where it has no effect."""
        target = self.target[unit]
        if target not in self.way or not self.reaches(target, optimistic):
            return 0
        if target == self.way[-1]:
            return self.defend_strength(self.train, optimistic)
        return STANDING_ALONE if self.is_foreign(unit) and not self.is_kept(target) else 0

    def is_foreign(self, unit: int) -> bool:
        """Whether a unit is not of the power that the railway belongs to."""
        return self.power[unit] != self.power[self.train]

    def is_head_on(self, unit: int) -> bool:
        """Whether a foreign unit is ordered to move over land to where the army on the railway comes from."""
        if unit < 0 or self.kind[unit] != MOVE or self.routes[unit] is not None:
            return False
        return self.is_foreign(unit) and self.target[unit] == self.home[self.train]

    def backup_rule(self, cycle: Sequence[int]) -> None:
        """Stop the army on the railway if a paradox depends on it; the cycle is then resolved again."""
        is_circle = all(self.kind[unit] == MOVE for unit in cycle)
        depends_on_train = any(unit == self.train or self.target[unit] in self.way for unit in cycle)
        if depends_on_train and not is_circle and self.routes[self.train]:
            self.stop(self.train)
        else:
            super().backup_rule(cycle)


def halted(solver: MovementSolver, effects: list[OrderEffect]) -> int:
    """Return the army that the railway does not bring to its destination, or -1; let it move to where it stops."""
    if not isinstance(solver, AlongRailway) or solver.train < 0:
        return -1
    train, stop = solver.train, solver.comes_to(OPTIMISTIC)
    if stop == solver.target[train]:
        return -1
    if stop >= 0:
        solver.target[train] = stop
        effects[train] = OrderEffect(MOVE, stop, stop, by_rail=True)
    return train


@cache
def along_railway(solver: type[_Solver]) -> type[_Solver]:
    """Make of a solver one that knows a railway."""
    return cast("type[_Solver]", type(f"AlongRailway{solver.__name__}", (AlongRailway, solver), {}))
