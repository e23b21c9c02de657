"""What is gathered from a pasted text, and the phases that are made of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ...reference_engine import (
    Build,
    Disband,
    Dislodged,
    GivenOrder,
    Phase,
    Position,
    PositionError,
    Remove,
    Unit,
    province_code,
)
from ...reference_engine.board import Board
from ...reference_engine.errors import printable
from ...reference_engine.orders import PHASES


class PastedOrder(NamedTuple):
    """An order, as it was read and as it was written."""

    given: GivenOrder
    text: str
    unit: Unit | None = None
    """The unit that it is for, in a later phase."""
    results: frozenset[str] = frozenset()
    """What the text says that came of it."""


class PastedPhase(NamedTuple):
    """The orders of a phase."""

    phase: Phase
    position: Position | None
    """`None` where it follows from the phase before."""
    centers: Mapping[str, tuple[str, ...]]
    orders: tuple[GivenOrder, ...]
    texts: tuple[str, ...]
    recorded: Mapping[Unit, frozenset[str]] = {}
    """What the text says came of units and their orders: `"succeeds"`, `"fails"`, `"cut"`, `"dislodged"`."""


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
    dislodged: list[Unit] = field(default_factory=list[Unit])
    """The units below a heading that says so: by the movements above it, or before the retreats."""
    named: dict[Phase, int] = field(default_factory=dict[Phase, int])
    """The phases that headings name, and where."""
    bare: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """The units that are named without an order, among the orders, and their lines."""
    listed: int = 0
    """The line of a heading such as `Units:`, below which all units of the position are."""


def put_together(found: Gathered) -> Pasted:
    """Make the phases. Raises `PositionError`."""
    phases: list[PastedPhase] = []
    _settle_disbands(found)
    if found.bare and "adjustment" in found.named and not (found.centers or found.listed or found.orders["movement"]):
        where = ", ".join(f"{unit} (line {line})" for line, unit in found.bare)
        builds = ", ".join(f"'Build {unit}'" for _, unit in found.bare)
        raise PositionError(f"{where}: are they built? Write {builds}, or a line 'Units' above if they stand there")
    movement, retreats, adjustments = (found.orders[phase] for phase in PHASES)
    has_orders = bool(movement or retreats or adjustments)
    only_counts = bool(found.centers) and not has_orders and not found.named
    if only_counts:
        found.notes.append("no order and no phase is given: read as the adjustments of a winter")
    is_retreat = bool(retreats) or ("retreat" in found.named and bool(movement or found.dislodged))
    is_adjustment = bool(adjustments) or only_counts or ("adjustment" in found.named and not (movement or retreats))
    if movement or not (is_retreat or is_adjustment):
        recorded = {each.unit: each.results for each in movement if each.unit is not None and each.results}
        recorded |= {unit: recorded.get(unit, frozenset()) | {"dislodged"} for unit in found.dislodged}
        first = phase_of("movement", Position(found.units.values(), board=found.board), {}, movement)
        phases.append(first._replace(recorded=recorded))
    if is_retreat:
        if not retreats:
            found.notes.append("no retreat is ordered: a unit that is dislodged disbands")
        phases.append(phase_of("retreat", None if phases else _retreat_position(found), {}, retreats))
    if is_adjustment and (found.centers or not phases):
        position = None if phases else _adjustment_position(found)
        centers = position.centers if position is not None else found.centers
        phases.append(phase_of("adjustment", position, centers, adjustments))
    elif adjustments:
        found.notes.append("the winter orders are skipped: it is not said which supply centers each power owns")
    usual = "winter" if phases[0].phase == "adjustment" else "spring"
    season, year = found.season or usual, found.year or found.board.first_year
    return Pasted(tuple(phases), season, year, tuple(found.notes), _sorted(found.centers))


def _settle_disbands(found: Gathered) -> None:
    """Make removals of units that disband, if no phase is named but builds or centers are. Raises `PositionError`."""
    movement, retreats, adjustments = (found.orders[phase] for phase in PHASES)
    removals = [
        each._replace(given=GivenOrder(each.given.power, Remove(each.given.order.unit)))
        for each in retreats
        if isinstance(each.given.order, Disband)
    ]
    if movement or found.named or not retreats or len(removals) < len(retreats):
        return
    if not (adjustments or found.centers):
        winter = f"Winter {found.board.first_year}"
        raise PositionError(f"is it a retreat or a removal? Write a line 'Retreats' or '{winter}' above the orders")
    retreats.clear()
    adjustments += removals


def phase_of(
    phase: Phase, position: Position | None, centers: Mapping[str, Iterable[str]], orders: Sequence[PastedOrder]
) -> PastedPhase:
    """Make a phase of its orders."""
    given, texts = tuple(each.given for each in orders), tuple(each.text for each in orders)
    return PastedPhase(phase, position, _sorted(centers), given, texts)


def _sorted(centers: Mapping[str, Iterable[str]]) -> Mapping[str, tuple[str, ...]]:
    return {power: tuple(sorted(owned)) for power, owned in centers.items()}


def _retreat_position(found: Gathered) -> Position:
    """Guess the retreats of dislodged units: every province next to them where no unit stands."""
    ordered = (each.unit for each in found.orders["retreat"] if each.unit is not None)
    dislodged = dict.fromkeys([*found.dislodged, *ordered])
    for unit in dislodged:  # On a list of all units it is, too.
        if found.units.get(province_code(unit.location)) == unit:
            del found.units[province_code(unit.location)]
    entries = [
        Dislodged(unit, None, tuple(to for to in near if province_code(to) not in found.units))
        for unit in dislodged
        if (near := found.board.destinations(unit))
    ]
    found.notes.append("only the retreats are given, not the moves before them: every vacant neighbor is taken as open")
    return Position(found.units.values(), phase="retreat", dislodged=entries, board=found.board)


def _adjustment_position(found: Gathered) -> Position:
    """Put the units on the board; guess the supply centers of a power where they are not given."""
    adjustments = found.orders["adjustment"]
    for each in adjustments:
        if isinstance(each.given.order, Remove) and each.unit is not None:
            if not found.listed:
                _ = found.units.setdefault(province_code(each.unit.location), each.unit)
            elif each.unit not in found.units.values():
                found.notes.append(f"{printable(each.text)!r}: no such unit is on the list (line {found.listed})")
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
