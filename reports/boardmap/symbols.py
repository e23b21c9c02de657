"""Units, the marks on them, and drawings of orders as elements of SVG. Every text from outside goes through `text`."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from ...reference_engine import Build, Disband, Hold, Remove, standard_board
from ..text import printable
from .canvas import Canvas, Sketch, cross, plus, ring, state_of
from .describe import describe_unit
from .geometry import Point, number
from .scenes import DrawnUnit
from .style import power_class

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
