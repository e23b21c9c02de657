"""One board as SVG: the map with the units and orders of a scene on it, and what the signs on a board mean.

`draw_board` makes a file of its own (`base="inline"`), or one board of many in a page (`base="reference"`): the page
then holds `shared_map()` once, and `board_style()`, the style of all its boards. Every text from outside goes through
`text`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Literal, TypeAlias
from xml.sax.saxutils import escape

from ...reference_engine import Build, Disband, Hold, Remove, standard_board
from ..text import printable
from .arrows import arrow_lines, sketch_convoys, sketch_moves, sketch_retreats, sketch_supports, support_lines
from .canvas import Canvas, Clutter, Kind, Line, Sketch, State, cross, dots, plus, ring, state_of, waves
from .describe import describe_order, describe_scene, describe_unit
from .geography import Places, Window, map_ground, map_style, standard_geography, whole_map
from .geometry import Point, number, straight
from .scenes import DrawnUnit, Scene, UnitMark
from .style import STYLE, power_class, with_plain_values

SMALL = ".75"
"""The size of a dislodged unit, beside those that stand."""

_ARMY = '<circle r="11"/>'
_FLEET = '<path d="M-13-9H13L8.5 9H-8.5z"/>'
_ANY = '<path d="M0-13L13 0 0 13-13 0z"/>'
_CROSSED = '<path class="x" d="M-12-12l24 24m0-24l-24 24"/>'


def sketch_marks(canvas: Canvas) -> Iterator[Sketch]:
    """Draw the orders that lead nowhere, each on its unit."""
    for given, order in canvas.orders(Hold, Remove, Disband):
        location, places = order.unit.location, canvas.places
        spot = places.dislodged_unit(location) if isinstance(order, Disband) else places.unit(location)
        if spot is None:
            continue
        if isinstance(order, Hold):
            yield Sketch("hold", state_of(given), (ring(spot),), given)
        else:
            yield Sketch("out", state_of(given), (cross(spot, 10 if isinstance(order, Disband) else 13),), given)


def sketch_builds(canvas: Canvas) -> Iterator[tuple[DrawnUnit, Point, Sketch]]:
    """Draw the units that are built, each with a ring around it and a plus."""
    for given, order in canvas.orders(Build):
        spot = canvas.places.spot(order.unit.location)
        if spot is not None:
            spot = canvas.places.free(spot)
            unit = DrawnUnit(given.power, order.unit.type or "?", order.unit.location)
            yield unit, spot, Sketch("build", state_of(given), (ring(spot), plus(spot)), given)


def text(content: str) -> str:
    """A text from anywhere as the content of an element."""
    return escape(printable(content))


def unit_symbol(unit: DrawnUnit, spot: Point, *, small: bool = False, titled: bool = True) -> str:
    """A unit: a disc for an army, a hull for a fleet, the letter on it, and what is marked of it around it."""
    letter, shape = {"A": ("A", _ARMY), "F": ("F", _FLEET)}.get(unit.type, ("?", _ANY))
    classes = " ".join(filter(None, ("u", power_class(unit.power), unit.mark)))
    scale = f"scale({SMALL})" if small else ""
    around = f'<path class="z" d="{ring(Point(0, 0), 16).data}"/>' if unit.mark not in ("", "gone") else ""
    across = _CROSSED if unit.mark == "gone" else ""
    name = f"{standard_board().power_name(unit.power)[:40]}: {describe_unit(unit)}"
    title = f"<title>{text(name)}</title>" if titled else ""
    return (
        f'<g class="{classes}" transform="translate({number(spot.x)} {number(spot.y)}){scale}">'
        + f'{title}{around}{shape}<text y="5">{letter}</text>{across}</g>'
    )


def order_drawing(sketch: Sketch, title: str = "") -> str:
    """The drawing of an order; the title is what a pointer on it shows."""
    classes = f"o {sketch.kind} {sketch.state}".rstrip()
    shown = f"<title>{text(title)}</title>" if title else ""
    paths = "".join(
        f'<path class="{style}" d="{data}"/>' if style else f'<path class="h" d="{data}"/><path d="{data}"/>'
        for style, data in sketch.lines
    )
    return f'<g class="{classes}">{shown}{paths}</g>'


def center(spot: Point, power: str) -> str:
    """A supply center in the colour of its owner."""
    return f'<circle class="own {power_class(power)}" cx="{number(spot.x)}" cy="{number(spot.y)}" r="5"/>'


Base: TypeAlias = Literal["inline", "reference"]
Theme: TypeAlias = Literal["auto", "light", "dark"]

MAP_ID = "dm-map"
"""The id of the map that a page shares."""


def draw_board(
    scene: Scene,
    *,
    title: str,
    prefix: str = "board",
    base: Base = "inline",
    theme: Theme = "auto",
    window: Window | None = None,
) -> str:
    """Draw a board as one `<svg>` element.

    `prefix` makes the ids in it unique among the boards of a page. `base` is "inline" for a file of its own,
    "reference" in a page that holds `shared_map()`. `theme` is that of the reader, unless one is forced. `window` is
    the part of the map to show.
    """
    prefix = _identifier(prefix)
    forced = "" if theme == "auto" else f" {theme}"
    inline = base == "inline"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board-map dm{forced}"'
        + f' viewBox="{(window or whole_map()).view_box}" role="img" aria-labelledby="{prefix}-t {prefix}-d">',
        f'<title id="{prefix}-t">{text(title)}</title>',
        f'<desc id="{prefix}-d">{text(describe_scene(scene))}</desc>',
        f"<style>{board_style()}</style>" if inline else "",
        map_ground(f"{prefix}-") if inline else _reference(),
        *_overlay(scene),
        "</svg>",
    ]
    return "".join(parts)


def shared_map() -> str:
    """The map of all boards of a page, without its style, to stand once in its body; it takes no room there."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board-map dm-shared" width="0" height="0" aria-hidden="true">'
        f'<symbol id="{MAP_ID}" viewBox="{whole_map().view_box}">{map_ground(f"{MAP_ID}-")}</symbol></svg>'
    )


