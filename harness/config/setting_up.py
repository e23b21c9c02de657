"""Sets engines up: runs the command lines of a set-up one after the other, in a folder of its own, without a shell."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import msgspec
from filelock import FileLock, Timeout

from ...adapters import EngineSpec
from ...adapters.bridges import Bridge, bridges_home
from ...adapters.process_session import start_killable
from ...reference_engine.errors import printable
from ..errors import MissingProgramError, SetUpError

_LISTING_SECONDS = 60
_RELEASE = re.compile(r"[0-9][A-Za-z0-9._+-]{0,63}")
_PIP_LISTING = re.compile(r"^Available versions:(.*)$", re.MULTILINE)
_GO_LISTING = re.compile(r"\S+/\S+((?: v\S+)+)")
_LEFT_BEHIND = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__"})
_MARKS = ("CACHEDIR.TAG", "pyvenv.cfg")
"""The files that mark a folder as a cache, such as Cargo's `target`, or as a virtual environment."""
_PYTHON_PROJECT = ("pyproject.toml", "setup.py")
_LAST_LINES = 20
_LAST_BYTES = 1 << 14


@dataclass(frozen=True)
class Manner:
    """How a set-up is run."""

    seconds: float
    """How long it may take, all command lines together."""
    show: bool = False
    """Whether the output of the command lines is shown as they run; otherwise its end is, where one fails."""
    tell: Callable[[str], None] = lambda _text: None
    """Takes a text that says what is done next."""


def missing_programs(needs: Sequence[str]) -> list[str]:
    """Name the programs that are not on the path."""
    return [program for program in needs if shutil.which(program) is None]


def set_up_bridge(bridge: Bridge, manner: Manner) -> None:
    """Set a bridge up in its home. It is ready when all command lines have succeeded, and not before.

    A checkout is copied first, so that the author's tree stays as it is. While another process sets the bridge up, wait
    for what comes of that. Raises `MissingProgramError` and `SetUpError`.
    """
    if not bridge.setup:
        raise SetUpError(_why_not(bridge))
    if bridge.source is not None and not bridge.source.is_dir():
        raise SetUpError(f"there is no folder {str(bridge.source)!r}")
    if missing := missing_programs(bridge.table.needs):
        needed = " and ".join(missing)
        raise MissingProgramError(f"the bridge to {bridge.table.engine} needs {needed}, not found on the PATH")
    with _its_home(bridge):
        bridge.home.mkdir(parents=True, exist_ok=True)
        lock, had_to_wait = _lock(bridge, manner)
    with lock:
        if had_to_wait and bridge.is_ready and bridge.source is None:
            return
        with _its_home(bridge):
            bridge.mark_unready()
        if bridge.source is not None:
            manner.tell(f"copying {bridge.source}")
            copy_checkout(bridge.source, bridge.copy, bridge.table.private)
        try:
            run_set_up(bridge.setup, bridge.home, manner)
        except SetUpError as error:
            raise SetUpError(f"{error}{_advice(bridge)}") from error
        with _its_home(bridge):
            bridge.mark_ready()


def _why_not(bridge: Bridge) -> str:
    table = bridge.table
    if not table.setup:
        where = f"take a checkout from {table.url}, do what {bridge.folder / 'README.md'} says, and name it"
        return f"{table.engine} is in no registry: {where} with --source DIR"
    checkout = ", or a checkout of it with --source DIR" if table.setup_source else ""
    return f"the bridge to {table.engine} can only be set up for {table.version}{checkout}"


def _advice(bridge: Bridge) -> str:
    if bridge.is_pinned or bridge.source is not None:
        return ""
    with suppress(SetUpError):
        known = releases(bridge)
        if bridge.label not in known:
            return f"\n{bridge.table.engine} has no release {bridge.label}, but {', '.join(known)}"
    written = f"\nthe bridge was written for {bridge.table.engine} {bridge.table.version}"
    return f"{written}, and another release may not exist or have another interface: {bridge.table.url} lists them"


