# mypyc
"""Convoy disruption paradoxes: issue 4.A.2, with the rules X.6, X.7 and X.22 that it leaves open.

A rulebook's paradox rule says which supports a convoyed army does not cut, always. What no such rule decides is a cycle
of orders that depend on themselves, and a backup rule settles it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from .choices import ChoiceTables
from .installation import mypyc_attr
from .position import Position
from .resolved_order import CONVOY, MOVE, SUPPORT, OrderEffect
from .solver import MovementSolver

Spared: TypeAlias = Mapping[int, frozenset[int]]
"""For each supporting unit, the convoyed armies that do not cut its support."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Supposable(MovementSolver, ABC):
    """Matching orders in which something can be supposed while they are being solved."""

    @abstractmethod
    def supposing(self) -> Supposable:
        """A copy in which something can be supposed, and solved, without touching this one.

        What is certain stays; Szykman's rule settles what is open (4.A.2).
        """

    def armies_in(self, cycle: Sequence[int]) -> list[int]:
        """The armies that are convoyed by the fleets of a paradox."""
        fleets = set(_convoys(self, cycle))
        return [
            army
            for army, routes in enumerate(self.routes)
            if any(not fleets.isdisjoint(route) for route in routes or ())
        ]

    def decide_convoy(self, army: int, *, succeeds: bool) -> None:
        """Have the convoy of an army succeed or fail, whatever happens to its fleets."""
        self.routes[army] = ((),) if succeeds else ()

    def stop(self, army: int) -> None:
        """Have the move of a convoyed army fail, without effect."""
        self.routes[army] = ()
        self.resolution[army] = False


class _Case(NamedTuple):
    """An army convoyed against a fleet that supports an action into a province."""

    position: Position
    effects: Sequence[OrderEffect]
    equations: Supposable
    army: int
    fleet: int
    """The unit in the province supported into, or -1."""
    attacks: bool
    """Whether the support is for an attack, not for a hold."""

    def convoys_the_army(self) -> bool:
        """Whether that unit is one of the army's convoying fleets."""
        return any(self.fleet in route for route in self.equations.routes[self.army] or ())

    def is_necessary(self) -> bool:
        """Whether the army cannot come without that fleet: it is on every route of which one would do (4.A.1)."""
        return all(self.fleet in route for route in self.equations.routes[self.army] or ())

    def convoys_anyone(self) -> bool:
        """Whether that unit is a convoying fleet (X.6)."""
        if self.fleet < 0 or self.effects[self.fleet].kind != CONVOY:
            return False
        return IS_CONVOYING[self.equations.choices["X.6"]](self)

    def has_match(self) -> bool:
        """Whether that fleet is ordered to convoy an army that tries."""
        return self.equations.kind[self.fleet] == CONVOY

    def is_on_a_route(self) -> bool:
        """Whether a route is ordered, for the army that it is to convoy, with that fleet on it."""
        convoyed = self.position.occupant[self.effects[self.fleet].helped]
        return self.has_match() and any(self.fleet in route for route in self.equations.routes[convoyed] or ())


IS_CONVOYING: Final[Mapping[str, Callable[[_Case], bool]]] = {
    "ordered": lambda _case: True,
    "matched": lambda case: case.has_match(),
    "routed": lambda case: case.is_on_a_route(),
}
"""Rule X.6: whether a fleet that is ordered to convoy is a convoying fleet in the rule of 1982."""


def szykman(equations: Supposable, cycle: Sequence[int]) -> None:
    """The convoying fleets of the paradox hold."""
    for fleet in _convoys(equations, cycle):
        equations.resolution[fleet] = False


def all_hold(equations: Supposable, cycle: Sequence[int]) -> None:
    """All moves of the paradox fail, those of the convoyed armies too."""
    for army in equations.armies_in(cycle):
        equations.stop(army)
    for unit in cycle:
        if equations.kind[unit] == MOVE:
            equations.resolution[unit] = False


