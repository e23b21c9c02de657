"""The reference engine without a whole part of the rules, as an engine is that does not have that part yet.

These are no mistakes, so they are not in `MUTANTS`: they show which cases need a part of the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

from ....reference_engine import GivenOrder, Hold, Order, Phase, Position, Procedure, Waive
from ....reference_engine.equations import Equations
from ....reference_engine.orders import Build, Convoy, Move, Remove, Retreat, SupportHold, SupportMove
from ....reference_engine.procedures import EQUATIONS
from .moves import Rings
from .mutant import Mutant, Orders, by_equations, by_orders

_STRONGER_THAN_ANY = 99


_UNHEARD: Mapping[str, tuple[Phase, tuple[type[Order], ...]]] = {
    "moves-missing": ("movement", (Move,)),
    "supports-missing": ("movement", (SupportHold, SupportMove)),
    "convoys-missing": ("movement", (Convoy,)),
    "retreats-missing": ("retreat", (Retreat,)),
    "builds-missing": ("adjustment", (Build,)),
    "removals-missing": ("adjustment", (Remove,)),
}
"""The parts that are the orders of some kinds: as if these were not given, or in movement as if they were to hold."""


def _without(procedure: Procedure, part: str) -> Procedure:
    phase, kinds = _UNHEARD[part]

    def heard(order: Order | None) -> Order | None:
        if order is None or not isinstance(order, kinds):
            return order
        return Hold(order.unit) if phase == "movement" and not isinstance(order, Waive) else None

    def change(_position: Position, orders: Orders) -> Orders:
        return [GivenOrder(power, heard(order)) for power, order in orders]

    return by_orders(phase, change, procedure)


def orders_of(part: str) -> tuple[type[Order], ...]:
    """Return the kinds of orders that a part of the rules is; none where it is something else."""
    return _UNHEARD[part][1] if part in _UNHEARD else ()


def lacking(parts: Iterable[str], procedure: Procedure = EQUATIONS) -> Procedure:
    """Adjudicate by a procedure, without parts of the rules; those are left out of which it cannot be without."""
    return reduce(_without, filter(_UNHEARD.__contains__, parts), procedure)


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
    Mutant("moves-missing", "moves no unit", lacking(["moves-missing"])),
    Mutant("supports-missing", "counts no support", lacking(["supports-missing"])),
    Mutant("cutting-missing", "cuts no support", by_equations(_NothingCuts)),
    Mutant("dislodgement-missing", "dislodges no unit", by_equations(_NobodyIsDislodged)),
    Mutant("circles-missing", "lets no units move round in a circle, supported or not", by_equations(_NoCircleTurns)),
    Mutant("convoys-missing", "carries out no convoy", lacking(["convoys-missing"])),
    Mutant("retreats-missing", "lets no unit retreat", lacking(["retreats-missing"])),
    Mutant("builds-missing", "builds nothing", lacking(["builds-missing"])),
    Mutant("removals-missing", "removes no unit that is ordered to go", lacking(["removals-missing"])),
)
MISSING: Mapping[str, Mutant] = {mutant.name: mutant for mutant in _ALL}
"""All of them by their names, in the order in which they are learned."""
