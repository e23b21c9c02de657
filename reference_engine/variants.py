"""The equations under other choices than the DATC's own: each override says which issue it plays.

The plain `Equations` play the choices in `PLAIN` and pay nothing for the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .equations import Equations
from .legality import CONVOY, MOVE, Meaning
from .matched import NOBODY
from .paradoxes import SETTLES, SPARES, Spared, spared_supports
from .position import Position

PLAIN: Mapping[str, str] = {
    "4.A.2": "szykman",
    "4.A.7": "head-to-head-only",
    "X.4": "per-comparison",
    "X.5": "attack-vs-defend",
    "X.8": "safe",
    "X.9": "fleet-dislodged",
    "X.10": "none",
    "X.11": "never",
    "X.12": "no-effect",
}
"""The choices that the plain equations play."""


STANDING_ALONE = 1
"""The strength of a unit without support."""


class VariantEquations(Equations):
    """The equations under any choices."""

    __slots__: tuple[str, ...] = ("opposite", "spared")

    def __init__(self, position: Position, kind: list[int], target: Sequence[int], choices: Mapping[str, str]) -> None:
        super().__init__(position, kind, target, choices)
        self.spared: Spared = {}
        """For each supporting unit, the convoyed armies that do not cut its support (4.A.2)."""
        self.opposite: Mapping[int, int] = {}
        """For each moving unit, the one at its destination that moves the opposite way, by land or sea (4.A.7)."""

    def prepare(self, position: Position, meanings: Sequence[Meaning]) -> None:
        self._set_opposites()
        self.spared = spared_supports(position, meanings, self)

    def supposing(self) -> Equations:
        """A copy in which something can be supposed: what is certain stays, Szykman's rule settles what is open."""
        trial = super().supposing()
        trial.choices = {**self.choices, "4.A.2": "szykman"}
        return trial

    # 5.B.1
    def move(self, unit: int, optimistic: bool) -> bool:
        """As the DATC's; X.4 `grand-winner` and X.5 `raw-count` count the supports of the defender's countrymen."""
        attack = self.attack_strength(unit, optimistic)
        return (
            attack > 0
            and self._beats_defender(unit, attack, optimistic)
            and all(
                self._beats_rival(unit, rival, attack, optimistic)
                for rival in self.attackers[self.target[unit]]
                if rival != unit
            )
        )

    def _beats_defender(self, unit: int, attack: int, optimistic: bool) -> bool:
        """Whether an attack beats its opponent in a head-to-head battle, or what stands at its destination."""
        opponent = self.opponent[unit]
        if opponent < 0:
            return attack > self.hold_strength(self.target[unit], not optimistic)
        against_opponent = attack
        if self.choices["X.5"] == "raw-count":
            if attack <= STANDING_ALONE:
                return False
            against_opponent = self.defend_strength(unit, optimistic)
        return against_opponent > self.defend_strength(opponent, not optimistic)

    def _beats_rival(self, unit: int, rival: int, attack: int, optimistic: bool) -> bool:
        """Whether an attack beats another unit that moves to the same province."""
        against_rival = self.defend_strength(unit, optimistic) if self.choices["X.4"] == "grand-winner" else attack
        return against_rival > self.prevent_strength(rival, not optimistic)

    # 5.B.2
    def support(self, unit: int, optimistic: bool) -> bool:
        """As the DATC's, but for the supports that a paradox rule spares (4.A.2, X.7), and X.10 and X.11."""
        for attacker in self.attackers.get(self.home[unit], NOBODY):
            if self._cuts(attacker, unit) and self._is_felt(attacker, not optimistic):
                return False
            if self._cuts_by_dislodging(attacker, unit) and self.resolve(attacker, not optimistic):
                return False
        return True

    def _cuts(self, attacker: int, unit: int) -> bool:
        """Whether an attack cuts a support by itself."""
        if attacker in self.spared.get(unit, NOBODY) or self._comes_from_where_directed(attacker, unit):
            return False
        return self.power[attacker] != self.power[unit] or self.choices["X.11"] != "never"

    def _cuts_by_dislodging(self, attacker: int, unit: int) -> bool:
        """Whether an attack cuts a support if it succeeds."""
        if attacker in self.spared.get(unit, NOBODY) and self.choices["X.7"] == "paradox-rule-wins":
            return False
        return self.power[attacker] != self.power[unit]

    # 5.B.3
    def convoy(self, unit: int, optimistic: bool) -> bool:
        """As the DATC's; X.8 `beleaguered-disrupts` and X.9 `outnumbered` disrupt a convoy without a dislodgement."""
        if not super().convoy(unit, optimistic):
            return False
        if self.choices["X.9"] == "fleet-dislodged" and self.choices["X.8"] == "safe":
            return True
        return not self._is_overwhelmed(unit, optimistic)

    # 5.B.6
    def prevent_strength(self, unit: int, optimistic: bool) -> int:
        """As the DATC's, but for 4.A.7 `never-effect`, X.10 and X.12."""
        if not self._is_felt(unit, optimistic):
            return 0
        strength = self.defend_strength(unit, optimistic)
        opposite = self.opposite.get(unit, -1) if self.choices["4.A.7"] == "never-effect" else self.opponent[unit]
        loses = (
            opposite >= 0
            and self.resolve(opposite, not optimistic)
            and (opposite == self.opponent[unit] or not self.resolve(unit, optimistic))
        )
        if not loses:
            return strength
        # X.12 `tie-only`: it no longer prevents an equal unit, but still a weaker one.
        return strength - 1 if self.choices["X.12"] == "tie-only" else 0

    # 5.B.9
    def backup_rule(self, cycle: Sequence[int]) -> None:
        """As the DATC's; a paradox is settled by the rule of 4.A.2, or by X.22 where that leaves one."""
        if any(self.kind[unit] == CONVOY for unit in cycle):
            rule = self.choices["4.A.2"]
            SETTLES[self.choices["X.22"] if rule in SPARES else rule](self, cycle)
        else:
            super().backup_rule(cycle)

    def _comes_from_where_directed(self, attacker: int, unit: int) -> bool:
        """Whether an attack comes from where the support is directed, and so does not cut it (4.A.4)."""
        if self.home[attacker] != self.target[unit]:
            return False
        return not (self.convoy_cuts_support_on_itself and self.routes[attacker] is not None)

    def _is_felt(self, unit: int, optimistic: bool) -> bool:
        """Whether a move has an effect at its destination: by X.10 `still-attacks` a disrupted convoy's has, too."""
        if self.choices["X.10"] == "still-attacks" and self.routes[unit]:
            return True
        return self.path(unit, optimistic)

    def _is_overwhelmed(self, fleet: int, optimistic: bool) -> bool:
        """Whether the attacks on a convoying fleet disrupt it by their number alone, whoever supports them."""
        hold, attacks = least = self._strengths_at(self.home[fleet], optimistic=False)
        most = self._strengths_at(self.home[fleet], optimistic=True)
        strongest = max(attacks.values(), default=0)
        if least != most:
            most_hold, most_attacks = most
            if max(most_attacks.values(), default=0) <= hold:
                return False
            # A foreign attack overcomes the hold in any case: alone it dislodges the fleet, tied it beleaguers it.
            if strongest > most_hold and all(self._is_fully_foreign(attacker, fleet) for attacker in most_attacks):
                return self.choices["X.8"] == "beleaguered-disrupts" or not optimistic
            return not optimistic
        if strongest <= hold:
            return False
        winners = [attacker for attacker, strength in attacks.items() if strength == strongest]
        if all(self.power[attacker] == self.power[fleet] for attacker in winners):
            return False
        if len(winners) == 1:
            return self.choices["X.9"] == "outnumbered"
        return self.choices["X.8"] == "beleaguered-disrupts"

    def _is_fully_foreign(self, attacker: int, fleet: int) -> bool:
        """Whether neither an attacker nor any of its supporters belongs to the power of the fleet."""
        return all(self.power[unit] != self.power[fleet] for unit in (attacker, *self.supporters[attacker]))

    def _strengths_at(self, province: int, *, optimistic: bool) -> tuple[int, dict[int, int]]:
        """The hold strength of a province, and the full strength of each move into it."""
        attackers = [unit for unit in self.attackers.get(province, NOBODY) if self.path(unit, optimistic)]
        attacks = {unit: self.defend_strength(unit, optimistic) for unit in attackers}
        return self.hold_strength(province, optimistic), attacks

    def _set_opposites(self) -> None:
        """Note which units move the opposite way of which."""
        self.opposite = {
            unit: other
            for unit, kind in enumerate(self.kind)
            if kind == MOVE
            and self.target[unit] >= 0
            and (other := self.occupant[self.target[unit]]) >= 0
            and self.kind[other] == MOVE
            and self.target[other] == self.home[unit]
        }
