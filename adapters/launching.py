"""Starts the process of an engine, and ends it with everything that it started, as far as the system lets us."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, final

_GUARD = Path(__file__).with_name("guard.py")
_HAS_GUARD = sys.platform == "linux" and bool(sys.executable)
"""Whether an engine is started by a guard, which ends it with all it started, and when this process is killed."""


@final
class EngineProcess:
    """The process of an engine. Where there is a guard, it is that one, and ends as the engine does."""

    def __init__(self, command: Sequence[str], cwd: str | None, environment: Mapping[str, str] | None) -> None:
        """Start it; `environment` is added to that of this process. Raises `OSError` and `ValueError`."""
        whole = None if environment is None else {**os.environ, **environment}
        self._life: IO[bytes] | None = None
        self._engine: int | None = None
        """The process group of the engine, where that is another than that of `_process`."""
        if _HAS_GUARD:
            self._process = self._start_guarded(command, cwd, whole)
        else:
            self._process = _start(command, cwd, whole)

    @property
    def stdin(self) -> IO[bytes]:
        """Its input, without a buffer."""
        return _pipe(self._process.stdin)

    @property
    def stdout(self) -> IO[bytes]:
        """Its output, without a buffer."""
        return _pipe(self._process.stdout)

    @property
    def stderr(self) -> IO[bytes]:
        """Its log, without a buffer."""
        return _pipe(self._process.stderr)

    def wait(self, seconds: float | None = None) -> int | None:
        """Return its exit code, or that of a signal as a negative number; `None` where it takes longer."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """Have it killed with everything that it started, without waiting for that."""
        if self._life is None:
            kill_group(self._process)
        else:
            self._life.close()

    def end(self, seconds: float) -> None:
        """Kill it with everything that it started, and wait for that, at most about so long."""
        self.kill()
        code = self.wait(seconds)
        if self._engine is not None and (code is None or code < 0):
            # Perhaps the engine killed or stopped its guard.
            _kill_group(self._engine)
            self._process.kill()
            _ = self.wait(seconds)

    def _start_guarded(
        self, command: Sequence[str], cwd: str | None, environment: Mapping[str, str] | None
    ) -> subprocess.Popen[bytes]:
        """Start a guard, which starts the engine. Raises `OSError` and `ValueError`."""
        life, ours = os.pipe()
        reply, theirs = os.pipe()
        self._life = os.fdopen(ours, "wb", buffering=0)
        guard = [sys.executable, "-I", "-S", str(_GUARD), str(life), str(theirs), *command]
        with contextlib.ExitStack() as where_it_fails, os.fdopen(reply, "rb") as answer:
            _ = where_it_fails.callback(self._life.close)
            try:
                process = where_it_fails.enter_context(_start(guard, cwd, environment, (life, theirs)))
            finally:
                os.close(life)
                os.close(theirs)
            _ = where_it_fails.callback(self._life.close)  # Which ends the guard, before that is waited for.
            self._engine = _read_reply(answer, command[0])
            _ = where_it_fails.pop_all()
        return process


def _start(
    command: Sequence[str], cwd: str | None, environment: Mapping[str, str] | None, files: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=environment,
        bufsize=0,
        pass_fds=files,
        start_new_session=True,  # A process group, to kill it with all that it starts.
    )


def _read_reply(answer: IO[bytes], program: str) -> int:
    """Wait until the guard has started the engine, and return its process id. Raises `OSError` where it cannot."""
    said = dict(line.split() for line in answer)
    if number := int(said.get(b"error", 0)):
        raise OSError(number, os.strerror(number), program)
    if b"pid" not in said:
        raise OSError("its guard ended")
    return int(said[b"pid"])


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # noqa: S101 - `Popen` gets `PIPE` for all three
    return pipe


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a process group, with all processes of the group."""
    if hasattr(os, "killpg"):
        _kill_group(process.pid)
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            process.kill()


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
