"""Archives of recorded games: read as a stream, whatever their format, in memory that does not grow with them.

A file is cut into blocks (a line, a saved game), which are read one by one, here or in another process. A block holds
recorded phases; a movement phase with the retreats after it is a turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from ....reference_engine.errors import nearest
from .json_games import JsonGames
from .records import Archive, ArchiveError, ArchiveFormat, RecordedPhase
from .text_games import JdipCases, NjudgeResults, OrderTexts

__all__ = ["FORMATS", "ArchiveError", "ArchiveFormat", "RecordedPhase", "find_format", "format_named"]

FORMATS: Mapping[str, ArchiveFormat] = {
    "json": JsonGames(),
    "jdip": JdipCases(),
    "njudge": NjudgeResults(),
    "text": OrderTexts(),
}


def find_format(archive: Archive, name: str | None = None) -> tuple[str, ArchiveFormat]:
    """Return the format of this name, or the first that recognises an archive's beginning. Raises `ArchiveError`."""
    if name is not None:
        return name, format_named(name)
    start = archive.start()
    for known in (*_added(), *FORMATS):  # The last of them takes any text.
        if format_named(known).recognises(start):
            return known, format_named(known)
    names = ", ".join((*FORMATS, *_added()))
    what = "this is no archive of a known format" if start.strip() else "the file is empty"
    right = "--format text says what is wrong with orders, and .zip and .tar have to be unpacked to a folder"
    raise ArchiveError(f"{archive.path}: {what} (formats: {names}); {right}")


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
    """Return the entry points that add formats: each is a subclass of `ArchiveFormat`, without arguments."""
    return {each.name: each for each in entry_points(group="datc_check.archives")}
