"""One board as SVG: the map with the units and orders of a scene on it, and the legend of its signs.

`draw_board` makes a file of its own (`base="inline"`), or one board of many in a page (`base="reference"`): the page
then holds `shared_map()` once, and `page_style()`, the style of all its boards. Every text from outside goes through
`text`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from typing import Literal, NamedTuple
from xml.sax.saxutils import escape

from ...reference_engine import Board, province_code, standard_board
from ..text import printable
from . import arrows
from .geography import Window, geography_of, make_environment, map_ground, whole_map
from .geometry import Point, number, straight
from .labels import Obstacles, place_labels
from .mapdata import WHOLE_WIDTHS, half_size
from .scenes import DrawnOrder, DrawnUnit, Scene, State, UnitMark, describe_order, describe_scene, describe_unit
from .style import GREATEST_SCALE, LEAST_SCALE, MORE_COLORS, PALETTE, letter_color, power_class, with_plain_values

SMALL = ".86"
"""The size of a dislodged unit, beside those that stand."""

_ARMY = '<circle r="11.5"/>'
_FLEET = '<path d="M-1.5-7V-17L9-7H14.5Q13 11 3.5 11H-3.5Q-13 11-14.5-7z"/>'
_ANY = '<path d="M0-13L13 0 0 13-13 0z"/>'
_STRUCK = '<path class="x" d="M-14 14L14-14"/>'


def text(content: str) -> str:
    """A text from anywhere as the content of an element."""
    return escape(printable(content))


def unit_symbol(unit: DrawnUnit, spot: Point, board: Board, *, small: bool = False, titled: bool = False) -> str:
    """A unit: a disc for an army, a hull for a fleet, the letter on it, and what is marked of it around it."""
    letter, shape = {"A": ("A", _ARMY), "F": ("F", _FLEET)}.get(unit.type, ("?", _ANY))
    scale = f"scale({SMALL})" if small else ""
    around = f'<path class="z" d="{arrows.ring(Point(0, 0), 16).data}"/>' if unit.mark not in ("", "gone") else ""
    across = _STRUCK if unit.mark == "gone" else ""
    name = f"{board.power_name(unit.power)[:40]}: {describe_unit(unit, board)}" if titled else ""
    return (
        _group("u", power_class(unit.power, board), unit.mark)
        + f'{_province("p", unit.location, board)} transform="translate({number(spot.x)} {number(spot.y)}){scale}">'
        + f'{_title(name)}{around}{shape}{across}<text y="5">{letter}</text></g>'
    )


def order_drawing(sketch: arrows.Sketch, scene: Scene | None = None) -> str:
    """The drawing of an order; one of a scene shows a pointer what it is, and is lit up with the units it is about."""
    given = sketch.order
    title = describe_order(given, scene) if given and scene else ""
    board = scene.board if scene else standard_board()
    units = [("p", given.unit), ("h", given.helped)] if given else []
    paths = "".join(
        f'<path class="{style}" d="{data}"/>' if style else f'<path class="h" d="{data}"/><path d="{data}"/>'
        for style, data in sketch.lines
    )
    return (
        _group("o", sketch.kind, sketch.state, power_class(given.power, board) if given else "")
        + f"{''.join(_province(name, unit.location, board) for name, unit in units if unit)}>{_title(title)}{paths}</g>"
    )


def _group(*classes: str) -> str:
    return f'<g class="{" ".join(filter(None, classes))}"'


def _title(words: str) -> str:
    return f"<title>{text(words)}</title>" if words else ""


def drawn_province(given: DrawnOrder, board: Board) -> str:
    """The province of the unit of an order; empty for one that is not drawn."""
    return given.province if given.province in geography_of(board).provinces else ""


def _province(name: str, location: str, board: Board) -> str:
    """An attribute with the province of a location; none for what is not on the map."""
    code = province_code(location)
    return f' data-{name}="{code}"' if code in geography_of(board).provinces else ""


def _center(spot: Point, power: str, board: Board) -> str:
    return f'<circle class="own {power_class(power, board)}" cx="{number(spot.x)}" cy="{number(spot.y)}" r="5"/>'


PLAIN_RADIUS, MARKED_RADIUS = 18.0, 20.0
"""The room that a unit takes, without and with a mark around it."""
JOINT_RADIUS = 5.5
TIP_ROOM = 7.0
"""The room that the end of an arrow takes."""

MAP_ID = "dm-map"
"""The id of the map that a page shares."""


def draw_board(
    scene: Scene,
    *,
    title: str,
    prefix: str = "board",
    base: Literal["inline", "page", "reference"] = "inline",
    theme: Literal["auto", "light", "dark"] = "auto",
    window: Window | None = None,
) -> str:
    """Draw a board as one `<svg>` element.

    `prefix` makes the ids in it unique among the boards of a page. `base` is "inline" for a file of its own, "page" in
    a page that holds `page_style()`, "reference" if that holds `shared_map()` of its board, too. `theme` is that of the
    reader, unless one is forced. `window` is the part of the map to show.
    """
    prefix = re.sub(r"[^A-Za-z0-9]+", "-", prefix).strip("-")
    prefix = prefix if prefix[:1].isalpha() else f"b{prefix}"
    board = scene.board
    if not geography_of(board).provinces:
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" class="board-map" viewBox="0 0 600 60" role="img">'
            f"<title>{text(title)}</title><desc>{text(describe_scene(scene))}</desc>"
            f'<text x="8" y="36">The map {text(board.name)} has no places to draw it at.</text></svg>'
        )
    window = window or whole_map(board)
    forced = "" if theme == "auto" else f" {theme}"
    is_shared = base == "reference"
    if is_shared:  # What the page has fills the board: a browser keeps one drawing of it for all.
        ground = f'<rect fill="url(#{map_id(board)})" {_map_size(board)}/>'
    else:
        style = f"<style>{board_style(board)}</style>" if base == "inline" else ""
        ground = style + map_ground(board, f"{prefix}-")
    overlay = _overlay(scene, window, map_id(board) if is_shared else prefix, titled=not is_shared)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board-map dm w{window.width:g}{forced}"'
        + f' viewBox="{window.view_box}" role="img" aria-labelledby="{prefix}-t {prefix}-d">'
        + f'<title id="{prefix}-t">{text(title)}</title><desc id="{prefix}-d">{text(describe_scene(scene))}</desc>'
        + ground
        + "".join(overlay)
        + "</svg>"
    )


def map_id(board: Board) -> str:
    """The id of the map of a board in a page that shares it."""
    return MAP_ID if board is standard_board() else f"{MAP_ID}-{re.sub('[^A-Za-z0-9]+', '-', board.name)}"


def shared_map(*boards: Board) -> str:
    """The maps of the boards of a page, without a style, to stand once in its body; they take no room there.

    Without a board it is the standard map.
    """
    patterns = (
        f'<pattern id="{map_id(board)}" {_map_size(board)} patternUnits="userSpaceOnUse">'
        + f"{map_ground(board, f'{map_id(board)}-', titled=False)}</pattern>"
        for board in boards or (standard_board(),)
        if geography_of(board).provinces
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="board-map dm-shared" width="0" height="0" aria-hidden="true">'
        f"{''.join(patterns)}</svg>"
    )


def draw_map(theme: Literal["light", "dark"]) -> str:
    """Draw the whole map as a file of its own, with the style of all that stands on boards, and the ids of a page."""
    board = standard_board()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board-map {theme}" viewBox="{whole_map(board).view_box}"'
        f" {_map_size(board)}><style>{board_style()}</style>{map_ground(board, f'{MAP_ID}-', titled=False)}</svg>\n"
    )


def _map_size(board: Board) -> str:
    whole = whole_map(board)
    return f'width="{whole.width:g}" height="{whole.height:g}"'


@cache
def board_style(board: Board | None = None) -> str:
    """The style of a board, by default the standard one, and of what is drawn on it, on few lines."""
    environment = make_environment()
    css = environment.get_template("boardmap.css").render(palette=PALETTE)
    colors = environment.get_template("colors.css")
    rules = colors.render(palette=PALETTE, power_class=power_class, letter_color=letter_color)
    style = with_plain_values(css) + "".join(rules.splitlines())
    return style if board in (None, standard_board()) else style + _other_style()


@cache
def _other_style() -> str:
    """The rules for what only other maps than the standard one have: more powers, and the marks of special rules."""
    template = make_environment().get_template("othermaps.css")
    rules = template.render(palette=PALETTE, more_colors=MORE_COLORS, letter_color=letter_color)
    return "".join(rules.splitlines())


def page_style() -> str:
    """The style of the boards of a page, whatever their maps are, with how small and how large each may be."""
    return board_style() + _other_style() + size_style()


def size_style() -> str:
    """The rules for how small and how large each board of a page may be."""
    return "".join(
        f".dm.w{width:g}{{min-width:{width * LEAST_SCALE:.0f}px;max-width:{width * GREATEST_SCALE:.0f}px}}"
        for width in WHOLE_WIDTHS
    )


def _overlay(scene: Scene, window: Window, prefix: str, *, titled: bool) -> Iterator[str]:
    """What stands on the map, from the lowest to the topmost."""
    canvas = arrows.Canvas(scene)
    places, board = canvas.places, scene.board
    lines = [*arrows.sketch_lines(canvas)]
    builds = [*arrows.sketch_builds(canvas)]
    owned = [
        (code, power, place.supply_center)
        for code, power in sorted(scene.owners.items())
        if (place := geography_of(board).provinces.get(code)) is not None and place.supply_center is not None
    ]
    yield from (f'<use class="held {power_class(power, board)}" href="#{prefix}-{code}"/>' for code, power, _ in owned)
    yield from (_center(spot, power, board) for _, power, spot in owned)
    yield from _names(canvas, lines, [spot for _, spot, _ in builds], window)
    for sketch in lines:
        yield order_drawing(sketch, scene)
    for unit, spot in places.units:
        yield unit_symbol(unit, spot, board, titled=titled)
    for entry, spot in places.dislodged:
        unit = entry.unit._replace(mark=entry.unit.mark or "dislodged")
        yield unit_symbol(unit, spot, board, small=True, titled=titled)
    for unit, spot, sketch in builds:
        yield unit_symbol(unit, spot, board, titled=titled) + order_drawing(sketch, scene)
    for sketch in arrows.sketch_marks(canvas):
        yield order_drawing(sketch, scene)


def _names(
    canvas: arrows.Canvas, sketches: Iterable[arrows.Sketch], built: Iterable[Point], window: Window
) -> Iterator[str]:
    obstacles, places = Obstacles(), canvas.places
    for unit, spot in (*places.units, *((entry.unit, spot) for entry, spot in places.dislodged)):
        obstacles.add_disc(spot, MARKED_RADIUS if unit.mark else PLAIN_RADIUS)
    for spot in built:
        obstacles.add_disc(spot, MARKED_RADIUS + 3)
    for sketch in sketches:
        if sketch.joint is not None:
            obstacles.add_disc(sketch.joint, JOINT_RADIUS)
    for curve in canvas.curves:
        obstacles.add_curve(curve)
        obstacles.add_disc(curve.end, TIP_ROOM)
    spots = ((location, places.unit(location)) for location in sorted(canvas.scene.locations))
    in_play = {province_code(location): spot for location, spot in spots if spot is not None}
    groups: dict[str, list[str]] = {}
    for label in place_labels(canvas.scene.board, obstacles, window, in_play):
        groups.setdefault(label.classes, []).append(label.svg)
    for classes, texts in groups.items():
        yield f'<g class="{classes}">{"".join(texts)}</g>'


MARGIN = 12.0
TITLE_SIZE, LEAST_SIZE = 16.0, 10.0
"""The size of the title, and of one that is long."""
BOLDER = 1.35
"""How much wider a title of the full size is than the same text in the legend."""
ROW = 24.0
"""The height of a line of the legend of a picture."""
SIGN_WIDTH, SIGN_SCALE = 46.0, 0.6
_SQUARE = "M16 4H56V32H16z"
_MARKS = {
    "difficult": ("M6 18H66", "difficult passage"),
    "ice": (_SQUARE, "ice in some seasons"),
    "canal": ("M6 18H66", "canal"),
    "railway": ("M6 18H66", "railway"),
    "convoys": (_SQUARE, "coast where a fleet can convoy"),
}
"""For each kind of mark a drawing and its meaning."""
_STATES = frozenset({"no", "void"})


class Sign(NamedTuple):
    """A sign, what it means, and the classes of the drawings that show it."""

    drawing: str
    meaning: str
    classes: str = ""


def draw_legend() -> str:
    """Explain the signs: `<ul class="dm-legend">`, for a page that has `shared_map()` and `board_style()`."""
    key = '<svg class="dm dm-key" viewBox="0 0 72 36" aria-hidden="true">'
    of_all = _signs(standard_board(), standard_board().powers)
    signs = "".join(f"<li>{key}{sign.drawing}</svg> {text(sign.meaning)}</li>" for sign in of_all)
    return f'<ul class="dm-legend">{signs}</ul>'


def draw_picture(scene: Scene, *, title: str, window: Window) -> str:
    """Draw a board as a file of its own, with its title above it and the meaning of its signs below."""
    board = draw_board(scene, title=title, window=window)
    shown = [set(classes.split()) for classes in re.findall(r'class="((?:o|u|own)\b[^"]*)"', board)]
    signs: list[Sign] = []
    # A sign explains the drawings with its classes and the same state.
    for sign in _signs(scene.board, _powers(scene)):
        classes = set(sign.classes.split())
        if classes and any(classes <= each and classes & _STATES == each & _STATES for each in shown):
            signs.append(sign)
    marks = {mark.kind for mark in geography_of(scene.board).marks}
    signs += [
        Sign(f'<g class="map"><path class="{kind}" d="{path}"/></g>', words)
        for kind, (path, words) in _MARKS.items()
        if kind in marks
    ]
    legend, height = _lay_out(signs, window)
    room = window.width - 2 * MARGIN
    size = min(TITLE_SIZE, max(LEAST_SIZE, TITLE_SIZE * room / max(1.0, _width(title) * BOLDER)))
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


def _band(window: Window, top: float, height: float) -> str:
    left, width = number(window.x - 1), number(window.width + 2)
    return f'<rect class="band" x="{left}" y="{number(top)}" width="{width}" height="{number(height)}"/>'


def _lay_out(signs: Collection[Sign], window: Window) -> tuple[str, float]:
    parts: list[str] = []
    x, y = MARGIN, MARGIN + ROW / 2
    for sign in signs:
        width = SIGN_WIDTH + _width(sign.meaning) + MARGIN
        if x > MARGIN and x + width > window.width:
            x, y = MARGIN, y + ROW
        left, middle = window.x + x, window.y + window.height + y
        place = f"translate({number(left)} {number(middle - 18 * SIGN_SCALE)})scale({SIGN_SCALE})"
        words = text(_shorten(sign.meaning, window.width - SIGN_WIDTH))
        parts.append(
            f'<g class="dm" transform="{place}">{sign.drawing}</g>'
            + f'<text class="key" x="{number(left + SIGN_WIDTH)}" y="{number(middle + 4.5)}">{words}</text>'
        )
        x += width
    return "".join(parts), (y + ROW / 2 + MARGIN / 2 if signs else 0.0)


def _width(words: str) -> float:
    return 2 * half_size((words,), "land")[0]


def _shorten(words: str, width: float) -> str:
    while words and _width(words) > width - 2 * MARGIN:
        words = f"{words.rstrip('…')[:-1].rstrip()}…" if len(words) > 1 else ""
    return words


def _powers(scene: Scene) -> set[str]:
    return {each.power for each in (*scene.units, *(entry.unit for entry in scene.dislodged), *scene.orders)}


def _signs(board: Board, powers: Collection[str]) -> Iterator[Sign]:
    way = straight(Point(6, 18), Point(66, 18))
    middle, end = Point(36, 18), arrows.joint(way.end)
    army, fleet = _unit("A"), _unit("F")
    for code, power in board.powers.items():
        if code in powers:
            units = ((DrawnUnit(code, kind, ""), Point(x, 18)) for kind, x in (("A", 20), ("F", 52)))
            yield Sign(
                "".join(unit_symbol(*each, board) for each in units), power.name, f"u {power_class(code, board)}"
            )
    yield Sign(army, "army")
    yield Sign(fleet, "fleet")
    yield _sign("moves, or is meant to", "move", "", *arrows.arrow_lines("", way))
    yield _sign("move that fails", "move", "no", *arrows.arrow_lines("no", way))
    void = _sign("not followed: illegal, void or ignored", "move", "void", *arrows.arrow_lines("void", way))
    yield void._replace(classes="o void")
    yield _sign("supports what its ring marks", "sup", "", *arrows.support_lines("", way), end)
    yield _sign("support that is cut", "sup", "no", *arrows.support_lines("no", way), end)
    yield _sign("convoys an army", "con", "", arrows.waves(middle), above=fleet)
    yield _sign("convoy that fails", "con", "no", arrows.Line("g", way.data()), arrows.cross(middle, 3.6))
    yield _sign("holds", "hold", "", arrows.ring(middle), above=army)
    yield _sign("retreats", "ret", "", *arrows.arrow_lines("", way))
    yield _sign("may retreat there", "may", "", *arrows.arrow_lines("", way))
    yield _sign("is built", "build", "", arrows.ring(middle), arrows.plus(middle), below=army)
    yield _sign("is removed or disbands by order", "out", "", arrows.cross(middle, 13), below=army)
    yield Sign(_unit("A", "dislodged"), "dislodged", "u dislodged")
    yield Sign(_unit("A", "gone"), "removed without an order (civil disorder)", "u gone")
    yield Sign(_unit("A", "missing"), "expected, and missing from the answer", "u missing")
    yield Sign(_unit("A", "unexpected"), "in the answer, and not expected", "u unexpected")
    yield Sign(_center(middle, "FRANCE", standard_board()), "supply center of the power", "own")


def _sign(meaning: str, kind: arrows.Kind, state: State, *lines: arrows.Line, below: str = "", above: str = "") -> Sign:
    """The sign of an order, with a unit below or above its lines."""
    return Sign(f"{below}{order_drawing(arrows.Sketch(kind, state, lines))}{above}", meaning, f"o {kind} {state}")


def _unit(kind: str, mark: UnitMark = "") -> str:
    return unit_symbol(DrawnUnit("FRANCE", kind, "", mark), Point(36, 18), standard_board())
