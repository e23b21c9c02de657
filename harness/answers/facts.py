"""Facts: single differences between an expected answer and an actual one, and the sentences that say them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from ...reference_engine import Hold, NotationError, Unit, printable, province_code, read_order, standard_board
from .answer import Answer

BoardKind: TypeAlias = Literal[
    "unit-missing",
    "unit-unexpected",
    "dislodgement-missing",
    "dislodgement-unexpected",
    "retreat-missing",
    "retreat-unexpected",
]
WordKind: TypeAlias = Literal["outcome", "attacked-from"]
ImpossibleKind: TypeAlias = Literal[
    "impossible-place",
    "unit-twice",
    "province-twice",
    "standing-and-dislodged",
    "dislodged-from-nowhere",
    "unit-from-nowhere",
]
FactKind: TypeAlias = BoardKind | WordKind | ImpossibleKind

BOARD_KINDS: frozenset[str] = frozenset(BoardKind.__args__)
"""The board differs: units, dislodgements, or where a dislodged unit may retreat to."""
WORD_KINDS: frozenset[str] = frozenset(WordKind.__args__)
"""The board is the same; the engine says something else of an order or of a dislodgement."""
IMPOSSIBLE_KINDS: frozenset[str] = frozenset(ImpossibleKind.__args__)
"""The board cannot exist. Nothing else is compared then."""


class Fact(NamedTuple):
    """One difference between an expected answer and an actual one."""

    kind: FactKind
    unit: Unit | None = None
    """The unit that it is about; for an order's outcome `None`."""
    expected: str = ""
    """The location of a retreat, the outcome of an order, the province of an attacker; else a word for it."""
    actual: str = ""
    order: int | None = None
    """For an outcome: the index of the order."""

    @property
    def on_board(self) -> bool:
        """Whether the board differs, and not only what the engine says of an order."""
        return self.kind not in WORD_KINDS


def board_facts(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """Keep the facts about the board."""
    return tuple(fact for fact in facts if fact.on_board)


Fate: TypeAlias = Literal["moves", "stays", "is dislodged"]


def fate_of(unit: Unit, destinations: Container[str], answer: Answer) -> Fate:
    """Return what happened to a unit in a movement phase; `destinations` are the provinces that it is ordered to."""
    alike = [other.location for other in answer.units if other[:2] == unit[:2]]
    if unit.location in alike:
        return "stays"
    return "moves" if any(province_code(location) in destinations for location in alike) else "is dislodged"


_SENTENCES: Mapping[FactKind, str] = {
    "unit-missing": "{unit} should be on the board, but is not",
    "unit-unexpected": "{unit} should not be on the board, but is",
    "dislodgement-missing": "{unit} should be dislodged, but is not",
    "dislodgement-unexpected": "{unit} should not be dislodged, but is",
    "retreat-missing": "the unit dislodged from {place} may retreat to {expected}",
    "retreat-unexpected": "the unit dislodged from {place} may not retreat to {actual}",
    "attacked-from": "{unit} was attacked from {expected}, but {who} says from {actual}",
    "impossible-place": "impossible board: {unit} cannot stand there",
    "unit-twice": "impossible board: {unit} is listed {actual}",
    "province-twice": "impossible board: {unit} is {actual} in one province",
    "standing-and-dislodged": "impossible board: {unit} is on the board and dislodged at once",
    "dislodged-from-nowhere": "impossible board: {unit} is dislodged, but was not on the board",
    "unit-from-nowhere": "impossible board: {unit} comes from nowhere",
}


def fact_texts(facts: Iterable[Fact], orders: Sequence[str], who: str = "the engine") -> list[str]:
    """Say what differs, a sentence a fact; `orders` are the texts of the orders of the phase, `who` answered."""
    return [fact_text(fact, orders, who) for fact in facts]


def fact_text(fact: Fact, orders: Sequence[str], who: str = "the engine") -> str:
    """Say what differs in a sentence."""
    if fact.order is not None:
        text = orders[fact.order]
        means = f" ({_HOLD_SUCCEEDS})" if _is_hold(text) else ""
        return printable(f"{text!r} {fact.expected}, but {who} says that it {fact.actual}{means}")
    describe = standard_board().describe
    return printable(
        _SENTENCES[fact.kind].format(
            unit=unit_text(fact.unit) if fact.unit else "a unit",
            place=describe(fact.unit.location) if fact.unit else "",
            expected=describe(fact.expected),
            actual=describe(fact.actual),
            who=who,
        )
    )


_HOLD_SUCCEEDS = "a legal order to hold succeeds unless its unit is dislodged"


def _is_hold(text: str) -> bool:
    try:
        return isinstance(read_order(text).order, Hold)
    except NotationError:
        return False


def unit_text(unit: Unit) -> str:
    """Name a unit: `"France F English Channel"`."""
    board = standard_board()
    return f"{board.power_name(unit.power)} {unit.type} {board.describe(unit.location)}"
