"""The picture of a case that others show with a link to its page: its board, with the orders and their results.

Pictures are made only where the address of the site is known, because a link to one has to be absolute. They are kept
in `build/previews`, by what they show and what draws them: the next build draws only what has changed.
"""

from __future__ import annotations

import hashlib
import html
import io
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
from datc.reports.boardmap.drawing import board_style, draw_board
from datc.reports.boardmap.geography import Window, whole_map, window_around
from datc.reports.boardmap.scenes import Scene
from datc.reports.files import write_whole

KEPT = Path(__file__).parents[2] / "build" / "previews"
WIDTH, HEIGHT = 800, 420
"""In the proportions that most sites show."""
_LEAST_WIDTH = 600
"""So much of the map is shown at least, in its units, so that one sees where on it the board is."""
_COLOURS = 64
_SANS, _SERIF = "DejaVu Sans", "DejaVu Serif"
"""The fonts of the pictures; without them, the pictures have no words."""
_VARIABLE = re.compile(r"var\((--[\w-]+)\)")


class Preview(NamedTuple):
    """A picture to make."""

    file: str
    """Its place on the site; cases with the same board have the same picture."""
    svg: str


def preview(scene: Scene) -> Preview:
    """Return the picture of a board."""
    svg = draw_board(scene, title="", window=_widened(window_around(scene)), theme="light")
    svg = re.sub(r"<(title|desc) id=.*?</\1>", "", svg)
    svg = _VARIABLE.sub(lambda found: _light_colours()[found[1]], svg)
    svg = svg.replace("<svg ", f'<svg width="{WIDTH}" height="{HEIGHT}" ', 1)
    digest = hashlib.sha256(f"{svg} {_COLOURS} {_renderer()}".encode()).hexdigest()
    return Preview(f"previews/{digest[:16]}.png", svg)


def make_previews(previews: Iterable[Preview]) -> Mapping[str, Path]:
    """Make the pictures that are not kept, and return the file of each by its place on the site."""
    KEPT.mkdir(parents=True, exist_ok=True)
    svgs = {each.file: each.svg for each in previews}
    files = {name: KEPT / Path(name).name for name in svgs}
    missing = [name for name, file in files.items() if not file.exists()]
    if missing:
        # mkdocs takes the folder of a hook off the path once it is loaded, and the processes take the path from here.
        sys.path.append(str(Path(__file__).parent))
        with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
            pictures = pool.map(_picture, [svgs[name] for name in missing], chunksize=8)
            for name, picture in zip(missing, pictures, strict=True):
                write_whole(files[name], picture)
    return files


def missing_fonts() -> Sequence[str]:
    """Name the fonts that the pictures need and that are not installed."""
    return [font for font in (_SANS, _SERIF) if _sample(font) == _sample(font, "")]


@cache
def _renderer() -> str:
    """Return what a picture depends on beside its board: the versions of the libraries, and how the fonts look."""
    samples = b"".join(map(_sample, (_SANS, _SERIF)))
    return f"{version('resvg-py')} {version('pillow')} {hashlib.sha256(samples).hexdigest()}"


def _sample(font: str, letters: str = string.printable) -> bytes:
    """Draw letters in a font and no other; the same as without letters where it is not installed."""
    svg = f"""<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="20">
        <text y="15">{html.escape(letters.strip())}</text></svg>"""
    return bytes(svg_to_bytes(svg_string=svg, font_family=font, sans_serif_family=font, serif_family=font))


def _picture(svg: str) -> bytes:
    """Draw a picture with few colours, which makes it small."""
    drawn = svg_to_bytes(svg_string=svg, font_family=_SANS, sans_serif_family=_SANS, serif_family=_SERIF)
    small = Image.open(io.BytesIO(bytes(drawn))).convert("RGB").quantize(_COLOURS)
    file = io.BytesIO()
    small.save(file, "PNG", optimize=True)
    return file.getvalue()


def _widened(window: Window) -> Window:
    """Show more of the map, up to its edges, so that it has the proportions of a picture."""
    whole = whole_map(standard_board())
    width = min(max(window.width, window.height * WIDTH / HEIGHT, _LEAST_WIDTH), whole.width)
    height = min(max(window.height, width * HEIGHT / WIDTH), whole.height)
    x = min(max(window.x - (width - window.width) / 2, whole.x), whole.x + whole.width - width)
    y = min(max(window.y - (height - window.height) / 2, whole.y), whole.y + whole.height - height)
    return Window(*map(round, (x, y, width, height)))


@cache
def _light_colours() -> Mapping[str, str]:
    """Return the colours of the light theme by the names that the style has for them: resvg reads no variables."""
    return dict(re.findall(r"(--[\w-]+):([^;}]+)", board_style().partition("@media")[0]))
