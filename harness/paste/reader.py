"""Reads positions and orders as people write and paste them, and says all that it guessed or skipped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Literal, NamedTuple, NoReturn, final

from ...reference_engine import (
    Build,
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
    Remove,
    Retreat,
    SupportHold,
    SupportMove,
    Unit,
    Waive,
    province_code,
    read_order,
    standard_board,
    write_order,
)
from ...reference_engine.board import Board
from ...reference_engine.errors import nearest, printable
from ...reference_engine.maps import STANDARD, load_board, map_table, own_map_names
from ...reference_engine.notation import MAX_LENGTH, Reading, read_location
from ..errors import HarnessError
from ..play.positions import OrderedPosition
from .phases import Gathered, Pasted, PastedOrder, PastedPhase, phase_of, put_together
from .pieces import Piece, read_pieces
from .words import Block, Heading, plain, vocabulary_of

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


def read_later_orders(
    text: str, phase: Literal["retreat", "adjustment"], name: str
) -> tuple[PastedPhase, Sequence[str]]:
    """Read the orders of a retreat or an adjustment phase, if there are any, and what was skipped, in words.

    That are orders of other phases, units and supply centers: the position is known. Raises `PositionFileError`.
    """
    found = _Reader(standard_board(), only=phase).read(text, name)
    return phase_of(phase, None, {}, found.orders[phase]), found.notes


def read_pasted(text: str, name: str, *, needs_orders: bool = True, board: Board | None = None) -> Pasted:
    """Read what people paste: orders, one or several a line, their power before them or in a heading above.

    Every unit that is named, with an order of its own or without, stands on the board; it belongs to the power that
    orders it, unless the order says whose it is. Below a heading such as `Units:` are all of them. A phase that the
    text names stays in force. A support or a convoy that names nobody is for the move before it.
    Raises `PositionFileError` with all problems; `name` says in it what was read. Units alone are a position if their
    centers are known, or no order is needed. The board is the standard one, if no other is given.
    """
    found = _Reader(board or standard_board()).read(text, name)
    if needs_orders and not any(found.orders.values()) and not (found.units and found.centers):
        why = "there is no order; write lines such as 'Germany: A Mun - Ber'"
        raise PositionFileError(name, [Problem(1, 1, why)])
    try:
        return put_together(found)
    except PositionError as error:
        raise PositionFileError(name, [Problem(1, 1, str(error))]) from error


def read_on_best_map(text: str, name: str) -> tuple[Pasted, Board]:
    """Read what people paste on the standard map, or on the first of the project on which nothing is wrong with it.

    Another map is tried only where the standard one lacks a power or several provinces. The first note says which one
    it is. Raises `PositionFileError` with the problems on the standard map, or on one that it fits much better.
    """
    best: PositionFileError | None = None
    for map_name in (STANDARD, *(other for other in own_map_names() if "base" not in map_table(other))):
        board, note = load_board(map_name), f"read on the map {map_name}, whose names fit best"
        try:
            pasted = read_pasted(text, name, board=board)
            board = board.in_season(pasted.season)
            if board is not load_board(map_name):
                pasted = read_pasted(text, name, board=board)
        except PositionFileError as error:
            if best is None and not lacks_names(error.problems):
                raise
            if best is None or _FEWER_PROBLEMS * len(error.problems) <= len(best.problems):
                best = error if best is None else PositionFileError(f"{name} ({note})", error.problems)
        else:
            return pasted if map_name == STANDARD else pasted._replace(notes=(note, *pasted.notes)), board
    assert best is not None  # noqa: S101 - there is a standard map
    raise best


def lacks_names(problems: Iterable[Problem]) -> bool:
    """Whether a map lacks a power that a text names, or several provinces: one may be a slip."""
    said = [problem for _, _, problem in problems]
    return any("there is no power" in each for each in said) or sum("is no province" in each for each in said) > 1


def has_orders(text: str) -> bool:
    """Whether some order in a text can be read, of the standard board, whatever else is wrong with it."""
    reader = _Reader(standard_board())
    with suppress(PositionFileError):
        _ = reader.read(text, "")
    return any(reader.found.orders.values())


_FEWER_PROBLEMS = 3
"""How many times fewer there are on the map that a text with problems is taken to be on."""

_BUILDS = re.compile(
    r"(?:(?P<does>build|remove|disband|destroy)s?|\+)\s*(?P<units>(?:an?\s+|the\s+)?(?:army|fleet|[af])\b.+)",
    re.IGNORECASE,
)
"""`Builds an army in Budapest`, as the judges write; `Build A Ven and F Rom`."""
_NEXT_UNIT = re.compile(r"(?P<joined>(?:and|und|et|y|e)\s+)?(?=[AF]\s|(?:army|fleet)\b)", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:an?|the)\s+(?=army|fleet|[af]\s)", re.IGNORECASE)
_AND = re.compile(r"\s+(?:and|&|und|et|y|e)\s+(?=(?:an?\s+|the\s+)?(?:army|fleet|[AF])\s)")
_HELPS_THE_MOVE_BEFORE = re.compile(r".*\w\)?(?<!\bvia)(?<!\bby)\s+(c|con|convoys?|s|sup|supports?)", re.IGNORECASE)
"""`F Nth C`: an order that leaves out whom it helps, since the move stands before it. `VIA CONVOY` helps nobody."""
_PHASES: Mapping[type[Order], Phase] = {
    **dict.fromkeys((Hold, Move, SupportHold, SupportMove, Convoy), "movement"),
    **dict.fromkeys((Retreat, Disband), "retreat"),
    **dict.fromkeys((Build, Remove, Waive), "adjustment"),
}
_NAME = re.compile(r"[^\W\d_][\w' -]*")
_LONGEST_REMARK = 60
_KNOWN = "the units and the supply centers are known already"
_ARROWS = frozenset("-\u2013\u2014>\u2192")
MOST_GUESSED = 6
"""A text of more words is an order only if some of them are known, or an arrow is: guesses take long."""
MOST_MEANT = 4
"""A word that may mean more provinces than these has no hint."""


@final
class _Reader:
    """Gathers what the pieces of a text say. A piece that cannot be taken in raises a `PositionError`."""

    def __init__(self, board: Board, only: Phase | None = None) -> None:
        """`only` is the phase that is read, where the position is known."""
        self._words = vocabulary_of(board)
        self._board = board
        self._only: Phase | None = only
        self._problems: list[Problem] = []
        self.found = Gathered(board)
        self._piece = Piece(0, 0, "")
        self._offset: int = 0
        """How many characters of the piece are a heading before its order."""
        self._above: str | None = None
        """The power in a heading."""
        self._power: str | None = None
        """The power that the pieces of this line are of."""
        self._owner: str | None = None
        """The power of the unit before."""
        self._block: Block = "orders"
        self._phase: Phase | None = only
        """The phase that a heading names."""
        self._verb: str = ""
        """What is ordered of a unit that is only named, in a line that builds or removes others."""
        self._verb_above: str = ""
        """The same below a heading."""
        self._last_move: Move | None = None
        self._block_line: int = 0
        """The line for which alone the block holds, or 0."""
        self._lines: set[int] = set()
        """The lines with orders."""
        self._placed: dict[str, int] = {}
        """The line in which the unit in each province was named first."""
        self._stated: set[str] = set()
        """The provinces whose unit was named without an order: what an order calls it is up to the rules."""

    def read(self, text: str, name: str) -> Gathered:
        """Read a text up to its end, or to more problems than are looked for. Raises `PositionFileError`."""
        for count, piece in enumerate(read_pieces(text, self._words)):
            if len(self._problems) >= MOST_PROBLEMS:
                break
            if count >= MOST_PIECES:
                why = f"this is too long for a position: more than {MOST_PIECES} orders and remarks"
                self._problems.append(Problem(piece.line, piece.column, why))
                break
            if piece.line != self._piece.line:
                self._power, self._verb = self._above, self._verb_above
                self._block = "orders" if self._block_line == self._piece.line else self._block
            self._piece = piece
            for remark in piece.skipped:
                self._skip_remark(remark)
            order = self._read_headings(piece.text)
            self._offset = len(piece.text) - len(order)
            if order:
                self._read_order(order)
        if not self._problems:
            self._compare_with_list()
            bare = (each for each in self.found.bare if each[0] in self._lines)
            self.found.notes += [f"line {line}: {unit} has no order" for line, unit in bare]
        if self._problems:
            raise PositionFileError(name, self._problems)
        return self.found

    def _read_headings(self, text: str) -> str:
        """Take in the headings that a text begins with; return what stands behind them."""
        while text and (heading := self._words.read_heading(text[:MAX_LENGTH])) is not None:
            rest = text[len(text[:MAX_LENGTH]) - len(heading.rest) :] if heading.rest else ""
            if heading.power is not None:
                self._power = heading.power
                self._above = self._above if rest else heading.power
            if heading.block is not None:
                self._block = heading.block
                self._block_line = self._piece.line if rest and ":" not in text[: -len(rest)] else 0
                self._power = self._power if rest else None
                self._above = self._above if rest else None
                self._verb = heading.verb
                self._verb_above = "" if rest else heading.verb
                if heading.block == "after":
                    self._skip(text)
                elif heading.block == "units":
                    self.found.listed = self._piece.line
            self._begin(heading)
            text = rest
        return text

    def _begin(self, heading: Heading) -> None:
        """Take in the season and the phase that a heading names."""
        found = self.found
        if heading.phase is not None:
            before, self._phase = self._phase, heading.phase
            if before is not None and heading.phase == "movement" and not found.orders[before]:
                _ = found.named.pop(before, None)  # Nothing stood below its heading.
            _ = found.named.setdefault(heading.phase, self._piece.line)
        if heading.season is None:
            return
        date, year = (found.season, found.year), heading.year or found.year
        if not any(found.orders.values()):
            found.season, found.year = heading.season, year
        elif found.season and heading.phase == "movement" and date != (heading.season, year):
            before = f"{found.season} {found.year or ''}".rstrip()
            self._cannot_be(f"another turn begins here, after the orders of {before}: read each of them by itself")

    def _skip_remark(self, text: str) -> None:
        """Skip a text that is no order; take in the season and the phase that it names, if it is before the orders."""
        self._skip(text)
        if not any(self.found.orders.values()) and (date := self._words.date_of(text)) is not None:
            self._begin(date)

    def _compare_with_list(self) -> None:
        """Note the orders of movements for units that are not on the list, if the text has one."""
        unlisted = self._placed.keys() - self._stated if self.found.listed else ()
        for province in sorted(unlisted, key=self._placed.__getitem__):
            unit = self.found.units[province]
            why = f"{self._named(unit)} is not on the list of units (line {self.found.listed}): add it there"
            self._problems.append(Problem(self._placed[province], 1, f"{why}, or put # before the order"))

    def _read_order(self, text: str) -> None:
        """Take in an order, a unit without one, or supply centers; or note why that is not possible."""
        if len(text) > MAX_LENGTH:
            if self._words.is_about_units(text[:MAX_LENGTH]):
                self._cannot_be(f"an order has at most {MAX_LENGTH} characters")
            else:
                self._skip(text)
            return
        if len(text.split()) > MOST_GUESSED and not (_ARROWS & set(text) or self._words.is_about_units(text)):
            self._skip_remark(text)
            return
        try:
            self._take(text)
        except PositionError as error:
            self._cannot_be(str(error))
        except NotationError as error:
            before, colon, _ = text.partition(":")
            if self._piece.is_question or not self._words.is_about_units(text):
                self._skip_remark(text)
            elif colon and _NAME.fullmatch(before.strip()) and self._words.power_named(before) is None:
                names = [power.name for power in self._board.powers.values()]
                self._cannot_be(f"there is no power {printable(before)!r}{nearest(before, names)}")
            else:
                why = f"{error.problem}{self._meant(error)}"
                shown = f"{why}\n  {printable(error.text)}\n  {' ' * error.column}^"
                begins = self._words.begins_like_order(text)
                self._cannot_be(shown if begins else f"{shown}\n  Put # before it if it is no order.", error.column)

    def _meant(self, error: NotationError) -> str:
        """Name the provinces that an unknown word may mean."""
        word = re.match(r"[\w'-]*", error.text[error.column :])
        codes = self._words.meant_by(word[0]) if word and "is no province" in error.problem else ()
        names = [f"{code} ({self._board.describe(code)})" for code in codes[:MOST_MEANT]]
        return f"; is it {' or '.join(names)}?" if names and len(codes) <= MOST_MEANT else ""

    def _take(self, text: str) -> None:
        if self._block == "after":  # Its heading was noted.
            return
        if self._block == "centers" and self._take_centers(text):
            return
        if ordered := _BUILDS.fullmatch(text):
            self._verb = ordered["does"] or "build"
            for unit in _AND.split(ordered["units"]):
                self._take_orders(f"{self._verb} {plain(_ARTICLE.sub('', unit.strip()))}")
            return
        unit = self._unit_alone(text)
        if unit is not None and self._verb and self._block == "orders":
            self._take_order(f"{self._verb} {plain(text)}")
        elif unit is None:
            self._take_orders(plain(text))
        elif self._only is not None:
            self._note(f"skipped {printable(text)!r}: {_KNOWN}")
        elif self._block == "dislodged" or "dislodged" in self._piece.results:
            self.found.dislodged.append(self._unit(text, unit, None))
            if self._block != "dislodged" and self._phase != "retreat":
                _ = self._place(text, unit, None)
        else:
            placed = self._place(text, unit, None)
            if self._block == "orders":
                self.found.bare.append((self._piece.line, f"{placed.type} {placed.location}"))

    def _take_centers(self, text: str) -> bool:
        """Take in supply centers, also as the units in them; return whether it is no order, which ends their list."""
        if self._only is not None:
            self._note(f"skipped {printable(text)!r}: {_KNOWN}")
            return True
        try:
            self._center(text)
        except NotationError:
            if (unit := self._unit_alone(text)) is not None:
                self._center(province_code(unit.location))
            elif _BUILDS.fullmatch(text) or self._words.begins_like_order(text):
                self._block = "orders"
                return False
            else:
                raise
        return True

    def _take_orders(self, text: str) -> None:
        """Take in an order, or several orders or units with nothing between them: `A Ber - Swe F Bal C A Ber - Swe`."""
        try:
            self._take_order(text)
        except NotationError as error:
            before, behind = error.text[: error.column].strip(), _NEXT_UNIT.match(error.text, error.column)
            if not before or behind is None:
                raise
            if self._unit_alone(before) is None:
                self._take_order(before)
            elif behind["joined"]:  # `F Nth and F Eng convoy …` orders both.
                raise
            else:
                self._take(before)
            self._take(error.text[behind.end() :])

    def _take_order(self, text: str) -> None:
        reading, text = self._order(text)
        phase = _PHASES[type(reading.order)]
        if self._only not in (None, phase):
            self._note(f"skipped {printable(text)!r}: it is no order of the {self._only} phase")
            return
        if self._phase in ("retreat", "adjustment") and phase == "movement":
            where = f"the {self._phase} phase that line {self.found.named[self._phase]} begins"
            if self._phase == "retreat" and isinstance(reading.order, Hold) and not self.found.orders["movement"]:
                _ = self._place(text, reading.order.unit, None)
                self._note(f"{printable(text)!r} read as a unit that stands there")
                return
            why = f"{printable(text)!r} is no order of {where}"
            if self._phase == "adjustment" or not self.found.orders["movement"]:
                raise PositionError(f"{why}: write a line 'Moves' above it if it is of a movement phase")
            self._note(why)
            phase = self._phase
        for note in reading.notes:
            self._note(note)
        self._give(text, reading.order, phase)

    def _cannot_be(self, why: str, column: int = 0) -> None:
        """Note a problem; the column is that of the text behind the headings of the piece."""
        self._problems.append(Problem(self._piece.line, self._piece.column + self._offset + column, why))

    def _skip(self, text: str) -> None:
        shown = text if len(text) <= _LONGEST_REMARK else f"{text[:_LONGEST_REMARK]}\u2026"
        self._note(f"skipped {printable(shown)!r}")

    def _note(self, what: str) -> None:
        self.found.notes.append(f"line {self._piece.line}: {what}")

    def _unit_alone(self, text: str) -> OrderedUnit | None:
        """Read a unit without an order, as one that holds: what was guessed to read it is noted."""
        text = plain(text)
        with suppress(NotationError):
            if not self._read(text).notes:
                return None  # It has an order, which is read again at once.
        with suppress(NotationError):
            reading, _ = self._order(f"{text} H", notes=False)
            if isinstance(reading.order, Hold):
                for note in reading.notes:
                    self._note(note)
                return reading.order.unit
        return None

    def _order(self, text: str, *, notes: bool = True) -> tuple[Reading, str]:
        """Read an order as it stands; with the move before it that it helps; in another language; by a guess."""
        failed: NotationError | None = None
        guessed: tuple[Reading, str] | None = None
        for candidate in self._candidates(text):
            try:
                reading = self._read(candidate)
            except NotationError as error:
                failed = failed or error
                continue
            guessed = guessed or (reading, candidate)
            if not reading.notes:
                guessed = reading, candidate
                break
        if guessed is None:
            raise failed or NotationError(text, 0, "nothing is ordered")
        if notes and guessed[1] != text:
            self._note(f"{printable(text)!r} read as {write_order(guessed[0].order, board=self._board)!r}")
        return guessed

    def _candidates(self, text: str) -> Iterator[str]:
        yield text
        if self._last_move is not None and _HELPS_THE_MOVE_BEFORE.fullmatch(text):
            unit, to = self._last_move.unit, self._last_move.to
            helped = write_order(Move(OrderedUnit(unit.location, unit.type), to), board=self._board)
            yield f"{text} {helped}"
        if (translated := plain(self._words.translate(text))) != text:
            yield translated

    def _read(self, text: str) -> Reading:
        return read_order(text, self._phase or "movement", board=self._board, short_slips=False)

    def _give(self, text: str, order: Order, phase: Phase) -> None:
        unit: Unit | None = None
        if isinstance(order, Waive):
            power = self._power or self._owner or self._whose(text)
        else:
            unit = (self._place if phase == "movement" else self._unit)(text, order.unit, order)
            power = self._power or unit.power
        self._lines.add(self._piece.line)
        given = PastedOrder(GivenOrder(power, order), text, unit, self._piece.results)
        self.found.orders[phase].append(given)
        if isinstance(order, Move):
            self._last_move = order
        elif phase != "movement" and unit is not None:
            self._owner = power

    def _whose(self, text: str) -> NoReturn:
        raise PositionError(f"whose is it? Write 'Germany: {printable(text)}', or a line 'Germany:'")

    def _unit(self, text: str, ordered: OrderedUnit, order: Order | None) -> Unit:
        power = ordered.power or self._power or self._owner or self._whose(text)
        unit_type = ordered.type
        # Inland there are armies only, at sea fleets: where the unit is, or where it goes.
        for location in (ordered.location, order.to if isinstance(order, Move) else ""):
            province = self._board.province(location)
            if unit_type is None and province is not None and province.terrain != "coastal":
                unit_type = "F" if province.terrain == "sea" else "A"
                self._note(f"the unit in {ordered.location} read as {'a fleet' if unit_type == 'F' else 'an army'}")
        if unit_type is None and isinstance(order, Build):  # It stands nowhere yet, and 4.C.3 says what is built.
            unit_type = "F" if "/" in ordered.location else "A"
        if unit_type is None:
            raise PositionError(f"an army or a fleet? Write 'A {printable(text)}' or 'F {printable(text)}'")
        return Unit(power, unit_type, ordered.location)

    def _place(self, text: str, ordered: OrderedUnit, order: Order | None) -> Unit:
        """Put a unit on the board; return it, or the one that stands there. Raises `PositionError`."""
        province = province_code(ordered.location)
        standing = self.found.units.get(province)
        # An order can be for a unit that was named before; it may leave out a coast and a type.
        if (
            standing is not None
            and ordered.type in (None, standing.type)
            and ordered.location in (standing.location, province)
            and ordered.power in (None, standing.power)
        ):
            if standing.power != (self._power or standing.power) and order is not None:
                self._note(f"{self._named(standing)} is a unit of another power (line {self._placed[province]})")
            self._owner = self._power or standing.power
            return standing
        unit = self._unit(text, ordered, order)
        if standing is not None:
            if province not in self._stated or order is None or standing.power != unit.power:
                where = f"in line {self._placed[province]}"
                raise PositionError(f"{self._named(standing)} stands there already, {where}")
            self._note(f"{printable(text)!r} is taken as an order to {self._named(standing)}")
            return standing
        _ = Position([unit], board=self._board)
        self._owner = self._power or unit.power
        self.found.units[province] = unit
        self._placed[province] = self._piece.line
        if order is None or self._block == "units":
            self._stated.add(province)
        return unit

    def _center(self, text: str) -> None:
        power = self._power or self._whose(text)
        centers: Iterable[str] = (read_location(word, board=self._board) for word in text.split())
        for each in (self._words.translate(text), text):  # What the text itself says counts.
            with suppress(NotationError):
                centers = [read_location(each, board=self._board)]
        for center in centers:
            self.found.centers.setdefault(power, []).append(province_code(center))

    def _named(self, unit: Unit) -> str:
        return f"{self._board.power_name(unit.power)}'s {unit.type} {unit.location}"
