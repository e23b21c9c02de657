"""The outcome of each order of a movement phase and its reasons; orders that depend on each other in a circle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import final

from ...reference_engine import (
    ISSUES,
    Convoy,
    Hold,
    Move,
    OrderedUnit,
    SupportHold,
    SupportMove,
    Unit,
    UnplayedChoiceError,
)
from ...reference_engine.explanation import Barrier, Cycle, MovementExplanation, explain_movement
from ...reference_engine.legality import CONVOY, HOLD, MOVE, SUPPORT
from ..wording import listed
from .illegal import why_illegal
from .words import order_words, owned, place, retreat_words, unit_words


@dataclass(frozen=True)
class OrderExplanation:
    """An order, or a unit without one, with its outcome and the reasons."""

    power: str
    order: str
    """As it was written; the unit where it has no order."""
    outcome: str
    """`succeeds` or `fails`; `holds` for a unit without an order."""
    reason: str | None = None
    strengths: Mapping[str, int] = field(default_factory=dict[str, int])
    """`attack`, `prevent`, `defend` of a move; `hold` of a unit that stays."""
    sentences: Sequence[str] = ()


def explain_orders(explained: MovementExplanation, texts: Sequence[str]) -> Sequence[OrderExplanation]:
    """Explain each order, in the order in which they were written, then the units that have none."""
    writer = _Sentences(explained)
    orders = [writer.order(index, text) for index, text in enumerate(texts)]
    return [*orders, *writer.units_without_order()]


@final
class _Sentences:
    """Writes sentences about orders; about each unit once."""

    def __init__(self, explained: MovementExplanation) -> None:
        self._explained = explained
        self._equations = explained.equations
        self._choices = explained.ruleset.choices
        self._units: Sequence[Unit] = explained.position.units
        self._dislodged = {entry.unit: entry for entry in explained.adjudication.dislodged}
        self._done: set[int] = set()

    def order(self, index: int, text: str) -> OrderExplanation:
        """Explain one order."""
        power, order = self._explained.orders[index]
        result = self._explained.adjudication.orders[index]
        given = self._explained.given[index]
        unit = given[0] if given is not None else -1
        sentences: list[str] = []
        strengths: Mapping[str, int] = {}
        if result.reason == "illegal":
            sentences.append(why_illegal(self._explained.position, power, order, self._explained.ruleset))
            ordered = getattr(order, "unit", None)
            unit = self._explained.position.index.get(ordered, -1) if ordered is not None else -1
        elif result.reason == "ignored":
            sentences.append("another order to the same unit is followed, or none of several (4.D.3, 4.C)")
        if unit >= 0 and unit not in self._done and result.reason != "ignored":
            self._done.add(unit)
            strengths = self._strengths(unit)
            sentences += self._of_unit(unit)
        return OrderExplanation(power, text, result.outcome, result.reason, strengths, tuple(sentences))

    def units_without_order(self) -> Iterable[OrderExplanation]:
        """Explain the units without a legal order that no order has been about."""
        for unit, standing in enumerate(self._units):
            if unit not in self._done:
                is_dislodged = standing in self._dislodged
                yield OrderExplanation(
                    standing.power,
                    f"{unit_words(standing)}, without an order",
                    "fails" if is_dislodged else "holds",
                    "dislodged" if is_dislodged else None,
                    self._strengths(unit),
                    tuple(self._of_unit(unit)),
                )

    def _strengths(self, unit: int) -> Mapping[str, int]:
        equations = self._equations
        found: dict[str, int] = {}
        if equations.kind[unit] == MOVE and equations.target[unit] >= 0:
            found = {
                "attack": equations.attack_strength(unit, optimistic=True),
                "prevent": equations.prevent_strength(unit, optimistic=True),
                "defend": equations.defend_strength(unit, optimistic=True),
            }
        if equations.kind[unit] != MOVE or not equations.resolution[unit]:
            found["hold"] = equations.hold_strength(equations.home[unit], optimistic=True)
        return found

    def _of_unit(self, unit: int) -> Iterable[str]:
        kind = self._explained.meanings[unit].kind
        if self._equations.kind[unit] == MOVE and self._equations.target[unit] >= 0:
            yield from self._path(unit)
            yield from self._battle(unit)
        elif kind == MOVE:
            yield "cannot move there: it is impossible, or no chain of fleets is ordered to convoy it"
        elif kind == SUPPORT:
            yield from self._support(unit)
        elif kind == CONVOY:
            yield from self._convoy(unit)
        yield from self._supported(unit)
        if entry := self._dislodged.get(self._units[unit]):
            by = entry.attacked_from
            attacker = self._explained.position.occupant[self._explained.position.board.number[by]] if by else -1
            yield f"dislodged by {owned(self._units[attacker]) if attacker >= 0 else by}; {retreat_words(entry)}"

    def _path(self, unit: int) -> Iterable[str]:
        """How a unit moves, where it could be by land or by convoy."""
        equations = self._equations
        routes = equations.routes[unit]
        choice = f"4.A.3 = {self._choices['4.A.3']}"
        if routes is None:
            if fleets := self._fleets_ordered_for(unit):
                yield f"goes over land, though {listed(map(self._name, fleets))} would convoy it ({choice})"
            return
        by_land = self._explained.position.board.army_borders[equations.home[unit]] >> equations.target[unit] & 1
        how = f", not over land ({choice})" if by_land else ""
        if routes:
            yield from self._routes(routes, how)
        elif any(cycle.equations.routes[unit] for cycle in equations.cycles):
            yield f"stopped by {self._paradox_rule}"
        else:
            yield f"is to be convoyed{how}, but no chain of fleets is ordered to"

    def _fleets_ordered_for(self, unit: int) -> Sequence[int]:
        """Return the fleets that are ordered to convoy a unit to where it moves."""
        target = self._equations.target[unit]
        return [
            fleet
            for fleet, meaning in enumerate(self._explained.meanings)
            if (meaning.kind, meaning.target, meaning.other) == (CONVOY, target, unit)
        ]

    def _routes(self, routes: Iterable[Iterable[int]], how: str) -> Iterable[str]:
        """Name the routes of a convoy, up to the first that is a path."""
        for route in routes:
            fleets = listed(map(self._name, route)) if route else "a convoy that the rule for paradoxes upholds"
            lost = [self._name(fleet) for fleet in route if not self._equations.resolution[fleet]]
            if not lost:
                yield f"path: {fleets}{how}"
                return
            yield f"no path by {fleets}: {listed(lost)} does not convoy{how}"

    @property
    def _paradox_rule(self) -> str:
        return f"the rule for paradoxes (4.A.2 = {self._choices['4.A.2']})"

    def _battle(self, unit: int) -> Iterable[str]:
        """The strengths that a move has to overcome."""
        equations = self._equations
        if not equations.path(unit, optimistic=True):
            return
        defender = equations.occupant[equations.target[unit]]
        if equations.attack_strength(unit, optimistic=True) == 0 and defender >= 0:
            yield f"no attack: {self._name(defender)} is of the same power and stays"
            return
        if not equations.resolution[unit] and any(step.unit == unit and step.cycle >= 0 for step in equations.steps):
            yield f"fails by {self._paradox_rule}"
        for barrier in self._explained.barriers(unit):
            if barrier.strength or not barrier.overcome:
                yield self._barrier(barrier)

    def _barrier(self, barrier: Barrier) -> str:
        against = {
            "hold": f"the hold strength {barrier.strength} of {self._name(barrier.unit)}",
            "defend": f"the defend strength {barrier.strength} of {self._name(barrier.unit)}, head to head",
            "prevent": f"the prevent strength {barrier.strength} of {self._move_name(barrier.unit)}",
        }[barrier.kind]
        return f"strength {barrier.against} {'beats' if barrier.overcome else 'does not beat'} {against}"

    def _supported(self, unit: int) -> Iterable[str]:
        """The supports that match the unit's order."""
        equations = self._equations
        for account in self._explained.supports(unit):
            supporter = self._name(account.unit)
            if account.cut_by:
                yield f"the support of {supporter} is cut by {listed(map(self._move_name, account.cut_by))}"
            elif account.does_not_attack:
                victim = self._name(equations.occupant[equations.target[unit]])
                yield f"supported by {supporter}, which does not count against {victim}, its own power's"
            else:
                yield f"supported by {supporter}"

    def _support(self, unit: int) -> Iterable[str]:
        if self._explained.is_support_without_match(unit):
            yield f"void: {self._why_void(unit)}"
            return
        cut_by = self._explained.cutters(unit)
        if cut_by:
            yield f"cut by {listed(map(self._move_name, cut_by))}"
        for attacker in self._explained.harmless(unit):
            why = {
                "countryman": "a move of the same power cuts nothing",
                "no-path": "which has no path, cuts nothing",
                "from-where-directed": "coming from where the support is directed, cuts it only by dislodging (4.A.4)",
                "from-last-fleet": "coming from a last fleet under attack, cuts it only by dislodging (v3.2-4.A.4)",
                "spared": f"is spared by {self._paradox_rule}",
            }[attacker.why]
            yield f"{self._move_name(attacker.unit)}: {why}"

    def _why_void(self, unit: int) -> str:
        province, other = self._explained.meanings[unit].target, self._explained.meanings[unit].other
        equations, name = self._equations, self._name(other)
        kind, target = self._explained.meanings[other].kind, self._explained.meanings[other].target
        if province == equations.home[other]:
            if kind == MOVE:
                return f"{name} is ordered to move, and a move is not supported to hold"
            return f"{name} is in civil disorder (4.D.9)"
        if kind == MOVE and target == province:
            return f"the coast is not the one that {name} goes to (4.B.4 = {self._choices['4.B.4']})"
        if kind == MOVE and target >= 0:
            return f"{name} is ordered to {place(self._explained.position.board.provinces[target].code)}"
        return f"{name} is not ordered to move" if other in self._explained.followed else f"{name} has no legal order"

    def _convoy(self, unit: int) -> Iterable[str]:
        target, army = self._explained.meanings[unit].target, self._explained.meanings[unit].other
        if self._equations.kind[unit] == HOLD:
            if self._explained.meanings[army].kind == MOVE and self._explained.meanings[army].target == target:
                yield f"{self._name(army)} does not use it (X.1, 4.A.3, 4.A.6)"
            else:
                yield f"void: {self._name(army)} is not ordered there"
        elif self._equations.resolution[unit]:
            yield f"convoys {self._name(army)}"
        elif self._units[unit] not in self._dislodged:
            yield f"fails by {self._paradox_rule}"

    def _name(self, unit: int) -> str:
        return unit_words(self._units[unit]) if unit >= 0 else "nobody"

    def _move_name(self, unit: int) -> str:
        """Name a unit with where it goes."""
        board = self._explained.position.board
        target = self._equations.target[unit]
        return f"{self._name(unit)} - {place(board.provinces[target].code)}"


