"""Facts: single differences between an expected answer and an actual one."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from ...reference_engine import Unit, province_code

if TYPE_CHECKING:
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
