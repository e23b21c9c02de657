"""The eight types of decisions: DATC 2.4, sections 5.B.1 to 5.B.8.

Each decision has a minimum and a maximum, which can only come closer; it is made once they are equal. One with two
outcomes is a number, too: 1 for "moves", "given", "dislodged" and "path", 0 for "fails", "cut", "sustains", "no path".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from ...legality import MOVE, SUPPORT
from ...matched import NOBODY, MatchedOrders

INFINITY = 1_000_000


class Decision(ABC):
    """A decision, at first undecided."""

    __slots__: tuple[str, ...] = ("maximum", "minimum", "orders", "table", "unit")

    most: int = INFINITY
    """The maximum before anything is known."""

    def __init__(self, table: DecisionTable, unit: int) -> None:
        self.table: DecisionTable = table
        self.orders: MatchedOrders = table.orders
        self.unit: int = unit
        self.minimum: int = 0
        self.maximum: int = self.most

    @property
    def is_made(self) -> bool:
        """Whether nothing is left to decide."""
        return self.minimum == self.maximum

    def settle(self, value: int) -> None:
        """Make the decision, whatever its definition says: a special rule does (5.B.9)."""
        self.minimum = self.maximum = value

    def update(self) -> bool:
        """Decide as much as is known by now, and tell whether that is more than before."""
        minimum, maximum = self.least(), self.greatest()
        if minimum == self.minimum and maximum == self.maximum:
            return False
        self.minimum, self.maximum = minimum, maximum
        return True

    @abstractmethod
    def least(self) -> int:
        """The minimum, as far as is known."""

    @abstractmethod
    def greatest(self) -> int:
        """The maximum, as far as is known."""

    @abstractmethod
    def depends_on(self) -> Iterator[Decision]:
        """The decisions that this one is made from, whether they are made or not."""


class TwoValued(Decision, ABC):
    """A decision with two outcomes."""

    __slots__: tuple[str, ...] = ()

    most: int = 1


class MoveDecision(TwoValued):
    """5.B.1: whether a unit moves."""

    __slots__: tuple[str, ...] = ()

    def least(self) -> int:
        attack = self.table.attack[self.unit].minimum
        return int(attack > self._against().maximum and all(attack > rival.maximum for rival in self._rivals()))

    def greatest(self) -> int:
        attack = self.table.attack[self.unit].maximum
        return int(attack > self._against().minimum and all(attack > rival.minimum for rival in self._rivals()))

    def depends_on(self) -> Iterator[Decision]:
        yield self.table.attack[self.unit]
        yield self._against()
        yield from self._rivals()

    def _against(self) -> Decision:
        opponent = self.orders.opponent[self.unit]
        return self.table.hold[self.orders.target[self.unit]] if opponent < 0 else self.table.defend[opponent]

    def _rivals(self) -> Iterator[Decision]:
        for rival in self.orders.attackers[self.orders.target[self.unit]]:
            if rival != self.unit:
                yield self.table.prevent[rival]


class SupportDecision(TwoValued):
    """5.B.2: whether a support is given. With 4.A.4 `cut` a convoyed army cuts it wherever it comes from."""

    __slots__: tuple[str, ...] = ()

    def least(self) -> int:
        sustains = self.table.dislodge[self.unit].maximum == 0
        return int(sustains and all(attack.maximum == 0 for attack in self._attacks()))

    def greatest(self) -> int:
        dislodged = self.table.dislodge[self.unit].minimum == 1
        return int(not dislodged and not any(attack.minimum >= 1 for attack in self._attacks()))

    def depends_on(self) -> Iterator[Decision]:
        yield self.table.dislodge[self.unit]
        yield from self._attacks()

    def _attacks(self) -> Iterator[Decision]:
        orders = self.orders
        for attacker in orders.attackers.get(orders.home[self.unit], NOBODY):
            cuts_on_itself = orders.convoy_cuts_support_on_itself and orders.routes[attacker] is not None
            if orders.home[attacker] != orders.target[self.unit] or cuts_on_itself:
                yield self.table.attack[attacker]


class DislodgeDecision(TwoValued):
    """5.B.3: whether a unit is dislodged."""

    __slots__: tuple[str, ...] = ()

    def least(self) -> int:
        own = self.table.move.get(self.unit)
        stays = own is None or own.maximum == 0
        return int(stays and any(move.minimum == 1 for move in self._moves()))

    def greatest(self) -> int:
        own = self.table.move.get(self.unit)
        leaves = own is not None and own.minimum == 1
        return int(not leaves and any(move.maximum == 1 for move in self._moves()))

    def depends_on(self) -> Iterator[Decision]:
        if self.unit in self.table.move:
            yield self.table.move[self.unit]
        yield from self._moves()

    def _moves(self) -> Iterator[Decision]:
        for attacker in self.orders.attackers.get(self.orders.home[self.unit], NOBODY):
            yield self.table.move[attacker]


class AttackStrength(Decision):
    """5.B.4: the strength of a move against whoever may be there, no countryman of it or of its supporters."""

    __slots__: tuple[str, ...] = ()

    def least(self) -> int:
        if self.table.path[self.unit].minimum == 0:
            return 0
        defender, leaves = self._defender()
        if defender < 0 or (leaves is not None and leaves.minimum == 1):
            return 1 + sum(support.minimum for support in self.table.supports(self.unit))
        if self._is_own(defender):
            return 0
        return 1 + sum(support.minimum for support in self._foreign_supports(defender))

    def greatest(self) -> int:
        if self.table.path[self.unit].maximum == 0:
            return 0
        defender, leaves = self._defender()
        if defender < 0 or (leaves is not None and leaves.maximum == 1):
            return 1 + sum(support.maximum for support in self.table.supports(self.unit))
        if self._is_own(defender):
            return 0
        return 1 + sum(support.maximum for support in self._foreign_supports(defender))

    def depends_on(self) -> Iterator[Decision]:
        yield self.table.path[self.unit]
        defender, leaves = self._defender()
        if leaves is not None:
            yield leaves
        stays = defender >= 0 and (leaves is None or leaves.maximum == 0)
        yield from self._foreign_supports(defender) if stays else self.table.supports(self.unit)

    def _defender(self) -> tuple[int, Decision | None]:
        """The unit at the destination, or -1, and its move, unless it has none or meets this one head to head."""
        defender = self.orders.occupant[self.orders.target[self.unit]]
        return defender, self.table.move.get(defender) if self.orders.opponent[self.unit] < 0 else None

    def _is_own(self, defender: int) -> bool:
        return self.orders.power[defender] == self.orders.power[self.unit]

    def _foreign_supports(self, defender: int) -> Iterator[Decision]:
        for support in self.table.supports(self.unit):
            if self.orders.power[support.unit] != self.orders.power[defender]:
                yield support


class HoldStrength(Decision):
    """5.B.5: what a move must overcome in an area. Its `unit` is the one there, or -1."""

    __slots__: tuple[str, ...] = ()

    def least(self) -> int:
        if self.unit < 0:
            return 0
        move = self.table.move.get(self.unit)
        if move is not None:
            return 1 - move.maximum
        return 1 + sum(support.minimum for support in self.table.supports(self.unit))

    def greatest(self) -> int:
        if self.unit < 0:
            return 0
        move = self.table.move.get(self.unit)
        if move is not None:
            return 1 - move.minimum
        return 1 + sum(support.maximum for support in self.table.supports(self.unit))

    def depends_on(self) -> Iterator[Decision]:
        if self.unit in self.table.move:
            yield self.table.move[self.unit]
        elif self.unit >= 0:
            yield from self.table.supports(self.unit)


class PreventStrength(Decision):
    """5.B.6: how a move keeps others out of its destination, unless it loses to who comes from there (4.A.7)."""

    __slots__: tuple[str, ...] = ()

    def least(self) -> int:
        if self.table.path[self.unit].minimum == 0 or self._may_lose():
            return 0
        return 1 + sum(support.minimum for support in self.table.supports(self.unit))

    def greatest(self) -> int:
        if self.table.path[self.unit].maximum == 0 or self._loses():
            return 0
        return 1 + sum(support.maximum for support in self.table.supports(self.unit))

    def depends_on(self) -> Iterator[Decision]:
        yield self.table.path[self.unit]
        opposing = self._opposing()
        if opposing is not None:
            yield opposing
            if self._dislodged_never_effects():
                yield self.table.move[self.unit]
        yield from self.table.supports(self.unit)

    def _may_lose(self) -> bool:
        opposing = self._opposing()
        if opposing is None or opposing.maximum == 0:
            return False
        return not self._dislodged_never_effects() or self.table.move[self.unit].minimum == 0

    def _loses(self) -> bool:
        opposing = self._opposing()
        if opposing is None or opposing.minimum == 0:
            return False
        return not self._dislodged_never_effects() or self.table.move[self.unit].maximum == 0

    def _opposing(self) -> Decision | None:
        """The move of the opponent in a head-to-head battle, or with 4.A.7 `never-effect` of any that goes opposite."""
        if not self._dislodged_never_effects():
            return self.table.move.get(self.orders.opponent[self.unit])
        other = self.orders.occupant[self.orders.target[self.unit]]
        goes_opposite = other in self.table.move and self.orders.target[other] == self.orders.home[self.unit]
        return self.table.move[other] if goes_opposite else None

    def _dislodged_never_effects(self) -> bool:
        return self.orders.choices["4.A.7"] == "never-effect"


class DefendStrength(Decision):
    """5.B.7: what the opponent in a head-to-head battle must overcome."""

    __slots__: tuple[str, ...] = ()

    def least(self) -> int:
        return 1 + sum(support.minimum for support in self.table.supports(self.unit))

    def greatest(self) -> int:
        return 1 + sum(support.maximum for support in self.table.supports(self.unit))

    def depends_on(self) -> Iterator[Decision]:
        yield from self.table.supports(self.unit)


class PathDecision(TwoValued):
    """5.B.8: whether a unit can come to its destination: over land, or by fleets of which none is dislodged."""

    __slots__: tuple[str, ...] = ()

    def least(self) -> int:
        routes = self._routes()
        return int(routes is None or any(all(fleet.maximum == 0 for fleet in route) for route in routes))

    def greatest(self) -> int:
        routes = self._routes()
        return int(routes is None or any(all(fleet.minimum == 0 for fleet in route) for route in routes))

    def depends_on(self) -> Iterator[Decision]:
        for route in self._routes() or ():
            yield from route

    def _routes(self) -> Sequence[Sequence[Decision]] | None:
        routes = self.orders.routes[self.unit]
        if routes is None:
            return None
        return [[self.table.dislodge[fleet] for fleet in route] for route in routes]


class DecisionTable:
    """All decisions of a movement phase, by their units, and the hold strengths by their areas."""

    __slots__: tuple[str, ...] = (
        "attack",
        "defend",
        "dislodge",
        "hold",
        "move",
        "orders",
        "path",
        "prevent",
        "stopped",
        "support",
    )

    def __init__(self, orders: MatchedOrders) -> None:
        self.orders: MatchedOrders = orders
        moving = [unit for unit, kind in enumerate(orders.kind) if kind == MOVE]
        supporting = [unit for unit, kind in enumerate(orders.kind) if kind == SUPPORT]
        self.path: dict[int, PathDecision] = {unit: PathDecision(self, unit) for unit in moving}
        self.defend: dict[int, DefendStrength] = {unit: DefendStrength(self, unit) for unit in moving}
        self.prevent: dict[int, PreventStrength] = {unit: PreventStrength(self, unit) for unit in moving}
        self.attack: dict[int, AttackStrength] = {unit: AttackStrength(self, unit) for unit in moving}
        self.hold: dict[int, HoldStrength] = {
            area: HoldStrength(self, orders.occupant[area]) for area in orders.attackers
        }
        self.move: dict[int, MoveDecision] = {unit: MoveDecision(self, unit) for unit in moving}
        self.dislodge: dict[int, DislodgeDecision] = {
            unit: DislodgeDecision(self, unit) for unit in range(len(orders.kind))
        }
        self.support: dict[int, SupportDecision] = {unit: SupportDecision(self, unit) for unit in supporting}
        self.stopped: set[int] = set()
        """The convoyed armies whose moves a paradox rule stops."""

    def supports(self, unit: int) -> Iterator[SupportDecision]:
        """The decisions on the supports of a unit's move, or of its hold."""
        for supporter in self.orders.supporters[unit]:
            yield self.support[supporter]

    def __iter__(self) -> Iterator[Decision]:
        for decisions in (
            self.path,
            self.support,
            self.attack,
            self.defend,
            self.prevent,
            self.hold,
            self.move,
            self.dislodge,
        ):
            yield from decisions.values()
