"""Runs again and again, as an engine is worked on: what failed is asked first, and shown best.

A run follows each change of a file by a person: not of what is built, what editors keep, or what is printed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

import watchfiles

from ...cases.suite import short_key
from ...reference_engine import DatcCheckError
from ...reference_engine.errors import printable
from ...reports import VERDICTS, CaseData, CaseFinished, Report, RunFinished, Verdict
from ...reports.findings import wrapped
from ...reports.report import ACCEPTED, counted
from ...reports.terminal import case_text
from ...reports.text import id_ranges
from ...reports.wording import restart_lines, shared_reasons
from ..run.runner import Run

_WIDTH = 80
_IN_FULL = 3
"""How many of the cases that do not pass are shown with their boards."""
_FILES = 3
_SHARED: Sequence[Verdict] = ("unsupported",)
"""The verdicts of which cases share a line at the end, unless they had another verdict before."""


@dataclass
class Watch:
    """A run for each change."""

    prepare: Callable[[], Run]
    """Reads the config and opens the engine again. Raises the same errors as the commands."""
    show: Callable[[str], None]
    """Takes a line, or several."""
    _found: dict[str, CaseData] = field(default_factory=dict)
    """What the last run said of each case."""

    def follow(self, run: Run, changes: Iterable[Iterable[Path]]) -> None:
        """Play a run, and another one for each set of files that changed."""
        self.play(run)
        for files in changes:
            names = sorted({file.name for file in files})
            more = f" and {len(names) - _FILES} more" if len(names) > _FILES else ""
            self.show("\n" + _wrapped(f"Changed: {', '.join(names[:_FILES])}{more}"))
            try:
                again = self.prepare()
            except DatcCheckError as error:
                self.show(_wrapped(*str(error).splitlines()))
            else:
                self.play(again)

    def play(self, run: Run) -> None:
        """Run once, what did not pass the last time first, and end the engine whatever happens."""
        good = {key for key, case in self._found.items() if case.verdict in ACCEPTED}
        run.cases = sorted(run.cases, key=lambda case: case.key not in self._found or case.key in good)
        in_full, as_before = 0, list[str]()
        try:
            for event in run.events():
                if isinstance(event, CaseFinished):
                    case, before = event.case, self._found.get(event.case.key)
                    self._found[case.key] = case
                    fails = case.verdict not in (*ACCEPTED, *_SHARED)
                    if before is not None and _said(before) == _said(case):
                        as_before += [short_key(case.key)] * fails
                    else:
                        in_full += fails
                        self._show_case(case, before, in_full=fails and in_full <= _IN_FULL)
                elif isinstance(event, RunFinished):
                    if as_before:
                        self.show(_wrapped(f"Not passed, as before: {id_ranges(as_before)}"))
                    self.show(_summary(event.report))
        except KeyboardInterrupt:
            if not (report := run.interrupted()).complete:
                self.show(_summary(report))
            raise
        finally:
            run.engine.close()

    def _show_case(self, case: CaseData, before: CaseData | None, *, in_full: bool) -> None:
        """Say that a case does not pass, or has another verdict than before."""
        was = "" if before is None or before.verdict == case.verdict else f"{before.verdict} → "
        if case.verdict == "not-run":
            return
        if in_full:
            self.show(case_text(case, _WIDTH, was) + "\n")
        elif was or case.verdict not in (*ACCEPTED, *_SHARED):
            self.show("\n".join(wrapped(printable(f"{case.id} {case.title}: {was}{case.verdict}"), hanging=6)))


def _said(case: CaseData) -> tuple[object, ...]:
    return case.verdict, case.reason, [phase.facts for phase in case.phases]


def _summary(report: Report) -> str:
    said = ", ".join(f"{report.summary[verdict]} {verdict}" for verdict in VERDICTS if report.summary[verdict])
    lines = [] if report.complete else [f"Not finished: {report.incomplete_reason}"]
    lines += restart_lines(report.restarts)
    shared = shared_reasons(case for case in report.cases if case.verdict in _SHARED)
    lines += [f"{verdict}: {reason}" for verdict, reason in shared]
    return _wrapped(*lines, f"{counted(len(report.cases), 'case')}: {said} ({report.seconds:.1f} s)")


def _wrapped(*lines: str) -> str:
    return "\n".join(part for line in lines for part in wrapped(printable(line), hanging=2))


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
