"""The equations of movement (DATC 5.B) and the partial-information algorithm that solves them (DATC 5.E).

Every method that is an equation takes an order and `optimistic`: what is not yet known is taken in favour of that order
succeeding, or against it.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence

from .legality import CONVOY, MOVE, SUPPORT
from .matched import NOBODY, MatchedOrders
from .position import Position


class Equations(MatchedOrders):
    """The matching orders of a movement phase, solved by their equations."""

    __slots__: tuple[str, ...] = ("_cycle", "_in_cycle", "_recursion_hits", "_uncertain", "_visited")

    def __init__(self, position: Position, kind: list[int], target: Sequence[int], choices: Mapping[str, str]) -> None:
        super().__init__(position, kind, target, choices)
        self._visited: list[bool]
        self._in_cycle: list[bool]
        self._cycle: list[int]
        self._recursion_hits: int
        self._uncertain: bool
        self.forget_visits()

    def has_path(self, unit: int) -> bool:
        return self.path(unit, optimistic=False)

    def prevents(self, unit: int) -> bool:
        return self.prevent_strength(unit, optimistic=True) > 0

    def supposing(self) -> Equations:
        """A copy in which something can be supposed, and solved, without touching this one."""
        trial = copy.copy(self)
        trial.resolution = list(self.resolution)
        trial.routes = list(self.routes)
        trial.forget_visits()
        return trial

    def forget_visits(self) -> None:
        """Begin to resolve anew, as after a copy that was made half-way."""
        self._visited = [False] * len(self.kind)
        self._in_cycle = [False] * len(self.kind)
        self._cycle = []
        self._recursion_hits = 0
        self._uncertain = False

    def solve(self) -> None:
        """Resolve every order (5.C): nothing depends on which one comes first."""
        for unit, kind in enumerate(self.kind):
            if kind:
                while self.resolution[unit] is None:
                    _ = self.resolve(unit, optimistic=True)
                    if self._cycle:
                        self._settle(0)

    # 5.B.1
    def move(self, unit: int, optimistic: bool) -> bool:
        """Whether a move succeeds: its attack beats the defender and everyone who moves to the same province."""
        attack = self.attack_strength(unit, optimistic)
        if attack == 0:
            return False
        opponent = self.opponent[unit]
        if opponent >= 0:
            if attack <= self.defend_strength(opponent, not optimistic):
                return False
        elif attack <= self.hold_strength(self.target[unit], not optimistic):
            return False
        for rival in self.attackers[self.target[unit]]:
            if rival != unit and attack <= self.prevent_strength(rival, not optimistic):
                return False
        return True

    # 5.B.2
    def support(self, unit: int, optimistic: bool) -> bool:
        """Whether a support is given: it is cut by an attack, though not by one from where it is directed (4.A.4)."""
        power = self.power[unit]
        for attacker in self.attackers.get(self.home[unit], NOBODY):
            if self.power[attacker] == power:
                continue  # It cuts nothing, and its attack on a countryman has no strength.
            from_where_directed = self.home[attacker] == self.target[unit] and not (
                self.convoy_cuts_support_on_itself and self.routes[attacker] is not None
            )
            if not from_where_directed and self.path(attacker, not optimistic):
                return False
            if self.resolve(attacker, not optimistic):
                return False
        return True

    # 5.B.3
    def convoy(self, unit: int, optimistic: bool) -> bool:
        """Whether a fleet convoys: it is not dislodged."""
        for attacker in self.attackers.get(self.home[unit], NOBODY):
            if self.resolve(attacker, not optimistic):
                return False
        return True

    # 5.B.4
    def path(self, unit: int, optimistic: bool) -> bool:
        """Whether a unit can come to its destination: over land, or by a route of which every fleet convoys (4.A.1)."""
        routes = self.routes[unit]
        if routes is None:
            return True
        for route in routes:
            for fleet in route:
                if not self.resolve(fleet, optimistic):
                    break
            else:
                return True
        return False

    # 5.B.5
    def hold_strength(self, province: int, optimistic: bool) -> int:
        """What a move must overcome in a province where there is no head-to-head battle."""
        unit = self.occupant[province]
        if unit < 0:
            return 0
        if self.kind[unit] == MOVE:
            return 0 if self.resolve(unit, not optimistic) else 1
        strength = 1
        for supporter in self.supporters[unit]:
            if self.resolve(supporter, optimistic):
                strength += 1
        return strength

    # 5.B.6
    def prevent_strength(self, unit: int, optimistic: bool) -> int:
        """How a move prevents others to the same province: not at all for who loses a head-to-head battle (4.A.7)."""
        if self.routes[unit] is not None and not self.path(unit, optimistic):
            return 0
        opponent = self.opponent[unit]
        if opponent >= 0 and self.resolve(opponent, not optimistic):
            return 0
        return self.defend_strength(unit, optimistic)

    # 5.B.7
    def defend_strength(self, unit: int, optimistic: bool) -> int:
        """What the opponent in a head-to-head battle must overcome."""
        strength = 1
        for supporter in self.supporters[unit]:
            if self.resolve(supporter, optimistic):
                strength += 1
        return strength

    # 5.B.8
    def attack_strength(self, unit: int, optimistic: bool) -> int:
        """The strength of a move: nobody attacks a countryman, or helps to dislodge one."""
        if self.routes[unit] is not None and not self.path(unit, optimistic):
            return 0
        defender = self.occupant[self.target[unit]]
        if defender < 0 or (
            self.opponent[unit] < 0 and self.kind[defender] == MOVE and self.resolve(defender, optimistic)
        ):
            return self.defend_strength(unit, optimistic)
        power = self.power[defender]
        if self.power[unit] == power:
            return 0
        strength = 1
        for supporter in self.supporters[unit]:
            if self.power[supporter] != power and self.resolve(supporter, optimistic):
                strength += 1
        return strength

    # 5.B.9
    def backup_rule(self, cycle: Sequence[int]) -> None:
        """Settle a cycle with no or several solutions: circular movement succeeds, a paradox has its convoys fail."""
        convoys = [unit for unit in cycle if self.kind[unit] == CONVOY]
        succeed = all(self.kind[unit] == MOVE for unit in cycle)
        for unit in convoys or cycle:
            self.resolution[unit] = succeed

    # 5.C
    def adjudicate(self, unit: int, optimistic: bool) -> bool:
        """The equation for the order of a unit."""
        kind = self.kind[unit]
        if kind == MOVE:
            return self.move(unit, optimistic)
        if kind == SUPPORT:
            return self.support(unit, optimistic)
        return self.convoy(unit, optimistic)

    # 5.E, the last listing
    def resolve(self, unit: int, optimistic: bool) -> bool:
        """Whether an order succeeds, as far as that can be known; stored once it is certain."""
        resolution = self.resolution[unit]
        if resolution is not None:
            return resolution
        if self._in_cycle[unit]:
            self._uncertain = True
            return optimistic
        if self._visited[unit]:
            self._add_to_cycle(unit)
            self._recursion_hits += 1
            self._uncertain = True
            return optimistic

        self._visited[unit] = True
        cycle_before = len(self._cycle)
        hits_before = self._recursion_hits
        uncertain_before = self._uncertain
        self._uncertain = False
        succeeds = self.adjudicate(unit, optimistic=True)
        certain = not succeeds or not self._uncertain or self.adjudicate(unit, optimistic=False)
        self._visited[unit] = False

        if certain:
            if len(self._cycle) > cycle_before:
                self._forget_cycle(cycle_before)
            self._recursion_hits = hits_before
            self._uncertain = uncertain_before
            self.resolution[unit] = succeeds
            return succeeds
        if self._in_cycle[unit]:
            self._recursion_hits -= 1
            if self._recursion_hits == hits_before:
                # This order is the ancestor of the whole cycle: nothing outside it can still decide it.
                self._settle(cycle_before)
                self._uncertain = uncertain_before
                return self.resolve(unit, optimistic)
        else:
            self._add_to_cycle(unit)
        return optimistic

    def _settle(self, cycle_before: int) -> None:
        cycle = self._cycle[cycle_before:]
        self._forget_cycle(cycle_before)
        self.backup_rule(cycle)

    def _add_to_cycle(self, unit: int) -> None:
        self._cycle.append(unit)
        self._in_cycle[unit] = True

    def _forget_cycle(self, cycle_before: int) -> None:
        for unit in self._cycle[cycle_before:]:
            self._in_cycle[unit] = False
        del self._cycle[cycle_before:]
