"""`datc-check init`: a first version of a bridge, for the author of an engine to fill in."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import click

from ....reference_engine.errors import nearest
from ....reports.files import write_whole
from ...errors import HarnessError
from ...integrations import SKELETONS
from ..command import Command, Options, echo

_ASK = ("datc-check run --select 6.A", "ask it the first section")
_ASK_ALL = ("datc-check run", "ask it everything")
_BUILD = ("datc-check engines setup mine", "build it")
_BRIDGE = "from ..python.datc_bridge import respond  # `datc-check init` puts it here"
_KINDS = {
    "python": ("datc_bridge.py", _ASK, _ASK_ALL),
    "node": ("datc_bridge.mjs", _ASK, _ASK_ALL),
    "go": ("datc_bridge/main.go", _BUILD, _ASK),
    "rust": ("datc_bridge/src/main.rs", _BUILD, _ASK),
    "java": ("datc_bridge/src/main/java/DatcBridge.java", _BUILD, _ASK),
    "cpp": ("datc_bridge/main.cpp", _BUILD, _ASK),
    "php": ("datc_bridge.php", _ASK, _ASK_ALL),
    "ruby": ("datc_bridge.rb", _ASK, _ASK_ALL),
    "http": ("datc_server.py", ("python3 datc_server.py", "start it, and in another terminal"), _ASK),
}
"""The kinds of bridges: the file to fill in, and the two commands that come next, each with what it does."""
_ON_WINDOWS = (
    ("python3", "python"),
    ('"-o", "datc_bridge"', '"-o", "datc_bridge.exe"'),
    ('/datc_bridge"', '/datc_bridge.exe"'),
    ('/datc-bridge"', '/datc-bridge.exe"'),
)
"""What programs are called there."""


@click.command("init", cls=Command)
@click.argument("kind", metavar="|".join(_KINDS))
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path(), metavar="[FOLDER]")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
def init_command(options: Options) -> None:
    r"""Write a bridge and a datc.toml that run at once, into FOLDER or this folder.

    The bridge answers that your engine cannot do anything yet; its comments say what to fill in. Of the kinds, `http`
    is a server, in Python; all others are programs that datc-check starts.

    \b
    datc-check init python && datc-check run --select 6.A
    """
    kind, folder = options.kind, options.folder or Path()
    if kind not in _KINDS:
        raise click.BadParameter(f"there is no skeleton for {kind!r}{nearest(kind, tuple(_KINDS))}")
    skeleton = SKELETONS / kind
    paths = (file.relative_to(skeleton) for file in skeleton.rglob("*") if file.is_file())
    files = sorted(file for file in paths if "__pycache__" not in file.parts)  # An installer may have compiled some.
    in_the_way = [str(folder / file) for file in files if os.path.lexists(folder / file)]
    if in_the_way and not options.force:
        raise HarnessError(
            f"nothing is written, since {', '.join(in_the_way)} would be lost: name another folder, or say --force"
        )
    try:
        for parent in {folder / file.parent for file in files}:
            parent.mkdir(parents=True, exist_ok=True)
        for file in files:
            write_whole(folder / file, _content(skeleton / file))
    except OSError as error:
        raise HarnessError(f"{error.filename or folder}: cannot be written: {error.strerror}") from error
    program, *commands = _KINDS[kind]
    for file in files:
        echo(f"Wrote {folder / file}")
    once_built = ", once it is built" if _BUILD in commands else ""
    echo(f'\nIt runs as it is{once_built}, and answers "unsupported".')
    echo(f"Fill in {folder / program} where it says TODO.")
    if folder != Path():
        echo(f"  cd {shlex.quote(str(folder))}")
    for line, does in commands:
        echo(f"  {_as_here(line):<29}  # {does}")


def _as_here(text: str) -> str:
    for name, name_there in _ON_WINDOWS if sys.platform == "win32" else ():
        text = text.replace(name, name_there)
    return text


def _content(file: Path) -> bytes:
    """Read a file of a skeleton; the server in Python becomes one file with what it imports from the bridge."""
    content = _as_here(file.read_text(encoding="utf-8"))
    if _BRIDGE not in content:
        return content.encode()
    bridge = (SKELETONS / "python" / "datc_bridge.py").read_text(encoding="utf-8")
    for own, joined in (
        ("import sys\n", "import json\nimport sys\nimport traceback\n"),
        ("typing import final", "typing import Any, final"),
        (_BRIDGE, bridge[bridge.index("# import my_engine") : bridge.index("\n\n\ndef main(")]),
        ("keep nothing from one to the next", "several may be played at once"),
    ):
        content = content.replace(own, joined)
    return content.encode()
