"""The types of decisions: the eight of DATC 2.4, sections 5.B.1 to 5.B.8, and the two of section 5.B.10.

Each decision has a minimum and a maximum, which can only come closer; it is made once they are equal. One with two
outcomes is a number, too: 1 for "moves", "given", "dislodged" and "path", 0 for "fails", "cut", "sustains", "no path".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import TypeVar

from ...choices import LOSER_NEVER_PREVENTS
from ...resolved_order import MOVE, SUPPORT
from ...solver import MovementSolver

INFINITY = 1_000_000

_D = TypeVar("_D")


class Decision(ABC):
    """A decision, at first undecided."""

    most: int = INFINITY
    """The maximum before anything is known."""

    def __init__(self, table: DecisionTable, unit: int) -> None:
        self.table: DecisionTable = table
        self.orders: MovementSolver = table.orders
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

    def bound(self, upper: bool) -> int:
        """The maximum if `upper`, else the minimum."""
        return self.maximum if upper else self.minimum

    def update(self) -> bool:
        """Decide as much as is known by now, and tell whether that is more than before."""
        minimum, maximum = self.find_bound(upper=False), self.find_bound(upper=True)
        if minimum == self.minimum and maximum == self.maximum:
            return False
        self.minimum, self.maximum = minimum, maximum
        return True

    @abstractmethod
    def find_bound(self, upper: bool) -> int:
        """The maximum if `upper`, else the minimum, as far as is known."""

    @abstractmethod
    def depends_on(self) -> Iterator[Decision]:
        """The decisions that this one is made from, whether they are made or not."""


class TwoValued(Decision, ABC):
    """A decision with two outcomes."""

    most: int = 1


class MoveDecision(TwoValued):
    """5.B.1: whether a unit moves."""

    def find_bound(self, upper: bool) -> int:
        attack = self.table.attack[self.unit].bound(upper)
        beats_defender = (any if upper else all)(attack > defence.bound(not upper) for defence in self._defences())
        return int(beats_defender and all(attack > rival.bound(not upper) for rival in self._rivals()))

    def depends_on(self) -> Iterator[Decision]:
        yield self.table.attack[self.unit]
        if self.unit in self.table.battle:
            yield self.table.battle[self.unit]
        yield from self._defences()
        yield from self._rivals()

    def _defences(self) -> Iterator[Decision]:
        """What the defender has against it: as long as a head-to-head battle is undecided, one of both."""
        battle = self.table.battle.get(self.unit)
        if battle is not None and battle.maximum == 1:
            yield self.table.defend[battle.opponent]
        if battle is None or battle.minimum == 0:
            yield self.table.hold[self.orders.target[self.unit]]

    def _rivals(self) -> Iterator[Decision]:
        for rival in self.orders.attackers[self.orders.target[self.unit]]:
            if rival != self.unit:
                yield self.table.prevent[rival]


class SupportDecision(TwoValued):
    """5.B.2: whether a support is given. With 4.A.4 `cut` a convoyed army cuts it wherever it comes from."""

    def find_bound(self, upper: bool) -> int:
        sustains = self.table.dislodge[self.unit].bound(not upper) == 0
        return int(sustains and not any(self._is_cut_by(attacker, not upper) for attacker in self._attackers()))

    def depends_on(self) -> Iterator[Decision]:
        yield self.table.dislodge[self.unit]
        for attacker in self._attackers():
            yield self.table.attack[attacker]
            if self._is_directed_at(attacker) and attacker in self.table.convoy_path:
                yield self.table.convoy_path[attacker]

    def _attackers(self) -> Iterator[int]:
        orders = self.orders
        for attacker in orders.attackers[orders.home[self.unit]]:
            cuts_on_itself = orders.convoy_cuts_support_on_itself and orders.routes[attacker] is not None
            if not self._is_directed_at(attacker) or cuts_on_itself:
                yield attacker

    def _is_cut_by(self, attacker: int, upper: bool) -> bool:
        """Whether an attack cuts it: possibly if `upper`, or surely. One on itself does not, if the army walks."""
        may_walk = self._is_directed_at(attacker) and attacker in self.table.convoy_path
        if may_walk and self.table.convoy_path[attacker].bound(upper) == 0:
            return False
        return self.table.attack[attacker].bound(upper) > 0

    def _is_directed_at(self, attacker: int) -> bool:
        return self.orders.home[attacker] == self.orders.target[self.unit]


class DislodgeDecision(TwoValued):
    """5.B.3: whether a unit is dislodged."""

    def find_bound(self, upper: bool) -> int:
        own = self.table.move.get(self.unit)
        stays = own is None or own.bound(not upper) == 0
        return int(stays and any(move.bound(upper) == 1 for move in self._moves()))

    def depends_on(self) -> Iterator[Decision]:
        if self.unit in self.table.move:
            yield self.table.move[self.unit]
        yield from self._moves()

    def _moves(self) -> Iterator[Decision]:
        for attacker in self.orders.attackers[self.orders.home[self.unit]]:
            yield self.table.move[attacker]


class AttackStrength(Decision):
    """5.B.4: the strength of a move against any unit that may be there, no countryman of it or of its supporters."""

    def find_bound(self, upper: bool) -> int:
        if self.table.path[self.unit].bound(upper) == 0:
            return 0
        if self._is_vacant(upper):
            return 1 + sum(support.bound(upper) for support in self.table.supports(self.unit))
        return 0 if self._is_against_own() else 1 + sum(support.bound(upper) for support in self._foreign_supports())

    def depends_on(self) -> Iterator[Decision]:
        yield self.table.path[self.unit]
        battle = self.table.battle.get(self.unit)
        if battle is not None:
            yield battle
        if self._defender in self.table.move and (battle is None or battle.minimum == 0):
            yield self.table.move[self._defender]
        yield from self.table.supports(self.unit) if self._is_vacant(upper=True) else self._foreign_supports()

    def _is_vacant(self, upper: bool) -> bool:
        """Whether nobody stays at the destination, nor meets the move in a battle: possibly if `upper`, or surely."""
        if self._defender < 0:
            return True
        move, battle = self.table.move.get(self._defender), self.table.battle.get(self.unit)
        return move is not None and move.bound(upper) == 1 and (battle is None or battle.bound(not upper) == 0)

    @property
    def _defender(self) -> int:
        return self.orders.occupant[self.orders.target[self.unit]]

    def _is_against_own(self) -> bool:
        return self.orders.power[self._defender] == self.orders.power[self.unit]

    def _foreign_supports(self) -> Iterator[Decision]:
        power = self.orders.power[self._defender]
        for support in self.table.supports(self.unit):
            if self.orders.power[support.unit] != power:
                yield support


class HoldStrength(Decision):
    """5.B.5: what a move must overcome in an area. Its `unit` is the one there, or -1."""

    def find_bound(self, upper: bool) -> int:
        if self.unit < 0:
            return 0
        move = self.table.move.get(self.unit)
        if move is not None:
            return 1 - move.bound(not upper)
        return 1 + sum(support.bound(upper) for support in self.table.supports(self.unit))

    def depends_on(self) -> Iterator[Decision]:
        if self.unit in self.table.move:
            yield self.table.move[self.unit]
        elif self.unit >= 0:
            yield from self.table.supports(self.unit)


class PreventStrength(Decision):
    """5.B.6: how a move keeps others out of its destination, unless it loses to who comes from there (4.A.7)."""

    def find_bound(self, upper: bool) -> int:
        if self.table.path[self.unit].bound(upper) == 0 or self._loses(not upper):
            return 0
        return 1 + sum(support.bound(upper) for support in self.table.supports(self.unit))

    def depends_on(self) -> Iterator[Decision]:
        yield self.table.path[self.unit]
        yield from self._losing()
        yield from self.table.supports(self.unit)

    def _loses(self, upper: bool) -> bool:
        """Whether it does: possibly if `upper`, or surely."""
        if self._dislodged_never_effects():
            opposing, fails = self._opposing(), self.table.move[self.unit]
            return opposing is not None and opposing.bound(upper) == 1 and fails.bound(not upper) == 0
        battle = self.table.battle.get(self.unit)
        return battle is not None and battle.bound(upper) == 1 == self.table.move[battle.opponent].bound(upper)

    def _losing(self) -> Iterator[Decision]:
        """The decisions that tell."""
        battle, opposing = self.table.battle.get(self.unit), self._opposing()
        if opposing is not None and self._dislodged_never_effects():
            yield opposing
            yield self.table.move[self.unit]
        elif battle is not None:
            yield battle
            yield self.table.move[battle.opponent]

    def _opposing(self) -> Decision | None:
        """The move of the unit at the destination, where it goes the opposite way."""
        opposite = self.table.opposite(self.unit)
        return self.table.move[opposite] if opposite >= 0 else None

    def _dislodged_never_effects(self) -> bool:
        return LOSER_NEVER_PREVENTS[self.orders.choices["4.A.7"]]


class DefendStrength(Decision):
    """5.B.7: what the opponent in a head-to-head battle must overcome."""

    def find_bound(self, upper: bool) -> int:
        return 1 + sum(support.bound(upper) for support in self.table.supports(self.unit))

    def depends_on(self) -> Iterator[Decision]:
        yield from self.table.supports(self.unit)


class PathDecision(TwoValued):
    """5.B.8: whether a unit can come to its destination: over land, or by fleets of which none is dislodged."""

    def find_bound(self, upper: bool) -> int:
        routes = self._routes()
        return int(routes is None or any(all(fleet.bound(not upper) == 0 for fleet in route) for route in routes))

    def depends_on(self) -> Iterator[Decision]:
        for route in self._routes() or ():
            yield from route

    def _routes(self) -> Sequence[Sequence[Decision]] | None:
        return None if self.unit in self.table.convoy_path else self._convoy_routes()

    def _convoy_routes(self) -> Sequence[Sequence[Decision]] | None:
        routes = self.orders.routes[self.unit]
        if routes is None:
            return None
        return [[self.table.dislodge[fleet] for fleet in route] for route in routes]


class ConvoyPathDecision(PathDecision):
    """5.B.10: whether an army that could also walk, and exchanges places with another unit, can come by its fleets."""

    def _routes(self) -> Sequence[Sequence[Decision]] | None:
        return self._convoy_routes()


class HeadToHeadBattle(TwoValued):
    """5.B.10: whether two units that move in opposite directions fight: unless one of them comes by convoy."""

    def find_bound(self, upper: bool) -> int:
        return int(all(path.bound(not upper) == 0 for path in self._convoy_paths()))

    def depends_on(self) -> Iterator[Decision]:
        yield from self._convoy_paths()

    @property
    def opponent(self) -> int:
        """The other unit."""
        return self.orders.occupant[self.orders.target[self.unit]]

    def _convoy_paths(self) -> Iterator[Decision]:
        for unit in (self.unit, self.opponent):
            if unit in self.table.convoy_path:
                yield self.table.convoy_path[unit]


class DecisionTable:
    """All decisions of a movement phase, by their units, and the hold strengths by their areas."""

    def __init__(self, orders: MovementSolver, walkers: Container[int] = ()) -> None:
        """Begin with nothing decided. `walkers` are convoyed armies that walk where their convoy fails (5.B.10)."""
        self.orders: MovementSolver = orders
        moving = [unit for unit, kind in enumerate(orders.kind) if kind == MOVE]
        supporting = [unit for unit, kind in enumerate(orders.kind) if kind == SUPPORT]
        self.convoy_path: dict[int, ConvoyPathDecision] = self._each(
            ConvoyPathDecision, (unit for unit in moving if unit in walkers)
        )
        self.path: dict[int, PathDecision] = self._each(PathDecision, moving)
        self.defend: dict[int, DefendStrength] = self._each(DefendStrength, moving)
        self.prevent: dict[int, PreventStrength] = self._each(PreventStrength, moving)
        self.attack: dict[int, AttackStrength] = self._each(AttackStrength, moving)
        self.hold: dict[int, HoldStrength] = {
            area: HoldStrength(self, orders.occupant[area]) for area in {orders.target[unit] for unit in moving}
        }
        self.move: dict[int, MoveDecision] = self._each(MoveDecision, moving)
        self.dislodge: dict[int, DislodgeDecision] = self._each(DislodgeDecision, range(len(orders.kind)))
        self.support: dict[int, SupportDecision] = self._each(SupportDecision, supporting)
        self.battle: dict[int, HeadToHeadBattle] = self._each(HeadToHeadBattle, filter(self._may_fight, moving))
        self.stopped: set[int] = set()
        """The convoyed armies whose moves a paradox rule stops."""

    def _each(self, decision: Callable[[DecisionTable, int], _D], units: Iterable[int]) -> dict[int, _D]:
        return {unit: decision(self, unit) for unit in units}

    def opposite(self, unit: int) -> int:
        """The unit at the destination of one that moves, where it moves the opposite way, or -1."""
        other = self.orders.occupant[self.orders.target[unit]]
        return other if other in self.move and self.orders.target[other] == self.orders.home[unit] else -1

    def _may_fight(self, unit: int) -> bool:
        if self.orders.opponent[unit] >= 0:
            return True
        return self.opposite(unit) >= 0 and (unit in self.convoy_path or self.opposite(unit) in self.convoy_path)

    def supports(self, unit: int) -> Iterator[SupportDecision]:
        """The decisions on the supports of a unit's move, or of its hold."""
        for supporter in self.orders.supporters[unit]:
            yield self.support[supporter]

    def __iter__(self) -> Iterator[Decision]:
        for decisions in (
            self.convoy_path,
            self.battle,
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
