"""Progress on stderr, where that is a terminal."""

from __future__ import annotations

from typing import Any, final

from rich import progress
from rich.console import Console


@final
class Bar(progress.Progress):
    """A bar that is drawn again several times a second, also while an engine is waited for."""

    def __init__(
        self, doing: str, total: int, *fields: str, counts: bool = True, console: Console | None = None
    ) -> None:
        """Show texts, the `fields`, behind the bar; what of `total` is done comes before them, if the bar `counts`."""
        console = console or Console(stderr=True)
        super().__init__(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(bar_width=20),
            *([progress.MofNCompleteColumn()] if counts else []),
            *(progress.TextColumn(f"{{task.fields[{name}]}}") for name in fields),
            progress.TimeElapsedColumn(),
            progress.TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        empty: dict[str, Any] = dict.fromkeys(fields, "")
        self._task: progress.TaskID = self.add_task(doing, total=total, **empty)

    def show(self, doing: str | None = None, **changes: Any) -> None:  # noqa: ANN401 - as rich has it
        """Show what is done now, how much is `completed`, or another text of a field."""
        self.update(self._task, description=doing, **changes)
