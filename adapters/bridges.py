"""The bridges that come with the project: programs that let public engines speak the protocol.

Each is a folder `engines/NAME` with a `bridge.toml`. It is set up in a folder outside the sources, its home, because an
engine may need an environment or a build, and may have another licence.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from ..reference_engine import nearest
from ..reference_engine.toml import loads
from .errors import EngineSpecError

HOME_VARIABLE = "DATC_CHECK_HOME"
"""The environment variable that can name the folder of all homes."""
_ENGINES = Path(__file__).parent / "engines"
_READY = "set-up-of-version"
EXPECTED = "expected.toml"
"""The file of a bridge that lists the cases that its engine does not pass."""
_LEFT_BEHIND = frozenset({"__pycache__", "target", "node_modules"})


class BridgeTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of `bridge.toml`: an engine, and how to set up and start its bridge.

    In `setup` and `command`, `{bridge}` stands for the folder of the bridge, `{home}` for its home and `{python}` for
    the running Python. They are run without a shell.
    """

    engine: str
    version: str
    language: str
    licence: str
    url: str
    needs: list[str] = []
    """The programs that the set-up needs on the path."""
    setup: list[list[str]]
    command: list[str]


@dataclass(frozen=True)
class Bridge:
    """A bridge that comes with the project."""

    name: str
    table: BridgeTable
    folder: Path

    @property
    def home(self) -> Path:
        """Return the folder that it is set up in."""
        return bridges_home() / self.name

    @property
    def command(self) -> tuple[str, ...]:
        """Return the command line that starts it."""
        return self._filled(self.table.command)

    @property
    def setup(self) -> tuple[tuple[str, ...], ...]:
        """Return the command lines that set it up, in order, run in its home."""
        return tuple(self._filled(command) for command in self.table.setup)

    @property
    def is_ready(self) -> bool:
        """Return whether this version of it is completely set up."""
        try:
            return (self.home / _READY).read_text(encoding="utf-8") == self._fingerprint()
        except (OSError, UnicodeDecodeError):
            return False

    def mark_ready(self) -> None:
        """Record that it is completely set up. Raises `OSError`."""
        _ = (self.home / _READY).write_text(self._fingerprint(), encoding="utf-8")

    def mark_unready(self) -> None:
        """Record that it is not completely set up. Raises `OSError`."""
        (self.home / _READY).unlink(missing_ok=True)

    def ready_command(self) -> tuple[str, ...]:
        """Return the command line that starts it. Raises `EngineSpecError` if it is not set up."""
        if not self.is_ready:
            raise EngineSpecError(
                f"the bridge to {self.table.engine} is not set up: datc-check engines setup {self.name}"
            )
        return self.command

    def _filled(self, command: Sequence[str]) -> tuple[str, ...]:
        places = {"{bridge}": str(self.folder), "{home}": str(self.home), "{python}": sys.executable}
        words: list[str] = []
        for word in command:
            for place, path in places.items():
                word = word.replace(place, path)  # noqa: PLW2901 - all places are filled in, in turn
            words.append(word)
        return tuple(words)

    def _fingerprint(self) -> str:
        """Return what identifies the sources of the set-up: when it changes, the bridge must be set up again."""
        import hashlib

        digest = hashlib.sha256()
        for file in self._sources():
            digest.update(file.relative_to(self.folder).as_posix().encode() + b"\0" + file.read_bytes())
        return f"{self.table.engine} {self.table.version} {digest.hexdigest()}"

    def _sources(self) -> list[Path]:
        """Return the source files of the bridge: no documents, and nothing that an interpreter or a build leaves."""
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        return sorted(
            file
            for file in files
            if file.suffix != ".md"
            and file.name != EXPECTED
            and _LEFT_BEHIND.isdisjoint(file.relative_to(self.folder).parts)
        )


def bridges_home() -> Path:
    """Return the folder of all homes: `$DATC_CHECK_HOME`, or one in the user's data folder."""
    if named := os.environ.get(HOME_VARIABLE):
        return Path(named).resolve()
    from platformdirs import user_data_path

    return user_data_path("datc-check") / "engines"


@cache
def bridge_names() -> tuple[str, ...]:
    """Return the names of the bridges that come with the project."""
    return tuple(sorted(file.parent.name for file in _ENGINES.glob("*/bridge.toml")))


def find_bridge(name: str) -> Bridge:
    """Return a bridge that comes with the project.

    Args:
        name: One of `bridge_names()`.

    Raises:
        EngineSpecError: There is no bridge of that name; the message suggests the nearest.
    """
    if name not in bridge_names():
        raise EngineSpecError(f"there is no bridge {name!r}{nearest(name, bridge_names())}")
    folder = _ENGINES / name
    table = msgspec.convert(loads((folder / "bridge.toml").read_text(encoding="utf-8")), BridgeTable)
    return Bridge(name, table, folder)
