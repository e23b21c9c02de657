"""The progress of cases, of a hunt and of a replay, on stderr, where that is a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, final

from rich import progress
from rich.console import Console

from ..search.investigation import Progress as HuntProgress
from ..search.replay import Progress as ReplayProgress

if TYPE_CHECKING:
    from typing_extensions import Self


class _Bar:
    """A bar that is drawn again several times a second, also while an engine is waited for."""

    def __init__(
        self, doing: str, total: int, console: Console | None, columns: Sequence[progress.ProgressColumn], **fields: str
    ) -> None:
        """`total` is what `completed` comes to; `columns` stand between the bar and the time, and show `fields`."""
        console = console or Console(stderr=True)
        self._bar: progress.Progress = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(bar_width=20),
            *columns,
            progress.TimeElapsedColumn(),
            progress.TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task: progress.TaskID = self._bar.add_task(
            doing, start=True, total=total, completed=0, visible=True, **fields
        )

    def __enter__(self) -> Self:
        """Draw it from now on."""
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Take it away."""
        self._bar.stop()


@final
class CasesBar(_Bar):
    """The progress of a run of which nothing else is shown yet."""

    def __init__(self, total: int, console: Console | None = None) -> None:
        """`total` is the number of cases."""
        super().__init__("asking the cases", total, console, (progress.MofNCompleteColumn(),))

    def advance(self) -> None:
        """Show that one more case was asked."""
        self._bar.advance(self._task)


@final
class SearchBar(_Bar):
    """The progress of a hunt, of `total` positions, or of a replay, of `total` bytes of archives."""

    def __init__(self, total: int, unit: str = "positions", console: Console | None = None) -> None:
        """A replay counts `phases`."""
        count = progress.MofNCompleteColumn() if unit == "positions" else progress.TextColumn("{task.fields[asked]}")
        columns = (count, progress.TextColumn("{task.fields[found]}"))
        doing = "asking the suites" if unit == "positions" else "comparing"
        super().__init__(doing, total, console, columns, asked="", found="")

    def show(self, doing: str) -> None:
        """Show what is done."""
        self._bar.update(self._task, description=doing)

    def show_hunt(self, progress: HuntProgress) -> None:
        """Show how far a hunt is."""
        doing, found = "shrinking" if progress.shrinking else "hunting", f"{progress.findings} disagreements"
        self._bar.update(self._task, description=doing, completed=progress.positions, found=found)

    def show_replay(self, progress: ReplayProgress) -> None:
        """Show how far a replay is."""
        doing, done, phases, differing = progress
        asked, found = f"{phases} phases,", f"{differing} differ"
        self._bar.update(self._task, description=doing, completed=done, asked=asked, found=found)
