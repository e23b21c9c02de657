"""Puts together the phases of what was pasted: movements, the retreats after them, and adjustments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ...reference_engine import Build, Dislodged, GivenOrder, Phase, Position, Remove, Unit, province_code
from ...reference_engine.board import Board
from ...reference_engine.orders import PHASES


class PastedOrder(NamedTuple):
    """An order, as it was read and as it was written."""

    given: GivenOrder
    text: str
    unit: Unit | None = None
    """The unit that it is for, in a later phase."""


class PastedPhase(NamedTuple):
    """The orders of a phase."""

    phase: Phase
    position: Position | None
    """`None` where it follows from the phase before."""
    centers: Mapping[str, tuple[str, ...]]
    orders: tuple[GivenOrder, ...]
    texts: tuple[str, ...]


class Pasted(NamedTuple):
    """What was pasted."""

    phases: tuple[PastedPhase, ...]
    season: str
    year: int
    notes: tuple[str, ...]
    """What was guessed or skipped, in words."""
    centers: Mapping[str, tuple[str, ...]] = {}
    """The supply centers that each power owns, where the text says it."""


@dataclass
class Gathered:
    """Units, orders and supply centers as they are gathered."""

    board: Board
    units: dict[str, Unit] = field(default_factory=dict[str, Unit])
    """The unit in each province."""
    orders: Mapping[Phase, list[PastedOrder]] = field(default_factory=lambda: {phase: [] for phase in PHASES})
    centers: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    notes: list[str] = field(default_factory=list[str])
    season: str = ""
    year: int = 0
    is_adjustment: bool = False
    """Whether a heading names an adjustment phase."""


def put_together(found: Gathered) -> Pasted:
    """Make the phases. Raises `PositionError`."""
    phases: list[PastedPhase] = []
    movement, retreats, adjustments = (found.orders[phase] for phase in PHASES)
    is_adjustment = bool(adjustments) or (found.is_adjustment and not (movement or retreats))
    if movement or not (retreats or is_adjustment):
        phases.append(_phase("movement", Position(found.units.values(), board=found.board), {}, movement))
    if retreats:
        phases.append(_phase("retreat", None if phases else _retreat_position(found), {}, retreats))
    if is_adjustment and (found.centers or not phases):
        position = None if phases else _adjustment_position(found)
        centers = position.centers if position is not None else found.centers
        phases.append(_phase("adjustment", position, centers, adjustments))
    elif adjustments:
        found.notes.append("the winter orders are skipped: it is not said which supply centers each power owns")
    usual = "winter" if phases[0].phase == "adjustment" else "spring"
    season, year = found.season or usual, found.year or 1901
    return Pasted(tuple(phases), season, year, tuple(found.notes), _sorted(found.centers))


def _phase(
    phase: Phase, position: Position | None, centers: Mapping[str, Iterable[str]], orders: Sequence[PastedOrder]
) -> PastedPhase:
    given, texts = tuple(each.given for each in orders), tuple(each.text for each in orders)
    return PastedPhase(phase, position, _sorted(centers), given, texts)


def _sorted(centers: Mapping[str, Iterable[str]]) -> Mapping[str, tuple[str, ...]]:
    return {power: tuple(sorted(owned)) for power, owned in centers.items()}


def _retreat_position(found: Gathered) -> Position:
    """Guess the retreats of dislodged units: every province next to them where no unit stands."""
    entries = [
        Dislodged(unit, None, tuple(to for to in near if province_code(to) not in found.units))
        for unit in dict.fromkeys(each.unit for each in found.orders["retreat"] if each.unit is not None)
        if (near := found.board.destinations(unit))
    ]
    found.notes.append("only the retreats are given, not the moves before them: every vacant neighbor is taken as open")
    return Position(found.units.values(), phase="retreat", dislodged=entries, board=found.board)


def _adjustment_position(found: Gathered) -> Position:
    """Put the units on the board; guess the supply centers of a power where they are not given."""
    adjustments = found.orders["adjustment"]
    for each in adjustments:
        if isinstance(each.given.order, Remove) and each.unit is not None:
            _ = found.units.setdefault(province_code(each.unit.location), each.unit)
    centers = {power: list(owned) for power, owned in found.centers.items()}
    for power in dict.fromkeys(each.given.power for each in adjustments):
        if power not in centers:
            centers[power] = _guessed_centers(found, power, centers)
            names = ", ".join(centers[power]) or "no center"
            name = found.board.power_name(power)
            found.notes.append(f"{name} is taken to own {names}: its centers are not given")
    return Position(found.units.values(), phase="adjustment", centers=centers, board=found.board)


def _guessed_centers(found: Gathered, power: str, known: Mapping[str, list[str]]) -> list[str]:
    """Guess as many centers as the orders need: those of builds, then those where units stand, then home centers."""
    board = found.board
    orders = [each.given.order for each in found.orders["adjustment"] if each.given.power == power]
    units = [province for province, unit in found.units.items() if unit.power == power]
    needed = len(units) + sum(-1 if isinstance(order, Remove) else 1 for order in orders)
    built = [province_code(order.unit.location) for order in orders if isinstance(order, Build)]
    taken = {center for owned in known.values() for center in owned}
    candidates = dict.fromkeys([*built, *units, *board.powers[power].home_centers, *sorted(board.supply_centers)])
    free = [center for center in candidates if center in board.supply_centers and center not in taken]
    return free[: max(needed, 0)]
