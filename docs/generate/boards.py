"""The boards of the site, drawn as `datc-check draw` does, once for each colour scheme."""

from __future__ import annotations

from datc.cases import USUAL_EDITION, load_suite
from datc.harness.cli.commands.draw import case_scene
from datc.reference_engine import DATC_3_1
from datc.reports.boardmap import draw_board, window_around

BOARDS = {"paradox": ("6.F.14", False), "paradox-after": ("6.F.14", True)}
"""The case of each, and whether it is the board after it."""


def board_files() -> dict[str, str]:
    """Draw the boards that the pages show, by the name of their files."""
    cases = {case.id: case for case in load_suite(USUAL_EDITION).cases}
    files: dict[str, str] = {}
    for name, (case, after) in BOARDS.items():
        title, scene = case_scene(cases[case], DATC_3_1, 1, after=after)
        for theme in ("light", "dark"):
            files[f"boards/{name}-{theme}.svg"] = draw_board(
                scene, title=title, theme=theme, window=window_around(scene)
            )
    return files
