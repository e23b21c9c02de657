"""Reading and writing orders.

The reader takes the DATC's notation ("F North Sea Convoys A Yorkshire - Belgium"), that of programs and of players
(`F NTH C A YOR-BEL`, `A LON - BEL VIA`, `A BUD R GAL`, `lon-bel`, `WAIVE`), and all mixtures. It changes nothing that
was written: a wrong coast or a missing type stays. What it cannot read is a `NotationError` that shows the place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from .board import Board, Names, OrderedUnit, UnitType, guess_province, normal, ordered_unit
from .errors import AmbiguousNameError, NotationError
from .maps import standard_board
from .orders import (
    Build,
    Convoy,
    Disband,
    Hold,
    Move,
    Order,
    Phase,
    Proxy,
    Remove,
    Retreat,
    SupportHold,
    SupportMove,
    Unclear,
    Waive,
    Writing,
)

_T = TypeVar("_T")

Style: TypeAlias = Literal["codes", "names"]

MAX_LENGTH = 300
"""Longer texts are no orders."""

MAX_TRIES = 200
"""A text with so many ambiguous names that it takes more tries to read it means nothing."""

MAX_TRIED_CHARACTERS = 100 * MAX_TRIES
"""The same for a text that takes fewer tries, but is so long that these read more characters."""

_SHORT = 3
"""A word of so many letters is a code, or the beginning of a name."""
_MOST_ORDERS = 1 << 14
"""So many texts of orders are kept as they were read: thousands of games have some 7,000."""
_MOST_WRITINGS = 1 << 12
"""The same for texts that may be unclear: one can mean 64 orders, and 12 KiB."""


class Reading(NamedTuple):
    """An order as it was read, and what had to be guessed to read it."""

    order: Order
    notes: tuple[str, ...] = ()


_Keyword: TypeAlias = Literal[
    "type", "to", "hold", "support", "convoy", "via", "retreat", "disband", "build", "remove", "waive", "proxy"
]

_KEYWORDS: Mapping[str, _Keyword] = {
    spelling: keyword
    for keyword, spellings in {
        "type": "a f army fleet armee flotte",
        "to": "to moves move m attacks",
        "hold": "h hold holds stand stands",
        "support": "s support supports sup supp supporting",
        "convoy": "c convoy convoys conv convoying",
        "via": "via by",
        "retreat": "r retreat retreats",
        "disband": "d disband disbands destroy",
        "build": "b build builds",
        "remove": "remove removes",
        "waive": "waive waives waived",
        "proxy": "proxy proxies",
    }.items()
    for spelling in spellings.split()
}  # pyright: ignore[reportAssignmentType]: the keys above are the keywords

_WORD = re.compile(r"[^\W\d_][\w.'\u2019]*")
_ARROW = re.compile(r"\s*(?:-+>?|=+>|>|\u2013|\u2014|\u2192)\s*")
_COAST_NAMES = "north|south|east|west|nc|sc|ec|wc|n|s|e|w"
_COAST = re.compile(
    rf"""\s*(?:\(\s*(?P<bracketed>{_COAST_NAMES})\.?(?:\s*coast|\.?c\.?)?\s*\)      # (nc), (n.c.), (north coast)
         | /\s*(?P<slashed>{_COAST_NAMES})(?![^\W\d_])                            # /nc
         | \s(?P<plain>nc|sc|ec|wc|(?:north|south|east|west)(?=\s*coast))(?:\s*coast)?(?![^\W\d_]))""",
    re.IGNORECASE | re.ASCII | re.VERBOSE,
)


class _Token(NamedTuple):
    kind: Literal["word", "location", "power", "end"] | _Keyword
    value: str
    column: int


def read_order(
    text: str, phase: Phase = "movement", *, board: Board | None = None, short_slips: bool = True
) -> Reading:
    """Read an order given in a phase.

    Args:
        text: The order.
        phase: The phase, which tells a retreat from a move and a disband from a removal.
        board: The board with the names of provinces and powers; by default the standard one.
        short_slips: Whether a word of three letters can be a name with one slip.

    Returns:
        The order as it was written, and what had to be guessed to read it.

    Raises:
        NotationError: The text is no order, or could mean more than one province.
    """
    return _order(text, phase, board or standard_board(), short_slips)


@lru_cache(_MOST_ORDERS)
def _order(text: str, phase: Phase, board: Board, short_slips: bool) -> Reading:
    reader = _Reader(text, phase, board.names, short_slips=short_slips)
    writing = reader.whole(reader.order)
    if isinstance(writing, Proxy):
        raise NotationError(text, 0, "a proxy is no order: it lets another power give one")
    return Reading(writing, tuple(reader.notes))


def read_writing(text: str, phase: Phase = "movement", *, board: Board | None = None) -> Writing | None:
    """Read what a player wrote in a phase, as far as its spelling goes.

    Returns an order or a proxy; an `Unclear` one if a name could mean several provinces; `None` if it can mean nothing.
    A move to a place that is not on the board keeps the name of that place (`Move(…, "Oz")`).
    """
    return None if len(text) > MAX_LENGTH else _writing(text, phase, board or standard_board())


@lru_cache(_MOST_WRITINGS)
def _writing(text: str, phase: Phase, board: Board) -> Writing | None:
    readings = tuple(dict.fromkeys(_readings(text, phase, board.names)))
    if len(readings) > 1:
        return Unclear(readings)
    return readings[0] if readings else None


def _readings(text: str, phase: Phase, names: Names) -> Sequence[Order | Proxy]:
    """Everything that a text could mean, its ambiguous names tried one after the other."""
    readings: list[Order | Proxy] = []
    texts = [(text, 0)]
    guesses: dict[str, tuple[str, ...]] = {}
    for _ in range(min(MAX_TRIES, MAX_TRIED_CHARACTERS // max(1, len(text)))):
        if not texts:
            return readings
        candidate, depth = texts.pop()
        try:
            reader = _Reader(candidate, phase, names, any_place=True, guesses=guesses)
            readings.append(reader.whole(reader.order))
        except AmbiguousNameError as error:
            if 2 ** (depth + 2) > MAX_TRIES + 1:  # With this name there are too many tries, as each can mean two.
                return ()
            before, after = candidate[: error.column], candidate[error.end :]
            texts += [(f"{before}{code}{after}", depth + 1) for code in reversed(error.codes)]
        except NotationError:
            continue
    return ()


def read_unit(text: str, *, board: Board | None = None) -> OrderedUnit:
    """Read a unit alone, such as `"F Spain(nc)"`. Raises `NotationError`."""
    reader = _Reader(text, "movement", (board or standard_board()).names)
    return reader.whole(reader.unit)


def read_location(text: str, *, board: Board | None = None) -> str:
    """Return the code of a location, such as `"SPA/NC"` for `"Spain(nc)"`. Raises `NotationError`."""
    reader = _Reader(text, "movement", (board or standard_board()).names)
    return reader.whole(reader.location)


class _Reader:
    """Reads one text from left to right."""

    def __init__(
        self,
        text: str,
        phase: Phase,
        names: Names,
        *,
        any_place: bool = False,
        guesses: dict[str, tuple[str, ...]] | None = None,
        short_slips: bool = True,
    ) -> None:
        self._text: str = text
        self._phase: Phase = phase
        self._names: Names = names
        self._any_place: bool = any_place
        """Whether a move may lead to a place that is not on the board."""
        self._guesses: dict[str, tuple[str, ...]] = {} if guesses is None else guesses
        """What unknown words can mean, as far as that is known: finding it out takes long."""
        self._short_slips: bool = short_slips
        self.notes: list[str] = []
        if len(text) > MAX_LENGTH:
            raise NotationError(text[:40] + "…", 40, f"an order has at most {MAX_LENGTH} characters")
        self._tokens: list[_Token] = self._split()
        self._next: int = 0

    def whole(self, read: Callable[[], _T]) -> _T:
        """Read something that the text has to end with."""
        found = read()
        token = self._peek()
        if token.kind != "end":
            raise self._error(token, f"the order is already complete before {token.value!r}")
        return found

    def order(self) -> Order | Proxy:
        token = self._peek()
        if token.kind == "waive":
            self._next += 1
            return Waive()
        if token.kind in ("build", "remove", "disband"):
            self._next += 1
            unit = self.unit(f"a unit to {token.kind}")
            return Build(unit) if token.kind == "build" else self._gone(unit, token)
        if self._skip("proxy"):
            return self._proxy(self.unit("a unit that another power orders"))
        unit = self.unit()
        token = self._take()
        if token.kind == "to":
            return self._move(unit)
        if token.kind == "hold":
            return Hold(unit)
        if token.kind == "support":
            return self._support(unit)
        if token.kind == "convoy":
            return self._convoy(unit)
        if token.kind == "retreat":
            _ = self._skip("to")
            return Retreat(unit, self.location("where it retreats to"))
        if token.kind in ("disband", "remove"):
            return self._gone(unit, token)
        if token.kind == "build":
            return Build(unit)
        if token.kind == "proxy":
            return self._proxy(unit)
        what = "nothing is ordered" if token.kind == "end" else f"{token.value!r} is no order"
        raise self._error(token, f"{what}: expected '-', hold, supports, convoys, retreats, disband, build or remove")

    def _gone(self, unit: OrderedUnit, token: _Token) -> Order:
        """Read a removal: `D` and "disband" mean what the phase makes of them, "remove" in a retreat phase too."""
        if self._phase == "adjustment" or (self._phase == "movement" and token.kind == "remove"):
            return Remove(unit)
        return Disband(unit)

    def _proxy(self, unit: OrderedUnit) -> Proxy:
        _ = self._skip("to")
        power = self._power()
        if power is None:
            raise self._error(self._peek(), "a proxy names the power that may order the unit")
        return Proxy(unit, power)

    def _move(self, unit: OrderedUnit) -> Order:
        _ = self._skip("to")
        if self._any_place and self._peek().kind == "word":
            return Move(unit, self._unknown_place(), self._via_convoy())
        stops = [self.location("where it moves to")]
        while self._skip("to"):
            stops.append(self.location("where it moves to"))
        via_convoy = self._via_convoy()
        if self._phase == "retreat" and len(stops) == 1 and not via_convoy:
            return Retreat(unit, stops[0])
        return Move(unit, stops[-1], via_convoy, tuple(stops[:-1]))

    def _support(self, unit: OrderedUnit) -> Order:
        supported = self.unit("the unit that it supports")
        if self._skip("to"):
            _ = self._skip("to")
            target = self.location("where the supported unit moves to")
            _ = self._via_convoy()
            return SupportMove(unit, supported, target)
        _ = self._skip("hold")
        return SupportHold(unit, supported)

    def _convoy(self, unit: OrderedUnit) -> Order:
        convoyed = self.unit("the army that it convoys")
        if not self._skip("to"):
            raise self._error(self._peek(), "a convoy names where it leads: expected '-' and a province")
        _ = self._skip("to")
        target = self.location("where the convoy leads")
        _ = self._via_convoy()
        return Convoy(unit, convoyed, target)

    def _via_convoy(self) -> bool:
        if self._peek().kind != "via":
            return False
        self._next += 1
        _ = self._skip("convoy")
        return True

    def unit(self, what: str = "a unit") -> OrderedUnit:
        power = self._power()
        unit_type: UnitType | None = None
        if self._peek().kind == "type":
            unit_type = "A" if self._take().value[0].lower() == "a" else "F"
        power = power or self._power()
        return ordered_unit(self.location(what), unit_type, power)

    def _power(self) -> str | None:
        return self._take().value if self._peek().kind == "power" else None

    def location(self, what: str = "a province") -> str:
        token = self._take()
        if token.kind != "location":
            got = "the text ends" if token.kind == "end" else f"{token.value!r} is no province"
            raise self._error(token, f"{got}: expected {what}")
        return token.value

    def _unknown_place(self) -> str:
        words: list[str] = []
        while self._peek().kind == "word":
            words.append(self._take().value)
        return " ".join(words)

    def _peek(self) -> _Token:
        return self._tokens[self._next]

    def _take(self) -> _Token:
        token = self._tokens[self._next]
        if token.kind != "end":
            self._next += 1
        return token

    def _skip(self, kind: _Keyword) -> bool:
        found = self._peek().kind == kind
        self._next += found
        return found

    def _error(self, token: _Token, problem: str) -> NotationError:
        return NotationError(self._text, token.column, problem)

    def _split(self) -> list[_Token]:
        """Split the text into words with a meaning; the longest name of a province goes before a keyword."""
        tokens: list[_Token] = []
        column = 0
        while column < len(self._text):
            if self._text[column].isspace() or self._text[column] in ".,;":
                column += 1
            elif arrow := _ARROW.match(self._text, column):
                tokens.append(_Token("to", arrow[0].strip(), column))
                column = arrow.end()
            else:
                token, column = self._word(column)
                tokens.append(token)
        tokens.append(_Token("end", "", len(self._text)))
        return tokens

    def _word(self, column: int) -> tuple[_Token, int]:
        word = _WORD.match(self._text, column)
        if word is None:
            raise NotationError(self._text, column, f"{self._text[column]!r} does not belong into an order")
        if province := self._names.pattern.match(self._text, column):
            return self._with_coast(self._names.provinces[normal(province[0])], column, province.end())
        spelling = normal(word[0])
        if spelling in _KEYWORDS:
            return _Token(_KEYWORDS[spelling], word[0], column), word.end()
        if spelling in self._names.powers:
            return _Token("power", self._names.powers[spelling], column), word.end()
        return self._misspelt(column)

    def _misspelt(self, column: int) -> tuple[_Token, int]:
        """Read one or more unknown words as a province if they can mean one only."""
        ends = [word.end() for word in self._unknown_words(column)]
        for end in reversed(ends):
            word = self._text[column:end]
            if word not in self._guesses:
                self._guesses[word] = guess_province(word, self._names)
            codes = self._guesses[word]
            if not self._short_slips and len(spelling := normal(word)) <= _SHORT:
                begun = {code for name, code in self._names.provinces.items() if name.startswith(spelling)}
                codes = tuple(code for code in codes if code in begun)
            if len(codes) == 1:
                self.notes.append(f"{word!r} read as {codes[0]}")
                return self._with_coast(codes[0], column, end)
            if codes:
                raise AmbiguousNameError(self._text, column, end, codes)
        return _Token("word", self._text[column : ends[0]], column), ends[0]

    def _unknown_words(self, column: int) -> list[re.Match[str]]:
        """The words from here to the next keyword or sign, three at most: no name has more."""
        words: list[re.Match[str]] = []
        while len(words) < 3 and (word := _WORD.match(self._text, column)):
            if words and (normal(word[0]) in _KEYWORDS or self._names.pattern.match(self._text, column)):
                break
            words.append(word)
            column = word.end()
            while column < len(self._text) and self._text[column] == " ":
                column += 1
        return words

    def _with_coast(self, code: str, column: int, end: int) -> tuple[_Token, int]:
        coast = _COAST.match(self._text, end)
        if coast is None:
            return _Token("location", code, column), end
        name = coast["bracketed"] or coast["slashed"] or coast["plain"]
        return _Token("location", f"{code}/{name[0].upper()}C", column), coast.end()


def write_order(order: Order, style: Style = "codes", *, board: Board | None = None) -> str:
    """Write an order so that reading the text in the phase of the order gives the same order.

    Args:
        order: The order.
        style: `"codes"` (`"A LON - BEL VIA"`) or `"names"`, those of the DATC (`"A London - Belgium via convoy"`).
        board: The board with the names; by default the standard one.
    """
    return _Writer(style, board or standard_board()).order(order)


class _Writer:
    def __init__(self, style: Style, board: Board) -> None:
        self._names: bool = style == "names"
        self._board: Board = board

    def order(self, order: Order) -> str:
        if isinstance(order, Waive):
            return "Waive" if self._names else "WAIVE"
        unit = self._unit(order.unit)
        if isinstance(order, Build):
            return f"Build {unit}" if self._names else f"{unit} B"
        if isinstance(order, Remove):
            return f"Remove {unit}" if self._names else f"{unit} D"
        if isinstance(order, Disband):
            return f"{unit} Disband" if self._names else f"{unit} D"
        if isinstance(order, Retreat):
            return f"{unit} {'-' if self._names else 'R'} {self._location(order.to)}"
        if isinstance(order, Hold):
            return f"{unit} {'Hold' if self._names else 'H'}"
        return f"{unit} {self._action(order)}"

    def _action(self, order: Move | SupportHold | SupportMove | Convoy) -> str:
        if isinstance(order, Move):
            stops = " - ".join(self._location(stop) for stop in (*order.path, order.to))
            via = (" via convoy" if self._names else " VIA") if order.via_convoy else ""
            return f"- {stops}{via}"
        supports, convoys = ("Supports", "Convoys") if self._names else ("S", "C")
        if isinstance(order, SupportHold):
            return f"{supports} {self._unit(order.supported)}"
        if isinstance(order, SupportMove):
            return f"{supports} {self._unit(order.supported)} - {self._location(order.to)}"
        return f"{convoys} {self._unit(order.convoyed)} - {self._location(order.to)}"

    def _unit(self, unit: OrderedUnit) -> str:
        power = ""
        if unit.power is not None:
            known = self._board.powers.get(unit.power)
            power = known.adjectives[0] if known and known.adjectives and self._names else unit.power
        return " ".join(filter(None, (power, unit.type, self._location(unit.location))))

    def _location(self, location: str) -> str:
        return self._board.describe(location) if self._names else location
