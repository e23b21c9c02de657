"""A mutant of the reference engine, and what mutants are made of.

`@mutant` makes one of the class or function below it, which gives it its name: `_SwapByLand` is `swap-by-land`. A class
overrides one equation. What a function does depends on what stands behind the sentence, such as `by_result`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import NamedTuple, TypeAlias, TypeVar, final

from ....adapters.builtin import Reference
from ....reference_engine import Adjudication, Board, Position, Procedure, Ruleset, province_code
from ....reference_engine.equations import Equations
from ....reference_engine.movement import adjudicate_movement
from ....reference_engine.orders import GivenOrder, Phase
from ....reference_engine.procedures import EQUATIONS, AdjudicatePhase
from ....reference_engine.resolved_order import OrderEffect
from ...play.positions import ordered_province

T = TypeVar("T", bound="Callable[..., object]")

Orders: TypeAlias = Sequence[GivenOrder]
ChangeOrders: TypeAlias = Callable[[Position, Orders], Orders]
"""Changes the orders before a phase is adjudicated."""


class Adjudicated(NamedTuple):
    """A phase, and what the reference engine made of it."""

    position: Position
    orders: Orders
    ruleset: Ruleset
    result: Adjudication


class InformedEquations(Equations):
    """The equations with what they are about, for mutants that look at the position or at what orders mean."""

    position: Position
    effects: Sequence[OrderEffect]

    def prepare(self, position: Position, effects: Sequence[OrderEffect]) -> None:
        self.position, self.effects = position, effects
        super().prepare(position, effects)
        self.adapt()

    def adapt(self) -> None:
        """Change what was made of the orders."""


@dataclass(frozen=True)
class Mutant:
    """A mistake that authors of engines make: wrong under every rule choice."""

    name: str
    sentence: str
    """What an engine with it does, for its author: `The engine …` is left out."""
    procedure: Procedure
    """The reference engine with this mutant."""


def by_phase(phase: Phase, adjudicate: AdjudicatePhase) -> Procedure:
    """Adjudicate one phase in another way."""
    return {**EQUATIONS, phase: adjudicate}


def by_equations(equations: type[Equations]) -> Procedure:
    """Adjudicate movement by other equations than those of the rules."""
    return by_phase("movement", partial(adjudicate_movement, equations=equations))


DEFINED = defaultdict[str, list[Mutant]](list)
"""The mutants of each module, by its name."""


def mutant(sentence: str, procedure: Callable[..., Procedure] = by_equations) -> Callable[[T], T]:
    """Define a mutant: what this decorates is made into its procedure, and gives it its name."""

    def add(decorated: T) -> T:
        name = re.sub("(?<=[a-z])(?=[A-Z])|_", "-", decorated.__name__.strip("_")).lower()
        DEFINED[decorated.__module__].append(Mutant(name, sentence, procedure(decorated)))
        return decorated

    return add


def in_order(equations: type[Equations]) -> Procedure:
    """Adjudicate movement with the units in the order in which they were ordered, for what depends on it."""

    def adjudicate(position: Position, orders: Orders, ruleset: Ruleset) -> Adjudication:
        places: dict[str, int] = {}
        for index, (_, order) in enumerate(orders):
            _ = places.setdefault(ordered_province(order), index)
        units = sorted(position.units, key=lambda unit: places.get(province_code(unit.location), len(orders)))
        if units != [*position.units]:
            position = Position(units, board=position.board)
        return adjudicate_movement(position, orders, ruleset, equations)

    return by_phase("movement", adjudicate)


def by_orders(phase: Phase, change: ChangeOrders, procedure: Procedure = EQUATIONS) -> Procedure:
    """Adjudicate a phase by the rules, or another procedure, with other orders than those that were given."""
    adjudicate = procedure[phase]
    return {
        **procedure,
        phase: lambda position, orders, ruleset: adjudicate(position, change(position, orders), ruleset),
    }


def by_result(phase: Phase, mutate: Callable[[Adjudicated], Adjudication]) -> Procedure:
    """Adjudicate a phase by the rules, and change what comes of it."""

    def adjudicate(position: Position, orders: Orders, ruleset: Ruleset) -> Adjudication:
        return mutate(Adjudicated(position, orders, ruleset, EQUATIONS[phase](position, orders, ruleset)))

    return by_phase(phase, adjudicate)


@final
class OnAnotherBoard:
    """Adjudicates a phase by the rules, on a board with other borders than that of the position."""

    def __init__(self, phase: Phase, make: Callable[[Board], Board]) -> None:
        """Take what makes the other board."""
        self._phase: Phase = phase
        self._make = make

    def __call__(self, position: Position, orders: Orders, ruleset: Ruleset) -> Adjudication:
        """Adjudicate a position. Raises as the rules do."""
        units, dislodged, centers, board = position.units, position.dislodged, position.centers, position.board
        there = Position(units, phase=position.phase, dislodged=dislodged, centers=centers, board=self._make(board))
        return EQUATIONS[self._phase](there, orders, ruleset)

    def is_as_by_rules(self, board: Board, provinces: frozenset[str]) -> bool:
        """Whether all is as by the rules in a position that names these provinces alone."""
        # What civil disorder removes depends on all borders.
        return self._phase != "adjustment" and _other_borders(board, self._make(board)).isdisjoint(provinces)


@lru_cache(maxsize=128)
def _other_borders(one: Board, other: Board) -> frozenset[str]:
    """Name the provinces that do not have the same borders on two boards."""
    provinces = [location.partition("/")[0] for location in one.locations]
    mine, theirs = ((board.army_borders, board.fleet_borders, board.fleet_moves) for board in (one, other))
    pairs = (zip(provinces, a, b, strict=False) for a, b in zip(mine, theirs, strict=True))
    return frozenset(province for each in pairs for province, a, b in each if a != b)


def by_board(make: Callable[[Board], Board]) -> Procedure:
    """Adjudicate by the rules, on another board than that of the position: one with other borders."""
    made = cache(make)
    return {phase: OnAnotherBoard(phase, made) for phase in EQUATIONS}


class MutantReference(Reference, frozen=True, kw_only=True):
    """Answers as a mutant."""

    mutant: Mutant

    def plays(self) -> Procedure:
        return self.mutant.procedure

    def called(self) -> str:
        return f"datc-check reference engine, mutant {self.mutant.name}"
