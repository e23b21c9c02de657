# mypyc
"""What an adjudicator is asked, and what it answers, as values of the reference engine."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, final

from ...reference_engine import Board, GivenOrder, Phase, Submission, Submitted, Unit, standard_board
from ...reference_engine.maps import STANDARD
from ...reference_engine.position import Adjudication, Dislodged, FlyingDutchman, OrderResult, Position, Reason

if TYPE_CHECKING:  # The page that plays positions in a browser has no msgspec.
    import msgspec


State: TypeAlias = "msgspec.Raw | None"
"""What an engine wants back with the next phase."""


class PhaseInput(NamedTuple):
    """A position before a phase, with its orders: what an adjudicator is asked."""

    phase: Phase
    orders: Sequence[GivenOrder] | Submission
    units: tuple[Unit, ...] = ()
    dislodged: tuple[Dislodged, ...] | None = ()
    """Before a retreat phase; `None` where the engine did not say it in the phase before."""
    texts: Sequence[str] | None = None
    """The orders as they were written; `None`: write them in the notation of the engine."""
    season: str = "spring"
    year: int = 1901
    centers: Mapping[str, Sequence[str]] = {}
    """The supply centers that each power owns, before an adjustment phase."""
    flying_dutchmen: tuple[FlyingDutchman, ...] = ()
    follows: bool = False
    """It follows another phase: `units`, `dislodged` and `state` are those of the answer to that one."""
    state: State = None
    prepared: Position | None = None
    """The same position, where it was made already."""
    board: Board | None = None
    """The board that it is on; `None` for the standard one."""

    @property
    def map_name(self) -> str:
        """The name of the map that it is on."""
        return self.board.name if self.board else STANDARD

    @property
    def submission(self) -> Submission:
        """The orders as a submission."""
        if isinstance(self.orders, Submission):
            return self.orders
        return Submission([Submitted(*order) for order in self.orders])

    def position(self) -> Position:
        """Return the position. Raises `PositionError` for units that cannot stand together on a board."""
        return self.prepared or Position(
            self.units,
            phase=self.phase,
            dislodged=self.dislodged or (),
            centers=self.centers,
            flying_dutchmen=self.flying_dutchmen,
            board=self.board,
        )

    def after(self, answer: Answer) -> PhaseInput:
        """Return this phase as it follows an answer to the phase before."""
        dislodged = answer.dislodged if self.phase == "retreat" else ()
        return self._replace(units=answer.units, dislodged=dislodged, state=answer.state, prepared=None)


class OrderOutcome(NamedTuple):
    """The outcome of an order, as an engine or an archive says it: unlike an `OrderResult`, it may leave out why."""

    outcome: Literal["succeeds", "fails"]
    reason: Reason | None = None


@final
@dataclass(slots=True, eq=False)
class Answer:
    """What an adjudicator made of a phase. It is a value: nothing changes it, and equal boards are equal.

    The outcomes of the reference are never equal values to those of an engine: `same_words` compares them.
    """

    standing: tuple[Unit, ...]
    """What stands on the board afterwards, in any order; a unit that is named twice is here twice."""
    dislodged: tuple[Dislodged, ...] | None = None
    """The units that a movement phase dislodged, sorted; `None` where nothing is said of them."""
    outcomes: tuple[OrderOutcome | OrderResult | None, ...] | None = None
    """The outcome of each order, as far as it is said."""
    lists_lost_units: bool = False
    """Whether `dislodged` has the units without a retreat, too; some engines take them off the board at once."""
    state: State = None
    is_possible: bool = True
    """Whether its board can exist; one that cannot is the same as no other."""
    _units: tuple[Unit, ...] | None = field(default=None, init=False, repr=False)

    @property
    def units(self) -> tuple[Unit, ...]:
        """Return what stands on the board afterwards, sorted when it is first asked for: most answers never are."""
        if self._units is None:
            self._units = tuple(sorted(self.standing))
        return self._units

    def has_units(self, units: tuple[Unit, ...]) -> bool:
        """Whether these units stand on the board, in any order."""
        return self.standing == units or self.units == tuple(sorted(units))

    def __eq__(self, other: object) -> bool:
        return self._values() == other._values() if isinstance(other, Answer) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.units, self.dislodged, self.outcomes))

    def _values(self) -> tuple[object, ...]:
        return self.units, self.dislodged, self.outcomes, self.lists_lost_units, self.state, self.is_possible


@dataclass(frozen=True)
class Failure:
    """Why there is no answer."""

    reason: str
    unsupported: bool = False
    """The engine says that it cannot do what was asked; otherwise it crashed, hung, or sent no valid answer."""
    log: tuple[str, ...] = field(default=(), compare=False)
    """The details of its error answer, and what it logged since it was asked."""

    @property
    def kind(self) -> str:
        """The words of the reason, without the numbers, addresses, paths, places and powers of a position."""
        return _kind(self.reason)


AnswerOrFailure: TypeAlias = Answer | Failure


def answer_of(adjudication: Adjudication, phase: Phase) -> Answer:
    """Return what the reference engine made of a phase as an answer."""
    dislodged = tuple(sorted(adjudication.dislodged)) if phase == "movement" else None
    return Answer(adjudication.units, dislodged, adjudication.orders, lists_lost_units=True)


_WORD = r"[^\W\d]+"
_CHANGING = r"""(?ix)
      \b0x[0-9a-f]+                             # an address
    | \b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b           # a number in hexadecimal
    | (?<![\w/])(?:[a-z]:\\|~?/|\.{1,2}/)[^\s'",;:()]+   # a path
    | \b[\w.-]+(?:/[\w.-]+)+\.\w+               # a relative path to a file
    """


@lru_cache(maxsize=1024)
def _kind(reason: str) -> str:
    # Words of up to three letters are codes of places as often as not.
    words = [word for word in re.findall(_WORD, re.sub(_CHANGING, " ", reason)) if len(word) > 3]
    return " ".join(dict.fromkeys([word for word in words if word.upper() not in _board_words()]))


@cache
def _board_words() -> frozenset[str]:
    """The words in the names of provinces and powers, and their codes, in capitals."""
    board = standard_board()
    names = [name for province in board.provinces for name in (province.name, *province.other_names)]
    names += [name for power in board.powers.values() for name in (power.name, *power.adjectives)]
    return frozenset(word.upper() for name in names for word in re.findall(_WORD, name))
