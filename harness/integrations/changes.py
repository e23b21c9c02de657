"""Files that a person changes while an engine is watched: not what is built, what editors keep, or what is printed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import final

import watchfiles

_BUILD_FOLDERS = ("build", "dist", "target", ".ruff_cache")
"""Folders that are not watched, beside those of editors, version control and caches that watchfiles knows."""
_TEMPORARY = (
    r"^#.*#$",
    r"^4913$",
    r"\.kate-swp$",
    r"^\.goutputstream-",
    r"\.crswap$",
    r"\.tmp$",
    r"^sed[A-Za-z0-9]{6}$",
)
"""Files that editors write beside the one that is edited, beside those that watchfiles knows."""
_POLL_INTERVAL = 100
"""Milliseconds between two looks at what changed; the first run begins after one, when the files are watched."""
_MOST_SAVED = 3
"""What changes in more builds in a row is what they write."""


@final
class _Watched(watchfiles.DefaultFilter):
    """Looks at what is inside the watched folders alone: they may be in one named `build` themselves."""

    ignore_dirs = (*watchfiles.DefaultFilter.ignore_dirs, *_BUILD_FOLDERS)
    ignore_entity_patterns = (*watchfiles.DefaultFilter.ignore_entity_patterns, *_TEMPORARY)

    def __init__(self, folders: Sequence[Path], program: Path | None) -> None:
        super().__init__()
        self._folders = folders
        self._program = program
        self._printed: list[os.stat_result] = []
        for number in (1, 2):  # The files that stdout and stderr go to.
            with suppress(OSError):
                self._printed.append(os.fstat(number))

    def __call__(self, change: watchfiles.Change, path: str) -> bool:
        file = Path(path)
        inside = next((file.relative_to(folder) for folder in self._folders if file.is_relative_to(folder)), file)
        if file == self._program:
            return True
        if not super().__call__(change, str(inside)):
            return False
        with suppress(OSError):
            found = file.stat()
            return not any(os.path.samestat(found, printed) for printed in self._printed)
        return True


@final
class Changes:
    """What changes in some folders, each time since the last one."""

    def __init__(self, folders: Sequence[Path], program: Path | None) -> None:
        """`program` starts the engine: it counts wherever it is."""
        self._folders = folders
        self._program = program
        self._filter = _Watched(folders, program)
        self._found = watchfiles.watch(
            *folders, watch_filter=self._filter, yield_on_timeout=True, rust_timeout=_POLL_INTERVAL
        )
        self._edited: set[Path] = set()
        """What changed while nothing was built."""
        self._built: dict[Path, int] = {}
        """What changed while something was built, and in how many builds in a row."""
        self._saved: set[Path] = set()
        """What a person changed during the last build, as it seems."""

    def begin(self) -> None:
        """Watch from now on, so that nothing is missed."""
        _ = next(self._found)

    def __iter__(self) -> Iterator[set[Path]]:
        """Give the files that changed, and those that were saved during a build, when there are any."""
        for found in self._found:
            changed = _paths(found)
            self._edited |= changed
            saved, self._saved = self._saved, set()
            if changed or saved:
                yield changed | saved

    def without_built(self, build: Callable[[], object]) -> None:
        """Build, and leave out what that changes, but not what was saved meanwhile.

        A file was saved if it was there before, and a person edits it or no build wrote it yet. What changes in each of
        several builds is written by them, even if a person has edited it, too.
        """
        before = self._files()
        try:
            _ = build()
        finally:  # What fails has written, too: to build for that would never end.
            changed = _paths(next(self._found))
            self._saved = {
                file
                for file in (changed & before) - {self._program}
                if file not in self._built or (file in self._edited and self._built[file] < _MOST_SAVED)
            }
            self._built = dict.fromkeys(self._built, 0) | {file: self._built.get(file, 0) + 1 for file in changed}

    def _files(self) -> set[Path]:
        files = {folder for folder in self._folders if folder.is_file()}
        for folder in self._folders:
            for name, folders, inside in os.walk(folder):
                folders[:] = [each for each in folders if each not in self._filter.ignore_dirs]
                files.update(Path(name, each) for each in inside)
        return files


def _paths(found: set[watchfiles.main.FileChange]) -> set[Path]:
    return {Path(path) for _, path in found}
