"""The reference engine without a whole part of the rules, as an engine is that does not have that part yet.

These are no mistakes, so they are not in `MUTANTS`: they show which cases need a part of the rules.
"""

from __future__ import annotations

from collections.abc import Mapping

from ....reference_engine import GivenOrder, Hold, Order, Phase, Position, Procedure, Waive
from ....reference_engine.equations import Equations
from ....reference_engine.orders import Build, Convoy, Move, Remove, Retreat, SupportHold, SupportMove
from .moves import Rings
from .mutant import Mutant, Orders, by_equations, by_orders

_STRONGER_THAN_ANY = 99


def _deaf_to(phase: Phase, *kinds: type[Order]) -> Procedure:
    """Adjudicate a phase as if orders of some kinds were not given: before movement, as if they were to hold."""

    def heard(order: Order | None) -> Order | None:
        if order is None or not isinstance(order, kinds):
            return order
        return Hold(order.unit) if phase == "movement" and not isinstance(order, Waive) else None

    def change(_position: Position, orders: Orders) -> Orders:
        return [GivenOrder(power, heard(order)) for power, order in orders]

    return by_orders(phase, change)


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
    Mutant("moves-missing", "moves no unit", _deaf_to("movement", Move)),
    Mutant("supports-missing", "knows no supports", _deaf_to("movement", SupportHold, SupportMove)),
    Mutant("cutting-missing", "cuts no support", by_equations(_NothingCuts)),
    Mutant("dislodgement-missing", "dislodges no unit", by_equations(_NobodyIsDislodged)),
    Mutant("circles-missing", "lets no units move round in a circle, supported or not", by_equations(_NoCircleTurns)),
    Mutant("convoys-missing", "knows no convoys", _deaf_to("movement", Convoy)),
    Mutant("retreats-missing", "lets no unit retreat", _deaf_to("retreat", Retreat)),
    Mutant("builds-missing", "builds nothing", _deaf_to("adjustment", Build)),
    Mutant("removals-missing", "removes no unit that is ordered to go", _deaf_to("adjustment", Remove)),
)
MISSING: Mapping[str, Mutant] = {mutant.name: mutant for mutant in _ALL}
"""All of them by their names."""
