"""One board as SVG: the map, and on it the units and orders of a scene.

`draw_board` makes a file that stands for itself (`base="inline"`), or one board of many in a page (`base="reference"`):
the page then holds `shared_map()` once, which has the map and the style of all its boards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias
from xml.sax.saxutils import escape

from ...reference_engine import standard_board
from ..text import printable
from .arrows import sketch_moves, sketch_retreats
from .clutter import Clutter
from .describe import describe_order, describe_scene, describe_unit
from .geography import base_map, standard_geography
from .geometry import Point, number
from .marks import ring, sketch_builds, sketch_marks
from .places import Places
from .scene import DrawnUnit, Scene
from .sketch import Canvas, Line, Sketch
from .style import STYLE
from .supports import sketch_convoys, sketch_supports

Base: TypeAlias = Literal["inline", "reference"]
Theme: TypeAlias = Literal["auto", "light", "dark"]

MAP_ID = "dm-map"
"""The id of the map that a page shares."""

_SMALL = 0.75
"""The size of a dislodged unit, beside those that stand."""
_OTHER_POWER = "oth"


def draw_board(
    scene: Scene,
    *,
    title: str,
    description: str | None = None,
    prefix: str = "board",
    base: Base = "inline",
    theme: Theme = "auto",
) -> str:
    """Draw a board as one `<svg>` element.

    `description` is the text for who does not see it, `describe_scene` unless another is given. `prefix` makes the ids
    in it unique among the boards of a page. `base` is "inline" for a file of its own, "reference" in a page that holds
    `shared_map()`. `theme` is that of the reader, unless one is forced.
    """
    geography = standard_geography()
    prefix = _identifier(prefix)
    forced = "" if theme == "auto" else f" {theme}"
    inline = base == "inline"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="dm{forced}" viewBox="0 0 {geography.width} {geography.height}"'
        + f' role="img" aria-labelledby="{prefix}-t {prefix}-d">',
        f'<title id="{prefix}-t">{_text(title)}</title>',
        f'<desc id="{prefix}-d">{_text(describe_scene(scene) if description is None else description)}</desc>',
        f"<style>{STYLE}</style>" if inline else "",
        f"<g>{base_map()}</g>" if inline else f'<use href="#{MAP_ID}"/>',
        *_overlay(scene),
        "</svg>",
    ]
    return "".join(parts)


def shared_map() -> str:
    """The map and the style of all boards of a page, to stand once in its body; it takes no room there."""
    geography = standard_geography()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="dm-shared" width="0" height="0" aria-hidden="true">'
        f"<style>{STYLE}</style>"
        f'<symbol id="{MAP_ID}" viewBox="0 0 {geography.width} {geography.height}">{base_map()}</symbol></svg>'
    )


def _overlay(scene: Scene) -> Iterator[str]:
    """What stands on the map, from the lowest to the topmost."""
    places = Places(standard_geography(), scene)
    spots = [spot for _, spot in places.units] + [spot for _, spot in places.dislodged]
    canvas = Canvas(scene, places, standard_board(), Clutter(spots))
    moves = [*sketch_moves(canvas), *sketch_retreats(canvas)]
    builds = list(sketch_builds(canvas))
    yield from _owners(scene, places)
    for sketch in (*sketch_convoys(canvas), *sketch_supports(canvas), *moves):
        yield _order(sketch, scene)
    for unit, spot in places.units:
        yield _unit(unit, spot)
    for entry, spot in places.dislodged:
        mark = entry.unit.mark or "dislodged"
        yield _unit(entry.unit._replace(mark=mark), spot, small=True)
    for unit, spot, sketch in builds:
        yield _unit(unit, spot) + _order(sketch, scene)
    for sketch in sketch_marks(canvas):
        yield _order(sketch, scene)


def _owners(scene: Scene, places: Places) -> Iterator[str]:
    provinces = standard_geography().provinces
    for center, power in sorted(scene.owners.items()):
        place = provinces.get(center)
        if place is not None and place.supply_center is not None:
            x, y = place.supply_center
            yield f'<circle class="own {_power_class(power)}" cx="{number(x)}" cy="{number(y)}" r="5"/>'


def _order(sketch: Sketch, scene: Scene) -> str:
    title = f"<title>{_text(describe_order(sketch.order, scene))}</title>" if sketch.order else ""
    classes = f"{sketch.kind} {sketch.state}".rstrip()
    return f'<g class="{classes}">{title}{"".join(_lines(sketch.lines))}</g>'


def _lines(lines: Iterable[Line]) -> Iterator[str]:
    for style, data in lines:
        if not style:
            yield f'<path class="h" d="{data}"/><path d="{data}"/>'
        else:
            yield f'<path class="{style}" d="{data}"/>'


def _unit(unit: DrawnUnit, spot: Point, *, small: bool = False) -> str:
    letter = unit.type if unit.type in ("A", "F") else "?"
    shape = '<path d="M-14-9H14L9 9.5H-9z"/>' if letter == "F" else '<circle r="11"/>'
    scale = f"scale({number(_SMALL) if _SMALL >= 1 else _SMALL})" if small else ""
    mark = f" {unit.mark}" if unit.mark else ""
    behind = f'<path class="z" d="{ring(Point(0, 0), 16)}"/>' if unit.mark else ""
    before = '<path class="x" d="M-12-12l24 24m0-24l-24 24"/>' if unit.mark == "gone" else ""
    return (
        f'<g class="u {_power_class(unit.power)}{mark}" transform="translate({number(spot.x)} {number(spot.y)}){scale}">'
        f"<title>{_text(f'{_power(unit.power)} {describe_unit(unit)}')}</title>"
        f'{behind}{shape}<text y="5">{letter}</text>{before}</g>'
    )


def _power(power: str) -> str:
    return standard_board().power_name(power)[:40]


def _power_class(power: str) -> str:
    return power[:3].lower() if power in standard_board().powers else _OTHER_POWER


def _identifier(prefix: str) -> str:
    """Make an id of any text: letters, digits and dashes, a letter first."""
    cleaned = re.sub(r"[^A-Za-z0-9]+", "-", prefix).strip("-")
    return cleaned if cleaned[:1].isalpha() else f"b{cleaned}"


def _text(text: str) -> str:
    """A text from anywhere as the content of an element."""
    return escape(printable(text))


