"""Facts in words, the same everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...reference_engine import Unit, printable, standard_board
from .facts import Fact, FactKind

_SENTENCES: Mapping[FactKind, str] = {
    "unit-missing": "{unit} should be on the board, but is not",
    "unit-unexpected": "{unit} should not be on the board, but is",
    "dislodgement-missing": "{unit} should be dislodged, but is not",
    "dislodgement-unexpected": "{unit} should not be dislodged, but is",
    "retreat-missing": "the unit dislodged from {place} may retreat to {expected}",
    "retreat-unexpected": "the unit dislodged from {place} may not retreat to {actual}",
    "attacked-from": "{unit} was attacked from {expected}, but the engine says from {actual}",
    "impossible-place": "impossible board: {unit} cannot stand there",
    "unit-twice": "impossible board: {unit} is listed {actual}",
    "province-twice": "impossible board: {unit} is {actual} in one province",
    "standing-and-dislodged": "impossible board: {unit} is on the board and dislodged at once",
    "dislodged-from-nowhere": "impossible board: {unit} is dislodged, but was not on the board",
    "unit-from-nowhere": "impossible board: {unit} comes from nowhere",
}


def fact_texts(facts: Iterable[Fact], orders: Sequence[str]) -> list[str]:
    """Say what differs, a sentence a fact; `orders` are the texts of the orders of the phase."""
    return [fact_text(fact, orders) for fact in facts]


def fact_text(fact: Fact, orders: Sequence[str]) -> str:
    """Say what differs in a sentence."""
    if fact.order is not None:
        text = orders[fact.order]
        return printable(f"{text!r} {fact.expected}, but the engine says that it {fact.actual}")
    describe = standard_board().describe
    return printable(
        _SENTENCES[fact.kind].format(
            unit=unit_text(fact.unit) if fact.unit else "a unit",
            place=describe(fact.unit.location) if fact.unit else "",
            expected=describe(fact.expected),
            actual=describe(fact.actual),
        )
    )


def unit_text(unit: Unit) -> str:
    """Name a unit: `"France F English Channel"`."""
    board = standard_board()
    return f"{board.power_name(unit.power)} {unit.type} {board.describe(unit.location)}"
