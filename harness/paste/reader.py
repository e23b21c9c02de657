"""Reads positions and orders as people write and paste them, and says all that it guessed or skipped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple, final

from ...reference_engine import (
    Convoy,
    Disband,
    GivenOrder,
    Hold,
    Move,
    NotationError,
    Order,
    OrderedUnit,
    Phase,
    Position,
    PositionError,
    Retreat,
    SupportHold,
    SupportMove,
    Unit,
    UnitType,
    Waive,
    province_code,
    read_order,
    standard_board,
    write_order,
)
from ...reference_engine.board import Board
from ...reference_engine.errors import nearest, printable
from ...reference_engine.notation import MAX_LENGTH, Reading, read_location, read_unit
from ..errors import HarnessError
from ..play.positions import OrderedPosition
from .later_phases import LaterOrders, Pasted, PastedOrder, put_together
from .lines import Piece, read_pieces
from .words import Block, vocabulary_of

MOST_PROBLEMS = 20
"""More problems than these are not looked for."""
MOST_PIECES = 1000
"""A longer text is no position: so many orders and remarks take about a second."""


class Problem(NamedTuple):
    """Why something cannot be read, and where it is."""

    line: int
    column: int
    problem: str


class PositionFileError(HarnessError):
    """A text is no position: where, why, and what would be right."""

    def __init__(self, name: str, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__(
            "\n".join(f"{name}, line {line}, column {column}: {why}" for line, column, why in self.problems)
        )


def read_position_text(text: str, name: str) -> tuple[OrderedPosition, tuple[str, ...]]:
    """Read the orders of a movement phase; return them with their texts. Raises `PositionFileError`."""
    first = read_pasted(text, name).phases[0]
    if first.phase != "movement" or first.position is None:
        raise PositionFileError(name, [Problem(1, 1, "these are no orders of a movement phase")])
    return OrderedPosition(first.position, first.orders), first.texts


class LaterText(NamedTuple):
    """The orders of a phase whose position is known already."""

    orders: tuple[GivenOrder, ...]
    texts: tuple[str, ...]
    notes: tuple[str, ...]
    """What was guessed or skipped, in words."""


def read_later_orders(text: str, phase: Literal["retreat", "adjustment"], name: str) -> LaterText:
    """Read the orders of a retreat or an adjustment phase, if there are any. Raises `PositionFileError`.

    Orders of other phases, units and supply centers are skipped, each with a note.
    """
    reader = _Reader(standard_board(), phase, only=phase)
    _read_all(reader, text)
    if reader.problems:
        raise PositionFileError(name, reader.problems)
    found = reader.found.retreats if phase == "retreat" else reader.found.adjustments
    return LaterText(tuple(each.given for each in found), tuple(each.text for each in found), tuple(reader.found.notes))


def read_pasted(text: str, name: str, *, needs_orders: bool = True, board: Board | None = None) -> Pasted:
    """Read what people paste: orders, one or several a line, their power before them or in a heading above.

    Every unit that is named, with an order of its own or without, stands on the board; it belongs to the power that
    orders it, unless the order says whose it is. A support or a convoy that names nobody is for the move before it.
    Raises `PositionFileError` with all problems; `name` says in it what was read. Units alone are a position only if no
    order is needed. The board is the standard one, if no other is given.
    """
    reader = _Reader(board or standard_board())
    _read_all(reader, text)
    if not reader.problems and needs_orders and not reader.has_orders:
        reader.problems.append(Problem(1, 1, "there is no order; write lines such as 'Germany: A Mun - Ber'"))
    if reader.problems:
        raise PositionFileError(name, reader.problems)
    try:
        return put_together(reader.found)
    except PositionError as error:
        raise PositionFileError(name, [Problem(1, 1, str(error))]) from error


def _read_all(reader: _Reader, text: str) -> None:
    """Read a text up to its end, or to more problems than are looked for."""
    for count, piece in enumerate(read_pieces(text, reader.words)):
        if len(reader.problems) >= MOST_PROBLEMS:
            break
        if count >= MOST_PIECES:
            why = f"this is too long for a position: more than {MOST_PIECES} orders and remarks"
            reader.problems.append(Problem(piece.line, piece.column, why))
            break
        reader.read(piece)


_SENTENCE = re.compile(
    r"The (?P<type>army|fleet) (?:at|in) (?P<at>.+?) (?:(?P<does>support|convoy)s? (?:hold |move )?to (?P<to>.+?)"
    + r"(?: from (?P<start>.+))?|(?P<moves>(?:move|hold|retreat|disband)\b.*))",
    re.IGNORECASE,
)
"""What webDiplomacy writes: `The army at Piedmont support move to Marseilles from Gascony`."""
_BUILDS = re.compile(
    r"(?P<does>builds?|removes?|disbands?|destroys?)\s+(?:an?\s+|the\s+)?(?P<type>army|fleet|[af])\s+(?:in|at)\s+(?:the\s+)?(?P<at>.+)",
    re.IGNORECASE,
)
"""`Builds an army in Budapest`, as the judges write."""
_WAIVES = re.compile(
    r"(?:\d+\s+)?(?:unused\s+)?builds?\s+(?:waived|postponed|pending)|postpones?.*|pass(?:es)?", re.IGNORECASE
)
_FILLERS = re.compile(r"\b(?:the|a(?=\s+(?:move|convoy)))\s+", re.IGNORECASE)
_UNIT_IN = re.compile(r"\b(army|fleet|a|f)\s+(?:in|at|from)\s+", re.IGNORECASE)
_POSSESSIVE = re.compile(r"(?:'s)?\s+(?:moving|move|attack|attacking|going)\s+(?:to|on|into)\s+", re.IGNORECASE)
_HELPS_THE_MOVE_BEFORE = re.compile(r".*\w\)?(?<!\bvia)(?<!\bby)\s+(c|con|convoys?|s|sup|supports?)", re.IGNORECASE)
"""`F Nth C`: an order that leaves out whom it helps, since the move stands before it. `VIA CONVOY` helps nobody."""
_LOOKS_LIKE_ORDER = re.compile(
    r"(?:(?:a|army|f|fleet)\s+\w[\w.]*(?:\s*\([^()]*\))?\s*(?:$|[-\u2013\u2014\u2192>=/]|(?:[shcrd]|to|sup\w*|con\w*|hold\w*|mov\w*)\b)"
    + r"|(?:builds?|removes?|disbands?|destroys?|retreats?)\s+(?:an?\s+)?(?:army|fleet|a|f)\b"
    + r"|.*\w\s*(?:->|\u2192|=>|-+>?\s*(?=[A-Z])))",
    re.IGNORECASE,
)
_MOVEMENT = (Hold, Move, SupportHold, SupportMove, Convoy)
_NAME = re.compile(r"[^\W\d_][\w' -]*")
_LONGEST_REMARK = 60


@final
class _Reader:
    """Gathers what the pieces say."""

    def __init__(self, board: Board, block: Block = "movement", only: Phase | None = None) -> None:
        """`block` says what the first lines are about, unless a heading does; `only` is the phase that is read."""
        self.words = vocabulary_of(board)
        self._board = board
        self._only: Phase | None = only
        self.problems: list[Problem] = []
        self.found: LaterOrders = LaterOrders(board)
        self._above: str | None = None
        """The power in a heading."""
        self._line: int = 0
        self._offset: int = 0
        """How many characters of the piece are a heading before its order."""
        self._power: str | None = None
        """The power that the pieces of this line are of."""
        self._owner: str | None = None
        """The power of the unit before."""
        self._block: Block = block
        self._last_move: Move | None = None
        self._placed: dict[str, int] = {}
        """The line in which the unit in each province was named first."""
        self._stated: set[str] = set()
        """The provinces whose unit was named without an order: what an order calls it is up to the rules."""

    @property
    def has_orders(self) -> bool:
        """Whether any order was read."""
        return any((self.found.movement, self.found.retreats, self.found.adjustments))

    def read(self, piece: Piece) -> None:
        """Take in a heading, an order, a unit without one, or supply centers."""
        if piece.line != self._line:
            self._line, self._power = piece.line, self._above
        self._skip(piece, piece.skipped)
        text = piece.text
        while text and (heading := self.words.read_heading(text[:MAX_LENGTH])) is not None:
            rest = text[len(text[:MAX_LENGTH]) - len(heading.rest) :] if heading.rest else ""
            if heading.power is not None:
                self._power = heading.power
                self._above = self._above if rest else heading.power
            if heading.block is not None:
                self._block = heading.block
                self._above = self._power = None if heading.power is None and not rest else self._power
                self.found.date(heading.season, heading.year)
                self.found.is_adjustment |= heading.block == "adjustment"
            text = rest
        self._offset = len(piece.text) - len(text)
        if not text:
            return
        if len(text) > MAX_LENGTH and self._begins_like_order(text[:MAX_LENGTH]):
            self._cannot_be(piece, f"an order has at most {MAX_LENGTH} characters")
            return
        if len(text) > MAX_LENGTH:
            self._skip(piece, [text])
            return
        try:
            self._take(piece, text)
        except NotationError as error:
            self._cannot_read(piece, text, error)

    def _take(self, piece: Piece, text: str) -> None:
        is_center = self._block == "centers"
        text = text if is_center else _plain(text)
        unit = None if is_center else self._unit_alone(text)
        if self._only is not None and (is_center or unit is not None):
            self._note(piece, f"skipped {printable(text)!r}: the units and the supply centers are known already")
            return
        if is_center:
            self._center(piece, text)
            return
        if unit is not None:
            _ = self._place(piece, text, unit, None)
            return
        reading, text = self._order(piece, text)
        if self._only is not None and self._only != _phase_of(reading.order):
            self._note(piece, f"skipped {printable(text)!r}: it is no order of the {self._only} phase")
            return
        for note in reading.notes:
            self._note(piece, note)
        self._give(piece, text, reading.order)

    def _cannot_read(self, piece: Piece, text: str, error: NotationError) -> None:
        before, colon, behind = text.partition(":")
        if not self._begins_like_order(text) and not (colon and self._begins_like_order(behind.strip())):
            self._skip(piece, [text])
            return
        if colon and _NAME.fullmatch(before.strip()) and self.words.power_named(before) is None:
            names = [power.name for power in self._board.powers.values()]
            self._cannot_be(piece, f"there is no power {printable(before)!r}{nearest(before, names)}")
            return
        shown = f"{error.problem}\n  {printable(error.text)}\n  {' ' * error.column}^"
        self._cannot_be(piece, shown, error.column)

    def _cannot_be(self, piece: Piece, why: str, column: int = 0) -> None:
        """Note a problem; the column is that of the text behind the headings of the piece."""
        self.problems.append(Problem(piece.line, piece.column + self._offset + column, why))

    def _skip(self, piece: Piece, texts: Iterable[str]) -> None:
        for text in texts:
            shown = text if len(text) <= _LONGEST_REMARK else f"{text[:_LONGEST_REMARK]}\u2026"
            self._note(piece, f"skipped {printable(shown)!r}")

    def _note(self, piece: Piece, what: str) -> None:
        self.found.notes.append(f"line {piece.line}: {what}")

    def _unit_alone(self, text: str, *, foreign: bool = True) -> OrderedUnit | None:
        for each in (text, self.words.translate(text)) if foreign else (text,):
            try:
                return read_unit(each, board=self._board)
            except NotationError:
                continue
        return None

    def _order(self, piece: Piece, text: str) -> tuple[Reading, str]:
        """Read an order as it stands; with the move before it that it helps; in another language."""
        failed: NotationError | None = None
        for candidate in dict.fromkeys((text, self._completed(text), _plain(self.words.translate(text)))):
            try:
                reading = read_order(candidate, self._phase, board=self._board)
            except NotationError as error:
                failed = failed or error
                continue
            if candidate != text:
                self._note(piece, f"{printable(text)!r} read as {write_order(reading.order, board=self._board)!r}")
            return reading, candidate
        raise failed or NotationError(text, 0, "nothing is ordered")

    @property
    def _phase(self) -> Phase:
        return self._block if self._block in ("retreat", "adjustment") else "movement"

    def _completed(self, text: str) -> str:
        """Say whom an order helps that leaves it out: the move before it."""
        if self._last_move is None or not _HELPS_THE_MOVE_BEFORE.fullmatch(text):
            return text
        unit, to = self._last_move.unit, self._last_move.to
        return f"{text} {write_order(Move(OrderedUnit(unit.location, unit.type), to), board=self._board)}"

    def _give(self, piece: Piece, text: str, order: Order) -> None:
        """Put an order where its phase is."""
        unit: Unit | None = None
        power = self._power or self._owner
        if isinstance(order, Waive):
            if power is None:
                self._whose(piece, text)
        else:
            finds = self._place if isinstance(order, _MOVEMENT) else self._unit
            unit = finds(piece, text, order.unit, order)
            power = None if unit is None else self._power or unit.power
        if power is None:
            return
        given = PastedOrder(GivenOrder(power, order), text, unit)
        if isinstance(order, _MOVEMENT):
            self.found.movement.append(given)
            self._last_move = order if isinstance(order, Move) else self._last_move
            return
        if unit is not None:
            self._owner = power
        (self.found.retreats if isinstance(order, (Retreat, Disband)) else self.found.adjustments).append(given)

    def _whose(self, piece: Piece, text: str) -> None:
        why = f"whose is it? Write 'Germany: {printable(text)}', or a line 'Germany:'"
        self._cannot_be(piece, why)

    def _unit(self, piece: Piece, text: str, ordered: OrderedUnit, order: Order | None) -> Unit | None:
        power = ordered.power or self._power or self._owner
        if power is None:
            self._whose(piece, text)
            return None
        unit_type = ordered.type or self._type_of(piece, ordered, order)
        if unit_type is None:
            why = f"an army or a fleet? Write 'A {printable(text)}' or 'F {printable(text)}'"
            self._cannot_be(piece, why)
            return None
        return Unit(power, unit_type, ordered.location)

    def _type_of(self, piece: Piece, ordered: OrderedUnit, order: Order | None) -> UnitType | None:
        """Guess the type of a unit from where it is, or goes: inland there are armies only, at sea fleets."""
        for location in (ordered.location, getattr(order, "to", "") if isinstance(order, Move) else ""):
            province = self._board.province(location)
            if province is not None and province.terrain != "coastal":
                found: UnitType = "F" if province.terrain == "sea" else "A"
                self._note(piece, f"the unit in {ordered.location} read as {'a fleet' if found == 'F' else 'an army'}")
                return found
        return None

    def _place(self, piece: Piece, text: str, ordered: OrderedUnit, order: Order | None) -> Unit | None:
        """Put a unit on the board; return it, or the one that stands there, or `None` where it cannot stand."""
        province = province_code(ordered.location)
        standing = self.found.units.get(province)
        if standing is not None and self._is_same(ordered, standing):
            if standing.power != (self._power or standing.power) and order is not None:
                self._note(piece, f"{self._named(standing)} is a unit of another power (line {self._placed[province]})")
            self._owner = self._power or standing.power
            return standing
        unit = self._unit(piece, text, ordered, order)
        if unit is None:
            return None
        if standing is not None and province in self._stated and order is not None and standing.power == unit.power:
            self._note(piece, f"{printable(text)!r} is taken as an order to {self._named(standing)}")
            return standing
        if standing is not None:
            why = f"{self._named(standing)} stands there already, in line {self._placed[province]}"
            self._cannot_be(piece, why)
            return None
        try:
            _ = Position([unit], board=self._board)
        except PositionError as error:
            self._cannot_be(piece, str(error))
            return None
        self._owner = self._power or unit.power
        self.found.units[province] = unit
        self._placed[province] = piece.line
        if order is None:
            self._stated.add(province)
        return unit

    def _is_same(self, ordered: OrderedUnit, standing: Unit) -> bool:
        """Whether an order can be for a unit that was named before; a coast and a type may be left out."""
        same_type = ordered.type in (None, standing.type)
        same_place = ordered.location in (standing.location, province_code(standing.location))
        return same_type and same_place and ordered.power in (None, standing.power)

    def _center(self, piece: Piece, text: str) -> None:
        """Take in the supply centers that a power owns: `Lon`, or several without commas."""
        if self._power is None:
            self._whose(piece, text)
            return
        for each in (text, self.words.translate(text)):
            try:
                center = read_location(each, board=self._board)
            except NotationError:
                continue
            self.found.centers.setdefault(self._power, []).append(province_code(center))
            return
        for word in text.split():
            self.found.centers.setdefault(self._power, []).append(province_code(read_location(word, board=self._board)))

    def _named(self, unit: Unit) -> str:
        return f"{self._board.power_name(unit.power)}'s {unit.type} {unit.location}"

    def _begins_like_order(self, text: str) -> bool:
        """Whether a text that cannot be read was meant as an order: it begins with a unit, or with a move."""
        words = text.split()
        beginnings = (" ".join(words[:count]) for count in (2, 3, 4) if count <= len(words))
        return bool(_LOOKS_LIKE_ORDER.match(text)) or any(
            (unit := self._unit_alone(each, foreign=False)) is not None and unit.type is not None for each in beginnings
        )


def _phase_of(order: Order) -> Phase:
    if isinstance(order, _MOVEMENT):
        return "movement"
    return "retreat" if isinstance(order, (Retreat, Disband)) else "adjustment"


def _plain(text: str) -> str:
    """Put the sentences of servers and judges into the usual notation."""
    if sentence := _SENTENCE.fullmatch(text):
        unit = f"{sentence['type']} {sentence['at']}"
        if sentence["does"] is None:
            return f"{unit} {sentence['moves']}"
        helped = f"{sentence['start']} - {sentence['to']}" if sentence["start"] else sentence["to"]
        return f"{unit} {sentence['does']}s {helped}"
    if build := _BUILDS.fullmatch(text):
        does = "build" if build["does"].lower().startswith("build") else "remove"
        return f"{does} {build['type']} {build['at']}"
    if _WAIVES.fullmatch(text):
        return "waive"
    return _POSSESSIVE.sub(" - ", _UNIT_IN.sub(r"\1 ", _FILLERS.sub("", text)))
