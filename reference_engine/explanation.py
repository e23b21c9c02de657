"""Why a movement phase came out as it did: strengths, supports, and the decisions in the order they became certain."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from .equations import OPTIMISTIC, STANDING_ALONE, Equations
from .movement import adjudicate_movement, powers_in_disorder, read_movements, solve
from .orders import GivenOrder
from .position import Adjudication, Position
from .railway import AlongRailway
from .resolved_order import MOVE, SUPPORT, OrderEffect
from .rulesets import Ruleset

MOST_GUESSED = 12
"""Of a cycle with more orders than this, not all resolutions are tried."""


class Step(NamedTuple):
    """A decision that became certain."""

    unit: int
    succeeds: bool
    cycle: int
    """The number of the cycle that the backup rule settled with it, or -1."""


@dataclass
class Cycle:
    """Orders that depend on each other in a circle, so that the equations have none or several solutions."""

    units: tuple[int, ...]
    """Those whose orders are in it."""
    equations: Equations = field(repr=False)
    """What was known when it was found."""

    @property
    def is_paradox(self) -> bool:
        """Whether a convoy is in it; otherwise it is a circular movement."""
        return any(self.equations.kind[unit] != MOVE for unit in self.units)

    def resolutions(self) -> Sequence[Equations] | None:
        """Solve the equations for every resolution of the cycle that satisfies them; `None` where it is too large."""
        if len(self.units) > MOST_GUESSED:
            return None
        return [*self._satisfying()]

    def _satisfying(self) -> Iterable[Equations]:
        for guess in itertools.product((True, False), repeat=len(self.units)):
            trial = self.equations.supposing()
            for unit, succeeds in zip(self.units, guess, strict=True):
                trial.resolution[unit] = succeeds
            trial.solve()
            if all(trial.adjudicate(unit, optimistic=True) == trial.resolution[unit] for unit in self.units):
                yield trial


class WatchedEquations(Equations):
    """The equations, which note what became certain when, and what the backup rule was asked."""

    def __init__(self, position: Position, effects: list[OrderEffect], ruleset: Ruleset) -> None:
        super().__init__(position, effects, ruleset)
        self.cycles: list[Cycle] = []
        self.steps: list[Step] = []
        """The decisions, in the order in which they became certain."""

    def supposing(self) -> Equations:
        """A copy as of the others: what is only supposed is no decision."""
        trial = super().supposing()
        if isinstance(trial, WatchedEquations):
            trial.cycles, trial.steps = [], []
        return trial

    def resolve(self, unit: int, optimistic: bool) -> bool:
        """Resolve an order, and note if that made it certain."""
        was_open = self.resolution[unit] is None
        succeeds = super().resolve(unit, optimistic)
        if was_open:
            self._note([unit], -1)
        return succeeds

    def backup_rule(self, cycle: Sequence[int]) -> None:
        """Settle a cycle, and note that it was."""
        number = len(self.cycles)
        self.cycles.append(Cycle(tuple(cycle), self.supposing()))
        super().backup_rule(cycle)
        self._note([*cycle, *range(len(self.kind))], number)

    def _note(self, units: Sequence[int], cycle: int) -> None:
        """Note which of these orders have become certain, each once."""
        noted = {step.unit for step in self.steps}
        for unit in units:
            succeeds = self.resolution[unit]
            if succeeds is not None and unit not in noted:
                noted.add(unit)
                self.steps.append(Step(unit, succeeds, cycle))


BarrierKind: TypeAlias = Literal["hold", "defend", "prevent"]


class Barrier(NamedTuple):
    """A strength that a move has to overcome."""

    kind: BarrierKind
    unit: int
    """Whose it is; -1 for a vacant province."""
    strength: int
    against: int
    """The strength that the move has against it: that of its attack, but for X.4 `grand-winner` and X.5 `raw-count`."""

    @property
    def overcome(self) -> bool:
        """Whether the move is stronger."""
        return self.against > self.strength


class SupportAccount(NamedTuple):
    """Whether a matching support counts."""

    unit: int
    cut_by: tuple[int, ...]
    """The moves against the supporting unit that cut the support."""
    does_not_attack: bool
    """It is not counted against the unit at the destination, which is a countryman of the supporting one."""


class Attacker(NamedTuple):
    """A move against a unit that supports, which does not cut the support."""

    unit: int
    why: Literal["countryman", "no-path", "no-strength", "from-where-directed", "from-last-fleet", "spared"]


@dataclass
class MovementExplanation:
    """A movement phase, solved and watched. Units are indices into those of the position."""

    position: Position
    orders: Sequence[GivenOrder]
    ruleset: Ruleset
    adjudication: Adjudication
    given: Sequence[tuple[int, OrderEffect] | None]
    """For each order its unit and what it means; `None` where it is illegal or ignored."""
    effects: list[OrderEffect]
    """What each unit does, as it was ordered."""
    equations: WatchedEquations = field(repr=False)

    @property
    def followed(self) -> frozenset[int]:
        """The units that follow an order."""
        return frozenset(order[0] for order in self.given if order is not None)

    def is_settled_by_rule(self, unit: int) -> bool:
        """Whether the backup rule settled the order of a unit, in a cycle of orders that depend on themselves."""
        return any(step.unit == unit and step.cycle >= 0 for step in self.equations.steps)

    def is_halted(self, unit: int) -> bool:
        """Whether a unit is the army on a railway, and does not come to its destination."""
        equations = self.equations
        return isinstance(equations, AlongRailway) and unit == equations.train and not equations.arrives(OPTIMISTIC)

    def barriers(self, unit: int) -> Sequence[Barrier]:
        """What the move of a unit has to overcome, by the equation of 5.B.1."""
        equations, rules = self.equations, self.equations.rules
        attack = equations.attack_strength(unit, optimistic=True)
        everyone = equations.defend_strength(unit, optimistic=True)
        opponent, target = equations.opponent[unit], equations.target[unit]
        found: list[Barrier] = []
        meets_at_last_fleet = opponent >= 0 and equations.home[opponent] != target
        if meets_at_last_fleet:
            strength = equations.hold_strength(target, optimistic=True)
            found.append(Barrier("hold", equations.occupant[target], strength, attack))
        if opponent >= 0 and not (meets_at_last_fleet and not equations.comes_to_last_fleet(opponent, optimistic=True)):
            raw = rules.all_support_counts_head_to_head
            strength = equations.defend_strength(opponent, optimistic=True)
            found.append(Barrier("defend", opponent, strength, everyone if raw else attack))
            if raw and everyone > attack:
                found.append(Barrier("hold", opponent, STANDING_ALONE, attack))
        elif opponent < 0 and target >= 0:
            strength = equations.hold_strength(target, optimistic=True)
            found.append(Barrier("hold", equations.occupant[target], strength, attack))
        against_rivals = everyone if rules.all_support_counts_against_rivals else attack
        for rival in equations.attackers[target]:
            if rival != unit:
                strength = equations.prevent_strength(rival, optimistic=True)
                found.append(Barrier("prevent", rival, strength, against_rivals))
        if isinstance(equations, AlongRailway) and (strength := equations.strength_against(unit, optimistic=True)):
            found.append(Barrier("prevent", equations.train, strength, against_rivals))
        return found

    def supports(self, unit: int) -> Sequence[SupportAccount]:
        """Whether each support counts that matches the order of a unit."""
        equations = self.equations
        into = equations.target[unit] if equations.kind[unit] == MOVE else -1
        defender = equations.occupant[into] if into >= 0 else -1
        stays = defender >= 0 and (
            equations.opponent[unit] >= 0 or equations.kind[defender] != MOVE or not equations.resolution[defender]
        )
        return [
            SupportAccount(
                supporter, self.cutters(supporter), stays and equations.power[supporter] == equations.power[defender]
            )
            for supporter in equations.supporters[unit]
        ]

    def cutters(self, supporter: int) -> tuple[int, ...]:
        """The moves against a supporting unit that each cut its support."""
        equations = self.equations
        if equations.resolution[supporter]:
            return ()
        attackers = equations.attackers[equations.home[supporter]]
        return tuple(attacker for attacker in attackers if equations.is_cut_by(supporter, attacker, optimistic=True))

    def harmless(self, supporter: int) -> Sequence[Attacker]:
        """The moves against a supporting unit that do not cut its support, and why."""
        equations = self.equations
        cutters = self.cutters(supporter)
        found: list[Attacker] = []
        for attacker in equations.attackers[equations.home[supporter]]:
            if attacker in cutters:
                continue
            if equations.power[attacker] == equations.power[supporter] and not equations.rules.own_attack_cuts:
                found.append(Attacker(attacker, "countryman"))
            elif not equations.path(attacker, optimistic=True):
                found.append(Attacker(attacker, "no-path"))
            elif equations.has_no_strength(attacker, optimistic=True):
                found.append(Attacker(attacker, "no-strength"))
            elif equations.home[attacker] == equations.target[supporter]:
                found.append(Attacker(attacker, "from-where-directed"))
            elif not equations.is_felt_by(supporter, attacker, optimistic=True):
                found.append(Attacker(attacker, "from-last-fleet"))
            else:
                found.append(Attacker(attacker, "spared"))
        return found

    def standoff(self, province: int) -> tuple[int, ...]:
        """The moves that keep a vacant province closed to retreats: they bounced there, and were not beaten from it."""
        equations = self.equations
        attackers = equations.attackers[province]
        return tuple(unit for unit in attackers if equations.prevents(unit) and not equations.is_beaten(unit))

    def is_support_without_match(self, unit: int) -> bool:
        """Whether a unit supports what is not ordered."""
        return self.effects[unit].kind == SUPPORT != self.equations.kind[unit]


def explain_movement(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> MovementExplanation:
    """Adjudicate a movement phase and note how. Raises `UnplayedChoiceError`."""
    adjudication = adjudicate_movement(position, orders, ruleset)
    read = read_movements(position, orders, ruleset)
    given = [None if unit < 0 else (unit, effect) for unit, effect in zip(read.units, read.said, strict=True)]
    disordered = powers_in_disorder(position, orders, ruleset)
    equations = solve(position, read.followed, ruleset, disordered, WatchedEquations)
    return MovementExplanation(position, orders, ruleset, adjudication, given, read.followed, equations)
