"""Reads positions and orders as people write and paste them, and says all that it guessed or skipped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, NoReturn, final

from ...reference_engine import (
    Build,
    Convoy,
    Disband,
    Dislodged,
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
from ...reference_engine.notation import MAX_LENGTH, Reading, read_location, read_unit
from ...reference_engine.orders import PHASES
from ..errors import HarnessError
from ..play.positions import OrderedPosition
from .words import Block, Piece, read_pieces, vocabulary_of

MOST_PROBLEMS = 20
"""More problems than these are not looked for."""
MOST_PIECES = 1000
"""A longer text is no position: so many orders and remarks take about a second."""


class PastedOrder(NamedTuple):
    """An order, as it was read and as it was written."""

    given: GivenOrder
    text: str
    unit: Unit | None = None
    """The unit that it is for, in a later phase."""


class PastedPhase(NamedTuple):
    """The orders of a phase."""

    phase: Phase
    position: Position | None
    """`None` where it follows from the phase before."""
    centers: Mapping[str, tuple[str, ...]]
    orders: tuple[GivenOrder, ...]
    texts: tuple[str, ...]


class Pasted(NamedTuple):
    """What was pasted."""

    phases: tuple[PastedPhase, ...]
    season: str
    year: int
    notes: tuple[str, ...]
    """What was guessed or skipped, in words."""
    centers: Mapping[str, tuple[str, ...]] = {}
    """The supply centers that each power owns, where the text says it."""


@dataclass
class Gathered:
    """Units, orders and supply centers as they are gathered."""

    board: Board
    units: dict[str, Unit] = field(default_factory=dict[str, Unit])
    """The unit in each province."""
    orders: Mapping[Phase, list[PastedOrder]] = field(default_factory=lambda: {phase: [] for phase in PHASES})
    centers: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    notes: list[str] = field(default_factory=list[str])
    season: str = ""
    year: int = 0
    is_adjustment: bool = False
    """Whether a heading names an adjustment phase."""


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
    found = _Reader(standard_board(), phase, only=phase).read(text, name)
    return _phase(phase, None, {}, found.orders[phase]), found.notes


def read_pasted(text: str, name: str, *, needs_orders: bool = True, board: Board | None = None) -> Pasted:
    """Read what people paste: orders, one or several a line, their power before them or in a heading above.

    Every unit that is named, with an order of its own or without, stands on the board; it belongs to the power that
    orders it, unless the order says whose it is. A support or a convoy that names nobody is for the move before it.
    Raises `PositionFileError` with all problems; `name` says in it what was read. Units alone are a position only if no
    order is needed. The board is the standard one, if no other is given.
    """
    found = _Reader(board or standard_board()).read(text, name)
    if needs_orders and not any(found.orders.values()):
        why = "there is no order; write lines such as 'Germany: A Mun - Ber'"
        raise PositionFileError(name, [Problem(1, 1, why)])
    try:
        return put_together(found)
    except PositionError as error:
        raise PositionFileError(name, [Problem(1, 1, str(error))]) from error


def has_orders(text: str) -> bool:
    """Whether some order in a text can be read, of the standard board, whatever else is wrong with it."""
    reader = _Reader(standard_board())
    with suppress(PositionFileError):
        _ = reader.read(text, "")
    return any(reader.found.orders.values())


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
_PHASES: Mapping[type[Order], Phase] = {
    **dict.fromkeys((Hold, Move, SupportHold, SupportMove, Convoy), "movement"),
    **dict.fromkeys((Retreat, Disband), "retreat"),
    **dict.fromkeys((Build, Remove, Waive), "adjustment"),
}
_NAME = re.compile(r"[^\W\d_][\w' -]*")
_LONGEST_REMARK = 60


@final
class _Reader:
    """Gathers what the pieces of a text say. A piece that cannot be taken in raises a `PositionError`."""

    def __init__(self, board: Board, block: Block = "movement", only: Phase | None = None) -> None:
        """`block` says what the first lines are about, unless a heading does; `only` is the phase that is read."""
        self._words = vocabulary_of(board)
        self._board = board
        self._only: Phase | None = only
        self._problems: list[Problem] = []
        self.found = Gathered(board)
        self._piece = Piece(0, 0, "", ())
        self._offset: int = 0
        """How many characters of the piece are a heading before its order."""
        self._above: str | None = None
        """The power in a heading."""
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
                self._power = self._above
            self._piece = piece
            self._skip(*piece.skipped)
            order = self._read_headings(piece.text)
            self._offset = len(piece.text) - len(order)
            if order:
                self._read_order(order)
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
                self._above = self._power = None if heading.power is None and not rest else self._power
                self.found.season = self.found.season or heading.season or ""
                self.found.year = self.found.year or heading.year or 0
                self.found.is_adjustment |= heading.block == "adjustment"
            text = rest
        return text

    def _read_order(self, text: str) -> None:
        """Take in an order, a unit without one, or supply centers; or note why that is not possible."""
        if len(text) > MAX_LENGTH:
            if self._begins_like_order(text[:MAX_LENGTH]):
                self._cannot_be(f"an order has at most {MAX_LENGTH} characters")
            else:
                self._skip(text)
            return
        try:
            self._take(text)
        except PositionError as error:
            self._cannot_be(str(error))
        except NotationError as error:
            before, colon, behind = text.partition(":")
            if not self._begins_like_order(text) and not (colon and self._begins_like_order(behind.strip())):
                self._skip(text)
            elif colon and _NAME.fullmatch(before.strip()) and self._words.power_named(before) is None:
                names = [power.name for power in self._board.powers.values()]
                self._cannot_be(f"there is no power {printable(before)!r}{nearest(before, names)}")
            else:
                shown = f"{error.problem}\n  {printable(error.text)}\n  {' ' * error.column}^"
                self._cannot_be(shown, error.column)

    def _take(self, text: str) -> None:
        is_center = self._block == "centers"
        text = text if is_center else _plain(text)
        unit = None if is_center else self._unit_alone(text, self._words.translate(text))
        if self._only is not None and (is_center or unit is not None):
            self._note(f"skipped {printable(text)!r}: the units and the supply centers are known already")
        elif is_center:
            self._center(text)
        elif unit is not None:
            _ = self._place(text, unit, None)
        else:
            reading, text = self._order(text)
            if self._only not in (None, _PHASES[type(reading.order)]):
                self._note(f"skipped {printable(text)!r}: it is no order of the {self._only} phase")
                return
            for note in reading.notes:
                self._note(note)
            self._give(text, reading.order)

    def _cannot_be(self, why: str, column: int = 0) -> None:
        """Note a problem; the column is that of the text behind the headings of the piece."""
        self._problems.append(Problem(self._piece.line, self._piece.column + self._offset + column, why))

    def _skip(self, *texts: str) -> None:
        for text in texts:
            shown = text if len(text) <= _LONGEST_REMARK else f"{text[:_LONGEST_REMARK]}\u2026"
            self._note(f"skipped {printable(shown)!r}")

    def _note(self, what: str) -> None:
        self.found.notes.append(f"line {self._piece.line}: {what}")

    def _unit_alone(self, *texts: str) -> OrderedUnit | None:
        for text in texts:
            with suppress(NotationError):
                return read_unit(text, board=self._board)
        return None

    def _order(self, text: str) -> tuple[Reading, str]:
        """Read an order as it stands; with the move before it that it helps; in another language."""
        phase: Phase = self._block if self._block in ("retreat", "adjustment") else "movement"
        failed: NotationError | None = None
        candidates = [text, _plain(self._words.translate(text))]
        if self._last_move is not None and _HELPS_THE_MOVE_BEFORE.fullmatch(text):
            unit, to = self._last_move.unit, self._last_move.to
            helped = write_order(Move(OrderedUnit(unit.location, unit.type), to), board=self._board)
            candidates.insert(1, f"{text} {helped}")
        for candidate in dict.fromkeys(candidates):
            try:
                reading = read_order(candidate, phase, board=self._board)
            except NotationError as error:
                failed = failed or error
                continue
            if candidate != text:
                self._note(f"{printable(text)!r} read as {write_order(reading.order, board=self._board)!r}")
            return reading, candidate
        raise failed or NotationError(text, 0, "nothing is ordered")

    def _give(self, text: str, order: Order) -> None:
        phase, unit = _PHASES[type(order)], None
        if isinstance(order, Waive):
            power = self._power or self._owner or self._whose(text)
        else:
            unit = (self._place if phase == "movement" else self._unit)(text, order.unit, order)
            power = self._power or unit.power
        self.found.orders[phase].append(PastedOrder(GivenOrder(power, order), text, unit))
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
        if order is None:
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

    def _begins_like_order(self, text: str) -> bool:
        """Whether a text that cannot be read was meant as an order: it begins with a unit, or with a move."""
        words = text.split()
        beginnings = (" ".join(words[:count]) for count in (2, 3, 4) if count <= len(words))
        return bool(_LOOKS_LIKE_ORDER.match(text)) or any(
            (unit := self._unit_alone(each)) is not None and unit.type is not None for each in beginnings
        )


def _plain(text: str) -> str:
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


def put_together(found: Gathered) -> Pasted:
    """Make the phases. Raises `PositionError`."""
    phases: list[PastedPhase] = []
    movement, retreats, adjustments = (found.orders[phase] for phase in PHASES)
    is_adjustment = bool(adjustments) or (found.is_adjustment and not (movement or retreats))
    if movement or not (retreats or is_adjustment):
        phases.append(_phase("movement", Position(found.units.values(), board=found.board), {}, movement))
    if retreats:
        phases.append(_phase("retreat", None if phases else _retreat_position(found), {}, retreats))
    if is_adjustment and (found.centers or not phases):
        position = None if phases else _adjustment_position(found)
        centers = position.centers if position is not None else found.centers
        phases.append(_phase("adjustment", position, centers, adjustments))
    elif adjustments:
        found.notes.append("the winter orders are skipped: it is not said which supply centers each power owns")
    usual = "winter" if phases[0].phase == "adjustment" else "spring"
    season, year = found.season or usual, found.year or 1901
    return Pasted(tuple(phases), season, year, tuple(found.notes), _sorted(found.centers))


def _phase(
    phase: Phase, position: Position | None, centers: Mapping[str, Iterable[str]], orders: Sequence[PastedOrder]
) -> PastedPhase:
    given, texts = tuple(each.given for each in orders), tuple(each.text for each in orders)
    return PastedPhase(phase, position, _sorted(centers), given, texts)


def _sorted(centers: Mapping[str, Iterable[str]]) -> Mapping[str, tuple[str, ...]]:
    return {power: tuple(sorted(owned)) for power, owned in centers.items()}


def _retreat_position(found: Gathered) -> Position:
    """Guess the retreats of dislodged units: every province next to them where no unit stands."""
    entries = [
        Dislodged(unit, None, tuple(to for to in near if province_code(to) not in found.units))
        for unit in dict.fromkeys(each.unit for each in found.orders["retreat"] if each.unit is not None)
        if (near := found.board.destinations(unit))
    ]
    found.notes.append("only the retreats are given, not the moves before them: every vacant neighbor is taken as open")
    return Position(found.units.values(), phase="retreat", dislodged=entries, board=found.board)


def _adjustment_position(found: Gathered) -> Position:
    """Put the units on the board; guess the supply centers of a power where they are not given."""
    adjustments = found.orders["adjustment"]
    for each in adjustments:
        if isinstance(each.given.order, Remove) and each.unit is not None:
            _ = found.units.setdefault(province_code(each.unit.location), each.unit)
    centers = {power: list(owned) for power, owned in found.centers.items()}
    for power in dict.fromkeys(each.given.power for each in adjustments):
        if power not in centers:
            centers[power] = _guessed_centers(found, power, centers)
            names = ", ".join(centers[power]) or "no center"
            name = found.board.power_name(power)
            found.notes.append(f"{name} is taken to own {names}: its centers are not given")
    return Position(found.units.values(), phase="adjustment", centers=centers, board=found.board)


def _guessed_centers(found: Gathered, power: str, known: Mapping[str, list[str]]) -> list[str]:
    """Guess as many centers as the orders need: those of builds, then those where units stand, then home centers."""
    board = found.board
    orders = [each.given.order for each in found.orders["adjustment"] if each.given.power == power]
    units = [province for province, unit in found.units.items() if unit.power == power]
    needed = len(units) + sum(-1 if isinstance(order, Remove) else 1 for order in orders)
    built = [province_code(order.unit.location) for order in orders if isinstance(order, Build)]
    taken = {center for owned in known.values() for center in owned}
    candidates = dict.fromkeys([*built, *units, *board.powers[power].home_centers, *sorted(board.supply_centers)])
    free = [center for center in candidates if center in board.supply_centers and center not in taken]
    return free[: max(needed, 0)]
