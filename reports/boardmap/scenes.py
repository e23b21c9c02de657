"""Scenes: what is drawn on the map, as data, from positions with an adjudication and from the phases of a report.

Every string in a scene may come from an engine.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from ...reference_engine import (
    Adjudication,
    Convoy,
    Dislodged,
    GivenOrder,
    Move,
    Order,
    Phase,
    Position,
    Remove,
    Retreat,
    Unit,
    province_code,
    standard_board,
    write_order,
)
from ...reference_engine.notation import read_writing
from ...reference_engine.orders import PHASES, Proxy, Unclear

if TYPE_CHECKING:
    from ..report import BoardData, ExpectedData, OrderData, PhaseData, UnitData

Outcome: TypeAlias = Literal["succeeds", "fails"]
UnitMark: TypeAlias = Literal["", "dislodged", "gone", "missing", "unexpected"]
"""What is to be seen of a unit: that this phase dislodges it, or takes it off the board; that the board it is compared
with has it and this one lacks it, or the other way round."""

OutcomeSource: TypeAlias = Literal["expected", "answer", "none"]
"""Whose word on the orders of a report is drawn."""

_LABELS: Mapping[str, tuple[Outcome, str | None]] = {
    "succeeds": ("succeeds", None),
    "fails": ("fails", None),
    "cut": ("fails", "cut"),
    "void": ("fails", "void"),
    "illegal": ("fails", "illegal"),
}
"""What the words of a case say of an order."""


class DrawnUnit(NamedTuple):
    """A unit on the board."""

    power: str
    type: str
    location: str
    mark: UnitMark = ""


class DrawnDislodged(NamedTuple):
    """A dislodged unit, beside the unit that came in its place."""

    unit: DrawnUnit
    attacked_from: str | None = None
    """The province of its attacker, where it is known."""
    retreats: tuple[str, ...] = ()
    """Where it may retreat to."""


class DrawnOrder(NamedTuple):
    """An order and its outcome."""

    power: str
    order: Order | None
    """`None` for a text that is no order: it is written, not drawn."""
    text: str
    outcome: Outcome | None = None
    """`None` where it is not known or not to be shown."""
    reason: str | None = None
    """Why it fails, in the words of `Reason`, where that is known."""


@dataclass(frozen=True)
class Scene:
    """A board to draw: what stands on it, and the orders to it."""

    units: tuple[DrawnUnit, ...]
    dislodged: tuple[DrawnDislodged, ...] = ()
    orders: tuple[DrawnOrder, ...] = ()
    owners: Mapping[str, str] = field(default_factory=dict[str, str])
    """The power that owns each supply center."""


class PhaseScenes(NamedTuple):
    """The boards of a phase in a report."""

    before: Scene
    """What stood there, and the orders."""
    expected: Scene | None
    """The board expected after it; `None` where no such form exists."""
    answer: Scene | None
    """The board that the engine answered; `None` where it gave none."""


def scene_of_orders(
    position: Position,
    orders: Sequence[GivenOrder],
    adjudication: Adjudication | None = None,
    texts: Sequence[str] | None = None,
) -> Scene:
    """The board before a phase with its orders, and what an adjudication made of them."""
    results = adjudication.orders if adjudication else (None,) * len(orders)
    return Scene(
        _units(position.units, _marks_of(position, orders, adjudication)),
        tuple(map(_dislodged, position.dislodged)),
        tuple(
            DrawnOrder(
                power,
                order,
                texts[index] if texts else write_order(order, "names") if order else "",
                result.outcome if result else None,
                result.reason if result else None,
            )
            for index, ((power, order), result) in enumerate(zip(orders, results, strict=True))
        ),
        _owners(position.centers),
    )


def scene_after(position: Position, adjudication: Adjudication) -> Scene:
    """The board after a phase."""
    return Scene(
        _units(adjudication.units, {}),
        tuple(map(_dislodged, adjudication.dislodged)),
        owners=_owners(position.centers),
    )


def phase_scenes(phase: PhaseData, outcomes: OutcomeSource = "expected") -> PhaseScenes:
    """The boards of a phase in a report; the orders with what was expected of them, or with what the engine said."""
    expected, answer, owners = phase.expected, phase.answer, _owners(phase.centers)
    orders = [_report_order(order, phase, outcomes) for order in phase.orders]
    marks = _marks_before(phase, orders, outcomes)
    before = Scene(
        tuple(_drawn(unit, marks.get(unit, "")) for unit in phase.before.units),
        _dislodged_data(phase.before),
        tuple(orders),
        owners,
    )
    return PhaseScenes(
        before,
        expected
        and Scene(_marked(expected.units, phase.missing, "missing"), _dislodged_expected(expected), (), owners),
        answer and Scene(_marked(answer.units, phase.unexpected, "unexpected"), _dislodged_data(answer), (), owners),
    )


def _marks_before(
    phase: PhaseData, orders: Iterable[DrawnOrder], outcomes: OutcomeSource
) -> Mapping[UnitData, UnitMark]:
    """What a phase does to units, as expected or as answered: it dislodges them, or removes them without an order."""
    from ..report import UnitData

    after = {"expected": phase.expected, "answer": phase.answer, "none": None}[outcomes]
    if after is None:
        return {}
    if phase.phase == "movement":
        dislodged = (entry if isinstance(entry, UnitData) else entry.unit for entry in after.dislodged or ())
        return dict.fromkeys(dislodged, "dislodged")
    if phase.phase == "adjustment":
        ordered = {province_code(each.order.unit.location) for each in orders if isinstance(each.order, Remove)}
        gone = [unit for unit in phase.before.units if unit not in after.units]
        return {unit: "gone" for unit in gone if province_code(unit.location) not in ordered}
    return {}


def _units(units: Iterable[Unit], marks: Mapping[str, UnitMark]) -> tuple[DrawnUnit, ...]:
    return tuple(DrawnUnit(*unit, marks.get(province_code(unit.location), "")) for unit in units)


def _dislodged(entry: Dislodged) -> DrawnDislodged:
    return DrawnDislodged(DrawnUnit(*entry.unit, "dislodged"), entry.attacked_from, entry.retreats or ())


def _owners(centers: Mapping[str, Iterable[str]]) -> dict[str, str]:
    return {center: power for power, owned in centers.items() for center in owned}


def _marks_of(
    position: Position, orders: Iterable[GivenOrder], adjudication: Adjudication | None
) -> Mapping[str, UnitMark]:
    if adjudication is None or position.phase == "retreat":
        return {}
    marks: dict[str, UnitMark] = {province_code(entry.unit.location): "dislodged" for entry in adjudication.dislodged}
    if position.phase == "adjustment":
        ordered = {province_code(order.unit.location) for _, order in orders if isinstance(order, Remove)}
        left = set(adjudication.units)
        gone = {province_code(unit.location) for unit in position.units if unit not in left}
        marks |= dict.fromkeys(gone - ordered, "gone")
    return marks


def _drawn(unit: UnitData, mark: UnitMark = "") -> DrawnUnit:
    return DrawnUnit(unit.power, unit.type, unit.location, mark)


def _marked(units: Iterable[UnitData], differing: Container[UnitData], mark: UnitMark) -> tuple[DrawnUnit, ...]:
    return tuple(_drawn(unit, mark if unit in differing else "") for unit in units)


def _dislodged_data(board: BoardData) -> tuple[DrawnDislodged, ...]:
    return tuple(
        DrawnDislodged(_drawn(entry.unit), entry.attacked_from, tuple(entry.retreats or ()))
        for entry in board.dislodged or ()
    )


def _dislodged_expected(board: ExpectedData) -> tuple[DrawnDislodged, ...]:
    """The units expected to be dislodged, each with its expected retreats, which a report has as `LVP - EDI`."""
    retreats = [claim.partition(" - ") for claim in board.may_retreat]
    return tuple(
        DrawnDislodged(
            _drawn(unit), retreats=tuple(to for origin, _, to in retreats if origin == province_code(unit.location))
        )
        for unit in board.dislodged
    )


def _report_order(data: OrderData, phase: PhaseData, outcomes: OutcomeSource) -> DrawnOrder:
    order = _read_order(data.text, phase.phase)
    outcome, reason = _outcome_in_words(data, outcomes)
    if outcome is None and outcomes != "none" and order is not None:
        after = phase.expected if outcomes == "expected" else phase.answer
        outcome = _outcome_on_boards(order, phase.before, after.units) if after is not None else None
    return DrawnOrder(data.power, order, data.text, outcome, reason)


@lru_cache(maxsize=4096)
def _read_order(text: str, phase: str) -> Order | None:
    """Read an order of a report, which has its text alone; several boards of a page have the same one."""
    phases: dict[str, Phase] = {name: name for name in PHASES}
    writing = read_writing(text, phases.get(phase, "movement"))
    return None if isinstance(writing, (Proxy, Unclear)) else writing


def _outcome_in_words(data: OrderData, outcomes: OutcomeSource) -> tuple[Outcome | None, str | None]:
    if outcomes == "expected":
        return _LABELS.get(data.expected or "", (None, None))
    if outcomes == "answer" and data.outcome in ("succeeds", "fails"):
        return data.outcome, data.reason
    return None, None


def _outcome_on_boards(order: Order, before: BoardData, after: Iterable[UnitData]) -> Outcome | None:
    """The outcome of a move as the boards show it: whether its unit is there afterwards."""
    if not isinstance(order, (Move, Retreat)):
        return None
    origin, target = province_code(order.unit.location), province_code(order.to)
    units = before.units if isinstance(order, Move) else [entry.unit for entry in before.dislodged or ()]
    mover = next((unit for unit in units if province_code(unit.location) == origin), None)
    if mover is None:
        return "fails"
    occupied_before, occupied_after = _provinces_of(before.units, mover), _provinces_of(after, mover)
    if isinstance(order, Move) and target in occupied_before and {origin, target} <= occupied_after:
        return None  # A unit of its kind was there before, and one is where it was: they cannot be told apart.
    return "succeeds" if target in occupied_after else "fails"


def _provinces_of(units: Iterable[UnitData], like: UnitData) -> set[str]:
    """The provinces of the units that have the power and the type of another."""
    return {province_code(unit.location) for unit in units if (unit.power, unit.type) == (like.power, like.type)}


class Routes(NamedTuple):
    """The seas of a convoyed move."""

    way: tuple[str, ...]
    """The seas that the army goes over, in their order; empty for a move that is not convoyed."""
    broken: tuple[str, ...] = ()
    """Another route, on which a fleet was dislodged or did not convoy; empty without one."""
    is_chain: bool = True
    """Whether the fleets of `way` reach from the army to its target."""


NOT_CONVOYED = Routes(())


def find_routes(scene: Scene, given: DrawnOrder, order: Move) -> Routes:
    """Find the routes that the convoy orders of a scene make for a move.

    A fleet that was dislodged carries only a move that fails. Among the other routes the shortest is taken.
    """
    origin, target = province_code(order.unit.location), province_code(order.to)
    fleets = _convoying_fleets(scene, origin, target)
    on_board = {origin, target} <= standard_board().number.keys()
    if not fleets or not on_board or (order.unit.type or "A") == "F" or origin == target:
        return NOT_CONVOYED
    lost = _lost_fleets(scene, origin, target) if given.outcome != "fails" else frozenset[str]()
    route = _shortest_route(origin, target, [sea for sea in fleets if sea not in lost])
    carried = route or _shortest_route(origin, target, fleets)
    if _border(origin, target) and not (carried and _intends_convoy(given, order, carried, fleets)):
        return NOT_CONVOYED
    if not carried:
        return Routes(tuple(fleets), is_chain=False)
    broken = [sea for sea in fleets if sea in lost] if route else []
    return Routes(carried, _shortest_route(origin, target, [*broken, *carried], through=broken))


def _convoying_fleets(scene: Scene, origin: str, target: str) -> Mapping[str, str]:
    """The seas with a fleet that is ordered to convoy from one province to the other, and the power of each fleet."""
    board = standard_board()
    standing = {province_code(unit.location): unit.power for unit in scene.units if unit.type == "F"}
    seas = (province_code(order.unit.location) for _, order in _convoys(scene, origin, target))
    return {
        sea: standing[sea]
        for sea in seas
        if sea in standing and sea in board.number and board.seas >> board.number[sea] & 1
    }


def _convoys(scene: Scene, origin: str, target: str) -> Iterable[tuple[DrawnOrder, Convoy]]:
    for given in scene.orders:
        order = given.order
        if isinstance(order, Convoy) and (province_code(order.convoyed.location), province_code(order.to)) == (
            origin,
            target,
        ):
            yield given, order


def _lost_fleets(scene: Scene, origin: str, target: str) -> Collection[str]:
    """The seas whose fleet did not convoy: it was dislodged, or its order failed."""
    failed = {
        province_code(order.unit.location)
        for given, order in _convoys(scene, origin, target)
        if given.outcome == "fails"
    }
    return failed | {province_code(unit.location) for unit in scene.units if unit.mark == "dislodged"}


def _intends_convoy(given: DrawnOrder, order: Move, route: Iterable[str], fleets: Mapping[str, str]) -> bool:
    """Whether an army that could also walk goes by convoy: it says so, or a fleet of its own power takes part."""
    return bool(order.via_convoy or order.path or given.power in map(fleets.get, route))


def _shortest_route(
    origin: str, target: str, fleets: Iterable[str], through: Collection[str] | None = None
) -> tuple[str, ...]:
    """The shortest chain of fleets between two provinces, with one of `through` in it; empty without one."""
    queue: deque[tuple[str, ...]] = deque([()])
    left = list(fleets)
    while queue:
        chain = queue.popleft()
        here = chain[-1] if chain else origin
        if chain and _touch(here, target) and (through is None or not set(through).isdisjoint(chain)):
            return chain
        for sea in [sea for sea in left if _touch(here, sea)]:
            left.remove(sea)
            queue.append((*chain, sea))
    return ()


def _touch(one: str, other: str) -> bool:
    """Whether two provinces touch, over land or at sea."""
    board = standard_board()
    return board.distances[board.number[one]][board.number[other]] == 1


def _border(origin: str, target: str) -> bool:
    """Whether an army can walk from one province to the other."""
    board = standard_board()
    return bool(board.army_borders[board.number[origin]] >> board.number[target] & 1)
