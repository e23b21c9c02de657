"""Boards of cases that need no attention, packed: they are most of a page, and few of them are ever looked at."""

from __future__ import annotations

import base64
import gzip
from typing import final

import msgspec
from markupsafe import Markup


@final
class PackedBoards:
    """Boards that a page has in one block, from which its script takes each when its case is opened."""

    def __init__(self) -> None:
        """Begin without any."""
        self._boards: dict[str, int] = {}

    def add(self, svg: str) -> Markup:
        """Take a board, and return what stands in its place."""
        index = self._boards.setdefault(svg, len(self._boards))
        return Markup(
            '<p class="packed" data-board="{}">Only a script can draw the board of a case that passed.</p>'
        ).format(index)

    @property
    def block(self) -> str:
        """A JSON list of the boards, packed with gzip and written in base64; empty without any."""
        if not self._boards:
            return ""
        return base64.b64encode(gzip.compress(msgspec.json.encode([*self._boards]), mtime=0)).decode()
