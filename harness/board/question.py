"""What the page asks: a text with a position and its orders, the orders of the phases after it, and what comes next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias, cast

from ...reference_engine import GivenOrder, Phase, Unit, province_code
from ...reference_engine.board import Board
from ..errors import HarnessError
from ..paste.later_phases import Pasted
from ..paste.reader import read_later_orders, read_pasted
from ..play.answer import Answer, PhaseInput

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
