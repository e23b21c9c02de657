"""How an army comes to its destination, or why it does not, and what the fleets that were to convoy it do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import final

from ...reference_engine import Ruleset, Unit
from ...reference_engine.choices import ADJACENT_CONVOYS, CONVOY_PATHS
from ...reference_engine.explanation import MovementExplanation
from ...reference_engine.meanings import CONVOY, HOLD, MOVE
from ...reference_engine.paradoxes import PARADOX_RULES
from ...reference_engine.routes import set_of
from ..wording import listed
from .words import place, unit_words


def settling_rule(ruleset: Ruleset) -> str:
    """Name the rule that settles a paradox: that of 4.A.2, or the backup rule where that one settles none."""
    choice = ruleset.choices["4.A.2"]
    if PARADOX_RULES[choice].settle is None:
        return f"the backup rule for paradoxes (4.A.2 = {choice} has no answer, X.22 = {ruleset.choices['X.22']})"
    return f"the rule for paradoxes (4.A.2 = {choice})"


@final
class ConvoySentences:
    """Writes sentences about the paths of moves, and about convoy orders."""

    def __init__(self, explained: MovementExplanation) -> None:
        self._explained = explained
        self._equations = explained.equations
        self._choices = explained.ruleset.choices
        self._units: Sequence[Unit] = explained.position.units
        self._dislodged = {entry.unit for entry in explained.adjudication.dislodged}

    def path(self, unit: int) -> Iterable[str]:
        """Say how a unit moves, where it could be by land or by convoy."""
        equations = self._equations
        routes = equations.routes[unit]
        if routes is None:
            yield from self._over_land(unit)
            return
        by_land = self._explained.position.board.army_borders[equations.home[unit]] >> equations.target[unit] & 1
        how = f", not over land (4.A.3 = {self._choices['4.A.3']})" if by_land else ""
        if routes:
            yield from self._routes(unit, routes, how)
        elif self._is_stopped(unit):
            yield f"stopped by {settling_rule(self._explained.ruleset)}"
        else:
            yield f"is to be convoyed{how}, but {self._why_no_route(unit)}"

    def convoy(self, unit: int) -> Iterable[str]:
        """Say what a convoy order does for its army."""
        meaning = self._explained.meanings[unit]
        army = self._equations.occupant[meaning.helped]
        name = self._name(army)
        goes = self._explained.meanings[army]
        if (goes.kind, goes.target) != (MOVE, meaning.target):
            yield f"void: {name} is not ordered there"
        elif self._equations.kind[unit] == HOLD:
            yield self._why_unused(army)
        elif self._equations.resolution[unit]:
            yield self._of_undisrupted(unit, army)
        elif self._units[unit] not in self._dislodged:
            yield f"its convoy is disrupted by {self._why_disrupted(unit)}"

    def _over_land(self, unit: int) -> Iterable[str]:
        choice = f"4.A.3 = {self._choices['4.A.3']}"
        fleets = self._fleets_ordered_for(unit)
        sailing = [fleet for fleet in fleets if self._equations.kind[fleet] == CONVOY]
        if sailing and ADJACENT_CONVOYS[self._choices["4.A.3"]].falls_back_to_land:
            lost = [fleet for fleet in sailing if not self._equations.resolution[fleet]]
            yield f"moves over land, since its convoy is disrupted: {listed(map(self._why_lost, lost))} ({choice})"
        elif fleets:
            yield f"moves over land, not by the convoy of {listed(map(self._name, fleets))} ({choice})"
        elif self._explained.meanings[unit].via_convoy:
            yield f"moves over land: no fleet is ordered to convoy it ({choice})"

    def _fleets_ordered_for(self, unit: int) -> Sequence[int]:
        """Return the fleets that are ordered to convoy a unit to where it moves."""
        ordered = (CONVOY, self._equations.target[unit], self._equations.home[unit])
        return [
            fleet
            for fleet, meaning in enumerate(self._explained.meanings)
            if (meaning.kind, meaning.target, meaning.helped) == ordered
        ]

    def _routes(self, unit: int, routes: Iterable[Sequence[int]], how: str) -> Iterable[str]:
        """Name the routes of a convoy, up to the first that is a path."""
        for route in routes:
            fleets = listed(map(self._name, route)) if route else "a convoy that the rule for paradoxes upholds"
            lost = [fleet for fleet in route if not self._equations.resolution[fleet]]
            if not lost:
                yield f"path: {fleets}{how}"
                return
            every = " (4.A.1 = any-route: it needs all of them)" if self._has_another_route(unit, route, lost) else ""
            yield f"no path by {fleets}: {listed(map(self._why_lost, lost))}{every}{how.replace(',', ';')}"

    def _has_another_route(self, unit: int, route: Iterable[int], lost: Sequence[int]) -> bool:
        """Whether those of the fleets that are not disrupted would be a route by themselves."""
        home = self._equations.home
        seas = set_of(home[fleet] for fleet in route if fleet not in lost)
        routes = self._explained.position.board.routes
        return routes.possible(home[unit], self._equations.target[unit], seas)

    def _why_lost(self, fleet: int) -> str:
        if self._units[fleet] in self._dislodged:
            return f"{self._name(fleet)} is dislodged"
        return f"{self._name(fleet)} is disrupted by {self._why_disrupted(fleet)}"

    def _why_disrupted(self, fleet: int) -> str:
        """Name what disrupts a convoying fleet that is not dislodged."""
        if self._explained.is_settled_by_rule(fleet):
            return settling_rule(self._explained.ruleset)
        rules = self._equations.rules
        issues = [("X.8", rules.beleaguered_disrupts), ("X.9", rules.outnumbered_disrupts)]
        named = listed(f"{issue} = {self._choices[issue]}" for issue, disrupts in issues if disrupts)
        return f"the attacks on it, which do not dislodge it ({named})"

    def _why_no_route(self, unit: int) -> str:
        fleets = self._fleets_ordered_for(unit)
        if not fleets:
            return "no fleet is ordered to convoy it"
        path, choice = self._explained.meanings[unit].path, self._choices["4.A.6"]
        if CONVOY_PATHS[choice].is_read and (path or choice == "required"):
            named = "no whole chain along the path that its order names" if path else "its order names no path"
            return f"{named} is ordered (4.A.6 = {choice})" if path else f"{named} (4.A.6 = {choice})"
        return f"{listed(map(self._name, fleets))} alone {'is' if len(fleets) == 1 else 'are'} no whole chain"

    def _is_stopped(self, unit: int) -> bool:
        """Whether a rule for paradoxes took away the routes of an army."""
        return any(cycle.equations.routes[unit] for cycle in self._equations.cycles)

    def _why_unused(self, army: int) -> str:
        if self._equations.routes[army] is None:
            return f"{self._name(army)} moves over land, not by convoy (4.A.3 = {self._choices['4.A.3']})"
        return f"fleets of its own power convoy {self._name(army)} (X.1 = {self._choices['X.1']})"

    def _of_undisrupted(self, unit: int, army: int) -> str:
        """Say what a fleet does for its army that can convoy it as far as it is concerned itself."""
        name, routes = self._name(army), self._equations.routes[army]
        if routes is None:
            return f"could convoy {name}, which moves over land (4.A.3 = {self._choices['4.A.3']})"
        if routes == ((),):
            return f"{settling_rule(self._explained.ruleset)} upholds the convoy of {name}"
        usable = [route for route in routes if all(self._equations.resolution[fleet] for fleet in route)]
        if any(unit in route for route in usable):
            return f"convoys {name}"
        if usable:
            return f"could convoy {name}, which has another path"
        if self._is_stopped(army):
            return f"{settling_rule(self._explained.ruleset)} stops {name}"
        if not any(unit in route for route in routes):
            where = place(self._explained.position.board.provinces[self._equations.target[unit]].code)
            return f"is in no chain of fleets by which {name} could reach {where}"
        lost = {fleet for route in routes for fleet in route if not self._equations.resolution[fleet]}
        return f"could convoy {name}, but {listed(map(self._why_lost, sorted(lost)))}"

    def _name(self, unit: int) -> str:
        return unit_words(self._units[unit])
