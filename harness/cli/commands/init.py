"""`datc-check init`: a first version of a bridge, for the author of an engine to fill in."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from ....reference_engine.errors import nearest
from ....reports.files import write_whole
from ...errors import HarnessError
from ...integrations import SKELETONS
from ..command import Command

_ASK = ("datc-check run --select 6.A", "ask it the first section")
_ASK_ALL = ("datc-check run", "ask it everything")
_BUILD = ("datc-check engines setup mine", "build it")


@dataclass(frozen=True)
class _Kind:
    """A kind of bridge: the file to fill in, and the two commands that come next, each with what it does."""

    program: str
    commands: tuple[tuple[str, str], tuple[str, str]]


_KINDS = {
    "python": _Kind("datc_bridge.py", (_ASK, _ASK_ALL)),
    "node": _Kind("datc_bridge.mjs", (_ASK, _ASK_ALL)),
    "go": _Kind("datc_bridge/main.go", (_BUILD, _ASK)),
    "rust": _Kind("datc_bridge/src/main.rs", (_BUILD, _ASK)),
    "java": _Kind("datc_bridge/src/main/java/DatcBridge.java", (_BUILD, _ASK)),
    "cpp": _Kind("datc_bridge/main.cpp", (_BUILD, _ASK)),
    "php": _Kind("datc_bridge.php", (_ASK, _ASK_ALL)),
    "ruby": _Kind("datc_bridge.rb", (_ASK, _ASK_ALL)),
    "http": _Kind("datc_server.py", (("python3 datc_server.py", "start it, and in another terminal"), _ASK)),
}


@click.command("init", cls=Command)
@click.argument("kind", metavar="|".join(_KINDS))
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path(), metavar="[FOLDER]")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@click.pass_context
def command(ctx: click.Context, kind: str, folder: Path, *, force: bool) -> None:
    r"""Write a bridge and a datc.toml that run at once, into FOLDER or this folder.

    The bridge answers that your engine cannot do anything yet; its comments say what to fill in. Of the kinds, `http`
    is a server, in Python; all others are programs that datc-check starts.

    \b
    datc-check init python && datc-check run --select 6.A
    """
    if kind not in _KINDS:
        raise click.BadParameter(f"there is no skeleton for {kind!r}{nearest(kind, tuple(_KINDS))}", ctx)
    skeleton = SKELETONS / kind
    files = _files(skeleton)
    in_the_way = [str(folder / file) for file in files if os.path.lexists(folder / file)]
    if in_the_way and not force:
        raise HarnessError(
            f"nothing is written, since {', '.join(in_the_way)} would be lost: name another folder, or say --force"
        )
    try:
        _copy(skeleton, files, folder)
    except OSError as error:
        raise HarnessError(f"{error.filename or folder}: cannot be written: {error.strerror}") from error
    _say(_KINDS[kind], files, folder)


def _files(skeleton: Path) -> Sequence[Path]:
    """Name the files of a skeleton; the installer may have compiled those in Python."""
    files = (file.relative_to(skeleton) for file in skeleton.rglob("*") if file.is_file())
    return sorted(file for file in files if "__pycache__" not in file.parts)


def _copy(skeleton: Path, files: Sequence[Path], folder: Path) -> None:
    for parent in {folder / file.parent for file in files}:
        parent.mkdir(parents=True, exist_ok=True)
    for file in files:
        write_whole(folder / file, (skeleton / file).read_bytes())


def _say(kind: _Kind, files: Sequence[Path], folder: Path) -> None:
    for file in files:
        click.echo(f"Wrote {folder / file}")
    once_built = ", once it is built" if _BUILD in kind.commands else ""
    click.echo(f'\nIt runs as it is{once_built}, and answers "unsupported".')
    click.echo(f"Fill in {folder / kind.program} where it says TODO.")
    if folder != Path():
        click.echo(f"  cd {shlex.quote(str(folder))}")
    for line, does in kind.commands:
        click.echo(f"  {line:<29}  # {does}")
