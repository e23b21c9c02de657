"""The pictures that others show with a link to a page: a board with its title and outcome, or how engines do.

Pictures are made only where the address of the site is known, because a link to one has to be absolute. They are kept
in `build/previews`, by what they show and what draws them: the next build draws only what has changed.
"""

from __future__ import annotations

import hashlib
import html
import io
import math
import multiprocessing
import re
import string
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from resvg_py import svg_to_bytes

from datc.reference_engine import standard_board
from datc.reports import Verdict
from datc.reports.boardmap.drawing import MAP_ID, board_style, draw_board, draw_map
from datc.reports.boardmap.geography import Window, geography_of, whole_map, window_around
from datc.reports.boardmap.scenes import Scene
from datc.reports.files import write_whole

KEPT = Path(__file__).parents[2] / "build" / "previews"
WIDTH, HEIGHT = 800, 420
"""In the proportions that most sites show."""
HEAD = 96
"""The height of what stands above a board."""
_COLOUR_OF_VERDICT: Mapping[Verdict, str] = {
    "passed": "#1a7434",
    "deviated": "#d18700",
    "failed": "#b3261e",
    "error": "#7a7a85",
    "unsupported": "#c4c4cc",
}
_LEAST_WIDTH, _WIDTH_STEP = 600, 100
"""So much of the map is shown at least, in its units, so that one sees where on it the board is. More is shown in such
steps, so that few maps are drawn."""
_COLOURS = 64
_SANS, _SERIF = "DejaVu Sans", "DejaVu Serif"
"""The fonts of the pictures; without them, the pictures have no words."""


class Ground(NamedTuple):
    """The part of the map that a board stands on, in pixels."""

    map_width: int
    """How wide the whole map is drawn."""
    x: int
    y: int
    """Where on it the part begins."""


class Content(NamedTuple):
    """What stands below the head of a picture: that of many pictures is the same."""

    svg: str
    ground: Ground | None = None
    """What the SVG stands on."""


class Preview(NamedTuple):
    """A picture to make: a title and a line of text, and what stands below them."""

    file: str
    """Its place on the site."""
    head: str
    content: Content


def board_preview(scene: Scene, title: str, outcome: str) -> Preview:
    """Return the picture of a board under its title and outcome."""
    ground, window = _ground_of(window_around(scene))
    provinces = geography_of(standard_board()).provinces
    owned = (code for code in scene.owners if code in provinces)
    outlines = "".join(f'<path id="{MAP_ID}-{code}" d="{provinces[code].path}"/>' for code in owned)
    svg = draw_board(scene, title="", base="reference", window=window, theme="light")
    svg = re.sub("<title id=.*?</desc><rect[^>]*>", f"<style>{_light_style()}</style><defs>{outlines}</defs>", svg)
    svg = svg.replace("<svg ", f'<svg width="{WIDTH}" height="{HEIGHT - HEAD}" ', 1)
    return _preview(title, outcome, Content(svg, ground))


def scores_preview(title: str, text: str, counts: Mapping[str, Mapping[Verdict, int]]) -> Preview:
    """Return the picture of engines, each a bar of its cases by verdict."""
    step = min((HEIGHT - HEAD) // max(len(counts), 1), 60)
    bars: list[str] = []
    for number, (name, of_engine) in enumerate(counts.items()):
        x, y, scale = 330.0, number * step, 450 / max(sum(of_engine.values()), 1)
        said = f"{name}: {of_engine.get('passed', 0)}"
        bars.append(f'<text x="20" y="{y + step * 0.65}" font-size="{min(step * 0.5, 22)}">{html.escape(said)}</text>')
        for verdict, colour in _COLOUR_OF_VERDICT.items():
            width = scale * of_engine.get(verdict, 0)
            bars.append(f'<rect x="{x}" y="{y + 4}" width="{width}" height="{step - 8}" fill="{colour}"/>')
            x += width
    return _preview(title, text, Content(_svg(HEIGHT - HEAD, "".join(bars))))


def _preview(title: str, text: str, content: Content) -> Preview:
    lines = ((title, 46, 32, 700, 38), (text, 80, 20, 400, 76))
    head = "".join(
        f'<text x="20" y="{y}" font-size="{size}" font-weight="{weight}">{html.escape(_cut(said, longest))}</text>'
        for said, y, size, weight, longest in lines
    )
    digest = hashlib.sha256(f"{head} {content} {_COLOURS} {_renderer()}".encode()).hexdigest()
    return Preview(f"previews/{digest[:16]}.png", _svg(HEAD, head), content)


def _svg(height: int, content: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="{_SANS}">'
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>{content}</svg>'
    )


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest].rsplit(' ', 1)[0]} …"


