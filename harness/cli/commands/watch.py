"""`datc-check watch`: ask an engine again whenever its files change."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ....adapters import EngineSpec
from ...config.config import FILE_NAME, find_config
from ...config.setting_up import Manner, set_up_engine
from ...errors import HarnessError
from ...run.runner import Run
from .. import options as shared
from ..command import Command, Exit, Options, echo

if TYPE_CHECKING:
    from ...integrations.watching import Changes

_BUILD_SECONDS = 600.0


@click.command("watch", cls=Command)
@click.argument("engine", required=False)
@shared.option(
    "--path",
    "watched",
    "PATH",
    "What is watched. [datc.toml's folder]",
    click.Path(exists=True, path_type=Path),
    multiple=True,
)
@shared.run_options
def watch_command(options: Options) -> int:
    r"""Ask ENGINE the cases, and again whenever a file in a watched folder changes, until Ctrl-C.

    Each time, the engine is built again (`setup` in datc.toml) and started. Cases that it did not pass the last time
    come first; later runs show what changed. Build folders, caches, version control and temporary files of editors are
    not watched, nor is the file that the output goes to; the program that starts the engine always is. A file that is
    saved during a build counts. If the engine writes into its folder, name your own files with --path. It needs `pip
    install "datc-check[watch]"`.

    \b
    datc-check watch mine
    datc-check watch mine --select 6.F --path src --path datc.toml
    """
    try:
        from ...integrations.watching import Changes, Watch
    except ImportError as error:
        raise HarnessError("it needs watchfiles: pip install 'datc-check[watch]'") from error

    run, _ = shared.prepare_run(options.engine, options)
    config_file = options.config_file or find_config() or Path(FILE_NAME)
    folders = [path.resolve() for path in options.watched] or [config_file.resolve().parent]
    changes = Changes(folders, _program(run.spec))

    def prepare_built() -> Run:
        again, _ = shared.prepare_run(options.engine, options)
        _build(again.spec, changes)
        return again

    with suppress(KeyboardInterrupt):
        changes.begin()
        _build(run.spec, changes)
        Watch(prepare_built, echo).follow(run, changes)
    return Exit.INTERRUPTED


def _program(spec: EngineSpec) -> Path | None:
    """Name the file that starts the engine, if it is one with a path."""
    program = spec.command[0] if spec.command else ""
    return Path(spec.cwd or "").joinpath(program).resolve() if os.sep in program else None


def _build(spec: EngineSpec, changes: Changes) -> None:
    """Build an engine whose config says how; what that writes is no change. Raises `SetUpError`."""
    if spec.setup:
        changes.without_built(lambda: set_up_engine(spec, Manner(_BUILD_SECONDS)))
