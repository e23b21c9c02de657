"""The formats of archives: those of the project, of which the last is plain text, and those that others add."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import final

from ....reference_engine.errors import nearest
from ...paste.reader import read_pasted
from ...play.positions import order_text
from .jdip import JdipCases
from .json_games import JsonGames
from .njudge import NjudgeResults
from .records import Archive, ArchiveError, ArchiveFormat, RecordedPhase, cut

_HEADING = re.compile(rb"\s*(?P<id>\S+?)\.?\s+TEST CASE\b", re.IGNORECASE)
_TEXT = re.compile(rb"[^\x00-\x08\x0e-\x1a\x1c-\x1f]*")


@final
class OrderTexts(ArchiveFormat):
    """A position each, its units being those that are named, and the retreats after it; no result is recorded."""

    purpose = "orders as people write them, or several positions, each below '6.A.1. TEST CASE' or so; without results"

    def recognises(self, start: bytes) -> bool:
        return bool(start.strip()) and _TEXT.fullmatch(start) is not None

    def blocks(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
        blank = b""
        for number, content in cut(lines, _HEADING.match, "the position in line {}"):
            if content.strip():
                yield 1 if blank else number, blank + content
            blank = b"" if content.strip() else content  # Above the first heading.

    def phases(self, content: bytes) -> Iterable[RecordedPhase]:
        heading = _HEADING.match(content)
        body = content.partition(b"\n")[2] if heading else content
        name = heading["id"].decode(errors="replace") if heading else "text"
        pasted = read_pasted(body.decode(), "below the heading" if heading else "in the text")
        for phase in pasted.phases:
            position = phase.position
            if position is None and phase.phase != "retreat":
                continue  # It needs the centers after the phases before it.
            yield RecordedPhase(
                name,
                f"{pasted.season[0]}{pasted.year}{phase.phase[0]}".upper(),
                phase.phase,
                () if position is None else position.units,
                tuple((given.power, order_text(given)) for given in phase.orders),
                phase.centers,
                () if position is None else position.dislodged,
                notes=pasted.notes if phase is pasted.phases[0] else (),
            )


ENTRY_POINTS = "datc_check.archives"
"""The group of entry points that add formats: each is a subclass of `ArchiveFormat`, without arguments."""

FORMATS: Mapping[str, ArchiveFormat] = {
    "json": JsonGames(),
    "jdip": JdipCases(),
    "njudge": NjudgeResults(),
    "text": OrderTexts(),
}
"""The formats of the project by their names."""


def find_format(archive: Archive, name: str | None = None) -> tuple[str, ArchiveFormat]:
    """Find the format of an archive: the one of this name, or else the first that recognises its beginning.

    Raises `ArchiveError` where no format does.
    """
    if name is not None:
        return name, format_named(name)
    start = archive.start()
    for known in (*_added(), *FORMATS):  # The last of them takes any text.
        if format_named(known).recognises(start):
            return known, format_named(known)
    names = ", ".join((*FORMATS, *_added()))
    what = "is written as no archive that is known" if start.strip() else "is empty"
    raise ArchiveError(f"{archive.path}: the file {what} (formats: {names})")


@cache
def format_named(name: str) -> ArchiveFormat:
    """Return the format of a name. Raises `ArchiveError` for an unknown name, or where it cannot be loaded."""
    if name in FORMATS:
        return FORMATS[name]
    added = _added()
    if name not in added:
        raise ArchiveError(f"there is no format {name!r} of archives{nearest(name, (*FORMATS, *added))}")
    try:
        made: object = added[name].load()()
    except Exception as error:
        raise ArchiveError(f"the format {name!r} cannot be loaded: {error}") from error
    if not isinstance(made, ArchiveFormat):
        raise ArchiveError(f"the format {name!r} is no ArchiveFormat")
    return made


@cache
def _added() -> Mapping[str, EntryPoint]:
    return {each.name: each for each in entry_points(group=ENTRY_POINTS)}
