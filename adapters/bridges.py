"""The bridges that come with the project: programs that let engines which people use speak the protocol.

Each is a folder `engines/NAME` with a `bridge.toml`. It is set up in a folder of its own outside the sources, its home,
since an engine may need an environment, may have to be built, and may be under another licence.
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
"""Names the folder that holds the homes of the bridges, where it is set."""
_ENGINES = Path(__file__).parent / "engines"
_READY = "set-up-of-version"
EXPECTED = "expected.toml"
"""The file of a bridge that says which cases its engine does not pass."""
_LEFT_BEHIND = frozenset({"__pycache__", "target", "node_modules"})


class BridgeTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`bridge.toml`: an engine, and how its bridge is set up and started.

    In `setup` and `command`, `{bridge}` stands for the folder of the bridge, `{home}` for its home and `{python}` for
    the Python that runs this. No shell reads them.
    """

    engine: str
    version: str
    language: str
    licence: str
    url: str
    needs: list[str] = []
    """The programs that the set-up finds on the path."""
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
        """The folder that it is set up in."""
        return bridges_home() / self.name

    @property
    def command(self) -> tuple[str, ...]:
        """The command line that starts it."""
        return self._filled(self.table.command)

    @property
    def setup(self) -> tuple[tuple[str, ...], ...]:
        """The command lines that set it up, one after the other, in its home."""
        return tuple(self._filled(command) for command in self.table.setup)

    @property
    def is_ready(self) -> bool:
        """Whether it was set up to the end, in this version."""
        try:
            return (self.home / _READY).read_text(encoding="utf-8") == self._fingerprint()
        except (OSError, UnicodeDecodeError):
            return False

    def mark_ready(self) -> None:
        """Note that it was set up to the end. Raises `OSError`."""
        _ = (self.home / _READY).write_text(self._fingerprint(), encoding="utf-8")

    def mark_unready(self) -> None:
        """Note that it is not set up, or not to the end. Raises `OSError`."""
        (self.home / _READY).unlink(missing_ok=True)

    def ready_command(self) -> tuple[str, ...]:
        """The command line that starts it. Raises `EngineSpecError` where it is not set up."""
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
                word = word.replace(place, path)  # noqa: PLW2901 - one place after the other
            words.append(word)
        return tuple(words)

    def _fingerprint(self) -> str:
        """What the set-up is made from: another version or another program of the bridge has to be set up anew."""
        import hashlib

        digest = hashlib.sha256()
        for file in self._sources():
            digest.update(file.relative_to(self.folder).as_posix().encode() + b"\0" + file.read_bytes())
        return f"{self.table.engine} {self.table.version} {digest.hexdigest()}"

    def _sources(self) -> list[Path]:
        """The files that make the bridge: not what is written about it, nor what an interpreter or a build leaves."""
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        return sorted(
            file
            for file in files
            if file.suffix != ".md"
            and file.name != EXPECTED
            and _LEFT_BEHIND.isdisjoint(file.relative_to(self.folder).parts)
        )


def bridges_home() -> Path:
    """The folder that holds the homes of the bridges: `$DATC_CHECK_HOME`, or the user's data folder."""
    if named := os.environ.get(HOME_VARIABLE):
        return Path(named).resolve()
    from platformdirs import user_data_path

    return user_data_path("datc-check") / "engines"


@cache
def bridge_names() -> tuple[str, ...]:
    """Name the bridges that come with the project."""
    return tuple(sorted(file.parent.name for file in _ENGINES.glob("*/bridge.toml")))


def find_bridge(name: str) -> Bridge:
    """Find a bridge by its name. Raises `EngineSpecError` with the nearest one."""
    if name not in bridge_names():
        raise EngineSpecError(f"there is no bridge {name!r}{nearest(name, bridge_names())}")
    folder = _ENGINES / name
    table = msgspec.convert(loads((folder / "bridge.toml").read_text(encoding="utf-8")), BridgeTable)
    return Bridge(name, table, folder)
