"""Mutants in moves: strengths, standoffs, head-to-head battles, circles and chains."""

from __future__ import annotations

from collections.abc import Sequence

from ....reference_engine import Adjudication, GivenOrder, Position, Procedure, Ruleset, province_code
from ....reference_engine.equations import STANDING_ALONE, Equations
from ....reference_engine.legality import MOVE, Meaning
from .mutant import Mutant, adjudicate_by, by_equations, by_phase, ordered_province


class _OwnUnitIsDislodged(Equations):
    def attack_strength(self, unit: int, optimistic: bool) -> int:
        strength = super().attack_strength(unit, optimistic)
        if strength or not self._counts_against(self.occupant[self.target[unit]]) or not self.path(unit, optimistic):
            return strength
        return self._strength_against_own(unit, optimistic)

    def _counts_against(self, defender: int) -> bool:
        return defender >= 0

    def _strength_against_own(self, unit: int, optimistic: bool) -> int:
        return self.defend_strength(unit, optimistic)


class _OwnUnitIsDislodgedWithHelp(_OwnUnitIsDislodged):
    def _strength_against_own(self, unit: int, optimistic: bool) -> int:
        foreign = [supporter for supporter in self.supporters[unit] if self.power[supporter] != self.power[unit]]
        return STANDING_ALONE + sum(self.resolve(supporter, optimistic) for supporter in foreign)


class _OwnMoverIsDislodged(_OwnUnitIsDislodged):
    def _counts_against(self, defender: int) -> bool:
        return defender >= 0 and self.kind[defender] == MOVE


class _SwapsByLand(Equations):
    def prepare(self, position: Position, meanings: Sequence[Meaning]) -> None:
        super().prepare(position, meanings)
        self.opponent[:] = [-1] * len(meanings)


class _ConvoyMeetsHeadToHead(Equations):
    def prepare(self, position: Position, meanings: Sequence[Meaning]) -> None:
        super().prepare(position, meanings)
        self.opponent[:] = [self.opposite(unit) if kind == MOVE else -1 for unit, kind in enumerate(self.kind)]


class _SecondWinsHeadToHead(Equations):
    def beats_opponent(self, unit: int, attack: int, optimistic: bool) -> bool:
        if self.opponent[unit] < unit:
            return attack > STANDING_ALONE
        return super().beats_opponent(unit, attack, optimistic)


class _DefendsAlone(Equations):
    def beats_opponent(self, unit: int, attack: int, optimistic: bool) -> bool:
        return attack > STANDING_ALONE


class _LoserPrevents(Equations):
    def prevent_strength(self, unit: int, optimistic: bool) -> int:
        return self.defend_strength(unit, optimistic) if self.is_felt(unit, optimistic) else 0


class _DislodgedPreventsNothing(Equations):
    def prevent_strength(self, unit: int, optimistic: bool) -> int:
        is_beaten = any(self.resolve(attacker, not optimistic) for attacker in self.attackers.get(self.home[unit], ()))
        if is_beaten and not self.resolve(unit, optimistic):
            return 0
        return super().prevent_strength(unit, optimistic)


class _FailedMoverDoesNotHold(Equations):
    def hold_strength(self, province: int, optimistic: bool) -> int:
        unit = self.occupant[province]
        return 0 if unit >= 0 and self.kind[unit] == MOVE else super().hold_strength(province, optimistic)


class _NobodyFollows(Equations):
    def hold_strength(self, province: int, optimistic: bool) -> int:
        unit = self.occupant[province]
        return 1 if unit >= 0 and self.kind[unit] == MOVE else super().hold_strength(province, optimistic)


class _NoCircles(Equations):
    def backup_rule(self, cycle: Sequence[int]) -> None:
        if all(self.kind[unit] == MOVE for unit in cycle):
            for unit in cycle:
                self.resolution[unit] = False
        else:
            super().backup_rule(cycle)


class _GuessIsKept(Equations):
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


class _EqualAttackDislodges(Equations):
    def hold_strength(self, province: int, optimistic: bool) -> int:
        return max(super().hold_strength(province, optimistic) - 1, 0)


class _FirstWinsStandoff(Equations):
    def beats_rival(self, unit: int, rival: int, attack: int, optimistic: bool) -> bool:
        if unit < rival and self._has_first_claim(self.target[unit]):
            return attack >= self.prevent_strength(rival, not optimistic)
        return super().beats_rival(unit, rival, attack, optimistic)

    def _has_first_claim(self, province: int) -> bool:
        return self.occupant[province] < 0


class _FirstDislodgesGarrison(_FirstWinsStandoff):
    def _has_first_claim(self, province: int) -> bool:
        return self.occupant[province] >= 0


class _TiedRivalsCancelOut(Equations):
    def beats_rival(self, unit: int, rival: int, attack: int, optimistic: bool) -> bool:
        if super().beats_rival(unit, rival, attack, optimistic):
            return True
        strength = self.prevent_strength(rival, not optimistic)
        others = [other for other in self.attackers[self.target[unit]] if other not in (unit, rival)]
        return attack < strength and any(self.prevent_strength(other, not optimistic) == strength for other in others)


class _SupportDoesNotPrevent(Equations):
    def prevent_strength(self, unit: int, optimistic: bool) -> int:
        return min(super().prevent_strength(unit, optimistic), 1)


