"""Reads what the page asks: a text with a position and its orders, and the orders of the phases after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

from ...reference_engine import GivenOrder
from ..answers import PhaseInput
from ..errors import HarnessError
from ..pasting import Pasted, read_later_orders, read_pasted

MOST_CHARACTERS = 100_000
"""A longer text is no position."""
MOST_ORDERS = 150
"""A phase has no more orders: the board has 75 provinces, so no more units, and a unit may have a second order."""
MOST_LATER = 2
"""The phases after a movement phase: retreats and adjustments. The movements after them are a new question."""

LaterPhase = Literal["retreat", "adjustment"]


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
    fields: Mapping[str, Any] = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    phase, text = fields.get("phase"), fields.get("text")
    if phase not in ("retreat", "adjustment") or not isinstance(text, str):
        raise QuestionError("a later phase is a retreat or an adjustment phase, with a text")
    return Later("retreat" if phase == "retreat" else "adjustment", text)


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


def read_later_phase(
    later: Later, season: str, year: int, centers: Mapping[str, Sequence[str]]
) -> tuple[PhaseInput, Sequence[str]]:
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
