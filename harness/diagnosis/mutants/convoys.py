"""Mutants in convoys: who carries whom, what disrupts a convoy, and what an army does without one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

from ....reference_engine import EQUATIONS, Adjudication, Board, GivenOrder, Position, Ruleset
from ....reference_engine.board import ConvoyRoutes, set_of
from ....reference_engine.equations import Equations
from ....reference_engine.legality import CONVOY, Meaning
from .mutant import Mutant, by_equations, by_phase


class _AttackDisrupts(Equations):
    def convoy(self, unit: int, optimistic: bool) -> bool:
        if any(self.path(attacker, not optimistic) for attacker in self.attackers.get(self.home[unit], ())):
            return False
        return super().convoy(unit, optimistic)


class _DislodgedFleetConvoys(Equations):
    def convoy(self, unit: int, optimistic: bool) -> bool:
        return True


class _ArmyNeedsNoConvoy(Equations):
    def path(self, unit: int, optimistic: bool) -> bool:
        return (self.routes[unit] == () and self.target[unit] >= 0) or super().path(unit, optimistic)


class _UnconvoyedIsFelt(Equations):
    def is_felt(self, unit: int, optimistic: bool) -> bool:
        return (self.routes[unit] == () and self.target[unit] >= 0) or super().is_felt(unit, optimistic)


class _ParadoxConvoySucceeds(Equations):
    def backup_rule(self, cycle: Sequence[int]) -> None:
        convoys = [unit for unit in cycle if self.kind[unit] == CONVOY]
        for unit in convoys:
            self.resolution[unit] = True
        if not convoys:
            super().backup_rule(cycle)


class _OnlySomeRoutes(Equations, ABC):
    """Leaves out some of the routes that were ordered."""

    def prepare(self, position: Position, meanings: Sequence[Meaning]) -> None:
        super().prepare(position, meanings)
        for unit, routes in enumerate(self.routes):
            if routes:
                self.routes[unit] = tuple(route for route in routes if self._carries(position, unit, route))

    @abstractmethod
    def _carries(self, position: Position, unit: int, route: Sequence[int]) -> bool:
        """Whether an army can come by a route."""


class _NotByForeignersAlone(_OnlySomeRoutes):
    def _carries(self, position: Position, unit: int, route: Sequence[int]) -> bool:
        by_land = position.board.army_borders[self.home[unit]] >> self.target[unit] & 1
        return bool(by_land) or any(self.power[fleet] == self.power[unit] for fleet in route)


class _OneFleetOnly(_OnlySomeRoutes):
    def _carries(self, position: Position, unit: int, route: Sequence[int]) -> bool:
        return len(route) == 1


@dataclass(frozen=True)
class _CoastalBoard(Board):
    """A board on which some coastal provinces are as good as seas for a convoy: there would be too many routes else."""

    carriers: int = 0
    """The set of provinces with a fleet."""

    @cached_property
    def routes(self) -> ConvoyRoutes:
        borders = tuple(self.borders_of_any_unit(province) for province in range(len(self.provinces)))
        return ConvoyRoutes(borders, self.carriers, self.coastal)


class _CoastalPosition(Position):
    """A position in which fleets on a coast count as fleets at sea."""

    def fleets_at_sea(self, powers: Container[str]) -> int:
        return set_of(
            home
            for power, is_fleet, home in zip(self.power, self.is_fleet, self.home, strict=True)
            if is_fleet and power in powers
        )


def _by_coastal_fleets(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Adjudication:
    known = {field.name: getattr(position.board, field.name) for field in fields(Board)}
    carriers = _CoastalPosition(position.units).fleets_at_sea(position.board.powers)
    board = _CoastalBoard(**known, carriers=carriers)
    return EQUATIONS["movement"](_CoastalPosition(position.units, board=board), orders, ruleset)


MUTANTS = (
    Mutant(
        "attack-disrupts-convoy",
        "disrupts a convoy when its fleet is attacked, though the fleet is not dislodged",
        by_equations(_AttackDisrupts),
    ),
    Mutant(
        "dislodged-fleet-convoys",
        "lets a fleet convoy that is dislodged",
        by_equations(_DislodgedFleetConvoys),
    ),
    Mutant(
        "army-needs-no-convoy",
        "lets an army cross the sea though no fleet was ordered to convoy it",
        by_equations(_ArmyNeedsNoConvoy),
    ),
    Mutant(
        "unconvoyed-army-attacks",
        "lets an army that no fleet was ordered to convoy stand off others, or cut supports, at its destination",
        by_equations(_UnconvoyedIsFelt),
    ),
    Mutant(
        "paradox-convoy-succeeds",
        "lets the convoy succeed in a paradox, which no rule against paradoxes does",
        by_equations(_ParadoxConvoySucceeds),
    ),
    Mutant(
        "no-foreign-convoy",
        "convoys no army to a distant province where all fleets of its route belong to other powers",
        by_equations(_NotByForeignersAlone),
    ),
    Mutant(
        "one-fleet-convoys",
        "knows convoys by a single fleet only, not by several in a row",
        by_equations(_OneFleetOnly),
    ),
    Mutant(
        "coastal-fleet-convoys",
        "lets a fleet convoy that stands in a coastal province",
        by_phase("movement", _by_coastal_fleets),
    ),
)
