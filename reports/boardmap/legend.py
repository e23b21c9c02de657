"""What the signs on a board mean: a list in HTML, each sign drawn as on the board. It needs the style of a board."""

from __future__ import annotations

from collections.abc import Iterator

from ...reference_engine import standard_board
from .arrows import arrow_lines
from .geometry import Point, straight
from .scene import DrawnOrder, DrawnUnit, Outcome, UnitMark
from .signs import plus, ring
from .sketch import Line, Sketch, cross, dots, state_of
from .supports import support_lines, waves
from .symbols import center, order_drawing, text, unit_symbol

_FROM, _TO = Point(6, 18), Point(66, 18)
_MIDDLE = Point(36, 18)


def draw_legend() -> str:
    """Explain the signs: `<ul class="dm-legend">`, for a page that has `shared_map()`."""
    signs = "".join(
        f'<li><svg class="dm dm-key" viewBox="0 0 72 36" aria-hidden="true">{sign}</svg> {text(meaning)}</li>'
        for sign, meaning in (*_units(), *_orders(), *_marks())
    )
    return f'<ul class="dm-legend">{signs}</ul>'


def _units() -> Iterator[tuple[str, str]]:
    for code, power in standard_board().powers.items():
        yield _unit("A", 20, power=code) + _unit("F", 52, power=code), power.name
    yield _unit("A", 36), "army"
    yield _unit("F", 36), "fleet"


def _orders() -> Iterator[tuple[str, str]]:
    yield _move(), "moves, or is meant to"
    yield _move("fails", "bounced"), "move that fails"
    yield _move("fails", "illegal"), "order that is not followed: illegal, void or ignored"
    yield _support(), "supports the move or the unit that the dot is on"
    yield _support("fails", "cut"), "support that is cut"
    yield order_drawing(Sketch("con", "", (Line("w", waves(_MIDDLE)),))) + _unit("F", 36), "convoys an army"
    yield order_drawing(Sketch("hold", "", (Line("o", ring(_MIDDLE, 17)),))) + _unit("A", 36), "holds"
    retreat = straight(_FROM, _TO)
    yield order_drawing(Sketch("may", "", arrow_lines(_order(), retreat))), "may retreat there"
    built = order_drawing(Sketch("build", "", (Line("o", ring(_MIDDLE, 17)), Line("x", plus(_MIDDLE)))))
    yield _unit("A", 36) + built, "is built"
    yield _unit("A", 36) + order_drawing(Sketch("out", "", (cross(_MIDDLE, 13),))), "is removed or disbands"


def _marks() -> Iterator[tuple[str, str]]:
    yield _unit("A", 36, "dislodged"), "dislodged; smaller, beside its attacker, once that stands in its place"
    yield _unit("A", 36, "missing"), "expected, and missing from the answer"
    yield _unit("A", 36, "unexpected"), "in the answer, and not expected"
    yield center(_MIDDLE, "FRANCE"), "supply center in the colour of its owner"


def _order(outcome: Outcome | None = None, reason: str | None = None) -> DrawnOrder:
    return DrawnOrder("", None, "", outcome, reason)


def _move(outcome: Outcome | None = None, reason: str | None = None) -> str:
    order = _order(outcome, reason)
    return order_drawing(Sketch("move", state_of(order), arrow_lines(order, straight(_FROM, _TO))))


def _support(outcome: Outcome | None = None, reason: str | None = None) -> str:
    order = _order(outcome, reason)
    curve = straight(_FROM, _TO)
    return order_drawing(Sketch("sup", state_of(order), (*support_lines(state_of(order), curve), dots([curve.end]))))


def _unit(kind: str, x: int, mark: UnitMark = "", *, power: str = "FRANCE") -> str:
    return unit_symbol(DrawnUnit(power, kind, "", mark), Point(x, 18), titled=False)
