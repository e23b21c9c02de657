"""The reference engine without a whole part of the rules, as an engine is that does not have that part yet.

These are no mistakes, so they are not in `MUTANTS`: they show which cases need a part of the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import TypeVar

from ....reference_engine import (
    Adjudication,
    Board,
    Dislodged,
    GivenOrder,
    Hold,
    Order,
    OrderedUnit,
    Phase,
    Position,
    Procedure,
    Ruleset,
    Unit,
    Waive,
    province_code,
)
from ....reference_engine.equations import Equations
from ....reference_engine.orders import Build, Convoy, Move, Remove, Retreat, SupportHold, SupportMove
from ....reference_engine.procedures import EQUATIONS
from .moves import Rings
from .mutant import Mutant, Orders, by_equations, by_orders

UnitT = TypeVar("UnitT", Unit, OrderedUnit)
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


@cache
def _coastless(board: Board) -> Board:
    """Make a board whose provinces have no coasts: a fleet goes from each wherever it could from one of them."""
    provinces = tuple(province._replace(coasts=()) for province in board.provinces)
    codes = tuple(province.code for province in provinces)
    moves: list[dict[int, tuple[int, ...]]] = [{} for _ in provinces]
    for location, reached in enumerate(board.fleet_moves):
        moves[board.province_of[location]].update({to: (to,) for to in reached})
    return replace(
        board,
        provinces=provinces,
        locations=codes,
        number={code: number for number, code in enumerate(codes)},
        province_of=tuple(range(len(codes))),
        fleet_moves=tuple(moves),
        fleet_borders=tuple(sum(1 << to for to in reached) for reached in moves),
    )


def _in_province(unit: UnitT) -> UnitT:
    return unit._replace(location=province_code(unit.location))


def _without_coast(order: Order | None) -> Order | None:
    if order is None or isinstance(order, Waive):
        return order
    changed: dict[str, object] = {}
    for name in order.__match_args__:
        value = getattr(order, name)
        if isinstance(value, OrderedUnit):
            changed[name] = _in_province(value)
        elif name == "to":
            changed[name] = province_code(order.to) if isinstance(order, (Move, SupportMove, Retreat)) else value
    return replace(order, **changed)


def _without_coasts(procedure: Procedure) -> Procedure:
    """Adjudicate by a procedure in which fleets stand in provinces: only a fleet that stays still has its coast."""

    def adjudicate(phase: Phase, position: Position, orders: Orders, ruleset: Ruleset) -> Adjudication:
        stood = {_in_province(unit): unit for unit in (*position.units, *(each.unit for each in position.dislodged))}
        units, centers, board = map(_in_province, position.units), position.centers, _coastless(position.board)
        dislodged = [
            each._replace(
                unit=_in_province(each.unit), retreats=each.retreats and tuple(map(province_code, each.retreats))
            )
            for each in position.dislodged
        ]
        there = Position(units, phase=position.phase, dislodged=dislodged, centers=centers, board=board)
        result = procedure[phase](there, [GivenOrder(power, _without_coast(order)) for power, order in orders], ruleset)
        return result._replace(
            units=tuple(stood.get(unit, unit) for unit in result.units),
            dislodged=tuple(_with_coasts(position.board, stood[each.unit], each) for each in result.dislodged),
        )

    return {phase: partial(adjudicate, phase) for phase in procedure}


def _with_coasts(board: Board, unit: Unit, dislodged: Dislodged) -> Dislodged:
    """Let a fleet retreat to any coast of a province."""
    provinces = dislodged.retreats or ()
    if unit.type == "A":
        return dislodged
    places = [location for code in provinces for location in board.number if province_code(location) == code]
    return Dislodged(
        unit, dislodged.attacked_from, tuple(sorted(each for each in places if board.can_stand("F", each)))
    )


def orders_of(part: str) -> tuple[type[Order], ...]:
    """Return the kinds of orders that a part of the rules is; none where it is something else."""
    return _UNHEARD[part][1] if part in _UNHEARD else ()


def lacking(parts: Iterable[str], procedure: Procedure = EQUATIONS) -> Procedure:
    """Adjudicate by a procedure, without parts of the rules; those are left out of which it cannot be without."""
    for part in parts:
        if part in _UNHEARD:
            procedure = _without(procedure, part)
        elif part == "coasts-missing":
            procedure = _without_coasts(procedure)
    return procedure


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
    Mutant("coasts-missing", "keeps no coasts", lacking(["coasts-missing"])),
    Mutant("retreats-missing", "lets no unit retreat", lacking(["retreats-missing"])),
    Mutant("builds-missing", "builds nothing", lacking(["builds-missing"])),
    Mutant("removals-missing", "removes no unit that is ordered to go", lacking(["removals-missing"])),
)
MISSING: Mapping[str, Mutant] = {mutant.name: mutant for mutant in _ALL}
"""All of them by their names, in the order in which they are learned."""