class _StandoffIgnoresStrength(Equations):
    def beats_rival(self, unit: int, rival: int, attack: int, optimistic: bool) -> bool:
        return not self.prevent_strength(rival, not optimistic)


class _OwnAttackDoesNotPrevent(Equations):
    def prevent_strength(self, unit: int, optimistic: bool) -> int:
        occupant = self.occupant[self.target[unit]]
        stays = occupant >= 0 and self.kind[occupant] != MOVE
        if stays and self.power[occupant] == self.power[unit]:
            return 0
        return super().prevent_strength(unit, optimistic)


class _CoastsAreApart(Equations):
    _landing: Sequence[int] = ()

    def prepare(self, position: Position, meanings: Sequence[Meaning]) -> None:
        super().prepare(position, meanings)
        self._landing = [meaning.landing if meaning.kind == MOVE else -1 for meaning in meanings]

    def beats_rival(self, unit: int, rival: int, attack: int, optimistic: bool) -> bool:
        return self._landing[unit] != self._landing[rival] or super().beats_rival(unit, rival, attack, optimistic)


def _in_order(equations: type[Equations]) -> Procedure:
    """Adjudicate movement with the units in the order in which they were ordered, for what depends on it."""

    def adjudicate(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Adjudication:
        places: dict[str, int] = {}
        for index, (_, order) in enumerate(orders):
            _ = places.setdefault(ordered_province(order), index)
        units = sorted(position.units, key=lambda unit: places.get(province_code(unit.location), len(orders)))
        return adjudicate_by(equations, Position(units, board=position.board), orders, ruleset)

    return by_phase("movement", adjudicate)


MUTANTS = (
    Mutant(
        "own-unit-dislodged",
        "lets a unit dislodge a unit of its own power",
        by_equations(_OwnUnitIsDislodged),
    ),
    Mutant(
        "own-unit-dislodged-with-help",
        "lets a unit dislodge one of its own power where the supports of other powers are strong enough for it",
        by_equations(_OwnUnitIsDislodgedWithHelp),
    ),
    Mutant(
        "own-mover-dislodged",
        "lets a unit dislodge one of its own power that tried to move and failed",
        by_equations(_OwnMoverIsDislodged),
    ),
    Mutant(
        "own-attack-does-not-prevent",
        "lets an attack on a unit of the same power keep out nobody else",
        by_equations(_OwnAttackDoesNotPrevent),
    ),
    Mutant(
        "swap-by-land",
        "lets two units change places without a convoy: it knows no head-to-head battle",
        by_equations(_SwapsByLand),
    ),
    Mutant(
        "swap-by-convoy-refused",
        "takes two units that change places for a head-to-head battle also where one comes by convoy",
        by_equations(_ConvoyMeetsHeadToHead),
    ),
    Mutant(
        "second-wins-head-to-head",
        "counts no support in a head-to-head battle for the one ordered first, so that an equal one dislodges it",
        _in_order(_SecondWinsHeadToHead),
    ),
    Mutant(
        "head-to-head-supports-forgotten",
        "counts no support for the unit that an attack meets head to head",
        by_equations(_DefendsAlone),
    ),
    Mutant(
        "loser-prevents",
        "lets a unit that is dislodged in a head-to-head battle still keep others out of its attacker's province",
        by_equations(_LoserPrevents),
    ),
    Mutant(
        "dislodged-unit-does-not-prevent",
        "lets a unit that is dislodged keep nobody out, wherever its dislodger came from",
        by_equations(_DislodgedPreventsNothing),
    ),
    Mutant(
        "failed-mover-does-not-hold",
        "gives a unit that tried to move and failed no strength to hold its province",
        by_equations(_FailedMoverDoesNotHold),
    ),
    Mutant(
        "nobody-follows",
        "lets no unit go where another one just leaves",
        by_equations(_NobodyFollows),
    ),
    Mutant(
        "circle-refused",
        "refuses circular movement",
        by_equations(_NoCircles),
    ),
    Mutant(
        "guess-taken-for-certain",
        "takes an order for certain that rests on the guess of another, as the first algorithm of DATC 5.F does",
        _in_order(_GuessIsKept),
    ),
    Mutant(
        "equal-attack-dislodges",
        "lets an attack succeed that is only as strong as the unit that holds",
        by_equations(_EqualAttackDislodges),
    ),
    Mutant(
        "first-wins-standoff",
        "lets one of several equal units into a vacant province: the one ordered first",
        _in_order(_FirstWinsStandoff),
    ),
    Mutant(
        "first-dislodges-garrison",
        "lets one of several equal attackers dislodge a beleaguered garrison: the one ordered first",
        _in_order(_FirstDislodgesGarrison),
    ),
    Mutant(
        "tied-rivals-cancel-out",
        "lets a weaker unit into a province that two stronger ones, equal to each other, stand each other off from",
        by_equations(_TiedRivalsCancelOut),
    ),
    Mutant(
        "support-does-not-prevent",
        "counts no support for a move where it keeps others out of the province",
        by_equations(_SupportDoesNotPrevent),
    ),
    Mutant(
        "standoff-ignores-strength",
        "stands off all units that move to one province, also where one has more support than the others",
        by_equations(_StandoffIgnoresStrength),
    ),
    Mutant(
        "coasts-apart",
        "lets two units into one province where they land on different coasts",
        by_equations(_CoastsAreApart),
    ),
)
