"""The page of hard boards, and its pictures, as `datc-check draw` draws them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from datc.harness.cli.commands.explain import case_scene
from datc.harness.config.preparing import find_case_or_positions
from datc.reference_engine import DATC_3_2
from datc.reports.boardmap.drawing import draw_picture
from datc.reports.boardmap.geography import window_around

_FOLDER = Path(__file__).parents[1] / "boards"


class Board(NamedTuple):
    """A board of the page."""

    what: str
    """A case, or a file of `docs/boards`."""
    hard: str
    """What makes it hard to draw."""

    @property
    def name(self) -> str:
        """Its name in the address of its picture."""
        return self.what.removesuffix(".txt")


BOARDS = (
    Board("6.E.15", "Supports of four powers end on moves that meet in two provinces."),
    Board("6.F.9", "One of two convoy routes is disrupted. The arrow follows the one that carries the army."),
    Board("6.F.24", "Two convoys that depend on each other, with supports that cross them."),
    Board("6.B.8", "A move to a coast, and a support that names none."),
    Board("6.G.17", "Two units swap places, one of them by convoy."),
    Board("6.J.10", "A removal that no one ordered looks unlike an ordered one."),
    Board("6.F.13", "A convoy has two routes, and the fleet of one of them is dislodged."),
    Board("6.E.11", "A swap by convoy and a supported attack meet in Spain, which has two coasts."),
    Board("6.F.16", "A paradox: each arrow crosses the one on which its outcome depends."),
    Board("34-units.txt", "A full board: 34 units, and every name that has room."),
)


def boards_page() -> str:
    """Every board with what makes it hard, and the command that draws it."""
    return "\n".join(_lines()) + "\n"


def board_pictures() -> dict[str, str]:
    """Draw the picture of each board, by its path in the documentation."""
    return {f"boards/{board.name}.svg": _picture(board) for board in BOARDS}


def _lines() -> Iterator[str]:
    yield from ("# Hard boards", "")
    yield "`datc-check draw` and every report draw boards in the same way. These are hard to draw. Each build of this"
    yield "site draws them again. A click on one opens it alone."
    for board in BOARDS:
        what = board.what if board.name == board.what else f"docs/boards/{board.what}"
        picture = f"boards/{board.name}.svg"
        yield from ("", f"## {board.name}", "", board.hard, "")
        yield from (f"[![The orders of {board.name}, with their outcomes]({picture})]({picture})", "")
        yield from ("```sh", f"datc-check draw {what} -o {board.name}.svg", "```")


def _picture(board: Board) -> str:
    what = board.what if board.name == board.what else str(_FOLDER / board.what)
    title, scene = case_scene(find_case_or_positions(what, None)[0], DATC_3_2, 1, after=False)
    return draw_picture(scene, title=title, window=window_around(scene)) + "\n"