def as_written(explained: MovementExplanation, unit: int) -> str:
    """Write the order that a unit follows: `"A London - Belgium"`; without one it holds."""
    standing = explained.position.units[unit]
    for (_, order), given in zip(explained.orders, explained.given, strict=True):
        if given is not None and given[0] == unit and isinstance(order, (Hold, Move, SupportHold, SupportMove, Convoy)):
            return order_words(replace(order, unit=OrderedUnit(standing.location, standing.type)))
    return f"{unit_words(standing)} holds"


PARADOX = "4.A.2"
_SHOWS_ALL = "szykman"
"""The rule under which the equations meet every paradox: others settle some before that."""


@dataclass(frozen=True)
class Resolution:
    """One possible set of outcomes of the orders in a cycle."""

    outcomes: Mapping[str, bool]
    """Of each order in the cycle, whether it succeeds."""
    consistent: bool
    """Whether it satisfies the equations."""
    picked_by: Sequence[str]
    """The choices of 4.A.2 that pick it."""


@dataclass(frozen=True)
class CycleExplanation:
    """A cycle, and its resolutions."""

    orders: Sequence[str]
    paradox: bool
    """Whether convoys are in it; otherwise it is a circular movement."""
    resolutions: Sequence[Resolution]
    complete: bool
    """Whether all resolutions were tried: not of a very large cycle."""