def releases(bridge: Bridge) -> list[str]:
    """Ask the registry for the releases of a bridge's engine, oldest first in its own order. Raises `SetUpError`."""
    advice = f"name them: {bridge.table.url} lists them"
    command = bridge.filled(bridge.table.releases)
    if not command:
        raise SetUpError(f"the releases of {bridge.table.engine} cannot be listed by a command; {advice}")
    try:
        said = subprocess.run(command, capture_output=True, timeout=_LISTING_SECONDS, check=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise SetUpError(f"the releases of {bridge.table.engine} could not be listed ({error}); {advice}") from error
    found = [release for release in _listed(said) if _RELEASE.fullmatch(release)]
    if not found:
        raise SetUpError(f"the registry names no releases of {bridge.table.engine}; {advice}")
    return list(dict.fromkeys(found))


def _listed(said: bytes) -> list[str]:
    """Read what a registry's client prints: pip has the newest release first, npm and Go have the oldest."""
    text = said.decode("utf-8", "replace")
    if pip := _PIP_LISTING.search(text):
        return [release.strip() for release in reversed(pip[1].split(","))]
    if go := _GO_LISTING.fullmatch(text.strip()):
        return [release.removeprefix("v") for release in go[1].split()]
    try:
        npm = msgspec.json.decode(said, type=list[str] | str)
    except msgspec.DecodeError:
        return []
    return [npm] if isinstance(npm, str) else npm


def copy_checkout(source: Path, copy: Path, private: Sequence[str] = ()) -> None:
    """Copy a folder, but for what version control, package managers and builds keep in it. Raises `SetUpError`.

    The paths of `private`, from `source`, are left out, too. An older copy is replaced. The copied files are new ones
    to a build that compares times, such as Cargo's.
    """
    left_out = {source / path for path in private}

    def left_behind(folder: str, names: Sequence[str]) -> set[str]:
        paths = {name: Path(folder, name) for name in names}
        return {name for name, path in paths.items() if path in left_out or _is_left_behind(source, path)}

    try:
        if copy.exists():
            shutil.rmtree(copy)
        _ = shutil.copytree(source, copy, symlinks=True, ignore=left_behind, copy_function=shutil.copy)
    except (OSError, RecursionError) as error:  # `shutil.Error` is one, with a list of what went wrong.
        raise SetUpError(f"{source} cannot be copied: {printable(str(error))[:_LAST_BYTES]}") from error


def _is_left_behind(source: Path, path: Path) -> bool:
    if path.name in _LEFT_BEHIND:
        return True
    if path.is_symlink() or not path.is_dir():
        return False
    is_python_build = path == source / "build" and any((source / name).exists() for name in _PYTHON_PROJECT)
    is_marked = any((path / mark).exists() for mark in _MARKS)
    return is_python_build or is_marked or path.resolve() == bridges_home()


@contextmanager
def _its_home(bridge: Bridge) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise SetUpError(f"{bridge.home} cannot be made or written to: {error.strerror}") from error


def _lock(bridge: Bridge, manner: Manner) -> tuple[AbstractContextManager[object], bool]:
    """Take the lock on a bridge's home, which ends with the process, and tell whether another one had it."""
    lock = FileLock(bridge.home / "set-up.lock")
    # filelock types this with typing.Self, which Python 3.10 does not have.
    acquire = cast("Callable[..., AbstractContextManager[object]]", lock.acquire)
    with suppress(Timeout):
        return acquire(blocking=False), False
    manner.tell("it is being set up already: waiting for the end of that")
    try:
        return acquire(timeout=manner.seconds), True
    except Timeout as error:
        raise SetUpError("another process is still setting it up: the time is over (--timeout)") from error


def set_up_engine(spec: EngineSpec, manner: Manner) -> None:
    """Set an engine of `datc.toml` up in its own folder. Raises `SetUpError`."""
    run_set_up(spec.setup, Path(spec.cwd or "."), manner, spec.environment)


def run_set_up(
    commands: Sequence[Sequence[str]], folder: Path, manner: Manner, environment: Mapping[str, str] | None = None
) -> None:
    """Run command lines in a folder until one fails.

    Raises `SetUpError` with the last lines of what it printed; whatever ends it early ends what runs, too.
    """
    deadline = time.monotonic() + manner.seconds
    for number, command in enumerate(commands, 1):
        manner.tell(f"{number} of {len(commands)}: {shlex.join(command)}")
        with tempfile.TemporaryFile() as log:
            seconds = max(deadline - time.monotonic(), 0)
            trouble = _run(command, folder, environment or {}, seconds, None if manner.show else log)
            if trouble:
                _ = log.seek(max(log.seek(0, os.SEEK_END) - _LAST_BYTES, 0))
                said = [line for line in log.read().decode("utf-8", "replace").splitlines() if line.strip()]
                lines = "".join(f"\n  {printable(line)}" for line in said[-_LAST_LINES:])
                raise SetUpError(f"{shlex.join(command)}\n{trouble}{lines}")


def _run(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], seconds: float, log: IO[bytes] | None
) -> str:
    try:
        process, kill = start_killable(
            command,
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=None if log is None else subprocess.STDOUT,
        )
    except (OSError, ValueError) as error:
        return f"cannot be started: {error}"
    try:
        code = process.wait(seconds)
    except BaseException as error:
        kill()
        _ = process.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            return "was ended: the time for the set-up is over (--timeout)"
        raise
    return f"failed with exit code {code}" if code else ""
