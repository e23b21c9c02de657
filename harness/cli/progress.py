"""The progress of cases, of a hunt and of a replay, on stderr, where that is a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from rich.console import Console
    from rich.progress import Progress, ProgressColumn, TaskID
    from typing_extensions import Self

    from ..fuzzing.chunk import Progress as HuntProgress
    from ..replay.replay import Progress as ReplayProgress


class _Bar:
    """A bar that is drawn again several times a second, also while an engine is waited for."""

    def __init__(
        self, doing: str, total: int, console: Console | None, columns: Sequence[ProgressColumn], **fields: int
    ) -> None:
        """`total` is what `completed` comes to; `columns` stand between the bar and the time, and show `fields`."""
        from rich import progress
        from rich.console import Console

        console = console or Console(stderr=True)
        self._bar: Progress = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(bar_width=20),
            *columns,
            progress.TimeElapsedColumn(),
            progress.TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task: TaskID = self._bar.add_task(doing, start=True, total=total, completed=0, visible=True, **fields)

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
        from rich import progress

        super().__init__("asking the cases", total, console, (progress.MofNCompleteColumn(),))

    def advance(self) -> None:
        """Show that one more case was asked."""
        self._bar.advance(self._task)


@final
class HuntBar(_Bar):
    """The progress of a hunt."""

    def __init__(self, total: int, console: Console | None = None) -> None:
        """`total` is the number of positions."""
        from rich import progress

        columns = (progress.MofNCompleteColumn(), progress.TextColumn("{task.fields[found]} disagreements"))
        super().__init__("asking the suites", total, console, columns, found=0)

    def show_tests(self) -> None:
        """Show that what explains the findings is tested."""
        self._bar.update(self._task, description="testing causes")

    def show(self, progress: HuntProgress) -> None:
        """Show how far the hunt is."""
        doing = "shrinking" if progress.shrinking else "hunting"
        self._bar.update(self._task, description=doing, completed=progress.positions, found=progress.findings)


@final
class ReplayBar(_Bar):
    """The progress of a replay."""

    def __init__(self, total: int, console: Console | None = None) -> None:
        """`total` is the number of bytes of the archives."""
        from rich import progress

        text = progress.TextColumn("{task.fields[phases]} phases, {task.fields[differing]} differ")
        super().__init__("comparing", total, console, (text,), phases=0, differing=0)

    def show(self, progress: ReplayProgress) -> None:
        """Show how far the replay is."""
        doing, done, phases, differing = progress
        self._bar.update(self._task, description=doing, completed=done, phases=phases, differing=differing)
