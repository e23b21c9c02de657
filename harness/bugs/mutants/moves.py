"""Mutants in moves and convoys: strengths, standoffs, head-to-head battles, circles; carriers and disruptions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from ....reference_engine import Adjudication, Board, Convoy, Position, Ruleset, province_code
from ....reference_engine.equations import STANDING_ALONE, Equations
from ....reference_engine.legality import Legality
from ....reference_engine.movement import adjudicate_movement
from ....reference_engine.procedures import EQUATIONS
from ....reference_engine.resolved_order import CONVOY, MOVE
from ....reference_engine.routes import ConvoyRoutes
from .mutant import InformedEquations, Orders, by_phase, in_order, mutant


@mutant("lets a unit dislodge a unit of its own power")
class _OwnUnitDislodged(Equations):
    def attack_strength(self, unit: int, optimistic: bool) -> int:
        strength, defender = super().attack_strength(unit, optimistic), self.occupant[self.target[unit]]
        if strength or not self.counts_against(defender) or not self.path(unit, optimistic):
            return strength
        return self.strength_against_own(unit, optimistic)

    def counts_against(self, defender: int) -> bool:
        return defender >= 0

    def strength_against_own(self, unit: int, optimistic: bool) -> int:
        return self.defend_strength(unit, optimistic)


@mutant("lets a unit dislodge one of its own power where the supports of other powers are strong enough for it")
class _OwnUnitDislodgedWithHelp(_OwnUnitDislodged):
    def strength_against_own(self, unit: int, optimistic: bool) -> int:
        foreign = [supporter for supporter in self.supporters[unit] if self.power[supporter] != self.power[unit]]
        return STANDING_ALONE + sum(self.resolve(supporter, optimistic) for supporter in foreign)


@mutant("lets a unit dislodge one of its own power that tried to move and failed")
class _OwnMoverDislodged(_OwnUnitDislodged):
    def counts_against(self, defender: int) -> bool:
        return defender >= 0 and self.kind[defender] == MOVE


@mutant("lets an attack on a unit of the same power keep out nobody else")
class _OwnAttackDoesNotPrevent(Equations):
    def prevent_strength(self, unit: int, optimistic: bool) -> int:
        other = self.occupant[self.target[unit]]
        if other >= 0 and self.kind[other] != MOVE and self.power[other] == self.power[unit]:
            return 0
        return super().prevent_strength(unit, optimistic)


@mutant("lets two units change places without a convoy: it knows no head-to-head battle")
class _SwapByLand(InformedEquations):
    def adapt(self) -> None:
        self.opponent[:] = [-1] * len(self.kind)


@mutant("takes two units that change places for a head-to-head battle also where one comes by convoy")
class _SwapByConvoyRefused(InformedEquations):
    def adapt(self) -> None:
        self.opponent[:] = [self.opposite(unit) if kind == MOVE else -1 for unit, kind in enumerate(self.kind)]


@mutant(
    "counts no support in a head-to-head battle for the one ordered first, so that an equal one dislodges it", in_order
)
class _SecondWinsHeadToHead(Equations):
    def beats_opponent(self, unit: int, attack: int, optimistic: bool) -> bool:
        if self.opponent[unit] < unit:
            return attack > STANDING_ALONE
        return super().beats_opponent(unit, attack, optimistic)


@mutant(
    "judges two units that meet head to head one by one, the stronger first, and counts no support for the other",
    in_order,
)
class _HeadToHeadOneByOne(Equations):
    def beats_opponent(self, unit: int, attack: int, optimistic: bool) -> bool:
        if attack <= STANDING_ALONE:
            return False
        # The province under the stronger attack is judged first.
        there = max(self.defend_strength(each, optimistic) for each in self.attackers[self.target[unit]])
        here = max(self.defend_strength(each, not optimistic) for each in self.attackers[self.home[unit]])
        if there > here or (there == here and self.opponent[unit] < unit):
            return True
        return not any(self.resolve(each, not optimistic) for each in self.attackers[self.home[unit]])


@mutant("counts no support for the unit that an attack meets head to head")
class _HeadToHeadSupportsForgotten(Equations):
    def beats_opponent(self, unit: int, attack: int, optimistic: bool) -> bool:
        return attack > STANDING_ALONE


@mutant("lets a unit that is dislodged in a head-to-head battle still keep others out of its attacker's province")
class _LoserPrevents(Equations):
    def prevent_strength(self, unit: int, optimistic: bool) -> int:
        return self.defend_strength(unit, optimistic) if self.is_felt(unit, optimistic) else 0


@mutant("lets a unit that is dislodged keep nobody out, wherever its dislodger came from")
class _DislodgedUnitDoesNotPrevent(Equations):
    def prevent_strength(self, unit: int, optimistic: bool) -> int:
        is_beaten = any(self.resolve(attacker, not optimistic) for attacker in self.attackers[self.home[unit]])
        if is_beaten and not self.resolve(unit, optimistic):
            return 0
        return super().prevent_strength(unit, optimistic)


@mutant("gives a unit that tried to move and failed no strength to hold its province")
class _FailedMoverDoesNotHold(Equations):
    def hold_strength(self, province: int, optimistic: bool) -> int:
        unit = self.occupant[province]
        return 0 if unit >= 0 and self.kind[unit] == MOVE else super().hold_strength(province, optimistic)


@mutant("lets no unit go where another one just leaves")
class _NobodyFollows(Equations):
    def hold_strength(self, province: int, optimistic: bool) -> int:
        unit = self.occupant[province]
        return 1 if unit >= 0 and self.kind[unit] == MOVE else super().hold_strength(province, optimistic)


@mutant("refuses circular movement")
class _CircleRefused(Equations):
    def backup_rule(self, cycle: Sequence[int]) -> None:
        if all(self.kind[unit] == MOVE for unit in cycle):
            for unit in cycle:
                self.resolution[unit] = False
        else:
            super().backup_rule(cycle)


class Rings(InformedEquations, ABC):
    """Judges moves that lead round in a ring by themselves, before any strength is compared."""

    rings: Mapping[int, Sequence[int]] = {}
    """For each unit of a ring, the units of it."""

    def adapt(self) -> None:
        rings = {unit: self._ring(unit) for unit, kind in enumerate(self.kind) if kind == MOVE}
        self.rings = {unit: ring for unit, ring in rings.items() if ring and self._counts(ring)}

    def _ring(self, start: int) -> Sequence[int]:
        """The units of the ring that a moving unit is in; empty where it is in none."""
        ring: list[int] = []
        unit = start
        while unit >= 0 and self.kind[unit] == MOVE and self.target[unit] >= 0 and unit not in ring:
            ring.append(unit)
            unit = self.occupant[self.target[unit]]
        return ring if unit == start else ()

    def _counts(self, ring: Sequence[int]) -> bool:
        return len(ring) > 2


@mutant("stops every unit of a circular movement where a unit from outside goes to one of its provinces")
class _CircleStoppedByOutsider(Rings):
    def move(self, unit: int, optimistic: bool) -> bool:
        ring = self.rings.get(unit, ())
        outsiders = (other for each in ring for other in self.attackers[self.target[each]] if other not in ring)
        return not any(self.path(other, not optimistic) for other in outsiders) and super().move(unit, optimistic)


@mutant("refuses a circular movement in which a unit that follows one of its own power is supported")
class _SupportStopsOwnCircle(Rings):
    def move(self, unit: int, optimistic: bool) -> bool:
        followed = [(other, self.occupant[self.target[other]]) for other in self.rings.get(unit, ())]
        is_stopped = any(self.supporters[one] and self.power[one] == self.power[other] for one, other in followed)
        return not is_stopped and super().move(unit, optimistic)


@mutant("lets a circular movement succeed also where a unit from outside stands off or dislodges one of its units")
class _CircleNotDisrupted(Rings):
    def move(self, unit: int, optimistic: bool) -> bool:
        if unit in self.rings:
            return self._turns(self.rings[unit], optimistic)
        ring = self.rings.get(self.occupant[self.target[unit]], ()) if self.target[unit] >= 0 else ()
        return not (ring and self._turns(ring, not optimistic)) and super().move(unit, optimistic)

    def _turns(self, ring: Sequence[int], optimistic: bool) -> bool:
        return all(self.path(unit, optimistic) for unit in ring)


@mutant("lets two units change places by convoy also where a third one stands off or dislodges one of them")
class _SwapNotDisrupted(_CircleNotDisrupted):
    def _counts(self, ring: Sequence[int]) -> bool:
        return len(ring) == 2 and any(self.routes[unit] for unit in ring)

    def _turns(self, ring: Sequence[int], optimistic: bool) -> bool:
        return any(self.routes[unit] is not None for unit in ring) and super()._turns(ring, optimistic)


@mutant(
    "takes an order for certain that rests on the guess of another, as the first algorithm of DATC 5.F does", in_order
)
class _GuessTakenForCertain(Equations):
    """Resolves by the first listing of DATC 5.F: an order that meets one already guessed is taken for certain."""

    def forget_visits(self) -> None:
        super().forget_visits()
        self._guess: list[bool] = [False] * len(self.kind)

    def resolve(self, unit: int, optimistic: bool) -> bool:
        resolution = self.resolution[unit]
        if resolution is not None:
            return resolution
        if self.visited[unit]:
            if not self.in_cycle[unit]:
                self.add_to_cycle(unit)
            return self._guess[unit]
        cycle_before = len(self.cycle)
        first = self._adjudicate_guessing(unit, succeeds=False)
        if len(self.cycle) == cycle_before:
            return self._store(unit, first)
        if self.cycle[cycle_before] != unit:
            self.add_to_cycle(unit)
            self._guess[unit] = first
            return first
        self.forget_cycle(cycle_before)
        if self._adjudicate_guessing(unit, succeeds=True) == first:
            self.forget_cycle(cycle_before)
            return self._store(unit, first)
        self.settle_cycle(cycle_before)
        return self.resolve(unit, optimistic)

    def _adjudicate_guessing(self, unit: int, *, succeeds: bool) -> bool:
        self.visited[unit] = True
        self._guess[unit] = succeeds
        return self.adjudicate(unit, optimistic=True)

    def _store(self, unit: int, succeeds: bool) -> bool:
        self.visited[unit] = False
        if self.resolution[unit] is None:
            self.resolution[unit] = succeeds
        return succeeds

    def forget_cycle(self, cycle_before: int) -> None:
        for unit in self.cycle[cycle_before:]:
            self.visited[unit] = False
        super().forget_cycle(cycle_before)


@mutant("lets an attack succeed that is only as strong as the unit that holds")
class _EqualAttackDislodges(Equations):
    def hold_strength(self, province: int, optimistic: bool) -> int:
        return max(super().hold_strength(province, optimistic) - 1, 0)


@mutant("lets one of several equal units into a vacant province: the one ordered first", in_order)
class _FirstWinsStandoff(Equations):
    def beats_rival(self, unit: int, rival: int, attack: int, optimistic: bool) -> bool:
        if unit < rival and self.has_first_claim(self.target[unit]):
            return attack >= self.prevent_strength(rival, not optimistic)
        return super().beats_rival(unit, rival, attack, optimistic)

    def has_first_claim(self, province: int) -> bool:
        return self.occupant[province] < 0


@mutant("lets one of several equal attackers dislodge a beleaguered garrison: the one ordered first", in_order)
class _FirstDislodgesGarrison(_FirstWinsStandoff):
    def has_first_claim(self, province: int) -> bool:
        return self.occupant[province] >= 0


@mutant("lets a weaker unit into a province that two stronger ones, equal to each other, stand each other off from")
class _TiedRivalsCancelOut(Equations):
    def beats_rival(self, unit: int, rival: int, attack: int, optimistic: bool) -> bool:
        if super().beats_rival(unit, rival, attack, optimistic):
            return True
        strength = self.prevent_strength(rival, not optimistic)
        others = [other for other in self.attackers[self.target[unit]] if other not in (unit, rival)]
        return attack < strength and any(self.prevent_strength(other, not optimistic) == strength for other in others)


@mutant("counts no support for a move where it keeps others out of the province")
class _SupportDoesNotPrevent(Equations):
    def prevent_strength(self, unit: int, optimistic: bool) -> int:
        return min(super().prevent_strength(unit, optimistic), 1)


@mutant("stands off all units that move to one province, also where one has more support than the others")
class _StandoffIgnoresStrength(Equations):
    def beats_rival(self, unit: int, rival: int, attack: int, optimistic: bool) -> bool:
        return not self.prevent_strength(rival, not optimistic)


@mutant("lets two units into one province where they land on different coasts")
class _CoastsApart(InformedEquations):
    def beats_rival(self, unit: int, rival: int, attack: int, optimistic: bool) -> bool:
        is_elsewhere = self.effects[unit].landing != self.effects[rival].landing
        return is_elsewhere or super().beats_rival(unit, rival, attack, optimistic)


@mutant("disrupts a convoy when its fleet is attacked, though the fleet is not dislodged")
class _AttackDisruptsConvoy(Equations):
    def convoy(self, unit: int, optimistic: bool) -> bool:
        is_attacked = any(self.path(attacker, not optimistic) for attacker in self.attackers[self.home[unit]])
        return not is_attacked and super().convoy(unit, optimistic)


@mutant("lets a fleet convoy that is dislodged")
class _DislodgedFleetConvoys(Equations):
    def convoy(self, unit: int, optimistic: bool) -> bool:
        return True


@mutant("lets an army arrive though no fleet was ordered to convoy it")
class _ArmyNeedsNoConvoy(Equations):
    def path(self, unit: int, optimistic: bool) -> bool:
        return (self.routes[unit] == () and self.target[unit] >= 0) or super().path(unit, optimistic)


@mutant("lets an army that no fleet was ordered to convoy stand off others, or cut supports, at its destination")
class _UnconvoyedArmyAttacks(Equations):
    def is_felt(self, unit: int, optimistic: bool) -> bool:
        return (self.routes[unit] == () and self.target[unit] >= 0) or super().is_felt(unit, optimistic)


@mutant("lets the convoy succeed in a paradox, which no rule against paradoxes does")
class _ParadoxConvoySucceeds(Equations):
    def backup_rule(self, cycle: Sequence[int]) -> None:
        convoys = [unit for unit in cycle if self.kind[unit] == CONVOY]
        for unit in convoys:
            self.resolution[unit] = True
        if not convoys:
            super().backup_rule(cycle)


@mutant("disrupts a convoy where its army attacks the support for an attack on the fleet, even a hopeless one")
class _DoomedAttackDisruptsConvoy(Equations):
    def convoy(self, unit: int, optimistic: bool) -> bool:
        helpers = self.helpers_attacked_by_convoy(unit)
        is_disrupted = any(
            self.occupant[self.target[army]] in helpers
            for army, routes in enumerate(self.routes)
            if any(unit in route for route in routes or ())
        )
        return not is_disrupted and super().convoy(unit, optimistic)

    def helpers_attacked_by_convoy(self, fleet: int) -> set[int]:
        return {helper for attacker in self.attackers[self.home[fleet]] for helper in self.supporters[attacker]}


@mutant("disrupts a convoy where its army attacks a support for the fleet, and others the fleet, even hopelessly")
class _HopelessAttackDisruptsConvoy(_DoomedAttackDisruptsConvoy):
    def helpers_attacked_by_convoy(self, fleet: int) -> set[int]:
        return set(self.supporters[fleet]) if self.attackers[self.home[fleet]] else set()


@mutant(
    "keeps an army from walking where a fleet of its power is ordered to convoy it, though the fleet never could",
    partial(by_phase, "movement"),
)
def _impossible_convoy_pins(position: Position, orders: Orders, ruleset: Ruleset) -> Adjudication:
    legality = Legality(position, ruleset)
    pinned = {
        legality.commanded(power, order.convoyed): position.board.number.get(province_code(order.to), -1)
        for power, order in orders
        if isinstance(order, Convoy)
        and legality.commanded(power, order.unit) >= 0
        and legality.effect(power, order) is None
    }

    class _Pinned(InformedEquations):
        def adapt(self) -> None:
            for army, target in pinned.items():
                if army >= 0 and self.kind[army] == MOVE and self.target[army] == target and self.routes[army] is None:
                    self.routes[army] = ()
                    if self.opponent[army] >= 0:
                        self.opponent[self.opponent[army]] = self.opponent[army] = -1

    return adjudicate_movement(position, orders, ruleset, _Pinned)


class _OnlySomeRoutes(InformedEquations, ABC):
    """Leaves out some of the routes that were ordered."""

    def adapt(self) -> None:
        for unit, routes in enumerate(self.routes):
            if routes:
                self.routes[unit] = tuple(route for route in routes if self.carries(unit, route))

    @abstractmethod
    def carries(self, unit: int, route: Sequence[int]) -> bool: ...


@mutant("convoys no army to a distant province where all fleets of its route belong to other powers")
class _NoForeignConvoy(_OnlySomeRoutes):
    def carries(self, unit: int, route: Sequence[int]) -> bool:
        by_land = self.position.board.army_borders[self.home[unit]] >> self.target[unit] & 1
        return bool(by_land) or any(self.power[fleet] == self.power[unit] for fleet in route)


@mutant("knows convoys by a single fleet only, not by several in a row")
class _OneFleetConvoys(_OnlySomeRoutes):
    def carries(self, unit: int, route: Sequence[int]) -> bool:
        return len(route) == 1


class _CoastalPosition(Position):
    """A position in which fleets on a coast count as fleets at sea."""

    def fleets_at_sea(self, powers: Container[str] | None = None) -> int:
        return self.fleets(powers)


@mutant("lets a fleet convoy that stands in a coastal province", partial(by_phase, "movement"))
def _coastal_fleet_convoys(position: Position, orders: Orders, ruleset: Ruleset) -> Adjudication:
    board = _coastal_board(position.board, _CoastalPosition(position.units).fleets_at_sea())
    return EQUATIONS["movement"](_CoastalPosition(position.units, board=board), orders, ruleset)


@lru_cache(maxsize=16)
def _coastal_board(board: Board, carriers: int) -> Board:
    """Count provinces with a fleet as seas for a convoy, and no others: there would be too many routes else."""
    coastal = replace(board)
    borders = tuple(map(board.borders_of_any_unit, range(len(board.provinces))))
    vars(coastal)["routes"] = ConvoyRoutes(borders, carriers, board.coastal)  # In place of what the board would make.
    return coastal
