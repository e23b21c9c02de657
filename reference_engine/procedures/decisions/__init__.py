"""The decisions of DATC 2.4, chapter 5: made as soon as they can be, and by the smallest dependency list where not.

`types` has the decisions (5.B.1 to 5.B.8 and 5.B.10); circular movements and paradoxes (5.B.9) are here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from ...position import Position
from ...resolved_order import CONVOY, MOVE, SUPPORT, OrderEffect
from ...rulesets import Ruleset
from ...solver import MovementSolver
from .. import Procedure, procedure_by_solver
from .types import AttackStrength, Decision, DecisionTable, MoveDecision, SupportDecision

SUPPORTED_CHOICES: Mapping[str, tuple[str, ...]] = {
    "4.A.2": ("szykman", "all-hold", "2000"),  # 5.B.9
    "v3.2-4.A.4": ("starting-position",),  # new in DATC 3.2
    "X.4": ("per-comparison",),  # 5.B.1, 5.B.4
    "X.5": ("attack-vs-defend",),  # 5.B.1, 5.B.4, 5.B.7
    "X.7": ("paradox-rule-wins",),  # 5.B.9
    "X.8": ("safe",),  # 5.B.3, 5.B.8
    "X.9": ("fleet-dislodged",),  # 5.B.3, 5.B.8
    "X.10": ("none",),  # 5.B.2, 5.B.4, 5.B.6
    "X.11": ("never",),  # 5.B.2, 5.B.4
    "X.12": ("no-effect",),  # 5.B.6
}
"""The issues that chapter 5 settles, with the choices that it has. Any other is settled as the ruleset asks."""


class Decisions(MovementSolver):
    """The matching orders of a movement phase, resolved by decisions."""

    def __init__(self, position: Position, effects: list[OrderEffect], ruleset: Ruleset) -> None:
        super().__init__(position, effects, ruleset)
        self.table: DecisionTable

    def prepare(self, position: Position, effects: Sequence[OrderEffect]) -> None:
        """List the decisions, with those of 5.B.10 for the armies that fall back to the land (4.A.3)."""
        del position, effects
        self.table = DecisionTable(self, self.falls_back)

    def solve(self) -> None:
        undecided = make_decisions(self.table)
        while undecided:
            resolve_core(self.table, smallest_dependency_list(undecided))
            undecided = make_decisions(undecided)
        for unit, kind in enumerate(self.kind):
            if kind == MOVE:
                self.resolution[unit] = self.table.move[unit].minimum == 1
            elif kind == SUPPORT:
                self.resolution[unit] = self.table.support[unit].minimum == 1
            elif kind == CONVOY:
                self.resolution[unit] = self.table.dislodge[unit].maximum == 0
        for unit, convoy_path in self.table.convoy_path.items():
            if convoy_path.maximum == 0:
                self.routes[unit] = None

    def has_path(self, unit: int) -> bool:
        return self.table.path[unit].minimum == 1 and unit not in self.table.stopped

    def prevents(self, unit: int) -> bool:
        return self.table.prevent[unit].minimum > 0


def make_decisions(undecided: Iterable[Decision]) -> list[Decision]:
    """Make the decisions that can be made, each again and again, and give back those that cannot."""
    while True:
        changed = False
        left: list[Decision] = []
        for decision in undecided:
            if not decision.is_made:
                changed |= decision.update()
            if not decision.is_made:
                left.append(decision)
        if not changed:
            return left
        undecided = left


def smallest_dependency_list(undecided: Iterable[Decision]) -> list[Decision]:
    """The first step: of the lists of all that each decision depends on, however indirectly, the smallest."""
    directly = {decision: [other for other in decision.depends_on() if not other.is_made] for decision in undecided}
    return min((_dependency_list(decision, directly) for decision in directly), key=len)


def _dependency_list(decision: Decision, directly: Mapping[Decision, Sequence[Decision]]) -> list[Decision]:
    found = dict.fromkeys(directly[decision])
    queue = list(found)
    for other in queue:
        new = [further for further in directly[other] if further not in found]
        found |= dict.fromkeys(new)
        queue += new
    return queue


def resolve_core(table: DecisionTable, core: Sequence[Decision]) -> None:
    """The second and third step: whether the list is a circular movement or a paradox, and how it is resolved."""
    if is_convoy_disruption_paradox(table.orders, core):
        PARADOX_RULES[table.orders.choices["4.A.2"]](table, core)
    elif is_circular_movement(table.orders, core):
        for move in _moves(core):
            move.settle(1)
    if not any(decision.is_made for decision in core):
        fallback(core)


def is_convoy_disruption_paradox(orders: MovementSolver, core: Iterable[Decision]) -> bool:
    """Whether the list has a move, not yet decided, against a fleet that is ordered to convoy."""
    occupants = [orders.occupant[orders.target[move.unit]] for move in _moves(core)]
    return any(unit >= 0 and orders.kind[unit] == CONVOY for unit in occupants)


def is_circular_movement(orders: MovementSolver, core: Iterable[Decision]) -> bool:
    """Whether the moves of the list are one single circle."""
    to = {orders.home[move.unit]: orders.target[move.unit] for move in _moves(core)}
    start = next(iter(to), -1)
    area = to.get(start, -1)
    for _ in range(len(to) - 1):
        if area == start:
            return False
        area = to.get(area, -1)
    return area == start >= 0


def szykman(table: DecisionTable, core: Sequence[Decision]) -> None:
    """Szykman's rule: the moves of the convoyed armies fail, and have no effect where they go."""
    for unit in _convoyed(core):
        _stop(table, unit)


