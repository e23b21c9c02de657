"""Mutants in supports: which are cut, which match, and against whom they count."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import final

from ....reference_engine import Adjudication, Position, Procedure, Ruleset, province_code
from ....reference_engine.equations import STANDING_ALONE, Equations
from ....reference_engine.legality import Legality
from ....reference_engine.movement import adjudicate_movement
from ....reference_engine.orders import Order, SupportHold, SupportMove
from ....reference_engine.resolved_order import CONVOY, HOLD, MOVE, SUPPORT, OrderEffect
from .mutant import InformedEquations, Orders, by_phase, in_order, mutant


@mutant("lets a unit cut the support for an attack on itself, though it does not dislodge the supporter")
class _SupportCutFromTarget(Equations):
    def cuts_where_directed(self, attacker: int) -> bool:
        return self.routes[attacker] is None or super().cuts_where_directed(attacker)


@mutant("lets a fleet on one of two coasts cut the support for an attack on its own province")
class _SupportCutFromCoastOfTarget(InformedEquations):
    def cuts_where_directed(self, attacker: int) -> bool:
        place = self.position.places[attacker]
        return place.location != place.province or super().cuts_where_directed(attacker)


@mutant("cuts a support only when the supporting unit is dislodged, not when it is attacked")
class _OnlyDislodgementCuts(Equations):
    def cuts(self, attacker: int, unit: int) -> bool:
        return False


@mutant("counts the support of a unit that is dislodged by the very unit that it supports an attack on")
class _DislodgedSupportCounts(Equations):
    def cuts_by_dislodging(self, attacker: int, unit: int) -> bool:
        return False


@mutant("lets an army that comes by convoy cut no support")
class _ConvoyedAttackDoesNotCut(Equations):
    def cuts(self, attacker: int, unit: int) -> bool:
        return self.routes[attacker] is None and super().cuts(attacker, unit)


@mutant("lets an army that is convoyed to a neighbouring province cut no support")
class _AdjacentConvoyDoesNotCut(InformedEquations):
    def cuts(self, attacker: int, unit: int) -> bool:
        is_next_door = self.position.board.army_borders[self.home[attacker]] >> self.home[unit] & 1
        return not (is_next_door and self.routes[attacker] is not None) and super().cuts(attacker, unit)


@mutant("lets a convoyed army cut no support where another unit goes to the same province")
class _ConvoyedStandoffDoesNotCut(Equations):
    def cuts(self, attacker: int, unit: int) -> bool:
        is_alone = len(self.attackers[self.home[unit]]) == 1
        return (is_alone or self.routes[attacker] is None) and super().cuts(attacker, unit)


@mutant("lets a convoyed army cut no support that is ordered after its move", in_order)
class _ConvoyedAttackCutsNothingLater(Equations):
    def cuts(self, attacker: int, unit: int) -> bool:
        return (unit < attacker or self.routes[attacker] is None) and super().cuts(attacker, unit)


@mutant("cuts supports for a move when the supporter is attacked, but none for a unit that stays")
class _HoldSupportNotCut(Equations):
    def cuts(self, attacker: int, unit: int) -> bool:
        held = self.occupant[self.target[unit]]
        return (held < 0 or unit not in self.supporters[held]) and super().cuts(attacker, unit)


@mutant("lets a unit that is itself dislodged cut no support with its move")
class _DislodgedUnitDoesNotCut(Equations):
    def is_cut_by(self, unit: int, attacker: int, optimistic: bool) -> bool:
        stays = self.resolve(attacker, optimistic) or not any(
            self.resolve(dislodger, not optimistic) for dislodger in self.attackers[self.home[attacker]]
        )
        if stays and self.cuts(attacker, unit) and self.is_felt(attacker, optimistic):
            return True
        return self.cuts_by_dislodging(attacker, unit) and self.resolve(attacker, optimistic)


@mutant("counts the support of a power for the dislodgement of its own unit")
class _OwnSupportDislodges(Equations):
    def attack_strength(self, unit: int, optimistic: bool) -> int:
        strength = super().attack_strength(unit, optimistic)
        return self.defend_strength(unit, optimistic) if strength and self.counts_all(unit) else strength

    def counts_all(self, unit: int) -> bool:
        return unit >= 0


@mutant("counts the support of a power for the dislodgement of its own unit where that tried to move and failed")
class _OwnSupportDislodgesMover(_OwnSupportDislodges):
    def counts_all(self, unit: int) -> bool:
        defender = self.occupant[self.target[unit]]
        return defender >= 0 and self.kind[defender] == MOVE


@mutant("counts the support of a power for the dislodgement of its own unit where the attacker comes by convoy")
class _OwnSupportDislodgesByConvoy(_OwnSupportDislodges):
    def counts_all(self, unit: int) -> bool:
        return self.routes[unit] is not None


@mutant("forgets the supports of the attacked unit's power also where one attacker keeps out another")
class _OwnSupportDoesNotPrevent(Equations):
    def prevent_strength(self, unit: int, optimistic: bool) -> int:
        strength = super().prevent_strength(unit, optimistic)
        occupant = self.occupant[self.target[unit]]
        if not strength or occupant < 0:
            return strength
        own = [helper for helper in self.supporters[unit] if self.power[helper] == self.power[occupant]]
        return strength - sum(self.resolve(helper, optimistic) for helper in own)


@mutant("counts a support for a move head to head with a unit of the supporter's power not even in the move's defence")
class _OwnSupportDoesNotDefend(Equations):
    def beats_opponent(self, unit: int, attack: int, optimistic: bool) -> bool:
        opponent = self.opponent[unit]
        foreign = [helper for helper in self.supporters[opponent] if self.power[helper] != self.power[unit]]
        defence = STANDING_ALONE + sum(self.resolve(helper, not optimistic) for helper in foreign)
        meets_at_home = self.home[opponent] == self.target[unit]
        return (meets_at_home and attack > defence) or super().beats_opponent(unit, attack, optimistic)


@mutant("counts a support to hold for a unit that was ordered to move and failed")
class _MovingUnitHeld(InformedEquations):
    def adapt(self) -> None:
        self._holders: dict[int, list[int]] = {}
        for unit, effect in enumerate(self.effects):
            other = self.occupant[effect.helped]
            if effect.kind == SUPPORT and self.kind[other] == MOVE and effect.target == effect.helped:
                self._holders.setdefault(other, []).append(unit)
                self.kind[unit] = SUPPORT

    def hold_strength(self, province: int, optimistic: bool) -> int:
        strength = super().hold_strength(province, optimistic)
        holders = self._holders.get(self.occupant[province], ()) if strength else ()
        return strength + sum(self.resolve(holder, optimistic) for holder in holders)


@mutant("counts the support for a move as a support to hold where that move fails")
class _MoveSupportHolds(Equations):
    def hold_strength(self, province: int, optimistic: bool) -> int:
        unit = self.occupant[province]
        strength = super().hold_strength(province, optimistic)
        helpers = self.supporters[unit] if strength and self.kind[unit] == MOVE else ()
        return strength + sum(self.resolve(helper, optimistic) for helper in helpers)


@mutant("counts the support for a move as a support to hold where the unit was not ordered to move")
class _UnmatchedSupportHolds(InformedEquations):
    def adapt(self) -> None:
        for unit, effect in enumerate(self.effects):
            province, other = effect.target, self.occupant[effect.helped]
            to_move = effect.kind == SUPPORT and province != effect.helped
            if to_move and unit not in self.supporters[other] and self.counts_unmatched(unit, other, province):
                self.supporters[other] = (*self.supporters[other], unit)
                self.kind[unit] = SUPPORT

    def counts_unmatched(self, unit: int, other: int, province: int) -> bool:
        return unit >= 0 and province >= 0 and self.kind[other] != MOVE


@mutant("counts the support for a move to another province than the one that the unit was ordered to")
class _OtherDestinationSupported(_UnmatchedSupportHolds):
    def counts_unmatched(self, unit: int, other: int, province: int) -> bool:
        return self.kind[other] == MOVE and self.target[other] != province


class _OnlySome(InformedEquations, ABC):
    """Leaves out some of the supports that match."""

    def adapt(self) -> None:
        for unit, supporters in enumerate(self.supporters):
            self.supporters[unit] = tuple(supporter for supporter in supporters if self.counts_for(unit, supporter))

    @abstractmethod
    def counts_for(self, unit: int, supporter: int) -> bool: ...


@mutant("counts no support to hold for a unit that was ordered to support")
class _SupportingUnitNotHeld(_OnlySome):
    def counts_for(self, unit: int, supporter: int) -> bool:
        return self.effects[unit].kind != SUPPORT


@mutant("counts no support to hold for a fleet that was ordered to convoy")
class _ConvoyingUnitNotHeld(_OnlySome):
    def counts_for(self, unit: int, supporter: int) -> bool:
        return self.effects[unit].kind != CONVOY


@mutant("counts no support for a unit of another power")
class _ForeignSupportIgnored(_OnlySome):
    def counts_for(self, unit: int, supporter: int) -> bool:
        return self.power[unit] == self.power[supporter]


@mutant("counts no support for an army that comes by convoy")
class _ConvoyedMoveNotSupported(_OnlySome):
    def counts_for(self, unit: int, supporter: int) -> bool:
        return self.routes[unit] is None


@mutant("lets a fleet support a move to a coast only where it could land on that coast itself, not on the other")
class _SupportNeedsSameCoast(_OnlySome):
    def counts_for(self, unit: int, supporter: int) -> bool:
        target, landing, position = self.effects[unit].target, self.effects[unit].landing, self.position
        if self.kind[unit] != MOVE or landing == target or not position.is_fleet[supporter]:
            return True
        return landing in position.board.fleet_moves[position.places[supporter].location].get(target, ())


def _out_of_reach(kind: Callable[[Order | None], bool]) -> Procedure:
    """Adjudicate movement with the supports of a kind whose provinces the supporters cannot reach."""

    def adjudicate(position: Position, orders: Orders, ruleset: Ruleset) -> Adjudication:
        legality = Legality(position, ruleset)
        found: dict[int, OrderEffect] = {}
        for power, order in orders:
            if isinstance(order, (SupportHold, SupportMove)) and kind(order):
                unit = legality.commanded(power, order.unit)
                if unit >= 0 and (effect := _effect_out_of_reach(position, unit, order)) is not None:
                    found[unit] = effect

        @final
        class _OutOfReachCounts(InformedEquations):
            def adapt(self) -> None:
                self.target = list(self.target)
                for unit, support in found.items():
                    other = self.occupant[support.helped]
                    into = self.target[other] if self.kind[other] == MOVE else self.home[other]
                    if self.effects[unit].kind == HOLD and into == support.target:
                        self.kind[unit], self.target[unit] = SUPPORT, into
                        self.supporters[other] = (*self.supporters[other], unit)

        return adjudicate_movement(position, orders, ruleset, _OutOfReachCounts)

    return by_phase("movement", adjudicate)


def _effect_out_of_reach(position: Position, unit: int, order: SupportHold | SupportMove) -> OrderEffect | None:
    """What a support would mean if units could support into any province; `None` where it is within reach."""
    board = position.board
    stands = board.number.get(province_code(order.supported.location), -1)
    other = position.occupant[stands] if stands >= 0 else -1
    to = order.to if isinstance(order, SupportMove) else order.supported.location
    into = board.number.get(province_code(to), -1)
    borders = board.fleet_borders if position.is_fleet[unit] else board.army_borders
    if other in (-1, unit) or into in (-1, position.home[unit]) or borders[position.places[unit].location] >> into & 1:
        return None
    return OrderEffect(SUPPORT, into, helped=stands)


@mutant("counts a support to hold for a unit that stands out of the supporter's reach", _out_of_reach)
def _hold_support_out_of_reach(order: Order | None) -> bool:
    return isinstance(order, SupportHold)


@mutant("counts a support for a move to a province out of the supporter's reach", _out_of_reach)
def _move_support_out_of_reach(order: Order | None) -> bool:
    return isinstance(order, SupportMove)


@mutant("counts at most one support for a unit")
class _OneSupportAtMost(Equations):
    strongest: int = 2

    def attack_strength(self, unit: int, optimistic: bool) -> int:
        return min(super().attack_strength(unit, optimistic), self.strongest)

    def hold_strength(self, province: int, optimistic: bool) -> int:
        return min(super().hold_strength(province, optimistic), self.strongest)

    def defend_strength(self, unit: int, optimistic: bool) -> int:
        return min(super().defend_strength(unit, optimistic), self.strongest)


@mutant("counts at most two supports for a unit")
class _TwoSupportsAtMost(_OneSupportAtMost):
    strongest: int = 3


@mutant("lets a unit support itself to hold", partial(by_phase, "movement"))
def _unit_supports_itself(position: Position, orders: Orders, ruleset: Ruleset) -> Adjudication:
    themselves = {
        position.board.number[province_code(order.unit.location)]
        for _, order in orders
        if isinstance(order, SupportHold)
        and order.unit.location in position.board.number
        and province_code(order.unit.location) == province_code(order.supported.location)
    }

    class _SupportsItself(Equations):
        def hold_strength(self, province: int, optimistic: bool) -> int:
            return super().hold_strength(province, optimistic) + (province in themselves)

    return adjudicate_movement(position, orders, ruleset, _SupportsItself)
