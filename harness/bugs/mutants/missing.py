"""The reference engine without a whole part of the rules, as an engine is that does not have that part yet.

These are no mistakes, so they are not in `MUTANTS`: they show which cases need a part of the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....reference_engine import (
    Adjudication,
    Build,
    Convoy,
    GivenOrder,
    Hold,
    Move,
    Phase,
    Position,
    Procedure,
    Remove,
    Retreat,
    Ruleset,
    SupportHold,
    SupportMove,
)
from ....reference_engine.equations import Equations
from ....reference_engine.procedures import EQUATIONS
from .moves import Rings
from .mutant import Mutant, by_equations, by_phase

_STRONGER_THAN_ANY = 99


def _holding_instead(*kinds: type[Move | SupportHold | SupportMove | Convoy]) -> Procedure:
    """Adjudicate movement with orders of some kinds taken for orders to hold."""

    def adjudicate(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Adjudication:
        obeyed = [GivenOrder(power, Hold(order.unit) if isinstance(order, kinds) else order) for power, order in orders]
        return EQUATIONS["movement"](position, obeyed, ruleset)

    return by_phase("movement", adjudicate)


def _deaf_to(phase: Phase, kind: type[Retreat | Build | Remove]) -> Procedure:
    """Adjudicate a phase as if orders of a kind had not been given."""

    def adjudicate(position: Position, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Adjudication:
        obeyed = [GivenOrder(power, None if isinstance(order, kind) else order) for power, order in orders]
        return EQUATIONS[phase](position, obeyed, ruleset)

    return by_phase(phase, adjudicate)


class _NothingCuts(Equations):
    def support(self, unit: int, optimistic: bool) -> bool:
        return True


class _NobodyIsDislodged(Equations):
    def hold_strength(self, province: int, optimistic: bool) -> int:
        return _STRONGER_THAN_ANY if super().hold_strength(province, optimistic) else 0

    def beats_opponent(self, unit: int, attack: int, optimistic: bool) -> bool:
        return False


class _NoCircleTurns(Rings):
    def move(self, unit: int, optimistic: bool) -> bool:
        return unit not in self.rings and super().move(unit, optimistic)


_ALL = (
    Mutant("moves-missing", "moves no unit", _holding_instead(Move)),
    Mutant("supports-missing", "knows no supports", _holding_instead(SupportHold, SupportMove)),
    Mutant("cutting-missing", "cuts no support", by_equations(_NothingCuts)),
    Mutant("dislodgement-missing", "dislodges no unit", by_equations(_NobodyIsDislodged)),
    Mutant("circles-missing", "lets no units move round in a circle, supported or not", by_equations(_NoCircleTurns)),
    Mutant("convoys-missing", "knows no convoys", _holding_instead(Convoy)),
    Mutant("retreats-missing", "lets no unit retreat", _deaf_to("retreat", Retreat)),
    Mutant("builds-missing", "builds nothing", _deaf_to("adjustment", Build)),
    Mutant("removals-missing", "removes no unit that is ordered to go", _deaf_to("adjustment", Remove)),
)
MISSING: Mapping[str, Mutant] = {mutant.name: mutant for mutant in _ALL}
"""All of them by their names."""
