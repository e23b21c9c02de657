"""The bridges that come with the project: programs that let public engines speak the protocol.

Each is a folder `engines/NAME` with a `bridge.toml`. It is set up in a folder outside the sources, its home, because an
engine may need an environment or a build, and may have another licence. `NAME` is the bridge to the release that it was
written for; `NAME@LABEL` is the same bridge to another release, or to a checkout, set up beside it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import cache
from pathlib import Path

import msgspec
from platformdirs import user_data_path

from ..reference_engine.errors import nearest
from ..reference_engine.toml import loads
from .errors import EngineSpecError

HOME_VARIABLE = "DATC_CHECK_HOME"
"""The environment variable that can name the folder of all homes."""
_ENGINES = Path(__file__).parent / "engines"
_PYTHON = _ENGINES / "python"
"""What the bridges to engines in Python share."""
_READY = "set-up-of-version"
_SOURCE = "set-up-from-folder"
"""The file in a home that names the folder that a checkout was copied from."""
_LABEL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+-]{0,63}")
EXPECTED = "expected.toml"
"""The file of a bridge that lists the cases that its engine does not pass."""
_LEFT_BEHIND = frozenset({"__pycache__", "target", "node_modules"})


class BridgeTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of `bridge.toml`: an engine, and how to set up and start its bridge.

    In the command lines, `{bridge}` stands for the folder of the bridge, `{home}` for its home, `{python}` for the
    running Python, `{version}` for a release and `{source}` for the copy of a checkout. They are run without a shell.
    """

    engine: str
    version: str
    language: str
    licence: str
    url: str
    needs: list[str] = []
    setup: list[list[str]] = []
    """The command lines that set up the release that it was written for; none if it is in no registry."""
    setup_version: list[list[str]] = []
    """The command lines that set up another release, from the registry."""
    setup_source: list[list[str]] = []
    private: list[str] = []
    """Paths in a checkout that are not copied, such as a config with tokens."""
    releases: list[str] = []
    """The command line that prints the releases in the registry, as pip, Go, or npm in JSON; empty if none does."""
    command: list[str]
    timeout: float | None = None
    """How many seconds an answer may take, for an engine that never answers some requests; `None` for as usual."""


@dataclass(frozen=True)
class Bridge:
    """A bridge that comes with the project, to one release of its engine or to a checkout."""

    name: str
    """`NAME`, or `NAME@LABEL`."""
    table: BridgeTable
    folder: Path
    source: Path | None = None
    """The folder of the checkout; `None` for a release."""

    @property
    def engine_name(self) -> str:
        """Return its name without the label."""
        return self.name.partition("@")[0]

    @property
    def label(self) -> str:
        """Return the release, or the label of a checkout."""
        return self.name.partition("@")[2] or self.table.version

    @property
    def is_pinned(self) -> bool:
        """Return whether it is to the release that the bridge was written for."""
        return "@" not in self.name

    @property
    def home(self) -> Path:
        return bridges_home() / self.name

    @property
    def copy(self) -> Path:
        """Return the folder that a checkout is copied to."""
        return self.home / "source"

    @property
    def command(self) -> tuple[str, ...]:
        return self.filled(self.table.command)

    @property
    def setup(self) -> tuple[tuple[str, ...], ...]:
        """Return the command lines that set it up, in order, run in its home."""
        of_release = self.table.setup if self.is_pinned else self.table.setup_version
        return tuple(map(self.filled, of_release if self.source is None else self.table.setup_source))

    @property
    def set_up_line(self) -> str:
        """Return what a person types to set it up."""
        version = "" if self.is_pinned else f" --version {self.label}"
        source = "" if self.source is None else f" --source {shlex.quote(str(self.source))}"
        if not (source or self.setup):
            source = " --source DIR"
        return f"datc-check engines setup {self.engine_name}{source}{version}"

    @property
    def is_ready(self) -> bool:
        """Return whether this version of it is completely set up."""
        try:
            return (self.home / _READY).read_text(encoding="utf-8") == self.fingerprint()
        except (OSError, UnicodeDecodeError):
            return False

    @property
    def set_up_at(self) -> datetime | None:
        """Return when it was set up; `None` where it is not."""
        try:
            return datetime.fromtimestamp((self.home / _READY).stat().st_mtime, timezone.utc)
        except OSError:
            return None

    def mark_ready(self) -> None:
        """Record that it is completely set up. Raises `OSError`."""
        _ = (self.home / _READY).write_text(self.fingerprint(), encoding="utf-8")

    def mark_unready(self) -> None:
        """Record that it is not completely set up, and what it will be made from. Raises `OSError`."""
        (self.home / _READY).unlink(missing_ok=True)
        (self.home / _SOURCE).unlink(missing_ok=True)
        if self.source is not None:
            _ = (self.home / _SOURCE).write_text(str(self.source), encoding="utf-8")

    def ready_command(self) -> tuple[str, ...]:
        """Return the command line that starts it. Raises `EngineSpecError` if it is not set up."""
        if not self.is_ready:
            what = self.table.engine if self.is_pinned else f"{self.table.engine} {self.label}"
            raise EngineSpecError(f"the bridge to {what} is not set up: {self.set_up_line}")
        return self.command

    def filled(self, command: Sequence[str]) -> tuple[str, ...]:
        """Return a command line of the table with paths and versions in their places."""
        places = {
            "{bridge}": str(self.folder),
            "{home}": str(self.home),
            "{python}": sys.executable,
            "{version}": self.label,
            "{source}": str(self.copy),
        }
        words = tuple(command)
        for place, path in places.items():
            words = tuple(word.replace(place, path) for word in words)
        return words

    def fingerprint(self) -> str:
        """Return what identifies the sources of the set-up: when it changes, the bridge must be set up again.

        Documents are no sources, nor is what an interpreter or a build leaves.
        """
        digest = hashlib.sha256()
        for folder in (self.folder, _PYTHON) if self.table.language == "Python" else (self.folder,):
            for file in sorted(path for path in folder.rglob("*") if path.is_file()):
                name = file.relative_to(folder)
                if file.suffix != ".md" and file.name != EXPECTED and _LEFT_BEHIND.isdisjoint(name.parts):
                    digest.update(name.as_posix().encode() + b"\0" + file.read_bytes())
        return f"{self.table.engine} {self.label} {digest.hexdigest()}"


