"""Mutants in supports: which are cut, which match, and against whom they count."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import final

from ....reference_engine import (
    Adjudication,
    GivenOrder,
    Position,
    Procedure,
    Ruleset,
    SupportHold,
    SupportMove,
    province_code,
)
from ....reference_engine.equations import STANDING_ALONE, Equations
from ....reference_engine.legality import Legality
from ....reference_engine.resolved_order import CONVOY, HOLD, MOVE, SUPPORT, OrderEffect
from .mutant import Mutant, adjudicate_by, by_phase, define, in_order

MUTANTS: list[Mutant] = []
mutant = partial(define, MUTANTS)


@mutant(
    "support-cut-from-target",
    "lets a unit cut the support for an attack on itself, though it does not dislodge the supporter",
)
class _CutFromTarget(Equations):
    def cuts_where_directed(self, attacker: int) -> bool:
        return self.routes[attacker] is None or super().cuts_where_directed(attacker)


@mutant(
    "support-cut-from-coast-of-target",
    "lets a fleet on one of two coasts cut the support for an attack on its own province",
)
class _CutFromCoastOfTarget(Equations):
    _on_coast: Sequence[bool] = ()

    def prepare(self, position: Position, effects: Sequence[OrderEffect]) -> None:
        super().prepare(position, effects)
        self._on_coast = [place.location != place.province for place in position.places]

    def cuts_where_directed(self, attacker: int) -> bool:
        return self._on_coast[attacker] or super().cuts_where_directed(attacker)


@mutant("only-dislodgement-cuts", "cuts a support only when the supporting unit is dislodged, not when it is attacked")
class _OnlyDislodgementCuts(Equations):
    def cuts(self, attacker: int, unit: int) -> bool:
        return False


@mutant(
    "dislodged-support-counts",
    "counts the support of a unit that is dislodged by the very unit that it supports an attack on",
)
class _DislodgementDoesNotCut(Equations):
    def cuts_by_dislodging(self, attacker: int, unit: int) -> bool:
        return False


@mutant("convoyed-attack-does-not-cut", "lets an army that comes by convoy cut no support")
class _ConvoyedDoesNotCut(Equations):
    def cuts(self, attacker: int, unit: int) -> bool:
        return self.routes[attacker] is None and super().cuts(attacker, unit)


@mutant("adjacent-convoy-does-not-cut", "lets an army that is convoyed to a neighbouring province cut no support")
class _ConvoyedNextDoorDoesNotCut(Equations):
    _borders: Sequence[int] = ()

    def prepare(self, position: Position, effects: Sequence[OrderEffect]) -> None:
        super().prepare(position, effects)
        self._borders = position.board.army_borders

    def cuts(self, attacker: int, unit: int) -> bool:
        is_next_door = self._borders[self.home[attacker]] >> self.home[unit] & 1
        return not (is_next_door and self.routes[attacker] is not None) and super().cuts(attacker, unit)


@mutant(
    "convoyed-standoff-does-not-cut", "lets a convoyed army cut no support where another unit goes to the same province"
)
class _ConvoyedInStandoffDoesNotCut(Equations):
    def cuts(self, attacker: int, unit: int) -> bool:
        is_alone = len(self.attackers[self.home[unit]]) == 1
        return (is_alone or self.routes[attacker] is None) and super().cuts(attacker, unit)


@mutant(
    "convoyed-attack-cuts-nothing-later", "lets a convoyed army cut no support that is ordered after its move", in_order
)
class _ConvoyedDoesNotCutLater(Equations):
    def cuts(self, attacker: int, unit: int) -> bool:
        return (unit < attacker or self.routes[attacker] is None) and super().cuts(attacker, unit)


@mutant(
    "hold-support-not-cut", "cuts supports for a move when the supporter is attacked, but none for a unit that stays"
)
class _HoldSupportNotCut(Equations):
    def cuts(self, attacker: int, unit: int) -> bool:
        held = self.occupant[self.target[unit]]
        return (held < 0 or unit not in self.supporters[held]) and super().cuts(attacker, unit)


@mutant("dislodged-unit-does-not-cut", "lets a unit that is itself dislodged cut no support with its move")
class _DislodgedDoesNotCut(Equations):
    def is_cut_by(self, unit: int, attacker: int, optimistic: bool) -> bool:
        stays = self.resolve(attacker, optimistic) or not self._is_beaten(attacker, not optimistic)
        if stays and self.cuts(attacker, unit) and self.is_felt(attacker, optimistic):
            return True
        return self.cuts_by_dislodging(attacker, unit) and self.resolve(attacker, optimistic)

    def _is_beaten(self, unit: int, optimistic: bool) -> bool:
        return any(self.resolve(attacker, optimistic) for attacker in self.attackers[self.home[unit]])


@mutant("own-support-dislodges", "counts the support of a power for the dislodgement of its own unit")
class _OwnSupportCounts(Equations):
    def attack_strength(self, unit: int, optimistic: bool) -> int:
        strength = super().attack_strength(unit, optimistic)
        return self.defend_strength(unit, optimistic) if strength and self._counts_all(unit) else strength

    def _counts_all(self, unit: int) -> bool:
        return unit >= 0


@mutant(
    "own-support-dislodges-mover",
    "counts the support of a power for the dislodgement of its own unit where that tried to move and failed",
)
class _OwnSupportCountsAgainstMover(_OwnSupportCounts):
    def _counts_all(self, unit: int) -> bool:
        defender = self.occupant[self.target[unit]]
        return defender >= 0 and self.kind[defender] == MOVE


@mutant(
    "own-support-dislodges-by-convoy",
    "counts the support of a power for the dislodgement of its own unit where the attacker comes by convoy",
)
class _OwnSupportCountsConvoyed(_OwnSupportCounts):
    def _counts_all(self, unit: int) -> bool:
        return self.routes[unit] is not None


@mutant(
    "own-support-does-not-prevent",
    "forgets the supports of the attacked unit's power also where one attacker keeps out another",
)
class _OwnSupportDoesNotPrevent(Equations):
    def prevent_strength(self, unit: int, optimistic: bool) -> int:
        strength = super().prevent_strength(unit, optimistic)
        occupant = self.occupant[self.target[unit]]
        if not strength or occupant < 0:
            return strength
        power = self.power[occupant]
        own = [supporter for supporter in self.supporters[unit] if self.power[supporter] == power]
        return strength - sum(self.resolve(supporter, optimistic) for supporter in own)


@mutant(
    "own-support-does-not-defend",
    "counts a support for a move head to head with a unit of the supporter's power not even in the move's defence",
)
class _OwnSupportDoesNotDefend(Equations):
    def beats_opponent(self, unit: int, attack: int, optimistic: bool) -> bool:
        opponent = self.opponent[unit]
        foreign = [helper for helper in self.supporters[opponent] if self.power[helper] != self.power[unit]]
        defence = STANDING_ALONE + sum(self.resolve(helper, not optimistic) for helper in foreign)
        meets_at_home = self.home[opponent] == self.target[unit]
        return (meets_at_home and attack > defence) or super().beats_opponent(unit, attack, optimistic)


@mutant("moving-unit-held", "counts a support to hold for a unit that was ordered to move and failed")
class _MovingUnitIsHeld(Equations):
    _holders: Mapping[int, Sequence[int]] = {}

    def prepare(self, position: Position, effects: Sequence[OrderEffect]) -> None:
        super().prepare(position, effects)
        holders: dict[int, list[int]] = {}
        for unit, effect in enumerate(effects):
            other = self.occupant[effect.helped]
            if effect.kind == SUPPORT and self.kind[other] == MOVE and effect.target == effect.helped:
                holders.setdefault(other, []).append(unit)
                self.kind[unit] = SUPPORT
        self._holders = holders

    def hold_strength(self, province: int, optimistic: bool) -> int:
        unit = self.occupant[province]
        strength = super().hold_strength(province, optimistic)
        holders = self._holders.get(unit, ()) if strength else ()
        return strength + sum(self.resolve(holder, optimistic) for holder in holders)


@mutant("move-support-holds", "counts the support for a move as a support to hold where that move fails")
class _MoveSupportHolds(Equations):
    def hold_strength(self, province: int, optimistic: bool) -> int:
        unit = self.occupant[province]
        strength = super().hold_strength(province, optimistic)
        helpers = self.supporters[unit] if strength and self.kind[unit] == MOVE else ()
        return strength + sum(self.resolve(helper, optimistic) for helper in helpers)


@mutant(
    "unmatched-support-holds",
    "counts the support for a move as a support to hold where the unit was not ordered to move",
)
class _UnmatchedCounts(Equations):
    """Counts supports for moves that their units do not make."""

    def prepare(self, position: Position, effects: Sequence[OrderEffect]) -> None:
        super().prepare(position, effects)
        for unit, effect in enumerate(effects):
            province, other = effect.target, self.occupant[effect.helped]
            to_move = effect.kind == SUPPORT and province != effect.helped
            if to_move and unit not in self.supporters[other] and self._counts_unmatched(unit, other, province):
                self.supporters[other] = (*self.supporters[other], unit)
                self.kind[unit] = SUPPORT

    def _counts_unmatched(self, unit: int, other: int, province: int) -> bool:
        return unit >= 0 and province >= 0 and self.kind[other] != MOVE


@mutant(
    "other-destination-supported",
    "counts the support for a move to another province than the one that the unit was ordered to",
)
class _OtherDestinationCounts(_UnmatchedCounts):
    def _counts_unmatched(self, unit: int, other: int, province: int) -> bool:
        return unit >= 0 and self.kind[other] == MOVE and self.target[other] != province


class _OnlySome(Equations, ABC):
    """Leaves out some of the supports that match."""

    def prepare(self, position: Position, effects: Sequence[OrderEffect]) -> None:
        super().prepare(position, effects)
        for unit, effect in enumerate(effects):
            self.supporters[unit] = tuple(
                supporter for supporter in self.supporters[unit] if self._counts_for(position, unit, effect, supporter)
            )

    @abstractmethod
    def _counts_for(self, position: Position, unit: int, effect: OrderEffect, supporter: int) -> bool:
        """Whether a support for a unit counts."""


@mutant("supporting-unit-not-held", "counts no support to hold for a unit that was ordered to support")
class _NotForSupporters(_OnlySome):
    def _counts_for(self, position: Position, unit: int, effect: OrderEffect, supporter: int) -> bool:
        return effect.kind != SUPPORT


@mutant("convoying-unit-not-held", "counts no support to hold for a fleet that was ordered to convoy")
class _NotForConvoyers(_OnlySome):
    def _counts_for(self, position: Position, unit: int, effect: OrderEffect, supporter: int) -> bool:
        return effect.kind != CONVOY


@mutant("foreign-support-ignored", "counts no support for a unit of another power")
class _NotForForeigners(_OnlySome):
    def _counts_for(self, position: Position, unit: int, effect: OrderEffect, supporter: int) -> bool:
        return self.power[unit] == self.power[supporter]


@mutant("convoyed-move-not-supported", "counts no support for an army that comes by convoy")
class _NotForConvoyed(_OnlySome):
    def _counts_for(self, position: Position, unit: int, effect: OrderEffect, supporter: int) -> bool:
        return self.routes[unit] is None


@mutant(
    "support-needs-same-coast",
    "lets a fleet support a move to a coast only where it could land on that coast itself, not on the other",
)
class _SameCoastOnly(_OnlySome):
    def _counts_for(self, position: Position, unit: int, effect: OrderEffect, supporter: int) -> bool:
        target, landing = effect.target, effect.landing
        if self.kind[unit] != MOVE or landing == target or not position.is_fleet[supporter]:
            return True
        return landing in position.board.fleet_moves[position.places[supporter].location].get(target, ())


def _counting_out_of_reach(kind: type[SupportHold | SupportMove]) -> Procedure:
    """Adjudicate movement with the supports of a kind whose provinces the supporters cannot reach."""

    def adjudicate(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Adjudication:
        legality = Legality(position, ruleset)
        found: dict[int, OrderEffect] = {}
        for power, order in orders:
            if isinstance(order, kind) and (unit := legality.commanded(power, order.unit)) >= 0:
                effect = _out_of_reach(position, unit, order)
                if effect is not None:
                    found[unit] = effect

        @final
        class _OutOfReachCounts(Equations):
            def prepare(self, position: Position, effects: Sequence[OrderEffect]) -> None:
                super().prepare(position, effects)
                self.target = list(self.target)
                for unit, support in found.items():
                    other = self.occupant[support.helped]
                    into = self.target[other] if self.kind[other] == MOVE else self.home[other]
                    if effects[unit].kind == HOLD and into == support.target:
                        self.kind[unit], self.target[unit] = SUPPORT, into
                        self.supporters[other] = (*self.supporters[other], unit)

        return adjudicate_by(_OutOfReachCounts, position, orders, ruleset)

    return by_phase("movement", adjudicate)


def _out_of_reach(position: Position, unit: int, order: SupportHold | SupportMove) -> OrderEffect | None:
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


_ = mutant(
    "hold-support-out-of-reach",
    "counts a support to hold for a unit that stands out of the supporter's reach",
    _counting_out_of_reach,
)(SupportHold)
_ = mutant(
    "move-support-out-of-reach",
    "counts a support for a move to a province out of the supporter's reach",
    _counting_out_of_reach,
)(SupportMove)


@mutant("one-support-at-most", "counts at most one support for a unit")
class _OneAtMost(Equations):
    def attack_strength(self, unit: int, optimistic: bool) -> int:
        return min(super().attack_strength(unit, optimistic), 2)

    def hold_strength(self, province: int, optimistic: bool) -> int:
        return min(super().hold_strength(province, optimistic), 2)

    def defend_strength(self, unit: int, optimistic: bool) -> int:
        return min(super().defend_strength(unit, optimistic), 2)


@mutant("unit-supports-itself", "lets a unit support itself to hold", partial(by_phase, "movement"))
def _with_support_of_itself(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Adjudication:
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

    return adjudicate_by(_SupportsItself, position, orders, ruleset)
