"""What the signs on a board mean: all of them for a page, and those of one board for a picture of its own."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from ...reference_engine import standard_board
from .arrows import arrow_lines, support_lines
from .canvas import Kind, Line, Sketch, State, cross, joint, plus, ring, waves
from .drawing import center, draw_board, order_drawing, text, unit_symbol
from .geography import Window
from .geometry import Point, number, straight
from .labels import half_size
from .scenes import DrawnUnit, Scene, UnitMark
from .style import power_class

MARGIN = 12.0
TITLE_SIZE, LEAST_SIZE = 16.0, 10.0
"""The size of the title, and of one that is long."""
BOLDER = 1.35
"""How much wider a title of the full size is than the same text in the legend."""
ROW = 24.0
"""The height of a line of the legend of a picture."""
SIGN_WIDTH, SIGN_SCALE = 46.0, 0.6
_STATES = frozenset({"no", "void"})


class Sign(NamedTuple):
    """A sign, what it means, and the classes of the drawings that show it."""

    drawing: str
    meaning: str
    classes: frozenset[str] = frozenset()


def draw_legend() -> str:
    """Explain the signs: `<ul class="dm-legend">`, for a page that has `shared_map()` and `board_style()`."""
    key = '<svg class="dm dm-key" viewBox="0 0 72 36" aria-hidden="true">'
    signs = "".join(f"<li>{key}{sign.drawing}</svg> {text(sign.meaning)}</li>" for sign in _signs())
    return f'<ul class="dm-legend">{signs}</ul>'


def draw_picture(scene: Scene, *, title: str, window: Window) -> str:
    """Draw a board as a file of its own, with its title above it and the meaning of its signs below."""
    board = draw_board(scene, title=title, window=window)
    shown = [frozenset(classes.split()) for classes in re.findall(r'class="((?:o|u|own)\b[^"]*)"', board)]
    signs = [sign for sign in _signs() if any(_shows(classes, sign) for classes in shown)]
    legend, height = _lay_out(signs, window)
    room = window.width - 2 * MARGIN
    size = min(TITLE_SIZE, max(LEAST_SIZE, TITLE_SIZE * room / _title_width(title)))
    words = _shorten(title, room * TITLE_SIZE / size / BOLDER + 2 * MARGIN + 1)
    above = TITLE_SIZE + 2 * MARGIN
    frame = (
        _band(window, window.y - above, above)
        + f'<text class="caption" font-size="{number(size)}" x="{number(window.x + MARGIN)}"'
        + f' y="{number(window.y - MARGIN)}">{text(words)}</text>'
        + _band(window, window.y + window.height, height)
        + legend
    )
    view = Window(window.x, window.y - above, window.width, window.height + above + height)
    opening, _, rest = board.partition(f'viewBox="{window.view_box}"')
    return f'{opening}viewBox="{view.view_box}"{rest.removesuffix("</svg>")}{frame}</svg>'


def _shows(classes: frozenset[str], sign: Sign) -> bool:
    """Whether a drawing is explained by a sign."""
    return bool(sign.classes) and sign.classes <= classes and sign.classes & _STATES == classes & _STATES


def _band(window: Window, top: float, height: float) -> str:
    """Cover what is drawn beyond the window."""
    left, width = number(window.x - 1), number(window.width + 2)
    return f'<rect class="band" x="{left}" y="{number(top)}" width="{width}" height="{number(height)}"/>'


def _lay_out(signs: Collection[Sign], window: Window) -> tuple[str, float]:
    """Set signs in lines below a window; return them, and how high that is."""
    parts: list[str] = []
    x, y = MARGIN, MARGIN + ROW / 2
    for sign in signs:
        width = SIGN_WIDTH + 2 * half_size((sign.meaning,), "land")[0] + MARGIN
        if x > MARGIN and x + width > window.width:
            x, y = MARGIN, y + ROW
        left, middle = window.x + x, window.y + window.height + y
        place = f"translate({number(left)} {number(middle - 18 * SIGN_SCALE)})scale({SIGN_SCALE})"
        parts.append(f'<g class="dm" transform="{place}">{sign.drawing}</g>')
        words = _shorten(sign.meaning, window.width - SIGN_WIDTH)
        parts.append(
            f'<text class="key" x="{number(left + SIGN_WIDTH)}" y="{number(middle + 4.5)}">{text(words)}</text>'
        )
        x += width
    return "".join(parts), (y + ROW / 2 + MARGIN / 2 if signs else 0.0)


def _title_width(title: str) -> float:
    return max(1.0, 2 * half_size((title,), "land")[0] * BOLDER)


def _shorten(words: str, width: float) -> str:
    """Cut a text to a width."""
    while words and 2 * half_size((words,), "land")[0] > width - 2 * MARGIN:
        words = f"{words.rstrip('…')[:-1].rstrip()}…" if len(words) > 1 else ""
    return words


def _signs() -> Iterator[Sign]:
    way = straight(Point(6, 18), Point(66, 18))
    middle = Point(36, 18)
    army, fleet = _unit("A", 36), _unit("F", 36)
    for code, power in standard_board().powers.items():
        both = _unit("A", 20, power=code) + _unit("F", 52, power=code)
        yield Sign(both, power.name, frozenset({"u", power_class(code)}))
    yield Sign(army, "army")
    yield Sign(fleet, "fleet")
    yield Sign(_sign("move", "", *arrow_lines("", way)), "moves, or is meant to", frozenset({"o", "move"}))
    yield Sign(_sign("move", "no", *arrow_lines("no", way)), "move that fails", frozenset({"o", "move", "no"}))
    void = "not followed: illegal, void or ignored"
    yield Sign(_sign("move", "void", *arrow_lines("void", way)), void, frozenset({"o", "void"}))
    end = joint(way.end)
    supports = "supports the unit or the move that its ring marks"
    yield Sign(_sign("sup", "", *support_lines("", way), end), supports, frozenset({"o", "sup"}))
    yield Sign(_sign("sup", "no", *support_lines("no", way), end), "support that is cut", frozenset({"o", "sup", "no"}))
    yield Sign(_sign("con", "", waves(middle)) + fleet, "convoys an army", frozenset({"o", "con"}))
    yield Sign(
        _sign("con", "no", Line("g", way.data()), cross(middle, 3.6)),
        "convoy that fails",
        frozenset({"o", "con", "no"}),
    )
    yield Sign(_sign("hold", "", ring(middle)) + army, "holds", frozenset({"o", "hold"}))
    yield Sign(_sign("ret", "", *arrow_lines("", way)), "retreats", frozenset({"o", "ret"}))
    yield Sign(_sign("may", "", *arrow_lines("", way)), "may retreat there", frozenset({"o", "may"}))
    yield Sign(army + _sign("build", "", ring(middle), plus(middle)), "is built", frozenset({"o", "build"}))
    yield Sign(army + _sign("out", "", cross(middle, 13)), "is removed or disbands by order", frozenset({"o", "out"}))
    yield Sign(_unit("A", 36, "dislodged"), "dislodged", frozenset({"u", "dislodged"}))
    yield Sign(_unit("A", 36, "gone"), "removed without an order (civil disorder)", frozenset({"u", "gone"}))
    yield Sign(_unit("A", 36, "missing"), "expected, and missing from the answer", frozenset({"u", "missing"}))
    yield Sign(_unit("A", 36, "unexpected"), "in the answer, and not expected", frozenset({"u", "unexpected"}))
    yield Sign(center(middle, "FRANCE"), "supply center of the power", frozenset({"own"}))


def _sign(kind: Kind, state: State, *lines: Line) -> str:
    return order_drawing(Sketch(kind, state, lines))


def _unit(kind: str, x: int, mark: UnitMark = "", *, power: str = "FRANCE") -> str:
    return unit_symbol(DrawnUnit(power, kind, "", mark), Point(x, 18))