@cache
def board_style() -> str:
    """The style of the map and of what is drawn on it, on few lines."""
    return with_plain_values(map_style()) + STYLE


def draw_legend() -> str:
    """Explain the signs: `<ul class="dm-legend">`, for a page that has `shared_map()` and `board_style()`."""
    signs = "".join(
        f'<li><svg class="dm dm-key" viewBox="0 0 72 36" aria-hidden="true">{sign}</svg> {text(meaning)}</li>'
        for sign, meaning in _signs()
    )
    return f'<ul class="dm-legend">{signs}</ul>'


def _reference() -> str:
    """The map that the page has; its size is said, or a board of a part of the map would scale it."""
    _, _, width, height = whole_map()
    return f'<use href="#{MAP_ID}" width="{width:g}" height="{height:g}"/>'


def _overlay(scene: Scene) -> Iterator[str]:
    """What stands on the map, from the lowest to the topmost."""
    places = Places(standard_geography(), scene)
    spots = [spot for _, spot in places.units] + [spot for _, spot in places.dislodged]
    canvas = Canvas(scene, places, standard_board(), Clutter(spots))
    moves = [*sketch_moves(canvas), *sketch_retreats(canvas)]
    yield from _owners(scene)
    helps = [*sketch_convoys(canvas), *sketch_supports(canvas)]
    for sketch in (*helps, *moves):
        yield _order(sketch, scene)
    yield from _joints(helps)
    for unit, spot in places.units:
        yield unit_symbol(unit, spot)
    for entry, spot in places.dislodged:
        yield unit_symbol(entry.unit._replace(mark=entry.unit.mark or "dislodged"), spot, small=True)
    for unit, spot, sketch in sketch_builds(canvas):
        yield unit_symbol(unit, spot) + _order(sketch, scene)
    for sketch in sketch_marks(canvas):
        yield _order(sketch, scene)


def _owners(scene: Scene) -> Iterator[str]:
    provinces = standard_geography().provinces
    for code, power in sorted(scene.owners.items()):
        place = provinces.get(code)
        if place is not None and place.supply_center is not None:
            yield center(Point(*place.supply_center), power)


def _joints(helps: Iterable[Sketch]) -> Iterator[str]:
    """The dots where supports and convoys end, those of a colour together."""
    joints: dict[tuple[Kind, State], list[Point]] = {}
    for sketch in helps:
        if sketch.joint is not None:
            joints.setdefault((sketch.kind, sketch.state), []).append(sketch.joint)
    for (kind, state), spots in joints.items():
        yield _sign(kind, state, dots(spots))


def _order(sketch: Sketch, scene: Scene) -> str:
    return order_drawing(sketch, describe_order(sketch.order, scene) if sketch.order else "")


def _identifier(prefix: str) -> str:
    """Make an id of any text: letters, digits and dashes, a letter first."""
    cleaned = re.sub(r"[^A-Za-z0-9]+", "-", prefix).strip("-")
    return cleaned if cleaned[:1].isalpha() else f"b{cleaned}"


def _signs() -> Iterator[tuple[str, str]]:
    way = straight(Point(6, 18), Point(66, 18))
    middle = Point(36, 18)
    army, fleet = _unit("A", 36), _unit("F", 36)
    for code, power in standard_board().powers.items():
        yield _unit("A", 20, power=code) + _unit("F", 52, power=code), power.name
    yield army, "army"
    yield fleet, "fleet"
    yield _sign("move", "", *arrow_lines("", way)), "moves, or is meant to"
    yield _sign("move", "no", *arrow_lines("no", way)), "move that fails"
    yield _sign("move", "void", *arrow_lines("void", way)), "order that is not followed: illegal, void or ignored"
    end = dots([way.end])
    yield _sign("sup", "", *support_lines("", way), end), "supports the move or the unit that the dot is on"
    yield _sign("sup", "no", *support_lines("no", way), end), "support that is cut"
    yield _sign("con", "", waves(middle)) + fleet, "convoys an army"
    yield _sign("hold", "", ring(middle)) + army, "holds"
    yield _sign("may", "", *arrow_lines("", way)), "may retreat there"
    yield army + _sign("build", "", ring(middle), plus(middle)), "is built"
    yield army + _sign("out", "", cross(middle, 13)), "is removed or disbands"
    yield _unit("A", 36, "dislodged"), "dislodged; smaller, beside its attacker, once that stands in its place"
    yield _unit("A", 36, "missing"), "expected, and missing from the answer"
    yield _unit("A", 36, "unexpected"), "in the answer, and not expected"
    yield center(middle, "FRANCE"), "supply center in the colour of its owner"


def _sign(kind: Kind, state: State, *lines: Line) -> str:
    return order_drawing(Sketch(kind, state, lines))


def _unit(kind: str, x: int, mark: UnitMark = "", *, power: str = "FRANCE") -> str:
    return unit_symbol(DrawnUnit(power, kind, "", mark), Point(x, 18), titled=False)
