# mypyc
"""The equations of movement (DATC 5.B) and the partial-information algorithm that solves them (DATC 5.E).

Every method that is an equation takes an order and `optimistic`: what is not yet known is taken in favour of that order
succeeding, or against it. Where a choice differs from what the DATC itself plays, the method says of which issue.

A subclass may override any public method: the mutants of the harness do, to be wrong about one thing. While it solves,
it changes the lists `resolution` and `cycle` in place.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from .choices import (
    ALL_SUPPORT_COUNTS_AGAINST_RIVALS,
    ALL_SUPPORT_COUNTS_HEAD_TO_HEAD,
    BELEAGUERED_DISRUPTS,
    CONVOYED_ATTACKS,
    DISRUPTED_STILL_ATTACKS,
    LOSER_NEVER_PREVENTS,
    LOSER_PREVENTS_WEAKER,
    OUTNUMBERED_DISRUPTS,
    OWN_ATTACK_CUTS,
    SPARED_FROM_DISLODGEMENT,
    ChoiceTables,
    ConvoyedAttack,
)
from .installation import mypyc_attr
from .paradoxes import Spared, Supposable, settle_paradox, spared_supports
from .position import Position
from .resolved_order import CONVOY, MOVE, SUPPORT, OrderEffect
from .rulesets import Ruleset
from .solver import NOBODY

STANDING_ALONE: Final = 1
"""The strength of a unit without support."""

OPTIMISTIC: Final = True
PESSIMISTIC: Final = False
"""Values of `optimistic`. They are passed by position where it matters, since a keyword takes longer."""

CHOICE_TABLES: ChoiceTables = {
    "4.A.7": LOSER_NEVER_PREVENTS,
    "v3.2-4.A.4": CONVOYED_ATTACKS,
    "X.4": ALL_SUPPORT_COUNTS_AGAINST_RIVALS,
    "X.5": ALL_SUPPORT_COUNTS_HEAD_TO_HEAD,
    "X.7": SPARED_FROM_DISLODGEMENT,
    "X.8": BELEAGUERED_DISRUPTS,
    "X.9": OUTNUMBERED_DISRUPTS,
    "X.10": DISRUPTED_STILL_ATTACKS,
    "X.11": OWN_ATTACK_CUTS,
    "X.12": LOSER_PREVENTS_WEAKER,
}


@dataclass(frozen=True, slots=True)
class Rules:
    """What a ruleset chooses of each issue of this module; the tables in `choices` say what an entry means."""

    convoyed_attack: ConvoyedAttack
    loser_never_prevents: bool
    all_support_counts_against_rivals: bool
    all_support_counts_head_to_head: bool
    spared_from_dislodgement: bool
    beleaguered_disrupts: bool
    outnumbered_disrupts: bool
    disrupted_still_attacks: bool
    own_attack_cuts: bool
    loser_prevents_weaker: bool


@lru_cache(maxsize=256)
def rules_of(ruleset: Ruleset) -> Rules:
    """The entries of a ruleset, looked up once."""
    choices = ruleset.choices
    return Rules(
        convoyed_attack=CONVOYED_ATTACKS[choices["v3.2-4.A.4"]],
        loser_never_prevents=LOSER_NEVER_PREVENTS[choices["4.A.7"]],
        all_support_counts_against_rivals=ALL_SUPPORT_COUNTS_AGAINST_RIVALS[choices["X.4"]],
        all_support_counts_head_to_head=ALL_SUPPORT_COUNTS_HEAD_TO_HEAD[choices["X.5"]],
        spared_from_dislodgement=SPARED_FROM_DISLODGEMENT[choices["X.7"]],
        beleaguered_disrupts=BELEAGUERED_DISRUPTS[choices["X.8"]],
        outnumbered_disrupts=OUTNUMBERED_DISRUPTS[choices["X.9"]],
        disrupted_still_attacks=DISRUPTED_STILL_ATTACKS[choices["X.10"]],
        own_attack_cuts=OWN_ATTACK_CUTS[choices["X.11"]],
        loser_prevents_weaker=LOSER_PREVENTS_WEAKER[choices["X.12"]],
    )


@mypyc_attr(allow_interpreted_subclasses=True)
class Equations(Supposable):
    """The matching orders of a movement phase, solved by their equations."""

    def __init__(self, position: Position, effects: list[OrderEffect], ruleset: Ruleset) -> None:
        super().__init__(position, effects, ruleset)
        self.spared: Spared = {}
        """For each supporting unit, the convoyed armies that do not cut its support (4.A.2)."""
        self.last_fleets: frozenset[int] = frozenset()
        """The last fleets of all convoys, where a convoyed attack comes from these (4.A.4 of DATC 3.2)."""
        self.sea_battles: dict[int, int] = {}
        """For each army that meets a unit head to head at its last fleet, that unit."""
        self.rules: Rules = rules_of(ruleset)
        self.visited: list[bool]
        """Whether each unit's order is being resolved."""
        self.in_cycle: list[bool]
        """Whether each unit's order is in `cycle`."""
        self.cycle: list[int]
        """The orders found so far that depend on themselves."""
        self.recursion_hits: int
        """How many orders of the cycle are still being resolved."""
        self.doubts: int
        """How often what is not certain yet was taken from an order of the cycle."""
        self.forget_visits()

    def prepare(self, position: Position, effects: Sequence[OrderEffect]) -> None:
        self.spared = spared_supports(position, effects, self)
        attack = self.rules.convoyed_attack
        if attack.meets_head_to_head or attack.spares_support_against_it:
            self._find_last_fleets(position)

    def _find_last_fleets(self, position: Position) -> None:
        """Note the last fleets of each convoy, and who meets an army there head to head (4.A.4 of DATC 3.2).

        An army whose routes end in several seas comes from all of them, and meets nobody.
        """
        borders = position.board.fleet_borders
        found: set[int] = set()
        for army, routes in enumerate(self.routes):
            target = self.target[army]
            last = {fleet for route in routes or () for fleet in route if borders[self.home[fleet]] >> target & 1}
            found |= last
            other = self.occupant[target] if len(last) == 1 and self.rules.convoyed_attack.meets_head_to_head else -1
            if other >= 0 and self.kind[other] == MOVE and self.target[other] == self.home[next(iter(last))]:
                self.opponent[army], self.opponent[other] = other, army
                self.sea_battles[army] = other
        self.last_fleets = frozenset(found)

    def has_path(self, unit: int) -> bool:
        return self.path(unit, PESSIMISTIC)

    def prevents(self, unit: int) -> bool:
        return self.prevent_strength(unit, OPTIMISTIC) > 0

    def supposing(self) -> Equations:
        trial = copy.copy(self)
        attributes: dict[str, object] | None = getattr(trial, "__dict__", None)
        if attributes is not None:  # Of a class in Python: where this one is compiled, the copy would share them.
            object.__setattr__(trial, "__dict__", {**attributes})
        trial.choices = {**self.choices, "4.A.2": "szykman"}
        trial.resolution = list(self.resolution)
        trial.routes = list(self.routes)
        trial.forget_visits()
        return trial

    def forget_visits(self) -> None:
        """Start to resolve again, as after a copy that was made half-way."""
        self.visited = [False] * len(self.kind)
        self.in_cycle = [False] * len(self.kind)
        self.cycle = []
        self.recursion_hits = 0
        self.doubts = 0

    def solve(self) -> None:
        """Resolve every order (5.C): nothing depends on which one comes first."""
        resolution = self.resolution
        for unit, kind in enumerate(self.kind):
            if kind:
                while resolution[unit] is None:
                    _ = self.resolve(unit, OPTIMISTIC)
                    if self.cycle:
                        self.settle_cycle(0)

    # 5.B.1
    def move(self, unit: int, optimistic: bool) -> bool:
        """Whether a move succeeds: its attack beats the defender and everyone who moves to the same province."""
        attack = self.attack_strength(unit, optimistic)
        if attack == 0:
            return False
        target = self.target[unit]
        if self.opponent[unit] >= 0:
            if not self.beats_opponent(unit, attack, optimistic):
                return False
        elif attack <= self.hold_strength(target, not optimistic):
            return False
        for rival in self.attackers[target]:
            if rival != unit and not self.beats_rival(unit, rival, attack, optimistic):
                return False
        return True

    def beats_opponent(self, unit: int, attack: int, optimistic: bool) -> bool:
        """Whether a move with this attack strength beats its opponent in a head-to-head battle (X.5).

        Where the opponent is an army that comes from its last fleet, it is this fleet that has to be dislodged, too.
        """
        target = self.target[unit]
        if self.home[self.opponent[unit]] != target:
            if attack <= self.hold_strength(target, not optimistic):
                return False
            if not self.comes_to_last_fleet(self.opponent[unit], not optimistic):
                return True
        if self.rules.all_support_counts_head_to_head:
            if attack <= self.lone_strength(unit):
                return False
            attack = self.defend_strength(unit, optimistic)
        return attack > self.defend_strength(self.opponent[unit], not optimistic)

    def beats_rival(self, unit: int, rival: int, attack: int, optimistic: bool) -> bool:
        """Whether a move with this attack strength beats another unit that moves to the same province (X.4)."""
        if self.rules.all_support_counts_against_rivals:
            attack = self.defend_strength(unit, optimistic)
        return attack > self.prevent_strength(rival, not optimistic)

    # 5.B.2
    def support(self, unit: int, optimistic: bool) -> bool:
        """Whether a support is given: no attack on the supporting unit cuts it."""
        for attacker in self.attackers[self.home[unit]]:  # noqa: SIM110 - `all` takes twice as long
            if self.is_cut_by(unit, attacker, not optimistic):
                return False
        return True

    def is_cut_by(self, unit: int, attacker: int, optimistic: bool) -> bool:
        """Whether a move against a supporting unit cuts its support; `optimistic` is for that move."""
        if self.cuts(attacker, unit) and (self.routes[attacker] is None or self.is_felt_by(unit, attacker, optimistic)):
            return True
        return self.cuts_by_dislodging(attacker, unit) and self.resolve(attacker, optimistic)

    def has_no_strength(self, unit: int, optimistic: bool) -> bool:
        """Whether a move over a difficult passage has no support against the unit that it meets: it cuts nothing."""
        del unit, optimistic  # Most maps have no such passages.
        return False

    def cuts(self, attacker: int, unit: int) -> bool:
        """Whether an attack that is felt cuts a support: not that of a countryman (X.11), nor a spared one (4.A.2)."""
        if self.power[attacker] == self.power[unit] and not self.rules.own_attack_cuts:
            return False
        if self.spared and self.is_spared(unit, attacker):
            return False
        return self.home[attacker] != self.target[unit] or self.cuts_where_directed(attacker)

    def cuts_by_dislodging(self, attacker: int, unit: int) -> bool:
        """Whether an attack cuts a support if it succeeds (X.7 for a spared one): never against a countryman."""
        if self.power[attacker] == self.power[unit]:
            return False
        return not (self.spared and self.rules.spared_from_dislodgement and self.is_spared(unit, attacker))

    def is_spared(self, unit: int, attacker: int) -> bool:
        """Whether the paradox rule spares a support from an army, which it does not if that walks in the end."""
        return attacker in self.spared.get(unit, NOBODY) and self.routes[attacker] is not None

    def cuts_where_directed(self, attacker: int) -> bool:
        """Whether an attack that comes from where a support is directed cuts it: by 4.A.4 one by convoy can."""
        return self.convoy_cuts_support_on_itself and self.routes[attacker] is not None

    def is_felt(self, unit: int, optimistic: bool) -> bool:
        """Whether a convoyed move is felt at its destination: it has a path, or by X.10 its convoy is disrupted."""
        return bool(self.rules.disrupted_still_attacks and self.routes[unit]) or self.path(unit, optimistic)

    def is_felt_by(self, supporter: int, unit: int, optimistic: bool) -> bool:
        """Whether a convoyed move is felt by a supporting unit: not if it comes from where an attack is supported.

        By 4.A.4 of DATC 3.2 it can come from its last fleet, and from those of several routes.
        """
        sea = self.target[supporter]
        if not self.is_for_attack_on_last_fleet(supporter):
            return self.is_felt(unit, optimistic)
        others = [
            route
            for route in self.routes[unit] or ()
            if any(fleet in self.last_fleets and self.home[fleet] != sea for fleet in route)
        ]
        return bool(self.rules.disrupted_still_attacks and others) or self.has_open_route(others, optimistic)

    def is_for_attack_on_last_fleet(self, supporter: int) -> bool:
        """Whether a support is for an attack on a last fleet, and so not cut from there (4.A.4 of DATC 3.2)."""
        if not self.rules.convoyed_attack.spares_support_against_it:
            return False
        fleet = self.occupant[self.target[supporter]]
        return fleet in self.last_fleets and supporter not in self.supporters[fleet]

    def comes_to_last_fleet(self, unit: int, optimistic: bool) -> bool:
        """Whether a convoyed move is felt at its last fleet, whatever becomes of that one (4.A.4 of DATC 3.2)."""
        routes = [[fleet for fleet in route if fleet not in self.last_fleets] for route in self.routes[unit] or ()]
        return bool(self.rules.disrupted_still_attacks and routes) or self.has_open_route(routes, optimistic)

    # 5.B.3
    def convoy(self, unit: int, optimistic: bool) -> bool:
        """Whether a fleet convoys: it is not dislodged, nor overwhelmed (X.8, X.9)."""
        for attacker in self.attackers[self.home[unit]]:
            if self.resolve(attacker, not optimistic):
                return False
        if self.rules.beleaguered_disrupts or self.rules.outnumbered_disrupts:
            return not self.is_overwhelmed(unit, optimistic)
        return True

    def is_overwhelmed(self, fleet: int, optimistic: bool) -> bool:
        """Whether the attacks on a convoying fleet disrupt it by their number alone, supports by any power counted."""
        hold, attacks = least = self._strengths_at(self.home[fleet], optimistic=False)
        most_hold, most_attacks = most = self._strengths_at(self.home[fleet], optimistic=True)
        strongest = max(attacks.values(), default=0)
        if least != most:
            if max(most_attacks.values(), default=0) <= hold:
                return False
            # A foreign attack overcomes the hold in any case: alone it dislodges the fleet, tied it beleaguers it.
            if strongest > most_hold and all(self._is_fully_foreign(attacker, fleet) for attacker in most_attacks):
                return self.rules.beleaguered_disrupts or not optimistic
            return not optimistic
        winners = [attacker for attacker, strength in attacks.items() if strength == strongest]
        if strongest <= hold or all(self.power[attacker] == self.power[fleet] for attacker in winners):
            return False
        return self.rules.outnumbered_disrupts if len(winners) == 1 else self.rules.beleaguered_disrupts

    def _is_fully_foreign(self, attacker: int, fleet: int) -> bool:
        """Whether neither an attacker nor any of its supporters belongs to the power of the fleet."""
        return all(self.power[unit] != self.power[fleet] for unit in (attacker, *self.supporters[attacker]))

    def _strengths_at(self, province: int, *, optimistic: bool) -> tuple[int, dict[int, int]]:
        """The hold strength of a province, and the full strength of each move into it."""
        attackers = [unit for unit in self.attackers[province] if self.path(unit, optimistic)]
        attacks = {unit: self.defend_strength(unit, optimistic) for unit in attackers}
        return self.hold_strength(province, optimistic), attacks

    # 5.B.4
    def path(self, unit: int, optimistic: bool) -> bool:
        """Whether a unit can come to its destination: over land, or by a route of which every fleet convoys (4.A.1)."""
        routes = self.routes[unit]
        return routes is None or self.has_open_route(routes, optimistic)

    def has_open_route(self, routes: Iterable[Iterable[int]], optimistic: bool) -> bool:
        """Whether every fleet of some route convoys."""
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
        """How a move keeps others out of its destination: not if it has no path, or loses to who comes from there."""
        if self.routes[unit] is not None and not self.is_felt(unit, optimistic):
            return 0
        strength = self.defend_strength(unit, optimistic)
        if self.opponent[unit] < 0 and not self.rules.loser_never_prevents:
            return strength
        if not self._loses(unit, optimistic):
            return strength
        return strength - 1 if self.rules.loser_prevents_weaker else 0

    def _loses(self, unit: int, optimistic: bool) -> bool:
        """Whether a move loses a head-to-head battle; by 4.A.7 also to a unit that it would have met without convoy.

        Not to a convoyed one, where that comes from its last fleet (4.A.4 of DATC 3.2).
        """
        opponent = self.opponent[unit]
        if opponent >= 0:
            meets_by_land = self.home[opponent] == self.target[unit]
            return self.resolve(opponent, not optimistic) and (meets_by_land or self.path(opponent, not optimistic))
        opposite = self.opposite(unit)
        if opposite < 0 or (self.rules.convoyed_attack.opens_origin and self.routes[opposite] is not None):
            return False
        return self.resolve(opposite, not optimistic) and not self.resolve(unit, optimistic)

    # 5.B.7
    def defend_strength(self, unit: int, optimistic: bool) -> int:
        """What the opponent in a head-to-head battle must overcome."""
        strength = 1
        for supporter in self.supporters[unit]:
            if self.resolve(supporter, optimistic):
                strength += 1
        return strength

    def shown_strength(self, strength: int) -> int:
        """Return a strength as the rules count it, where the equations count otherwise."""
        return strength

    def lone_strength(self, unit: int) -> int:
        """The strength of a unit's move without support."""
        del unit
        return STANDING_ALONE

    # 5.B.8
    def attack_strength(self, unit: int, optimistic: bool) -> int:
        """The strength of a move: nobody attacks a countryman, or helps to dislodge one."""
        if self.routes[unit] is not None and not self.path(unit, optimistic):
            return 0
        defender = self.occupant[self.target[unit]]
        power = ""
        if defender >= 0 and not (
            self.opponent[unit] < 0 and self.kind[defender] == MOVE and self.resolve(defender, optimistic)
        ):
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
        """Settle a cycle with no or several solutions: circular movement succeeds, a paradox has its own rule."""
        if any(self.kind[unit] == CONVOY for unit in cycle):
            settle_paradox(self, cycle)
            return
        succeed = all(self.kind[unit] == MOVE for unit in cycle)
        for unit in cycle:
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
        if self.in_cycle[unit]:
            self.doubts += 1
            return optimistic
        if self.visited[unit]:
            self.add_to_cycle(unit)
            self.recursion_hits += 1
            self.doubts += 1
            return optimistic

        self.visited[unit] = True
        cycle_before, hits_before, doubts_before = len(self.cycle), self.recursion_hits, self.doubts
        succeeds = self.adjudicate(unit, OPTIMISTIC)
        if self.doubts == doubts_before:
            self.visited[unit] = False
            self.resolution[unit] = succeeds
            return succeeds
        certain = not succeeds or self.adjudicate(unit, PESSIMISTIC)
        self.visited[unit] = False
        if certain:
            self.forget_cycle(cycle_before)
            self.recursion_hits, self.doubts = hits_before, doubts_before
            self.resolution[unit] = succeeds
            return succeeds
        if self.in_cycle[unit]:
            self.recursion_hits -= 1
            if self.recursion_hits == hits_before:
                # This order is the ancestor of the whole cycle: nothing outside it can still decide it.
                self.settle_cycle(cycle_before)
                self.doubts = doubts_before
                return self.resolve(unit, optimistic)
        else:
            self.add_to_cycle(unit)
        return optimistic

    def settle_cycle(self, cycle_before: int) -> None:
        """Settle the orders of the cycle behind so many earlier ones."""
        cycle = self.cycle[cycle_before:]
        self.forget_cycle(cycle_before)
        self.backup_rule(cycle)

    def add_to_cycle(self, unit: int) -> None:
        """Note that an order depends on itself."""
        self.cycle.append(unit)
        self.in_cycle[unit] = True

    def forget_cycle(self, cycle_before: int) -> None:
        """Forget the orders of the cycle behind so many earlier ones."""
        for unit in self.cycle[cycle_before:]:
            self.in_cycle[unit] = False
        del self.cycle[cycle_before:]