def make_previews(previews: Iterable[Preview]) -> Mapping[str, Path]:
    """Make the pictures that are not kept, and return the file of each by its place on the site."""
    KEPT.mkdir(parents=True, exist_ok=True)
    wanted = {each.file: each for each in previews}
    files = {name: KEPT / Path(name).name for name in wanted}
    missing: dict[Content, dict[str, str]] = {}
    for name, each in wanted.items():
        if not files[name].exists():
            missing.setdefault(each.content, {})[name] = each.head
    if missing:
        # mkdocs takes the folder of a hook off the path once it is loaded, and the processes take the path from here.
        sys.path.append(str(Path(__file__).parent))
        with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
            for pictures in pool.map(_pictures, missing, missing.values(), chunksize=8):
                for name, picture in pictures.items():
                    write_whole(files[name], picture)
    return files


def missing_fonts() -> Sequence[str]:
    """Name the fonts that the pictures need and that are not installed."""
    return [font for font in (_SANS, _SERIF) if _sample(font) == _sample(font, "")]


@cache
def _renderer() -> str:
    """Return what a picture depends on beside its board: the versions of the libraries, the fonts, and the map."""
    samples = b"".join(map(_sample, (_SANS, _SERIF)))
    drawn = hashlib.sha256(samples + _light_map().encode())
    return f"{version('resvg-py')} {version('pillow')} {drawn.hexdigest()}"


def _sample(font: str, letters: str = string.printable) -> bytes:
    """Draw letters in a font and no other; the same as without letters where it is not installed."""
    svg = f"""<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="20">
        <text y="15">{html.escape(letters.strip())}</text></svg>"""
    return bytes(svg_to_bytes(svg_string=svg, font_family=font, sans_serif_family=font, serif_family=font))


def _pictures(content: Content, heads: Mapping[str, str]) -> Mapping[str, bytes]:
    """Draw pictures with the same content, each below its head, with few colours, which makes them small."""
    below = Image.new("RGB", (WIDTH, HEIGHT - HEAD), "white")
    if ground := content.ground:
        below.paste(_drawn_map(ground.map_width), (-ground.x, -ground.y))
    board = _drawn(content.svg)
    below.paste(board, mask=board)
    found: dict[str, bytes] = {}
    for name, head in heads.items():
        picture = Image.new("RGB", (WIDTH, HEIGHT))
        picture.paste(_drawn(head), (0, 0))
        picture.paste(below, (0, HEAD))
        file = io.BytesIO()
        picture.quantize(_COLOURS, Image.Quantize.FASTOCTREE).save(file, "PNG")
        found[name] = file.getvalue()
    return found


@cache
def _drawn_map(width: int) -> Image.Image:
    return _drawn(_light_map(), width)


def _drawn(svg: str, width: int | None = None) -> Image.Image:
    drawn = svg_to_bytes(svg_string=svg, width=width, font_family=_SANS, sans_serif_family=_SANS, serif_family=_SERIF)
    return Image.open(io.BytesIO(bytes(drawn))).convert("RGBA")


def _ground_of(window: Window) -> tuple[Ground, Window]:
    """Show more of the map, so that it has the proportions of a picture: more than there is around a high part."""
    whole = whole_map(standard_board())
    least = max(window.width, window.height * WIDTH / (HEIGHT - HEAD), _LEAST_WIDTH)
    map_width = round(whole.width * WIDTH / (math.ceil(least / _WIDTH_STEP) * _WIDTH_STEP))
    scale = map_width / whole.width
    width, height = WIDTH / scale, (HEIGHT - HEAD) / scale
    x = _begin(window.x + window.width / 2 - width / 2, whole.width - width)
    y = _begin(window.y + window.height / 2 - height / 2, whole.height - height)
    ground = Ground(map_width, round(x * scale), round(y * scale))
    return ground, Window(ground.x / scale, ground.y / scale, width, height)


def _begin(wanted: float, last: float) -> float:
    """Return where a part of the map begins, inside of it; the middle of the map is that of a part that is larger."""
    return min(max(wanted, 0), last) if last > 0 else last / 2


def _light_map() -> str:
    return draw_map("light").replace(board_style(), _light_style())


@cache
def _light_style() -> str:
    """Return the style of the light theme without variables, which resvg cannot read; each rule takes time."""
    of_one_theme = r"@media[^{]*{(?:[^{}]*{[^{}]*})*}|[^{}]*(?:theme=|\.light|\.dark)[^{}]*{[^{}]*}"
    return re.sub(rf"{of_one_theme}|[\w-]+:var[^;}}]*;?", "", board_style())