def dptg(equations: Supposable, cycle: Sequence[int]) -> None:
    """If the convoys of the paradox can all be disrupted, they are; otherwise all hold."""
    convoys = _convoys(equations, cycle)
    trial = equations.supposing()
    for fleet in convoys:
        trial.resolution[fleet] = False
    trial.solve()
    if all(trial.is_dislodged(fleet) for fleet in convoys):
        szykman(equations, cycle)
    else:
        all_hold(equations, cycle)


def alexander(equations: Supposable, cycle: Sequence[int]) -> None:
    """Suppose that a convoy fails: if it is then disrupted it does; if not it succeeds, whatever happens to its fleets.

    Rule IV.5.f. It does not say how convoys that depend on each other are judged: here each is supposed to fail alone.
    """
    verdicts: dict[int, bool] = {}
    for army in equations.armies_in(cycle):
        routes = equations.routes[army] or ()
        trial = equations.supposing()
        trial.decide_convoy(army, succeeds=False)
        trial.solve()
        verdicts[army] = any(all(trial.resolution[fleet] for fleet in route) for route in routes)
    for army, succeeds in verdicts.items():
        equations.decide_convoy(army, succeeds=succeeds)


Settle: TypeAlias = Callable[[Supposable, Sequence[int]], None]
"""Settles a paradox, given the orders of its cycle."""


@dataclass(frozen=True)
class ParadoxRule:
    """A choice of 4.A.2."""

    spares: Callable[[_Case], bool] | None
    """Whether a convoyed army does not cut the support of the fleet that it attacks; `None`: it cuts any."""
    settle: Settle | None
    """How a paradox is settled; `None`: as X.22 says."""


PARADOX_RULES: Final[Mapping[str, ParadoxRule]] = {
    "1971": ParadoxRule(spares=lambda case: case.attacks and case.convoys_the_army(), settle=None),
    "1982": ParadoxRule(spares=lambda case: case.convoys_anyone(), settle=None),
    "2000": ParadoxRule(
        spares=lambda case: case.attacks and case.convoys_the_army() and case.is_necessary(), settle=None
    ),
    "all-hold": ParadoxRule(spares=None, settle=all_hold),
    "szykman": ParadoxRule(spares=None, settle=szykman),
    "dptg": ParadoxRule(spares=None, settle=dptg),
    "alexander": ParadoxRule(spares=None, settle=alexander),
}
"""Issue 4.A.2: what a paradox rule does."""


BACKUP_RULES: Final[Mapping[str, Settle]] = {"szykman": szykman, "all-hold": all_hold}
"""Rule X.22: how a paradox is settled that the rule of a rulebook leaves without an answer."""

CHOICE_TABLES: ChoiceTables = {"4.A.2": PARADOX_RULES, "X.6": IS_CONVOYING, "X.22": BACKUP_RULES}


def spared_supports(position: Position, effects: Sequence[OrderEffect], equations: Supposable) -> Spared:
    """The supports that the paradox rule of the ruleset spares."""
    spares = PARADOX_RULES[equations.choices["4.A.2"]].spares
    if spares is None:
        return {}
    spared: dict[int, set[int]] = {}
    for army, routes in enumerate(equations.routes):
        supporter = position.occupant[equations.target[army]] if routes else -1
        if supporter < 0 or equations.kind[supporter] != SUPPORT or not position.is_fleet[supporter]:
            continue
        into = equations.target[supporter]
        attacks = into != effects[supporter].helped
        fleet = position.occupant[into]
        if spares(_Case(position, effects, equations, army, fleet, attacks)):
            spared.setdefault(supporter, set()).add(army)
    return {supporter: frozenset(armies) for supporter, armies in spared.items()}


def settle_paradox(equations: Supposable, cycle: Sequence[int]) -> None:
    """Settle a paradox by the rule of the ruleset, given the orders of its cycle."""
    settle = PARADOX_RULES[equations.choices["4.A.2"]].settle or BACKUP_RULES[equations.choices["X.22"]]
    settle(equations, cycle)


def _convoys(equations: Supposable, cycle: Sequence[int]) -> list[int]:
    return [unit for unit in cycle if equations.kind[unit] == CONVOY]
