"""What the page asks, and the same position written for other places: a forum, a case file, an engine.

A question is a text with a position and its orders, and the orders of the phases after it. The page that runs in a
browser has no msgspec, so the request is written without the messages of the protocol.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from ...reference_engine import Dislodged, GivenOrder, Order, OrderedUnit, Phase, Ruleset, Unit, province_code
from ...reference_engine.board import Board
from ..errors import HarnessError
from ..paste.later_phases import Pasted
from ..paste.reader import read_later_orders, read_pasted
from ..play.answer import Answer, PhaseInput
from ..play.positions import (
    ORDER_TYPES,
    center_table,
    order_table,
    order_text,
    ordered_unit,
    place_text,
    power_text,
    toml_string,
    unit_table,
    unit_text,
)

MOST_CHARACTERS = 100_000
"""A longer text is no position."""
MOST_ORDERS = 150
"""A phase has no more orders: the board has 75 provinces, so no more units, and a unit may have a second order."""
MOST_LATER = 2
"""The phases after a movement phase: retreats and adjustments. The movements after them are a new question."""

LaterPhase: TypeAlias = Literal["retreat", "adjustment"]
Centers: TypeAlias = Mapping[str, Sequence[str]]
"""The supply centers that each power owns."""


class QuestionError(HarnessError):
    """What the page sent is no question."""


class Later(NamedTuple):
    """The orders of a phase that follows from the one before it."""

    phase: LaterPhase
    text: str


class Question(NamedTuple):
    """What is to be adjudicated."""

    text: str
    """The position and its orders."""
    later: tuple[Later, ...]
    ruleset: str


def read_question(data: object) -> Question:
    """Check what came from a page or a link. Raises `QuestionError`."""
    if not isinstance(data, dict):
        raise QuestionError("a question is an object")
    fields = cast("dict[str, object]", data)
    text, ruleset, later = fields.get("text"), fields.get("ruleset"), fields.get("later", [])
    if not isinstance(text, str) or not isinstance(ruleset, str) or not isinstance(later, list):
        raise QuestionError("a question has a text, a ruleset and a list of later phases")
    phases = tuple(map(_read_later, cast("list[object]", later)))
    if len(phases) > MOST_LATER:
        raise QuestionError(f"at most {MOST_LATER} phases follow")
    if sum(map(len, (text, *(each.text for each in phases)))) > MOST_CHARACTERS:
        raise QuestionError(f"the text has more than {MOST_CHARACTERS} characters")
    return Question(text, phases, ruleset)


def _read_later(data: object) -> Later:
    fields = cast("dict[str, object]", data) if isinstance(data, dict) else {}
    phase, text = fields.get("phase"), fields.get("text")
    if phase not in ("retreat", "adjustment") or not isinstance(text, str):
        raise QuestionError("a later phase is a retreat or an adjustment phase, with a text")
    return Later(phase, text)


def read_first_phases(question: Question) -> tuple[Pasted, Sequence[PhaseInput]]:
    """Read the position, its orders, and the later phases that the same text has. Raises `HarnessError`."""
    pasted = read_pasted(question.text, "the text", needs_orders=False)
    for each in pasted.phases:
        _check_count(each.orders)
    return pasted, [
        PhaseInput(
            each.phase,
            each.orders,
            each.position.units if each.position else (),
            each.position.dislodged if each.position else (),
            each.texts,
            pasted.season if each.phase != "adjustment" else "winter",
            pasted.year,
            each.centers or (pasted.centers if each.phase == "movement" else {}),
            follows=each.position is None,
        )
        for each in pasted.phases
    ]


def _check_count(orders: Sequence[GivenOrder]) -> None:
    """Hold a phase to what is adjudicated and explained in a moment. Raises `QuestionError`."""
    if len(orders) > MOST_ORDERS:
        raise QuestionError(f"there are {len(orders)} orders: a phase has at most {MOST_ORDERS}")


def read_later_phase(later: Later, season: str, year: int, centers: Centers) -> tuple[PhaseInput, Sequence[str]]:
    """Read the orders of a later phase; return the phase and the notes. Raises `HarnessError`."""
    found = read_later_orders(later.text, later.phase, f"the text of the {later.phase} phase")
    _check_count(found.orders)
    phase = PhaseInput(
        later.phase,
        found.orders,
        texts=found.texts,
        season="winter" if later.phase == "adjustment" else season,
        year=year,
        centers=centers if later.phase == "adjustment" else {},
        follows=True,
    )
    return phase, [f"{later.phase} phase, {note}" for note in found.notes]


class Situation(NamedTuple):
    """A position before a phase, with its orders or without."""

    phase: Phase
    season: str
    year: int
    units: Sequence[Unit]
    centers: Centers
    orders: Sequence[GivenOrder] = ()


def home_centers(board: Board) -> Centers:
    """Return the supply centers that each power owns at the start of a game."""
    return {power.code: tuple(power.home_centers) for power in board.powers.values()}


def next_phase(asked: PhaseInput, answer: Answer, centers: Centers) -> Situation:
    """Return the phase after one that was played; `centers` are those that were owned before it."""
    if asked.phase == "movement" and answer.dislodged:
        return Situation("retreat", asked.season, asked.year, answer.units, centers)
    if asked.phase == "adjustment" or asked.season == "winter":
        return Situation("movement", "spring", asked.year + 1, answer.units, centers)
    if asked.season == "spring":
        return Situation("movement", "autumn", asked.year, answer.units, centers)
    owned = captured(asked.position().board, centers, answer.units)
    if all(sum(unit.power == power for unit in answer.units) == len(centers) for power, centers in owned.items()):
        return Situation("movement", "spring", asked.year + 1, answer.units, owned)
    return Situation("adjustment", "winter", asked.year, answer.units, owned)


def captured(board: Board, centers: Centers, units: Sequence[Unit]) -> Centers:
    """Give each supply center on which a unit stands to the power of the unit."""
    taken = {province_code(unit.location): unit.power for unit in units}
    owners = {center: power for power, owned in centers.items() for center in owned}
    owners |= {province: power for province, power in taken.items() if province in board.supply_centers}
    return {power: tuple(sorted(each for each, owner in owners.items() if owner == power)) for power in board.powers}


Data: TypeAlias = dict[str, Any]
"""An object of JSON."""
_FIELDS = ("unit", "supported", "convoyed", "to", "via_convoy", "path")
"""What an order of the protocol may have."""


def position_text(written: Situation) -> str:
    """Write a position so that reading the text gives the same: a heading, a block for each power, and the centers.

    An order places its unit. A unit without an order stands there alone; before adjustments all units do, since no
    order there places one. All do before the orders, too, where an order gives its unit another type or coast.
    """
    units, orders = written.units, written.orders
    units_first = any(_is_misnamed(each, units) for each in orders)
    alone = list(units) if units_first or written.phase != "movement" else _not_placed(units, orders)
    lines = [f"{written.season.capitalize()} {written.year}, {written.phase}"]
    for power in dict.fromkeys([*(each.power for each in units), *(each.power for each in orders)]):
        lines += ["", f"{power_text(power)}:", *(unit_text(unit) for unit in alone if unit.power == power)]
        if not units_first:
            lines += [_full_text(each, units) for each in orders if each.power == power]
    if units_first:
        lines += ["", *(f"{power_text(each.power)}: {_full_text(each, units)}" for each in orders)]
    if any(written.centers.values()):
        lines += ["", "Supply centers", *_center_lines(written.centers)]
    return "\n".join(lines) + "\n"


def _is_misnamed(given: GivenOrder, units: Sequence[Unit]) -> bool:
    """Whether an order gives the unit in its province another type or coast than it has, or leaves them out."""
    ordered = ordered_unit(given)
    unit = None if ordered is None else _unit_in(ordered.location, units)
    return ordered is not None and unit is not None and unit[1:] != (ordered.type, ordered.location)


def _not_placed(units: Sequence[Unit], orders: Sequence[GivenOrder]) -> Sequence[Unit]:
    """Return the units that no order of their power places, since none is to just this unit."""
    ordered = {(each.power, unit.type, unit.location) for each in orders if (unit := ordered_unit(each))}
    return [unit for unit in units if unit not in ordered]


def _unit_in(location: str, units: Sequence[Unit]) -> Unit | None:
    return next((unit for unit in units if province_code(unit.location) == province_code(location)), None)


def orders_text(orders: Sequence[GivenOrder]) -> str:
    """Write the orders of a later phase, one a line, each behind its power."""
    return "".join(f"{power_text(given.power)}: {order_text(given, 'names')}\n" for given in orders)


def forum_text(phases: Sequence[PhaseInput], orders: Sequence[Sequence[GivenOrder]]) -> str:
    """Write phases as a player posts them."""
    parts: list[str] = []
    for asked, given in zip(phases, orders, strict=True):
        if not asked.follows:
            where = (asked.season, asked.year, asked.units, asked.centers)
            parts.append(position_text(Situation(asked.phase, *where, given)))
            continue
        heading = [f"{asked.season.capitalize()} {asked.year}, {asked.phase}"]
        if asked.phase == "adjustment" and asked.centers:
            heading += ["Supply centers", *_center_lines(asked.centers), "Builds"]
        parts.append("\n".join([*heading, orders_text(given) or "No orders."]).rstrip() + "\n")
    return "\n".join(parts)


def case_text(phases: Sequence[PhaseInput], orders: Sequence[Sequence[GivenOrder]]) -> str:
    """Write phases as a case without expectations, which `datc-check explain` and a suite read."""
    lines = ["[[case]]", 'id     = "play.1"', 'title  = "A position"', "issues = []"]
    several = len(phases) > 1
    for asked, given in zip(phases, orders, strict=True):
        prefix = "case.phase" if several else "case"
        if several:
            lines += ["", "[[case.phase]]"]
        lines += [f"phase  = {toml_string(asked.phase)}", f"season = {toml_string(asked.season)}"]
        lines += [f"year   = {asked.year}", *_tables(prefix, asked, given)]
    return "\n".join(lines) + "\n"


def _tables(prefix: str, asked: PhaseInput, given: Sequence[GivenOrder]) -> Iterable[str]:
    if not asked.follows:
        yield from unit_table(prefix, asked.units)
    if asked.phase == "adjustment":
        yield from center_table(prefix, asked.centers)
    yield from order_table(prefix, given, "names")


def _center_lines(centers: Mapping[str, Sequence[str]]) -> Iterable[str]:
    for power, owned in centers.items():
        if owned:
            yield f"{power_text(power)}: {', '.join(map(place_text, sorted(owned)))}"


def _full_text(given: GivenOrder, units: Sequence[Unit]) -> str:
    """Write an order; one to a unit of another power says whose it is, so that it places none of its own."""
    ordered = ordered_unit(given)
    text = order_text(given, "names")
    unit = None if ordered is None or ordered.power is not None else _unit_in(ordered.location, units)
    return text if unit is None or unit.power == given.power else f"{power_text(unit.power)} {text}"


def request_data(asked: PhaseInput, orders: Sequence[GivenOrder], ruleset: Ruleset) -> Data:
    """Return the request that asks an engine to adjudicate a phase; `orders` are those of the phase."""
    params: Data = {
        "map": "standard",
        "phase": asked.phase,
        "season": asked.season,
        "year": asked.year,
        "ruleset": _ruleset_data(ruleset),
        "units": [unit._asdict() for unit in asked.units],
        "centers": {power: sorted(owned) for power, owned in asked.centers.items()},
        "dislodged": [dislodged_data(each) for each in asked.dislodged or ()] if asked.phase == "retreat" else [],
        "orders": [_given_data(*each) for each in zip(orders, asked.texts or (), strict=True)],
    }
    return {"jsonrpc": "2.0", "id": 1, "method": "adjudicate", "params": params}


def dislodged_data(entry: Dislodged) -> Data:
    """Return a dislodged unit, with what is known of its attacker and its retreats."""
    unit, attacked_from, retreats = entry
    return {
        **unit._asdict(),
        **({} if attacked_from is None else {"from": attacked_from}),
        **({} if retreats is None else {"retreats": list(retreats)}),
    }


def _ruleset_data(ruleset: Ruleset) -> Data:
    choices = dict(ruleset.choices)
    coasts = {"default_coasts": dict(ruleset.default_coasts)} if "default-coast" in choices.values() else {}
    return {"name": ruleset.name, "choices": choices, **coasts}


def _given_data(given: GivenOrder, text: str) -> Data:
    data = {} if given.order is None else {"order": _order_data(given.order)}
    return {"power": given.power, **({"text": text} if text else {}), **data}


def _order_data(order: Order) -> Data:
    values: Sequence[tuple[str, object]] = [(name, getattr(order, name, None)) for name in _FIELDS]
    told = {name: _named(value) for name, value in values if value is not None and value != ()}
    return {"type": ORDER_TYPES[type(order)], **told}


def _named(value: object) -> object:
    if isinstance(value, OrderedUnit):
        told = {"location": value.location, "type": value.type, "power": value.power}
        return {name: each for name, each in told.items() if each is not None}
    return list(value) if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - the seas of a path