def bridges_home() -> Path:
    """Return the folder of all homes: `$DATC_CHECK_HOME`, or one in the user's data folder."""
    if named := os.environ.get(HOME_VARIABLE):
        return Path(named).resolve()
    return user_data_path("datc-check") / "engines"


@cache
def bridge_names() -> tuple[str, ...]:
    """Return the names of the bridges that come with the project."""
    return tuple(sorted(file.parent.name for file in _ENGINES.glob("*/bridge.toml")))


def find_bridge(name: str) -> Bridge:
    """Return a bridge that comes with the project: `NAME`, one of `bridge_names()`, or `NAME@LABEL`.

    The label of the release that the bridge was written for gives the same as no label. Raises `EngineSpecError` where
    there is no bridge of that name, suggesting the nearest, or the label is wrong.
    """
    engine_name, at, label = name.partition("@")
    if engine_name not in bridge_names():
        raise EngineSpecError(f"there is no bridge {engine_name!r}{nearest(engine_name, bridge_names())}")
    folder = _ENGINES / engine_name
    table = msgspec.convert(loads((folder / "bridge.toml").read_text(encoding="utf-8")), BridgeTable)
    bridge = Bridge(engine_name, table, folder)
    if not table.setup:
        bridge = replace(bridge, source=_recorded_source(bridge.home))
    return labelled(bridge, label) if at else bridge


def labelled(bridge: Bridge, label: str, source: Path | None = None) -> Bridge:
    """Return a bridge to another release of the engine of `bridge`, or to a checkout in the folder `source`.

    Without a folder it is the one that the label was set up from, if there is one. Raises `EngineSpecError` for a label
    that cannot be a release, and for a checkout with one that could be.
    """
    if not _LABEL.fullmatch(label):
        advice = "write letters, digits and . - _ +, with a letter or digit first"
        raise EngineSpecError(f"{label[:80]!r} is no version: {advice}")
    if source is not None and label[0].isdigit():
        advice = f"give the checkout one that begins with a letter, such as --version my-{label}"
        raise EngineSpecError(f"{label} is the name of a release: {advice}")
    if label == bridge.table.version:
        return bridge
    other = Bridge(f"{bridge.name}@{label}", bridge.table, bridge.folder)
    return replace(other, source=source or _recorded_source(other.home))


def set_up_bridges(name: str) -> list[Bridge]:
    """Return the bridges to the engine of a bridge that were set up, in the order of their names."""
    pinned = find_bridge(name)
    labels = [home.name.partition("@")[2] for home in sorted(bridges_home().glob(f"{name}@*"))]
    others = [label for label in labels if _LABEL.fullmatch(label) and label != pinned.table.version]
    return [bridge for bridge in (pinned, *(labelled(pinned, label) for label in others)) if bridge.set_up_at]


def _recorded_source(home: Path) -> Path | None:
    try:
        return Path((home / _SOURCE).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None