def all_hold(table: DecisionTable, core: Sequence[Decision]) -> None:
    """The "All Hold" rule: all moves fail. A convoyed army's may not be listed, but its attack strength is."""
    for move in _moves(core):
        move.settle(0)
    szykman(table, core)


def rulebook_2000(table: DecisionTable, core: Sequence[Decision]) -> None:
    """The rule of 2000: the support of an attack on a convoying fleet is not cut by the army that it convoys."""
    supports = [
        decision
        for decision in core
        if isinstance(decision, SupportDecision) and _is_attack_on_convoy_to_itself(table.orders, decision.unit)
    ]
    for support in supports:
        support.settle(1)
    if not supports:
        PARADOX_RULES[table.orders.choices["X.22"]](table, core)


def fallback(core: Iterable[Decision]) -> None:
    """The rule for paradoxes that the standard rules do not know: moves fail, and supports are cut."""
    for decision in core:
        if isinstance(decision, (MoveDecision, SupportDecision)):
            decision.settle(0)


PARADOX_RULES: Mapping[str, Callable[[DecisionTable, Sequence[Decision]], None]] = {
    "szykman": szykman,
    "all-hold": all_hold,
    "2000": rulebook_2000,
}
"""Issue 4.A.2, and X.22 behind the rulebook's: the paradox rules that this section has."""


def _moves(core: Iterable[Decision]) -> list[Decision]:
    return [decision for decision in core if isinstance(decision, MoveDecision)]


def _convoyed(core: Iterable[Decision]) -> list[int]:
    """The armies of the list that are convoyed, and of which it is not known whether they have a path."""
    return [
        decision.unit
        for decision in core
        if isinstance(decision, AttackStrength) and not decision.table.path[decision.unit].is_made
    ]


def _stop(table: DecisionTable, unit: int) -> None:
    table.attack[unit].settle(0)
    table.prevent[unit].settle(0)
    table.move[unit].settle(0)
    table.stopped.add(unit)


def _is_attack_on_convoy_to_itself(orders: MovementSolver, supporter: int) -> bool:
    fleet = orders.occupant[orders.target[supporter]]
    if fleet < 0 or supporter in orders.supporters[fleet]:
        return False
    armies = orders.attackers[orders.home[supporter]]
    return any(fleet in route for army in armies for route in orders.routes[army] or ())


PROCEDURE: Procedure = procedure_by_solver(Decisions, SUPPORTED_CHOICES)
"""The chapter is about movement alone."""
