"""Scenes: what is drawn on the map, as data, from positions with an adjudication and from the phases of a report.

`describe_scene` says the same in words, for readers who do not see the drawing. Every string in a scene may come from
an engine, and nothing is escaped here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from ...reference_engine import Adjudication, Board, Dislodged, OrderedUnit, Position, Unit, province_code
from ...reference_engine import orders as kinds
from ...reference_engine.maps import standard_board
from ...reference_engine.notation import read_writing, write_order
from ...reference_engine.orders import PHASES, Phase, Proxy, Unclear

if TYPE_CHECKING:
    from ..report import BoardData, DislodgedData, ExpectedData, OrderData, PhaseData, UnitData

Outcome: TypeAlias = Literal["succeeds", "fails"]
State: TypeAlias = Literal["", "no", "void"]
"""The class of an outcome: nothing bad, failed, or never one to follow."""
UnitMark: TypeAlias = Literal["", "dislodged", "gone", "missing", "unexpected"]
"""What is to be seen of a unit: that this phase dislodges it, or takes it off the board; that the board it is compared
with has it and this one lacks it, or the other way round."""

OutcomeSource: TypeAlias = Literal["expected", "answer", "none"]
"""Whose word on the orders of a report is drawn."""

NEVER_FOLLOWED: frozenset[str] = frozenset({"illegal", "void", "ignored"})
"""The reasons of orders that were not tried."""
LONGEST = 80
"""How many characters of a text that an engine sent are shown."""
_CLAUSES: Mapping[type[kinds.Order], str] = {
    kinds.Hold: "{unit} holds",
    kinds.Move: "{unit} moves to {to}",
    kinds.SupportHold: "{unit} supports {helped}",
    kinds.SupportMove: "{unit} supports {helped} to {to}",
    kinds.Convoy: "{unit} convoys {helped} to {to}",
    kinds.Retreat: "{unit} retreats to {to}",
    kinds.Disband: "{unit} disbands",
    kinds.Build: "builds {unit}",
    kinds.Remove: "removes {unit}",
    kinds.Waive: "waives a build",
}
_MARKS: dict[UnitMark, str] = {
    "dislodged": ", dislodged",
    "gone": ", taken off the board",
    "missing": ", missing from the answer",
    "unexpected": ", not expected",
}


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
    order: kinds.Order | None
    """`None` for a text that is no order: it is written, not drawn."""
    text: str
    outcome: Outcome | None = None
    """`None` where it is not known or not to be shown."""
    reason: str | None = None
    """Why it fails, in the words of `Reason`, where that is known."""

    @property
    def state(self) -> State:
        if self.outcome != "fails":
            return ""
        return "void" if self.reason in NEVER_FOLLOWED else "no"

    @property
    def unit(self) -> OrderedUnit | None:
        """The unit that it is for; `None` for a waived build and for a text that is no order."""
        return None if self.order is None or isinstance(self.order, kinds.Waive) else self.order.unit

    @property
    def province(self) -> str:
        """The province of its unit; empty without one."""
        return province_code(self.unit.location) if self.unit else ""

    @property
    def helped(self) -> OrderedUnit | None:
        """The unit that it supports or convoys."""
        if isinstance(self.order, (kinds.SupportHold, kinds.SupportMove)):
            return self.order.supported
        return self.order.convoyed if isinstance(self.order, kinds.Convoy) else None

    @property
    def target(self) -> str | None:
        """Where it leads, or where the unit that it helps does."""
        return (
            self.order.to
            if isinstance(self.order, (kinds.Move, kinds.SupportMove, kinds.Convoy, kinds.Retreat))
            else None
        )


@dataclass(frozen=True)
class Scene:
    """A board to draw: what stands on it, and the orders to it."""

    units: tuple[DrawnUnit, ...]
    dislodged: tuple[DrawnDislodged, ...] = ()
    orders: tuple[DrawnOrder, ...] = ()
    owners: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """The power that owns each supply center."""
    board: Board = field(default_factory=standard_board)

    @property
    def locations(self) -> set[str]:
        """Where something stands, and what retreats and orders name."""
        found = {unit.location for unit in self.units}
        for entry in self.dislodged:
            found |= {entry.unit.location, *entry.retreats}
        for given in self.orders:
            found |= {unit.location for unit in (given.unit, given.helped) if unit}
            if given.target is not None:
                found.add(given.target)
        return found


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
    orders: Sequence[kinds.GivenOrder],
    adjudication: Adjudication | None = None,
    texts: Sequence[str] | None = None,
) -> Scene:
    """The board before a phase with its orders, and what an adjudication made of them."""
    results = adjudication.orders if adjudication else (None,) * len(orders)
    texts = texts or [write_order(order, "names") if order else "" for _, order in orders]
    drawn = tuple(
        DrawnOrder(power, order, text, result.outcome if result else None, result.reason if result else None)
        for (power, order), text, result in zip(orders, texts, results, strict=True)
    )
    dislodged = [entry.unit for entry in adjudication.dislodged] if adjudication else []
    units = _marked_before(position.phase, position.units, adjudication, dislodged, drawn)
    return Scene(units, _dislodged(position.dislodged, "dislodged"), drawn, _owners(position.centers), position.board)


def scene_after(position: Position, adjudication: Adjudication) -> Scene:
    """The board after a phase."""
    dislodged = _dislodged(adjudication.dislodged, "dislodged")
    return Scene(_drawn(adjudication.units), dislodged, (), _owners(position.centers), position.board)


def phase_scenes(phase: PhaseData, outcomes: OutcomeSource = "expected") -> PhaseScenes:
    """The boards of a phase in a report; the orders with what was expected of them, or with what the engine said."""
    expected, answer, owners = phase.expected, phase.answer, _owners(phase.centers)
    after = {"expected": expected, "answer": answer, "none": None}[outcomes]
    orders = tuple(_report_order(order, phase, outcomes, after) for order in phase.orders)
    if outcomes == "expected":
        dislodged = expected.dislodged if expected else []
    else:
        dislodged = [entry.unit for entry in answer.dislodged or ()] if answer else []
    units = _marked_before(phase.phase, phase.before.units, after, dislodged, orders)
    missing: Mapping[DrawnUnit, UnitMark] = dict.fromkeys(_drawn(phase.missing), "missing")
    unexpected: Mapping[DrawnUnit, UnitMark] = dict.fromkeys(_drawn(phase.unexpected), "unexpected")
    board = phase.board
    return PhaseScenes(
        Scene(units, _dislodged(phase.before.dislodged), orders, owners, board),
        expected and Scene(_drawn(expected.units, missing), _expected_dislodged(expected), (), owners, board),
        answer and Scene(_drawn(answer.units, unexpected), _dislodged(answer.dislodged), (), owners, board),
    )


def _drawn(
    units: Iterable[Unit | UnitData], marks: Mapping[DrawnUnit, UnitMark] | None = None
) -> tuple[DrawnUnit, ...]:
    plain = [DrawnUnit(unit.power, unit.type, unit.location) for unit in units]
    return tuple(unit._replace(mark=marks.get(unit, "")) for unit in plain) if marks else tuple(plain)


def _marked_before(
    phase: str,
    before: Iterable[Unit | UnitData],
    after: Adjudication | BoardData | ExpectedData | None,
    dislodged: Iterable[Unit | UnitData],
    orders: Iterable[DrawnOrder],
) -> tuple[DrawnUnit, ...]:
    """Mark what a phase does to units: it dislodges them, or removes them without an order."""
    marks: Mapping[DrawnUnit, UnitMark] = {}
    if after is not None and phase == "movement":
        marks = dict.fromkeys(_drawn(dislodged), "dislodged")
    elif after is not None and phase == "adjustment":
        ordered = {each.province for each in orders if isinstance(each.order, kinds.Remove)}
        left = set(_drawn(after.units))
        gone = [unit for unit in _drawn(before) if unit not in left]
        marks = {unit: "gone" for unit in gone if province_code(unit.location) not in ordered}
    return _drawn(before, marks)


def _dislodged(entries: Iterable[Dislodged | DislodgedData] | None, mark: UnitMark = "") -> tuple[DrawnDislodged, ...]:
    return tuple(
        DrawnDislodged(unit._replace(mark=mark), entry.attacked_from, tuple(entry.retreats or ()))
        for entry in entries or ()
        for unit in _drawn([entry.unit])
    )


def _expected_dislodged(board: ExpectedData) -> tuple[DrawnDislodged, ...]:
    """The units expected to be dislodged, each with its expected retreats, which a report has as `LVP - EDI`."""
    claims = [claim.partition(" - ") for claim in board.may_retreat]
    return tuple(
        DrawnDislodged(unit, None, tuple(to for origin, _, to in claims if origin == province_code(unit.location)))
        for unit in _drawn(board.dislodged)
    )


def _owners(centers: Mapping[str, Iterable[str]]) -> dict[str, str]:
    return {center: power for power, owned in centers.items() for center in owned}


def _report_order(
    data: OrderData, phase: PhaseData, outcomes: OutcomeSource, after: BoardData | ExpectedData | None
) -> DrawnOrder:
    order = _read_order(data.text, phase.phase, phase.board)
    outcome, reason = None, None
    if outcomes == "expected":
        from ...cases.suite import ORDER_LABELS, SUCCESSES  # The page that plays positions has no cases.

        if data.expected in ORDER_LABELS:
            outcome = "succeeds" if data.expected in SUCCESSES else "fails"
            reason = data.expected if outcome == "fails" and data.expected != "fails" else None
    elif outcomes == "answer" and data.outcome in ("succeeds", "fails"):
        outcome, reason = data.outcome, data.reason
    if outcome is None and order is not None and after is not None:
        outcome = _outcome_on_boards(order, phase.before, after.units)
    return DrawnOrder(data.power, order, data.text, outcome, reason)


@lru_cache(maxsize=4096)
def _read_order(text: str, phase: str, board: Board) -> kinds.Order | None:
    """Read an order of a report, which has its text alone; several boards of a page have the same one."""
    phases: dict[str, Phase] = {name: name for name in PHASES}
    writing = read_writing(text, phases.get(phase, "movement"), board=board)
    return None if isinstance(writing, (Proxy, Unclear)) else writing


def _outcome_on_boards(order: kinds.Order, before: BoardData, after: Iterable[UnitData]) -> Outcome | None:
    """The outcome of a move as the boards show it: whether its unit is there afterwards."""
    if not isinstance(order, (kinds.Move, kinds.Retreat)):
        return None
    origin, target = province_code(order.unit.location), province_code(order.to)
    units = before.units if isinstance(order, kinds.Move) else [entry.unit for entry in before.dislodged or ()]
    mover = next((unit for unit in units if province_code(unit.location) == origin), None)
    if mover is None:
        return "fails"
    occupied_before, occupied_after = (
        {province_code(unit.location) for unit in units if (unit.power, unit.type) == (mover.power, mover.type)}
        for units in (before.units, after)
    )
    if isinstance(order, kinds.Move) and target in occupied_before and {origin, target} <= occupied_after:
        return None  # A unit of its kind was there before, and one is where it was: they cannot be told apart.
    return "succeeds" if target in occupied_after else "fails"


class Routes(NamedTuple):
    """The seas of a convoyed move."""

    way: tuple[str, ...]
    """The seas that the army goes over, in their order; empty for a move that is not convoyed."""
    broken: tuple[str, ...] = ()
    """Another route, on which a fleet was dislodged or did not convoy; empty without one."""
    is_chain: bool = True
    """Whether the fleets of `way` reach from the army to its target."""


NOT_CONVOYED = Routes(())


def find_routes(scene: Scene, given: DrawnOrder, order: kinds.Move) -> Routes:
    """Find the routes that the convoy orders of a scene make for a move.

    A fleet that was dislodged carries only a move that fails. Among the other routes the shortest is taken.
    """
    board, origin, target = scene.board, province_code(order.unit.location), province_code(order.to)
    convoys = [
        each
        for each in scene.orders
        if isinstance(each.order, kinds.Convoy)
        and (province_code(each.order.convoyed.location), province_code(each.order.to)) == (origin, target)
    ]
    standing = {province_code(unit.location): unit.power for unit in scene.units if unit.type == "F"}
    seas = [each.province for each in convoys if each.province in standing.keys() & board.number.keys()]
    fleets = {sea: standing[sea] for sea in seas if board.seas >> board.number[sea] & 1}
    on_board = {origin, target} <= board.number.keys()
    if not fleets or not on_board or order.unit.type == "F" or origin == target:
        return NOT_CONVOYED
    lost: set[str] = set()
    if given.outcome != "fails":
        lost = {each.province for each in convoys if each.outcome == "fails"}
        lost |= {province_code(unit.location) for unit in scene.units if unit.mark == "dislodged"}
    route = _shortest_route(board, origin, target, [sea for sea in fleets if sea not in lost])
    carried = route or _shortest_route(board, origin, target, fleets)
    if board.army_borders[board.number[origin]] >> board.number[target] & 1:
        # An army that could also walk goes by convoy if it says so, or if a fleet of its own power takes part.
        intends = order.via_convoy or order.path or given.power in map(fleets.get, carried)
        if not carried or not intends:
            return NOT_CONVOYED
    if not carried:
        return Routes(tuple(fleets), is_chain=False)
    broken = [sea for sea in fleets if sea in lost] if route else []
    return Routes(carried, _shortest_route(board, origin, target, [*broken, *carried], through=broken))


def _shortest_route(
    board: Board, origin: str, target: str, fleets: Iterable[str], through: Collection[str] | None = None
) -> tuple[str, ...]:
    """The shortest chain of fleets between two provinces, with one of `through` in it; empty without one."""

    def touch(one: str, other: str) -> bool:
        """Whether two provinces touch, over land or at sea."""
        return board.distances[board.number[one]][board.number[other]] == 1

    queue: deque[tuple[str, ...]] = deque([()])
    left = list(fleets)
    while queue:
        chain = queue.popleft()
        here = chain[-1] if chain else origin
        if chain and touch(here, target) and (through is None or not set(through).isdisjoint(chain)):
            return chain
        for sea in [sea for sea in left if touch(here, sea)]:
            left.remove(sea)
            queue.append((*chain, sea))
    return ()


def describe_scene(scene: Scene) -> str:
    """Say what is drawn: power by power, each order or each unit, and what could not be drawn."""
    board = scene.board
    powers = sorted({entry.power for entry in (*scene.units, *scene.orders)}, key=board.power_name)
    sentences: list[str] = []
    for power in powers:
        orders = [given for given in scene.orders if given.power == power]
        ordered = {given.province for given in orders if given.unit is not None}
        units = [unit for unit in scene.units if unit.power == power]
        said = [describe_order(given, scene) for given in orders]
        said += [
            describe_unit(unit, board) for unit in units if unit.mark or province_code(unit.location) not in ordered
        ]
        sentences.append(f"{_power(power, board)}: {'; '.join(said)}.")
    sentences += [_dislodged_sentence(entry, board) for entry in scene.dislodged]
    for power in sorted(set(scene.owners.values())):
        owned = sorted(center for center, owner in scene.owners.items() if owner == power)
        sentences.append(f"{_power(power, board)} owns {_places(owned, ', ', board)}.")
    unknown = sorted(each for each in {*scene.locations, *scene.owners} if board.province(each) is None)
    if unknown:
        sentences.append(f"Not on the map: {', '.join(map(_short, unknown))}.")
    return " ".join(sentences) or "An empty board."


def describe_order(given: DrawnOrder, scene: Scene) -> str:
    """Say what an order is and its outcome: `A London moves to Belgium (fails: bounced)`."""
    text = f"{_short(given.text)!r} is no clear order"
    if given.order is not None:
        unit, helped = (_unit(each, scene) if each else "" for each in (given.unit, given.helped))
        text = _CLAUSES[type(given.order)].format(unit=unit, helped=helped, to=_place(given.target or "", scene.board))
    if isinstance(given.order, kinds.Move):
        text += _convoyed(find_routes(scene, given, given.order), given.order, scene.board)
    if given.outcome == "fails":
        text += f" (fails: {_short(given.reason)})" if given.reason else " (fails)"
    return text


def describe_unit(unit: DrawnUnit, board: Board) -> str:
    """Name a unit and what is marked of it: `A London, dislodged`."""
    return f"{_short(unit.type)} {_place(unit.location, board)}{_MARKS.get(unit.mark, '')}"


def _convoyed(routes: Routes, move: kinds.Move, board: Board) -> str:
    if not routes.way:
        return " by convoy" if move.via_convoy else ""
    carrying, broken = (
        " and ".join(f"F {_place(sea, board)}" for sea in seas)
        for seas in (routes.way, [sea for sea in routes.broken if sea not in routes.way])
    )
    return f", convoyed by {carrying}, not by way of {broken}" if broken else f", convoyed by {carrying}"


def _unit(ordered: OrderedUnit, scene: Scene) -> str:
    """A unit as an order names it; the board supplies what the order leaves out."""
    code = province_code(ordered.location)
    there = (*scene.units, *(entry.unit for entry in scene.dislodged))
    unit_type = ordered.type or next((unit.type for unit in there if province_code(unit.location) == code), "unit")
    return f"{_short(unit_type)} {_place(ordered.location, scene.board)}"


def _dislodged_sentence(entry: DrawnDislodged, board: Board) -> str:
    unit, power = entry.unit, _power(entry.unit.power, board)
    attacker = f" by the unit from {_place(entry.attacked_from, board)}" if entry.attacked_from else ""
    may = f" and may retreat to {_places(entry.retreats, ' or ', board)}" if entry.retreats else ""
    mark = _MARKS.get(unit.mark, "") if unit.mark != "dislodged" else ""
    return f"{describe_unit(unit._replace(mark=''), board)} of {power} is dislodged{attacker}{may}{mark}."


def _place(location: str, board: Board) -> str:
    return _short(board.describe(location))


def _places(locations: Iterable[str], joined: str, board: Board) -> str:
    return joined.join([_place(location, board) for location in locations])


def _power(code: str, board: Board) -> str:
    return _short(board.power_name(code))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
