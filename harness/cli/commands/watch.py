"""`datc-check watch`: ask an engine again whenever its files change."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, final

import click

from ..command import EXIT_PASSED, Command, RunOptions, echo, prepare_run, run_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from typing_extensions import Unpack

    from ....adapters import EngineSpec
    from ...runner import Run

_BUILD_FOLDERS = ("build", "dist", "target", ".ruff_cache")
"""Folders that are not watched, beside those of editors, version control and caches that watchfiles knows."""
_BUILD_SECONDS = 600.0
_POLL_INTERVAL = 100
"""Milliseconds between two looks at what changed; the first run begins after one, when the files are watched."""


@click.command("watch", cls=Command, short_help="Ask an engine again whenever its files change.")
@click.argument("engine", required=False)
@click.option(
    "--watch",
    "paths",
    multiple=True,
    type=click.Path(exists=True),
    metavar="PATH",
    help="What is watched. [datc.toml's folder]",
)
@run_options
@click.pass_context
def command(ctx: click.Context, engine: str | None, paths: Sequence[str], **options: Unpack[RunOptions]) -> None:
    r"""Ask ENGINE the cases, and again whenever a file in a watched folder changes, until Ctrl-C.

    Each time, the engine is built again (`setup` in datc.toml) and started. Cases that it did not pass the last time
    come first. Build folders, caches and version control are not watched; the program that starts the engine always is.
    If the engine writes into its folder, name your own files with --watch. It needs `pip install "datc-check[watch]"`.

    \b
    datc-check watch mine
    datc-check watch mine --select 6.F --watch src --watch datc.toml
    """
    from ...errors import HarnessError

    try:
        import watchfiles  # noqa: F401 # pyright: ignore[reportUnusedImport] - only to see whether it is there
    except ImportError as error:
        raise HarnessError("it needs watchfiles: pip install 'datc-check[watch]'") from error
    from ...integrations.watching import Watch
    from ...settings.config import FILE_NAME, find_config

    run, _ = prepare_run(engine, options)
    config_file = options["config_file"] or find_config() or Path(FILE_NAME)
    folders = [Path(path).resolve() for path in paths] or [config_file.resolve().parent]
    changes = _changes(folders, _program(run.spec))

    def prepare_built() -> Run:
        again, _ = prepare_run(engine, options)
        _build(again.spec, changes)
        return again

    try:
        _ = next(changes)  # From now on nothing that changes is missed.
        _build(run.spec, changes)
        Watch(prepare_built, echo).follow(run, filter(None, changes))
    except KeyboardInterrupt:
        ctx.exit(EXIT_PASSED)


def _build(spec: EngineSpec, changes: Iterator[set[Path]]) -> None:
    """Build an engine whose config says how; what that writes is no change. Raises `SetUpError`."""
    from ...settings.setting_up import Manner, set_up_engine

    if spec.setup:
        try:
            set_up_engine(spec, Manner(_BUILD_SECONDS))
        finally:  # What fails has written, too: to build for that would never end.
            _ = next(changes)


def _program(spec: EngineSpec) -> Path | None:
    """Name the file that starts the engine, if it is one with a path."""
    program = spec.command[0] if spec.command else ""
    return Path(spec.cwd or "").joinpath(program).resolve() if os.sep in program else None


def _changes(folders: Sequence[Path], program: Path | None) -> Iterator[set[Path]]:
    """Give the files that changed since the last time, often none."""
    import watchfiles

    @final
    class Watched(watchfiles.DefaultFilter):
        """Looks at what is inside the watched folders alone: they may be in one named `build` themselves."""

        ignore_dirs = (*watchfiles.DefaultFilter.ignore_dirs, *_BUILD_FOLDERS)

        def __call__(self, change: watchfiles.Change, path: str) -> bool:
            file = Path(path)
            inside = next((file.relative_to(folder) for folder in folders if file.is_relative_to(folder)), file)
            return file == program or super().__call__(change, str(inside))

    found = watchfiles.watch(*folders, watch_filter=Watched(), yield_on_timeout=True, rust_timeout=_POLL_INTERVAL)
    return ({Path(path) for _, path in changes} for changes in found)
