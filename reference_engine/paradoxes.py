"""Convoy disruption paradoxes: issue 4.A.2, with the rules X.6, X.7 and X.22 that it leaves open.

A rulebook's paradox rule says which supports a convoyed army does not cut, always (`SPARES`). What no such rule decides
is a cycle of orders that depend on themselves, and a backup rule settles it (`SETTLES`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from .equations import Equations
from .legality import CONVOY, MOVE, SUPPORT, Meaning
from .position import Position

Spared: TypeAlias = Mapping[int, frozenset[int]]
"""For each supporting unit, the convoyed armies that do not cut its support."""


def spared_supports(position: Position, meanings: Sequence[Meaning], equations: Equations) -> Spared:
    """The supports that the paradox rule of the ruleset spares."""
    spares = SPARES.get(equations.choices["4.A.2"])
    if spares is None:
        return {}
    spared: dict[int, set[int]] = {}
    for army, routes in enumerate(equations.routes):
        supporter = position.occupant[equations.target[army]] if routes else -1
        if supporter < 0 or equations.kind[supporter] != SUPPORT or not position.is_fleet[supporter]:
            continue
        into = equations.target[supporter]
        attacks = into != equations.home[meanings[supporter][2]]
        fleet = position.occupant[into]
        if spares(_Case(position, meanings, equations, army, fleet, attacks)):
            spared.setdefault(supporter, set()).add(army)
    return {supporter: frozenset(armies) for supporter, armies in spared.items()}


class _Case(NamedTuple):
    """An army convoyed against a fleet that supports an action into a province."""

    position: Position
    meanings: Sequence[Meaning]
    equations: Equations
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
        """Whether that unit is a convoying fleet: it is ordered to, an army tries, or a route is ordered (X.6)."""
        if self.fleet < 0 or self.meanings[self.fleet][0] != CONVOY:
            return False
        if self.equations.choices["X.6"] == "ordered":
            return True
        if self.equations.kind[self.fleet] != CONVOY:
            return False
        convoyed = self.meanings[self.fleet][2]
        if self.equations.choices["X.6"] == "matched":
            return True
        return any(self.fleet in route for route in self.equations.routes[convoyed] or ())


SPARES: Mapping[str, Callable[[_Case], bool]] = {
    "1971": lambda case: case.attacks and case.convoys_the_army(),
    "1982": lambda case: case.convoys_anyone(),
    "2000": lambda case: case.attacks and case.convoys_the_army() and case.is_necessary(),
}
"""Issue 4.A.2, the rulebooks: whether a convoyed army does not cut the support of the fleet that it attacks."""


def szykman(equations: Equations, cycle: Sequence[int]) -> None:
    """The convoying fleets of the paradox hold."""
    for fleet in _convoys(equations, cycle):
        equations.resolution[fleet] = False


def all_hold(equations: Equations, cycle: Sequence[int]) -> None:
    """All moves of the paradox fail, those of the convoyed armies too."""
    for army in _armies(equations, _convoys(equations, cycle)):
        equations.routes[army] = ()
        equations.resolution[army] = False
    for unit in cycle:
        if equations.kind[unit] == MOVE:
            equations.resolution[unit] = False


def dptg(equations: Equations, cycle: Sequence[int]) -> None:
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


def alexander(equations: Equations, cycle: Sequence[int]) -> None:
    """Suppose that a convoy fails: if it is then disrupted it does; if not it succeeds, whatever happens to its fleets.

    Rule IV.5.f. It does not say how convoys that depend on each other are judged: here each is supposed to fail alone.
    """
    verdicts: dict[int, bool] = {}
    for army in _armies(equations, _convoys(equations, cycle)):
        routes = equations.routes[army] or ()
        trial = equations.supposing()
        trial.routes[army] = ()
        trial.solve()
        verdicts[army] = any(all(trial.resolution[fleet] for fleet in route) for route in routes)
    for army, succeeds in verdicts.items():
        equations.routes[army] = ((),) if succeeds else ()


SETTLES: Mapping[str, Callable[[Equations, Sequence[int]], None]] = {
    "szykman": szykman,
    "all-hold": all_hold,
    "dptg": dptg,
    "alexander": alexander,
}
"""Issue 4.A.2, and X.22 behind a rulebook's: how a paradox is settled, given the orders of its cycle."""


def _convoys(equations: Equations, cycle: Sequence[int]) -> list[int]:
    return [unit for unit in cycle if equations.kind[unit] == CONVOY]


def _armies(equations: Equations, convoys: Iterable[int]) -> list[int]:
    """The armies that these fleets convoy."""
    fleets = set(convoys)
    return [
        army
        for army, routes in enumerate(equations.routes)
        if any(not fleets.isdisjoint(route) for route in routes or ())
    ]
