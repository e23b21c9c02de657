"""The progress of a hunt, on stderr, where that is a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from types import TracebackType

    from rich.console import Console

    from ..fuzzing.chunk import Progress


@final
class HuntBar:
    """A bar that is drawn again several times a second, also while an engine is waited for."""

    def __init__(self, total: int, console: Console | None = None) -> None:
        """`total` is the number of positions."""
        from rich import progress
        from rich.console import Console

        console = console or Console(stderr=True)
        self._bar = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(bar_width=20),
            progress.MofNCompleteColumn(),
            progress.TextColumn("{task.fields[found]} disagreements"),
            progress.TimeElapsedColumn(),
            progress.TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("asking the suites", total=total, found=0)

    def __enter__(self) -> HuntBar:
        """Draw it from now on."""
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Take it away."""
        self._bar.stop()

    def show_tests(self) -> None:
        """Show that what explains the findings is tested."""
        self._bar.update(self._task, description="testing causes")

    def show(self, progress: Progress) -> None:
        """Show how far the hunt is."""
        doing = "shrinking" if progress.shrinking else "hunting"
        self._bar.update(self._task, description=doing, completed=progress.positions, found=progress.findings)
