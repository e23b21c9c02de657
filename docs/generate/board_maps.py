"""The boards of the site: one map for all pages, as a file, and what is drawn on it in each page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Literal

from markupsafe import Markup
from mkdocs.exceptions import PluginError

from datc.reference_engine import standard_board
from datc.reports import PhaseData
from datc.reports.boardmap.drawing import MAP_ID, draw_board, draw_map, page_style, text
from datc.reports.boardmap.geography import Window, standard_geography, whole_map, window_around
from datc.reports.boardmap.scenes import Scene, phase_scenes

_SCHEMES: Mapping[Literal["light", "dark"], str] = {"light": "default", "dark": "slate"}
"""The schemes of the site's theme, by the themes of the boards."""


def board_files() -> Mapping[str, str]:
    """Return the map in both themes and the style of all boards, as files of the site."""
    return {"boards/boards.css": _style(), **{map_file(theme): draw_map(theme) for theme in _SCHEMES}}


def shared_board(root: str, owned: Iterable[str] = ()) -> Markup:
    """What a page with boards holds once: its map, which is the file of the site, and the provinces that have an owner.

    `root` is the way from the page to the root of the site.
    """
    _, _, width, height = whole_map(standard_board())
    size = f'width="{width:g}" height="{height:g}"'
    provinces = standard_geography().provinces
    return Markup(  # noqa: S704 - all of it is the project's own data
        '<svg xmlns="http://www.w3.org/2000/svg" class="dm-shared" width="0" height="0" aria-hidden="true">'
        + f'<pattern id="{MAP_ID}" {size} patternUnits="userSpaceOnUse">'
        + "".join(f'<image class="map-{theme}" href="{root}{map_file(theme)}" {size}/>' for theme in _SCHEMES)
        + "</pattern><defs>"
        + "".join(f'<path id="{MAP_ID}-{code}" d="{provinces[code].path}"/>' for code in sorted(set(owned)))
        + "</defs></svg>"
    )


def board(scene: Scene, title: str, name: str, window: Window | None = None) -> Markup:
    """Draw a board of a page that has `shared_board`; `name` is for ids of no other board of the page."""
    drawn = _drawn(scene, window or window_around(scene))
    return Markup(drawn.replace("NAME-", f"{name}-").replace("TITLE", text(title), 1))  # noqa: S704 - it is escaped


@cache
def _drawn(scene: Scene, window: Window) -> str:
    """Draw a board, which several cases and pages may have, with words in the places of its title and of its ids."""
    base = "reference" if scene.board is standard_board() else "page"  # The page shares the standard map.
    return draw_board(scene, title="TITLE", prefix="NAME", base=base, window=window)


def expected_scenes(phase: PhaseData) -> tuple[Scene, Scene]:
    """Return the board before a phase, with the orders and the results that are expected, and the one after it."""
    before, after, _ = phase_scenes(phase, "expected")
    if after is None:
        raise PluginError("a phase without an expectation has no board after it")
    return before, after


def draw_before_and_after(scenes: tuple[Scene, Scene], title: str, name: str) -> tuple[Markup, Markup]:
    """Draw both boards of a phase, with the same part of the map."""
    window = window_around(*scenes)
    before, after = scenes
    return (
        board(before, f"{title}: the orders and their results", f"{name}-before", window),
        board(after, f"{title}: the board after", f"{name}-after", window),
    )


def map_file(theme: Literal["light", "dark"]) -> str:
    """Return where the site has the map."""
    return f"boards/map-{theme}.svg"


def _style() -> str:
    """The style of the boards, following the switch of the site's theme."""
    style = page_style()
    for theme, scheme in _SCHEMES.items():
        style = style.replace(f"[data-theme={theme}]", f"[data-md-color-scheme={scheme}]")
    hidden = "".join(
        f"[data-md-color-scheme={scheme}] .map-{theme}{{display:none}}"
        for theme in _SCHEMES
        for other, scheme in _SCHEMES.items()
        if other != theme
    )
    return f"{style}{hidden}\n"