def explain_cycles(explained: MovementExplanation) -> Sequence[CycleExplanation]:
    """Find the cycles of a position, and how each rule for paradoxes settles them, the other rules being in force."""
    plain = _under(explained, _SHOWS_ALL)
    if plain is None:
        return ()
    return [_explain_cycle(plain, cycle) for cycle in plain.equations.cycles]


def _explain_cycle(plain: MovementExplanation, cycle: Cycle) -> CycleExplanation:
    orders = {unit: as_written(plain, unit) for unit in sorted(cycle.units)}
    found = cycle.resolutions()
    ways: dict[tuple[bool, ...], list[str]] = {
        tuple(bool(trial.resolution[unit]) for unit in orders): [] for trial in found or ()
    }
    consistent = set(ways)
    if cycle.is_paradox:
        for choice in ISSUES[PARADOX].choices:
            judged = _under(plain, choice)
            if judged is not None:
                outcome = tuple(bool(judged.equations.resolution[unit]) for unit in orders)
                ways.setdefault(outcome, []).append(choice)
    resolutions = [
        Resolution(dict(zip(orders.values(), outcome, strict=True)), outcome in consistent, tuple(choices))
        for outcome, choices in ways.items()
    ]
    return CycleExplanation(tuple(orders.values()), cycle.is_paradox, resolutions, found is not None)


def _under(explained: MovementExplanation, choice: str) -> MovementExplanation | None:
    """Explain the position under another rule for paradoxes; `None` where it cannot be played with the others."""
    rules = explained.ruleset.with_choices({PARADOX: choice})
    try:
        return explain_movement(explained.position, explained.orders, rules)
    except UnplayedChoiceError:
        return None
